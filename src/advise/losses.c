/* From the ceiling to what was measured, cause by cause. */
#include "roofline/losses.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "roofline/effects.h"
#include "roofline/units.h"

/** What a counter takes of the rate. */
typedef struct counted {
  roof_clue clue;
  const char *name;
  enum {
    LEFT,
    LOST,
    TIMES
  } means;                    /**< the share that is left, that is lost; how many times as much is moved */
  bool memory, compute;       /**< whose rate it takes from */
  roof_effect effect;         /**< of a prediction that it takes the place of, or ROOF_EFFECT_COUNT */
  const char *before, *after; /**< of the figure, in percent or as a factor */
} counted;

static const counted causes[] = {
    {ROOF_CLUE_ACTIVE, "idle device", LEFT, true, true, ROOF_EFFECT_COUNT, "work in ", " % of the cycles"},
    {ROOF_CLUE_IDLE, "idle host", LOST, true, true, ROOF_EFFECT_HOST, "no kernel in ",
     " % of the elapsed time"},
    {ROOF_CLUE_STEAL, "other programs", LOST, true, true, ROOF_EFFECT_COUNT, "they took ", " % of the time"},
    {ROOF_CLUE_CLOCK, "clock", LEFT, false, true, ROOF_EFFECT_COUNT, "", " % of the nominal clock"},
    {ROOF_CLUE_WAVE, "last wave", LOST, false, true, ROOF_EFFECT_WAVES, "idle for ", " % of the waves"},
    {ROOF_CLUE_TILE, "tiles", LOST, false, true, ROOF_EFFECT_TILES, "", " % of what they compute is padding"},
    {ROOF_CLUE_LANES, "divergence", LEFT, false, true, ROOF_EFFECT_COUNT, "", " % of the lanes active"},
    {ROOF_CLUE_TRAFFIC, "traffic", TIMES, true, false, ROOF_EFFECT_COUNT, "", "x the bytes that must move"},
    {ROOF_CLUE_SECTOR, "sectors", LEFT, true, false, ROOF_EFFECT_COUNT, "",
     " % of the bytes fetched are used"},
};

/** The wall of the bare roofline that takes the longest. */
typedef struct wall {
  char name[32];
  bool moves; /**< bytes; else it computes */
  roof_provenance kind;
  double amount, seconds; /**< bytes or FLOPs, and the least time of them */
} wall;

/** A cascade being filled, by its times: the rates follow. */
typedef struct cascade {
  roof_losses *losses;
  double amount;   /**< bytes or FLOPs */
  double seconds;  /**< after the last step */
  double measured; /**< the end */
} cascade;

static roof_loss *add_step(cascade *c, const char *name, double seconds) {
  roof_loss *step = &c->losses->steps[c->losses->count++];
  *step = (roof_loss){.rate = c->amount / seconds};
  snprintf(step->name, sizeof step->name, "%.47s", name);
  step->share = step->rate / c->losses->steps[0].rate;
  c->seconds = seconds;
  return step;
}

/** A cause after which it would take `alone`, half a percent longer or more. One that would explain more than there is explains the
 * rest: causes hide each other. */
static void add_cause(cascade *c, const char *name, double alone, const char *why) {
  double seconds = fmin(alone, c->measured);
  if (!isnan(alone) && seconds >= 1.005 * c->seconds && c->losses->count < ROOF_LOSS_MAX - 1) {
    roof_loss *step = add_step(c, name, seconds);
    rf_format(step->why, sizeof step->why, "%.76s%s", why, alone > c->measured ? ": all of the rest" : "");
  }
}

/** How many times longer a counted cause makes it; 1: not at all, or not known. */
static double factor_of(const counted *cause, double value) {
  if (isnan(value)) {
    return 1;
  }
  return cause->means == TIMES ? value : 1 / (cause->means == LEFT ? value : 1 - value);
}

/** NaN: not counted, or not of what binds. */
static double counted_value(const counted *k, const roof_evidence *evidence, bool moves) {
  bool counts = (moves ? k->memory : k->compute) && !evidence->inferred[k->clue];
  return counts ? evidence->clue[k->clue] : (double)NAN;
}

static void add_counted(cascade *c, const roof_evidence *evidence, bool moves) {
  for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
    const counted *k = &causes[i];
    double value = counted_value(k, evidence, moves);
    char why[96];
    rf_format(why, sizeof why, "%s%.3g%s", k->before, k->means == TIMES ? value : 100 * value, k->after);
    add_cause(c, k->name, c->seconds * factor_of(k, value), why);
  }
}

/** What was counted goes before what was predicted. */
static bool is_counted(roof_effect effect, const roof_evidence *evidence, bool moves) {
  bool found = false;
  for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
    found |= causes[i].effect == effect && !isnan(counted_value(&causes[i], evidence, moves));
  }
  return found;
}

/** Takes what an effect saves off those before it, the nearest first: data in a cache spare what memory lacks of its bandwidth. */
static void settle_savings(roof_effect_part *parts, int count) {
  for (int i = 0; i < count; i++) {
    for (int k = i - 1; k >= 0 && parts[i].seconds < 0; k--) {
      double spared = fmin(fmax(0, parts[k].seconds), -parts[i].seconds);
      parts[k].seconds -= spared;
      parts[i].seconds += spared;
    }
  }
}

/** Why a kernel of its class takes longer than the bare roofline, by the prediction. Without effects: what a benchmark reaches, and
 * the launch. */
static void add_predicted(cascade *c, const roof_advice *a, const roof_target *target, bool moves) {
  roof_effect_part parts[ROOF_EFFECT_COUNT];
  int count = roof_effects_of(target, &a->now, parts);
  settle_savings(parts, count);
  for (int i = 0; i < count; i++) {
    if (!is_counted(parts[i].effect, &a->evidence, moves)) {
      add_cause(c, roof_effect_name(parts[i].effect), c->seconds + parts[i].seconds, parts[i].text);
    }
  }
  if (count == 0) {
    char text[32];
    add_cause(c, "machine", a->achieved_seconds, "what a benchmark reaches");
    add_cause(c, "launch", c->seconds + a->now.overhead_seconds,
              roof_quantity_format(text, sizeof text, target->launch_seconds, "s"));
  }
}

/** The ceiling: of the cache that may have kept the data, before what the memory of the wall takes. */
static void add_ceiling(cascade *c, const roof_level *cache, const wall *w) {
  roof_loss *first = add_step(c, cache != NULL ? cache->name : w->name, c->seconds);
  snprintf(first->why, sizeof first->why, "%s", roof_provenance_name(cache != NULL ? cache->kind : w->kind));
  if (cache != NULL) {
    add_cause(c, w->name, w->seconds, roof_provenance_name(w->kind));
  }
}

static void fill(const roof_advice *a, const roof_target *target, const wall *w, const roof_level *cache,
                 cascade *c) {
  snprintf(c->losses->unit, sizeof c->losses->unit, "%s", w->moves ? "B/s" : "FLOP/s");
  add_ceiling(c, cache, w);
  add_predicted(c, a, target, w->moves);
  add_counted(c, &a->evidence, w->moves);
  double unexplained = 1 - c->seconds / c->measured;
  roof_loss *last = add_step(c, "measured", c->measured);
  if (unexplained > 0.001) {
    rf_format(last->why, sizeof last->why, "%.3g %% that no figure explains", 100 * unexplained);
  }
}

/** Bytes of the level that binds, else of the outermost. */
static double bytes_of(const roof_prediction *p) {
  for (int i = 0; i < p->level_count; i++) {
    if (p->levels[i].level == p->binding) {
      return p->levels[i].bytes;
    }
  }
  return p->bytes;
}

/** False where neither a peak nor a bandwidth is known. */
static bool find_wall(const roof_prediction *p, wall *w) {
  *w = (wall){.moves = true};
  if (p->link != NULL && p->network_seconds > fmax(p->compute_seconds, p->memory_seconds)) {
    snprintf(w->name, sizeof w->name, "%.31s", p->link->name);
    w->kind = p->link->kind;
    w->amount = p->work.link_bytes;
    w->seconds = p->network_seconds;
  } else if (p->compute_seconds >= p->memory_seconds && p->peak != NULL) {
    snprintf(w->name, sizeof w->name, "%.15s %.15s", roof_dtype_name(p->peak->dtype),
             roof_unit_name(p->peak->unit));
    w->moves = false;
    w->kind = p->peak->kind;
    w->amount = p->work.flops;
    w->seconds = p->compute_seconds;
  } else if (p->binding != NULL) {
    snprintf(w->name, sizeof w->name, "%.31s", p->binding->name);
    w->kind = p->binding->kind;
    w->amount = bytes_of(p);
    w->seconds = p->memory_seconds;
  }
  return w->amount > 0 && w->seconds > 0;
}

roof_status roof_losses_of(const roof_advice *advice, const roof_target *target, roof_losses *losses,
                           roof_error *error) {
  double measured = advice->measured_seconds;
  wall w;
  if (isnan(measured)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "losses: nothing is measured: measured=TIME");
  }
  if (!find_wall(&advice->now, &w)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "losses: %s: neither a peak nor a bandwidth is known",
                          target->machine->name);
  }
  const roof_level_time *kept = w.moves ? roof_prediction_bound_level(&advice->now) : NULL;
  double least = kept != NULL ? kept->seconds : w.seconds;
  if (measured < least) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "losses: the time is under that of %s alone: no loss",
                          kept != NULL ? kept->level->name : w.name);
  }
  roof_losses made = {.count = 0};
  cascade c = {&made, w.amount, least, measured};
  fill(advice, target, &w, kept != NULL ? kept->level : NULL, &c);
  snprintf(made.title, sizeof made.title, "%.80s: from its ceiling to what was measured",
           roof_machine_title(target->machine));
  *losses = made;
  return ROOF_OK;
}

/** "refresh=1905GB/s". The first rate sets the unit of all. */
static roof_status read_step(const char *word, roof_losses *losses, roof_error *error) {
  const char *equals = strchr(word, '=');
  roof_loss *step = &losses->steps[losses->count];
  if (equals == NULL || equals == word || (size_t)(equals - word) >= sizeof step->name) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "%.60s: a step is CAUSE=RATE, for instance refresh=1905GB/s", word);
  }
  const char *units[] = {losses->unit[0] != '\0' ? losses->unit : "B/s", "FLOP/s"};
  roof_status status = ROOF_E_PARSE;
  for (int i = 0; i < (losses->count > 0 ? 1 : 2) && status != ROOF_OK; i++) {
    status = roof_quantity_parse_unit(equals + 1, units[i], &step->rate, error);
    if (status == ROOF_OK) {
      memmove(losses->unit, units[i], strlen(units[i]) + 1);
    }
  }
  snprintf(step->name, sizeof step->name, "%.*s", (int)(equals - word), word);
  step->share = step->rate / losses->steps[0].rate;
  return status;
}

roof_status roof_losses_read(const char *const *words, int count, roof_losses *losses, roof_error *error) {
  roof_losses made = {.title = "From the ceiling to what is left"};
  roof_status status = ROOF_OK;
  if (count < 2 || count > ROOF_LOSS_MAX) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "losses: from 2 to %d steps, for instance HBM=2039GB/s refresh=1905GB/s",
                          ROOF_LOSS_MAX);
  }
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = read_step(words[i], &made, error);
    if (status == ROOF_OK &&
        !(made.steps[i].rate > 0 && (i == 0 || made.steps[i].rate <= made.steps[i - 1].rate))) {
      status = roof_error_set(error, ROOF_E_ARGUMENT,
                              "%.60s: not over 0, or more than what was left before it", words[i]);
    }
    made.count++;
  }
  if (status == ROOF_OK) {
    *losses = made;
  }
  return status;
}
