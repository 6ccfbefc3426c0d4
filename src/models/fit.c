/* What does not fit has no times; which single change would make it fit. */
#include <math.h>
#include <stdio.h>

#include "core/number.h"
#include "models/step.h"
#include "roofline/analysis.h"
#include "roofline/units.h"

bool roof_model_has_times(const roof_model_answer *a) {
  return a->capacity.fits || isnan(a->capacity.capacity_bytes);
}

static void drop_operation(roof_model_operation *o) {
  o->compute_seconds = o->memory_seconds = o->network_seconds = o->overhead_seconds = NAN;
  o->lower_seconds = o->upper_seconds = NAN;
  o->expected_seconds = o->expected_low_seconds = o->expected_high_seconds = o->energy_joules = NAN;
}

static void drop_phase(roof_model_phase *p) {
  p->compute_seconds = p->memory_seconds = p->network_seconds = p->overhead_seconds = NAN;
  p->lower_seconds = p->upper_seconds = NAN;
  p->expected_seconds = p->expected_low_seconds = p->expected_high_seconds = p->energy_joules = NAN;
  p->backward_seconds = p->replica_seconds = p->hidden_seconds = p->mfu = p->hfu = p->mbu = NAN;
  for (int i = 0; i < ROOF_SPAN_COUNT; i++) {
    p->link_seconds[i] = NAN;
  }
  for (int i = 0; i <= ROOF_STREAM_MAX; i++) {
    p->stream_seconds[i] = NAN;
  }
  for (int i = 0; i < p->count; i++) {
    drop_operation(&p->operations[i]);
  }
}

void roof_model_drop_times(roof_model_answer *a) {
  if (roof_model_has_times(a)) {
    return;
  }
  double *const figures[] = {
      &a->image_seconds,           &a->encode_seconds,           &a->ttft_seconds,
      &a->ttft_low_seconds,        &a->ttft_high_seconds,        &a->tpot_seconds,
      &a->tpot_low_seconds,        &a->tpot_high_seconds,        &a->tpot_first_seconds,
      &a->tpot_last_seconds,       &a->request_seconds,          &a->tokens_per_second,
      &a->batch_tokens_per_second, &a->device_tokens_per_second, &a->prompt_tokens_per_second,
      &a->joules_per_token,        &a->price_per_million_tokens};
  for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
    *figures[i] = NAN;
  }
  a->continuous = (roof_model_continuous){NAN, NAN, NAN, NAN, NAN};
  a->training = (roof_model_training){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
    if (a->phases[i].present) {
      drop_phase(&a->phases[i]);
    }
  }
}

/** A run that does not fit, its settings as they are changed, and what has been found. */
typedef struct attempt {
  const roof_model_target *target;
  const char *weights; /**< the option of their format */
  roof_model_capacity before;
  roof_model_settings s;
  roof_model_fit *found;
  size_t count;
  bool possible; /**< whether the last could be run at all */
} attempt;

/** Keeps the changed run where it fits. */
static bool try_it(attempt *a, const char *change) {
  roof_model_target t;
  roof_model_fit *f = &a->found[a->count];
  a->possible = roof_model_target_init(&t, a->target->model, a->target->machine, &a->s, NULL) == ROOF_OK;
  bool fits = a->possible && a->count < ROOF_MODEL_FITS_MAX;
  roof_model_capacity c = fits ? roof_model_capacity_of(&t) : a->before;
  if (fits && c.fits) {
    snprintf(f->change, sizeof f->change, "%s", change);
    f->devices = t.devices;
    f->spare_bytes = c.spare_bytes;
    a->count++;
  }
  a->s = a->target->settings;
  return fits && c.fits;
}

static void try_weights(attempt *a, const char *name) {
  char text[sizeof a->found->change];
  roof_weight_format format;
  double before = roof_weight_format_bytes(&a->s.precision.weights[ROOF_PART_MLP]);
  if (roof_weight_format_parse(name, &format, NULL) == ROOF_OK &&
      roof_weight_format_bytes(&format) < before) {
    roof_model_precision_quantize(&a->s.precision, &format);
    snprintf(text, sizeof text, "--%s %s", a->weights, name);
    try_it(a, text);
  }
}

/** Fewer sequences, shorter ones, a narrower cache, weights that stay with the host. */
static void try_less(attempt *a) {
  char text[sizeof a->found->change];
  const roof_model_settings *s = &a->target->settings;
  double share = -a->before.spare_bytes / a->before.weight_bytes, context = a->target->model->context;
  double longest = fmin(a->before.longest_context, context > 0 ? context : INFINITY);
  if (roof_dtype_bytes(s->precision.kv) > 1) {
    a->s.precision.kv = ROOF_FP8;
    try_it(a, "--kv fp8");
  }
  a->s.batch = a->before.largest_batch;
  if (a->s.batch >= 1 && a->s.batch < s->batch) {
    snprintf(text, sizeof text, "batch=%.0f", a->s.batch);
    try_it(a, text);
  }
  a->s = *s;
  a->s.prompt = floor((longest - s->generate) / s->page) * s->page;
  if (a->s.prompt >= 1 && a->s.prompt < s->prompt) {
    snprintf(text, sizeof text, "prompt=%.0f", a->s.prompt);
    try_it(a, text);
  }
  a->s = *s;
  a->s.offload = ceil(100 * (s->offload + share) + 5) / 100;
  if (a->s.offload <= 1) {
    rf_format(text, sizeof text, "offload=%.2g", a->s.offload);
    try_it(a, text);
  }
  a->s = *s;
}

/** The fewest devices of a node that share every tensor, with weights in another format (NULL: as they are); *widest
 * is the largest number that the model can be shared by. */
static bool try_node(attempt *a, const char *weights, double *widest) {
  char text[sizeof a->found->change];
  const roof_model_settings *s = &a->target->settings;
  roof_weight_format format;
  bool found = false, narrow = weights != NULL && roof_weight_format_parse(weights, &format, NULL) == ROOF_OK;
  for (double tp = 2 * s->tp; tp <= s->node && !found; tp *= 2) {
    a->s.tp = tp;
    if (narrow) {
      roof_model_precision_quantize(&a->s.precision, &format);
    }
    size_t used = (size_t)snprintf(text, sizeof text, "tp=%.0f", tp);
    if (narrow) {
      snprintf(text + used, sizeof text - used, " --%s %s", a->weights, weights);
    }
    found = try_it(a, text);
    *widest = a->possible ? tp : *widest;
  }
  return found;
}

/** The fewest devices: of a node, with narrower weights if need be, then stages of nodes. */
static void try_devices(attempt *a, const char *weights) {
  char text[sizeof a->found->change];
  double widest = a->target->settings.tp;
  bool found = try_node(a, NULL, &widest);
  if (!found && weights != NULL) {
    try_node(a, weights, &widest);
  }
  for (double pp = 2 * a->s.pp; pp <= a->target->model->layer_count && !found; pp *= 2) {
    a->s.tp = widest;
    a->s.pp = pp;
    snprintf(text, sizeof text, "tp=%.0f pp=%.0f", widest, pp);
    found = try_it(a, text);
  }
}

/** Of a training step: a sequence at a time, activations made again, states shared or with the host. */
static void try_training(attempt *a) {
  char text[sizeof a->found->change];
  a->s.microbatches = roof_model_replica_batch(a->target);
  if (a->s.microbatches > roof_model_microbatches(a->target)) {
    snprintf(text, sizeof text, "microbatches=%.0f", a->s.microbatches);
    try_it(a, text);
  }
  a->s = a->target->settings;
  a->s.recompute = ROOF_RECOMPUTE_FULL;
  try_it(a, "recompute=full");
  a->s.zero = 3;
  try_it(a, "zero=3");
  a->s.offload_optimizer = 1;
  if (!try_it(a, "offload_optimizer=1")) {
    a->s.offload_optimizer = a->s.offload = 1;
    try_it(a, "offload=1 offload_optimizer=1");
  }
}

static size_t find_fits(const roof_model_target *t, const char *weights,
                        roof_model_fit fits[ROOF_MODEL_FITS_MAX]) {
  attempt a = {.target = t,
               .weights = weights,
               .before = roof_model_capacity_of(t),
               .s = t->settings,
               .found = fits,
               .count = 0};
  if (a.before.fits || isnan(a.before.capacity_bytes)) {
    return 0;
  }
  bool native = roof_machine_peak(t->machine, ROOF_FP8, ROOF_MATRIX, false, ROOF_DATASHEET) != NULL;
  const char *narrow = native ? "fp8" : "w8a16";
  if (t->settings.train) {
    try_training(&a);
  } else {
    try_weights(&a, narrow);
    try_weights(&a, "w4a16");
    try_less(&a);
  }
  if (t->plain.link != NULL) {
    try_devices(&a, t->settings.train ? NULL : narrow);
  }
  return a.count;
}

size_t roof_model_fits_of(const roof_model_target *t, roof_model_fit fits[ROOF_MODEL_FITS_MAX]) {
  return find_fits(t, "precision", fits);
}

/** "--precision w4a16 (41.37 GiB spare), tp=2 (13.21 GiB spare)". */
static void describe(roof_text *out, const roof_model_target *t, const char *weights) {
  roof_model_fit fits[ROOF_MODEL_FITS_MAX];
  char spare[48];
  size_t count = find_fits(t, weights, fits);
  for (size_t i = 0; i < count; i++) {
    roof_text_addf(out, "%s%s (%s spare)", i > 0 ? ", " : "", fits[i].change,
                   roof_bytes_format(spare, sizeof spare, fits[i].spare_bytes));
  }
  if (count == 0) {
    roof_text_add(out, "no one change; `roofline plan` tries all plans");
  }
}

void roof_model_fits_describe(roof_text *out, const roof_model_target *t) {
  describe(out, t, "precision");
}

roof_status roof_model_check_fit(const roof_model_target *t, const roof_model_answer *a, const char *weights,
                                 roof_error *error) {
  if (roof_model_has_times(a)) {
    return ROOF_OK;
  }
  char shortage[48];
  roof_text with = {0};
  describe(&with, t, weights);
  roof_error_set(
      error, ROOF_E_ARGUMENT, "%s does not fit, %s short on each device, so it has no times; fits with %s",
      roof_model_title(t->model), roof_bytes_format(shortage, sizeof shortage, -a->capacity.spare_bytes),
      with.data != NULL ? with.data : "more memory");
  roof_text_done(&with);
  return ROOF_E_ARGUMENT;
}
