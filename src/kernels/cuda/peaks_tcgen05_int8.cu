// targets: sm_100a sm_110a
/* int8, which sm_103 does not have. */
#include "peaks_tcgen05.cuh"

PEAKS_5(peak_tcgen05_int8, "i8", int, 2, 1)
