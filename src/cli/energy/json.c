/* The roofline of energy as an object a machine. */
#include <math.h>

#include "cli/energy/energy.h"

static json_t *flops_json(const roof_energy_subject *s) {
  json_t *list = json_array();
  roof_energy_flop f;
  for (int i = 0; roof_energy_subject_flop(s, i, &f); i++) {
    double limit = roof_energy_efficiency(&f.line, INFINITY);
    json_array_append_new(
        list,
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "dtype", roof_dtype_name(f.peak->dtype), "unit",
                  roof_unit_name(f.peak->unit), "flops_per_second", cli_json_number(f.peak->flops_per_second),
                  "joules", cli_json_number(s->target.costs.power_only ? NAN : f.line.joules_per_flop),
                  "effective_joules", cli_json_number(1 / limit), "flops_per_joule", cli_json_number(limit)));
  }
  return list;
}

static json_t *bytes_json(const roof_energy_subject *s) {
  json_t *list = json_array();
  roof_energy_byte b;
  for (int i = 0; roof_energy_byte_at(&s->target, i, &b); i++) {
    json_array_append_new(list,
                          json_pack("{s:s, s:o, s:o, s:o}", "level", b.level->name, "bytes_per_second",
                                    cli_json_number(b.bytes_per_second), "joules", cli_json_number(b.joules),
                                    "effective_joules", cli_json_number(b.effective_joules)));
  }
  return list;
}

static json_t *levels_json(const roof_prediction *p, const roof_energy_use *u) {
  json_t *levels = json_object();
  for (int i = 0; i < p->level_count; i++) {
    json_object_set_new(levels, p->levels[i].level->name, cli_json_number(u->level_joules[i]));
  }
  return levels;
}

static json_t *point_json(const roof_energy_subject *s, const double *values, const char *name,
                          const roof_prediction *p, const roof_energy_use *u) {
  json_t *joules =
      json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "flops", cli_json_number(u->flop_joules), "bytes",
                cli_json_number(u->byte_joules), "constant", cli_json_number(u->constant_joules), "lower",
                cli_json_number(u->lower_joules), "upper", cli_json_number(u->upper_joules), "expected",
                cli_json_number(u->expected_joules));
  bool counted = p->work.flops > 0;
  return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "op", s->shape->op->name,
                   "label", name, "parameters", cli_json_parameters(s->shape->op, values), "flops",
                   cli_json_number(p->work.flops), "bytes", cli_json_number(p->bytes), "intensity",
                   cli_json_number(p->intensity), "joules", joules, "level_joules", levels_json(p, u),
                   "watts", cli_json_number(u->watts), "flops_per_joule",
                   cli_json_number(counted ? u->flops_per_joule : NAN), "best_flops_per_joule",
                   cli_json_number(counted ? p->work.flops / u->lower_joules : NAN), "bound",
                   counted ? json_string(roof_energy_bound(&s->line, p->intensity)) : json_null());
}

static json_t *points_json(const roof_energy_subject *s, roof_error *error) {
  json_t *list = json_array();
  for (size_t i = 0; s->shape != NULL && i < s->shape->points; i++) {
    double values[ROOF_PARAM_MAX];
    char name[128];
    roof_prediction p;
    roof_energy_use u;
    if (roof_energy_point(s, i, &p, &u, error) != ROOF_OK ||
        roof_shape_point(s->shape, i, values, error) != ROOF_OK) {
      json_decref(list);
      return NULL;
    }
    roof_energy_point_name(s, i, name, sizeof name);
    json_array_append_new(list, point_json(s, values, name, &p, &u));
  }
  return list;
}

json_t *cli_energy_json(const roof_energy_subject *s, roof_error *error) {
  json_t *points = points_json(s, error);
  if (points == NULL) {
    return NULL;
  }
  const roof_machine *m = s->target.machine;
  const roof_energy_costs *c = &s->target.costs;
  json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:s, s:b}", "name", m->name, "dtype",
                             roof_dtype_name(s->dtype), "unit", roof_unit_name(s->unit), "kind",
                             roof_provenance_name(c->power_only ? ROOF_ASSUMED : m->energy.kind), "source",
                             m->energy.source, "power_only", (int)c->power_only);
  const struct {
    const char *name;
    double value;
  } numbers[] = {{"rated_watts", m->energy.watts},
                 {"constant_watts", c->constant_watts},
                 {"most_watts", roof_energy_watts(&s->line, roof_energy_time_balance(&s->line))},
                 {"best_flops_per_joule", roof_energy_efficiency(&s->line, INFINITY)},
                 {"time_balance", roof_energy_time_balance(&s->line)},
                 {"energy_balance", roof_energy_balance(&s->line)}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    json_object_set_new(object, numbers[i].name, cli_json_number(numbers[i].value));
  }
  json_object_set_new(object, "race_to_halt", json_boolean(roof_energy_race_to_halt(&s->line)));
  json_object_set_new(object, "flop_costs", flops_json(s));
  json_object_set_new(object, "byte_costs", bytes_json(s));
  json_object_set_new(object, "points", points);
  return object;
}
