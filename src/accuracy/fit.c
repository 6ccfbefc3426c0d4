/* Nelder and Mead's simplex (Computer Journal 7, 1965) with the coefficients that Gao and Han (2012) give for more numbers
 * than two; what leaves the bounds is folded back into them. */
#include "accuracy/fit.h"

#include <math.h>
#include <string.h>

typedef struct simplex {
  rf_fit_function *function;
  const void *context;
  int count;
  int left; /**< evaluations */
  double corner[RF_FIT_MOST + 1][RF_FIT_MOST];
  double value[RF_FIT_MOST + 1];
} simplex;

static double fold(double x) {
  double y = fmod(fabs(x), 2);
  return y > 1 ? 2 - y : y;
}

static double evaluate(simplex *s, double *at) {
  for (int i = 0; i < s->count; i++) {
    at[i] = fold(at[i]);
  }
  s->left--;
  double value = s->function(s->context, at);
  return isnan(value) ? INFINITY : value;
}

static void start(simplex *s, const double *at, double step) {
  for (int i = 0; i <= s->count; i++) {
    memcpy(s->corner[i], at, (size_t)s->count * sizeof *at);
    if (i > 0) {
      s->corner[i][i - 1] += at[i - 1] > 0.5 ? -step : step;
    }
    s->value[i] = evaluate(s, s->corner[i]);
  }
}

/** The best corner first, the worst last. */
static void sort(simplex *s) {
  for (int i = 1; i <= s->count; i++) {
    for (int k = i; k > 0 && s->value[k] < s->value[k - 1]; k--) {
      double corner[RF_FIT_MOST], value = s->value[k];
      memcpy(corner, s->corner[k], sizeof corner);
      memcpy(s->corner[k], s->corner[k - 1], sizeof corner);
      memcpy(s->corner[k - 1], corner, sizeof corner);
      s->value[k] = s->value[k - 1];
      s->value[k - 1] = value;
    }
  }
}

/** Moves the worst corner to `by` times its distance beyond the middle of the others, if that is less than `limit`. */
static double move(simplex *s, double by, double limit, double trial[RF_FIT_MOST]) {
  int n = s->count;
  for (int i = 0; i < n; i++) {
    double middle = 0;
    for (int k = 0; k < n; k++) {
      middle += s->corner[k][i] / n;
    }
    trial[i] = middle + by * (middle - s->corner[n][i]);
  }
  double value = evaluate(s, trial);
  return value < limit ? value : INFINITY;
}

static void keep(simplex *s, const double trial[RF_FIT_MOST], double value) {
  memcpy(s->corner[s->count], trial, (size_t)s->count * sizeof *trial);
  s->value[s->count] = value;
}

static void shrink(simplex *s) {
  double by = s->count > 1 ? 1 - 1.0 / s->count : 0.5;
  for (int i = 1; i <= s->count; i++) {
    for (int k = 0; k < s->count; k++) {
      s->corner[i][k] = s->corner[0][k] + by * (s->corner[i][k] - s->corner[0][k]);
    }
    s->value[i] = evaluate(s, s->corner[i]);
  }
}

static void step(simplex *s) {
  int n = s->count;
  double trial[RF_FIT_MOST], further[RF_FIT_MOST];
  double value = move(s, 1, INFINITY, trial);
  if (value < s->value[0]) {
    double beyond = move(s, 1 + 2.0 / n, value, further);
    keep(s, beyond < value ? further : trial, fmin(value, beyond));
    return;
  }
  if (value < s->value[n - 1]) {
    keep(s, trial, value);
    return;
  }
  double inner = fmin(0.75 - 1 / (2.0 * n), 0.5);
  value = move(s, value < s->value[n] ? inner : -inner, fmin(value, s->value[n]), trial);
  if (value < INFINITY) {
    keep(s, trial, value);
  } else {
    shrink(s);
  }
}

double rf_fit_descend(rf_fit_function *function, const void *context, double *at, int count,
                      int evaluations) {
  simplex s = {.function = function, .context = context, .count = count, .left = evaluations};
  start(&s, at, 0.15);
  for (sort(&s); s.left > 0 && s.value[count] - s.value[0] > 1e-6 * fabs(s.value[0]); sort(&s)) {
    step(&s);
  }
  memcpy(at, s.corner[0], (size_t)count * sizeof *at);
  return s.value[0];
}
