# What the tests of bench/gpu.sh share.

unset -f jq # the order of keys in a result is that of its tables

# A roofline that measures nothing, so that the script's own work can be seen: it lists the real kernels and makes up their times.
# STUB_FAIL: "KERNEL FORMAT CODE", the words of a kernel that ends so, for the reason STUB_WHY. STUB_SLEEP: a kernel that takes for ever.
stub() {
  mkdir -p "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/results"
  cat >"$BATS_TEST_TMPDIR/bin/stub" <<'SCRIPT'
#!/bin/bash
echo "$*" >>"$STUB_LOG"
case "$1 $2" in
  '--version '*) exec "$REAL" "$@" ;;
  'run --list') # STUB_BARE: no library but one that was linked to
    [ -z "$STUB_BARE" ] || compgen -G "${LD_LIBRARY_PATH%%:*}/libcublasLt.so.*" >/dev/null || STUB_KERNELS='^(?!gemm-cublas)'
    "$REAL" "$@" | jq '.kernels |= map(select(.name | test(env.STUB_KERNELS)))' && exit ;;
  'machine show' | predict*) exec "$REAL" "$@" ;;
  measure*) [ "$STUB_SLEEP" != measure ] || { cp "$ROOFLINE_SOURCE/tests/fixtures/gpu/machine.json" "$XDG_CONFIG_HOME/roofline/machines/host-gpu0.json" && exec sleep 60; }
    [ "$STUB_FAIL" != measure ] || { echo 'roofline: device lost' >&2; exit 3; }
    exec cat "$ROOFLINE_SOURCE/tests/fixtures/gpu/machine.json" ;;
esac
kernels=() dtype=fp32 beside='' counted=null before=''
for word in "${@:2}"; do
  case $before in --dtype) dtype=$word ;; --baseline) beside=$word ;; esac
  case $word in --counters) counted='{"source": "ncu", "flops": 1.1e9, "bytes": {"memory": 5e9}, "operational_intensity": 0.22}' ;; esac
  case $before-$word in --dtype-* | --baseline-* | --backend-* | --interval-* | --sustain-* | *=* | *--*) ;; *) kernels+=("$word") ;; esac
  before=$word
done
read -r kernel format code <<<"$STUB_FAIL"
for word in "${kernels[@]}" $beside; do
  [ "$word" != "$STUB_SLEEP" ] || exec sleep 60
  [ "$word $dtype" != "$kernel $format" ] || { echo "roofline: $word $dtype: ${STUB_WHY:-out of order}" >&2; exit "$code"; }
done
jq -n --arg dtype "$dtype" --arg beside "$beside" --argjson counted "$counted" --args '{kernels: [$ARGS.positional[] | {
  name: "\(.) \($dtype)", seconds: 0.001, flops: {($dtype): 1e9}, bytes: {HBM: 4e9}, counters: $counted,
  baseline: (if $beside == "" then null else {name: $beside, seconds: 0.00106, fraction: 1.06} end),
  note: "device\u0027s clock, 1 call a sample; time spent; \(env.STUB_DEVICE // "NVIDIA H200")"}]}' "${kernels[@]}"
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
  cat >"$BATS_TEST_TMPDIR/bin/ncu" <<'SCRIPT'
#!/bin/sh
for word; do [ "$before" != -o ] || echo report >"$word.ncu-rep"; before=$word; done
SCRIPT
  cat >"$BATS_TEST_TMPDIR/bin/compute-sanitizer" <<'SCRIPT'
#!/bin/sh
echo "$*" >>"$STUB_LOG"
case "$*" in *racecheck*gemm-cluster*bf16* | *synccheck*gemm-tma*) echo 'Something reported' && exit 9 ;; esac
SCRIPT
  chmod +x "$BATS_TEST_TMPDIR"/bin/*
  export PATH="$BATS_TEST_TMPDIR/bin:$PATH" REAL=$ROOFLINE STUB_KERNELS='gemm-naive|gemm-cluster|gemm-cublas|softmax|rmsnorm$|gemv$' STUB_LOG=$BATS_TEST_TMPDIR/log STUB_FAIL='' STUB_SLEEP=''
  export ROOFLINE_CUDA_LIBRARIES=$ROOFLINE_BUILD/tests/cuda ROOFLINE=$BATS_TEST_TMPDIR/bin/stub ROOFLINE_RESULTS=$BATS_TEST_TMPDIR/results
}

# The script with less time for what hangs.
hasty() {
  sed 's/run 45/run 2/; s/run 240/run 2/; s/kernels_of 120/kernels_of 3/; s/longest=30/longest=1/' "$ROOFLINE_SOURCE/bench/gpu.sh" >"$BATS_TEST_TMPDIR/gpu.sh"
  cp "$ROOFLINE_SOURCE/bench/gpu.jq" "$BATS_TEST_TMPDIR/"
  script=$BATS_TEST_TMPDIR/gpu.sh
}

gpu() {
  run --separate-stderr sh "${script:-$ROOFLINE_SOURCE/bench/gpu.sh}" "$@"
  result=$(ls "$ROOFLINE_RESULTS"/gpu-*.json)
}

of_result() { jq -c "$1" "$result"; }
