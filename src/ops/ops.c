#include "ops/ops.h"

#include <stdio.h>
#include <string.h>

#include "core/letters.h"
#include "roofline/text.h"

#define ROW(family) extern const rf_op_family rf_family_##family;
#include "registry/ops.inc"
#undef ROW

static const rf_op_family *const families[] = {
#define ROW(family) &rf_family_##family,
#include "registry/ops.inc"
#undef ROW
    NULL};

int roof_op_count(void) {
  int count = 0;
  for (int i = 0; families[i] != NULL; i++) {
    count += families[i]->count;
  }
  return count;
}

const roof_op *roof_op_at(int index) {
  for (int i = 0; families[i] != NULL && index >= 0; i++) {
    if (index < families[i]->count) {
      return &families[i]->ops[index];
    }
    index -= families[i]->count;
  }
  return NULL;
}

enum { LISTED_MAX = 256 };

/** What else operations are called (BLAS, PyTorch, NCCL). */
static const struct {
  const char *name, *op;
} synonyms[] = {
    {"matmul", "gemm"},
    {"mm", "gemm"},
    {"bmm", "gemm"},
    {"sgemm", "gemm"},
    {"dgemm", "gemm"},
    {"hgemm", "gemm"},
    {"grouped-gemm", "grouped"},
    {"matvec", "gemv"},
    {"mv", "gemv"},
    {"flash-attention", "attention"},
    {"flashattention", "attention"},
    {"sdpa", "attention"},
    {"mha", "attention"},
    {"conv", "conv2d"},
    {"layer-norm", "layernorm"},
    {"rms-norm", "rmsnorm"},
    {"batch-norm", "batchnorm"},
    {"all-reduce", "allreduce"},
    {"all-gather", "allgather"},
    {"reduce-scatter", "reducescatter"},
    {"all-to-all", "alltoall"},
    {"a2a", "alltoall"},
    {"memcpy", "copy"},
    {"swish", "silu"},
    {"silu-and-mul", "swiglu"},
    {"gelu-and-mul", "geglu"},
    {"add-norm", "add_rmsnorm"},
    {"fused-add-rms-norm", "add_rmsnorm"},
    {"add-layer-norm", "add_layernorm"},
    {"rotary-embedding", "rope"},
    {"flashmla", "mla"},
    {"fused-moe", "moe"},
    {"dispatch", "ep_dispatch"},
    {"saxpy", "axpy"},
    {"daxpy", "axpy"},
};

/** The operation's own name of what people call it: case and `_` for `-` do not matter. */
static const char *own_name(const char *name, char *buffer, size_t size) {
  snprintf(buffer, size, "%s", name);
  for (char *c = buffer; *c != '\0'; c++) {
    *c = *c == '_' ? '-' : *c;
  }
  for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++) {
    if (rf_letters_compare(synonyms[i].name, buffer) == 0) {
      return synonyms[i].op;
    }
  }
  return name;
}

roof_status roof_op_find(const char *name, const roof_op **op, roof_error *error) {
  const char *names[LISTED_MAX + 1] = {NULL};
  char buffer[64];
  const char *wanted = own_name(name, buffer, sizeof buffer);
  for (int i = 0; i < roof_op_count() && i < LISTED_MAX; i++) {
    const roof_op *candidate = roof_op_at(i);
    if (rf_letters_compare(candidate->name, wanted) == 0) {
      *op = candidate;
      return ROOF_OK;
    }
    names[i] = candidate->name;
  }
  return roof_error_unknown(error, "operation", name, names, "`roofline op list` shows all");
}

const roof_op *roof_op_of_kernel(const char *name) {
  size_t length = strcspn(name, " -");
  for (int i = 0; i < roof_op_count(); i++) {
    const roof_op *op = roof_op_at(i);
    if (strlen(op->name) == length && strncmp(op->name, name, length) == 0) {
      return op;
    }
  }
  return NULL;
}
