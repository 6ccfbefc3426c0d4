/* What would make a whole model faster: each change by itself, answered anew. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise/whole_levers.h"
#include "roofline/analysis.h"
#include "roofline/whole.h"

/** Makes a change and says it; false where it is made already or cannot be. */
typedef bool change(const roof_model_target *t, const roof_model_answer *a, roof_model_settings *s,
                    char text[64]);

static bool store(roof_model_settings *s, const char *name, char text[64]) {
  roof_weight_format format;
  double before = roof_weight_format_bytes(&s->precision.weights[ROOF_PART_MLP]);
  if (roof_weight_format_parse(name, &format, NULL) != ROOF_OK ||
      roof_weight_format_bytes(&format) >= before) {
    return false;
  }
  roof_model_precision_quantize(&s->precision, &format);
  snprintf(text, 64, "weights in %s", name);
  return true;
}

static bool eight_bits(const roof_model_target *t, const roof_model_answer *a, roof_model_settings *s,
                       char text[64]) {
  (void)a;
  bool native = roof_machine_peak(t->machine, ROOF_FP8, ROOF_MATRIX, false, ROOF_DATASHEET) != NULL;
  return store(s, native ? "fp8" : "w8a16", text);
}

static bool four_bits(const roof_model_target *t, const roof_model_answer *a, roof_model_settings *s,
                      char text[64]) {
  (void)t, (void)a;
  return store(s, "w4a16", text);
}

static bool narrow_cache(const roof_model_target *t, const roof_model_answer *a, roof_model_settings *s,
                         char text[64]) {
  (void)a;
  bool keeps = roof_model_count(t->model).kv_elements_per_token > 0;
  s->precision.kv = ROOF_FP8;
  snprintf(text, 64, "keys and values in fp8");
  return roof_model_generates(t) && keeps && roof_dtype_bytes(t->settings.precision.kv) > 1;
}

static bool twice_the_batch(const roof_model_target *t, const roof_model_answer *a, roof_model_settings *s,
                            char text[64]) {
  (void)t, (void)a;
  s->batch *= 2;
  snprintf(text, 64, "batch %.0f instead of %.0f", s->batch, s->batch / 2);
  return true;
}

static bool largest_batch(const roof_model_target *t, const roof_model_answer *a, roof_model_settings *s,
                          char text[64]) {
  (void)a;
  double before = s->batch;
  s->batch = roof_model_batches_of(t).largest;
  snprintf(text, 64, "batch %.0f, the largest", s->batch);
  return s->batch > 2 * before;
}

static bool more_devices(const roof_model_target *t, const roof_model_answer *a, roof_model_settings *s,
                         char text[64]) {
  (void)a;
  s->tp *= 2;
  snprintf(text, 64, "tp %.0f instead of %.0f", s->tp, s->tp / 2);
  return t->plain.link != NULL;
}

static bool more_replicas(const roof_model_target *t, const roof_model_answer *a, roof_model_settings *s,
                          char text[64]) {
  (void)a;
  s->dp *= 2, s->batch *= 2;
  snprintf(text, 64, "dp %.0f, batch %.0f", s->dp, s->batch);
  return t->plain.link != NULL && roof_model_generates(t);
}

static bool prefix_cache(const roof_model_target *t, const roof_model_answer *a, roof_model_settings *s,
                         char text[64]) {
  (void)a;
  s->prefix = 0.75;
  snprintf(text, 64, "75 %% of each prompt held");
  return roof_model_generates(t) && roof_model_prefix(&t->settings) < roof_model_prefix(s);
}

static bool offload(const roof_model_target *t, const roof_model_answer *a, roof_model_settings *s,
                    char text[64]) {
  double over = -a->capacity.spare_bytes, share = over / a->capacity.weight_bytes;
  s->offload = share > 0 ? fmin(1, ceil(100 * share + 5) / 100) : 0.5; /* what does not fit, or half */
  snprintf(text, 64, "%.0f %% of weights at the host", 100 * s->offload);
  return t->settings.offload == 0;
}

static bool drafts(const roof_model_target *t, const roof_model_answer *a, roof_model_settings *s,
                   char text[64]) {
  (void)a;
  s->draft = 4;
  snprintf(text, 64, "4 free drafts, %.0f %% right", 100 * s->accept);
  return roof_model_generates(t) && t->settings.draft == 0;
}

static bool fuse_all(const roof_model_target *t, const roof_model_answer *a, roof_model_settings *s,
                     char text[64]) {
  (void)a;
  s->fusion = ROOF_FUSION_ALL;
  snprintf(text, 64, "every fusion (--fuse all)");
  return t->settings.fusion != ROOF_FUSION_ALL;
}

static bool one_kernel(const roof_model_target *t, const roof_model_answer *a, roof_model_settings *s,
                       char text[64]) {
  (void)a;
  s->launch = ROOF_LAUNCH_PERSISTENT;
  snprintf(text, 64, "a persistent kernel a step");
  return t->settings.launch != ROOF_LAUNCH_PERSISTENT && isnan(t->settings.kernel_seconds);
}

static const struct {
  const char *name;
  change *make;
} changes[] = {{"precision", eight_bits},     {"precision", four_bits},       {"KV cache", narrow_cache},
               {"batching", twice_the_batch}, {"batching", largest_batch},    {"devices", more_devices},
               {"devices", more_replicas},    {"prefix cache", prefix_cache}, {"offload", offload},
               {"speculation", drafts},       {"fusion", fuse_all},           {"launches", one_kernel}};
enum { CHANGE_COUNT = sizeof changes / sizeof changes[0] };
_Static_assert((int)CHANGE_COUNT <= (int)ROOF_MODEL_LEVERS_MAX, "room for every change");

static double rate(const roof_model_answer *a) {
  return isnan(a->tpot_seconds) ? a->prompt_tokens_per_second / a->devices
                                : a->continuous.device_tokens_per_second;
}

/** The lever of a changed run, `after`; what does not fit has no times to compare. */
static void weigh(roof_model_lever *l, const roof_model_answer *before, roof_model_answer *after) {
  roof_model_drop_times(after);
  l->fits = after->capacity.fits;
  l->ttft_seconds = after->ttft_seconds;
  l->tpot_seconds = after->tpot_seconds;
  l->device_tokens_per_second = rate(after);
  l->total_bytes = after->capacity.total_bytes;
  l->rate_gain = rate(after) / rate(before);
  l->ttft_gain = before->ttft_seconds / after->ttft_seconds;
  l->tpot_gain = before->tpot_seconds / after->tpot_seconds;
  bool known = !isnan(before->capacity.capacity_bytes);
  l->helps = (l->fits || !known) && (rf_model_lever_gains(l->rate_gain) || (known && !before->capacity.fits));
}

/** All have the same run before them, so the rates order as their gains do, equal ones by what is changed; those without
 * come last. */
static int by_gain(const void *left, const void *right) {
  const roof_model_lever *a = left, *b = right;
  double ra = fmax(0, a->device_tokens_per_second), rb = fmax(0, b->device_tokens_per_second);
  return a->helps != b->helps ? b->helps - a->helps
         : ra != rb           ? (ra < rb) - (ra > rb)
                              : strcmp(a->change, b->change);
}

roof_status roof_model_levers_of(const roof_model_target *target, const roof_model_answer *answer,
                                 roof_model_lever levers[ROOF_MODEL_LEVERS_MAX], int *count,
                                 roof_error *error) {
  if (target->settings.train) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "levers of a training step: `plan MODEL --train` ranks its plans");
  }
  roof_model_answer *after = malloc(2 * sizeof *after), *before = after + 1;
  if (after == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "levers: out of memory");
  }
  *count = 0;
  *before = *answer;
  roof_model_drop_times(before);
  for (int i = 0; i < CHANGE_COUNT; i++) {
    roof_model_lever *l = &levers[*count];
    roof_model_settings settings = target->settings;
    roof_model_target other;
    *l = (roof_model_lever){.name = changes[i].name};
    if (changes[i].make(target, answer, &settings, l->change) &&
        roof_model_target_init(&other, target->model, target->machine, &settings, NULL) == ROOF_OK) {
      roof_model_answer_of(&other, after);
      weigh(l, before, after);
      (*count)++;
    }
  }
  free(after);
  qsort(levers, (size_t)*count, sizeof *levers, by_gain);
  return ROOF_OK;
}
