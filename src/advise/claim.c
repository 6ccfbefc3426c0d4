#include "advise/claim.h"
#include "advise/rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/ceilings.h"
#include "core/figures.h"
#include "core/number.h"
#include "ops/values.h"
#include "roofline/advise.h"
#include "roofline/explain.h"
#include "roofline/units.h"

/** A claim this near to another figure of the machine is taken for it. */
static const double same_figure = 1e-2;

enum { SHORT = 48 };

/* Other figures that the claim may be */

static void name_peak(char name[ROOF_CLAIM_NAME], const roof_machine *machine, const roof_peak *peak) {
  snprintf(name, ROOF_CLAIM_NAME, "%s %s %s peak%s", roof_peak_density(machine, peak),
           roof_dtype_name(peak->dtype), roof_unit_name(peak->unit),
           peak->fp16_sums ? " with fp16 sums" : "");
}

static void add_match(roof_claim_judged *j, const char *name, double value) {
  for (int i = 0; i < j->match_count; i++) {
    if (strcmp(j->matches[i].name, name) == 0) {
      return;
    }
  }
  if (j->match_count < ROOF_CLAIM_MATCHES) {
    roof_claim_match *m = &j->matches[j->match_count++];
    snprintf(m->name, sizeof m->name, "%s", name);
    m->value = value;
  }
}

static bool equals(double claimed, double figure) {
  return fabs(claimed / figure - 1) <= same_figure;
}

static void match_peaks(roof_claim_judged *j, const roof_machine *machine, const roof_peak *own) {
  for (int i = 0; i < machine->peak_count; i++) {
    const roof_peak *peak = &machine->peaks[i];
    char name[ROOF_CLAIM_NAME];
    if (peak->kind != ROOF_MEASURED && peak != own && equals(j->claimed, peak->flops_per_second)) {
      name_peak(name, machine, peak);
      add_match(j, name, peak->flops_per_second);
    }
  }
}

static void match_link(roof_claim_judged *j, const roof_link *link) {
  char name[ROOF_CLAIM_NAME], one_way[SHORT];
  if (equals(j->claimed, link->both_ways_bytes_per_second)) {
    snprintf(name, sizeof name, "%s both ways together (one way: %s)", link->name,
             roof_quantity_format(one_way, SHORT, link->bytes_per_second, "B/s"));
    add_match(j, name, link->both_ways_bytes_per_second);
  } else if (equals(j->claimed, link->bytes_per_second)) {
    snprintf(name, sizeof name, "%s one way", link->name);
    add_match(j, name, link->bytes_per_second);
  }
}

/** Levels and links, one way and both. */
static void match_bandwidths(roof_claim_judged *j, const roof_machine *machine) {
  char name[ROOF_CLAIM_NAME];
  for (int i = 0; i < machine->link_count; i++) {
    match_link(j, &machine->links[i]);
  }
  for (int i = 0; i < machine->level_count; i++) {
    const roof_level *level = &machine->levels[i];
    double bandwidth = roof_level_bandwidth(level, 0, 0);
    if (equals(j->claimed, bandwidth)) {
      snprintf(name, sizeof name, "%s bandwidth (%s)", level->name, roof_provenance_name(level->kind));
      add_match(j, name, bandwidth);
    }
  }
}

/* Judging */

static void set_source(roof_claim_judged *j, roof_provenance kind, const char *date, const char *source) {
  j->source_kind = kind;
  j->given = date[0] == '\0';
  snprintf(j->source, sizeof j->source, "%s%s%s%s%s", roof_provenance_name(kind),
           date[0] != '\0' ? " of " : "", date, source[0] != '\0' ? ", " : "", source);
}

/** Claimed and limit as `share` has them; a time's limit is under it. */
static void settle(roof_claim_judged *j, roof_claim_kind kind, double claimed) {
  j->kind = kind;
  j->claimed = claimed;
  j->limit = kind == ROOF_CLAIM_TIME ? j->placed.ceiling_seconds : claimed / j->placed.share;
  j->possible = j->placed.state == ROOF_PLACE_POSSIBLE;
}

/** One second of what is claimed of the machine. */
static roof_status place_second(const roof_target *target, const roof_counted *work, roof_placed *placed,
                                roof_error *error) {
  roof_ceilings ceilings;
  roof_status status = roof_ceilings_init(&ceilings, target->machine, 0, &target->options, error);
  status = status == ROOF_OK ? rf_ceilings_take(&ceilings, &target->types, error) : status;
  if (status == ROOF_OK) {
    roof_place(&ceilings, work, placed);
  }
  return status;
}

/** What the sparse peak would make of an impossible rate. */
static void judge_sparse(roof_claim_judged *j, const roof_target *target, const roof_peak *own) {
  const roof_peak *sparse = roof_machine_peak(target->machine, own->dtype, own->unit, true, ROOF_DATASHEET);
  if (sparse != NULL && !own->sparse && j->claimed <= sparse->flops_per_second * (1 + ROOF_PLACE_ROUNDING)) {
    j->sparse_share = j->claimed / sparse->flops_per_second;
    j->sparse_limit = sparse->flops_per_second;
    j->sparse_name = roof_peak_density(target->machine, sparse);
  }
}

/** The peak of the same products summed in fp16, where those summed in fp32 are slower; NULL: there is none. */
static const roof_peak *with_fp16_sums(const roof_machine *machine, const roof_peak *own) {
  const roof_peak *found = NULL;
  for (int i = 0; i < machine->peak_count && !own->sparse; i++) {
    const roof_peak *peak = &machine->peaks[i];
    found = peak->fp16_sums && peak->dtype == own->dtype && peak->unit == own->unit ? peak : found;
  }
  return found;
}

/** A claim that `share` of that peak makes possible may be of it: nobody says what it sums in. */
static void judge_sums(roof_claim_judged *j, const roof_peak *sums, double share) {
  if (share <= 1 + ROOF_PLACE_ROUNDING) {
    j->sums_share = share;
    j->sums_limit = sums->flops_per_second;
    j->placed.state = ROOF_PLACE_UNKNOWN;
  }
}

/** What was measured above the vendor's figure, as a consumer card runs above its nominal clock; NULL: nothing was. */
static const roof_peak *measured_above(const roof_machine *machine, const roof_peak *own) {
  const roof_peak *measured = roof_machine_peak(machine, own->dtype, own->unit, own->sparse, ROOF_MEASURED);
  return measured != NULL && measured->kind == ROOF_MEASURED &&
                 measured->flops_per_second > own->flops_per_second
             ? measured
             : NULL;
}

/** What was measured can be: `share` of it is at most what rounding makes of all. */
static void heed_share(roof_claim_judged *j, double share) {
  j->placed.share = share;
  j->placed.state = ROOF_PLACE_POSSIBLE;
  j->placed.verdict = roof_verdict_on(ROOF_ACHIEVED, fmin(share, 1));
  j->possible = true;
}

static void heed_measured(roof_claim_judged *j, const roof_machine *machine, const roof_peak *own) {
  const roof_peak *measured = measured_above(machine, own);
  if (measured != NULL && j->claimed <= measured->flops_per_second * (1 + ROOF_PLACE_ROUNDING)) {
    snprintf(j->limit_name, sizeof j->limit_name, "measured %s %s peak, above its nominal one",
             roof_dtype_name(own->dtype), roof_unit_name(own->unit));
    set_source(j, measured->kind, measured->date, measured->source);
    j->limit = measured->flops_per_second;
    heed_share(j, j->claimed / j->limit);
  }
}

/** The nominal clock of a peak; that of a sparse one is the dense one's. */
static double clock_of(const roof_machine *machine, const roof_peak *own) {
  const roof_peak *dense = roof_machine_peak(machine, own->dtype, own->unit, false, ROOF_DATASHEET);
  double clock = own->sparse && isnan(own->clock_hz) && dense != NULL ? dense->clock_hz : own->clock_hz;
  return isnan(clock) ? machine->clock_hz : clock;
}

/** How many times its nominal clock a device may run at: no card half as fast again, processors on all cores at 1.48 (EPYC 9654)
 * and 1.6 times their base clock (Xeon 6980P), as the notes of their files have it. */
static double highest_clock(const roof_machine *machine) {
  return strcmp(machine->device_class, "gpu") == 0   ? 1.3
         : strcmp(machine->device_class, "cpu") == 0 ? 1.6
                                                     : 1;
}

/** A little above a peak at its nominal clock: which clock that takes. What runs above its nominal clock may reach it. */
static void judge_clock(roof_claim_judged *j, const roof_machine *machine, const roof_peak *own) {
  double clock = clock_of(machine, own);
  bool nominal = own->kind != ROOF_MEASURED && clock > 0;
  if (!j->possible && nominal && j->placed.share <= highest_clock(machine)) {
    j->clock_hz = clock;
    j->needed_hz = clock * j->placed.share;
    j->placed.state = rf_exceeds_nominal(machine) ? ROOF_PLACE_UNKNOWN : j->placed.state;
  }
}

static roof_status judge_rate(roof_claim_judged *j, const roof_claim *c, const roof_target *target,
                              roof_error *error) {
  const roof_peak *peak = target->peak[ROOF_MATRIX];
  const roof_level *level = target->level[target->memory];
  double intensity = c->value[ROOF_CLAIM_INTENSITY], share = c->value[ROOF_CLAIM_SHARE];
  roof_counted work;
  roof_status status = roof_target_supports(target, ROOF_MATRIX, error);
  if (status != ROOF_OK) {
    return status;
  }
  double rate = isnan(share) ? c->value[ROOF_CLAIM_RATE] : share * peak->flops_per_second;
  roof_counted_init(&work);
  work.seconds = 1;
  work.flops[roof_dtype_multiplied(target->types.compute)][ROOF_MATRIX] = rate;
  work.bytes[target->memory] = rate / intensity;
  status = place_second(target, &work, &j->placed, error);
  if (status != ROOF_OK) {
    return status;
  }
  settle(j, ROOF_CLAIM_RATE, rate);
  if (j->placed.regime == ROOF_MEMORY_BOUND) {
    rf_format(j->limit_name, sizeof j->limit_name, "%s roof at %g FLOP/B", level->name, intensity);
    set_source(j, level->kind, level->date, level->source);
  } else {
    name_peak(j->limit_name, target->machine, peak);
    set_source(j, peak->kind, peak->date, peak->source);
  }
  if (isnan(intensity)) {
    match_peaks(j, target->machine, peak);
  }
  if (!j->possible && j->placed.regime != ROOF_MEMORY_BOUND) {
    heed_measured(j, target->machine, peak);
    judge_clock(j, target->machine, peak);
    const roof_peak *sums = with_fp16_sums(target->machine, peak);
    if (sums != NULL && !j->possible) {
      judge_sums(j, sums, j->claimed / sums->flops_per_second);
    }
  }
  if (isnan(intensity) && !j->possible && isnan(j->clock_hz) && isnan(j->sums_share)) {
    judge_sparse(j, target, peak);
  }
  return ROOF_OK;
}

/** What a benchmark reached on this very machine is not suspicious. */
static void heed_benchmark(roof_claim_judged *j, const roof_machine *machine) {
  const roof_level *level = roof_machine_level(machine, ROOF_MEMORY, ROOF_MEASURED);
  double costs[ROOF_MIX_COUNT];
  if (level == NULL || level->kind != ROOF_MEASURED) {
    return;
  }
  roof_level_costs(level, costs);
  double share = j->claimed * roof_costs_least(costs);
  if (share >= ROOF_STOP_FRACTION && share <= 1) {
    j->placed.verdict = roof_verdict_on(ROOF_ACHIEVED, share);
  }
}

/** The fastest that was measured of a level, by whatever pattern; NULL: nothing was. */
static const roof_level *fastest_measured(const roof_machine *machine, roof_level_kind kind,
                                          double *fastest) {
  const roof_level *found = NULL;
  *fastest = 0;
  for (int i = 0; i < machine->level_count; i++) {
    const roof_level *level = &machine->levels[i];
    double costs[ROOF_MIX_COUNT];
    roof_level_costs(level, costs);
    double rate = 1 / roof_costs_least(costs);
    if (level->level == kind && level->kind == ROOF_MEASURED && rate > *fastest) {
      *fastest = rate;
      found = level;
    }
  }
  return found;
}

static void heed_measured_level(roof_claim_judged *j, const roof_machine *machine, const roof_level *own) {
  double fastest;
  const roof_level *measured = fastest_measured(machine, own->level, &fastest);
  if (measured != NULL && fastest > j->limit && j->claimed <= fastest * (1 + ROOF_PLACE_ROUNDING)) {
    snprintf(j->limit_name, sizeof j->limit_name, "measured %s bandwidth, above its nominal one", own->name);
    set_source(j, measured->kind, measured->date, measured->source);
    j->limit = fastest;
    heed_share(j, j->claimed / j->limit);
  }
}

static roof_status judge_bandwidth(roof_claim_judged *j, const roof_claim *c, const roof_target *target,
                                   roof_error *error) {
  const roof_level *level = target->level[target->memory];
  const roof_link *link = target->options.link != NULL ? target->link : NULL;
  double claimed = c->value[ROOF_CLAIM_BANDWIDTH];
  roof_counted work;
  roof_counted_init(&work);
  work.seconds = 1;
  if (link != NULL) {
    work.link_bytes = claimed;
    work.link = link->name;
    snprintf(j->limit_name, sizeof j->limit_name, "%s bandwidth one way", link->name);
    set_source(j, link->kind, link->date, link->source);
  } else if (level != NULL) {
    work.bytes[target->memory] = claimed;
    snprintf(j->limit_name, sizeof j->limit_name, "%s bandwidth", level->name);
    set_source(j, level->kind, level->date, level->source);
  }
  roof_status status = place_second(target, &work, &j->placed, error);
  if (status == ROOF_OK && j->placed.state == ROOF_PLACE_UNKNOWN) {
    status =
        roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: no memory bandwidth is known", target->machine->name);
  }
  if (status == ROOF_OK) {
    settle(j, ROOF_CLAIM_BANDWIDTH, claimed);
    if (link == NULL && j->possible) {
      heed_benchmark(j, target->machine);
    } else if (link == NULL) {
      heed_measured_level(j, target->machine, level);
    }
    match_bandwidths(j, target->machine);
  }
  return status;
}

/** Would the sparse peak make it possible? */
static void judge_sparse_operation(roof_claim_judged *j, const roof_target *target, const roof_work *work) {
  roof_options options = target->options;
  roof_target sparse;
  roof_placed placed;
  options.sparse = true;
  const roof_peak *peak =
      roof_machine_peak(target->machine, target->types.compute, ROOF_MATRIX, true, ROOF_DATASHEET);
  if (peak != NULL && roof_target_init(&sparse, target->machine, &target->types, &options, NULL) == ROOF_OK) {
    roof_place_work(&sparse, work, j->placed.seconds, NAN, &placed);
    j->sparse_name = roof_peak_density(target->machine, peak);
    j->sparse_share = placed.state == ROOF_PLACE_POSSIBLE ? placed.share : NAN;
  }
}

/** A launch's cost as asked for, or of the machine. */
static void source_launch(roof_claim_judged *j, const roof_target *target) {
  const roof_origin *launch = &target->machine->launch_origin;
  if (isnan(target->options.launch)) {
    set_source(j, launch->kind, launch->date, launch->source);
  } else {
    set_source(j, ROOF_ASSUMED, "", "--launch");
  }
}

/** Where the figure that limits an operation comes from. */
static void source_operation(roof_claim_judged *j, const roof_target *target, const roof_prediction *p) {
  char name[ROOF_NAME_MAX];
  const roof_level_time *cache =
      j->placed.regime == ROOF_MEMORY_BOUND ? roof_prediction_bound_level(p) : NULL;
  const roof_level *level = cache != NULL ? cache->level : p->binding;
  snprintf(name, sizeof name, "%s", cache != NULL ? level->name : j->placed.binding);
  snprintf(j->limit_name, sizeof j->limit_name, "%s-bound (%s)", roof_regime_name(j->placed.regime), name);
  if (j->placed.regime == ROOF_COMPUTE_BOUND && p->peak != NULL) {
    set_source(j, p->peak->kind, p->peak->date, p->peak->source);
  } else if (j->placed.regime == ROOF_MEMORY_BOUND) {
    set_source(j, level->kind, level->date, level->source);
  } else if (j->placed.regime == ROOF_OVERHEAD_BOUND) {
    source_launch(j, target);
  }
}

/** A claim beyond the ceiling by which another algorithm could be meant: one that the lower bound counts with makes it
 * possible; Strassen's (1969), 7 products for 8, is named alone, since libraries of matrix products do not have it. */
static void judge_algorithm(roof_claim_judged *j, const roof_prediction *p) {
  static const double strassen = 7.0 / 8;
  double seconds = j->placed.seconds, compute = p->compute_seconds * strassen;
  if (j->possible || p->work.kernel.kind != ROOF_KERNEL_PRODUCT) {
    return;
  }
  if (p->work.least.why != NULL && p->lower_seconds <= seconds) {
    j->possible = true;
    j->algorithm = p->work.least.why;
    j->algorithm_seconds = p->lower_seconds;
  } else if (p->work.least.why == NULL && j->placed.regime == ROOF_COMPUTE_BOUND && compute <= seconds &&
             p->memory_seconds <= seconds) {
    j->algorithm = "a level of Strassen's algorithm";
    j->algorithm_seconds = compute;
  }
}

/** Whether the last cache may have kept all data of a run before, and nobody knows its bandwidth. */
static bool fits_unknown_cache(const roof_target *target, const roof_work *work) {
  for (int k = (int)target->memory - 1; k > (int)ROOF_L1 && !target->options.cold; k--) {
    const roof_level *level = target->level[k];
    if (level != NULL && level->bytes > 0) {
      bool unknown = isnan(target->seconds_per_byte[k][0]) && work->fresh_bytes <= 0;
      return unknown && work->working_set <= level->bytes * level->instances;
    }
  }
  return false;
}

/** What takes the time where the data come from such a cache; NaN: they do not, or the memory is not the limit. */
static double cached_seconds(const roof_claim_judged *j, const roof_target *target,
                             const roof_prediction *p) {
  double rest = fmax(p->compute_seconds, p->work.launches * target->least_launch_seconds);
  for (int i = 0; i < p->level_count; i++) {
    const roof_level_time *level = &p->levels[i];
    rest = level->level == p->binding ? rest : fmax(rest, level->seconds);
  }
  bool memory =
      j->placed.regime == ROOF_MEMORY_BOUND && p->binding != NULL && p->binding->level == target->memory;
  return memory && fits_unknown_cache(target, &p->work) ? rest : NAN;
}

/** A time that the memory alone forbids is possible where the data may come from such a cache. */
static void judge_cache(roof_claim_judged *j, const roof_target *target, const roof_prediction *p) {
  double rest = cached_seconds(j, target, p);
  if (j->possible || !(rest <= j->placed.seconds)) {
    return;
  }
  j->possible = true;
  j->algorithm = "its data in a cache whose bandwidth is unknown";
  j->algorithm_seconds = rest;
}

/** Bytes that a claimed bandwidth is of: of an exchange, which moves none in the memory, those that each rank sends by a
 * ring, over whose time they are the bus bandwidth of nccl-tests. */
static double moved_bytes(const roof_target *target, const roof_claim *c, const roof_prediction *p) {
  roof_prediction ring = *p;
  int algorithm = roof_op_param_index(c->op, "algorithm");
  if (algorithm >= 0) {
    roof_predict_at(target, c->op, c->values, algorithm, RF_RING, &ring);
  }
  return p->bytes > 0 ? p->bytes : ring.work.link_bytes;
}

static void use_peak(roof_target *target, roof_unit unit, const roof_peak *peak) {
  target->peak[unit] = peak;
  target->seconds_per_flop[unit] = 1 / peak->flops_per_second;
}

/** As judge_sums, of an operation. */
static void judge_sums_operation(roof_claim_judged *j, const roof_target *target, const roof_prediction *p) {
  const roof_peak *sums = with_fp16_sums(target->machine, p->peak);
  roof_target other = *target;
  roof_placed placed;
  if (sums != NULL && !j->possible) {
    use_peak(&other, p->work.unit, sums);
    roof_place_work(&other, &p->work, j->placed.seconds, NAN, &placed);
    judge_sums(j, sums, placed.share);
  }
}

/** As heed_measured, of an operation: by peak and memory as they were measured. */
static void heed_measured_operation(roof_claim_judged *j, const roof_target *target,
                                    const roof_prediction *p) {
  const roof_peak *peak = p->peak != NULL ? measured_above(target->machine, p->peak) : NULL;
  double fastest;
  const roof_level *level = fastest_measured(target->machine, target->memory, &fastest);
  roof_target faster = *target;
  roof_placed placed;
  if (peak != NULL) {
    use_peak(&faster, p->work.unit, peak);
  }
  for (int i = 0; i < ROOF_MIX_COUNT && level != NULL; i++) {
    double *cost = &faster.seconds_per_byte[target->memory][i];
    *cost = fmin(*cost, 1 / fastest);
  }
  roof_place_work(&faster, &p->work, j->placed.seconds, NAN, &placed);
  if (placed.share <= 1 + ROOF_PLACE_ROUNDING) {
    bool computes = placed.regime == ROOF_COMPUTE_BOUND && peak != NULL;
    j->placed = placed;
    settle(j, j->kind, j->claimed);
    heed_share(j, placed.share);
    snprintf(j->limit_name, sizeof j->limit_name, "%s-bound (%s), measured above its nominal figure",
             roof_regime_name(placed.regime), placed.binding);
    if (computes) {
      set_source(j, peak->kind, peak->date, peak->source);
    } else if (level != NULL) {
      set_source(j, level->kind, level->date, level->source);
    }
  }
}

static roof_status judge_operation(roof_claim_judged *j, const roof_claim *c, const roof_target *target,
                                   roof_error *error) {
  roof_prediction p;
  double share = c->value[ROOF_CLAIM_SHARE], time = c->value[ROOF_CLAIM_TIME];
  roof_predict(target, c->op, c->values, &p);
  roof_status status = roof_prediction_check(target, &p, error);
  bool of_peak = !isnan(share);
  if (status == ROOF_OK && p.peak == NULL && of_peak) {
    status = roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: its peak for %s is not known",
                            target->machine->name, c->op->name);
  }
  if (status != ROOF_OK) {
    return status;
  }
  double rate = of_peak && p.peak != NULL ? share * p.peak->flops_per_second : c->value[ROOF_CLAIM_RATE];
  roof_claim_kind kind = !isnan(time)   ? ROOF_CLAIM_TIME
                         : !isnan(rate) ? ROOF_CLAIM_RATE
                                        : ROOF_CLAIM_BANDWIDTH;
  double amount = kind == ROOF_CLAIM_RATE ? p.work.flops : moved_bytes(target, c, &p);
  double claimed = kind == ROOF_CLAIM_TIME   ? time
                   : kind == ROOF_CLAIM_RATE ? rate
                                             : c->value[ROOF_CLAIM_BANDWIDTH];
  if (kind != ROOF_CLAIM_TIME && !(amount > 0)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "claim: %s has no %s to count", c->op->name,
                          kind == ROOF_CLAIM_RATE ? "FLOP" : "bytes");
  }
  roof_place_work(target, &p.work, kind == ROOF_CLAIM_TIME ? time : amount / claimed, NAN, &j->placed);
  if (j->placed.state == ROOF_PLACE_UNKNOWN) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: %s", target->machine->name, j->placed.why);
  }
  settle(j, kind, claimed);
  j->fits = p.regime != ROOF_CAPACITY_BOUND;
  source_operation(j, target, &p);
  bool computes = j->placed.regime == ROOF_COMPUTE_BOUND && p.peak != NULL;
  if (!j->possible) {
    heed_measured_operation(j, target, &p);
  }
  judge_algorithm(j, &p);
  judge_cache(j, target, &p);
  if (computes && (target->parts_stay || rf_exceeds_nominal(target->machine))) {
    judge_clock(j, target->machine, p.peak);
  }
  if (computes) {
    judge_sums_operation(j, target, &p);
  }
  if (!j->possible && isnan(j->clock_hz) && isnan(j->sums_share) && p.work.flops > 0 &&
      !target->options.sparse) {
    judge_sparse_operation(j, target, &p.work);
  }
  return ROOF_OK;
}

/** An assumed limit may itself be wrong: as often as not by a format's rate or a sparse one taken for another, twice each. What the
 * asker gave (--peak, --launch) counts as it stands. */
static double sure_times(const roof_claim_judged *j) {
  static const double most = 4;
  return j->source_kind == ROOF_ASSUMED && !j->given ? most : 1;
}

double roof_claim_least_seconds(const roof_target *target, const roof_prediction *p) {
  roof_claim_judged j = {.possible = false};
  roof_place_work(target, &p->work, p->lower_seconds, NAN, &j.placed);
  if (j.placed.state == ROOF_PLACE_UNKNOWN) {
    return p->lower_seconds;
  }
  source_operation(&j, target, p);
  double rest = cached_seconds(&j, target, p), least = p->lower_seconds / sure_times(&j);
  return rest < least ? rest : least;
}

static void heed_assumed(roof_claim_judged *j) {
  if (!j->possible && sure_times(j) > 1 && j->placed.share <= sure_times(j)) {
    j->placed.state = ROOF_PLACE_UNKNOWN;
  }
}

/** What only an operation has: a working set that may be warm, tiles. */
static roof_status check_options(const roof_target *target, const roof_claim *c, roof_error *error) {
  const char *why = target->options.warm
                        ? "--warm goes with an operation, whose working set may be in a cache"
                    : target->options.tile > 0 ? "--tile goes with an operation, whose data are reused"
                                               : NULL;
  return why == NULL || c->op != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_ARGUMENT, "claim: %s", why);
}

roof_status roof_claim_judge(const roof_target *target, const roof_claim *claim, roof_claim_judged *judged,
                             roof_error *error) {
  roof_claim_judged j = {.limit = NAN,
                         .dtype = target->types.compute,
                         .fits = true,
                         .sparse_share = NAN,
                         .sparse_limit = NAN,
                         .sums_share = NAN,
                         .sums_limit = NAN,
                         .clock_hz = NAN,
                         .needed_hz = NAN};
  roof_status status = roof_claim_check(claim, error);
  status = status == ROOF_OK ? check_options(target, claim, error) : status;
  if (status == ROOF_OK) {
    bool moved = !isnan(claim->value[ROOF_CLAIM_BANDWIDTH]);
    status = (claim->op != NULL ? judge_operation
              : moved           ? judge_bandwidth
                                : judge_rate)(&j, claim, target, error);
  }
  if (status == ROOF_OK) {
    heed_assumed(&j);
    rf_claim_explain(&j, claim, target->machine);
    *judged = j;
  }
  return status;
}
