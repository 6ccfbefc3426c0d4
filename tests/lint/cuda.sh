#!/bin/sh
# What only the assembler knows of the kernels of src/kernels/cuda: of those that use wgmma none spills, and none waits for the one
# before it, with bounded waits neither; inner loops have no more instructions than were counted when they were written, and those of fp32 as many of the
# issue slots (lib/sass.py); copies say what stays in the last cache; of two kernels that follow each other the first lets
# the second begin.
. "$(dirname "$0")/lib/lint.sh"

PYTHONDONTWRITEBYTECODE=1 python3 "$lib/test_sass.py" >"$scratch/said" 2>&1 || { cat "$scratch/said"; fail "the model of register banks"; }
nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc) || skip "no nvcc"

# machine_code FILE TEXT TARGET FLAG...: as the build makes it, from the text of an architecture
machine_code() {
  source=$1 gencode=arch=$2,code=$3
  shift 3
  # shellcheck disable=SC2046  # none or two words
  "$nvcc" -std=c++17 -O3 -cubin -x cu -I "$ROOFLINE_SOURCE/src/kernels/cuda" -gencode "$gencode" \
    $(sed -n '1s|.*, ptxas |-Xptxas |p' "$source") -o "$scratch/code" "$@" "$source"
}

check() { # FILE TARGET FLAG...
  checked=$1 for=$2
  shift 2
  machine_code "$checked" "compute_${for#sm_}" "$for" -Xptxas -v "$@" >"$scratch/said" 2>&1 || { cat "$scratch/said"; return 1; }
  ! grep -E 'Performance Loss|[1-9][0-9]* bytes (stack|spill)' "$scratch/said"
}

for file in "$ROOFLINE_SOURCE"/src/kernels/cuda/*.cu; do
  for target in $(sed -n '1s|^// targets: \([^,]*\).*|\1|p' "$file"); do
    case $target in sm_90a) ;; *) continue ;; esac
    check "$file" "$target" || fail "$(basename "$file") for $target"
    ! grep -q barrier_wait "$file" || check "$file" "$target" -DBOUNDED || fail "$(basename "$file") for $target, its waits bounded"
  done
done
sed 's/^ *product_commit();/sums[0] += 1; product_commit();/' "$ROOFLINE_SOURCE/src/kernels/cuda/gemm_wgmma.cu" >"$scratch/planted.cu"
catches 'serialized' check "$scratch/planted.cu" sm_90a
sed 's/^ *product_commit();/sums[0] += 1; product_commit();/; s/tensor_load_kept/tensor_load/' "$ROOFLINE_SOURCE/src/kernels/cuda/gemm_fp8.cu" \
  >"$scratch/planted.cu"
catches 'serialized' check "$scratch/planted.cu" sm_90a

# loop FILE KERNEL OPERATION COUNT MOST FACT...: as lib/sass.py
loop() {
  [ "$1" = "${compiled:-}" ] || machine_code "$ROOFLINE_SOURCE/src/kernels/cuda/$1" compute_90a sm_90a
  compiled=$1
  shift
  python3 "$lib/sass.py" "$scratch/code" "$@" || fail "$1: its inner loop"
}

# hints CUBIN: its copies to memory have a policy of the last cache, which bit 12 of an instruction's second word says, and some loads have.
hints() {
  od -An -v -t x8 -w16 "$1" | awk '
    function hinted(word) { return substr(word, 13, 1) ~ /[13579bdf]/ }
    $1 ~ /3b5$/ { stores++; stored += hinted($2) }
    $1 ~ /5b4$/ { loaded += hinted($2) }
    END {
      print stored + 0 " of " stores + 0 " copies to memory and " loaded + 0 " loads have a hint"
      exit stores == 0 || stored < stores || loaded == 0
    }'
}

# early CUBIN: a kernel of it lets the next one begin, and one waits for the one before it.
early() {
  od -An -v -t x8 -w16 "$1" | awk '
    $1 == "000000000000782d" { lets++ }
    $1 == "000000000000782e" { waits++ }
    END {
      print lets + 0 " kernels let the next one begin, " waits + 0 " wait for the one before"
      exit lets == 0 || waits == 0
    }'
}

# fp32 FILE KERNEL COUNT MOST LEAST: a loop of multiply-adds in the dialect that all devices have
fp32() {
  folder=$ROOFLINE_SOURCE/src/kernels/device
  [ "$1" = "${compiled:-}" ] || machine_code "$folder/$1" compute_80 sm_90 -DTYPE_FP32 -include "$folder/cuda.prelude"
  compiled=$1
  python3 "$lib/sass.py" "$scratch/code" "$2" FFMA "$3" "$4" "least=$5" || fail "$2: its inner loop"
}

case $("$nvcc" --version) in
  *"release 13."*)
    catches ' and 0 loads have a hint' hints "$scratch/code"
    loop gemm_wgmma.cu gemm_specialised HGMMA 8 150 none=R2UR
    loop gemm_wgmma.cu gemm_cluster HGMMA 8 150
    loop gemm_wgmma.cu gemm_cluster_across HGMMA 8 150
    loop gemm_wgmma.cu gemm_cluster_few HGMMA 8 150
    loop gemm_wgmma.cu gemm_stream_k HGMMA 8 155
    hints "$scratch/code" || fail "gemm_wgmma.cu: hints"
    catches 'not 8 HGMMA in at most 100' python3 "$lib/sass.py" "$scratch/code" gemm_cluster HGMMA 8 100
    loop gemm_fp8.cu gemm_fp8 QGMMA 8 150 none=R2UR
    loop gemm_fp8.cu gemm_fp8_cluster QGMMA 8 150
    loop gemm_fp8.cu gemm_fp8_split QGMMA 8 150
    loop gemm_fp8.cu gemm_fp8_split_64 QGMMA 8 150
    loop gemm_fp8.cu gemm_fp8_scaled QGMMA 4 160
    hints "$scratch/code" || fail "gemm_fp8.cu: hints"
    early "$scratch/code" || fail "gemm_fp8.cu: two kernels"
    loop gemm_mma.cu gemm_mma HMMA 32 150
    catches '0 wait for the one before' early "$scratch/code"
    for format in bf16 fp16; do # of 16 keys; few instructions, since memory is to bind
      for cache in decode paged; do
        loop attention_decode.cu attention_${cache}_64_$format HMMA 16 190
        loop attention_decode.cu attention_${cache}_128_$format HMMA 32 255
      done
      early "$scratch/code" || fail "attention_decode.cu: two kernels"
    done
    loop gemm_tma.cu gemm_tma FFMA 1024 1130 least=86
    catches 'less than 92 %' python3 "$lib/sass.py" "$scratch/code" gemm_tma FFMA 1024 1130 least=92
    fp32 arithmetic.cl arithmetic_16_1 256 260 97
    fp32 attention.cl attention_flash 128 145 75
    fp32 gemm.cl gemm_double_buffered 512 625 47
    fp32 linear.cl linear_fused 516 680 49
    for format in bf16 fp16; do # keys are given back before the softmax
      loop attention_wgmma.cu attention_wgmma_64_$format HGMMA 12 630 before=ARRIVE,MUFU
      loop attention_wgmma.cu attention_wgmma_128_$format HGMMA 16 700 before=ARRIVE,MUFU
      loop attention_wgmma.cu attention_wgmma_plain_$format HGMMA 19 880 before=ARRIVE,MUFU
    done
    ;;
  *) echo "not checked: inner loops, which were counted with nvcc 13" ;;
esac
echo "kernels of CUDA: no spills, no serialised wgmma"
