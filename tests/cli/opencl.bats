#!/usr/bin/env bats
# The backend opencl as a user sees it: the whole loop on PoCL where it is installed, and what is said where it is not.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR"
  export HOME=$PWD XDG_CONFIG_HOME=$PWD/.config LC_ALL=C.UTF-8 NO_COLOR=1
  unset ROOFLINE_PATH ROOFLINE_OPENCL_LIBRARY
}

needs_device() {
  "$ROOFLINE" run --list --backend opencl >/dev/null
  why=$("$ROOFLINE" run device-copy n=1 --backend opencl 2>&1 >/dev/null) || skip "$why"
}

@test "without the library it says so, and the other backends of a list go on" {
  export ROOFLINE_OPENCL_LIBRARY=$PWD/none.so
  run -3 "$ROOFLINE" measure --backend opencl
  [ "$output" = "roofline: backend opencl: no OpenCL: $PWD/none.so cannot be loaded; on Debian: apt install ocl-icd-libopencl1" ]
  run -0 --separate-stderr "$ROOFLINE" measure --backend fake,opencl --json
  [[ $stderr == "roofline: warning: backend opencl: no OpenCL: "* ]]
  [ "$(jq -c '[.schema, .machines[].name]' <<<"$output")" = '["roofline.machines/1","fake"]' ]
  run -3 --separate-stderr "$ROOFLINE" measure --backend opencl,opencl
  [[ $stderr == *"roofline: measure: no backend of the list works here" ]]
}

@test "a library that is too old says what it lacks" {
  printf 'int clGetPlatformIDs(void) { return 0; }\n' >old.c
  cc -shared -fPIC -o old.so old.c
  ROOFLINE_OPENCL_LIBRARY=$PWD/old.so run -3 "$ROOFLINE" run device-copy --backend opencl
  [ "$output" = "roofline: backend opencl: $PWD/old.so has no clReleaseEvent: OpenCL 1.2 or later is needed" ]
}

@test "kernels belong to backends" {
  run -2 "$ROOFLINE" run device-copy
  [ "$output" = "roofline: kernel \`device-copy\`: backend cpu does not run it; use --backend opencl" ]
  run -0 "$ROOFLINE" run --list --backend opencl
  [[ $output == *device-gemm-double-buffered* && $output != *gemm-reordered* ]]
  run -0 "$ROOFLINE" run --list
  [[ $output != *device-* ]]
  run -2 "$ROOFLINE" measure --backend fake,opencl --to a.json
  [ "$output" = "roofline: --to: is for one machine, and several are measured" ]
}

@test "a device of the catalogue is shown next to its datasheet" {
  printf 'title = NVIDIA H200\nread = 4.32TB/s\n' >script
  ROOFLINE_FAKE=script run -0 "$ROOFLINE" measure --backend fake
  [[ $output == *"figure (peaks are dense)  nvidia-h200-sxm "*"fake"*"memory bandwidth "*"4.800 TB/s "*"4.320 TB/s "*" 0.90x"* ]]
  ROOFLINE_FAKE=script run -0 "$ROOFLINE" measure --backend fake --json
  [ "$(jq -r .name <<<"$output")" = fake ]
  run -0 "$ROOFLINE" machine show nvidia-h100-80gb-hbm3
  [[ $output == nvidia-h100-sxm:* ]]
}

@test "ceilings, kernels, ladder, ledger" {
  needs_device
  run -0 --separate-stderr "$ROOFLINE" measure --quick --backend opencl --samples samples.json --json
  [ "$(jq -r .name <<<"$output")" = host-gpu0 ]
  [ "$(jq '[.figures[] | .seconds | length > 0] | all' samples.json)" = true ]
  run -0 "$ROOFLINE" machine lint .config/roofline/machines/host-gpu0.json
  run -0 "$ROOFLINE" run device-softmax --quick --backend opencl --json
  [ "$(jq -r '.machine, (.kernels[0].fraction_of_ceiling > 0)' <<<"$output")" = $'host-gpu0\ntrue' ]
  run -0 "$ROOFLINE" run gemm --ladder --quick --backend opencl m=64 n=64 k=64 --json
  [ "$(jq -c '[.rungs[].rung]' <<<"$output")" = '[1,2,3,4,5,6,7,8]' ]
  run -0 "$ROOFLINE" ledger verify
  kinds=$(jq -rs 'map(.kind) | join(" ")' roofline.ledger)
  [[ $kinds =~ ^(prediction ){8}(measurement ?){8}$ ]]
  "$ROOFLINE" loop --quick --backend opencl --json --ledger loop.ledger --to loop.html >loop.json
  [ "$(jq -r '[.entries[].label | split(" ")[0]] | sort | join(" ")' loop.json)" = \
    'device-attention-flash device-gemm-double-buffered device-gemm-naive device-gemv device-rmsnorm device-softmax device-triad' ]
  run -0 "$ROOFLINE" ledger verify --ledger loop.ledger
}

@test "measure --device all: every device, and what each copies to each" {
  needs_device
  export POCL_DEVICES='pthread basic'
  run -0 --separate-stderr "$ROOFLINE" measure --backend opencl --device all --quick --json
  count=$(jq '.machines | length' <<<"$output")
  [ "$count" = 2 ] || skip "this OpenCL has $count device"
  [ "$(jq -c '[.machines[].name]' <<<"$output")" = '["host-gpu0","host-gpu1"]' ]
  [ "$(jq -c '.device_links | map(map(if . == null then null else . > 0 end))' <<<"$output")" = '[[null,true],[true,null]]' ]
  [ -e .config/roofline/machines/host-gpu1.json ]
  run -2 "$ROOFLINE" measure --backend opencl --device all --to x.json
  [ "$output" = 'roofline: --to: is for one machine, and several are measured' ]
}

@test "run --baseline: two kernels in turns" {
  needs_device
  run -0 "$ROOFLINE" run device-gemm-waves --baseline device-gemm-naive m=64 n=64 k=64 --backend opencl --quick --json
  [ "$(jq -c '.kernels[0].baseline | [.name, .fraction > 0, (.samples | length)]' <<<"$output")" = \
    "[\"device-gemm-naive m=64 n=64 k=64 fp32\",true,$(jq '.kernels[0].samples | length' <<<"$output")]" ]
  run -0 "$ROOFLINE" run device-gemm-waves --baseline device-gemm-naive m=64 n=64 k=64 --backend opencl --quick
  [[ $output == *" % of device-gemm-naive, which took "*" in turns with it"* ]]
  run -2 "$ROOFLINE" run device-copy --baseline device-triad --backend opencl --quick
  [ "$output" = "roofline: device-copy and device-triad: two operations, copy and triad" ]
  run -3 "$ROOFLINE" run triad --baseline triad --backend fake
  [ "$output" = "roofline: --baseline: backend fake times one kernel after the other; use --backend cpu, cuda, hip or opencl" ]
  run -2 "$ROOFLINE" run gemm --ladder --baseline gemm-blas
}
