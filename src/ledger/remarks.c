/* What is to be said of a reconciled kernel: why it is as fast as it is, what was counted, what to do. */
#include <math.h>
#include <string.h>

#include "core/number.h"
#include "ledger/entry.h"
#include "roofline/ledger.h"
#include "roofline/units.h"

enum { SHORT = 48 };

static const char *quantity(char buffer[SHORT], double value, const char *unit) {
  return roof_quantity_format(buffer, SHORT, value, unit);
}

/** The causes the figures show, then what they leave open and the one measurement that decides. */
static void add_causes(roof_text *out, const roof_why *why) {
  size_t i = 0;
  for (; i < why->count && why->causes[i].certainty == ROOF_SHOWN; i++) {
    const roof_cause *cause = &why->causes[i];
    roof_text_addf(out, "    cause: %s: %s; %s\n", cause->name, cause->sentence, cause->action);
  }
  if (i == why->count) {
    return;
  }
  const char *decisive = why->causes[i].measurement;
  roof_text_add(out, "    possible: ");
  for (size_t first = i; i < why->count; i++) {
    roof_text_addf(out, "%s%s", i > first ? ", " : "", why->causes[i].name);
  }
  roof_text_addf(out, "\n    measure first: %s\n", decisive);
}

/** What the counters say that the prediction did not. */
static void add_counted(roof_text *out, const roof_reconciled *r) {
  char regime[512];
  if (roof_reconciled_regime(r, regime, sizeof regime)[0] != '\0') {
    roof_text_addf(out, "    measured: %s\n", regime);
  }
  if (r->traffic != NULL && strcmp(r->traffic, "equal") != 0) {
    roof_text_addf(out, "    intensity: %.4g FLOP/B counted, %.4g by arithmetic; %s\n",
                   r->operational_intensity, r->intensity, roof_traffic_meaning(r->traffic));
  }
  if (!isnan(r->operational_intensity) && r->impossible[0] == '\0' && r->roof_share > 0) {
    char rate[SHORT], roof[SHORT];
    roof_text_addf(out, "    attainable: %s of %s at %.4g FLOP/B, %.1f %%\n",
                   quantity(rate, r->flops_per_second, "FLOP/s"),
                   quantity(roof, r->roof_flops_per_second, "FLOP/s"), r->operational_intensity,
                   100 * r->roof_share);
  }
}

static bool is_by_hand(const roof_reconciled *r) {
  return strcmp(r->origin, roof_sealing_origin_name(ROOF_SEALING_HAND)) == 0;
}

/** Whether somebody set what the tool would have said of the kernel's time itself. */
static bool is_assumed(const roof_reconciled *r) {
  static const char *const options[] = {"--efficiency ", "--without ", "--overlap ", "--launch "};
  bool is = false;
  for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
    is = is || strstr(r->typed, options[i]) != NULL;
  }
  return is;
}

/** A kernel as fast as expected needs no words, unless counters show something else than was predicted, or a
 * person's own prediction is to be graded. */
static bool is_silent(const roof_reconciled *r, const roof_why *why) {
  char regime[512];
  bool gap = r->fraction_of_ceiling < roof_options_default().efficiency_low && !rf_ledger_foreseen(r);
  bool odd = is_assumed(r) || r->superseded > 0 || r->measured_again > 0 || r->differs[0] != '\0' ||
             r->measured_as[0] != '\0' || is_by_hand(r) || r->impossible[0] != '\0' ||
             r->fraction_of_ceiling > 1 || r->done || why->count > 0 ||
             (r->traffic != NULL && strcmp(r->traffic, "equal") != 0);
  return !gap && !odd && isnan(r->mine_seconds) && isnan(r->memory_pace) &&
         roof_reconciled_regime(r, regime, sizeof regime)[0] == '\0';
}

/** The person's own prediction next to the one of the model. */
static void add_mine(roof_text *out, const roof_reconciled *r) {
  char mine[SHORT], models[SHORT];
  double error = r->predicted_seconds / r->measured_seconds - 1;
  const char *nearer = fabs(r->mine_error) < fabs(error) ? "yours was nearer" : "the model was nearer";
  roof_text_addf(out, "    yours: %s, %.1f %% %s than measured; the model's %s, %.1f %% %s: %s\n",
                 quantity(mine, r->mine_seconds, "s"), 100 * fabs(r->mine_error),
                 r->mine_error < 0 ? "less" : "more", quantity(models, r->predicted_seconds, "s"),
                 100 * fabs(error), error < 0 ? "less" : "more", nearer);
}

/** What a sceptic asks about. */
static void add_doubts(roof_text *out, const roof_reconciled *r) {
  if (is_by_hand(r)) {
    roof_text_add(out, "    by hand: predicting it did not give what was sealed, somebody wrote that\n");
  }
  if (r->typed[0] != '\0') {
    roof_text_addf(out, "    predicted with %s\n", r->typed);
  }
  if (r->differs[0] != '\0') {
    roof_text_addf(out, "    measured with another %s than predicted\n", r->differs);
  }
  if (r->measured_as[0] != '\0') {
    roof_text_addf(out, "    measured as %s\n", r->measured_as);
  }
}

/** Other predictions of the label, so that none disappears. */
static void add_others(roof_text *out, const roof_reconciled *r) {
  if (r->superseded == 0) {
    return;
  }
  roof_text_addf(out, "    re-predicted: %zu predictions of it, of which entry %zu counts", r->superseded + 1,
                 r->prediction);
  if (r->after_measurement > 0) {
    roof_text_addf(out, "; %zu sealed after a measurement%s", r->after_measurement,
                   r->late ? ", this one too" : "");
  }
  roof_text_add(out, "\n");
}

/** Other measurements of it, so that none disappears. */
static void add_again(roof_text *out, const roof_reconciled *r) {
  char time[SHORT];
  if (r->measured_again > 0) {
    roof_text_addf(out, "    measured again: %zu time%s, last %s (entry %zu); entry %zu counts\n",
                   r->measured_again, r->measured_again == 1 ? "" : "s",
                   quantity(time, r->again_seconds, "s"), r->again, r->measurement);
  }
}

/** Which of several predictions of a person counts, or that none does. */
static void add_guesses(roof_text *out, const roof_reconciled *r) {
  if (isnan(r->mine_seconds) && r->guesses > 0) {
    roof_text_add(out, "    yours: given with another prediction of it, which does not count\n");
  } else if (r->guesses > 1) {
    roof_text_addf(out, "    yours: given with %zu predictions of it, of which entry %zu counts\n",
                   r->guesses, r->prediction);
  }
}

/** How many predictions are of a machine whose file has changed since. */
static size_t changed_count(const roof_reconcile *all, const char *machine) {
  size_t count = 0;
  for (size_t i = 0; i < all->count; i++) {
    count += all->entries[i].machine_changed && strcmp(all->entries[i].machine, machine) == 0;
  }
  return count;
}

void roof_reconcile_remarks(const roof_reconcile *all, roof_text *out) {
  const roof_guesses *g = &all->guesses;
  if (g->count > 0) {
    roof_text_addf(
        out, "  yours: nearer than the model in %zu of %zu; off by %.1f %% (median), the model by %.1f %%\n",
        g->nearer, g->count, 100 * g->median_error, 100 * g->model_median_error);
  }
  for (size_t i = 0; i < all->machine_count; i++) {
    size_t count = changed_count(all, all->machines[i].name);
    if (count > 0) {
      roof_text_addf(out, "  machine %s: its file has changed since %zu prediction%s sealed\n",
                     all->machines[i].name, count, count == 1 ? " was" : "s were");
    }
  }
}

/** How much of the sentence comes before its cause, which add_causes gives a line of its own. */
static int length_before_cause(const roof_why *why) {
  char last[sizeof why->sentence];
  const char *cause = NULL;
  for (size_t i = 0; i < why->count && cause == NULL; i++) {
    rf_format(last, sizeof last, "; %s: %s", why->causes[i].name, why->causes[i].sentence);
    cause = why->causes[i].certainty == ROOF_SHOWN ? strstr(why->sentence, last) : NULL;
  }
  return (int)(cause != NULL ? (size_t)(cause - why->sentence) : strlen(why->sentence));
}

void roof_reconciled_remarks(const roof_reconciled *r, const roof_why *why, roof_text *out) {
  if (is_silent(r, why)) {
    return;
  }
  int length = r->done ? (int)strlen(why->sentence) : length_before_cause(why);
  roof_text_addf(out, "  %s: %.*s\n", r->label, length, why->sentence);
  if (r->impossible[0] != '\0') {
    roof_text_addf(out, "    error: above its ceiling: %s\n", r->impossible);
  }
  add_doubts(out, r);
  add_others(out, r);
  add_again(out, r);
  if (!isnan(r->mine_seconds)) {
    add_mine(out, r);
  }
  add_guesses(out, r);
  if (!isnan(r->memory_pace)) {
    roof_text_addf(out, "    memory: at %.0f %% of its ceiling meanwhile; the share is of that\n",
                   100 * r->memory_pace);
  }
  add_counted(out, r);
  if (r->overlap > 0 && !r->done) {
    roof_text_addf(out, "    overlap: %.0f %% of what can be hidden behind the longest time\n",
                   100 * r->overlap);
  }
  if (!r->done) {
    add_causes(out, why);
  } else {
    roof_text_addf(out, "    done: %.1f %% of the achieved ceiling; what would raise the ceiling: %s\n",
                   100 * r->share[ROOF_ACHIEVED], r->next);
  }
}
