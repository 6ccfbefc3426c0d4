#!/bin/sh
# The program and the shared libraries are hardened as cmake/Hardening.cmake asks, and nothing that decides on files is read from the
# environment of a program that has more rights than its caller.
. "$(dirname "$0")/lib/lint.sh"

# open_getenv FOLDER: where getenv is used, but for what a terminal shows.
open_getenv() {
  ! grep -rnE '(^|[^_a-z])getenv\(' "$1" --include='*.c' --include='*.h' | grep -v '/host/terminal.c:'
}

# hardened FILE: linked as asked: position independent, nothing writable that is code's, all symbols bound at the start.
hardened() {
  readelf -W -h -l -d "$1" >"$scratch/elf" || return 2
  for sign in 'Type: *DYN' GNU_RELRO '(BIND_NOW|FLAGS.*NOW)' GNU_STACK; do
    grep -qE "$sign" "$scratch/elf" || { echo "$1: no $sign"; return 1; }
  done
  ! grep -E 'GNU_STACK.*E ' "$scratch/elf" || { echo "$1: its stack can be executed"; return 1; }
}

# checked FILE: compiled as asked: its functions check their stack, its string functions their room.
checked() {
  nm -u "$1" >"$scratch/symbols" || return 2
  grep -q '__stack_chk_fail' "$scratch/symbols" || { echo "$1: no stack protector"; return 1; }
  grep -qE '__[a-z]+_chk@' "$scratch/symbols" || { echo "$1: no checked string functions"; return 1; }
}

mkdir -p "$scratch/tree/host"
echo 'char *a(void) { return getenv("A"); }' >"$scratch/tree/host/b.c"
catches 'getenv' open_getenv "$scratch/tree"
echo 'char *a(void) { return secure_getenv("A"); }' >"$scratch/tree/host/b.c"
passes open_getenv "$scratch/tree"
printf '#include <stdio.h>\nint main(int n, char **w) { char t[64]; snprintf(t, n, "%%s", w[0]); return puts(t); }\n' >"$scratch/planted.c"
soft="-O2 -U_FORTIFY_SOURCE -fno-stack-protector"
hard="-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE"
${CC:-cc} $soft -no-pie -Wl,-z,lazy "$scratch/planted.c" -o "$scratch/soft"
${CC:-cc} $hard -pie -Wl,-z,relro,-z,now "$scratch/planted.c" -o "$scratch/hard"
catches 'no Type' hardened "$scratch/soft"
catches 'no stack protector' checked "$scratch/soft"
passes hardened "$scratch/hard"
passes checked "$scratch/hard"

open_getenv "$ROOFLINE_SOURCE/src" || fail "environment read by programs with more rights than their caller: use secure_getenv"
if grep -q 'ROOFLINE_SANITIZE:BOOL=ON\|CMAKE_BUILD_TYPE:STRING=Debug' "$ROOFLINE_BUILD/CMakeCache.txt"; then
  echo "skipped: a build with sanitizers, or without optimisation, is not hardened"
  exit 77
fi
for name in RELRO NOW; do
  grep -qi "ROOFLINE_LINK_$name:INTERNAL=1" "$ROOFLINE_BUILD/CMakeCache.txt" || { echo "skipped: this linker has no -z $name"; exit 77; }
done
for file in roofline libroofline.so libroofline_core.so libroofline_region.so; do
  hardened "$ROOFLINE_BUILD/$file" || fail "$file: not linked as asked"
done
grep -q 'ROOFLINE_STACK_PROTECTOR:INTERNAL=1' "$ROOFLINE_BUILD/CMakeCache.txt" || { echo "skipped: this compiler has no stack protector"; exit 77; }
for file in roofline libroofline.so; do
  checked "$ROOFLINE_BUILD/$file" || fail "$file: not compiled as asked"
done
echo "hardening: the program and three libraries"
