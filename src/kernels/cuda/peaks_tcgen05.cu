// targets: sm_100f sm_110f
/* The formats that all chips of tcgen05's families have. */
#include "peaks_tcgen05.cuh"

PEAKS_5(peak_tcgen05_tf32, "tf32", float, 1, 2)
PEAKS_5(peak_tcgen05_fp16, "f16", float, 1, 0)
PEAKS_5(peak_tcgen05_bf16, "f16", float, 1, 1)
PEAKS_5(peak_tcgen05_fp8, "f8f6f4", float, 1, 0)
PEAKS_5_SCALED(peak_tcgen05_fp4, "mxf4nvf4.block_scale.block16", 1)
