#include "roofline/joules.h"

#include <math.h>
#include <stdio.h>

void roof_energy_give(const roof_energy_given *given, roof_machine *machine) {
  roof_energy *e = &machine->energy;
  const struct {
    double given, *figure;
  } figures[] = {{given->joules_per_flop, &e->joules_per_flop},
                 {given->joules_per_byte, &e->joules_per_byte},
                 {given->idle_watts, &e->idle_watts}};
  for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
    if (!isnan(figures[i].given)) {
      *figures[i].figure = figures[i].given;
      e->kind = ROOF_ASSUMED;
      snprintf(e->source, sizeof e->source, "given");
    }
  }
  if (!isnan(given->joules_per_flop)) {
    e->flop_count = 0;
    e->fp32_joules_per_flop = NAN;
  }
  e->byte_count = isnan(given->joules_per_byte) ? e->byte_count : 0;
}

/** The unit that the operation uses, else the one with the higher peak. */
static roof_unit choose_unit(const roof_target *t, const roof_shape *shape) {
  const roof_peak *vector = t->peak[ROOF_VECTOR], *matrix = t->peak[ROOF_MATRIX];
  if (shape != NULL) {
    return shape->op->unit;
  }
  bool slower = matrix == NULL || (vector != NULL && vector->flops_per_second > matrix->flops_per_second);
  return slower ? ROOF_VECTOR : ROOF_MATRIX;
}

/** The costs are enough for energies. */
static roof_status check_costs(const roof_target *target, const roof_energy_given *given, roof_error *error) {
  const roof_energy_costs *costs = &target->costs;
  const char *name = target->machine->name;
  bool any = !isnan(given->joules_per_flop) || !isnan(given->joules_per_byte) || !isnan(given->idle_watts);
  if (costs->power_only && any) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "--joules-per-flop and --joules-per-byte: both are needed, for %s says neither",
                          name);
  }
  if (isnan(costs->constant_watts)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "%s: its file says neither joules nor watts; give --joules-per-flop and "
                          "--joules-per-byte",
                          name);
  }
  return ROOF_OK;
}

roof_status roof_energy_subject_of(const roof_target *target, const roof_shape *shape,
                                   const roof_energy_given *given, roof_energy_subject *subject,
                                   roof_error *error) {
  roof_energy_subject s = {.target = *target, .shape = shape, .only_dtype = !isnan(given->joules_per_flop)};
  roof_unit unit = choose_unit(target, shape);
  const roof_peak *peak = target->peak[unit];
  s.target.costs = roof_energy_costs_of(target);
  s.line = roof_energy_line_of(&s.target, unit);
  s.best_flops_per_joule = roof_energy_efficiency(&s.line, INFINITY);
  s.time_balance = roof_energy_time_balance(&s.line);
  s.most_watts = roof_energy_watts(&s.line, s.time_balance);
  s.energy_balance = roof_energy_balance(&s.line);
  s.race_to_halt = roof_energy_race_to_halt(&s.line);
  s.dtype = peak != NULL ? peak->dtype : target->types.compute;
  s.unit = peak != NULL ? peak->unit : unit;
  roof_status status = check_costs(&s.target, given, error);
  status = status == ROOF_OK && shape != NULL ? roof_target_supports(target, unit, error) : status;
  if (status == ROOF_OK) {
    *subject = s;
  }
  return status;
}

size_t roof_energy_flops(const roof_energy_subject *subject, roof_energy_flop flops[ROOF_ENERGY_FLOPS]) {
  size_t count = 0;
  roof_energy_flop flop;
  for (int i = 0; count < ROOF_ENERGY_FLOPS && roof_energy_flop_at(&subject->target, i, &flop); i++) {
    if (!subject->only_dtype || flop.peak->dtype == subject->dtype) {
      flops[count++] = flop;
    }
  }
  return count;
}

size_t roof_energy_bytes(const roof_energy_subject *subject, roof_energy_byte bytes[ROOF_LEVEL_KIND_COUNT]) {
  size_t count = 0;
  while (count < ROOF_LEVEL_KIND_COUNT && roof_energy_byte_at(&subject->target, (int)count, &bytes[count])) {
    count++;
  }
  return count;
}

static void name_point(const roof_energy_subject *s, size_t index, char *buffer, size_t size) {
  roof_text words = {0};
  roof_shape_add_point(&words, s->shape, index, -1);
  snprintf(buffer, size, "%s", words.length > 0 ? words.data : s->shape->op->name);
  roof_text_done(&words);
}

roof_status roof_energy_point_at(const roof_energy_subject *subject, size_t index, roof_energy_point *point,
                                 roof_error *error) {
  double values[ROOF_PARAM_MAX];
  roof_energy_point p = {.intensity = NAN, .flops_per_joule = NAN, .best_flops_per_joule = NAN};
  roof_status status = roof_shape_point(subject->shape, index, values, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_predict(&subject->target, subject->shape->op, values, &p.prediction);
  p.use = roof_energy_use_of(&subject->target, &p.prediction);
  name_point(subject, index, p.label, sizeof p.label);
  if (p.prediction.work.flops > 0) {
    p.intensity = p.prediction.intensity;
    p.flops_per_joule = p.use.flops_per_joule;
    p.best_flops_per_joule = p.prediction.work.flops / p.use.lower_joules;
    p.bound = roof_energy_bound(&subject->line, p.intensity);
  }
  *point = p;
  return ROOF_OK;
}
