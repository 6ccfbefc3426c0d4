/* The highest rate that a service keeps up with. */
#include <math.h>

#include "roofline/service.h"

/** Requests of each trial: a queue that grows by 1 % shows in them. */
static const double trial_requests = 8000;

/** Whether the queue grows at a rate; of a trace, at the speed that makes it its mean rate. */
static roof_status grows(roof_service *service, roof_service_settings *s, double rate, bool *is,
                         roof_error *error) {
  roof_service_answer a;
  const roof_requests *trace = s->trace;
  s->rate = rate;
  if (trace != NULL) {
    s->speed = rate * (trace->last_seconds - trace->first_seconds) / (double)trace->count;
  }
  roof_status status = roof_service_run(service, s, &a, error);
  *is = status == ROOF_OK && a.overloaded;
  return status;
}

roof_status roof_service_saturation(roof_service *service, const roof_service_settings *settings,
                                    double *rate, roof_error *error) {
  roof_service_settings s = *settings;
  roof_service_answer a;
  bool is = false;
  s.timeline = NULL;
  if (s.trace == NULL) {
    s.requests = trial_requests;
  }
  s.concurrency = 0;
  s.rate = INFINITY;
  roof_status status = roof_service_run(service, &s, &a, error);
  double low = 0, high = status == ROOF_OK ? 2 * a.requests_per_second : 0;
  while (status == ROOF_OK && high - low > 0.01 * high) {
    double middle = low > 0 ? (low + high) / 2 : high / 2;
    status = grows(service, &s, middle, &is, error);
    *(is ? &high : &low) = middle;
  }
  if (status == ROOF_OK) {
    *rate = low;
  }
  return status;
}
