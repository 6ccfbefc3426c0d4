// targets: sm_120f
/* The formats with scales that a warp has had since the Blackwell of workstations: mxfp8 and nvfp4. */
#include "peaks_mma.cuh"

PEAK_SCALED(peak_mma_scaled_fp8,
            "kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0")
PEAK_SCALED(peak_mma_scaled_fp4,
            "kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3")
