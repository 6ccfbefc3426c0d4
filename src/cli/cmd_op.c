/* The operations: their parameters, formulas and sources. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** User operations first, then the built-in ones; NULL past the end. */
static const roof_op *op_at(const cli_args *args, int index) {
  for (int i = 0; i < args->userops_count; i++) {
    if (index < (int)args->userops[i].count) {
      return &args->userops[i].ops[index];
    }
    index -= (int)args->userops[i].count;
  }
  return roof_op_at(index);
}

/** "m n k [batch=1] [algorithm=flash|standard]" */
static void add_parameters(roof_text *out, const roof_op *op) {
  for (int i = 0; i < roof_op_param_count(op); i++) {
    const roof_param *p = &op->params[i];
    bool optional = p->same_as != NULL || !isnan(p->fallback);
    roof_text_addf(out, "%s%s%s", i > 0 ? " " : "", optional ? "[" : "", p->name);
    if (p->same_as != NULL) {
      roof_text_addf(out, "=%s", p->same_as);
    } else if (p->kind == ROOF_PARAM_CHOICE) {
      for (int c = 0; c < ROOF_CHOICE_MAX && p->choices[c] != NULL; c++) {
        roof_text_addf(out, "%s%s", c > 0 ? "|" : "=", p->choices[c]);
      }
    } else if (optional) {
      char value[64];
      roof_op_value_text(op, i, p->fallback, value, sizeof value);
      roof_text_addf(out, "=%s", value);
    }
    roof_text_add(out, optional ? "]" : "");
  }
}

static json_t *op_json(const roof_op *op) {
  json_t *params = json_array();
  for (int i = 0; i < roof_op_param_count(op); i++) {
    const roof_param *p = &op->params[i];
    json_t *choices = json_array();
    for (int c = 0; c < ROOF_CHOICE_MAX && p->choices[c] != NULL; c++) {
      json_array_append_new(choices, json_string(p->choices[c]));
    }
    const char *choice = roof_op_value_name(op, i, p->fallback);
    json_array_append_new(params,
                          json_pack("{s:s, s:o, s:s?, s:o, s:s}", "name", p->name, "default",
                                    choice != NULL ? json_string(choice) : rf_json_number(p->fallback),
                                    "same_as", p->same_as, "choices", choices, "text", p->text));
  }
  return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s?, s:s?, s:o, s:s, s:o}", "name", op->name, "family",
                   op->family, "summary", op->summary, "unit", roof_unit_name(op->unit), "flops", op->flops,
                   "bytes", op->bytes, "link_bytes", op->link, "link_steps", op->steps, "flops_per_element",
                   rf_json_number(op->flops_per_element), "source", op->source, "parameters", params);
}

static roof_status list_csv(const cli_args *args, roof_error *error) {
  roof_text out = {0};
  roof_text_add(&out,
                "name,family,parameters,unit,flops,bytes,link_bytes,flops_per_element,summary,source\n");
  for (int i = 0; op_at(args, i) != NULL; i++) {
    const roof_op *op = op_at(args, i);
    roof_text parameters = {0};
    add_parameters(&parameters, op);
    const char *const before[] = {op->name,
                                  op->family,
                                  parameters.data != NULL ? parameters.data : "",
                                  roof_unit_name(op->unit),
                                  op->flops,
                                  op->bytes,
                                  op->link != NULL ? op->link : ""};
    for (size_t k = 0; k < sizeof before / sizeof before[0]; k++) {
      roof_text_add_csv(&out, before[k]);
      roof_text_add(&out, ",");
    }
    roof_text_add_number(&out, op->flops_per_element, 12);
    roof_text_add(&out, ",");
    roof_text_add_csv(&out, op->summary);
    roof_text_add(&out, ",");
    roof_text_add_csv(&out, op->source);
    roof_text_add(&out, "\n");
    roof_text_done(&parameters);
  }
  roof_status status = cli_print(&out, error);
  roof_text_done(&out);
  return status;
}

static roof_status list(const cli_args *args, roof_error *error) {
  if (args->json) {
    json_t *ops = json_array();
    for (int i = 0; op_at(args, i) != NULL; i++) {
      json_array_append_new(ops, op_json(op_at(args, i)));
    }
    return cli_json_print(json_pack("{s:s, s:o}", "schema", "roofline.ops/1", "operations", ops), error);
  }
  if (args->csv) {
    return list_csv(args, error);
  }
  roof_text out = {0};
  const char *family = "";
  for (int i = 0; op_at(args, i) != NULL; i++) {
    const roof_op *op = op_at(args, i);
    if (strcmp(family, op->family) != 0) {
      roof_text_addf(&out, "%s%s\n", i > 0 ? "\n" : "", op->family);
      family = op->family;
    }
    roof_text parameters = {0};
    add_parameters(&parameters, op);
    bool wide = parameters.length > 34;
    roof_text_addf(&out, "  %-13s %-34s%s%*s%s\n", op->name, parameters.data ? parameters.data : "",
                   wide ? "\n" : "", wide ? 51 : 1, "", op->summary);
    roof_text_done(&parameters);
  }
  roof_status status = cli_print(&out, error);
  roof_text_done(&out);
  return status;
}

static roof_status show(const cli_args *args, const char *name, roof_error *error) {
  const roof_op *op = NULL;
  roof_status status = cli_select_op(args, name, &op, error);
  if (status != ROOF_OK) {
    return status;
  }
  if (args->json || args->csv) {
    json_t *object = op_json(op);
    json_object_set_new(object, "schema", json_string("roofline.op/1"));
    return cli_answer_print(args, object, error);
  }
  roof_text out = {0};
  roof_text_addf(&out, "%s%s%s\n\n  unit        %s\n  FLOP        %s\n  bytes       %s\n", op->name,
                 op->summary[0] != '\0' ? ": " : "", op->summary, roof_unit_name(op->unit), op->flops,
                 op->bytes);
  if (op->link != NULL) {
    roof_text_addf(&out, "  link bytes  %s\n  messages    %s\n", op->link, op->steps);
  }
  if (!isnan(op->flops_per_element)) {
    roof_text_addf(&out, "  per element %g FLOP\n", op->flops_per_element);
  }
  roof_text_addf(&out, "  source      %s\n\n", op->source);
  for (int i = 0; i < roof_op_param_count(op); i++) {
    const roof_param *p = &op->params[i];
    bool needed = p->same_as == NULL && isnan(p->fallback);
    char value[64] = "";
    if (!needed && p->same_as == NULL) {
      roof_op_value_text(op, i, p->fallback, value, sizeof value);
    }
    const char *fallback = needed ? "needed" : p->same_as != NULL ? p->same_as : value;
    roof_text_addf(&out, "  %-13s %*s%s%s\n", p->name, p->text[0] != '\0' ? -12 : 0, fallback,
                   p->text[0] != '\0' ? " " : "", p->text);
  }
  roof_text_add(
      &out, "\n  a, w, o, kv are bytes per element of activations, weights (with scales), result, KV cache;"
            " bytes are read + written, each once\n");
  status = cli_print(&out, error);
  roof_text_done(&out);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  const char *verb = args->word_count > 0 ? args->words[0] : "list";
  roof_status status = cli_args_limit_words(args, 2, error);
  if (status != ROOF_OK) {
    return status;
  }
  if (strcmp(verb, "list") == 0) {
    return list(args, error);
  }
  if (strcmp(verb, "show") == 0 && args->word_count == 2) {
    return show(args, args->words[1], error);
  }
  return roof_error_set(error, ROOF_E_ARGUMENT, "op %s: use `op list` or `op show NAME`", verb);
}

const cli_command cli_cmd_op = {
    .name = "op",
    .arguments = "list | show NAME",
    .summary = "the operations with parameters, formulas and sources",
    .examples = "  roofline op list\n  roofline op show attention\n",
    .groups = CLI_ARGS_FORMAT,
    .run = run,
};
