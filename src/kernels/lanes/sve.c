/* SVE moves bytes; its registers have as many bits as the processor gives them, so that the loops of body.h,
 * which keep arrays of registers, are NEON's. */
#include "kernels/lanes/lanes.h"

#if defined(RF_LANES_SVE)
#include <arm_sve.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#define TARGET __attribute__((target("+sve")))
#define INLINE TARGET static inline __attribute__((always_inline))
#define AHEAD(p) __builtin_prefetch((const char *)(p) + 1024)
#define FENCE
#define REGISTER(v) "w"(v)

#define T double
#define NAME(x) x##_sve
#define V svfloat64_t
#define BYTES svcntb()
#define W svcntd()
#define ALL svptrue_b64()
#define SET1(s) svdup_f64(s)
#define LOAD(p) svld1_f64(ALL, p)
#define STORE(p, v) svst1_f64(ALL, p, v)
#define NEGATE(v) svneg_f64_x(ALL, v)
#define FMA(a, b, c) svmla_f64_x(ALL, c, a, b)

INLINE void NAME(put)(T *p, V v, bool stream) {
  if (stream) {
    svstnt1_f64(ALL, p, v);
  } else {
    STORE(p, v);
  }
}

#define MOVES_BYTES
#include "kernels/lanes/transfers.h"

/** Registers of at most 64 bytes: sixteen of them are the 1024 bytes that a span is a multiple of. */
static bool available(void) {
  enum { SVE = 22, WIDEST = 64 };
  if ((getauxval(AT_HWCAP) >> SVE & 1) == 0) {
    return false;
  }
  int bytes = prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK;
  return bytes <= WIDEST && (bytes & (bytes - 1)) == 0;
}

const rf_lanes rf_lanes_sve = {"SVE", true, available, NULL, NULL, transfers};
#endif
