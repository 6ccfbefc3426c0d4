#!/bin/sh
# What marking a region costs: a begin and end pair recorded (goal: under 100 ns) and disabled, each against an empty
# call and two readings of the clock in the same process. Prints a table.
set -eu
cd "$(dirname "$0")/.."
build=${ROOFLINE_BUILD:-build/release}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
one_core=
command -v taskset >/dev/null && one_core='taskset -c 0'

value() { awk -v key="$2" '$1 == key { print $2 }' "$1"; }

env -u ROOFLINE_REGIONS $one_core "$build/bench-region" >"$scratch/disabled"
ROOFLINE_REGIONS=$scratch/regions.json $one_core "$build/bench-region" >"$scratch/recorded"
[ -s "$scratch/regions.json" ] || { echo "region.sh: nothing was recorded" >&2; exit 3; }

printf '%-16s %10s %10s %14s %12s\n' 'region pair' ns 'empty call' 'clock pair' 'ratio'
for state in recorded disabled; do
  pair=$(value "$scratch/$state" region_pair_ns)
  clock=$(value "$scratch/$state" clock_gettime_pair_ns)
  printf '%-16s %10.2f %10.2f %14.2f %11sx\n' "$state" "$pair" "$(value "$scratch/$state" empty_call_ns)" "$clock" \
    "$(awk "BEGIN { printf \"%.2f\", $clock / $pair }")"
done
awk "BEGIN { printf \"recorded: %.2fx of the goal of 100 ns\n\", 100 / $(value "$scratch/recorded" region_pair_ns) }"
