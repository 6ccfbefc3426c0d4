#!/bin/sh
# Every public function's comment says units, ownership and errors, a line each, and that of every function pointer; every function a header
# declares is public; comments name what exists.
. "$(dirname "$0")/lib/lint.sh"

check() { # FOLDER OF HEADERS
  awk -f "$lib/comments.awk" "$1"/*.h >"$scratch/violations" || return 2
  cat "$scratch/violations"
  [ ! -s "$scratch/violations" ]
}

plant() { # TEXT OF A HEADER
  mkdir -p "$scratch/tree"
  printf '%b' "$1" >"$scratch/tree/a.h"
}

good='/** Adds.\n *  Units: s.\n *  Ownership: none.\n *  Errors: none. */\nROOF_API int f(void);\n'
plant "$good"
passes check "$scratch/tree"
plant "$good\nROOF_API int g(void);\n"
catches 'no `Units:`' check "$scratch/tree"
plant "$good\n/** Units: s. Errors: none. */\nROOF_API int g(void);\n"
catches 'no `Ownership:`' check "$scratch/tree"
plant "$good\n/** Units: s. Ownership: none. */\nROOF_API int g(void);\n"
catches 'no `Errors:`' check "$scratch/tree"
plant "$good\n/** Adds.\n *  Units: s. Ownership: none.\n *  Errors: none. */\nROOF_API int g(void);\n"
catches '`Ownership:` does not begin a line' check "$scratch/tree"
plant "$good\nint g(void);\n"
catches 'without ROOF_API' check "$scratch/tree"
plant "$good\ntypedef struct s {\n  /** Reads. */\n  int (*read)(int a);\n} s;\n"
catches 'no `Units:`' check "$scratch/tree"
plant "$good\n/** Reads. */\ntypedef int g(int a);\n"
catches 'no `Units:`' check "$scratch/tree"
plant "$good\n/** Start from roof_nothing_init, roof_some_*. */\nROOF_API extern int roof_some_thing;\n"
catches '`roof_nothing_init` is declared nowhere' check "$scratch/tree"
plant '#define NOTHING\n'
catches 'no ROOF_API' check "$scratch/tree"

check "$ROOFLINE_SOURCE/include/roofline" || fail "a public function's comment is incomplete"
echo "public comments: complete"
