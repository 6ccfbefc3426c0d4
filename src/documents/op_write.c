/* An operation written as roofline.op/1. */
#include "documents/json.h"
#include "roofline/documents.h"

static json_t *parameter_json(const roof_op *op, int index) {
  const roof_param *p = &op->params[index];
  const char *fallback = roof_op_value_name(op, index, p->fallback);
  json_t *choices = json_array();
  for (int i = 0; i < ROOF_CHOICE_MAX && p->choices[i] != NULL; i++) {
    rf_json_append(choices, json_string(p->choices[i]));
  }
  return json_pack("{s:s, s:o, s:s?, s:o, s:s}", "name", p->name, "default",
                   fallback != NULL ? json_string(fallback) : rf_json_number(p->fallback), "same_as",
                   p->same_as, "choices", choices, "text", p->text);
}

json_t *rf_op_json(const roof_op *op) {
  json_t *parameters = json_array();
  for (int i = 0; i < roof_op_param_count(op); i++) {
    rf_json_append(parameters, parameter_json(op, i));
  }
  return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s?, s:s?, s:o, s:s, s:o, s:s}", "name", op->name,
                   "family", op->family, "summary", op->summary, "unit", roof_unit_name(op->unit), "flops",
                   op->flops, "bytes", op->bytes, "link_bytes", op->link, "link_steps", op->steps,
                   "flops_per_element", rf_json_number(op->flops_per_element), "source", op->source,
                   "parameters", parameters, "schema", "roofline.op/1");
}

roof_status roof_op_write(const roof_op *op, roof_text *out, roof_error *error) {
  return rf_json_write(rf_op_json(op), "operation", out, error);
}
