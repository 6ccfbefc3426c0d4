/* Somebody's program under the profiler that answers a question, its file imported and reconciled. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/grid.h"
#include "cli/import/import.h"
#include "cli/ledger/seal.h"
#include "cli/profile/run.h"

static char *with, *question;
static int list, dry;

static const struct poptOption options[] = {
    {"with", '\0', POPT_ARG_STRING, &with, 0, "the profiler; default: the first that is installed", "NAME"},
    {"for", '\0', POPT_ARG_STRING, &question, 0,
     "the question: kernels, timeline, operators, loops or processor", "WHAT"},
    {"list", 'l', POPT_ARG_NONE, &list, 0, "show the profilers and what each answers", NULL},
    {"dry-run", 'n', POPT_ARG_NONE, &dry, 0, "only print the command, and how to import what it writes",
     NULL},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)cli_import_options, 0, "Import:", NULL},
    POPT_TABLEEND};

static json_t *profiler_json(const roof_profiler *p) {
  return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:b}", "name", p->name, "question", p->question, "answers",
                   p->answers, "format", p->format, "file", p->file, "cost", p->cost, "installed",
                   (int)roof_profiler_installed(p));
}

static roof_status print_list(const cli_args *args, roof_error *error) {
  static const char *const header[] = {"profiler", "for", "installed", "what it answers"};
  roof_text out = {0};
  cli_grid grid = {0};
  if (args->json) {
    json_t *array = json_array();
    for (int i = 0; roof_profiler_at(i) != NULL; i++) {
      json_array_append_new(array, profiler_json(roof_profiler_at(i)));
    }
    return cli_json_print(json_pack("{s:s, s:o}", "schema", "roofline.profilers/1", "profilers", array),
                          error);
  }
  for (size_t i = 0; i < sizeof header / sizeof header[0]; i++) {
    cli_grid_add(&grid, "%s", header[i]);
  }
  for (int i = 0; roof_profiler_at(i) != NULL; i++) {
    const roof_profiler *p = roof_profiler_at(i);
    cli_grid_add(&grid, "%s", p->name);
    cli_grid_add(&grid, "%s", p->question);
    cli_grid_add(&grid, "%s", roof_profiler_installed(p) ? "yes" : "no");
    cli_grid_add(&grid, "%s", p->answers);
  }
  cli_grid_end(&grid, &out, "llll");
  roof_status status = cli_print(&out, error);
  roof_text_done(&out);
  return status;
}

static roof_status choose(const roof_profiler **p, roof_error *error) {
  if (with == NULL) {
    return roof_profiler_for(question, p, error);
  }
  roof_status status = roof_profiler_find(with, p, error);
  return status == ROOF_OK && question != NULL && strcmp((*p)->question, question) != 0
             ? roof_error_set(error, ROOF_E_ARGUMENT, "--with %s: it answers --for %s", with, (*p)->question)
             : status;
}

/** The commands, one a line, and how to go on. */
static void add_commands(roof_text *out, const roof_profiler *p, const char *const *program) {
  for (int step = 0; step < ROOF_PROFILER_STEPS; step++) {
    const char **words = roof_profiler_command(p, step, program);
    if (words != NULL) {
      roof_text_add(out, "  ");
      roof_profiler_write(out, words);
      roof_text_add(out, "\n");
    }
    free(words);
  }
  roof_text_addf(out, "  roofline import %s --format %s\n", p->file, p->format);
}

static roof_status print_commands(const roof_profiler *p, const char *const *program, roof_error *error) {
  roof_text out = {0};
  add_commands(&out, p, program);
  roof_status status = cli_print(&out, error);
  roof_text_done(&out);
  return status;
}

/** Says what it does to the times before the program begins. */
static void announce(const cli_args *args, const roof_profiler *p) {
  roof_text out = {0};
  if (args->quiet) {
    return;
  }
  roof_text_addf(&out, "roofline: %s: %s; `roofline run -- %s` times it without\n", p->name, p->cost,
                 args->program[0]);
  fputs(out.data != NULL ? out.data : "", stderr);
  roof_text_done(&out);
}

/** Runs every step; a file of an earlier run does not stand for this one's. */
static roof_status collect(const cli_args *args, const roof_profiler *p, roof_error *error) {
  roof_status status = ROOF_OK;
  announce(args, p);
  (void)unlink(p->file);
  for (int step = 0; step < ROOF_PROFILER_STEPS && status == ROOF_OK; step++) {
    const char **words = roof_profiler_command(p, step, args->program);
    status = words != NULL ? cli_profiler_run(words, error) : ROOF_OK;
    free(words);
  }
  return status == ROOF_OK && access(p->file, R_OK) != 0
             ? roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: it wrote no %s", p->name, p->file)
             : status;
}

static roof_status profile(const cli_args *args, const roof_profiler *p, roof_error *error) {
  roof_status status = collect(args, p, error);
  if (status == ROOF_OK) {
    status = cli_import_file_as(args, p->file, p->format, error);
  }
  const char *ledger = cli_import_ledger_name();
  bool tables = !args->json && !args->csv && !args->quiet && args->to == NULL;
  return status == ROOF_OK && ledger != NULL && tables ? cli_reconcile_print(args, ledger, error) : status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  const roof_profiler *p = NULL;
  roof_status status = list ? print_list(args, error) : cli_args_limit_words(args, 0, error);
  if (status != ROOF_OK || list) {
    return status;
  }
  status = choose(&p, error);
  if (status == ROOF_OK && args->program == NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "profile: which program? for instance `roofline profile -- ./a.out`");
  }
  if (status != ROOF_OK || dry) {
    return status == ROOF_OK ? print_commands(p, args->program, error) : status;
  }
  if (!roof_profiler_installed(p)) {
    status = print_commands(p, args->program, error);
    return status == ROOF_OK
               ? roof_error_set(
                     error, ROOF_E_UNSUPPORTED,
                     "%s is not installed here: run the commands above where it is, and bring the file",
                     p->module != NULL ? p->module : p->program)
               : status;
  }
  return profile(args, p, error);
}

const cli_command cli_cmd_profile = {
    .name = "profile",
    .arguments = "-- PROGRAM ...",
    .summary = "a program under the profiler that answers a question, imported and reconciled",
    .examples = "  roofline profile -- ./a.out\n"
                "  roofline profile --list\n"
                "  roofline profile --for kernels --machine h100 --group 'gemm=ffn' --ledger -- ./train\n"
                "  roofline profile --with ncu --dry-run -- ./train\n",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_FILE | CLI_ARGS_PROGRAM,
    .options = options,
    .run = run,
};
