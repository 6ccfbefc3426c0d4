/* Runs of a closed loop through the simulation of a service, event by event. */
#include <math.h>
#include <string.h>

#include "accuracy/cases.h"
#include "roofline/service.h"

/** SGLang processes prompts in steps of their own (--enable-mixed-chunk is off unless set); vLLM and TensorRT-LLM take them
 * along with what generates. */
static bool prompts_alone(const roof_served *run) {
  return strncmp(run->how, "sglang", strlen("sglang")) == 0;
}

/** Lengths drawn evenly about a mean, the longest and the shortest `spread` of it apart. */
static roof_lengths lengths_of(double mean, double spread) {
  double half = mean * spread / 2;
  return (roof_lengths){
      .kind = ROOF_LENGTHS_UNIFORM, .mean = fmax(1, round(mean - half)), .other = round(mean + half)};
}

/** Where a file does not say how answers differ, half as long to one and a half: all alike would come in bursts. */
static roof_service_settings load_of(const roof_whole *whole, const roof_served *run) {
  const roof_model_settings *m = &whole->target.settings;
  roof_service_settings s = roof_service_settings_default(&whole->target);
  s.concurrency = m->batch;
  s.requests = run->requests;
  s.prompt = lengths_of(m->prompt, isnan(run->spread) ? 0 : run->spread);
  s.generate = lengths_of(m->generate, isnan(run->spread) ? 1 : run->spread);
  s.sequences = fmax(1, ceil(m->batch / m->dp));
  s.budget = fmax(s.budget, s.sequences);
  s.whole_prompts = prompts_alone(run);
  s.routing = ROOF_ROUTE_LEAST_LOADED;
  s.cache = false;
  s.host_seconds += run->held * whole->answer.continuous.tpot_seconds;
  return s;
}

roof_status rf_run_simulate(const roof_whole *whole, const roof_served *run, roof_service_answer *answer,
                            roof_error *error) {
  roof_service *service = NULL;
  roof_status status = roof_service_new(&whole->target, &service, error);
  if (status == ROOF_OK) {
    const roof_service_settings load = load_of(whole, run);
    status = roof_service_run(service, &load, answer, error);
  }
  roof_service_free(service);
  return status;
}

/** Means, as what files give as one number is; the range is as wide as that of the closed form. */
void rf_run_simulated(const roof_service_answer *a, rf_run_case *c) {
  double seconds = c->figure == ROOF_SERVED_TTFT      ? a->ttft.mean
                   : c->figure == ROOF_SERVED_TPOT    ? a->tpot.mean
                   : c->figure == ROOF_SERVED_REQUEST ? a->end_to_end.mean
                                                      : c->expected;
  double times = seconds / c->expected;
  c->expected = seconds;
  c->low *= times;
  c->high *= times;
}
