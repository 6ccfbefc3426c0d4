#!/bin/sh
# Packages of a commit for AArch64, cross-compiled in a Debian system of its own with Debian's libraries for AArch64; there they are installed, used under
# an emulator, and removed. They are left in build/arm64.
#   arm64.sh [COMMIT [MIRROR]]
. "$(dirname "$0")/lib.sh"
commit=$(git -C "$top" rev-parse --verify "${1-HEAD}^{commit}")
make_root bookworm "${2-http://deb.debian.org/debian}"
silent dpkg --add-architecture arm64
silent apt-get update
# What the command and its manual are built with: headers and libraries of the other processor, tools of this one.
needed=$(sed 's/ *#.*//; /^$/d' "$top/packages/command.txt" "$top/packages/install.txt")
libraries=$(echo "$needed" | grep -E '^(lib|zlib).*-dev$' | sed 's/$/:arm64/')
# shellcheck disable=SC2046,SC2086  # lists of packages
install crossbuild-essential-arm64 qemu-user dpkg-dev file $(echo "$needed" | grep -vE '^(lib|zlib).*-dev$') $libraries
step "the cross compiler and $(echo "$libraries" | wc -l) libraries are installed"
mkdir "$root/src"
git -C "$top" archive "$commit" | tar -x -C "$root/src"
date=$(git -C "$top" log -1 --format=%ct "$commit")
silent env "SOURCE_DATE_EPOCH=$date" DEB_HOST_ARCH=arm64 sh -c "cd /src && cmake -S . -B build -G Ninja -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64.toolchain.cmake \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DBUILD_TESTING=OFF -DROOFLINE_NVCC= -DCPACK_DEBIAN_PACKAGE_ARCHITECTURE=arm64 \
  -DROOFLINE_COMPONENTS='command;library;core;region;development' && cmake --build build && cd build && cpack"
rm -rf "$top/build/arm64"
mkdir -p "$top/build/arm64"
cp "$root"/src/build/packages/*.deb "$top/build/arm64/"
rm -rf "$root/src"
carried "$top"/build/arm64/*.deb
emulated() { within qemu-aarch64 /usr/bin/roofline "$@"; }
answers "ARM aarch64" file -b "$root/usr/bin/roofline"
answers roofline emulated --version
answers compute-bound emulated predict gemm m=4096 n=4096 k=4096 --machine h100
answers kernel emulated run triad n=65536 --quick
removed
