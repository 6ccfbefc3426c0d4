/* Every plan of so many devices: which fit, which is best, and what a faster answer costs in throughput. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/front.h"
#include "models/step.h"
#include "roofline/plan.h"

/** Tokens of a chunk: what vLLM gives a step by default (max_num_batched_tokens; docs.vllm.ai,
 *  "Optimization and Tuning", chunked prefill). */
static const double usual_chunk = 2048;

/** Which of a phase's times are taken. */
typedef enum range { EXPECTED, LOW, HIGH } range;

typedef struct search {
  roof_model_target target;
  const roof_plan_limits *limits;
  roof_plan_front *front;
  roof_plan_front found;
  model_quantile quantile;
  range range;
  int precision;
  bool whole;                        /**< prompts are tried whole */
  double chunk;                      /**< and in chunks of so many tokens */
  double plans;                      /**< that divide the model */
  double prompt_joules, step_joules; /**< of one device: a prompt, a step */
  double prompt_busy;                /**< share of a prompt's time in which a stage is busy */
  double encode_seconds;             /**< of a prompt's encoder, while a stage is busy */
  double encode_joules;
  roof_model_phase phase;
} search;

/** Sets a plan; false where it does not divide the model or the blocks of its weights, or no link joins the devices that share it. */
static bool set_plan(search *s, double tp, double pp, double dp, double ep, double batch) {
  roof_model_settings *set = &s->target.settings;
  set->tp = tp, set->pp = pp, set->dp = dp, set->ep = ep, set->batch = batch * dp;
  return rf_model_plan_runs(s->target.model, set) && rf_model_plan_share(&s->target);
}

double roof_plan_token_seconds(const roof_plan_point *p) {
  return isnan(p->tpot_seconds) ? p->ttft_seconds : p->tpot_seconds;
}

static double time_per_token(const void *point) {
  return roof_plan_token_seconds(point);
}

static double less_throughput(const void *point) {
  return -((const roof_plan_point *)point)->device_tokens_per_second;
}

static const model_front_kind weighed = {sizeof(roof_plan_point), time_per_token, less_throughput};

double roof_plan_excess(const roof_plan_limits *l, const roof_plan_point *p) {
  const double any = 1e6; /* of limits that a plan which keeps up with the requests may exceed */
  return p->busy >= 1 ? any * p->busy
                      : fmax(p->ttft_seconds / l->ttft_seconds, p->tpot_seconds / l->tpot_seconds);
}

static bool exceeds(const roof_plan_limits *l, const roof_plan_point *p) {
  return p->busy >= 1 || p->ttft_seconds > l->ttft_seconds || p->tpot_seconds > l->tpot_seconds;
}

/** More tokens per second, of equals the quicker tokens. */
static bool better(const roof_plan_point *a, const roof_plan_point *b) {
  double more = a->device_tokens_per_second, than = b->device_tokens_per_second;
  return more != than ? more > than : roof_plan_token_seconds(a) < roof_plan_token_seconds(b);
}

/** False where it exceeds a limit. */
static bool judge(search *s, const roof_plan_point *p) {
  const roof_plan_limits *l = s->limits;
  roof_plan_front *f = s->front;
  f->fit++;
  if (p->busy < 1) {
    rf_model_front_add(&weighed, f->points, &f->count, p);
  }
  if (exceeds(l, p)) {
    bool nearer = f->nearest.batch == 0 || roof_plan_excess(l, p) < roof_plan_excess(l, &f->nearest);
    f->nearest = nearer ? *p : f->nearest;
    return false;
  }
  f->within++;
  if (f->best.batch == 0 || better(p, &f->best)) {
    f->best = *p;
  }
  return true;
}

static double seconds_of(const search *s) {
  return s->range == LOW    ? s->phase.expected_low_seconds
         : s->range == HIGH ? s->phase.expected_high_seconds
                            : s->phase.expected_seconds;
}

/** Of a prompt alone on its replica. */
static double prompt_seconds(search *s) {
  bool encodes = rf_model_encode(&s->target, 1, &s->phase);
  s->encode_seconds = encodes ? (1 - s->phase.bubble) * seconds_of(s) : 0;
  s->encode_joules = encodes ? s->phase.energy_joules : 0;
  rf_model_one_prompt_seconds(&s->target, &s->phase);
  s->prompt_joules = s->phase.energy_joules;
  s->prompt_busy = 1 - s->phase.bubble;
  return seconds_of(s);
}

/** Of the mean step, for a token of each sequence. */
static double step_seconds(search *s, roof_phase kind) {
  const roof_model_settings *set = &s->target.settings;
  double prompt = roof_model_own_prompt(&s->target), last = prompt + fmax(0, set->generate - 2);
  roof_model_phase_of(&s->target, kind, prompt, last, &s->phase);
  return seconds_of(s) * roof_model_replica_batch(&s->target) / s->phase.yield;
}

static double token_seconds(search *s) {
  double seconds = step_seconds(s, s->target.settings.draft > 0 ? ROOF_PHASE_VERIFY : ROOF_PHASE_DECODE);
  s->step_joules = s->phase.energy_joules * roof_model_replica_batch(&s->target) / s->phase.yield;
  return seconds;
}

/** Chunks that a prompt is cut into; 0: none. */
static double pieces(const search *s) {
  double chunk = s->target.settings.chunk;
  return chunk > 0 ? ceil(rf_model_fresh_tokens(&s->target) / chunk) : 0;
}

/** The times of a batch: a chunk rides in a step, which lasts longer for it; a whole prompt has the device alone, or the stages of
 *  a pipeline one after another. */
static model_pace pace_of(search *s, double prompt) {
  double busy = s->prompt_busy * prompt, tokens = s->target.settings.generate;
  model_pace p = {.first = prompt, .next = busy, .busy = busy, .step = token_seconds(s), .tokens = tokens};
  double count = pieces(s);
  if (count > 0) {
    double joules = s->step_joules, mixed = step_seconds(s, ROOF_PHASE_MIXED);
    s->prompt_joules = s->encode_joules + count * (s->phase.energy_joules - joules);
    p.next = s->encode_seconds + count * mixed;
    p.first = fmax(p.next, prompt);
    p.busy = s->encode_seconds + count * fmax(0, mixed - p.step);
  }
  return p;
}

double rf_model_token_price(const roof_plan_limits *l, double price, double tokens_per_second,
                            double joules_per_token) {
  double energy = l->energy_price > 0 ? l->energy_price * joules_per_token / 3.6e6 : 0;
  return 1e6 * (price / 3600 / tokens_per_second + energy);
}

/** What a batch costs and how long it takes. */
static roof_plan_point point_of(const search *s, const model_pace *pace, const model_seen *seen,
                                const roof_model_capacity *c) {
  const roof_model_settings *set = &s->target.settings;
  const roof_plan_limits *l = s->limits;
  double users = l->users, busy = users > 0 ? users / set->batch : 1, replica = s->target.devices / set->dp;
  double tokens = fmax(1, set->generate), rate = busy * seen->rate * tokens / replica;
  double joules =
      replica / tokens * (s->prompt_joules + (tokens - 1) * s->step_joules / (set->batch / set->dp));
  return (roof_plan_point){.tp = set->tp,
                           .pp = set->pp,
                           .dp = set->dp,
                           .ep = set->ep,
                           .cp = set->cp,
                           .batch = set->batch,
                           .chunk = set->chunk,
                           .precision = s->precision,
                           .ttft_seconds = seen->ttft_seconds,
                           .tpot_seconds = seen->tpot_seconds,
                           .prompt_seconds = pace->first,
                           .busy = seen->busy,
                           .device_tokens_per_second = rate,
                           .joules_per_token = joules,
                           .price_per_million_tokens = rf_model_token_price(l, set->price, rate, joules),
                           .total_bytes = c->total_bytes};
}

/** Prompts come one at a time, whole or in chunks. */
static roof_model_capacity capacity_of(search *s) {
  double chunk = s->target.settings.chunk;
  return rf_model_capacity_at(&s->target, chunk > 0 ? chunk : rf_model_fresh_tokens(&s->target));
}

typedef enum outcome { TOO_LARGE, TOO_SLOW, WITHIN } outcome;

/** One batch of a plan. */
static outcome try_batch(search *s, double prompt) {
  const roof_model_settings *set = &s->target.settings;
  s->front->tried++;
  roof_model_capacity c = capacity_of(s);
  if (!c.fits) {
    s->front->short_bytes = fmin(s->front->short_bytes, -c.spare_bytes);
    return TOO_LARGE;
  }
  model_pace pace = pace_of(s, prompt);
  double rate = s->limits->rate / set->dp;
  model_seen seen = rate > 0 ? rf_model_open(&pace, rate, &s->quantile)
                             : rf_model_closed(&pace, roof_model_replica_batch(&s->target), &s->quantile);
  roof_plan_point p = point_of(s, &pace, &seen, &c);
  return judge(s, &p) ? WITHIN : TOO_SLOW;
}

/** Sequences that so many requests per second come to where `n` share a step; infinite where prompts take all the time. */
static double sequences_of(search *s, double rate, double prompt, double n) {
  s->target.settings.batch = n * s->target.settings.dp;
  model_pace pace = pace_of(s, prompt);
  double free = 1 - rate * pace.busy;
  return free > 0 && rate * pace.next < 1 ? rate * fmax(0, pace.tokens - 1) * pace.step / free : INFINITY;
}

/** Sequences at once on a replica to which so many requests come per second: each stays for its tokens, which take the
 *  longer the more there are (Little 1961). Nearly a line of the batch, so that secants find it; infinite where
 *  it never ends. Near a jump of a step's time a secant shows no end, and twice as many are tried. */
static double sequences_at(search *s, double rate, double prompt) {
  enum { ROUNDS = 24, MOST = 1 << 16 };
  double n = 1, before = 0, then = INFINITY, low = 0, high = INFINITY; /* too few, enough */
  for (int i = 0; i < ROUNDS && n <= MOST; i++) {
    double made = sequences_of(s, rate, prompt, n);
    if (isinf(made) && n <= then) {
      return INFINITY;
    }
    if (isinf(made)) { /* too far: what `before` comes to is never too many */
      n = then;
      continue;
    }
    *(made > n ? &low : &high) = n;
    double slope = i > 0 ? (made - then) / (n - before) : 0;
    double next = fmin(fmax(1, (made - slope * n) / (1 - slope)), MOST);
    if (slope >= 1 || next <= low || next > high) {
      next = isinf(high) ? 2 * n : (low + high) / 2;
    }
    if (fabs(next - n) < 1e-3 * n) {
      return next;
    }
    before = n, then = made, n = next;
  }
  return high;
}

/** What comes at random: as many sequences as a share of the time has at most. */
static void try_rate(search *s, double prompt) {
  roof_model_settings *set = &s->target.settings;
  double n = sequences_at(s, s->limits->rate / set->dp, prompt);
  set->batch = set->dp * (isfinite(n) ? rf_model_at_once(n, &s->quantile) : 1);
  if (isfinite(n)) {
    try_batch(s, prompt);
    return;
  }
  s->front->tried++;
  roof_model_capacity c = capacity_of(s);
  model_pace pace = pace_of(s, prompt);
  model_seen seen = rf_model_open(&pace, s->limits->rate / set->dp, &s->quantile);
  seen.busy = fmax(1, seen.busy);
  roof_plan_point p = point_of(s, &pace, &seen, &c);
  if (c.fits) {
    judge(s, &p);
  } else {
    s->front->short_bytes = fmin(s->front->short_bytes, -c.spare_bytes);
  }
}

/** Twice as many sequences each time, as long as they fit; then those between the last that is within the limits and the first
 *  that is not, to a sixteenth. */
static void try_batches(search *s, double prompt) {
  enum { LARGEST_BATCH = 1 << 16, PARTS = 16 };
  roof_model_settings *set = &s->target.settings;
  double within = 0, beyond = 0;
  outcome found = WITHIN;
  for (double batch = 1; batch <= LARGEST_BATCH && found != TOO_LARGE; batch *= 2) {
    set->batch = batch * set->dp;
    found = try_batch(s, prompt);
    within = found == WITHIN ? batch : within;
    beyond = found != WITHIN && batch == 2 * within ? batch : beyond;
  }
  while (beyond - within > fmax(1, within / PARTS)) {
    double batch = floor((within + beyond) / 2);
    set->batch = batch * set->dp;
    *(try_batch(s, prompt) == WITHIN ? &within : &beyond) = batch;
  }
}

/** A plan with one policy: batches up to what fits, or the one that the load makes. */
static void try_policy(search *s, double chunk, double first) {
  roof_model_settings *set = &s->target.settings;
  set->batch = first * set->dp, set->chunk = chunk;
  double prompt = prompt_seconds(s);
  if (s->limits->rate > 0) {
    try_rate(s, prompt);
  } else if (s->limits->users > 0) {
    try_batch(s, prompt);
  } else {
    try_batches(s, prompt);
  }
}

static void try_plan(void *data, double tp, double pp, double dp, double ep) {
  search *s = data;
  double users = s->limits->users, first = users > 0 ? ceil(users / dp) : 1;
  if ((users > 0 && dp > users) || !set_plan(s, tp, pp, dp, ep, first)) {
    return;
  }
  s->plans++;
  if (s->whole || s->chunk >= rf_model_fresh_tokens(&s->target)) {
    try_policy(s, 0, first);
  }
  if (s->chunk < rf_model_fresh_tokens(&s->target)) {
    try_policy(s, s->chunk, first);
  }
}

void rf_model_each_plan(const roof_model *m, double devices, model_plan_visit *visit, void *data) {
  bool experts = roof_model_count(m).parts[ROOF_PART_EXPERTS] > 0;
  for (double tp = 1; tp <= devices; tp++) {
    for (double pp = 1; tp * pp <= devices && fmod(devices, tp) == 0; pp++) {
      double dp = devices / (tp * pp);
      for (double ep = 1; ep <= (experts ? tp * dp : 1) && dp == floor(dp); ep++) {
        visit(data, tp, pp, dp, ep);
      }
    }
  }
}

roof_status rf_model_search_check(const roof_model_target *t, double devices, roof_error *error) {
  enum { MOST_DEVICES = 65536 };
  if (!(devices >= 1 && devices <= MOST_DEVICES && devices == floor(devices))) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "devices=%g: not a whole number from 1 to %d", devices,
                          MOST_DEVICES);
  }
  if (isnan(t->plain.capacity)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "plan: %s does not say how much memory it has",
                          t->machine->name);
  }
  return devices > 1 ? roof_target_joins(&t->plain, 2, error) : ROOF_OK;
}

roof_status rf_model_search_end(const roof_model *m, double devices, double plans, roof_error *error) {
  return plans > 0 ? ROOF_OK
                   : roof_error_set(error, ROOF_E_ARGUMENT, "plan: no plan of %.0f devices divides %s",
                                    devices, m->name);
}

static roof_status init(search *s, const roof_model *model, const roof_machine *machine,
                        const roof_model_settings *base, const roof_model_precision *precision,
                        roof_error *error) {
  roof_model_settings one = *base;
  one.tp = one.pp = one.dp = one.ep = one.cp = one.batch = 1;
  one.microbatches = one.chunk = 0;
  one.sp = false;
  one.precision = *precision;
  s->quantile = rf_model_quantile(s->limits->share);
  s->whole = base->chunk == 0;
  s->chunk = base->chunk > 0 ? base->chunk : usual_chunk;
  roof_status status = roof_model_target_init(&s->target, model, machine, &one, error);
  return status == ROOF_OK ? rf_model_search_check(&s->target, s->limits->devices, error) : status;
}

/** Every plan with the contexts shared by 1, 2, 4 ... devices of a node, or by as many as are set. */
static void try_all(search *s, const roof_model_settings *base) {
  double devices = s->limits->devices, most = fmin(devices, s->target.settings.node);
  for (double cp = base->cp; cp <= (base->cp > 1 ? base->cp : most); cp *= 2) {
    s->target.settings.cp = cp;
    if (fmod(devices, cp) == 0) {
      rf_model_each_plan(s->target.model, devices / cp, try_plan, s);
    }
  }
}

roof_status rf_model_limits_check(const roof_model *model, const roof_plan_limits *limits,
                                  roof_error *error) {
  if (model->encoder) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "plan: %s is %s: it has no time per token",
                          roof_model_title(model), model->denoises ? "a diffusion model" : "an encoder");
  }
  return limits->users > 0 && limits->rate > 0
             ? roof_error_set(error, ROOF_E_ARGUMENT,
                              "rate: requests that come at random are not so many users at once; one of both")
             : ROOF_OK;
}

roof_status roof_plan_search(const roof_model *model, const roof_machine *machine,
                             const roof_model_settings *base, const roof_model_precision *precisions,
                             int precision_count, const roof_plan_limits *limits, roof_plan_front *front,
                             roof_error *error) {
  roof_status status = rf_model_limits_check(model, limits, error);
  search *s = status == ROOF_OK ? calloc(1, sizeof *s) : NULL;
  if (s == NULL) {
    return status != ROOF_OK ? status : roof_error_set(error, ROOF_E_MEMORY, "plan: out of memory");
  }
  s->limits = limits;
  s->front = &s->found;
  s->found.short_bytes = NAN;
  for (int i = 0; i < precision_count && status == ROOF_OK; i++) {
    status = init(s, model, machine, base, &precisions[i], error);
    s->precision = i;
    if (status == ROOF_OK) {
      try_all(s, base);
    }
  }
  if (status == ROOF_OK) {
    status = rf_model_search_end(model, limits->devices, s->plans, error);
  }
  if (status == ROOF_OK) {
    *front = s->found;
  }
  free(s);
  return status;
}

/** One point by one of the ends of its times. */
static roof_plan_point point_again(search *s, range at, const roof_plan_point *point) {
  s->range = at;
  s->found.fit = s->found.best.batch = s->found.nearest.batch = 0;
  s->target.settings.batch = point->batch;
  try_batch(s, prompt_seconds(s));
  return s->found.best.batch > 0 ? s->found.best : s->found.nearest;
}

roof_status roof_plan_range(const roof_model *model, const roof_machine *machine,
                            const roof_model_settings *base, const roof_model_precision *precision,
                            const roof_plan_limits *limits, const roof_plan_point *point,
                            roof_plan_point *low, roof_plan_point *high, roof_error *error) {
  search *s = calloc(1, sizeof *s);
  if (s == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "plan: out of memory");
  }
  s->limits = limits;
  s->front = &s->found;
  s->precision = point->precision;
  roof_status status = init(s, model, machine, base, precision, error);
  s->target.settings.cp = point->cp, s->target.settings.chunk = point->chunk;
  if (status == ROOF_OK &&
      !set_plan(s, point->tp, point->pp, point->dp, point->ep, point->batch / point->dp)) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "plan: does not divide %s", roof_model_title(model));
  }
  if (status == ROOF_OK) {
    *low = point_again(s, LOW, point);
    *high = point_again(s, HIGH, point);
  }
  free(s);
  return status;
}

char *roof_plan_point_text(const roof_plan_point *p, const char *precision, char *buffer, size_t size) {
  char ep[24] = "", cp[24] = "", chunk[32] = "";
  if (p->ep > 1) {
    snprintf(ep, sizeof ep, " ep %.0f", p->ep);
  }
  if (p->cp > 1) {
    snprintf(cp, sizeof cp, " cp %.0f", p->cp);
  }
  if (p->chunk > 0) {
    snprintf(chunk, sizeof chunk, " chunks of %.0f", p->chunk);
  }
  snprintf(buffer, size, "tp %.0f pp %.0f dp %.0f%s%s b%.0f%s%s%.12s", p->tp, p->pp, p->dp, ep, cp, p->batch,
           chunk, precision != NULL ? " " : "", precision != NULL ? precision : "");
  return buffer;
}
