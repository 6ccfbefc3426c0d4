/* The work of an operation for kernels that a profiler only timed. */
#include <math.h>

#include "import/import.h"

/** One operation and its work per call. */
typedef struct formula {
  roof_work work;
  roof_dtype dtype;
  const char *source; /**< kept by the profile */
} formula;

static void set(roof_count *count, double value, const char *source, roof_quality quality) {
  if (isnan(count->value)) {
    *count = (roof_count){value, source, quality};
  }
}

/** Keeps what was counted; the rest is taken from the operation. */
static void apply(const formula *f, roof_record *record) {
  double calls = record->calls > 0 ? (double)record->calls : 1;
  if (isnan(roof_record_flops(record, NULL, NULL))) {
    set(&record->flops[f->dtype][f->work.unit], f->work.flops * calls, f->source, ROOF_QUALITY_DERIVED);
  }
  double bytes = f->work.read_bytes + f->work.write_bytes;
  if (isnan(roof_record_bytes(record, NULL)) && bytes > 0) {
    set(&record->bytes[ROOF_MEMORY], bytes * calls, f->source, ROOF_QUALITY_ESTIMATED);
  }
}

roof_status roof_profile_attach(roof_profile *profile, const char *pattern, const roof_op *op,
                                const double *values, roof_dtype dtype, const char *text, roof_error *error) {
  regex_t expression;
  size_t matches = 0;
  roof_types types = roof_types_of(dtype);
  roof_status status = rf_import_regex("--op", pattern, &expression, error);
  if (status != ROOF_OK) {
    return status;
  }
  formula f = {.dtype = roof_dtype_multiplied(dtype),
               .source = rf_import_textf(profile, "formula of %.100s", text)};
  roof_work_init(&f.work);
  op->work(op, values, &types, &f.work);
  f.work.unit = op->unit;
  for (size_t k = 0; k < profile->count; k++) {
    if (regexec(&expression, profile->records[k].name, 0, NULL, 0) == 0) {
      if (rf_import_own_counts(profile, &profile->records[k])) {
        apply(&f, &profile->records[k]);
      }
      matches++;
    }
  }
  regfree(&expression);
  return matches > 0 ? rf_import_settled(profile, error)
                     : roof_error_set(error, ROOF_E_NAME, "--op `%.60s=%.60s`: no kernel's name matches",
                                      pattern, text);
}
