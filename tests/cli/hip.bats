#!/usr/bin/env bats
# The backend hip as a user sees it, on the emulated device (tests/fake/README.md), whose hiprtc is the compiler of the tests.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR"
  export HOME=$PWD XDG_CONFIG_HOME=$PWD/.config LC_ALL=C.UTF-8 NO_COLOR=1 ROOFLINE_HIP_LIBRARIES=$ROOFLINE_BUILD/tests/hip
  unset ROOFLINE_PATH FAKE_CUDA
}

@test "without the libraries: one line, and the other backends go on" {
  export ROOFLINE_HIP_LIBRARIES=$PWD/none
  run -3 "$ROOFLINE" measure --backend hip
  [ "$output" = "roofline: backend hip: no libamdhip64.so: AMD's ROCm is not installed" ]
  run -0 --separate-stderr "$ROOFLINE" measure --backend fake,hip --json
  [[ $stderr == "roofline: warning: backend hip: no libamdhip64.so: "* ]]
  run -0 "$ROOFLINE" doctor --json
  [ "$(jq -r '.checks[] | select(.name == "backend" and .path == "hip") | .state' <<<"$output")" = info ]
  mkdir none
  ln -s "$ROOFLINE_BUILD/tests/hip/libamdhip64.so.6" none/
  run -3 "$ROOFLINE" run device-copy n=1 --backend hip
  [ "$output" = "roofline: backend hip: no libhiprtc.so: AMD's ROCm is not installed" ]
}

@test "what needs no device loads no library" {
  LD_DEBUG=libs "$ROOFLINE" predict gemm m=64 n=64 k=64 --machine h100 2>opened
  [ -s opened ]
  [ "$(grep -c 'libamdhip64\|libhiprtc' opened)" = 0 ]
  LD_DEBUG=libs "$ROOFLINE" run device-copy n=1 --backend hip 2>opened
  [ "$(grep -c 'libamdhip64\|libhiprtc' opened)" -gt 0 ]
}

@test "measure: every figure is there, and what is not measured is noted" {
  FAKE_CUDA='count=2' run -0 --separate-stderr "$ROOFLINE" measure --backend hip --quick --json
  [ "$(jq -r .title <<<"$output")" = 'Emulated device, not a GPU' ]
  [ "$(jq -c '[.vendor, .architecture, .unit_kind]' <<<"$output")" = '["amd","gfx90a","CU"]' ]
  [ "$(jq -c '[.peaks[] | select(.flops_per_second > 0) | "\(.dtype) \(.unit)"]' <<<"$output")" = '["fp64 vector","fp32 vector","int8 vector"]' ]
  [ "$(jq -c '[.levels[] | select(.read_bytes_per_second > 0 and .latency_seconds > 0) | .name]' <<<"$output")" = '["L1/shared","L2","memory"]' ]
  jq -e '.levels[2] | .write_bytes_per_second > 0 and .copy_bytes_per_second > 0 and .triad_bytes_per_second > 0' <<<"$output"
  [ "$(jq -c '[.links[] | select(.bytes_per_second > 0) | .name]' <<<"$output")" = '["host to device, pinned","device to host, pinned","both ways at once, pinned","host to device, pageable","to host-gpu1"]' ]
  [ "$(jq -c '[.costs[].name]' <<<"$output")" = '["launch, back to back","launch, synchronised","launch, in a graph","launch, dependent"]' ]
  [ "$(jq -c '[.notes[] | select(contains(": not measured: ")) | split(":")[0]]' <<<"$output")" = \
    '["fp16 and bf16 vector","matrix units and a vendor'"'"'s library","power, clock and temperature under load"]' ]
}

@test "measure --device all: every device, and what each copies to each" {
  FAKE_CUDA='memory=16 count=2' run -0 --separate-stderr "$ROOFLINE" measure --backend hip --device all --quick --json
  [ "$(jq -c '[.machines[].name]' <<<"$output")" = '["host-gpu0","host-gpu1"]' ]
  [ "$(jq -c '.device_links | map(map(. != null and . > 0))' <<<"$output")" = '[[false,true],[true,false]]' ]
}

@test "run: a kernel is compiled, executed and checked, and so is a ladder" {
  run -0 "$ROOFLINE" run device-softmax rows=7 cols=1000 --backend hip --dtype bf16
  [[ $output == *'Emulated device, not a GPU'* ]]
  FAKE_CUDA=wrong=1 run -4 "$ROOFLINE" run device-softmax rows=7 cols=1000 --backend hip --dtype bf16
  [[ $output == 'roofline: device-softmax bf16: wrong result: '* ]]
  FAKE_CUDA='memory=1' run -3 "$ROOFLINE" run device-copy n=1000000 --backend hip
  [[ $output == 'roofline: device-copy: needs 8.000 MB of the device'* ]]
  run -0 --separate-stderr "$ROOFLINE" run gemm --ladder --backend hip m=64 n=64 k=64 --quick
  [[ $output == *device-gemm-naive* && $output == *device-gemm-double-buffered* && $output != *gemm-cublas* ]]
}

@test "loop: the whole circle and its report" {
  run -0 --separate-stderr "$ROOFLINE" loop --quick --backend hip
  [[ $output == *'Emulated device, not a GPU'* && $output == *device-softmax* ]]
  run -0 "$ROOFLINE" ledger verify
}

# Calls that fail before there is a bandwidth: one line, the right code, nothing kept.
@test "measure: what goes wrong in the middle is one line" {
  while read -r code fail says; do
    FAKE_CUDA="memory=16 fail=$fail" run "-$code" --separate-stderr "$ROOFLINE" measure --backend hip --quick
    [ -z "$output" ]
    [[ $stderr == "roofline: "*"$says"* && $stderr != *$'\n'* ]]
    [ ! -e .config/roofline/machines/host-gpu0.json ]
  done <<'END'
3 hipMalloc:2@2 hipErrorOutOfMemory
3 hiprtcCompileProgram:6 program memory does not build
3 hipModuleLoadData:209 program memory on gfx90a
4 hipModuleLaunchKernel:719@20 launching
4 hipEventSynchronize:700@12 waiting for
END
}
