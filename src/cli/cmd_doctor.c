/* What on this machine would distort a measurement. */
#include <stdlib.h>

#include "cli/columns.h"
#include "cli/grid.h"
#include "roofline/doctor.h"

static char *root;
static int strict;

static const struct poptOption options[] = {
    {"root", '\0', POPT_ARG_STRING, &root, 0, "read /proc and /sys below FOLDER: a captured machine",
     "FOLDER"},
    {"strict", '\0', POPT_ARG_NONE, &strict, 0, "exit 1 when anything is a warning", NULL},
    POPT_TABLEEND};

CLI_WORD(health_of, roof_diagnosis, roof_health_name(r->health))

static const cli_column columns[] = {
    {.key = "name", CLI_FIELD(TEXT, roof_diagnosis, name)},
    {.key = "state", .text = health_of},
    {.key = "path", CLI_FIELD(NAME, roof_diagnosis, path)},
    {.key = "value", CLI_FIELD(NAME, roof_diagnosis, value)},
    {.key = "why", CLI_FIELD(TEXT, roof_diagnosis, why)},
    {.key = "remedy", CLI_FIELD(TEXT, roof_diagnosis, remedy)},
    {0},
};

static void add_text(roof_text *out, const roof_examination *e) {
  static const roof_health worst_first[ROOF_HEALTH_COUNT] = {ROOF_HEALTH_WARN, ROOF_HEALTH_UNKNOWN,
                                                             ROOF_HEALTH_INFO, ROOF_HEALTH_OK};
  cli_grid grid = {0};
  roof_examination_sentence(e, out);
  roof_text_add(out, "\n\n");
  for (size_t i = 0; i < ROOF_HEALTH_COUNT * e->count; i++) {
    const roof_diagnosis *d = &e->diagnoses[i % e->count];
    if (d->health != worst_first[i / e->count]) {
      continue;
    }
    const char *const cells[] = {roof_health_name(d->health), d->name, d->value, d->path};
    for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++) {
      cli_grid_add(&grid, "%s", cells[k]);
    }
  }
  cli_grid_end_bare(&grid, out, "vlln");
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_examination e = {0};
  roof_text out = {0};
  roof_status status = cli_args_limit_words(args, 0, error);
  status = status == ROOF_OK ? roof_doctor_examine(root, &e, error) : status;
  if (status == ROOF_OK && args->json) {
    status = roof_examination_write(&e, &out, error);
  } else if (status == ROOF_OK && args->csv) {
    cli_columns_add_csv(&out, CLI_ROWS(columns, e.diagnoses, e.count));
  } else if (status == ROOF_OK) {
    add_text(&out, &e);
    if (!args->quiet) {
      roof_examination_remedies(&e, &out);
    }
  }
  status = cli_print_end(&out, status, error);
  status = status == ROOF_OK && strict && e.healths[ROOF_HEALTH_WARN] > 0 ? ROOF_E_GATE : status;
  roof_examination_done(&e);
  free(root);
  return status;
}

const cli_command cli_cmd_doctor = {
    .name = "doctor",
    .task = CLI_TASK_MEASURE,
    .arguments = "",
    .summary = "what on this machine would distort a measurement, and what to do",
    .examples = "  roofline doctor\n"
                "  roofline doctor --json | jq '.checks[] | select(.state == \"warn\")'\n"
                "  roofline doctor --strict && roofline measure\n"
                "  roofline doctor --root captured-machine\n",
    .writes = "txt json csv",
    .options = options,
    .run = run,
};
