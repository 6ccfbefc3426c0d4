/* A sweep written as roofline.sweep/1, point by point: there may be millions. */
#include <math.h>

#include "documents/json.h"
#include "roofline/documents.h"

/** The crossings, while they are written. */
typedef struct list {
  const roof_sweep *sweep;
  roof_text *out;
  bool first;
} list;

/** The values of a line's point on the axes, without that of `except`. */
static json_t *line_json(const roof_shape *shape, size_t start, int except) {
  double typed[ROOF_PARAM_MAX];
  roof_shape_typed(shape, start, typed);
  json_t *all = rf_parameters_json(shape->op, typed), *varying = json_object();
  for (int i = 0; i < shape->axis_count; i++) {
    const char *name = shape->op->params[shape->axes[i].param].name;
    if (shape->axes[i].param != except) {
      rf_json_set(varying, name, json_incref(json_object_get(all, name)));
    }
  }
  json_decref(all);
  return varying;
}

static bool add_crossing(void *context, const roof_sweep_crossing *at) {
  list *l = context;
  const roof_crossing *c = &at->crossing;
  const roof_shape *shape = l->sweep->shape;
  const char *to = isnan(c->value) ? NULL : roof_regime_name(c->to);
  roof_text_add(l->out, l->first ? "\n    " : ",\n    ");
  l->first = false;
  rf_json_add(json_pack("{s:s, s:s, s:o, s:s, s:s?, s:o, s:s, s:o}", "parameter",
                        shape->op->params[c->param].name, "machine", at->target->machine->name, "value",
                        rf_json_number(c->value), "from", roof_regime_name(c->from), "to", to, "at",
                        rf_json_number(c->at), "why", c->why, "parameters",
                        line_json(shape, at->start, c->param)),
              0, l->out);
  return true;
}

roof_status roof_sweep_write(const roof_sweep *sweep, roof_sweep_step *step, void *context, roof_text *out,
                             roof_error *error) {
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  roof_status status = ROOF_OK;
  roof_text_add(out, "{\n  \"schema\": \"roofline.sweep/1\",\n  \"points\": [");
  for (size_t i = 0; i < sweep->count && status == ROOF_OK; i++) {
    status = roof_sweep_point(sweep, i, values, &p, error);
    if (status == ROOF_OK) {
      roof_text_add(out, i > 0 ? ",\n    " : "\n    ");
      rf_json_add(rf_prediction_json(roof_sweep_target(sweep, i), sweep->shape->op, values, &p), 0, out);
      status = step != NULL ? step(context, i + 1, out, error) : ROOF_OK;
    }
  }
  if (status != ROOF_OK) {
    return status;
  }
  list crossings = {sweep, out, true};
  roof_text_add(out, "\n  ],\n  \"crossings\": [");
  roof_sweep_crossings(sweep, add_crossing, &crossings);
  roof_text_add(out, "\n  ]\n}\n");
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "sweep: out of memory") : ROOF_OK;
}
