/* The gate for CI: exit 1 when a kernel is under its share of the ceiling or slower than its baseline. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/predict/grid.h"
#include "core/number.h"
#include "roofline/advise.h"
#include "roofline/kernels.h"
#include "roofline/measurement.h"

static char *least_text, *regression_text, *significance_text, *against, *junit;
static int github;

static const struct poptOption options[] = {
    {"min", '\0', POPT_ARG_STRING, &least_text, 0, "least share of the ceiling (0.65); 0: any", "F"},
    {"against", '\0', POPT_ARG_STRING, &against, 0, "a baseline: an earlier file of the same kind", "FILE"},
    {"max-regression", '\0', POPT_ARG_STRING, &regression_text, 0,
     "allowed slowdown against the baseline (0.05)", "F"},
    {"significance", '\0', POPT_ARG_STRING, &significance_text, 0,
     "chance of calling noise a slowdown (0.05)", "F"},
    {"junit", '\0', POPT_ARG_STRING, &junit, 0, "also write JUnit XML", "FILE"},
    {"github", '\0', POPT_ARG_NONE, &github, 0, "also print GitHub annotations", NULL},
    POPT_TABLEEND};

enum { SHORT = 48, LINE = 256 };

/** One kernel of a results file. */
typedef struct result {
  char label[128];
  double seconds;
  double ceiling_seconds; /**< NaN unknown */
  double *runs;           /**< at least one: the samples, or the median */
  size_t run_count;
  bool scaled; /**< runs are multiples of the ceiling */
} result;

typedef struct results {
  char machine[ROOF_NAME_MAX];
  result *all;
  size_t count;
} results;

/** One kernel judged. */
typedef struct line {
  const char *label;
  double seconds, fraction, before_fraction;
  size_t runs, before_runs;
  roof_gate_result gate;
  char message[LINE];
} line;

typedef struct report {
  const cli_args *args;
  roof_gate gate;
  const char *machine;
  line *lines;
  size_t count;
  size_t missed;
} report;

static void results_done(results *r) {
  for (size_t i = 0; i < r->count; i++) {
    free(r->all[i].runs);
  }
  free(r->all);
  *r = (results){0};
}

static double number_or_nan(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

/** Time of the arithmetic of a kernel's FLOPs, {"fp32": N, ...}; NaN where a peak is unknown. */
static roof_status compute_seconds(const json_t *kernel, const roof_machine *machine, const roof_options *o,
                                   roof_unit unit, double *seconds, roof_error *error) {
  const char *name;
  json_t *flops;
  *seconds = 0;
  json_object_foreach(json_object_get(kernel, "flops"), name, flops) {
    roof_dtype dtype;
    roof_target target;
    roof_status status = roof_dtype_parse(name, &dtype, error);
    if (status == ROOF_OK) {
      roof_types types = roof_types_of(dtype);
      status = roof_target_init(&target, machine, &types, o, error);
    }
    if (status != ROOF_OK) {
      return status;
    }
    *seconds += json_number_value(flops) * target.seconds_per_flop[unit];
  }
  return ROOF_OK;
}

/** Time of the bytes of a kernel, {"DRAM": N, "L2": N, ...}, the slowest level. */
static roof_status memory_seconds(const json_t *kernel, const roof_machine *machine, const roof_options *o,
                                  double *seconds, roof_error *error) {
  roof_types types = roof_types_of(ROOF_FP32);
  roof_target target;
  roof_work work;
  roof_work_init(&work);
  roof_status status = roof_target_init(&target, machine, &types, o, error);
  const char *name;
  json_t *bytes;
  json_object_foreach(json_object_get(kernel, "bytes"), name, bytes) {
    roof_level_kind kind;
    status = status == ROOF_OK ? roof_level_kind_parse(name, &kind, error) : status;
    if (status != ROOF_OK) {
      return status;
    }
    work.level_bytes[kind] = json_number_value(bytes);
    work.read_bytes = kind == ROOF_MEMORY ? work.level_bytes[kind] : work.read_bytes;
  }
  if (status == ROOF_OK) {
    roof_prediction p;
    roof_predict_work(&target, &work, &p);
    *seconds = p.lower_seconds;
  }
  return status;
}

/** The ceiling on another machine than the one in the file, from what was counted. */
static roof_status find_ceiling(const report *r, const json_t *kernel, const roof_machine *machine,
                                result *out, roof_error *error) {
  char name[128];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(out->label, " "), out->label);
  const roof_kernel *known = NULL;
  const roof_op *op = NULL;
  bool vector = roof_kernel_find(name, &known, NULL) == ROOF_OK &&
                roof_op_find(known->op, &op, NULL) == ROOF_OK && op->unit == ROOF_VECTOR;
  roof_options o;
  double compute = NAN, memory = NAN;
  roof_status status = cli_select_options(r->args, &o, error);
  if (status == ROOF_OK) {
    status = compute_seconds(kernel, machine, &o, vector ? ROOF_VECTOR : ROOF_MATRIX, &compute, error);
  }
  if (status == ROOF_OK) {
    status = memory_seconds(kernel, machine, &o, &memory, error);
  }
  out->ceiling_seconds = compute > memory ? compute : memory + 0 * compute;
  return status;
}

static roof_status read_runs(const json_t *kernel, result *out, roof_error *error) {
  const json_t *samples = json_object_get(kernel, "samples");
  size_t count = json_array_size(samples);
  out->run_count = count > 0 ? count : 1;
  out->runs = calloc(out->run_count, sizeof *out->runs);
  if (out->runs == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "check: out of memory");
  }
  out->runs[0] = out->seconds;
  for (size_t i = 0; i < count; i++) {
    out->runs[i] = json_number_value(json_array_get(samples, i));
    if (!(out->runs[i] > 0)) {
      return roof_error_set(error, ROOF_E_INPUT, "%s: sample %zu is not a time", out->label, i + 1);
    }
  }
  return ROOF_OK;
}

/** A kernel of roofline.measurements/1 or an entry of roofline.reconcile/1. */
static roof_status read_result(const report *r, const json_t *kernel, const roof_machine *machine,
                               size_t index, result *out, roof_error *error) {
  const char *label = json_string_value(json_object_get(kernel, "name"));
  label = label != NULL ? label : json_string_value(json_object_get(kernel, "label"));
  double seconds = number_or_nan(kernel, "seconds"), fraction = number_or_nan(kernel, "fraction_of_ceiling");
  seconds = isnan(seconds) ? number_or_nan(kernel, "measured_seconds") : seconds;
  if (label == NULL || label[0] == '\0' || !(seconds > 0)) {
    return roof_error_set(error, ROOF_E_INPUT, "kernel %zu: needs a name and seconds over 0", index + 1);
  }
  snprintf(out->label, sizeof out->label, "%s", label);
  out->seconds = seconds;
  out->ceiling_seconds = number_or_nan(kernel, "ceiling_seconds");
  if (isnan(out->ceiling_seconds)) {
    out->ceiling_seconds = fraction * seconds;
  }
  roof_status status = machine != NULL ? find_ceiling(r, kernel, machine, out, error) : ROOF_OK;
  return status == ROOF_OK ? read_runs(kernel, out, error) : status;
}

static roof_status read_kernels(const report *r, const json_t *root, const roof_machine *machine,
                                results *out, roof_error *error) {
  static const struct {
    const char *schema;
    const char *list;
  } kinds[] = {{"roofline.measurements/1", "kernels"}, {"roofline.reconcile/1", "entries"}};
  const char *schema = json_string_value(json_object_get(root, "schema"));
  const json_t *list = NULL;
  for (size_t i = 0; schema != NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
    list = strcmp(schema, kinds[i].schema) == 0 ? json_object_get(root, kinds[i].list) : list;
  }
  if (!json_is_array(list)) {
    return roof_error_set(error, ROOF_E_INPUT,
                          "schema %s: check reads roofline.measurements/1 and roofline.reconcile/1",
                          schema != NULL ? schema : "missing");
  }
  const char *name = json_string_value(json_object_get(root, "machine"));
  snprintf(out->machine, sizeof out->machine, "%s", name != NULL ? name : "");
  out->all = calloc(json_array_size(list) + 1, sizeof *out->all);
  roof_status status =
      out->all != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "check: out of memory");
  for (size_t i = 0; i < json_array_size(list) && status == ROOF_OK; i++) {
    status = read_result(r, json_array_get(list, i), machine, i, &out->all[out->count++], error);
  }
  return status;
}

static roof_status read_results(const report *r, const char *path, const roof_machine *machine, results *out,
                                roof_error *error) {
  json_error_t why;
  json_t *root = strcmp(path, "-") == 0 ? json_loadf(stdin, 0, &why) : json_load_file(path, 0, &why);
  if (root == NULL) {
    roof_error_set(error, why.line > 0 ? ROOF_E_PARSE : ROOF_E_INPUT, "%s", why.text);
    return roof_error_at(error, why.line > 0 ? path : "", why.line > 0 ? why.line : 0,
                         why.column > 0 ? why.column : 0);
  }
  roof_status status = read_kernels(r, root, machine, out, error);
  json_decref(root);
  if (status != ROOF_OK) {
    results_done(out);
    roof_error_at(error, path, 0, 0);
  }
  return status;
}

static result *find_result(const results *r, const char *label) {
  for (size_t i = 0; i < r->count; i++) {
    if (strcmp(r->all[i].label, label) == 0) {
      return &r->all[i];
    }
  }
  return NULL;
}

/** Runs as multiples of the ceiling, so that two machines can be compared. */
static void scale(result *r) {
  for (size_t i = 0; i < r->run_count && !r->scaled; i++) {
    r->runs[i] /= r->ceiling_seconds;
  }
  r->scaled = true;
}

static void write_message(const report *r, const char *why, line *l) {
  const roof_gate_result *g = &l->gate;
  char *at = l->message;
  size_t left = sizeof l->message;
  switch (g->state) {
  case ROOF_GATE_LOW:
    rf_format(at, left, "%.1f %% of its ceiling, under %.1f %%", 100 * l->fraction, 100 * r->gate.least);
    break;
  case ROOF_GATE_SLOWER:
    rf_format(at, left,
              "%.1f %% slower than the baseline (allowed %.1f %%), p = %.2g of %zu runs against %zu",
              100 * g->regression, 100 * r->gate.max_regression, g->p, l->runs, l->before_runs);
    break;
  case ROOF_GATE_NOISE:
    rf_format(at, left, "%.1f %% slower, within the noise: p = %.2g of %zu runs against %zu",
              100 * g->regression, g->p, l->runs, l->before_runs);
    break;
  case ROOF_GATE_FEW:
    rf_format(at, left, "%.1f %% slower, but not enough runs to tell: %zu against %zu, take %zu on each side",
              100 * g->regression, l->runs, l->before_runs, g->runs_needed);
    break;
  default:
    snprintf(at, left, "%s",
             why != NULL                  ? why
             : g->state == ROOF_GATE_PASS ? ""
                                          : roof_gate_meaning(g->state));
  }
}

static roof_status judge_one(const report *r, result *now, result *before, bool same_machine, line *l,
                             roof_error *error) {
  const char *why = NULL;
  *l = (line){.label = now->label,
              .seconds = now->seconds,
              .fraction = now->ceiling_seconds / now->seconds,
              .before_fraction = before != NULL ? before->ceiling_seconds / before->seconds : NAN,
              .runs = now->run_count,
              .before_runs = before != NULL ? before->run_count : 0};
  bool shares = before != NULL && !isnan(l->fraction) && !isnan(l->before_fraction);
  if (shares) {
    scale(now);
    scale(before);
  } else if (before != NULL && !same_machine) {
    why = "on another machine than the baseline, and a ceiling is not known";
  }
  roof_status status =
      roof_gate_judge(&r->gate, l->fraction, now->runs, now->run_count, before != NULL ? before->runs : NULL,
                      why != NULL ? 0 : l->before_runs, &l->gate, error);
  if (why != NULL && l->gate.state == ROOF_GATE_NEW) {
    l->gate.state = ROOF_GATE_UNKNOWN;
  }
  write_message(r, why, l);
  return status;
}

static roof_status judge(report *r, results *now, results *before, roof_error *error) {
  r->lines = calloc(now->count + before->count + 1, sizeof *r->lines);
  if (r->lines == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "check: out of memory");
  }
  roof_status status = ROOF_OK;
  bool same = strcmp(now->machine, before->machine) == 0;
  for (size_t i = 0; i < now->count && status == ROOF_OK; i++) {
    line *l = &r->lines[r->count++];
    status = judge_one(r, &now->all[i], find_result(before, now->all[i].label), same, l, error);
    if (against == NULL && l->gate.state == ROOF_GATE_NEW) {
      l->gate.state = ROOF_GATE_PASS;
      l->message[0] = '\0';
    }
  }
  for (size_t i = 0; i < before->count && status == ROOF_OK; i++) {
    if (find_result(now, before->all[i].label) == NULL) {
      line *l = &r->lines[r->count++];
      *l = (line){.label = before->all[i].label,
                  .seconds = NAN,
                  .fraction = NAN,
                  .before_fraction = before->all[i].ceiling_seconds / before->all[i].seconds,
                  .gate = {.state = ROOF_GATE_GONE, .regression = NAN, .p = NAN}};
      write_message(r, NULL, l);
    }
  }
  for (size_t i = 0; i < r->count; i++) {
    r->missed += roof_gate_misses(r->lines[i].gate.state);
  }
  return status;
}

static void add_share(cli_grid *grid, double share, const char *form) {
  if (isnan(share)) {
    cli_grid_add(grid, "%s", "");
  } else {
    char cell[SHORT];
    snprintf(cell, sizeof cell, form, 100 * share);
    cli_grid_add(grid, "%s", cell);
  }
}

static void add_summary(const report *r, roof_text *out) {
  bool named = r->machine[0] != '\0';
  roof_text_addf(out, "%zu of %zu kernels pass%s%s: at least %.0f %% of the ceiling", r->count - r->missed,
                 r->count, named ? " on " : "", r->machine, 100 * r->gate.least);
  if (against != NULL) {
    roof_text_addf(out, ", at most %.0f %% slower than %s", 100 * r->gate.max_regression, against);
  }
}

static void add_text(const report *r, roof_text *out) {
  static const char *const heads[] = {"kernel", "time", "of ceiling", "baseline", "change", "gate", ""};
  cli_grid grid = {0};
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    cli_grid_add(&grid, "%s", heads[i]);
  }
  for (size_t i = 0; i < r->count; i++) {
    const line *l = &r->lines[i];
    char time[SHORT] = "";
    cli_grid_add(&grid, "%s", l->label);
    cli_grid_add(&grid, "%s", isnan(l->seconds) ? "" : roof_quantity_format(time, SHORT, l->seconds, "s"));
    add_share(&grid, l->fraction, "%.1f %%");
    add_share(&grid, l->before_fraction, "%.1f %%");
    add_share(&grid, l->gate.regression, "%+.1f %%");
    cli_grid_add(&grid, "%s", roof_gate_name(l->gate.state));
    cli_grid_add(&grid, "%s", l->message);
  }
  add_summary(r, out);
  roof_text_add(out, "\n\n");
  cli_grid_end(&grid, out, "lrrrrll");
}

/** Escapes for a GitHub workflow command; `property` also what ends one. */
static void add_escaped(roof_text *out, const char *text, bool property) {
  for (; *text != '\0'; text++) {
    bool special = strchr("%\r\n", *text) != NULL || (property && strchr(":,", *text) != NULL);
    roof_text_addf(out, special ? "%%%02X" : "%c", (unsigned char)*text);
  }
}

static void add_annotations(const report *r, roof_text *out) {
  for (size_t i = 0; i < r->count; i++) {
    const line *l = &r->lines[i];
    if (l->message[0] == '\0') {
      continue;
    }
    roof_text_addf(out, "::%s title=", roof_gate_misses(l->gate.state) ? "error" : "notice");
    add_escaped(out, l->label, true);
    roof_text_add(out, "::");
    add_escaped(out, l->message, false);
    roof_text_add(out, "\n");
  }
}

static json_t *report_json(const report *r) {
  json_t *kernels = json_array();
  for (size_t i = 0; i < r->count; i++) {
    const line *l = &r->lines[i];
    const roof_verdict *verdict = roof_verdict_of(l->fraction);
    json_array_append_new(
        kernels,
        json_pack("{s:s, s:s, s:b, s:o, s:o, s:s?, s:o, s:o, s:o, s:I, s:I, s:s}", "label", l->label, "state",
                  roof_gate_name(l->gate.state), "passed", !roof_gate_misses(l->gate.state), "seconds",
                  cli_json_number(l->seconds), "fraction_of_ceiling", cli_json_number(l->fraction), "verdict",
                  verdict != NULL ? verdict->name : NULL, "baseline_fraction_of_ceiling",
                  cli_json_number(l->before_fraction), "regression", cli_json_number(l->gate.regression), "p",
                  cli_json_number(l->gate.p), "runs", (json_int_t)l->runs, "baseline_runs",
                  (json_int_t)l->before_runs, "message", l->message));
  }
  return json_pack("{s:s, s:b, s:s, s:o, s:o, s:o, s:s?, s:o}", "schema", "roofline.check/1", "passed",
                   r->missed == 0, "machine", r->machine, "min", cli_json_number(r->gate.least),
                   "max_regression", cli_json_number(r->gate.max_regression), "significance",
                   cli_json_number(r->gate.significance), "against", against, "kernels", kernels);
}

static roof_status write_junit(const report *r, roof_error *error) {
  roof_text out = {0};
  roof_text_addf(&out,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                 "  <testsuite name=\"roofline check\" tests=\"%zu\" failures=\"%zu\">\n",
                 r->count, r->missed);
  for (size_t i = 0; i < r->count; i++) {
    const line *l = &r->lines[i];
    roof_text_add(&out, "    <testcase classname=\"");
    roof_text_add_xml(&out, r->machine);
    roof_text_add(&out, "\" name=\"");
    roof_text_add_xml(&out, l->label);
    roof_text_addf(&out, "\" time=\"%.9g\"", isnan(l->seconds) ? 0 : l->seconds);
    if (roof_gate_misses(l->gate.state)) {
      roof_text_addf(&out, ">\n      <failure type=\"%s\" message=\"", roof_gate_name(l->gate.state));
      roof_text_add_xml(&out, l->message);
      roof_text_add(&out, "\"/>\n    </testcase>\n");
    } else {
      roof_text_add(&out, "/>\n");
    }
  }
  roof_text_add(&out, "  </testsuite>\n</testsuites>\n");
  roof_status status = out.failed ? roof_error_set(error, ROOF_E_MEMORY, "check: out of memory")
                                  : rf_write_file(junit, out.data, out.length, error);
  roof_text_done(&out);
  return status;
}

static roof_status tell(const report *r, roof_error *error) {
  roof_status status = junit != NULL ? write_junit(r, error) : ROOF_OK;
  if (status != ROOF_OK || r->args->json || r->args->csv) {
    return status != ROOF_OK ? status : cli_answer_print(r->args, report_json(r), error);
  }
  roof_text out = {0};
  add_text(r, &out);
  if (github) {
    add_annotations(r, &out);
  }
  status = cli_print(&out, error);
  roof_text_done(&out);
  return status;
}

static roof_status read_share(const char *name, const char *text, double *share, roof_error *error) {
  if (text == NULL) {
    return ROOF_OK;
  }
  double value;
  roof_status status = roof_quantity_parse(text, &value, error);
  if (status == ROOF_OK && !(value >= 0 && value <= 1)) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--%s %s: a share from 0 to 1", name, text);
  }
  if (status == ROOF_OK) {
    *share = value;
  }
  return status;
}

static roof_status read_limits(const cli_args *args, roof_gate *gate, roof_error *error) {
  *gate = roof_gate_default();
  if (args->word_count == 0) {
    return roof_error_set(
        error, ROOF_E_ARGUMENT,
        "check: which file? for instance what `roofline run all --json > results.json` wrote");
  }
  if (github && (args->json || args->csv)) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "--github: not with --json or --csv, annotations are lines of text");
  }
  if (regression_text != NULL && against == NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--max-regression: against what? give --against FILE");
  }
  roof_status status = cli_args_limit_words(args, 1, error);
  status = status == ROOF_OK ? read_share("min", least_text, &gate->least, error) : status;
  status = status == ROOF_OK ? read_share("max-regression", regression_text, &gate->max_regression, error)
                             : status;
  return status == ROOF_OK ? read_share("significance", significance_text, &gate->significance, error)
                           : status;
}

static roof_status check(const cli_args *args, report *r, roof_error *error) {
  results now = {0}, before = {0};
  roof_machine **machine = NULL;
  int machines = 0;
  roof_status status = read_limits(args, &r->gate, error);
  if (status == ROOF_OK && args->machines != NULL) {
    status = cli_select_machines(args, &machine, &machines, error);
  }
  if (status == ROOF_OK && machines > 1) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "check: one machine at a time");
  }
  if (status == ROOF_OK) {
    status = read_results(r, args->words[0], machine != NULL ? machine[0] : NULL, &now, error);
  }
  if (status == ROOF_OK && against != NULL) {
    status = read_results(r, against, NULL, &before, error);
  }
  if (status == ROOF_OK) {
    r->machine = machine != NULL ? machine[0]->name : now.machine;
    status = judge(r, &now, &before, error);
  }
  if (status == ROOF_OK) {
    status = tell(r, error);
  }
  results_done(&now);
  results_done(&before);
  cli_machines_free(machine, machines);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  report r = {.args = args};
  roof_status status = check(args, &r, error);
  free(r.lines);
  char *texts[] = {least_text, regression_text, significance_text, against, junit};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    free(texts[i]);
  }
  return status == ROOF_OK && r.missed > 0 ? ROOF_E_GATE : status;
}

const cli_command cli_cmd_check = {
    .name = "check",
    .arguments = "RESULTS.json",
    .summary = "gate for CI: exit 1 when a kernel is under its share of the ceiling or got slower",
    .examples =
        "  roofline run all --json > results.json; roofline check results.json --min 0.65\n"
        "  roofline check results.json --against baseline.json --max-regression 0.05 --github\n"
        "  roofline check results.json --junit check.xml\n"
        "  roofline check results.json --machine h100\n"
        "\n"
        "  A share of the ceiling holds on another machine; a time does not. Slower than allowed is a\n"
        "  miss only where the runs of both files tell it from chance (Mann-Whitney); where there are too\n"
        "  few to tell, the gate says so and does not pass. --machine recomputes the ceilings of\n"
        "  RESULTS.json, not of the baseline.\n",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_MODEL,
    .options = options,
    .run = run,
};
