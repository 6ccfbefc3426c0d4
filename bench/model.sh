#!/bin/sh
# Whole-model answers per second on one core, against the goal of 200,000: Llama-3.1-70B (dense, 80 layers) over 8 devices.
# Then plans searched per second, against the goal of 50,000: 100,000 in 2 s.
# Prints a table with the ratio to the goal (over 1 is better).
set -eu
cd "$(dirname "$0")/.."
build=${ROOFLINE_BUILD:-build/release}
rates=$(mktemp)
trap 'rm -f "$rates"' EXIT
goal=200000

value() { awk -v key="$1" '$1 == key { print $2 }' "$rates"; }

"$build/bench-model" >"$rates"
printf '%-44s %12s %12s %8s %7s\n' 'what' 'a second' 'goal' 'ratio' 'spread'
for row in 'decodes:a decoding step' 'answers:prefill, decoding, capacity and rates'; do
  rate=$(value "${row%%:*}_per_second")
  printf '%-44s %12.0f %12d %7sx %7s\n' "${row#*:}" "$rate" "$goal" \
    "$(awk -v a="$rate" -v b="$goal" 'BEGIN { printf "%.2f", a / b }')" "$(value "${row%%:*}_spread")"
done
"$build/bench-plan" >"$rates"
goal=50000
for row in 'experts:plans searched, DeepSeek-V3 on 64' 'dense:plans searched, Llama-3.1-70B on 256'; do
  rate=$(value "${row%%:*}_per_second")
  printf '%-44s %12.0f %12d %7sx %7s\n' "${row#*:}" "$rate" "$goal" \
    "$(awk -v a="$rate" -v b="$goal" 'BEGIN { printf "%.2f", a / b }')" "$(value "${row%%:*}_spread")"
done
