// targets: sm_80 sm_89 sm_90 compute_80 compute_89
/* The formats that every warp has had since Ampere, and fp8 since Ada. */
#include "peaks_mma.cuh"

PEAK_FLOAT(peak_mma_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32")
PEAK_FLOAT(peak_mma_fp16, "m16n8k16.row.col.f32.f16.f16.f32")
PEAK_FLOAT(peak_mma_bf16, "m16n8k16.row.col.f32.bf16.bf16.f32")
PEAK(peak_mma_int8, int, MMA("m16n8k32.row.col.s32.s8.s8.s32", IN_INT, d[i], f.a[i / 4], f.b[i % 4]))
#if !defined(__CUDACC__) || __CUDA_ARCH__ >= 890
PEAK_FLOAT(peak_mma_fp8, "m16n8k32.row.col.f32.e4m3.e4m3.f32")
#endif
