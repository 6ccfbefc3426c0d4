/* The roofline of energy as an object a machine. */
#include <math.h>

#include "cli/energy/energy.h"

static json_t *levels_json(const roof_prediction *p, const roof_energy_use *u) {
  json_t *levels = json_object();
  for (int i = 0; i < p->level_count; i++) {
    json_object_set_new(levels, p->levels[i].level->name, rf_json_number(u->level_joules[i]));
  }
  return levels;
}

static json_t *points_json(const roof_energy_subject *s, roof_error *error) {
  json_t *list = json_array();
  for (size_t i = 0; s->shape != NULL && i < s->shape->points; i++) {
    double values[ROOF_PARAM_MAX];
    cli_energy_point p;
    if (cli_energy_point_at(s, i, &p, error) != ROOF_OK ||
        roof_shape_point(s->shape, i, values, error) != ROOF_OK) {
      json_decref(list);
      return NULL;
    }
    json_t *object = cli_columns_object(cli_energy_points, &p);
    json_object_set_new(object, "parameters", rf_parameters_json(s->shape->op, values));
    json_object_set_new(object, "level_joules", levels_json(&p.prediction, &p.use));
    json_array_append_new(list, object);
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
    json_object_set_new(object, numbers[i].name, rf_json_number(numbers[i].value));
  }
  json_object_set_new(object, "race_to_halt", json_boolean(roof_energy_race_to_halt(&s->line)));
  roof_energy_flop flops[CLI_ENERGY_FLOPS];
  roof_energy_byte bytes[ROOF_LEVEL_KIND_COUNT];
  json_object_set_new(object, "flop_costs", cli_columns_json(cli_energy_flops(s, flops)));
  json_object_set_new(object, "byte_costs", cli_columns_json(cli_energy_bytes(s, bytes)));
  json_object_set_new(object, "points", points);
  return object;
}
