#include "kernels/lanes/peak.h"

#if defined(__aarch64__)
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

static const void *const here = &here;

#define CHAINS_4(X, ...) X(0, 1, __VA_ARGS__) X(2, 3, __VA_ARGS__)
#define CHAINS_8(X, ...) CHAINS_4(X, __VA_ARGS__) X(4, 5, __VA_ARGS__) X(6, 7, __VA_ARGS__)
#define CHAINS_12(X, ...) CHAINS_8(X, __VA_ARGS__) X(8, 9, __VA_ARGS__) X(10, 11, __VA_ARGS__)
#define CHAINS_16(X, ...) CHAINS_12(X, __VA_ARGS__) X(12, 13, __VA_ARGS__) X(14, 15, __VA_ARGS__)
#define CHAINS_20(X, ...) CHAINS_16(X, __VA_ARGS__) X(16, 17, __VA_ARGS__) X(18, 19, __VA_ARGS__)
#define CHAINS_24(X, ...) CHAINS_20(X, __VA_ARGS__) X(20, 21, __VA_ARGS__) X(22, 23, __VA_ARGS__)

/* s: arrangement of the sums, w: of the factors; p: prefix of the register's name. Factor 30, term 31. */
#define LOAD(i, j, file, op, p, s, w) "ldr " file #i ", [%2]\n\tldr " file #j ", [%2]\n\t"
#define ONE(i, op, p, s, w) op " " p #i s ", " p "30" w ", " p "31" w "\n\t"
#define ONE_MERGED(i, op, p, s, w) op " " p #i s ", p0/m, " p "30" w ", " p "31" w "\n\t"
#define ONE_SUM(i, op, p, s, w) op " " p #i s ", " p #i s ", " p "31" w "\n\t"
#define ONE_SCALAR(i, op, p, s, w) op " " p #i ", " p #i ", " p "30, " p "31\n\t"
#define STEP(i, j, file, ...) ONE(i, __VA_ARGS__) ONE(j, __VA_ARGS__)
#define STEP_MERGED(i, j, file, ...) ONE_MERGED(i, __VA_ARGS__) ONE_MERGED(j, __VA_ARGS__)
#define STEP_SUM(i, j, file, ...) ONE_SUM(i, __VA_ARGS__) ONE_SUM(j, __VA_ARGS__)
#define STEP_SCALAR(i, j, file, ...) ONE_SCALAR(i, __VA_ARGS__) ONE_SCALAR(j, __VA_ARGS__)

#define CLOBBERS                                                                                             \
  "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15",      \
      "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v30", "v31", "p0"

/* file: "q" for NEON, "z" for SVE, whose registers are as wide as the processor makes them. */
#define RUN(name, chains, ...) RUN_WITH(name##_##chains, chains, "", __VA_ARGS__)
#define RUN_PACED(name, ...) RUN_WITH(name##_paced, 8, "ldr %1, [%1]\n\tldr %1, [%1]\n\t", __VA_ARGS__)
#define RUN_WITH(name, chains, pace, extension, step, file, ...)                                             \
  static void name(size_t rounds, const void *seeds, void *result) {                                         \
    const void *self = &here;                                                                                \
    const char *seed = seeds;                                                                                \
    __asm__ volatile(extension CHAINS_##chains(LOAD, file, __VA_ARGS__) "ldr " file "30, [%4]\n\tldr " file  \
                                                                        "31, [%5]\n1:\n\t" CHAINS_##chains(  \
                                                                            step, file, __VA_ARGS__) pace    \
                     "subs %0, %0, #1\n\tb.ne 1b\n\tstr " file "0, [%3]\n\tstr " file "1, [%6]"              \
                     : "+r"(rounds), "+r"(self)                                                              \
                     : "r"(seed), "r"(result), "r"(seed + RF_PEAK_BYTES), "r"(seed + 2 * RF_PEAK_BYTES),     \
                       "r"((char *)result + RF_PEAK_BYTES)                                                   \
                     : CLOBBERS, "cc", "memory");                                                            \
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

RUNS(scalar_fp64, "", STEP_SCALAR, "q", "fmadd", "d", "", "")
RUNS(scalar_fp32, "", STEP_SCALAR, "q", "fmadd", "s", "", "")
RUNS(neon_fp64, "", STEP, "q", "fmla", "v", ".2d", ".2d")
RUNS(neon_fp32, "", STEP, "q", "fmla", "v", ".4s", ".4s")
RUNS(neon_add_fp64, "", STEP_SUM, "q", "fadd", "v", ".2d", ".2d")
RUNS(neon_add_fp32, "", STEP_SUM, "q", "fadd", "v", ".4s", ".4s")
/* Has all the instructions below; which of them the processor has is known at run time. */
#define EXTENDED ".arch armv8.6-a+fp16+sve\n\t"
RUNS(neon_fp16, EXTENDED, STEP, "q", "fmla", "v", ".8h", ".8h")
RUNS(neon_int8, EXTENDED, STEP, "q", "sdot", "v", ".4s", ".16b")
RUNS(neon_bf16, EXTENDED, STEP, "q", "bfdot", "v", ".4s", ".8h")
RUNS(neon_mm_bf16, EXTENDED, STEP, "q", "bfmmla", "v", ".4s", ".8h")
RUNS(neon_mm_int8, EXTENDED, STEP, "q", "smmla", "v", ".4s", ".16b")

/* p0: all lanes. No other code knows of it: this file is not compiled for SVE. */
#define SVE EXTENDED "ptrue p0.b\n\t"
RUNS(sve_fp64, SVE, STEP_MERGED, "z", "fmla", "z", ".d", ".d")
RUNS(sve_fp32, SVE, STEP_MERGED, "z", "fmla", "z", ".s", ".s")
RUNS(sve_add_fp64, SVE, STEP_SUM, "z", "fadd", "z", ".d", ".d")
RUNS(sve_add_fp32, SVE, STEP_SUM, "z", "fadd", "z", ".s", ".s")
RUNS(sve_fp16, SVE, STEP_MERGED, "z", "fmla", "z", ".h", ".h")
RUNS(sve_int8, SVE, STEP, "z", "sdot", "z", ".s", ".b")
RUNS(sve_bf16, SVE, STEP, "z", "bfdot", "z", ".s", ".h")
RUNS(sve_mm_bf16, SVE, STEP, "z", "bfmmla", "z", ".s", ".h")
RUNS(sve_mm_int8, SVE, STEP, "z", "smmla", "z", ".s", ".b")

/* Rates: constants into every register. */
#define STEP_ROOT(i, j, file, op, p, s, w)                                                                   \
  op " " p #i s ", " p "31" w "\n\t" op " " p #j s ", " p "31" w "\n\t"
RUN(neon_add_int32, 8, "", STEP, "q", "add", "v", ".4s", ".4s")
RUN(neon_mul_int32, 8, "", STEP, "q", "mul", "v", ".4s", ".4s")
RUN(neon_add_int64, 8, "", STEP, "q", "add", "v", ".2d", ".2d")
RUN(neon_div_fp32, 8, "", STEP, "q", "fdiv", "v", ".4s", ".4s")
RUN(neon_div_fp64, 8, "", STEP, "q", "fdiv", "v", ".2d", ".2d")
RUN(neon_root_fp32, 8, "", STEP_ROOT, "q", "fsqrt", "v", ".4s", ".4s")
RUN(neon_root_fp64, 8, "", STEP_ROOT, "q", "fsqrt", "v", ".2d", ".2d")

#define SCALAR_TWICE(step) step step
#define SCALAR_EIGHT(step) SCALAR_TWICE(SCALAR_TWICE(SCALAR_TWICE(step)))
#define SCALAR_RATE(name, type, step)                                                                        \
  static void name(size_t rounds, const void *seeds, void *result) {                                         \
    const type *factor = (const type *)((const char *)seeds + RF_PEAK_BYTES);                                \
    const type *term = (const type *)((const char *)seeds + 2 * RF_PEAK_BYTES);                              \
    type out;                                                                                                \
    __asm__ volatile("1:\n\t" SCALAR_EIGHT(step) "subs %0, %0, #1\n\tb.ne 1b"                                \
                     : "+r"(rounds), "=&r"(out)                                                              \
                     : "r"(*factor), "r"(*term)                                                              \
                     : "cc");                                                                                \
    memcpy(result, &out, sizeof out);                                                                        \
    memcpy((char *)result + RF_PEAK_BYTES, &out, sizeof out);                                                \
  }
SCALAR_RATE(scalar_mul_int64, uint64_t, "mul %1, %2, %3\n\t")
SCALAR_RATE(scalar_div_int32, uint32_t, "udiv %w1, %w2, %w3\n\t")
SCALAR_RATE(scalar_div_int64, uint64_t, "udiv %1, %2, %3\n\t")

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

static bool has_i8mm(void) {
  return (getauxval(AT_HWCAP2) >> 13 & 1) != 0; /* I8MM */
}

/** Bits of an SVE register here, 0 without SVE. */
static int sve_bits(void) {
  bool sve = (getauxval(AT_HWCAP) >> 22 & 1) != 0;
  return sve ? (prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK) * 8 : 0;
}

#define SVE_WIDTH(width)                                                                                     \
  static bool has_sve_##width(void) {                                                                        \
    return sve_bits() == (width);                                                                            \
  }                                                                                                          \
  static bool has_sve_bf16_##width(void) {                                                                   \
    return has_sve_##width() && (getauxval(AT_HWCAP2) >> 12 & 1) != 0; /* SVEBF16 */                         \
  }                                                                                                          \
  static bool has_sve_i8mm_##width(void) {                                                                   \
    return has_sve_##width() && (getauxval(AT_HWCAP2) >> 9 & 1) != 0; /* SVEI8MM */                          \
  }
SVE_WIDTH(128)
SVE_WIDTH(256)
SVE_WIDTH(512)

#define ROW(isa, dtype, form, bits, operations, available, stem)                                             \
  { isa, dtype, form, bits, operations, available, NULL, 2, stem##_paced, WAYS(stem) }
#define SVE_ROWS(bits)                                                                                       \
  ROW("SVE", ROOF_FP64, RF_PEAK_FMA, bits, bits / 32, has_sve_##bits, sve_fp64),                             \
      ROW("SVE", ROOF_FP32, RF_PEAK_FMA, bits, bits / 16, has_sve_##bits, sve_fp32),                         \
      ROW("SVE add", ROOF_FP64, RF_PEAK_ADD, bits, bits / 64, has_sve_##bits, sve_add_fp64),                 \
      ROW("SVE add", ROOF_FP32, RF_PEAK_ADD, bits, bits / 32, has_sve_##bits, sve_add_fp32),                 \
      ROW("SVE", ROOF_FP16, RF_PEAK_FMA, bits, bits / 8, has_sve_##bits, sve_fp16),                          \
      ROW("SVE SDOT", ROOF_INT8, RF_PEAK_DOT, bits, bits / 4, has_sve_##bits, sve_int8),                     \
      ROW("SVE SMMLA", ROOF_INT8, RF_PEAK_DOT, bits, bits / 2, has_sve_i8mm_##bits, sve_mm_int8),            \
      ROW("SVE BFDOT", ROOF_BF16, RF_PEAK_DOT, bits, bits / 8, has_sve_bf16_##bits, sve_bf16),               \
      ROW("SVE BFMMLA", ROOF_BF16, RF_PEAK_DOT, bits, bits / 4, has_sve_bf16_##bits, sve_mm_bf16)

const rf_peak_kernel rf_peak_kernels_here[] = {
    ROW("scalar FMA", ROOF_FP64, RF_PEAK_FMA, 64, 2, any, scalar_fp64),
    ROW("scalar FMA", ROOF_FP32, RF_PEAK_FMA, 64, 2, any, scalar_fp32),
    ROW("NEON", ROOF_FP64, RF_PEAK_FMA, 128, 4, any, neon_fp64),
    ROW("NEON", ROOF_FP32, RF_PEAK_FMA, 128, 8, any, neon_fp32),
    ROW("NEON add", ROOF_FP64, RF_PEAK_ADD, 128, 2, any, neon_add_fp64),
    ROW("NEON add", ROOF_FP32, RF_PEAK_ADD, 128, 4, any, neon_add_fp32),
    ROW("NEON FP16", ROOF_FP16, RF_PEAK_FMA, 128, 16, has_fp16, neon_fp16),
    ROW("NEON SDOT", ROOF_INT8, RF_PEAK_DOT, 128, 32, has_dot, neon_int8),
    ROW("NEON SMMLA", ROOF_INT8, RF_PEAK_DOT, 128, 64, has_i8mm, neon_mm_int8),
    ROW("NEON BFDOT", ROOF_BF16, RF_PEAK_DOT, 128, 16, has_bf16, neon_bf16),
    ROW("NEON BFMMLA", ROOF_BF16, RF_PEAK_DOT, 128, 32, has_bf16, neon_mm_bf16),
    SVE_ROWS(128),
    SVE_ROWS(256),
    SVE_ROWS(512),
    {.isa = NULL},
};

#define RATE(name, isa, type, lanes, stem)                                                                   \
  { name, isa, RF_RATE_##type, 8.0 * (lanes), any, stem }

const rf_rate_kernel rf_rate_kernels_here[] = {
    RATE("int32 add", "NEON", INT32, 4, neon_add_int32_8),
    RATE("int32 multiply", "NEON", INT32, 4, neon_mul_int32_8),
    RATE("int32 divide", "scalar", INT32, 1, scalar_div_int32),
    RATE("int64 add", "NEON", INT64, 2, neon_add_int64_8),
    RATE("int64 multiply", "scalar", INT64, 1, scalar_mul_int64),
    RATE("int64 divide", "scalar", INT64, 1, scalar_div_int64),
    RATE("fp32 divide", "NEON", FP32, 4, neon_div_fp32_8),
    RATE("fp32 square root", "NEON", FP32, 4, neon_root_fp32_8),
    RATE("fp64 divide", "NEON", FP64, 2, neon_div_fp64_8),
    RATE("fp64 square root", "NEON", FP64, 2, neon_root_fp64_8),
    {.isa = NULL},
};
#endif
