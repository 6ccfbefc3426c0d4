#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise/levers.h"
#include "advise/rules.h"
#include "core/crossing.h"
#include "core/form.h"
#include "core/link.h"
#include "core/mix.h"
#include "core/number.h"
#include "roofline/effects.h"
#include "roofline/units.h"

enum { SHORT = 48, LEVERS_MAX = 48 };

static const char *const kind_names[ROOF_LEVER_KIND_COUNT] = {
#define NAME(symbol, name) [symbol] = name,
    ROOF_LEVER_MAP(NAME)
#undef NAME
};

const char *roof_lever_name(roof_lever_kind kind) {
  return (unsigned)kind < ROOF_LEVER_KIND_COUNT ? kind_names[kind] : "?";
}

/** The case as it is, and the levers found so far. */
typedef struct bench {
  const roof_target *target;
  const roof_op *op;
  const double *typed;
  double users;                  /**< 0 unknown */
  double values[ROOF_PARAM_MAX]; /**< completed */
  roof_prediction now;
  roof_lever levers[LEVERS_MAX];
  size_t count;
} bench;

/** NaN where the operation does not use it. */
static double link_rate(const roof_prediction *p) {
  return p->link != NULL && p->work.link_bytes > 0 ? p->link->bytes_per_second : NAN;
}

static double rate(const roof_target *t, const roof_prediction *p) {
  return 1 / t->seconds_per_flop[p->work.unit];
}

char *roof_levers_moved(const roof_target *target_before, const roof_prediction *before,
                        const roof_target *target_after, const roof_prediction *after, char *buffer,
                        size_t size) {
  const struct {
    const char *name;
    double from, to;
    const char *unit;
  } quantities[] = {
      {"FLOPs", before->work.flops, after->work.flops, "FLOP"},
      {"bytes", before->bytes, after->bytes, "B"},
      {"link bytes", before->work.link_bytes, after->work.link_bytes, "B"},
      {"link steps", before->work.link_steps, after->work.link_steps, ""},
      {"launches", before->work.launches, after->work.launches, ""},
      {"launch cost", target_before->launch_seconds, target_after->launch_seconds, "s"},
      {"peak", rate(target_before, before), rate(target_after, after), "FLOP/s"},
      {"bandwidth", rf_mix_rate(target_before, before), rf_mix_rate(target_after, before), "B/s"},
      {"link", link_rate(before), link_rate(after), "B/s"},
  };
  size_t used = 0;
  snprintf(buffer, size, "nothing");
  for (size_t i = 0; i < sizeof quantities / sizeof quantities[0] && used < size; i++) {
    double from = quantities[i].from, to = quantities[i].to;
    char a[SHORT], b[SHORT];
    if (isnan(from) || isnan(to) || fabs(to - from) <= 1e-12 * fabs(from)) {
      continue;
    }
    used += (size_t)rf_format(buffer + used, size - used, "%s%s %s -> %s (%.3gx)", used > 0 ? ", " : "",
                              quantities[i].name, roof_quantity_format(a, SHORT, from, quantities[i].unit),
                              roof_quantity_format(b, SHORT, to, quantities[i].unit), to / from);
  }
  return buffer;
}

/** "HBM 140.2 us, compute 475 ns": the two times a change would trade. */
static void write_times(const roof_prediction *p, char *buffer, size_t size) {
  char a[SHORT], b[SHORT];
  if (p->network_seconds > 0) {
    snprintf(buffer, size, "the link %s", roof_quantity_format(a, SHORT, p->network_seconds, "s"));
    return;
  }
  snprintf(buffer, size, "arithmetic %s, %s %s", roof_quantity_format(a, SHORT, p->compute_seconds, "s"),
           p->binding != NULL ? p->binding->name : "memory",
           roof_quantity_format(b, SHORT, p->memory_seconds, "s"));
}

/** Adds a lever; `scale` is how much more work the changed case does (a larger batch). */
static roof_lever *add(bench *b, roof_lever_kind kind, const roof_target *target,
                       const roof_prediction *after, double scale) {
  roof_lever *l = &b->levers[b->count < LEVERS_MAX - 1 ? b->count++ : LEVERS_MAX - 1];
  char times[SHORT * 3], binding[ROOF_NAME_MAX];
  *l = (roof_lever){.kind = kind,
                    .gain = b->now.expected_seconds / after->expected_seconds * scale,
                    .seconds = after->expected_seconds,
                    .flips_at = NAN,
                    .regime = after->regime};
  roof_levers_moved(b->target, &b->now, target, after, l->moved, sizeof l->moved);
  write_times(after, times, sizeof times);
  snprintf(l->why, sizeof l->why, "then %s-bound (%s): %s", roof_regime_name(after->regime),
           roof_prediction_binding(after, binding, sizeof binding), times);
  return l;
}

/** Predicts the same work with other formats; false where the machine has no path for them. */
static bool predict_types(const bench *b, const roof_types *types, roof_target *target, roof_prediction *p) {
  roof_options o = b->target->options;
  o.sparse = false;
  if (roof_target_init(target, b->target->machine, types, &o, NULL) != ROOF_OK) {
    return false;
  }
  roof_predict(target, b->op, b->values, p);
  return roof_target_supports(target, p->work.unit, NULL) == ROOF_OK;
}

static bool is_processor(const bench *b) {
  return rf_device_of(b->target->machine) == RF_ON_CPU;
}

/** Whether more or less of it is sent changes the time: a short exchange waits for its messages. */
static bool exchanges(const bench *b) {
  const roof_work *work = &b->now.work;
  return b->now.regime == ROOF_NETWORK_BOUND ||
         (work->kernel.kind == ROOF_KERNEL_COLLECTIVE && work->link_bytes > 0);
}

/** True where the unit computes in the format itself. The vector units of a GPU convert it on the way; a
 * processor without the arithmetic pays for that, and has none where its file names no peak for it. */
static bool is_native(const bench *b, const roof_prediction *p, roof_dtype dtype) {
  bool own = p->peak != NULL && p->peak->dtype == dtype && p->peak->unit == b->now.work.unit;
  return own || (!is_processor(b) && (p->peak == NULL || b->now.work.unit == ROOF_VECTOR));
}

/** Bytes written where results are in the format as well. */
static double writes_in(const bench *b, roof_dtype dtype) {
  roof_types types = roof_types_of(dtype);
  roof_work work;
  roof_work_init(&work);
  b->op->work(b->op, b->values, &types, &work);
  return work.write_bytes;
}

/** Formats narrower than the present one that the unit computes in, one per size: the first with the best
 * peak. What needs fp64 may do with fp32, and with no less. */
static void add_native(bench *b) {
  double last = roof_dtype_bytes(b->target->types.compute);
  double least = b->target->types.compute == ROOF_FP64 ? roof_dtype_bytes(ROOF_FP32) : 0;
  bool vector = b->now.work.unit == ROOF_VECTOR;
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    roof_types types = roof_types_of((roof_dtype)d);
    double bytes = roof_dtype_bytes((roof_dtype)d);
    roof_target target;
    roof_prediction p;
    types.output = bytes < roof_dtype_bytes(b->target->types.output) && bytes >= 2 ? (roof_dtype)d
                                                                                   : b->target->types.output;
    if (bytes >= last || bytes < least || (vector && bytes < 2) || !predict_types(b, &types, &target, &p) ||
        !is_native(b, &p, (roof_dtype)d)) {
      continue;
    }
    last = bytes;
    roof_lever *l = add(b, ROOF_LEVER_PRECISION, &target, &p, 1);
    bool apart = types.output != (roof_dtype)d && writes_in(b, (roof_dtype)d) != p.work.write_bytes;
    snprintf(l->change, sizeof l->change, "compute and store in %s%s%s", roof_dtype_name((roof_dtype)d),
             apart ? ", results in " : "", apart ? roof_dtype_name(types.output) : "");
  }
}

/** Only the stored format of weights, or of keys and values: bytes move, the peak does not. A model computes in less than
 * fp64: what does not has no weights. */
static void add_stored(bench *b) {
  static const struct {
    roof_dtype dtype;
    double group;
  } stored[] = {{ROOF_INT8, 0}, {ROOF_INT4, 128}};
  bool model = b->target->types.compute != ROOF_FP64;
  for (size_t i = 0; model && i < sizeof stored / sizeof stored[0]; i++) {
    for (int kv = 0; kv < 2; kv++) {
      roof_types types = b->target->types;
      roof_target target;
      roof_prediction p;
      roof_dtype *part = kv ? &types.kv : &types.weights;
      if (roof_dtype_bytes(stored[i].dtype) >= roof_dtype_bytes(*part)) {
        continue;
      }
      *part = stored[i].dtype;
      types.group = kv ? types.group : stored[i].group;
      if (!predict_types(b, &types, &target, &p) || p.bytes == b->now.bytes) {
        continue;
      }
      roof_lever *l = add(b, ROOF_LEVER_PRECISION, &target, &p, 1);
      snprintf(l->change, sizeof l->change, "%s in %s%s", kv ? "keys and values" : "weights",
               roof_dtype_name(stored[i].dtype), !kv && stored[i].group > 0 ? ", a scale per 128" : "");
    }
  }
}

/** With a single user the batch stays. */
static void refuse_batching(bench *b, double present) {
  roof_lever *l = add(b, ROOF_LEVER_BATCHING, b->target, &b->now, 1);
  snprintf(l->change, sizeof l->change, "more than %s=%.0f in one call", b->op->batch, present);
  snprintf(l->why, sizeof l->why, "%.0f user%s at once: there is nothing more to batch", b->users,
           b->users == 1 ? "" : "s");
}

static void explain_batching(const bench *b, double crossing, double size, roof_lever *l) {
  if (b->now.compute_seconds >= b->now.memory_seconds) {
    snprintf(l->why, sizeof l->why, "already compute-bound: twice the %s takes twice the time", b->op->batch);
  } else if (isnan(crossing)) {
    rf_format(l->why, sizeof l->why,
              "intensity stays under the ridge of %.4g FLOP/B: no larger %s flips the side", b->now.ridge,
              b->op->batch);
  } else if (size < crossing) {
    snprintf(l->why, sizeof l->why, "all %.0f users at once; the regime would flip to compute at %s=%.0f",
             b->users, b->op->batch, crossing);
  } else {
    snprintf(l->why, sizeof l->why,
             "the regime flips to compute there; up to it, bytes read once serve more %s", b->op->batch);
  }
}

/** The batch where the memory side ends, or that of all users, and what each of its items then costs. */
static void add_batching(bench *b) {
  if (b->op->batch == NULL || b->now.work.flops <= 0) {
    return;
  }
  int param = roof_op_param_index(b->op, b->op->batch);
  double present = b->values[param];
  if (b->users > 0 && b->users <= present) {
    refuse_batching(b, present);
    return;
  }
  bool memory = b->now.compute_seconds < b->now.memory_seconds;
  double flip = memory ? rf_crossing_after(b->target, b->op, b->typed, param, present).value : NAN;
  double crossing = ceil(flip * (1 - 1e-12));
  double size = isnan(crossing) ? 2 * present : crossing;
  size = b->users > 0 ? fmin(size, b->users) : size;
  roof_prediction p;
  roof_predict_at(b->target, b->op, b->typed, param, size, &p);
  roof_lever *l = add(b, ROOF_LEVER_BATCHING, b->target, &p, size / present);
  l->flips_at = crossing;
  snprintf(l->change, sizeof l->change, "%s=%.0f in one call instead of %s=%.0f", b->op->batch, size,
           b->op->batch, present);
  explain_batching(b, crossing, size, l);
}

/** Another choice of a parameter ("algorithm=flash") that does the same with less. */
static void add_choices(bench *b) {
  for (int i = 0; i < ROOF_PARAM_MAX && b->op->params[i].name != NULL; i++) {
    const roof_param *param = &b->op->params[i];
    for (int c = 0; param->kind == ROOF_PARAM_CHOICE && c < ROOF_CHOICE_MAX && param->choices[c] != NULL;
         c++) {
      roof_prediction p;
      roof_predict_at(b->target, b->op, b->typed, i, c, &p);
      if (c == (int)b->values[i] || p.expected_seconds >= b->now.expected_seconds) {
        continue;
      }
      roof_lever *l = add(b, exchanges(b) ? ROOF_LEVER_PARALLEL : ROOF_LEVER_FUSION, b->target, &p, 1);
      snprintf(l->change, sizeof l->change, "%s=%s", param->name, param->choices[c]);
    }
  }
}

/** The pair of this operation and one that reads its result element by element: fused, the result makes no
 * round trip. */
static void add_fusion(bench *b) {
  const roof_work *w = &b->now.work;
  if (w->write_bytes <= 0 || w->link_bytes > 0) {
    return;
  }
  roof_work pass;
  roof_prediction next;
  char bytes[SHORT], before[SHORT];
  roof_work_init(&pass);
  pass.read_bytes = pass.write_bytes = w->write_bytes;
  roof_predict_work(b->target, &pass, &next);
  roof_lever *l = add(b, ROOF_LEVER_FUSION, b->target, &b->now, 1);
  double pair = l->seconds + next.expected_seconds;
  l->gain = pair / l->seconds;
  roof_quantity_format(bytes, SHORT, 2 * w->write_bytes, "B");
  roof_quantity_format(before, SHORT, pair, "s");
  snprintf(l->change, sizeof l->change, "into one kernel with what reads its result");
  snprintf(l->moved, sizeof l->moved, "bytes of the pair %s less", bytes);
  snprintf(l->why, sizeof l->why,
           "with an elementwise reader the pair takes %s unfused; fused, the result makes no round trip",
           before);
}

/** How the devices of a maker start many kernels at once; the last row is of all others. */
static const struct {
  const char *vendor, *change;
} launches[] = {
    {"NVIDIA", "one launch for many: CUDA graphs or a persistent kernel"},
    {"AMD", "one launch for many: HIP graphs or a persistent kernel"},
    {"Intel", "one launch for many: SYCL graphs or a persistent kernel"},
    {"Google", "one compiled program for many operations"},
    {"AWS", "one compiled program for many operations"},
    {"", "one launch for many, or a persistent kernel"},
};

static const char *launch_change(const bench *b) {
  size_t i = 0;
  while (strncmp(b->target->machine->vendor, launches[i].vendor, strlen(launches[i].vendor)) != 0) {
    i++;
  }
  return is_processor(b) ? "one call for many, its threads started once" : launches[i].change;
}

/** Takes `share` of their cost off launches, where they cost anything. */
static void cheapen_launches(roof_target *t, double share) {
  for (int i = 0; i < ROOF_KERNEL_KIND_COUNT; i++) { /* a kernel's latency has the launch in it */
    double *values = t->forms[i].values;
    values[ROOF_LATENCY_SECONDS] -= share * fmin(values[ROOF_LATENCY_SECONDS], t->launch_seconds);
    values[ROOF_HOST_SECONDS] *= 1 - share;
  }
  t->launch_seconds *= 1 - share;
  t->least_launch_seconds *= 1 - share;
  t->overhead_cutoff *= 1 - share;
}

/** The same in one launch for many: in a graph where a host launches one kernel at a time, else without a launch. */
static void predict_launched(const bench *b, roof_target *target, roof_prediction *p) {
  roof_options o = b->target->options;
  bool host = rf_launching_of(b->target, &b->now.work) > 0;
  o.framework = host ? NULL : o.framework;
  *target = *b->target;
  if (!host || roof_target_init(target, b->target->machine, &b->target->types, &o, NULL) != ROOF_OK) {
    cheapen_launches(target, 1);
  }
  roof_predict(target, b->op, b->values, p);
}

/** Where nobody knows what a launch costs, what fewer bring is unknown too. */
static void add_unknown_launches(bench *b) {
  char work[SHORT];
  roof_lever *l = add(b, ROOF_LEVER_LAUNCHES, b->target, &b->now, 1);
  l->gain = l->seconds = NAN;
  snprintf(l->change, sizeof l->change, "%s", launch_change(b));
  snprintf(l->moved, sizeof l->moved, "launch cost");
  snprintf(l->why, sizeof l->why, "%s of work wait on a launch, whose cost is not known",
           roof_quantity_format(work, SHORT, b->now.expected_seconds, "s"));
}

/** One launch for many: its cost is paid once. */
static void add_launches(bench *b) {
  bool alone = is_processor(b) && b->target->units <= 1; /* nothing is launched on one core */
  if (b->now.regime == ROOF_NETWORK_BOUND) {
    return;
  }
  if (isnan(b->now.overhead_seconds)) {
    if (b->now.regime == ROOF_OVERHEAD_BOUND && !alone) {
      add_unknown_launches(b);
    }
    return;
  }
  char cost[SHORT], work[SHORT];
  roof_target target;
  roof_prediction p;
  predict_launched(b, &target, &p);
  roof_lever *l = add(b, ROOF_LEVER_LAUNCHES, &target, &p, 1);
  bool helps = l->gain >= ROOF_LEVER_HELPS;
  double saved = b->now.expected_seconds - p.expected_seconds;
  roof_quantity_format(cost, SHORT, helps ? saved : b->now.overhead_seconds, "s");
  roof_quantity_format(work, SHORT, p.expected_seconds, "s");
  snprintf(l->change, sizeof l->change, "%s", launch_change(b));
  snprintf(l->moved, sizeof l->moved, helps ? "launch cost, at most %s" : "nothing", cost);
  snprintf(l->why, sizeof l->why,
           helps ? "%s of work wait on up to %s of launch" : "%s of work hide a launch (%s)", work, cost);
}

/** Other links of the machine; a measured figure is not another link. */
static void add_links(bench *b) {
  const roof_machine *machine = b->target->machine;
  for (int i = 0; i < machine->link_count; i++) {
    roof_options o = b->target->options;
    roof_target target;
    roof_prediction p;
    o.link = machine->links[i].name;
    if (&machine->links[i] == b->now.link || machine->links[i].kind == ROOF_MEASURED ||
        roof_target_init(&target, machine, &b->target->types, &o, NULL) != ROOF_OK) {
      continue;
    }
    roof_predict(&target, b->op, b->values, &p);
    if (p.link == NULL) { /* it joins fewer */
      continue;
    }
    roof_lever *l = add(b, ROOF_LEVER_PARALLEL, &target, &p, 1);
    snprintf(l->change, sizeof l->change, "the ranks on %s instead of %s", o.link, b->now.link->name);
  }
}

/** Another algorithm that brings nothing still says why: it trades steps for bytes, and steps cost
 * latency. */
static void add_algorithms(bench *b) {
  int param = roof_op_param_index(b->op, "algorithm");
  double latency = rf_message_seconds(b->target, b->now.link);
  for (int c = 0; param >= 0 && c < ROOF_CHOICE_MAX && b->op->params[param].choices[c] != NULL; c++) {
    roof_prediction p;
    char each[SHORT];
    roof_predict_at(b->target, b->op, b->typed, param, c, &p);
    if (c == (int)b->values[param] || p.expected_seconds < b->now.expected_seconds) {
      continue; /* add_choices has those that help */
    }
    roof_lever *l = add(b, ROOF_LEVER_PARALLEL, b->target, &p, 1);
    snprintf(l->change, sizeof l->change, "algorithm=%s", b->op->params[param].choices[c]);
    double step = isnan(latency) ? rf_link_latency(b->now.link) : latency;
    snprintf(l->why, sizeof l->why, "%.0f step%s of %s%s instead of %.0f", p.work.link_steps,
             p.work.link_steps == 1 ? "" : "s", roof_quantity_format(each, SHORT, step, "s"),
             isnan(latency) ? ", assumed," : "", b->now.work.link_steps);
  }
}

/** The same values in fewer bytes, and the same bytes in fewer messages. */
static void add_sizes(bench *b) {
  int param = roof_op_param_index(b->op, "size");
  roof_prediction p;
  if (param < 0) {
    return;
  }
  roof_predict_at(b->target, b->op, b->typed, param, b->values[param] / 2, &p);
  roof_lever *l = add(b, ROOF_LEVER_PRECISION, b->target, &p, 1);
  snprintf(l->change, sizeof l->change, "send half the bytes: bf16 for fp32, fp8 for bf16");
  roof_predict_at(b->target, b->op, b->typed, param, 2 * b->values[param], &p);
  l = add(b, ROOF_LEVER_BATCHING, b->target, &p, 2);
  snprintf(l->change, sizeof l->change, "two of them in one: larger buckets");
  if (isnan(rf_message_seconds(b->target, b->now.link))) {
    char each[SHORT];
    snprintf(l->why, sizeof l->why, "pays the %.0f steps once; one of %s is assumed to take %s",
             b->now.work.link_steps, b->now.link->name,
             roof_quantity_format(each, SHORT, rf_link_latency(b->now.link), "s"));
  } else if (l->gain < ROOF_LEVER_HELPS) {
    snprintf(l->why, sizeof l->why, "the bytes take the time, not the %.0f steps", b->now.work.link_steps);
  }
}

/** Independent arithmetic at the same time: two equal times become one. */
static void add_overlap(bench *b) {
  char time[SHORT], flops[SHORT];
  double hidden = b->now.expected_seconds / b->target->seconds_per_flop[ROOF_MATRIX];
  double peak =
      isfinite(hidden) ? hidden : b->now.expected_seconds / b->target->seconds_per_flop[ROOF_VECTOR];
  roof_lever *l = add(b, ROOF_LEVER_PARALLEL, b->target, &b->now, 2);
  snprintf(l->change, sizeof l->change, "overlapped with independent arithmetic");
  snprintf(l->moved, sizeof l->moved, "nothing");
  snprintf(l->why, sizeof l->why, "at most, because arithmetic also takes %s: %s at the peak",
           roof_quantity_format(time, SHORT, b->now.expected_seconds, "s"),
           roof_quantity_format(flops, SHORT, peak, "FLOP"));
}

static void add_network(bench *b) {
  int ranks = roof_op_param_index(b->op, "ranks");
  roof_prediction p;
  if (!exchanges(b) || b->now.link == NULL) {
    return;
  }
  add_overlap(b);
  add_sizes(b);
  add_links(b);
  add_algorithms(b);
  if (ranks >= 0 && b->values[ranks] >= 4) {
    roof_predict_at(b->target, b->op, b->typed, ranks, b->values[ranks] / 2, &p);
    roof_lever *l = add(b, ROOF_LEVER_PARALLEL, b->target, &p, 1);
    snprintf(l->change, sizeof l->change, "half the ranks in a group (%.0f)", b->values[ranks] / 2);
  }
}

static void add_capacity(bench *b) {
  if (b->now.regime != ROOF_CAPACITY_BOUND) {
    return;
  }
  char need[SHORT], have[SHORT];
  roof_lever *l = add(b, ROOF_LEVER_PARALLEL, b->target, &b->now, 1);
  double devices = ceil(b->now.work.working_set / b->target->capacity);
  l->gain = l->seconds = NAN;
  snprintf(l->change, sizeof l->change, "split over %.0f devices", devices);
  snprintf(l->moved, sizeof l->moved, "working set of a device");
  snprintf(l->why, sizeof l->why, "%s in %s: then it fits",
           roof_bytes_format(need, SHORT, b->now.work.working_set),
           roof_bytes_format(have, SHORT, b->target->capacity));
}

/** Why what took longest brings nothing when it is twice as fast: what the time then has most of. */
static void explain_next(const roof_target *faster, const roof_prediction *after, roof_lever *l) {
  roof_effect_part parts[ROOF_EFFECT_COUNT];
  int count = roof_effects_of(faster, after, parts), most = 0;
  for (int i = 1; i < count; i++) {
    most = parts[i].seconds > parts[most].seconds ? i : most;
  }
  if (count > 0) {
    char time[SHORT];
    size_t used = strlen(l->why);
    snprintf(l->why + used, sizeof l->why - used, ", %s %s: %s", roof_effect_name(parts[most].effect),
             roof_quantity_format(time, SHORT, parts[most].seconds, "s"), parts[most].text);
  }
}

/** The time at its peak of what binds. */
static double binding_seconds(const bench *b) {
  const roof_prediction *p = &b->now;
  double started = fmax(p->overhead_seconds, rf_launching_of(b->target, &b->now.work));
  return p->regime == ROOF_COMPUTE_BOUND    ? p->compute_seconds
         : p->regime == ROOF_MEMORY_BOUND   ? p->memory_seconds
         : p->regime == ROOF_NETWORK_BOUND  ? p->network_seconds
         : p->regime == ROOF_OVERHEAD_BOUND ? fmax(started, p->lower_seconds)
                                            : p->lower_seconds;
}

/** Why a resource that is twice as fast brings nothing: what it would shorten is hidden already. */
static void explain_hidden(const bench *b, const char *what, double seconds, roof_lever *l) {
  char time[SHORT], bound[SHORT], binding[ROOF_NAME_MAX];
  const roof_prediction *p = &b->now;
  snprintf(l->why, sizeof l->why, "%s-bound by %s (%s), which hides the %s of %s%s",
           roof_regime_name(p->regime), roof_prediction_binding(p, binding, sizeof binding),
           roof_quantity_format(bound, SHORT, binding_seconds(b), "s"), what,
           roof_quantity_format(time, SHORT, seconds, "s"),
           p->regime == ROOF_MEMORY_BOUND && strcmp(what, "arithmetic") == 0 ? ": it is left of the ridge"
                                                                             : "");
}

enum { MATH, MEMORY, LINK, LAUNCH, RESOURCES };

/** The target with one resource twice as fast; `link` is that of the ranks, and is changed. */
static roof_target twice(const roof_target *target, int resource, roof_link *link) {
  roof_target t = *target;
  for (int i = 0; i < ROOF_UNIT_COUNT && resource == MATH; i++) {
    t.seconds_per_flop[i] /= 2;
  }
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT * ROOF_MIX_COUNT && resource == MEMORY; i++) {
    t.seconds_per_byte[i / ROOF_MIX_COUNT][i % ROOF_MIX_COUNT] /= 2;
  }
  if (resource == LINK) {
    link->bytes_per_second *= 2;
    link->latency_seconds /= 2;
    t.link = link;
  }
  if (resource == LAUNCH) {
    cheapen_launches(&t, 0.5);
  }
  return t;
}

/** Sets a gain, and the time that goes with it. */
static void set_gain(roof_lever *l, double gain) {
  l->seconds *= l->gain / gain;
  l->gain = gain;
}

/** A host that launches twice as fast saves half of what it saves to launch but once. */
static void halve_host(const bench *b, roof_lever *l) {
  char saved[SHORT];
  roof_target target;
  roof_prediction p;
  predict_launched(b, &target, &p);
  double now = b->now.expected_seconds, half = (now - p.expected_seconds) / 2;
  set_gain(l, now / (now - half));
  snprintf(l->moved, sizeof l->moved, "launch cost, by %s", roof_quantity_format(saved, SHORT, half, "s"));
}

/** Each resource twice as fast; one that takes no time is left out. */
static void add_resources(bench *b) {
  const roof_prediction *now = &b->now;
  const struct {
    const char *change, *what;
    double seconds;
  } resources[RESOURCES] = {
      [MATH] = {"math twice as fast", "arithmetic", now->compute_seconds},
      [MEMORY] = {"memory twice as fast", "memory", now->memory_seconds},
      [LINK] = {"link twice as fast", "the link", now->network_seconds},
      [LAUNCH] = {"launches twice as fast", "launch", now->overhead_seconds},
  };
  for (int i = 0; i < RESOURCES; i++) {
    if (!(resources[i].seconds > 0)) {
      continue;
    }
    roof_link link = now->link != NULL ? *now->link : (roof_link){0};
    roof_prediction p;
    roof_target faster = twice(b->target, i, &link);
    roof_predict(&faster, b->op, b->values, &p);
    roof_lever *l = add(b, ROOF_LEVER_RESOURCE, &faster, &p, 1);
    l->of_launches = i == LAUNCH;
    if (i == LAUNCH && rf_launching_of(b->target, &now->work) > 0) {
      halve_host(b, l);
    }
    snprintf(l->change, sizeof l->change, "%s", resources[i].change);
    if (l->gain < ROOF_LEVER_HELPS && resources[i].seconds < binding_seconds(b)) {
      explain_hidden(b, resources[i].what, resources[i].seconds, l);
    } else if (l->gain < ROOF_LEVER_HELPS) {
      explain_next(&faster, &p, l);
    }
  }
}

void rf_levers_sort(roof_lever *levers, size_t count) {
  for (size_t i = 1; i < count; i++) {
    roof_lever l = levers[i];
    size_t j = i;
    while (j > 0 && !isnan(levers[j - 1].gain) && (isnan(l.gain) || levers[j - 1].gain < l.gain)) {
      levers[j] = levers[j - 1];
      j--;
    }
    levers[j] = l;
  }
}

/** A kernel that is made faster shortens only the share of the time in which the device works. */
static void shorten_busy(roof_lever *l, double busy) {
  char why[sizeof l->why];
  bool kernel = l->kind == ROOF_LEVER_PRECISION || (l->kind == ROOF_LEVER_RESOURCE && !l->of_launches);
  if (kernel && l->gain >= ROOF_LEVER_HELPS) {
    set_gain(l, 1 / (1 - busy + busy / l->gain));
    memcpy(why, l->why, sizeof why);
    rf_format(l->why, sizeof l->why, "of the %.3g %% of the time in which the device works; %.180s",
              100 * busy, why);
  }
}

void rf_levers_starve(roof_lever *levers, size_t count, double busy) {
  for (size_t i = 0; i < count; i++) {
    roof_lever *l = &levers[i];
    if (l->kind != ROOF_LEVER_LAUNCHES) {
      shorten_busy(l, busy);
    } else if (l->gain < 1 / busy) {
      set_gain(l, 1 / busy);
      snprintf(l->moved, sizeof l->moved, "idle time");
      rf_format(l->why, sizeof l->why, "at most: the device works in %.3g %% of the time, by the counters",
                100 * busy);
    }
  }
  rf_levers_sort(levers, count);
}

roof_status roof_levers_rank(const roof_target *target, const roof_op *op, const double *typed, double users,
                             roof_lever *out, size_t capacity, size_t *count, roof_error *error) {
  bench *b = calloc(1, sizeof *b);
  if (b == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "levers: out of memory");
  }
  b->target = target;
  b->op = op;
  b->typed = typed;
  b->users = users;
  memcpy(b->values, typed, sizeof b->values);
  roof_status status = roof_op_complete(op, b->values, error);
  if (status != ROOF_OK) {
    free(b);
    return status;
  }
  roof_predict(target, op, b->values, &b->now);
  add_native(b);
  add_stored(b);
  add_batching(b);
  add_choices(b);
  add_fusion(b);
  add_launches(b);
  add_network(b);
  add_capacity(b);
  add_resources(b);
  rf_levers_sort(b->levers, b->count);
  *count = b->count < capacity ? b->count : capacity;
  if (*count > 0) {
    memcpy(out, b->levers, *count * sizeof *out);
  }
  free(b);
  return ROOF_OK;
}
