/* The protocol roofline.predictor/1: a request in, a reply out. */
#include "roofline/predictor.h"

#include <math.h>
#include <stdlib.h>

#include "documents/json.h"
#include "predictor/targets.h"
#include "roofline/catalog.h"
#include "roofline/ops.h"

struct roof_predictor {
  predictor_targets targets;
  predictor_request request;
  roof_model_phase phase;
};

/** What a reply says. */
typedef struct predicted {
  const char *machine;
  double lower, upper, expected, low, high; /**< s */
  roof_regime regime;
  char binding[ROOF_NAME_MAX];
} predicted;

static const char schema[] = "{\"schema\":\"roofline.predictor/1\",\"id\":";

roof_status roof_predictor_new(roof_predictor **predictor, roof_error *error) {
  roof_predictor *p = calloc(1, sizeof *p);
  if (p == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "predictor: out of memory");
  }
  *predictor = p;
  return ROOF_OK;
}

void roof_predictor_free(roof_predictor *p) {
  if (p != NULL) {
    rf_predictor_targets_done(&p->targets);
    free(p);
  }
}

roof_status roof_predictor_allow_machine(roof_predictor *p, const char *name, roof_error *error) {
  roof_machine *machine = NULL;
  roof_status status = roof_catalog_load(name, &machine, error);
  roof_machine_free(machine);
  return status == ROOF_OK ? rf_predictor_names_add(&p->targets.machines, name, error) : status;
}

roof_status roof_predictor_allow_model(roof_predictor *p, const char *name, roof_error *error) {
  roof_model *model = malloc(sizeof *model);
  roof_status status = model != NULL ? roof_model_load(name, model, error)
                                     : roof_error_set(error, ROOF_E_MEMORY, "predictor: out of memory");
  free(model);
  return status == ROOF_OK ? rf_predictor_names_add(&p->targets.models, name, error) : status;
}

static roof_status predict_op(roof_predictor *p, const predictor_target *t, predicted *out,
                              roof_error *error) {
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_prediction prediction;
  roof_status status = roof_op_find(p->request.op, &op, error);
  status = status == ROOF_OK ? rf_predictor_request_values(&p->request, op, values, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  roof_predict(&t->target, op, values, &prediction);
  status = roof_prediction_check(&t->target, &prediction, error);
  *out = (predicted){t->machine->name,
                     prediction.lower_seconds,
                     prediction.upper_seconds,
                     prediction.expected_seconds,
                     prediction.expected_low_seconds,
                     prediction.expected_high_seconds,
                     prediction.regime,
                     ""};
  roof_prediction_binding(&prediction, out->binding, sizeof out->binding);
  return status;
}

/** A decoding step with pieces of prompts in it; the rows of logits are those of all sequences where they are not said. */
static roof_status predict_step(roof_predictor *p, const predictor_target *t, predicted *out,
                                roof_error *error) {
  roof_load load = p->request.load;
  const roof_model_phase *phase = &p->phase;
  if (p->request.parameters != NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "parameters: of an operation; a model takes batch, context, "
                          "prompts, queries, past and logits");
  }
  if (load.decodes < 1 && load.prompts < 1) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "request: a step has `batch` sequences or `prompts`");
  }
  if (load.prompts > 0 && load.queries < 1) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "queries: how many tokens of each prompt?");
  }
  double sequences = load.decodes + load.prompts, microbatches = t->whole->settings.microbatches;
  if (microbatches > fmax(1, sequences)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "microbatches=%g: the step has %g sequence%s", microbatches,
                          sequences, sequences == 1 ? "" : "s");
  }
  load.logits = load.logits > 0 ? load.logits : sequences;
  roof_load_phase(&t->whole->target, &load, &p->phase);
  *out = (predicted){t->machine->name,
                     phase->lower_seconds,
                     phase->upper_seconds,
                     phase->expected_seconds,
                     phase->expected_low_seconds,
                     phase->expected_high_seconds,
                     roof_model_phase_regime(phase),
                     ""};
  roof_model_phase_binding(&t->whole->target, phase, out->binding, sizeof out->binding);
  return ROOF_OK;
}

static roof_status predict(roof_predictor *p, const char *line, size_t length, predicted *out,
                           roof_error *error) {
  predictor_target *target = NULL;
  roof_status status = rf_predictor_request_read(&p->request, line, length, error);
  status = status == ROOF_OK ? rf_predictor_targets_find(&p->targets, &p->request, &target, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  return p->request.model != NULL ? predict_step(p, target, out, error) : predict_op(p, target, out, error);
}

static void add_id(roof_text *out, json_t *id) {
  char number[ROOF_NUMBER_SIZE];
  if (json_is_string(id)) {
    roof_text_add_json(out, json_string_value(id));
  } else if (json_is_integer(id)) {
    roof_text_addf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(id));
  } else if (json_is_real(id)) {
    roof_text_add_bytes(out, number, roof_number_write(number, json_real_value(id), 0));
  } else {
    roof_text_add(out, "null");
  }
}

/** As many digits as every answer has. */
static void add_seconds(roof_text *out, const char *key, double value) {
  char number[ROOF_NUMBER_SIZE];
  roof_text_add(out, key);
  if (isfinite(value)) {
    roof_text_add_bytes(out, number, roof_number_write(number, value, 15));
  } else {
    roof_text_add(out, "null");
  }
}

static void add_answer(roof_text *out, const predicted *p) {
  roof_text_add(out, ",\"error\":null,\"machine\":");
  roof_text_add_json(out, p->machine);
  add_seconds(out, ",\"seconds\":{\"lower\":", p->lower);
  add_seconds(out, ",\"upper\":", p->upper);
  add_seconds(out, ",\"expected\":", p->expected);
  add_seconds(out, ",\"expected_low\":", p->low);
  add_seconds(out, ",\"expected_high\":", p->high);
  roof_text_add(out, "},\"regime\":\"");
  roof_text_add(out, roof_regime_name(p->regime));
  roof_text_add(out, "\",\"binding\":");
  roof_text_add_json(out, p->binding);
  roof_text_add(out, "}\n");
}

static void add_error(roof_text *out, const roof_error *why) {
  roof_text_addf(out, ",\"error\":{\"code\":%d,\"message\":", roof_status_exit_code(why->code));
  roof_text_add_json(out, why->message);
  roof_text_add(out, "},\"machine\":null,\"seconds\":null,\"regime\":null,\"binding\":null}\n");
}

roof_status roof_predictor_answer(roof_predictor *p, const char *line, size_t length, roof_text *out,
                                  roof_error *error) {
  roof_error why = {0};
  predicted answer;
  roof_status status = predict(p, line, length, &answer, &why);
  roof_text_add(out, schema);
  add_id(out, p->request.id);
  if (status == ROOF_OK) {
    add_answer(out, &answer);
  } else {
    add_error(out, &why);
  }
  rf_predictor_request_done(&p->request);
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "predictor: out of memory") : ROOF_OK;
}

roof_status roof_predictor_refuse_long(roof_text *out, roof_error *error) {
  roof_error why = {0};
  roof_error_set(&why, ROOF_E_PARSE, "request: longer than %d bytes", ROOF_PREDICTOR_LINE_MAX);
  roof_text_add(out, schema);
  roof_text_add(out, "null");
  add_error(out, &why);
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "predictor: out of memory") : ROOF_OK;
}
