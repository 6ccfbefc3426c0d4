#!/bin/sh
# What only the assembler knows of the kernels of src/kernels/cuda that use wgmma: none spills, and none waits for the one before
# it.
. "$(dirname "$0")/lib/lint.sh"

nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc) || skip "no nvcc"

check() { # FILE TARGET
  from=$(echo "$2" | sed 's/^sm_/compute_/')
  "$nvcc" -std=c++17 -O3 -Xptxas -v -cubin -x cu -I "$ROOFLINE_SOURCE/src/kernels/cuda" -gencode "arch=$from,code=$2" -o "$scratch/cubin" "$1" \
    >"$scratch/said" 2>&1 || { cat "$scratch/said"; return 1; }
  ! grep -E 'Performance Loss|[1-9][0-9]* bytes (stack|spill)' "$scratch/said"
}

for file in "$ROOFLINE_SOURCE"/src/kernels/cuda/*.cu; do
  for target in $(sed -n '1s|^// targets: ||p' "$file"); do
    case $target in sm_90a) check "$file" "$target" || fail "$(basename "$file") for $target" ;; esac
  done
done
sed 's/^ *product_commit();/sums[0] += 1; product_commit();/' "$ROOFLINE_SOURCE/src/kernels/cuda/gemm_wgmma.cu" >"$scratch/planted.cu"
catches 'serialized' check "$scratch/planted.cu" sm_90a
echo "kernels of CUDA: no spills, no serialised wgmma"
