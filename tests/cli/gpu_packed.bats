#!/usr/bin/env bats
# bench/gpu.sh with the program itself: on the emulated device, and packed into a folder for another machine.
bats_require_minimum_version 1.5.0
load lib
load gpu

@test "gpu.sh: on the emulated device, the program itself" {
  stub
  export ROOFLINE=$REAL
  device=$("$ROOFLINE" run device-copy n=4096 --backend cuda --quick --json 2>&1 | jq -r '.kernels[0].note') || skip "no backend cuda in this build"
  [[ $device == *Emulated* ]] || skip "the libcuda of this build runs no kernels"
  gpu --quick --seconds 30 ceilings ladders
  [ "$(of_result '[.quick, .parts.ceilings.state, .machine.name, any(.ladders[][]; .baseline.fraction > 0), .failed]')" = '[true,"complete","host-gpu0",true,[]]' ]
  [[ $(sh "$ROOFLINE_SOURCE/bench/gpu.sh" --table "$result") == *'| launch, in a graph | | '*'| 13 `gemm-stream-k` | '*' % |'* ]]
}

# A root with libc and the usual small programs, nothing else.
bare() { # FOLDER
  mkdir -p "$1/bin" "$1/tmp" "$1/dev" "$1/lib64" "$1$(dirname "$(readlink -f /lib64/ld-linux-x86-64.so.2)")"
  touch "$1/dev/null"
  for program in sh cat cp date dirname basename cut date find grep head ln mkdir mktemp mv readlink rm sed sort tail timeout tr; do
    file=$(readlink -f "$(command -v $program)")
    cp "$file" "$1/bin/$program"
    LD_TRACE_LOADED_OBJECTS=1 "$file" | grep -o '/[^ ]*' | while read -r library; do
      mkdir -p "$1$(dirname "$library")"
      cp -nL "$library" "$1$library"
    done
  done
  cp -nL "$(ldconfig -p | sed -n 's/.*x86-64.* => \(.*libm.so.6\)$/\1/p' | head -n 1)" "$1/lib64/"
}

@test "gpu.sh: packed, it needs libc and nothing else" {
  [ "$(uname -m)" = x86_64 ] || skip "the bare root is one of x86-64"
  unshare -r true 2>/dev/null || skip "no namespaces here"
  run --separate-stderr sh "$ROOFLINE_SOURCE/bench/gpu.sh" --pack "$BATS_TEST_TMPDIR/pack"
  [[ $stderr =~ [0-9]+' KiB in '.*'; needs x86_64, glibc 2.'[0-9]+' or later'(' (2.'[0-9]+' where there is no jq)')?', '('NVIDIA driver 5'[0-9]+' or later'|'a build with nvcc') ]]
  [ "$(du -sk "$BATS_TEST_TMPDIR/pack" | cut -f 1)" -lt 40000 ]
  ! grep -aq 'GLIBC_2\.35' "$BATS_TEST_TMPDIR/pack/bin/roofline" || false # of hypot; nothing else asks for more than Ubuntu 22.04 has
  bare "$BATS_TEST_TMPDIR/root"
  cp -r "$BATS_TEST_TMPDIR/pack" "$BATS_TEST_TMPDIR/root/pack"
  within() { PATH=$PATH:/usr/sbin env -i "$(command -v unshare)" -r "$(PATH=$PATH:/usr/sbin command -v chroot)" "$BATS_TEST_TMPDIR/root" /bin/sh "$@"; }
  run ! within -c 'jq --version || /pack/bin/roofline --version'
  run -3 within /pack/gpu.sh
  [ "$output" = "gpu.sh: nothing measured: backend cuda: no libcuda.so.1: NVIDIA's driver is not installed" ]
  stub
  gpu ceilings
  cp "$result" "$BATS_TEST_TMPDIR/root/result.json"
  run -0 within /pack/gpu.sh --table /result.json
  [[ $output == *'* ceilings: complete'* ]]
}

@test "gpu.sh: packed, it takes the system's jq, and never runs its own there" {
  stub
  gpu ceilings
  sh "$ROOFLINE_SOURCE/bench/gpu.sh" --pack "$BATS_TEST_TMPDIR/pack"
  echo 'exit 1' >"$BATS_TEST_TMPDIR/pack/bin/jq" # as where its libraries need a newer glibc
  run -0 sh "$BATS_TEST_TMPDIR/pack/gpu.sh" --table "$result"
  [[ $output == *'* ceilings: complete'* ]]
}
