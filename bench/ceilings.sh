#!/bin/sh
# Ceilings of one core compared with what the installed peers reach: likwid-bench, STREAM, mbw, and the libraries that `measure`
# runs. A round is both once, under 90 s; the table is of the medians of all rounds.
#   bench/ceilings.sh                     ROUNDS (5) rounds, then the table
#   bench/ceilings.sh round FOLDER        one more round, its results kept in FOLDER
#   bench/ceilings.sh table FOLDER [DOC]  the table; in DOC between the two `ceilings` marks
set -eu
case ${2-} in '' | /*) folder=${2-} ;; *) folder=$PWD/$2 ;; esac
case ${3-} in '' | /*) document=${3-} ;; *) document=$PWD/$3 ;; esac
cd "$(dirname "$0")/.."
. bench/lib.sh
build=${ROOFLINE_BUILD:-build/release}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# name | figure | its limit | likwid-bench's loops | size | passes over it, long enough for some 0.2 s
cat >"$scratch/rows" <<'END'
fp64 peak|P fp64 flops_per_second|P fp64 limit_flops_per_second|peakflops_avx_fma peakflops_avx512_fma|16kB|300000
fp32 peak|P fp32 flops_per_second|P fp32 limit_flops_per_second|peakflops_sp_avx_fma peakflops_sp_avx512_fma|16kB|300000
L1 read|L L1 read_bytes_per_second|L L1 limit_bytes_per_second|load_avx load_avx512|16kB|2000000
L1 write|L L1 write_bytes_per_second|L L1 write_limit_bytes_per_second|store_avx store_avx512|16kB|2000000
L1 copy|L L1 copy_bytes_per_second|L L1 copy_limit_bytes_per_second|copy_avx copy_avx512|16kB|2000000
L1 update|L L1 update_bytes_per_second|L L1 update_limit_bytes_per_second|update_avx update_avx512|16kB|2000000
L1 triad|L L1 triad_bytes_per_second|L L1 triad_limit_bytes_per_second|stream_avx_fma stream_avx512_fma|16kB|2000000
L2 read|L L2 read_bytes_per_second|L L2 limit_bytes_per_second|load_avx load_avx512|512kB|60000
L2 write|L L2 write_bytes_per_second|L L2 write_limit_bytes_per_second|store_avx store_avx512|512kB|20000
L2 copy|L L2 copy_bytes_per_second|L L2 copy_limit_bytes_per_second|copy_avx copy_avx512|512kB|40000
L2 triad|L L2 triad_bytes_per_second|L L2 triad_limit_bytes_per_second|stream_avx_fma stream_avx512_fma|512kB|40000
L3 read|L L3 read_bytes_per_second|L L3 limit_bytes_per_second|load_avx load_avx512|8MB|400
L3 copy|L L3 copy_bytes_per_second|L L3 copy_limit_bytes_per_second|copy_avx copy_avx512|8MB|400
DRAM read|L DRAM read_bytes_per_second|L DRAM limit_bytes_per_second|load_avx load_avx512|1GB|4
DRAM write|L DRAM write_bytes_per_second|L DRAM write_limit_bytes_per_second|store_mem_avx store_mem_avx512|1GB|4
DRAM copy|L DRAM copy_bytes_per_second|L DRAM copy_limit_bytes_per_second|copy_mem_avx copy_mem_avx512|1GB|4
DRAM update|L DRAM update_bytes_per_second|L DRAM update_limit_bytes_per_second|update_avx update_avx512|1GB|4
DRAM triad|L DRAM triad_bytes_per_second|L DRAM triad_limit_bytes_per_second|stream_mem_avx_fma stream_mem_avx512|1GB|4
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

likwid() { # TEST SIZE PASSES: bytes/s or FLOP/s
  likwid-bench -t "$1" -w "S0:$2:1" -i "$3" 2>/dev/null |
    awk -v flops="$(echo "$1" | grep -c peakflops)" '
      (flops && $1 == "MFlops/s:") || (!flops && $1 == "MByte/s:") { if ($2 > 0) printf "%.0f\n", $2 * 1e6 }'
}

ours() { # MACHINE
  "$build/roofline" measure --threads 1 --quiet --to "$1" >/dev/null
  while IFS='|' read -r name value limit _ _ _; do
    measured=$(figure "$1" "$value")
    most=$(figure "$1" "$limit")
    keep "$name" ours roofline "$measured"
    [ -z "$measured" ] || [ -z "$most" ] || keep "$name" share limit "$(awk "BEGIN { print $measured / $most }")"
  done <"$scratch/rows"
  jq -r '.libraries[] | select(.flops_per_second != null and (.dtype == "fp64" or .dtype == "fp32"))
    | "\(.dtype) peak|peer|\(.name) gemm|\(.flops_per_second)"' "$1" >>"$scratch/results"
}

peers() {
  if has likwid-bench; then
    while IFS='|' read -r name _ _ tests size passes; do
      for test in $tests; do
        keep "$name" peer "likwid-bench $test" "$(likwid "$test" "$size" "$passes" </dev/null)"
      done
    done <"$scratch/rows"
  fi
  if has stream; then
    OMP_NUM_THREADS=1 stream | awk '
      $1 == "Copy:" { printf "DRAM copy|peer|STREAM|%.0f\n", $2 * 1e6 }
      $1 == "Triad:" { printf "DRAM triad|peer|STREAM|%.0f\n", $2 * 1e6 }' >>"$scratch/results"
  fi
  if has mbw; then # counts a byte copied once
    keep 'DRAM copy' peer mbw "$(mbw -n 3 -t1 256 | awk '$3 == "DUMB" { if ($(NF - 1) > best) best = $(NF - 1) }
      END { if (best > 0) printf "%.0f\n", 2 * best * 1048576 }')"
  fi
}

round() { # FOLDER: who begins alternates
  mkdir -p "$1"
  number=1
  while [ -e "$1/$number.results" ]; do number=$((number + 1)); done
  : >"$scratch/results"
  if [ $((number % 2)) -eq 1 ]; then
    ours "$1/$number.json"
    peers
  else
    peers
    ours "$1/$number.json"
  fi
  cp "$scratch/results" "$1/$number.results"
  echo "round $number: $1/$number.results"
}

table() { # FOLDER
  set -- "$1" "$(find "$1" -name '*.results' 2>/dev/null | wc -l)"
  [ "$2" -gt 0 ] || { echo "$0: $1: no round is there: $0 round $1" >&2 && exit 2; }
  last=$(find "$1" -name '*.json' | sort | tail -1)
  printf '* %s; roofline %s; %s; rounds: %s, of which the medians\n' "$(processor)" \
    "$("$build/roofline" --version | cut -d' ' -f2)" "$(jq -r .date "$last")" "$2"
  has likwid-bench && printf '* likwid-bench %s, %s\n' "$(likwid-bench -h 2>&1 | sed -n 's/.*Version *//p' | tr -d '-' | tr -d ' ')" \
    "$(jq -r '[.libraries[] | select(.flops_per_second != null) | "\(.name) \(.version | split(" ")[0])"] | unique | join(", ")' "$last")"
  printf '\n| ceiling, one core | roofline | of its limit | best peer | | ours / peer |\n|---|---|---|---|---|---|\n'
  cat "$1"/*.results | awk -F'|' -v rows_file="$scratch/rows" '
    function median(values,    list, count, i, j, t) {
      count = split(values, list, " ")
      for (i = 2; i <= count; i++)
        for (j = i; j > 1 && list[j - 1] + 0 > list[j] + 0; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
      return count % 2 ? list[(count + 1) / 2] : (list[count / 2] + list[count / 2 + 1]) / 2
    }
    BEGIN { while ((getline line < rows_file) > 0) { split(line, part, "|"); order[++rows] = part[1] } }
    { all[$1 "|" $2 "|" $3] = all[$1 "|" $2 "|" $3] " " $4 }
    END {
      for (key in all) {
        split(key, part, "|")
        value = median(all[key])
        if (value > best[part[1] part[2]] + 0) { best[part[1] part[2]] = value; tool[part[1] part[2]] = part[3] }
      }
      for (i = 1; i <= rows; i++) {
        n = order[i]
        unit = n ~ /peak/ ? "GFLOP/s" : "GB/s"
        ours = best[n "ours"]; peer = best[n "peer"]; share = best[n "share"]
        if (!(ours > 0)) continue
        limit = "-"; other = "-"; ratio = "-"
        if (share > 0) limit = sprintf("%.1f %%", 100 * share)
        if (peer > 0) { other = sprintf("%.1f %s", peer / 1e9, unit); ratio = sprintf("%.2f", ours / peer) }
        print "| " n " | " sprintf("%.1f %s", ours / 1e9, unit) " | " limit " | " other " | " tool[n "peer"] " | " ratio " |"
      }
    }'
}

write() { # FOLDER [DOCUMENT]
  table "$1" >"$scratch/table"
  cat "$scratch/table"
  [ $# -gt 1 ] || return 0
  put_here ceilings "$scratch/table" "$2"
}

case ${1-} in
round) round "${folder:?a folder}" ;;
table) write "${folder:?a folder}" ${document:+"$document"} ;;
'')
  rounds=0
  while [ "$rounds" -lt "${ROUNDS:-5}" ]; do
    round "$scratch/rounds" >&2
    rounds=$((rounds + 1))
  done
  write "$scratch/rounds"
  ;;
*) echo "$0: $1: round FOLDER or table FOLDER [DOCUMENT]" >&2 && exit 2 ;;
esac
