#!/bin/sh
# Programs built with the last release run with this library: its interface is the same, but for what was added, or its soname is another.
. "$(dirname "$0")/lib/lint.sh"
command -v abidiff >/dev/null || skip "no abidiff: apt install abigail-tools"

compatible() { # OLD NEW
  sh "$ROOFLINE_SOURCE/packaging/abi/compare.sh" "$1" "$2"
}
planted() { # SED SCRIPT: the headers with this change
  rm -rf "$scratch/planted"
  mkdir -p "$scratch/planted"
  cp -r "$ROOFLINE_SOURCE/include/roofline" "$scratch/planted/"
  sed -i "$1" "$scratch/planted/roofline/units.h"
}
planted 's/ROOF_API char \*roof_bytes_format(char \*buffer, size_t size, double bytes);/& ROOF_API int roof_planted(int a);/'
passes compatible "$ROOFLINE_SOURCE/include" "$scratch/planted"
planted 's/roof_bytes_format(char \*buffer, size_t size, double bytes)/roof_bytes_format(char *buffer, size_t size, float bytes)/'
catches 'roof_bytes_format' compatible "$ROOFLINE_SOURCE/include" "$scratch/planted"

tag=$(git -C "$ROOFLINE_SOURCE" describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null) || skip "no release is tagged yet: nothing to compare with"
mkdir "$scratch/tagged"
git -C "$ROOFLINE_SOURCE" archive "$tag" include | tar -x -C "$scratch/tagged"
soname() { sed -n 's/^#define ROOF_SOVERSION \([0-9]*\)/\1/p' "$1/roofline/version.h"; }
if [ "$(soname "$scratch/tagged/include")" != "$(soname "$ROOFLINE_SOURCE/include")" ]; then
  echo "another soname than that of $tag: programs are built anew"
  exit 0
fi
compatible "$scratch/tagged/include" "$ROOFLINE_SOURCE/include" || fail "programs built with $tag break"
echo "compatible with $tag"
