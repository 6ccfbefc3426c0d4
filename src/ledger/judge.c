/* One measurement against its prediction: every figure of a verdict. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/known.h"
#include "core/number.h"
#include "ledger/entry.h"
#include "roofline/units.h"

static const double same_traffic = 0.05; /* counters and formulas agree within this share */
static const double same_bound = 0.01;   /* bounds closer than this do not show overlap */

/** What would raise the ceiling itself. */
static const struct {
  const char *regime;
  const char *next;
} movers[] = {
    {"compute", "a narrower format or the matrix unit raises this peak; fewer FLOPs take another algorithm"},
    {"memory",
     "fewer bytes: a narrower format, fusion with a neighbour, or a larger batch over the same weights"},
    {"overhead", "fewer launches: a graph of launches, a persistent kernel, or fusion with a neighbour"},
    {"network", "fewer bytes on the link: another parallel plan, a narrower format, or overlap with compute"},
    {"capacity", "fewer bytes held at once: a narrower format, or more devices"},
};

roof_regime rf_ledger_regime(const char *name) {
  for (int i = 0; i < ROOF_REGIME_COUNT; i++) {
    if (strcmp(roof_regime_name((roof_regime)i), name) == 0) {
      return (roof_regime)i;
    }
  }
  return ROOF_MEMORY_BOUND;
}

static const char *find_mover(const char *regime) {
  for (size_t i = 0; i < sizeof movers / sizeof movers[0]; i++) {
    if (strcmp(movers[i].regime, regime) == 0) {
      return movers[i].next;
    }
  }
  return NULL;
}

/** Work as measured where it was, else as predicted. */
typedef struct point {
  bool counted;       /**< bytes by a counter or by hand, not by the formula */
  bool counted_flops; /**< FLOPs too */
  double flops;
  double bytes;
} point;

static bool is_counted(const char *how, double amount) {
  return how[0] != '\0' && strncmp(how, "formula", strlen("formula")) != 0 && amount > 0;
}

static point point_of(const roof_ledger_entry *prediction, const roof_ledger_entry *m) {
  const char *how = m->counted_flops[0] != '\0' ? m->counted_flops : m->counted;
  bool bytes = is_counted(m->counted, m->of.bytes), flops = is_counted(how, m->of.flops);
  return (point){.counted = bytes,
                 .counted_flops = flops,
                 .flops = flops ? m->of.flops : prediction->of.flops,
                 .bytes = bytes ? m->of.bytes : prediction->of.bytes};
}

/** Arithmetic against operational intensity. */
static void judge_traffic(roof_reconciled *r, const roof_ledger_entry *prediction, const point *p) {
  r->intensity = prediction->of.bytes > 0 ? prediction->of.flops / prediction->of.bytes : NAN;
  r->operational_intensity = p->counted ? p->flops / p->bytes : NAN;
  double ratio = r->operational_intensity / r->intensity;
  if (!isnan(ratio)) {
    r->traffic = ratio < 1 - same_traffic ? "lower" : ratio > 1 + same_traffic ? "higher" : "equal";
  }
}

const char *roof_traffic_meaning(const char *traffic) {
  static const char *const meanings[] = {"equal: each byte moved once, as assumed",
                                         "lower: redundant traffic, more bytes than needed",
                                         "higher: a cache served part of it, or the counting is wrong"};
  for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
    size_t length = strcspn(meanings[i], ":");
    if (strlen(traffic) == length && strncmp(traffic, meanings[i], length) == 0) {
      return meanings[i];
    }
  }
  return "?";
}

/** True for what is nearer than the outermost memory. */
static bool is_inner(roof_clue clue) {
  return clue == ROOF_CLUE_L1 || clue == ROOF_CLUE_L2 || clue == ROOF_CLUE_L3 || clue == ROOF_CLUE_SHARED;
}

char *roof_reconciled_regime(const roof_reconciled *r, char *buffer, size_t size) {
  const roof_seen *seen = &r->seen;
  const char *name = roof_regime_name(seen->regime);
  buffer[0] = '\0';
  if (seen->resource == NULL) {
    return buffer;
  }
  if (!seen->busy) {
    rf_format(
        buffer, size,
        "no resource is busy; the nearest to its peak is %s at %.1f %% (under %.0f %%: it waits on latency)",
        seen->resource, 100 * seen->share, 100 * seen->threshold);
  } else if (strcmp(name, r->regime) != 0) {
    rf_format(buffer, size, "%s-bound, not %s-bound as predicted: %s (%.1f %%)", name, r->regime, seen->rule,
              100 * seen->share);
  } else if (is_inner(seen->clue)) {
    rf_format(buffer, size, "memory-bound at %s, not at %s as predicted: %s (%.1f %%)", seen->resource,
              r->binding, seen->rule, 100 * seen->share);
  }
  return buffer;
}

static void fill(double *clue, double value) {
  *clue = isnan(*clue) ? value : *clue;
}

/** The regime that the counters show, those of a profiler, and counted work as a share of the ceilings that
 * are known best. FLOPs of a formula count only together with counted bytes: alone they are the
 * prediction. */
static void judge_regime(roof_reconciled *r, const roof_ledger_entry *prediction, const roof_ledger_entry *m,
                         const point *p) {
  static const struct {
    roof_level_kind level;
    roof_clue clue;
  } caches[] = {{ROOF_L1, ROOF_CLUE_L1}, {ROOF_L2, ROOF_CLUE_L2}, {ROOF_L3, ROOF_CLUE_L3}};
  const roof_ceiling *t = &prediction->of.ceilings[ROOF_THEORETICAL],
                     *a = &prediction->of.ceilings[ROOF_ACHIEVED];
  double peak = isnan(t->flops_per_second) ? a->flops_per_second : t->flops_per_second;
  double bandwidth = isnan(t->bytes_per_second) ? a->bytes_per_second : t->bytes_per_second;
  double seconds = r->measured_seconds;
  memcpy(r->clue, m->clue, sizeof r->clue);
  if (p->counted || p->counted_flops) {
    fill(&r->clue[ROOF_CLUE_COMPUTE], p->flops / seconds / peak);
  }
  if (p->counted) {
    fill(&r->clue[ROOF_CLUE_MEMORY], p->bytes / seconds / bandwidth);
  }
  for (size_t i = 0; i < sizeof caches / sizeof caches[0] && is_counted(m->counted, 1); i++) {
    roof_level_kind level = caches[i].level;
    fill(&r->clue[caches[i].clue],
         m->level_bytes[level] / seconds / prediction->of.level_bytes_per_second[level]);
  }
  double clue[ROOF_CLUE_COUNT];
  memcpy(clue, r->clue, sizeof clue);
  if (!prediction->of.overhead_assumed) {
    fill(&clue[ROOF_CLUE_LAUNCH], prediction->of.overhead_seconds / seconds);
  }
  r->seen = roof_regime_seen(clue);
}

/** The theoretical time, or the sealed bound where that is shorter: of another algorithm, or of data that a cache holds. */
static double least_seconds(const roof_ledger_entry *prediction) {
  return fmin(prediction->of.ceilings[ROOF_THEORETICAL].seconds, prediction->of.lower_seconds);
}

/** Under the theoretical ceilings. Bytes of the formula that a cache holds never reach the memory, and its FLOPs are of one
 * algorithm: where the sealed bound knows better, it counts. */
static roof_placed place_point(const roof_ledger_entry *prediction, double seconds, double noise,
                               const point *p) {
  roof_placed at;
  const roof_ceiling *t = &prediction->of.ceilings[ROOF_THEORETICAL];
  bool known = t->seconds > 0;
  double least = least_seconds(prediction);
  roof_place_under(t, ROOF_THEORETICAL, p->flops, p->bytes, seconds, noise, &at);
  if (!p->counted && least < (1 - same_bound) * at.ceiling_seconds) {
    roof_place_time(least, known ? ROOF_THEORETICAL : ROOF_ACHIEVED, seconds, noise, &at);
  }
  return at;
}

/** What was sealed takes its time, whatever counters saw: less of it is other work. */
static void judge_sealed(roof_reconciled *r, const roof_ledger_entry *prediction, double noise,
                         const point *p) {
  roof_placed at;
  bool known = prediction->of.ceilings[ROOF_THEORETICAL].seconds > 0;
  double least = fmin(least_seconds(prediction), prediction->of.least_seconds);
  roof_place_time(known ? least : NAN, ROOF_THEORETICAL, r->measured_seconds, noise, &at);
  if (at.state != ROOF_PLACE_IMPOSSIBLE || r->impossible[0] != '\0') {
    return;
  }
  double flops = p->flops / prediction->of.flops, bytes = p->bytes / prediction->of.bytes;
  bool fewer = p->counted_flops && flops < 1 - same_traffic;
  if (fewer || (p->counted && bytes < 1 - same_traffic)) {
    rf_format(r->impossible, sizeof r->impossible,
              "%s; counted %.1f %% of the sealed %s: not the sealed work", at.why,
              100 * (fewer ? flops : bytes), fewer ? "FLOPs" : "bytes");
  } else {
    snprintf(r->impossible, sizeof r->impossible, "%s", at.why);
  }
}

/** Position under the theoretical ceilings; for a point above them the arithmetic shows why it cannot be. */
static void judge_point(roof_reconciled *r, const roof_ledger_entry *prediction, double noise,
                        const point *p) {
  roof_placed at = place_point(prediction, r->measured_seconds, noise, p);
  r->flops_per_second = p->flops > 0 ? p->flops / r->measured_seconds : NAN;
  r->roof_flops_per_second = p->flops > 0 ? p->flops / at.ceiling_seconds : NAN;
  r->roof_share = p->flops > 0 ? at.share : NAN;
  bool unsure = !p->counted && r->measured_seconds >= prediction->of.least_seconds;
  if (at.state == ROOF_PLACE_IMPOSSIBLE && !unsure) {
    snprintf(r->impossible, sizeof r->impossible, "%s", at.why);
  }
  judge_sealed(r, prediction, noise, p);
}

bool rf_ledger_foreseen(const roof_reconciled *r) {
  return strcmp(r->verdict, "expected") == 0 || strcmp(r->verdict, "faster") == 0;
}

double rf_ledger_paced_upper(const roof_reconciled *r) {
  return isnan(r->memory_pace) ? r->upper_seconds
                               : r->upper_seconds + r->memory_seconds * (1 - r->memory_pace);
}

/** 1: the times hid each other fully, 0: not at all, or it was slower than even their sum. */
static double overlap_of(const roof_reconciled *r) {
  double upper = rf_ledger_paced_upper(r), range = upper - r->ceiling_seconds;
  if (!(range > same_bound * r->ceiling_seconds)) {
    return NAN;
  }
  return fmin(1, fmax(0, (upper - r->measured_seconds) / range));
}

static void explain(roof_reconciled *r, const roof_verdict *verdict) {
  rf_format(r->because, sizeof r->because,
            "%s (%s): %.1f %% of the ceiling, %.1f points %s the expected %.1f %%; %s", r->regime, r->binding,
            100 * r->fraction_of_ceiling, fabs(r->gap_points), r->gap_points >= 0 ? "below" : "above",
            100 * r->expected_fraction, verdict->meaning);
}

/** Whether the bound that was sealed is one that a benchmark reached: the ceiling that it is nearer to says so. Launches
 * cost the same on both. */
static roof_basis sealed_basis(const roof_ledger_entry *prediction) {
  const roof_sealing *s = &prediction->of;
  double achieved = fabs(s->lower_seconds - s->ceilings[ROOF_ACHIEVED].seconds);
  double theoretical = fabs(s->lower_seconds - s->ceilings[ROOF_THEORETICAL].seconds);
  bool launches = s->overhead_seconds >= s->lower_seconds;
  return launches || isnan(achieved) || theoretical < achieved ? ROOF_THEORETICAL : ROOF_ACHIEVED;
}

/** Against the bound that was sealed, and against that of each basis; `slower` is what the mode of memory makes of a
 * measured ceiling's time. */
static void judge_shares(roof_reconciled *r, const roof_ledger_entry *prediction, double noise,
                         double slower) {
  roof_placed at;
  for (int basis = 0; basis < ROOF_BASIS_COUNT; basis++) {
    double known = prediction->of.ceilings[basis].seconds;
    double seconds = basis == ROOF_ACHIEVED ? slower * known : known > 0 ? least_seconds(prediction) : NAN;
    roof_place_time(seconds, (roof_basis)basis, r->measured_seconds, noise, &at);
    const roof_verdict *verdict =
        roof_verdict_on((roof_basis)basis, at.state == ROOF_PLACE_POSSIBLE ? fmin(at.share, 1) : at.share);
    r->share[basis] = at.share;
    r->bands[basis] = verdict != NULL ? verdict->name : NULL;
  }
  r->done = at.state == ROOF_PLACE_POSSIBLE && at.share >= ROOF_STOP_FRACTION && r->impossible[0] == '\0';
  r->next = r->done ? find_mover(r->regime) : NULL;
  roof_place_time(r->ceiling_seconds, sealed_basis(prediction), r->measured_seconds, noise, &at);
  r->fraction_of_ceiling = at.share;
  r->headroom = at.headroom;
  r->expected_fraction = prediction->of.lower_seconds / r->predicted_seconds;
  at.verdict = roof_verdict_heed(roof_verdict_in(rf_ledger_regime(r->regime), at.verdict), at.share,
                                 r->measured_seconds, r->fastest_seconds, r->slowest_seconds);
  r->verdict = at.verdict->name;
  r->gap_points = 100 * (r->expected_fraction - at.share);
  explain(r, at.verdict);
}

/** Memory was in another mode than when its ceiling was measured: the bound in that mode. Caches ("L2") keep
 * theirs. */
static double heed_mode(roof_reconciled *r, const roof_ledger_entry *prediction, double pace) {
  bool inner = r->binding[0] == 'L' && r->binding[1] >= '1' && r->binding[1] <= '9';
  if (!(pace > 0) || rf_ledger_regime(prediction->of.regime) != ROOF_MEMORY_BOUND || inner) {
    return 1;
  }
  double then = r->memory_seconds / pace;
  r->ceiling_seconds = fmax(then, fmax(rf_known(r->compute_seconds), rf_known(r->overhead_seconds)));
  r->memory_seconds = then;
  r->memory_pace = pace;
  return r->ceiling_seconds / r->lower_seconds;
}

roof_reconciled rf_ledger_judge(const roof_ledger_entry *prediction, const roof_ledger_entry *measurement) {
  double mine = prediction->of.mine_seconds > 0 ? prediction->of.mine_seconds : NAN;
  roof_reconciled r = {
      .prediction = (size_t)prediction->sequence,
      .measurement = (size_t)measurement->sequence,
      .unsealed = measurement->unsealed,
      .predicted_seconds = prediction->of.expected_seconds,
      .fastest_seconds = prediction->of.expected_low_seconds,
      .slowest_seconds = prediction->of.expected_high_seconds,
      .measured_seconds = measurement->seconds,
      .mine_seconds = mine,
      .mine_error = mine / measurement->seconds - 1,
      .lower_seconds = prediction->of.lower_seconds,
      .upper_seconds = prediction->of.upper_seconds,
      .ceiling_seconds = prediction->of.lower_seconds,
      .compute_seconds = prediction->of.compute_seconds,
      .memory_seconds = prediction->of.memory_seconds,
      .overhead_seconds = prediction->of.overhead_seconds,
      .flops = prediction->of.flops,
      .bytes = prediction->of.bytes,
      .memory_pace = NAN,
  };
  point p = point_of(prediction, measurement);
  r.counted_bytes = p.counted ? p.bytes : NAN;
  memcpy(r.machine, prediction->of.machine, sizeof r.machine);
  memcpy(r.machine_digest, prediction->of.machine_digest, sizeof r.machine_digest);
  memcpy(r.device_class, prediction->of.device_class, sizeof r.device_class);
  memcpy(r.level_bytes_per_second, prediction->of.level_bytes_per_second, sizeof r.level_bytes_per_second);
  memcpy(r.op, prediction->of.op, sizeof r.op);
  memcpy(r.parameters, prediction->of.parameters, sizeof r.parameters);
  memcpy(r.dtype, prediction->of.dtype, sizeof r.dtype);
  memcpy(r.typed, prediction->of.typed, sizeof r.typed);
  memcpy(r.origin, prediction->origin, sizeof r.origin);
  memcpy(r.taken_from, measurement->taken_from, sizeof r.taken_from);
  memcpy(r.differs, measurement->differs, sizeof r.differs);
  memcpy(r.measured_as, measurement->measured_as, sizeof r.measured_as);
  memcpy(r.label, prediction->of.label, sizeof r.label);
  memcpy(r.regime, prediction->of.regime, sizeof r.regime);
  memcpy(r.binding, prediction->of.binding, sizeof r.binding);
  double slower = heed_mode(&r, prediction, measurement->memory_pace);
  r.overlap = overlap_of(&r);
  judge_traffic(&r, prediction, &p);
  judge_regime(&r, prediction, measurement, &p);
  judge_point(&r, prediction, measurement->noise, &p);
  judge_shares(&r, prediction, measurement->noise, slower);
  return r;
}
