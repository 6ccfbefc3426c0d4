/* cuBLASLt: products of matrices in column order, as the plain sum gives them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

/* cublasStatus_t */
enum { SUCCESS = 0, ALLOC_FAILED = 3, BAD_VALUE = 7, UNSUPPORTED = 15 };

/* cudaDataType_t and cublasComputeType_t */
enum { R_32F = 0, R_64F = 1, R_16F = 2, R_8I = 3, R_32I = 10, R_16BF = 14, R_8F_E4M3 = 28, R_4F_E2M1 = 33 };

typedef struct desc {
  int compute, scale, transposed, scaled;
  const float *scales[2]; /* one for a factor, or NULL */
} desc;

typedef struct layout {
  int type;
  uint64_t rows, columns;
  int64_t lead;
} layout;

static int made(void *handle, void **out) {
  *out = handle;
  fake_cuda_live += handle != NULL;
  return handle != NULL ? SUCCESS : ALLOC_FAILED;
}

ENTRY(size_t, cublasLtGetVersion, void) {
  return 130203;
}

ENTRY(int, cublasLtCreate, void **handle) {
  return fake_context() == NULL ? 1 : made(calloc(1, 1), handle);
}

ENTRY(int, cublasLtDestroy, void *handle) {
  return fake_take(handle);
}

ENTRY(int, cublasLtMatmulDescCreate, void **out, int compute, int scale) {
  desc *d = calloc(1, sizeof *d);
  if (d != NULL) {
    *d = (desc){.compute = compute, .scale = scale};
  }
  return made(d, out);
}

ENTRY(int, cublasLtMatmulDescDestroy, void *d) {
  return fake_take(d);
}

/** Transposition of the first factor, scales by pointer, fast sums, kinds of scales. */
ENTRY(int, cublasLtMatmulDescSetAttribute, desc *d, int attribute, const void *value, size_t size) {
  static const struct {
    int attribute;
    size_t size;
  } known[] = {{3, 4}, {17, 8}, {18, 8}, {25, 1}, {31, 4}, {32, 4}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (known[i].attribute == attribute && known[i].size == size) {
      void *to = attribute == 3                       ? (void *)&d->transposed
                 : attribute == 17 || attribute == 18 ? (void *)&d->scales[attribute - 17]
                                                      : (void *)&(char[8]){0};
      d->scaled |= attribute >= 31;
      memcpy(to, value, size);
      return SUCCESS;
    }
  }
  return BAD_VALUE;
}

ENTRY(int, cublasLtMatrixLayoutCreate, void **out, int type, uint64_t rows, uint64_t columns, int64_t lead) {
  layout *l = (uint64_t)lead >= rows && rows > 0 && columns > 0 ? calloc(1, sizeof *l) : NULL;
  if (l == NULL) {
    return BAD_VALUE;
  }
  *l = (layout){type, rows, columns, lead};
  return made(l, out);
}

ENTRY(int, cublasLtMatrixLayoutDestroy, void *l) {
  return fake_take(l);
}

ENTRY(int, cublasLtMatmulPreferenceCreate, void **preference) {
  return made(calloc(1, 1), preference);
}

ENTRY(int, cublasLtMatmulPreferenceDestroy, void *preference) {
  return fake_take(preference);
}

ENTRY(int, cublasLtMatmulPreferenceSetAttribute, void *preference, int attribute, const void *value,
      size_t size) {
  (void)preference, (void)value;
  return attribute == 1 && size == sizeof(size_t) ? SUCCESS : BAD_VALUE;
}

/** Which types the library multiplies: factors, product, what it sums in. int8 and fp8 only with k along the
 * rows of both factors and every lead a multiple of 16 bytes. */
static bool has(const desc *d, const layout *a, const layout *c) {
  static const int ways[][4] = {{R_64F, R_64F, 70, R_64F},   {R_32F, R_32F, 68, R_32F},
                                {R_32F, R_32F, 77, R_32F},   {R_16F, R_16F, 68, R_32F},
                                {R_16BF, R_16BF, 68, R_32F}, {R_8F_E4M3, R_16BF, 68, R_32F},
                                {R_8I, R_32I, 72, R_32I},    {R_4F_E2M1, R_16BF, 68, R_32F}};
  bool narrow = a->type == R_8I || a->type == R_8F_E4M3 || a->type == R_4F_E2M1;
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    if (a->type == ways[i][0] && c->type == ways[i][1] && d->compute == ways[i][2] &&
        d->scale == ways[i][3]) {
      return !narrow || (d->transposed == 1 && a->lead % 16 == 0 && d->scaled == (a->type == R_4F_E2M1));
    }
  }
  return false;
}

/** Whether the shapes fit: op(A) of m x k, B of k x n, C of m x n. */
static bool fits(const desc *d, const layout *a, const layout *b, const layout *c) {
  uint64_t m = d->transposed ? a->columns : a->rows, k = d->transposed ? a->rows : a->columns;
  return m == c->rows && k == b->rows && b->columns == c->columns && a->type == b->type;
}

ENTRY(int, cublasLtMatmulAlgoGetHeuristic, void *handle, const desc *d, const layout *a, const layout *b,
      const layout *c, const layout *out, void *preference, int wanted, void *choices, int *found) {
  (void)handle, (void)preference, (void)choices;
  int code = fake_failing("cublasLtMatmulAlgoGetHeuristic");
  if (code == 0) {
    code = !fits(d, a, b, c) || out->type != c->type ? BAD_VALUE : !has(d, a, c) ? UNSUPPORTED : SUCCESS;
  }
  *found = code == 0 ? wanted : 0;
  return code;
}

static double from_e4m3(uint8_t value) {
  int exponent = value >> 3 & 15, fraction = value & 7;
  double size = (value & 127) == 127
                    ? NAN
                    : ldexp(exponent > 0 ? 8 + fraction : fraction, (exponent > 0 ? exponent : 1) - 10);
  return value >> 7 ? -size : size;
}

static double element(const void *from, int type, size_t at) {
  if (type == R_8F_E4M3) {
    return from_e4m3(((const uint8_t *)from)[at]);
  }
  uint32_t wide = type == R_16BF ? (uint32_t)((const uint16_t *)from)[at] << 16 : 0;
  float number;
  memcpy(&number, &wide, sizeof number);
  return type == R_64F   ? ((const double *)from)[at]
         : type == R_32F ? (double)((const float *)from)[at]
         : type == R_8I  ? (double)((const int8_t *)from)[at]
                         : (double)number;
}

static void store(void *to, int type, size_t at, double value) {
  float number = (float)value;
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  if (type == R_64F) {
    ((double *)to)[at] = value;
  } else if (type == R_32F) {
    ((float *)to)[at] = number;
  } else if (type == R_32I) {
    ((int32_t *)to)[at] = (int32_t)value;
  } else if (type == R_16BF) {
    ((uint16_t *)to)[at] = (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
  }
}

/** op(A) as rows of k, in fp32 or, where it needs that, in fp64: quick to sum. */
static void multiply(const desc *d, const void *a, const layout *la, const void *b, const layout *lb, void *c,
                     const layout *lc) {
  size_t m = lc->rows, n = lc->columns, k = lb->rows;
  double scale = 1;
  for (int i = 0; i < 2 && la->type == R_8F_E4M3; i++) {
    scale *= d->scales[i] != NULL ? (double)*d->scales[i] : 1;
  }
  double *column = malloc((m + 1) * sizeof *column), *left = malloc((m * k + 1) * sizeof *left);
  for (size_t p = 0; left != NULL && p < k; p++) {
    for (size_t i = 0; i < m; i++) {
      left[p * m + i] =
          element(a, la->type, d->transposed ? i * (size_t)la->lead + p : p * (size_t)la->lead + i);
    }
  }
  for (size_t j = 0; left != NULL && column != NULL && j < n; j++) {
    memset(column, 0, m * sizeof *column);
    for (size_t p = 0; p < k; p++) {
      double right = element(b, lb->type, j * (size_t)lb->lead + p);
      for (size_t i = 0; i < m; i++) {
        column[i] += left[p * m + i] * right;
      }
    }
    for (size_t i = 0; i < m; i++) {
      store(c, lc->type, j * (size_t)lc->lead + i, scale * column[i]);
    }
  }
  free(left);
  free(column);
}

static size_t bytes_of(const layout *l) {
  static const unsigned char bits[] = {[R_32F] = 32, [R_64F] = 64,  [R_16F] = 16,    [R_8I] = 8,
                                       [R_32I] = 32, [R_16BF] = 16, [R_8F_E4M3] = 8, [R_4F_E2M1] = 4};
  return (size_t)l->lead * (size_t)l->columns * bits[l->type] / 8;
}

static bool is_checked(int type) {
  return type == R_64F || type == R_32F || type == R_16BF || type == R_8I || type == R_8F_E4M3;
}

static bool scales_inside(const desc *d) {
  bool inside = true;
  for (int i = 0; i < 2; i++) {
    inside = inside && (d->scales[i] == NULL || fake_inside((pointer)(uintptr_t)d->scales[i], sizeof(float)));
  }
  return inside;
}

/** What was multiplied last, and nothing was written from outside since: it is not multiplied again. */
static bool is_new(const void *a, const void *b, const void *c, const layout *lc, uint64_t k) {
  static uint64_t last[7];
  const uint64_t now[] = {(uintptr_t)a, (uintptr_t)b, (uintptr_t)c, lc->rows, lc->columns, k, fake_changes()};
  bool same = memcmp(last, now, sizeof now) == 0;
  memcpy(last, now, sizeof now);
  return !same;
}

/** Every so many-th product takes half of its time, by the script. */
static double luck(void) {
  static unsigned calls;
  unsigned every = (unsigned)fake_number("lucky=", 0);
  return every > 0 && ++calls % every == 0 ? 0.5 : 1;
}

/** Products of more than `products=` millions of multiply-adds take time and are not made; nor are those of
 * fp16, which nobody checks. */
ENTRY(int, cublasLtMatmul, void *handle, const desc *d, const void *alpha, const void *a, const layout *la,
      const void *b, const layout *lb, const void *beta, const void *c, const layout *lc, void *out,
      const layout *lout, const void *algorithm, void *workspace, size_t bytes, stream *in) {
  double rate = 1e9 * fake_number("gflops=", 20);
  int code = fake_enter("cublasLtMatmul");
  (void)handle, (void)beta, (void)lout;
  double work = (double)lc->rows * (double)lc->columns * (double)lb->rows;
  pointer at[] = {(pointer)(uintptr_t)a, (pointer)(uintptr_t)b, (pointer)(uintptr_t)out};
  if (code != 0) {
    return 13; /* CUBLAS_STATUS_EXECUTION_FAILED */
  }
  if (alpha == NULL || algorithm == NULL || c != out || !fake_inside(at[0], bytes_of(la)) ||
      !fake_inside(at[1], bytes_of(lb)) || !fake_inside(at[2], bytes_of(lc)) ||
      (la->type == R_8F_E4M3 && !scales_inside(d)) || !fake_inside((pointer)(uintptr_t)workspace, bytes) ||
      !fits(d, la, lb, lc)) {
    return BAD_VALUE;
  }
  if (work <= 1e6 * fake_number("products=", 8000) && is_checked(la->type) &&
      is_new(a, b, out, lc, lb->rows)) {
    multiply(d, a, la, b, lb, out, lc);
  }
  fake_spend(2e-6);
  fake_work(in, luck() * (1e-6 + 2 * work / rate));
  return SUCCESS;
}
