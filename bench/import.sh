#!/bin/sh
# How fast a trace of PyTorch's profiler is imported, in how much memory, and how that compares with Python's json reading a smaller
# one in the same run, in turn. Usage: import.sh [MB of the trace, default 1000] [MB for Python, default 100].
set -eu
cd "$(dirname "$0")/.."
build=${ROOFLINE_BUILD:-build/release}
large=${1:-1000} small=${2:-100}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

value() { awk -v key="$2" '$1 == key { print $2 }' "$1"; }

"$build/bench-import" write "${large}000000" "$scratch/large.json" >"$scratch/large"
"$build/bench-import" write "${small}000000" "$scratch/small.json" >"$scratch/small"
"$build/bench-import" names 400000 "$scratch/names.json" >"$scratch/names"
cat "$scratch"/*.json >/dev/null # from memory, not from the disk

for round in 1 2 3; do
  "$build/bench-import" read "$scratch/large.json" >"$scratch/large.$round"
  "$build/bench-import" read "$scratch/small.json" >"$scratch/small.$round"
  python3 -c 'import json, sys, time
start = time.perf_counter()
json.load(open(sys.argv[1]))
print("seconds", time.perf_counter() - start)' "$scratch/small.json" >"$scratch/python.$round"
done
"$build/bench-import" read "$scratch/names.json" >"$scratch/names.1"
[ "$(value "$scratch/names" kernels)" = "$(value "$scratch/names.1" kernels)" ] || { echo "import.sh: kernels are lost" >&2; exit 3; }
[ "$(value "$scratch/large" kernels)" = "$(value "$scratch/large.1" kernels)" ] || { echo "import.sh: kernels are lost" >&2; exit 3; }

median() { # KEY FILE...
  key=$1
  shift
  awk -v key="$key" '$1 == key { print $2 }' "$@" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
rate=$(median megabytes_per_second "$scratch"/large.?)
memory=$(median memory_bytes "$scratch"/large.?)
kernels=$(value "$scratch/large" kernels)
ours=$(median seconds "$scratch"/small.?)
python=$(median seconds "$scratch"/python.?)

row() { printf '%-34s %10s %-6s %12s %7sx  %s\n' "$@"; }
printf '%-34s %10s %-6s %12s %8s\n' what value '' goal ratio
row "a plain trace of $large MB" "$rate" MB/s '>= 350 MB/s' "$(awk "BEGIN { printf \"%.2f\", $rate / 350 }")" "$kernels kernels"
row "memory for it" "$(awk "BEGIN { printf \"%.1f\", $memory / 1e6 }")" MB '-' - \
  "$(awk "BEGIN { printf \"%.0f B per kernel with its launch and operators\", $memory / $kernels }")"
memory=$(value "$scratch/names.1" memory_bytes) kernels=$(value "$scratch/names.1" kernels)
row "memory for $kernels names" "$(awk "BEGIN { printf \"%.1f\", $memory / 1e6 }")" MB '<= 400 MB' "$(awk "BEGIN { printf \"%.2f\", 4e8 / $memory }")" \
  "$(awk "BEGIN { printf \"%.0f B per kernel, each of its own name\", $memory / $kernels }")"
row "python3's json.load, $small MB" "$(awk "BEGIN { printf \"%.2f\", $python }")" s '-' - "ours $ours s"
row "speed of python3's json" "$(awk "BEGIN { printf \"%.1f\", $python / $ours }")" times '>= 8' \
  "$(awk "BEGIN { printf \"%.2f\", $python / $ours / 8 }")" 'same file, same run, in turn, medians of 3'
