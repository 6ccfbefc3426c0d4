#!/bin/sh
# Seconds of one core that a simulated service takes, and its memory: 100,000 and 1,000,000 requests of 500 tokens at an easy rate and at one
# near saturation. Prints a table with the ratio to the goals of 1 s and 10 s (over 1 is better); memory is the same for both numbers.
set -eu
cd "$(dirname "$0")/.."
build=${ROOFLINE_BUILD:-build/release}

# row REQUESTS RATE GOAL
row() {
  "$build/bench-service" "$1" "$2" | awk -v n="$1" -v rate="$2" -v goal="$3" '
    { value[$1] = $2 }
    END { printf "%9d %8s %9.3f s %6d s %7.1fx %8.1f MB\n", n, rate, value["seconds"], goal, goal / value["seconds"], value["megabytes"] }'
}

printf '%9s %8s %11s %8s %8s %11s\n' requests rate time goal ratio memory
row 100000 1 1
row 100000 12 1
row 1000000 1 10
row 1000000 12 10
