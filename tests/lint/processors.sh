#!/bin/sh
# The unit tests, and the command, on processors that have less than the developer's: emulated by qemu-x86_64, which knows no
# AVX-512, so that its Skylake-Server is one whose hypervisor hides it. ROOFLINE_PROCESSORS names others.
. "$(dirname "$0")/lib/lint.sh"

command -v qemu-x86_64 >/dev/null || skip "no qemu-x86_64: apt install qemu-user"
[ "$(uname -m)" = x86_64 ] || skip "the build is not one of x86-64"
export ROOFLINE_EMULATED=1 # the tests leave out their largest products
unset OPENBLAS_CORETYPE BLIS_ARCH_TYPE # which may ask for what the emulated processor lacks
tests=$ROOFLINE_BUILD/tests
[ -x "$tests/test_kernels" ] || skip "no $tests/test_kernels: build first"
# Left out: device code (another processor's), pictures, OpenCL and failing allocations take over a minute each; what limits its own memory or times itself
# is not for an emulator, nor are 50,000 rows to fit, queues of a million requests and every length of a transform, whose registers are tried at one,
# nor what goes through the whole catalogue, all documents and files, thousands of plans, models, queues or ledgers, or runs scripted kernels: ten seconds
# to half a minute each, and no code chosen by the processor.
left_out='anchor|calibrate|transforms|checks|cuda|hip|opencl|device|draw|energy|measure|service|torture|memory|ledger_file|ledger_laws|catalog|prose|search'
left_out="$left_out|trust|simulate|plan|import|train|sealing|drill|choice|apart|model|advice|loop|ops|collectives|expected_laws|effects|nodes"
# Every unit on the first of them; on the others those that read what the processor is. Every instruction set that it has, the kernels try on the first.
chosen='scan|processor|ladder|runs|program|core|power|products|host|topology|numa|uncore|region|stack'

on() { # CPU COMMAND...
  cpu=$1
  shift
  OMP_WAIT_POLICY=PASSIVE timeout 300 qemu-x86_64 -cpu "$cpu" "$@" 2>&1 | grep -v '^qemu-x86_64: warning: TCG'
}

cat >"$scratch/one.sh" <<'END'
# CPU TEST FOLDER: a line when it fails
code=0
OMP_WAIT_POLICY=PASSIVE timeout 300 qemu-x86_64 -cpu "$1" "$2" >"$3/$1-$(basename "$2")" 2>&1 || code=$?
case $code in 0 | 77) ;; *)
  echo "$1: $(basename "$2") ends with $code"
  grep -v 'warning: TCG\|^\[  *\(RUN\|OK\) ' "$3/$1-$(basename "$2")" | tail -8
  ;;
esac
END

# check CPU TEST...: all pass; two at a time.
check() {
  cpu=$1
  shift
  printf '%s\n' "$@" | xargs -P 2 -I '{}' sh "$scratch/one.sh" "$cpu" '{}' "$scratch" >"$scratch/failures"
  cat "$scratch/failures"
  [ ! -s "$scratch/failures" ]
}

printf 'int main(void) { __asm__ volatile("vpaddd %%ymm0, %%ymm0, %%ymm0"); return 0; }\n' >"$scratch/planted.c"
${CC:-cc} "$scratch/planted.c" -o "$scratch/planted"
catches 'planted ends with' check Nehalem "$scratch/planted"
passes check Haswell "$scratch/planted"

units=$(find "$tests" -maxdepth 1 -type f -name 'test_*' -perm -u+x | grep -vE "test_($left_out)" | sort)
failed=0
for cpu in ${ROOFLINE_PROCESSORS:-Haswell Nehalem EPYC-Milan Skylake-Server}; do
  # shellcheck disable=SC2086  # a list of programs
  check "$cpu" $units || failed=1
  on "$cpu" "$ROOFLINE" predict gemm m=4096 n=4096 k=4096 --machine h100 --dtype fp16 | grep -q 'compute-bound' || {
    echo "$cpu: roofline predict does not answer"
    failed=1
  }
  on "$cpu" "$ROOFLINE" run dot gemm-blocked n=64 m=64 k=64 --quick >"$scratch/ran" || :
  ! grep -i 'illegal\|signal\|wrong' "$scratch/ran" || failed=1
  echo "$(echo "$units" | wc -l) unit tests on $cpu"
  units=$(echo "$units" | grep -E "test_.*($chosen)" | grep -v test_kernels)
done
[ "$failed" -eq 0 ] || fail "something depends on the processor"
