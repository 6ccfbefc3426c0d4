#!/bin/sh
# The inner loops and peak kernels for AArch64 compile, and compute what they say under an emulator.
. "$(dirname "$0")/lib/lint.sh"

command -v aarch64-linux-gnu-gcc >/dev/null || skip "no aarch64-linux-gnu-gcc: apt install gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
command -v qemu-aarch64 >/dev/null || skip "no qemu-aarch64: apt install qemu-user"
cd "$ROOFLINE_SOURCE" || fail "no $ROOFLINE_SOURCE"
set -- -std=c17 -O2 -D_GNU_SOURCE -Wall -Wextra -Wno-comment -static -Iinclude -Isrc -Itests/cross -Itests/unit
aarch64-linux-gnu-gcc "$@" tests/unit/test_peak_kernels.c src/kernels/lanes/*.c src/core/dtype.c src/core/status.c \
  src/core/text.c src/core/units.c src/core/number.c -lm -o "$scratch/test_peak_kernels" >"$scratch/messages" 2>&1 || {
  head -20 "$scratch/messages"
  fail "the loops do not compile for AArch64"
}

# As the command is built: GCC 12 failed on a loop of this file. Headers of libraries are the same for every processor.
headers=$(pkg-config --variable=includedir hwloc)
aarch64-linux-gnu-gcc -std=c17 -O3 -fno-math-errno -D_GNU_SOURCE -Iinclude -Isrc -idirafter "$headers" -idirafter "$headers/$(cc -print-multiarch)" \
  -c src/measure/cpu/numa.c -o "$scratch/numa.o" >"$scratch/messages" 2>&1 || {
  head -20 "$scratch/messages"
  fail "src/measure/cpu/numa.c does not compile for AArch64"
}

# The inner loop of the blocked product in fp32 on NEON: of its instructions this share in percent are multiply-adds.
least=45
aarch64-linux-gnu-gcc -std=c17 -O3 -DNDEBUG -fno-math-errno -D_GNU_SOURCE -Iinclude -Isrc -c src/kernels/lanes/base.c -o "$scratch/base.o" >"$scratch/messages" 2>&1 || {
  head -20 "$scratch/messages"
  fail "src/kernels/lanes/base.c does not compile for AArch64"
}
aarch64-linux-gnu-objdump -d --no-show-raw-insn "$scratch/base.o" | sed -n '/<tile_4_2_fp32>:/,/^$/p' >"$scratch/tile"
share=$(awk -f "$lib/fmla.awk" "$scratch/tile")
[ "$(sed 's/fmla/fadd/' "$scratch/tile" | awk -f "$lib/fmla.awk")" -lt $least ] || fail "a loop without multiply-adds passes"
[ "$share" -ge $least ] || fail "only $share % of the inner loop of a product on NEON are multiply-adds, not $least %"

# run CPU TEXT...: the test passes on that processor and says every TEXT.
run() {
  cpu=$1
  shift
  qemu-aarch64 -cpu "$cpu" "$scratch/test_peak_kernels" >"$scratch/said" 2>&1 || {
    tail -5 "$scratch/said"
    fail "$cpu: the loops for AArch64 compute something else"
  }
  for text in "$@"; do
    grep -qxF "$text" "$scratch/said" || fail "$cpu: \`$text\` is not in: $(cat "$scratch/said")"
  done
}

run cortex-a57 "SVE: not here" NEON
for vectors in 1 2 4; do
  run "max,sve-max-vq=$vectors" SVE NEON
  [ $vectors -eq 1 ] || grep -q "up to $((128 * vectors)) bits" "$scratch/said" || fail "not $((128 * vectors)) bits: $(cat "$scratch/said")"
done
echo "AArch64: NEON, and SVE of 128, 256 and 512 bits; $share % of the inner loop of a product on NEON are multiply-adds"
