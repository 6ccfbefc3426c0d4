#!/usr/bin/env bats
# roofline import: formats of tools for accelerators; what each says where a file is cut, of another kind or has nothing in it.

setup() {
  load lib.bash
  start
  fixtures=$ROOFLINE_SOURCE/tests/fixtures/import
}

refuses() {
  run --separate-stderr "$ROOFLINE" import "${@:2}"
  [ "$status" -eq 2 ]
  [[ $stderr == *"$1"* ]]
  [ -z "$output" ]
}

@test "what ncu prints for people is read: times, shares, bytes, with and without headings" {
  run -0 "$ROOFLINE" import "$fixtures/ncu-text.txt" --json
  [ "$(json '[.kernels[] | [.name, .calls]]')" = \
    '[["void sgemm<(int)64>(int, const float *, float *)",2],["copy(float *, int)",1],["void stencil<float, 16>(const T1 *, T1 *)",1]]' ]
  near '.kernels[0].total_seconds' 3.00425e-3
  near '.kernels[0].counters.occupancy' 0.469
  near '.kernels[2].bytes.DRAM' 286.272e6
  run -0 "$ROOFLINE" import "$fixtures/ncu-text-dated.txt" --json
  [ "$(json '.kernels[0] | [.name, .seconds, .bytes.DRAM]')" = '["scale(float*)",1.245e-05,8290000]' ]
}

@test "what ncu printed without a kernel says where it went" {
  printf '==PROF== Connected to process 8 (/a)\n==PROF== Report: /tmp/k.ncu-rep\n' >t
  refuses 't:2: no kernel in it: ncu wrote what it counted to /tmp/k.ncu-rep' t
  printf '==ERROR== ERR_NVGPUCTRPERM\n==PROF== Disconnected\n' >t
  refuses 't:2: no kernel in it; ncu said: ERR_NVGPUCTRPERM' t
  printf '  k, Context 1, Stream 7\n    Section: Occupancy\n    ---- -- --\n    Duration us 9e99999\n' >t
  run -0 "$ROOFLINE" import t --format ncu --json
  [ "$(json '.kernels[0] | [.name, .calls, .seconds]')" = '["k",1,null]' ]
}
