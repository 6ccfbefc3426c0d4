#include "kernels/_map.h"

roof_status rf_map_prepare(roof_kernel_run *run, roof_error *error) {
  const rf_map *map = run->kernel->detail;
  double n = run->values[0];
  roof_status status =
      rf_operands_prepare(run, map->inputs > 0 ? n : 0, map->inputs > 1 ? n : 0, n, 0, error);
  if (status == ROOF_OK && map->update) {
    rf_operands_start(run, (size_t)n);
  }
  return status;
}

static void map_part(const roof_kernel_run *run, int thread, int threads) {
  const rf_map *map = run->kernel->detail;
  const rf_operands *o = run->state;
  rf_share share = rf_share_of((size_t)run->values[0], thread, threads);
  map->part(o, rf_element(run, o->in[0], share.begin), rf_element(run, o->in[1], share.begin),
            rf_element(run, o->out, share.begin), share.end - share.begin);
}

void rf_map_execute(roof_kernel_run *run) {
  rf_kernel_in_parts(run, map_part);
}

static double reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  const rf_map *map = run->kernel->detail;
  const rf_operands *o = run->state;
  double magnitude = 0;
  double a = map->inputs > 0 ? rf_data_at(o->in[0], run->dtype, i) : 0;
  double b = map->update       ? rf_operands_started(run, i)
             : map->inputs > 1 ? rf_data_at(o->in[1], run->dtype, i)
                               : 0;
  double expected = map->reference(a, b, &magnitude);
  *tolerance = map->roundings * rf_kernel_epsilon(run->dtype) * magnitude;
  return expected;
}

roof_status rf_map_check(roof_kernel_run *run, roof_error *error) {
  size_t n = (size_t)run->values[0];
  return rf_kernel_compare(run, n, n, reference, error);
}
