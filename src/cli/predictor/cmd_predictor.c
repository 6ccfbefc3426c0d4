/* Predictions for other programs: a line of JSON in, a line of JSON out. */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/predictor/server.h"

static char *socket_path;
static const char **machines, **models;
static const struct poptOption options[] = {
    {"socket", '\0', POPT_ARG_STRING, &socket_path, 0,
     "serve the clients of this Unix socket until Ctrl-C, in place of standard input", "PATH"},
    {"machine", 'm', POPT_ARG_ARGV, &machines, 0,
     "a machine, or a file of one, that requests may name; the first is that of requests without one; "
     "repeatable",
     "NAME|FILE"},
    {"model", '\0', POPT_ARG_ARGV, &models, 0,
     "a file or a folder of a model that requests may name; repeatable", "FILE"},
    POPT_TABLEEND};

static void report_ready(const char *path) {
  fprintf(stderr, "listening on %s\n", path);
}

static void stay_quiet(const char *path) {
  (void)path;
}

typedef roof_status allow(roof_predictor *predictor, const char *name, roof_error *error);

static roof_status allow_all(roof_predictor *predictor, const char **names, allow *one, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; names != NULL && names[i] != NULL && status == ROOF_OK; i++) {
    status = one(predictor, names[i], error);
  }
  return status;
}

static roof_status serve(const cli_args *args, roof_predictor *predictor, roof_error *error) {
  roof_status status = allow_all(predictor, machines, roof_predictor_allow_machine, error);
  status = status == ROOF_OK ? allow_all(predictor, models, roof_predictor_allow_model, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  return socket_path != NULL
             ? cli_serve_socket(predictor, socket_path, args->quiet ? stay_quiet : report_ready, error)
             : cli_serve_input(predictor, error);
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_predictor *predictor = NULL;
  roof_status status = cli_args_limit_words(args, 0, error);
  status = status == ROOF_OK ? roof_predictor_new(&predictor, error) : status;
  status = status == ROOF_OK ? serve(args, predictor, error) : status;
  roof_predictor_free(predictor);
  free(socket_path);
  cli_args_list_done(machines);
  cli_args_list_done(models);
  return status;
}

const cli_command cli_cmd_predictor = {
    .name = "predictor",
    .task = CLI_TASK_ASK,
    .arguments = "",
    .summary = "predictions for other programs: a line of JSON in, a line of JSON out",
    .examples =
        "  echo '{\"id\": 1, \"op\": \"gemm\", \"parameters\": {\"m\": 8, \"n\": 8, \"k\": 8}}' | roofline "
        "predictor "
        "--machine h100\n"
        "  roofline predictor --socket /run/user/1000/roofline.sock --machine h100 --machine mine.json\n"
        "\n"
        "  Requests name an operation with its parameters, or a model with the load of one step; formats and "
        "options have the "
        "names of `roofline predict`. Replies have times, interval, regime and bound; what is wrong with a "
        "request is a reply too.\n",
    .options = options,
    .effects = cli_no_table,
    .run = run,
};
