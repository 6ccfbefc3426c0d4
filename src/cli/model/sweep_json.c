/* Several values of a model's settings as roofline.model_sweep/1. */
#include "cli/model/sweep.h"

static json_t *settings_json(const cli_sweep *s, const cli_sweep_point *p, int except) {
  json_t *object = json_object();
  for (int i = 0; i < s->axes->count; i++) {
    if (i != except) {
      json_object_set_new(object, s->axes->list[i].name, rf_json_number(cli_sweep_value(s, p, i)));
    }
  }
  return object;
}

static json_t *point_json(const cli_sweep *s, const cli_sweep_point *p) {
  bool possible = p->why[0] == '\0';
  roof_text words = {0};
  cli_sweep_add_words(&words, s, p, -1);
  json_t *object = json_pack("{s:s, s:s, s:s, s:o}", "machine", s->machines[p->machine]->name, "precision",
                             s->precisions.names[p->precision], "label", words.data != NULL ? words.data : "",
                             "settings", settings_json(s, p, -1));
  for (int i = 0; i < CLI_SWEEP_FIGURE_COUNT; i++) {
    const char *head, *unit, *name = cli_sweep_figure(i, &head, &unit);
    json_object_set_new(object, name, possible ? rf_json_number(p->figures[i]) : json_null());
  }
  json_object_set_new(object, "fits", possible ? json_boolean(p->fits) : json_null());
  json_object_set_new(object, "regime", possible ? json_string(roof_regime_name(p->regime)) : json_null());
  json_object_set_new(object, "why", possible ? json_null() : json_string(p->why));
  roof_text_done(&words);
  return object;
}

static void add_crossing(void *context, const cli_sweep *s, const cli_sweep_crossing *c) {
  const cli_sweep_point *p = c->point;
  json_array_append_new(context,
                        json_pack("{s:s, s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:s, s:o}", "parameter",
                                  s->axes->list[c->axis].name, "machine", s->machines[p->machine]->name,
                                  "precision", s->precisions.names[p->precision], "phase",
                                  roof_phase_name(c->phase), "products_only", (int)c->products, "value",
                                  rf_json_number(c->at.value), "at", rf_json_number(c->at.at), "intensity",
                                  rf_json_number(c->at.intensity), "ridge", rf_json_number(c->at.ridge),
                                  "why", c->words, "settings", settings_json(s, p, c->axis)));
}

json_t *cli_sweep_json(const cli_sweep *s) {
  json_t *points = json_array(), *crossings = json_array();
  for (size_t i = 0; i < s->count; i++) {
    json_array_append_new(points, point_json(s, &s->points[i]));
  }
  cli_sweep_crossings(s, add_crossing, crossings);
  return json_pack("{s:s, s:s, s:o, s:o}", "schema", "roofline.model_sweep/1", "name", s->model->name,
                   "points", points, "crossings", crossings);
}
