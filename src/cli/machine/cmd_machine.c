/* The catalogue: list, show, compare, new, lint. */
#include <string.h>

#include "cli/cli.h"
#include "cli/machine/machine.h"

static roof_status new_run(const cli_args *args, roof_error *error) {
  roof_text text = {0};
  roof_status status = roof_machine_template(args->words[1], &text, error);
  return cli_print_end(&text, status, error);
}

static const struct {
  const char *name;
  int least, most; /* words after it */
  roof_status (*run)(const cli_args *args, roof_error *error);
  const char *usage;
  bool csv; /* has a table */
} verbs[] = {
    {"list", 0, 1, cli_machine_list_run, "list [TEXT]", true},
    {"show", 1, 1, cli_machine_show_run, "show NAME", true},
    {"compare", 2, 16, cli_machine_compare_run, "compare NAME NAME ...", true},
    {"new", 1, 1, new_run, "new NAME [--to FILE.json]", false},
    {"lint", 0, 1000, cli_machine_lint_run, "lint [NAME|FILE ...]", true},
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
    return args->csv && !verbs[i].csv ? cli_args_no_csv("machine new", error) : verbs[i].run(args, error);
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
    .writes = "txt json csv",
    .groups = CLI_ARGS_LIST,
    .run = run,
};
