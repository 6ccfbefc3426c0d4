#!/usr/bin/env bats
# What options accept, whatever the command.
bats_require_minimum_version 1.5.0

setup() {
  load lib.bash
  start
  gemm="gemm m=4096 n=4096 k=4096 --machine h100 --dtype fp16"
}

# same "ARGUMENTS" "ARGUMENTS": both give one answer.
same() {
  run -0 "$ROOFLINE" $1
  local first=$output
  run -0 "$ROOFLINE" $2
  [ "$output" = "$first" ]
}

@test "a share is typed with a % or without" {
  same "predict $gemm --efficiency 0.95" "predict $gemm --efficiency 95%"
  same "predict $gemm --efficiency 0.6,0.7,0.8" "predict $gemm --efficiency 60%,70%,80%"
  same "predict $gemm --without all --overlap 0.5" "predict $gemm --without all --overlap 50%"
  same "advise --mix decode=0.8,prefill=0.2 --machine a100 --machine h100" "advise --mix decode=80%,prefill=20% --machine a100 --machine h100"
  echo '{"schema": "roofline.measurements/1", "source": "x", "format": "fake", "machine": "box", "kernels": [
    {"name": "a", "calls": 1, "seconds": 0.002, "ceiling_seconds": 0.001, "fraction_of_ceiling": 0.5, "samples": [],
     "flops": {"fp32": 1}, "bytes": {"DRAM": 1}}], "skipped": []}' >r.json
  run -0 "$ROOFLINE" check r.json --min 50%
  run -1 "$ROOFLINE" check r.json --min 50.1%
  run -0 "$ROOFLINE" check r.json --against r.json --min 5% --max-regression 5% --significance 5%
  [[ $output == *"at least 5 % of the ceiling"* ]]
  run -2 "$ROOFLINE" check r.json --min 101%
  run -2 "$ROOFLINE" predict $gemm --launch 5%
  run -2 "$ROOFLINE" predict $gemm --efficiency 5m%
  run -0 "$ROOFLINE" measure --backend fake --quiet --interval 2%
  run -2 "$ROOFLINE" measure --backend fake --quiet --interval 51%
}

@test "list is a word wherever it is an option, and one answer" {
  for command in model run import profile machine op; do
    same "$command list" "$command --list"
    [ "${#lines[@]}" -gt 3 ]
  done
  same "model list --json" "model --list --json"
  run -2 "$ROOFLINE" model list llama
  run -0 "$ROOFLINE" op show gemm
  run -0 "$ROOFLINE" machine show h100
}

@test "a list names what was asked for" {
  run -0 "$ROOFLINE" machine list h100
  [[ $output == *nvidia-h100-sxm* && $output != *h200* && $output != *h20\ * ]]
  run -0 "$ROOFLINE" machine list h200
  [[ $output == *nvidia-h200-sxm* && $output != *gh200* ]]
  run -0 "$ROOFLINE" machine list hbm
  [ "${#lines[@]}" -gt 20 ]
  run -0 "$ROOFLINE" op list gemm
  [[ $output == *gemm* && $output != *softmax* ]]
  [ "$("$ROOFLINE" op list GEMM --json | jq -c '[.operations[].name]')" = '["gemm"]' ]
  [ "$("$ROOFLINE" op list gemm --csv | wc -l)" -eq 2 ]
  run -2 "$ROOFLINE" op list nothingsuch
}

@test "one format where one is taken" {
  for command in "sweep gemm m=8 n=8 k=8" "claim 1TB/s" "run triad" "loop" "model llama-3.1-8b"; do
    run -2 "$ROOFLINE" $command -d fp32 -d fp64
    [[ $output == *"--dtype: given 2 times; one value is taken"* ]]
  done
}

@test "what machine new leaves open is an error of lint" {
  "$ROOFLINE" machine new my-npu --to my.json
  run -1 "$ROOFLINE" machine lint my.json
  [[ $output == *'title is still `REPLACE`'* && $output == *'source is still `REPLACE`'* ]]
}

@test "doctor --strict and measure --compare are gates" {
  run -1 "$ROOFLINE" doctor --strict --root "$ROOFLINE_SOURCE/tests/fixtures/doctor/$(ls "$ROOFLINE_SOURCE/tests/fixtures/doctor" | head -n 1)"
  run -0 "$ROOFLINE" doctor --root "$ROOFLINE_SOURCE/tests/fixtures/doctor/$(ls "$ROOFLINE_SOURCE/tests/fixtures/doctor" | head -n 1)"
  "$ROOFLINE" measure --backend fake --quiet --to old.json >/dev/null
  run -0 "$ROOFLINE" measure --compare old.json old.json
  jq '.peaks[].flops_per_second *= 0.5' old.json >new.json
  run -1 "$ROOFLINE" measure --compare old.json new.json
  run -0 "$ROOFLINE" measure --compare new.json old.json
}

@test "one rule for --to: the ending says what, every file is named, - is standard output" {
  local triad="triad n=1M --machine h100"
  run -2 "$ROOFLINE" measure --backend fake --to m.gif
  [ "$output" = 'roofline: --to m.gif: `measure` writes files that end in .json, .svg, .png, .pdf or .html' ]
  run -2 "$ROOFLINE" plot $triad --to m.docx
  run -2 "$ROOFLINE" plot $triad --to m
  run -2 "$ROOFLINE" plot $triad --json --to m.csv
  [ "$(ls)" = h989.json ]
  for command in "predict $triad" "sweep $triad" "advise $triad" "claim 1TB/s --machine h100" "energy $triad" "plot $triad" \
    "machine show h100" "op show gemm" "explain ridge --machine h100" "model llama-3.1-8b --machine h100" "doctor" "run list" \
    "loop --backend fake --quick --ledger l"; do
    run -0 --separate-stderr "$ROOFLINE" $command --to answer.json
    [ -z "$output" ]
    [ "$stderr" = "wrote answer.json" ]
    jq -e .schema answer.json >schema
    run -0 "$ROOFLINE" $command --to answer.json --quiet
    [ -z "$output" ]
  done
  "$ROOFLINE" predict $triad >text
  "$ROOFLINE" predict $triad -o answer.txt
  cmp text answer.txt
  "$ROOFLINE" predict $triad --to - | cmp text
  "$ROOFLINE" predict $triad --to /dev/stdout | cmp text
  "$ROOFLINE" predict $triad --to -.json | jq -e .schema >schema
  "$ROOFLINE" sweep triad n=1M,2M --machine h100 --to answer.csv
  "$ROOFLINE" sweep triad n=1M,2M --machine h100 --csv | cmp answer.csv
}

@test "a drawing goes to standard output, a pipe or an open file as well" {
  local triad="triad n=1M --machine h100"
  "$ROOFLINE" plot $triad --to chart.svg
  "$ROOFLINE" plot $triad --to - | cmp chart.svg
  "$ROOFLINE" plot $triad --to >(cat >piped)
  "$ROOFLINE" plot $triad --to /dev/fd/5 5>opened
  cmp chart.svg opened
  "$ROOFLINE" plot $triad --to - --json | jq -e .schema >schema
  run -0 --separate-stderr "$ROOFLINE" energy --machine a100 --to -.svg
  [[ $output == "<svg"* && $output == *"</svg>" && -z $stderr ]]
  run -0 --separate-stderr "$ROOFLINE" plan llama-3.1-8b --machine h100 --to -.svg
  [[ $output == "<svg"* && $output == *"</svg>" && -z $stderr ]]
  run -0 --separate-stderr "$ROOFLINE" measure --backend fake --to -
  [ "$(json .schema)" = '"roofline.machine/1"' ]
  [ ! -e .config/roofline/machines/fake.json ]
  run -0 --separate-stderr "$ROOFLINE" loop --backend fake --quick --ledger l --to -.html
  [[ $output == "<!DOCTYPE html>"* && $output == *"</html>" ]]
  cmp chart.svg piped
}

@test "a gate that fails writes its answer, a command that fails writes none" {
  run -1 "$ROOFLINE" claim 9TB/s --machine h100 --to claim.json
  [ "$(jq .possible claim.json)" = false ]
  run -2 "$ROOFLINE" claim nothing --machine h100 --to other.json
  [ ! -e other.json ]
}

@test "- is standard input wherever a file is read" {
  run -0 "$ROOFLINE" model - --machine h100 --json <"$ROOFLINE_SOURCE/data/models/llama-3.1-8b.json"
  [ "$(json .name)" = '"llama-3.1-8b"' ]
  run -0 "$ROOFLINE" model - --machine h100 --json <<<$'# two\nrelu n=1M\nadd n=1M'
  [ "$(json '.operations | length')" = 2 ]
  run -0 "$ROOFLINE" predict triad n=1M --machine - --dtype fp16 <"$h989"
  [[ ${lines[0]} == "triad on h989"* ]]
  run -0 "$ROOFLINE" machine lint - <"$ROOFLINE_SOURCE/data/machines/nvidia-h100-sxm.json"
  run -0 "$ROOFLINE" seal - <<<"one: gemm m=64 n=64 k=64 --machine h100"
  [[ ${lines[0]} == "1 prediction sealed"* ]]
  run -0 "$ROOFLINE" predict twice n=8 --ops - --machine h100 <<<$'op twice\nparam n\nflops = 2 * n\nbytes = 4 * n'
  [[ ${lines[0]} == twice* ]]
  "$ROOFLINE" measure --backend fake --quiet >/dev/null
  "$ROOFLINE" run triad --backend fake --quick --dtype fp64 --to r.json --quiet
  run -0 "$ROOFLINE" check - --min 0 <r.json
  run -0 "$ROOFLINE" plot - --machine fake --dtype fp64 --csv <r.json
  [[ $output == *"measured,fake,triad"* ]]
  run -0 "$ROOFLINE" record - --unsealed <r.json
  run -0 "$ROOFLINE" plot --machine - --csv <"$h989"
  run -2 "$ROOFLINE" model - --machine h100 </dev/null
}

@test "--peak and --bandwidth are a machine wherever one is taken" {
  local figures="--peak 19.5TFLOP/s --bandwidth 2039GB/s"
  run -0 "$ROOFLINE" predict gemm m=n=k=4096 $figures
  [[ ${lines[0]} == "gemm on 19.50 TFLOP/s, 2.039 TB/s: compute-bound (fp32 vector), about 9.036 ms"* ]]
  [[ $output == *"ridge (9.564 FLOP/B)"* ]]
  for command in "sweep gemm m=1,64 n=64 k=64" "advise gemm m=1 n=4096 k=4096" "plot" "model llama-3.1-8b" "explain ridge"; do
    run -0 "$ROOFLINE" $command $figures --json
    [[ $output == *'peak=19.5TFLOP/s bandwidth=2039GB/s'* ]]
  done
  run -1 "$ROOFLINE" claim 25TFLOP/s $figures
  run -0 "$ROOFLINE" predict triad n=1M -m h100 $figures --json
  [ "$(json '.predictions | length')" = 2 ]
  run -0 "$ROOFLINE" predict gemm m=n=k=4096 --peak 20TFLOP/s --peak fp16:312TFLOP/s --bandwidth 2TB/s -d fp16 --json
  near .attainable_flops_per_second 312e12
  run -0 "$ROOFLINE" predict gemm m=n=k=4096 --peak 20TFLOP/s --peak fp16:312TFLOP/s --bandwidth 2TB/s -d bf16 --json
  near .attainable_flops_per_second 20e12
  "$ROOFLINE" predict gemm m=64 n=64 k=64 $figures --seal >sealed
  run -2 "$ROOFLINE" predict triad n=1M --peak 19.5TFLOP/s
  [ "$output" = 'roofline: --peak: a machine is both, --peak RATE --bandwidth RATE' ]
  run -2 "$ROOFLINE" predict triad n=1M --peak 1TB/s --bandwidth 1TB/s
  run -2 "$ROOFLINE" predict triad n=1M --peak 0 --bandwidth 1TB/s
}

@test "machine new computes peak and bandwidth from their parts" {
  run -0 "$ROOFLINE" machine new a100 --units 108 --clock 1.41GHz --flops-per-cycle 128 --bus 5120 --rate 3.186GT/s --to a.json
  [ "$(jq -c '[.peaks[].flops_per_second, .levels[].bytes_per_second]' a.json)" = '[19491840000000,2039040000000]' ]
  jq -r '.notes[]' a.json | grep -q 'peak: 108 units x 128 FLOP per cycle x 1.410 GHz = 19.49 TFLOP/s; bandwidth: 5120 bits / 8 x 3.186 GT/s = 2.039 TB/s'
  run -0 "$ROOFLINE" predict triad n=1G --machine a.json
  run -1 "$ROOFLINE" machine lint a.json
  [[ $output != *flops_per_second* ]]
  run -2 "$ROOFLINE" machine new a100 --units 108
  [[ $output == "roofline: clock: missing"* ]]
}

# idle OPTION CONDITION ARGUMENT...: the command refuses the option, for it would have no effect.
idle() {
  local option=$1 condition=$2
  shift 2
  run -2 "$ROOFLINE" "$@"
  [ "$output" = "roofline: $option: has no effect $condition" ] || { echo "$*: $output"; return 1; }
}

@test "an option that has no effect is an error with one line" {
  local triad="triad n=1M --machine h100"
  idle --label 'without --seal' predict $triad --label x
  idle --efficiency 'on `claim`' claim $triad 1ms --efficiency 50%
  idle --launch "without an operation's key=value" claim 1TB/s --machine h100 --launch 1us
  idle --warm "without an operation's key=value" energy --machine h100 --warm
  idle --warm 'on `cluster`' cluster --machine h100 --warm
  idle --height 'with --to' plot $triad --height 60 --to x.svg
  idle --width 'with --json' plot $triad --width 60 --json
  idle --width 'without --to FILE.svg, .png or .pdf' sweep triad n=1M,2M --machine h100 --width 400
  idle --width 'without --to FILE.svg, .png or .pdf' plot $triad --width 400 --to x.html
  idle --ascii 'with --csv' plot $triad --ascii --csv
  idle --all 'with --set' advise gemm m=1 n=64 k=64 --machine h100 --all --set m=2
  idle --ttft 'with --train' plan llama-3.1-8b --machine h100 --train --ttft 1s
  idle --machine 'with `list`' model list --machine h100
  idle --machine 'with `list`' import --list --machine h100
  idle --threads 'with `list`' run list --threads 2
  idle --quick 'with a name' measure --compare a.json b.json --quick
  idle --units 'without `new`' machine list --units 3
  idle --machine 'with `links`' cluster links x.json --machine h100
  idle --isa 'with `curve`' plot curve --isa avx2
  idle --dtype 'with `bandwidths`' plot bandwidths --dtype fp16
  idle --linear 'with `scaling`' plot scaling --linear
  idle --arrows 'with `intensity`' plot intensity --arrows
  idle --ca 'without --anchor' ledger verify --ca x.pem
  idle --markdown 'without `export`' ledger show --markdown x.md
  idle --levels 'without --to' import x.csv --levels
  idle --weights 'on `import`' import x.csv --weights int4
  idle --dtype 'without --op' import x.csv --dtype fp16
  idle --significance 'without --against' check r.json --significance 1%
  idle --dtype 'without a name' explain --dtype fp16
  [ "$(ls)" = h989.json ]
}

@test "an option that has no effect on the operation asked about is an error" {
  local option words
  while read -r option words; do
    run -2 "$ROOFLINE" $words --machine h100
    [ "${#lines[@]}" -eq 1 ]
    [[ $output == "roofline: $option: has no effect: "* ]] || { echo "$words: $output"; return 1; }
  done <<'END'
--kv predict gemm m=64 n=64 k=64 --kv fp8
--kv sweep gemm m=64,128 n=64 k=64 --kv fp8
--kv claim gemm m=64 n=64 k=64 1ms --kv fp8
--kv advise gemm m=64 n=64 k=64 --kv fp8
--kv energy gemm m=64 n=64 k=64 --kv fp8
--kv seal gemm m=64 n=64 k=64 --kv fp8
--kv explain gemm m=64 n=64 k=64 --kv fp8
--weights predict softmax rows=64 cols=64 --weights int4
--group predict gemm m=64 n=64 k=64 --weights q4_k_m --group 64
--unit predict copy n=1M --unit matrix
--sparse predict triad n=1M --dtype fp16 --sparse
--overlap predict copy n=1M --overlap 0
--overlap predict gemm m=64 n=64 k=64 --overlap 0
--without predict gemm m=64 n=64 k=64 --efficiency 50% --without latency
tp plan llama-3.1-8b tp=2
node model llama-3.1-8b --node 4
--network model llama-3.1-8b --tp 8 --network ndr
accept model llama-3.1-8b accept=0.5
sharers claim llama-3.1-8b sharers=4 tpot=20ms
generate model llama-3.1-8b --train generate=9
END
  run -2 "$ROOFLINE" predict gemm m=64 n=64 k=64 --machine h100 --link 'NVLink 4'
  [ "$output" = 'roofline: --link: has no effect: gemm sends nothing over a link' ]
  run -0 "$ROOFLINE" predict gemm m=64 n=64 k=64 --machine h100 --overlap 0 --without all
  run -0 "$ROOFLINE" predict gemm m=64 n=64 k=64 --overlap 0 --efficiency 1 --machine h100
  has '(the launch, and the work at the bound)'
  run -2 "$ROOFLINE" predict gemm m=64 n=64 k=64 --machine "$h989" --achieved
  [ "$output" = 'roofline: --achieved: has no effect: gemm finds no measured ceiling' ]
  run -0 "$ROOFLINE" predict gemm m=64 n=64 k=64 --machine "$h989" --machine h100 --achieved
  run -0 "$ROOFLINE" predict attention batch=1 heads=8 q_len=64 kv_len=64 head_dim=64 --kv fp8 --machine h100
  run -0 "$ROOFLINE" sweep allreduce size=1MB ranks=1,8 --link 'NVLink 4' --machine h100
}

@test "an option of one value is typed once" {
  run -2 "$ROOFLINE" predict triad n=1M --machine h100 --launch 1us --launch 2us
  [ "$output" = 'roofline: --launch: given 2 times; one value is taken' ]
  run -2 "$ROOFLINE" plot --machine h100 --to a.svg -o b.svg
  run -2 "$ROOFLINE" run list -b cpu -b fake
  run -0 "$ROOFLINE" predict triad n=1M --machine h100 --machine a100
}

@test "several formats: repeated --dtype or a comma list, in predict and plot" {
  local point="gemm m=4096 n=4096 k=4096"
  run -0 "$ROOFLINE" predict $point -m h100 -d fp16 -d fp8 --json
  [ "$(json '[.predictions[] | [.machine, .dtype]]')" = '[["nvidia-h100-sxm","fp16"],["nvidia-h100-sxm","fp8"]]' ]
  same "predict $point -m h100 -d fp16 -d fp8" "predict $point -m h100 -d fp16,fp8"
  run -0 "$ROOFLINE" predict $point -m h100 -m a100 -d fp64,fp16 --csv
  [ "${#lines[@]}" -eq 5 ]
  run -0 "$ROOFLINE" predict $point -m h100 -d fp16,fp8 --seal
  [ "$("$ROOFLINE" ledger show --json | jq '.entries | length')" = 2 ]
  same "plot $point -m h100 -d fp16,fp8 --csv" "plot $point -m h100 -d fp16 -d fp8 --csv"
  run -2 "$ROOFLINE" claim 1TB/s -m h100 -d fp16,fp8
  [ "$output" = 'roofline: --dtype: given 2 times; one value is taken' ]
  run -2 "$ROOFLINE" predict $point -m h100 -d ,
}

@test "list and show are verbs of every catalogue" {
  for command in machine op model run import profile explain; do
    run -0 "$ROOFLINE" $command list
    [ "${#lines[@]}" -gt 3 ]
  done
  for words in "machine show h100" "op show gemm" "model show llama-3.1-8b --machine h100" "run show gemm-naive" "import show ncu" \
    "profile show ncu" "explain show ridge --machine h100"; do
    run -0 "$ROOFLINE" $words
    [ "${#lines[@]}" -gt 2 ]
    run -0 "$ROOFLINE" $words --json
    jq -e .schema <<<"$output"
  done
  same "model show llama-3.1-8b --machine h100" "model llama-3.1-8b --machine h100"
  run -0 "$ROOFLINE" run show gemm-naive
  [[ $output == *"name "*"gemm-naive"*"op "*"gemm"* ]]
  run -0 "$ROOFLINE" import show ncu --csv
  [ "${#lines[@]}" -eq 2 ]
  run -2 "$ROOFLINE" run show gemm-naiv
  [ "$output" = 'roofline: show `gemm-naiv`: unknown; did you mean `gemm-naive`?; `list` shows all' ]
}

@test "--device names one of a backend's accelerators" {
  run -2 "$ROOFLINE" run triad --device 0
  [ "$output" = 'roofline: --device: has no effect on the backend cpu' ]
  run -2 "$ROOFLINE" measure --backend fake --device 0
  "$ROOFLINE" doctor --json | jq -e '.checks[] | select(.name == "backend" and .path == "opencl" and .state == "ok")' >found || skip "no OpenCL"
  run -2 "$ROOFLINE" run device-gemv m=64 n=64 --backend opencl --device 99
  [[ $output == "roofline: device 99: opencl has "*", counted from 0" ]]
  run -2 "$ROOFLINE" run device-gemv m=64 n=64 --backend opencl --device nosuchthing
  [[ $output == 'roofline: device `nosuchthing`: none of opencl has that name (0: '* ]]
  run -0 "$ROOFLINE" run device-gemv m=64 n=64 --quick --backend opencl --device 0 --json
  [ "$(json .machine)" = '"host-gpu0"' ]
}
