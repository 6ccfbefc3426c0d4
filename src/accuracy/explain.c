/* Runs of whole models against their classes of kernels: which one alone could be the cause of a gap. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy/cases.h"
#include "core/stats.h"

static const struct {
  const char *name, *text;
} classes[] = {
#define ROW(symbol, name, text) {name, text},
    ROOF_RUN_CLASS_MAP(ROW)
#undef ROW
};

/** The runs of a figure: as measured, as predicted, and what of that a class has. */
typedef struct view {
  double *measured, *predicted, *part;
  size_t count;
} view;

/** Mean |ln(measured / predicted)| with `more` times the part added. */
static double distance(const view *v, double more) {
  double sum = 0;
  for (size_t i = 0; i < v->count; i++) {
    double time = v->predicted[i] + more * v->part[i];
    sum += time > 0 ? fabs(log(v->measured[i] / time)) : INFINITY;
  }
  return sum / (double)v->count;
}

/** Between `least` and `most` what leaves the least distance. */
static double find_best(const view *v, double least, double most) {
  enum { STEPS = 200, ROUNDS = 3 };
  double best = 0;
  for (int round = 0; round < ROUNDS; round++) {
    double step = (most - least) / STEPS, nearest = distance(v, best);
    for (int i = 0; i <= STEPS; i++) {
      double here = distance(v, least + i * step);
      if (here < nearest) {
        nearest = here;
        best = least + i * step;
      }
    }
    least = fmax(least, best - step);
    most = fmin(most, best + step);
  }
  return best;
}

/** Median |predicted / measured - 1| with `more` times the part added; overwrites the part. */
static double error_with(view *v, double more) {
  for (size_t i = 0; i < v->count; i++) {
    v->part[i] = fabs((v->predicted[i] + more * v->part[i]) / v->measured[i] - 1);
  }
  return rf_stats_quantile(v->part, v->count, 0.5);
}

static void fill(view *v, const rf_run_case *runs, size_t count, roof_served_figure figure, int kind) {
  v->count = 0;
  for (size_t i = 0; i < count; i++) {
    if (runs[i].figure == figure) {
      v->measured[v->count] = runs[i].seconds;
      v->predicted[v->count] = runs[i].expected;
      v->part[v->count++] = kind == ROOF_RUN_HOST ? 1 : runs[i].part[kind].expected;
    }
  }
}

/** Of the predicted time what no class of kernels has. */
static double host_share(const rf_run_case *runs, size_t count, roof_served_figure figure) {
  double share = 0;
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    double rest = runs[i].expected;
    for (int kind = 0; kind < ROOF_RUN_CLASS_COUNT; kind++) {
      rest -= runs[i].part[kind].expected;
    }
    share += runs[i].figure == figure ? fmax(0, rest / runs[i].expected) : 0;
    n += runs[i].figure == figure;
  }
  return share / (double)n;
}

/** The factors that comparable kernels have, of all runs together. */
static void add_usual(const rf_run_case *runs, size_t count, roof_served_figure figure, int kind,
                      roof_run_cause *cause) {
  double low = 0, expected = 0, high = 0;
  for (size_t i = 0; i < count; i++) {
    if (runs[i].figure == figure) {
      low += runs[i].part[kind].low;
      expected += runs[i].part[kind].expected;
      high += runs[i].part[kind].high;
    }
  }
  cause->usual_low = low / expected;
  cause->usual_high = high / expected;
}

/** In tenths of a percent; of those that leave as little the host, then what has to change least. */
static int by_left(const void *a, const void *b) {
  const roof_run_cause *x = a, *y = b;
  double left_x = round(1e3 * x->left), left_y = round(1e3 * y->left);
  double change_x = isnan(x->factor) ? 0 : fabs(log(x->factor)),
         change_y = isnan(y->factor) ? 0 : fabs(log(y->factor));
  return left_x != left_y ? (left_x > left_y) - (left_x < left_y)
                          : (change_x > change_y) - (change_x < change_y);
}

/** A class as the only cause; false where it has no part of the time. */
static bool try_class(view *v, const rf_run_case *runs, size_t count, roof_served_figure figure, int kind,
                      roof_run_cause *cause) {
  bool host = kind == ROOF_RUN_HOST;
  double most = 0, share = 0;
  fill(v, runs, count, figure, kind);
  for (size_t i = 0; i < v->count; i++) {
    most = fmax(most, v->measured[i]);
    share += v->part[i] / v->predicted[i] / (double)v->count;
  }
  if (!host && !(share > 1e-3)) {
    return false;
  }
  double more = host ? find_best(v, 0, most) : find_best(v, -0.9, 9);
  *cause = (roof_run_cause){.name = classes[kind].name,
                            .text = classes[kind].text,
                            .share = host ? host_share(runs, count, figure) : share,
                            .factor = host ? NAN : 1 + more,
                            .seconds = host ? more : NAN,
                            .usual_low = NAN,
                            .usual_high = NAN,
                            .left = error_with(v, more)};
  if (!host) {
    add_usual(runs, count, figure, kind, cause);
  }
  return true;
}

/** Whether another run before this one is of the same model, settings and formats. */
static bool is_repeat(const rf_run_case *runs, size_t at) {
  for (size_t i = 0; i < at; i++) {
    const roof_served *a = runs[i].run, *b = runs[at].run;
    if (runs[i].figure == runs[at].figure && strcmp(a->model, b->model) == 0 &&
        strcmp(a->settings, b->settings) == 0 && strcmp(a->weights, b->weights) == 0) {
      return true;
    }
  }
  return false;
}

/** Which causes these runs do not distinguish from the best: all that leave at most a point or a quarter more. */
static void mark(roof_run_causes *c) {
  qsort(c->causes, c->count, sizeof *c->causes, by_left);
  for (size_t i = 0; i < c->count; i++) {
    roof_run_cause *cause = &c->causes[i];
    cause->helps = cause->left < 0.9 * c->error;
    cause->alike = cause->helps && cause->left <= c->causes[0].left + fmax(0.01, 0.25 * c->causes[0].left);
  }
}

bool rf_runs_explain(const rf_run_case *runs, size_t count, roof_served_figure figure, double *room,
                     roof_run_causes *causes) {
  view v = {.measured = room, .predicted = room + count, .part = room + 2 * count};
  roof_run_causes c = {.figure = roof_served_figure_name(figure)};
  for (size_t i = 0; i < count; i++) {
    if (runs[i].figure == figure) {
      c.runs++;
      c.settings += !is_repeat(runs, i);
      c.inside += runs[i].seconds >= runs[i].low && runs[i].seconds <= runs[i].high;
    }
  }
  if (c.runs == 0) {
    return false;
  }
  fill(&v, runs, count, figure, ROOF_RUN_HOST);
  c.error = error_with(&v, 0);
  for (size_t i = 0; i < v.count; i++) {
    v.part[i] = v.predicted[i] / v.measured[i] - 1;
  }
  c.bias = rf_stats_quantile(v.part, v.count, 0.5);
  for (int kind = 0; kind < ROOF_RUN_CLASS_COUNT; kind++) {
    c.count += try_class(&v, runs, count, figure, kind, &c.causes[c.count]);
  }
  mark(&c);
  *causes = c;
  return true;
}

void roof_run_causes_sentence(const roof_run_causes *c, roof_text *out) {
  size_t alike = 0;
  roof_text_addf(out, "%s of %zu run%s: %.1f %% off (median), predicted too %s; %zu inside the interval",
                 c->figure, c->runs, c->runs == 1 ? "" : "s", 100 * c->error, c->bias < 0 ? "fast" : "slow",
                 c->inside);
  for (size_t i = 0; i < c->count; i++) {
    alike += c->causes[i].alike;
  }
  if (c->inside == c->runs) {
    roof_text_add(out, ": as predicted\n");
    return;
  }
  if (alike == 0) {
    roof_text_add(out, "; no class of kernels alone explains it");
  }
  for (size_t i = 0, named = 0; i < c->count && alike > 0; i++) {
    if (c->causes[i].alike) {
      roof_text_addf(out, "%s%s", named == 0 ? "; " : named + 1 < alike ? ", " : " or ", c->causes[i].name);
      named++;
    }
  }
  roof_text_add(out, alike == 0 ? "\n"
                     : c->settings < 2
                         ? " could be the cause: runs with other batches and prompts would tell\n"
                     : alike == 1 ? " explains it best\n"
                                  : " could be the cause: these runs do not distinguish them\n");
}
