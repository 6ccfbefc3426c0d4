#!/bin/sh
# Ceilings of one core beside what the installed peers reach (likwid-bench, mbw, the BLAS library), alternating, best
# of ROUNDS rounds. Prints a table; with a document, writes it there between the two `ceilings` marks.
set -eu
cd "$(dirname "$0")/.."
build=${ROOFLINE_BUILD:-build/release}
rounds=${ROUNDS:-5}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# name | figure | its limit | likwid-bench's loops | bytes
cat >"$scratch/rows" <<'END'
fp64 peak|P fp64 flops_per_second|P fp64 limit_flops_per_second|peakflops_avx_fma peakflops_avx512_fma|16kB
fp32 peak|P fp32 flops_per_second|P fp32 limit_flops_per_second|peakflops_sp_avx_fma peakflops_sp_avx512_fma|16kB
L1 read|L L1 read_bytes_per_second|L L1 limit_bytes_per_second|load_avx load_avx512|16kB
L1 write|L L1 write_bytes_per_second|L L1 write_limit_bytes_per_second|store_avx store_avx512|16kB
L1 copy|L L1 copy_bytes_per_second|L L1 copy_limit_bytes_per_second|copy_avx copy_avx512|16kB
L1 triad|L L1 triad_bytes_per_second|L L1 triad_limit_bytes_per_second|stream_avx_fma stream_avx512_fma|16kB
L2 read|L L2 read_bytes_per_second|L L2 limit_bytes_per_second|load_avx load_avx512|1MB
L2 copy|L L2 copy_bytes_per_second|L L2 copy_limit_bytes_per_second|copy_avx copy_avx512|1MB
DRAM read|L DRAM read_bytes_per_second|L DRAM limit_bytes_per_second|load_avx load_avx512|1GB
DRAM write|L DRAM write_bytes_per_second|L DRAM write_limit_bytes_per_second|store_mem_avx store_mem_avx512|1GB
DRAM copy|L DRAM copy_bytes_per_second|L DRAM copy_limit_bytes_per_second|copy_mem_avx copy_mem_avx512|1GB
DRAM triad|L DRAM triad_bytes_per_second|L DRAM triad_limit_bytes_per_second|stream_mem_avx_fma stream_mem_avx512|1GB
END

has() { command -v "$1" >/dev/null 2>&1; }

figure() { # FILE "P dtype key" | "L name key": the figure in the machine file, or nothing
  jq -r --arg what "$2" '($what | split(" ")) as [$kind, $name, $key]
    | if $kind == "P" then [.peaks[] | select(.dtype == $name and .unit == "vector" and (.mixed | not))] | max_by(.flops_per_second)
      else [.levels[] | select(.name == $name)][0] end | .[$key] // empty' "$1"
}

keep() { # NAME COLUMN TOOL VALUE
  [ -z "$4" ] || printf '%s|%s|%s|%s\n' "$1" "$2" "$3" "$4" >>"$scratch/results"
}

likwid() { # TEST BYTES: bytes/s or FLOP/s
  likwid-bench -t "$1" -w "S0:$2:1" 2>/dev/null |
    awk -v flops="$(echo "$1" | grep -c peakflops)" '
      (flops && $1 == "MFlops/s:") || (!flops && $1 == "MByte/s:") { if ($2 > 0) printf "%.0f\n", $2 * 1e6 }'
}

ours() {
  "$build/roofline" measure --threads 1 --quiet --to "$scratch/machine.json" >/dev/null
  while IFS='|' read -r name value limit _ _; do
    keep "$name" ours roofline "$(figure "$scratch/machine.json" "$value")"
    share=$(figure "$scratch/machine.json" "$limit")
    [ -z "$share" ] ||
      keep "$name" share limit "$(awk "BEGIN { print $(figure "$scratch/machine.json" "$value") / $share }")"
  done <"$scratch/rows"
}

peers() {
  if has likwid-bench; then
    while IFS='|' read -r name _ _ tests bytes; do
      for test in $tests; do
        keep "$name" peer "likwid-bench $test" "$(likwid "$test" "$bytes" </dev/null)"
      done
    done <"$scratch/rows"
  fi
  if has mbw; then # counts a byte copied once
    keep 'DRAM copy' peer mbw "$(mbw -n 5 -t1 256 | awk '$3 == "DUMB" { if ($(NF - 1) > best) best = $(NF - 1) }
      END { if (best > 0) printf "%.0f\n", 2 * best * 1048576 }')"
  fi
  for dtype in fp64 fp32; do
    keep "$dtype peak" peer "$("$build/roofline" run --list --json | jq -r '.kernels[] | select(.name == "gemm-blas") | .library // "BLAS"') gemm" \
      "$("$build/roofline" run gemm-blas m=2048 n=2048 k=2048 --dtype "$dtype" --threads 1 --quick --json 2>/dev/null |
        jq -r --arg dtype "$dtype" '.kernels[0] | if . then .flops[$dtype] / .seconds else empty end')"
  done
}

table() {
  printf '* %s; roofline %s; %s; rounds: %s\n\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" \
    "$("$build/roofline" --version | cut -d' ' -f2)" "$(date -u +%F)" "$rounds"
  echo '| ceiling, one core | roofline | of its limit | best peer | | ours / peer |'
  echo '|---|---|---|---|---|---|'
  awk -F'|' '
    FNR == NR { order[++rows] = $1; next }
    $4 + 0 > best[$1 $2] + 0 { best[$1 $2] = $4; tool[$1 $2] = $3 }
    END {
      for (i = 1; i <= rows; i++) {
        n = order[i]
        unit = n ~ /peak/ ? "GFLOP/s" : "GB/s"
        ours = best[n "ours"]; peer = best[n "peer"]; share = best[n "share"]
        limit = "-"; other = "-"; ratio = "-"
        if (share > 0) limit = sprintf("%.1f %%", 100 * share)
        if (peer > 0) { other = sprintf("%.1f %s", peer / 1e9, unit); ratio = sprintf("%.2f", ours / peer) }
        print "| " n " | " sprintf("%.1f %s", ours / 1e9, unit) " | " limit " | " other " | " tool[n "peer"] " | " ratio " |"
      }
    }' "$scratch/rows" "$scratch/results"
}

: >"$scratch/results"
round=0
while [ "$round" -lt "$rounds" ]; do
  ours
  peers
  round=$((round + 1))
done
table >"$scratch/table"
cat "$scratch/table"
if [ $# -gt 0 ]; then
  awk -v table="$scratch/table" '
    /<!-- ceilings -->/ { print; while ((getline line < table) > 0) print line; skip = 1; next }
    /<!-- end of ceilings -->/ { skip = 0 }
    !skip' "$1" >"$scratch/document"
  cat "$scratch/document" >"$1"
fi
