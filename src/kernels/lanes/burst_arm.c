#include "kernels/lanes/burst.h"

#if defined(__aarch64__)
#include <sys/auxv.h>

static const void *const here = &here;

#define CHAINS_4(X, ...) X(0, 1, __VA_ARGS__) X(2, 3, __VA_ARGS__)
#define CHAINS_8(X, ...) CHAINS_4(X, __VA_ARGS__) X(4, 5, __VA_ARGS__) X(6, 7, __VA_ARGS__)
#define CHAINS_12(X, ...) CHAINS_8(X, __VA_ARGS__) X(8, 9, __VA_ARGS__) X(10, 11, __VA_ARGS__)
#define CHAINS_16(X, ...) CHAINS_12(X, __VA_ARGS__) X(12, 13, __VA_ARGS__) X(14, 15, __VA_ARGS__)
#define CHAINS_20(X, ...) CHAINS_16(X, __VA_ARGS__) X(16, 17, __VA_ARGS__) X(18, 19, __VA_ARGS__)
#define CHAINS_24(X, ...) CHAINS_20(X, __VA_ARGS__) X(20, 21, __VA_ARGS__) X(22, 23, __VA_ARGS__)

/* s: arrangement of the sums, w: of the factors; p: prefix of the register's name. Factor 30, term 31. */
#define LOAD(i, j, op, p, s, w) "ldr q" #i ", [%2]\n\tldr q" #j ", [%2]\n\t"
#define ONE(i, op, p, s, w) op " " p #i s ", " p "30" w ", " p "31" w "\n\t"
#define ONE_SUM(i, op, p, s, w) op " " p #i s ", " p #i s ", " p "31" w "\n\t"
#define ONE_SCALAR(i, op, p, s, w) op " " p #i ", " p #i ", " p "30, " p "31\n\t"
#define STEP(i, j, ...) ONE(i, __VA_ARGS__) ONE(j, __VA_ARGS__)
#define STEP_SUM(i, j, ...) ONE_SUM(i, __VA_ARGS__) ONE_SUM(j, __VA_ARGS__)
#define STEP_SCALAR(i, j, ...) ONE_SCALAR(i, __VA_ARGS__) ONE_SCALAR(j, __VA_ARGS__)

#define CLOBBERS                                                                                             \
  "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15",      \
      "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v30", "v31"

#define RUN(name, chains, ...) RUN_WITH(name##_##chains, chains, "", __VA_ARGS__)
#define RUN_PACED(name, ...) RUN_WITH(name##_paced, 8, "ldr %1, [%1]\n\tldr %1, [%1]\n\t", __VA_ARGS__)
#define RUN_WITH(name, chains, pace, extension, step, ...)                                                   \
  static void name(size_t rounds, const void *seeds, void *result) {                                         \
    const void *self = &here;                                                                                \
    __asm__ volatile(                                                                                        \
        extension CHAINS_##chains(                                                                           \
            LOAD,                                                                                            \
            __VA_ARGS__) "ldr q30, [%2, 1024]\n\tldr q31, [%2, 2048]\n1:\n\t" CHAINS_##chains(step,          \
                                                                                              __VA_ARGS__)   \
            pace "subs %0, %0, #1\n\tb.ne 1b\n\tstr q0, [%3]\n\tstr q1, [%3, 1024]"                          \
        : "+r"(rounds), "+r"(self)                                                                           \
        : "r"(seeds), "r"(result)                                                                            \
        : CLOBBERS, "cc", "memory");                                                                         \
  }
#define RUNS(name, ...)                                                                                      \
  RUN_PACED(name, __VA_ARGS__)                                                                               \
  RUN(name, 4, __VA_ARGS__)                                                                                  \
  RUN(name, 8, __VA_ARGS__)                                                                                  \
  RUN(name, 12, __VA_ARGS__)                                                                                 \
  RUN(name, 16, __VA_ARGS__)                                                                                 \
  RUN(name, 20, __VA_ARGS__)                                                                                 \
  RUN(name, 24, __VA_ARGS__)
#define WAYS(name)                                                                                           \
  { {4, name##_4}, {8, name##_8}, {12, name##_12}, {16, name##_16}, {20, name##_20}, {24, name##_24}, }

RUNS(scalar_fp64, "", STEP_SCALAR, "fmadd", "d", "", "")
RUNS(scalar_fp32, "", STEP_SCALAR, "fmadd", "s", "", "")
RUNS(neon_fp64, "", STEP, "fmla", "v", ".2d", ".2d")
RUNS(neon_fp32, "", STEP, "fmla", "v", ".4s", ".4s")
RUNS(neon_add_fp64, "", STEP_SUM, "fadd", "v", ".2d", ".2d")
RUNS(neon_add_fp32, "", STEP_SUM, "fadd", "v", ".4s", ".4s")
RUNS(neon_fp16, ".arch armv8.2-a+fp16\n\t", STEP, "fmla", "v", ".8h", ".8h")
RUNS(neon_int8, ".arch armv8.2-a+dotprod\n\t", STEP, "sdot", "v", ".4s", ".16b")
RUNS(neon_bf16, ".arch armv8.2-a+bf16\n\t", STEP, "bfdot", "v", ".4s", ".8h")

static bool any(void) {
  return true;
}

static bool has_fp16(void) {
  return (getauxval(AT_HWCAP) >> 10 & 1) != 0; /* ASIMDHP */
}

static bool has_dot(void) {
  return (getauxval(AT_HWCAP) >> 20 & 1) != 0; /* ASIMDDP */
}

static bool has_bf16(void) {
  return (getauxval(AT_HWCAP2) >> 14 & 1) != 0; /* BF16 */
}

#define ROW(isa, dtype, form, bits, operations, available, stem)                                             \
  { isa, dtype, form, bits, operations, available, NULL, 2, stem##_paced, WAYS(stem) }

const roof_burst roof_bursts_here[] = {
    ROW("scalar FMA", ROOF_FP64, ROOF_BURST_FMA, 64, 2, any, scalar_fp64),
    ROW("scalar FMA", ROOF_FP32, ROOF_BURST_FMA, 64, 2, any, scalar_fp32),
    ROW("NEON", ROOF_FP64, ROOF_BURST_FMA, 128, 4, any, neon_fp64),
    ROW("NEON", ROOF_FP32, ROOF_BURST_FMA, 128, 8, any, neon_fp32),
    ROW("NEON add", ROOF_FP64, ROOF_BURST_ADD, 128, 2, any, neon_add_fp64),
    ROW("NEON add", ROOF_FP32, ROOF_BURST_ADD, 128, 4, any, neon_add_fp32),
    ROW("NEON FP16", ROOF_FP16, ROOF_BURST_FMA, 128, 16, has_fp16, neon_fp16),
    ROW("NEON DotProd", ROOF_INT8, ROOF_BURST_DOT, 128, 32, has_dot, neon_int8),
    ROW("NEON BF16", ROOF_BF16, ROOF_BURST_DOT, 128, 16, has_bf16, neon_bf16),
    {.isa = NULL},
};
#endif
