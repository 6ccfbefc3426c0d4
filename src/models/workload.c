/* A list of operations: kept with its texts, predicted item by item, and summed. */
#include "roofline/workload.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "models/step.h"
#include "roofline/text.h"

/** A text that an item points to. */
struct roof_workload_text {
  struct roof_workload_text *next;
  char text[];
};

roof_workload_settings roof_workload_settings_default(void) {
  return (roof_workload_settings){
      .launch = ROOF_LAUNCH_GRAPH, .kernel_seconds = NAN, .options = roof_options_default()};
}

/** A copy of a text that may be anything: what is no printable UTF-8 becomes `?`. NULL when out of memory. */
static const char *keep(roof_workload *w, const char *text) {
  size_t length = text != NULL ? strlen(text) : 0;
  if (length == 0) {
    return "";
  }
  struct roof_workload_text *kept = malloc(sizeof *kept + length + 1);
  if (kept == NULL) {
    return NULL;
  }
  memcpy(kept->text, text, length + 1);
  for (char *at = kept->text; *at != '\0';) {
    size_t shown = roof_text_shown(at);
    *at = shown > 0 ? *at : '?';
    at += shown > 0 ? shown : 1;
  }
  kept->next = w->texts;
  w->texts = kept;
  return kept->text;
}

roof_status roof_workload_add(roof_workload *w, const roof_workload_item *item, roof_error *error) {
  roof_workload_item kept = *item;
  bool full = (w->count & (w->count - 1)) == 0; /* room grows at powers of two */
  roof_workload_item *items =
      full ? realloc(w->items, (w->count > 0 ? 2 * w->count : 1) * sizeof *items) : w->items;
  w->items = items != NULL ? items : w->items;
  kept.name = keep(w, item->name);
  kept.op = keep(w, item->op);
  kept.shape = keep(w, item->shape);
  if (items == NULL || kept.name == NULL || kept.op == NULL || kept.shape == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "%.80s: out of memory", w->name);
  }
  w->items[w->count++] = kept;
  return ROOF_OK;
}

void roof_workload_note(roof_workload *w, const char *format, ...) {
  if (w->note_count == ROOF_WORKLOAD_NOTE_MAX) {
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  rf_vformat(w->notes[w->note_count++], ROOF_SOURCE_MAX, format, arguments);
  va_end(arguments);
}

void roof_workload_done(roof_workload *w) {
  while (w->texts != NULL) {
    struct roof_workload_text *next = w->texts->next;
    free(w->texts);
    w->texts = next;
  }
  free(w->items);
  *w = (roof_workload){0};
}

/** Machine and formats resolved for the items of one compute format. */
static roof_status find_target(roof_workload_answer *a, bool *made, const roof_machine *machine,
                               const roof_workload_settings *s, roof_dtype wanted, const roof_target **found,
                               roof_error *error) {
  roof_target *target = &a->targets[wanted];
  roof_options options = s->options;
  options.launch = a->kernel.seconds;
  *found = target;
  if (made[wanted]) {
    return ROOF_OK;
  }
  made[wanted] = true;
  roof_types types = roof_types_of(rf_model_compute(machine, wanted));
  roof_status status = roof_target_init(target, machine, &types, &options, error);
  if (status == ROOF_OK) {
    rf_model_launched(target, &a->kernel, s->launch, s->kernel_seconds);
  }
  return status;
}

static void add_item(roof_workload_answer *a, const roof_workload_item *item, const roof_prediction *p) {
  double n = item->count;
  a->calls += n;
  a->kernels += n * item->work.launches;
  a->flops += n * item->work.flops;
  a->matrix_flops += item->work.unit == ROOF_MATRIX ? n * item->work.flops : 0;
  a->bytes += n * p->bytes;
  a->weight_bytes += n * item->weight_bytes;
  a->compute_seconds += n * p->compute_seconds;
  a->memory_seconds += n * p->memory_seconds;
  a->network_seconds += n * p->network_seconds;
  a->overhead_seconds += n * p->overhead_seconds;
  a->lower_seconds += n * p->lower_seconds;
  a->upper_seconds += n * p->upper_seconds;
  a->expected_seconds += n * p->expected_seconds;
  a->expected_low_seconds += n * p->expected_low_seconds;
  a->expected_high_seconds += n * p->expected_high_seconds;
  a->energy_joules += n * p->energy_joules;
  a->regimes[p->regime].items += n;
  a->regimes[p->regime].seconds += n * p->expected_seconds;
}

/** Shares that need the sums. */
static void finish(roof_workload_answer *a, const roof_workload *w, const roof_target *any) {
  double most = -1, peak = NAN;
  for (size_t i = 0; i < w->count; i++) {
    const roof_prediction *p = &a->items[i];
    if (w->items[i].count * p->work.flops > most && p->peak != NULL) {
      most = w->items[i].count * p->work.flops;
      peak = p->peak->flops_per_second;
    }
  }
  for (int i = 1; i < ROOF_REGIME_COUNT; i++) {
    a->regime = a->regimes[i].seconds > a->regimes[a->regime].seconds ? (roof_regime)i : a->regime;
  }
  a->mfu = a->flops / (a->expected_seconds * peak);
  a->mbu = a->bytes * any->seconds_per_byte[any->memory][0] / a->expected_seconds;
  a->capacity_bytes = any->capacity;
}

/** As the graph says, or the operation. */
static double weights_of(const roof_workload_item *item) {
  return isnan(item->weight_bytes) ? item->work.weight_bytes : item->weight_bytes;
}

/** Predicts an item; `displaced`: no cache keeps its weights until the next run. */
static void predict_item(const roof_target *target, const roof_workload_item *item, bool displaced,
                         roof_prediction *p) {
  roof_work work = item->work;
  work.fresh_bytes = displaced ? weights_of(item) : 0;
  roof_predict_work(target, &work, p);
}

static double weight_bytes(const roof_workload *w) {
  double sum = 0;
  for (size_t i = 0; i < w->count; i++) {
    sum += w->items[i].count * weights_of(&w->items[i]);
  }
  return sum;
}

static roof_status predict_all(const roof_workload *w, const roof_machine *machine,
                               const roof_workload_settings *s, roof_workload_answer *a, roof_error *error) {
  bool made[ROOF_DTYPE_COUNT] = {false};
  double weights = weight_bytes(w);
  const roof_target *target = NULL;
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < w->count && status == ROOF_OK; i++) {
    const roof_workload_item *item = &w->items[i];
    status = find_target(a, made, machine, s, roof_dtype_multiplied(item->types.compute), &target, error);
    if (status == ROOF_OK) {
      predict_item(target, item, weights > 3 * target->cache_bytes, &a->items[i]);
      add_item(a, item, &a->items[i]);
    }
  }
  if (status == ROOF_OK) {
    a->kernels = s->launch == ROOF_LAUNCH_PERSISTENT ? 1 : a->kernels; /* what items paid were barriers */
    finish(a, w, target);
  }
  return status; /* NOLINT(clang-analyzer-unix.Malloc): a->items is kept */
}

roof_status roof_workload_answer_of(const roof_workload *w, const roof_machine *machine,
                                    const roof_workload_settings *s, roof_workload_answer *answer,
                                    roof_error *error) {
  if (w->count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%.80s: no operation", w->name);
  }
  roof_workload_answer a = {.kernel = rf_model_kernel_cost(machine, s->launch, s->kernel_seconds)};
  a.items = calloc(w->count, sizeof *a.items);
  a.targets = calloc(ROOF_DTYPE_COUNT, sizeof *a.targets);
  roof_status status = a.items == NULL || a.targets == NULL
                           ? roof_error_set(error, ROOF_E_MEMORY, "%.80s: out of memory", w->name)
                           : predict_all(w, machine, s, &a, error);
  if (status != ROOF_OK) {
    roof_workload_answer_done(&a);
    return status;
  }
  *answer = a;
  return ROOF_OK;
}

void roof_workload_answer_done(roof_workload_answer *answer) {
  free(answer->items);
  free(answer->targets);
  *answer = (roof_workload_answer){0};
}
