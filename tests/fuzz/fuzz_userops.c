/* Reads user operations from any bytes; those that are read must predict without a negative or infinite count
 * on shapes that they accept. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "mutate.h"
#include "roofline/catalog.h"

static void use(const roof_op *op) {
  static const double sizes[] = {1, 7, 4096, 0x1p53};
  roof_types types = roof_types_of(ROOF_FP16);
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    double values[ROOF_PARAM_MAX];
    roof_op_defaults(op, values);
    for (int i = 0; i < roof_op_param_count(op); i++) {
      values[i] = isnan(values[i]) && op->params[i].same_as == NULL ? sizes[s] : values[i];
    }
    roof_work work;
    roof_work_init(&work);
    bool accepted = roof_op_complete(op, values, NULL) == ROOF_OK;
    op->work(op, values, &types, &work);
    if (accepted && !(work.flops >= 0 && work.read_bytes >= 0 && work.write_bytes >= 0 &&
                      isfinite(work.flops + work.read_bytes + work.write_bytes))) {
      abort();
    }
  }
}

/** Grows a formula and leaves the rest of the file valid: a sum or a nest of hundreds of terms, functions within functions, a number at a limit. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  static const char *const pieces[] = {"+n",       "*n",      "-1",    "/0",       "^n",     "+(",
                                       ")",        "+min(n,", "+max(", "+sqrt(n)", "+1e308", "+ceil(n/",
                                       "+log2(n)", "*",       ",",     "?1:",      "==n"};
  static const char *const keys[] = {"flops = ", "bytes = "};
  const char *key = keys[mutate_random(&seed, 2)];
  uint8_t *found = size > 0 ? memmem(data, size, key, strlen(key)) : NULL;
  if (found == NULL || mutate_random(&seed, 4) == 0) {
    return mutate_text(data, size, most, seed);
  }
  size_t from = (size_t)(found - data) + strlen(key), to = from;
  while (to < size && data[to] != '\n') {
    to++;
  }
  const char *piece = pieces[mutate_random(&seed, sizeof pieces / sizeof pieces[0])];
  size_t times = mutate_random(&seed, 4) > 0 ? 1 : 1 + mutate_random(&seed, 300),
         at = from + mutate_random(&seed, to - from + 1);
  for (size_t i = 0; i < times; i++) {
    size = mutate_replace(data, size, most, at, at, piece, strlen(piece));
  }
  return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  roof_userops ops;
  if (roof_userops_read((const char *)data, size, "fuzz", &ops, NULL) == ROOF_OK) {
    for (size_t i = 0; i < ops.count; i++) {
      use(&ops.ops[i]);
    }
    roof_userops_done(&ops);
  }
  return 0;
}
