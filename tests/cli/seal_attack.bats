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
