#!/bin/sh
# What `cmake --install` leaves is enough to build every program of examples/, shared and static, with pkg-config alone.
. "$(dirname "$0")/lib/lint.sh"
[ -f "$ROOFLINE_BUILD/libroofline.a" ] || skip "no $ROOFLINE_BUILD/libroofline.a: build first"
prefix=$scratch/prefix
DESTDIR=$prefix cmake --install "$ROOFLINE_BUILD" >/dev/null
pc=$(find "$prefix" -name roofline.pc)
[ -n "$pc" ] || fail "no roofline.pc was installed"
PKG_CONFIG_PATH=$(dirname "$pc") PKG_CONFIG_SYSROOT_DIR=$prefix
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR

compile() { # FILE OPTION...: builds FILE as $scratch/program
  file=$1
  shift
  # shellcheck disable=SC2046  # lists of flags
  cc -std=c17 -Wall -Wextra -Wpedantic -Werror "$file" -o "$scratch/program" $(pkg-config --cflags roofline) "$@"
}

runs() { # LIBRARY FOLDER
  LD_LIBRARY_PATH=$1 "$scratch/program" >"$scratch/answer" && [ -s "$scratch/answer" ]
}

lib=$(find "$prefix" -name libroofline.so -exec dirname {} \;)
printf '#include <roofline/nothing.h>\nint main(void) { return 0; }\n' >"$scratch/bad.c"
catches 'nothing.h' compile "$scratch/bad.c"

for example in "$ROOFLINE_SOURCE"/examples/*.c; do
  # shellcheck disable=SC2046  # lists of flags
  compile "$example" $(pkg-config --libs roofline) || fail "$(basename "$example") does not build against the shared library"
  runs "$lib" || fail "$(basename "$example") does not run with the shared library"
  cp "$scratch/answer" "$scratch/shared"
  # shellcheck disable=SC2046
  compile "$example" "$lib/libroofline.a" $(pkg-config --static --libs-only-l roofline | sed 's/-lroofline //') ||
    fail "$(basename "$example") does not build against the static library"
  runs /nonexistent || fail "$(basename "$example") does not run with the static library"
  cmp "$scratch/answer" "$scratch/shared" || fail "$(basename "$example") answers otherwise with the static library"
  cat "$scratch/answer"
done
