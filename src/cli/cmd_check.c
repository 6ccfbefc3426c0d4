/* The gate for CI: exit 1 when a kernel is under its share of the ceiling or slower than its baseline. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "roofline/advise.h"
#include "roofline/documents.h"

static char *least_text, *regression_text, *significance_text, *against, *junit;
static int github;

static const struct poptOption options[] = {
    {"min", '\0', POPT_ARG_STRING, &least_text, 0, "least share of the ceiling (65%); 0: any", "F"},
    {"against", '\0', POPT_ARG_STRING, &against, 0, "a baseline: an earlier file of the same kind", "FILE"},
    {"max-regression", '\0', POPT_ARG_STRING, &regression_text, 0,
     "allowed slowdown against the baseline (5%)", "F"},
    {"significance", '\0', POPT_ARG_STRING, &significance_text, 0, "chance of calling noise a slowdown (5%)",
     "F"},
    {"junit", '\0', POPT_ARG_STRING, &junit, 0, "also write JUnit XML", "FILE"},
    {"github", '\0', POPT_ARG_NONE, &github, 0, "also print GitHub annotations", NULL},
    POPT_TABLEEND};

/** Neither where there is nothing to judge. */
CLI_VALUE(passes, roof_gate_line,
          r->result.state == ROOF_GATE_UNKNOWN ? NAN : !roof_gate_misses(r->result.state))
CLI_WORD(state_of, roof_gate_line, roof_gate_name(r->result.state))
CLI_WORD(verdict_of, roof_gate_line, r->placed.verdict != NULL ? r->placed.verdict->name : NULL)

/** "+12.3 %". */
CLI_WORD(change_of, roof_gate_line,
         isnan(r->result.regression) ? NULL : cli_column_say(scratch, "%+.1f %%", 100 * r->result.regression))

static const cli_column columns[] = {
    {.key = "label", .header = "kernel", .name = true, CLI_FIELD(TEXT, roof_gate_line, label)},
    {.key = "state", .text = state_of},
    {.key = "passed", .kind = CLI_COLUMN_FLAG, .number = passes},
    {.key = "seconds",
     .header = "time",
     .unit = "s",
     .none = "",
     CLI_FIELD(NUMBER, roof_gate_line, placed.seconds)},
    {.key = "fraction_of_ceiling",
     .header = "of ceiling",
     CLI_PERCENT(1),
     .none = "",
     CLI_FIELD(NUMBER, roof_gate_line, placed.share)},
    {.key = "verdict", .text = verdict_of},
    {.key = "baseline_fraction_of_ceiling",
     .header = "baseline",
     CLI_PERCENT(1),
     .none = "",
     CLI_FIELD(NUMBER, roof_gate_line, before_share)},
    {.key = "regression", CLI_FIELD(NUMBER, roof_gate_line, result.regression)},
    {.header = "change", .none = "", .right = true, .text = change_of},
    {.key = "p", CLI_FIELD(NUMBER, roof_gate_line, result.p)},
    {.key = "runs", CLI_FIELD(SIZE, roof_gate_line, runs)},
    {.key = "baseline_runs", CLI_FIELD(SIZE, roof_gate_line, before_runs)},
    {.header = "gate", .verdict = true, .text = state_of},
    {.key = "message", .header = "", .none = "", CLI_FIELD(NAME, roof_gate_line, message)},
    {0}};

static roof_status write_junit(const cli_args *args, const roof_gate_report *r, roof_error *error) {
  roof_text out = {0};
  roof_status status = roof_gate_write_junit(r, &out, error);
  status = status == ROOF_OK ? cli_to_write(args, junit, &out, error) : status;
  roof_text_done(&out);
  return status;
}

/** Annotations, a line each, however long. */
static roof_status print_github(const cli_args *args, const roof_gate_report *r, roof_error *error) {
  roof_text out = {0};
  const char *file = strcmp(args->words[0], "-") != 0 ? args->words[0] : NULL;
  roof_status status = roof_gate_write_github(r, file, &out, error);
  status = status == ROOF_OK ? cli_print_document(&out, error) : status;
  roof_text_done(&out);
  return status;
}

/** What would give the ceilings that neither the file nor a machine that is known has. */
static void add_missing(roof_text *out, const roof_gate_report *r, const roof_machine *machine) {
  bool missing = false;
  for (size_t i = 0; i < r->count; i++) {
    missing |= r->lines[i].result.state == ROOF_GATE_NO_CEILING;
  }
  if (missing && machine == NULL) {
    roof_text_addf(out, "\n  ceilings: %s%sgive --machine NAME\n", r->machine,
                   r->machine[0] != '\0' ? " is not known: " : "");
  }
}

static roof_status print_report(const cli_args *args, const roof_gate_report *r, const roof_machine *machine,
                                roof_error *error) {
  cli_rows rows = CLI_ROWS(columns, r->lines, r->count);
  roof_text out = {0};
  roof_status status = junit != NULL ? write_junit(args, r, error) : ROOF_OK;
  if (status != ROOF_OK || args->csv) {
    return status != ROOF_OK ? status : cli_columns_print_csv(rows, error);
  }
  if (args->json) {
    status = roof_gate_write(r, against, &out, error);
  } else {
    roof_gate_sentence(r, against, &out);
    roof_text_add(&out, "\n\n");
    cli_columns_add_text(&out, rows);
    add_missing(&out, r, machine);
  }
  status = cli_print_end(&out, status, error);
  return status == ROOF_OK && github && !args->json ? print_github(args, r, error) : status;
}

static roof_status read_share(const char *name, const char *text, double *share, roof_error *error) {
  if (text == NULL) {
    return ROOF_OK;
  }
  double value;
  roof_status status = roof_quantity_parse_unit(text, "%", &value, error);
  if (status == ROOF_OK && !(value >= 0 && value <= 1)) {
    status =
        roof_error_set(error, ROOF_E_ARGUMENT, "--%s %s: a share from 0 to 1, or up to 100%%", name, text);
  }
  *share = status == ROOF_OK ? value : *share;
  return status;
}

static roof_status read_limits(const cli_args *args, roof_gate *gate, roof_error *error) {
  *gate = roof_gate_default();
  if (args->word_count == 0) {
    return roof_error_set(
        error, ROOF_E_ARGUMENT,
        "check: which file? for instance what `roofline run all --json > results.json` wrote");
  }
  roof_status status = cli_args_limit_words(args, 1, error);
  status = status == ROOF_OK ? read_share("min", least_text, &gate->least, error) : status;
  status = status == ROOF_OK ? read_share("max-regression", regression_text, &gate->max_regression, error)
                             : status;
  return status == ROOF_OK ? read_share("significance", significance_text, &gate->significance, error)
                           : status;
}

/** The ceilings of the machine named, else of the one that the file was taken on, if it is known. */
static roof_status select_ceilings(const cli_args *args, const roof_measurements *now, roof_machine **machine,
                                   roof_ceilings *ceilings, roof_error *error) {
  roof_options assumed = {0};
  const char *own = *machine == NULL && now->count > 0 ? now->list[0].machine : "";
  roof_status status = own[0] != '\0' ? roof_catalog_load_known(own, machine, error) : ROOF_OK;
  status = status == ROOF_OK ? cli_select_options(args, &assumed, error) : status;
  return status == ROOF_OK && *machine != NULL ? roof_ceilings_init(ceilings, *machine, 0, &assumed, error)
                                               : status;
}

/** ROOF_E_GATE where a kernel misses; what nothing could be judged of does not pass either. */
static roof_status pass(const roof_gate_report *r, const char *file, roof_error *error) {
  if (roof_gate_passes(r) || r->missed > 0) {
    return r->missed > 0 ? ROOF_E_GATE : ROOF_OK;
  }
  roof_error_set(error, ROOF_E_INPUT, "nothing in it can be judged: %s: %s", r->lines[0].label,
                 r->lines[0].message);
  return roof_error_at(error, file, 0, 0);
}

/** Judges the files and prints it. */
static roof_status judge(const cli_args *args, const roof_gate *gate, const roof_measurements *now,
                         const roof_measurements *before, roof_machine **machine, roof_error *error) {
  roof_ceilings ceilings;
  roof_gate_report report = {0};
  roof_status status = select_ceilings(args, now, machine, &ceilings, error);
  if (status == ROOF_OK) {
    roof_gate_side mine = roof_gate_side_of(now, *machine != NULL ? &ceilings : NULL),
                   theirs = roof_gate_side_of(before, NULL);
    status = roof_gate_check(gate, &mine, against != NULL ? &theirs : NULL, &report, error);
    status = status == ROOF_OK ? status : roof_error_at(error, args->words[0], 0, 0);
  }
  status = status == ROOF_OK ? print_report(args, &report, *machine, error) : status;
  status = status == ROOF_OK ? pass(&report, args->words[0], error) : status;
  roof_gate_report_done(&report);
  return status;
}

static roof_status check(const cli_args *args, roof_error *error) {
  roof_measurements now = {0}, before = {0};
  roof_machine *machine = NULL;
  roof_gate gate;
  roof_status status = read_limits(args, &gate, error);
  if (github) {
    cli_screen_github();
  }
  if (status == ROOF_OK && args->machines != NULL) {
    status = cli_select_machine(args, "check", &machine, error);
  }
  status = status == ROOF_OK ? roof_measurements_read_results(args->words[0], &now, error) : status;
  if (status == ROOF_OK && against != NULL) {
    status = roof_measurements_read_results(against, &before, error);
  }
  if (args->machines != NULL) {
    roof_measurements_drop_ceilings(&now);
  }
  status = status == ROOF_OK ? judge(args, &gate, &now, &before, &machine, error) : status;
  roof_measurements_done(&now);
  roof_measurements_done(&before);
  roof_machine_free(machine);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_status status = check(args, error);
  char *texts[] = {least_text, regression_text, significance_text, against, junit};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    free(texts[i]);
  }
  return status;
}

static const cli_effect effects[] = {{.options = "max-regression significance", .without = "against"},
                                     {.options = "github", .with = "json"},
                                     {.options = "github", .with = "csv"},
                                     {0}};

const cli_command cli_cmd_check = {
    .name = "check",
    .task = CLI_TASK_MEASURE,
    .arguments = "RESULTS.json | -",
    .summary = "gate for CI: exit 1 when a kernel is under its share of the ceiling or got slower",
    .examples =
        "  roofline run all --json > results.json; roofline check results.json --min 65%\n"
        "  roofline check results.json --against baseline.json --max-regression 5% --github\n"
        "  roofline check results.json --junit check.xml\n"
        "  roofline check results.json --machine h100\n"
        "\n"
        "  A share of the ceiling holds on another machine; a time does not. Slower than allowed is a "
        "miss only if the runs of both files show that it is not chance (Mann-Whitney); with too few runs "
        "the gate says so and does not pass. --machine recomputes the ceilings of "
        "RESULTS.json, not of the baseline.\n",
    .writes = "txt json csv",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_MODEL,
    .options = options,
    .effects = effects,
    .run = run,
};
