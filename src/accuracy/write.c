/* What was found written as roofline.accuracy/1. */
#include <math.h>

#include "documents/json.h"
#include "roofline/calibrate.h"

static json_t *line_json(const roof_accuracy_line *l) {
  return json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", l->name, "timings",
                   (json_int_t)l->count, "median_error", rf_json_number(l->median), "mean_error",
                   rf_json_number(l->mean), "p90_error", rf_json_number(l->p90), "bias",
                   rf_json_number(l->bias), "median_error_of_lower", rf_json_number(l->bound_median),
                   "fraction_inside_interval", rf_json_number(l->inside), "fraction_below_lower",
                   rf_json_number(l->below));
}

/** The lines by each grouping. */
static json_t *by_json(const roof_accuracy *accuracy) {
  json_t *by = json_object();
  for (int i = 0; i < ROOF_ACCURACY_COUNT; i++) {
    json_t *lines = json_array();
    for (size_t k = 0; k < accuracy->line_count[i]; k++) {
      rf_json_append(lines, line_json(&accuracy->lines[i][k]));
    }
    rf_json_set(by, roof_accuracy_key((roof_accuracy_by)i), lines);
  }
  return by;
}

static json_t *gaps_json(const roof_accuracy *accuracy) {
  json_t *gaps = json_array();
  for (size_t i = 0; i < accuracy->gap_count; i++) {
    rf_json_append(gaps, json_pack("{s:s, s:I}", "why", accuracy->gaps[i].why, "timings",
                                   (json_int_t)accuracy->gaps[i].count));
  }
  return gaps;
}

roof_status roof_accuracy_write(const roof_accuracy *accuracy, const roof_machine *machine, roof_text *out,
                                roof_error *error) {
  json_t *document = json_pack("{s:s, s:s?, s:o, s:o, s:o}", "schema", "roofline.accuracy/1", "machine",
                               machine != NULL ? machine->name : NULL, "all", line_json(&accuracy->all), "by",
                               by_json(accuracy), "left_out", gaps_json(accuracy));
  return rf_json_write(document, "accuracy", out, error);
}

/* Constants */

static json_t *constant_json(const roof_fit *fit, roof_constant constant) {
  const roof_constant_row *row = roof_constant_row_of(constant);
  return json_pack("{s:s, s:o, s:s, s:o, s:o}", "name", row->name, "value",
                   rf_json_number(fit->constants.values[constant]), "unit", row->unit, "spread",
                   rf_json_number(fit->spread[constant]), "gain", rf_json_number(fit->gain[constant]));
}

static json_t *fit_json(const roof_fit *fit) {
  json_t *constants = json_array();
  for (int i = 0; i < ROOF_CONSTANT_COUNT; i++) {
    if (!isnan(fit->constants.values[i])) {
      rf_json_append(constants, constant_json(fit, (roof_constant)i));
    }
  }
  json_t *frameworks = json_array();
  for (int i = 0; i < fit->framework_count; i++) {
    rf_json_append(frameworks, json_string(fit->frameworks[i]));
  }
  return json_pack("{s:s, s:s, s:s?, s:o, s:b, s:b, s:s, s:I, s:b, s:s, s:o, s:o, s:o}", "kernel",
                   roof_kernel_kind_name(fit->constants.kernel), "dtype",
                   roof_dtype_name(fit->constants.dtype), "framework",
                   fit->constants.framework[0] != '\0' ? fit->constants.framework : NULL, "frameworks_timed",
                   frameworks, "blocks", fit->constants.blocks, "narrow", fit->constants.narrow, "source",
                   fit->constants.source, "timings_fitted", (json_int_t)fit->fitted, "judged_apart",
                   fit->apart, "in_place", fit->worse ? "kept" : "replaced", "constants", constants, "before",
                   line_json(&fit->before), "after", line_json(&fit->after));
}

static json_t *cause_json(const roof_run_cause *c) {
  return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b}", "class", c->name, "share",
                   rf_json_number(c->share), "factor", rf_json_number(c->factor), "seconds_per_step",
                   rf_json_number(c->seconds), "usual_factor_low", rf_json_number(c->usual_low),
                   "usual_factor_high", rf_json_number(c->usual_high), "median_error_left",
                   rf_json_number(c->left), "helps", c->helps, "alike", c->alike);
}

/** Runs of whole models, and what could explain them. */
static json_t *runs_json(const roof_calibration *calibration) {
  json_t *runs = json_array();
  for (size_t i = 0; i < calibration->run_count; i++) {
    const roof_run_causes *r = &calibration->runs[i];
    json_t *causes = json_array();
    for (size_t k = 0; k < r->count; k++) {
      rf_json_append(causes, cause_json(&r->causes[k]));
    }
    rf_json_append(runs, json_pack("{s:s, s:I, s:I, s:I, s:o, s:o, s:o}", "figure", r->figure, "runs",
                                   (json_int_t)r->runs, "settings", (json_int_t)r->settings, "inside",
                                   (json_int_t)r->inside, "median_error", rf_json_number(r->error), "bias",
                                   rf_json_number(r->bias), "causes", causes));
  }
  return runs;
}

roof_status roof_calibration_write(const roof_calibration *calibration, roof_text *out, roof_error *error) {
  json_t *fits = json_array();
  for (size_t i = 0; i < calibration->count; i++) {
    rf_json_append(fits, fit_json(&calibration->fits[i]));
  }
  json_t *document =
      json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "schema", "roofline.calibration/1", "fits", fits, "all",
                line_json(&calibration->judged.all), "by", by_json(&calibration->judged), "left_out",
                gaps_json(&calibration->judged), "runs", runs_json(calibration));
  return rf_json_write(document, "calibration", out, error);
}

static void add_constants(roof_text *out, const roof_constants *c) {
  roof_text_addf(out, "    {\"kernel\": \"%s\", \"dtype\": \"%s\"", roof_kernel_kind_name(c->kernel),
                 roof_dtype_name(c->dtype));
  if (c->framework[0] != '\0') {
    roof_text_add(out, ", \"framework\": ");
    roof_text_add_json(out, c->framework);
  }
  roof_text_add(out, c->blocks ? ", \"blocks\": true" : "");
  roof_text_add(out, c->narrow ? ", \"narrow\": true" : "");
  if (c->machine[0] != '\0') {
    roof_text_add(out, ", \"machine\": ");
    roof_text_add_json(out, c->machine);
  }
  for (int i = 0; i < ROOF_CONSTANT_COUNT; i++) {
    if (!isnan(c->values[i])) {
      roof_text_addf(out, ", \"%s\": %.4g", roof_constant_row_of((roof_constant)i)->name, c->values[i]);
    }
  }
  roof_text_add(out, ",\n     \"kind\": \"measured\", \"source\": ");
  roof_text_add_json(out, c->source);
  roof_text_addf(out, ", \"date\": \"%s\"}", c->date);
}

roof_status roof_calibration_write_constants(const roof_calibration *calibration, const char *name,
                                             roof_text *out, roof_error *error) {
  roof_text_add(out, "{\n  \"schema\": \"roofline.machine/1\",\n  \"name\": ");
  roof_text_add_json(out, name);
  roof_text_add(out, ",\n  \"constants\": [\n");
  for (size_t i = 0; i < calibration->count; i++) {
    add_constants(out, &calibration->fits[i].constants);
    roof_text_add(out, i + 1 < calibration->count ? ",\n" : "\n");
  }
  roof_text_add(out, "  ]\n}\n");
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "calibration: out of memory") : ROOF_OK;
}
