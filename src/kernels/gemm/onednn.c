/* oneDNN, found at run time: products by its matmul primitive, through the C interface of version 2 or 3. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/library.h"
#include "kernels/gemm/_gemm.h"

/* Values of its enums, the same in both versions (dnnl_types.h). */
enum {
  BF16 = 2,
  F32 = 3,
  S8 = 5,
  CPU = 1,
  IN_ORDER = 1,
  SOURCE = 1,
  RESULT = 17,
  WEIGHTS = 33,
  SCALES = 4096
};

typedef int64_t dimensions[12];

typedef struct argument {
  int which;
  void *memory;
} argument;

typedef struct version {
  int major, minor, patch;
} version;

/* Handles are pointers; a matrix's description too in version 3, in version 2 it is the caller's
 * structure. */
#define BOTH(X)                                                                                              \
  X(engine_create, (void **, int, size_t))                                                                   \
  X(stream_create, (void **, void *, unsigned))                                                              \
  X(stream_wait, (void *))                                                                                   \
  X(memory_create, (void **, const void *, void *, void *))                                                  \
  X(memory_destroy, (void *))                                                                                \
  X(primitive_create, (void **, const void *))                                                               \
  X(primitive_execute, (const void *, void *, int, const argument *))                                        \
  X(primitive_destroy, (void *))                                                                             \
  X(primitive_desc_destroy, (void *))                                                                        \
  X(primitive_attr_create, (void **))                                                                        \
  X(primitive_attr_destroy, (void *))
#define VERSION_2(X)                                                                                         \
  X(memory_desc_init_by_strides, (void *, int, const int64_t *, int, const int64_t *))                       \
  X(matmul_desc_init, (void *, const void *, const void *, const void *, const void *))                      \
  X(primitive_desc_create, (void **, const void *, const void *, void *, const void *))                      \
  X(primitive_attr_set_output_scales, (void *, int64_t, int, const float *))
#define VERSION_3(X)                                                                                         \
  X(memory_desc_create_with_strides, (void **, int, const int64_t *, int, const int64_t *))                  \
  X(memory_desc_destroy, (void *))                                                                           \
  X(matmul_primitive_desc_create,                                                                            \
    (void **, void *, const void *, const void *, const void *, const void *, const void *))                 \
  X(primitive_attr_set_scales_mask, (void *, int, int))

static struct {
#define POINTER(name, parameters) int(*name) parameters;
  BOTH(POINTER)
  VERSION_2(POINTER)
  VERSION_3(POINTER)
#undef POINTER
  const version *(*version)(void);
  void *engine, *stream;
  char name[64];
  const char *reason;
} dnnl;

#define SYMBOL(name, parameters) {"dnnl_" #name, &dnnl.name},
static const rf_symbol common[] = {BOTH(SYMBOL){"dnnl_version", &dnnl.version}};
static const rf_symbol second[] = {VERSION_2(SYMBOL)}, third[] = {VERSION_3(SYMBOL)};
#undef SYMBOL
#define COUNT(symbols) (sizeof(symbols) / sizeof(symbols)[0])

static const rf_library library = {
    .what = "oneDNN",
    .hint = "; on Debian: apt install libdnnl2",
    .sonames = {"libdnnl.so.3", "libdnnl.so.2"},
    .symbols = common,
    .count = COUNT(common),
};

static void load(void) {
  static rf_loaded loaded;
  if (!rf_library_load(&library, &loaded) && loaded.soname == NULL) {
    dnnl.reason = loaded.reason;
  } else if (loaded.handle == NULL || (!rf_library_find(loaded.handle, second, COUNT(second), NULL) &&
                                       !rf_library_find(loaded.handle, third, COUNT(third), NULL))) {
    dnnl.reason = "libdnnl lacks the functions of oneDNN 2 and 3";
  } else if (dnnl.engine_create(&dnnl.engine, CPU, 0) != 0 ||
             dnnl.stream_create(&dnnl.stream, dnnl.engine, IN_ORDER) != 0) {
    dnnl.reason = "oneDNN finds no processor it can use";
  } else {
    const version *v = dnnl.version();
    snprintf(dnnl.name, sizeof dnnl.name, "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
  }
}

static const char *reason(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return dnnl.reason;
}

static const char *name(void) {
  return reason() == NULL ? dnnl.name : NULL;
}

enum { MATRICES = 3, ARGUMENTS = 4 };

/** A product made ready, kept in the operands' scratch. */
typedef struct product {
  void *primitive;
  argument arguments[ARGUMENTS];
  int count;
  float scale;
} product;

/** Room for a structure of version 2: 696 bytes, 2800 with the matrices of a product in it. */
typedef union structure {
  char bytes[8192];
  long double aligned;
} structure;

/** The shapes of A, B and C, their order in memory, and their format. */
typedef struct matrices {
  structure storage[MATRICES];
  const void *described[MATRICES];
} matrices;

static int describe(matrices *all, const roof_kernel_run *run) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  const size_t shapes[MATRICES][2] = {{s.m, s.k}, {s.k, s.n}, {s.m, s.n}};
  int type = run->dtype == ROOF_FP32 ? F32 : run->dtype == ROOF_BF16 ? BF16 : S8, status = 0;
  for (int i = 0; i < MATRICES && status == 0; i++) {
    dimensions size = {(int64_t)shapes[i][0], (int64_t)shapes[i][1]}, strides = {(int64_t)shapes[i][1], 1};
    if (dnnl.memory_desc_init_by_strides != NULL) {
      all->described[i] = &all->storage[i];
      status = dnnl.memory_desc_init_by_strides(&all->storage[i], 2, size, type, strides);
    } else {
      void *described = NULL;
      status = dnnl.memory_desc_create_with_strides(&described, 2, size, type, strides);
      all->described[i] = described;
    }
  }
  return status;
}

/** Where version 3 looks for the scale when it computes: in a vector of one element. */
static int add_scale(product *p) {
  dimensions one = {1};
  void *described = NULL;
  int status = dnnl.memory_desc_create_with_strides(&described, 1, one, F32, one);
  if (status == 0) {
    p->arguments[p->count].which = SCALES | WEIGHTS;
    status = dnnl.memory_create(&p->arguments[p->count].memory, described, dnnl.engine, &p->scale);
    p->count += status == 0;
    dnnl.memory_desc_destroy(described);
  }
  return status;
}

/** What happens to int8 sums: they are scaled. */
static int scale_sums(product *p, void *attributes) {
  if (dnnl.primitive_attr_set_output_scales != NULL) {
    return dnnl.primitive_attr_set_output_scales(attributes, 1, 0, &p->scale);
  }
  int status = dnnl.primitive_attr_set_scales_mask(attributes, WEIGHTS, 0);
  return status == 0 ? add_scale(p) : status;
}

static int create(product *p, const matrices *all, void *attributes) {
  const void *const *m = all->described;
  void *description = NULL;
  structure plan;
  int status = 0;
  if (dnnl.matmul_desc_init != NULL) {
    status = dnnl.matmul_desc_init(&plan, m[0], m[1], NULL, m[2]);
    status =
        status == 0 ? dnnl.primitive_desc_create(&description, &plan, attributes, dnnl.engine, NULL) : status;
  } else {
    status = dnnl.matmul_primitive_desc_create(&description, dnnl.engine, m[0], m[1], NULL, m[2], attributes);
  }
  if (status == 0) {
    status = dnnl.primitive_create(&p->primitive, description);
    dnnl.primitive_desc_destroy(description);
  }
  return status;
}

static int add_matrices(product *p, const matrices *all, const rf_operands *o) {
  void *const data[MATRICES] = {o->in[0], o->in[1], o->out};
  static const int which[MATRICES] = {SOURCE, WEIGHTS, RESULT};
  int status = 0;
  for (int i = 0; i < MATRICES && status == 0; i++) {
    p->arguments[p->count].which = which[i];
    status = dnnl.memory_create(&p->arguments[p->count].memory, all->described[i], dnnl.engine, data[i]);
    p->count += status == 0;
  }
  return status;
}

static int make_ready(const roof_kernel_run *run) {
  enum { OUT_OF_MEMORY = 1 }; /* dnnl_out_of_memory */
  const rf_operands *o = run->state;
  product *p = o->scratch;
  matrices *all = calloc(1, sizeof *all);
  void *attributes = NULL;
  *p = (product){.scale = (float)rf_gemm_int8_scale(run)};
  if (all == NULL) {
    return OUT_OF_MEMORY;
  }
  int status = describe(all, run);
  status = status == 0 ? dnnl.primitive_attr_create(&attributes) : status;
  if (status == 0 && run->dtype == ROOF_INT8) {
    status = scale_sums(p, attributes);
  }
  status = status == 0 ? create(p, all, attributes) : status;
  status = status == 0 ? add_matrices(p, all, o) : status;
  if (attributes != NULL) {
    dnnl.primitive_attr_destroy(attributes);
  }
  for (int i = 0; i < MATRICES && dnnl.memory_desc_destroy != NULL && all->described[i] != NULL; i++) {
    dnnl.memory_desc_destroy((void *)(uintptr_t)all->described[i]);
  }
  free(all);
  return status;
}

/** Its threads are OpenMP's: as many as the calling thread would start. Returns how many those were. */
static int use_threads(int threads) {
  int before = omp_get_max_threads();
  omp_set_num_threads(threads);
  return before;
}

static void execute(roof_kernel_run *run) {
  const product *p = ((const rf_operands *)run->state)->scratch;
  int before = use_threads(run->threads);
  dnnl.primitive_execute(p->primitive, dnnl.stream, p->count, p->arguments);
  dnnl.stream_wait(dnnl.stream);
  use_threads(before);
}

static void release(roof_kernel_run *run) {
  const rf_operands *o = run->state;
  product *p = o != NULL ? o->scratch : NULL;
  for (int i = 0; p != NULL && i < p->count; i++) {
    dnnl.memory_destroy(p->arguments[i].memory);
  }
  if (p != NULL && p->primitive != NULL) {
    dnnl.primitive_destroy(p->primitive);
  }
  rf_operands_release(run);
}

static roof_status ready(roof_kernel_run *run, roof_error *error) {
  roof_status status = rf_gemm_prepare(run, sizeof(product), error);
  if (status != ROOF_OK) {
    return status;
  }
  int before = use_threads(run->threads), why = make_ready(run);
  use_threads(before);
  return why == 0 ? ROOF_OK
                  : roof_error_set(error, ROOF_E_UNSUPPORTED,
                                   "%s: %s has no product in %s for this processor (its status %d)",
                                   run->kernel->name, dnnl.name, roof_dtype_name(run->dtype), why);
}

/** Without VNNI its pairs of int8 products saturate at 16 bits: the largest elements show it, whose product
 * is the largest. */
static roof_status check_int8(const roof_kernel *kernel, roof_error *error) {
  enum { SIDE = 64 };
  roof_kernel_run run = {
      .kernel = kernel, .dtype = ROOF_INT8, .threads = 1, .values = {SIDE, SIDE, SIDE, 1, 0}};
  roof_status status = ready(&run, error);
  if (status == ROOF_OK) {
    const rf_operands *o = run.state;
    memset(o->in[0], INT8_MAX, (size_t)SIDE * SIDE);
    memset(o->in[1], INT8_MAX, (size_t)SIDE * SIDE);
    execute(&run);
    if (((const int8_t *)o->out)[0] != INT8_MAX) {
      status = roof_error_set(error, ROOF_E_UNSUPPORTED,
                              "%s: int8 sums of %s saturate at 16 bits on this processor, which has no VNNI",
                              kernel->name, dnnl.name);
    }
  }
  release(&run);
  return status;
}

static roof_status prepare(roof_kernel_run *run, roof_error *error) {
  if (reason() != NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: %s", run->kernel->name, reason());
  }
  roof_status status = run->dtype == ROOF_INT8 ? check_int8(run->kernel, error) : ROOF_OK;
  return status == ROOF_OK ? ready(run, error) : status;
}

static bool supports(roof_dtype dtype) {
  return dtype == ROOF_FP32 || dtype == ROOF_BF16 || dtype == ROOF_INT8;
}

static const roof_kernel kernels[] = {{.name = "gemm-onednn",
                                       .op = "gemm",
                                       .variant = "oneDNN",
                                       .summary = "C = A B by a library",
                                       .sizes = "m=4096 n=4096 k=4096",
                                       .quick_sizes = "m=1536 n=1536 k=1536",
                                       .supports = supports,
                                       .disabled_reason = reason,
                                       .library = name,
                                       .prepare = prepare,
                                       .execute = execute,
                                       .check = rf_gemm_check,
                                       .release = release}};

const rf_kernel_family rf_kernels_gemm_onednn = {kernels, sizeof kernels / sizeof kernels[0]};
