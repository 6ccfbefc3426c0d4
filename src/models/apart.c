/* Prefill here, decode there: every pool of one kind with every pool of the other, their rates matched (Zhong et al. 2024,
 * DistServe; Patel et al. 2024, Splitwise). */
#include "models/apart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/choice.h"
#include "models/front.h"
#include "models/step.h"
#include "models/words.h"
#include "roofline/units.h"

enum { MOST_NODES = 8, POOLS = 4096 };

/** Instances that a pool may have, and what an offer costs. */
typedef struct search {
  const roof_choice_question *question;
  roof_model_target target;
  roof_model_phase phase;
  model_quantile quantile;
  roof_link network;
  int offer, precision;
  double devices;     /**< of the instance searched */
  double cache_bytes; /**< of one prompt, on all devices of an instance */
  roof_pool prefill[POOLS], decode[POOLS];
  int prefills, decodes;
  roof_pool fastest; /**< of so many devices */
  roof_pool front[ROOF_FRONT_MAX];
  int front_count;
  bool priced;
  roof_apart best;
} search;

static double step_time(const void *pool) {
  return ((const roof_pool *)pool)->seconds;
}

/** Device seconds per token. */
static double step_cost(const void *pool) {
  const roof_pool *p = pool;
  return p->devices * p->seconds / p->batch;
}

static const model_front_kind weighed = {sizeof(roof_pool), step_time, step_cost};

static roof_pool pool_of(const search *s) {
  const roof_model_settings *set = &s->target.settings;
  return (roof_pool){.offer = s->offer,
                     .devices = s->devices,
                     .tp = set->tp,
                     .pp = set->pp,
                     .dp = set->dp,
                     .ep = set->ep,
                     .batch = set->batch,
                     .seconds = s->phase.expected_seconds,
                     .low_seconds = s->phase.expected_low_seconds,
                     .high_seconds = s->phase.expected_high_seconds,
                     .joules = s->devices * s->phase.energy_joules / set->batch};
}

/** One prompt on an instance that generates nothing. */
static void try_prefill(search *s) {
  s->target.settings.batch = s->target.settings.dp;
  if (s->target.settings.dp == 1 && roof_model_capacity_of(&s->target).fits) {
    rf_model_one_prompt_seconds(&s->target, &s->phase);
    roof_pool p = pool_of(s);
    s->fastest = s->fastest.devices == 0 || p.seconds < s->fastest.seconds ? p : s->fastest;
  }
}

static void try_decode(search *s) {
  enum { LARGEST_BATCH = 1 << 16 };
  roof_model_settings *set = &s->target.settings;
  double prompt = roof_model_own_prompt(&s->target), last = prompt + fmax(0, set->generate - 2);
  for (double batch = 1; batch <= LARGEST_BATCH; batch *= 2) {
    set->batch = batch * set->dp;
    if (!rf_model_capacity_at(&s->target, 1).fits) { /* its prompts are processed elsewhere */
      return;
    }
    roof_model_phase_of(&s->target, ROOF_PHASE_DECODE, prompt, last, &s->phase);
    roof_pool p = pool_of(s);
    if (p.seconds > s->question->limits.tpot_seconds) {
      return;
    }
    rf_model_front_add(&weighed, s->front, &s->front_count, &p);
  }
}

/** An instance: replicas of it only where they share experts, others are instances of their own. */
static void try_plan(void *data, double tp, double pp, double dp, double ep) {
  search *s = data;
  roof_model_settings *set = &s->target.settings;
  set->tp = tp, set->pp = pp, set->dp = dp, set->ep = ep, set->batch = dp;
  if ((dp > 1 && ep <= tp) || !rf_model_plan_runs(s->target.model, set) || !rf_model_plan_share(&s->target)) {
    return;
  }
  try_prefill(s);
  try_decode(s);
}

/** Pools of one machine in one precision. */
static roof_status add_pools(search *s, int offer, int precision, roof_error *error) {
  const roof_choice_question *q = s->question;
  roof_model_settings one = *q->base;
  one.tp = one.pp = one.dp = one.ep = one.cp = one.batch = 1;
  one.microbatches = one.chunk = 0;
  one.precision = q->precisions->list[precision];
  roof_status status = roof_model_target_init(&s->target, q->model, q->offers[offer].machine, &one, error);
  double node = s->target.settings.node, most = s->target.plain.link == NULL ? 1 : MOST_NODES * node;
  if (status != ROOF_OK || isnan(s->target.plain.capacity)) {
    return status;
  }
  s->offer = offer;
  s->network = s->target.links[ROOF_SPAN_CLUSTER];
  roof_model_capacity c = roof_model_capacity_of(&s->target);
  s->cache_bytes = (c.kv_bytes + c.state_bytes) * one.prompt / (one.prompt + one.generate);
  for (double n = 1; n <= most; n += n < node ? 1 : node) {
    s->devices = n;
    s->fastest.devices = s->front_count = 0;
    rf_model_each_plan(q->model, n, try_plan, s);
    if (s->fastest.devices > 0 && s->prefills < POOLS) {
      s->prefill[s->prefills++] = s->fastest;
    }
    for (int i = 0; i < s->front_count && s->decodes < POOLS; i++) {
      s->decode[s->decodes++] = s->front[i];
    }
  }
  return ROOF_OK;
}

/** TTFT of a prompt that takes so long, at so many instances; infinite where they cannot keep up. */
static double ttft(const search *s, double seconds, double rate, double instances, double transfer) {
  const model_pace pace = {.first = seconds, .next = seconds, .tokens = 1};
  return rf_model_open(&pace, rate / instances, &s->quantile).ttft_seconds + transfer;
}

/** The fewest instances that keep the TTFT, and keep up with prompts of so many seconds; 0: none does. */
static double prefill_instances(const search *s, const roof_pool *p, double seconds, double rate,
                                double transfer) {
  enum { MORE = 64 }; /* than keep up */
  double limit = s->question->limits.ttft_seconds, least = floor(rate * seconds) + 1;
  for (double n = least; n < least + MORE; n++) {
    if (!(ttft(s, p->seconds, rate, n, transfer) > limit)) {
      return n;
    }
  }
  return 0;
}

/** The fewest instances whose batches have room for the requests of the percentile. */
static double decode_instances(const search *s, const roof_pool *p, double rate, double steps) {
  double all = rate * steps * p->seconds, users = s->question->limits.users;
  double n = fmax(1, floor(all / p->batch));
  while (n < 1e6 && rf_model_at_once(all / n, &s->quantile) > p->batch &&
         !(users > 0 && users <= n * p->batch)) {
    n++;
  }
  return n;
}

/** Requests per second that a pair is asked for. */
static double asked_rate(const roof_plan_limits *l, const roof_pool *prefill, const roof_pool *decode,
                         double steps, double transfer) {
  return l->rate > 0    ? l->rate
         : l->users > 0 ? l->users / (prefill->seconds + transfer + steps * decode->seconds)
                        : decode->batch / (steps * decode->seconds);
}

static double devices_of(const roof_apart *a) {
  return a->prefill.devices * a->prefill.instances + a->decode.devices * a->decode.instances;
}

/** Whether both pools keep up with their load at the slow end of their range as well. */
static bool is_steady(const roof_apart *a) {
  return isfinite(a->ttft_high_seconds) && isfinite(a->tpot_high_seconds);
}

bool rf_apart_is_better(const roof_apart *a, const roof_apart *than) {
  double more = devices_of(a) - devices_of(than);
  bool priced = !isnan(a->price_per_million_tokens);
  if (!than->found || is_steady(a) != is_steady(than)) {
    return !than->found || is_steady(a);
  }
  return priced ? a->price_per_million_tokens < than->price_per_million_tokens
                : more < 0 || (more == 0 && a->device_tokens_per_second > than->device_tokens_per_second);
}

static double cost_of(const search *s, const roof_pool *p) {
  return p->devices * p->instances * (s->priced ? s->question->offers[p->offer].price : 1);
}

static bool allowed(const search *s, const roof_apart *a) {
  const roof_choice_question *q = s->question;
  double node = fmax(rf_model_node(q->base, q->offers[a->prefill.offer].machine),
                     rf_model_node(q->base, q->offers[a->decode.offer].machine));
  return q->limits.devices > 0 ? devices_of(a) == q->limits.devices : devices_of(a) <= MOST_NODES * node;
}

/** Exactly so many devices, where that is asked for: those that are left generate. */
static void fill_devices(const search *s, roof_apart *a) {
  double rest = s->question->limits.devices - a->prefill.devices * a->prefill.instances;
  a->decode.instances = fmax(a->decode.instances, floor(rest / a->decode.devices));
}

/** Two pools together, that keep up with prompts of so many seconds, if they meet the limits and are better than the best so far. */
static void try_pair(search *s, const roof_pool *prefill, const roof_pool *decode, double seconds) {
  const roof_choice_question *q = s->question;
  double tokens = fmax(1, q->base->generate), steps = fmax(1, tokens - 1); /* the prompt made the first */
  double ports = fmin(prefill->devices, decode->devices);
  double transfer = s->cache_bytes / (ports * s->network.bytes_per_second) + s->network.latency_seconds;
  double rate = asked_rate(&q->limits, prefill, decode, steps, transfer);
  roof_apart a = {.found = true, .precision = s->precision, .prefill = *prefill, .decode = *decode};
  a.prefill.instances = prefill_instances(s, prefill, seconds, rate, transfer);
  a.decode.instances = decode_instances(s, decode, rate, steps);
  fill_devices(s, &a);
  if (a.prefill.instances == 0 || !allowed(s, &a)) {
    return;
  }
  a.requests_per_second = rate;
  a.transfer_seconds = transfer;
  a.ttft_seconds = ttft(s, prefill->seconds, rate, a.prefill.instances, transfer);
  a.ttft_low_seconds = ttft(s, prefill->low_seconds, rate, a.prefill.instances, transfer);
  a.ttft_high_seconds = ttft(s, prefill->high_seconds, rate, a.prefill.instances, transfer);
  a.tpot_seconds = decode->seconds, a.tpot_low_seconds = decode->low_seconds;
  a.tpot_high_seconds = decode->high_seconds;
  a.prefill.busy = rate * prefill->seconds / a.prefill.instances;
  a.decode.busy = rate * steps * decode->seconds / (a.decode.instances * decode->batch);
  double cost = cost_of(s, &a.prefill) + cost_of(s, &a.decode), made = rate * tokens;
  a.device_tokens_per_second = made / devices_of(&a);
  double joules = (prefill->joules + steps * decode->joules) / tokens;
  a.price_per_million_tokens = s->priced ? rf_model_token_price(&q->limits, cost, made, joules) : NAN;
  if (rf_apart_is_better(&a, &s->best)) {
    s->best = a;
  }
}

static roof_status run(search *s, roof_error *error) {
  const roof_choice_question *q = s->question;
  roof_status status = rf_model_limits_check(q->model, &q->limits, error);
  s->quantile = rf_model_quantile(q->limits.share);
  s->priced = true;
  for (int i = 0; i < q->offer_count; i++) {
    s->priced = s->priced && !isnan(q->offers[i].price);
  }
  int precisions = q->base->cp > 1 ? 0 : q->precisions->count; /* instances do not share contexts */
  for (int p = 0; p < precisions && status == ROOF_OK; p++) {
    s->precision = p;
    s->prefills = s->decodes = 0;
    for (int i = 0; i < q->offer_count && status == ROOF_OK; i++) {
      status = add_pools(s, i, p, error);
    }
    for (int i = 0; i < s->prefills * s->decodes && status == ROOF_OK; i++) {
      const roof_pool *prefill = &s->prefill[i / s->decodes], *decode = &s->decode[i % s->decodes];
      try_pair(s, prefill, decode, prefill->seconds);
      try_pair(s, prefill, decode, prefill->high_seconds);
    }
  }
  return status;
}

roof_status roof_apart_of(const roof_choice_question *q, roof_apart *best, roof_error *error) {
  search *s = calloc(1, sizeof *s);
  if (s == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "plan: out of memory");
  }
  s->question = q;
  roof_status status = run(s, error);
  if (status == ROOF_OK) {
    *best = s->best;
  }
  free(s);
  return status;
}

bool roof_apart_is_sure(const roof_choice_question *q, const roof_apart *a) {
  const roof_plan_limits *l = &q->limits;
  return a->found && is_steady(a) && !(a->ttft_high_seconds > l->ttft_seconds) &&
         !(a->tpot_high_seconds > l->tpot_seconds);
}

/** Whether a figure is another's but for what prints as 0 %. */
static bool is_alike(double ratio) {
  return fabs(ratio - 1) < 0.005;
}

bool roof_apart_pays(const roof_choice_question *q, const roof_choices *all, const roof_apart *a) {
  const roof_choice *c = &all->list[0];
  double price = a->price_per_million_tokens, than = c->point.price_per_million_tokens;
  if (!a->found || all->meeting == 0) {
    return a->found;
  }
  double devices = devices_of(a), rate = a->device_tokens_per_second;
  bool fewer = devices < c->devices || (devices == c->devices && rate > c->point.device_tokens_per_second);
  bool cheaper = isnan(price) || isnan(than) || is_alike(price / than) ? fewer : price < than;
  return cheaper && (is_steady(a) || !rf_choice_is_steady(c)) &&
         (roof_apart_is_sure(q, a) || !roof_choice_is_sure(q, c));
}

static void add_pool(roof_text *out, const roof_choice_question *q, const roof_pool *p, const char *what) {
  roof_text_addf(out, "%.0f x %s %s (%.0f of tp %.0f pp %.0f", p->devices * p->instances,
                 q->offers[p->offer].machine->name, what, p->instances, p->tp, p->pp);
  if (p->dp > 1) {
    roof_text_addf(out, " dp %.0f ep %.0f", p->dp, p->ep);
  }
}

/** How much it costs, and how that compares with one pool. */
static void add_head(roof_text *out, const roof_choices *all, const roof_apart *a) {
  const roof_plan_point *p = &all->list[0].point;
  bool priced = !isnan(a->price_per_million_tokens);
  double ratio = priced ? a->price_per_million_tokens / p->price_per_million_tokens
                        : a->device_tokens_per_second / p->device_tokens_per_second;
  roof_text_addf(out, "prefill and decode apart: %.0f devices", devices_of(a));
  if (priced) {
    roof_text_addf(out, ", %.4g per million tokens", a->price_per_million_tokens);
  }
  if (all->meeting > 0 && is_alike(ratio)) {
    roof_text_addf(out, ", as %s as together", priced ? "cheap" : "many tokens per device");
  } else if (all->meeting > 0 && !isnan(ratio)) {
    const char *how = priced ? (ratio < 1 ? "cheaper" : "dearer")
                             : (ratio > 1 ? "more tokens per device" : "fewer tokens per device");
    roof_text_addf(out, ", %.0f %% %s than together", 100 * fabs(ratio - 1), how);
  }
  roof_text_add(out, "\n");
}

/** Whence the times are, in a word where those of one pool, next to it, are alike. */
static void add_how(roof_text *out, const roof_choice_question *q, const roof_choices *all,
                    const roof_apart *a) {
  if (all->meeting > 0 && all->list[0].simulated == a->simulated) {
    roof_text_addf(out, "  %s as together\n", a->simulated ? "simulated" : "estimated");
  } else {
    rf_plan_add_how(out, q, a->simulated);
  }
}

void roof_apart_sentence(roof_text *out, const roof_choice_question *q, const roof_choices *all,
                         const roof_apart *a) {
  char x[48];
  add_head(out, all, a);
  roof_text_add(out, "  ");
  add_pool(out, q, &a->prefill, "process prompts");
  roof_text_add(out, "),\n  ");
  add_pool(out, q, &a->decode, "generate");
  roof_text_addf(out, " b%.0f), %s\n  ", a->decode.batch, q->precisions->names[a->precision]);
  rf_plan_add_time(out, "TTFT", a->ttft_seconds, a->ttft_low_seconds, a->ttft_high_seconds);
  rf_plan_add_time(out, ", TPOT", a->tpot_seconds, a->tpot_low_seconds, a->tpot_high_seconds);
  roof_text_add(out, "\n");
  add_how(out, q, all, a);
  roof_text_addf(out, "  of the TTFT %s to send the cache over %s%s\n",
                 roof_quantity_format(x, sizeof x, a->transfer_seconds, "s"), rf_model_network(q->base)->name,
                 q->base->network == NULL ? ", assumed; --network says another" : "");
  rf_plan_add_sure(out, &q->limits, roof_apart_is_sure(q, a));
}
