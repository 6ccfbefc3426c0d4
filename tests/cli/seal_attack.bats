#!/usr/bin/env bats
# Attacks on the sealed ledger: each is refused, or shown wherever it would matter.

setup() {
  load lib
  start
}

# seals LABEL SHAPE...: a prediction of the h100.
seals() {
  "$ROOFLINE" predict "${@:2}" --machine h100 --dtype bf16 --seal --label "$1" >/dev/null
}

@test "a label predicted again after it was measured: the first counts, and the other stays in sight" {
  seals k gemm m=8192 n=8192 k=8192
  "$ROOFLINE" record k seconds=9ms
  seals k gemm m=16384 n=8192 k=8192
  "$ROOFLINE" record k seconds=9ms
  run -0 "$ROOFLINE" reconcile
  has 're-predicted'
  has '2 predictions of it, of which entry 1 counts; 1 sealed after a measurement'
  run -0 "$ROOFLINE" reconcile --json
  [ "$(json '[.counts, .superseded, .after_measurement]')" = '["the first prediction",1,1]' ]
  [ "$(json '.entries[0] | [.prediction, .measurement, .superseded, .after_measurement]')" = '[1,2,1,1]' ]
  run -0 "$ROOFLINE" reconcile --latest --json
  [ "$(json '.entries[0] | [.prediction, .measurement, .superseded]')" = '[3,4,1]' ]
  run -1 "$ROOFLINE" reconcile --strict
  has '--strict: 1 prediction is of a label that had one'
  run -0 "$ROOFLINE" ledger verify
  has '1 predictions of a label that had one, 1 sealed after a measurement of it'
  run -1 "$ROOFLINE" ledger verify --strict
  has '--strict: 1 prediction is of a label that had one'
}

@test "five predictions under one label and one measurement are five" {
  for n in 1 2 4 8 16; do
    seals k gemm m=8192 n=8192 k="$((n * 1024))"
  done
  "$ROOFLINE" record k seconds=9ms
  run -0 "$ROOFLINE" reconcile
  [[ ${lines[0]} == '1 of 1 predictions measured, 4 re-predicted (the first counts)'* ]]
  has ', re-predicted'
  run -1 "$ROOFLINE" reconcile --strict --latest
}

# chain BODY...: a ledger of these objects, its digests right, as anyone can make it.
chain() {
  local previous=0000000000000000000000000000000000000000000000000000000000000000 body line
  for body in "$@"; do
    body="${body%\}},\"previous\":\"$previous\""
    line="$body,\"sha256\":\"$(printf %s "$body" | sha256sum | cut -d' ' -f1)\"}"
    previous=$(printf '%s\n' "$line" | sha256sum | cut -d' ' -f1)
    printf '%s\n' "$line"
  done
}

# forge FILTER: roofline.ledger with FILTER applied to each entry and the chain made anew, in forged.ledger.
forge() {
  mapfile -t bodies < <(jq -c "del(.previous, .sha256) | $1" roofline.ledger)
  chain "${bodies[@]}" >forged.ledger
}

# fails FILE TEXT: verify, reconcile, show and export refuse the ledger with TEXT.
fails() {
  local verb
  for verb in 'ledger verify' reconcile 'ledger show' 'ledger export --json' 'ledger show --csv'; do
    run --separate-stderr "$ROOFLINE" $verb --ledger "$1"
    [ "$status" -eq 1 ] && [[ $stderr == *"$2"* ]] && [ -z "$output" ] && continue
    echo "$verb: exit $status: $output $stderr"
    return 1
  done
}

@test "a chain made anew: times, references and marks that cannot be are found" {
  seals k gemm m=8192 n=8192 k=8192
  "$ROOFLINE" record k seconds=9ms
  forge .
  run -0 "$ROOFLINE" ledger verify --ledger forged.ledger
  forge 'if .sequence == 1 then .time = "2035-01-01T00:00:00.000Z" else . end'
  fails forged.ledger 'forged.ledger:1: entry 1: its time is later than now'
  forge 'if .sequence == 2 then .time = "1999-01-01T00:00:00.000Z" else . end'
  fails forged.ledger 'entry 2: its time is before that of the entry before it'
  forge 'if .sequence == 1 then .time = "tomorrow" else . end'
  fails forged.ledger 'entry 1: its time is none'
  forge 'if .sequence == 2 then .measured = "1990-01-01T00:00:00.000Z" else . end'
  fails forged.ledger 'entry 2: its mark `unsealed` is wrong'
  forge 'if .sequence == 2 then .prediction = 77 else . end'
  fails forged.ledger 'entry 2: the prediction that it is of is no earlier one of its label'
  forge 'if .sequence == 2 then .label = "other" else . end'
  fails forged.ledger 'no earlier one of its label'
  forge 'if .sequence == 2 then .sequence = 1.4 else . end'
  fails forged.ledger 'entry 2: it has no sequence'
}

@test "what two readers of JSON would read differently is no entry" {
  local p='{"sequence":1,"kind":"prediction","time":"2026-01-01T00:00:00.000Z","version":"0.1.0","label":"k","machine":"nvidia-h100-sxm","regime":"memory","binding":"HBM","flops":1,"bytes":1,"seconds":{"lower":1e-3,"upper":2e-3,"expected":1.5e-3}}'
  chain "$p" >good.ledger
  run -0 "$ROOFLINE" ledger verify --ledger good.ledger
  for body in "${p/\"seconds\":\{*\}/\"seconds.lower\":1e-3,\"seconds.expected\":9e-3,\"seconds\":{\"x\":1\}\}}" \
    "${p/\"version\":\"0.1.0\"/\"version\":\"0.1.0\",\"commit\":\"aaaa\",\"commit\":\"bbbb\"}" \
    "${p/\"version\":\"0.1.0\"/\"version\":\"0.1.0\",\"zz\":1e400}" \
    "${p/\"version\":\"0.1.0\"/\"version\":\"0.1.0\",\"zz\":[[[[1]]]]}" \
    "${p/\"version\":\"0.1.0\"/\"version\":\"0.1.0\",\"zz\":99999999999999999999999}" \
    "${p/\"version\":\"0.1.0\"/\"version\":\"\\ud800\"}" \
    "${p/\"flops\":1/\"flops\":1e400}" \
    "${p/\"flops\":1/\"flops\":99999999999999999999999}"; do
    chain "$body" >bad.ledger
    fails bad.ledger 'entry 1: it is not one JSON object with the members of an entry alone'
  done
  chain "${p/\"sequence\":1/\"sequence\":1.4}" >bad.ledger
  fails bad.ledger 'entry 1'
}

@test "verify prints the head, and says whether a ledger goes on from an earlier one" {
  seals a add n=64Mi
  cp roofline.ledger old.ledger
  run -0 "$ROOFLINE" ledger verify
  head=${lines[1]#head }
  [ "$head" = "1:$(sed -n 1p roofline.ledger | sha256sum | cut -d' ' -f1)" ]
  seals b add n=32Mi
  run -0 "$ROOFLINE" ledger verify --extends old.ledger
  has 'extends old.ledger: its 1 entries are the first of this one'
  run -0 "$ROOFLINE" ledger verify --extends "$head"
  run -0 "$ROOFLINE" ledger verify --json
  [ "$(json .head)" = "\"$(sed -n 2p roofline.ledger | sha256sum | cut -d' ' -f1)\"" ]
  forge 'if .sequence == 1 then .seconds.expected = 1 else . end'
  run -0 "$ROOFLINE" ledger verify --ledger forged.ledger
  run -1 "$ROOFLINE" ledger verify --ledger forged.ledger --extends old.ledger
  has 'does not extend old.ledger: entry 1 is another'
  run -1 "$ROOFLINE" ledger verify --ledger forged.ledger --extends "$head"
  run -1 "$ROOFLINE" ledger verify --ledger old.ledger --extends roofline.ledger
  has '1 of its 2 entries are missing'
}

@test "a key says what it covers; an empty ledger holds nothing" {
  "$ROOFLINE" ledger keygen
  printf 'a: add n=64Mi --machine h100\nb: add n=32Mi --machine h100\n' >list.txt
  "$ROOFLINE" seal list.txt --sign roofline.key --quiet
  "$ROOFLINE" record a seconds=9ms
  run -0 "$ROOFLINE" ledger verify --key roofline.key.pub
  has 'of the key: 2 signatures; entries 1 to 2 are covered'
  has 'not covered: entries 3 to 3, which whoever writes the file can change or drop'
  run -1 "$ROOFLINE" ledger verify --key roofline.key.pub --strict
  has 'no signature of the key covers entries from 3 on'
  forge 'if .sequence == 3 then .seconds = 1e-3 else . end' # signatures cover what is before them
  run -1 "$ROOFLINE" ledger verify --ledger forged.ledger --key roofline.key.pub
  run -0 "$ROOFLINE" ledger verify
  has 'which may be anyone'
  : >empty.ledger
  run -1 "$ROOFLINE" ledger verify --ledger empty.ledger --key roofline.key.pub
  has 'empty.ledger: has no entries'
}

@test "a ledger of version 0.1 verifies, reconciles and is appended to" {
  cp "$ROOFLINE_SOURCE/tests/fixtures/ledger/0.1.ledger" roofline.ledger
  run -0 "$ROOFLINE" ledger verify
  has '8 entries, 4 predictions, 4 measurements, 2 of them unsealed, 1 predictions of a label that had one, 1 sealed after a measurement of it; 2 signatures match'
  run -1 "$ROOFLINE" ledger verify --key "$ROOFLINE_SOURCE/tests/fixtures/ledger/0.1.key.pub"
  has 'entry 1: its prediction is not signed'
  run -1 "$ROOFLINE" reconcile
  has '3 of 3 predictions measured, 1 measurement without a prediction'
  run -0 "$ROOFLINE" ledger export --json
  [ "$(json '.entries | length')" = 8 ]
  seals c add n=64Mi
  run -0 "$ROOFLINE" ledger verify --extends "$ROOFLINE_SOURCE/tests/fixtures/ledger/0.1.ledger"
}
