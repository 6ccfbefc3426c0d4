/* Phases combined into the answer: time to the first token, time per token, tokens per second. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/power.h"
#include "models/step.h"

void rf_model_start(model_step *s, const roof_model_target *t, roof_model_phase *out) {
  const size_t head = offsetof(roof_model_phase, operations);
  memset(out, 0, head);
  out->count = 0;
  out->present = true;
  *s = (model_step){
      .target = t, .batch = roof_model_replica_batch(t), .microbatches = roof_model_microbatches(t)};
  s->heads = s->microbatches;
  s->steps = 1;
  s->wanted = MODEL_OF_ALL;
  s->own = rf_model_stream(t->model, 0);
  s->out = out;
}

void rf_model_add_group(model_step *s, const model_group *g) {
  s->groups[s->group_count++] = *g;
  s->tokens += g->sequences * g->queries / g->query_split;
}

/** Prompts, whole or in chunks: as many whole prompts at once as fit a chunk, else each prompt in pieces. What a
 * prefix cache holds is seen by the queries of the rest, and not computed. */
static void plan_prefill(model_step *s, bool encoder) {
  const roof_model_settings *set = &s->target->settings;
  double chunk = set->chunk > 0 && !encoder ? set->chunk : INFINITY, batch = s->batch;
  double fresh = rf_model_fresh_tokens(s->target), past = roof_model_prefix(set);
  model_group g = {.sequences = batch, .queries = fresh, .causal = !encoder, .cached = !encoder};
  g.past_first = g.past_last = past;
  g.query_split = set->cp;
  g.key_split = 1;
  if (chunk < fresh) {
    double pieces = ceil(fresh / chunk);
    g.sequences = 1;
    g.queries = g.stride = fresh / pieces;
    g.past_last = roof_model_own_prompt(s->target) - g.queries;
    s->steps = batch * pieces;
  } else {
    s->steps = fmax(s->microbatches, ceil(batch * fresh / chunk));
    g.sequences = batch / s->steps;
  }
  rf_model_add_group(s, &g);
  s->logits = batch / s->heads;
  s->fills = true; /* and drains (Huang et al. 2019, GPipe, section 2.3) */
}

/** Each token has a loss; microbatches one after another, their gradients summed. A pipeline of stages that
 * take turns with one forward and one backward pass fills and drains as GPipe's (Narayanan et al. 2021,
 * section 2.2.1); with several stages on each device it does so in parts of a microbatch's time (section 2.2.2). */
static void plan_training(model_step *s) {
  const roof_model_settings *set = &s->target->settings;
  double m = s->microbatches;
  model_group g = {.sequences = s->batch / m, .queries = set->prompt};
  g.causal = !s->target->model->encoder;
  g.query_split = set->cp;
  g.key_split = 1;
  rf_model_add_group(s, &g);
  s->training = true;
  s->steps = s->heads = m;
  s->fills = true;
  s->logits = s->tokens;
}

/** A step gives every sequence a token. The next token of a microbatch waits until the last stage is done, so
 * that fewer microbatches than stages leave stages idle. */
void rf_model_add_decoding(model_step *s, double queries, double first, double last) {
  double rows = s->batch / s->microbatches;
  model_group g = {.sequences = rows,
                   .queries = queries,
                   .past_first = first,
                   .past_last = last,
                   .stride = 1,
                   .causal = true,
                   .absorbed = true,
                   .cached = true,
                   .query_split = 1,
                   .key_split = s->target->settings.cp};
  rf_model_add_group(s, &g);
  s->steps = s->microbatches;
  s->logits += rows * queries;
}

/** A piece of one prompt, half of which is already processed, runs with a decoding step. */
static void add_piece(model_step *s) {
  const roof_model_settings *set = &s->target->settings;
  double fresh = rf_model_fresh_tokens(s->target), queries = fmin(set->chunk, fresh);
  double past = roof_model_prefix(set) + (fresh - queries) / 2;
  model_group g = {.sequences = 1 / s->steps, .queries = queries, .past_first = past, .past_last = past};
  g.query_split = set->cp;
  g.key_split = 1;
  g.causal = g.cached = true;
  rf_model_add_group(s, &g);
}

/** Tokens that a step of verification yields: the drafted ones up to the first wrong one, and one more from
 * the model itself: (1 - a^(d + 1)) / (1 - a) (Leviathan et al. 2023, equation 1). */
static double expected_yield(double accept, double draft) {
  return accept >= 1 ? draft + 1 : (1 - (accept > 0 ? rf_power(accept, draft + 1) : 0)) / (1 - accept);
}

/** The streams' inputs; true where nothing of the model's own follows in this phase, as in two encoders side by side. */
static bool encode_streams(model_step *s) {
  roof_model_phase *phase = s->out;
  rf_model_walk_streams(s);
  if (s->target->model->encoder) {
    s->stream = 0;
    s->own = rf_model_stream(s->target->model, 0);
    s->group_count = 0;
    s->tokens = 0;
    return false;
  }
  rf_model_finish(s);
  phase->steps = s->steps;
  phase->tokens = phase->yield = s->tokens * s->steps;
  phase->sequences = s->batch;
  return true;
}

/** A prompt or a batch of them, the step that follows or a step of training; `s` is just started. */
static void make_phase(model_step *s, roof_phase kind, double past_first, double past_last) {
  const roof_model_settings *set = &s->target->settings;
  roof_model_phase *phase = s->out;
  phase->kind = kind;
  s->batch *= kind == ROOF_PHASE_DENOISE ? rf_model_passes(s->target) : 1;
  bool streams = kind == ROOF_PHASE_ENCODE || kind == ROOF_PHASE_DENOISE;
  if (streams && rf_model_encodes(s->target) && encode_streams(s)) {
    return;
  }
  if (kind == ROOF_PHASE_TRAIN) {
    plan_training(s);
  } else if (kind == ROOF_PHASE_PREFILL || kind == ROOF_PHASE_ENCODE || kind == ROOF_PHASE_DENOISE) {
    plan_prefill(s, kind != ROOF_PHASE_PREFILL);
  } else {
    rf_model_add_decoding(s, kind == ROOF_PHASE_VERIFY ? set->draft + 1 : 1, past_first, past_last);
  }
  if (kind == ROOF_PHASE_MIXED) {
    add_piece(s);
  }
  rf_model_walk(s);
  phase->steps = s->steps;
  phase->tokens = s->tokens * s->steps;
  phase->sequences = s->batch;
  phase->yield =
      phase->sequences *
      (kind == ROOF_PHASE_VERIFY ? expected_yield(set->accept, set->draft)
       : kind == ROOF_PHASE_PREFILL || kind == ROOF_PHASE_DECODE || kind == ROOF_PHASE_MIXED ? 1
                                                                                             : set->prompt);
}

/** The whole step on one device. */
static void train_alone(const roof_model_target *t, roof_model_phase *phase) {
  roof_model_target one = *t;
  roof_model_settings *s = &one.settings;
  s->tp = s->pp = s->dp = s->ep = s->cp = s->interleave = 1;
  s->zero = s->redundant_experts = s->microbatches = 0;
  s->sp = false;
  rf_model_plan_share(&one);
  roof_model_phase_of(&one, ROOF_PHASE_TRAIN, 0, 0, phase);
}

void roof_model_phase_of(const roof_model_target *t, roof_phase kind, double past_first, double past_last,
                         roof_model_phase *phase) {
  model_step s;
  bool shared = kind == ROOF_PHASE_TRAIN && t->devices > 1;
  double needed = 0, done = 0;
  if (shared) { /* a stage may have more than its part, and devices that share tensors do some of it each */
    train_alone(t, phase);
    needed = phase->mfu * phase->expected_seconds / t->devices;
    done = phase->hfu * phase->expected_seconds / t->devices;
  }
  rf_model_start(&s, t, phase);
  make_phase(&s, kind, past_first, past_last);
  if (shared) {
    phase->mfu = needed / phase->expected_seconds;
    phase->hfu = done / phase->expected_seconds;
  }
}

/** A phase of the prompts of so many sequences of a replica. */
static void make_prompts(const roof_model_target *t, roof_phase kind, double sequences,
                         roof_model_phase *phase) {
  model_step s;
  rf_model_start(&s, t, phase);
  s.batch = sequences;
  s.microbatches = s.heads = rf_model_microbatches(&t->settings, sequences);
  make_phase(&s, kind, 0, 0);
}

bool rf_model_encode(const roof_model_target *t, double sequences, roof_model_phase *phase) {
  if (!rf_model_encodes(t)) {
    return false;
  }
  make_prompts(t, ROOF_PHASE_ENCODE, sequences, phase);
  return true;
}

double rf_model_one_prompt_seconds(const roof_model_target *t, roof_model_phase *scratch) {
  double expected = 0, low = 0, high = 0, lower = 0, idle = 0, joules = 0;
  for (int i = rf_model_encode(t, 1, scratch) ? 0 : 1; i < 2; i++) {
    if (i == 1) {
      make_prompts(t, ROOF_PHASE_PREFILL, 1, scratch);
    }
    expected += scratch->expected_seconds, lower += scratch->lower_seconds;
    low += scratch->expected_low_seconds, high += scratch->expected_high_seconds;
    idle += scratch->bubble * scratch->expected_seconds;
    joules += scratch->energy_joules;
  }
  scratch->present = false;
  scratch->bubble = idle / expected;
  scratch->expected_seconds = expected, scratch->lower_seconds = lower;
  scratch->expected_low_seconds = low, scratch->expected_high_seconds = high;
  scratch->energy_joules = joules;
  return expected;
}

roof_phase roof_model_first_phase(const roof_model_target *t) {
  return t->settings.train    ? ROOF_PHASE_TRAIN
         : t->model->denoises ? ROOF_PHASE_DENOISE
         : t->model->encoder  ? ROOF_PHASE_ENCODE
                              : ROOF_PHASE_PREFILL;
}

bool roof_model_generates(const roof_model_target *t) {
  return roof_model_first_phase(t) == ROOF_PHASE_PREFILL && t->settings.generate > 1;
}

static void run_phases(const roof_model_target *t, roof_model_answer *a) {
  const roof_model_settings *s = &t->settings;
  double prompt = roof_model_own_prompt(t), last = prompt + fmax(0, s->generate - 2);
  for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
    a->phases[i].present = false;
  }
  roof_phase first = roof_model_first_phase(t);
  if (rf_model_encodes(t) && first == ROOF_PHASE_PREFILL) {
    roof_model_phase_of(t, ROOF_PHASE_ENCODE, 0, 0, &a->phases[ROOF_PHASE_ENCODE]);
  }
  roof_model_phase_of(t, first, 0, 0, &a->phases[first]);
  if (!roof_model_generates(t)) {
    return;
  }
  roof_model_phase_of(t, ROOF_PHASE_DECODE, prompt, last, &a->phases[ROOF_PHASE_DECODE]);
  if (s->draft > 0) {
    roof_model_phase_of(t, ROOF_PHASE_VERIFY, prompt, last, &a->phases[ROOF_PHASE_VERIFY]);
  }
  if (s->chunk > 0 && s->chunk < roof_model_replica_batch(t) * rf_model_fresh_tokens(t)) {
    roof_model_phase_of(t, ROOF_PHASE_MIXED, prompt, last, &a->phases[ROOF_PHASE_MIXED]);
  }
}

/** Seconds that a step lasts longer for each second more in a stage's layers: where stages wait for the one token that passes
 * them all, every stage's layers count. */
static double longer_each(const roof_model_target *t, const roof_model_phase *step) {
  return step->bubble > 0 ? rf_model_full_stages(t) / roof_model_microbatches(t) : 1;
}

/** Expected seconds of a step with `past` tokens there, from the mean step: attention alone differs.
 * `scratch` is left with no phase in it. */
static double seconds_at(const roof_model_target *t, roof_phase kind, double past,
                         const roof_model_phase *mean, roof_model_phase *scratch) {
  double attention = 0;
  for (int i = 0; i < mean->count; i++) {
    const roof_model_operation *o = &mean->operations[i];
    attention += o->kind == ROOF_KIND_ATTENTION ? o->count * o->expected_seconds : 0;
  }
  model_step s;
  rf_model_start(&s, t, scratch);
  s.attention_only = true;
  make_phase(&s, kind, past, past);
  scratch->present = false;
  double each = longer_each(t, mean);
  return mean->expected_seconds + each * scratch->expected_seconds - each * attention;
}

/** Requests one after another; the place of the phase `train` is free, as below. */
static void run_continuous(const roof_model_target *t, double least, roof_model_answer *a) {
  roof_model_phase *p = &a->phases[ROOF_PHASE_TRAIN];
  double seconds = rf_model_one_prompt_seconds(t, p), busy = 1 - p->bubble, pp = t->settings.pp;
  double low = p->expected_low_seconds, high = p->expected_high_seconds;
  a->continuous = rf_model_continuous(t, seconds, busy * seconds, a->tpot_seconds);
  a->continuous_low = rf_model_continuous(t, low, busy * low, a->tpot_low_seconds);
  a->continuous_high = rf_model_continuous(t, high, busy * high, a->tpot_high_seconds);
  a->continuous_least = rf_model_continuous(t, p->lower_seconds, p->lower_seconds / pp, least);
}

/** TPOT at both ends of the generation. A run that generates has no phase `train`, so its place is free. */
static void run_ends(const roof_model_target *t, roof_phase kind, double each, roof_model_answer *a) {
  const roof_model_settings *s = &t->settings;
  double first = roof_model_own_prompt(t), last = first + fmax(0, s->generate - 2);
  a->tpot_first_seconds = seconds_at(t, kind, first, &a->phases[kind], &a->phases[ROOF_PHASE_TRAIN]) * each;
  a->tpot_last_seconds = seconds_at(t, kind, last, &a->phases[kind], &a->phases[ROOF_PHASE_TRAIN]) * each;
}

roof_model_saving roof_model_fusion_saving(const roof_model_target *t, roof_phase kind, int index) {
  const roof_model_settings *s = &t->settings;
  roof_model_target other = *t;
  roof_model_phase *phases = malloc(2 * sizeof *phases), *with = phases, *without = phases + 1;
  roof_model_saving saving = {NAN, NAN, NAN};
  if (phases == NULL) {
    return saving;
  }
  double prompt = roof_model_own_prompt(t), last = prompt + fmax(0, s->generate - 2);
  other.settings.fusion = s->fusion | 1u << index;
  roof_model_phase_of(&other, kind, prompt, last, with);
  other.settings.fusion = s->fusion & ~(1u << index);
  roof_model_phase_of(&other, kind, prompt, last, without);
  saving = (roof_model_saving){.bytes = without->memory_bytes - with->memory_bytes,
                               .kernels = without->kernels - with->kernels,
                               .seconds = without->expected_seconds - with->expected_seconds};
  free(phases);
  return saving;
}

/** Steps for a token of each sequence. */
static double steps_of_token(const roof_model_target *t, const roof_model_phase *step) {
  return roof_model_replica_batch(t) / step->yield;
}

/** Of the tokens after the first. */
static void run_steps(const roof_model_target *t, const roof_model_phase *step, roof_model_answer *a) {
  double each = steps_of_token(t, step);
  a->tpot_seconds = step->expected_seconds * each;
  a->tpot_low_seconds = step->expected_low_seconds * each;
  a->tpot_high_seconds = step->expected_high_seconds * each;
  run_ends(t, step->kind, each, a);
  a->tokens_per_second = 1 / a->tpot_seconds;
  a->batch_tokens_per_second = t->settings.batch / a->tpot_seconds;
  a->device_tokens_per_second = a->batch_tokens_per_second / a->devices;
}

void roof_model_answer_of(const roof_model_target *t, roof_model_answer *a) {
  const roof_model_settings *s = &t->settings;
  run_phases(t, a);
  const roof_model_phase *first = &a->phases[roof_model_first_phase(t)];
  const roof_model_phase *next = &a->phases[s->draft > 0 ? ROOF_PHASE_VERIFY : ROOF_PHASE_DECODE];
  double more = fmax(0, s->generate - 1);
  a->devices = t->devices;
  a->capacity = roof_model_capacity_of(t);
  const roof_model_phase *before = &a->phases[ROOF_PHASE_ENCODE];
  bool encodes = before->present && before != first;
  a->encode_seconds = encodes ? before->expected_seconds : NAN;
  a->ttft_seconds = first->expected_seconds + (encodes ? before->expected_seconds : 0);
  a->ttft_low_seconds = first->expected_low_seconds + (encodes ? before->expected_low_seconds : 0);
  a->ttft_high_seconds = first->expected_high_seconds + (encodes ? before->expected_high_seconds : 0);
  a->image_seconds = t->model->denoises ? s->steps * first->expected_seconds : NAN;
  a->prompt_tokens_per_second = s->batch * s->prompt / a->ttft_seconds;
  a->tpot_seconds = a->tokens_per_second = a->batch_tokens_per_second = a->device_tokens_per_second = NAN;
  a->joules_per_token = a->price_per_million_tokens = NAN;
  a->tpot_first_seconds = a->tpot_last_seconds = a->tpot_low_seconds = a->tpot_high_seconds = NAN;
  a->continuous = (roof_model_continuous){NAN, NAN, NAN, NAN, NAN};
  a->continuous_low = a->continuous_high = a->continuous_least = a->continuous;
  a->training = roof_model_training_of(s, a->devices, first);
  a->request_seconds = t->model->denoises ? a->image_seconds : a->ttft_seconds;
  if (s->train) {
    a->batch_tokens_per_second = a->prompt_tokens_per_second;
    a->device_tokens_per_second = a->batch_tokens_per_second / a->devices;
    a->price_per_million_tokens = 1e6 * s->price / 3600 * a->devices / a->prompt_tokens_per_second;
  }
  if (first->kind != ROOF_PHASE_PREFILL || s->generate < 1) {
    return;
  }
  double made = s->batch * s->generate, joules = first->energy_joules + (encodes ? before->energy_joules : 0);
  if (next->present) {
    run_steps(t, next, a);
    a->request_seconds += more * a->tpot_seconds;
    joules += more * steps_of_token(t, next) * next->energy_joules;
  }
  run_continuous(t, next->present ? steps_of_token(t, next) * next->lower_seconds : NAN, a);
  a->joules_per_token = a->devices * joules / made;
  a->price_per_million_tokens = 1e6 * s->price / 3600 * a->devices * a->request_seconds / made;
}

const roof_model_phase *roof_model_step(const roof_model_answer *a) {
  static const roof_phase order[] = {ROOF_PHASE_VERIFY, ROOF_PHASE_DECODE, ROOF_PHASE_TRAIN,
                                     ROOF_PHASE_DENOISE, ROOF_PHASE_ENCODE};
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
    if (a->phases[order[i]].present) {
      return &a->phases[order[i]];
    }
  }
  return &a->phases[ROOF_PHASE_PREFILL];
}

roof_regime roof_model_phase_regime(const roof_model_phase *p) {
  const double times[ROOF_REGIME_COUNT] = {[ROOF_COMPUTE_BOUND] = p->compute_seconds,
                                           [ROOF_MEMORY_BOUND] = p->memory_seconds,
                                           [ROOF_OVERHEAD_BOUND] = p->overhead_seconds,
                                           [ROOF_NETWORK_BOUND] = p->network_seconds};
  roof_regime most = ROOF_COMPUTE_BOUND;
  for (int i = 0; i < ROOF_REGIME_COUNT; i++) {
    most = times[i] > times[most] ? (roof_regime)i : most;
  }
  return most;
}

const char *roof_model_operation_binding(const roof_model_target *t, const roof_model_operation *o) {
  return o->regime == ROOF_NETWORK_BOUND                      ? t->links[o->span].name
         : o->regime == ROOF_MEMORY_BOUND && o->level != NULL ? o->level->name
                                                              : roof_regime_name(o->regime);
}

/** The seconds that a phase spends at the ceiling that binds `of` in its memory, or where it computes. */
static double seconds_bound(const roof_model_phase *p, bool memory, const roof_model_operation *of) {
  double seconds = 0;
  for (int i = 0; i < p->count; i++) {
    const roof_model_operation *o = &p->operations[i];
    bool same = memory ? o->level == of->level : o->peak == of->peak;
    seconds += same ? o->count * (memory ? o->memory_seconds : o->compute_seconds) : 0;
  }
  return seconds;
}

/** The operation at whose ceiling a phase spends most seconds; NULL: none is known. */
static const roof_model_operation *longest_at(const roof_model_phase *p, bool memory) {
  const roof_model_operation *longest = NULL;
  double most = 0;
  for (int i = 0; i < p->count; i++) {
    const roof_model_operation *o = &p->operations[i];
    double seconds = (memory ? o->level == NULL : o->peak == NULL) ? 0 : seconds_bound(p, memory, o);
    longest = seconds > most ? o : longest;
    most = fmax(most, seconds);
  }
  return longest;
}

char *roof_model_phase_binding(const roof_model_target *t, const roof_model_phase *p, char *buffer,
                               size_t size) {
  roof_regime regime = roof_model_phase_regime(p);
  bool memory = regime == ROOF_MEMORY_BOUND;
  const roof_model_operation *o = memory || regime == ROOF_COMPUTE_BOUND ? longest_at(p, memory) : NULL;
  if (o != NULL && !memory) {
    snprintf(buffer, size, "%s %s", roof_dtype_name(o->peak->dtype), roof_unit_name(o->peak->unit));
  } else {
    snprintf(buffer, size, "%s",
             o != NULL                       ? o->level->name
             : regime == ROOF_NETWORK_BOUND  ? t->links[roof_model_phase_span(p)].name
             : regime == ROOF_OVERHEAD_BOUND ? "launch"
                                             : "unknown");
  }
  return buffer;
}

roof_span roof_model_phase_span(const roof_model_phase *p) {
  roof_span most = ROOF_SPAN_NODE;
  for (int i = 0; i < ROOF_SPAN_COUNT; i++) {
    most = p->link_seconds[i] > p->link_seconds[most] ? (roof_span)i : most;
  }
  return most;
}

bool roof_model_too_long(const roof_model_target *t, char *buffer, size_t size) {
  double tokens = t->settings.prompt + (t->settings.train ? 0 : t->settings.generate);
  double most = t->model->context;
  if (!(most > 0 && tokens > most)) {
    return false;
  }
  snprintf(buffer, size, "%.0f tokens per sequence are more than the %.0f that the model was made for",
           tokens, most);
  return true;
}
