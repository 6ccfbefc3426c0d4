#include "kernels/_map.h"

#include <omp.h>

roof_status roof_map_prepare(roof_kernel_run *run, roof_error *error) {
  const roof_map *map = run->kernel->detail;
  double n = run->values[0];
  roof_status status =
      roof_operands_prepare(run, map->inputs > 0 ? n : 0, map->inputs > 1 ? n : 0, n, 0, error);
  if (status == ROOF_OK && map->update) {
    roof_operands_start(run, (size_t)n);
  }
  return status;
}

void roof_map_execute(roof_kernel_run *run) {
  const roof_map *map = run->kernel->detail;
  const roof_operands *o = run->state;
#pragma omp parallel num_threads(run->threads)
  {
    roof_share share = roof_share_of((size_t)run->values[0], omp_get_thread_num(), omp_get_num_threads());
    map->part(o, roof_element(run, o->in[0], share.begin), roof_element(run, o->in[1], share.begin),
              roof_element(run, o->out, share.begin), share.end - share.begin);
  }
}

static double reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  const roof_map *map = run->kernel->detail;
  const roof_operands *o = run->state;
  double magnitude = 0;
  double a = map->inputs > 0 ? roof_data_at(o->in[0], run->dtype, i) : 0;
  double b = map->update       ? roof_operands_started(run, i)
             : map->inputs > 1 ? roof_data_at(o->in[1], run->dtype, i)
                               : 0;
  double expected = map->reference(a, b, &magnitude);
  *tolerance = map->roundings * roof_kernel_epsilon(run->dtype) * magnitude;
  return expected;
}

roof_status roof_map_check(roof_kernel_run *run, roof_error *error) {
  size_t n = (size_t)run->values[0];
  return roof_kernel_compare(run, n, n, reference, error);
}
