#!/usr/bin/env bats
# roofline energy: the taught figures, terms and bounds, what a machine's file says, and what is refused.

setup() {
  load lib.bash
  start
  taught=(--dtype fp16 --machine h100 --joules-per-flop 0.3pJ --joules-per-byte 20pJ)
}

# powered NAME ENERGY: h989 with that energy section.
powered() {
  jq --argjson energy "$2" '.energy = $energy' <"$h989" >"$1.json"
}

@test "what a row costs stands in its column, in whatever unit" {
  run -0 "$ROOFLINE" energy gemm m=n=k=1024 --machine h100 --joules-per-flop 10pJ --joules-per-byte 60pJ --idle-watts 50
  [[ ${lines[1]} == "  FLOPs       21.47 mJ   ███████████████████   96.7 %  "* ]]
  [[ ${lines[2]} == "  HBM         377.5 µJ                          1.7 %  "* ]]
}

@test "the taught figures: 3178.2 and 61.35 GFLOP/s per watt, balance 66.67, limit 3333" {
  run -0 "$ROOFLINE" energy gemm m=4096 n=4096 k=4096 "${taught[@]}" --json
  near '.machines[0].points[0].flops_per_joule' 3178.15e9
  near '.machines[0].energy_balance' 66.6667
  near '.machines[0].best_flops_per_joule' 3333.33e9
  [ "$(json '.machines[0] | [.points[0].bound, .race_to_halt, .power_only, .kind]')" = '["FLOPs",true,false,"assumed"]' ]
  run -0 "$ROOFLINE" energy softmax rows=2048 cols=2048 "${taught[@]}" --json
  near '.machines[0].points[0].flops_per_joule' 61.3497e9
  [ "$(json '.machines[0].points[0].bound')" = '"bytes"' ]
}

@test "a given cost of a FLOP is of the format asked for, no other" {
  run -0 "$ROOFLINE" energy "${taught[@]}" --json
  [ "$(json '[.machines[0].flop_costs[].dtype] | unique')" = '["fp16"]' ]
  run -0 "$ROOFLINE" energy --dtype fp16 --machine h100 --json
  [ "$(json '[.machines[0].flop_costs[].dtype] | unique | length > 5')" = true ]
}

@test "twice the joules of a byte are half the efficiency where bytes take them" {
  run -0 "$ROOFLINE" energy nrm2 n=1e8 --dtype fp32 --machine h100 --joules-per-flop 1e-18 --joules-per-byte 20pJ --json
  before=$(json '.machines[0].points[0].flops_per_joule')
  run -0 "$ROOFLINE" energy nrm2 n=1e8 --dtype fp32 --machine h100 --joules-per-flop 1e-18 --joules-per-byte 40pJ --json
  near '.machines[0].points[0].flops_per_joule' "$(jq -n "$before / 2")"
}

@test "energy and predict are one figure; terms add; times bound the constant part" {
  powered joules '{"joules_per_flop": 1e-12, "joules_per_byte": 2e-11, "idle_watts": 90, "watts": 700, "source": "the test"}'
  run -0 "$ROOFLINE" predict gemm m=64 n=4096 k=4096 --dtype fp16 --machine ./joules.json --json
  predicted=$output
  run -0 "$ROOFLINE" energy gemm m=64 n=4096 k=4096 --dtype fp16 --machine ./joules.json --json
  near '.machines[0].points[0].joules.expected' "$(jq .energy_joules <<<"$predicted")" 1e-12
  near '.machines[0].points[0].joules | .flops + .bytes + .constant' "$(jq .energy_joules <<<"$predicted")" 1e-12
  near '.machines[0].points[0] | .joules.lower - .joules.flops - .joules.bytes' "$(jq '90 * .seconds.memory' <<<"$predicted")" 1e-9
  near '.machines[0].points[0] | .joules.upper - .joules.flops - .joules.bytes' "$(jq '90 * .seconds.upper' <<<"$predicted")" 1e-9
  near '.machines[0].points[0].watts' "$(jq '.energy_joules / .seconds.expected' <<<"$predicted")" 1e-9
  run -0 "$ROOFLINE" predict gemm m=64 n=4096 k=4096 --dtype fp16 --machine ./joules.json
  has "from energy per FLOP and byte"
}

@test "no point is above the roofline: bytes that are charged as memory's take its time, warm as cold" {
  local state
  for state in '' --cold; do
    run -0 "$ROOFLINE" energy gemm m=1,8,64,4096 n=4096 k=4096 "${taught[@]}" --idle-watts 100 $state --json
    near '.machines[0].points[0] | .flops / .joules.lower' 19.9295e9
    [ "$(json '.machines[0] as $m | [$m.points[] | .flops / .joules.lower <= $m.best_flops_per_joule] | all')" = true ]
  done
  run -0 "$ROOFLINE" energy gemm m=1 n=4096 k=4096 "${taught[@]}" --idle-watts 100
  has ', 19.93 at the lower bound, of at most 2493.3'
}

@test "formats and levels have costs of their own" {
  powered apart '{"joules_per_flop": 1e-12, "joules_per_byte": 2e-11, "source": "the test",
    "flops": [{"dtype": "fp16", "unit": "matrix", "joules": 5e-13, "kind": "measured", "source": "the test"}],
    "bytes": [{"level": "memory", "joules": 4e-11, "kind": "measured", "source": "the test"}]}'
  run -0 "$ROOFLINE" machine lint ./apart.json
  run -0 "$ROOFLINE" energy gemm m=64 n=64 k=64 --dtype fp16 --machine ./apart.json --json
  near '.machines[0].points[0].joules.flops' "$(jq -n '2 * 64 * 64 * 64 * 5e-13')" 1e-9
  near '.machines[0].points[0].level_joules.HBM' "$(jq -n '3 * 64 * 64 * 2 * 4e-11')" 1e-9
  run -0 "$ROOFLINE" machine show ./apart.json --json
  [ "$(json '.energy | [.flops[0].joules, .bytes[0].level]')" = '[5e-13,"memory"]' ]
}

@test "a power alone is an assumption and said to be one" {
  run -0 "$ROOFLINE" energy --machine h100
  has "every energy here is at full power"
  has "racing to halt pays"
  run -0 "$ROOFLINE" energy --machine h100 --csv
  [[ ${lines[0]} == machine,dtype,unit,level,* ]]
  has "nvidia-h100-sxm,fp16,matrix,,989400000000000,"
  has "nvidia-h100-sxm,fp16,matrix,HBM,,3350000000000,"
}

@test "where the power alone is known, nothing but time takes the energy" {
  run -0 "$ROOFLINE" energy gemm m=4096 n=4096 k=4096 --machine h100 --dtype fp16
  has "100.0 %  700.0 W x the expected"
  has "right of the ridge of 295.3: computing takes most of the time that is paid for"
  [[ $output != *"most of the energy"* ]]
  run -0 "$ROOFLINE" energy softmax rows=2048 cols=2048 --machine h100 --dtype fp16
  has ": moving the bytes takes most of the time that is paid for"
  run -0 "$ROOFLINE" energy --machine h100
  has "the machine's file says no joules, so every energy here is at full power, and follows the time alone"
}

@test "a machine without a matrix unit has the line of its lanes" {
  run -0 "$ROOFLINE" energy --machine raspberry-pi-5
  [[ ${lines[0]} == *", fp32 vector: "* ]]
}

@test "the drawing has the limit, the balances, the dots and the power" {
  for file in energy.svg energy.html; do
    run -0 "$ROOFLINE" energy gemm m=1,4096 n=4096 k=4096 --machine a100 --joules-per-flop 0.3pJ \
      --joules-per-byte 120pJ --idle-watts 50 --to "$file"
    [ "$output" = "wrote $file" ]
    for part in "FLOP/J expected, " "limit 2.173 TFLOP/J" "energy balance 260.7 FLOP/B" "time balance 153 FLOP/B" ">m=4096<" "400.0 W"; do
      grep -q "$part" "$file"
    done
    xmllint --noout "$file"
  done
  run -0 "$ROOFLINE" energy --machine h100 --machine a100 --joules-per-flop 0.3pJ --joules-per-byte 120pJ --to both.svg
  [ "$(grep -c '<polyline' both.svg)" = 4 ]
  run -0 "$ROOFLINE" energy --machine h100 --machine a100 --to constant.svg # one power: no curve, and no balance of its own
  [ "$(grep -c '<polyline' constant.svg)" = 2 ]
  ! grep -q 'energy balance\|average power' constant.svg
}

@test "a dot is at the rate expected, as the text says, with a tick at its bound" {
  run -0 "$ROOFLINE" energy gemm m=1 n=4096 k=4096 --machine h100 --to gemv.svg
  run -0 "$ROOFLINE" energy gemm m=1 n=4096 k=4096 --machine h100 --json
  printf -v expected %.3f "$(json '.machines[0].points[0].flops_per_joule / 1e9')"
  grep -q "<title>gemm: 0.9995 FLOP/byte, $expected GFLOP/J expected, 4.783 GFLOP/J at the bound</title>" gemv.svg
}

@test "of a model's training step, with --train as with the word" {
  run -0 "$ROOFLINE" energy llama-3.1-8b --train recompute=full batch=64 dp=8 zero=1 --machine h100
  has "131072"
  option=$output
  run -0 "$ROOFLINE" energy llama-3.1-8b train recompute=full batch=64 dp=8 zero=1 --machine h100
  [ "$output" = "$option" ]
  run -2 --separate-stderr "$ROOFLINE" energy gemm m=64 n=64 k=64 --train --machine h100
  [ "$stderr" = 'roofline: --train: of a model, which `gemm` is not' ]
  run -2 --separate-stderr "$ROOFLINE" energy --train --machine h100
  [[ $stderr == 'roofline: --train: has no effect'* ]]
}

@test "bad input is refused with the reason" {
  run -2 "$ROOFLINE" energy --machine h100 --joules-per-flop much
  has "--joules-per-flop"
  run -2 "$ROOFLINE" energy --machine h100 --joules-per-flop 1pJ
  has "both are needed"
  run -2 "$ROOFLINE" energy --machine h100 --idle-watts=-1
  has "must not be negative"
  run -3 "$ROOFLINE" energy --machine "$h989"
  has "neither joules nor watts"
  run -2 "$ROOFLINE" energy --machine h100 --to energy.gif
  has ".txt, .svg, .png, .pdf, .html, .json or .csv"
  [ ! -e energy.gif ]
}

@test "what is unknown is said once, and a machine's power is no limit of the time" {
  run -0 "$ROOFLINE" energy allreduce size=1GB ranks=16 --machine h100
  [[ ${lines[0]} == 'allreduce on NVIDIA H100 SXM5 80GB: unknown: its links join at most 8 devices, not 16;'* ]]
  [ "$(grep -c unknown <<<"$output")" = 1 ]
  [[ $output != *$'\n\n\n'* ]]
  run -0 "$ROOFLINE" energy allreduce size=1GB ranks=8 --machine h100
  [[ ${lines[0]} == 'allreduce on NVIDIA H100 SXM5 80GB: at full power '*' J, 700.0 W on average' ]]
}
