/** What the loops of fp64 need in addition to an instruction set's registers. No include guard: each source
 *  of this folder includes it once, after it defines what body.h asks of the instruction set; the constants
 *  of exp are those of Cody and Waite's reduction. */
#define T double
#define BITS uint64_t
#define NAME(x) x##_fp64
#define EXPONENT_SHIFT 52
#define EXPONENT_BIAS 1023
#define ROUNDER 0x1.8p52
#define LN2_HIGH 0x1.62e42fefa3800p-1
#define LN2_LOW 0x1.ef35793c76730p-45
#define LEAST -708
#define LOWEST (-DBL_MAX)
#define DEGREE 12
#define MOVES_BYTES /* the format that transfers.h is compiled for */
#include "kernels/lanes/body.h"
#undef MOVES_BYTES
