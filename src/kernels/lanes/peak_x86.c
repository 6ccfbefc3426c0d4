#include "kernels/lanes/peak.h"

#if defined(__x86_64__)
#include <string.h>

#include "kernels/lanes/x86.h"

/* Not on the stack: recent cores keep what was stored there in registers. */
static const void *const here = &here;

/* A chain macro takes two chains i and j, the register class r and the registers f and t of factor and term.
 */
#define CHAINS_4(X, ...) X(0, 1, __VA_ARGS__) X(2, 3, __VA_ARGS__)
#define CHAINS_6(X, ...) CHAINS_4(X, __VA_ARGS__) X(4, 5, __VA_ARGS__)
#define CHAINS_8(X, ...) CHAINS_6(X, __VA_ARGS__) X(6, 7, __VA_ARGS__)
#define CHAINS_10(X, ...) CHAINS_8(X, __VA_ARGS__) X(8, 9, __VA_ARGS__)
#define CHAINS_12(X, ...) CHAINS_10(X, __VA_ARGS__) X(10, 11, __VA_ARGS__)
#define CHAINS_14(X, ...) CHAINS_12(X, __VA_ARGS__) X(12, 13, __VA_ARGS__)
#define CHAINS_16(X, ...) CHAINS_14(X, __VA_ARGS__) X(14, 15, __VA_ARGS__)
#define CHAINS_20(X, ...) CHAINS_16(X, __VA_ARGS__) X(16, 17, __VA_ARGS__) X(18, 19, __VA_ARGS__)
#define CHAINS_24(X, ...) CHAINS_20(X, __VA_ARGS__) X(20, 21, __VA_ARGS__) X(22, 23, __VA_ARGS__)

#define ONE_THREE(i, op, r, f, t) op " %%" r t ", %%" r f ", %%" r #i "\n\t"
#define ONE_LEGACY(i, mul, add, r, f, t) mul " %%" r f ", %%" r #i "\n\t" add " %%" r t ", %%" r #i "\n\t"
#define ONE_TWO(i, op, r, with) op " %%" r with ", %%" r #i ", %%" r #i "\n\t"

#define LOAD(i, j, r, f, t, op, add) "vmovups (%2), %%" r #i "\n\tvmovups (%2), %%" r #j "\n\t"
#define LOAD_LEGACY(i, j, r, f, t, op, add) "movups (%2), %%" r #i "\n\tmovups (%2), %%" r #j "\n\t"
#define FUSED(i, j, r, f, t, op, add) ONE_THREE(i, op, r, f, t) ONE_THREE(j, op, r, f, t)
#define SUM(i, j, r, f, t, op, add) ONE_TWO(i, add, r, t) ONE_TWO(j, add, r, t)
#define PRODUCT(i, j, r, f, t, op, add) ONE_TWO(i, op, r, f) ONE_TWO(j, op, r, f)
#define BOTH(i, j, r, f, t, op, add) ONE_THREE(i, op, r, f, t) ONE_TWO(j, add, r, t)
#define APART(i, j, r, f, t, op, add) ONE_LEGACY(i, op, add, r, f, t) ONE_LEGACY(j, op, add, r, f, t)

#define LOW_CLOBBERS()                                                                                       \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", \
      "xmm13", "xmm14", "xmm15"
#define HIGH_CLOBBERS()                                                                                      \
  LOW_CLOBBERS(), "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm30", "xmm31"

#define RUN_WITH(name, chains, pace, targets, clobbers, move, load, end, step, ...)                          \
  __attribute__((target(targets))) static void name(size_t rounds, const void *seeds, void *result) {        \
    const void *self = &here;                                                                                \
    __asm__ volatile(CHAINS_##chains(load, __VA_ARGS__) CONSTANTS(                                           \
                         move, __VA_ARGS__) ".p2align 5\n1:\n\t" CHAINS_##chains(step, __VA_ARGS__) pace     \
                     "dec %0\n\tjnz 1b\n\t" RESULTS(move, __VA_ARGS__) end                                   \
                     : "+r"(rounds), "+r"(self)                                                              \
                     : "r"(seeds), "r"(result)                                                               \
                     : clobbers(), "cc", "memory");                                                          \
  }
#define RUN(name, chains, ...) RUN_WITH(name##_##chains, chains, "", __VA_ARGS__)
#define LOAD_SELF "mov (%1), %1\n\t"
#define RUN_PACED(name, chains, ...) RUN_WITH(name##_paced, chains, LOAD_SELF LOAD_SELF, __VA_ARGS__)
#define CONSTANTS(move, r, f, t, op, add) move " 1024(%2), %%" r f "\n\t" move " 2048(%2), %%" r t "\n\t"
#define RESULTS(move, r, f, t, op, add) move " %%" r "0, (%3)\n\t" move " %%" r "1, 1024(%3)\n\t"

#define RUNS_LOW(name, ...)                                                                                  \
  RUN_PACED(name, 8, __VA_ARGS__)                                                                            \
  RUN(name, 4, __VA_ARGS__)                                                                                  \
  RUN(name, 6, __VA_ARGS__)                                                                                  \
  RUN(name, 8, __VA_ARGS__)                                                                                  \
  RUN(name, 10, __VA_ARGS__)                                                                                 \
  RUN(name, 12, __VA_ARGS__)                                                                                 \
  RUN(name, 14, __VA_ARGS__)
#define WAYS_LOW(name)                                                                                       \
  { {4, name##_4}, {6, name##_6}, {8, name##_8}, {10, name##_10}, {12, name##_12}, {14, name##_14}, }
#define RUNS_HIGH(name, paced, ...)                                                                          \
  RUN_PACED(name, paced, __VA_ARGS__)                                                                        \
  RUN(name, 4, __VA_ARGS__)                                                                                  \
  RUN(name, 6, __VA_ARGS__)                                                                                  \
  RUN(name, 8, __VA_ARGS__)                                                                                  \
  RUN(name, 10, __VA_ARGS__)                                                                                 \
  RUN(name, 12, __VA_ARGS__)                                                                                 \
  RUN(name, 16, __VA_ARGS__)                                                                                 \
  RUN(name, 20, __VA_ARGS__)                                                                                 \
  RUN(name, 24, __VA_ARGS__)
#define WAYS_HIGH(name)                                                                                      \
  {                                                                                                          \
    {4, name##_4}, {6, name##_6}, {8, name##_8}, {10, name##_10}, {12, name##_12}, {16, name##_16},          \
        {20, name##_20}, {24, name##_24},                                                                    \
  }

#define LEGACY(name, mul, add)                                                                               \
  RUNS_LOW(name, "sse2", LOW_CLOBBERS, "movups", LOAD_LEGACY, "", APART, "xmm", "14", "15", mul, add)
#define MIDDLE(name, targets, step, r, op, add)                                                              \
  RUNS_LOW(name, targets, LOW_CLOBBERS, "vmovups", LOAD, "vzeroupper", step, r, "14", "15", op, add)
#define WIDE(name, paced, targets, step, op, add)                                                            \
  RUNS_HIGH(name, paced, targets, HIGH_CLOBBERS, "vmovups", LOAD, "vzeroupper", step, "zmm", "30", "31", op, \
            add)

LEGACY(scalar_fp64, "mulsd", "addsd")
LEGACY(scalar_fp32, "mulss", "addss")
LEGACY(sse2_fp64, "mulpd", "addpd")
LEGACY(sse2_fp32, "mulps", "addps")
MIDDLE(scalar_fma_fp64, "fma", FUSED, "xmm", "vfmadd213sd", "")
MIDDLE(scalar_fma_fp32, "fma", FUSED, "xmm", "vfmadd213ss", "")
MIDDLE(avx2_fma_fp64, "avx2,fma", FUSED, "ymm", "vfmadd213pd", "")
MIDDLE(avx2_fma_fp32, "avx2,fma", FUSED, "ymm", "vfmadd213ps", "")
MIDDLE(avx2_add_fp64, "avx2", SUM, "ymm", "", "vaddpd")
MIDDLE(avx2_add_fp32, "avx2", SUM, "ymm", "", "vaddps")
MIDDLE(avx2_mul_fp64, "avx2", PRODUCT, "ymm", "vmulpd", "")
MIDDLE(avx2_mul_fp32, "avx2", PRODUCT, "ymm", "vmulps", "")
MIDDLE(avx2_both_fp64, "avx2,fma", BOTH, "ymm", "vfmadd213pd", "vaddpd")
MIDDLE(avx2_both_fp32, "avx2,fma", BOTH, "ymm", "vfmadd213ps", "vaddps")
MIDDLE(avx_vnni, "avx2,avxvnni", FUSED, "ymm", "%{vex%} vpdpbusd", "")
WIDE(avx512_fma_fp64, 8, "avx512f", FUSED, "vfmadd213pd", "")
WIDE(avx512_fma_fp32, 8, "avx512f", FUSED, "vfmadd213ps", "")
WIDE(avx512_add_fp64, 8, "avx512f", SUM, "", "vaddpd")
WIDE(avx512_add_fp32, 8, "avx512f", SUM, "", "vaddps")
WIDE(avx512_mul_fp64, 8, "avx512f", PRODUCT, "vmulpd", "")
WIDE(avx512_mul_fp32, 8, "avx512f", PRODUCT, "vmulps", "")
WIDE(avx512_both_fp64, 8, "avx512f", BOTH, "vfmadd213pd", "vaddpd")
WIDE(avx512_both_fp32, 8, "avx512f", BOTH, "vfmadd213ps", "vaddps")
WIDE(avx512_vnni, 8, "avx512f,avx512vnni", FUSED, "vpdpbusd", "")
WIDE(avx512_bf16, 4, "avx512f,avx512bf16", FUSED, "vdpbf16ps", "")
WIDE(avx512_fp16, 8, "avx512f,avx512fp16", FUSED, "vfmadd213ph", "")

/* Sums in tiles 0 to 5, factors in tiles 6 and 7. A thread loads the shapes of its tiles each time. */
#define TILE_ZERO(i) "tilezero %%tmm" #i "\n\t"
#define TILE_BF16(i) "tdpbf16ps %%tmm7, %%tmm6, %%tmm" #i "\n\t"
#define TILE_INT8(i) "tdpbssd %%tmm7, %%tmm6, %%tmm" #i "\n\t"
#define TILES_1(X) X(0)
#define TILES_2(X) TILES_1(X) X(1)
#define TILES_3(X) TILES_2(X) X(2)
#define TILES_4(X) TILES_3(X) X(3)
#define TILES_6(X) TILES_4(X) X(4) X(5)

#define TILE_RUN(name, count, step) TILE_RUN_WITH(name##_##count, count, step, "")
#define TILE_RUN_WITH(name, count, step, pace)                                                               \
  __attribute__((target("amx-tile,amx-bf16,amx-int8"))) static void name(size_t rounds, const void *seeds,   \
                                                                         void *result) {                     \
    const void *self = &here;                                                                                \
    __asm__ volatile("ldtilecfg (%4)\n\ttileloadd 1024(%2, %5, 1), %%tmm6\n\t"                               \
                     "tileloadd 2048(%2, %5, 1), %%tmm7\n\t" TILES_6(TILE_ZERO) "1:\n\t" TILES_##count(step) \
                         pace "dec %0\n\tjnz 1b\n\ttilestored %%tmm0, (%3, %5, 1)\n\t"                       \
                              "tilestored %%tmm0, 1024(%3, %5, 1)\n\ttilerelease"                            \
                     : "+r"(rounds), "+r"(self)                                                              \
                     : "r"(seeds), "r"(result), "r"(&rf_x86_whole_tiles), "r"((size_t)64)                    \
                     : "cc", "memory");                                                                      \
  }
#define LOAD_SELF_7 LOAD_SELF LOAD_SELF LOAD_SELF LOAD_SELF LOAD_SELF LOAD_SELF LOAD_SELF
#define TILE_RUNS(name, step)                                                                                \
  TILE_RUN_WITH(name##_paced, 2, step, LOAD_SELF_7 LOAD_SELF_7)                                              \
  TILE_RUN(name, 1, step)                                                                                    \
  TILE_RUN(name, 2, step)                                                                                    \
  TILE_RUN(name, 3, step) TILE_RUN(name, 4, step) TILE_RUN(name, 6, step)
#define TILE_WAYS(name)                                                                                      \
  { {1, name##_1}, {2, name##_2}, {3, name##_3}, {4, name##_4}, {6, name##_6}, }

TILE_RUNS(amx_bf16, TILE_BF16)
TILE_RUNS(amx_int8, TILE_INT8)

/* Rates: constants f and t into every register. */
#define OPERATION(i, j, r, f, t, op, add)                                                                    \
  op " %%" r t ", %%" r f ", %%" r #i "\n\t" op " %%" r t ", %%" r f ", %%" r #j "\n\t"
#define ROOT(i, j, r, f, t, op, add) op " %%" r t ", %%" r #i "\n\t" op " %%" r t ", %%" r #j "\n\t"
#define MIDDLE_RATE(name, step, op)                                                                          \
  RUN(name, 8, "avx2", LOW_CLOBBERS, "vmovups", LOAD, "vzeroupper", step, "ymm", "14", "15", op, "")
#define WIDE_RATE(name, targets, step, op)                                                                   \
  RUN(name, 8, targets, HIGH_CLOBBERS, "vmovups", LOAD, "vzeroupper", step, "zmm", "30", "31", op, "")

MIDDLE_RATE(avx2_add_int32, OPERATION, "vpaddd")
MIDDLE_RATE(avx2_mul_int32, OPERATION, "vpmulld")
MIDDLE_RATE(avx2_add_int64, OPERATION, "vpaddq")
MIDDLE_RATE(avx2_div_fp32, OPERATION, "vdivps")
MIDDLE_RATE(avx2_div_fp64, OPERATION, "vdivpd")
MIDDLE_RATE(avx2_root_fp32, ROOT, "vsqrtps")
MIDDLE_RATE(avx2_root_fp64, ROOT, "vsqrtpd")
WIDE_RATE(avx512_add_int32, "avx512f", OPERATION, "vpaddd")
WIDE_RATE(avx512_mul_int32, "avx512f", OPERATION, "vpmulld")
WIDE_RATE(avx512_add_int64, "avx512f", OPERATION, "vpaddq")
WIDE_RATE(avx512_mul_int64, "avx512f,avx512dq", OPERATION, "vpmullq")
WIDE_RATE(avx512_div_fp32, "avx512f", OPERATION, "vdivps")
WIDE_RATE(avx512_div_fp64, "avx512f", OPERATION, "vdivpd")
WIDE_RATE(avx512_root_fp32, "avx512f", ROOT, "vsqrtps")
WIDE_RATE(avx512_root_fp64, "avx512f", ROOT, "vsqrtpd")

/* Registers that the instructions do not name themselves: a, d, quotient r8 or product r8. */
#define SCALAR_TWICE(step) step step
#define SCALAR_EIGHT(step) SCALAR_TWICE(SCALAR_TWICE(SCALAR_TWICE(step)))
#define SCALAR_RATE(name, type, step)                                                                        \
  static void name(size_t rounds, const void *seeds, void *result) {                                         \
    const type *factor = (const type *)((const char *)seeds + RF_PEAK_BYTES);                                \
    const type *term = (const type *)((const char *)seeds + 2 * RF_PEAK_BYTES);                              \
    type out;                                                                                                \
    __asm__ volatile("1:\n\t" SCALAR_EIGHT(step) "dec %0\n\tjnz 1b"                                          \
                     : "+r"(rounds), "=&a"(out)                                                              \
                     : "r"(*factor), "r"(*term)                                                              \
                     : "rdx", "cc");                                                                         \
    memcpy(result, &out, sizeof out);                                                                        \
    memcpy((char *)result + RF_PEAK_BYTES, &out, sizeof out);                                                \
  }
SCALAR_RATE(scalar_mul_int64, uint64_t, "mov %2, %1\n\timul %3, %1\n\t")
SCALAR_RATE(scalar_div_int32, uint32_t, "mov %2, %1\n\txor %%edx, %%edx\n\tdiv %3\n\t")
SCALAR_RATE(scalar_div_int64, uint64_t, "mov %2, %1\n\txor %%edx, %%edx\n\tdiv %3\n\t")

static bool any(void) {
  return true;
}

static bool has_fma(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void) {
  return __builtin_cpu_supports("avx512f");
}

static bool has_avx2(void) {
  return __builtin_cpu_supports("avx2");
}

static bool has_avx512dq(void) {
  return __builtin_cpu_supports("avx512dq");
}

static bool has_vnni(void) {
  return has_avx512() && rf_x86_leaf7(0, 2, 11);
}

static bool has_bf16(void) {
  return has_avx512() && rf_x86_leaf7(1, 0, 5);
}

static bool has_fp16(void) {
  return has_avx512() && rf_x86_leaf7(0, 3, 23);
}

#define ROW(isa, dtype, form, bits, operations, available, ways, stem)                                       \
  { isa, dtype, form, bits, operations, available, NULL, 2, stem##_paced, ways(stem) }
#define PAIR(isa, suffix, form, bits, lanes64, each, available, ways, stem)                                  \
  ROW(isa suffix, ROOF_FP64, form, bits, (lanes64) * (each), available, ways, stem##_fp64),                  \
      ROW(isa suffix, ROOF_FP32, form, bits, (each) * ((lanes64) > 1 ? 2 * (lanes64) : 1), available, ways,  \
          stem##_fp32)

const rf_peak_kernel rf_peak_kernels_here[] = {
    PAIR("scalar", " mul+add", RF_PEAK_MUL_ADD, 64, 1, 2, any, WAYS_LOW, scalar),
    PAIR("scalar", " FMA", RF_PEAK_FMA, 64, 1, 2, has_fma, WAYS_LOW, scalar_fma),
    PAIR("SSE2", " mul+add", RF_PEAK_MUL_ADD, 128, 2, 2, any, WAYS_LOW, sse2),
    PAIR("AVX2", "+FMA", RF_PEAK_FMA, 256, 4, 2, has_fma, WAYS_LOW, avx2_fma),
    PAIR("AVX2", " add", RF_PEAK_ADD, 256, 4, 1, has_fma, WAYS_LOW, avx2_add),
    PAIR("AVX2", " mul", RF_PEAK_MUL, 256, 4, 1, has_fma, WAYS_LOW, avx2_mul),
    PAIR("AVX2", " FMA+ADD", RF_PEAK_FMA_ADD, 256, 4, 1.5, has_fma, WAYS_LOW, avx2_both),
    PAIR("AVX-512", "", RF_PEAK_FMA, 512, 8, 2, has_avx512, WAYS_HIGH, avx512_fma),
    PAIR("AVX-512", " add", RF_PEAK_ADD, 512, 8, 1, has_avx512, WAYS_HIGH, avx512_add),
    PAIR("AVX-512", " mul", RF_PEAK_MUL, 512, 8, 1, has_avx512, WAYS_HIGH, avx512_mul),
    PAIR("AVX-512", " FMA+ADD", RF_PEAK_FMA_ADD, 512, 8, 1.5, has_avx512, WAYS_HIGH, avx512_both),
    ROW("AVX-VNNI", ROOF_INT8, RF_PEAK_DOT, 256, 64, rf_x86_has_avx_vnni, WAYS_LOW, avx_vnni),
    ROW("AVX512-VNNI", ROOF_INT8, RF_PEAK_DOT, 512, 128, has_vnni, WAYS_HIGH, avx512_vnni),
    ROW("AVX512-BF16", ROOF_BF16, RF_PEAK_DOT, 512, 64, has_bf16, WAYS_HIGH, avx512_bf16),
    ROW("AVX512-FP16", ROOF_FP16, RF_PEAK_FMA, 512, 64, has_fp16, WAYS_HIGH, avx512_fp16),
    {"AMX", ROOF_BF16, RF_PEAK_TILE, 512, 16384, rf_x86_has_amx_bf16, rf_x86_amx_refused, 14, amx_bf16_paced,
     TILE_WAYS(amx_bf16)},
    {"AMX", ROOF_INT8, RF_PEAK_TILE, 512, 32768, rf_x86_has_amx_int8, rf_x86_amx_refused, 14, amx_int8_paced,
     TILE_WAYS(amx_int8)},
    {.isa = NULL},
};

#define RATE(name, isa, type, lanes, available, stem)                                                        \
  { name, isa, RF_RATE_##type, 8.0 * (lanes), available, stem }

const rf_rate_kernel rf_rate_kernels_here[] = {
    RATE("int32 add", "AVX2", INT32, 8, has_avx2, avx2_add_int32_8),
    RATE("int32 add", "AVX-512", INT32, 16, has_avx512, avx512_add_int32_8),
    RATE("int32 multiply", "AVX2", INT32, 8, has_avx2, avx2_mul_int32_8),
    RATE("int32 multiply", "AVX-512", INT32, 16, has_avx512, avx512_mul_int32_8),
    RATE("int32 divide", "scalar", INT32, 1, any, scalar_div_int32),
    RATE("int64 add", "AVX2", INT64, 4, has_avx2, avx2_add_int64_8),
    RATE("int64 add", "AVX-512", INT64, 8, has_avx512, avx512_add_int64_8),
    RATE("int64 multiply", "scalar", INT64, 1, any, scalar_mul_int64),
    RATE("int64 multiply", "AVX-512", INT64, 8, has_avx512dq, avx512_mul_int64_8),
    RATE("int64 divide", "scalar", INT64, 1, any, scalar_div_int64),
    RATE("fp32 divide", "AVX2", FP32, 8, has_avx2, avx2_div_fp32_8),
    RATE("fp32 divide", "AVX-512", FP32, 16, has_avx512, avx512_div_fp32_8),
    RATE("fp32 square root", "AVX2", FP32, 8, has_avx2, avx2_root_fp32_8),
    RATE("fp32 square root", "AVX-512", FP32, 16, has_avx512, avx512_root_fp32_8),
    RATE("fp64 divide", "AVX2", FP64, 4, has_avx2, avx2_div_fp64_8),
    RATE("fp64 divide", "AVX-512", FP64, 8, has_avx512, avx512_div_fp64_8),
    RATE("fp64 square root", "AVX2", FP64, 4, has_avx2, avx2_root_fp64_8),
    RATE("fp64 square root", "AVX-512", FP64, 8, has_avx512, avx512_root_fp64_8),
    {.isa = NULL},
};
#endif
