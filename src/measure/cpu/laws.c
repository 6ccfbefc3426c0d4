/* Laws that ceilings obey. */
#include "measure/cpu/laws.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "roofline/report.h"

/** A ratio that a law gives may be off by this share in a good measurement. */
static const double loose = 0.05;

/** The breaches found so far. */
typedef struct findings {
  rf_breach *breaches;
  int count;
} findings;

static const char *cores_of(int cores) {
  return cores == 1 ? "one core" : "all cores";
}

static void add(findings *f, rf_breach breach) {
  if (f->count < RF_BREACH_MAX) {
    f->breaches[f->count++] = breach;
  }
}

static void add_peak(findings *f, rf_law law, const roof_peak *peak, const roof_peak *other, double factor) {
  rf_breach breach = {law, {peak->conditions, other != NULL ? other->conditions : NULL}, factor, ""};
  snprintf(breach.what, sizeof breach.what, "%s %s on %s", roof_dtype_name(peak->dtype), peak->isa,
           cores_of(peak->cores));
  add(f, breach);
}

static void add_level(findings *f, rf_law law, const roof_level *level, const char *pattern,
                      roof_conditions *figure, roof_conditions *other, double factor) {
  rf_breach breach = {law, {figure, other}, factor, ""};
  snprintf(breach.what, sizeof breach.what, "%.40s %s on %s", level->name, pattern, cores_of(level->cores));
  add(f, breach);
}

/** The clock's uncertainty in a limit, and what two windows differ by on a quiet machine. */
static double most_over(const roof_conditions *conditions) {
  static const double quiet = 0.005;
  double spread = conditions != NULL ? conditions->clock_spread : NAN;
  return 1 + quiet + (isnan(spread) ? 0.02 : spread);
}

static bool same_workers(const roof_peak *a, const roof_peak *b) {
  return a->cores == b->cores && a->threads_per_core == b->threads_per_core &&
         strcmp(a->core_kind, b->core_kind) == 0;
}

/** The measured peak of the same instructions in another format, or of one core; NULL: none. */
static const roof_peak *peak_like(const roof_machine *m, const roof_peak *peak, roof_dtype dtype, int cores) {
  for (int i = 0; i < m->peak_count; i++) {
    const roof_peak *p = &m->peaks[i];
    bool workers = cores == peak->cores ? same_workers(p, peak) : p->cores == cores;
    if (p->kind == ROOF_MEASURED && p->dtype == dtype && workers && strcmp(p->isa, peak->isa) == 0) {
      return p;
    }
  }
  return NULL;
}

static void check_width(findings *f, const roof_machine *m, const roof_peak *peak) {
  const roof_peak *wide = peak->dtype == ROOF_FP32 ? peak_like(m, peak, ROOF_FP64, peak->cores) : NULL;
  if (wide == NULL) {
    return;
  }
  double expected = strncmp(peak->isa, "scalar", 6) == 0 ? 1 : 2;
  double factor = peak->flops_per_second / wide->flops_per_second / expected;
  if (fabs(factor - 1) > loose) {
    add_peak(f, RF_LAW_WIDTH, peak, wide, factor * expected);
  }
}

static void check_cores(findings *f, const roof_machine *m, const roof_peak *peak, int cores) {
  const roof_peak *one = peak->cores == 0 ? peak_like(m, peak, peak->dtype, 1) : NULL;
  if (one == NULL || peak->threads_per_core > 0 || one->core_kind[0] != '\0') {
    return;
  }
  double factor = peak->flops_per_second / one->flops_per_second;
  if (factor < 0.75 * cores || factor > (1 + loose) * cores) {
    add_peak(f, RF_LAW_CORES, peak, one, factor);
  }
}

static void check_peak(findings *f, const roof_machine *m, const roof_peak *peak, int cores, rf_law law) {
  static const double reach = 0.8;
  double share = peak->flops_per_second / peak->limit_flops_per_second;
  if (law == RF_LAW_LIMIT && share > most_over(peak->conditions)) {
    add_peak(f, law, peak, NULL, share);
  } else if (law == RF_LAW_REACH && share < reach && (peak->cores == 1 || cores == 1)) {
    add_peak(f, law, peak, NULL, share);
  } else if (law == RF_LAW_WIDTH) {
    check_width(f, m, peak);
  } else if (law == RF_LAW_CORES) {
    check_cores(f, m, peak, cores);
  }
}

/** A level's patterns: rate, physical limit, how it was measured. */
typedef struct pattern {
  const char *name;
  double reads; /**< share of its bytes */
  double rate, limit;
  roof_conditions *conditions;
} pattern;

enum { PATTERNS = 5 };

static void patterns_of(const roof_level *level, pattern patterns[PATTERNS]) {
  roof_level_report *report = level->report;
  const pattern all[PATTERNS] = {
      {"read", 1, level->read_bytes_per_second, level->limit_bytes_per_second,
       report != NULL ? &report->read : NULL},
      {"write", 0, level->write_bytes_per_second, level->write_limit_bytes_per_second,
       report != NULL ? &report->write : NULL},
      {"copy", 1.0 / 2, level->copy_bytes_per_second, level->copy_limit_bytes_per_second,
       report != NULL ? &report->copy : NULL},
      {"update", 1.0 / 2, level->update_bytes_per_second, level->update_limit_bytes_per_second,
       report != NULL ? &report->update : NULL},
      {"triad", 2.0 / 3, level->triad_bytes_per_second, level->triad_limit_bytes_per_second,
       report != NULL ? &report->triad : NULL},
  };
  memcpy(patterns, all, sizeof all);
}

static void check_limits(findings *f, const roof_level *level) {
  pattern patterns[PATTERNS];
  patterns_of(level, patterns);
  for (int i = 0; i < PATTERNS; i++) {
    const pattern *p = &patterns[i];
    if (p->rate > most_over(p->conditions) * p->limit) {
      add_level(f, RF_LAW_LIMIT, level, p->name, p->conditions, NULL, p->rate / p->limit);
    }
  }
}

/** Caches of their own: N cores do at most N times the work of one, and no less than one. */
static void check_level_cores(findings *f, const roof_level *one, const roof_level *all, int cores) {
  pattern alone[PATTERNS], together[PATTERNS];
  patterns_of(one, alone);
  patterns_of(all, together);
  for (int i = 0; i < PATTERNS; i++) {
    double factor = together[i].rate / alone[i].rate;
    if (factor < 1 - loose || factor > (1 + 2 * loose) * cores) {
      add_level(f, RF_LAW_CORES, all, together[i].name, together[i].conditions, alone[i].conditions, factor);
    }
  }
}

static void check_pair(findings *f, const roof_level *inner, const roof_level *outer) {
  double factor = outer->read_bytes_per_second / inner->read_bytes_per_second;
  if (inner->level < outer->level && factor > 1 + loose) {
    rf_breach breach = {RF_LAW_ORDER,
                        {outer->report != NULL ? &outer->report->read : NULL,
                         inner->report != NULL ? &inner->report->read : NULL},
                        factor,
                        ""};
    snprintf(breach.what, sizeof breach.what, "%.30s on %s reads faster than %.30s", outer->name,
             cores_of(outer->cores), inner->name);
    add(f, breach);
  }
}

/** The reads of a pattern, alone, take no longer than all of it. */
static void check_reads(findings *f, const roof_level *level) {
  pattern patterns[PATTERNS];
  patterns_of(level, patterns);
  const pattern *read = &patterns[0];
  for (int i = 1; i < PATTERNS; i++) {
    double factor = read->rate / (patterns[i].reads * patterns[i].rate);
    if (factor < 1 - loose) {
      rf_breach breach = {RF_LAW_READS, {read->conditions, patterns[i].conditions}, factor, ""};
      rf_format(breach.what, sizeof breach.what, "%.30s on %s, read alone, does %.2f times the reads of %s",
                level->name, cores_of(level->cores), factor, patterns[i].name);
      add(f, breach);
    }
  }
}

static void check_level(findings *f, const roof_machine *m, const roof_level *level, int cores, rf_law law) {
  if (law == RF_LAW_LIMIT) {
    check_limits(f, level);
  } else if (law == RF_LAW_READS) {
    check_reads(f, level);
  }
  for (int i = 0; i < m->level_count; i++) {
    const roof_level *other = &m->levels[i];
    bool kinds = strcmp(level->core_kind, other->core_kind) == 0;
    if (law == RF_LAW_ORDER && kinds && level->cores == other->cores &&
        level->threads_per_core == other->threads_per_core) {
      check_pair(f, other, level);
    }
    if (law == RF_LAW_CORES && kinds && level->level == other->level && level->cores == 0 &&
        other->cores == 1 && level->threads_per_core == 0) {
      check_level_cores(f, other, level, cores);
    }
  }
}

/** The rate of all cores against that of one by the same instructions. */
static void check_rate(findings *f, const roof_machine *m, roof_rate *all, int cores) {
  for (int i = 0; i < m->report->rate_count && all->cores == 0; i++) {
    roof_rate *one = &m->report->rates[i];
    double factor = all->per_second / one->per_second;
    bool same = one->cores == 1 && strcmp(one->name, all->name) == 0 && strcmp(one->isa, all->isa) == 0;
    if (same && (factor < 0.75 * cores || factor > (1 + loose) * cores)) {
      rf_breach breach = {RF_LAW_CORES, {&all->conditions, &one->conditions}, factor, ""};
      snprintf(breach.what, sizeof breach.what, "%.40s %.20s on all cores", all->name, all->isa);
      add(f, breach);
    }
  }
}

int rf_laws_check(const roof_machine *machine, int core_count, rf_breach *breaches) {
  findings f = {breaches, 0};
  for (rf_law law = 0; law < RF_LAW_COUNT; law++) {
    for (int i = 0; i < machine->peak_count; i++) {
      if (machine->peaks[i].kind == ROOF_MEASURED && machine->peaks[i].flops_per_second > 0) {
        check_peak(&f, machine, &machine->peaks[i], core_count, law);
      }
    }
    for (int i = 0; i < machine->level_count; i++) {
      check_level(&f, machine, &machine->levels[i], core_count, law);
    }
    for (int i = 0; law == RF_LAW_CORES && machine->report != NULL && i < machine->report->rate_count; i++) {
      check_rate(&f, machine, &machine->report->rates[i], core_count);
    }
  }
  return f.count;
}

/** Why a figure that breaks the law is not to be relied on; "": its note says enough. */
static void add_reason(const rf_breach *b, char *noisy, size_t size) {
  switch (b->law) {
  case RF_LAW_LIMIT:
    rf_format(noisy, size, "%.1f %% of clock x work per cycle", 100 * b->factor);
    break;
  case RF_LAW_REACH:
    rf_format(noisy, size, "only %.0f %% of clock x FLOP per cycle", 100 * b->factor);
    break;
  case RF_LAW_WIDTH:
    rf_format(noisy, size, "fp32 is %.2f times fp64", b->factor);
    break;
  case RF_LAW_ORDER:
    rf_format(noisy, size, "%.2f times as fast as the level inside it", b->factor);
    break;
  case RF_LAW_READS:
    rf_format(noisy, size, "reads alone are %.2f times those of another pattern", b->factor);
    break;
  default:
    break;
  }
}

void rf_laws_mark(const rf_breach *breaches, int count) {
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < 2; k++) {
      roof_conditions *figure = breaches[i].figures[k];
      if (figure != NULL && figure->noisy[0] == '\0') {
        add_reason(&breaches[i], figure->noisy, sizeof figure->noisy);
      }
    }
  }
}

/** How far a breach is from what the law asks, as a ratio over 1. */
static double severity(const rf_breach *b) {
  return b->factor > 1 ? b->factor : 1 / b->factor;
}

/** The worst breach of a law, and how many there are. */
static const rf_breach *worst_of(const rf_breach *breaches, int count, rf_law law, int *found) {
  const rf_breach *worst = NULL;
  *found = 0;
  for (int i = 0; i < count; i++) {
    if (breaches[i].law == law) {
      worst = worst == NULL || severity(&breaches[i]) > severity(worst) ? &breaches[i] : worst;
      (*found)++;
    }
  }
  return worst;
}

/** Why a figure may stand above its limit. */
static const char *cause_of(const rf_breach *b) {
  const roof_conditions *c = b->figures[0];
  return c != NULL && c->clock_drift > 0.01 ? "the clock changed between rounds"
                                            : "the clock was read while something else ran";
}

char *rf_laws_describe(const rf_breach *breaches, int count, rf_law law, char *text, size_t size) {
  int found;
  const rf_breach *b = worst_of(breaches, count, law, &found);
  double spread = b != NULL && b->figures[0] != NULL ? 100 * b->figures[0]->clock_spread : NAN;
  text[0] = '\0';
  if (b == NULL) {
    return text;
  }
  char more[32] = "", known[48] = "";
  if (!isnan(spread)) {
    rf_format(known, sizeof known, ", with a clock known to %.1f %%", spread);
  }
  if (found > 1) {
    snprintf(more, sizeof more, " (and %d more)", found - 1);
  }
  switch (law) {
  case RF_LAW_LIMIT:
    rf_format(text, size, "%s is %.1f %% of clock x work per cycle%s%s: %s", b->what, 100 * b->factor, more,
              known, cause_of(b));
    break;
  case RF_LAW_REACH:
    rf_format(text, size,
              "%s reaches %.0f %% of clock x FLOP per cycle%s: disturbed, or a limit we do not know", b->what,
              100 * b->factor, more);
    break;
  case RF_LAW_WIDTH:
    rf_format(text, size, "%s is %.2f times fp64%s: one was disturbed, or the processors shared a core",
              b->what, b->factor, more);
    break;
  case RF_LAW_CORES:
    rf_format(text, size, "%s does %.2f times the work of one core%s: %s", b->what, b->factor, more,
              b->factor > 1.5 ? "one core was disturbed"
                              : "the cores share a physical core or a power limit");
    break;
  case RF_LAW_READS:
    rf_format(text, size, "%s%s: one of the two was disturbed", b->what, more);
    break;
  default:
    rf_format(text, size, "%s (%.2f times)%s: one of the two was disturbed", b->what, b->factor, more);
  }
  return text;
}
