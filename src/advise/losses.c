/* From the ceiling to what was measured, cause by cause. */
#include "roofline/losses.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
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
  const char *before, *after; /**< of the figure, in percent or as a factor */
} counted;

static const counted causes[] = {
    {ROOF_CLUE_ACTIVE, "idle device", LEFT, true, true, "work in ", " % of the cycles"},
    {ROOF_CLUE_IDLE, "idle host", LOST, true, true, "no kernel in ", " % of the elapsed time"},
    {ROOF_CLUE_STEAL, "other programs", LOST, true, true, "they took ", " % of the time"},
    {ROOF_CLUE_CLOCK, "clock", LEFT, false, true, "", " % of the nominal clock"},
    {ROOF_CLUE_WAVE, "last wave", LOST, false, true, "idle for ", " % of the waves"},
    {ROOF_CLUE_TILE, "tiles", LOST, false, true, "", " % of what they compute is padding"},
    {ROOF_CLUE_LANES, "divergence", LEFT, false, true, "", " % of the lanes active"},
    {ROOF_CLUE_TRAFFIC, "traffic", TIMES, true, false, "", "x the bytes that must move"},
    {ROOF_CLUE_SECTOR, "sectors", LEFT, true, false, "", " % of the bytes fetched are used"},
};

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

/** True where it takes a thousandth or more, and no more than is left to explain. */
static bool counts(const cascade *c, double seconds) {
  return seconds >= 1.001 * c->seconds && seconds <= c->measured * 1.001;
}

/** How many times longer a counted cause makes it; 1: not at all, or not known. */
static double factor_of(const counted *cause, double value) {
  if (isnan(value)) {
    return 1;
  }
  return cause->means == TIMES ? value : 1 / (cause->means == LEFT ? value : 1 - value);
}

/** A counter that would explain more than there is explains the rest: causes hide each other. */
static void add_counted(cascade *c, const roof_evidence *evidence, bool memory) {
  for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
    const counted *k = &causes[i];
    double value = evidence->inferred[k->clue] ? (double)NAN : evidence->clue[k->clue];
    double alone = c->seconds * factor_of(k, value), seconds = fmin(alone, c->measured);
    if ((memory ? k->memory : k->compute) && counts(c, seconds)) {
      roof_loss *step = add_step(c, k->name, seconds);
      rf_format(step->why, sizeof step->why, "%s%.3g%s%s", k->before, k->means == TIMES ? value : 100 * value,
                k->after, alone > c->measured ? ": all of the rest" : "");
    }
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

static void fill(const roof_advice *a, const roof_target *target, bool memory, cascade *c) {
  const roof_prediction *p = &a->now;
  char peak[32];
  snprintf(c->losses->unit, sizeof c->losses->unit, "%s", memory ? "B/s" : "FLOP/s");
  snprintf(peak, sizeof peak, "%.15s %.15s", memory ? "" : roof_dtype_name(p->peak->dtype),
           memory ? "" : roof_unit_name(p->peak->unit));
  roof_loss *first = add_step(c, memory ? p->binding->name : peak, c->seconds);
  snprintf(first->why, sizeof first->why, "%s",
           roof_provenance_name(memory ? p->binding->kind : p->peak->kind));
  if (counts(c, a->achieved_seconds)) {
    snprintf(add_step(c, "machine", a->achieved_seconds)->why, sizeof first->why, "what a benchmark reaches");
  }
  if (counts(c, c->seconds + p->overhead_seconds)) {
    roof_loss *step = add_step(c, "launch", c->seconds + p->overhead_seconds);
    char text[32];
    snprintf(step->why, sizeof step->why, "%s",
             roof_quantity_format(text, sizeof text, target->launch_seconds, "s"));
  }
  add_counted(c, &a->evidence, memory);
  double unexplained = 1 - c->seconds / c->measured;
  roof_loss *last = add_step(c, "measured", c->measured);
  if (unexplained > 0.001) {
    rf_format(last->why, sizeof last->why, "%.3g %% that no figure explains", 100 * unexplained);
  }
}

roof_status roof_losses_of(const roof_advice *advice, const roof_target *target, roof_losses *losses,
                           roof_error *error) {
  const roof_prediction *p = &advice->now;
  double measured = advice->measured_seconds;
  bool memory = !(p->compute_seconds >= p->memory_seconds);
  if (isnan(measured)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "losses: nothing is measured: measured=TIME");
  }
  if (memory ? p->binding == NULL || !(p->memory_seconds > 0) : p->peak == NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "losses: %s: neither a peak nor a bandwidth is known",
                          target->machine->name);
  }
  double least = memory ? p->memory_seconds : p->compute_seconds;
  if (measured < least) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "losses: the time is under the least possible: no loss");
  }
  roof_losses made = {.count = 0};
  cascade c = {&made, memory ? bytes_of(p) : p->work.flops, least, measured};
  fill(advice, target, memory, &c);
  snprintf(made.title, sizeof made.title, "%.80s: from its ceiling to what was measured",
           roof_machine_title(target->machine));
  *losses = made;
  return ROOF_OK;
}

/** "ECC=1905GB/s". The first rate sets the unit of all. */
static roof_status read_step(const char *word, roof_losses *losses, roof_error *error) {
  const char *equals = strchr(word, '=');
  roof_loss *step = &losses->steps[losses->count];
  if (equals == NULL || equals == word || (size_t)(equals - word) >= sizeof step->name) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%.60s: a step is CAUSE=RATE, for instance ECC=1905GB/s",
                          word);
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
                          "losses: from 2 to %d steps, for instance HBM=2039GB/s ECC=1905GB/s",
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
