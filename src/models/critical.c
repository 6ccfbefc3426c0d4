/* How far the batch, the prompt or the generation has to grow until another ceiling limits it. */
#include <math.h>
#include <stdlib.h>

#include "core/number.h"
#include "models/step.h"

static const double farthest = 1e9;

static const char *const growth_names[ROOF_GROWTH_COUNT] = {
#define NAME(symbol, name) [symbol] = name,
    ROOF_GROWTH_MAP(NAME)
#undef NAME
};

const char *roof_growth_name(roof_growth growth) {
  return (unsigned)growth < ROOF_GROWTH_COUNT ? growth_names[growth] : "?";
}

/** Work and times of a step, all operations together or its products alone. */
typedef struct sums {
  double flops, bytes, compute, memory;
} sums;

static sums sum_step(const roof_model_phase *p, bool products) {
  sums s = {0};
  for (int i = 0; i < p->count; i++) {
    const roof_model_operation *o = &p->operations[i];
    if (!products || o->kind == ROOF_KIND_PRODUCT) {
      s.flops += o->count * o->flops;
      s.bytes += o->count *
                 (o->bytes[ROOF_BYTES_WEIGHTS] + o->bytes[ROOF_BYTES_ACTIVATIONS] + o->bytes[ROOF_BYTES_KV]);
      s.compute += o->count * o->compute_seconds;
      s.memory += o->count * o->memory_seconds;
    }
  }
  return s;
}

/** The step with the setting at a real value. */
static sums step_at(const roof_model_target *target, roof_phase phase, roof_growth growth, bool products,
                    double value) {
  roof_model_target t = *target;
  roof_model_phase *p = malloc(sizeof *p);
  if (p == NULL) {
    return (sums){NAN, NAN, NAN, NAN};
  }
  double *const settings[ROOF_GROWTH_COUNT] = {[ROOF_GROW_BATCH] = &t.settings.batch,
                                               [ROOF_GROW_PROMPT] = &t.settings.prompt,
                                               [ROOF_GROW_GENERATE] = &t.settings.generate};
  *settings[growth] = value;
  double prompt = roof_model_own_prompt(&t), last = prompt + fmax(0, t.settings.generate - 2);
  roof_model_phase_of(&t, phase, prompt, last, p);
  sums s = sum_step(p, products);
  free(p);
  return s;
}

static bool is_compute(const sums *s) {
  return s->compute >= s->memory;
}

roof_model_crossing roof_model_critical(const roof_model_target *t, roof_phase phase, roof_growth growth,
                                        bool products) {
  double low = growth == ROOF_GROW_BATCH ? t->settings.dp : growth == ROOF_GROW_PROMPT ? t->settings.cp : 2;
  double high = farthest;
  sums first = step_at(t, phase, growth, products, low), last = step_at(t, phase, growth, products, high);
  bool from = is_compute(&first), known = first.compute + first.memory + last.compute + last.memory > 0;
  roof_model_crossing c = {.value = NAN, .at = NAN, .compute_first = from, .compute_last = is_compute(&last)};
  for (int i = 0; known && c.compute_last != from && i < 200 && high - low > 1e-12 * high; i++) {
    double middle = high / low > 2 ? sqrt(low * high) : low + (high - low) / 2;
    sums s = step_at(t, phase, growth, products, middle);
    *(is_compute(&s) == from ? &low : &high) = middle;
  }
  if (known && c.compute_last != from) {
    c.value = high;
    c.at = fabs(high - round(high)) <= 1e-9 * high ? round(high) : ceil(high);
    last = step_at(t, phase, growth, products, high);
  }
  c.intensity = last.flops / last.bytes;
  c.ridge = c.intensity * last.memory / last.compute;
  return c;
}

static const roof_model_question questions[] = {
    {ROOF_GROW_BATCH, ROOF_PHASE_DECODE, true},   {ROOF_GROW_BATCH, ROOF_PHASE_DECODE, false},
    {ROOF_GROW_BATCH, ROOF_PHASE_ENCODE, false},  {ROOF_GROW_BATCH, ROOF_PHASE_TRAIN, false},
    {ROOF_GROW_PROMPT, ROOF_PHASE_PREFILL, true}, {ROOF_GROW_PROMPT, ROOF_PHASE_PREFILL, false},
    {ROOF_GROW_PROMPT, ROOF_PHASE_DECODE, false}, {ROOF_GROW_PROMPT, ROOF_PHASE_ENCODE, false},
    {ROOF_GROW_PROMPT, ROOF_PHASE_TRAIN, false},  {ROOF_GROW_GENERATE, ROOF_PHASE_DECODE, false}};

/** For the generation this is solved even if it begins at 0. */
static bool has_phase(const roof_model_target *t, const roof_model_question *q) {
  roof_phase first = roof_model_first_phase(t);
  return q->phase == first || (q->phase == ROOF_PHASE_DECODE && first == ROOF_PHASE_PREFILL &&
                               (t->settings.generate > 1 || q->growth == ROOF_GROW_GENERATE));
}

const roof_model_question *roof_model_question_at(const roof_model_target *t, int index) {
  for (size_t i = 0; i < sizeof questions / sizeof questions[0] && index >= 0; i++) {
    if (has_phase(t, &questions[i]) && index-- == 0) {
      return &questions[i];
    }
  }
  return NULL;
}

char *roof_model_crossing_text(const roof_model_crossing *c, roof_growth growth, char *buffer, size_t size) {
  const char *name = roof_growth_name(growth);
  if (!isnan(c->value)) {
    rf_format(buffer, size, "%s-bound from %s=%.0f (exactly %.6g): intensity passes %.4g FLOP/B there",
              c->compute_last ? "compute" : "memory", name, c->at, c->value, c->ridge);
  } else if (isnan(c->intensity) || isnan(c->ridge)) {
    rf_format(buffer, size, "unknown: a peak or a bandwidth is not known");
  } else if (c->compute_first) {
    rf_format(buffer, size, "compute-bound at every %s", name);
  } else {
    rf_format(buffer, size,
              "never: intensity tends to %.4g FLOP/B as %s grows, under the ridge of %.4g FLOP/B",
              c->intensity, name, c->ridge);
  }
  return buffer;
}
