#!/bin/sh
# The kernels of a program of src/kernels for the processor: the text that nvcc compiles, compiled by the host's compiler.
# usage: module.sh OUTPUT.so PROGRAM FORMAT COMPILER [FLAG...]
# What its kernels are called and how many threads they allow is read from the text, behind the preprocessor.
set -eu
output=$1 program=$2 format=$3 here=$(dirname "$0")
shift 3
linker="$*"
set -- "$@" -x c++ -std=gnu++20 -w -fno-exceptions -fno-rtti -fvisibility=hidden -fPIC \
  "-I$here" "-I$here/include" "-I$here/../unit" "-I$here/../../src/kernels/cuda"
case $program in
  *.cl) set -- "$@" "-DTYPE_$(echo "$format" | tr '[:lower:]' '[:upper:]')" -include "$here/../../src/kernels/device/cuda.prelude" ;;
  *.hip) set -- "$@" -include words.h ;; # given to hiprtc, the prelude before it
  *) set -- "$@" -include words.h '-DKERNEL=__global__ void' ;;
esac

# Lines NAME THREADS BLOCKS: those of __launch_bounds__ and __cluster_dims__, or 0 and 1.
names() {
  tr '\n' ' ' | grep -oE '__global__ void [^{;]*\{' | awk '
    function taken(word,   at) { # the first argument of `word`, which is cut out of the line
      if (!match($0, word " *\\([^)]*\\)")) return ""
      at = substr($0, RSTART, RLENGTH)
      $0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
      sub(/^[^(]*\(/, "", at); sub(/[,)].*/, "", at)
      return at
    }
    { sub(/^__global__ void/, ""); most = taken("__launch_bounds__"); cluster = taken("__cluster_dims__")
      sub(/\(.*/, ""); gsub(/ /, "")
      print $0, (most != "" ? most : 0), (cluster != "" ? cluster : 1) }'
}

{
  printf '#include "%s"\n#include "module.h"\nENTRIES(\n' "$program"
  "$@" -E -P -DEMULATED_NAMES "$program" | names | sed 's/\(.*\) \(.*\) \(.*\)/    ENTRY(\1, \2, \3)/'
  printf ')\n'
} >"${output%.so}.cpp"
grep -q ENTRY\( "${output%.so}.cpp" || { echo "$program: no kernels found" >&2; exit 1; }
"$@" -c -o "${output%.so}.o" "${output%.so}.cpp"
# shellcheck disable=SC2086  # words
$linker -shared -o "$output" "${output%.so}.o" -lm
