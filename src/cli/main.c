#include "cli/cli.h"

#include <string.h>

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

static roof_status find_command(const char *name, const cli_command **command, roof_error *error) {
  const char *names[COMMAND_MAX + 1] = {NULL};
  for (int i = 0; commands[i] != NULL; i++) {
    if (strcmp(commands[i]->name, name) == 0) {
      *command = commands[i];
      return ROOF_OK;
    }
    names[i] = commands[i]->name;
  }
  return roof_error_unknown(error, "command", name, names, "`roofline help` lists them");
}

static roof_status print_overview(roof_error *error) {
  roof_text text = {0};
  roof_text_add(&text, "roofline " ROOF_VERSION_TEXT
                       ": which ceiling limits a kernel, how fast it can go, and how far it is from there\n\n"
                       "usage: roofline COMMAND [NAME] [key=value ...] [--option ...]\n\n");
  for (int i = 0; commands[i] != NULL; i++) {
    roof_text_addf(&text, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
  }
  roof_text_add(&text, "\nroofline COMMAND --help shows a command's options and examples.\n"
                       "Start with `roofline loop --quick`, or `roofline predict gemm m=8192 n=28672 k=8192 "
                       "--machine h100`.\n");
  return cli_print_end(&text, ROOF_OK, error);
}

static roof_status run_command(const cli_command *command, int argc, const char **argv, roof_error *error) {
  cli_args args;
  roof_status status = cli_args_parse(&args, command, argc, argv, error);
  if (status == ROOF_OK && !args.help) {
    status = command->run(&args, error);
  }
  cli_args_done(&args);
  return status;
}

static roof_status dispatch(int argc, const char **argv, roof_error *error) {
  const char *name = argc > 1 ? argv[1] : "help";
  if (strcmp(name, "--version") == 0) {
    roof_text text = {0};
    roof_text_add(&text, "roofline " ROOF_VERSION_TEXT "\n");
    roof_status status = cli_print(&text, error);
    roof_text_done(&text);
    return status;
  }
  bool help = strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
  if (help && argc < 3) {
    return print_overview(error);
  }
  const cli_command *command = NULL;
  roof_status status = find_command(help ? argv[2] : name, &command, error);
  if (status != ROOF_OK) {
    return status;
  }
  const char *asked[] = {command->name, "--help", NULL};
  return help ? run_command(command, 2, asked, error) : run_command(command, argc - 1, argv + 1, error);
}

int main(int argc, const char **argv) {
  roof_error error = {0};
  roof_status status = dispatch(argc, argv, &error);
  if (status != ROOF_OK && error.message[0] != '\0') {
    cli_report("", &error);
  }
  return roof_status_exit_code(status);
}
