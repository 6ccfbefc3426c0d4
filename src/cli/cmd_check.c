/* The gate for CI: exit 1 when a kernel is under its share of the ceiling or slower than its baseline. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/grid.h"
#include "core/number.h"
#include "roofline/advise.h"
#include "roofline/documents.h"

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

enum { SHORT = 48 };

/** What is shown. */
typedef struct report {
  const cli_args *args;
  roof_gate gate;
  const char *machine;
  roof_gate_report judged;
} report;

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
  const roof_gate_report *judged = &r->judged;
  roof_text_addf(out, "%zu of %zu kernels pass%s%s: at least %.0f %% of the ceiling",
                 judged->count - judged->missed - judged->unknown, judged->count, named ? " on " : "",
                 r->machine, 100 * r->gate.least);
  if (against != NULL) {
    roof_text_addf(out, ", at most %.0f %% slower than %s", 100 * r->gate.max_regression, against);
  }
  if (judged->unknown > 0) {
    roof_text_addf(out, "; %zu unknown", judged->unknown);
  }
}

static void add_text(const report *r, roof_text *out) {
  static const char *const heads[] = {"kernel", "time", "of ceiling", "baseline", "change", "gate", ""};
  cli_grid grid = {0};
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    cli_grid_add(&grid, "%s", heads[i]);
  }
  for (size_t i = 0; i < r->judged.count; i++) {
    const roof_gate_line *l = &r->judged.lines[i];
    char time[SHORT] = "";
    cli_grid_add(&grid, "%s", l->label);
    cli_grid_add(&grid, "%s",
                 isnan(l->placed.seconds) ? "" : roof_quantity_format(time, SHORT, l->placed.seconds, "s"));
    add_share(&grid, l->placed.share, "%.1f %%");
    add_share(&grid, l->before_share, "%.1f %%");
    add_share(&grid, l->result.regression, "%+.1f %%");
    cli_grid_add(&grid, "%s", roof_gate_name(l->result.state));
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
  for (size_t i = 0; i < r->judged.count; i++) {
    const roof_gate_line *l = &r->judged.lines[i];
    if (l->message[0] == '\0') {
      continue;
    }
    roof_text_addf(out, "::%s title=", roof_gate_misses(l->result.state) ? "error" : "notice");
    add_escaped(out, l->label, true);
    roof_text_add(out, "::");
    add_escaped(out, l->message, false);
    roof_text_add(out, "\n");
  }
}

static json_t *report_json(const report *r) {
  json_t *kernels = json_array();
  for (size_t i = 0; i < r->judged.count; i++) {
    const roof_gate_line *l = &r->judged.lines[i];
    const roof_verdict *verdict = l->placed.verdict;
    json_array_append_new(
        kernels,
        json_pack("{s:s, s:s, s:b, s:o, s:o, s:s?, s:o, s:o, s:o, s:I, s:I, s:s}", "label", l->label, "state",
                  roof_gate_name(l->result.state), "passed", !roof_gate_misses(l->result.state), "seconds",
                  rf_json_number(l->placed.seconds), "fraction_of_ceiling", rf_json_number(l->placed.share),
                  "verdict", verdict != NULL ? verdict->name : NULL, "baseline_fraction_of_ceiling",
                  rf_json_number(l->before_share), "regression", rf_json_number(l->result.regression), "p",
                  rf_json_number(l->result.p), "runs", (json_int_t)l->runs, "baseline_runs",
                  (json_int_t)l->before_runs, "message", l->message));
  }
  return json_pack("{s:s, s:b, s:s, s:o, s:o, s:o, s:s?, s:o}", "schema", "roofline.check/1", "passed",
                   r->judged.missed == 0, "machine", r->machine, "min", rf_json_number(r->gate.least),
                   "max_regression", rf_json_number(r->gate.max_regression), "significance",
                   rf_json_number(r->gate.significance), "against", against, "kernels", kernels);
}

static roof_status write_junit(const report *r, roof_error *error) {
  roof_text out = {0};
  roof_text_addf(&out,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                 "  <testsuite name=\"roofline check\" tests=\"%zu\" failures=\"%zu\">\n",
                 r->judged.count, r->judged.missed);
  for (size_t i = 0; i < r->judged.count; i++) {
    const roof_gate_line *l = &r->judged.lines[i];
    roof_text_add(&out, "    <testcase classname=\"");
    roof_text_add_xml(&out, r->machine);
    roof_text_add(&out, "\" name=\"");
    roof_text_add_xml(&out, l->label);
    roof_text_addf(&out, "\" time=\"%.9g\"", isnan(l->placed.seconds) ? 0 : l->placed.seconds);
    if (roof_gate_misses(l->result.state)) {
      roof_text_addf(&out, ">\n      <failure type=\"%s\" message=\"", roof_gate_name(l->result.state));
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

/** The ceilings of the machine named. */
static roof_status select_ceilings(const cli_args *args, roof_machine ***machines, int *count,
                                   roof_ceilings *ceilings, roof_error *error) {
  roof_options assumed;
  roof_status status = cli_select_machines(args, machines, count, error);
  if (status == ROOF_OK && *count > 1) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "check: one machine at a time");
  }
  status = status == ROOF_OK ? cli_select_options(args, &assumed, error) : status;
  return status == ROOF_OK ? roof_ceilings_init(ceilings, (*machines)[0], 0, &assumed, error) : status;
}

static roof_gate_side side_of(const roof_measurements *all, const roof_ceilings *ceilings) {
  return (roof_gate_side){.machine = all->count > 0 ? all->list[0].machine : "",
                          .kernels = all->list,
                          .count = all->count,
                          .ceilings = ceilings};
}

/** Judges what the files hold and prints it. */
static roof_status judge(report *r, const roof_ceilings *ceilings, roof_error *error) {
  roof_measurements now = {0}, before = {0};
  roof_status status = roof_measurements_read_results(r->args->words[0], &now, error);
  if (status == ROOF_OK && against != NULL) {
    status = roof_measurements_read_results(against, &before, error);
  }
  if (status == ROOF_OK) {
    roof_gate_side mine = side_of(&now, ceilings), theirs = side_of(&before, NULL);
    r->machine = ceilings != NULL ? ceilings->machine->name : mine.machine;
    status = roof_gate_check(&r->gate, &mine, against != NULL ? &theirs : NULL, &r->judged, error);
    status = status == ROOF_OK ? status : roof_error_at(error, r->args->words[0], 0, 0);
  }
  if (status == ROOF_OK) {
    status = tell(r, error);
  }
  roof_measurements_done(&now);
  roof_measurements_done(&before);
  return status;
}

static roof_status check(const cli_args *args, report *r, roof_error *error) {
  roof_machine **machines = NULL;
  int count = 0;
  roof_ceilings ceilings;
  roof_status status = read_limits(args, &r->gate, error);
  if (status == ROOF_OK && args->machines != NULL) {
    status = select_ceilings(args, &machines, &count, &ceilings, error);
  }
  status = status == ROOF_OK ? judge(r, args->machines != NULL ? &ceilings : NULL, error) : status;
  cli_machines_free(machines, count);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  report r = {.args = args};
  roof_status status = check(args, &r, error);
  size_t missed = r.judged.missed;
  roof_gate_report_done(&r.judged);
  char *texts[] = {least_text, regression_text, significance_text, against, junit};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    free(texts[i]);
  }
  return status == ROOF_OK && missed > 0 ? ROOF_E_GATE : status;
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
