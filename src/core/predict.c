#include "roofline/predict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/curve.h"
#include "core/energy.h"
#include "core/form.h"
#include "core/known.h"
#include "core/link.h"
#include "core/mix.h"
#include "core/target.h"
#include "core/work.h"
#include "roofline/report.h"
#include "roofline/text.h"

static const char *const regime_names[ROOF_REGIME_COUNT] = {
#define NAME(symbol, name) [symbol] = name,
    ROOF_REGIME_MAP(NAME)
#undef NAME
};

const char *roof_regime_name(roof_regime regime) {
  return (unsigned)regime < ROOF_REGIME_COUNT ? regime_names[regime] : "?";
}

double roof_prediction_ceiling(const roof_prediction *p) {
  return fmax(p->attainable, p->work.flops / p->lower_seconds);
}

char *roof_prediction_binding(const roof_prediction *prediction, char *buffer, size_t size) {
  const roof_peak *peak = prediction->peak;
  int levels = prediction->level_count;
  const roof_level *level = prediction->regime == ROOF_CAPACITY_BOUND && levels > 0
                                ? prediction->levels[levels - 1].level
                                : prediction->binding;
  switch (prediction->regime) {
  case ROOF_COMPUTE_BOUND:
    snprintf(buffer, size, "%s%s%s", peak != NULL ? roof_dtype_name(peak->dtype) : "unknown",
             peak != NULL ? " " : "", peak != NULL ? roof_unit_name(peak->unit) : "");
    break;
  case ROOF_OVERHEAD_BOUND:
    snprintf(buffer, size,
             prediction->work.link_bytes > 0 &&
                     !(prediction->overhead_seconds > prediction->expected_seconds / 2)
                 ? "latency"
                 : "launch");
    break;
  case ROOF_NETWORK_BOUND:
    snprintf(buffer, size, "%s", prediction->link != NULL ? prediction->link->name : "unknown");
    break;
  default:
    snprintf(buffer, size, "%s", level != NULL ? level->name : "unknown");
  }
  return buffer;
}

static const double same_bound = 0.01; /* bounds closer than this are one */

bool roof_prediction_is_kept(const roof_prediction *p) {
  return p->regime == ROOF_MEMORY_BOUND && p->lower_seconds < (1 - same_bound) * p->memory_seconds;
}

const roof_level_time *roof_prediction_bound_level(const roof_prediction *p) {
  for (int i = 0; i < p->level_count && roof_prediction_is_kept(p); i++) {
    const roof_level_time *l = &p->levels[i];
    if (l->level != p->binding && fabs(l->seconds / p->lower_seconds - 1) < same_bound) {
      return l;
    }
  }
  return NULL;
}

char *roof_prediction_wall(const roof_prediction *p, char *buffer, size_t size) {
  const roof_level_time *cache = roof_prediction_bound_level(p);
  char binding[ROOF_NAME_MAX];
  roof_prediction_binding(p, binding, sizeof binding);
  snprintf(buffer, size, "%s-bound (%s)", roof_regime_name(p->regime),
           cache != NULL ? cache->level->name : binding);
  return buffer;
}

roof_status roof_prediction_bounds(const roof_target *target, const roof_prediction *p, roof_error *error) {
  const roof_work *w = &p->work;
  roof_status status = w->flops > 0 ? roof_target_supports(target, w->unit, error) : ROOF_OK;
  return status == ROOF_OK && p->bytes > 0 ? roof_target_moves(target, error) : status;
}

roof_status roof_prediction_check(const roof_target *target, const roof_prediction *p, roof_error *error) {
  const roof_work *w = &p->work;
  roof_status status = roof_prediction_bounds(target, p, error);
  bool apart = w->link_bytes > 0 && p->link == NULL;
  return status == ROOF_OK && apart ? roof_target_joins(target, w->kernel.count, error) : status;
}

/** Side of the largest square tile that one instance of a level holds with its two operands; NaN: its size is
 * not known. */
static double largest_tile(const roof_target *target, const roof_level *level) {
  return floor(sqrt(level->bytes / (3 * roof_dtype_bytes(target->types.compute))));
}

roof_tile_fit roof_target_tile(const roof_target *target) {
  roof_tile_fit fit = {NULL, NULL, NAN};
  for (int k = 0; k <= (int)target->memory && target->options.tile > 0; k++) {
    const roof_level *level = target->level[k];
    if (level == NULL) {
      continue;
    }
    if (!(largest_tile(target, level) < target->options.tile)) {
      fit.keeps = level;
      break;
    }
    fit.too_small = level;
    fit.largest = largest_tile(target, level);
  }
  return fit;
}

/** Bytes that a level supplies when square tiles sit in the level inside it: no_reuse / tile + writes. The
 * innermost level keeps the tile asked for, or as much of it as it holds; further out each level keeps the
 * largest tile it can, since a level never supplies more than the one inside it asks for. */
static double tiled_bytes(const roof_target *target, const roof_work *work, int k, double bytes) {
  double tile = target->options.tile;
  bool found = false;
  for (int i = 0; i < k; i++) {
    const roof_level *level = target->level[i];
    if (level != NULL) {
      double largest = largest_tile(target, level);
      tile = found ? fmax(tile, largest) : fmax(1, fmin(tile, largest));
      found = true;
    }
  }
  return found ? fmax(bytes, work->no_reuse_bytes / tile + work->write_bytes)
               : work->no_reuse_bytes + work->write_bytes;
}

/** Bytes of a working set that a level keeps. What all instances hold together counts only where each core
 * keeps a part that no other reads: on a processor, for work that reads its data once. An accelerator hands
 * its work out anew at each launch. */
static double kept_bytes(const roof_target *target, const roof_work *work, const roof_level *level) {
  return target->parts_stay && isnan(work->no_reuse_bytes) ? level->bytes * level->instances : level->bytes;
}

/** The level that warm data come from: the innermost that holds the working set, else the outermost. One whose bandwidth
 * is not known counts when a level inside it has one: that bounds the time. */
static int supply_level(const roof_target *target, const roof_work *work) {
  bool bounded = false;
  for (int k = 0; k < (int)target->memory; k++) {
    const roof_level *level = target->level[k];
    bounded = bounded || !isnan(target->seconds_per_byte[k][0]);
    if (level != NULL && bounded && kept_bytes(target, work, level) >= work->working_set) {
      return k;
    }
  }
  return (int)target->memory;
}

/** Share of the bytes that a processor's memory supplies of a working set that its last cache keeps in part, by what one core
 * reads of such a set; 1 where nobody measured that. */
static double share_of_memory(const roof_target *target, const roof_work *work) {
  const roof_report *report = roof_machine_report(target->machine);
  const roof_level *last = rf_last_cache(target);
  if (!target->parts_stay || target->memory != ROOF_MEMORY || last == NULL) {
    return 1;
  }
  double parts = kept_bytes(target, work, last) / last->bytes;
  return rf_curve_memory_share(report->curve, report->curve_count, work->working_set / parts);
}

/** Fills in the bytes that each level supplies, with tiles or warm. */
static void fill_bytes(const roof_target *target, const roof_work *work, double bytes, double *each) {
  bool tiled = target->options.tile > 0 && !isnan(work->no_reuse_bytes);
  int supply = target->options.warm ? supply_level(target, work) : (int)target->memory;
  for (int k = 0; k <= (int)target->memory; k++) {
    double own = work->level_bytes[k];
    own = !isnan(own) ? own : tiled ? tiled_bytes(target, work, k, bytes) : bytes;
    each[k] = k <= supply ? own : 0;
  }
  if (target->options.warm && supply == (int)target->memory) {
    each[supply] *= share_of_memory(target, work);
  }
}

static void time_levels(const roof_target *target, roof_prediction *out, double seconds_per_flop) {
  const roof_work *work = &out->work;
  const double all = out->bytes, flops = work->flops, intensity = out->intensity;
  rf_mix mix = rf_mix_of_work(work, all);
  double filled[ROOF_LEVEL_KIND_COUNT];
  const double *each = work->level_bytes; /* NaN: all */
  if (target->options.warm || target->options.tile > 0) {
    fill_bytes(target, work, all, filled);
    each = filled;
  }
  double memory_seconds = all == 0 ? 0 : NAN, ridge = NAN;
  const roof_level *binding = NULL;
  roof_level_time *t = out->levels;
  for (int k = 0; k <= (int)target->memory; k++) {
    const roof_level *level = target->level[k];
    if (level == NULL) {
      continue;
    }
    double cost = rf_mix_cost(target->seconds_per_byte[k], mix);
    double bytes = all;
    t->intensity = intensity;
    if (!isnan(each[k])) {
      bytes = each[k];
      t->intensity = bytes > 0 ? flops / bytes : NAN;
    }
    double seconds = bytes * cost;
    ridge = cost / seconds_per_flop;
    t->level = level;
    t->bytes = bytes;
    t->ridge = ridge;
    t->seconds = seconds;
    t++;
    if (!isnan(seconds) && !(seconds <= memory_seconds)) {
      memory_seconds = seconds;
      binding = level;
    }
  }
  out->level_count = (int)(t - out->levels);
  out->ridge = ridge;
  out->memory_seconds = memory_seconds;
  out->binding = binding;
}

static double larger(double a, double b) {
  return b > a ? b : a;
}

static double smaller(double a, double b) {
  return b < a ? b : a;
}

/** The times of a prediction, 0 where they are unknown. */
typedef struct terms {
  double compute, memory, network;
  double on_chip; /**< the longer of the first two */
} terms;

static inline terms terms_of(const roof_prediction *p) {
  double compute = rf_known(p->compute_seconds), memory = rf_known(p->memory_seconds);
  return (terms){compute, memory, rf_known(p->network_seconds), larger(compute, memory)};
}

/** Whether a form says what the latency is; a cutoff or a launch that was asked for counts instead. */
static inline bool knows_latency(const roof_target *target, const roof_form *form) {
  return form->known && isnan(target->options.overhead_cutoff) && isnan(target->options.launch);
}

double rf_latency_seconds(const roof_target *target, const roof_prediction *p) {
  const roof_work *work = &p->work;
  const roof_form *form = &target->forms[work->kernel.kind];
  double each = form->values[ROOF_WAVE_SECONDS], count;
  double turns = work->kernel.kind == ROOF_KERNEL_STREAM ? each * work->kernel.depth : 0;
  if (work->kernel.kind == ROOF_KERNEL_COLLECTIVE && p->link != NULL) {
    bool waves = !(target->options.without & 1u << ROOF_EFFECT_WAVES);
    turns = rf_messages_seconds(p->link, work, each, waves, &count);
  }
  return form->values[ROOF_LATENCY_SECONDS] * work->launches + turns;
}

double roof_prediction_cutoff(const roof_target *target, const roof_prediction *p) {
  const roof_form *form = &target->forms[p->work.kernel.kind];
  return knows_latency(target, form)
             ? larger(2 * rf_latency_seconds(target, p), rf_launching_seconds(form->values, &p->work))
             : larger(target->overhead_cutoff, rf_known(p->overhead_seconds));
}

/** Whether a transfer mostly waits for messages or, where its messages are part of the work, for its launches. */
static bool transfer_waits(const roof_target *target, const roof_prediction *p) {
  const roof_form *form = &target->forms[p->work.kernel.kind];
  if (knows_latency(target, form)) {
    return p->expected_seconds <= roof_prediction_cutoff(target, p);
  }
  bool launched = !form->known || !isnan(target->options.launch); /* the expected time has the launches */
  double launches = rf_known(p->overhead_seconds), work = p->expected_seconds - (launched ? launches : 0);
  return work < larger(launches, rf_known(target->options.overhead_cutoff));
}

/** Whether a transfer takes as long as what is done on the chip, and does not mostly wait. */
static bool network_binds(const roof_target *target, const roof_prediction *p, double on_chip) {
  return p->network_seconds > 0 && p->network_seconds >= on_chip && !transfer_waits(target, p);
}

/** Whether a kernel is over before the machine is busy: where its latency is known, when that is more than half of its
 * time, or when the host that launches it takes as long. */
static bool overhead_binds(const roof_target *target, const roof_prediction *p, double busy) {
  bool whole = knows_latency(target, &target->forms[p->work.kernel.kind]);
  double cutoff = roof_prediction_cutoff(target, p);
  return cutoff > 0 && (whole ? p->expected_seconds : busy) <= cutoff;
}

static roof_regime classify(const roof_target *target, const roof_prediction *p, const terms *t,
                            double busy) {
  if (p->work.working_set > target->capacity) {
    return ROOF_CAPACITY_BOUND;
  }
  bool unknown = p->work.link_bytes > 0 && isnan(p->network_seconds);
  if (unknown || network_binds(target, p, t->on_chip)) {
    return ROOF_NETWORK_BOUND;
  }
  if (overhead_binds(target, p, busy)) {
    return ROOF_OVERHEAD_BOUND;
  }
  return p->compute_seconds >= t->memory ? ROOF_COMPUTE_BOUND : ROOF_MEMORY_BOUND;
}

/** What ranks exchange over, else what two devices have. */
static const roof_link *link_of(const roof_target *target, const roof_work *work) {
  bool exchanges = work->link_bytes > 0 && work->kernel.kind == ROOF_KERNEL_COLLECTIVE;
  return exchanges ? roof_target_link(target, work->kernel.count) : target->link;
}

static double network_seconds(const roof_link *link, const roof_work *work) {
  if (work->link_bytes <= 0) {
    return 0;
  }
  if (link == NULL) {
    return NAN;
  }
  return rf_link_seconds(link, work);
}

/** Seconds that the memory takes at least, where the last cache may have kept data from a run before: all that fits,
 * and ever less of more, nothing of three times its size; nothing of what is fresh. */
static double least_memory_seconds(const roof_target *target, const roof_prediction *p, double memory) {
  double cache = target->cache_bytes, fresh = p->work.fresh_bytes;
  double set = larger(p->work.working_set - fresh, 0);
  if (!(cache > 0 && target->cache_seconds_per_byte > 0) || target->options.cold ||
      !(p->work.working_set > 0 && set < 3 * cache)) {
    return memory;
  }
  double kept = set <= cache ? 1 : cache * (3 - set / cache) / 2 / set;
  double from_memory = memory * (1 - kept * (1 - fresh / p->bytes)),
         from_cache = p->bytes * target->cache_seconds_per_byte;
  return smaller(memory, larger(from_memory, from_cache));
}

/** What is left of a time when `least` of `all` is done; NaN: all of it. */
static double left(double seconds, double least, double all) {
  return isnan(least) || !(all > 0) ? seconds : seconds * least / all;
}

/** An exchange takes one message at least, and the bytes that the switch leaves. */
static double least_network_seconds(const roof_prediction *p) {
  const roof_work *w = &p->work;
  const roof_link *link = p->link;
  if (link == NULL || !(w->link_bytes > 0)) {
    return 0;
  }
  bool fewer = link->reduces && w->least.link_bytes < w->link_bytes;
  return (fewer ? w->least.link_bytes : w->link_bytes) / link->bytes_per_second +
         smaller(w->link_steps, 1) * rf_known(link->latency_seconds);
}

/** The longest of what cannot be avoided. */
static double lower_seconds(const roof_target *target, const roof_prediction *p, const terms *t) {
  const roof_work *w = &p->work;
  bool stored = w->cache_bytes > 0 && w->unit == ROOF_MATRIX;
  double compute = left(t->compute, w->least.flops, w->flops);
  double memory = left(least_memory_seconds(target, p, t->memory), w->least.bytes, p->bytes);
  double launches = w->launches * target->least_launch_seconds;
  compute = stored ? compute * target->cache_arithmetic : compute;
  return larger(larger(compute, memory), larger(least_network_seconds(p), launches));
}

/** What each time reaches of its ceiling, over what is expected of one that is not measured. */
typedef struct reach {
  double compute, memory;
} reach;

/** Of the longer time, where `share` is expected of those at a ceiling that is not measured. */
static double share_of_both(const terms *t, const reach *r, double share) {
  double compute = smaller(share * r->compute, 1), memory = smaller(share * r->memory, 1);
  double computed = t->compute / compute, moved = t->memory / memory;
  if ((computed >= moved) == (t->compute >= t->memory)) {
    return computed >= moved ? compute : memory;
  }
  return t->on_chip / larger(computed, moved);
}

roof_shares roof_expected_shares(const roof_target *target, const roof_prediction *p) {
  const roof_options *options = &target->options;
  terms t = terms_of(p);
  bool counts = options->without != ROOF_EFFECTS_ALL, sent = p->network_seconds > t.on_chip;
  bool link = sent && p->link != NULL && p->link->kind == ROOF_MEASURED;
  bool peak = sent ? link : p->peak != NULL && p->peak->kind == ROOF_MEASURED;
  bool level = sent ? link : p->binding != NULL && p->binding->kind == ROOF_MEASURED;
  reach r = {counts && peak ? 1 / options->efficiency : 1, counts && level ? 1 / options->efficiency : 1};
  return (roof_shares){share_of_both(&t, &r, options->efficiency_low),
                       share_of_both(&t, &r, options->efficiency),
                       share_of_both(&t, &r, options->efficiency_high)};
}

static double form_seconds(const roof_target *target, roof_prediction *out, roof_kernel_kind kind) {
  out->work.kernel.kind = kind;
  return rf_form_seconds(target, out, target->forms[kind].values, target->options.without, NULL);
}

/** By the form of the kernel's kind; attention that may be split is of the kind that is faster. */
static double kernel_seconds(const roof_target *target, roof_prediction *out) {
  roof_kernel_kind kind = out->work.kernel.kind;
  double whole = form_seconds(target, out, kind);
  if (!rf_attention_splits(target, &out->work.kernel)) {
    return whole;
  }
  double split = form_seconds(target, out, kind - 1);
  out->work.kernel.kind = kind - (split < whole);
  return smaller(split, whole);
}

/** What messages over a link of unknown latency are assumed to take: in the time to expect, not in its bound. */
static double assumed_messages(const roof_prediction *p) {
  const roof_link *link = p->link;
  bool unknown = p->work.link_bytes > 0 && link != NULL && isnan(link->latency_seconds);
  return unknown ? p->work.link_steps * rf_link_latency(link) : 0;
}

/** An assumed latency is off by so many times, either way: from NVLink's 0.6 us to a host's 5 us. */
static const double assumed_within = 4;

/** The time to expect, and its interval, of a bare roofline of `bound` seconds. */
static void expect(const roof_target *target, roof_prediction *out, double bound) {
  const roof_options *options = &target->options;
  const roof_form *form = &target->forms[out->work.kernel.kind];
  if (!form->known) {
    double overhead = rf_known(out->overhead_seconds), messages = assumed_messages(out);
    roof_shares shares = roof_expected_shares(target, out);
    out->expected_seconds = bound / shares.typical + overhead + messages;
    out->expected_low_seconds = bound / shares.high + overhead + messages / assumed_within;
    out->expected_high_seconds = bound / shares.low + overhead + messages * assumed_within;
    return;
  }
  double given = isnan(options->launch) ? 0 : out->overhead_seconds;
  double expected = kernel_seconds(target, out) + given + 0 * bound;
  form = &target->forms[out->work.kernel.kind];
  out->expected_seconds = larger(expected, out->lower_seconds);
  out->expected_low_seconds = larger(expected * form->values[ROOF_TIME_LOW], out->lower_seconds);
  out->expected_high_seconds = larger(expected * form->values[ROOF_TIME_HIGH], out->expected_seconds);
}

/** Predicts from out->work. */
static void predict(const roof_target *target, const roof_link *link, roof_prediction *out) {
  const roof_options *options = &target->options;
  const roof_work *work = &out->work;
  double seconds_per_flop = target->seconds_per_flop[work->unit];
  out->work.kernel.kind = rf_attention_kind(target, &work->kernel);
  out->bytes = work->read_bytes + work->write_bytes;
  out->intensity = out->bytes > 0 ? work->flops / out->bytes : NAN;
  out->peak = target->peak[work->unit];
  out->compute_seconds = work->flops == 0 ? 0 : work->flops * seconds_per_flop;
  time_levels(target, out, seconds_per_flop);
  out->overhead_seconds = work->launches * target->launch_seconds;
  out->link = link;
  out->network_seconds = network_seconds(link, work);

  terms t = terms_of(out);
  double unknown = 0 * (work->flops + out->bytes); /* NaN when the work itself is unknown, else 0 */
  unknown += out->bytes > 0 ? 0 * out->memory_seconds : 0;
  unknown += work->link_bytes > 0 ? 0 * out->network_seconds : 0;
  double longest = larger(t.on_chip, t.network) + unknown;
  double sum = t.compute + t.memory + t.network + unknown;
  double bound = longest + (1 - options->overlap) * (sum - longest);
  out->attainable = t.on_chip > 0 ? work->flops / t.on_chip : NAN;
  out->lower_seconds = lower_seconds(target, out, &t) + unknown;
  out->upper_seconds = sum + rf_known(out->overhead_seconds);
  expect(target, out, bound);
  out->regime = classify(target, out, &t, bound / options->efficiency);
  out->energy_joules = rf_energy_joules(target, out, out->expected_seconds);
}

void roof_predict_work(const roof_target *target, const roof_work *work, roof_prediction *out) {
  roof_predict_transfer(target, link_of(target, work), work, out);
}

void roof_predict_transfer(const roof_target *target, const roof_link *link, const roof_work *work,
                           roof_prediction *out) {
  if (work != &out->work) {
    out->work = *work;
  }
  predict(target, link, out);
}

void roof_predict(const roof_target *target, const roof_op *op, const double *values, roof_prediction *out) {
  rf_work_init(&out->work);
  out->work.unit = op->unit;
  op->work(op, values, &target->types, &out->work);
  predict(target, link_of(target, &out->work), out);
}

void roof_predict_at(const roof_target *target, const roof_op *op, const double *values, int param,
                     double value, roof_prediction *out) {
  double trial[ROOF_PARAM_MAX];
  memcpy(trial, values, sizeof trial);
  trial[param] = value;
  for (int i = 0; i < ROOF_PARAM_MAX && op->params[i].name != NULL; i++) {
    if (isnan(trial[i]) && op->params[i].same_as != NULL) {
      trial[i] = trial[roof_op_param_index(op, op->params[i].same_as)];
    }
  }
  roof_predict(target, op, trial, out);
}

void roof_predict_escape(const roof_target *target, roof_unit unit, double *bytes, double *flops) {
  double launch = isnan(target->launch_seconds) ? 0 : target->launch_seconds;
  double busy = fmax(target->overhead_cutoff, launch) * target->options.efficiency;
  *bytes = busy / target->seconds_per_byte[target->memory][0];
  *flops = busy / target->seconds_per_flop[unit];
}
