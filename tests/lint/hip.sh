#!/bin/sh
# AMD's own compiler takes the programs of accelerators in every format, and keeps what a work-item holds in registers: hiprtc needs no
# device. Where ROCm is not installed, or is in no folder that ROOFLINE_HIP_LIBRARIES names, there is nothing to ask.
. "$(dirname "$0")/lib/lint.sh"

command -v python3 >/dev/null || skip "no python3"
readelf=$(command -v llvm-readelf || command -v llvm-readelf-14) || skip "no llvm-readelf"
folder=$ROOFLINE_SOURCE/src/kernels/device

# compile ARCHITECTURE OPTION FILE FORMAT: to $scratch/code.
compile() {
  cat "$folder/hip.prelude" "$3" >"$scratch/program.hip"
  python3 "$lib/hiprtc.py" "$scratch/program.hip" "$folder/cxx.prelude" "$scratch/code" "--offload-arch=$1" "$2" "-DTYPE_$4" 2>"$scratch/said" || {
    code=$?
    head -5 "$scratch/said"
    return $code
  }
}

# in_registers MOST: no kernel of $scratch/code keeps more than MOST bytes of a work-item in memory.
in_registers() {
  "$readelf" --notes "$scratch/code" | awk -v most="$1" '
    /\.private_segment_fixed_size:/ { bytes = $2 }
    /\.symbol:/ { all++; if (bytes > most) { print $2 ": " bytes " bytes of a work-item in memory"; bad = 1 } }
    END { exit bad || !all }'
}

compile gfx90a -DDOT4_SIGNED "$folder/memory.cl" FP32 || {
  [ $? = 77 ] && skip "no hiprtc"
  fail "memory.cl"
}
for file in "$folder"/*.cl; do
  for format in $(sed -n '1s|^// formats: ||p' "$file" | sed 's/opencl:[a-z0-9]*//g' | tr 'a-z' 'A-Z'); do
    compile gfx90a -DDOT4_SIGNED "$file" "$format" || fail "$(basename "$file"): $format for gfx90a"
    in_registers 0 || fail "$(basename "$file"): $format for gfx90a"
    compile gfx1030 -DDOT4_SIGNED "$file" "$format" || fail "$(basename "$file"): $format for gfx1030"
  done
done
compile gfx900 -DNO_DOT4 "$folder/arithmetic.cl" INT8 || fail "arithmetic.cl without an instruction for products of bytes"
sed 's/KERNEL_OF(128, attention_flash)/KERNEL_OF(1024, attention_flash)/' "$folder/attention.cl" >"$scratch/planted.cl"
planted() {
  compile gfx90a -DDOT4_SIGNED "$scratch/planted.cl" FP32 && in_registers 0
}
catches 'attention_flash' planted
echo "programs of accelerators: AMD's compiler takes them, and keeps them in registers"
