/* A model over several values written as roofline.model_sweep/1. */
#include <math.h>

#include "documents/json.h"

static json_t *settings(const roof_model_sweep *s, const roof_model_run *run, int except) {
  json_t *object = json_object();
  for (int i = 0; i < s->axes->count; i++) {
    if (i != except) {
      rf_json_set(object, s->axes->list[i].name, rf_json_number(roof_model_sweep_value(s, run, i)));
    }
  }
  return object;
}

static json_t *point(const roof_model_sweep *s, const roof_model_run *run) {
  bool possible = run->why[0] == '\0';
  char words[ROOF_RUN_WORDS_MAX];
  json_t *object =
      json_pack("{s:s, s:s, s:s, s:o}", "machine", s->machines[run->machine]->name, "precision",
                s->precisions.names[run->precision], "label",
                roof_model_run_words(s, run, -1, words, sizeof words), "settings", settings(s, run, -1));
  for (int i = 0; i < ROOF_RUN_FIGURE_COUNT; i++) {
    rf_json_set(object, roof_run_figure_key((roof_run_figure)i, NULL),
                possible ? rf_json_number(run->figures[i]) : json_null());
  }
  bool known = possible && !isnan(run->figures[ROOF_RUN_SPARE_BYTES]);
  rf_json_set(object, "fits", known ? json_boolean(run->fits) : json_null());
  rf_json_set(object, "regime", possible ? json_string(roof_regime_name(run->regime)) : json_null());
  rf_json_set(object, "why", possible ? json_null() : json_string(run->why));
  return object;
}

static void add_crossing(void *context, const roof_model_sweep *s, const roof_model_sweep_crossing *c) {
  const roof_model_run *run = c->run;
  const rf_json_member figures[] = {
      {"value", c->at.value}, {"at", c->at.at}, {"intensity", c->at.intensity}, {"ridge", c->at.ridge}};
  json_t *object =
      json_pack("{s:s, s:s, s:s, s:s, s:b}", "parameter", s->axes->list[c->axis].name, "machine",
                s->machines[run->machine]->name, "precision", s->precisions.names[run->precision], "phase",
                roof_phase_name(c->phase), "products_only", (int)c->products);
  RF_JSON_SET(object, figures);
  rf_json_set(object, "why", json_string(c->words));
  rf_json_set(object, "settings", settings(s, run, c->axis));
  rf_json_append(context, object);
}

/** Where each line along the batch bends and ends. */
static void add_batches(const roof_model_sweep *s, json_t *array) {
  for (int axis = 0; axis < s->axes->count; axis++) {
    for (size_t i = 0; i < s->count; i++) {
      const roof_model_run *run = &s->runs[i];
      roof_model_batches b = roof_model_sweep_batches(s, run, axis);
      if (!isnan(b.knee) || !isnan(b.largest)) {
        rf_json_append(
            array, json_pack("{s:s, s:s, s:o, s:o, s:o}", "machine", s->machines[run->machine]->name,
                             "precision", s->precisions.names[run->precision], "knee", rf_json_number(b.knee),
                             "largest", rf_json_number(b.largest), "settings", settings(s, run, axis)));
      }
    }
  }
}

roof_status roof_model_sweep_write(const roof_model_sweep *sweep, roof_text *out, roof_error *error) {
  json_t *points = json_array(), *crossings = json_array(), *batches = json_array();
  for (size_t i = 0; i < sweep->count; i++) {
    rf_json_append(points, point(sweep, &sweep->runs[i]));
  }
  roof_model_sweep_crossings(sweep, add_crossing, crossings);
  add_batches(sweep, batches);
  return rf_json_write(json_pack("{s:s, s:s, s:o, s:o, s:o}", "schema", "roofline.model_sweep/1", "name",
                                 sweep->model->name, "points", points, "crossings", crossings, "batches",
                                 batches),
                       "model", out, error);
}
