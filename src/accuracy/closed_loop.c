/* Requests in a closed loop, as benchmarks of serving engines send them: so many at once, a new one for each that ends. */
#include <math.h>

#include "accuracy/cases.h"
#include "models/step.h"

/** Seconds of the host for a request that an engine serves (HTTP, scheduler, first message) and for each token of its prompt
 * (tokenizer, a copy to every process). Of 10 to 30 ms and 0 to 12 us what leaves little error of the time to the first
 * token of 1,527 serving points (ai-dynamo/aiconfigurator@095f58a; 2026-11-24), median and 90th percentile. */
static const double host_seconds = 0.017, host_token_seconds = 4.5e-6;

/** Decoding steps that a request waits for: half of one that has begun, the one that is scheduled ahead of it (vLLM's
 * --async-scheduling, the overlap schedulers of SGLang and TensorRT-LLM), and the one that its prompt goes with. */
static const double steps_waited = 2.5;

/** Times to the first token that a tenth of those points were below, and nine tenths, over the expected one. H200's and
 * B200's alone are alike: 0.86 and 0.83, 2.2 and 2.7. */
static const double first_token_low = 0.84, first_token_high = 2.4;

/** Mean wait, in prompts' times, of `count` that come at random within `window` prompts' times: that of an endless queue of
 * one length of service, or as far as so many can queue up. Within a tenth of simulated queues of 16 to 256. */
static double queue_of(double count, double window) {
  static const double most_share = 0.45; /* of the root of `count`: all the window's time is taken */
  double busy = fmin(1, count / window);
  return busy > 0 ? 1 / (2 * (1 - busy) / busy + 1 / (most_share * sqrt(count))) : 0;
}

/** Later ones are all as the last of these: the queue has no memory of its start. */
static const double most_generations = 1000;

/** Between the tokens of an answer; of one token nothing is. */
static double between(const roof_model_continuous *c) {
  return isnan(c->tpot_seconds) ? 0 : c->tpot_seconds;
}

/** Mean wait of a request, in prompts' times, for the prompts of others on its replica. The first ones are sent together.
 * Each later generation is as far apart as the prompts before kept it, and as the answers' lengths differ. */
static double waited_prompts(const roof_model_target *t, const roof_served *run,
                             const roof_model_continuous *c) {
  double batch = roof_model_replica_batch(t), answer = t->settings.generate * between(c) / c->ttft_seconds;
  double generations = fmin(most_generations, fmax(1, floor(run->requests / t->settings.batch)));
  double waited = (batch - 1) / 2;
  for (double g = 1; g < generations; g++) {
    double late = run->spread * answer * sqrt(g);
    double apart = isnan(late) ? INFINITY : sqrt(batch * batch + late * late); /* no hypot: draw/geometry.h */
    waited += queue_of(batch, fmin(apart, answer + 1));
  }
  return waited / generations;
}

double rf_host_seconds(const roof_model_target *t, const roof_served *run, const roof_model_continuous *c) {
  return isnan(run->requests) ? 0
                              : host_seconds + host_token_seconds * t->settings.prompt +
                                    (steps_waited + run->held) * between(c);
}

static double first_token_of(const roof_model_target *t, const roof_served *run,
                             const roof_model_continuous *c) {
  return c->ttft_seconds * (1 + waited_prompts(t, run, c)) + rf_host_seconds(t, run, c);
}

void rf_first_token(const roof_whole *whole, const roof_served *run, rf_run_case *c) {
  const roof_model_answer *a = &whole->answer;
  c->seconds = run->seconds[ROOF_SERVED_TTFT];
  c->expected = a->continuous.ttft_seconds;
  c->low = a->continuous_low.ttft_seconds;
  c->high = a->continuous_high.ttft_seconds;
  c->lower = a->continuous_least.ttft_seconds;
  if (!isnan(run->requests)) {
    c->expected = first_token_of(&whole->target, run, &a->continuous);
    c->low = first_token_low * c->expected;
    c->high = first_token_high * c->expected;
  }
}

void rf_whole_request(const roof_whole *whole, const roof_served *run, rf_run_case *c) {
  const roof_model_answer *a = &whole->answer;
  double more = whole->settings.generate - 1;
  rf_first_token(whole, run, c);
  c->seconds = isnan(run->requests) ? NAN : c->seconds + more * run->seconds[ROOF_SERVED_TPOT];
  c->expected += more * between(&a->continuous);
  c->low += more * between(&a->continuous_low);
  c->high += more * between(&a->continuous_high);
  c->lower += more > 0 ? more * (a->continuous_least.tpot_seconds - a->continuous_least.wait_seconds) : 0;
}
