#include "ops/ops.h"

#include <string.h>

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

roof_status roof_op_find(const char *name, const roof_op **op, roof_error *error) {
  const char *names[LISTED_MAX + 1] = {NULL};
  for (int i = 0; i < roof_op_count() && i < LISTED_MAX; i++) {
    const roof_op *candidate = roof_op_at(i);
    if (strcmp(candidate->name, name) == 0) {
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
