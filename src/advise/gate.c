#include <math.h>

#include "roofline/advise.h"
#include "roofline/stats.h"

static const struct {
  const char *name;
  const char *meaning;
  bool misses;
} states[ROOF_GATE_STATE_COUNT] = {
#define STATE(symbol, name, misses, meaning) [symbol] = {name, meaning, misses},
    ROOF_GATE_MAP(STATE)
#undef STATE
};

const char *roof_gate_name(roof_gate_state state) {
  return (unsigned)state < ROOF_GATE_STATE_COUNT ? states[state].name : "?";
}

const char *roof_gate_meaning(roof_gate_state state) {
  return (unsigned)state < ROOF_GATE_STATE_COUNT ? states[state].meaning : "?";
}

bool roof_gate_misses(roof_gate_state state) {
  return (unsigned)state >= ROOF_GATE_STATE_COUNT || states[state].misses;
}

roof_gate roof_gate_default(void) {
  return (roof_gate){.least = 0.65, .max_regression = 0.05, .significance = 0.05};
}

/** Forgives the last digits: 1 / C(6, 3) is 0.05. */
static bool rare(double chance, double significance) {
  return chance <= significance * (1 + 1e-9);
}

/** The smallest n for which n runs a side can be told apart: 1 / C(2n, n) is at most `significance`. */
static size_t runs_needed(double significance) {
  size_t n = 1;
  for (double chance = 0.5; !rare(chance, significance) && n < 1000; n++) {
    double next = (double)(n + 1);
    chance *= next / (2 * (2 * next - 1));
  }
  return n;
}

static roof_status against_baseline(const roof_gate *gate, double *now, size_t now_count, double *before,
                                    size_t before_count, roof_gate_result *result, roof_error *error) {
  roof_rank_test test;
  roof_status status = roof_stats_mann_whitney(now, now_count, before, before_count, &test, error);
  if (status != ROOF_OK) {
    return status;
  }
  result->regression =
      roof_stats_quantile(now, now_count, 0.5) / roof_stats_quantile(before, before_count, 0.5) - 1;
  if (result->regression > gate->max_regression) {
    bool few = !rare(test.least, gate->significance);
    result->p = few ? NAN : test.p_greater;
    result->state = few                                        ? ROOF_GATE_FEW
                    : rare(test.p_greater, gate->significance) ? ROOF_GATE_SLOWER
                                                               : ROOF_GATE_NOISE;
  }
  return ROOF_OK;
}

roof_status roof_gate_judge(const roof_gate *gate, double fraction, double *now, size_t now_count,
                            double *before, size_t before_count, roof_gate_result *result,
                            roof_error *error) {
  roof_gate_result judged = {.state = before_count > 0 ? ROOF_GATE_PASS : ROOF_GATE_NEW,
                             .regression = NAN,
                             .p = NAN,
                             .runs_needed = runs_needed(gate->significance)};
  if (before_count > 0) {
    roof_status status = against_baseline(gate, now, now_count, before, before_count, &judged, error);
    if (status != ROOF_OK) {
      return status;
    }
  }
  bool missed = roof_gate_misses(judged.state);
  if (isnan(fraction) && gate->least > 0 && !missed) {
    judged.state = ROOF_GATE_UNKNOWN;
  } else if (fraction < gate->least) {
    judged.state = ROOF_GATE_LOW;
  }
  *result = judged;
  return ROOF_OK;
}
