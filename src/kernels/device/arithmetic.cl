// formats: fp64 fp32 int8 opencl:fp16
/* Multiply-adds on registers, in independent chains: within a chain each waits for the one before. The numbers are random, from -1
 * to 1, and differ between chains. A work-item adds up all its chains and stores the sum only if it is above `keep`: all do in a
 * check, none while timing. A compiler cannot know which, and so must keep every multiply-add. All work-groups do the same. */
#define STEPS 16

#if defined(TYPE_INT8)
#define CHAIN(C, W)                                                                                          \
  KERNEL_OF(256, arithmetic_##C##_##W)(GLOBAL const int *RESTRICT numbers, GLOBAL int *RESTRICT out, int rounds, \
                               int keep) {                                                                   \
    WORDS_##W sums[C], factor = WORDS_SPREAD_##W(numbers[ITEM_X]),                                           \
                       term = WORDS_SPREAD_##W(numbers[ITEM_X + ITEMS_X]);                                   \
    GLOBAL const int *first = numbers + 2 * ITEMS_X + ITEM_X * (C * W);                                      \
    UNROLL for (int i = 0; i < C; i++) {                                                                     \
      sums[i] = WORDS_LOAD_##W(first + i * W);                                                               \
    }                                                                                                        \
    for (int round = 0; round < rounds; round++) {                                                           \
      UNROLL for (int step = 0; step < STEPS; step++) {                                                      \
        UNROLL for (int i = 0; i < C; i++) {                                                                 \
          sums[i] = DOT4(factor, sums[i], term);                                                             \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
    UNROLL for (int i = 1; i < C; i++) {                                                                     \
      sums[0] ^= sums[i];                                                                                    \
    }                                                                                                        \
    int all = WORDS_TOTAL_##W(sums[0]);                                                                      \
    if (all >= keep) {                                                                                       \
      out[ITEM_X] = all;                                                                                     \
    }                                                                                                        \
  }
CHAIN(1, 1)
CHAIN(2, 1)
CHAIN(4, 1)
CHAIN(8, 1)
#if defined(WORDS_LOAD_16)
CHAIN(1, 16)
CHAIN(2, 16)
CHAIN(4, 16)
#endif
#else
#define CHAIN(C, W)                                                                                          \
  KERNEL_OF(256, arithmetic_##C##_##W)(GLOBAL const ELEMENT *RESTRICT numbers, GLOBAL float *RESTRICT out,    \
                               int rounds, float keep) {                                                     \
    VECTOR_##W sums[C], factor = SPREAD_##W(numbers[ITEM_X]), term = SPREAD_##W(numbers[ITEM_X + ITEMS_X]);  \
    GLOBAL const ELEMENT *first = numbers + 2 * ITEMS_X + ITEM_X * (C * W);                                  \
    UNROLL for (int i = 0; i < C; i++) {                                                                     \
      sums[i] = VECTOR_LOAD_##W(first + i * W);                                                              \
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
    float all = VECTOR_TOTAL_##W(sums[0]);                                                                   \
    if (all > keep) {                                                                                        \
      out[ITEM_X] = all;                                                                                     \
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
#if !defined(TYPE_FP64)
CHAIN(8, 16)
#endif
#endif
