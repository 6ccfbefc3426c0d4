#!/bin/sh
# Answers per second on one core, against goals: of Llama-3.1-70B (dense, 80 layers) over 8 devices a step of decoding, then all that
# `model` prints; then plans searched, 100,000 in 2 s. Prints a table with the ratio to the goal (over 1 is better).
set -eu
cd "$(dirname "$0")/.."
build=${ROOFLINE_BUILD:-build/release}
rates=$(mktemp)
trap 'rm -f "$rates"' EXIT

value() { awk -v key="$1" '$1 == key { print $2 }' "$rates"; }

# row KEY GOAL WHAT
row() {
  rate=$(value "$1_per_second")
  printf '%-44s %12.0f %12d %7sx %7s\n' "$3" "$rate" "$2" \
    "$(awk -v a="$rate" -v b="$2" 'BEGIN { printf "%.2f", a / b }')" "$(value "$1_spread")"
}

printf '%-44s %12s %12s %8s %7s\n' 'what' 'a second' 'goal' 'ratio' 'spread'
"$build/bench-model" >"$rates"
row decodes 200000 'a decoding step'
row answers 100000 'prefill, decoding, capacity and rates'
"$build/bench-plan" >"$rates"
row experts 50000 'plans searched, DeepSeek-V3 on 64'
row dense 50000 'plans searched, Llama-3.1-70B on 256'
