#include "cli/cli.h"
#include "cli/ledger/seal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "roofline/version.h"

#define ROW(name) extern const cli_command cli_##name;
#include "registry/commands.inc"
#undef ROW

static const cli_command *const commands[] = {
#define ROW(name) &cli_##name,
#include "registry/commands.inc"
#undef ROW
    NULL};

enum { COMMAND_MAX = sizeof commands / sizeof commands[0] };

const cli_command *cli_command_named(const char *name) {
  for (int i = 0; commands[i] != NULL; i++) {
    if (strcmp(commands[i]->name, name) == 0) {
      return commands[i];
    }
  }
  return NULL;
}

static roof_status refuse_command(const char *name, roof_error *error) {
  const char *names[COMMAND_MAX + 1] = {NULL};
  for (int i = 0; commands[i] != NULL; i++) {
    names[i] = commands[i]->name;
  }
  return roof_error_unknown(error, "command", name, names, "`roofline help` lists them");
}

static void add_task(roof_text *text, cli_task task, const char *title) {
  roof_text_addf(text, "%s\n", title);
  for (int i = 0; commands[i] != NULL; i++) {
    if (commands[i]->task == task) {
      roof_text_addf(text, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
  }
}

static const char *const details =
    "\nOptions of every command, before it or after it:\n"
    "  --json       one JSON object\n"
    "  --csv        comma-separated values\n"
    "  -q, --quiet  no progress, no extra text\n"
    "  --color      auto, always or never\n"
    "  -h, --help   its options; all of them, and examples\n"
    "  -V           the version, without a command\n"
    "`roofline help --json` says all of that as JSON.\n"
    "\nText is as wide as the terminal, or COLUMNS; in a pipe tables take 80 columns, sentences one line. "
    "NO_COLOR "
    "and TERM=dumb have no colours, LC_ALL=C has ASCII.\n"
    "\nShapes are key=value: lists batch=1,8,64, ranges batch=1..1024*2 and n=128..4096+128; 4k is 4000, "
    "4Ki is 4096.\n"
    "A FILE to read may be -, standard input; --to - is standard output.\n"
    "Exit codes: 0 done, 1 a gate failed, 2 usage or bad input, 3 cannot run here, 4 an internal fault.\n";

static roof_status print_overview(int help, roof_error *error) {
  roof_text text = {0};
  roof_text_add(&text, "roofline " ROOF_VERSION_TEXT
                       ": which ceiling limits a kernel, how fast it can go, and how far it is from there\n\n"
                       "usage: roofline COMMAND [NAME] [key=value ...] [--option ...]\n\n");
#define X(symbol, title) add_task(&text, CLI_TASK_##symbol, title);
  CLI_TASK_MAP(X)
#undef X
  roof_text_add(&text, help == CLI_HELP_LONG ? details : "");
  roof_text_addf(&text, "\nroofline COMMAND %s.\n",
                 help == CLI_HELP_LONG
                     ? "--help shows a command's options and examples"
                     : "-h shows a command's options, --help all and examples; roofline --help more");
  roof_text_add(&text, "Start with `roofline loop --quick`, or `roofline predict gemm m=8192 n=28672 k=8192 "
                       "--machine h100`.\n");
  return cli_print_end(&text, ROOF_OK, error);
}

static roof_status run_command(const cli_command *command, int argc, const char **argv, roof_error *error) {
  cli_args args;
  roof_status status = cli_args_parse(&args, command, argc, argv, error);
  if (status == ROOF_OK && !args.help) {
    status = cli_to_open(&args, command, error);
    cli_screen_set(&args);
    status = status == ROOF_OK ? command->run(&args, error) : status;
    status = cli_to_close(&args, command, status, error);
  }
  cli_args_done(&args);
  return status;
}

static roof_status print_version(roof_error *error) {
  roof_text text = {0};
  roof_text_add(&text, "roofline " ROOF_VERSION_TEXT "\n");
  return cli_print_end(&text, ROOF_OK, error);
}

static bool is_one_of(const char *word, const char *one, const char *other) {
  return strcmp(word, one) == 0 || strcmp(word, other) == 0;
}

/** Runs a command named after `globals` options: they move behind its name, so that `--` keeps its place. */
static roof_status run_named(const cli_command *command, int globals, int argc, const char **argv,
                             roof_error *error) {
  for (int i = 1 + globals; i > 1; i--) {
    argv[i] = argv[i - 1];
  }
  argv[1] = command->name;
  return run_command(command, argc - 1, argv + 1, error);
}

/** Help is of one command as text, or of all as JSON. */
static roof_status check_help(int argc, const char **argv, roof_error *error) {
  for (int i = 2; i < argc; i++) {
    if (argv[i][0] == '-') {
      return roof_error_set(error, ROOF_E_ARGUMENT,
                            "help: does not take %s: `roofline help COMMAND`, or `roofline help --json`",
                            argv[i]);
    }
  }
  return ROOF_OK;
}

static roof_status dispatch(int argc, const char **argv, roof_error *error) {
  const char *first = argc > 1 ? argv[1] : "help";
  if (is_one_of(first, "--version", "-V")) {
    return print_version(error);
  }
  bool help = is_one_of(first, "--help", "-h") || strcmp(first, "help") == 0;
  if (help && argc == 3 && strcmp(argv[2], "--json") == 0) {
    return cli_describe(commands, error);
  }
  if (help && argc < 3) {
    return print_overview(strcmp(first, "--help") == 0 ? CLI_HELP_LONG : CLI_HELP_SHORT, error);
  }
  roof_status status = help ? check_help(argc, argv, error) : ROOF_OK;
  if (status != ROOF_OK) {
    return status;
  }
  int globals = help ? 0 : cli_args_global(argc, argv, 1);
  if (globals + 1 >= argc && !help) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: of which command? `roofline help` lists them", first);
  }
  const char *name = argv[help ? 2 : 1 + globals];
  const cli_command *command = cli_command_named(name);
  if (command == NULL) {
    return refuse_command(name, error);
  }
  const char *asked[] = {command->name, strcmp(first, "-h") == 0 ? "-h" : "--help", NULL};
  return help ? run_command(command, 2, asked, error) : run_named(command, globals, argc, argv, error);
}

/** What a ledger has to say while a command runs. */
static void report_note(void *user, const char *sentence) {
  roof_error note = {0};
  (void)user;
  roof_error_set(&note, ROOF_OK, "%s", sentence);
  cli_report("", &note);
}

/** The exit code of an end before there is an answer; 0: there is one. */
static volatile sig_atomic_t early_code;

/** Libraries that have no memory left end the program: popt and OpenMP with the exit code of a gate, C++ by a signal. */
static void end_early(void) {
  static const char message[] = "roofline: out of memory\n";
  if (early_code != 0) {
    (void)!write(STDERR_FILENO, message, sizeof message - 1);
    _exit(early_code);
  }
}

static void end_aborted(int number) {
  (void)number;
  end_early();
}

int cli_main(int argc, const char **argv) {
  roof_error error = {0};
  bool watched = atexit(end_early) == 0 && signal(SIGABRT, end_aborted) != SIG_ERR;
  early_code = watched ? roof_status_exit_code(ROOF_E_MEMORY) : 0;
  roof_ledger_listen(report_note, NULL);
  roof_status status = dispatch(argc, argv, &error);
  cli_ledger_explain(status, &error);
  early_code = 0;
  if (status != ROOF_OK && error.message[0] != '\0') {
    cli_report("", &error);
  }
  return roof_status_exit_code(status);
}

int main(int argc, const char **argv) {
  return cli_main(argc, argv);
}
