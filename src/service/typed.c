/* The load of a service as it is typed: rates, arrivals, lengths, limits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/limits.h"
#include "roofline/choice.h"
#include "roofline/model_sweep.h"
#include "roofline/service.h"
#include "roofline/units.h"
#include "service/source.h"

static roof_status read_rate(const void *context, const char *text, double *value, roof_error *error) {
  (void)context;
  if (strcmp(text, "inf") == 0) {
    *value = INFINITY;
    return ROOF_OK;
  }
  roof_error why = {0};
  roof_status status = roof_quantity_parse_unit(text, "", value, &why);
  return status != ROOF_OK ? roof_error_set(error, status, "--rate: %s", why.message)
         : *value > 0      ? ROOF_OK
                           : roof_error_set(error, ROOF_E_ARGUMENT, "--rate %.40s: over 0", text);
}

/** The list without its unit, which stands once, at its end. */
static roof_status take_unit(const char *text, char *list, size_t size, bool *minutes, roof_error *error) {
  const char *slash = strchr(text, '/');
  *minutes = slash != NULL && strcmp(slash, "/min") == 0;
  if (slash != NULL && !*minutes && strcmp(slash, "/s") != 0) {
    return roof_error_set(
        error, ROOF_E_PARSE,
        "--rate %.60s: per second (4/s) or per minute (240/min), which a list says once, at "
        "its end",
        text);
  }
  size_t length = slash != NULL ? (size_t)(slash - text) : strlen(text);
  if (length >= size) {
    return roof_error_set(error, ROOF_E_PARSE, "--rate %.60s...: too long", text);
  }
  memcpy(list, text, length);
  list[length] = '\0';
  return ROOF_OK;
}

/** "4/s", "240/min", "1..16*2". */
static roof_status read_rates(roof_service_study *s, const char *rate, roof_error *error) {
  char list[256];
  roof_axis axis = {0};
  bool minutes = false;
  roof_status status = take_unit(rate != NULL ? rate : "1", list, sizeof list, &minutes, error);
  status = status == ROOF_OK ? roof_axis_read(&axis, "--rate", false, read_rate, NULL, list, error) : status;
  if (status != ROOF_OK) {
    free(axis.values);
    return status;
  }
  for (size_t i = 0; i < axis.count; i++) {
    axis.values[i] /= minutes ? 60 : 1;
  }
  s->rates = axis.values;
  s->count = axis.count;
  return ROOF_OK;
}

/** A number of an option that was typed. */
typedef struct number {
  const char *name, *text, *unit;
  double *value;
} number;

static roof_status read_numbers(const number *list, size_t count, roof_error *error) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < count && status == ROOF_OK; i++) {
    roof_error why = {0};
    if (list[i].text != NULL) {
      status = roof_quantity_parse_unit(list[i].text, list[i].unit, list[i].value, &why);
    }
    if (status != ROOF_OK) {
      roof_error_set(error, status, "%s: %s", list[i].name, why.message);
    }
  }
  return status;
}

static roof_status read_trace(roof_service_study *s, const roof_service_text *t, roof_error *error) {
  if (t->trace == NULL) {
    return ROOF_OK;
  }
  if (t->rate != NULL && (t->arrivals != NULL || s->count > 1)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--rate: a trace has its own times; --speed changes them");
  }
  roof_status status = roof_requests_read(t->trace, &s->trace, error);
  if (status == ROOF_OK) {
    s->settings.trace = &s->trace;
    s->settings.requests = 0;
  }
  return status;
}

/** What is one of several words, and lengths. */
static roof_status read_names(roof_service_settings *set, const roof_service_text *t, roof_error *error) {
  roof_status status = t->arrivals != NULL ? roof_arrival_parse(t->arrivals, &set->arrival, error) : ROOF_OK;
  const struct {
    const char *name, *text;
    roof_lengths *lengths;
  } lengths[] = {{"--turns", t->turns, &set->turns},
                 {"prompt", t->prompt, &set->prompt},
                 {"generate", t->generate, &set->generate}};
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0] && status == ROOF_OK; i++) {
    roof_error why = {0};
    status =
        lengths[i].text != NULL ? roof_lengths_parse(lengths[i].text, lengths[i].lengths, &why) : ROOF_OK;
    if (status != ROOF_OK) {
      roof_error_set(error, status, "%s: %s", lengths[i].name, why.message);
    }
  }
  if (status == ROOF_OK && t->burstiness != NULL && t->arrivals == NULL) {
    set->arrival = ROOF_ARRIVE_GAMMA;
  }
  if (status == ROOF_OK && t->burstiness != NULL && set->arrival != ROOF_ARRIVE_GAMMA) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "--burstiness: has no effect with --arrivals %.20s; gamma has one", t->arrivals);
  }
  status = status == ROOF_OK && t->preempt != NULL
               ? roof_preemption_parse(t->preempt, &set->preemption, error)
               : status;
  return status == ROOF_OK && t->route != NULL ? roof_routing_parse(t->route, &set->routing, error) : status;
}

/** What is said of adapters is of some. */
static roof_status check_adapters(const roof_service_text *t, roof_error *error) {
  const char *of = t->rank != NULL           ? "rank"
                   : t->slots != NULL        ? "slots"
                   : t->adapter_skew != NULL ? "adapter_skew"
                                             : NULL;
  return t->adapters != NULL || of == NULL
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "%s=: of LoRA adapters, adapters=32 says how many", of);
}

/** What is typed and changes nothing. */
static roof_status check_idle(const roof_service_study *s, const roof_service_text *t, roof_error *error) {
  const roof_model_settings *m = &s->target->settings;
  const roof_service_settings *set = &s->settings;
  bool alike = set->trace != NULL ? set->trace->block_tokens > 0
                                  : rf_source_has_sessions(set) || roof_model_prefix(m) > 0;
  const struct {
    bool is;
    const char *option, *why;
  } idle[] = {{t->two_batch_overlap != 0 && m->tp * m->pp * m->cp * m->ep <= 1, "two-batch-overlap",
               "one device sends nothing; add tp=N"},
              {t->no_cache != 0 && !alike, "no-cache",
               "no prompts begin alike; prefix=N, --turns and some traces have such"}};
  for (size_t i = 0; i < sizeof idle / sizeof idle[0]; i++) {
    if (idle[i].is) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "--%s: has no effect: %s", idle[i].option, idle[i].why);
    }
  }
  return ROOF_OK;
}

static roof_status read_load(roof_service_study *s, const roof_service_text *t, roof_error *error) {
  roof_service_settings *set = &s->settings;
  roof_status status = read_rates(s, t->rate, error);
  status = status == ROOF_OK ? read_trace(s, t, error) : status;
  const number numbers[] = {{"--burstiness", t->burstiness, "", &set->burstiness},
                            {"--requests", t->requests, "", &set->requests},
                            {"--seed", t->seed, "", &set->seed},
                            {"--speed", t->speed, "", &set->speed},
                            {"--prefill", t->prefill, "", &set->prefills},
                            {"adapters", t->adapters, "", &set->adapters},
                            {"rank", t->rank, "", &set->adapter_rank},
                            {"slots", t->slots, "", &set->adapter_slots},
                            {"adapter_skew", t->adapter_skew, "", &set->adapter_skew},
                            {"--turn-delay", t->turn_delay, "s", &set->turn_seconds},
                            {"--host-time", t->host_time, "s", &set->host_seconds}};
  status = status == ROOF_OK ? check_adapters(t, error) : status;
  status = status == ROOF_OK ? read_numbers(numbers, sizeof numbers / sizeof numbers[0], error) : status;
  status = status == ROOF_OK ? rf_limit_parse(t->concurrency, "", "concurrency", &set->concurrency, error)
                             : status;
  status = status == ROOF_OK ? rf_limit_times(t->ttft, t->tpot, &set->ttft_seconds, &set->tpot_seconds, error)
                             : status;
  if (status == ROOF_OK && t->concurrency != NULL && t->rate != NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--rate and --concurrency: one of them");
  }
  set->host_token_seconds = t->host_time != NULL ? 0 : set->host_token_seconds;
  set->whole_prompts = t->whole_prompts != 0;
  set->cache = t->no_cache == 0;
  set->two_batch_overlap = t->two_batch_overlap != 0;
  return status == ROOF_OK ? read_names(set, t, error) : status;
}

/** What a word says of `name`, or NULL. */
static const char *value_of(const char *word, const char *name) {
  size_t length = strlen(name);
  return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

/** Reads prompt= or generate= where it is a distribution, which has a colon. */
static roof_status read_lengths(const char *text, const char **typed, double *mean, roof_error *error) {
  roof_lengths lengths;
  roof_status status = roof_lengths_parse(text, &lengths, error);
  if (status == ROOF_OK) {
    *typed = text;
    *mean = ceil(roof_lengths_mean(&lengths));
  }
  return status;
}

/** A setting of a service alone. */
typedef struct own_setting {
  const char *name, **typed;
  double *mean; /**< NULL: none, it is no setting of a model */
} own_setting;

enum { OWN = 6 };

/** Another setting is one of the model. */
static roof_status read_other(const char *word, const own_setting own[OWN], roof_model_settings *settings,
                              roof_error *error) {
  const char *names[OWN + 1] = {NULL};
  char name[64];
  roof_status status = roof_model_settings_read(&word, 1, settings, NULL, error);
  snprintf(name, sizeof name, "%.*s", (int)fmin(60, (double)strcspn(word, "=")), word);
  for (int i = 0; i < OWN; i++) {
    names[i] = own[i].name;
  }
  return status == ROOF_E_NAME && roof_suggest(name, names) != NULL
             ? roof_error_unknown(error, "setting", name, names, NULL)
             : status;
}

static roof_status read_word(const char *word, roof_model_settings *settings, roof_service_text *typed,
                             roof_error *error) {
  const own_setting own[OWN] = {{"prompt", &typed->prompt, &settings->prompt},
                                {"generate", &typed->generate, &settings->generate},
                                {"adapters", &typed->adapters, NULL},
                                {"rank", &typed->rank, NULL},
                                {"slots", &typed->slots, NULL},
                                {"adapter_skew", &typed->adapter_skew, NULL}};
  for (int i = 0; i < OWN; i++) {
    const char *value = value_of(word, own[i].name);
    if (value != NULL && own[i].mean == NULL) {
      *own[i].typed = value;
      return ROOF_OK;
    }
    if (value != NULL && strchr(value, ':') != NULL) {
      return read_lengths(value, own[i].typed, own[i].mean, error);
    }
  }
  return read_other(word, own, settings, error);
}

roof_status roof_service_settings_read(const char *const *words, int count, roof_model_settings *settings,
                                       roof_service_text *typed, roof_error *error) {
  roof_status status = ROOF_OK;
  settings->memory_share = ROOF_ENGINE_MEMORY_SHARE;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = read_word(words[i], settings, typed, error);
  }
  return status;
}

roof_status roof_service_study_init(roof_service_study *study, const roof_model_target *target,
                                    const roof_service_text *typed, roof_error *error) {
  *study = (roof_service_study){.target = target, .saturation = NAN, .limit_rate = NAN};
  roof_status status = roof_service_new(target, &study->service, error);
  if (status == ROOF_OK) {
    study->settings = roof_service_settings_default(target);
    status = read_load(study, typed, error);
    status = status == ROOF_OK ? check_idle(study, typed, error) : status;
  }
  if (status != ROOF_OK) {
    roof_service_study_done(study);
  }
  return status;
}
