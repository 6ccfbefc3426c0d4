#!/bin/sh
# How fast and small: predictions per second, a million points to CSV, a process from start to end, the core's size.
# Prints a table with the ratio to each goal (over 1 is better than the goal) and to what the machine allows.
set -eu
cd "$(dirname "$0")/.."
build=${ROOFLINE_BUILD:-build/release}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

value() { awk -v key="$2" '$1 == key { print $2 }' "$1"; }

row() { # WHAT VALUE UNIT GOAL RATIO NOTE
  printf '%-28s %10s %-6s %12s %7sx  %s\n' "$@"
}

"$build/bench-predict" >"$scratch/rate"
"$build/bench-startup" 5 "$scratch/points.csv" "$build/roofline" sweep gemm m=1..1000 n=1..1000 k=4096 \
  --machine h100 --dtype fp16 --csv >"$scratch/sweep"
points=$(($(wc -l <"$scratch/points.csv") - 1))
[ "$points" -eq 1000000 ] || { echo "predict.sh: $points points, not 1000000" >&2; exit 3; }
"$build/bench-startup" 200 /dev/null "$build/roofline" predict gemm m=8192 n=28672 k=8192 \
  --machine h100 --dtype fp16 >"$scratch/process"
core=$(size "$build/libroofline_core.a" | awk 'NR > 1 { sum += $1 + $2 } END { print sum }')

rate=$(value "$scratch/rate" predictions_per_second)
effects=$(value "$scratch/rate" effects_per_second)
limit=$(value "$scratch/rate" limit_per_second)
sweep=$(value "$scratch/sweep" median_seconds)
process=$(value "$scratch/process" median_seconds)
least=$(value "$scratch/process" true_seconds)

printf '%-28s %10s %-6s %12s %8s\n' what value '' goal ratio
row 'gemm predictions, one core' "$(awk "BEGIN { printf \"%.1f\", $rate / 1e6 }")" M/s '>= 20 M/s' \
  "$(awk "BEGIN { printf \"%.2f\", $rate / 20e6 }")" \
  "$(awk "BEGIN { printf \"%.0f %% of the %.0f M/s at which one core writes that many results\", 100 * $rate / $limit, $limit / 1e6 }")"
row 'the same with all effects' "$(awk "BEGIN { printf \"%.1f\", $effects / 1e6 }")" M/s '>= 5 M/s' \
  "$(awk "BEGIN { printf \"%.2f\", $effects / 5e6 }")" 'tiles, waves and splits chosen for each'
row 'a million points to CSV' "$(awk "BEGIN { printf \"%.2f\", $sweep }")" s '< 2 s' \
  "$(awk "BEGIN { printf \"%.2f\", 2 / $sweep }")" "$(wc -c <"$scratch/points.csv" | awk '{ printf "%.0f MB", $1 / 1e6 }')"
row 'predict, start to end' "$(awk "BEGIN { printf \"%.2f\", $process * 1e3 }")" ms '< 5 ms' \
  "$(awk "BEGIN { printf \"%.2f\", 5e-3 / $process }")" \
  "$(awk "BEGIN { printf \"/bin/true takes %.2f ms\", $least * 1e3 }")"
row 'core without I/O' "$(awk "BEGIN { printf \"%.1f\", $core / 1e3 }")" kB '< 200 kB' \
  "$(awk "BEGIN { printf \"%.2f\", 200e3 / $core }")" 'code, constants and data of libroofline_core.a'
