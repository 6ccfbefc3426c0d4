#!/bin/sh
# Doxygen has nothing against the comments of the headers.
. "$(dirname "$0")/lib/lint.sh"
command -v doxygen >/dev/null || skip "no doxygen: apt install doxygen"

silent() { # FOLDER OF HEADERS
  { cat "$ROOFLINE_SOURCE/packaging/reference/Doxyfile"; printf '%s\n' "INPUT = $1" "OUTPUT_DIRECTORY = $scratch/reference" "GENERATE_HTML = NO" "GENERATE_XML = YES"; } |
    doxygen - >"$scratch/said" 2>&1 || return 2
  cat "$scratch/said"
  [ ! -s "$scratch/said" ]
}
silent "$ROOFLINE_SOURCE/include/roofline" || fail "doxygen warns"
found=$(find "$scratch/reference/xml" -name '*_8h.xml' | wc -l)
[ "$found" -eq "$(find "$ROOFLINE_SOURCE/include/roofline" -name '*.h' | wc -l)" ] || fail "doxygen read $found headers"
mkdir "$scratch/planted"
printf '/** Adds.\n *  @param z  is not there. */\nint f(int a);\n' >"$scratch/planted/a.h"
catches "argument 'z'" silent "$scratch/planted"
echo "$found headers without a warning"
