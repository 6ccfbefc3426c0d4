#!/usr/bin/env bats
# bench/gpu.sh without a device, and the table that it makes of a result; run --counters with an ncu that is a script.
bats_require_minimum_version 1.5.0
load lib

@test "gpu.sh: without a device it says so and ends with 3" {
  ROOFLINE_CUDA_LIBRARIES=/none ROOFLINE_RESULTS=$BATS_TEST_TMPDIR run sh "$ROOFLINE_SOURCE/bench/gpu.sh"
  [ "$status" -eq 3 ]
  [ "$output" = "gpu.sh: nothing measured: backend cuda: no libcuda.so.1: NVIDIA's driver is not installed" ]
  [ -z "$(ls "$BATS_TEST_TMPDIR")" ]
}

# A roofline that measures nothing, so that the script's own work can be seen: it lists the real kernels and makes up their times.
# STUB_FAIL: "KERNEL FORMAT CODE", the words of a kernel that ends so. STUB_SLEEP: a kernel that takes for ever.
stub() {
  mkdir -p "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/results"
  cat >"$BATS_TEST_TMPDIR/bin/stub" <<'SCRIPT'
#!/bin/bash
echo "$*" >>"$STUB_LOG"
case "$1 $2" in
  '--version '*) exec "$REAL" "$@" ;;
  'run --list') "$REAL" "$@" | jq '.kernels |= map(select(.name | test(env.STUB_KERNELS)))' && exit ;;
  'machine show') exec "$REAL" "$@" ;;
  measure*) [ "$STUB_FAIL" != measure ] || { echo 'roofline: device lost' >&2; exit 3; }
    exec cat "$ROOFLINE_SOURCE/tests/fixtures/gpu/machine.json" ;;
esac
kernels=() dtype=fp32 beside='' counted=null before=''
for word in "${@:2}"; do
  case $before in --dtype) dtype=$word ;; --baseline) beside=$word ;; esac
  case $word in --counters) counted='{"source": "ncu", "flops": 1.1e9, "bytes": {"memory": 5e9}, "operational_intensity": 0.22}' ;; esac
  case $before-$word in --dtype-* | --baseline-* | --backend-* | --interval-* | *=* | *--*) ;; *) kernels+=("$word") ;; esac
  before=$word
done
read -r kernel format code <<<"$STUB_FAIL"
for word in "${kernels[@]}" $beside; do
  [ "$word" != "$STUB_SLEEP" ] || exec sleep 60
  [ "$word $dtype" != "$kernel $format" ] || { echo "roofline: $word $dtype: out of order" >&2; exit "$code"; }
done
jq -n --arg dtype "$dtype" --arg beside "$beside" --argjson counted "$counted" --args '{kernels: [$ARGS.positional[] | {
  name: "\(.) \($dtype)", seconds: 0.001, flops: {($dtype): 1e9}, bytes: {HBM: 4e9}, counters: $counted,
  baseline: (if $beside == "" then null else {name: $beside, seconds: 0.00096, fraction: 0.96} end),
  note: "device\u0027s clock, 1 call a sample; time spent; NVIDIA H200"}]}' "${kernels[@]}"
SCRIPT
  cat >"$BATS_TEST_TMPDIR/bin/nvidia-smi" <<'SCRIPT'
#!/bin/sh
case "$*" in
  *event_reasons* | *-pm* | *-lgc*) echo 'Field is not a valid field to query.' && exit 2 ;;
  *throttle_reasons*) row='2026/01/02 03:04:05.678, 1755, 3201, 650.50, 61, 0x0000000000000004' ;;
  *driver_version*) row=580.1 ;;
  *ecc*) row=Enabled ;;
  *) row='1980, 3201, 700.00' ;;
esac
echo "$row"
case "$*" in *-lms*) while sleep 0.1; do echo "$row"; done ;; esac
SCRIPT
  printf '#!/bin/sh\nexit 1\n' >"$BATS_TEST_TMPDIR/bin/ncu"
  cat >"$BATS_TEST_TMPDIR/bin/compute-sanitizer" <<'SCRIPT'
#!/bin/sh
echo "$*" >>"$STUB_LOG"
case "$*" in *racecheck*gemm-cluster*bf16*) echo 'Race reported' && exit 9 ;; esac
SCRIPT
  chmod +x "$BATS_TEST_TMPDIR"/bin/*
  export PATH="$BATS_TEST_TMPDIR/bin:$PATH" REAL=$ROOFLINE STUB_KERNELS='gemm-naive|cluster|cublas|softmax|rmsnorm$|gemv$' STUB_LOG=$BATS_TEST_TMPDIR/log STUB_FAIL='' STUB_SLEEP=''
  export ROOFLINE_CUDA_LIBRARIES=$ROOFLINE_BUILD/tests/cuda ROOFLINE=$BATS_TEST_TMPDIR/bin/stub ROOFLINE_RESULTS=$BATS_TEST_TMPDIR/results
}

gpu() {
  run --separate-stderr sh "$ROOFLINE_SOURCE/bench/gpu.sh" "$@"
  result=$(ls "$ROOFLINE_RESULTS"/gpu-*.json)
}

of_result() { jq -c "$1" "$result"; }

@test "gpu.sh: all parts, the goals, the table" {
  stub
  STUB_KERNELS='gemm-naive|buffered|mma|cluster|cublas|softmax$|rmsnorm$|copy|int8' gpu
  [ "$status" -eq 1 ] # a race was found
  [ "$(basename "$result")" = "gpu-$(date -u +%Y-%m-%d)-nvidia-h200.json" ]
  [ "$(of_result '[.parts[].state] | unique')" = '["complete"]' ]
  [ "$(of_result '[.schema, .quick, .device.name, .device.driver, .device.ecc]')" = '["roofline.gpu/2",false,"NVIDIA H200","580.1","Enabled"]' ]
  [ "$(of_result '.ladders | map_values(map(.rung))')" = '{"bf16, m = n = k = 8192":[9,10,12],"fp32, m = n = k = 4096":[1,8]}' ]
  [ "$(of_result '[.goals[].met]')" = '[true,true,true,true,true]' ]
  [ "$(of_result '.goals[0].reached')" = 0.96 ]
  [ "$(of_result '.parts.kernels.sensors | [.sm_mhz[0], .watts, .celsius, .reasons[0]]')" = '[1755,650.5,61,"0x0000000000000004"]' ]
  [ "$(of_result '.kernels | map("\(.kernel) \(.dtype)") | (length == (unique | length)) and (index("device-rmsnorm bf16") != null)')" = true ]
  [ "$(of_result '[.counters[] | .counters.flops] | unique')" = '[1100000000]' ]
  [ "$(of_result '[.sanitizer[] | select(.state != "clean") | .tool, .what, .state]')" = '["racecheck","gemm bf16","errors"]' ]
  [[ $output == *'| goal: bf16 gemm at 8192, last rung (gemm-cluster), of cuBLASLt | 96 % | 95 % | met |'* ]]
  [[ $output == *'| HBM read | 4.5 TB/s | 4.8 TB/s | 93.8 % | | |'* ]]
  [[ $output == *'| `device-copy fp32` | 110 % | 125 % | 0.25 | 0.22 |'* ]]
  [[ $output == *'* racecheck of gemm bf16: errors'* ]]
  grep -q -e '--tool memcheck .* device-softmax .*--dtype fp32' "$STUB_LOG"
  [ "$(grep -c -e '--tool memcheck .* device-gemv-int8 .*--dtype fp16' "$STUB_LOG")" -eq 1 ]
  ! grep -v '^--tool' "$STUB_LOG" | grep -q 'run gemm-cluster .*fp32'
}

@test "gpu.sh: a further call adds what is lacking, and only that" {
  stub
  gpu ceilings ladders
  [ "$status" -eq 0 ]
  [ "$(of_result '[.parts[].state]')" = '["complete","complete","not begun","not begun","not begun"]' ]
  [ "$(of_result '[.ladders[][].kernel]')" = '["gemm-cluster","device-gemm-naive"]' ]
  : >"$STUB_LOG"
  gpu kernels
  [ "$status" -eq 0 ]
  ! grep -q -e '^measure' -e '--baseline' "$STUB_LOG"
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
  [[ $output == *'* FAILED: device-softmax fp32: out of order'* ]]
  gpu kernels
  [ "$status" -eq 0 ]
  [ "$(of_result '[.failed, any(.kernels[]; .kernel == "device-softmax" and .dtype == "fp32")]')" = '[[],true]' ]
  STUB_FAIL='gemm-cublas fp32 4' gpu ladders # the library's failure is not the rung's
  [ "$(of_result '[.ladders[][].baseline.fraction], .skipped[0].what, .skipped[0].why')" = \
    "$(printf '[0.96,null]\n"gemm-cublas as baseline of device-gemm-naive, fp32, m = n = k = 4096"\n"gemm-cublas fp32: out of order"')" ]
  rm "$result"
  STUB_FAIL='gemm-cluster bf16 3' gpu ladders
  [ "$status" -eq 0 ]
  [ "$(of_result '.skipped[0].what, .goals[0].reached')" = "$(printf '"gemm-cluster bf16, m = n = k = 8192"\n0.96')" ]
  STUB_FAIL=measure gpu ceilings
  [ "$(of_result '.parts.ceilings.state, .skipped[1]')" = "$(printf '"failed: device lost"\n{"what":"measure","part":"ceilings","why":"device lost"}')" ]
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

@test "gpu.sh: on the emulated device, the program itself" {
  stub
  export ROOFLINE=$REAL
  device=$("$ROOFLINE" run device-copy n=4096 --backend cuda --quick --json 2>&1 | jq -r '.kernels[0].note') || skip "no backend cuda in this build"
  [[ $device == *Emulated* ]] || skip "the libcuda of this build runs no kernels"
  gpu --quick --seconds 90 ceilings ladders
  [ "$(of_result '[.quick, .parts.ceilings.state, .machine.name, any(.ladders[][]; .baseline.fraction > 0), .failed]')" = '[true,"complete","host-gpu0",true,[]]' ]
  [[ $output == *'| launch, in a graph | | '* && $output == *'| 12 `gemm-cluster` | '*' % |'* ]]
}

# A root with libc and the usual small programs, nothing else.
bare() { # FOLDER
  mkdir -p "$1/bin" "$1/tmp" "$1/dev" "$1/lib64" "$1$(dirname "$(readlink -f /lib64/ld-linux-x86-64.so.2)")"
  touch "$1/dev/null"
  for program in sh cat cp date dirname basename cut date find grep head ln mkdir mktemp mv readlink rm sed sort tail timeout tr; do
    file=$(readlink -f "$(command -v $program)")
    cp "$file" "$1/bin/$program"
    LD_TRACE_LOADED_OBJECTS=1 "$file" | grep -o '/[^ ]*' | while read -r library; do
      mkdir -p "$1$(dirname "$library")"
      cp -nL "$library" "$1$library"
    done
  done
  cp -nL "$(ldconfig -p | sed -n 's/.*x86-64.* => \(.*libm.so.6\)$/\1/p' | head -n 1)" "$1/lib64/"
}

@test "gpu.sh: packed, it needs libc and nothing else" {
  [ "$(uname -m)" = x86_64 ] || skip "the bare root is one of x86-64"
  unshare -r true 2>/dev/null || skip "no namespaces here"
  sh "$ROOFLINE_SOURCE/bench/gpu.sh" --pack "$BATS_TEST_TMPDIR/pack"
  [ "$(du -sk "$BATS_TEST_TMPDIR/pack" | cut -f 1)" -lt 40000 ]
  bare "$BATS_TEST_TMPDIR/root"
  cp -r "$BATS_TEST_TMPDIR/pack" "$BATS_TEST_TMPDIR/root/pack"
  within() { PATH=$PATH:/usr/sbin env -i "$(command -v unshare)" -r "$(PATH=$PATH:/usr/sbin command -v chroot)" "$BATS_TEST_TMPDIR/root" /bin/sh "$@"; }
  run ! within -c 'jq --version || /pack/bin/roofline --version'
  run -3 within /pack/gpu.sh
  [ "$output" = "gpu.sh: nothing measured: backend cuda: no libcuda.so.1: NVIDIA's driver is not installed" ]
  stub
  gpu ceilings
  cp "$result" "$BATS_TEST_TMPDIR/root/result.json"
  run -0 within /pack/gpu.sh --table /result.json
  [[ $output == *'* ceilings: complete'* ]]
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
  [ "$output" = "$(sh "$ROOFLINE_SOURCE/bench/gpu.sh" --table "$result")" ]
}

# An ncu that runs nothing: it writes what FAKE_NCU names where --log-file says.
fake_ncu() { # FIXTURE
  mkdir -p "$BATS_TEST_TMPDIR/bin"
  cat >"$BATS_TEST_TMPDIR/bin/ncu" <<'SCRIPT'
#!/bin/sh
printf '%s\n' "$@" >"$FAKE_NCU_ARGUMENTS"
for word; do [ "$before" != --log-file ] || { cat "$FAKE_NCU" >"$word"; echo "$word" >>"$FAKE_NCU_ARGUMENTS"; }; before=$word; done
echo noise; echo noise >&2
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

@test "run --counters: what ncu writes lies in TMPDIR, and is gone afterwards" {
  fake_ncu "$ROOFLINE_SOURCE/tests/fixtures/gpu/ncu.csv"
  mkdir "$BATS_TEST_TMPDIR/own"
  TMPDIR=$BATS_TEST_TMPDIR/own "$ROOFLINE" run triad n=1000000 --backend fake --dtype fp32 --counters --quiet
  grep -q "^$BATS_TEST_TMPDIR/own/roofline-ncu-" "$BATS_TEST_TMPDIR/arguments"
  [ -z "$(ls "$BATS_TEST_TMPDIR/own")" ]
}
