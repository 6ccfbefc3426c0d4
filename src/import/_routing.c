/* The distributions of tokens that ai-dynamo/aiconfigurator times experts with (collector, power_law_logits): in turn, or by
 * shares that are drawn for each expert, of which the device with most is timed. */
#include "import/_routing.h"
#include "import/import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** A density x^-exponent from `low` to `high`. */
typedef struct law {
  double exponent, low, high;
} law;

/** The integral of x^power times the density, from `low` on. */
static double moment(const law *l, double power, double low) {
  double p = power + 1 - l->exponent;
  return fabs(p) < 1e-9 ? log(l->high / low) : (pow(l->high, p) - pow(low, p)) / p;
}

/** Experts whose rounded share is one row at least, and those that get the rows which rounding leaves; those of one token at
 * least, which are different ones. */
static double touched_by(const law *l, double mean, double rows, double experts, double top_k) {
  double all = moment(l, 0, l->low), half = 0.5 * mean * experts / rows;
  double from = fmin(fmax(half, l->low), l->high);
  double count = experts * moment(l, 0, from) / all;
  double theirs = rows * moment(l, 1, from) / (all * mean);
  return fmin(fmin(experts, rows), fmax(top_k, count + fmax(0, rows - fmax(count, theirs))));
}

/** The largest of `ep` sums of experts/ep shares, over their mean: as many standard deviations above it as the largest of so
 * many is expected to be. */
static double largest(const law *l, double mean, double experts, double ep) {
  double squares = moment(l, 2, l->low) / moment(l, 0, l->low), each = experts / ep;
  double deviation = sqrt(fmax(squares / (mean * mean) - 1, 0) * (1 - 1 / ep) / each);
  return fmin(1 + deviation * sqrt(2 * log(ep)), l->high / mean);
}

rf_routing rf_routing_of(const char *distribution, double tokens, double top_k, double experts, double ep) {
  static const char power_law[] = "power_law_";
  double rows = tokens * top_k;
  rf_routing even = {.imbalance = 1, .touched = fmin(experts, rows) / ep};
  bool many = rows > experts;
  law l = {.low = many ? 1 : 0.01, .high = many ? 0.8 * tokens : 2};
  if (strcmp(distribution, "balanced") == 0) {
    return even;
  }
  if (strncmp(distribution, power_law, strlen(power_law)) != 0 || !(ep >= 1 && rows > 0)) {
    return (rf_routing){.imbalance = 1};
  }
  l.exponent = rf_import_number(distribution + strlen(power_law), NULL);
  if (l.high < 1.5 * l.low) {
    return even;
  }
  double mean = moment(&l, 1, l.low) / moment(&l, 0, l.low);
  double most = fmin(ep, tokens * experts / rows); /* all rows, or every token to each of its experts */
  return (rf_routing){.imbalance = fmin(largest(&l, mean, experts, ep), most),
                      .touched = touched_by(&l, mean, rows, experts, top_k) / ep};
}
