/** What the loops of fp32 need in addition to an instruction set's registers. No include guard: each source
 *  of this folder includes it once, after it defines what body.h asks of the instruction set; the constants
 *  of exp are those of Cody and Waite's reduction. */
#define T float
#define BITS uint32_t
#define NAME(x) x##_fp32
#define EXPONENT_SHIFT 23
#define EXPONENT_BIAS 127
#define ROUNDER 0x1.8p23f
#define LN2_HIGH 0.693359375f
#define LN2_LOW -2.12194440e-4f
#define LEAST -87
#define LOWEST (-FLT_MAX)
#define DEGREE 7
#include "kernels/lanes/body.h"
