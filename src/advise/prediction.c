/* A prediction in words: its first line, and the lines that give every figure. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "advise/options.h"
#include "advise/topics.h"
#include "core/form.h"
#include "core/link.h"
#include "core/number.h"
#include "roofline/crossing.h"
#include "roofline/effects.h"
#include "roofline/explain.h"
#include "roofline/formats.h"
#include "roofline/units.h"

enum { SHORT = 48, LINE = 160, BAR = 20 };

static const char *quantity(char buffer[SHORT], double value, const char *unit) {
  return roof_quantity_format(buffer, SHORT, value, unit);
}

static const char *cutoff_words(const roof_target *target) {
  bool assumed = isnan(target->options.overhead_cutoff) && isnan(target->options.launch) &&
                 isnan(target->machine->overhead_cutoff_seconds);
  return assumed ? "the assumed overhead cutoff of " : "the overhead cutoff of ";
}

static bool formed(const roof_target *target, const roof_prediction *p) {
  return target->forms[p->work.kernel.kind].known;
}

/** Whether the cutoff is twice the kernel's latency, not a time that was given or assumed. */
static bool knows_latency(const roof_target *target, const roof_prediction *p) {
  const roof_options *o = &target->options;
  return formed(target, p) && isnan(o->overhead_cutoff) && isnan(o->launch);
}

/** Whether the kernel is over before the host has launched the next. */
static bool waits_for_host(const roof_target *target, const roof_prediction *p) {
  return knows_latency(target, p) && rf_launching_of(target, &p->work) >= p->expected_seconds;
}

/** For work too short to matter: its time is the launch's, or the kernel's latency where that is known. */
static void add_brief(roof_text *out, const roof_target *target, const roof_prediction *p) {
  char text[SHORT];
  if (waits_for_host(target, p)) {
    roof_text_addf(out, "about %s, which the host takes to launch it",
                   quantity(text, p->expected_seconds, "s"));
    return;
  }
  if (knows_latency(target, p)) {
    roof_text_addf(out, "about %s", quantity(text, p->expected_seconds, "s"));
    roof_text_addf(out, ", %s of it latency", quantity(text, rf_latency_seconds(target, p), "s"));
    return;
  }
  double launch = isnan(p->overhead_seconds) ? 0 : p->overhead_seconds, work = p->expected_seconds - launch;
  bool brief = work < target->overhead_cutoff;
  roof_text_addf(out, "about %s", quantity(text, p->expected_seconds, "s"));
  if (launch > 0) {
    roof_text_addf(out, ": %s of work", quantity(text, work, "s"));
  } else if (isnan(p->overhead_seconds)) {
    roof_text_add(out, " and a launch that is not known");
  }
  roof_text_addf(out, ", shorter than %s", brief ? cutoff_words(target) : "its launches, ");
  roof_text_add(out, quantity(text, brief ? target->overhead_cutoff : launch, "s"));
}

/** Ranks that no link joins. */
static bool is_apart(const roof_prediction *p) {
  return p->work.link_bytes > 0 && p->link == NULL;
}

void roof_prediction_sentence(roof_text *out, const roof_target *target, const roof_op *op,
                              const roof_prediction *p) {
  char binding[ROOF_NAME_MAX], expected[SHORT], limit[SHORT], lack[RF_LINK_LACK];
  if (is_apart(p)) {
    rf_link_lack(target, p->work.kernel.count, lack, sizeof lack);
    roof_text_addf(out, "%s on %s: unknown: %s", op->name, roof_machine_title(target->machine), lack);
    return;
  }
  roof_text_addf(out, "%s on %s: %s-bound (%s), ", op->name, roof_machine_title(target->machine),
                 roof_regime_name(p->regime), roof_prediction_binding(p, binding, sizeof binding));
  quantity(expected, p->expected_seconds, "s");
  if (p->regime == ROOF_OVERHEAD_BOUND) {
    add_brief(out, target, p);
  } else if (p->regime == ROOF_CAPACITY_BOUND) {
    roof_text_addf(out, "it does not fit; about %s if it did", expected);
  } else {
    const roof_level_time *cache = roof_prediction_bound_level(p);
    roof_text_addf(out, "about %s, at best %s", expected, quantity(limit, p->lower_seconds, "s"));
    if (cache != NULL) {
      roof_text_addf(out, " from %s", cache->level->name);
    }
  }
}

/** What had to be typed is shown, and what changes the work: keys before a window do not, but the kernel is another. */
static bool is_in_shape(const roof_lesson *lesson, int param) {
  const roof_param *p = &lesson->op->params[param];
  return (isnan(p->fallback) && p->same_as == NULL) ||
         roof_op_uses(lesson->op, lesson->values, param, &lesson->target->types);
}

static void add_shape(roof_text *out, const roof_lesson *lesson) {
  const roof_target *target = lesson->target;
  const roof_op *op = lesson->op;
  const double *values = lesson->values;
  char apart[ROOF_FORMATS_APART];
  roof_text_add(out, "  shape       ");
  for (int i = 0; i < roof_op_param_count(op); i++) {
    char value[64];
    if (is_in_shape(lesson, i)) {
      roof_op_value_text(op, i, values[i], value, sizeof value);
      roof_text_addf(out, "%s=%s ", op->params[i].name, value);
    }
  }
  roof_text_addf(out, "in %s%s\n", roof_dtype_name(target->types.compute),
                 roof_formats_apart(&target->types, apart, sizeof apart));
}

static void add_work(roof_text *out, const roof_target *target, const roof_op *op, const roof_prediction *p) {
  char a[SHORT], b[SHORT], c[SHORT], d[SHORT];
  if (p->bytes > 0 || p->work.flops > 0) {
    roof_text_addf(out, "  work        %s", quantity(a, p->work.flops, "FLOP"));
    if (op->flops_per_element > 0) {
      roof_text_addf(out, " (%g per element)", op->flops_per_element);
    }
    roof_text_addf(out, ", %s moved (", quantity(b, p->bytes, "B"));
    if (p->work.write_bytes > 0) { /* of a user's `bytes =` the part written is unknown */
      roof_text_addf(out, "%s read + %s written, ", quantity(c, p->work.read_bytes, "B"),
                     quantity(d, p->work.write_bytes, "B"));
    }
    roof_text_add(out, "each byte once)\n");
  }
  if (p->work.link_bytes > 0) {
    roof_text_addf(out, "  network     %s over the busiest link in %.0f step%s\n",
                   quantity(a, p->work.link_bytes, "B"), p->work.link_steps,
                   p->work.link_steps == 1 ? "" : "s");
  }
  if (!isnan(target->capacity)) {
    roof_text_addf(out, "  capacity    %s of %s%s\n", roof_bytes_format(a, SHORT, p->work.working_set),
                   roof_bytes_format(b, SHORT, target->capacity),
                   p->work.working_set > target->capacity ? ": it does not fit" : "");
  }
}

/** What becomes of a tile that the innermost level does not hold. */
static void add_tile(roof_text *out, const roof_target *target, const roof_prediction *p) {
  char size[SHORT];
  roof_tile_fit fit = roof_target_tile(target);
  const roof_block_limits *block = roof_block_limits_of(target->machine);
  double most = roof_block_tile(target->machine, &target->types);
  if (target->options.tile > most && !isnan(p->work.no_reuse_bytes)) {
    roof_text_addf(out, "  block       %s of shared memory hold three tiles up to %.0f x %.0f: choose %.0f\n",
                   roof_bytes_format(size, SHORT, block->block_shared), most, most, 32 * floor(most / 32));
  }
  if (fit.too_small == NULL || isnan(p->work.no_reuse_bytes)) {
    return;
  }
  roof_text_addf(out, "  tile        %.0f x %.0f does not fit %s (%s, at most %.0f x %.0f)",
                 target->options.tile, target->options.tile, fit.too_small->name,
                 roof_bytes_format(size, SHORT, fit.too_small->bytes), fit.largest, fit.largest);
  roof_text_addf(out, fit.keeps != NULL ? "; %s keeps it\n" : "; no level keeps it%s\n",
                 fit.keeps != NULL ? fit.keeps->name : "");
}

/** Whether a narrow cache may be multiplied as it is stored, at a higher rate. */
static bool may_multiply_narrow(const roof_target *target, const roof_prediction *p) {
  return p->work.cache_bytes > 0 && p->work.unit == ROOF_MATRIX && target->cache_arithmetic < 1;
}

static void add_intensity(roof_text *out, const roof_target *target, const roof_prediction *p) {
  char a[SHORT];
  if (!isnan(p->intensity)) {
    roof_ridge_side side = roof_prediction_side(p);
    roof_text_addf(out, "  intensity   %.4g FLOP/B", side.intensity);
    if (!isnan(side.times)) {
      roof_text_addf(out, side.times < 1000 ? ", %.3gx" : ", %.0fx", side.times);
      roof_text_addf(out, " %s of the ridge%s%s (%.4g FLOP/B)", side.right ? "right" : "left",
                     side.inner != NULL ? " of " : "", side.inner != NULL ? side.inner->name : "",
                     side.ridge);
    }
    roof_text_add(out, "\n");
  }
  if (p->work.flops > 0 && p->peak != NULL) {
    const roof_level_time *cache = roof_prediction_bound_level(p);
    roof_text_addf(out, "  attainable  %s", quantity(a, p->attainable, "FLOP/s"));
    if (cache != NULL) {
      roof_text_addf(out, " from %s, %s", p->binding->name,
                     quantity(a, roof_prediction_ceiling(p), "FLOP/s"));
      roof_text_addf(out, " from %s,", cache->level->name);
    } else if (may_multiply_narrow(target, p) && roof_prediction_ceiling(p) > p->attainable * (1 + 1e-9)) {
      roof_text_addf(out, ", %s with keys and values multiplied as %s,",
                     quantity(a, roof_prediction_ceiling(p), "FLOP/s"), roof_dtype_name(target->types.kv));
    }
    roof_text_addf(out, " of %s %s %s %s (%s)\n", quantity(a, p->peak->flops_per_second, "FLOP/s"),
                   roof_dtype_name(p->peak->dtype), roof_unit_name(p->peak->unit),
                   roof_peak_density(target->machine, p->peak), roof_provenance_name(p->peak->kind));
  }
}

/** The rows of times, aligned: `width` fits every name. */
typedef struct bars {
  roof_text *out;
  double longest;
  int width;
} bars;

static void add_time(const bars *b, const char *name, double seconds, const char *note) {
  char text[SHORT], bar[BAR * 3 + 1] = "";
  int filled = seconds > 0 ? (int)ceil(seconds / b->longest * BAR - 1e-9) : 0;
  for (int i = 0; i < filled && i < BAR; i++) {
    strcat(bar, "\xE2\x96\x88");
  }
  quantity(text, seconds, "s");
  int micro = strstr(text, "\xC2\xB5") != NULL; /* two bytes, one column */
  roof_text_addf(b->out, "    %-*s%*s  %s", b->width, name, 10 + micro, text, bar);
  if (note[0] != '\0') {
    roof_text_addf(b->out, "%*s  %s", BAR - filled, "", note);
  }
  roof_text_add(b->out, "\n");
}

static bool is_shown(const roof_level_time *t) {
  return !isnan(t->seconds) && t->bytes > 0;
}

/** Of a kernel whose form is known, with the effects that matter. */
static void add_formed(roof_text *out, const roof_target *target, const roof_prediction *p) {
  enum { MOST_EFFECTS = 3 };
  char a[SHORT];
  roof_text_addf(out, "  expected    %s", quantity(a, p->expected_seconds, "s"));
  if (!rf_advise_leaves_out(&target->options)) {
    roof_text_addf(out, ", from %s", quantity(a, p->expected_low_seconds, "s"));
    roof_text_addf(out, " to %s in 8 of 10 cases", quantity(a, p->expected_high_seconds, "s"));
  }
  roof_text_add(out, "\n");
  roof_prediction_effects(out, target, p, MOST_EFFECTS);
}

/** "7 messages of 1.000 us, assumed, "; nothing where the link's latency is known. */
static bool add_messages(roof_text *out, const roof_prediction *p) {
  char a[SHORT];
  bool assumed = p->work.link_bytes > 0 && p->link != NULL && isnan(p->link->latency_seconds);
  if (assumed) {
    roof_text_addf(out, "%.0f message%s of %s, assumed, ", p->work.link_steps,
                   p->work.link_steps > 1 ? "s" : "", quantity(a, rf_link_latency(p->link), "s"));
  }
  return assumed;
}

/** Where launches take a part worth naming, the share is of the work alone. */
static void add_expected(roof_text *out, const roof_target *target, const roof_prediction *p) {
  static const double worth_naming = 0.02;
  const roof_shares shares = roof_expected_shares(target, p);
  char a[SHORT];
  if (formed(target, p)) {
    add_formed(out, target, p);
    return;
  }
  bool launches = p->overhead_seconds > worth_naming * p->expected_seconds;
  roof_text_addf(out, "  expected    %s (", quantity(a, p->expected_seconds, "s"));
  if (add_messages(out, p)) {
    roof_text_addf(out, "the launch, and the work at %.0f %% of its bound), from %s", 100 * shares.typical,
                   quantity(a, p->expected_low_seconds, "s"));
    roof_text_addf(out, " to %s\n", quantity(a, p->expected_high_seconds, "s"));
    return;
  }
  if (shares.typical == 1) {
    roof_text_addf(out, "%s%s)", launches ? "the launch, and the work at " : "",
                   target->options.efficiency == 1 ? "the bound" : "the measured ceiling");
  } else {
    roof_text_addf(out,
                   launches ? "the launch, and the work at %.0f %% of its bound)" : "%.0f %% of the bound)",
                   100 * shares.typical);
  }
  if (shares.low < shares.high && shares.high > shares.typical) {
    roof_text_addf(out, ", from %s (%.0f %%)", quantity(a, p->expected_low_seconds, "s"), 100 * shares.high);
  }
  if (shares.low < shares.high) {
    roof_text_addf(out, " to %s (%.0f %%)", quantity(a, p->expected_high_seconds, "s"), 100 * shares.low);
  }
  roof_text_add(out, "\n");
}

/** What the lower bound leaves out, and what would save it. */
static void add_least(roof_text *out, const roof_target *target, const roof_prediction *p) {
  char a[SHORT];
  const roof_least *least = &p->work.least;
  if (least->flops < p->work.flops) {
    roof_text_addf(out, "  at best     %s: %s\n", quantity(a, least->flops, "FLOP"), least->why);
  }
  if (least->bytes < p->bytes) {
    roof_text_addf(out, "  at best     %s moved: %s\n", quantity(a, least->bytes, "B"), least->why);
  }
  if (p->link != NULL && p->link->reduces && least->link_bytes < p->work.link_bytes) {
    roof_text_addf(out, "  at best     %s over the link: its switch adds up\n",
                   quantity(a, least->link_bytes, "B"));
  }
  if (may_multiply_narrow(target, p)) {
    roof_text_addf(out, "  at best     keys and values are multiplied as %s, %.2g times as fast\n",
                   roof_dtype_name(target->types.kv), 1 / target->cache_arithmetic);
  }
  if (p->link != NULL && p->work.link_steps > 1 && p->link->latency_seconds > 0) {
    roof_text_addf(out, "  at best     one message, %s, of %.0f in sequence\n",
                   quantity(a, p->link->latency_seconds, "s"), p->work.link_steps);
  }
  if (p->lower_seconds < p->memory_seconds && !(least->bytes < p->bytes)) {
    roof_text_addf(out, "  at best     the last cache (%s) holds data of a run before; --cold: none\n",
                   roof_bytes_format(a, SHORT, target->cache_bytes));
  }
  if (p->lower_seconds < p->overhead_seconds) {
    roof_text_addf(out, "  at best     a launch among others takes %s\n",
                   quantity(a, target->least_launch_seconds, "s"));
  }
}

/** "HBM 3.350 TB/s"; names every level that has a bandwidth when it is not the one that binds. */
static void add_times(roof_text *out, const roof_target *target, const roof_prediction *p) {
  char note[LINE], a[SHORT], b[SHORT];
  double longest =
      fmax(fmax(p->lower_seconds, p->memory_seconds), fmax(p->network_seconds, p->overhead_seconds));
  bars rows = {out, longest, 10};
  for (int i = 0; i < p->level_count; i++) {
    int length = is_shown(&p->levels[i]) ? (int)strlen(p->levels[i].level->name) : 0;
    rows.width = length > rows.width ? length : rows.width;
  }
  roof_text_add(out, "  time\n");
  if (p->work.flops > 0) {
    add_time(&rows, "compute", p->compute_seconds, p->peak ? "" : "no peak of this format is known");
  }
  for (int i = p->level_count - 1; i >= 0; i--) {
    const roof_level_time *t = &p->levels[i];
    if (is_shown(t)) {
      snprintf(note, sizeof note, "%s at %s", quantity(a, t->bytes, "B"),
               quantity(b, t->bytes / t->seconds, "B/s"));
      add_time(&rows, t->level->name, t->seconds, note);
    }
  }
  if (p->work.link_bytes > 0) {
    add_time(&rows, "network", p->network_seconds,
             p->link != NULL ? p->link->name : "no link joins the ranks");
  }
  if (!isnan(p->overhead_seconds)) {
    bool assumed = isnan(target->options.launch) && target->machine->launch_origin.kind == ROOF_ASSUMED;
    add_time(&rows, "overhead", p->overhead_seconds, assumed ? "launch (assumed)" : "launch");
  }
  if (is_apart(p)) {
    return;
  }
  roof_text_addf(out, "  bounds      %s (perfect overlap) to %s (no overlap), at peaks\n",
                 quantity(a, p->lower_seconds, "s"), quantity(b, p->upper_seconds, "s"));
  add_least(out, target, p);
  add_expected(out, target, p);
}

/** How often it runs in a second, one call after another; what those calls do together where they are a batch. */
static void add_rate(roof_text *out, const roof_op *op, const double *values, const roof_prediction *p) {
  char a[SHORT];
  double often = 1 / p->expected_seconds, most = 1 / p->lower_seconds;
  double batch = op->batch != NULL ? values[roof_op_param_index(op, op->batch)] : 1;
  if (!(p->expected_seconds > 0)) {
    return;
  }
  roof_text_addf(out, "  rate        %.*f calls per second, at most %.*f", often < 100, often, most < 100,
                 most);
  if (batch > 1) {
    roof_text_addf(out, "; %s of %s", quantity(a, batch * often, "/s"), op->batch);
  }
  roof_text_add(out, "\n");
}

/** "13.06 MB or 3.859 GFLOP": what lasts so long at the usual share of the ceilings. */
static void add_amounts(roof_text *out, const roof_target *target, const roof_prediction *p, double seconds) {
  char a[SHORT];
  double bytes, flops, times = seconds / fmax(target->overhead_cutoff, target->launch_seconds);
  roof_predict_escape(target, p->work.unit, &bytes, &flops);
  roof_text_add(out, quantity(a, times * bytes, "B"));
  if (p->work.flops > 0 && !isnan(flops)) {
    roof_text_addf(out, " or %s", quantity(a, times * flops, "FLOP"));
  }
}

void rf_advise_work_escape(roof_text *out, const roof_lesson *lesson) {
  const roof_target *target = lesson->target;
  const roof_prediction *p = &lesson->prediction;
  char a[SHORT];
  double cutoff = roof_prediction_cutoff(target, p);
  if (p->regime != ROOF_OVERHEAD_BOUND) {
    return;
  }
  if (!knows_latency(target, p) && p->work.link_bytes > 0) {
    roof_text_addf(out, "  to escape   work longer than %s\n", quantity(a, cutoff, "s"));
    return;
  }
  if (!knows_latency(target, p)) {
    roof_text_add(out, "  to escape   more than ");
    add_amounts(out, target, p, cutoff);
    roof_text_addf(out, ": that lasts %s\n", quantity(a, cutoff, "s"));
    return;
  }
  roof_text_addf(out, "  to escape   longer than %s, %s", quantity(a, cutoff, "s"),
                 rf_launching_of(target, &p->work) < cutoff ? "twice the latency"
                                                            : "what the host takes to launch it");
  if (p->bytes > 0) {
    roof_text_add(out, ": at most about ");
    add_amounts(out, target, p, cutoff - rf_latency_seconds(target, p));
  }
  roof_text_add(out, "\n");
}

/** From which batch on it is compute-bound, and from which on no longer. */
static void add_critical(roof_text *out, const roof_target *target, const roof_op *op, const double *typed) {
  roof_crossing crossing;
  const char *lead = "  critical    ";
  roof_crossing_critical(target, op, typed, roof_op_param_index(op, op->batch), &crossing);
  do {
    roof_text_add(out, lead);
    roof_crossing_write(out, op->params[crossing.param].name, &crossing);
    if (crossing.there != crossing.to) {
      roof_text_addf(out, ", still %s-bound", roof_regime_name(crossing.there));
    }
    lead = "; ";
  } while (roof_crossing_next(target, op, typed, &crossing));
  roof_text_add(out, "\n");
}

static void add_energy(roof_text *out, const roof_target *target, const roof_prediction *p) {
  char a[SHORT];
  if (!isnan(p->energy_joules)) {
    roof_text_addf(out, "  energy      %s %s\n", quantity(a, p->energy_joules, "J"),
                   target->costs.power_only ? "at the full board power" : "from energy per FLOP and byte");
  }
}

void roof_prediction_describe(roof_text *out, const roof_lesson *lesson) {
  const roof_target *target = lesson->target;
  const roof_op *op = lesson->op;
  const roof_prediction *p = &lesson->prediction;
  add_shape(out, lesson);
  add_work(out, target, op, p);
  add_tile(out, target, p);
  add_intensity(out, target, p);
  add_times(out, target, p);
  add_rate(out, op, lesson->values, p);
  rf_advise_work_escape(out, lesson);
  if (op->batch != NULL && p->work.flops > 0) {
    add_critical(out, target, op, lesson->typed);
  }
  add_energy(out, target, p);
}
