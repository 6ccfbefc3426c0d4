/* `--op 'REGEX=OP key=value ...'`: the work of one of our operations for kernels that a profiler only timed.
 */
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "cli/import/import.h"

/** One rule, resolved: which kernels, and the work of a call. */
typedef struct rule {
  regex_t pattern;
  roof_work work;
  roof_dtype dtype;
  char text[128];
  const char *source; /**< the text, kept by the profile */
  int matches;
} rule;

roof_status cli_import_regex(const char *option, const char *text, regex_t *pattern, roof_error *error) {
  int code = regcomp(pattern, text, REG_EXTENDED | REG_NOSUB);
  if (code == 0) {
    return ROOF_OK;
  }
  char why[120];
  regerror(code, pattern, why, sizeof why);
  return roof_error_set(error, ROOF_E_ARGUMENT, "%s `%.60s`: %s", option, text, why);
}

/** The work of an operation with its shape, in the formats of the command line (fp32). */
static roof_status work_of(const cli_args *args, const char *text, rule *r, roof_error *error) {
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_status status = args->dtype != NULL ? roof_dtype_parse(args->dtype, &r->dtype, error) : ROOF_OK;
  if (status == ROOF_OK) {
    status = cli_select_shape(args, text, &op, values, error);
  }
  if (status == ROOF_OK) {
    roof_types types = roof_types_of(r->dtype);
    roof_work_init(&r->work);
    op->work(op, values, &types, &r->work);
    r->work.unit = op->unit;
  }
  return status;
}

static roof_status parse(const cli_args *args, const char *text, rule *r, roof_error *error) {
  char *copy = strdup(text);
  char *equals = copy != NULL ? strchr(copy, '=') : NULL;
  if (equals == NULL || equals[1 + strspn(equals + 1, " ")] == '\0') {
    free(copy);
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "--op `%.60s`: give REGEX=OP key=value ..., for instance "
                          "'sgemm=gemm m=4096 n=4096 k=4096'",
                          text);
  }
  *equals = '\0';
  snprintf(r->text, sizeof r->text, "formula of %.100s", equals + 1);
  roof_status status = work_of(args, equals + 1, r, error);
  if (status == ROOF_OK) {
    status = cli_import_regex("--op", copy, &r->pattern, error);
  }
  free(copy);
  return status;
}

static void set(roof_count *count, double value, const char *source, roof_quality quality) {
  if (isnan(count->value)) {
    *count = (roof_count){value, source, quality};
  }
}

/** What was counted stays; what was not is as the operation has it. */
static void apply(const rule *r, roof_record *record) {
  double calls = record->calls > 0 ? (double)record->calls : 1;
  if (isnan(roof_record_flops(record, NULL, NULL))) {
    set(&record->flops[r->dtype][r->work.unit], r->work.flops * calls, r->source, ROOF_QUALITY_DERIVED);
  }
  double bytes = r->work.read_bytes + r->work.write_bytes;
  if (isnan(roof_record_bytes(record, NULL)) && bytes > 0) {
    set(&record->bytes[ROOF_MEMORY], bytes * calls, r->source, ROOF_QUALITY_ESTIMATED);
  }
}

roof_status cli_import_attach(const cli_args *args, const char *const *texts, roof_profile *profile,
                              roof_error *error) {
  for (int i = 0; texts != NULL && texts[i] != NULL; i++) {
    rule r = {.dtype = ROOF_FP32};
    roof_status status = parse(args, texts[i], &r, error);
    if (status != ROOF_OK) {
      return status;
    }
    r.source = roof_profile_text(profile, r.text);
    for (size_t k = 0; k < profile->count; k++) {
      if (regexec(&r.pattern, profile->records[k].name, 0, NULL, 0) == 0) {
        apply(&r, &profile->records[k]);
        r.matches++;
      }
    }
    regfree(&r.pattern);
    if (r.matches == 0) {
      return roof_error_set(error, ROOF_E_NAME, "--op `%.60s`: no kernel's name matches", texts[i]);
    }
  }
  return ROOF_OK;
}
