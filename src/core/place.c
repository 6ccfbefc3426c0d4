/* Counted work under the ceilings: one ceiling, one share, one verdict for every command. */
#include "roofline/place.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/ceilings.h"
#include "core/cores.h"
#include "core/known.h"
#include "core/link.h"
#include "core/mix.h"
#include "core/number.h"
#include "roofline/text.h"
#include "roofline/units.h"

/** FLOPs of formats without a known peak, as a share of all, up to which the rest still gives a ceiling. */
static const double negligible = 0.01;

enum { SHORT = 32 };

static const char *const state_names[ROOF_PLACE_STATE_COUNT] = {
#define NAME(symbol, name) [symbol] = name,
    ROOF_PLACE_MAP(NAME)
#undef NAME
};

const char *roof_place_state_name(roof_place_state state) {
  return (unsigned)state < ROOF_PLACE_STATE_COUNT ? state_names[state] : "?";
}

const char *roof_basis_name(roof_basis basis) {
  static const char *const names[ROOF_BASIS_COUNT] = {"theoretical", "achieved"};
  return (unsigned)basis < ROOF_BASIS_COUNT ? names[basis] : "?";
}

/* What was counted */

void roof_counted_init(roof_counted *work) {
  *work = (roof_counted){.seconds = NAN,
                         .noise = NAN,
                         .unit = -1,
                         .other_bytes = NAN,
                         .write_share = NAN,
                         .update_share = NAN,
                         .link_bytes = NAN,
                         .calls = NAN,
                         .busy_compute = NAN,
                         .busy_memory = NAN};
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    work->other_flops[d] = NAN;
    for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
      work->flops[d][u] = NAN;
    }
  }
  for (int l = 0; l < ROOF_LEVEL_KIND_COUNT; l++) {
    work->bytes[l] = NAN;
  }
}

/** A counter by its name, as advise.h has it. */
static double counter_of(const roof_measurement *m, const char *name) {
  for (size_t i = 0; i < m->counter_count; i++) {
    if (strcmp(m->counters[i].name, name) == 0) {
      return m->counters[i].value;
    }
  }
  return NAN;
}

void roof_counted_of(const roof_measurement *m, roof_counted *work) {
  bool formats = false, levels = false;
  double threads = m->threads >= 1 ? m->threads : 1;
  roof_counted_init(work);
  work->seconds = m->seconds;
  work->cores = m->threads >= 1 ? (int)m->threads : 0;
  work->noise = m->sample_count > 1 ? (m->stats.ci_high - m->stats.ci_low) / (2 * m->stats.median) : NAN;
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    work->other_flops[d] = threads * m->dtype_flops[d];
    formats |= !isnan(m->dtype_flops[d]);
    for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
      work->flops[d][u] = threads * m->unit_flops[d][u];
      formats |= !isnan(m->unit_flops[d][u]);
    }
  }
  for (int l = 0; l < ROOF_LEVEL_KIND_COUNT; l++) {
    work->bytes[l] = threads * m->level_bytes[l];
    levels |= !isnan(m->level_bytes[l]);
  }
  work->other_flops[m->dtype] = formats ? work->other_flops[m->dtype] : threads * m->flops;
  work->other_bytes = levels ? NAN : threads * m->bytes;
  work->write_share = m->write_share;
  work->update_share = m->update_share;
  work->link_bytes = threads * m->link_bytes;
  work->link = m->link;
  work->calls = 1;
  work->busy_compute = counter_of(m, "compute");
  work->busy_memory = counter_of(m, "memory");
}

/* What a machine has */

static double peak_price(const roof_peak *peak, const roof_machine *machine, int cores, bool least) {
  if (peak == NULL) {
    return NAN;
  }
  roof_peak some = *peak;
  rf_cores_peak(machine, cores, &some);
  return 1 / (least ? rf_peak_limit(&some) : some.flops_per_second);
}

static void level_price(const roof_level *level, const roof_machine *machine, int cores, bool least,
                        double costs[ROOF_MIX_COUNT]) {
  for (int i = 0; i < ROOF_MIX_COUNT; i++) {
    costs[i] = NAN;
  }
  if (level == NULL) {
    return;
  }
  roof_level some = *level;
  rf_cores_level(machine, cores, &some);
  if (least) {
    rf_level_limit(&some, costs);
  } else {
    roof_level_costs(&some, costs);
  }
}

static void no_price(roof_price *price) {
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
      price->flop[d][u] = NAN;
    }
  }
  for (int l = 0; l < ROOF_LEVEL_KIND_COUNT; l++) {
    level_price(NULL, NULL, 0, false, price->byte[l]);
  }
}

/** The figures of one format as `target` resolved them, and on the way those of the levels, which are the
 * same for every format. */
static void take(roof_ceilings *c, const roof_target *target, bool least) {
  roof_price *price = least ? &c->least : &c->reached;
  roof_dtype dtype = roof_dtype_multiplied(target->types.compute);
  for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
    const roof_peak *peak = target->peak[u];
    price->flop[dtype][u] = peak_price(peak, c->machine, c->cores, least);
    c->peak[dtype][u] = least ? c->peak[dtype][u] : peak;
  }
  for (int l = 0; l < ROOF_LEVEL_KIND_COUNT; l++) {
    level_price(target->level[l], c->machine, c->cores, least, price->byte[l]);
    c->level[l] = least ? c->level[l] : target->level[l];
  }
}

/** What launching takes on an accelerator, of a kernel that is not known more closely than by its work. */
static void take_launch(roof_ceilings *c, const roof_target *target) {
  roof_prediction any = {.work = {.kernel = {.kind = ROOF_KERNEL_STREAM}, .launches = 1},
                         .overhead_seconds = target->launch_seconds};
  if (!target->parts_stay) {
    c->launch_seconds = target->launch_seconds;
    c->least_launch_seconds = target->least_launch_seconds;
    c->overhead_cutoff = roof_prediction_cutoff(target, &any);
  }
}

roof_status rf_ceilings_take(roof_ceilings *c, const roof_types *types, roof_error *error) {
  roof_options theoretical = c->options;
  roof_target target;
  roof_status status = roof_target_init(&target, c->machine, types, &c->options, error);
  if (status != ROOF_OK) {
    return status;
  }
  take(c, &target, false);
  take_launch(c, &target);
  theoretical.achieved = false;
  if (roof_target_init(&target, c->machine, types, &theoretical, NULL) == ROOF_OK) {
    take(c, &target, true);
  }
  return ROOF_OK;
}

roof_status roof_ceilings_init(roof_ceilings *ceilings, const roof_machine *machine, int cores,
                               const roof_options *options, roof_error *error) {
  roof_options defaults = roof_options_default(), asked = options != NULL ? *options : defaults;
  roof_ceilings c = {.machine = machine,
                     .cores = cores,
                     .options = asked,
                     .launch_seconds = NAN,
                     .least_launch_seconds = NAN,
                     .overhead_cutoff = NAN};
  no_price(&c.reached);
  no_price(&c.least);
  for (int d = 0; d < ROOF_DTYPE_COUNT && machine != NULL; d++) {
    roof_types types = roof_types_of((roof_dtype)d);
    roof_error why = {0};
    roof_status status = rf_ceilings_take(&c, &types, &why);
    if (status != ROOF_OK && status != ROOF_E_UNSUPPORTED) { /* no sparse peak of this format */
      return roof_error_set(error, status, "%s", why.message);
    }
  }
  *ceilings = c;
  return ROOF_OK;
}

/* The ceiling of counted work */

static double tolerance(double noise) {
  return 1 + fmax(ROOF_PLACE_ROUNDING, rf_known(noise));
}

/** The unit of FLOPs whose counter names none. */
static roof_unit unit_of_other(const roof_ceilings *c, const roof_counted *work, int dtype) {
  const roof_peak *vector = c->peak[dtype][ROOF_VECTOR], *matrix = c->peak[dtype][ROOF_MATRIX];
  bool lanes = vector != NULL && (int)vector->dtype == dtype;
  if (work->unit >= 0) {
    return (roof_unit)work->unit;
  }
  if (matrix == NULL || matrix->unit != ROOF_MATRIX) {
    return ROOF_VECTOR;
  }
  double least = work->other_flops[dtype] * c->reached.flop[dtype][ROOF_VECTOR];
  return !lanes || least > work->seconds * tolerance(work->noise) ? ROOF_MATRIX : ROOF_VECTOR;
}

static void add(double *sum, double value) {
  *sum = isnan(*sum) ? value : *sum + rf_known(value);
}

/** The work with every FLOP on a unit, and its sum. */
static roof_counted settle_units(const roof_ceilings *c, const roof_counted *work, roof_placed *out) {
  roof_counted settled = *work;
  double most = -1;
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    if (!isnan(work->other_flops[d])) {
      add(&settled.flops[d][unit_of_other(c, work, d)], work->other_flops[d]);
    }
    for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
      double flops = settled.flops[d][u];
      if (flops > most) {
        most = flops;
        out->dtype = (roof_dtype)d;
        out->unit = (roof_unit)u;
      }
      if (!isnan(flops)) {
        add(&out->flops, flops);
      }
    }
  }
  for (int l = 0; l < ROOF_LEVEL_KIND_COUNT; l++) {
    if (!isnan(work->bytes[l])) {
      out->bytes = work->bytes[l];
      out->level = (roof_level_kind)l;
    }
  }
  return settled;
}

/** Terms of the time on one basis; the longest so far names what binds. */
typedef struct bound {
  double seconds, compute_seconds;
  double bytes; /**< of the level or link that binds */
  roof_regime regime;
  const roof_peak *peak;
  const roof_level *level;
  const roof_link *link;
} bound;

static void consider(bound *b, double seconds, roof_regime regime) {
  if (!isnan(seconds) && !(seconds <= b->seconds)) {
    b->seconds = seconds;
    b->regime = regime;
  }
}

/** The units work at the same time, the formats of one unit one after the other. */
static void consider_flops(bound *b, const roof_ceilings *c, const roof_price *price,
                           const roof_counted *work) {
  for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
    double sum = NAN, largest = -1;
    const roof_peak *peak = NULL;
    for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
      double seconds = work->flops[d][u] * price->flop[d][u];
      if (!isnan(seconds)) {
        add(&sum, seconds);
        peak = seconds > largest ? c->peak[d][u] : peak;
        largest = fmax(largest, seconds);
      }
    }
    if (!isnan(sum) && !(sum <= b->seconds)) {
      b->peak = peak;
    }
    b->compute_seconds = fmax(b->compute_seconds, sum);
    consider(b, sum, ROOF_COMPUTE_BOUND);
  }
}

static double byte_price(const double costs[ROOF_MIX_COUNT], const roof_counted *work) {
  return isnan(work->write_share)
             ? roof_costs_least(costs)
             : rf_mix_cost(costs, rf_mix_of(work->write_share, rf_known(work->update_share)));
}

/** The link that the work goes through: the first of its name that joins its ranks. NULL: there is none. */
static const roof_link *link_of(const roof_machine *machine, const roof_counted *work) {
  const char *name = work->link != NULL ? work->link : "";
  for (int i = 0; machine != NULL && i < machine->link_count; i++) {
    const roof_link *link = &machine->links[i];
    if (strncmp(link->name, name, strlen(name)) == 0 && rf_link_joins(link, work->link_ranks)) {
      return link;
    }
  }
  return NULL;
}

static void consider_bytes(bound *b, const roof_ceilings *c, const roof_price *price,
                           const roof_counted *work) {
  for (int l = 0; l < ROOF_LEVEL_KIND_COUNT; l++) {
    double seconds = work->bytes[l] * byte_price(price->byte[l], work);
    if (!isnan(seconds) && !(seconds <= b->seconds)) {
      b->level = c->level[l];
      b->bytes = work->bytes[l];
    }
    consider(b, seconds, ROOF_MEMORY_BOUND);
  }
  const roof_link *link = link_of(c->machine, work);
  double seconds = link != NULL ? work->link_bytes / link->bytes_per_second : NAN;
  if (!isnan(seconds) && !(seconds <= b->seconds)) {
    b->link = link;
    b->bytes = work->link_bytes;
  }
  consider(b, seconds, ROOF_NETWORK_BOUND);
}

/** What the profiler says of a resource whose use it did not count, or of arithmetic on whole numbers. */
static void consider_busy(bound *b, const roof_counted *work, const roof_placed *counted) {
  if (!(counted->flops > 0)) {
    consider(b, work->busy_compute * work->seconds, ROOF_COMPUTE_BOUND);
  }
  if (isnan(counted->bytes)) {
    consider(b, work->busy_memory * work->seconds, ROOF_MEMORY_BOUND);
  }
}

static bound bound_of(const roof_ceilings *c, const roof_price *price, const roof_counted *work) {
  bound b = {.seconds = NAN, .compute_seconds = NAN, .bytes = NAN, .regime = ROOF_REGIME_COUNT};
  consider_flops(&b, c, price, work);
  consider_bytes(&b, c, price, work);
  return b;
}

/* Where it stands */

static roof_placed placed_at(double seconds) {
  return (roof_placed){.seconds = seconds,
                       .flops = NAN,
                       .bytes = NAN,
                       .intensity = NAN,
                       .dtype = ROOF_FP32,
                       .level = ROOF_MEMORY,
                       .regime = ROOF_REGIME_COUNT,
                       .ceiling_seconds = NAN,
                       .limit_seconds = NAN,
                       .compute_seconds = NAN,
                       .share = NAN,
                       .at_least = NAN,
                       .headroom = NAN,
                       .lost_seconds = NAN,
                       .fastest_seconds = NAN,
                       .slowest_seconds = NAN};
}

/** The verdict of the share nearest to what is normal that its noise allows: 49.0 +- 5 % is not a bug. */
static const roof_verdict *verdict_within(roof_basis basis, double share, double noise) {
  static const double normal = 0.75;
  double low = share * (1 - rf_known(noise)), high = fmin(1, share * (1 + rf_known(noise)));
  return roof_verdict_on(basis, fmin(fmax(low, normal), high));
}

/** The share, whether it can be and its verdict, once the ceiling and the limit are known. */
static void judge(roof_placed *p, double noise) {
  double most = tolerance(noise);
  if (!(p->seconds > 0) || !(p->ceiling_seconds > 0)) {
    p->state = ROOF_PLACE_UNKNOWN;
    if (p->why[0] == '\0') {
      rf_format(p->why, sizeof p->why, "%s",
                p->seconds > 0 ? "its ceiling is not known" : "its time is not known");
    }
    return;
  }
  p->share = p->ceiling_seconds / p->seconds;
  p->headroom = p->seconds / p->ceiling_seconds;
  p->lost_seconds = p->seconds - p->ceiling_seconds;
  p->state = p->limit_seconds > p->seconds * most ? ROOF_PLACE_IMPOSSIBLE
             : p->share > most                    ? ROOF_PLACE_ABOVE
                                                  : ROOF_PLACE_POSSIBLE;
  p->verdict = p->share > most ? roof_verdict_on(p->basis, p->share)
                               : verdict_within(p->basis, fmin(p->share, 1), noise);
  p->verdict = roof_verdict_in(p->regime, p->verdict);
  if (p->state == ROOF_PLACE_ABOVE) {
    rf_format(p->why, sizeof p->why,
              "%.1f %% of the measured ceiling: faster than the benchmark that measured it", 100 * p->share);
  }
}

static const char *quantity(char text[SHORT], double value, const char *unit) {
  return roof_quantity_format(text, SHORT, value, unit);
}

/** The arithmetic of a point above the hardware's ceiling, `bytes` being of the level or link that binds. */
static void explain_impossible(roof_placed *p, roof_regime regime, double bytes) {
  char rate[SHORT], limit[SHORT], slope[SHORT];
  double least = p->limit_seconds, intensity = p->flops / bytes;
  quantity(rate, p->flops / p->seconds, "FLOP/s");
  if (regime == ROOF_COMPUTE_BOUND) {
    rf_format(p->why, sizeof p->why, "%s cannot be: the peak is %s", rate,
              quantity(limit, p->flops / least, "FLOP/s"));
  } else if (regime == ROOF_NETWORK_BOUND || !(p->flops > 0)) {
    rf_format(p->why, sizeof p->why, "%s cannot be: the bandwidth is %s",
              quantity(rate, bytes / p->seconds, "B/s"), quantity(limit, bytes / least, "B/s"));
  } else {
    int length = rf_format(p->why, sizeof p->why, "%s cannot be at %.4g FLOP/B: %.4g FLOP/B x %s = %s", rate,
                           intensity, intensity, quantity(slope, bytes / least, "B/s"),
                           quantity(limit, p->flops / least, "FLOP/s"));
    char most[SHORT], said[SHORT];
    rf_format(most, sizeof most, "%.1f", 100 * p->compute_seconds / least);
    rf_format(said, sizeof said, "%.1f", 100 * p->compute_seconds / p->seconds);
    bool differs = p->compute_seconds > 0 && strcmp(most, said) != 0;
    if (differs && length > 0 && (size_t)length < sizeof p->why) {
      rf_format(p->why + length, sizeof p->why - (size_t)length, " = %s %% of the peak, not %s %%", most,
                said);
    }
  }
}

/** Why there is no ceiling, or NULL: no work counted is none, and neither is a peak or a level unknown. */
static const char *obstacle(const roof_ceilings *c, const roof_counted *work, const roof_placed *out,
                            char *buffer, size_t size) {
  double unknown = 0;
  bool moved = !isnan(out->bytes) || !isnan(work->link_bytes);
  bool busy = work->busy_compute > 0 || work->busy_memory > 0;
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
      bool lost = work->flops[d][u] > 0 && isnan(c->reached.flop[d][u]);
      unknown += lost ? work->flops[d][u] : 0;
      if (lost) {
        snprintf(buffer, size, "no %s %s peak of the machine is known", roof_dtype_name((roof_dtype)d),
                 roof_unit_name((roof_unit)u));
      }
    }
  }
  bool apart = work->link_bytes > 0 && work->link_ranks > 1 && link_of(c->machine, work) == NULL;
  if (apart && c->machine != NULL) {
    rf_link_lack(&(roof_target){.machine = c->machine}, work->link_ranks, buffer, size);
    return buffer;
  }
  return c->machine == NULL                            ? "no machine is named"
         : unknown > negligible * rf_known(out->flops) ? buffer
         : !moved && work->other_bytes > 0             ? "the level that its bytes come from is not known"
         : isnan(out->flops) && !moved && !busy ? "its work is not known: no FLOPs and no bytes were counted"
                                                : NULL;
}

static void name_binding(roof_placed *out, const bound *b) {
  out->regime = b->regime;
  if ((b->regime == ROOF_COMPUTE_BOUND && b->peak == NULL) ||
      (b->regime == ROOF_MEMORY_BOUND && b->level == NULL)) {
    snprintf(out->binding, sizeof out->binding, "%s", roof_regime_name(b->regime));
  } else if (b->regime == ROOF_OVERHEAD_BOUND) {
    snprintf(out->binding, sizeof out->binding, "launch");
  } else if (b->regime == ROOF_COMPUTE_BOUND) {
    snprintf(out->binding, sizeof out->binding, "%s %s", roof_dtype_name(b->peak->dtype),
             roof_unit_name(b->peak->unit));
    out->basis = b->peak->kind == ROOF_MEASURED ? ROOF_ACHIEVED : ROOF_THEORETICAL;
  } else if (b->regime == ROOF_MEMORY_BOUND) {
    snprintf(out->binding, sizeof out->binding, "%s", b->level->name);
    out->basis = b->level->kind == ROOF_MEASURED ? ROOF_ACHIEVED : ROOF_THEORETICAL;
  } else if (b->regime == ROOF_NETWORK_BOUND) {
    snprintf(out->binding, sizeof out->binding, "%s", b->link->name);
    out->basis = b->link->kind == ROOF_MEASURED ? ROOF_ACHIEVED : ROOF_THEORETICAL;
  }
}

/** Whether the work took no longer than starting its kernels may; their launches are its ceiling where they take longer than
 * what they do. */
static bool heed_launches(const roof_ceilings *c, const roof_counted *work, bound *b) {
  double each = work->seconds / work->calls, least = work->calls * c->least_launch_seconds;
  bool waits = isnan(work->link_bytes) && each >= c->least_launch_seconds && each <= c->overhead_cutoff;
  if (waits && work->calls * c->launch_seconds > b->seconds) {
    b->regime = ROOF_OVERHEAD_BOUND;
    b->seconds = fmax(b->seconds, least);
  }
  return waits;
}

static void place(const roof_ceilings *ceilings, const roof_counted *counted, roof_placed *placed) {
  roof_placed out = placed_at(counted->seconds);
  roof_counted work = settle_units(ceilings, counted, &out);
  char buffer[sizeof out.why] = "";
  const char *why = obstacle(ceilings, &work, &out, buffer, sizeof buffer);
  out.intensity = out.bytes > 0 ? out.flops / out.bytes : NAN;
  if (why != NULL) {
    rf_format(out.why, sizeof out.why, "%s", why);
  } else {
    bound reached = bound_of(ceilings, &ceilings->reached, &work);
    bound least = bound_of(ceilings, &ceilings->least, &work);
    consider_busy(&reached, counted, &out);
    bool waits = heed_launches(ceilings, counted, &reached);
    if (reached.seconds > 0) {
      name_binding(&out, &reached);
      out.cores = ceilings->cores;
      out.ceiling_seconds = reached.seconds;
      out.limit_seconds = least.seconds;
      out.compute_seconds = reached.compute_seconds;
    }
    judge(&out, counted->noise);
    out.verdict = waits ? roof_verdict_in(ROOF_OVERHEAD_BOUND, out.verdict) : out.verdict;
    if (out.state == ROOF_PLACE_IMPOSSIBLE) {
      explain_impossible(&out, least.regime, least.bytes);
    }
  }
  *placed = out;
}

void roof_place(const roof_ceilings *ceilings, const roof_counted *work, roof_placed *placed) {
  roof_ceilings some;
  bool fewer = work->cores > 0 && (ceilings->cores == 0 || work->cores < ceilings->cores);
  if (fewer && ceilings->machine != NULL &&
      roof_ceilings_init(&some, ceilings->machine, work->cores, &ceilings->options, NULL) == ROOF_OK) {
    place(&some, work, placed);
    if (placed->state <= ROOF_PLACE_POSSIBLE) {
      return;
    }
  }
  place(ceilings, work, placed);
}

void roof_place_withhold(roof_placed *p, const char *uncounted) {
  if (p->state != ROOF_PLACE_POSSIBLE || uncounted[0] == '\0') {
    return;
  }
  rf_format(p->why, sizeof p->why, "at least %.3g %% of %s, %s %s", 100 * p->share, p->binding, uncounted,
            strcmp(uncounted, "integer") == 0 ? "peak not known" : "not counted");
  p->at_least = p->share;
  p->state = ROOF_PLACE_UNKNOWN;
  p->regime = ROOF_REGIME_COUNT;
  p->verdict = NULL;
  p->ceiling_seconds = p->limit_seconds = p->share = p->headroom = p->lost_seconds = NAN;
}

void roof_place_foresee(roof_placed *placed, double fastest, double slowest) {
  placed->fastest_seconds = fastest;
  placed->slowest_seconds = slowest;
  placed->verdict = roof_verdict_heed(placed->verdict, placed->share, placed->seconds, fastest, slowest);
}

void roof_place_heed(const roof_ceilings *ceilings, const roof_op *op, const double *values,
                     const roof_types *types, double calls, roof_placed *placed) {
  roof_target target;
  roof_prediction p;
  if (ceilings->machine != NULL &&
      roof_target_init(&target, ceilings->machine, types, &ceilings->options, NULL) == ROOF_OK) {
    roof_predict(&target, op, values, &p);
    roof_place_foresee(placed, calls * p.expected_low_seconds, calls * p.expected_high_seconds);
  }
}

static bool is_same(double a, double b) {
  return fabs(a - b) <= 1e-9 * b;
}

/** What binds where the memory has the longest time, unless the last cache keeps bytes of a run before. */
static roof_regime kept_regime(const roof_target *target, const roof_prediction *p) {
  double least = p->lower_seconds, launches = p->work.launches * target->least_launch_seconds;
  return is_same(p->compute_seconds, least) ? ROOF_COMPUTE_BOUND
         : is_same(launches, least)         ? ROOF_OVERHEAD_BOUND
                                            : ROOF_MEMORY_BOUND;
}

/** The wall itself, whatever the overhead cutoff: the longest of the times. */
static roof_regime bound_regime(const roof_target *target, const roof_prediction *p) {
  double longest =
      fmax(fmax(p->compute_seconds, p->memory_seconds), fmax(p->network_seconds, p->overhead_seconds));
  return p->compute_seconds >= longest   ? ROOF_COMPUTE_BOUND
         : p->memory_seconds >= longest  ? kept_regime(target, p)
         : p->network_seconds >= longest ? ROOF_NETWORK_BOUND
                                         : ROOF_OVERHEAD_BOUND;
}

static roof_basis basis_of(const roof_prediction *p) {
  roof_provenance kind = p->regime == ROOF_COMPUTE_BOUND && p->peak != NULL     ? p->peak->kind
                         : p->regime == ROOF_MEMORY_BOUND && p->binding != NULL ? p->binding->kind
                         : p->regime == ROOF_NETWORK_BOUND && p->link != NULL   ? p->link->kind
                                                                                : ROOF_DATASHEET;
  return kind == ROOF_MEASURED ? ROOF_ACHIEVED : ROOF_THEORETICAL;
}

/** The work under the ceilings, in its band: no interval is heeded yet. `*own`: its prediction. */
static roof_placed place_bounds(const roof_target *target, const roof_work *work, double seconds,
                                double noise, roof_prediction *own) {
  roof_placed out = placed_at(seconds);
  roof_prediction p;
  roof_work counted = *work;
  counted.least.flops = NAN; /* a kernel is judged by the arithmetic of its own algorithm */
  roof_predict_work(target, &counted, &p);
  *own = p;
  out.flops = work->flops;
  out.bytes = p.bytes;
  out.intensity = p.intensity;
  out.dtype = roof_dtype_multiplied(target->types.compute);
  out.unit = work->unit;
  out.level = target->memory;
  if (p.lower_seconds > 0 && roof_prediction_bounds(target, &p, NULL) == ROOF_OK) {
    p.regime = bound_regime(target, &p);
    out.regime = p.regime;
    roof_prediction_binding(&p, out.binding, sizeof out.binding);
    out.basis = basis_of(&p);
    out.ceiling_seconds = p.lower_seconds;
    out.compute_seconds = p.compute_seconds;
    out.limit_seconds = roof_ceiling_of(target, ROOF_THEORETICAL, work).seconds;
  } else if (isnan(p.memory_seconds)) {
    snprintf(out.why, sizeof out.why, "no bandwidth of the machine is known");
  } else if (isnan(p.compute_seconds)) {
    snprintf(out.why, sizeof out.why, "no %s %s peak of the machine is known",
             roof_dtype_name(target->types.compute), roof_unit_name(work->unit));
  }
  judge(&out, noise);
  out.verdict = roof_verdict_in(own->regime, out.verdict);
  if (out.state == ROOF_PLACE_IMPOSSIBLE) {
    double moved = out.regime == ROOF_NETWORK_BOUND ? work->link_bytes : out.bytes;
    explain_impossible(&out, out.regime, moved);
  }
  return out;
}

void roof_place_work(const roof_target *target, const roof_work *work, double seconds, double noise,
                     roof_placed *placed) {
  roof_prediction own;
  *placed = place_bounds(target, work, seconds, noise, &own);
  roof_place_foresee(placed, own.expected_low_seconds, own.expected_high_seconds);
}

void roof_place_predicted(const roof_target *target, const roof_prediction *prediction, double seconds,
                          double noise, roof_placed *placed) {
  roof_prediction own;
  *placed = place_bounds(target, &prediction->work, seconds, noise, &own);
  roof_place_foresee(placed, prediction->expected_low_seconds, prediction->expected_high_seconds);
}

void roof_place_under(const roof_ceiling *ceiling, roof_basis basis, double flops, double bytes,
                      double seconds, double noise, roof_placed *placed) {
  roof_placed out = placed_at(seconds);
  double memory = bytes / ceiling->bytes_per_second;
  out.flops = flops;
  out.bytes = bytes;
  out.intensity = bytes > 0 ? flops / bytes : NAN;
  out.basis = basis;
  out.compute_seconds = flops / ceiling->flops_per_second;
  out.ceiling_seconds = fmax(out.compute_seconds, memory);
  out.limit_seconds = basis == ROOF_THEORETICAL ? out.ceiling_seconds : NAN;
  if (out.ceiling_seconds > 0) {
    out.regime = memory > rf_known(out.compute_seconds) ? ROOF_MEMORY_BOUND : ROOF_COMPUTE_BOUND;
  }
  judge(&out, noise);
  if (out.state == ROOF_PLACE_IMPOSSIBLE) {
    explain_impossible(&out, out.regime, bytes);
  }
  *placed = out;
}

void roof_place_time(double ceiling_seconds, roof_basis basis, double seconds, double noise,
                     roof_placed *placed) {
  roof_placed out = placed_at(seconds);
  char time[SHORT], least[SHORT];
  out.basis = basis;
  out.ceiling_seconds = ceiling_seconds;
  out.limit_seconds = basis == ROOF_THEORETICAL ? ceiling_seconds : NAN;
  judge(&out, noise);
  if (out.state == ROOF_PLACE_IMPOSSIBLE) {
    rf_format(out.why, sizeof out.why, "%s cannot be: its ceiling allows no less than %s",
              quantity(time, seconds, "s"), quantity(least, ceiling_seconds, "s"));
  }
  *placed = out;
}
