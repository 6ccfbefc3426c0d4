/* The same answers as tools for agents, over standard input and output. */
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/mcp/server.h"

static const char **roots;
static int may_write;
static const struct poptOption options[] = {
    {"root", '\0', POPT_ARG_ARGV, &roots, 0,
     "a folder whose files may be read; the first is where names begin; default: the working directory; "
     "repeatable",
     "DIR"},
    {"allow-write", '\0', POPT_ARG_NONE, &may_write, 0,
     "tools may write files there: charts and answers, and a ledger", NULL},
    POPT_TABLEEND};

static roof_status read_limits(cli_mcp_limits *limits, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; roots != NULL && roots[i] != NULL && status == ROOF_OK; i++) {
    status = cli_mcp_limits_add(limits, roots[i], error);
  }
  status = status == ROOF_OK && limits->count == 0 ? cli_mcp_limits_add(limits, ".", error) : status;
  if (status == ROOF_OK && chdir(limits->roots[0]) != 0) {
    status = roof_error_set(error, ROOF_E_INPUT, "--root %.200s: not a folder", limits->roots[0]);
  }
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  cli_mcp_limits limits = {.may_write = may_write != 0};
  roof_status status = cli_args_limit_words(args, 0, error);
  status = status == ROOF_OK ? read_limits(&limits, error) : status;
  if (status == ROOF_OK && !cli_mcp_limits_enforced() && !args->quiet) {
    fprintf(stderr,
            "roofline: warning: this kernel has no Landlock: only the words of calls are checked, not what "
            "files name in turn\n");
  }
  status = status == ROOF_OK ? cli_mcp_serve(&limits, error) : status;
  cli_mcp_limits_done(&limits);
  cli_args_list_done(roots);
  return status;
}

const cli_command cli_cmd_mcp = {
    .name = "mcp",
    .task = CLI_TASK_ASK,
    .arguments = "",
    .summary =
        "the same answers as tools for agents: the Model Context Protocol over standard input and output",
    .examples =
        "  roofline mcp\n"
        "  roofline mcp --root ~/kernels --root ~/profiles\n"
        "  roofline mcp --root ~/kernels --allow-write\n"
        "\n"
        "  Tools: predict, sweep, model, plan, claim, machine, import, advise, reconcile, plot, explain. "
        "Resources: machines, the book.\n"
        "  A client starts it: the page on agents of the book has the lines of its configuration.\n",
    .options = options,
    .effects = cli_no_table,
    .run = run,
};
