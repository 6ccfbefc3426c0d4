#!/bin/sh
# Names: the library defines rf_ and roof_ alone, the program cli_ and main. All headers compile together, in one order and
# in the other, so that no name means two things.
. "$(dirname "$0")/lib/lint.sh"

# names PATTERN FILE...: every global symbol that the files define and that does not match.
names() {
  pattern=$1
  shift
  nm -g --defined-only "$@" 2>/dev/null >"$scratch/symbols" || return 2
  awk -v pattern="$pattern" 'NF == 3 && $3 !~ pattern { print "global symbol " $3; bad = 1 } NF == 3 { n++ } END { exit bad || !n }' \
    "$scratch/symbols"
}

# headers ROOT: public ones, then private ones but those of the program, those written to be included several times (no guard)
# and those of CUDA.
headers() {
  (cd "$1" && find include -name '*.h' ! -name roofline.h | sort && find src -name '*.h' ! -path 'src/cli/*' ! -path 'src/kernels/cuda/*' -exec \
    grep -l '^#define [A-Z0-9_]*_H$' {} + | sort)
}

together() { # ROOT
  headers "$1" | sed 's/^[a-z]*\//#include "/; s/$/"/' >"$scratch/forth.c"
  sed '1!G;h;$!d' "$scratch/forth.c" >"$scratch/back.c"
  for order in forth back; do
    ${CC:-cc} -std=c17 -D_GNU_SOURCE -fopenmp -fsyntax-only -I"$1/include" -I"$1/src" -I"$ROOFLINE_BUILD/generated" "$scratch/$order.c" || return 1
  done
}

mkdir -p "$scratch/tree/include/roofline" "$scratch/tree/src/a"
printf 'int rf_a(void) { return 0; }\nint b(void) { return 0; }\n' >"$scratch/planted.c"
${CC:-cc} -c "$scratch/planted.c" -o "$scratch/planted.o"
catches 'global symbol b' names '^(rf_|roof_)' "$scratch/planted.o"
passes names '^(rf_|b$)' "$scratch/planted.o"
printf '#ifndef A_H\n#define A_H\nenum { ROOF_A };\n#endif\n' >"$scratch/tree/include/roofline/a.h"
passes together "$scratch/tree"
printf '#ifndef B_H\n#define B_H\nenum { ROOF_A };\n#endif\n' >"$scratch/tree/src/a/b.h"
catches 'ROOF_A' together "$scratch/tree"

together "$ROOFLINE_SOURCE" || fail "headers that cannot be used together"
library=$ROOFLINE_BUILD/libroofline.a
[ -f "$library" ] || skip "no $library: build first"
names '^(rf_|roof_)' "$library" || fail "the library defines a name without rf_ or roof_"
objects=$(cd "$ROOFLINE_SOURCE/src/cli" && find . -name '*.c' | sed "s|^\./|$ROOFLINE_BUILD/CMakeFiles/roofline.dir/src/cli/|; s|\$|.o|")
# shellcheck disable=SC2086  # a list of files
names '^(cli_|main$)' $objects || fail "the program defines a name without cli_"
echo "names: rf_, roof_ and cli_ alone; $(headers "$ROOFLINE_SOURCE" | wc -l) headers compile together"
