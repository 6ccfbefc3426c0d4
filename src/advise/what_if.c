/* One call before and after a change. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/mix.h"
#include "roofline/advise.h"
#include "roofline/units.h"

/** The formats by the keys that name them. */
static const struct {
  const char *key;
  size_t at;
} formats[] = {
    {"dtype", offsetof(roof_formats, dtype)},   {"weights", offsetof(roof_formats, weights)},
    {"group", offsetof(roof_formats, group)},   {"accumulate", offsetof(roof_formats, accumulate)},
    {"output", offsetof(roof_formats, output)}, {"kv", offsetof(roof_formats, kv)},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

roof_variation roof_variation_init(const roof_formats *typed_formats, const double *typed) {
  roof_variation v = {.change = {.peak = 1, .bandwidth = 1}, .formats = *typed_formats};
  memcpy(v.values, typed, sizeof v.values);
  return v;
}

/** "2x" or "2". */
static roof_status read_factor(const char *key, const char *text, double *factor, roof_error *error) {
  char number[ROOF_NAME_MAX];
  double value = 0;
  size_t length = strlen(text);
  snprintf(number, sizeof number, "%.*s", (int)(length > 1 && text[length - 1] == 'x' ? length - 1 : length),
           text);
  roof_status status = roof_quantity_parse(number, &value, error);
  if (status == ROOF_OK && !(value > 0)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--set %s=%s: a factor over 0", key, number);
  }
  *factor = status == ROOF_OK ? value : *factor;
  return status;
}

static roof_status read_cost(const char *text, double *seconds, roof_error *error) {
  roof_error why = {0};
  double value = 0;
  roof_status status = roof_quantity_parse_unit(text, "s", &value, &why);
  if (status != ROOF_OK) {
    return roof_error_set(error, status, "--set cost: %s", why.message);
  }
  if (value < 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--set cost=%s: must not be negative", text);
  }
  *seconds = value;
  return ROOF_OK;
}

/** How packed weights become numbers: in the registers of the product, or by a kernel before it. */
static roof_status read_dequant(const char *text, bool *unpack, roof_error *error) {
  static const char *const names[] = {"fused", "separate", NULL};
  for (int i = 0; names[i] != NULL; i++) {
    if (strcmp(names[i], text) == 0) {
      *unpack = i == 1;
      return ROOF_OK;
    }
  }
  return roof_error_unknown(error, "--set dequant", text, names, NULL);
}

static roof_status read_parameter(const roof_op *op, const char *key, const char *text, double *values,
                                  roof_error *error) {
  int param = roof_op_param_index(op, key);
  if (param >= 0) {
    return roof_op_value_parse(op, param, text, &values[param], error);
  }
  const char *names[ROOF_PARAM_MAX + FORMATS + 6] = {"machine", "peak", "bandwidth", "cost", "dequant"};
  int count = 5;
  for (size_t i = 0; i < FORMATS; i++) {
    names[count++] = formats[i].key;
  }
  for (int i = 0; i < roof_op_param_count(op); i++) {
    names[count++] = op->params[i].name;
  }
  roof_error_set(
      error, ROOF_E_NAME,
      "--set `%s`: neither a format, machine, peak, bandwidth, cost, dequant nor a parameter of %s", key,
      op->name);
  return roof_error_suggest(error, key, names);
}

roof_status roof_variation_read(roof_variation *variation, const roof_op *op, const char *text,
                                roof_error *error) {
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text || equals[1] == '\0') {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--set %s: not key=value", text);
  }
  char key[ROOF_NAME_MAX];
  const char *value = equals + 1;
  snprintf(key, sizeof key, "%.*s", (int)(equals - text), text);
  for (size_t i = 0; i < FORMATS; i++) {
    if (strcmp(key, formats[i].key) == 0) {
      *(const char **)((char *)&variation->formats + formats[i].at) = value;
      return ROOF_OK;
    }
  }
  if (strcmp(key, "machine") == 0) {
    variation->machine = value;
    return ROOF_OK;
  }
  roof_change *c = &variation->change;
  if (strcmp(key, "dequant") == 0) {
    return read_dequant(value, &c->unpack, error);
  }
  if (strcmp(key, "peak") == 0 || strcmp(key, "bandwidth") == 0) {
    return read_factor(key, value, strcmp(key, "peak") == 0 ? &c->peak : &c->bandwidth, error);
  }
  return strcmp(key, "cost") == 0 ? read_cost(value, &c->seconds, error)
                                  : read_parameter(op, key, value, variation->values, error);
}

static void speed_up(roof_target *t, const roof_change *c) {
  for (int unit = 0; unit < ROOF_UNIT_COUNT; unit++) {
    t->seconds_per_flop[unit] /= c->peak;
  }
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT * ROOF_MIX_COUNT; i++) {
    t->seconds_per_byte[i / ROOF_MIX_COUNT][i % ROOF_MIX_COUNT] /= c->bandwidth;
  }
}

static void slow_down(roof_prediction *p, double seconds) {
  double *times[] = {&p->overhead_seconds, &p->lower_seconds,        &p->upper_seconds,
                     &p->expected_seconds, &p->expected_low_seconds, &p->expected_high_seconds};
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    *times[i] += seconds;
  }
}

/** Adds a kernel that reads the packed weights, which are counted already, and writes them in the format computed
 * in, from which the product reads them. */
static roof_status add_unpacking(const roof_target *t, roof_prediction *p, roof_error *error) {
  double packed = roof_types_weight_bytes(&t->types, 1), size = roof_dtype_bytes(t->types.compute);
  double bytes = 2 * p->work.weight_bytes / packed * size;
  double seconds = bytes * t->seconds_per_byte[t->memory][ROOF_MIX_COPY];
  double launch = isnan(t->launch_seconds) ? 0 : t->launch_seconds;
  if (!(p->work.weight_bytes > 0) || packed >= size) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "--set dequant=separate: goes with weights narrower than the dtype (weights=nf4)");
  }
  const roof_shares shares = roof_expected_shares(t, p);
  const struct {
    double *time, efficiency;
  } times[] = {{&p->lower_seconds, 1},
               {&p->upper_seconds, 1},
               {&p->memory_seconds, 1},
               {&p->expected_seconds, shares.typical},
               {&p->expected_low_seconds, shares.high},
               {&p->expected_high_seconds, shares.low}};
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    *times[i].time += seconds / times[i].efficiency + (times[i].time != &p->memory_seconds ? launch : 0);
  }
  p->overhead_seconds += launch;
  p->bytes += bytes;
  p->intensity = p->work.flops / p->bytes;
  return ROOF_OK;
}

/** What has to be given says how much there is to do, and so does a batch; all else says how it is done. */
static bool is_size(const roof_param *p) {
  return strcmp(p->name, "batch") == 0 || ((p->kind == ROOF_PARAM_COUNT || p->kind == ROOF_PARAM_BYTES) &&
                                           isnan(p->fallback) && p->same_as == NULL);
}

/** Whether a parameter has the value of the one that it follows. */
static bool follows(const roof_op *op, const double *values, int param) {
  const char *same_as = op->params[param].same_as;
  return same_as != NULL && values[param] == values[roof_op_param_index(op, same_as)];
}

/** The call before in the sizes of the one after. */
static void resize(const roof_what_if *x, double *values) {
  for (int i = 0; i < roof_op_param_count(x->op); i++) {
    bool grows =
        is_size(&x->op->params[i]) || (follows(x->op, x->values[0], i) && follows(x->op, x->values[1], i));
    values[i] = x->values[grows][i];
  }
}

/** How many times as much is done in other sizes: by FLOPs, of what has none by bytes, else by those of the link. */
static double work_ratio(const roof_what_if *x) {
  const roof_prediction *old = &x->predictions[0];
  double values[ROOF_PARAM_MAX];
  roof_prediction sized;
  resize(x, values);
  roof_predict(&x->targets[0], x->op, values, &sized);
  return old->work.flops > 0        ? sized.work.flops / old->work.flops
         : old->bytes > 0           ? sized.bytes / old->bytes
         : old->work.link_bytes > 0 ? sized.work.link_bytes / old->work.link_bytes
                                    : 1;
}

roof_status roof_what_if_of(const roof_target *before, const double *values_before, const roof_target *after,
                            const double *values_after, const roof_op *op, const roof_change *change,
                            roof_what_if *out, roof_error *error) {
  roof_what_if x = {.op = op, .targets = {*before, *after}};
  memcpy(x.values[0], values_before, sizeof x.values[0]);
  memcpy(x.values[1], values_after, sizeof x.values[1]);
  speed_up(&x.targets[1], change);
  for (int i = 0; i < 2; i++) {
    roof_prediction *p = &x.predictions[i];
    roof_predict(&x.targets[i], op, x.values[i], p);
    roof_status status = roof_prediction_check(&x.targets[i], p, error);
    if (status != ROOF_OK) {
      return status;
    }
  }
  const roof_prediction *old = &x.predictions[0], *new = &x.predictions[1];
  slow_down(&x.predictions[1], change->seconds);
  if (change->unpack) {
    roof_status status = add_unpacking(&x.targets[1], &x.predictions[1], error);
    if (status != ROOF_OK) {
      return status;
    }
  }
  x.gain = work_ratio(&x) * old->expected_seconds / new->expected_seconds;
  roof_levers_moved(&x.targets[0], old, &x.targets[1], new, x.moved, sizeof x.moved);
  *out = x;
  return ROOF_OK;
}

size_t roof_what_if_compare(const roof_what_if *what_if, roof_what_if_figure list[ROOF_WHAT_IF_FIGURES]) {
  const roof_prediction *b = &what_if->predictions[0], *a = &what_if->predictions[1];
  const roof_target *tb = &what_if->targets[0], *ta = &what_if->targets[1];
  const roof_what_if_figure all[ROOF_WHAT_IF_FIGURES] = {
      {"FLOPs", "FLOP", {b->work.flops, a->work.flops}},
      {"bytes", "B", {b->bytes, a->bytes}},
      {"intensity", "FLOP/B", {b->intensity, a->intensity}},
      {"peak", "FLOP/s", {1 / tb->seconds_per_flop[b->work.unit], 1 / ta->seconds_per_flop[a->work.unit]}},
      {"bandwidth", "B/s", {rf_mix_rate(tb, b), rf_mix_rate(ta, a)}},
      {"ridge", "FLOP/B", {b->ridge, a->ridge}},
      {"compute time", "s", {b->compute_seconds, a->compute_seconds}},
      {"memory time", "s", {b->memory_seconds, a->memory_seconds}},
      {"at best", "s", {b->lower_seconds, a->lower_seconds}},
      {"expected", "s", {b->expected_seconds, a->expected_seconds}},
  };
  size_t count = 0;
  for (size_t i = 0; i < ROOF_WHAT_IF_FIGURES; i++) {
    if (!isnan(all[i].value[0]) || !isnan(all[i].value[1])) {
      list[count++] = all[i];
    }
  }
  return count;
}
