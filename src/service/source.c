#include "service/source.h"

#include <math.h>

void rf_source_start(service_source *s, const roof_service_settings *settings, double shared,
                     double longest) {
  uint64_t seed = (uint64_t)settings->seed;
  *s = (service_source){.settings = settings,
                        .gaps = rf_random_start(seed, SERVICE_STREAM_GAPS),
                        .prompts = rf_random_start(seed, SERVICE_STREAM_PROMPTS),
                        .generates = rf_random_start(seed, SERVICE_STREAM_GENERATES),
                        .shared = shared,
                        .longest = longest,
                        .total = settings->requests};
  const roof_requests *trace = settings->trace;
  if (trace != NULL) {
    double all = (double)trace->count;
    s->total = settings->requests > 0 ? fmin(settings->requests, all) : all;
  }
}

/** Seconds between two requests; the first comes after none. */
static double gap(service_source *s) {
  const roof_service_settings *set = s->settings;
  if (isinf(set->rate) || set->concurrency > 0 || s->made == 0) {
    return 0;
  }
  double share = set->arrival == ROOF_ARRIVE_CONSTANT ? 1
                 : set->arrival == ROOF_ARRIVE_GAMMA  ? rf_random_gamma(&s->gaps, set->burstiness)
                                                      : rf_random_exponential(&s->gaps);
  return share / set->rate;
}

static void take_row(service_source *s, service_arrival *a) {
  const roof_requests *trace = s->settings->trace;
  const roof_request *row = &trace->requests[(size_t)s->made];
  bool at_once = isinf(s->settings->rate) || s->settings->concurrency > 0;
  *a = (service_arrival){.seconds = at_once ? 0 : row->seconds / s->settings->speed,
                         .prompt = row->prompt,
                         .generate = row->generate,
                         .blocks = row->block_count > 0 ? trace->blocks + row->first_block : NULL,
                         .block_count = row->block_count};
}

bool rf_source_next(service_source *s, service_arrival *a) {
  if (s->made >= s->total) {
    return false;
  }
  if (s->settings->trace != NULL) {
    take_row(s, a);
  } else {
    static const unsigned common[] = {0};
    s->seconds += gap(s);
    double prompt = fmin(rf_lengths_draw(&s->settings->prompt, &s->prompts), s->longest - 1);
    double generate = rf_lengths_draw(&s->settings->generate, &s->generates);
    *a = (service_arrival){.seconds = s->seconds,
                           .prompt = prompt,
                           .generate = fmin(generate, s->longest - prompt),
                           .blocks = s->shared > 0 ? common : NULL,
                           .block_count = s->shared > 0 ? 1 : 0};
  }
  s->made++;
  return true;
}
