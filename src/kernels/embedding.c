/* One row of a table per token, by a 4-byte index: as many rows as tokens, in random order, each once. */

#include "kernels/kernels.h"

static roof_status prepare(roof_kernel_run *run, roof_error *error) {
  double tokens = run->values[0], hidden = run->values[1];
  if (tokens > UINT32_MAX) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: tokens=%.0f do not fit a 4-byte index",
                          run->kernel->name, tokens);
  }
  roof_status status =
      rf_operands_prepare(run, tokens * hidden, 0, tokens * hidden, tokens * sizeof(uint32_t), error);
  if (status == ROOF_OK) {
    rf_random_order(((rf_operands *)run->state)->scratch, (size_t)tokens, 4);
  }
  return status;
}

static void look_up_part(const roof_kernel_run *run, int thread, int threads) {
  const rf_operands *o = run->state;
  size_t hidden = (size_t)run->values[1];
  rf_share share = rf_share_of((size_t)run->values[0], thread, threads);
  o->loops->look_up[o->stream](o->in[0], (const uint32_t *)o->scratch + share.begin,
                               rf_element(run, o->out, share.begin * hidden), share.end - share.begin,
                               hidden);
  o->loops->fence();
}

static void execute(roof_kernel_run *run) {
  rf_kernel_in_parts(run, look_up_part);
}

static double reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  const rf_operands *o = run->state;
  size_t hidden = (size_t)run->values[1];
  *tolerance = 0;
  return rf_data_at(o->in[0], run->dtype, ((const uint32_t *)o->scratch)[i / hidden] * hidden + i % hidden);
}

static roof_status check(roof_kernel_run *run, roof_error *error) {
  size_t count = (size_t)(run->values[0] * run->values[1]);
  return rf_kernel_compare(run, count, count, reference, error);
}

static const roof_kernel kernels[] = {
    {.name = "embedding",
     .op = "embedding",
     .variant = "",
     .summary = "rows of a table gathered in random order",
     .sizes = "tokens=196608 hidden=1024",
     .quick_sizes = "tokens=98304 hidden=1024",
     RF_NATIVE,
     .prepare = prepare,
     .execute = execute,
     .check = check},
};

const rf_kernel_family rf_kernels_embedding = {kernels, sizeof kernels / sizeof kernels[0]};
