#include "kernels/kernels.h"

#include <string.h>

#include "roofline/ops.h"
#include "roofline/shape.h"

#define ROW(family) extern const rf_kernel_family rf_kernels_##family;
#include "registry/kernels.inc"
#undef ROW

static const rf_kernel_family *const families[] = {
#define ROW(family) &rf_kernels_##family,
#include "registry/kernels.inc"
#undef ROW
    NULL};

int roof_kernel_count(void) {
  int count = 0;
  for (int i = 0; families[i] != NULL; i++) {
    count += families[i]->count;
  }
  return count;
}

const roof_kernel *roof_kernel_at(int index) {
  for (int i = 0; families[i] != NULL && index >= 0; i++) {
    if (index < families[i]->count) {
      return &families[i]->kernels[index];
    }
    index -= families[i]->count;
  }
  return NULL;
}

enum { LISTED_MAX = 256 };

roof_status roof_kernel_find(const char *name, const roof_kernel **kernel, roof_error *error) {
  const char *names[LISTED_MAX + 1] = {NULL};
  for (int i = 0; i < roof_kernel_count() && i < LISTED_MAX; i++) {
    const roof_kernel *candidate = roof_kernel_at(i);
    if (strcmp(candidate->name, name) == 0) {
      *kernel = candidate;
      return ROOF_OK;
    }
    names[i] = candidate->name;
  }
  return roof_error_unknown(error, "kernel", name, names, "`roofline run --list` shows all");
}

bool roof_kernel_runs_on(const roof_kernel *kernel, const char *backend) {
  static const char *const processor[] = {"cpu", "fake", NULL};
  const char *const *names = kernel->backends != NULL ? kernel->backends : processor;
  while (*names != NULL && strcmp(*names, backend) != 0) {
    names++;
  }
  return *names != NULL;
}

roof_types roof_kernel_types(const roof_kernel *kernel, roof_dtype dtype) {
  return kernel->types != NULL ? *kernel->types : roof_types_of(dtype);
}

roof_status roof_kernel_values(const roof_kernel *kernel, const char *sizes, double *values,
                               roof_error *error) {
  const roof_op *op = NULL;
  roof_status status = roof_op_find(kernel->op, &op, error);
  return status == ROOF_OK ? roof_shape_values(op, sizes, values, error) : status;
}

char *roof_kernel_label(const roof_kernel *kernel, roof_dtype dtype, const double *values, char *buffer,
                        size_t size) {
  const roof_op *op = NULL;
  (void)roof_op_find(kernel->op, &op, NULL);
  return roof_op_label(op, kernel->name, dtype, values, buffer, size);
}
