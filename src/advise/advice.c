/* Everything to say of one operation before it is changed. */
#include <math.h>
#include <string.h>

#include "advise/levers.h"
#include "roofline/units.h"

bool roof_lever_helps(const roof_lever *lever) {
  return isnan(lever->gain) || lever->gain >= ROOF_LEVER_HELPS;
}

roof_question roof_question_init(void) {
  roof_question question = {.measured_seconds = NAN, .wall_seconds = NAN, .counted_bytes = NAN};
  for (int i = 0; i < ROOF_CLUE_COUNT; i++) {
    question.clue[i] = NAN;
  }
  return question;
}

roof_status roof_question_read(roof_question *question, const char *word, bool *read, roof_error *error) {
  const struct {
    const char *key;
    double *seconds;
  } times[] = {{"measured=", &question->measured_seconds}, {"wall=", &question->wall_seconds}};
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    size_t length = strlen(times[i].key);
    double seconds = 0;
    if (strncmp(word, times[i].key, length) != 0) {
      continue;
    }
    roof_status status = roof_quantity_parse_unit(word + length, "s", &seconds, error);
    if (status == ROOF_OK && !(seconds > 0)) {
      status = roof_error_set(error, ROOF_E_ARGUMENT, "%s: a time must be over 0", word + length);
    }
    if (status == ROOF_OK) {
      *times[i].seconds = seconds;
      *read = true;
    }
    return status;
  }
  *read = false;
  return ROOF_OK;
}

/** The bound that the measured ceilings give, where the machine has both kinds. */
static double achieved_bound(const roof_target *asked, const roof_op *op, const double *values,
                             double lower_seconds) {
  roof_options options = asked->options;
  roof_target target;
  roof_prediction p;
  options.achieved = true;
  if (roof_target_init(&target, asked->machine, &asked->types, &options, NULL) != ROOF_OK) {
    return lower_seconds;
  }
  roof_predict(&target, op, values, &p);
  return p.lower_seconds;
}

static bool has_clues(const roof_question *question) {
  for (int i = 0; i < ROOF_CLUE_COUNT; i++) {
    if (!isnan(question->clue[i])) {
      return true;
    }
  }
  return false;
}

/** Counters and a wall time explain a time, and the wall time holds it. */
static roof_status check_times(const roof_question *q, roof_error *error) {
  char wall[48], measured[48];
  if (isnan(q->measured_seconds) && (has_clues(q) || !isnan(q->wall_seconds))) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s needs a time to explain: measured=TIME",
                          isnan(q->wall_seconds) ? "a counter" : "wall=TIME");
  }
  return q->wall_seconds < q->measured_seconds
             ? roof_error_set(error, ROOF_E_ARGUMENT, "wall=%s: shorter than the kernel in it, measured=%s",
                              roof_quantity_format(wall, sizeof wall, q->wall_seconds, "s"),
                              roof_quantity_format(measured, sizeof measured, q->measured_seconds, "s"))
             : ROOF_OK;
}

static void find_causes(roof_advice *a, const roof_machine *machine, const roof_question *question) {
  a->evidence = roof_evidence_of(&a->now, machine, question->measured_seconds);
  a->evidence.wall_seconds = question->wall_seconds;
  a->evidence.counted_bytes = question->counted_bytes;
  a->evidence.achieved = a->achieved_share;
  roof_evidence_take(&a->evidence, question->clue);
  a->cause_count = roof_causes_rank(&a->evidence, a->causes, ROOF_ADVICE_CAUSES);
}

/** Counters that show a device waiting for work say how much a lever on the kernel can bring. */
static void hold_levers_against(roof_advice *a) {
  const double *clue = a->evidence.clue;
  if (roof_evidence_is_starved(&a->evidence)) {
    double active = fmin(isnan(clue[ROOF_CLUE_ACTIVE]) ? 1 : clue[ROOF_CLUE_ACTIVE], 1);
    double idle = isnan(clue[ROOF_CLUE_IDLE]) ? 0 : clue[ROOF_CLUE_IDLE];
    rf_levers_starve(a->levers, a->lever_count, fmax(fmin(active, 1 - idle), 0.01));
  }
}

/** The first lever that is the owner's to pull, when it helps. */
static const roof_lever *best_lever(const roof_advice *a) {
  for (size_t i = 0; i < a->lever_count; i++) {
    if (a->levers[i].kind != ROOF_LEVER_RESOURCE) {
      return roof_lever_helps(&a->levers[i]) ? &a->levers[i] : NULL;
    }
  }
  return NULL;
}

roof_status roof_advise(const roof_target *target, const roof_op *op, const double *typed,
                        const roof_question *question, roof_advice *out, roof_error *error) {
  double values[ROOF_PARAM_MAX], measured = question->measured_seconds;
  roof_prediction now;
  for (int i = 0; i < ROOF_PARAM_MAX; i++) {
    values[i] = typed[i];
  }
  roof_status status = roof_op_complete(op, values, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_predict(target, op, values, &now);
  status = roof_prediction_check(target, &now, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = check_times(question, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_placed placed;
  roof_place_work(target, &now.work, measured, NAN, &placed);
  if (!isnan(measured) && placed.state == ROOF_PLACE_UNKNOWN) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: the ceiling of %s is not known on it",
                          target->machine->name, op->name);
  }
  status = roof_levers_rank(target, op, typed, question->users, out->levers, ROOF_ADVICE_LEVERS,
                            &out->lever_count, error);
  if (status != ROOF_OK) {
    return status;
  }
  out->now = now;
  out->measured_seconds = measured;
  out->placed = placed;
  out->achieved_seconds = achieved_bound(target, op, values, now.lower_seconds);
  out->achieved_share = out->achieved_seconds / measured;
  out->done = out->achieved_share >= ROOF_STOP_FRACTION && out->achieved_share <= 1 &&
              placed.state == ROOF_PLACE_POSSIBLE;
  find_causes(out, target->machine, question);
  hold_levers_against(out);
  out->best = best_lever(out);
  return ROOF_OK;
}
