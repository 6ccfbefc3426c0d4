#!/bin/sh
# Answers per second of the predictor on one core: of the library, next to the C call of the same answers in the same run, and of the whole
# command over a pipe, reading and writing included. Goal: 100,000.
set -eu
cd "$(dirname "$0")/.."
build=${ROOFLINE_BUILD:-build/release}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
lines=500000

value() { awk -v key="$1" '$1 == key { print $2 }' "$scratch/rates"; }

row() { # WHAT RATE THE-C-CALL'S
  awk -v what="$1" -v rate="$2" -v call="$3" 'BEGIN {
    printf "%-34s %8.0f k/s  goal 100 k/s %6.2fx", what, rate / 1e3, rate / 1e5
    printf(call > 0 ? "  the C call %.1f M/s\n" : "\n", call / 1e6) }'
}

"$build/bench-predictor" >"$scratch/rates"
awk -v lines="$lines" 'BEGIN { for (i = 0; i < lines; i++)
  printf "{\"id\":%d,\"op\":\"gemm\",\"parameters\":{\"m\":%d,\"n\":4096,\"k\":4096},\"machine\":\"h100\",\"dtype\":\"fp16\"}\n", i, 1 + i % 8192 }' >"$scratch/requests"
# shellcheck disable=SC2016  # for the inner shell
seconds=$(bash -c 'TIMEFORMAT="%U %S"; time "$0" predictor <"$1" >"$2"' "$build/roofline" "$scratch/requests" "$scratch/replies" 2>&1 | awk '{ print $1 + $2 }')
[ "$(grep -c '"error":null' "$scratch/replies")" -eq "$lines" ] || { echo "predictor.sh: not all were answered" >&2; exit 3; }

row 'replies of operations' "$(value replies_per_second)" "$(value calls_per_second)"
row 'replies of steps of a model' "$(value step_replies_per_second)" "$(value step_calls_per_second)"
row 'the command, start to end' "$(awk -v n="$lines" -v s="$seconds" 'BEGIN { print n / s }')" 0
