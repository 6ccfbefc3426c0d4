#!/bin/sh
# Warnings in addition to those of every build, by gcc, over src: clean. Reads the code only: half a minute on two cores.
. "$(dirname "$0")/lib/lint.sh"
[ -d "$ROOFLINE_BUILD/generated" ] || skip "no $ROOFLINE_BUILD/generated: configure first"
command -v gcc >/dev/null || skip "gcc is not installed"

# A format that is a parameter is checked where its caller is (core/text.h): -Wformat=2 but for that.
check() { # ROOT
  find "$1/src" -name '*.c' | xargs -P 2 -n 20 gcc -std=c17 -D_GNU_SOURCE -DROOFLINE_VERSION='"0"' -fopenmp -fsyntax-only -I"$1/include" \
    -I"$1/src" -I"$ROOFLINE_BUILD/generated" $(pkg-config --cflags hwloc jansson 2>/dev/null) -Wall -Wextra -Wmissing-prototypes \
    -Wstrict-prototypes -Wcast-qual -Wformat=2 -Wno-format-nonliteral -Wvla -Wundef -Werror
}

mkdir -p "$scratch/tree/src"
plant() { printf '%s\n' "$1" >"$scratch/tree/src/a.c"; }
plant 'extern int a; int a = 1;'
passes check "$scratch/tree"
plant 'int f(void) { return 1; }'
catches 'missing-prototypes' check "$scratch/tree"
plant 'char *f(const char *x); char *f(const char *x) { return (char *)x; }'
catches 'cast-qual' check "$scratch/tree"
plant 'int f(int n); int f(int n) { char x[n]; x[0] = 1; return x[0]; }'
catches 'vla' check "$scratch/tree"

check "$ROOFLINE_SOURCE" || fail "the code has warnings"
echo "$(find "$ROOFLINE_SOURCE/src" -name '*.c' | wc -l) files: no warnings"
