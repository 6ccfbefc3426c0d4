/* The roofline of energy written as roofline.energy/1. */
#include "documents/json.h"
#include "roofline/documents.h"

static json_t *flops_json(const roof_energy_subject *s) {
  roof_energy_flop flops[ROOF_ENERGY_FLOPS];
  size_t count = roof_energy_flops(s, flops);
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    const roof_energy_flop *f = &flops[i];
    rf_json_append(list, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "dtype", roof_dtype_name(f->peak->dtype),
                                   "unit", roof_unit_name(f->peak->unit), "flops_per_second",
                                   rf_json_number(f->flops_per_second), "joules", rf_json_number(f->joules),
                                   "effective_joules", rf_json_number(f->effective_joules), "flops_per_joule",
                                   rf_json_number(f->flops_per_joule)));
  }
  return list;
}

static json_t *bytes_json(const roof_energy_subject *s) {
  roof_energy_byte bytes[ROOF_LEVEL_KIND_COUNT];
  size_t count = roof_energy_bytes(s, bytes);
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    const roof_energy_byte *b = &bytes[i];
    rf_json_append(list, json_pack("{s:s, s:o, s:o, s:o}", "level", b->level->name, "bytes_per_second",
                                   rf_json_number(b->bytes_per_second), "joules", rf_json_number(b->joules),
                                   "effective_joules", rf_json_number(b->effective_joules)));
  }
  return list;
}

static json_t *levels_json(const roof_energy_point *p) {
  json_t *levels = json_object();
  for (int i = 0; i < p->prediction.level_count; i++) {
    rf_json_set(levels, p->prediction.levels[i].level->name, rf_json_number(p->use.level_joules[i]));
  }
  return levels;
}

static json_t *joules_json(const roof_energy_use *u) {
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "flops", rf_json_number(u->flop_joules), "bytes",
                   rf_json_number(u->byte_joules), "constant", rf_json_number(u->constant_joules), "lower",
                   rf_json_number(u->lower_joules), "upper", rf_json_number(u->upper_joules), "expected",
                   rf_json_number(u->expected_joules));
}

static json_t *point_json(const roof_op *op, const double *values, const roof_energy_point *p) {
  return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s?, s:o, s:o}", "op", op->name, "label",
                   p->label, "flops", rf_json_number(p->prediction.work.flops), "bytes",
                   rf_json_number(p->prediction.bytes), "intensity", rf_json_number(p->prediction.intensity),
                   "joules", joules_json(&p->use), "watts", rf_json_number(p->use.watts), "flops_per_joule",
                   rf_json_number(p->flops_per_joule), "best_flops_per_joule",
                   rf_json_number(p->best_flops_per_joule), "bound", p->bound, "parameters",
                   rf_parameters_json(op, values), "level_joules", levels_json(p));
}

static roof_status add_points(json_t *list, const roof_energy_subject *s, roof_error *error) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; s->shape != NULL && i < s->shape->points && status == ROOF_OK; i++) {
    double values[ROOF_PARAM_MAX];
    roof_energy_point p;
    status = roof_energy_point_at(s, i, &p, error);
    status = status == ROOF_OK ? roof_shape_point(s->shape, i, values, error) : status;
    if (status == ROOF_OK) {
      rf_json_append(list, point_json(s->shape->op, values, &p));
    }
  }
  return status;
}

/** One machine; takes the reference to its points. */
static json_t *subject_json(const roof_energy_subject *s, json_t *points) {
  const roof_energy *e = &s->target.machine->energy;
  const roof_energy_costs *c = &s->target.costs;
  return json_pack(
      "{s:s, s:s, s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o}", "name",
      s->target.machine->name, "dtype", roof_dtype_name(s->dtype), "unit", roof_unit_name(s->unit), "kind",
      roof_provenance_name(c->power_only ? ROOF_ASSUMED : e->kind), "source", e->source, "power_only",
      (int)c->power_only, "rated_watts", rf_json_number(e->watts), "constant_watts",
      rf_json_number(c->constant_watts), "most_watts", rf_json_number(s->most_watts), "best_flops_per_joule",
      rf_json_number(s->best_flops_per_joule), "time_balance", rf_json_number(s->time_balance),
      "energy_balance", rf_json_number(s->energy_balance), "race_to_halt", (int)s->race_to_halt, "flop_costs",
      flops_json(s), "byte_costs", bytes_json(s), "points", points);
}

roof_status roof_energy_write(const roof_energy_subject *subjects, int count, roof_text *out,
                              roof_error *error) {
  json_t *machines = json_array();
  roof_status status = ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    json_t *points = json_array();
    status = add_points(points, &subjects[i], error);
    rf_json_append(machines, subject_json(&subjects[i], points));
  }
  if (status != ROOF_OK) {
    json_decref(machines);
    return status;
  }
  return rf_json_write(json_pack("{s:s, s:o}", "schema", "roofline.energy/1", "machines", machines), "energy",
                       out, error);
}
