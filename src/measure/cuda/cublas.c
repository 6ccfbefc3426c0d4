/* NVIDIA's own matrix products: cuBLASLt, loaded at run time. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/cublas.h"
#include "host/library.h"
#include "kernels/gemm/_fp8.h"
#include "measure/cuda/cublas.h"

#define LT_FUNCTIONS(X)                                                                                      \
  X(create, cublasLtCreate, (void **handle))                                                                 \
  X(destroy, cublasLtDestroy, (void *handle))                                                                \
  X(desc_new, cublasLtMatmulDescCreate, (void **desc, int compute, int scale))                               \
  X(desc_free, cublasLtMatmulDescDestroy, (void *desc))                                                      \
  X(desc_set, cublasLtMatmulDescSetAttribute, (void *desc, int attribute, const void *value, size_t size))   \
  X(layout_new, cublasLtMatrixLayoutCreate,                                                                  \
    (void **layout, int type, uint64_t rows, uint64_t columns, int64_t lead))                                \
  X(layout_free, cublasLtMatrixLayoutDestroy, (void *layout))                                                \
  X(preference_new, cublasLtMatmulPreferenceCreate, (void **preference))                                     \
  X(preference_free, cublasLtMatmulPreferenceDestroy, (void *preference))                                    \
  X(preference_set, cublasLtMatmulPreferenceSetAttribute,                                                    \
    (void *preference, int attribute, const void *value, size_t size))                                       \
  X(choose, cublasLtMatmulAlgoGetHeuristic,                                                                  \
    (void *handle, void *desc, void *a, void *b, void *c, void *d, void *preference, int wanted,             \
     lt_choice *choices, int *found))                                                                        \
  X(multiply, cublasLtMatmul,                                                                                \
    (void *handle, void *desc, const void *alpha, const void *a, void *a_layout, const void *b,              \
     void *b_layout, const void *beta, const void *c, void *c_layout, void *d, void *d_layout,               \
     const lt_algorithm *algorithm, void *workspace, size_t workspace_bytes, rf_stream_handle stream))

static struct {
#define LT_MEMBER(member, symbol, parameters) int(*member) parameters;
  LT_FUNCTIONS(LT_MEMBER)
#undef LT_MEMBER
} lt;

/** The library of one device. */
struct cublas_ {
  void *handle;
  void *workspace;
};

enum { WORKSPACE = 32 << 20 }; /* what NVIDIA recommends for Hopper */

#define LT_SYMBOL(member, symbol, parameters) {#symbol, &lt.member},
static const rf_symbol symbols[] = {LT_FUNCTIONS(LT_SYMBOL)};
#undef LT_SYMBOL

/** Why the library cannot be used, or NULL. */
static const char *bind(void) {
  static char reason[96];
  void *library = rf_cublas();
  const char *missing;
  if (library == NULL) {
    return rf_cublas_disabled_reason();
  }
  if (rf_library_find(library, symbols, sizeof symbols / sizeof symbols[0], &missing)) {
    return NULL;
  }
  snprintf(reason, sizeof reason, "cuBLASLt has no %s", missing);
  return reason;
}

/** How the library multiplies a format: types of the factors, of the product and of the accumulator. */
typedef struct lt_case {
  roof_dtype dtype;
  int factor, product, compute, scale;
  bool transposed; /* the library supports it only with k along the rows of both factors */
} lt_case;

static const lt_case cases[] = {
    {ROOF_FP64, R_64F, R_64F, COMPUTE_64F, R_64F, false},
    {ROOF_FP32, R_32F, R_32F, COMPUTE_32F, R_32F, false},
    {ROOF_TF32, R_32F, R_32F, COMPUTE_32F_TF32, R_32F, false},
    {ROOF_FP16, R_16F, R_16F, COMPUTE_32F, R_32F, false},
    {ROOF_BF16, R_16BF, R_16BF, COMPUTE_32F, R_32F, false},
    {ROOF_FP8, R_8F_E4M3, R_16BF, COMPUTE_32F, R_32F, true},
    {ROOF_INT8, R_8I, R_32I, COMPUTE_32I, R_32I, true},
    {ROOF_FP4, R_4F_E2M1, R_16BF, COMPUTE_32F, R_32F, true},
};

static const lt_case *case_of(roof_dtype dtype) {
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    if (cases[i].dtype == dtype) {
      return &cases[i];
    }
  }
  return NULL;
}

double rf_cublas_product_bytes(roof_dtype dtype) {
  const lt_case *c = case_of(dtype);
  return c == NULL ? NAN : c->product == R_64F ? 8 : c->product == R_16F || c->product == R_16BF ? 2 : 4;
}

/* cuBLAS, "1D Block Scaling for FP8 and FP4 Data Types": tiles of 128 rows and 4 scales, whole ones. */
double rf_cublas_scale_bytes(roof_dtype dtype, double rows, double k) {
  return dtype == ROOF_FP4 ? ceil(rows / 128) * 128 * ceil(k / 16 / 4) * 4 : 0;
}

static roof_status check(int code, const char *what, roof_error *error) {
  return code == 0 ? ROOF_OK
                   : roof_error_set(error, code == 15 ? ROOF_E_UNSUPPORTED : ROOF_E_INTERNAL,
                                    "cuBLASLt: %s fails with status %d", what, code);
}

static roof_status start(cuda_open *o, roof_error *error) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  const char *reason = bind();
  pthread_mutex_unlock(&mutex);
  if (o->blas != NULL) {
    return ROOF_OK;
  }
  if (reason != NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s", reason);
  }
  struct cublas_ *blas = calloc(1, sizeof *blas);
  if (blas == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "cuBLASLt: out of memory");
  }
  roof_status status = check(lt.create(&blas->handle), "starting", error);
  RF_STREAMS_TRY(status, &o->streams, allocate(&blas->workspace, WORKSPACE),
                 "allocating cuBLASLt's workspace", error);
  o->blas = blas;
  if (status != ROOF_OK) {
    rf_cublas_close(o);
  }
  return status;
}

void rf_cublas_close(cuda_open *o) {
  if (o->blas == NULL) {
    return;
  }
  if (o->blas->workspace != NULL) {
    o->api->common.release(o->blas->workspace);
  }
  if (o->blas->handle != NULL) {
    lt.destroy(o->blas->handle);
  }
  free(o->blas);
  o->blas = NULL;
}

/** One product in the library's terms. Its matrices are in column order: C' = B' A'. */
typedef struct product {
  void *desc, *b, *a, *c, *preference;
  lt_choice choice;
} product;

/** Sets the attributes of the product that only some formats have; returns the first status that is not
 * success. */
static roof_status describe_format(const lt_case *t, const cublas_gemm *g, product *p, roof_error *error) {
  static const int transposed = LT_TRANSPOSED, scales = LT_SCALES_16_UE4M3;
  static const signed char fast = 1; /* our own kernels keep their sums in the tensor cores too */
  bool scaled = g->scales_a != NULL, by_block = scaled && t->dtype == ROOF_FP4; /* else one for a matrix */
  const struct {
    bool wanted;
    int attribute;
    const void *value;
    size_t size;
  } attributes[] = {{t->transposed, LT_TRANSPOSE_A, &transposed, sizeof transposed},
                    {t->dtype == ROOF_FP8, LT_FAST_SUMS, &fast, sizeof fast},
                    {by_block, LT_SCALES_OF_A, &scales, sizeof scales},
                    {by_block, LT_SCALES_OF_B, &scales, sizeof scales},
                    {scaled, LT_SCALES_A, &g->scales_b, sizeof g->scales_b}, /* the library's A is our B */
                    {scaled, LT_SCALES_B, &g->scales_a, sizeof g->scales_a}};
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < sizeof attributes / sizeof attributes[0] && status == ROOF_OK; i++) {
    if (attributes[i].wanted) {
      status = check(lt.desc_set(p->desc, attributes[i].attribute, attributes[i].value, attributes[i].size),
                     "describing the format", error);
    }
  }
  return status;
}

static roof_status describe(const lt_case *t, const cublas_gemm *g, product *p, roof_error *error) {
  static const size_t workspace = WORKSPACE;
  uint64_t m = (uint64_t)g->m, n = (uint64_t)g->n, k = (uint64_t)g->k;
  roof_status status = check(lt.desc_new(&p->desc, t->compute, t->scale), "describing", error);
  if (status == ROOF_OK) {
    status = describe_format(t, g, p, error);
  }
  if (status == ROOF_OK) {
    status = check(t->transposed ? lt.layout_new(&p->b, t->factor, k, n, (int64_t)k)
                                 : lt.layout_new(&p->b, t->factor, n, k, (int64_t)n),
                   "describing B", error);
  }
  if (status == ROOF_OK) {
    status = check(lt.layout_new(&p->a, t->factor, k, m, (int64_t)k), "describing A", error);
  }
  if (status == ROOF_OK) {
    status = check(lt.layout_new(&p->c, t->product, n, m, (int64_t)n), "describing C", error);
  }
  if (status == ROOF_OK) {
    status = check(lt.preference_new(&p->preference), "choosing", error);
  }
  if (status == ROOF_OK) {
    status = check(lt.preference_set(p->preference, LT_MAX_WORKSPACE, &workspace, sizeof workspace),
                   "choosing", error);
  }
  return status;
}

/** One of the algorithms that the library suggests, its own choice first. */
static roof_status choose(cuda_open *o, int which, product *p, roof_error *error) {
  lt_choice choices[CUBLAS_CHOICES] = {{.workspace = 0}};
  int found = 0;
  roof_status status = check(
      lt.choose(o->blas->handle, p->desc, p->b, p->a, p->c, p->c, p->preference, which + 1, choices, &found),
      "choosing", error);
  if (status == ROOF_OK && found <= which) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "cuBLASLt: no algorithm for this shape and format");
  }
  p->choice = choices[which];
  return status;
}

static void done(product *p) {
  void *layouts[] = {p->a, p->b, p->c};
  for (int i = 0; i < 3; i++) {
    if (layouts[i] != NULL) {
      lt.layout_free(layouts[i]);
    }
  }
  if (p->preference != NULL) {
    lt.preference_free(p->preference);
  }
  if (p->desc != NULL) {
    lt.desc_free(p->desc);
  }
}

static roof_status repeat(cuda_open *o, const lt_case *t, const cublas_gemm *g, const product *p, int repeats,
                          double *seconds, roof_error *error) {
  /* One and zero in the type of the scale factors; zero bits are zero in every type. */
  static const double one_double = 1, zero = 0;
  static const float one_float = 1;
  static const int32_t one_int = 1;
  const void *one = t->scale == R_64F   ? (const void *)&one_double
                    : t->scale == R_32I ? (const void *)&one_int
                                        : (const void *)&one_float;
  roof_status status = rf_streams_clock_start(&o->streams, error);
  for (int i = 0; i < repeats && status == ROOF_OK; i++) {
    status = check(lt.multiply(o->blas->handle, p->desc, one, g->b, p->b, g->a, p->a, &zero, g->c, p->c, g->c,
                               p->c, &p->choice.algorithm, o->blas->workspace, WORKSPACE, o->streams.stream),
                   "multiplying", error);
  }
  return status == ROOF_OK ? rf_streams_clock_stop(&o->streams, "cuBLASLt", seconds, error) : status;
}

roof_status rf_cublas_time(cuda_open *o, const cublas_gemm *g, int repeats, double *seconds,
                           roof_error *error) {
  const lt_case *t = case_of(g->dtype);
  product p = {0};
  if (t == NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "cuBLASLt: no matrix product in %s",
                          roof_dtype_name(g->dtype));
  }
  roof_status status = start(o, error);
  if (status == ROOF_OK) {
    status = describe(t, g, &p, error);
  }
  if (status == ROOF_OK) {
    status = choose(o, g->choice, &p, error);
  }
  if (status == ROOF_OK) {
    status = repeat(o, t, g, &p, repeats, seconds, error);
  }
  if (lt.desc_free != NULL) {
    done(&p);
  }
  return status;
}

roof_status rf_cuda_call(rf_device *device, const roof_kernel_run *run, const rf_device_operands *operands,
                         int repeats, double *seconds, roof_error *error) {
  const cublas_gemm g = {.dtype = run->dtype,
                         .m = run->values[0],
                         .n = run->values[1],
                         .k = run->values[2],
                         .a = operands->in[0],
                         .b = operands->in[1],
                         .c = operands->out,
                         .scales_a = rf_gemm_fp8_scale(run, operands->in[0], 0),
                         .scales_b = rf_gemm_fp8_scale(run, operands->in[1], 1)};
  return rf_cublas_time(cuda_of(device), &g, repeats, seconds, error);
}
