/* Kernels' names. Sources: CUTLASS, media/docs (names of its library: operator class, instruction, formats) and
 * include/cutlass/arch/mma_sm80.h; names of cuBLAS and cuDNN follow it (xmma: formats of A B, of the sum, of the result). Tensile:
 * its naming of solutions (formats, MI: the matrix instruction). Composable Kernel: xdl and wmma are matrix instructions, dl is
 * not. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "import/_kernel_name.h"

static const char *after(rf_span name, const char *part) {
  const char *at = memmem(name.at, name.size, part, strlen(part));
  return at != NULL ? at + strlen(part) : NULL;
}

/** Parts of names, the first that is there decides. Arithmetic without the matrix unit comes first: such names may have
 *  the formats of matrix instructions in them. */
static const struct {
  const char *part;
  signed char unit;
} units[] = {
    {"simt_", ROOF_VECTOR},       {"_ffma_", ROOF_VECTOR},         {"_sgemm_", ROOF_VECTOR},
    {"_dgemm_", ROOF_VECTOR},     {"_hgemm_", ROOF_VECTOR},        {"_gcgemm_", ROOF_VECTOR},
    {"_cgemm_", ROOF_VECTOR},     {"convolve_sgemm", ROOF_VECTOR}, {"_scudnn_", ROOF_VECTOR},
    {"gemm_dl_", ROOF_VECTOR},    {"gemv", ROOF_VECTOR},           {"triton_poi_", ROOF_VECTOR},
    {"triton_red_", ROOF_VECTOR}, {"triton_per_", ROOF_VECTOR},    {"tensorop", ROOF_MATRIX},
    {"TensorOp", ROOF_MATRIX},    {"tensor16x8x", ROOF_MATRIX},    {"tensor8x8x4", ROOF_MATRIX},
    {"s1688", ROOF_MATRIX},       {"s16816", ROOF_MATRIX},         {"s884", ROOF_MATRIX},
    {"h1688", ROOF_MATRIX},       {"h16816", ROOF_MATRIX},         {"h884", ROOF_MATRIX},
    {"d884", ROOF_MATRIX},        {"d16816", ROOF_MATRIX},         {"i16832", ROOF_MATRIX},
    {"i8816", ROOF_MATRIX},       {"161616", ROOF_MATRIX},         {"hmma", ROOF_MATRIX},
    {"imma", ROOF_MATRIX},        {"wmma", ROOF_MATRIX},           {"wgmma", ROOF_MATRIX},
    {"tf32", ROOF_MATRIX},        {"tfloat32", ROOF_MATRIX},       {"nvjet_", ROOF_MATRIX},
    {"sm90_xmma_", ROOF_MATRIX},  {"sm100_xmma_", ROOF_MATRIX},    {"SM80_16x8x", ROOF_MATRIX},
    {"SM90_64x", ROOF_MATRIX},    {"SM100_MMA", ROOF_MATRIX},      {"_MI4x4x", ROOF_MATRIX},
    {"_MI16x16x", ROOF_MATRIX},   {"_MI32x32x", ROOF_MATRIX},      {"xdl", ROOF_MATRIX},
    {"mfma", ROOF_MATRIX},
};

/** Formats of what is multiplied; the first that is there decides: those of narrow inputs stand before those that sums and
 *  results may have, and `bf16` before `f16`, which is a part of it. */
static const struct {
  const char *part;
  signed char dtype;
} formats[] = {
    {"nvjet_qq", ROOF_FP8}, {"nvjet_h", ROOF_FP16},  {"nvjet_t", ROOF_BF16}, {"nvjet_s", ROOF_TF32},
    {"e2m1", ROOF_FP4},     {"e4m3", ROOF_FP8},      {"e5m2", ROOF_FP8},     {"_F8", ROOF_FP8},
    {"tf32", ROOF_TF32},    {"tfloat32", ROOF_TF32}, {"_S_MX_", ROOF_TF32},  {"i16832", ROOF_INT8},
    {"i8816", ROOF_INT8},   {"i8i8", ROOF_INT8},     {"int8_t", ROOF_INT8},  {"_I8", ROOF_INT8},
    {"bf16", ROOF_BF16},    {"bfloat16", ROOF_BF16}, {"BF16", ROOF_BF16},    {"_BBS_", ROOF_BF16},
    {"_BSS_", ROOF_BF16},   {"fp16", ROOF_FP16},     {"f16", ROOF_FP16},     {"F16", ROOF_FP16},
    {"half", ROOF_FP16},    {"_HHS_", ROOF_FP16},    {"_HSS_", ROOF_FP16},   {"_HB_", ROOF_FP16},
    {"h1688", ROOF_FP16},   {"h16816", ROOF_FP16},   {"h884", ROOF_FP16},    {"h161616", ROOF_FP16},
    {"d884", ROOF_FP64},    {"d16816", ROOF_FP64},   {"f64f64", ROOF_FP64},  {"dgemm", ROOF_FP64},
    {"_DB_", ROOF_FP64},    {"_SB_", ROOF_FP32},     {"s1688", ROOF_TF32},   {"s884", ROOF_FP16},
    {"s161616", ROOF_FP16},
};

/** Three numbers after `text`, as "16, 8, 8>" or "(int)16, (int)8, (int)8>" says them. False: others. */
static bool read_shape(const char *text, const char *end, double shape[3]) {
  for (int i = 0; i < 3; i++) {
    text += text + 5 <= end && memcmp(text, "(int)", 5) == 0 ? 5 : 0;
    double number = 0;
    for (; text < end && isdigit((unsigned char)*text) && number < 1e6; text++) {
      number = number * 10 + (*text - '0');
    }
    bool ends = text < end && *text == (i < 2 ? ',' : '>');
    if (!ends || !(number > 0)) {
      return false;
    }
    shape[i] = number;
    text += 1 + (text + 1 < end && text[1] == ' ');
  }
  return true;
}

/** The instruction of a CUTLASS template: the argument of arch::Mma. Without a matrix unit it is 1 x 1 x 1. */
static bool instruction_of(rf_span name, double shape[3]) {
  const char *end = name.at + name.size, *at = after(name, "arch::Mma<");
  at = at == NULL ? after(name, "Mma<GemmShape<")
                  : after((rf_span){at, (size_t)(end - at), false}, "GemmShape<");
  return at != NULL && read_shape(at, end, shape);
}

kernel_says rf_kernel_name_says(rf_span name) {
  kernel_says says = {-1, -1};
  double shape[3];
  if (instruction_of(name, shape)) {
    says.unit = shape[0] * shape[1] * shape[2] > 1 ? ROOF_MATRIX : ROOF_VECTOR;
  }
  for (size_t i = 0; i < sizeof units / sizeof units[0] && says.unit < 0; i++) {
    says.unit = (signed char)(after(name, units[i].part) != NULL ? units[i].unit : -1);
  }
  for (size_t i = 0; i < sizeof formats / sizeof formats[0] && says.unit == ROOF_MATRIX && says.dtype < 0;
       i++) {
    says.dtype = (signed char)(after(name, formats[i].part) != NULL ? formats[i].dtype : -1);
  }
  bool amd = after(name, "Cijk_") != NULL || after(name, "xdl") != NULL;
  if (says.unit == ROOF_MATRIX && says.dtype < 0 && amd) {
    says.dtype = ROOF_FP32;
  }
  return says;
}

double rf_kernel_name_instruction(rf_span name) {
  /* h: sums in fp16. Volta's 16 x 16 x 4 is four instructions of 8 x 8 x 4 in steps (CUTLASS, mma_sm70.h) */
  static const struct {
    const char *mark;
    double flops;
  } marks[] = {{"16816", 4096},  {"16x8x16", 4096}, {"16832", 8192}, {"16x8x32", 8192}, {"1688", 2048},
               {"16x8x8", 2048}, {"s884", 512},     {"h884", 1024},  {"d884", 512}};
  double shape[3];
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    if (after(name, marks[i].mark) != NULL) {
      return marks[i].flops;
    }
  }
  if (!instruction_of(name, shape) || shape[0] * shape[1] * shape[2] <= 1) {
    return NAN;
  }
  bool volta = shape[0] == 16 && shape[1] == 16 && shape[2] == 4;
  return volta ? 512 : 2 * shape[0] * shape[1] * shape[2];
}
