/* What was asked of a service: run at every rate, and its answer in words. */
#include <math.h>
#include <stdlib.h>

#include "models/words.h"
#include "roofline/service.h"
#include "roofline/units.h"

enum { SHORT = 48 };

roof_status roof_service_target_init(roof_model_target *target, const roof_model *model,
                                     const roof_machine *machine, const roof_model_settings *settings,
                                     roof_error *error) {
  roof_model_settings one = *settings;
  if (one.microbatches > 1) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "serve: microbatches=%g: each step has as many as its sequences and the stages "
                          "(pp=) allow, or one with microbatches=1",
                          one.microbatches);
  }
  one.batch = one.dp;
  roof_status status = roof_model_target_init(target, model, machine, &one, error);
  if (status == ROOF_OK) {
    target->settings.batch = settings->batch;
  }
  return status;
}

roof_status roof_service_study_draft(roof_service_study *study, const roof_model *drafter,
                                     roof_error *error) {
  roof_model_target target;
  roof_model_settings own = study->target->settings;
  own.precision = drafter->precision;
  own.ep = 1, own.draft = 0, own.expert_shares = NULL;
  roof_status status = roof_service_target_init(&target, drafter, study->target->machine, &own, error);
  return status == ROOF_OK ? roof_service_draft(study->service, &target, error) : status;
}

roof_status roof_service_study_prefill(roof_service_study *study, const roof_model_target *pool,
                                       roof_error *error) {
  roof_status status = roof_service_prefill(study->service, pool, error);
  study->pool = status == ROOF_OK ? pool : NULL;
  return status;
}

/** The rates beyond which the queue grows, and beyond which too few requests keep the limits. */
static roof_status find_rates(roof_service_study *s, roof_error *error) {
  const roof_service_settings *set = &s->settings;
  bool rated = set->concurrency <= 0 && set->trace == NULL;
  bool limited = !isnan(set->ttft_seconds) || !isnan(set->tpot_seconds);
  roof_status status = rated ? roof_service_saturation(s->service, set, &s->saturation, error) : ROOF_OK;
  return status == ROOF_OK && rated && limited
             ? roof_service_limit_rate(s->service, set, s->saturation, &s->limit_rate, error)
             : status;
}

roof_status roof_service_study_run(roof_service_study *s, roof_error *error) {
  s->answers = calloc(s->count, sizeof *s->answers);
  roof_status status =
      s->answers != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "serve: out of memory");
  for (size_t i = 0; i < s->count && status == ROOF_OK; i++) {
    s->settings.rate = s->rates[i];
    status = roof_service_run(s->service, &s->settings, &s->answers[i], error);
  }
  return status == ROOF_OK ? find_rates(s, error) : status;
}

void roof_service_study_done(roof_service_study *s) {
  roof_requests_done(&s->trace);
  roof_service_free(s->service);
  free(s->rates);
  free(s->answers);
  *s = (roof_service_study){.saturation = NAN, .limit_rate = NAN};
}

static const char *plain(char buffer[SHORT], double value) {
  return rf_plain_number(buffer, SHORT, value);
}

static const char *time_of(char buffer[SHORT], double seconds) {
  return isnan(seconds) ? "-" : roof_quantity_format(buffer, SHORT, seconds, "s");
}

/** "4 requests/s", "64 requests at once", "10000 requests at once", "a trace of 2.3 requests/s". */
static void add_load(roof_text *out, const roof_service_study *s, double rate) {
  char number[SHORT];
  if (s->settings.concurrency > 0) {
    roof_text_addf(out, "%.0f request%s at a time", s->settings.concurrency,
                   s->settings.concurrency == 1 ? "" : "s");
  } else if (s->settings.trace != NULL) {
    roof_text_addf(out, "%s requests/s of the trace", plain(number, roof_service_study_rate(s, 0)));
  } else if (isinf(rate)) {
    roof_text_addf(out, "%.0f request%s at once", s->settings.requests, s->settings.requests == 1 ? "" : "s");
  } else {
    roof_text_addf(out, "%s request%s/s", plain(number, rate), rate == 1 ? "" : "s");
  }
}

/** What most of the wait for a first token is for, where that is a slot. */
static void add_slots(roof_text *out, const roof_service_answer *a) {
  char x[SHORT];
  if (a->slot_wait_seconds > a->ttft.mean / 2) {
    roof_text_addf(out,
                   "slots of adapters are the wall: %.0f %% of requests wait for one, on average of all %s\n",
                   100 * a->slot_waits, time_of(x, a->slot_wait_seconds));
  }
}

/** The first line: the answer. */
static void add_headline(roof_text *out, const roof_service_study *s, const roof_service_answer *a,
                         double rate) {
  char x[SHORT], y[SHORT];
  add_load(out, s, rate);
  if (a->overloaded) {
    roof_text_addf(out, ": too much, saturates at %s; the queue grows by %s/s\n",
                   isnan(s->saturation) ? "less" : plain(y, s->saturation), plain(x, a->queue_growth));
    return;
  }
  roof_text_addf(out, ": TTFT %s, 99 %% %s", time_of(x, a->ttft.p50), time_of(y, a->ttft.p99));
  roof_text_addf(out, "; TPOT %s, 99 %% %s\n", time_of(x, a->tpot.p50), time_of(y, a->tpot.p99));
  add_slots(out, a);
}

void roof_service_study_sentence(roof_text *out, const roof_service_study *s) {
  char x[SHORT];
  if (s->count == 1) {
    add_headline(out, s, s->answers, s->rates[0]);
  } else {
    roof_text_addf(out, "saturates at %s requests/s; TTFT and TPOT of half of the requests and of 99 %%:\n",
                   plain(x, s->saturation));
  }
}
