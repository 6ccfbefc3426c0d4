#!/bin/sh
# Numbers are read and written in one way, whatever the locale: by core/number.c (rules in lib/numbers.awk).
. "$(dirname "$0")/lib/lint.sh"

check() { # ROOT
  # shellcheck disable=SC2046  # a list of files
  awk -f "$lib/code.awk" -f "$lib/numbers.awk" $(c_files "$1" src) >"$scratch/violations" || return 2
  cat "$scratch/violations"
  [ ! -s "$scratch/violations" ]
}

plant() { # TEXT
  mkdir -p "$scratch/tree/src"
  printf '%b' "$1" >"$scratch/tree/src/a.c"
}

plant 'x = roof_number_read(s, n, &y);\nrf_format(b, n, "%.1f", y);\nsnprintf(b, n, "%.0f %d 5 %%f", y, 1);\n'
passes check "$scratch/tree"
plant 'x = strtod(s, NULL);\n'
catches 'src/a.c:1: reads a number' check "$scratch/tree"
plant '\nsnprintf(b, f(n),\n         "%s %.3g", s, y);\n'
catches 'src/a.c:3: %e, %f or %g' check "$scratch/tree"
plant 'sscanf(s, "%lf", &y);\n'
catches 'sscanf of a number' check "$scratch/tree"
plant 'fscanf(f, "%lf", &y);\n'
catches 'sscanf of a number' check "$scratch/tree"
plant 'vsnprintf(b, n, format, arguments);\n'
catches 'what a caller formats' check "$scratch/tree"
plant 'same = strcasecmp(a, b) == 0;\n'
catches 'compares letters' check "$scratch/tree"
plant 'setlocale(LC_ALL, "");\n'
catches 'core/number.c alone' check "$scratch/tree"

check "$ROOFLINE_SOURCE" || fail "a number follows the locale"
echo "numbers: read and written in one place"
