#!/usr/bin/env bats
# Reconcile: what was measured against what was sealed.

setup() {
  load lib
  start
}

# seals LABEL OP...: a prediction on the H100 of 989 TFLOP/s and 3.35 TB/s.
seals() {
  local label=$1
  shift
  "$ROOFLINE" predict "$@" --machine "$h989" --dtype fp16 --seal --label "$label" >/dev/null
}

reconciled() {
  run --separate-stderr "$ROOFLINE" reconcile "$@"
}

# entry LABEL FILTER: of the last run's JSON.
entry() {
  jq -c --arg want "$1" ".entries[] | select(.label == \$want) | $2" <<<"$output"
}

@test "three predictions and two measurements: the missing one is named, exit 1" {
  seals a add n=1Gi
  seals b add n=2Gi
  seals c add n=4Gi
  "$ROOFLINE" record a seconds=2.5ms
  "$ROOFLINE" record c seconds=10ms
  reconciled
  [ "$status" -eq 1 ]
  [[ ${lines[0]} == '2 of 3 predictions measured; most headroom in '* ]]
  has 'predicted, never measured: b'
  [[ $stderr == *'1 label is without a counterpart' ]]
  reconciled --json
  [ "$status" -eq 1 ]
  equals .unmatched '{"predictions":["b"],"measurements":[]}'
  "$ROOFLINE" record b seconds=5ms
  reconciled
  [ "$status" -eq 0 ]
  "$ROOFLINE" record d seconds=5ms --unsealed
  reconciled --json
  [ "$status" -eq 1 ]
  [ "$(json .unmatched.measurements)" = '["d"]' ]
}

@test "78 % predicted, 71 % achieved: a gap of 7 points; 30 % is a bug" {
  seals good add n=1Gi
  seals bad add n=1Gi
  lower=$(jq -s '.[0].seconds.lower' roofline.ledger)
  "$ROOFLINE" record good seconds="$(jq -n "$lower / 0.71")"
  "$ROOFLINE" record bad seconds="$(jq -n "$lower / 0.30")"
  reconciled --json
  [ "$status" -eq 0 ]
  [ "$(entry good '[.verdict, (.gap * 10 | round / 10), .theoretical.verdict, .achieved.verdict]')" = '["normal",7,"normal",null]' ]
  [ "$(entry bad '[.verdict, (.gap | round), (.headroom * 100 | round)]')" = '["bug",48,333]' ]
  [[ $(entry good .because) == '"HBM delivers '*', 71.0 % of its ceiling, 7.0 points below the expected 78.0 %: nothing to explain"' ]]
  [ "$(entry good .causes)" = '[]' ]
  [[ $(entry bad .because) != *fast* ]]
  [ "$(entry bad '.causes | length >= 4')" = true ]
  [ "$(entry bad '.causes | map(["name", "certainty", "measurement", "action", "source"] - keys | length == 0) | all')" = true ]
}

@test "the level whose bandwidth is the bound is named, or that the bound is of several" {
  for n in 1 8; do
    "$ROOFLINE" predict add n=${n}Mi --machine h100 --dtype fp32 --seal --label "add$n" >/dev/null
    "$ROOFLINE" record "add$n" seconds="${n}0us"
  done
  reconciled
  has '  add1: L2 delivers 1.258 TB/s, 12.4 % of its ceiling, '
  has '  add8: HBM delivers 1.258 TB/s, 27.0 % of the lower bound, '
}

@test "a prediction of which somebody typed the efficiency says so, as fast as it may be" {
  seals plain add n=1Gi --framework vllm
  seals guess add n=1Gi --efficiency 95%
  "$ROOFLINE" record plain seconds="$(jq -s '.[0].seconds.expected' roofline.ledger)"
  "$ROOFLINE" record guess seconds="$(jq -s '.[1].seconds.expected' roofline.ledger)"
  reconciled
  [[ $output == *'  guess: '*'predicted with --efficiency 0.95'* ]]
  [[ $output != *'  plain: '* ]]
  reconciled --json
  [ "$(json '[.entries[].options]')" = '["--framework vllm","--efficiency 0.95"]' ]
}

@test "64 FLOP/byte at 90 % of the tensor peak cannot be" {
  seals fa3 gemm m=8192 n=8192 k=8192
  "$ROOFLINE" record fa3 flops=64e9 bytes=1e9 seconds="$(jq -n '64e9 / (0.9 * 989e12)')"
  reconciled
  [ "$status" -eq 1 ]
  has '1 above its ceiling'
  has '64 FLOP/B x 3.350 TB/s = 214.4 TFLOP/s = 21.7 % of the peak, not 90.0 %'
  [[ $stderr == *'1 kernel is above what can be' ]]
  rm roofline.ledger
  seals fa3 gemm m=8192 n=8192 k=8192
  "$ROOFLINE" record fa3 flops=64e9 bytes=1e9 seconds="$(jq -n '64e9 / (0.219 * 989e12)')"
  reconciled --json
  [ "$(entry fa3 .error)" != null ]
  rm roofline.ledger
  seals fa3 gemm m=4096 n=4096 k=1024
  "$ROOFLINE" record fa3 flops=64e9 bytes=1e9 seconds="$(jq -n '64e9 / (0.216 * 989e12)')"
  reconciled --json
  [ "$status" -eq 0 ]
  [ "$(entry fa3 '[.error, .traffic, .operational_intensity, .measured_regime]')" = '[null,"lower",64,"memory"]' ]
}

@test "counts of other work do not make the sealed work faster than it can be" {
  seals ffn gemm m=8192 n=8192 k=8192
  "$ROOFLINE" record ffn seconds=700us flops=5.5e11 bytes=4e8
  reconciled
  [ "$status" -eq 1 ]
  has '1 above its ceiling'
  has '700.0 µs cannot be: its ceiling allows no less than 1.112 ms; counted 50.0 % of the sealed FLOPs: not the sealed work'
  [[ $stderr == *'1 kernel is above what can be' ]]
}

@test "what is no faster than its own prediction can be, by whatever algorithm the bound is" {
  run -0 "$ROOFLINE" predict conv2d batch=8 in_channels=64 out_channels=64 height=56 width=56 kernel=3 --machine a100 --dtype fp32 --json --seal --label c
  expected=$(json .seconds.expected) lower=$(json .seconds.lower)
  run -0 "$ROOFLINE" record c seconds="$expected"
  run -0 "$ROOFLINE" reconcile --json
  [ "$(json '.entries[0] | [.verdict, .error]')" = '["expected",null]' ]
  run -0 "$ROOFLINE" predict conv2d batch=8 in_channels=64 out_channels=64 height=56 width=56 kernel=3 --machine a100 --dtype fp32 --seal --label d
  run -0 "$ROOFLINE" record d seconds="$(jq -n "$lower * 0.7")"
  run -1 "$ROOFLINE" reconcile
  has "cannot be"
}

@test "reconcile names what was measured again, and which of the measurements counts" {
  seals a add n=1Gi
  "$ROOFLINE" record a seconds=2.5ms
  "$ROOFLINE" record a seconds=2.3ms
  reconciled
  [ "$status" -eq 0 ]
  [[ ${lines[0]} == '1 of 1 predictions measured, 1 measured again'* ]]
  has 'measured again: 1 time, last 2.300 ms (entry 3); entry 2 counts'
  reconciled --json
  [ "$(entry a '[.measured_seconds, .measured_again]')" = '[0.0025,1]' ]
  seals b add n=2Gi
  "$ROOFLINE" record b seconds=5ms
  reconciled --json
  [ "$(entry b .measured_again)" = 0 ]
}

@test "the measured regime comes from counters, where there are any" {
  seals gemv gemm m=1 n=28672 k=8192
  "$ROOFLINE" record gemv seconds=1ms
  reconciled
  has 'not counted'
  rm roofline.ledger
  seals gemv gemm m=1 n=28672 k=8192
  "$ROOFLINE" record gemv seconds=1ms bytes=2.5GB
  reconciled --json
  [ "$(entry gemv '[.measured_regime, (.measured_fraction * 1000 | round)]')" = '["memory",746]' ]
}

@test "at 90 % of the achieved roof it says done, and what would raise the ceiling" {
  "$ROOFLINE" predict add n=64Mi --machine h100 --dtype fp32 --seal --label add >/dev/null
  achieved=$(jq .ceilings.achieved.seconds roofline.ledger)
  "$ROOFLINE" record add seconds="$(jq -n "$achieved / 0.899")"
  reconciled --json
  [ "$(entry add '[.done, .next, .achieved.verdict]')" = '[false,null,"normal"]' ]
  "$ROOFLINE" predict add n=64Mi --machine h100 --dtype fp32 --seal --label add >/dev/null
  "$ROOFLINE" record add seconds="$(jq -n "$achieved / 0.901")"
  reconciled --latest
  [ "$status" -eq 0 ]
  has 'done: 90.1 % of the achieved ceiling; what would raise the ceiling: fewer bytes'
}

@test "counted traffic comes first; the rest is named with the measurement that decides" {
  seals attn attention batch=1 heads=32 q_len=4096 kv_len=4096 head_dim=128
  "$ROOFLINE" record attn seconds=600us flops=275e9 bytes=400MB
  reconciled
  has '2.98x the compulsory bytes cross the memory bus'
  has 'cause: L2 reuse'
  [ "$(grep -c '2.98x the compulsory bytes' <<<"$output")" -eq 1 ]
  has 'measure first: '
  reconciled --json
  [ "$(entry attn '.causes[0] | [.name, .certainty, .figure]')" = '["L2 reuse","shown","traffic"]' ]
}

@test "every key of the contract is there" {
  seals a add n=1Gi
  "$ROOFLINE" record a seconds=2.5ms
  reconciled --json
  [ "$(json .schema)" = '"roofline.reconcile/1"' ]
  [ "$(json '["label", "predicted_seconds", "measured_seconds", "regime", "fraction_of_ceiling", "headroom", "verdict", "because", "gap", "causes"] - (.entries[0] | keys)')" = '[]' ]
}

@test "what loop sealed, reconcile reads" {
  "$ROOFLINE" loop --quick --backend fake --quiet >/dev/null
  reconciled
  [ "$status" -eq 0 ]
  [ "${lines[0]}" = '15 of 15 predictions measured; most headroom of those not as expected in axpy n=100663296 fp32, 1.25x from its ceiling' ]
  [[ $output != *"its file has changed"* ]]
  reconciled --json
  [ "$(json '[.entries[].machine_changed] | unique')" = '[false]' ]
  [ "$(json '.entries[] | select(.label | startswith("gemm-naive ")) | .fraction_of_ceiling * 1000 | round')" = 9 ]
  reconciled --ledger nothing
  [ "$status" -eq 2 ]
}

@test "a launch that is only assumed is no measurement; one that is given is" {
  "$ROOFLINE" predict rmsnorm rows=1024 cols=4096 --machine h100 --dtype bf16 --seal --label assumed >/dev/null
  "$ROOFLINE" predict rmsnorm rows=1024 cols=4096 --machine h100 --dtype bf16 --launch 2us --seal --label given >/dev/null
  "$ROOFLINE" record assumed seconds=3us
  "$ROOFLINE" record given seconds=3us
  reconciled
  [[ $output == *'  assumed '*'  not counted '* && $output == *'  given '*'  overhead (launches), 66.7 % '* ]]
  reconciled --json
  [ "$(entry assumed '[.measured_regime, .measured_fraction]')" = '[null,null]' ]
  [ "$(entry given .measured_regime)" = '"overhead"' ]
}

@test "normal is silent, launches are no bug, and the class of a machine's file survives" {
  predict() { "$ROOFLINE" predict "${@:2}" --seal --label "$1" >/dev/null; }
  "$ROOFLINE" machine show h100 --json | jq '.name = "elsewhere" | .aliases = []' >elsewhere.json
  predict normal gemm m=4096 n=4096 k=4096 --machine h100 --dtype fp16
  predict short rmsnorm rows=32 cols=4096 --machine h100 --dtype fp16
  predict far gemv m=28672 n=8192 --machine ./elsewhere.json
  predict stream triad n=10000000 --machine epyc-9654
  rm elsewhere.json
  "$ROOFLINE" record normal seconds=190us
  "$ROOFLINE" record short seconds=5us
  "$ROOFLINE" record far seconds=979us
  "$ROOFLINE" record stream seconds=5ms
  reconciled
  [ "$status" -eq 0 ]
  [[ $output != *'  normal: '* && $output == *'  far: '* ]]
  reconciled --json
  [ "$(entry short '[.verdict, .causes[0].name, .causes[0].certainty]')" = '["overhead","launch overhead","possible"]' ]
  [ "$(entry normal .causes)" = '[]' ]
  [ "$(entry far '[.causes[].name] | index("NUMA")')" = null ]
  [ "$(entry far '[.causes[].name] | index("uncoalesced access") != null')" = true ]
  [ "$(entry stream '[.causes[] | select(tostring | test("l1tex|warp|smsp|CUDA|bank|coalesced"))]')" = '[]' ]
  [ "$(jq -r 'select(.label == "far" and .kind == "prediction").device_class' roofline.ledger)" = gpu ]
}

@test "what was predicted to be slow and is, is no bug in any answer, and nothing is looked for" {
  "$ROOFLINE" loop --quick --backend fake --quiet >/dev/null
  reconciled
  [[ $output == *'112.50x  expected'* && $output != *'possible:'* ]]
  reconciled --json
  [ "$(entry 'gemm-naive m=384 n=384 k=384 fp32' '[.verdict, .causes]')" = '["expected",[]]' ]
  [[ $(entry 'gemm-naive m=384 n=384 k=384 fp32' .because) == *' the expected '*' %: within its predicted interval, 53.08 ms to 70.78 ms"' ]]
}

@test "headroom and the gap to what was expected stay where the terminal is narrow" {
  "$ROOFLINE" loop --quick --backend fake --quiet >/dev/null
  COLUMNS=80 reconciled
  [[ $output == *' 0.0 above'*' 1.25x '* ]]
}

@test "--calibrate shows what constants fitted to the measurements would change" {
  for i in {0..24}; do
    n=$(awk -v i="$i" 'BEGIN { printf "%d", 1000 * 1.6 ^ i }')
    "$ROOFLINE" seal relu n="$n" --dtype fp32 --machine a100 --quiet
    "$ROOFLINE" record "relu n=$n fp32" seconds="$(awk -v n="$n" 'BEGIN { printf "%.6g", 7e-6 + 8 * n / 1e12 }')"
  done >/dev/null
  run --separate-stderr "$ROOFLINE" reconcile --calibrate --quiet
  [ "$status" -eq 0 ]
  grep -qE '^  latency_seconds +7\.0' <<<"$output"
  grep -q '^stream in fp32: .* before)' <<<"$output"
  run --separate-stderr "$ROOFLINE" reconcile --calibrate --json
  jq -e '.schema == "roofline.calibration/1" and .fits[0].after.median_error < 0.01' <<<"$output"
  # a label of one's own changes nothing
  jq -c 'if .kind == "prediction" then "k\(.sequence): \(.op) \(.parameters) --dtype \(.dtype) --machine a100" else empty end' -r roofline.ledger >named.txt
  "$ROOFLINE" seal named.txt --ledger named.ledger --quiet >/dev/null
  jq -r 'select(.kind == "measurement") | "k\(.prediction) seconds=\(.seconds)"' roofline.ledger |
    while read -r words; do "$ROOFLINE" record $words --ledger named.ledger >/dev/null; done
  fits=$(json '.fits[0].constants')
  run --separate-stderr "$ROOFLINE" reconcile --calibrate --json --ledger named.ledger
  [ "$(json '.fits[0].constants')" = "$fits" ]
  "$ROOFLINE" seal relu n=8 --dtype fp32 --machine a100 --ledger one.ledger --quiet
  "$ROOFLINE" record "relu n=8 fp32" seconds=9us --ledger one.ledger
  run --separate-stderr "$ROOFLINE" reconcile --calibrate --ledger one.ledger
  [ "$status" -eq 2 ] && [[ $stderr == *"--calibrate: "*"fewer than 20 timings"* ]]
}

@test "what is as expected may have more headroom than what is named first, which the sentence says" {
  "$ROOFLINE" predict gemm m=64 n=28672 k=8192 --machine h100 --dtype fp16 --weights int4 --group 128 --seal --label few --ledger roofline.ledger
  "$ROOFLINE" predict gemm m=8192 n=8192 k=8192 --machine h100 --dtype fp16 --efficiency 0.95 --seal --label big --ledger roofline.ledger
  "$ROOFLINE" record few seconds=62us
  "$ROOFLINE" record big seconds=1.17ms
  run -0 "$ROOFLINE" reconcile
  [ "${lines[0]}" = '2 of 2 predictions measured; most headroom of those not as expected in big, 1.05x from its ceiling' ]
}

@test "a headroom is written alike in the sentence and in the table, however large" {
  seals far add n=1Mi
  "$ROOFLINE" record far seconds=1
  run -0 "$ROOFLINE" reconcile
  [[ ${lines[0]} =~ ' '([0-9]{4,}\.[0-9]{2}x)' from its ceiling' ]]
  [ "$(grep -c -- "${BASH_REMATCH[1]}" <<<"$output")" -eq 2 ]
}

@test "a file that is no ledger is none, however it is read; an empty one has nothing to reconcile" {
  seals a add n=1Gi
  printf 'Function    Best Rate MB/s\nCopy: 1\n' >stream.txt
  "$ROOFLINE" predict add n=1Gi --machine h100 --json >p.json
  gzip -c p.json >p.gz
  for file in stream.txt p.json p.gz; do
    for words in 'ledger verify' 'ledger show' reconcile 'seal p.json'; do
      # shellcheck disable=SC2086
      run -2 "$ROOFLINE" $words --ledger "$file"
      has "ledger $file: not a ledger"
    done
  done
  sed 's/^{"sequence":1,/{"sequence":2,/' roofline.ledger >changed.ledger
  run -1 "$ROOFLINE" ledger verify --ledger changed.ledger
  has 'changed.ledger:1: entry 1: its SHA-256 does not match'
  seals b add n=2Gi
  (echo nothing && sed 1d roofline.ledger) >changed.ledger
  run -1 "$ROOFLINE" reconcile --ledger changed.ledger
  has 'changed.ledger:1: entry 1: its SHA-256 does not match'
  : >empty.ledger
  run -1 "$ROOFLINE" reconcile --ledger empty.ledger
  has 'empty.ledger: has no entries: there is nothing to reconcile'
}

@test "a label that is sealed twice is suggested once; a time is more than nothing" {
  seals gemm gemm m=8 n=8 k=8
  seals gemm gemm m=8 n=8 k=8
  seals fill add n=8
  run -1 "$ROOFLINE" record gem seconds=1ms
  has 'did you mean `gemm`?'
  [[ $output != *'or `gemm`'* ]]
  run -2 "$ROOFLINE" record gemm seconds=-1ms
  has 'gemm: its time, -1.000 ms, must be more than 0 s'
  run -2 "$ROOFLINE" record gemm seconds=0
  has 'gemm: its time, 0 s, must be more than 0 s'
  run -2 "$ROOFLINE" record gemm samples=-1ms
  has 'must be more than 0 s'
}
