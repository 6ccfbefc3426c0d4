/* The ceilings of the machine this runs on. */
#include <stdint.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/machine.h"

static int quick, threads;
static char *backend_name, *old_name;

static const struct poptOption options[] = {
    {"quick", '\0', POPT_ARG_NONE, &quick, 0, "shorter measurements: a few seconds", NULL},
    {"backend", 'b', POPT_ARG_STRING, &backend_name, 0, "what measures: cpu (default), fake", "NAME"},
    {"threads", 't', POPT_ARG_INT, &threads, 0, "cores to use; default: all this process may", "N"},
    {"compare", '\0', POPT_ARG_STRING, &old_name, 0,
     "show what changed against OLD, and whether it is more than noise; with NEW nothing is measured", "OLD"},
    POPT_TABLEEND};

static roof_status save(const roof_args *args, const roof_machine *machine, roof_error *error) {
  if (args->to == NULL) {
    return roof_host_save(machine, error);
  }
  roof_text json = {0};
  roof_status status = roof_machine_write(machine, &json, error);
  if (status == ROOF_OK) {
    status = roof_write_file(args->to, json.data, json.length, error);
  }
  roof_text_done(&json);
  return status;
}

/** Measures into *machine and keeps it. */
static roof_status measure(const roof_args *args, roof_machine *machine, roof_error *error) {
  const roof_backend *backend = NULL;
  roof_measure_options how = roof_measure_options_default();
  how.quick = quick != 0;
  how.threads = threads;
  how.progress = roof_show_progress;
  how.user = (void *)(uintptr_t)args;
  roof_status status = roof_select_backend(backend_name, &backend, error);
  if (status == ROOF_OK && threads < 0) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--threads %d: must be at least 1", threads);
  }
  if (status != ROOF_OK) {
    return status;
  }
  status = backend->measure(&how, machine, error);
  roof_show_progress(how.user, "", 1, 1);
  return status == ROOF_OK ? save(args, machine, error) : status;
}

static roof_status run(const roof_args *args, roof_error *error) {
  roof_machine old, machine;
  roof_status status = roof_args_limit_words(args, old_name != NULL ? 1 : 0, error);
  if (status == ROOF_OK && args->csv && old_name == NULL) {
    status = roof_args_no_csv("measure", error);
  }
  if (status == ROOF_OK && old_name != NULL) { /* before the file is written over */
    status = roof_catalog_load(old_name, &old, error);
  }
  if (status == ROOF_OK) {
    status = args->word_count > 0 ? roof_catalog_load(args->words[0], &machine, error)
                                  : measure(args, &machine, error);
  }
  if (status == ROOF_OK) {
    status = old_name != NULL ? measure_compare_print(args, &old, &machine, error)
                              : machine_show_print(args, &machine, error);
  }
  free(old_name);
  free(backend_name);
  return status;
}

const roof_command roof_cmd_measure = {
    .name = "measure",
    .arguments = "[NEW]",
    .summary = "what this machine really reaches: clock, peaks, bandwidths; kept as the machine `host`",
    .examples = "  roofline measure --quick\n"
                "  roofline measure --to laptop.json\n"
                "  roofline measure --compare laptop.json\n"
                "  roofline measure --quick --json | jq .peaks\n",
    .groups = ROOF_ARGS_FILE,
    .options = options,
    .run = run,
};
