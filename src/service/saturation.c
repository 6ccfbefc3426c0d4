/* The highest rate that a service keeps up with, or keeps its limits at. */
#include <math.h>

#include "roofline/service.h"

/** Requests of each trial: a queue that grows by 1 % shows in them. */
static const double trial_requests = 8000;

/** A load at rates that are tried, and the share of its requests that has to keep the limits; 0: a queue that does not grow. */
typedef struct trial {
  roof_service *service;
  roof_service_settings settings;
  double share;
} trial;

static trial trial_of(roof_service *service, const roof_service_settings *settings, double share) {
  trial t = {service, *settings, share};
  t.settings.timeline = NULL;
  t.settings.concurrency = 0;
  if (t.settings.trace == NULL) {
    t.settings.requests = trial_requests;
  }
  return t;
}

/** Whether a rate is too much; of a trace, at the speed that makes it its mean rate. */
static roof_status is_too_much(trial *t, double rate, bool *is, roof_error *error) {
  roof_service_answer a;
  const roof_requests *trace = t->settings.trace;
  t->settings.rate = rate;
  if (trace != NULL) {
    t->settings.speed = rate * (trace->last_seconds - trace->first_seconds) / (double)trace->count;
  }
  roof_status status = roof_service_run(t->service, &t->settings, &a, error);
  *is = status == ROOF_OK && (a.overloaded || a.within < t->share);
  return status;
}

/** The highest rate below `high` that is not too much, 0 where a thousandth of it is. */
static roof_status find_highest(trial *t, double high, double *rate, roof_error *error) {
  double low = 0, least = high / 1000;
  roof_status status = ROOF_OK;
  bool is = false;
  while (status == ROOF_OK && high - low > 0.01 * high && high > least) {
    double middle = low > 0 ? (low + high) / 2 : high / 2;
    status = is_too_much(t, middle, &is, error);
    *(is ? &high : &low) = middle;
  }
  *rate = status == ROOF_OK ? low : *rate;
  return status;
}

roof_status roof_service_saturation(roof_service *service, const roof_service_settings *settings,
                                    double *rate, roof_error *error) {
  trial t = trial_of(service, settings, 0);
  roof_service_answer a;
  t.settings.rate = INFINITY;
  roof_status status = roof_service_run(service, &t.settings, &a, error);
  return status == ROOF_OK ? find_highest(&t, 2 * a.requests_per_second, rate, error) : status;
}

roof_status roof_service_limit_rate(roof_service *service, const roof_service_settings *settings, double most,
                                    double *rate, roof_error *error) {
  trial t = trial_of(service, settings, ROOF_SERVICE_LIMIT_SHARE);
  return find_highest(&t, most, rate, error);
}
