#!/bin/sh
# A comment that names a C file names one that exists.
. "$(dirname "$0")/lib/lint.sh"

# Of what others wrote, with the name that it has there.
others="allReduceFusionKernels.h cairo-pdf.h cairo.h cublasLt.h cublas_api.h cuda_occupancy.h decoderXQAImplCommon.h dnnl_types.h fftw3.h glib-object.h \
hip_runtime_api.h hiprtc.h include/cutlass/arch/mma_sm80.h include/ggml.h interface/gemm.c library_types.h librsvg/rsvg.h mma_sm70.h nccl.h papi.h \
pooling_shape.h"

check() { # ROOT
  (cd "$1" && c_files . src include tests web examples bench | sed 's|^\./||' >"$scratch/files") || return 2
  # shellcheck disable=SC2046  # a list of files
  (cd "$1" && awk -v others="$others" -f "$lib/files.awk" "$scratch/files" $(grep -E '^(src|include)/' "$scratch/files")) >"$scratch/violations" || return 2
  cat "$scratch/violations"
  [ ! -s "$scratch/violations" ]
}

plant() { # COMMENT
  mkdir -p "$scratch/tree/src/room"
  printf 'int a; /* first */ const char *b = "c.h"; /* %b */\n' "$1" >"$scratch/tree/src/room/a.c"
}

plant 'as a.c and room/a.c do, and src/ops/NAME.c; <math.h>, *.c, papi.h'
passes check "$scratch/tree"
plant 'see b.c.'
catches 'src/room/a.c:1: `b.c` is no file' check "$scratch/tree"
plant 'one\n * (room/b.h) two'
catches 'src/room/a.c:2: `room/b.h` is no file' check "$scratch/tree"
plant 'other/a.c'
catches '`other/a.c` is no file' check "$scratch/tree"

check "$ROOFLINE_SOURCE" || fail "a comment names a file that does not exist"
echo "comments: name files that exist"
