#!/bin/sh
# The command as one static file, with musl for its C library: build/static/roofline runs on every Linux of this processor. The libraries that
# it is linked with are built of their Debian sources. `roofline doctor` says what it lacks: it loads no libraries while it runs.
# Needs packages/static.txt.
set -eu
here=$(dirname "$(realpath "$0")")
top=$(realpath "$here/../..")
out=$top/build/static
prefix=$out/libraries
jobs=$(nproc)
mkdir -p "$prefix/include" "$prefix/lib/pkgconfig"

# in_folder NAME COMMAND...: there, with its output shown where it fails.
in_folder() {
  name=$1
  shift
  (cd "$out/$name" && "$@") >>"$out/$name.log" 2>&1 || { tail -20 "$out/$name.log"; exit 4; }
}

configured() { # NAME OPTION...: built by its configure
  library=$1
  shift
  [ -x "$out/$library/configure" ] || in_folder "$library" autoreconf -fi
  in_folder "$library" ./configure --prefix="$prefix" --host="$(uname -m)-linux-musl" --disable-shared --enable-static --disable-dependency-tracking "$@" \
    CC=musl-gcc CFLAGS="-O2 -fPIC" CPPFLAGS="-I$prefix/include"
  in_folder "$library" make -j"$jobs" install
}

# Headers of Linux itself, and of the library that is only loaded, where it can be.
headers() {
  for part in linux asm-generic CL; do ln -sfn "/usr/include/$part" "$prefix/include/$part"; done
  ln -sfn "/usr/include/$(gcc -print-multiarch)/asm" "$prefix/include/asm"
  cp /usr/include/muParserDLL.h /usr/include/muParserFixes.h "$prefix/include/"
  printf 'Name: muparser\nDescription: its header\nVersion: %s\nCflags: -I%s\n' "$(pkg-config --modversion muparser)" "$prefix/include" >"$prefix/lib/pkgconfig/muparser.pc"
}

libraries() {
  sh "$top/packaging/sources.sh" "$out" jansson popt xz-utils libsodium hwloc sqlite3 zlib libzstd
  headers
  configured jansson
  configured popt --disable-nls --disable-rpath
  configured xz-utils --disable-xz --disable-xzdec --disable-lzmadec --disable-lzmainfo --disable-lzma-links --disable-scripts --disable-doc --disable-nls
  configured libsodium --disable-pie
  configured hwloc --disable-libxml2 --disable-pci --disable-opencl --disable-cuda --disable-nvml --disable-rsmi --disable-levelzero --disable-libudev --disable-cairo
  configured sqlite3 --disable-readline --disable-tcl --disable-load-extension
  in_folder zlib env CC=musl-gcc CFLAGS="-O2 -fPIC" ./configure --static --prefix="$prefix"
  in_folder zlib make -j"$jobs" install
  in_folder libzstd make -C lib -j"$jobs" CC=musl-gcc PREFIX="$prefix" install-static install-includes install-pc
  touch "$out/libraries.stamp"
}

[ -f "$out/libraries.stamp" ] || libraries
musl-gcc -O2 -Wall -Wextra -c "$here/absent.c" -o "$out/absent.o"
PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig cmake -S "$top" -B "$out/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DROOFLINE_NVCC= -DCMAKE_C_COMPILER=musl-gcc \
  -DCMAKE_C_FLAGS="-isystem $prefix/include" -DCMAKE_EXE_LINKER_FLAGS="-static $out/absent.o" \
  -DCMAKE_C_LINK_PIE_SUPPORTED=OFF -DOpenMP_gomp_LIBRARY="$(gcc -print-file-name=libgomp.a)" >"$out/build.log" 2>&1 || { tail -20 "$out/build.log"; exit 4; }
cmake --build "$out/build" --target roofline
strip -o "$out/roofline" "$out/build/roofline"
if readelf -l "$out/roofline" | grep -q INTERP; then
  echo "it is not static"
  exit 4
fi
"$out/roofline" predict gemm m=4096 n=4096 k=4096 --machine h100 | head -1
"$out/roofline" doctor --json | jq -r '.checks[] | select(.name == "loader").value'
echo "$out/roofline: $(wc -c <"$out/roofline") bytes"
