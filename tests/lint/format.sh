#!/bin/sh
# Every C file is as clang-format leaves it.
. "$(dirname "$0")/lib/lint.sh"
command -v clang-format >/dev/null || skip "clang-format is not installed"

check() { # ROOT
  # shellcheck disable=SC2046  # a list of files
  (cd "$1" && clang-format --dry-run -Werror $(c_files "$1" include src tests bench examples))
}

mkdir -p "$scratch/tree/src"
cp "$ROOFLINE_SOURCE/.clang-format" "$scratch/tree/"
printf 'int  f( void ){return 1;}\n' >"$scratch/tree/src/a.c"
catches 'Wclang-format-violations' check "$scratch/tree"
clang-format -i "$scratch/tree/src/a.c"
passes check "$scratch/tree"

check "$ROOFLINE_SOURCE" || fail "run clang-format -i on the files above"
echo "$(c_files "$ROOFLINE_SOURCE" include src tests bench examples | wc -l) C files: as clang-format leaves them"
