#!/bin/sh
# What `cmake --install` leaves is enough to build every program of examples/, shared and static, with pkg-config alone,
# and every header compiles by itself, as C and as C++.
. "$(dirname "$0")/lib/lint.sh"
[ -f "$ROOFLINE_BUILD/libroofline.a" ] || skip "no $ROOFLINE_BUILD/libroofline.a: build first"
prefix=$scratch/prefix
cmake --install "$ROOFLINE_BUILD" --prefix "$prefix" >/dev/null
pc=$(find "$prefix" -name roofline.pc)
[ -n "$pc" ] || fail "no roofline.pc was installed"
book=$(find "$prefix" -path '*/docs/index.md')
[ -n "$book" ] || fail "the book was not installed"
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH

compile() { # FILE OPTION...: builds FILE as $scratch/program
  file=$1
  shift
  case $file in
  *.cc) compiler='c++ -std=c++17 -Wpedantic' ;;
  *.f90) compiler="gfortran -std=f2008 -J $scratch $include/region.f90" ;;
  *) compiler='cc -std=c17 -Wpedantic -Wmissing-prototypes -Wcast-qual' ;;
  esac
  # shellcheck disable=SC2046,SC2086  # lists of flags
  $compiler -Wall -Wextra -Wformat=2 -Wnull-dereference -Werror "$file" -o "$scratch/program" $(pkg-config --cflags roofline) "$@"
}

runs() { # LIBRARY FOLDER
  (cd "$scratch/work" && LD_LIBRARY_PATH=$1 "$scratch/program") >"$scratch/answer" && [ -s "$scratch/answer" ]
}

alone() { # HEADER
  # shellcheck disable=SC2046  # a list of flags
  printf '#include <roofline/%s>\nint unused;\n' "$(basename "$1")" | tee "$scratch/alone.cpp" >"$scratch/alone.c"
  for compiler in "cc -std=c17 $scratch/alone.c" "c++ -std=c++17 $scratch/alone.cpp"; do
    $compiler -fsyntax-only -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags roofline) || return 1
  done
}

lib=$(find "$prefix" -name libroofline.so -exec dirname {} \;)
include=$(find "$prefix" -type d -name roofline -path '*include*')
printf '#include <roofline/nothing.h>\nint main(void) { return 0; }\n' >"$scratch/bad.c"
catches 'nothing.h' compile "$scratch/bad.c"

printf 'typedef roof_status missing;\n' >"$include/bad.h"
catches 'roof_status' alone bad.h
rm "$include/bad.h"
for header in "$include"/*.h; do
  alone "$header" || fail "$(basename "$header") does not compile by itself"
done
echo "$(find "$include" -name '*.h' | wc -l) headers: each compiles by itself, as C and as C++"

# loads PROGRAM: the libraries that it loads, without the loader and what the kernel maps.
loads() {
  LD_LIBRARY_PATH=$lib ldd "$1" | awk '{ print $1 }' | grep -vE '^(linux-vdso|/lib|linux-gate)' | sed 's/\.so.*//' | sort | tr '\n' ' '
}

# only LIBRARY FILE LIST: FILE built with LIBRARY loads LIST and nothing else.
only() {
  # shellcheck disable=SC2046  # lists of flags
  compile "$2" $(pkg-config --libs "$1") || return 1
  loaded=$(loads "$scratch/program")
  echo "$1 loads $loaded"
  [ "$loaded" = "$3 " ]
}

cat >"$scratch/core.c" <<'END'
#include <roofline/ops.h>
#include <roofline/version.h>
#include <stdio.h>
int main(void) { return printf("%s %s\n", roof_version(), roof_op_at(0)->name) < 0; }
END
catches 'roofline loads' only roofline "$scratch/core.c" 'libc'
only roofline_core "$scratch/core.c" 'libc libm libroofline_core' || only roofline_core "$scratch/core.c" 'libc libroofline_core' ||
  fail "the core needs more than libc and libm"
only roofline_region "$ROOFLINE_SOURCE/examples/region.c" 'libc libroofline_region' || fail "marking a region loads more than libc"

mkdir "$scratch/work" # with what the examples read
cp "$ROOFLINE_SOURCE"/examples/*.csv "$scratch/work/"
for example in "$ROOFLINE_SOURCE"/examples/*.c "$ROOFLINE_SOURCE"/examples/*.cc "$ROOFLINE_SOURCE"/examples/*.f90; do
  case $example in
  *.f90) command -v gfortran >/dev/null || { echo "no gfortran: $(basename "$example") is not built"; continue; } ;;
  esac
  # shellcheck disable=SC2046  # lists of flags
  compile "$example" $(pkg-config --libs roofline) || fail "$(basename "$example") does not build against the shared library"
  runs "$lib" || fail "$(basename "$example") does not run with the shared library"
  cp "$scratch/answer" "$scratch/shared"
  # shellcheck disable=SC2046
  compile "$example" "$lib/libroofline_region.a" "$lib/libroofline.a" $(pkg-config --static --libs-only-l roofline | sed 's/-lroofline[_a-z]* *//g') ||
    fail "$(basename "$example") does not build against the static library"
  runs /nonexistent || fail "$(basename "$example") does not run with the static library"
  cmp "$scratch/answer" "$scratch/shared" || fail "$(basename "$example") answers otherwise with the static library"
  sed 5q "$scratch/answer" | cut -c1-100
  lines=$(wc -l <"$example")
  [ "$lines" -lt 60 ] || fail "$(basename "$example") has $lines lines, which is no short example"
done

# The front door's own: what it adds, it removes, and a file of somebody else stays.
if [ "$(realpath "$ROOFLINE_BUILD")" = "$(realpath "$ROOFLINE_SOURCE")/build/release" ] && command -v scdoc >/dev/null && command -v jq >/dev/null; then
  mkdir "$scratch/front" && echo mine >"$scratch/front/mine"
  (cd "$ROOFLINE_SOURCE" && ROOFLINE_INSTALLED=$scratch/installed ./run install "$scratch/front") >"$scratch/said" 2>&1 || { cat "$scratch/said"; fail "./run install failed"; }
  "$scratch/front/bin/roofline" --version >/dev/null
  [ -f "$scratch/front/share/man/man1/roofline-predict.1.gz" ] || fail "./run install left no manual"
  package=$(dirname "$(find "$scratch/front" -path '*/roofline/__init__.py')")
  [ "$package" = . ] || PYTHONPATH=$(dirname "$package") python3 -c 'import roofline' || fail "the installed package for Python does not start" # and is compiled
  (cd "$ROOFLINE_SOURCE" && ROOFLINE_INSTALLED=$scratch/installed ./run uninstall) >"$scratch/said" 2>&1 || { cat "$scratch/said"; fail "./run uninstall failed"; }
  left=$(find "$scratch/front" -mindepth 1 | xargs -n 1 basename | tr '\n' ' ')
  [ "$left" = "mine " ] || fail "./run uninstall left $left"
  echo "./run install and uninstall: nothing is left"
fi
