#!/bin/sh
# The programs of accelerators compile as OpenCL C in every format, those that no device of the tests has included; and an optimiser leaves
# every multiply-add of the arithmetic in.
. "$(dirname "$0")/lib/lint.sh"

clang=$(command -v clang) || skip "no clang"
folder=$ROOFLINE_SOURCE/src/kernels/device
echo 'kernel void nothing(void) {}' >"$scratch/nothing.cl"
"$clang" -x cl -target spir64 -Xclang -finclude-default-header -fsyntax-only "$scratch/nothing.cl" 2>/dev/null || skip "clang without OpenCL C"

# compile FILE FORMAT STANDARD: what is left after optimising, in $scratch/left.
compile() {
  cat "$folder/opencl.prelude" "$1" >"$scratch/program.cl"
  "$clang" -x cl -cl-std="$3" -target spir64 -Xclang -finclude-default-header -Wall -Werror -Wno-unused-function -DTYPE_"$2" -O2 -S -emit-llvm \
    -o "$scratch/left" "$scratch/program.cl" >"$scratch/said" 2>&1 || {
    head -5 "$scratch/said"
    return 1
  }
}

# complete WHAT TIMES: each kernel arithmetic_C_W calls WHAT 16 x C x TIMES times or more.
complete() {
  awk -v what="$1" -v times="$2" '
    /^define .*@arithmetic_/ { match($0, /arithmetic_[0-9]+_[0-9]+/); name = substr($0, RSTART, RLENGTH); split(name, part, "_"); count = 0 }
    name != "" && index($0, what) && / call / { count++ }
    /^}/ && name != "" { if (count < 16 * part[2] * times) { print name ": " count + 0 " of " 16 * part[2] * times; bad = 1 }; name = ""; all++ }
    END { exit bad || !all }' "$scratch/left"
}

for file in "$folder"/*.cl; do
  for format in $(sed -n '1s|^// formats: ||p' "$file" | sed 's/opencl://g' | tr 'a-z' 'A-Z'); do
    compile "$file" "$format" CL1.2 || fail "$(basename "$file"): $format"
    case $(basename "$file")$format in arithmetic.clFP*) complete '@_Z3fma' 1 || fail "arithmetic.cl: $format: multiply-adds are left out" ;; esac
  done
done
compile "$folder/arithmetic.cl" INT8 CL3.0 || fail "arithmetic.cl: dot products"
complete dot_4x8packed 1 || fail "arithmetic.cl: dot products are left out"
sed 's/step < STEPS/step < STEPS - 1/' "$folder/arithmetic.cl" >"$scratch/planted.cl"
planted() {
  compile "$scratch/planted.cl" FP32 CL1.2 && complete '@_Z3fma' 1
}
catches 'arithmetic_' planted
echo "programs of accelerators: OpenCL C in every format, every multiply-add done"
