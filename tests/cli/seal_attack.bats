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
  has '--strict: 1 re-predicted, 1 predicted after a measurement'
  run -0 "$ROOFLINE" ledger verify
  has ', 1 re-predicted, 1 predicted after a measurement'
  run -1 "$ROOFLINE" ledger verify --strict
  has '--strict: 1 re-predicted, 1 predicted after a measurement'
}

@test "five predictions under one label and one measurement are five" {
  for n in 1 2 4 8 16; do
    seals k gemm m=8192 n=8192 k="$((n * 1024))"
  done
  "$ROOFLINE" record k seconds=9ms
  run -0 "$ROOFLINE" reconcile
  [[ ${lines[0]} == '1 of 1 predictions measured, 4 re-predicted;'* ]]
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
  mapfile -t bodies < <(command jq -c "del(.previous, .sha256) | $1" roofline.ledger)
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
  has 'extends old.ledger: its 1 entry is the first of this one'
  run -0 "$ROOFLINE" ledger verify --extends "$head"
  run -0 "$ROOFLINE" ledger verify --json
  [ "$(json .head)" = "\"$(sed -n 2p roofline.ledger | sha256sum | cut -d' ' -f1)\"" ]
  forge 'if .sequence == 1 then .seconds.expected = .seconds.expected_high else . end'
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
  has '8 entries, 4 predictions, 4 measurements, 2 unsealed, 1 re-predicted, 1 predicted after a measurement; 2 signatures match'
  run -1 "$ROOFLINE" ledger verify --key "$ROOFLINE_SOURCE/tests/fixtures/ledger/0.1.key.pub"
  has 'entry 1: its prediction is not signed'
  run -1 "$ROOFLINE" reconcile
  has '3 of 3 predictions measured, 1 measurement without a prediction'
  run -0 "$ROOFLINE" ledger export --json
  [ "$(json '.entries | length')" = 8 ]
  seals c add n=64Mi
  run -0 "$ROOFLINE" ledger verify --extends "$ROOFLINE_SOURCE/tests/fixtures/ledger/0.1.ledger"
}

@test "a document is predicted anew before it is sealed; what differs is by hand wherever it is used" {
  "$ROOFLINE" predict gemm m=8192 n=8192 k=8192 --machine h100 --dtype bf16 --json >p.json
  run -0 "$ROOFLINE" seal p.json
  [[ $output != *'by hand'* ]]
  [ "$(jq -c .origin roofline.ledger)" = '"recomputed"' ]
  jq -c '.seconds.expected = 1.5e-3 | .seconds.expected_high = 2e-3 | .label = "mine"' p.json >p2.json
  run -0 "$ROOFLINE" seal p2.json
  has 'by hand: mine: its seconds.expected is 0.0015, predicting it gives 0.0013'
  "$ROOFLINE" record mine seconds=1.5ms
  run "$ROOFLINE" reconcile
  has ', by hand'
  has 'by hand: predicting it did not give what was sealed'
  run "$ROOFLINE" reconcile --json
  [ "$(json '[.entries[0].origin, .by_hand]')" = '["by hand",1]' ]
  run -0 "$ROOFLINE" ledger show
  has ', by hand'
  run -0 "$ROOFLINE" ledger export --json
  [ "$(json '[.entries[].origin]')" = '["recomputed","by hand",null]' ]
  "$ROOFLINE" ledger export --markdown page.md
  grep -q 'compute (bf16 matrix), by hand' page.md
  run -0 "$ROOFLINE" ledger verify
  has ', 1 predicted by hand'
  run -1 "$ROOFLINE" ledger verify --strict
  seals s gemm m=8192 n=8192 k=8192
  [ "$(sed -n '$p' roofline.ledger | jq -c .origin)" = '"predicted"' ]
}

@test "a document with formats and options is recomputed with them; of another machine it cannot be" {
  "$ROOFLINE" predict gemm m=8 n=8192 k=8192 --machine h100 --dtype fp16 --weights int4 --group 128 --efficiency 80% --launch 3us --json >p.json
  [ "$(jq -c '.formats.weights, .options.efficiency' p.json | tr '\n' ' ')" = '"int4" 0.8 ' ]
  "$ROOFLINE" seal p.json
  [ "$(jq -c .origin roofline.ledger)" = '"recomputed"' ]
  jq -c 'del(.formats) | .label = "a"' p.json >a.json
  run -0 "$ROOFLINE" seal a.json --json
  [ "$(json '.by_hand[0].label')" = '"a"' ]
  jq -c '.machine = "made-up" | .label = "b"' p.json >b.json
  run -0 "$ROOFLINE" seal b.json
  has 'by hand: b: the catalogue has no machine `made-up`'
  jq -c '.machine_sha256 = ("ab" * 32) | .label = "c"' p.json >c.json
  run -0 "$ROOFLINE" seal c.json
  has "is another than the catalogue's"
}

@test "a prediction that contradicts itself is refused" {
  "$ROOFLINE" predict gemm m=8192 n=8192 k=8192 --machine h100 --dtype bf16 --json >p.json
  refused() { # FILTER TEXT
    jq -c "$1" p.json >bad.json
    run --separate-stderr "$ROOFLINE" seal bad.json
    [ "$status" -eq 2 ] && [[ $stderr == *"$2"* ]] && [ "$(wc -l <<<"$stderr")" -eq 1 ] && [ ! -e roofline.ledger ] && return
    echo "$1: exit $status: $stderr"
    return 1
  }
  refused '.seconds.expected = 1e-9' 'its lower bound is above the expected time'
  refused '.seconds.upper = 1e-10' 'its lower bound is above the upper one'
  refused '.seconds.expected_low = 1' '`expected_low` is above the expected time'
  refused '.seconds.expected_high = 1e-9' '`expected_high` is below the expected time'
  refused '.regime = "bogus"' 'its regime is none'
  refused '.machine = "made-up" | .machine_sha256 = "abc"' '`machine_sha256` is no SHA-256'
}

@test "every entry can be signed: measurements, single predictions, the loop" {
  "$ROOFLINE" ledger keygen
  "$ROOFLINE" predict add n=64Mi --machine h100 --seal --label a --sign roofline.key >/dev/null
  "$ROOFLINE" record a seconds=9ms --sign roofline.key
  run -0 "$ROOFLINE" ledger verify --key roofline.key.pub --strict
  has 'of the key: 2 signatures; entries 1 to 2 are covered'
  "$ROOFLINE" loop --quick --backend fake --quiet --sign roofline.key --ledger loop.ledger >/dev/null
  run -0 "$ROOFLINE" ledger verify --key roofline.key.pub --strict --ledger loop.ledger
  has "of the key: $(wc -l <loop.ledger) signatures; entries 1 to $(wc -l <loop.ledger) are covered"
  run -2 "$ROOFLINE" predict add n=64Mi --machine h100 --sign roofline.key
  has 'has no effect without --seal'
}

@test "an entry says where its time comes from, and reconcile shows it" {
  kernel='"schema": "roofline.measurements/1", "kernels": [{"name": "k", "seconds": 9e-3}]'
  for label in hand pipe file said; do
    seals "$label" add n=64Mi
  done
  echo "{${kernel/\"k\"/\"file\"}}" >file.json
  "$ROOFLINE" record file.json
  "$ROOFLINE" record hand seconds=9ms
  echo "{${kernel/\"k\"/\"pipe\"}}" | "$ROOFLINE" record /dev/stdin
  echo "{\"taken\": \"$(date -u +%FT%TZ)\", ${kernel/\"k\"/\"said\"}}" | "$ROOFLINE" record -
  run "$ROOFLINE" reconcile --json
  equals '[.entries[] | {(.label): .taken_from}] | add' '{"hand":"by hand","pipe":"pipe","file":"file date","said":"document"}'
  run "$ROOFLINE" reconcile
  has 'time from'
  has 'file date'
  "$ROOFLINE" loop --quick --backend fake --quiet --ledger loop.ledger >/dev/null
  [ "$(tail -1 loop.ledger | jq -c .taken_from)" = '"this process"' ]
}

@test "a clock that was set shows against the time since the system started" {
  seals a add n=64Mi
  [ "$(jq -c '[(.boot | length), .uptime > 0]' roofline.ledger)" = '[16,true]' ]
  "$ROOFLINE" record a seconds=9ms
  run -0 "$ROOFLINE" ledger verify --strict
  forge 'if .sequence == 1 then .time = (now - 86400 | strftime("%FT%T.000Z")) else . end'
  run -0 "$ROOFLINE" ledger verify --ledger forged.ledger
  has '1 with a clock that was set'
  run -1 "$ROOFLINE" ledger verify --ledger forged.ledger --strict
  mapfile -t bodies < <(head -1 forged.ledger | command jq -c 'del(.previous, .sha256)')
  chain "${bodies[@]}" >late.ledger
  echo "{\"schema\": \"roofline.measurements/1\", \"taken\": \"$(date -u -d '1 hour ago' +%FT%TZ)\", \"kernels\": [{\"name\": \"a\", \"seconds\": 9e-3}]}" >run.json
  run -1 "$ROOFLINE" record run.json --ledger late.ledger
  has 'by a clock that was set'
  run -0 "$ROOFLINE" record run.json --ledger late.ledger --unsealed
  run -0 "$ROOFLINE" ledger verify --ledger late.ledger
  has '1 unsealed'
}

@test "nothing is appended where the last entry is of the future" {
  seals a add n=64Mi
  forge '.time = "2035-01-01T00:00:00.000Z"'
  run -1 "$ROOFLINE" predict add n=64Mi --machine h100 --seal --ledger forged.ledger
  has 'entry 1: its time is later than now'
}

@test "a label that is no text is refused wherever labels are given" {
  for label in $'bad\xff' $'up\x1b[1A' $'two\nlines' $'\u202edrowssap' $'c1\xc2\x9b'; do
    run -2 "$ROOFLINE" predict add n=1Mi --machine h100 --seal --label "$label"
    has 'is not one line of text that can be shown'
    run -2 "$ROOFLINE" record "$label" seconds=1ms --unsealed
    has 'is not one line of text that can be shown'
  done
  printf 'bad\xff: add n=1Mi --machine h100\n' >list.txt
  run -2 "$ROOFLINE" seal list.txt
  has 'list.txt:1: '
  "$ROOFLINE" predict add n=1Mi --machine h100 --json | jq -c '.label = "up\u001b[1A"' >p.json
  run -2 "$ROOFLINE" seal p.json
  [ ! -e roofline.ledger ]
  seals 'µ → ok 中' add n=1Mi
}

@test "a measurement that contradicts itself is refused, one that contradicts its prediction is marked" {
  seals k gemm m=8192 n=8192 k=8192
  measured() { echo "{\"schema\": \"roofline.measurements/1\", \"kernels\": [{\"name\": \"k\", $1}]}" >m.json; }
  measured '"seconds": 1e-3, "samples": [5e-3, 6e-3, 7e-3]'
  run -2 "$ROOFLINE" record m.json
  has 'm.json:1:93: k: 0.001 s, but its samples are from 0.005 to 0.007 s'
  measured '"samples": [-5e-3, 6e-3, 7e-3]'
  run -2 "$ROOFLINE" record m.json
  has 'sample 1 is no time'
  [ "$(wc -l <roofline.ledger)" -eq 1 ]
  "$ROOFLINE" record k seconds=1.5ms machine=rtx4090 dtype=fp64
  run "$ROOFLINE" reconcile
  has ', other machine, dtype'
  has 'measured with another machine, dtype than predicted'
  run -1 "$ROOFLINE" reconcile --strict
  has '1 of another machine or format than predicted'
  "$ROOFLINE" record k seconds=1.5ms machine=h100 dtype=bf16
  [ "$(sed -n 3p roofline.ledger | jq -c .differs)" = null ]
}
