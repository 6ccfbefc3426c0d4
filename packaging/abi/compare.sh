#!/bin/sh
# What of the interface of the library changed between two trees of headers, where programs that were built with the old ones break: exit 1 and
# the changes.    compare.sh OLD NEW    (folders that hold roofline/*.h)
set -eu
here=$(dirname "$(realpath "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for side in old new; do
  awk -f "$here/stub.awk" "$1"/roofline/*.h >"$scratch/$side.c"
  ${CC:-cc} -std=c17 -g -shared -fPIC -w -Wl,-soname,libroofline.so -I"$1" "$scratch/$side.c" -o "$scratch/$side.so"
  shift
done
code=0
abidiff --no-added-syms "$scratch/old.so" "$scratch/new.so" >"$scratch/said" || code=$?
cat "$scratch/said"
# bits: 1 and 2 abidiff failed, 4 something changed, 8 incompatibly
[ $((code & 3)) -eq 0 ] || exit 2
[ "$code" -eq 0 ] || exit 1
