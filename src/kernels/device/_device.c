#include "kernels/device/_device.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/device/_texts.h"

const char *const rf_on_devices[] = {"opencl", "cuda", "hip", NULL};
const char *const rf_on_cuda[] = {"cuda", NULL};

static const rf_device_text *find(const rf_device_text *table, const char *name) {
  while (table->name != NULL && strcmp(table->name, name) != 0) {
    table++;
  }
  return table->name != NULL ? table : NULL;
}

const rf_device_text *rf_device_text_find(const char *name) {
  return find(rf_device_texts, name);
}

const rf_device_text *rf_device_prelude(const char *language) {
  return find(rf_device_preludes, language);
}

rf_device_launch rf_device_launch_of(const char *entry, double groups_x, double groups_y, int items_x,
                                     int items_y) {
  return (rf_device_launch){.entry = entry,
                            .groups = {(unsigned)groups_x, (unsigned)groups_y, 1},
                            .items = {(unsigned)items_x, (unsigned)items_y, 1}};
}

void rf_device_add_buffer(rf_device_launch *launch, void *buffer) {
  launch->args[launch->arg_count++] = (rf_device_arg){.kind = RF_ARG_BUFFER, .buffer = buffer};
}

void rf_device_add_int(rf_device_launch *launch, double value) {
  launch->args[launch->arg_count++] = (rf_device_arg){.kind = RF_ARG_INT, .number = (int32_t)value};
}

void rf_device_add_index(rf_device_launch *launch, double value) {
  launch->args[launch->arg_count++] = (rf_device_arg){.kind = RF_ARG_INDEX, .index = (int64_t)value};
}

void rf_device_add_float(rf_device_launch *launch, double value) {
  launch->args[launch->arg_count++] = (rf_device_arg){.kind = RF_ARG_FLOAT, .real = (float)value};
}

void rf_device_add_tensor(rf_device_launch *launch, rf_device_tensor tensor) {
  launch->args[launch->arg_count++] = (rf_device_arg){.kind = RF_ARG_TENSOR, .tensor = tensor};
}

/** A copy of the processor's kernel under this kernel's name: errors name what was run. */
static roof_status reference_of(const roof_kernel_run *run, roof_kernel *reference, roof_error *error) {
  const roof_kernel *found = NULL;
  roof_status status = roof_kernel_find(rf_device_kernel_of(run->kernel)->reference, &found, error);
  if (status == ROOF_OK) {
    *reference = *found;
    reference->name = run->kernel->name;
  }
  return status;
}

roof_status rf_device_prepare(roof_kernel_run *run, roof_error *error) {
  roof_kernel reference;
  roof_kernel_run as = *run;
  roof_status status = reference_of(run, &reference, error);
  if (status == ROOF_OK) {
    as.kernel = &reference;
    status = reference.prepare(&as, error);
    run->state = as.state;
  }
  return status;
}

unsigned rf_device_staying(const rf_device_launch *launch, double units) {
  double clusters = floor(units / launch->cluster);
  double rounds = ceil(launch->tasks / clusters);
  if (launch->everywhere) {
    return (unsigned)(fmin(launch->tasks, clusters) * launch->cluster);
  }
  return (unsigned)(ceil(launch->tasks / rounds) * launch->cluster);
}

roof_status rf_device_check(roof_kernel_run *run, roof_error *error) {
  roof_kernel reference;
  roof_kernel_run as = *run;
  roof_status status = reference_of(run, &reference, error);
  if (status == ROOF_OK) {
    as.kernel = &reference;
    status = reference.check(&as, error);
  }
  return status;
}

void rf_device_release(roof_kernel_run *run) {
  roof_kernel reference;
  roof_kernel_run as = *run;
  if (reference_of(run, &reference, NULL) == ROOF_OK) {
    as.kernel = &reference;
    reference.release(&as);
    run->state = as.state;
  }
}

bool rf_device_fp32(roof_dtype dtype) {
  return dtype == ROOF_FP32;
}

bool rf_device_floats(roof_dtype dtype) {
  return dtype == ROOF_FP64 || dtype == ROOF_FP32 || dtype == ROOF_FP16 || dtype == ROOF_BF16;
}
