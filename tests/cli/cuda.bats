#!/usr/bin/env bats
# The backend cuda as a user sees it, on the emulated device (tests/fake/README.md): the whole path, and what is said when
# something goes wrong in the middle of it.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR"
  export HOME=$PWD XDG_CONFIG_HOME=$PWD/.config LC_ALL=C.UTF-8 NO_COLOR=1 ROOFLINE_CUDA_LIBRARIES=$ROOFLINE_BUILD/tests/cuda
  unset ROOFLINE_PATH FAKE_CUDA
  why=$("$ROOFLINE" run device-copy n=1 --backend cuda 2>&1 >/dev/null) || skip "$why"
}

@test "measure: every figure is there, marked where the clock was lowered" {
  FAKE_CUDA='count=2 throttled=36 mhz=1200' run -0 --separate-stderr "$ROOFLINE" measure --backend cuda --quick --json
  [ "$(jq -r .title <<<"$output")" = 'Emulated device, not a GPU' ]
  jq -e '[.peaks[] | select(.flops_per_second > 0 and .conditions.noisy == "clock lowered: temperature") | "\(.dtype) \(.unit)"] as $got
    | all("fp64 vector", "fp32 vector", "int8 vector", "fp16 vector", "bf16 vector", "fp64 matrix", "tf32 matrix", "fp16 matrix", "bf16 matrix", "fp8 matrix", "int8 matrix";
          IN($got[]))' <<<"$output"
  [ "$(jq -c '[.peaks[].isa] | unique | map(select(. == "mma.sync" or . == "wgmma"))' <<<"$output")" = '["mma.sync","wgmma"]' ]
  [ "$(jq -c '[.levels[] | select(.read_bytes_per_second > 0 and .latency_seconds > 0) | .name]' <<<"$output")" = '["L1/shared","L2","memory"]' ]
  jq -e '.levels[2] | .write_bytes_per_second > 0 and .copy_bytes_per_second > 0 and .triad_bytes_per_second > 0' <<<"$output"
  [ "$(jq -c '[.links[] | select(.bytes_per_second > 0) | .name]' <<<"$output")" = '["host to device, pinned","device to host, pinned","both ways at once, pinned","host to device, pageable","to host-gpu1"]' ]
  [ "$(jq -c '[.costs[].name]' <<<"$output")" = '["launch, back to back","launch, synchronised","launch, in a graph","launch, dependent"]' ]
  jq -e '.launch_seconds > 0 and (.curve | length) > 2 and .energy.watts == 650.5' <<<"$output"
  [ "$(jq -c '[.libraries[] | select(.flops_per_second > 0) | .dtype]' <<<"$output")" = '["fp64","fp32","tf32","fp16","bf16","fp8","int8","fp4"]' ]
  jq -e 'any(.notes[]; startswith("reads of ")) and all(.notes[]; contains("not measured") | not)
    and any(.notes[]; contains("(the power cap), clock down to 1200 MHz") and contains("clock lowered: temperature"))' <<<"$output"
}

@test "measure: next to the datasheet with the device's name; what is missing is noted" {
  mkdir -p .config/roofline/machines
  jq -n '{kind: "datasheet", source: "the test"} as $from
    | {schema: "roofline.machine/1", name: "sheet", kind: "datasheet", aliases: ["emulated-device-not-a-gpu"],
       peaks: [{dtype: "fp32", unit: "vector", flops_per_second: 1e12} + $from],
       levels: [{name: "HBM", bytes: 5e8, bytes_per_second: 1e12} + $from]}' >.config/roofline/machines/sheet.json
  FAKE_CUDA='fail=cuStreamBeginCapture_v2:801 peers=0' run -0 --separate-stderr "$ROOFLINE" measure --backend cuda --quick --verbose
  [[ $output =~ 'fp32 vector '.*'1.000 TFLOP/s'.*[0-9]x ]]
  [[ $output == *'launch, in a graph: not measured: recording a graph: operation not supported'* ]]
}

@test "measure --device all: every device, and what each copies to each" {
  FAKE_CUDA='memory=16 count=3' run -0 --separate-stderr "$ROOFLINE" measure --backend cuda --device all --quick --json
  [ "$(jq -c '[.machines[].name]' <<<"$output")" = '["host-gpu0","host-gpu1","host-gpu2"]' ]
  [ "$(jq -c '.device_links | map(map(. != null and . > 0))' <<<"$output")" = '[[false,true,true],[true,false,true],[true,true,false]]' ]
  FAKE_CUDA='memory=16 count=2' run -0 --separate-stderr "$ROOFLINE" measure --backend cuda --device all --quick
  [[ $output =~ 'copies from'' '+'host-gpu0'' '+'host-gpu1' ]]
}

@test "run: a kernel is executed, checked and says where it ran" {
  run -0 "$ROOFLINE" run device-softmax rows=7 cols=1000 --backend cuda --dtype bf16
  [[ $output == *'Emulated device, not a GPU'* ]]
  FAKE_CUDA=wrong=1 run -4 "$ROOFLINE" run device-softmax rows=7 cols=1000 --backend cuda --dtype bf16
  [[ $output == 'roofline: device-softmax bf16: wrong result: '* ]]
  FAKE_CUDA='memory=1' run -3 "$ROOFLINE" run device-copy n=1000000 --backend cuda
  [[ $output == 'roofline: device-copy: needs 8.000 MB of the device'* ]]
}

@test "run gemm --ladder: in fp32, in bf16, in fp8" {
  run -0 --separate-stderr "$ROOFLINE" run gemm --ladder --backend cuda m=64 n=64 k=64 --quick
  [[ $output == *device-gemm-naive* && $output == *device-gemm-double-buffered* && $output == *gemm-tma* && $output == *gemm-cublas* ]]
  run -0 --separate-stderr "$ROOFLINE" run gemm --ladder --backend cuda m=64 n=64 k=64 --dtype bf16 --quick
  [[ $output == *gemm-mma* && $output == *gemm-cluster* && $output == *gemm-cublas* ]]
  run -0 --separate-stderr "$ROOFLINE" run gemm --ladder --backend cuda m=64 n=64 k=64 --dtype fp8 --quick --json
  [ "$(jq -c '[.rungs[] | [.rung, .kernel]]' <<<"$output")" = \
    '[[9,"gemm-fp8-scaled"],[10,"gemm-fp8"],[11,"gemm-fp8-cluster"],[12,"gemm-fp8-split"],[null,"gemm-fp8-cublas"]]' ] # one library, one row
}

@test "run gemm-cluster: as many pairs of blocks as the device has room for" {
  FAKE_CUDA='units=7 clusters=1' run -0 "$ROOFLINE" run gemm-cluster m=392 n=520 k=72 --backend cuda --dtype bf16 --quick
  FAKE_CUDA='clusters=0' run -3 "$ROOFLINE" run gemm-cluster m=264 n=264 k=64 --backend cuda --dtype bf16 --quick
  [[ $output == *'gemm_cluster: no cluster of 2 blocks fits Emulated device, not a GPU' ]]
  FAKE_CUDA='fail=cuOccupancyMaxActiveClusters:719' run -4 "$ROOFLINE" run gemm-cluster m=264 n=264 k=64 --backend cuda --dtype bf16 --quick
  [[ $output == *'asking how many clusters fit: '* ]]
}

@test "run gemm-cluster: by the variant that the machine's file has" {
  mkdir -p .config/roofline/machines
  file=.config/roofline/machines/host-gpu0.json
  jq -n '{schema: "roofline.machine/1", name: "host-gpu0", kind: "measured",
    blocks: [{dtype: "bf16", kernel: "gemm-cluster", variant: "multicast=a", depth: 64, width: 256, height: 256, flops_per_second: 7e14, gain: 1.04,
              parameters: "m=128 n=512 k=64", kind: "measured", source: "the test"}]}' >$file
  run -0 "$ROOFLINE" run gemm-cluster m=72 n=520 k=72 --backend cuda --dtype bf16 --quick
  [[ $output == *'; multicast=a; Emulated device'* ]]
  run -0 "$ROOFLINE" run gemm-cluster m=264 n=520 k=72 --backend cuda --dtype bf16 --quick # more than twice as many rows
  [[ $output == *'not a GPU'* && $output != *'multicast=a'* ]]
  sed 's/host-gpu0/host-gpu1/; s/multicast=a/band=4/' $file >.config/roofline/machines/host-gpu1.json # each device has its own
  FAKE_CUDA='count=2' run -0 "$ROOFLINE" run gemm-cluster m=72 n=520 k=72 --backend cuda --device 1 --dtype bf16 --quick
  [[ $output == *'; band=4; Emulated device'* ]]
  run -0 "$ROOFLINE" machine show host-gpu0
  [[ $output == *'gemm-cluster bf16, multicast=a: 1.04 times as fast'*'m=128 n=512 k=64'*'700.0 TFLOP/s'* ]]
  run -0 "$ROOFLINE" run --list --backend cuda --json
  [ "$(jq -c '[.kernels[] | select(.name == "gemm-cluster" or .name == "gemm-wgmma") | .variants]' <<<"$output")" = \
    '[[],["band=4","band=16","grid=all","multicast=a","multicast=a band=16","stages=3"]]' ]
  sed -i 's/multicast=a/multicast=c/' $file
  run -2 "$ROOFLINE" run gemm-cluster m=72 n=520 k=72 --backend cuda --dtype bf16 --quick
  [[ $output == 'roofline: host-gpu0: variant of gemm-cluster `multicast=c`: unknown; '* && $output == *'`roofline measure` finds it anew' ]]
}

@test "loop: the whole circle and its report" {
  run -0 --separate-stderr "$ROOFLINE" loop --quick --backend cuda
  [[ $output == *'Emulated device, not a GPU'* && $output == *device-softmax* ]]
  grep -q 'Emulated device, not a GPU' roofline-report.html
  run -0 "$ROOFLINE" ledger verify
}

# Calls that fail before there is a bandwidth: one line, the right code, nothing kept.
@test "measure: what goes wrong in the middle is one line" {
  while read -r code fail says; do
    FAKE_CUDA="memory=16 count=2 fail=$fail" run "-$code" --separate-stderr "$ROOFLINE" measure --backend cuda --quick
    [ -z "$output" ]
    [[ $stderr == "roofline: "*"$says"* && $stderr != *$'\n'* ]]
    [ ! -e .config/roofline/machines/host-gpu0.json ]
  done <<'END'
3 cuMemAlloc_v2:2@2 CUDA_ERROR_OUT_OF_MEMORY
3 cuModuleLoadData:209 program
4 cuLaunchKernel:719@20 launching
4 cuEventSynchronize:700@12 waiting for
4 cuStreamSynchronize:719@9 CUDA_ERROR_LAUNCH_FAILED
END
}

@test "measure: a fault in caches or writes of memory leaves what was measured before it" {
  while read -r script figures part; do
    FAKE_CUDA="memory=64 $script" run -0 --separate-stderr "$ROOFLINE" measure --backend cuda --quick --json
    jq -e --arg part "warning: $part: not all of it measured: " 'any(.notes[]; startswith($part) and endswith("; nothing after it was"))' <<<"$output"
    [ "$(jq -c '.levels[-1] | [.level, .read_bytes_per_second > 0, .copy_bytes_per_second > 0]' <<<"$output")" = "$figures" ]
    "$ROOFLINE" machine show host-gpu0
    FAKE_CUDA="memory=64 $script" run -0 --separate-stderr "$ROOFLINE" measure --backend cuda --quick
    [[ $output == *"odd       $part: not all of it measured: "* ]]
  done <<'END'
fault=memory_write_4 ["memory",true,false] memory
fault=memory_local ["memory",true,true] local memory and the last cache
END
}

@test "measure: a part that fails is noted, and the others are kept" {
  while read -r fail says; do
    FAKE_CUDA="memory=16 count=2 fail=$fail" run -0 --separate-stderr "$ROOFLINE" measure --backend cuda --quick --json
    jq -e --arg says "warning: links: not all of it measured: $says" 'any(.notes[]; startswith($says)) and .levels[-1].read_bytes_per_second > 0' <<<"$output"
  done <<'END'
cuMemHostAlloc:2 pinning
cuMemcpyPeerAsync:46 copying to the peer
END
}
