/* A prediction step by step, with the numbers filled in and their sources; a term or an operation explained. */
#include "roofline/explain.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "advise/topics.h"
#include "core/link.h"
#include "core/number.h"
#include "roofline/units.h"

enum { SHORT = 48, LINE = 80 };

static const char *quantity(char buffer[SHORT], double value, const char *unit) {
  return roof_quantity_format(buffer, SHORT, value, unit);
}

/** Writes what a name in a formula stands for: a parameter's value, or bytes per element of a, w, o, kv; else
 * the name itself (of a function or of a choice). */
static void add_value(roof_text *out, const roof_target *target, const roof_op *op, const double *values,
                      const char *name) {
  const roof_types *t = &target->types;
  const struct {
    const char *name;
    double value;
  } sizes[] = {{"a", roof_dtype_bytes(t->compute)},
               {"w", roof_types_weight_bytes(t, 1)},
               {"o", roof_dtype_bytes(t->output)},
               {"kv", roof_dtype_bytes(t->kv)}};
  int param = roof_op_param_index(op, name);
  char value[SHORT];
  snprintf(value, sizeof value, "%s", name);
  if (param >= 0) {
    roof_op_value_text(op, param, values[param], value, sizeof value);
  }
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && param < 0; i++) {
    if (strcmp(sizes[i].name, name) == 0) {
      rf_format(value, sizeof value, "%.15g", sizes[i].value);
    }
  }
  roof_text_add(out, value);
}

/** Copies `formula`, replacing each name by its value. */
static void add_substituted(roof_text *out, const roof_target *target, const roof_op *op,
                            const double *values, const char *formula) {
  while (*formula != '\0') {
    char name[32] = "";
    size_t length = 0;
    if (isalpha((unsigned char)*formula)) {
      while (length + 1 < sizeof name &&
             (isalnum((unsigned char)formula[length]) || formula[length] == '_')) {
        name[length] = formula[length];
        length++;
      }
      name[length] = '\0';
      add_value(out, target, op, values, name);
    } else {
      length = strspn(formula, "0123456789.");
      length = length == 0 ? 1 : length;
      roof_text_add_bytes(out, formula, length);
    }
    formula += length;
  }
}

static void add_formula(roof_text *out, int step, const char *what, const roof_target *target,
                        const roof_op *op, const double *values, const char *formula, double result,
                        const char *unit) {
  char text[SHORT];
  roof_text_addf(out, "  %d. %s = %s\n         = ", step, what, formula);
  add_substituted(out, target, op, values, formula);
  roof_text_addf(out, "\n         = %.15g %s", result, unit);
  if (result >= 1000 && op->steps != formula) {
    roof_text_addf(out, " (%s)", quantity(text, result, unit));
  }
  roof_text_add(out, "\n");
}

static void explain_sides(roof_text *out, const roof_prediction *p) {
  char a[SHORT], b[SHORT], c[SHORT];
  const roof_level *memory = p->level_count > 0 ? p->levels[p->level_count - 1].level : NULL;
  roof_text_addf(out, "  3. intensity = FLOP / bytes = %.15g / %.15g = %.6g FLOP/B (read + written)\n",
                 p->work.flops, p->bytes, p->intensity);
  if (p->peak == NULL || memory == NULL || isnan(p->ridge)) {
    return;
  }
  double bandwidth = p->peak->flops_per_second / p->ridge;
  roof_text_addf(out,
                 "  4. ridge = peak / bandwidth = %s / %s = %.6g FLOP/B: intensity is %s, so %s can bind\n",
                 quantity(a, p->peak->flops_per_second, "FLOP/s"), quantity(b, bandwidth, "B/s"), p->ridge,
                 p->intensity >= p->ridge ? "at or right of it" : "left of it",
                 p->intensity >= p->ridge ? "compute" : "memory");
  roof_text_addf(out, "     attainable = min(peak, bandwidth x intensity) = min(%s, %s) = %s\n",
                 quantity(a, p->peak->flops_per_second, "FLOP/s"),
                 quantity(b, bandwidth * p->intensity, "FLOP/s"), quantity(c, p->attainable, "FLOP/s"));
}

enum { PATTERNS = 5 };

static const struct {
  const char *name;
  double written;
} patterns[PATTERNS] = {{"read", 0}, {"triad", 1.0 / 3}, {"copy", 0.5}, {"write", 1}, {"update", 0.5}};

static const char *pattern(char *text, const double costs[ROOF_MIX_COUNT], int index) {
  char rate[SHORT];
  snprintf(text, LINE, "%s %s", patterns[index].name, quantity(rate, 1 / costs[index], "B/s"));
  return text;
}

/** "copy 41.96 GB/s", or "between read 31.16 GB/s and triad 44.65 GB/s". */
static void add_patterns(roof_text *out, const double costs[ROOF_MIX_COUNT], double written) {
  static const double near = 0.005;
  char lower[LINE], upper[LINE];
  int at = ROOF_MIX_READ;
  while (written > patterns[at].written + near) {
    at++;
  }
  if (written < patterns[at].written - near) {
    roof_text_addf(out, "between %s and %s", pattern(lower, costs, at - 1), pattern(upper, costs, at));
  } else {
    roof_text_add(out, pattern(upper, costs, at));
  }
}

/** Why work that updates in place has this ceiling: the updates, the rest, or the fastest pattern. */
static void explain_updates(roof_text *out, const roof_work *work, const double costs[ROOF_MIX_COUNT],
                            double others_rate) {
  char text[LINE];
  double elsewhere = work->write_bytes - work->update_bytes, others = work->read_bytes + elsewhere;
  double others_seconds = others / others_rate,
         update_seconds = 2 * work->update_bytes * costs[ROOF_MIX_UPDATE];
  int fastest = ROOF_MIX_READ;
  for (int i = 1; i < PATTERNS; i++) {
    fastest = costs[i] < costs[fastest] ? i : fastest;
  }
  roof_text_addf(out, ", %s where they were read: ", elsewhere > 0 ? "some" : "all");
  if (costs[fastest] * (others + work->update_bytes) > fmax(others_seconds, update_seconds)) {
    roof_text_addf(out, "no faster than the fastest pattern, %s", pattern(text, costs, fastest));
  } else if (others_seconds > update_seconds) {
    roof_text_addf(out, "all reads%s at ", elsewhere > 0 ? " and the other writes" : "");
    add_patterns(out, costs, elsewhere / others);
    roof_text_addf(out, " take longer than %s", pattern(text, costs, ROOF_MIX_UPDATE));
  } else {
    roof_text_add(out, pattern(text, costs, ROOF_MIX_UPDATE));
  }
}

/** Which of a level's measured bandwidths the mix of reads and writes leads to. */
static void explain_bandwidth(roof_text *out, const roof_work *work, const roof_level *level) {
  double costs[ROOF_MIX_COUNT], written = work->write_bytes / (work->read_bytes + work->write_bytes);
  if (isnan(level->read_bytes_per_second)) {
    return;
  }
  roof_level_costs(level, costs);
  roof_text_addf(out, "       %.1f %% of the bytes are written", 100 * written);
  if (work->update_bytes > 0 && !isnan(costs[ROOF_MIX_UPDATE])) {
    double elsewhere = work->write_bytes - work->update_bytes;
    explain_updates(out, work, costs,
                    roof_level_bandwidth(level, elsewhere / (work->read_bytes + elsewhere), 0));
  } else {
    roof_text_add(out, ": ");
    add_patterns(out, costs, written);
  }
  roof_text_add(out, "\n");
}

/** How the expected time comes about: by the effects, or where none are known by one share of the bound. */
static void add_expected(roof_text *out, const roof_target *target, const roof_prediction *p) {
  char a[SHORT], b[SHORT];
  if (target->forms[p->work.kernel.kind].known) {
    double bare = fmax(isnan(p->compute_seconds) ? 0 : p->compute_seconds,
                       fmax(isnan(p->memory_seconds) ? 0 : p->memory_seconds,
                            isnan(p->network_seconds) ? 0 : p->network_seconds));
    roof_text_addf(out, "  7. expected = %s and its effects", quantity(a, bare, "s"));
    roof_text_addf(out, " = %s\n", quantity(b, p->expected_seconds, "s"));
    roof_prediction_effects(out, target, p, ROOF_EFFECT_COUNT);
    return;
  }
  double overhead = isnan(p->overhead_seconds) ? 0 : p->overhead_seconds;
  double share = roof_expected_shares(target, p).typical, bound = (p->expected_seconds - overhead) * share;
  roof_text_addf(out, "  7. expected = bound / efficiency%s = %s / %g",
                 overhead > 0 ? " + launches x launch cost" : "", quantity(a, bound, "s"), share);
  if (overhead > 0) {
    roof_text_addf(out, " + %g x %s", p->work.launches, quantity(a, target->launch_seconds, "s"));
  }
  roof_text_addf(out, " = %s\n", quantity(b, p->expected_seconds, "s"));
}

static void add_regime(roof_text *out, const roof_target *target, const roof_prediction *p) {
  char a[SHORT];
  bool cutoff = p->regime == ROOF_OVERHEAD_BOUND;
  roof_text_addf(out, "  8. regime: %s%s%s\n", roof_regime_name(p->regime),
                 cutoff ? ", since that is no longer than the cutoff of " : "",
                 cutoff ? quantity(a, roof_prediction_cutoff(target, p), "s") : "");
}

static void explain_times(roof_text *out, const roof_target *target, const roof_prediction *p) {
  char a[SHORT], b[SHORT], c[SHORT], lack[RF_LINK_LACK];
  const char *lead = "  5.";
  if (p->work.flops > 0 && p->peak != NULL) {
    roof_text_addf(out, "%s compute time = FLOP / peak = %s / %s = %s\n", lead,
                   quantity(a, p->work.flops, "FLOP"), quantity(b, p->peak->flops_per_second, "FLOP/s"),
                   quantity(c, p->compute_seconds, "s"));
    lead = "    ";
  }
  for (int i = p->level_count - 1; i >= 0; i--) {
    const roof_level_time *t = &p->levels[i];
    if (t->bytes > 0 && !isnan(t->seconds)) {
      roof_text_addf(out, "%s %s time = bytes / bandwidth = %s / %s = %s\n", lead, t->level->name,
                     quantity(a, t->bytes, "B"), quantity(b, t->bytes / t->seconds, "B/s"),
                     quantity(c, t->seconds, "s"));
      explain_bandwidth(out, &p->work, t->level);
      lead = "    ";
    }
  }
  if (p->bytes > 0 && isnan(p->memory_seconds)) {
    roof_text_addf(out, "%s memory time: unknown: no bandwidth of it is known\n", lead);
    return;
  }
  if (p->work.link_bytes > 0 && p->link != NULL) {
    roof_text_addf(out, "%s network time = %s / %s", lead, quantity(a, p->work.link_bytes, "B"),
                   quantity(b, p->link->bytes_per_second, "B/s"));
    if (isnan(p->link->latency_seconds)) {
      roof_text_addf(out, " + %.0f x latency (unknown, left out)", p->work.link_steps);
    } else {
      roof_text_addf(out, " + %.0f x %s", p->work.link_steps, quantity(a, p->link->latency_seconds, "s"));
    }
    roof_text_addf(out, " = %s\n", quantity(c, p->network_seconds, "s"));
  }
  if (p->work.link_bytes > 0 && p->link == NULL) {
    rf_link_lack(target, p->work.kernel.count, lack, sizeof lack);
    roof_text_addf(out, "%s network time: unknown: %s\n", lead, lack);
    return;
  }
  double overhead = isnan(p->overhead_seconds) ? 0 : p->overhead_seconds;
  double longest = fmax(fmax(p->compute_seconds, p->memory_seconds), fmax(p->network_seconds, overhead));
  bool less =
      p->lower_seconds < longest * (1 - 1e-9); /* what a cache, a switch or another algorithm may save */
  roof_text_addf(out, "  6. bounds: longest of them = %s", quantity(a, longest, "s"));
  roof_text_addf(out, less ? ", and %s at best" : " (perfect overlap)", quantity(a, p->lower_seconds, "s"));
  roof_text_addf(out, "; their sum = %s (no overlap)\n", quantity(b, p->upper_seconds, "s"));
  add_expected(out, target, p);
  add_regime(out, target, p);
}

static void add_source(roof_text *out, const char *what, const char *kind, const char *source,
                       const char *date) {
  if (source[0] != '\0') {
    roof_text_addf(out, "     %s: %s%s%s, %s\n", what, kind, date[0] != '\0' ? " of " : "", date, source);
  }
}

roof_ridge_side roof_prediction_side(const roof_prediction *p) {
  roof_ridge_side side = {NULL, p->intensity, p->ridge, NAN, false};
  for (int i = 0; i + 1 < p->level_count && side.inner == NULL; i++) {
    const roof_level_time *t = &p->levels[i];
    if (t->level == p->binding && t->bytes > 0) {
      side = (roof_ridge_side){t->level, t->intensity, t->ridge, NAN, false};
    }
  }
  double factor = side.intensity / side.ridge;
  side.right = factor >= 1;
  if (p->work.flops > 0) {
    side.times = side.right ? factor : 1 / factor;
  }
  return side;
}

void roof_explain_prediction(roof_text *out, const roof_target *target, const roof_op *op,
                             const double *values, const roof_prediction *p) {
  roof_text_addf(out, "\nStep by step (%s: %s)\n", op->name, op->summary);
  add_formula(out, 1, "FLOP", target, op, values, op->flops, p->work.flops, "FLOP");
  add_formula(out, 2, "bytes", target, op, values, op->bytes, p->bytes, "B");
  if (p->bytes > 0) {
    explain_sides(out, p);
  }
  if (op->link != NULL) {
    add_formula(out, 3, "link bytes", target, op, values, op->link, p->work.link_bytes, "B");
    add_formula(out, 4, "messages", target, op, values, op->steps, p->work.link_steps, "in sequence");
  }
  explain_times(out, target, p);
  roof_text_add(out, "  Sources\n");
  roof_text_addf(out, "     formula: %s\n", op->source);
  if (p->peak != NULL && p->work.flops > 0) {
    add_source(out, "peak", roof_provenance_name(p->peak->kind), p->peak->source, p->peak->date);
  }
  const roof_link *link = p->link;
  if (p->work.link_bytes > 0 && link != NULL) {
    add_source(out, link->name, roof_provenance_name(link->kind), link->source, link->date);
  }
  if (p->binding != NULL) {
    add_source(out, p->binding->name, roof_provenance_name(p->binding->kind), p->binding->source,
               p->binding->date);
  }
}

/** "12 numbers of 2 bytes = 24 bytes", where all numbers are of one format. */
static void add_count(roof_text *out, const roof_lesson *l) {
  const roof_types *t = &l->target->types;
  const roof_prediction *p = &l->prediction;
  double size = roof_dtype_bytes(t->compute);
  if (t->weights != t->compute || t->output != t->compute || t->kv != t->compute || p->bytes <= 0) {
    return;
  }
  roof_text_addf(out, "\n  %.15g numbers of %g bytes = %.15g bytes; %.15g FLOP / %.15g bytes = %.3g FLOP/B",
                 p->bytes / size, size, p->bytes, p->work.flops, p->bytes, p->intensity);
  if (p->work.flops > 0 && !isnan(p->ridge)) {
    double factor = p->intensity / p->ridge;
    roof_text_addf(out, ", %.4gx %s of the ridge", factor >= 1 ? factor : 1 / factor,
                   factor >= 1 ? "right" : "left");
    roof_text_addf(out, " of %s %s, %.4g", roof_dtype_name(p->peak->dtype), roof_unit_name(p->peak->unit),
                   p->ridge);
  }
  roof_text_add(out, "\n");
}

/** An operation by its formulas; one that is not `complete` by the parameters that it needs. */
static void add_op(roof_explanation *e, const roof_lesson *l, bool complete) {
  const roof_op *op = l->op;
  roof_text *text = &e->text;
  roof_text_addf(text, "%s: %s\n    FLOP  = %s\n    bytes = %s\n", op->name, op->summary, op->flops,
                 op->bytes);
  if (op->link != NULL) {
    roof_text_addf(text, "    link  = %s\n", op->link);
  }
  roof_text_add(text, "a, w, o, kv are bytes per element of activations, weights, result and KV cache.");
  if (complete) {
    add_count(&e->worked, l);
    roof_explain_prediction(&e->worked, l->target, op, l->values, &l->prediction);
    return;
  }
  roof_text_add(text, "\nGive");
  for (int i = 0; i < roof_op_param_count(op); i++) {
    if (isnan(op->params[i].fallback) && op->params[i].same_as == NULL) {
      roof_text_addf(text, " %s=...", op->params[i].name);
    }
  }
  roof_text_add(text, " to see it worked.");
}

roof_status roof_explain(const roof_target *target, const roof_topic *topic, const roof_shape *shape,
                         roof_explanation *explanation, roof_error *error) {
  double values[ROOF_PARAM_MAX];
  bool complete = topic != NULL || shape->typed != 0;
  roof_lesson l = {.target = target, .op = shape->op, .typed = shape->values, .values = values};
  roof_explanation e = {.topic = topic != NULL ? topic->name : shape->op->name, .occupancy = {.blocks = NAN}};
  roof_status status =
      shape->points > 1 ? roof_error_set(error, ROOF_E_ARGUMENT, "explain: one shape at a time") : ROOF_OK;
  status = status == ROOF_OK && complete ? roof_shape_point(shape, 0, values, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  if (complete) {
    roof_predict(target, l.op, values, &l.prediction);
  }
  if (topic == NULL) {
    add_op(&e, &l, complete);
  } else {
    roof_text_add(&e.text, topic->text);
    if (topic->worked != NULL) {
      topic->worked(&e.worked, &l);
    }
    if (topic->own == &rf_advise_occupancy) {
      rf_advise_occupancy_of(&l, &e.occupancy);
    }
  }
  if (e.text.failed || e.worked.failed) {
    roof_explanation_done(&e);
    return roof_error_set(error, ROOF_E_MEMORY, "explain: out of memory");
  }
  *explanation = e;
  return ROOF_OK;
}

void roof_explanation_done(roof_explanation *explanation) {
  roof_text_done(&explanation->text);
  roof_text_done(&explanation->worked);
}
