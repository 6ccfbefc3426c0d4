/* A prediction written as roofline.prediction/1. */
#include <math.h>
#include <stdio.h>

#include "documents/json.h"
#include "documents/question.h"
#include "roofline/effects.h"

json_t *rf_parameters_json(const roof_op *op, const double *values) {
  json_t *object = json_object();
  for (int i = 0; i < roof_op_param_count(op); i++) {
    char text[64];
    roof_op_value_text(op, i, values[i], text, sizeof text);
    bool choice = roof_op_value_name(op, i, values[i]) != NULL;
    rf_json_set(object, op->params[i].name, choice ? json_string(text) : rf_json_number(values[i]));
  }
  return object;
}

static json_t *levels(const roof_prediction *p) {
  json_t *array = json_array();
  for (int i = 0; i < p->level_count; i++) {
    const roof_level_time *t = &p->levels[i];
    rf_json_append(array,
                   json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", t->level->name, "bytes",
                             rf_json_number(t->bytes), "intensity", rf_json_number(t->intensity), "ridge",
                             rf_json_number(t->ridge), "seconds", rf_json_number(t->seconds)));
  }
  return array;
}

static void add_effect(json_t *effects, const char *name, double factor, double seconds, const char *why) {
  rf_json_append(effects, json_pack("{s:s, s:o, s:o, s:s}", "name", name, "factor", rf_json_number(factor),
                                    "seconds", rf_json_number(seconds), "why", why));
}

/** Where the machine has constants of such kernels. */
static void add_known(json_t *array, const roof_target *target, const roof_prediction *p) {
  roof_effect_part parts[ROOF_EFFECT_COUNT];
  int count = roof_effects_of(target, p, parts);
  for (int i = 0; i < count; i++) {
    add_effect(array, roof_effect_name(parts[i].effect), parts[i].factor, parts[i].seconds, parts[i].text);
  }
}

/** An effect that makes `after` of `before`; none where they are the same time, or unknown. */
static void add_step(json_t *array, const char *name, double before, double after, const char *why) {
  if (fabs(after - before) > 1e-9 * after) {
    add_effect(array, name, after / before, after - before, why);
  }
}

/** Where it has none: times that hide each other in part, one share of them, launches and messages. */
static void add_share(json_t *array, const roof_target *target, const roof_prediction *p) {
  const roof_options *o = &target->options;
  const double times[] = {p->compute_seconds, p->memory_seconds, p->network_seconds};
  double sum = 0, longest = 0;
  char why[128];
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    sum += isnan(times[i]) ? 0 : times[i];
    longest = fmax(longest, times[i]);
  }
  double bound = longest + (1 - o->overlap) * (sum - longest);
  double reached = bound / roof_expected_shares(target, p).typical;
  snprintf(why, sizeof why, "kernels reach %.0f to %.0f %% of the bound, %.0f %% typical",
           100 * o->efficiency_low, 100 * o->efficiency_high, 100 * o->efficiency);
  add_step(array, "overlap", longest, bound, "the times do not hide each other fully");
  add_step(array, roof_effect_name(ROOF_EFFECT_EFFICIENCY), bound, reached, why);
  add_step(array, roof_effect_name(ROOF_EFFECT_LATENCY), reached, p->expected_seconds,
           roof_effect_text(ROOF_EFFECT_LATENCY));
}

/** What makes the expected time of the bare roofline. */
static json_t *effects(const roof_target *target, const roof_prediction *p) {
  const roof_options *o = &target->options;
  json_t *array = json_array();
  if (target->forms[p->work.kernel.kind].known) {
    add_known(array, target, p);
  } else {
    add_share(array, target, p);
  }
  if (o->sparse) {
    add_effect(array, "sparsity", 1, 0, "uses the sparse peak: the products that it skips count");
  }
  return array;
}

static json_t *ceiling(const roof_target *target, roof_basis basis, const roof_prediction *p) {
  roof_ceiling c = roof_ceiling_of(target, basis, &p->work);
  return json_pack("{s:o, s:o, s:o}", "seconds", rf_json_number(c.seconds), "flops_per_second",
                   rf_json_number(c.flops_per_second), "bytes_per_second",
                   rf_json_number(c.bytes_per_second));
}

/** What the lower bound counts where that is less than the work; null where it counts all of it. */
static json_t *least(const roof_prediction *p) {
  const roof_least *l = &p->work.least;
  bool switched = p->link != NULL && p->link->reduces && l->link_bytes < p->work.link_bytes;
  if (l->why == NULL && !switched) {
    return json_null();
  }
  return json_pack("{s:o, s:o, s:o, s:s}", "flops", rf_json_number(l->flops), "bytes",
                   rf_json_number(l->bytes), "link_bytes", rf_json_number(switched ? l->link_bytes : NAN),
                   "why", switched ? "the link's switch adds up" : l->why);
}

json_t *rf_prediction_json(const roof_target *target, const roof_op *op, const double *values,
                           const roof_prediction *p) {
  char binding[ROOF_NAME_MAX];
  roof_prediction_binding(p, binding, sizeof binding);
  json_t *object = json_pack(
      "{s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:s, s:s, s:o}", "schema", "roofline.prediction/1",
      "machine", target->machine->name, "op", op->name, "parameters", rf_parameters_json(op, values), "dtype",
      roof_dtype_name(target->types.compute), "flops", rf_json_number(p->work.flops), "bytes",
      rf_json_number(p->bytes), "intensity", rf_json_number(p->intensity), "ridge", rf_json_number(p->ridge),
      "regime", roof_regime_name(p->regime), "binding", binding, "attainable_flops_per_second",
      rf_json_number(p->attainable));
  const char *class = target->machine->device_class;
  rf_json_set(object, "device_class", class[0] != '\0' ? json_string(class) : json_null());
  rf_json_set(object, "seconds", RF_JSON_SECONDS(p));
  rf_json_set(object, "levels", levels(p));
  rf_json_set(object, "ceilings",
              json_pack("{s:o, s:o}", "theoretical", ceiling(target, ROOF_THEORETICAL, p), "achieved",
                        ceiling(target, ROOF_ACHIEVED, p)));
  rf_json_set(object, "link_bytes", rf_json_number(p->work.link_bytes));
  rf_json_set(object, "working_set_bytes", rf_json_number(p->work.working_set));
  rf_json_set(object, "least", least(p));
  rf_json_set(object, "effects", effects(target, p));
  rf_json_set(object, "energy_joules", rf_json_number(p->energy_joules));
  rf_question_add(object, target);
  return object;
}

roof_status roof_prediction_write(const roof_target *target, const roof_op *op, const double *values,
                                  const roof_prediction *prediction, roof_text *out, roof_error *error) {
  return rf_json_write(rf_prediction_json(target, op, values, prediction), "prediction", out, error);
}

roof_status roof_predictions_write(const roof_target *targets, int count, const roof_op *op,
                                   const double *values, const roof_sealings *sealed, roof_text *out,
                                   roof_error *error) {
  json_t *list = json_array();
  for (int i = 0; i < count; i++) {
    roof_prediction p;
    roof_predict(&targets[i], op, values, &p);
    json_t *object = rf_prediction_json(&targets[i], op, values, &p);
    if (sealed != NULL) {
      const roof_sealing *s = &sealed->list[i];
      rf_json_merge(object, json_pack("{s:s, s:s, s:s}", "label", s->label, "machine_sha256",
                                      s->machine_digest, "shape", s->parameters));
    }
    rf_json_append(list, object);
  }
  json_t *document = count == 1
                         ? json_incref(json_array_get(list, 0))
                         : json_pack("{s:s, s:O}", "schema", "roofline.predictions/1", "predictions", list);
  json_decref(list);
  return rf_json_write(document, "prediction", out, error);
}
