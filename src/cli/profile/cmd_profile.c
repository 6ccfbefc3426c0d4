/* A user's program under the profiler that answers a question, its file imported and reconciled. */
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/import/import.h"
#include "cli/ledger/seal.h"
#include "roofline/profiler.h"

static char *with, *question;
static int dry;

static const struct poptOption options[] = {
    {"with", '\0', POPT_ARG_STRING, &with, 0, "the profiler; default: the first that is installed", "NAME"},
    {"for", '\0', POPT_ARG_STRING, &question, 0,
     "the question: kernels, timeline, operators, loops or processor", "WHAT"},
    {"dry-run", 'n', POPT_ARG_NONE, &dry, 0, "only print the command, and how to import what it writes",
     NULL},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)cli_import_options, 0, "Import:", NULL},
    POPT_TABLEEND};

CLI_VALUE(is_installed, roof_profiler, roof_profiler_installed(r))

static const cli_column columns[] = {
    {.key = "name", .header = "profiler", CLI_FIELD(TEXT, roof_profiler, name)},
    {.key = "question", .header = "for", CLI_FIELD(TEXT, roof_profiler, question)},
    {.key = "installed", .header = "installed", .kind = CLI_COLUMN_FLAG, .number = is_installed},
    {.key = "answers", .header = "what it answers", CLI_FIELD(TEXT, roof_profiler, answers)},
    {.key = "format", CLI_FIELD(TEXT, roof_profiler, format)},
    {.key = "file", CLI_FIELD(TEXT, roof_profiler, file)},
    {.key = "cost", CLI_FIELD(TEXT, roof_profiler, cost)},
    {0},
};

static roof_status print_list(const cli_args *args, roof_error *error) {
  roof_text out = {0};
  roof_status status = ROOF_OK;
  cli_rows rows = CLI_ROWS(columns, roof_profiler_at(0), 0);
  while (roof_profiler_at((int)rows.count) != NULL) {
    rows.count++;
  }
  if (args->show != NULL) {
    status = cli_columns_print_named(args, rows, "roofline.profiler/1", args->show, error);
  } else if (args->json) {
    status = roof_profilers_write(&out, error);
  } else {
    (args->csv ? cli_columns_add_csv : cli_columns_add_text)(&out, rows);
  }
  return cli_print_end(&out, status, error);
}

/** The commands, one per line, and how to go on. */
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

/** The same as an object: each command as its words. */
static json_t *commands_json(const roof_profiler *p, const char *const *program) {
  json_t *commands = json_array();
  for (int step = 0; step < ROOF_PROFILER_STEPS; step++) {
    const char **words = roof_profiler_command(p, step, program);
    json_t *list = json_array();
    for (size_t i = 0; words != NULL && words[i] != NULL; i++) {
      rf_json_append(list, json_string(words[i]));
    }
    if (words != NULL) {
      rf_json_append(commands, json_incref(list));
    }
    json_decref(list);
    free(words);
  }
  return json_pack("{s:s, s:s, s:s, s:o, s:s, s:s}", "schema", "roofline.profiling/1", "profiler", p->name,
                   "question", p->question, "commands", commands, "file", p->file, "format", p->format);
}

static roof_status print_commands(const cli_args *args, const roof_profiler *p, roof_error *error) {
  roof_text out = {0};
  if (args->json) {
    return cli_json_print(commands_json(p, args->program), error);
  }
  add_commands(&out, p, args->program);
  roof_status status = cli_print_document(&out, error); /* lines to paste, which no screen breaks */
  roof_text_done(&out);
  return status;
}

/** Prints how it changes the times before the program begins. */
static void announce(const cli_args *args, const roof_profiler *p) {
  roof_text out = {0};
  if (args->quiet) {
    return;
  }
  roof_text_addf(&out, "roofline: %s: %s; `roofline run -- %s` times it without\n", p->name, p->cost,
                 args->program[0]);
  (void)cli_note(&out, NULL);
  roof_text_done(&out);
}

static roof_status profile(const cli_args *args, const roof_profiler *p, roof_error *error) {
  announce(args, p);
  roof_status status = roof_profiler_collect(p, args->program, error);
  if (status == ROOF_OK) {
    status = cli_import_file_as(args, p->file, p->format, error);
  }
  const char *ledger = cli_import_ledger_name();
  bool tables = !args->json && !args->csv && !args->quiet && args->file == NULL;
  return status == ROOF_OK && ledger != NULL && tables ? cli_reconcile_print(args, ledger, error) : status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  const roof_profiler *p = NULL;
  roof_status status =
      args->list || args->show != NULL ? print_list(args, error) : cli_args_limit_words(args, 0, error);
  if (status != ROOF_OK || args->list || args->show != NULL) {
    return status;
  }
  status = roof_profiler_choose(with, question, &p, error);
  if (status == ROOF_OK && args->program == NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "profile: which program? for instance `roofline profile -- ./a.out`");
  }
  if (status != ROOF_OK || dry) {
    return status == ROOF_OK ? print_commands(args, p, error) : status;
  }
  if (!roof_profiler_installed(p)) {
    status = print_commands(args, p, error);
    return status == ROOF_OK
               ? roof_error_set(
                     error, ROOF_E_UNSUPPORTED,
                     "%s is not installed here: run the commands above where it is, and bring the file",
                     p->module != NULL ? p->module : p->program)
               : status;
  }
  return profile(args, p, error);
}

static const cli_effect effects[] = {{.options = "*", .with = "list"},
                                     {.options = "unsealed sign", .without = "ledger"},
                                     {.options = "levels timeline", .without = "to"},
                                     {.options = "weights group accumulate output kv"},
                                     {.options = "dtype ops", .without = "op"},
                                     {.options = "csv", .with = "dry-run"},
                                     {0}};

const cli_command cli_cmd_profile = {
    .name = "profile",
    .task = CLI_TASK_IMPORT,
    .arguments = "-- PROGRAM ... | list | show PROFILER",
    .summary = "a program under the profiler that answers a question, imported and reconciled",
    .examples = "  roofline profile -- ./a.out\n"
                "  roofline profile list\n"
                "  roofline profile --for kernels --machine h100 --merge 'gemm=ffn' --ledger -- ./train\n"
                "  roofline profile --with ncu --dry-run -- ./train\n",
    .writes = "txt svg png pdf html json csv",
    .groups =
        CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_LIST | CLI_ARGS_SHOW | CLI_ARGS_PROGRAM | CLI_ARGS_PAGE,
    .options = options,
    .effects = effects,
    .run = run,
};
