/* The catalogue: list, show, compare, new, lint. */
#include <string.h>

#include "cli/cli.h"
#include "cli/machine/machine.h"

static roof_status new_run(const cli_args *args, roof_error *error) {
  roof_text text = {0};
  roof_status status = roof_machine_template(args->words[1], &text, error);
  if (status == ROOF_OK) {
    status =
        args->to != NULL ? rf_write_file(args->to, text.data, text.length, error) : cli_print(&text, error);
  }
  roof_text_done(&text);
  return status;
}

static const struct {
  const char *name;
  int least, most; /* words after it */
  roof_status (*run)(const cli_args *args, roof_error *error);
  const char *usage;
  bool json, csv, to; /* options it has a use for */
} verbs[] = {
    {"list", 0, 1, cli_machine_list_run, "list [TEXT]", .json = true, .csv = true},
    {"show", 1, 1, cli_machine_show_run, "show NAME", .json = true, .csv = true},
    {"compare", 2, 16, cli_machine_compare_run, "compare NAME NAME ...", .json = true, .csv = true},
    {"new", 1, 1, new_run, "new NAME [--to FILE]", .to = true},
    {"lint", 0, 1000, cli_machine_lint_run, "lint [NAME|FILE ...]", .json = true, .csv = true},
};

enum { VERB_COUNT = sizeof verbs / sizeof verbs[0] };

static roof_status run(const cli_args *args, roof_error *error) {
  bool listed = args->list || args->word_count == 0;
  const char *typed = listed ? "list" : args->words[0];
  const char *names[VERB_COUNT + 1] = {NULL};
  int words = listed ? args->word_count : args->word_count - 1;
  for (int i = 0; i < VERB_COUNT; i++) {
    names[i] = verbs[i].name;
    if (strcmp(typed, verbs[i].name) != 0) {
      continue;
    }
    if (words < verbs[i].least || words > verbs[i].most) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "machine %s: usage is `roofline machine %s`", typed,
                            verbs[i].usage);
    }
    const char *useless = args->json && !verbs[i].json ? "--json"
                          : args->csv && !verbs[i].csv ? "--csv"
                          : args->to && !verbs[i].to   ? "--to"
                                                       : NULL;
    if (useless != NULL) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "machine %s: does not take %s", typed, useless);
    }
    return verbs[i].run(args, error);
  }
  return roof_error_unknown(error, "machine", typed, names, NULL);
}

const cli_command cli_cmd_machine = {
    .name = "machine",
    .task = CLI_TASK_LOOK_UP,
    .arguments = "list [TEXT] | show NAME | compare NAME NAME ... | new NAME | lint [NAME|FILE ...]",
    .summary = "the catalogue: any GPU or CPU from one file, every figure with its source",
    .examples = "  roofline machine list hbm\n  roofline machine show h100\n  roofline machine compare h100 "
                "b200 mi300x\n"
                "  roofline machine new my-gpu --to my-gpu.json && roofline machine lint my-gpu.json\n",
    .groups = CLI_ARGS_FILE | CLI_ARGS_LIST,
    .run = run,
};
