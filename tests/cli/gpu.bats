#!/usr/bin/env bats
# bench/gpu.sh without a device, and the table that it makes of a result; run --counters with an ncu that is a script.
bats_require_minimum_version 1.5.0
load lib
load gpu

@test "gpu.sh: without a device it says so and ends with 3" {
  ROOFLINE_CUDA_LIBRARIES=/none ROOFLINE_RESULTS=$BATS_TEST_TMPDIR run sh "$ROOFLINE_SOURCE/bench/gpu.sh"
  [ "$status" -eq 3 ]
  [ "$output" = "gpu.sh: nothing measured: backend cuda: no libcuda.so.1: NVIDIA's driver is not installed" ]
  [ -z "$(ls "$BATS_TEST_TMPDIR")" ]
}

@test "gpu.sh: all parts, the goals, the table" {
  stub
  STUB_KERNELS='gemm-naive|buffered|gemm-mma|tma|cluster|wgmma$|cublas|softmax$|rmsnorm$|int8|decode$' gpu
  [ "$status" -eq 1 ] # a race was found
  [ "$(basename "$result")" = "gpu-$(date -u +%Y-%m-%d)-nvidia-h200.json" ]
  [ "$(of_result '[.parts[].state] | unique')" = '["complete"]' ]
  [ "$(of_result '.parts | keys_unsorted')" = '["smoke","ladders","shapes","ceilings","variants","kernels","counters","sanitizer"]' ]
  [ "$(of_result '[.schema, .quick, .device.name, .device.driver, .device.ecc]')" = '["roofline.gpu/3",false,"NVIDIA H200","580.1","Enabled"]' ]
  [ "$(of_result '.ladders | map_values(map(.rung))')" = '{"bf16, m = n = k = 8192":[9,10,12],"bf16, m = n = k = 4096":[10,12],"fp32, m = n = k = 4096":[1,8,9],"fp8, m = n = k = 8192":[11],"fp8, m = 128, n = k = 8192":[11]}' ]
  [ "$(of_result '[.goals[].met]')" = '[true,true,true,true,false,true,false,true,true,true]' ]
  [ "$(of_result '.goals[0].reached')" = 1.06 ]
  [ "$(of_result '[.sustained.kernel, .sustained.baseline.fraction]')" = '["gemm-cluster",1.06]' ]
  [ "$(grep -c 'run gemm-cluster m=8192 .*--sustain 3s' "$STUB_LOG")" -eq 1 ]
  [[ $output == *'* after three seconds of work: `gemm-cluster bf16` 1 TFLOP/s (106 %)'* ]]
  [[ $output == *'* datasheet: nvidia-h200-sxm'* ]]
  [ "$(of_result '[.variants[] | .kernel, .variant, .shape, .baseline.fraction]')" = '["gemm-cluster","band=4","m=8192 n=8192 k=8192",1.06]' ] # not where the kernel is fastest as it is
  [[ $output == *'* `gemm-cluster bf16` at m=8192 n=8192 k=8192 by band=4: 1 TFLOP/s (106 %)'* ]]
  [ "$(of_result '[.smoke[] | select(.kernel == "gemm-cluster") | .shape, .state]')" = \
    '["m=2056 n=4104 k=136","right","m=264 n=264 k=4104","right","m=8 n=8 k=8","right"]' ]
  [ "$(grep -n -m 1 'run gemm-cluster m=8192' "$STUB_LOG" | cut -d : -f 1)" -lt "$(grep -n -m 1 'run gemm-cluster m=264' "$STUB_LOG" | cut -d : -f 1)" ] # one shape, then the goals
  [ "$(of_result '[.smoke[] | select(.kernel == "gemm-cluster multicast=a band=16" and .state == "right")] | length')" -eq 3 ] # each variant
  [ "$(of_result '[.smoke[] | select(.kernel == "gemm-fp8-cluster") | .shape] | last')" = '"m=8 n=8 k=16"' ] # rows of 16 bytes
  [ "$(of_result '.parts.kernels.sensors | [.sm_mhz[0], .watts, .celsius, .reasons[0]]')" = '[1755,650.5,61,"0x0000000000000004"]' ]
  [ "$(of_result '.kernels | map("\(.kernel) \(.dtype)") | (length == (unique | length)) and (index("device-rmsnorm bf16") != null)')" = true ]
  [ "$(of_result '[.counters[] | .counters.flops] | unique')" = '[1100000000]' ]
  [ "$(of_result '[.profiles[].kernel]')" = '["gemm-cluster","gemm-tma","gemm-fp8-cluster","attention-flash-wgmma"]' ]
  [ -s "$ROOFLINE_RESULTS/$(of_result '.profiles[0].file' | tr -d '"')" ]
  [ "$(of_result '[.sanitizer[] | select(.state != "clean") | .tool, .what, .state, .decides, .output]')" = \
    '["racecheck","gemm-cluster","errors",true,"Something reported\n","synccheck","gemm-tma","errors",false,"Something reported\n"]' ]
  [ "${lines[0]}" = '| goal | reached | wanted | |' ] # what was asked for comes first, and all of it is a page
  [[ ${lines[2]} == '| goal: bf16 gemm at 8192, gemm-cluster, of cuBLASLt | 106 % | 100 % | met |' ]]
  [[ $output == *'* WRONG: racecheck of gemm-cluster: errors'* && $output != *'WRONG: synccheck'* ]]
  [[ $output == *'* synccheck of gemm-tma: errors (reported only)'* ]]
  [ "${#lines[@]}" -lt 50 ]
  ! awk '/ncu/' "$STUB_LOG" | grep -q . || false
  table=$(sh "$ROOFLINE_SOURCE/bench/gpu.sh" --table "$result")
  [[ $table == *'after three seconds of work: `gemm-cluster bf16`'* ]]
  [[ $table == *'| bf16 matrix, wgmma | 800 TFLOP/s | 989 TFLOP/s | 80.9 % |'* ]] # of a table that quotes the datasheet
  [[ $table == *'| 80.9 % | 720 TFLOP/s | 730 TFLOP/s | 90 % |'* ]] # the library, and the best of what it suggests
  [[ $table == *'| HBM read | 4.5 TB/s | 4.8 TB/s | 93.8 % | | | |'* ]]
  [[ $table == *'| `device-softmax fp32` | 110 % | 125 % | 0.25 | 0.22 |'* ]]
  grep -q -e '--tool memcheck .* device-softmax rows=64 cols=1024 .*--dtype fp32' "$STUB_LOG"
  [ "$(grep -c -e '--tool memcheck .* device-gemv-int8 ' "$STUB_LOG")" -eq 1 ]
  ! grep -v '^--tool' "$STUB_LOG" | grep -q 'run gemm-cluster .*fp32'
}

@test "gpu.sh: a kernel that hangs is named, and nothing more is tried with it" {
  stub
  STUB_WHY='waiting for gemm_cluster: unspecified launch failure (CUDA_ERROR_LAUNCH_FAILED)' STUB_FAIL='gemm-cluster bf16 4' gpu smoke ladders
  [ "$status" -eq 1 ]
  [ "$(of_result '[.smoke[] | select(.state != "right") | .kernel, .shape, .broken]')" = '["gemm-cluster","m=2056 n=4104 k=136",true]' ]
  [ "$(of_result '[.ladders[][].kernel]')" = '["device-gemm-naive"]' ]
  [[ $output == *'* WRONG: gemm-cluster m=2056 n=4104 k=136: gemm-cluster bf16: waiting for gemm_cluster: unspecified launch failure'* ]]
  [ "$(grep -c 'run gemm-cluster ' "$STUB_LOG")" -eq 1 ]
  rm "$result" "$STUB_LOG"
  hasty
  STUB_SLEEP=gemm-cluster gpu ladders # what took too long with the library is not tried alone
  [ "$(of_result '.failed')" = '[{"what":"gemm-cluster bf16, m = n = k = 8192","part":"ladders","why":"took longer than 2 s","kernel":"gemm-cluster","broken":true}]' ]
  [ "$(grep -c 'run gemm-cluster ' "$STUB_LOG")" -eq 1 ]
  gpu smoke ladders # nor in a later call
  [ "$status" -eq 1 ]
  [ "$(of_result '.failed | length')" -eq 1 ]
  [ "$(grep -c 'run gemm-cluster ' "$STUB_LOG")" -eq 1 ]
}

@test "gpu.sh: a kernel that is wrong at a small shape is not tried at a large one" {
  stub
  STUB_WHY='gemm-cluster bf16: wrong result: C[3]' STUB_FAIL='gemm-cluster bf16 4' gpu smoke ladders
  [ "$status" -eq 1 ]
  [ "$(of_result '[.smoke[] | select(.state != "right") | .shape, .broken]')" = '["m=2056 n=4104 k=136",true]' ]
  [ "$(grep -c 'run gemm-cluster ' "$STUB_LOG")" -eq 1 ]
}

@test "gpu.sh: what was timed of a kernel that is wrong at another shape is doubtful, and it is tried no more" {
  stub
  gpu ladders
  [[ $output != *DOUBTFUL* ]]
  STUB_FAIL='gemm-cluster bf16 4' gpu shapes counters
  [ "$status" -eq 1 ]
  [[ $output == *'* WRONG: gemm-cluster m=2056 n=4104 k=136: '*'* DOUBTFUL: the figures of gemm-cluster: not right at m=2056 n=4104 k=136'* ]]
  [ "$(of_result '[.counters[] | select(.kernel == "gemm-cluster")]')" = '[]' ]
}

@test "gpu.sh: kernels of which one hangs are tried one by one for a short time, and that one no more" {
  stub
  hasty
  STUB_SLEEP=device-softmax gpu kernels
  [ "$(of_result '.failed')" = '[{"what":"device-softmax fp32","part":"kernels","why":"took longer than 1 s","kernel":"device-softmax","broken":true}]' ]
  [ "$(of_result '[.kernels[] | select(.dtype == "fp32") | .kernel] | index("device-softmax-unfused") != null')" = true ]
  [ "$(grep -c 'run .*device-softmax ' "$STUB_LOG")" -eq 2 ]
  gpu kernels
  [ "$(grep -c 'run .*device-softmax ' "$STUB_LOG")" -eq 2 ]
}

@test "gpu.sh: attention is tried in both its formats, and one that hangs leaves the other" {
  stub
  STUB_KERNELS='attention-flash-wgmma$' STUB_WHY='waiting: unspecified launch failure (CUDA_ERROR_LAUNCH_FAILED)' STUB_FAIL='attention-flash-wgmma fp16 4' gpu smoke shapes kernels
  [ "$(of_result '[.smoke[] | select(.state == "right") | .kernel] | unique')" = '["attention-flash-wgmma"]' ]
  [ "$(of_result '[.smoke[] | select(.broken) | .kernel]')" = '["attention-flash-wgmma fp16"]' ]
  [ "$(of_result '[.kernels[] | .kernel, .dtype]')" = '["attention-flash-wgmma","bf16"]' ]
  [ "$(grep -c 'dtype fp16' "$STUB_LOG")" -eq 1 ]
}

@test "gpu.sh: predictions of the goals are sealed before any is measured" {
  stub
  gpu ladders
  [ "$(of_result '[.sealed[] | .of, .machine] | .[:2]')" = '["bf16, m = n = k = 8192","nvidia-h200-sxm"]' ]
  [ "$(of_result '.sealed | length')" -eq 4 ]
  [ "$(of_result '.datasheet.name')" = '"nvidia-h200-sxm"' ] # known before the ceilings
  [ "$(grep -n -m 1 'run gemm' "$STUB_LOG" | cut -d : -f 1)" -gt "$(grep -n 'predict gemm' "$STUB_LOG" | tail -n 1 | cut -d : -f 1)" ]
  [[ $output == *'* sealed for nvidia-h200-sxm: gemm m=8192 n=8192 k=8192 bf16: '*' ms, measured 1 ms'* ]]
  "$REAL" ledger verify --ledger "${result%.json}.ledger"
  : >"$STUB_LOG"
  gpu ladders
  ! grep -q '^predict' "$STUB_LOG" || false
  rm "$result"
  STUB_DEVICE='NVIDIA Unheard-of' gpu ladders
  [ "$(of_result '[.sealed, .skipped[0].what, .skipped[0].why]')" = '[[],"sealed","the catalogue has no machine for NVIDIA Unheard-of"]' ]
  [[ $output == *'8192 keys |  | 95 % | no published figure |'*'* datasheet: the catalogue has none of this device'* ]]
}

@test "gpu.sh: cuBLASLt is found in Python environments under /opt" {
  stub
  packages=$BATS_TEST_TMPDIR/opt/serving/.venv/lib/python3.12/site-packages/nvidia/cu13/lib
  mkdir -p "$packages"
  touch "$packages/libcublasLt.so.13"
  sed "s|/opt/\*|$BATS_TEST_TMPDIR&|; s|/usr/local/cuda|/none|g" "$ROOFLINE_SOURCE/bench/gpu.sh" >"$BATS_TEST_TMPDIR/gpu.sh"
  cp "$ROOFLINE_SOURCE/bench/gpu.jq" "$BATS_TEST_TMPDIR/"
  script=$BATS_TEST_TMPDIR/gpu.sh
  CUDA_HOME=/none STUB_BARE=1 gpu --seconds 5 counters
  [[ $stderr == *"cuBLASLt: $packages/libcublasLt.so.13"* ]]
}

@test "gpu.sh: the goals take the best rung" {
  rungs='{ladders: {"bf16, m = n = k = 8192": [{kernel: "gemm-cluster", rung: 12, baseline: {fraction: 1.02}}, {kernel: "gemm-stream-k", rung: 13, baseline: {fraction: 0.97}}]}, kernels: []}'
  [ "$(jq -n -c -L "$ROOFLINE_SOURCE/bench" "include \"gpu\"; $rungs | goals[0]")" = \
    '{"what":"bf16 gemm at 8192, gemm-cluster, of cuBLASLt","reached":1.02,"wanted":1,"met":true}' ]
  attention='{ladders: {}, kernels: [{kernel: "attention-flash-mma", dtype: "bf16", flops: {bf16: 3e11}, seconds: 0.001}, {kernel: "attention-decode", dtype: "bf16", flops: {bf16: 9e11}, bytes: {HBM: 1e9}, seconds: 0.001}]}'
  attention_goal() { jq -n -c -L "$ROOFLINE_SOURCE/bench" "include \"gpu\"; $attention + {datasheet: $1} | goals[4] | del(.wanted)"; }
  [ "$(attention_goal '{name: "nvidia-h100-sxm"}' | jq -c '.what, .met, (.reached * 1000 | round)')" = \
    "$(printf '"attention in bf16, 8192 keys, attention-flash-mma at 300 TFLOP/s, of FlashAttention 3 (757 TFLOP/s on an H100 SXM)"\nfalse\n396')" ]
  for sheet in '{name: "nvidia-a100-sxm-80gb"}' null; do # where none was published no share is made up
    [ "$(attention_goal "$sheet")" = '{"what":"attention in bf16, 8192 keys, attention-flash-mma at 300 TFLOP/s","reached":null,"met":null,"lacks":"no published figure"}' ]
  done
  [ "$(jq -n -c -L "$ROOFLINE_SOURCE/bench" "include \"gpu\"; $rungs + {variants: [{kernel: \"gemm-cluster\", dtype: \"bf16\", variant: \"band=4\",
    shape: \"m=8192 n=8192 k=8192\", baseline: {fraction: 1.04}}]} | goals[0] | .what, .reached")" = "$(printf '"bf16 gemm at 8192, gemm-cluster band=4, of cuBLASLt"\n1.04')" ]
}

@test "gpu.sh: scales of blocks are compared with a library that has one per matrix, and the table says so" {
  stub
  STUB_KERNELS='gemm-fp8-(scaled|cluster|cublas)' gpu ladders
  [[ $output == *'9 gemm-fp8-scaled 1 TFLOP/s (106 %), against one scale per matrix'* && $output != *'gemm-fp8-cluster 1 TFLOP/s (106 %), against'* ]]
  [[ $(sh "$ROOFLINE_SOURCE/bench/gpu.sh" --table "$result") == *'| 9 `gemm-fp8-scaled`, against one scale per matrix | '* ]]
}

@test "gpu.sh: where a variant hangs, ceilings are measured without any" {
  stub
  gpu ceilings
  grep -qx 'measure --backend cuda --json' "$STUB_LOG"
  jq '.machine = null | .smoke = [{kernel: "gemm-cluster stages=3", shape: "m=8 n=8 k=8", state: "hangs", broken: true}]' "$result" >"$BATS_TEST_TMPDIR/changed"
  cp "$BATS_TEST_TMPDIR/changed" "$result"
  gpu ceilings
  grep -qx 'measure --backend cuda --quick --json' "$STUB_LOG"
  : >"$STUB_LOG"
  jq '.machine = null | .smoke = [{kernel: "gemm-cluster", shape: "m=8 n=8 k=8", state: "hangs", broken: true}]' "$result" >"$BATS_TEST_TMPDIR/changed"
  cp "$BATS_TEST_TMPDIR/changed" "$result"
  gpu ceilings # nor where the kernel itself does
  grep -qx 'measure --backend cuda --quick --json' "$STUB_LOG"
}

@test "gpu.sh: a variant that hangs while ceilings are measured takes nothing but the variants" {
  stub
  hasty
  STUB_SLEEP=measure gpu ceilings
  [ "$(of_result '[.parts.ceilings.state, (.machine.levels | length > 0), .datasheet.name, .failed[0].what]')" = '["failed: took longer than 2 s",true,"nvidia-h200-sxm","measure"]' ]
  : >"$STUB_LOG"
  gpu ceilings
  ! grep -q '^measure' "$STUB_LOG"
}

@test "gpu.sh: ceilings that the time cuts off are kept, and measured by the next call" {
  stub
  hasty
  sed -i 's/run 2 "$roofline" measure/run 240 "$roofline" measure/; s/least=10/least=1/' "$script"
  STUB_SLEEP=measure gpu --quick --seconds 8 ceilings
  [ "$(of_result '[.parts.ceilings.state, (.machine.levels | length > 0), .failed]')" = '["the time was up",true,[]]' ]
  : >"$STUB_LOG"
  gpu --quick --seconds 30 ceilings
  [ "$(grep -c '^measure' "$STUB_LOG")" -eq 1 ]
  [ "$(of_result '.parts.ceilings.state')" = '"complete"' ]
}

@test "gpu.sh: an error of the driver is wrong, unless it says that the device cannot do it" {
  stub
  STUB_KERNELS='gemm-cluster$' STUB_FAIL='gemm-cluster bf16 3' STUB_WHY='encoding a tensor: invalid argument (CUDA_ERROR_INVALID_VALUE)' gpu smoke
  [ "$status" -eq 1 ]
  [[ $output == *'* WRONG: gemm-cluster m=2056 n=4104 k=136: not run: '*'(CUDA_ERROR_INVALID_VALUE)'* ]]
  rm "$result"
  STUB_KERNELS='gemm-cluster$' STUB_FAIL='gemm-cluster bf16 3' STUB_WHY='launching: operation not supported (CUDA_ERROR_NOT_SUPPORTED)' gpu smoke
  [ "$status" -eq 0 ]
}

@test "gpu.sh: where the sanitizer does not work it is tried three times" {
  stub
  printf '#!/bin/sh\necho "$*" >>"$STUB_LOG"\necho "Device not supported" >&2\nexit 1\n' >"$BATS_TEST_TMPDIR/bin/compute-sanitizer"
  gpu sanitizer
  [ "$status" -eq 0 ]
  [ "$(of_result '.parts.sanitizer.state')" = '"not run: ended with code 1: Device not supported"' ]
  [ "$(grep -c -e '^--tool' "$STUB_LOG")" -eq 3 ]
  grep -q -e '^--tool memcheck --report-api-errors no' "$STUB_LOG"
}

@test "gpu.sh: results that cannot be written" {
  stub
  ROOFLINE_RESULTS=/dev/null/none run -3 sh "$ROOFLINE_SOURCE/bench/gpu.sh" smoke
  [ "$output" = 'gpu.sh: /dev/null/none cannot be written: ROOFLINE_RESULTS names another folder' ]
}

@test "gpu.sh: a further call adds what is lacking, and only that" {
  stub
  gpu ceilings ladders
  [ "$status" -eq 0 ]
  [ "$(of_result '[.parts[].state]')" = '["not begun","complete","not begun","complete","not begun","not begun","not begun","not begun"]' ]
  [ "$(of_result '[.ladders[][].kernel]')" = '["gemm-cluster","gemm-cluster","device-gemm-naive"]' ]
  mkdir "$BATS_TEST_TMPDIR/packed" # a day later, on another machine that was given what came back
  cp "$ROOFLINE_SOURCE"/bench/gpu.* "$BATS_TEST_TMPDIR/packed/"
  git -C "$ROOFLINE_SOURCE" describe --always --dirty --abbrev=12 >"$BATS_TEST_TMPDIR/packed/commit"
  mkdir "$BATS_TEST_TMPDIR/packed/results"
  mv "${result%.json}.ledger" "$BATS_TEST_TMPDIR/packed/results/gpu-2026-01-02-nvidia-h200.ledger"
  mv "$result" "$BATS_TEST_TMPDIR/packed/results/gpu-2026-01-02-nvidia-h200.json"
  run sh "$BATS_TEST_TMPDIR/packed/gpu.sh" ceilings
  [ "$(ls "$ROOFLINE_RESULTS")" = "$(printf 'gpu-2026-01-02-nvidia-h200.%s\n' json ledger)" ]
  result=$ROOFLINE_RESULTS/gpu-2026-01-02-nvidia-h200.json
  [ "$(of_result '[.ladders[][].kernel] | length')" -eq 3 ]
  gpu variants
  [ "$(of_result '.variants | length')" -eq 1 ]
  : >"$STUB_LOG"
  gpu variants
  [ "$(of_result '[.variants, .parts.variants.state] | map(length)')" = '[1,8]' ]
  ! grep -q -e 'gemm-cluster m=8192' "$STUB_LOG" || false
  : >"$STUB_LOG"
  gpu kernels
  [ "$status" -eq 0 ]
  ! grep -q -e '^measure' -e '--baseline' "$STUB_LOG" || false
  [ "$(of_result '[.parts.kernels.state, (.kernels | length > 10), (.machine == null)]')" = '["complete",true,false]' ]
  : >"$STUB_LOG"
  gpu kernels
  [ "$(grep -c '^run ' "$STUB_LOG")" -eq 2 ] # the list, and the one that asks for the device
}

@test "gpu.sh: what is wrong or cannot run is reported, and stops nothing else" {
  stub
  STUB_FAIL='device-softmax fp32 4' gpu kernels
  [ "$status" -eq 1 ]
  [ "$(of_result '.failed')" = '[{"what":"device-softmax fp32","part":"kernels","why":"out of order"}]' ]
  [ "$(of_result '[.kernels[] | select(.dtype == "fp32") | .kernel] | [index("device-softmax-unfused") != null, index("device-softmax") != null]')" = '[true,false]' ]
  [[ $output == *'* WRONG: device-softmax fp32: out of order'* ]]
  gpu kernels
  [ "$status" -eq 0 ]
  [ "$(of_result '[.failed, any(.kernels[]; .kernel == "device-softmax" and .dtype == "fp32")]')" = '[[],true]' ]
  STUB_FAIL='gemm-cublas fp32 4' gpu ladders # the library's failure is not the rung's
  [ "$(of_result '[.ladders[][].baseline.fraction], .skipped[0].what, .skipped[0].why')" = \
    "$(printf '[1.06,1.06,null]\n"gemm-cublas as baseline of device-gemm-naive, fp32, m = n = k = 4096"\n"gemm-cublas fp32: out of order"')" ]
  rm "$result"
  STUB_FAIL='gemm-cluster bf16 3' gpu ladders
  [ "$status" -eq 0 ]
  [ "$(of_result '.skipped[0].what, .goals[0].reached')" = "$(printf '"gemm-cluster bf16, m = n = k = 8192"\nnull')" ]
  STUB_FAIL=measure gpu ceilings
  [ "$(of_result '.parts.ceilings.state, (.skipped[] | select(.part == "ceilings"))')" = "$(printf '"failed: device lost"\n{"what":"measure","part":"ceilings","why":"device lost"}')" ]
}

@test "gpu.sh: ended by a signal or by its time it leaves what there is" {
  stub
  STUB_SLEEP=device-gemv sh "$ROOFLINE_SOURCE/bench/gpu.sh" kernels >/dev/null 2>"$BATS_TEST_TMPDIR/said" &
  pid=$!
  for _ in $(seq 1000); do grep -q 'device-rmsnorm fp32' "$BATS_TEST_TMPDIR/said" && break; sleep 0.1; done
  sleep 0.5
  kill "$pid"
  code=0
  wait "$pid" || code=$?
  [ "$code" -eq 143 ]
  result=$(ls "$ROOFLINE_RESULTS"/gpu-*.json)
  [ "$(of_result '[.parts.kernels.state, (.kernels | length > 0)]')" = '["interrupted",true]' ]
  STUB_SLEEP=device-gemv gpu --seconds 7 kernels
  [ "$status" -eq 0 ]
  [ "$(of_result '[.parts.kernels.state, .failed]')" = '["the time was up",[]]' ]
  [[ $stderr == *'not all of it: call again, it goes on where it ended'* ]]
  gpu kernels
  [ "$(of_result '.parts.kernels.state')" = '"complete"' ]
}

@test "gpu.sh: bad words" {
  stub
  run -2 --separate-stderr sh "$ROOFLINE_SOURCE/bench/gpu.sh" everything
  [[ $stderr == 'usage: '* ]]
  run -2 --separate-stderr sh "$ROOFLINE_SOURCE/bench/gpu.sh" --seconds soon
  [ "$stderr" = 'gpu.sh: --seconds soon: must be a whole number' ]
  mkdir "$BATS_TEST_TMPDIR/full"
  touch "$BATS_TEST_TMPDIR/full/own"
  run -2 --separate-stderr sh "$ROOFLINE_SOURCE/bench/gpu.sh" --pack "$BATS_TEST_TMPDIR/full"
  [ "$stderr" = "gpu.sh: --pack $BATS_TEST_TMPDIR/full: is there already" ]
}

@test "gpu.sh: a document's table comes from the newest result, and from nothing else" {
  stub
  printf 'before\n<!-- gpu -->\nold\n<!-- end of gpu -->\nafter\n' >"$BATS_TEST_TMPDIR/doc.md"
  sh "$ROOFLINE_SOURCE/bench/gpu.sh" --write "$BATS_TEST_TMPDIR/doc.md"
  [ "$(cat "$BATS_TEST_TMPDIR/doc.md")" = "$(printf 'before\n<!-- gpu -->\n<!-- end of gpu -->\nafter')" ]
  gpu ceilings
  sh "$ROOFLINE_SOURCE/bench/gpu.sh" --write "$BATS_TEST_TMPDIR/doc.md"
  grep -q 'NVIDIA H200, driver 580.1' "$BATS_TEST_TMPDIR/doc.md"
  [ "$(sed -n '$p' "$BATS_TEST_TMPDIR/doc.md")" = after ]
  [ "$(sed '/gpu -->/d' "$BATS_TEST_TMPDIR/doc.md")" = "$(printf 'before\n%s\nafter' "$(sh "$ROOFLINE_SOURCE/bench/gpu.sh" --table "$result")")" ]
}

# An ncu that runs nothing: it writes what FAKE_NCU names where --log-file says.
fake_ncu() { # FIXTURE
  mkdir -p "$BATS_TEST_TMPDIR/bin"
  cat >"$BATS_TEST_TMPDIR/bin/ncu" <<'SCRIPT'
#!/bin/sh
printf '%s\n' "$@" >"$FAKE_NCU_ARGUMENTS"
case " $* " in *regex:*) from=${FAKE_NCU_OLD:-$FAKE_NCU} ;; *) from=$FAKE_NCU ;; esac
for word; do [ "$before" != --log-file ] || { cat "$from" >"$word"; echo "$word" >>"$FAKE_NCU_ARGUMENTS"; }; before=$word; done
echo noise; echo noise >&2
case " $* " in *regex:*) [ -z "$FAKE_NCU_OLD" ] || exit 9 ;; esac
exit "${FAKE_NCU_EXIT:-0}"
SCRIPT
  chmod +x "$BATS_TEST_TMPDIR/bin/ncu"
  export PATH="$BATS_TEST_TMPDIR/bin:$PATH" FAKE_NCU=$1 FAKE_NCU_ARGUMENTS=$BATS_TEST_TMPDIR/arguments
}

@test "run --counters: counts next to the formula" {
  fake_ncu "$ROOFLINE_SOURCE/tests/fixtures/gpu/ncu.csv"
  run "$ROOFLINE" run triad n=1000000 --backend fake --dtype fp32 --counters --json
  [ "$status" -eq 0 ]
  [ "$(jq -c '.kernels[0].counters | [.flops, .bytes.memory, .bytes.L2, (.operational_intensity * 1000 | round)]' <<<"$output")" = '[2000000,15000000,12000000,133]' ]
  [[ $output != *noise* ]]
  for word in --csv --clock-control none --metrics --launch-count=4 run triad n=1000000 --backend=fake --dtype=fp32; do
    grep -qx -- "$word" "$BATS_TEST_TMPDIR/arguments"
  done
  run "$ROOFLINE" run triad n=1000000 --backend fake --dtype fp32 --counters
  [[ $output == *'counted by ncu, of one run'* ]]
  [[ $output == *'125.0 %'* ]]
}

@test "run --counters: what goes wrong is said" {
  PATH=/nonexistent run "$ROOFLINE" run triad n=1000000 --backend fake --counters
  [ "$status" -eq 3 ]
  [[ $output == *"--counters: no ncu on PATH: it comes with NVIDIA's Nsight Compute"* ]]
  fake_ncu /dev/null
  run "$ROOFLINE" run triad n=1000000 --backend fake --counters
  [ "$status" -eq 3 ]
  [[ $output == *'--counters: ncu counted nothing'* ]]
  FAKE_NCU_EXIT=1 run "$ROOFLINE" run triad n=1000000 --backend fake --counters
  [ "$status" -eq 3 ]
  [[ $output == *'--counters: ncu: failed with exit code 1'* ]]
  echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission' >"$BATS_TEST_TMPDIR/log"
  FAKE_NCU_EXIT=1 FAKE_NCU=$BATS_TEST_TMPDIR/log run "$ROOFLINE" run triad n=1000000 --backend fake --counters
  [[ $output == *'exit code 1: nothing is reported: ERR_NVGPUCTRPERM - The user does not have permission'* ]]
}

@test "run --counters: an ncu without the tensor cores' metrics counts the traffic, and the FLOPs are unknown" {
  fake_ncu "$ROOFLINE_SOURCE/tests/fixtures/gpu/ncu.csv"
  export FAKE_NCU_OLD=$BATS_TEST_TMPDIR/old
  echo '==ERROR== Failed to find metric regex:sm__ops_path_tensor_src_.*' >"$FAKE_NCU_OLD"
  run "$ROOFLINE" run triad n=1000000 --backend fake --dtype fp32 --counters --json
  [ "$status" -eq 0 ]
  [ "$(jq -c '.kernels[0].counters | [.flops, .operational_intensity, .bytes.memory]' <<<"$output")" = '[null,null,15000000]' ]
  ! grep -q regex: "$BATS_TEST_TMPDIR/arguments" || false
  grep -q '^gpu__time_duration.sum,.*,dram__throughput.avg.pct_of_peak_sustained_elapsed$' "$BATS_TEST_TMPDIR/arguments"
  run "$ROOFLINE" run triad n=1000000 --backend fake --dtype fp32 --counters
  [[ $output == *' ? '* ]]
}

@test "run --counters: what ncu writes lies in TMPDIR, and is gone afterwards" {
  fake_ncu "$ROOFLINE_SOURCE/tests/fixtures/gpu/ncu.csv"
  mkdir "$BATS_TEST_TMPDIR/own"
  TMPDIR=$BATS_TEST_TMPDIR/own "$ROOFLINE" run triad n=1000000 --backend fake --dtype fp32 --counters --quiet
  grep -q "^$BATS_TEST_TMPDIR/own/roofline-ncu-" "$BATS_TEST_TMPDIR/arguments"
  [ -z "$(ls "$BATS_TEST_TMPDIR/own")" ]
}
