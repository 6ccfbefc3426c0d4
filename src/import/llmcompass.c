/* LLMCompass's measurements: rows of numbers without a header, the operation and device in the file's name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/_table.h"

/** Numbers and commas alone, or a product with its time and rate. */
static int detect(const char *text, size_t size) {
  (void)size;
  size_t line = strcspn(text, "\r\n"), plain = strspn(text, "0123456789., e+-"), commas = 0;
  const char *rate = strstr(text, "Tflops");
  for (size_t i = 0; i < line; i++) {
    commas += text[i] == ',';
  }
  if (commas == 4 && rate != NULL && rate < text + line) {
    return 80;
  }
  return plain >= line && (commas == 1 || commas == 2) && strspn(text, "0123456789") > 0 ? 15 : 0;
}

/** An operation by the word of the file's name before the last, and the parameters that its first numbers are. */
static const struct {
  const char *name, *op;
  const char *params[3];
  bool rate; /**< the next number is in 1e9 elements per second, else it is the time */
} kinds[] = {{"matmul", "gemm", {"m", "n", "k"}, false},
             {"softmax", "softmax", {"rows", "cols"}, true},
             {"layernorm", "layernorm", {"rows", "cols"}, true},
             {"gelu", "gelu", {"n"}, true}};

/** Seconds of a row: "0.19ms", or elements over a rate. */
static double seconds_of(const char *field, double elements, bool rate) {
  char text[32];
  snprintf(text, sizeof text, "%.31s", field);
  char *unit = strstr(text, "ms");
  if (rate) {
    return elements / 1e9 / rf_import_number(text, NULL);
  }
  if (unit == NULL) {
    return NAN;
  }
  *unit = '\0';
  return 1e-3 * rf_import_number(text, NULL);
}

/** Says that PyTorch launched it, a call at a time. */
static roof_status add(const rf_table *t, const char *label, double seconds, roof_error *error) {
  roof_status status = roof_profile_add(t->profile, label, NULL, t->words[0], seconds, error);
  roof_record *record = status == ROOF_OK ? rf_import_record(t->profile, label, strlen(label)) : NULL;
  if (record != NULL && record->ran != NULL) {
    record->ran->how = roof_profile_text(t->profile, RF_EAGER_PYTORCH);
    rf_import_ran_work(t->profile, record);
  }
  return status;
}

static roof_status take(const rf_table *t, size_t kind, roof_error *error) {
  char label[ROOF_LABEL_MAX];
  double elements = 1;
  int sizes = 0, used = snprintf(label, sizeof label, "%s", kinds[kind].op);
  for (; sizes < 3 && kinds[kind].params[sizes] != NULL; sizes++) {
    double size = rf_import_number(rf_import_field(&t->row, sizes), NULL);
    if (!(size >= 1 && size < 1e15)) {
      return rf_import_error(t->source, error, ROOF_E_PARSE, t->row.line, 0, "no size in this row");
    }
    elements *= size;
    used += snprintf(label + used, sizeof label - (size_t)used, " %s=%.0f", kinds[kind].params[sizes], size);
  }
  snprintf(label + used, sizeof label - (size_t)used, " fp16");
  double seconds = seconds_of(rf_import_field(&t->row, sizes), elements, kinds[kind].rate);
  return seconds > 0 && isfinite(seconds)
             ? add(t, label, seconds, error)
             : rf_import_error(t->source, error, ROOF_E_PARSE, t->row.line, 0, "no time in this row");
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  rf_table t = {.source = source, .profile = profile};
  roof_status status = ROOF_OK;
  size_t kind = 0, count = sizeof kinds / sizeof kinds[0];
  rf_table_name(&t);
  while (kind < count && strcmp(t.words[1] != NULL ? t.words[1] : "", kinds[kind].name) != 0) {
    kind++;
  }
  if (kind == count) {
    return rf_import_error(
        source, error, ROOF_E_PARSE, 1, 0,
        "rows of numbers: the file's name gives operation and device, as softmax_A100.csv");
  }
  while (status == ROOF_OK && rf_import_csv(source, ',', &t.row, &status, error)) {
    status = take(&t, kind, error);
  }
  rf_table_done(&t);
  if (status == ROOF_OK) {
    rf_import_device(profile, roof_profile_text(profile, t.words[0]));
  }
  return status;
}

const roof_format rf_format_llmcompass = {
    .name = "llmcompass",
    .title = "LLMCompass's measurements (matmul, softmax, layernorm, gelu)",
    .gives = "time, shape, FLOPs and bytes of each row; file named by operation and device: softmax_A100.csv",
    .detect = detect,
    .read = read,
};
