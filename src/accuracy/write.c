/* What was found written as roofline.accuracy/1. */
#include "documents/json.h"
#include "roofline/accuracy.h"

static json_t *line_json(const roof_accuracy_line *l) {
  return json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", l->name, "timings",
                   (json_int_t)l->count, "median_error", rf_json_number(l->median), "mean_error",
                   rf_json_number(l->mean), "p90_error", rf_json_number(l->p90), "bias",
                   rf_json_number(l->bias), "median_error_of_lower", rf_json_number(l->bound_median),
                   "fraction_inside_interval", rf_json_number(l->inside), "fraction_below_lower",
                   rf_json_number(l->below));
}

roof_status roof_accuracy_write(const roof_accuracy *accuracy, const roof_machine *machine, roof_text *out,
                                roof_error *error) {
  json_t *document = json_pack("{s:s, s:s?, s:o}", "schema", "roofline.accuracy/1", "machine",
                               machine != NULL ? machine->name : NULL, "all", line_json(&accuracy->all));
  json_t *by = json_object(), *gaps = json_array();
  for (int i = 0; i < ROOF_ACCURACY_COUNT; i++) {
    json_t *lines = json_array();
    for (size_t k = 0; k < accuracy->line_count[i]; k++) {
      json_array_append_new(lines, line_json(&accuracy->lines[i][k]));
    }
    json_object_set_new(by, roof_accuracy_key((roof_accuracy_by)i), lines);
  }
  for (size_t i = 0; i < accuracy->gap_count; i++) {
    json_array_append_new(gaps, json_pack("{s:s, s:I}", "why", accuracy->gaps[i].why, "timings",
                                          (json_int_t)accuracy->gaps[i].count));
  }
  json_object_set_new(document, "by", by);
  json_object_set_new(document, "left_out", gaps);
  return rf_json_write(document, "accuracy", out, error);
}
