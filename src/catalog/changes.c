/* What changed between two measurements, and whether that is more than noise. */
#include "roofline/changes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/report.h"

enum { FIGURE_MAX = 1024 };

/** One measured figure of one machine. */
typedef struct figure {
  char name[ROOF_CHANGE_NAME_MAX];
  int nth; /**< how many of this name come before it */
  const char *unit;
  double value;
  double spread;                     /**< NaN where the file has none */
  const roof_conditions *conditions; /**< NULL where the file has none */
  bool less_is_faster;
  bool ceiling;
} figure;

typedef struct figures {
  figure list[FIGURE_MAX];
  int count;
} figures;

/** The figure of the same name, and as often after others of that name. */
static const figure *find(const figures *f, const figure *like) {
  for (int i = 0; i < f->count; i++) {
    if (f->list[i].nth == like->nth && strcmp(f->list[i].name, like->name) == 0) {
      return &f->list[i];
    }
  }
  return NULL;
}

static void add_figure(figures *f, double value, double spread, const roof_conditions *conditions,
                       const char *unit, const char *name) {
  if (isnan(value) || f->count == FIGURE_MAX) {
    return;
  }
  figure *added = &f->list[f->count];
  *added = (figure){.value = value,
                    .spread = spread,
                    .conditions = conditions != NULL && !isnan(conditions->samples) ? conditions : NULL,
                    .unit = unit,
                    .less_is_faster = strcmp(unit, "s") == 0};
  snprintf(added->name, sizeof added->name, "%s", name);
  while (find(f, added) != NULL) {
    added->nth++;
  }
  f->count++;
}

static void add_level(figures *f, const roof_level *level) {
  roof_machine_value v;
  for (int i = 0; roof_level_figure(level, i, &v); i++) {
    char name[ROOF_CHANGE_NAME_MAX];
    snprintf(name, sizeof name, "%s %s", level->name, v.label);
    roof_cores_append(name, sizeof name, level->cores, level->core_kind, level->threads_per_core);
    add_figure(f, v.value, level->spread, v.conditions, v.unit, name);
  }
}

static void add_peak(figures *f, const roof_peak *p) {
  char name[ROOF_CHANGE_NAME_MAX];
  snprintf(name, sizeof name, "%s %s%s %s", roof_dtype_name(p->dtype), roof_unit_name(p->unit),
           p->sparse ? " sparse" : "", p->isa);
  roof_cores_append(name, sizeof name, p->cores, p->core_kind, p->threads_per_core);
  add_figure(f, p->flops_per_second, p->spread, p->conditions, "FLOP/s", name);
}

static void add_rate(figures *f, const roof_rate *r) {
  char name[ROOF_NAME_MAX + sizeof r->isa + 32];
  snprintf(name, sizeof name, "%s, %s", r->name, r->isa);
  roof_cores_append(name, sizeof name, r->cores, "", 0);
  add_figure(f, r->per_second, r->spread, &r->conditions, "op/s", name);
}

static void add_cost(figures *f, const roof_cost *cost) {
  char name[ROOF_CHANGE_NAME_MAX];
  snprintf(name, sizeof name, "%s", cost->name);
  roof_cores_append(name, sizeof name, cost->cores, "", 0);
  add_figure(f, cost->seconds, cost->spread, NULL, "s", name);
}

static void add_library(figures *f, const roof_library *l) {
  char name[2 * ROOF_NAME_MAX + 32];
  snprintf(name, sizeof name, "%s %s %s", l->name, l->op, roof_dtype_name(l->dtype));
  roof_cores_append(name, sizeof name, l->cores, "", 0);
  add_figure(f, l->flops_per_second, l->spread, NULL, "FLOP/s", name);
}

/** The figures of a domain's row: what its cores reach in the memory of each. */
static void add_domain(figures *f, const roof_report *m, const roof_domain *domain) {
  for (int i = 0; i < m->domain_count; i++) {
    char name[128];
    snprintf(name, sizeof name, "read, cores of %s from %s", domain->name, m->domains[i].name);
    add_figure(f, domain->read_bytes_per_second[i], NAN, NULL, "B/s", name);
    snprintf(name, sizeof name, "latency, cores of %s to %s", domain->name, m->domains[i].name);
    add_figure(f, domain->latency_seconds[i], NAN, NULL, "s", name);
  }
}

/** A figure of the machine itself, where it was measured. */
static void add_own(figures *f, const roof_machine *m, const char *key) {
  roof_machine_value v;
  for (int i = 0; roof_machine_figure(m, i, &v); i++) {
    if (strcmp(v.key, key) == 0 && v.kind == ROOF_MEASURED) {
      add_figure(f, v.value, NAN, v.conditions, v.unit, v.label);
    }
  }
}

/** Of the clock, peaks and levels, the first that are added: a latency bounds no rate. */
static void mark_ceilings(figures *f) {
  for (int i = 0; i < f->count; i++) {
    f->list[i].ceiling = !f->list[i].less_is_faster;
  }
}

/** Everything that was measured of a machine. */
static void collect(figures *f, const roof_machine *m) {
  const roof_report *r = roof_machine_report(m);
  f->count = 0;
  add_own(f, m, "clock_hz");
  for (int i = 0; i < m->peak_count; i++) {
    if (m->peaks[i].kind == ROOF_MEASURED) {
      add_peak(f, &m->peaks[i]);
    }
  }
  for (int i = 0; i < m->level_count; i++) {
    if (m->levels[i].kind == ROOF_MEASURED) {
      add_level(f, &m->levels[i]);
    }
  }
  mark_ceilings(f);
  for (int i = 0; i < r->rate_count; i++) {
    if (r->rates[i].kind == ROOF_MEASURED) {
      add_rate(f, &r->rates[i]);
    }
  }
  for (int i = 0; i < r->cost_count; i++) {
    if (r->costs[i].kind == ROOF_MEASURED) {
      add_cost(f, &r->costs[i]);
    }
  }
  for (int i = 0; i < r->domain_count; i++) {
    add_domain(f, r, &r->domains[i]);
  }
  for (int i = 0; i < r->library_count; i++) {
    add_library(f, &r->libraries[i]);
  }
  add_own(f, m, "launch_seconds");
}

/** The lowest and highest round of a figure. */
typedef struct span {
  double low, high;
} span;

static span rounds_of(const figure *f) {
  span s = {INFINITY, -INFINITY};
  for (int i = 0; f->conditions != NULL && i < f->conditions->round_count; i++) {
    s.low = fmin(s.low, f->conditions->rounds[i]);
    s.high = fmax(s.high, f->conditions->rounds[i]);
  }
  return s;
}

/** The own variation of a figure: the difference of its rounds if it was marked noisy, or the spread of its
 * windows if the file has nothing else. */
static double unrest(const figure *f) {
  const roof_conditions *c = f->conditions;
  if (c == NULL) {
    return isnan(f->spread) ? 0 : f->spread;
  }
  span s = rounds_of(f);
  return c->noisy[0] == '\0' ? 0 : c->round_count > 1 ? s.high / s.low - 1 : f->spread;
}

/** The rounds against each other; NaN with too few of them. */
static double chance(const figure *old, const figure *new) {
  enum { LEAST = 4 };
  const roof_conditions *a = old->conditions, *b = new->conditions;
  double first[ROOF_ROUND_MAX], second[ROOF_ROUND_MAX];
  roof_rank_test test;
  if (a == NULL || b == NULL || a->round_count < LEAST || b->round_count < LEAST) {
    return NAN;
  }
  memcpy(first, a->rounds, sizeof first);
  memcpy(second, b->rounds, sizeof second);
  roof_status status =
      roof_stats_mann_whitney(first, (size_t)a->round_count, second, (size_t)b->round_count, &test, NULL);
  return status == ROOF_OK ? test.p : NAN;
}

/** Whether the rounds say that a figure changed: by the test, or with too few of them for it if all of one
 * side are beyond all of the other. A figure without rounds has only its distance. */
static bool rounds_agree(const figure *old, const figure *new, double p) {
  static const double sure = 0.05;
  span a = rounds_of(old), b = rounds_of(new);
  return isnan(p) ? a.high < b.low || b.high < a.low : p <= sure;
}

/** How much of a change is left when each figure is counted in cycles of its own clock. */
static double per_cycle(const figure *old, const figure *new) {
  bool known = old->conditions != NULL && new->conditions != NULL &&strcmp(old->unit, "Hz") != 0;
  double clocks = known ? new->conditions->clock_hz / old->conditions->clock_hz : NAN;
  return new->value / old->value *(new->less_is_faster ? clocks : 1 / clocks);
}

static double distance(double ratio) {
  return fmax(ratio, 1 / ratio) - 1;
}

/** Why a figure is not to be relied on, "" when it is. */
static void keep_noise(const figure *f, char *noisy, size_t size) {
  bool marked = f != NULL && f->conditions != NULL;
  snprintf(noisy, size, "%s", marked ? f->conditions->noisy : "");
}

/** Compares two figures; one of them may be NULL. A change is more than noise if it is larger than the own
 *  variation of both and than the difference between two runs, and if their rounds agree on it. */
static roof_figure_change weigh(const figure *old, const figure *new) {
  const figure *either = new != NULL ? new : old;
  roof_figure_change c = {.unit = either->unit,
                          .old_value = old != NULL ? old->value : NAN,
                          .new_value = new != NULL ? new->value : NAN,
                          .cycle_ratio = NAN,
                          .p = NAN,
                          .noise = NAN,
                          .ceiling = either->ceiling,
                          .verdict = old == NULL   ? ROOF_CHANGE_ONLY_NEW
                                     : new == NULL ? ROOF_CHANGE_ONLY_OLD
                                                   : ROOF_CHANGE_SAME};
  snprintf(c.figure, sizeof c.figure, "%s", either->name);
  keep_noise(old, c.noisy_old, sizeof c.noisy_old);
  keep_noise(new, c.noisy_new, sizeof c.noisy_new);
  c.ratio = c.new_value / c.old_value;
  if (old != NULL && new != NULL) {
    c.noise = fmax(ROOF_CHANGE_REPEATABLE, unrest(old) + unrest(new));
    c.cycle_ratio = per_cycle(old, new);
    c.p = chance(old, new);
    if (distance(c.ratio) > c.noise && rounds_agree(old, new, c.p)) {
      c.verdict = distance(c.cycle_ratio) <= c.noise     ? ROOF_CHANGE_SAME_PER_CYCLE
                  : (c.ratio > 1) != new->less_is_faster ? ROOF_CHANGE_FASTER
                                                         : ROOF_CHANGE_SLOWER;
    }
  }
  return c;
}

/** The changes of all figures, in the new machine's order; those that only the old one has are last. */
static void weigh_all(const figures *old, const figures *new, roof_changes *out) {
  for (int i = 0; i < new->count; i++) {
    out->list[out->count++] = weigh(find(old, &new->list[i]), &new->list[i]);
  }
  for (int i = 0; i < old->count; i++) {
    if (find(new, &old->list[i]) == NULL) {
      out->list[out->count++] = weigh(&old->list[i], NULL);
    }
  }
  for (size_t i = 0; i < out->count; i++) {
    out->counts[out->list[i].verdict]++;
    out->fallen += out->list[i].ceiling && out->list[i].verdict == ROOF_CHANGE_SLOWER;
  }
}

roof_status roof_machine_changes(const roof_machine *old, const roof_machine *new, roof_changes *changes,
                                 roof_error *error) {
  figures *both = calloc(2, sizeof *both);
  roof_changes made = {.list = NULL};
  if (both != NULL) {
    collect(&both[0], old);
    collect(&both[1], new);
    made.list = calloc((size_t)(both[0].count + both[1].count) + 1, sizeof *made.list);
  }
  if (made.list == NULL) {
    free(both);
    return roof_error_set(error, ROOF_E_MEMORY, "changes: out of memory");
  }
  weigh_all(&both[0], &both[1], &made);
  free(both);
  *changes = made;
  return ROOF_OK;
}

void roof_changes_done(roof_changes *changes) {
  free(changes->list);
  *changes = (roof_changes){.list = NULL};
}

void roof_changes_sentence(const roof_changes *changes, roof_text *out) {
  const char *separator = "";
  for (int i = 0; i < ROOF_CHANGE_VERDICT_COUNT; i++) {
    if (changes->counts[i] > 0) {
      roof_text_addf(out, "%s%d %s", separator, changes->counts[i],
                     roof_change_verdict_name((roof_change_verdict)i));
      separator = ", ";
    }
  }
  if (changes->counts[ROOF_CHANGE_SLOWER] > 0) {
    roof_text_addf(out, "; ceilings that fell: %d", changes->fallen);
  }
  roof_text_add(out, changes->count > 0 ? "" : "neither machine has a measured figure");
}

const char *roof_change_verdict_name(roof_change_verdict verdict) {
  static const char *const names[ROOF_CHANGE_VERDICT_COUNT] = {
      [ROOF_CHANGE_SAME] = "same within noise", [ROOF_CHANGE_SAME_PER_CYCLE] = "same per cycle",
      [ROOF_CHANGE_FASTER] = "faster",          [ROOF_CHANGE_SLOWER] = "slower",
      [ROOF_CHANGE_ONLY_OLD] = "only in old",   [ROOF_CHANGE_ONLY_NEW] = "only in new"};
  return (unsigned)verdict < ROOF_CHANGE_VERDICT_COUNT ? names[verdict] : "?";
}
