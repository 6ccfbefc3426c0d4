/* The load of a service as it is typed: rates, arrivals, lengths, limits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/serve/serve.h"

static char *rate, *arrivals, *burstiness, *concurrency, *requests, *seed, *trace, *speed, *preemption,
    *routing, *prefills, *host_time, *turns, *turn_delay, *ttft, *tpot;
static int whole_prompts, no_cache, two_batch_overlap;

const struct poptOption cli_serve_load_options[] = {
    {"rate", 'r', POPT_ARG_STRING, &rate, 0,
     "requests per second: 4/s, 240/min, inf (all at once), or several: 1..16*2; default: 1/s", "RATE"},
    {"arrivals", '\0', POPT_ARG_STRING, &arrivals, 0, "poisson, gamma (in bursts) or constant", "HOW"},
    {"burstiness", '\0', POPT_ARG_STRING, &burstiness, 0,
     "shape of the gamma distribution: 1 as poisson, under 1 in bursts", "N"},
    {"concurrency", '\0', POPT_ARG_STRING, &concurrency, 0,
     "requests that are always in flight, the next as one leaves, instead of a rate", "N"},
    {"requests", 'n', POPT_ARG_STRING, &requests, 0, "that arrive in all; default: 10000, or all of a trace",
     "N"},
    {"seed", '\0', POPT_ARG_STRING, &seed, 0, "the same seed, the same answer; default: 1", "N"},
    {"trace", '\0', POPT_ARG_STRING, &trace, 0,
     "requests as they came: Azure's or BurstGPT's CSV, Mooncake's JSON lines", "FILE"},
    {"speed", '\0', POPT_ARG_STRING, &speed, 0, "of the trace: 2 is twice as fast", "N"},
    {"whole-prompts", '\0', POPT_ARG_NONE, &whole_prompts, 0,
     "prompts in steps of their own, while the others wait, not in pieces between tokens", NULL},
    {"no-cache", '\0', POPT_ARG_NONE, &no_cache, 0, "forget prompts: no prefix cache", NULL},
    {"turns", '\0', POPT_ARG_STRING, &turns, 0,
     "of a session, each with all before it in its prompt: 4, uniform:1:8; prompt= is what a turn adds", "N"},
    {"turn-delay", '\0', POPT_ARG_STRING, &turn_delay, 0,
     "mean time from an answer to the next turn; default: 0s", "TIME"},
    {"preempt", '\0', POPT_ARG_STRING, &preemption, 0,
     "what makes room in a full cache: recompute, or swap to the host", "HOW"},
    {"two-batch-overlap", '\0', POPT_ARG_NONE, &two_batch_overlap, 0,
     "halves of a step take turns where that pays: transfers of one hide behind the other's work", NULL},
    {"route", '\0', POPT_ARG_STRING, &routing, 0, "of replicas (dp=): round-robin, least-loaded or prefix",
     "HOW"},
    {"prefill", '\0', POPT_ARG_STRING, &prefills, 0,
     "of the replicas those that process prompts alone, and hand over to the others", "N"},
    {"host-time", '\0', POPT_ARG_STRING, &host_time, 0,
     "of a request before it is in a queue: HTTP, tokenizer; default: 40ms and 5us for a token of its prompt",
     "TIME"},
    {"ttft", '\0', POPT_ARG_STRING, &ttft, 0, "limit of the time to the first token, for goodput", "TIME"},
    {"tpot", '\0', POPT_ARG_STRING, &tpot, 0, "limit of the time per output token, for goodput", "TIME"},
    POPT_TABLEEND};

void cli_serve_load_done(void) {
  char *const texts[] = {rate,       arrivals, burstiness, concurrency, requests, seed,       trace, speed,
                         preemption, routing,  prefills,   host_time,   turns,    turn_delay, ttft,  tpot};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    free(texts[i]);
  }
}

static roof_status read_rate(const void *context, const char *text, double *value, roof_error *error) {
  (void)context;
  if (strcmp(text, "inf") == 0) {
    *value = INFINITY;
    return ROOF_OK;
  }
  roof_status status = roof_quantity_parse_unit(text, "", value, error);
  return status != ROOF_OK || *value > 0
             ? status
             : roof_error_set(error, ROOF_E_ARGUMENT, "--rate %.40s: over 0", text);
}

/** "4/s", "240/min", "1..16*2". */
static roof_status read_rates(roof_service_study *s, roof_error *error) {
  char list[256];
  roof_axis axis = {0};
  const char *text = rate != NULL ? rate : "1", *slash = strrchr(text, '/');
  bool minutes = slash != NULL && strcmp(slash, "/min") == 0;
  if (slash != NULL && !minutes && strcmp(slash, "/s") != 0) {
    return roof_error_set(error, ROOF_E_PARSE, "--rate %.60s: per second (4/s) or per minute (240/min)",
                          text);
  }
  size_t length = slash != NULL ? (size_t)(slash - text) : strlen(text);
  if (length >= sizeof list) {
    return roof_error_set(error, ROOF_E_PARSE, "--rate %.60s...: too long", text);
  }
  memcpy(list, text, length);
  list[length] = '\0';
  roof_status status = roof_axis_read(&axis, "--rate", false, read_rate, NULL, list, error);
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
      roof_error_set(error, status, "--%s: %s", list[i].name, why.message);
    }
  }
  return status;
}

static roof_status read_trace(roof_service_study *s, roof_error *error) {
  roof_status status = trace != NULL ? roof_requests_read(trace, &s->trace, error) : ROOF_OK;
  if (trace == NULL || status != ROOF_OK) {
    return status;
  }
  s->settings.trace = &s->trace;
  s->settings.requests = 0;
  if (rate != NULL && (arrivals != NULL || s->count > 1)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--rate: a trace has its own times; --speed changes them");
  }
  return ROOF_OK;
}

roof_status cli_serve_load(roof_service_study *s, roof_error *error) {
  roof_service_settings *set = &s->settings;
  roof_status status = read_rates(s, error);
  status = status == ROOF_OK ? read_trace(s, error) : status;
  const number numbers[] = {{"burstiness", burstiness, "", &set->burstiness},
                            {"concurrency", concurrency, "", &set->concurrency},
                            {"requests", requests, "", &set->requests},
                            {"seed", seed, "", &set->seed},
                            {"speed", speed, "", &set->speed},
                            {"prefill", prefills, "", &set->prefills},
                            {"turn-delay", turn_delay, "s", &set->turn_seconds},
                            {"host-time", host_time, "s", &set->host_seconds},
                            {"ttft", ttft, "s", &set->ttft_seconds},
                            {"tpot", tpot, "s", &set->tpot_seconds}};
  status = status == ROOF_OK ? read_numbers(numbers, sizeof numbers / sizeof numbers[0], error) : status;
  if (status == ROOF_OK && concurrency != NULL && rate != NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--rate and --concurrency: one of them");
  }
  status =
      status == ROOF_OK && arrivals != NULL ? roof_arrival_parse(arrivals, &set->arrival, error) : status;
  status = status == ROOF_OK && turns != NULL ? roof_lengths_parse(turns, &set->turns, error) : status;
  if (status == ROOF_OK && burstiness != NULL && arrivals == NULL) {
    set->arrival = ROOF_ARRIVE_GAMMA;
  }
  status = status == ROOF_OK && preemption != NULL
               ? roof_preemption_parse(preemption, &set->preemption, error)
               : status;
  status = status == ROOF_OK && routing != NULL ? roof_routing_parse(routing, &set->routing, error) : status;
  set->host_token_seconds = host_time != NULL ? 0 : set->host_token_seconds;
  set->whole_prompts = whole_prompts != 0;
  set->cache = no_cache == 0;
  set->two_batch_overlap = two_batch_overlap != 0;
  return status;
}

/** Whether a word sets `name` to a distribution, which is written with a colon. */
static const char *distribution_of(const char *word, const char *name) {
  size_t length = strlen(name);
  bool is = strncmp(word, name, length) == 0 && word[length] == '=' && strchr(word, ':') != NULL;
  return is ? word + length + 1 : NULL;
}

roof_status cli_serve_lengths(const char **words, int *count, roof_lengths *prompt, roof_lengths *generate,
                              roof_error *error) {
  roof_status status = ROOF_OK;
  int kept = 0;
  for (int i = 0; i < *count && status == ROOF_OK; i++) {
    const char *of_prompt = distribution_of(words[i], "prompt");
    const char *of_generate = distribution_of(words[i], "generate");
    if (of_prompt != NULL || of_generate != NULL) {
      status = roof_lengths_parse(of_prompt != NULL ? of_prompt : of_generate,
                                  of_prompt != NULL ? prompt : generate, error);
    } else {
      words[kept++] = words[i];
    }
  }
  *count = kept;
  return status;
}

roof_status cli_serve_adapters(const char **words, int *count, roof_service_settings *settings,
                               roof_error *error) {
  const struct {
    const char *name;
    double *value;
  } numbers[] = {{"adapters=", &settings->adapters},
                 {"rank=", &settings->adapter_rank},
                 {"slots=", &settings->adapter_slots}};
  enum { NUMBERS = sizeof numbers / sizeof numbers[0] };
  roof_status status = ROOF_OK;
  int kept = 0;
  for (int i = 0; i < *count && status == ROOF_OK; i++) {
    int k = 0;
    while (k < NUMBERS && strncmp(words[i], numbers[k].name, strlen(numbers[k].name)) != 0) {
      k++;
    }
    if (k < NUMBERS) {
      status = roof_quantity_parse_unit(strchr(words[i], '=') + 1, "", numbers[k].value, error);
    } else {
      words[kept++] = words[i];
    }
  }
  *count = kept;
  return status;
}
