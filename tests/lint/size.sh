#!/bin/sh
# The core without I/O (shapes, placement and figures of machines included) stays under 200 KB of object code, and functions stay
# short: median 15 lines, none over 60 (tables are not functions), kernels of accelerators included.
. "$(dirname "$0")/lib/lint.sh"

check_core() { # ARCHIVE LIMIT
  bytes=$(size "$1" | awk 'NR > 1 { sum += $1 + $2 } END { print sum + 0 }')
  echo "$(basename "$1"): $bytes bytes of code, constants and data (limit $2)"
  [ "$bytes" -gt 0 ] && [ "$bytes" -lt "$2" ]
}

check_functions() { # ROOT FOLDER...
  # shellcheck disable=SC2046  # a list of files
  awk -f "$lib/functions.awk" $(c_files "$@") $(find "$1/src" -name '*.cl' -o -name '*.cu' -o -name '*.cuh') | sort -n >"$scratch/lengths"
  awk '{ lines[NR] = $1; text[NR] = $0 }
    END {
      median = lines[int((NR + 1) / 2)]
      p95 = lines[int(NR * 0.95 + 0.999999)]
      printf "%d functions: median %d lines, 95th percentile %d, longest %s\n", NR, median, p95, text[NR]
      for (i = 1; i <= NR; i++) if (lines[i] > 60) { print "over 60 lines: " text[i]; bad = 1 }
      exit bad || NR == 0 || median > 15
    }' "$scratch/lengths"
}

plant() { # LINES [FILE]: a tree of one function of that length, in src/FILE
  rm -rf "$scratch/tree"
  mkdir -p "$scratch/tree/src"
  awk -v n="$1" 'BEGIN {
    print "static const int table[] = {"; for (i = 0; i < 200; i++) print "    1,"; print "};\n"
    print "static int f(int a,\n             int b) {"; for (i = 0; i < n - 3; i++) print "  a += b;"; print "}"
  }' >"$scratch/tree/src/${2-a.c}"
}

plant 15
passes check_functions "$scratch/tree" src
grep -q '^15 .*f$' "$scratch/lengths" || fail "self-test: 15 lines counted as $(cat "$scratch/lengths")"
plant 16
catches 'median 16' check_functions "$scratch/tree" src
plant 61
catches 'over 60 lines: 61' check_functions "$scratch/tree" src

plant 61 a.cl
catches 'a.cl:204 f' check_functions "$scratch/tree" src

check_functions "$ROOFLINE_SOURCE" src bench examples || fail "a function is too long, or too many are"
core=$ROOFLINE_BUILD/libroofline_core.a
[ -f "$core" ] || skip "no $core: build first"
catches 'limit 1' check_core "$core" 1
check_core "$core" 200000 || fail "the core is not under 200 KB"
