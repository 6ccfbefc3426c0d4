/* A model over lists and ranges of its settings, precisions and machines. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "roofline/analysis.h"
#include "roofline/model_sweep.h"

static const double most_runs = 100000;

static const struct {
  const char *key, *unit;
} figures[ROOF_RUN_FIGURE_COUNT] = {
#define ROW(symbol, key, unit) [symbol] = {key, unit},
    ROOF_RUN_FIGURE_MAP(ROW)
#undef ROW
};

const char *roof_run_figure_key(roof_run_figure figure, const char **unit) {
  bool known = (unsigned)figure < ROOF_RUN_FIGURE_COUNT;
  if (unit != NULL) {
    *unit = known ? figures[figure].unit : "";
  }
  return known ? figures[figure].key : "?";
}

size_t roof_model_sweep_stride(const roof_model_sweep *s, int axis) {
  size_t stride = 1;
  for (int i = axis + 1; i < s->axes->count; i++) {
    stride *= s->axes->list[i].values.count;
  }
  return stride;
}

bool roof_model_sweep_starts(const roof_model_sweep *s, const roof_model_run *run, int axis) {
  return run->index / roof_model_sweep_stride(s, axis) % s->axes->list[axis].values.count == 0;
}

double roof_model_sweep_value(const roof_model_sweep *s, const roof_model_run *run, int axis) {
  const roof_axis *values = &s->axes->list[axis].values;
  return values->values[run->index / roof_model_sweep_stride(s, axis) % values->count];
}

bool roof_model_sweep_generates(const roof_model_sweep *s) {
  bool generates = s->settings.generate > 1;
  for (int i = 0; i < s->axes->count; i++) {
    generates |= strcmp(s->axes->list[i].name, "generate") == 0;
  }
  return generates && !s->settings.train && !s->model->encoder;
}

bool roof_model_sweep_knows(const roof_model_sweep *s, roof_run_figure figure) {
  for (size_t i = 0; i < s->count; i++) {
    if (s->runs[i].why[0] == '\0' && !isnan(s->runs[i].figures[figure])) {
      return true;
    }
  }
  return false;
}

const roof_model_run *roof_model_sweep_best(const roof_model_sweep *s, size_t *fitting) {
  const roof_model_run *best = NULL;
  *fitting = 0;
  for (size_t i = 0; i < s->count; i++) {
    const roof_model_run *run = &s->runs[i];
    if (run->fits) {
      best = (*fitting)++ == 0 || run->figures[ROOF_RUN_DEVICE_RATE] > best->figures[ROOF_RUN_DEVICE_RATE]
                 ? run
                 : best;
    }
  }
  return best;
}

static bool is_swept(const roof_model_sweep *s, size_t offset) {
  bool swept = false;
  for (int i = 0; i < s->axes->count; i++) {
    swept = swept || s->axes->list[i].offset == offset;
  }
  return swept;
}

char *roof_model_sweep_settings(const roof_model_sweep *s, char *buffer, size_t size) {
  static const struct {
    const char *before, *after;
    size_t offset;
  } parts[] = {{"batch ", "", offsetof(roof_model_settings, batch)},
               {"", " tokens in", offsetof(roof_model_settings, prompt)},
               {"", " out", offsetof(roof_model_settings, generate)}};
  size_t count = sizeof parts / sizeof parts[0], n = 0;
  snprintf(buffer, size, "the defaults");
  for (size_t i = 0; i < count - !roof_model_sweep_generates(s) && n < size; i++) {
    double value = *(const double *)(const void *)((const char *)&s->settings + parts[i].offset);
    if (!is_swept(s, parts[i].offset)) {
      n += (size_t)snprintf(buffer + n, size - n, "%s%s%.0f%s", n > 0 ? ", " : "", parts[i].before, value,
                            parts[i].after);
    }
  }
  return buffer;
}

char *roof_model_run_words(const roof_model_sweep *s, const roof_model_run *run, int except, char *buffer,
                           size_t size) {
  size_t n = 0;
  buffer[0] = '\0';
  for (int i = 0; i < s->axes->count && n < size; i++) {
    if (i != except) {
      n += (size_t)rf_format(buffer + n, size - n, "%s%s=%.15g", n > 0 ? " " : "", s->axes->list[i].name,
                             roof_model_sweep_value(s, run, i));
    }
  }
  if (s->precisions.count > 1 && n < size) {
    snprintf(buffer + n, size - n, "%s%s", n > 0 ? " " : "", s->precisions.names[run->precision]);
  }
  return buffer;
}

static roof_status aim(const roof_model_sweep *s, const roof_model_run *run, roof_model_target *target,
                       roof_error *error) {
  roof_model_settings settings = s->settings;
  settings.precision = s->precisions.list[run->precision];
  for (int i = 0; i < s->axes->count; i++) {
    *(double *)(void *)((char *)&settings + s->axes->list[i].offset) = roof_model_sweep_value(s, run, i);
  }
  return roof_model_target_init(target, s->model, s->machines[run->machine], &settings, error);
}

/** `a` is room for an answer. */
static void answer_run(const roof_model_sweep *s, roof_model_run *run, roof_model_answer *a) {
  roof_model_target target;
  roof_error why = {0};
  if (aim(s, run, &target, &why) != ROOF_OK) {
    snprintf(run->why, sizeof run->why, "%.127s", why.message);
    return;
  }
  roof_model_answer_of(&target, a);
  const roof_model_phase *step = roof_model_step(a);
  run->regime = roof_model_phase_regime(step);
  roof_model_drop_times(a);
  const bool one_step = s->settings.train || s->model->denoises;
  const double read = s->model->denoises ? NAN : a->prompt_tokens_per_second;
  const bool makes = roof_model_sweep_generates(s) || s->settings.train;
  const double made = makes ? a->device_tokens_per_second : read / a->devices;
  const double values[ROOF_RUN_FIGURE_COUNT] = {[ROOF_RUN_TTFT] = one_step ? NAN : a->ttft_seconds,
                                                [ROOF_RUN_STEP] = one_step ? a->ttft_seconds : NAN,
                                                [ROOF_RUN_TPOT] = a->tpot_seconds,
                                                [ROOF_RUN_RATE] = a->tokens_per_second,
                                                [ROOF_RUN_BATCH_RATE] = a->batch_tokens_per_second,
                                                [ROOF_RUN_DEVICE_RATE] = made,
                                                [ROOF_RUN_PROMPT_RATE] = read,
                                                [ROOF_RUN_ENERGY] = a->joules_per_token,
                                                [ROOF_RUN_PRICE] = a->price_per_million_tokens,
                                                [ROOF_RUN_TOTAL_BYTES] = a->capacity.total_bytes,
                                                [ROOF_RUN_SPARE_BYTES] = a->capacity.spare_bytes,
                                                [ROOF_RUN_INTENSITY] = step->flops / step->memory_bytes,
                                                [ROOF_RUN_MFU] = step->mfu,
                                                [ROOF_RUN_MBU] = step->mbu};
  memcpy(run->figures, values, sizeof values);
  run->fits = a->capacity.fits;
}

static roof_status answer_runs(roof_model_sweep *s, roof_model_answer *a, roof_error *error) {
  size_t possible = 0, each = s->values * (size_t)s->precisions.count;
  for (size_t i = 0; i < s->count; i++) {
    roof_model_run *run = &s->runs[i];
    run->machine = (int)(i / each);
    run->precision = (int)(i / s->values % (size_t)s->precisions.count);
    run->index = i % s->values;
    answer_run(s, run, a);
    possible += run->why[0] == '\0';
  }
  return possible > 0 ? ROOF_OK : roof_error_set(error, ROOF_E_ARGUMENT, "%s", s->runs[0].why);
}

roof_status roof_model_sweep_of(const roof_model *model, roof_machine *const *machines, int machine_count,
                                const roof_model_settings *settings, const roof_model_axes *axes,
                                const roof_model_precisions *precisions, roof_model_sweep *sweep,
                                roof_error *error) {
  roof_model_sweep s = {.model = model,
                        .machines = machines,
                        .machine_count = machine_count,
                        .settings = *settings,
                        .axes = axes,
                        .precisions = *precisions,
                        .values = 1};
  double runs = (double)precisions->count * machine_count;
  for (int i = 0; i < axes->count; i++) {
    s.values *= axes->list[i].values.count;
    runs *= (double)axes->list[i].values.count;
  }
  if (runs > most_runs) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%.0f points: at most %.0f", runs, most_runs);
  }
  s.count = (size_t)runs;
  s.runs = calloc(s.count, sizeof *s.runs);
  roof_model_answer *room = malloc(sizeof *room);
  roof_status status = s.runs != NULL && room != NULL
                           ? answer_runs(&s, room, error)
                           : roof_error_set(error, ROOF_E_MEMORY, "model: out of memory");
  free(room);
  if (status != ROOF_OK) {
    free(s.runs);
    return status;
  }
  *sweep = s;
  return ROOF_OK;
}

void roof_model_sweep_done(roof_model_sweep *sweep) {
  free(sweep->runs);
  *sweep = (roof_model_sweep){0};
}

/** The crossings of the line along `axis` that begins at `run`. */
static void cross_line(const roof_model_sweep *s, const roof_model_run *run, int axis,
                       roof_model_sweep_visit *visit, void *context) {
  roof_model_target target;
  if (run->why[0] != '\0' || aim(s, run, &target, NULL) != ROOF_OK) {
    return;
  }
  const roof_model_question *q = NULL;
  for (int i = 0; (q = roof_model_question_at(&target, i)) != NULL; i++) {
    if (strcmp(roof_growth_name(q->growth), s->axes->list[axis].name) == 0) {
      roof_model_sweep_crossing c = {.run = run, .axis = axis, .phase = q->phase, .products = q->products};
      c.at = roof_model_critical(&target, q->phase, q->growth, q->products);
      roof_model_crossing_text(&c.at, q->growth, c.words, sizeof c.words);
      visit(context, s, &c);
    }
  }
}

void roof_model_sweep_crossings(const roof_model_sweep *s, roof_model_sweep_visit *visit, void *context) {
  for (int axis = 0; axis < s->axes->count; axis++) {
    for (size_t i = 0; i < s->count; i++) {
      if (roof_model_sweep_starts(s, &s->runs[i], axis)) {
        cross_line(s, &s->runs[i], axis, visit, context);
      }
    }
  }
}

roof_model_batches roof_model_sweep_batches(const roof_model_sweep *s, const roof_model_run *run, int axis) {
  roof_model_target target;
  bool batch = s->axes->list[axis].offset == offsetof(roof_model_settings, batch);
  return batch && roof_model_sweep_starts(s, run, axis) && run->why[0] == '\0' &&
                 aim(s, run, &target, NULL) == ROOF_OK
             ? roof_model_batches_of(&target)
             : (roof_model_batches){NAN, NAN};
}
