#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *cli_json_number(double value) {
  if (!isfinite(value)) {
    return json_null();
  }
  return value == floor(value) && fabs(value) < 0x1p53 ? json_integer((json_int_t)value) : json_real(value);
}

static void add_dump(roof_text *out, json_t *object, size_t flags, const char *end) {
  char *dump = json_dumps(object, flags | JSON_REAL_PRECISION(15));
  json_decref(object);
  out->failed = out->failed || dump == NULL;
  roof_text_addf(out, "%s%s", dump != NULL ? dump : "", end);
  free(dump);
}

void cli_json_add(roof_text *out, json_t *object) {
  add_dump(out, object, 0, "");
}

void cli_json_add_lines(roof_text *out, json_t *object) {
  add_dump(out, object, JSON_INDENT(2), "\n");
}

roof_status cli_json_print(json_t *object, roof_error *error) {
  roof_text text = {0};
  cli_json_add_lines(&text, object);
  roof_status status = cli_print(&text, error);
  roof_text_done(&text);
  return status;
}

json_t *cli_json_parameters(const roof_op *op, const double *values) {
  json_t *object = json_object();
  for (int i = 0; i < roof_op_param_count(op); i++) {
    char text[64];
    roof_op_value_text(op, i, values[i], text, sizeof text);
    bool choice = roof_op_value_name(op, i, values[i]) != NULL;
    json_object_set_new(object, op->params[i].name, choice ? json_string(text) : cli_json_number(values[i]));
  }
  return object;
}

static json_t *levels(const roof_prediction *p) {
  json_t *array = json_array();
  for (int i = 0; i < p->level_count; i++) {
    const roof_level_time *t = &p->levels[i];
    json_array_append_new(array, json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", t->level->name, "bytes",
                                           cli_json_number(t->bytes), "intensity",
                                           cli_json_number(t->intensity), "ridge", cli_json_number(t->ridge),
                                           "seconds", cli_json_number(t->seconds)));
  }
  return array;
}

static void add_effect(json_t *effects, const char *name, double factor, const char *why) {
  json_array_append_new(
      effects, json_pack("{s:s, s:o, s:s}", "name", name, "factor", cli_json_number(factor), "why", why));
}

static json_t *effects(const roof_target *target, const roof_prediction *p) {
  const roof_options *o = &target->options;
  json_t *array = json_array();
  char why[128];
  snprintf(why, sizeof why, "kernels reach %.0f to %.0f %% of the bound, %.0f %% typical",
           100 * o->efficiency_low, 100 * o->efficiency_high, 100 * o->efficiency);
  add_effect(array, "efficiency", 1 / o->efficiency, why);
  if (o->overlap < 1 && p->lower_seconds > 0) {
    double bound =
        (p->expected_seconds - (isnan(p->overhead_seconds) ? 0 : p->overhead_seconds)) * o->efficiency;
    add_effect(array, "overlap", bound / p->lower_seconds, "the times do not hide each other fully");
  }
  if (o->sparse) {
    add_effect(array, "sparsity", 1, "uses the 2:4 sparse peak: half the products are zero");
  }
  return array;
}

static json_t *seconds(const roof_prediction *p) {
  return json_pack(
      "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "compute", cli_json_number(p->compute_seconds),
      "memory", cli_json_number(p->memory_seconds), "overhead", cli_json_number(p->overhead_seconds),
      "network", cli_json_number(p->network_seconds), "lower", cli_json_number(p->lower_seconds), "upper",
      cli_json_number(p->upper_seconds), "expected", cli_json_number(p->expected_seconds), "expected_low",
      cli_json_number(p->expected_low_seconds), "expected_high", cli_json_number(p->expected_high_seconds));
}

static json_t *ceiling(const roof_target *target, roof_basis basis, const roof_prediction *p) {
  roof_ceiling c = roof_ceiling_of(target, basis, &p->work);
  return json_pack("{s:o, s:o, s:o}", "seconds", cli_json_number(c.seconds), "flops_per_second",
                   cli_json_number(c.flops_per_second), "bytes_per_second",
                   cli_json_number(c.bytes_per_second));
}

json_t *cli_json_prediction(const roof_target *target, const roof_op *op, const double *values,
                            const roof_prediction *p) {
  char binding[ROOF_NAME_MAX];
  roof_prediction_binding(p, binding, sizeof binding);
  json_t *object = json_pack(
      "{s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:s, s:s, s:o}", "schema", "roofline.prediction/1",
      "machine", target->machine->name, "op", op->name, "parameters", cli_json_parameters(op, values),
      "dtype", roof_dtype_name(target->types.compute), "flops", cli_json_number(p->work.flops), "bytes",
      cli_json_number(p->bytes), "intensity", cli_json_number(p->intensity), "ridge",
      cli_json_number(p->ridge), "regime", roof_regime_name(p->regime), "binding", binding,
      "attainable_flops_per_second", cli_json_number(p->attainable));
  json_object_set_new(object, "seconds", seconds(p));
  json_object_set_new(object, "levels", levels(p));
  json_object_set_new(object, "ceilings",
                      json_pack("{s:o, s:o}", "theoretical", ceiling(target, ROOF_THEORETICAL, p), "achieved",
                                ceiling(target, ROOF_ACHIEVED, p)));
  json_object_set_new(object, "link_bytes", cli_json_number(p->work.link_bytes));
  json_object_set_new(object, "working_set_bytes", cli_json_number(p->work.working_set));
  json_object_set_new(object, "effects", effects(target, p));
  json_object_set_new(object, "energy_joules", cli_json_number(p->energy_joules));
  return object;
}

void cli_json_add_placed(json_t *object, const roof_placed *at, double calls) {
  bool bound = at->regime < ROOF_REGIME_COUNT;
  json_object_set_new(object, "ceiling_seconds", cli_json_number(at->ceiling_seconds / calls));
  json_object_set_new(object, "fraction_of_ceiling", cli_json_number(at->share));
  json_object_set_new(object, "lost_seconds", cli_json_number(at->lost_seconds));
  json_object_set_new(object, "regime", bound ? json_string(roof_regime_name(at->regime)) : json_null());
  json_object_set_new(object, "binding", bound ? json_string(at->binding) : json_null());
  json_object_set_new(object, "basis", bound ? json_string(roof_basis_name(at->basis)) : json_null());
  json_object_set_new(object, "verdict", at->verdict != NULL ? json_string(at->verdict->name) : json_null());
  json_object_set_new(object, "why", at->why[0] != '\0' ? json_string(at->why) : json_null());
}
