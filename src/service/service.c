/* A model's target as a plant of replicas; what cannot be served is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/limits.h"
#include "models/step.h"
#include "roofline/units.h"
#include "service/capacity.h"
#include "service/loop.h"
#include "service/steps.h"

struct roof_service {
  service_steps steps;
  service_steps draft; /**< where the steps point to it */
  roof_service *pool;  /**< that processes prompts for it; NULL: its own replicas do */
};

enum { BUDGET = 8192 };

roof_service_settings roof_service_settings_default(const roof_model_target *t) {
  const roof_model_settings *s = &t->settings;
  return (roof_service_settings){.rate = 1,
                                 .burstiness = 1,
                                 .requests = 10000,
                                 .seed = 1,
                                 .prompt = {.mean = s->prompt},
                                 .generate = {.mean = fmax(1, s->generate)},
                                 .turns = {.mean = 1},
                                 .adapter_rank = 16,
                                 .speed = 1,
                                 .sequences = rf_model_typed(s, "batch") || s->batch > 1 ? s->batch
                                                                                         : SERVICE_SEQUENCES,
                                 .budget = s->chunk > 0 ? s->chunk : BUDGET,
                                 .cache = true,
                                 .host_seconds = ROOF_SERVICE_HOST_SECONDS,
                                 .host_token_seconds = ROOF_SERVICE_HOST_TOKEN_SECONDS,
                                 .ttft_seconds = NAN,
                                 .tpot_seconds = NAN};
}

static roof_status check_target(const roof_model_target *t, roof_error *error) {
  const roof_model_settings *s = &t->settings;
  if (t->model->encoder || t->model->denoises || s->train) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "serve: %s: nothing is generated token by token",
                          roof_model_title(t->model));
  }
  if (s->sharers > 0) {
    return roof_error_set(
        error, ROOF_E_UNSUPPORTED,
        "serve: sharers: all prompts begin with the one prefix; --turns has prefixes of sessions");
  }
  if (s->offload > 0 || s->offload_kv > 0) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "serve: offload: what hides of its transfer is not known for steps of any size");
  }
  return rf_limit_generates("serve", s, error);
}

roof_status roof_service_new(const roof_model_target *target, roof_service **service, roof_error *error) {
  roof_status status = check_target(target, error);
  roof_service *made = status == ROOF_OK ? calloc(1, sizeof *made) : NULL;
  if (status != ROOF_OK) {
    return status;
  }
  if (made == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "serve: out of memory");
  }
  status = rf_steps_init(&made->steps, target, error);
  if (status != ROOF_OK) {
    roof_service_free(made);
    return status;
  }
  *service = made;
  return ROOF_OK;
}

roof_status roof_service_draft(roof_service *service, const roof_model_target *draft, roof_error *error) {
  roof_status status = check_target(draft, error);
  if (status == ROOF_OK && !(service->steps.target.settings.draft > 0)) {
    status =
        roof_error_set(error, ROOF_E_ARGUMENT, "serve: %s drafts no tokens; draft=3 accept=0.7 says how many",
                       roof_model_title(draft->model));
  }
  if (status != ROOF_OK) {
    return status;
  }
  rf_steps_done(&service->draft);
  status = rf_steps_init(&service->draft, draft, error);
  service->draft.target.settings.draft = 0;
  service->steps.draft = status == ROOF_OK ? &service->draft : NULL;
  return status;
}

roof_status roof_service_prefill(roof_service *service, const roof_model_target *pool, roof_error *error) {
  const roof_model_target *own = &service->steps.target;
  roof_service *made = NULL;
  if (pool->model != own->model || pool->settings.precision.kv != own->settings.precision.kv) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "serve: the pools of %s and %s: one model, and one format of its cache",
                          pool->machine->name, own->machine->name);
  }
  roof_status status = roof_service_new(pool, &made, error);
  if (status == ROOF_OK) {
    roof_service_free(service->pool);
    service->pool = made;
  }
  return status;
}

static service_capacity capacity_of(const roof_service *service, const roof_service_settings *settings) {
  return rf_capacity_of(&service->steps.target, service->steps.draft != NULL ? &service->draft.target : NULL,
                        settings);
}

void roof_service_free(roof_service *service) {
  if (service != NULL) {
    rf_steps_done(&service->steps);
    rf_steps_done(&service->draft);
    roof_service_free(service->pool);
    free(service);
  }
}

double roof_service_cache_tokens(const roof_service *service, const roof_service_settings *settings) {
  return capacity_of(service, settings).tokens;
}

double roof_service_adapter_bytes(const roof_service *service, const roof_service_settings *settings) {
  return rf_adapters_of(&service->steps.target, settings).bytes;
}

static bool is_whole(double value, double least, double most) {
  return value >= least && value <= most && value == floor(value);
}

/** A number that must be whole and in a range. */
typedef struct count {
  const char *name;
  double value, least, most;
} count;

static roof_status check_counts(const roof_model_target *t, const roof_service_settings *s,
                                roof_error *error) {
  double replicas = t->settings.dp;
  const count counts[] = {{"requests", s->requests, s->trace != NULL ? 0 : 1, 1e9},
                          {"seed", s->seed, 0, 0x1p53},
                          {"batch", s->sequences, 1, 1e5},
                          {"chunk", s->budget, 1, 1e6},
                          {"concurrency", s->concurrency, 0, 1e5},
                          {"prefill replicas", s->prefills, 0, replicas - 1},
                          {"adapters", s->adapters, 0, 1e6},
                          {"rank", s->adapter_rank, s->adapters > 0 ? 1 : 0, 4096},
                          {"slots", s->adapter_slots, 0, s->adapters},
                          {"warmup", s->warmup, 0, 1e9},
                          {"dp", replicas, 1, 1024}};
  if (s->prefills >= fmax(1, replicas)) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "serve: --prefill %g: of %.0f replica%s one at least generates; dp=%.0f has more",
                          s->prefills, replicas, replicas == 1 ? "" : "s", s->prefills + 1);
  }
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    const count *c = &counts[i];
    if (!is_whole(c->value, c->least, c->most)) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "serve: %s %g: a whole number from %.0f to %.0f", c->name,
                            c->value, c->least, c->most);
    }
  }
  if (!(s->rate > 0)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "serve: rate %g: over 0 requests per second", s->rate);
  }
  if (!(s->burstiness >= 0.01 && s->burstiness <= 1e4) || !(s->speed > 0 && s->speed <= 1e9)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "serve: %s %g: from 0.01 to 10000",
                          s->speed > 0 ? "burstiness" : "speed", s->speed > 0 ? s->burstiness : s->speed);
  }
  if (!(s->host_seconds >= 0 && s->host_seconds < 1e6) || !(s->host_token_seconds >= 0)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "serve: host time %g s: from 0 on", s->host_seconds);
  }
  double tokens = t->settings.draft + 1;
  return s->sequences * tokens <= s->budget
             ? ROOF_OK
             : roof_error_set(
                   error, ROOF_E_ARGUMENT,
                   "serve: chunk %.0f: a step has a budget of at least batch x (draft + 1) = %.0f tokens",
                   s->budget, s->sequences * tokens);
}

static double longest_of(const roof_lengths *l) {
  return l->kind == ROOF_LENGTHS_UNIFORM ? l->other : l->kind == ROOF_LENGTHS_CONSTANT ? l->mean : 1;
}

/** Refuses a request that no replica could ever serve; `what` says which. */
static roof_status check_length(const roof_model_target *t, const service_capacity *c, const char *what,
                                double prompt, double generate, roof_error *error) {
  double tokens = prompt + generate, context = t->model->context, page = t->settings.page;
  if (context > 0 && tokens > context) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "serve: %s: %.0f + %.0f tokens are more than the %.0f that %s was made for", what,
                          prompt, generate, context, roof_model_title(t->model));
  }
  return rf_kept_blocks(&c->kept, page, tokens) <= c->blocks
             ? ROOF_OK
             : roof_error_set(
                   error, ROOF_E_ARGUMENT,
                   "serve: %s: %.0f + %.0f tokens never fit, the cache of a replica holds %.0f of one", what,
                   prompt, generate, rf_kept_longest(&c->kept, page, c->blocks));
}

static roof_status check_requests(const roof_model_target *t, const roof_service_settings *s,
                                  const service_capacity *c, roof_error *error) {
  if (s->trace == NULL) {
    return check_length(t, c, "requests", longest_of(&s->prompt), longest_of(&s->generate), error);
  }
  char what[48];
  const roof_request *r = &s->trace->longest;
  snprintf(what, sizeof what, "request %zu of the trace", s->trace->longest_number);
  return check_length(t, c, what, r->prompt, r->generate, error);
}

static service_plant plant_of(roof_service *service, const roof_service_settings *s,
                              const service_capacity *c) {
  const roof_model_target *t = &service->steps.target;
  const roof_model_settings *m = &t->settings;
  double replica = m->tp * m->pp * m->cp, page = m->page, context = t->model->context;
  bool near = replica * m->dp <= m->node && t->links[ROOF_SPAN_NODE].bytes_per_second > 0;
  const roof_link *link = &t->links[near ? ROOF_SPAN_NODE : ROOF_SPAN_CLUSTER];
  const roof_link *host = &t->links[ROOF_SPAN_HOST];
  double longest = fmin(context > 0 ? context : INFINITY, rf_kept_longest(&c->kept, page, c->blocks));
  double shared = s->trace == NULL && s->cache ? floor(roof_model_prefix(m) / page) * page : 0;
  return (service_plant){.clock = rf_steps_clock(&service->steps),
                         .replicas = m->dp,
                         .page = page,
                         .blocks = c->blocks,
                         .kept = c->kept,
                         .hashed = s->trace != NULL            ? s->trace->block_tokens
                                   : rf_source_has_sessions(s) ? page
                                                               : shared,
                         .drafts = m->draft,
                         .accept = m->accept,
                         .swap_seconds =
                             host->bytes_per_second > 0 ? c->block_bytes / host->bytes_per_second : 0,
                         .shared = shared,
                         .adapters = rf_adapters_of(t, s),
                         .longest = longest,
                         .transfer_seconds = c->block_bytes / page / link->bytes_per_second,
                         .transfer_latency = link->latency_seconds};
}

static roof_status check_adapters(const roof_model_target *t, const roof_service_settings *s,
                                  roof_error *error) {
  if (!(s->adapter_skew >= 0 && s->adapter_skew <= 10)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "serve: adapter_skew %g: from 0 to 10", s->adapter_skew);
  }
  service_adapters a = rf_adapters_of(t, s);
  return a.slots < a.count && isnan(a.load_seconds)
             ? roof_error_set(error, ROOF_E_UNSUPPORTED,
                              "serve: slots: the file of %s has no link to its host (PCIe)", t->machine->name)
             : ROOF_OK;
}

static roof_status check_swap(const roof_model_target *t, const roof_service_settings *s, roof_error *error) {
  return s->preemption == ROOF_PREEMPT_SWAP && !(t->links[ROOF_SPAN_HOST].bytes_per_second > 0)
             ? roof_error_set(error, ROOF_E_UNSUPPORTED,
                              "serve: swap: the file of %s has no link to its host (PCIe)", t->machine->name)
             : ROOF_OK;
}

/** What can be asked of replicas: nothing that no cache has room for. */
static roof_status check_replicas(const roof_service *service, const roof_service_settings *s,
                                  const service_capacity *c, roof_error *error) {
  const roof_model_target *t = &service->steps.target;
  roof_status status = rf_capacity_check(t, c, error);
  status = status == ROOF_OK ? check_requests(t, s, c, error) : status;
  status = status == ROOF_OK ? check_swap(t, s, error) : status;
  return status == ROOF_OK ? check_adapters(t, s, error) : status;
}

static double replica_devices(const roof_model_settings *m) {
  return m->tp * m->pp * m->cp;
}

/** Adds the pool that processes prompts. A cache goes over the slower of both links, by as many ports as the smaller replica has. */
static roof_status add_pool(roof_service *service, roof_service_settings *s, service_plant *plant,
                            roof_error *error) {
  roof_service *pool = service->pool;
  const roof_model_target *t = &pool->steps.target, *own = &service->steps.target;
  const roof_link *links[] = {&own->links[ROOF_SPAN_CLUSTER], &t->links[ROOF_SPAN_CLUSTER]};
  const roof_link *link = links[links[1]->bytes_per_second < links[0]->bytes_per_second];
  service_capacity c = capacity_of(pool, s), here = capacity_of(service, s);
  double devices = replica_devices(&own->settings);
  double ports = fmin(devices, replica_devices(&t->settings));
  if (s->prefills > 0) {
    return roof_error_set(
        error, ROOF_E_ARGUMENT,
        "serve: --prefill %g: of replicas that do both; dp= of the pool says how many it has", s->prefills);
  }
  s->prefills = t->settings.dp;
  plant->replicas += s->prefills;
  plant->first = (service_engine){rf_steps_clock(&pool->steps), c.blocks};
  plant->transfer_seconds = here.block_bytes / plant->page * devices / ports / link->bytes_per_second;
  plant->transfer_latency = link->latency_seconds;
  return check_replicas(pool, s, &c, error);
}

static double cost_of(const roof_model_target *t) {
  return t->settings.price / 3600 * t->devices;
}

roof_status roof_service_run(roof_service *service, const roof_service_settings *settings,
                             roof_service_answer *answer, roof_error *error) {
  const roof_model_target *t = &service->steps.target,
                          *pool = service->pool != NULL ? &service->pool->steps.target : NULL;
  roof_service_settings s = *settings;
  roof_service_answer a;
  service_capacity c = capacity_of(service, &s);
  service_plant plant = {.replicas = 0};
  roof_status status = check_counts(t, &s, error);
  status = status == ROOF_OK ? check_replicas(service, &s, &c, error) : status;
  if (status == ROOF_OK) {
    plant = plant_of(service, &s, &c);
  }
  status = status == ROOF_OK && pool != NULL ? add_pool(service, &s, &plant, error) : status;
  if (status == ROOF_OK) {
    const roof_model_settings *m = &t->settings;
    service->steps.overlaps = s.two_batch_overlap && m->tp * m->pp * m->cp * m->ep > 1;
    status = rf_loop_run(&plant, &s, &a, NULL, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  a.devices = t->devices + (pool != NULL ? pool->devices : 0);
  a.price_per_million_tokens = 1e6 * (cost_of(t) + (pool != NULL ? cost_of(pool) : 0)) / a.tokens_per_second;
  *answer = a;
  return ROOF_OK;
}
