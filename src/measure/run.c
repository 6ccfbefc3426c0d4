#include "measure/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/number.h"
#include "roofline/advise.h"
#include "roofline/documents.h"
#include "roofline/ops.h"

/** Names the formats the kernel is written for. */
static roof_status unsupported(const roof_kernel *kernel, roof_dtype dtype, roof_error *error) {
  char formats[128] = "";
  size_t used = 0;
  for (int d = 0; d < ROOF_DTYPE_COUNT && used < sizeof formats; d++) {
    if (kernel->supports((roof_dtype)d)) {
      used += (size_t)snprintf(formats + used, sizeof formats - used, "%s%s", used > 0 ? " or " : "",
                               roof_dtype_name((roof_dtype)d));
    }
  }
  return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: not written for %s; use %s", kernel->name,
                        roof_dtype_name(dtype), formats);
}

roof_status rf_run_describe(const roof_kernel *kernel, roof_dtype dtype, const double *values,
                            roof_measurement *out, roof_error *error) {
  const roof_op *op = NULL;
  roof_status status = roof_op_find(kernel->op, &op, error);
  if (status != ROOF_OK) {
    return status;
  }
  if (!kernel->supports(dtype)) {
    return unsupported(kernel, dtype, error);
  }
  roof_types types = roof_kernel_types(kernel, dtype);
  roof_work work;
  roof_work_init(&work);
  op->work(op, values, &types, &work);
  roof_measurement_init(out);
  roof_kernel_label(kernel, dtype, values, out->label, sizeof out->label);
  out->dtype = dtype;
  out->flops = work.flops;
  out->bytes = work.read_bytes + work.write_bytes;
  out->write_share = out->bytes > 0 ? work.write_bytes / out->bytes : NAN;
  out->update_share = out->bytes > 0 ? work.update_bytes / out->bytes : NAN;
  snprintf(out->counted, sizeof out->counted, "formula");
  return ROOF_OK;
}

roof_status rf_run_same_operation(const roof_kernel *const kernels[2], roof_error *error) {
  return strcmp(kernels[0]->op, kernels[1]->op) == 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "%s and %s: two operations, %s and %s",
                              kernels[0]->name, kernels[1]->name, kernels[0]->op, kernels[1]->op);
}

roof_status rf_run_unshared(rf_run_samples *take, void *user, roof_measurement *out, roof_error *error) {
  static const double nearly_all = 0.9;
  roof_measurement again = *out;
  roof_error ignored;
  roof_status status = take(user, out, error);
  if (status == ROOF_OK && out->conditions.disturbed > nearly_all &&
      take(user, &again, &ignored) == ROOF_OK) {
    bool better = again.conditions.disturbed < out->conditions.disturbed;
    roof_measurement_done(better ? out : &again);
    *out = better ? again : *out;
  }
  return status;
}

void rf_run_sharing(roof_measurement *m) {
  double disturbed = m->conditions.disturbed;
  if (disturbed > 0) {
    roof_measurement_count(m, roof_clue_name(ROOF_CLUE_SMT), 1 + disturbed, NULL);
  }
}

const char *rf_run_sustained(char *text, const roof_measure_options *options) {
  text[0] = '\0';
  if (options->sustain_seconds > 0) {
    rf_format(text, 40, ", after %.3g s of work", options->sustain_seconds);
  }
  return text;
}

void rf_run_date(char *date) {
  time_t now = time(NULL);
  struct tm today;
  strftime(date, 16, "%Y-%m-%d", gmtime_r(&now, &today));
}
