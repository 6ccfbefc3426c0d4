#!/usr/bin/env bats
# One placement: import, check, claim and reconcile give the same ceiling, share and verdict for the same kernel.

setup() {
  load lib.bash
  start
}

# Name, ceiling, share and verdict of each kernel are alike, numbers to ten digits; work that is not known fails nothing, a point above
# its ceiling does.
agree='
  def digits: if . == null or . == 0 then . else
    (fabs | log10 | floor) as $e | (. / pow(10; $e - 9) | round) * pow(10; $e - 9) | tostring end;
  def judged: [.kernels[] | [(.fraction_of_ceiling | digits), .verdict]];
  if (.[0] | judged) != (.[1] | judged) then .[] | judged
  else .[1].kernels[] | select((.state == "unknown" and .passed == false) or (.verdict == "explain" and .passed)) end'

@test "every profiler's file: import and check agree, with the machine and without" {
  local seen=0 apart
  for file in "$ROOFLINE_SOURCE"/tests/fixtures/import/* "$ROOFLINE_SOURCE"/examples/{ncu.csv,trace.json}; do
    "$ROOFLINE" import "$file" --machine h100 --json >imported.json
    [ "$(jq -r '"\(.schema) \(.kernels | length > 0)"' imported.json)" = 'roofline.measurements/1 true' ] || continue
    for options in '' '--machine h100'; do
      "$ROOFLINE" check imported.json $options --json >checked.json || [ $? -le 2 ] # 2: nothing in it can be judged
      apart=$(jq -cs "$agree" imported.json checked.json)
      [ -z "$apart" ] || { echo "$file $options: $apart"; return 1; }
    done
    seen=$((seen + 1))
  done
  [ "$seen" -ge 40 ]
}

@test "a kernel's long name, as of a template, is judged in check, and against a baseline" {
  jq -n '[range(2)] | {schema: "roofline.measurements/1", kernels: [.[] | {name: ("void kernel<" + ("é" * 200) + "\(.)>"), seconds: 1,
    flops: {"fp16 matrix": 8e14}, bytes: {DRAM: 1e9}}]}' >long.json
  run -0 "$ROOFLINE" check long.json --against long.json --machine h100 --json
  [ "$(json '[.kernels[].label] | unique | length')" -eq 2 ]
  [ "$(json '[.kernels[].regression]')" = '[0,0]' ]
}

@test "random kernels: check, claim and reconcile agree" {
  # vector and matrix work in two formats, from a tenth to three times of what the H100 allows
  awk 'BEGIN { srand(12); for (i = 0; i < 500; i++) {
    dtype = rand() < 0.5 ? "fp64" : "fp16"; unit = rand() < 0.5 ? "vector" : "matrix"
    printf "{\"name\": \"k%d\", \"calls\": 1, \"samples\": [], \"counters\": null, \"counted\": {}, \"seconds\": 1, ", i
    printf "\"flops\": {\"%s %s\": %.6e}, \"bytes\": {\"DRAM\": %.6e}}\n", dtype, unit, exp(log(1e11) + rand() * log(3e4)), exp(log(1e11) + rand() * log(100)) } }' |
    jq -s '{schema: "roofline.measurements/1", source: "the test", format: "fake", machine: "nvidia-h100-sxm", kernels: ., skipped: []}' >random.json
  "$ROOFLINE" check random.json --machine h100 --json >checked.json || [ $? -eq 1 ]
  [ "$(jq '.kernels | length' checked.json)" -eq 500 ]
  [ "$(jq '[.kernels[].verdict] | unique | length' checked.json)" -eq 6 ]
  for i in $(seq 0 23 499); do
    kernel=$(jq ".kernels[$i]" random.json) got=$(jq ".kernels[$i]" checked.json)
    read -r dtype unit flops bytes < <(jq -r '(.flops | keys[0]) + " \(.flops[]) \(.bytes.DRAM)"' <<<"$kernel")
    run "$ROOFLINE" claim "rate=$flops" "intensity=$(jq -n "$flops / $bytes")" --machine h100 --dtype "$dtype" --unit "$unit" --json
    near .fraction "$(jq .fraction_of_ceiling <<<"$got")" 1e-9
    [ "$(json .verdict)" = "$(jq .verdict <<<"$got")" ]
    [ "$status" -eq "$(jq 'if .verdict == "explain" then 1 else 0 end' <<<"$got")" ]
  done
}

@test "kernels of operations: predicted and sealed, recorded and reconciled, checked and claimed" {
  while read -r dtype factor op; do
    rm -f roofline.ledger
    "$ROOFLINE" predict $op --machine h100 --dtype "$dtype" --launch 0 --cold --seal --label k --json >predicted.json
    seconds=$(jq ".seconds.lower / $factor" predicted.json)
    jq --argjson s "$seconds" --arg d "$dtype" --arg name "$op $dtype" '{schema: "roofline.measurements/1", source: "the test",
      format: "fake", machine: "nvidia-h100-sxm", skipped: [], kernels: [{name: $name, seconds: $s, calls: 1, samples: [],
      flops: (if .flops > 0 then {($d): .flops} else null end), bytes: {DRAM: .bytes}, counted: {}, counters: null}]}' predicted.json >k.json
    "$ROOFLINE" check k.json --machine h100 --json >checked.json || [ $? -eq 1 ]
    share=$(jq '.kernels[0].fraction_of_ceiling' checked.json) verdict=$(jq '.kernels[0].verdict' checked.json)
    run "$ROOFLINE" claim $op "time=$seconds" --machine h100 --dtype "$dtype" --launch 0 --cold --json
    near .fraction "$share" 1e-9
    [ "$(json .verdict)" = "$verdict" ]
    run "$ROOFLINE" import k.json --machine h100 --json
    [ "$(json '.kernels[0].verdict')" = "$verdict" ]
    jq '.kernels[0].name = "k"' k.json >named.json
    "$ROOFLINE" record named.json >/dev/null
    run "$ROOFLINE" reconcile --json
    output=$(sed '/^roofline:/d' <<<"$output")
    near '.entries[0].fraction_of_ceiling' "$share" 1e-9
    near '.entries[0].theoretical.fraction' "$share" 1e-9
    [ "$(json '.entries[0].verdict')" = "$verdict" ]
    [ "$(json '.entries[0].error != null')" = "$(jq '.kernels[0].state == "impossible"' checked.json)" ]
  done <<'ROWS'
fp16 0.71 gemm m=4096 n=4096 k=4096
fp16 1.30 gemm m=4096 n=4096 k=4096
fp64 0.30 gemm m=512 n=512 k=512
fp64 0.88 gemv m=8192 n=8192
fp32 0.95 softmax rows=4096 cols=4096
fp32 2.00 add n=1G
fp16 0.60 copy n=1G
fp16 1.02 gemm m=4096 n=4096 k=4096
fp16 0.40 attention batch=4 heads=32 q_len=2048 kv_len=2048 head_dim=128
ROWS
}

@test "above the ceiling within the noise of the samples is possible, in check as in reconcile" {
  "$ROOFLINE" predict gemm m=4096 n=4096 k=4096 --machine h100 --dtype fp16 --launch 0 --seal --label k --json >predicted.json
  jq '(.seconds.lower / 1.03) as $s | {schema: "roofline.measurements/1", source: "the test", format: "fake", machine: "nvidia-h100-sxm",
    skipped: [], kernels: [{name: "k", seconds: $s, calls: 3, samples: [0.95 * $s, $s, 1.05 * $s], flops: {"fp16 matrix": .flops},
    bytes: {DRAM: .bytes}, counted: {}, counters: null}]}' predicted.json >k.json
  run -0 "$ROOFLINE" check k.json --machine h100 --json
  [ "$(json '.kernels[0] | [.state, .verdict]')" = '["pass","remeasure"]' ]
  "$ROOFLINE" record k.json >/dev/null
  run -0 "$ROOFLINE" reconcile --json
  [ "$(json '.entries[0] | [.error, .verdict]')" = '[null,"remeasure"]' ]
}

@test "run, check, plot and import give a kernel that writes the same share of the same ceiling" {
  "$ROOFLINE" measure --backend fake --quiet >/dev/null
  "$ROOFLINE" run triad axpy gemv --backend fake --json >run.json
  shares() { jq -c '[.kernels[] | [.name, (.fraction_of_ceiling * 1000 | round)]] | sort' <<<"$1"; }
  want=$(shares "$(cat run.json)")
  [ "$(shares "$("$ROOFLINE" import run.json --json)")" = "$want" ]
  run -0 "$ROOFLINE" check run.json --machine fake
  [ "$(grep -c '80.0 %' <<<"$output")" -eq 3 ]
  run -0 "$ROOFLINE" plot run.json --machine fake --csv
  [ "$(grep -c ',6000000000,normal' <<<"$output")" -eq 2 ]
}

@test "against a measured ceiling every command has the bands of what a benchmark reached" {
  local lower case share verdict seconds
  "$ROOFLINE" measure --backend fake --quiet >/dev/null
  "$ROOFLINE" predict triad n=16Mi --machine fake --dtype fp32 --seal --label k --json >predicted.json
  lower=$(jq .seconds.lower predicted.json)
  run -0 "$ROOFLINE" explain verdict triad n=16Mi --machine fake --dtype fp32
  has '87 % of the ceiling, 1.15x headroom: normal, '
  has '95 % of the ceiling, 1.05x headroom: done, '
  for case in 0.66:low 0.88:normal 0.95:done; do
    share=${case%:*} verdict=${case#*:}
    seconds=$(jq -n "$lower / $share")
    run -0 "$ROOFLINE" claim triad n=16Mi "time=$seconds" --machine fake --dtype fp32 --json
    [ "$(json '.verdict')" = "\"$verdict\"" ]
    run -0 "$ROOFLINE" advise triad n=16Mi --machine fake --dtype fp32 "measured=$seconds"
    has "if nothing overlaps; $verdict, "
    rm -f roofline.ledger
    "$ROOFLINE" seal predicted.json >/dev/null
    jq --argjson s "$seconds" '{schema: "roofline.measurements/1", source: "the test", format: "fake", machine: "fake", skipped: [],
      kernels: [{name: "k", seconds: $s, calls: 1, samples: [], flops: {fp32: .flops}, bytes: {DRAM: .bytes}, counted: {},
      write_share: (1 / 3), counters: null}]}' predicted.json >k.json
    run -0 "$ROOFLINE" import k.json --machine fake --json
    near '.kernels[0].fraction_of_ceiling' "$share" 1e-9
    [ "$(json '.kernels[0].verdict')" = "\"$verdict\"" ]
    run "$ROOFLINE" check k.json --machine fake --json
    [ "$(json '.kernels[0].verdict')" = "\"$verdict\"" ]
    run -0 "$ROOFLINE" plot k.json --machine fake --csv
    has ",$verdict"
    "$ROOFLINE" record k.json >/dev/null
    run -0 "$ROOFLINE" reconcile --json
    [ "$(json '.entries[0] | [.verdict, .achieved.verdict] | unique[]')" = "\"$verdict\"" ]
  done
}

@test "a kernel as short as its launch: predict, claim, import and check say so, and one a hundred times as long is a bug" {
  local seconds verdict
  run -0 "$ROOFLINE" predict add n=8192 --dtype fp32 --machine h100 --cold --json
  [ "$(json .regime)" = '"overhead"' ]
  for case in 2.2e-6:overhead 3.9e-6:overhead 300e-6:bug; do
    seconds=${case%:*} verdict=${case#*:}
    jq -n --argjson s "$seconds" '{schema: "roofline.measurements/1", source: "the test", format: "fake", machine: "nvidia-h100-sxm", skipped: [],
      kernels: [{name: "tiny", seconds: $s, calls: 3, samples: [], flops: {fp32: 8192}, bytes: {DRAM: 98304}, counted: {}, counters: null}]}' >k.json
    run "$ROOFLINE" import k.json --machine h100 --json
    [ "$(json '.kernels[0].verdict')" = "\"$verdict\"" ]
    share=$(json '.kernels[0].fraction_of_ceiling')
    run "$ROOFLINE" check k.json --machine h100 --json
    [ "$(json '.kernels[0] | [.verdict, .passed]')" = "[\"$verdict\",$([ "$verdict" = bug ] && echo false || echo true)]" ]
    near '.kernels[0].fraction_of_ceiling' "$share" 1e-9
    [ "$verdict" = bug ] && continue
    run -0 "$ROOFLINE" claim add n=8192 "time=$seconds" --dtype fp32 --machine h100 --cold --json
    [ "$(json .verdict)" = "\"$verdict\"" ]
    near .fraction "$share" 1e-9
  done
}
