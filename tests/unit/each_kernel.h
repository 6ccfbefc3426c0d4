/* Every kernel that works on this processor, in every format, at sizes that are no multiple of anything. */
#ifndef TEST_EACH_KERNEL_H
#define TEST_EACH_KERNEL_H

#include <stdio.h>

#include "kernels/kernels.h"
#include "test.h"

/* Sizes that are no multiple of a register, a tile or a block of any instruction set; rows that are scaled have whole registers too. */
static const struct {
  const char *op; /**< or kernel */
  const char *sizes[3];
} small[] = {
    {"attention",
     {"batch=1 heads=1 q_len=1 kv_len=1 head_dim=1",
      "batch=2 heads=6 q_len=7 kv_len=131 head_dim=5 kv_heads=2",
      "batch=1 heads=2 q_len=101 kv_len=101 head_dim=67 causal=1"}},
    {"conv2d",
     {"batch=1 in_channels=1 out_channels=1 height=1 width=1 kernel=1",
      "batch=2 in_channels=6 out_channels=4 height=11 width=13 kernel=4 stride=3 padding=2 groups=2",
      "batch=1 in_channels=100 out_channels=9 height=5 width=53 kernel=3"}},
    {"fft-fftw", {"n=1", "n=64", "n=2048"}}, /* whose plan is measured */
    {"fft", {"n=1", "n=64", "n=32768"}},
    {"ger", {"m=1 n=1", "m=5 n=67", "m=301 n=257"}},
    {"transpose", {"rows=1 cols=1", "rows=304 cols=67", "rows=301 cols=257"}},
    {"layernorm", {"rows=1 cols=2", "rows=3 cols=4112", "rows=131 cols=1001"}},
    {"rmsnorm", {"rows=1 cols=1", "rows=3 cols=4112", "rows=131 cols=1001"}},
    {"embedding", {"tokens=1 hidden=1", "tokens=3 hidden=67", "tokens=151 hidden=432"}},
    {"spmv", {"rows=1 nnz=1", "rows=7 nnz=31", "rows=1003 nnz=9001"}},
    {"stencil3d", {"nx=1 ny=1 nz=1", "nx=5 ny=3 nz=7", "nx=67 ny=13 nz=11"}},
    {"gemv", {"m=1 n=1", "m=5 n=67", "m=301 n=257"}},
    {"softmax", {"rows=1 cols=1", "rows=5 cols=4096", "rows=131 cols=1001"}},
    {"gemm", {"m=1 n=1 k=1", "m=7 n=9403 k=7", "m=203 n=149 k=331"}},
};

static const char *const vectors[] = {"n=1", "n=67", "n=10007"};

static const char *small_sizes(const roof_kernel *kernel, int which) {
  for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
    if (strcmp(small[i].op, kernel->name) == 0 || strcmp(small[i].op, kernel->op) == 0) {
      return small[i].sizes[which];
    }
  }
  return vectors[which];
}

/** False where a library lacks the product for this processor: a skip, with its reason. Our own kernels run
 * anywhere. */
static bool start(const roof_kernel *kernel, roof_dtype dtype, const char *sizes, roof_kernel_run *run) {
  *run = (roof_kernel_run){.kernel = kernel, .dtype = dtype, .threads = 2};
  roof_error error = {0};
  char shape[256];
  const char *algorithm = strstr(kernel->sizes, "algorithm=");
  snprintf(shape, sizeof shape, "%s %s", sizes, algorithm != NULL ? algorithm : "");
  roof_status status = roof_kernel_values(kernel, shape, run->values, &error);
  if (status == ROOF_OK && (status = kernel->prepare(run, &error)) == ROOF_E_UNSUPPORTED &&
      kernel->library != NULL) {
    print_message("%s: skipped: %s\n", roof_dtype_name(dtype), error.message);
    kernel->release(run);
    return false;
  }
  if (status != ROOF_OK) {
    fail_msg("%s %s: %s", kernel->name, sizes, error.message);
  }
  return true;
}

static bool works_here(const roof_kernel *kernel) {
  if (!roof_kernel_runs_on(kernel, "cpu")) {
    return false;
  }
  const char *reason = kernel->disabled_reason != NULL ? kernel->disabled_reason() : NULL;
  if (reason != NULL) {
    print_message("%s: skipped: %s\n", kernel->name, reason);
  }
  return reason == NULL;
}

/** Emulated, a plan that is measured takes as long as all other kernels. */
static bool is_too_slow(const roof_kernel *kernel, int which) {
  return test_emulated() && which == 2 && strcmp(kernel->name, "fft-fftw") == 0;
}

static void each_kernel(void (*test)(const roof_kernel *kernel, roof_dtype dtype, const char *sizes)) {
  for (int i = 0; i < roof_kernel_count(); i++) {
    const roof_kernel *kernel = roof_kernel_at(i);
    int formats = 0;
    for (int which = 0; which < 3 * ROOF_DTYPE_COUNT && works_here(kernel); which++) {
      roof_dtype dtype = (roof_dtype)(which / 3);
      if (kernel->supports(dtype) && !is_too_slow(kernel, which % 3)) {
        test(kernel, dtype, small_sizes(kernel, which % 3));
        formats++;
      }
    }
    assert_true(formats > 0 || !works_here(kernel));
  }
}

#endif
