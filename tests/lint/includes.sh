#!/bin/sh
# Which room may include which (ARCHITECTURE.md), over every #include of src/, include/, web/ and examples/; and that core and ops
# touch no file, print nothing, never exit and do not allocate while predicting. The rules are in lib/includes.awk.
. "$(dirname "$0")/lib/lint.sh"

# gathered ROOT: every public header that roofline.h does not include.
gathered() {
  all=$1/include/roofline/roofline.h
  [ ! -f "$all" ] || for header in "$1"/include/roofline/*.h; do
    name=roofline/$(basename "$header")
    case $name in roofline/roofline.h | roofline/export.h) continue ;; esac
    grep -q "^#include \"$name\"" "$all" || echo "$name: not in roofline.h"
  done
}

check() { # ROOT
  files=$(c_files "$1" include src examples web | sed "s|^$1/||")
  # shellcheck disable=SC2086  # a list of files
  (cd "$1" && awk -f "$lib/code.awk" -f "$lib/includes.awk" $files) >"$scratch/violations" || return 2
  gathered "$1" >>"$scratch/violations"
  cat "$scratch/violations"
  [ ! -s "$scratch/violations" ]
}

# plant FILE LINE TEXT: a tree with only that line is refused, with TEXT.
plant() {
  rm -rf "$scratch/tree"
  mkdir -p "$scratch/tree/$(dirname "$1")"
  printf '%s\n' "$2" >"$scratch/tree/$1"
  if [ -n "$3" ]; then
    catches "$3" check "$scratch/tree"
  else
    passes check "$scratch/tree"
  fi
}

plant src/core/a.c '#include "ops/ops.h"' '`core` may not include `ops`'
plant src/core/a.c '#include "roofline/catalog.h"' '`core` may not include `catalog`'
plant src/ops/a.c '#include <unistd.h>' '<unistd.h> in ops'
plant src/ledger/a.c '#include "roofline/draw.h"' '`ledger` may not include `draw`'
plant src/draw/deep/a.c '#include "cli/cli.h"' '`draw` may not include `cli`'
plant src/kernels/a.c '#include "measure/sampler.h"' '`kernels` may not include `measure`'
plant src/cli/a.c '#include "roofline/roofline.h"' 'for programs outside'
plant src/ops/a.c '#include "ops.h"' 'is included as'
plant src/core/a.c '#include "registry/ops.inc"' '`core` may not include `ops`'
plant src/draw/a.c '#include <dlfcn.h>' 'shared libraries are loaded by host/library.h'
plant src/host/a.c '#include <dlfcn.h>' ''
plant src/attic/a.c 'int x;' 'room `attic` is not'
plant src/cli/a.c '#include "roofline/new.h"' 'has no room'
plant include/roofline/op.h '#include "roofline/ops.h"' '`core` may not include `ops`'
plant include/roofline/ops.h '#include "ops/ops.h"' 'a public header includes only'
plant web/wasm/a.c '#include "roofline/measure.h"' '`web` may not include `measure`'
plant examples/a.c '#include "core/x.h"' 'an example uses only'
plant src/core/predict.c '  x = malloc(8);' 'allocates outside'
plant src/ops/blas.c '  fprintf(stderr, "x");' 'touches a file'
plant src/core/a.c '  exit(1);' 'touches a file'
plant src/core/text.c '  data = realloc(data, 8); /* exit(1) */ f("printf(");' ''
plant src/measure/cpu/a.c '#include "roofline/kernels.h"' ''
plant examples/a.c '#include "roofline/roofline.h"' ''

plant include/roofline/roofline.h '#include "roofline/op.h"' ''
printf '\n' >"$scratch/tree/include/roofline/ops.h"
catches 'roofline/ops.h: not in roofline.h' check "$scratch/tree"

check "$ROOFLINE_SOURCE" || fail "an #include or a call breaks the rules of the house"
echo "rooms include only what they may"
