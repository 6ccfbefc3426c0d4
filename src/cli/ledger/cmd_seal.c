/* A list of predictions into the ledger, before anything is measured. */
#include <stdlib.h>
#include <string.h>

#include "cli/ledger/seal.h"
#include "cli/predict/grid.h"
#include "host/file.h"

static char *ledger_path, *key_path;

static const struct poptOption options[] = {
    {"ledger", '\0', POPT_ARG_STRING, &ledger_path, 0, "where to seal; default " CLI_DEFAULT_LEDGER, "FILE"},
    {"sign", '\0', POPT_ARG_STRING, &key_path, 0,
     "sign each prediction with this secret key (`ledger keygen`)", "KEY"},
    POPT_TABLEEND};

/** What a line of a list may say: as `predict`. */
static const cli_command line_command = {.name = "predict",
                                         .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_MODEL};

/** Predicts the words of one line and labels what comes out. */
static roof_status predict_line(const char *label, char *words, json_t *predictions, roof_error *error) {
  cli_args args;
  roof_text line = {0};
  const char **argv = NULL;
  int argc = 0;
  size_t before = json_array_size(predictions);
  roof_text_addf(&line, "predict %s", words);
  int code = line.failed ? POPT_ERROR_MALLOC : poptParseArgvString(line.data, &argc, &argv);
  if (code != 0) {
    roof_text_done(&line);
    return roof_error_set(error, ROOF_E_PARSE, "`%.60s`: %s", words, poptStrerror(code));
  }
  roof_status status = cli_args_parse(&args, &line_command, argc, argv, error);
  if (status == ROOF_OK) {
    status = cli_predict_collect(&args, predictions, error);
  }
  size_t count = json_array_size(predictions) - before;
  if (status == ROOF_OK && label != NULL && count > 1) {
    status =
        roof_error_set(error, ROOF_E_ARGUMENT, "label `%s`: one label, but %zu predictions", label, count);
  } else if (status == ROOF_OK && label != NULL) {
    json_object_set_new(json_array_get(predictions, before), "label", json_string(label));
  }
  cli_args_done(&args);
  free(argv);
  roof_text_done(&line);
  return status;
}

/** Reads `LABEL: OP key=value ... --option ...`; the label may be left out. Comments start with #. */
static roof_status read_line(char *line, json_t *predictions, roof_error *error) {
  line += strspn(line, " \t");
  line[strcspn(line, "\r")] = '\0';
  if (line[0] == '\0' || line[0] == '#') {
    return ROOF_OK;
  }
  char *colon = strstr(line, ": ");
  if (colon != NULL) {
    *colon = '\0';
  }
  return predict_line(colon != NULL ? line : NULL, colon != NULL ? colon + 2 : line, predictions, error);
}

static roof_status read_list(char *text, const char *file, json_t *predictions, roof_error *error) {
  int number = 1;
  for (char *line = text; line != NULL; number++) {
    char *newline = strchr(line, '\n');
    if (newline != NULL) {
      *newline = '\0';
    }
    roof_status status = read_line(line, predictions, error);
    if (status != ROOF_OK) {
      roof_error_at(error, file, number, 0);
      return status;
    }
    line = newline != NULL ? newline + 1 : NULL;
  }
  return ROOF_OK;
}

/** The predictions of what `predict --json` and `sweep --json` print. */
static roof_status read_json(const char *text, const char *file, json_t *predictions, roof_error *error) {
  json_error_t why;
  json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &why);
  if (root == NULL) {
    roof_error_set(error, ROOF_E_PARSE, "%s", why.text);
    return roof_error_at(error, file, why.line, why.column);
  }
  json_t *many = json_object_get(root, "predictions"), *points = json_object_get(root, "points");
  json_t *list = json_is_array(root) ? root : json_is_array(many) ? many : points;
  if (json_is_array(list)) {
    json_array_extend(predictions, list);
  } else {
    json_array_append(predictions, root);
  }
  json_decref(root);
  return ROOF_OK;
}

static roof_status read_predictions(const char *file, json_t *predictions, roof_error *error) {
  roof_text text = {0};
  roof_status status = rf_file_read(file, &text, error);
  if (status == ROOF_OK && text.length > 0) {
    char first = text.data[strspn(text.data, " \t\r\n")];
    status = first == '{' || first == '[' ? read_json(text.data, file, predictions, error)
                                          : read_list(text.data, file, predictions, error);
  }
  if (status == ROOF_OK && json_array_size(predictions) == 0) {
    status = roof_error_set(error, ROOF_E_PARSE, "%s: has no predictions", file);
  }
  roof_text_done(&text);
  return status;
}

static roof_status print_text(const cli_args *args, const char *ledger, json_t *predictions,
                              roof_error *error) {
  roof_text text = {0};
  cli_grid grid = {0};
  size_t index, count = json_array_size(predictions);
  json_t *p;
  roof_text_addf(&text, "%zu prediction%s sealed in %s%s%s\n", count, count == 1 ? "" : "s", ledger,
                 key_path != NULL ? ", signed with " : "", key_path != NULL ? key_path : "");
  static const char *const header[] = {"label", "machine", "regime", "expected"};
  for (size_t i = 0; i < sizeof header / sizeof header[0]; i++) {
    cli_grid_add(&grid, "%s", header[i]);
  }
  json_array_foreach(predictions, index, p) {
    char expected[40];
    json_t *seconds = json_object_get(json_object_get(p, "seconds"), "expected");
    cli_grid_add(&grid, "%s", json_string_value(json_object_get(p, "label")));
    cli_grid_add(&grid, "%s", json_string_value(json_object_get(p, "machine")));
    cli_grid_add(&grid, "%s (%s)", json_string_value(json_object_get(p, "regime")),
                 json_string_value(json_object_get(p, "binding")));
    cli_grid_add(&grid, "%s",
                 roof_quantity_format(expected, sizeof expected, json_number_value(seconds), "s"));
  }
  if (args->quiet) {
    cli_grid_done(&grid);
  } else {
    roof_text_add(&text, "\n");
    cli_grid_end(&grid, &text, "lllr");
  }
  roof_status status = cli_print(&text, error);
  roof_text_done(&text);
  return status;
}

static roof_status print_json(const cli_args *args, const char *ledger, json_t *predictions,
                              roof_error *error) {
  json_t *labels = json_array();
  size_t index;
  json_t *p;
  json_array_foreach(predictions, index, p) {
    json_array_append(labels, json_object_get(p, "label"));
  }
  return cli_answer_print(args,
                          json_pack("{s:s, s:s, s:b, s:o}", "schema", "roofline.sealed/1", "ledger", ledger,
                                    "signed", key_path != NULL, "labels", labels),
                          error);
}

static roof_status seal_file(const cli_args *args, roof_error *error) {
  const char *ledger = ledger_path != NULL ? ledger_path : CLI_DEFAULT_LEDGER;
  json_t *predictions = json_array();
  roof_status status = read_predictions(args->words[0], predictions, error);
  if (status == ROOF_OK) {
    status = cli_seal_all(ledger, predictions, key_path, error);
  }
  if (status == ROOF_OK) {
    status = args->json || args->csv ? print_json(args, ledger, predictions, error)
                                     : print_text(args, ledger, predictions, error);
  }
  json_decref(predictions);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_status status = cli_args_limit_words(args, 1, error);
  if (status == ROOF_OK && args->word_count == 0) {
    status =
        roof_error_set(error, ROOF_E_ARGUMENT,
                       "seal: which file? A list of lines `LABEL: OP key=value ... --machine NAME`, or what "
                       "`predict --json` prints");
  }
  if (status == ROOF_OK) {
    status = seal_file(args, error);
  }
  free(ledger_path);
  free(key_path);
  return status;
}

const cli_command cli_cmd_seal = {
    .name = "seal",
    .arguments = "FILE",
    .summary = "put predictions in the ledger before anything is measured",
    .examples =
        "  roofline seal predictions.txt\n"
        "  roofline sweep gemm m=1,64 n=8192 k=8192 --machine h100 --json >sweep.json && roofline seal "
        "sweep.json\n"
        "  roofline seal predictions.txt --sign roofline.key\n",
    .options = options,
    .run = run,
};
