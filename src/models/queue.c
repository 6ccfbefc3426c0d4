/* What requests see of each other on a replica, in closed form: prompts that wait for prompts, tokens that wait for prompts, and how
 * many requests there are at once. Lengths are all the same.
 *
 * Prompts are a queue with one server and one service time. With arrivals at random (M/D/1) the mean wait is
 * rho S / (2 (1 - rho)) (Pollaczek and Khinchine; Kleinrock 1975, Queueing Systems I, equation 5.64), and of the waits those over t
 * are rho exp(-rho t / mean): exact for exponential services, and the limit of a queue under much load (Kingman 1962).
 * The tokens of a request are a delay that prompts lengthen: of a delay d the mean is d / (1 - rho), the variance
 * rate S^2 d / (1 - rho)^3 (Conway, Maxwell and Miller 1967, delay cycles), its quantile that of the normal curve.
 * Requests being answered are as many as in a queue that has a server for each (M/G/infinity): Poisson, whatever their lengths
 * (Takacs 1962), whose quantile is here that of the normal curve. */
#include <math.h>

#include "models/step.h"

/** The value that a standard normal variable exceeds with probability 1 - share. */
static double normal_quantile(double share) {
  double low = -8, high = 8;
  for (int i = 0; i < 50; i++) {
    double middle = (low + high) / 2;
    *(erfc(-middle / sqrt(2)) / 2 < share ? &low : &high) = middle;
  }
  return high;
}

model_quantile rf_model_quantile(double share) {
  return share > 0 ? (model_quantile){share, normal_quantile(share)} : (model_quantile){0, 0};
}

/** The wait that `share` of the prompts do not exceed; on average, where it is 0. */
static double prompt_wait(double busy, double service, const model_quantile *q) {
  double mean = busy * service / (2 * (1 - busy));
  return q->share == 0 ? mean : mean / busy * fmax(0, log(busy / (1 - q->share)));
}

/** A quantile of a Poisson variable, or its mean. */
static double poisson(double mean, const model_quantile *q) {
  return fmax(0, mean + q->normal * sqrt(mean));
}

model_seen rf_model_closed(const model_pace *p, double sequences, const model_quantile *q) {
  double others = sequences - 1, tokens = fmax(1, p->tokens);
  double rate = sequences / (p->first + (tokens - 1) * p->step + others * p->busy);
  double busy = fmin(rate * p->next, 1 - 1e-9);
  double wait = fmin(prompt_wait(busy, p->next, q), others * p->next);
  return (model_seen){.ttft_seconds = p->first + wait,
                      .tpot_seconds = tokens > 1 ? p->step + poisson(others, q) * p->busy / tokens : NAN,
                      .rate = rate,
                      .busy = busy};
}

model_seen rf_model_open(const model_pace *p, double rate, const model_quantile *q) {
  double busy = rate * p->next;
  if (!(busy < 1)) {
    return (model_seen){INFINITY, INFINITY, rate, busy};
  }
  double free = 1 - rate * p->busy, steps = fmax(1, p->tokens - 1);
  double deviation = p->busy * sqrt(rate * steps * p->step / (free * free * free)); /* of all tokens' time */
  return (model_seen){.ttft_seconds = p->first + prompt_wait(busy, p->next, q),
                      .tpot_seconds = p->tokens > 1 ? p->step / free + q->normal * deviation / steps : NAN,
                      .rate = rate,
                      .busy = busy};
}

double rf_model_at_once(double mean, const model_quantile *q) {
  return fmax(1, ceil(poisson(mean, q)));
}
