#!/bin/sh
# Builds the packages of a commit twice, in folders of different names and without a compiler's cache, and compares them byte for byte. Takes two
# builds from nothing.    reproduce.sh [COMMIT]
set -eu
umask 022 # the packages too have it
cd "$(dirname "$0")/.."
commit=$(git rev-parse --verify "${1-HEAD}^{commit}") # which stays, whatever happens here meanwhile
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct "$commit")
export SOURCE_DATE_EPOCH
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER

build() { # FOLDER TIMEZONE
  mkdir -p "$1"
  git archive "$commit" | tar -x -C "$1"
  (cd "$1" && export TZ="$2" &&
    cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DBUILD_TESTING=OFF -DROOFLINE_NVCC= &&
    cmake --build build && cd build && cpack && cpack -G TXZ -D CPACK_PACKAGING_INSTALL_PREFIX=/) >"$scratch/log" 2>&1 || { tail -20 "$scratch/log"; exit 2; }
}
build "$scratch/one" UTC
build "$scratch/another/much/deeper" Asia/Tokyo

same=0
differ=0
for file in "$scratch"/one/build/packages/*.deb "$scratch"/one/build/packages/*.tar.xz "$scratch"/one/build/roofline "$scratch"/one/build/*.a; do
  other=$scratch/another/much/deeper/${file#"$scratch"/one/}
  if cmp -s "$file" "$other"; then
    same=$((same + 1))
  else
    differ=$((differ + 1))
    echo "differs: $(basename "$file")"
  fi
done
echo "$same files of $(git rev-parse --short "$commit") are equal in two builds, $differ differ"
if [ "$differ" -gt 0 ]; then
  rm -rf build/differ
  mkdir -p build
  mv "$scratch" build/differ
  trap - EXIT
  echo "both are left in build/differ"
  exit 1
fi
