#!/bin/sh
# Every public header has a short example in its first comment, which compiles; the formats of Fortran's module are those of C.
. "$(dirname "$0")/lib/lint.sh"
include=$ROOFLINE_SOURCE/include/roofline

example_of() { # HEADER: its example as a program
  printf '#include <math.h>\n#include <stdio.h>\n#include <string.h>\n#include <roofline/roofline.h>\nint main(void) {\n'
  sed -n '/^ \*  Example:$/,/^ \*\/\|^ \*$\|\*\/$/{/Example:/d;s/ *\*\/$//;s/^ \*//;p}' "$1"
  printf 'return 0;\n}\n'
}

exemplary() { # HEADER; export.h has nothing to show
  [ "$(basename "$1")" != export.h ] || return 0
  grep -q '^ \*  Example:$' "$1" || {
    echo "$(basename "$1") has no example"
    return 1
  }
  example_of "$1" >"$scratch/example.c"
  ${CC:-cc} -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only "-I$ROOFLINE_SOURCE/include" "$scratch/example.c"
}

formats() { # FILE LINES: the formats in those lines, in order
  grep -E "$2" "$1" | grep -oiE 'roof_[a-z]+[0-9]+' | tr '[:upper:]' '[:lower:]'
}

printf '/** A thing. */\n' >"$scratch/bad.h"
catches 'bad.h has no example' exemplary "$scratch/bad.h"
printf '/** A thing.\n *\n *  Example:\n *    nothing(); */\n' >"$scratch/bad.h"
catches 'nothing' exemplary "$scratch/bad.h"
printf '/** A thing.\n *\n *  Example:\n *    puts(roof_version()); */\n' >"$scratch/good.h"
passes exemplary "$scratch/good.h"

for header in "$include"/*.h; do
  exemplary "$header" || fail "$(basename "$header") needs a short example that compiles"
done
formats "$include/dtype.h" '^  X\(ROOF_' >"$scratch/c"
formats "$include/region.f90" '^ *enumerator ::' >"$scratch/fortran"
cmp "$scratch/c" "$scratch/fortran" || fail "region.f90 has other formats than dtype.h"
echo "$(find "$include" -name '*.h' | wc -l) headers: each has an example that compiles"
