#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/machine/machine.h"

enum { FIGURE_MAX = 1024 };

/** Two runs on a quiet machine agree within this: a smaller change is not told from noise, however small the
 * spreads. */
static const double repeatable = 0.03;

/** One measured figure of one machine. */
typedef struct figure {
  char name[128];
  int nth; /**< how many of this name come before it */
  const char *unit;
  double value;
  double spread;                     /**< NaN where the file has none */
  const roof_conditions *conditions; /**< NULL where the file has none */
  bool less_is_faster;
} figure;

typedef struct figures {
  figure list[FIGURE_MAX];
  int count;
} figures;

typedef enum verdict { SAME, SAME_PER_CYCLE, FASTER, SLOWER, ONLY_OLD, ONLY_NEW, VERDICT_COUNT } verdict;

static const char *const verdicts[] = {"same within noise", "same per cycle", "faster", "slower",
                                       "only in old",       "only in new"};

/** A figure that at least one machine has. */
typedef struct change {
  const figure *either; /**< the new one where there is one */
  const figure *old_figure, *new_figure;
  double old, new, ratio, noise;
  double cycle_ratio; /**< the same per cycle of the clock it was measured at */
  double p; /**< chance of rounds so far apart when nothing has changed (Mann-Whitney); NaN unknown */
  verdict verdict;
} change;

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
  const roof_level_report *r = roof_level_report_of(level);
  const struct {
    const char *pattern, *unit;
    double value;
    const roof_conditions *conditions;
  } rows[] = {{"read", "B/s", level->read_bytes_per_second, &r->read},
              {"write", "B/s", level->write_bytes_per_second, &r->write},
              {"copy", "B/s", level->copy_bytes_per_second, &r->copy},
              {"triad", "B/s", level->triad_bytes_per_second, &r->triad},
              {"update", "B/s", level->update_bytes_per_second, &r->update},
              {"mixed", "B/s", level->bytes_per_second, NULL},
              {"latency", "s", level->latency_seconds, NULL}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char name[128];
    snprintf(name, sizeof name, "%s %s", level->name, rows[i].pattern);
    cli_machine_add_cores(name, sizeof name, level->cores, level->core_kind, level->threads_per_core);
    add_figure(f, rows[i].value, level->spread, rows[i].conditions, rows[i].unit, name);
  }
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

/** Everything that was measured of a machine. */
static void collect(figures *f, const roof_machine *m) {
  bool measured = m->kind == ROOF_MEASURED;
  const roof_report *r = roof_machine_report(m);
  f->count = 0;
  add_figure(f, measured ? m->clock_hz : NAN, NAN, m->report != NULL ? &m->report->clock : NULL, "Hz",
             "clock");
  for (int i = 0; i < m->peak_count; i++) {
    const roof_peak *p = &m->peaks[i];
    char name[128];
    snprintf(name, sizeof name, "%s %s%s %s", roof_dtype_name(p->dtype), roof_unit_name(p->unit),
             p->sparse ? " sparse" : "", p->isa);
    if (p->kind == ROOF_MEASURED) {
      cli_machine_add_cores(name, sizeof name, p->cores, p->core_kind, p->threads_per_core);
      add_figure(f, p->flops_per_second, p->spread, p->conditions, "FLOP/s", name);
    }
  }
  for (int i = 0; i < m->level_count; i++) {
    if (m->levels[i].kind == ROOF_MEASURED) {
      add_level(f, &m->levels[i]);
    }
  }
  for (int i = 0; i < r->cost_count; i++) {
    const roof_cost *cost = &r->costs[i];
    char name[128];
    snprintf(name, sizeof name, "%s", cost->name);
    cli_machine_add_cores(name, sizeof name, cost->cores, "", 0);
    if (cost->kind == ROOF_MEASURED) {
      add_figure(f, cost->seconds, cost->spread, NULL, "s", name);
    }
  }
  for (int i = 0; i < r->domain_count; i++) {
    add_domain(f, r, &r->domains[i]);
  }
  for (int i = 0; i < r->library_count; i++) {
    const roof_library *l = &r->libraries[i];
    char name[160];
    snprintf(name, sizeof name, "%s %s %s", l->name, l->op, roof_dtype_name(l->dtype));
    cli_machine_add_cores(name, sizeof name, l->cores, "", 0);
    add_figure(f, l->flops_per_second, l->spread, NULL, "FLOP/s", name);
  }
  add_figure(f, measured ? m->launch_seconds : NAN, NAN, m->report != NULL ? &m->report->launch : NULL, "s",
             "launch");
}

/** What a figure moves by of itself: what its rounds differ by, where the run marked it noisy; the spread of
 * its windows where the file has no more. */
static double unrest(const figure *f) {
  const roof_conditions *c = f->conditions;
  if (c == NULL) {
    return isnan(f->spread) ? 0 : f->spread;
  }
  double low = INFINITY, high = 0;
  for (int i = 0; i < c->round_count; i++) {
    low = fmin(low, c->rounds[i]);
    high = fmax(high, c->rounds[i]);
  }
  return c->noisy[0] == '\0' ? 0 : c->round_count > 1 ? high / low - 1 : f->spread;
}

/** The rounds against each other; NaN with too few to tell anything. */
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

/** How much of a change is left when each figure is counted in cycles of its own clock. */
static double per_cycle(const figure *old, const figure *new) {
  bool known = old->conditions != NULL && new->conditions != NULL &&strcmp(old->unit, "Hz") != 0;
  double clocks = known ? new->conditions->clock_hz / old->conditions->clock_hz : NAN;
  return new->value / old->value *(new->less_is_faster ? clocks : 1 / clocks);
}

static double distance(double ratio) {
  return fmax(ratio, 1 / ratio) - 1;
}

/** Sets two figures against each other; one of them may be NULL. A change is more than noise when it is
 * larger than what both move by of themselves and than what two runs differ by, and their rounds agree on it.
 */
static change weigh(const figure *old, const figure *new) {
  static const double sure = 0.05;
  change c = {.either = new != NULL ? new : old,
              .old_figure = old,
              .new_figure = new,
              .old = old != NULL ? old->value : NAN,
              .new = new != NULL ? new->value : NAN,
              .cycle_ratio = NAN,
              .p = NAN,
              .noise = NAN,
              .verdict = old == NULL   ? ONLY_NEW
                         : new == NULL ? ONLY_OLD
                                       : SAME};
  c.ratio = c.new / c.old;
  if (c.verdict == SAME) {
    c.noise = fmax(repeatable, unrest(old) + unrest(new));
    c.cycle_ratio = per_cycle(old, new);
    c.p = chance(old, new);
    if (distance(c.ratio) > c.noise && !(c.p > sure)) {
      c.verdict = distance(c.cycle_ratio) <= c.noise     ? SAME_PER_CYCLE
                  : (c.ratio > 1) != new->less_is_faster ? FASTER
                                                         : SLOWER;
    }
  }
  return c;
}

/** The changes of all figures, in the new machine's order; those that only the old one has are last. */
static int weigh_all(const figures *old, const figures *new, change *changes, int *counts) {
  int count = 0;
  for (int i = 0; i < new->count; i++) {
    changes[count++] = weigh(find(old, &new->list[i]), &new->list[i]);
  }
  for (int i = 0; i < old->count; i++) {
    if (find(new, &old->list[i]) == NULL) {
      changes[count++] = weigh(&old->list[i], NULL);
    }
  }
  for (int i = 0; i < count; i++) {
    counts[changes[i].verdict]++;
  }
  return count;
}

/** Why a figure is not to be relied on, or NULL. */
static const char *noisy(const figure *f) {
  bool marked = f != NULL && f->conditions != NULL && f->conditions->noisy[0] != '\0';
  return marked ? f->conditions->noisy : NULL;
}

static json_t *as_json(const roof_machine *old, const roof_machine *new, const change *changes, int count) {
  json_t *list = json_array();
  for (int i = 0; i < count; i++) {
    const change *c = &changes[i];
    json_array_append_new(
        list,
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s?, s:s?, s:s}", "figure", c->either->name,
                  "unit", c->either->unit, "old", cli_json_number(c->old), "new", cli_json_number(c->new),
                  "ratio", cli_json_number(c->ratio), "noise", cli_json_number(c->noise), "ratio_per_cycle",
                  cli_json_number(c->cycle_ratio), "p", cli_json_number(c->p), "noisy_old",
                  noisy(c->old_figure), "noisy_new", noisy(c->new_figure), "verdict", verdicts[c->verdict]));
  }
  return json_pack("{s:s, s:{s:s, s:s}, s:{s:s, s:s}, s:o}", "schema", "roofline.change/1", "old", "machine",
                   old->name, "date", old->date, "new", "machine", new->name, "date", new->date, "figures",
                   list);
}

static void add_numbers(roof_text *out, const double *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    roof_text_add(out, ",");
    roof_text_add_number(out, numbers[i], 15);
  }
}

static void add_csv(roof_text *out, const change *changes, int count) {
  roof_text_add(out, "figure,unit,old,new,ratio,noise,verdict,ratio_per_cycle,p\n");
  for (int i = 0; i < count; i++) {
    const change *c = &changes[i];
    const double before[] = {c->old, c->new, c->ratio, c->noise}, after[] = {c->cycle_ratio, c->p};
    roof_text_add_csv(out, c->either->name);
    roof_text_addf(out, ",%s", c->either->unit);
    add_numbers(out, before, sizeof before / sizeof before[0]);
    roof_text_addf(out, ",%s", verdicts[c->verdict]);
    add_numbers(out, after, sizeof after / sizeof after[0]);
    roof_text_add(out, "\n");
  }
}

static void add_cell(cli_grid *grid, double value, const char *unit) {
  char text[MACHINE_FIGURE_SIZE];
  cli_grid_add(grid, "%s", cli_machine_figure(text, value, unit, ""));
}

static void add_percent(cli_grid *grid, double share) {
  if (isnan(share)) {
    cli_grid_add(grid, "%s", "");
  } else {
    cli_grid_add(grid, "%.1f %%", 100 * share);
  }
}

static void add_text(roof_text *out, const change *changes, int count, const int *counts) {
  static const char *const heads[] = {"figure", "old", "new", "change", "per cycle", "noise", "verdict"};
  cli_grid grid = {0};
  const char *separator = "";
  for (int i = 0; i < VERDICT_COUNT; i++) {
    if (counts[i] > 0) {
      roof_text_addf(out, "%s%d %s", separator, counts[i], verdicts[i]);
      separator = ", ";
    }
  }
  roof_text_add(out, separator[0] != '\0' ? "\n\n" : "neither machine has a measured figure\n");
  for (size_t i = 0; count > 0 && i < sizeof heads / sizeof heads[0]; i++) {
    cli_grid_add(&grid, "%s", heads[i]);
  }
  for (int i = 0; i < count; i++) {
    const change *c = &changes[i];
    cli_grid_add(&grid, "%s", c->either->name);
    add_cell(&grid, c->old, c->either->unit);
    add_cell(&grid, c->new, c->either->unit);
    add_percent(&grid, c->ratio - 1);
    add_percent(&grid, c->cycle_ratio - 1);
    add_percent(&grid, c->noise);
    cli_grid_add(&grid, "%s", verdicts[c->verdict]);
  }
  cli_grid_end(&grid, out, "lrrrrrl");
}

roof_status cli_measure_compare_print(const cli_args *args, const roof_machine *old, const roof_machine *new,
                                      roof_error *error) {
  int counts[VERDICT_COUNT] = {0};
  figures *both = calloc(2, sizeof *both);
  change *changes = calloc(2 * FIGURE_MAX, sizeof *changes);
  roof_text text = {0};
  roof_status status = ROOF_OK;
  if (both == NULL || changes == NULL) {
    status = roof_error_set(error, ROOF_E_MEMORY, "measure --compare: out of memory");
    goto done;
  }
  collect(&both[0], old);
  collect(&both[1], new);
  int count = weigh_all(&both[0], &both[1], changes, counts);
  if (args->json) {
    status = cli_json_print(as_json(old, new, changes, count), error);
    goto done;
  }
  if (args->csv) {
    add_csv(&text, changes, count);
  } else {
    add_text(&text, changes, count, counts);
    if (!args->quiet) {
      roof_text_addf(&text,
                     "\n  old: %s of %s, new: %s of %s; noise: what the rounds of figures marked noisy "
                     "differ by, or both "
                     "spreads, at least %.0f %%\n",
                     old->name, old->date, new->name, new->date, 100 * repeatable);
    }
  }
  status = cli_print(&text, error);
done:
  roof_text_done(&text);
  free(changes);
  free(both);
  return status;
}
