#!/bin/sh
# The inner loops and bursts for AArch64 compile, and compute what they say under an emulator.
. "$(dirname "$0")/lib/lint.sh"

command -v aarch64-linux-gnu-gcc >/dev/null || skip "no aarch64-linux-gnu-gcc: apt install gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
command -v qemu-aarch64 >/dev/null || skip "no qemu-aarch64: apt install qemu-user"
cd "$ROOFLINE_SOURCE" || fail "no $ROOFLINE_SOURCE"
set -- -std=c17 -O2 -D_GNU_SOURCE -Wall -Wextra -Wno-comment -static -Iinclude -Isrc -Itests/cross -Itests/unit
aarch64-linux-gnu-gcc "$@" tests/unit/test_bursts.c src/kernels/lanes/*.c src/core/dtype.c src/core/status.c \
  src/core/text.c src/core/units.c -lm -o "$scratch/test_bursts" >"$scratch/messages" 2>&1 || {
  head -20 "$scratch/messages"
  fail "the loops do not compile for AArch64"
}
qemu-aarch64 -cpu max "$scratch/test_bursts" || fail "the loops for AArch64 compute something else"
