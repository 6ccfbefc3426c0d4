// formats: fp64 fp32 int8
/* Multiply-adds from registers: CHAINS of them, each waiting for its own one before, on numbers of memory that are near 1 and
 * whose result is stored only if it is what it never is. */
#define STEPS 16

#if defined(TYPE_INT8)
#define CHAIN(C)                                                                                             \
  KERNEL(arithmetic_##C##_1)(GLOBAL const int *RESTRICT numbers, GLOBAL int *RESTRICT out, int rounds) {     \
    int sums[C], factor = numbers[LANE_X], term = numbers[LANE_X + LANES_X];                                 \
    UNROLL for (int i = 0; i < C; i++) {                                                                     \
      sums[i] = numbers[LANE_X + 2 * LANES_X + i];                                                           \
    }                                                                                                        \
    for (int round = 0; round < rounds; round++) {                                                           \
      UNROLL for (int step = 0; step < STEPS; step++) {                                                      \
        UNROLL for (int i = 0; i < C; i++) {                                                                 \
          sums[i] = DOT4(factor, sums[i], term);                                                             \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
    int all = 0;                                                                                             \
    UNROLL for (int i = 0; i < C; i++) {                                                                     \
      all ^= sums[i];                                                                                        \
    }                                                                                                        \
    if (all == 0x7ABCDEF1) {                                                                                 \
      out[0] = all;                                                                                          \
    }                                                                                                        \
  }
CHAIN(1)
CHAIN(2)
CHAIN(4)
CHAIN(8)
#else
#define CHAIN(C, W)                                                                                          \
  KERNEL(arithmetic_##C##_##W)(GLOBAL const REAL *RESTRICT numbers, GLOBAL VECTOR_##W *RESTRICT out,         \
                               int rounds) {                                                                 \
    VECTOR_##W sums[C], factor = SPREAD_##W(numbers[LANE_X]), term = SPREAD_##W(numbers[LANE_X + LANES_X]);  \
    UNROLL for (int i = 0; i < C; i++) {                                                                     \
      sums[i] = SPREAD_##W(numbers[LANE_X + 2 * LANES_X + i]);                                               \
    }                                                                                                        \
    for (int round = 0; round < rounds; round++) {                                                           \
      UNROLL for (int step = 0; step < STEPS; step++) {                                                      \
        UNROLL for (int i = 0; i < C; i++) {                                                                 \
          sums[i] = VECTOR_FMA(sums[i], factor, term);                                                       \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
    UNROLL for (int i = 1; i < C; i++) {                                                                     \
      sums[0] = VECTOR_ADD(sums[0], sums[i]);                                                                \
    }                                                                                                        \
    if (rounds < 0) {                                                                                        \
      out[LANE_X] = sums[0];                                                                                 \
    }                                                                                                        \
  }
CHAIN(1, 1)
CHAIN(2, 1)
CHAIN(4, 1)
CHAIN(8, 1)
CHAIN(16, 1)
CHAIN(1, 4)
CHAIN(2, 4)
CHAIN(4, 4)
CHAIN(8, 4)
CHAIN(1, 16)
CHAIN(2, 16)
CHAIN(4, 16)
CHAIN(8, 16)
#endif
