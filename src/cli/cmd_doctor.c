/* What on this machine would spoil a measurement. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/grid.h"
#include "doctor/doctor.h"

static char *root;

static const struct poptOption options[] = {{"root", '\0', POPT_ARG_STRING, &root, 0,
                                             "read /proc and /sys below FOLDER: a captured machine",
                                             "FOLDER"},
                                            POPT_TABLEEND};

/** The answers, and how many of each health. */
typedef struct examination {
  rf_diagnosis diagnoses[RF_DIAGNOSIS_MAX];
  size_t count;
  int healths[RF_HEALTH_COUNT];
} examination;

static json_t *as_json(const examination *e) {
  json_t *list = json_array();
  for (size_t i = 0; i < e->count; i++) {
    const rf_diagnosis *d = &e->diagnoses[i];
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "name", d->name, "state",
                                          rf_health_name(d->health), "path", d->path, "value", d->value,
                                          "why", d->why, "remedy", d->remedy));
  }
  return json_pack("{s:s, s:i, s:i, s:i, s:o}", "schema", "roofline.doctor/1", "ok", e->healths[RF_HEALTH_OK],
                   "warn", e->healths[RF_HEALTH_WARN], "unknown", e->healths[RF_HEALTH_UNKNOWN], "checks",
                   list);
}

static void add_csv(roof_text *out, const examination *e) {
  roof_text_add(out, "name,state,path,value,why,remedy\n");
  for (size_t i = 0; i < e->count; i++) {
    const rf_diagnosis *d = &e->diagnoses[i];
    const char *fields[] = {d->name, rf_health_name(d->health), d->path, d->value, d->why, d->remedy};
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
      roof_text_add(out, k > 0 ? "," : "");
      roof_text_add_csv(out, fields[k]);
    }
    roof_text_add(out, "\n");
  }
}

static void add_text(roof_text *out, const examination *e) {
  cli_grid grid = {0};
  roof_text_addf(out, "%d warning%s, %d unknown, %d ok\n\n", e->healths[RF_HEALTH_WARN],
                 e->healths[RF_HEALTH_WARN] == 1 ? "" : "s", e->healths[RF_HEALTH_UNKNOWN],
                 e->healths[RF_HEALTH_OK]);
  for (size_t i = 0; i < e->count; i++) {
    const rf_diagnosis *d = &e->diagnoses[i];
    cli_grid_add(&grid, "%s", rf_health_name(d->health));
    cli_grid_add(&grid, "%s", d->name);
    cli_grid_add(&grid, "%s", d->value);
    cli_grid_add(&grid, "%s", d->path);
  }
  cli_grid_end(&grid, out, "llll");
}

static void add_remedies(roof_text *out, const examination *e) {
  for (size_t i = 0; i < e->count; i++) {
    const rf_diagnosis *d = &e->diagnoses[i];
    if (d->health == RF_HEALTH_WARN) {
      roof_text_addf(out, "\n%s: %s\n  %s\n", d->name, d->why, d->remedy);
    }
  }
}

static roof_status tell(const cli_args *args, const examination *e, roof_error *error) {
  if (args->json) {
    return cli_json_print(as_json(e), error);
  }
  roof_text text = {0};
  if (args->csv) {
    add_csv(&text, e);
  } else {
    add_text(&text, e);
    if (!args->quiet) {
      add_remedies(&text, e);
    }
  }
  roof_status status = cli_print(&text, error);
  roof_text_done(&text);
  return status;
}

static roof_status check_root(roof_error *error) {
  char proc[4096];
  if (root == NULL) {
    return ROOF_OK;
  }
  snprintf(proc, sizeof proc, "%s/proc", root);
  if (access(proc, R_OK | X_OK) != 0) {
    return roof_error_set(error, ROOF_E_INPUT, "%s: %s", proc, strerror(errno));
  }
  return ROOF_OK;
}

static roof_status run(const cli_args *args, roof_error *error) {
  static examination e;
  roof_status status = cli_args_limit_words(args, 0, error);
  if (status == ROOF_OK) {
    status = check_root(error);
  }
  if (status == ROOF_OK) {
    e.count = rf_doctor_examine(root != NULL ? root : "", e.diagnoses, RF_DIAGNOSIS_MAX);
    for (size_t i = 0; i < e.count; i++) {
      e.healths[e.diagnoses[i].health]++;
    }
    status = tell(args, &e, error);
  }
  free(root);
  return status;
}

const cli_command cli_cmd_doctor = {
    .name = "doctor",
    .arguments = "",
    .summary = "what on this machine would spoil a measurement, and what to do",
    .examples = "  roofline doctor\n"
                "  roofline doctor --json | jq '.checks[] | select(.state == \"warn\")'\n"
                "  roofline doctor --root captured-machine\n",
    .options = options,
    .run = run,
};
