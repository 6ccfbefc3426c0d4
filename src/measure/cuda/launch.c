/* Programs, and what a launch needs that only CUDA has. */
#include <math.h>
#include <stdio.h>

#include "measure/cuda/cuda.h"

roof_status rf_cuda_build(rf_device *device, const rf_device_text *text, roof_dtype dtype, void **program,
                          roof_error *error) {
  const cuda_image *image = rf_cuda_image_find(text->name, roof_dtype_name(dtype));
  if (image == NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "program %s: not built for %s", text->name,
                          roof_dtype_name(dtype));
  }
  return rf_streams_load(&cuda_of(device)->streams, text->name, image->data, program, error);
}

/** The copy engine's description of bf16 matrices (fp16 is moved in the same way): boxes of 64 columns, 128
 * bytes, swizzled. */
static roof_status encode(const cuda_open *o, const rf_device_arg *arg, cuda_tensor_map *map,
                          roof_error *error) {
  const rf_device_tensor *t = &arg->tensor;
  const uint64_t sizes[] = {(uint64_t)t->columns, (uint64_t)t->rows, (uint64_t)t->planes};
  const uint64_t strides[] = {2 * sizes[0], 2 * sizes[0] * sizes[1]};
  const uint32_t box[] = {64, (uint32_t)t->box_rows, 1}, steps[] = {1, 1, 1};
  return rf_streams_check(&o->api->common,
                          o->api->tensor_map(map, CUDA_TENSOR_BF16, t->planes > 0 ? 3 : 2, t->buffer, sizes,
                                             strides, box, steps, 0, CUDA_TENSOR_SWIZZLE_128B,
                                             CUDA_TENSOR_L2_256B, 0),
                          "describing a matrix to the copy engine", error);
}

/** Multiprocessors that blocks which stay can have: some cannot be paired where a chip has groups of odd size. */
static roof_status staying_units(const cuda_open *o, const rf_device_launch *l, double *units,
                                 roof_error *error) {
  cuda_launch_attribute cluster = {.id = CUDA_CLUSTER_DIMENSION,
                                   .value.cluster = {(unsigned)l->cluster, 1, 1}};
  const cuda_launch_config config = {.grid = {(unsigned)l->cluster, 1, 1},
                                     .block = {l->items[0], l->items[1], l->items[2]},
                                     .shared = l->shared,
                                     .stream = o->streams.stream,
                                     .attributes = &cluster,
                                     .count = 1};
  const rf_device_info *info = &o->streams.device.info;
  int clusters = 0;
  *units = info->units;
  if (l->cluster < 2) {
    return ROOF_OK;
  }
  roof_status status = rf_streams_check(&o->api->common, o->api->clusters(&clusters, l->function, &config),
                                        "asking how many clusters fit", error);
  if (status == ROOF_OK && clusters < 1) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%.60s: no cluster of %d blocks fits %.60s", l->entry,
                          l->cluster, info->name);
  }
  *units = fmin(*units, (double)clusters * l->cluster);
  return status;
}

roof_status rf_cuda_prepare(rf_streams *streams, rf_ready_launch *p, roof_error *error) {
  enum { ALWAYS = 48 << 10 }; /* bytes of shared memory available without opting in */
  const cuda_open *o = (const cuda_open *)streams;
  const rf_device_launch *l = p->launch;
  roof_status status = ROOF_OK;
  if (l->shared > ALWAYS) {
    status = rf_streams_check(
        &o->api->common, o->api->function_set(l->function, CUDA_FUNCTION_MAX_DYNAMIC_SHARED, (int)l->shared),
        "requesting shared memory", error);
  }
  if (l->groups[0] == 0 && status == ROOF_OK) {
    double units;
    status = staying_units(o, l, &units, error);
    p->grid_x = status == ROOF_OK ? rf_device_staying(l, units) : 0;
  }
  for (int i = 0; i < l->arg_count && status == ROOF_OK; i++) {
    if (l->args[i].kind == RF_ARG_TENSOR) {
      p->arguments[i] = &p->maps[i];
      status = encode(o, &l->args[i], &p->maps[i], error);
    }
  }
  return status;
}

int rf_cuda_start_early(rf_streams *streams, rf_ready_launch *p, rf_stream_handle stream) {
  const rf_device_launch *l = p->launch;
  cuda_launch_attribute early = {.id = CUDA_EARLY, .value.early = 1};
  const cuda_launch_config config = {.grid = {p->grid_x, l->groups[1], l->groups[2]},
                                     .block = {l->items[0], l->items[1], l->items[2]},
                                     .shared = l->shared,
                                     .stream = stream,
                                     .attributes = &early,
                                     .count = 1};
  return ((const cuda_open *)streams)->api->launch_with(&config, l->function, p->arguments, NULL);
}
