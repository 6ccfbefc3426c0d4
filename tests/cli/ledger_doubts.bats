#!/usr/bin/env bats
# What a ledger that is intact shows to those who doubt it: a person's predictions, machines that have changed, torn ends.

setup() {
  load lib
  start
}

# seal LABEL ARGUMENT...: a prediction of 120.2 µs at best.
seal() {
  label=$1
  shift
  "$ROOFLINE" predict add n=64Mi --machine "${machine-h100}" --seal --quiet --label "$label" "$@" >/dev/null
}

@test "a person's prediction is no faster than can be" {
  run -2 "$ROOFLINE" predict gemm m=4096 n=4096 k=4096 --machine h100 --seal --mine 10us
  [ "$output" = "roofline: --mine 10us: gemm m=4096 n=4096 k=4096 fp16 takes at least 138.9 µs" ]
  [ ! -e roofline.ledger ]
}

@test "a person's predictions are graded over all labels, the first of each" {
  seal near --mine 310us
  seal near --mine 500us
  seal far --mine 1ms
  seal late
  seal none
  for label in near far late none; do
    "$ROOFLINE" record $label seconds=300us >/dev/null
  done
  seal late --mine 300us # when it is known
  run -0 "$ROOFLINE" reconcile
  has 'yours: 310.0 µs, 3.3 % more than measured'
  has 'yours: given with 2 predictions of it, of which entry 1 counts'
  has 'yours: given with another prediction of it, which does not count'
  has '2 re-predicted, 1 predicted after a measurement'
  has '  yours: nearer than the model in 1 of 2; off by 118.3 % (median), the model by'
  run -0 "$ROOFLINE" reconcile --json
  [ "$(json '[.guesses.count, .guesses.nearer, (.guesses.median_error * 1000 | round)]')" = '[2,1,1183]' ]
  [ "$(json '[.entries[].guesses]')" = '[2,1,1,0]' ]
  [ "$(json '.entries[2].mine_seconds')" = null ]
  run "$ROOFLINE" reconcile --strict
  [ "$status" -eq 1 ]
}

@test "a machine whose file has changed since is named, and is no doubt of what was sealed" {
  mkdir -p .config/roofline/machines
  machine box 989e12 3.35e12 >.config/roofline/machines/box.json
  machine=box seal k
  "$ROOFLINE" record k seconds=300us >/dev/null
  run -0 "$ROOFLINE" reconcile --json
  [ "$(json '.entries[0].machine_changed')" = false ]
  machine box 989e12 3e12 >.config/roofline/machines/box.json
  run -0 "$ROOFLINE" reconcile --strict
  has '  machine box: its file has changed since 1 prediction was sealed'
  run -0 "$ROOFLINE" reconcile --json
  [ "$(json '.entries[0].machine_changed')" = true ]
  rm .config/roofline/machines/box.json
  run -0 "$ROOFLINE" reconcile --json
  [ "$(json '.entries[0].machine_changed')" = null ]
}

@test "torn ends are counted by verify, and exit 1 with --strict" {
  seal one
  seal two
  truncate -s -2 roofline.ledger
  seal three
  run -0 "$ROOFLINE" ledger verify
  has 'intact: 2 entries, 2 predictions, 0 measurements, 1 after a torn end that was dropped'
  has 'torn ends kept: 1, in roofline.ledger.torn'
  run -0 "$ROOFLINE" ledger verify --json
  [ "$(json '[.torn, .torn_files]')" = '[1,1]' ]
  run "$ROOFLINE" ledger verify --strict
  [ "$status" -eq 1 ]
  has '--strict: 1 after a torn end that was dropped'
  head -1 roofline.ledger >other.ledger
  : >other.ledger.torn # of an append that failed after it
  run "$ROOFLINE" ledger verify --strict --ledger other.ledger
  [ "$status" -eq 1 ]
  has 'torn ends kept next to it: 1; entries tell of 0'
}
