#include "service/source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool rf_source_has_sessions(const roof_service_settings *set) {
  return set->trace == NULL && !(set->turns.kind == ROOF_LENGTHS_CONSTANT && set->turns.mean <= 1);
}

void rf_source_start(service_source *s, const roof_service_settings *settings, double shared, double longest,
                     double page) {
  uint64_t seed = (uint64_t)settings->seed;
  *s = (service_source){.settings = settings,
                        .gaps = rf_random_start(seed, SERVICE_STREAM_GAPS),
                        .prompts = rf_random_start(seed, SERVICE_STREAM_PROMPTS),
                        .generates = rf_random_start(seed, SERVICE_STREAM_GENERATES),
                        .turns = rf_random_start(seed, SERVICE_STREAM_TURNS),
                        .delays = rf_random_start(seed, SERVICE_STREAM_DELAYS),
                        .adapters = rf_random_start(seed, SERVICE_STREAM_ADAPTERS),
                        .page = page,
                        .shared = shared,
                        .longest = longest,
                        .total = settings->requests};
  const roof_requests *trace = settings->trace;
  if (trace != NULL) {
    double all = (double)trace->count;
    s->total = settings->requests > 0 ? fmin(settings->requests, all) : all;
    if (trace->path != NULL) {
      s->failed = rf_trace_open(trace->path, &s->stream, &s->why) != ROOF_OK;
    }
  }
}

void rf_source_done(service_source *s) {
  rf_trace_close(s->stream);
  rf_sessions_done(&s->sessions);
}

/** Seconds between two requests, or sessions; the first comes after none. */
static double gap(service_source *s) {
  const roof_service_settings *set = s->settings;
  if (isinf(set->rate) || set->concurrency > 0 || s->made == 0) {
    return 0;
  }
  double share = set->arrival == ROOF_ARRIVE_CONSTANT ? 1
                 : set->arrival == ROOF_ARRIVE_GAMMA  ? rf_random_gamma(&s->gaps, set->burstiness)
                                                      : rf_random_exponential(&s->gaps);
  return share / set->rate * (rf_source_has_sessions(set) ? roof_lengths_mean(&set->turns) : 1);
}

/** A request of a trace, its blocks among those of the trace or, of a stream, its own. */
static bool take_row(service_source *s, service_arrival *a) {
  const roof_requests *trace = s->settings->trace;
  const roof_request *row = s->stream != NULL ? NULL : &trace->requests[(size_t)s->made];
  const unsigned *blocks = trace->blocks;
  if (s->stream != NULL && (rf_trace_next(s->stream, &row, &blocks, &s->why) != ROOF_OK || row == NULL)) {
    s->failed = true;
    return false;
  }
  bool at_once = isinf(s->settings->rate) || s->settings->concurrency > 0;
  double since = row->seconds - (s->stream != NULL ? trace->first_seconds : 0);
  *a = (service_arrival){.seconds = at_once ? 0 : since / s->settings->speed,
                         .prompt = row->prompt,
                         .generate = row->generate,
                         .blocks = row->block_count > 0 ? blocks + row->first_block : NULL,
                         .block_count = row->block_count};
  if (s->stream != NULL && a->blocks != NULL) {
    size_t bytes = a->block_count * sizeof *a->copied;
    a->copied = malloc(bytes);
    s->failed = a->copied == NULL;
    a->blocks = s->failed ? NULL : memcpy(a->copied, a->blocks, bytes);
  }
  return !s->failed;
}

/** The first prompt and answer of a session, or the only ones. */
static void draw(service_source *s, service_arrival *a) {
  static const unsigned common[] = {0};
  double prompt = fmin(rf_lengths_draw(&s->settings->prompt, &s->prompts), s->longest - 1);
  double generate = rf_lengths_draw(&s->settings->generate, &s->generates);
  *a = (service_arrival){.seconds = s->seconds,
                         .prompt = prompt,
                         .generate = fmin(generate, s->longest - prompt),
                         .blocks = s->shared > 0 ? common : NULL,
                         .block_count = s->shared > 0 ? 1 : 0};
}

/** Has a session number the blocks of so many tokens. */
static void extend(service_source *s, int session, double tokens) {
  size_t shared = (size_t)floor(s->shared / s->page);
  s->failed |= !rf_sessions_extend(&s->sessions, session, (size_t)floor(tokens / s->page), shared);
}

static void name_blocks(service_source *s, service_arrival *a) {
  extend(s, a->session, a->prompt);
  const service_session *session = rf_sessions_at(&s->sessions, a->session);
  a->blocks = session->block;
  a->block_count = session->count;
}

static void draw_adapter(service_source *s, service_arrival *a) {
  double count = s->settings->adapters, skew = s->settings->adapter_skew;
  a->adapter = count <= 0 ? 0
               : skew > 0 ? (unsigned)rf_random_zipf(&s->adapters, count, skew)
                          : (unsigned)fmax(1, ceil(count * rf_random_share(&s->adapters)));
}

bool rf_source_next(service_source *s, service_arrival *a) {
  if (s->made >= s->total || s->failed) {
    return false;
  }
  if (s->settings->trace != NULL) {
    bool taken = take_row(s, a);
    draw_adapter(s, a);
    s->made++;
    return taken;
  }
  s->seconds += gap(s);
  s->made++;
  draw(s, a);
  draw_adapter(s, a);
  if (rf_source_has_sessions(s->settings)) {
    a->session = rf_sessions_open(&s->sessions, rf_lengths_draw(&s->settings->turns, &s->turns) - 1);
    s->failed |= a->session == 0;
    if (a->session > 0) {
      name_blocks(s, a);
    }
  }
  return true;
}

bool rf_source_turn(service_source *s, int session, service_arrival *a) {
  service_session *one = rf_sessions_at(&s->sessions, session);
  bool more = s->made < s->total;
  if (more) {
    double asked = rf_lengths_draw(&s->settings->prompt, &s->prompts);
    double generate = rf_lengths_draw(&s->settings->generate, &s->generates);
    *a = (service_arrival){.prompt = one->context + asked, .generate = generate, .session = session};
    draw_adapter(s, a);
    more = a->prompt + a->generate <= s->longest;
  }
  if (!more) {
    rf_sessions_close(&s->sessions, session);
    return false;
  }
  s->made++;
  one->turns--;
  name_blocks(s, a);
  return true;
}

bool rf_source_answered(service_source *s, const service_arrival *turn, double *delay) {
  service_session *one = rf_sessions_at(&s->sessions, turn->session);
  if (one->turns <= 0 || s->made >= s->total) {
    rf_sessions_close(&s->sessions, turn->session);
    return false;
  }
  one->context = turn->prompt + turn->generate;
  extend(s, turn->session, one->context);
  *delay = s->settings->turn_seconds * rf_random_exponential(&s->delays);
  return true;
}
