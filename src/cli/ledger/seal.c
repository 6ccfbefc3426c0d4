#include "cli/ledger/seal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

roof_status cli_seal_digest(const roof_machine *machine, char digest[ROOF_DIGEST_MAX], roof_error *error) {
  roof_text text = {0};
  roof_status status = roof_machine_write(machine, &text, error);
  if (status == ROOF_OK) {
    roof_ledger_digest(text.data, text.length, digest);
  }
  roof_text_done(&text);
  return status;
}

static const char *text_of(json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

static double number_of(json_t *object, const char *key) {
  json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

/** "m=1 n=8": parameters as typed, without those at their default when `op` (nullable) says so. */
static void add_parameters(roof_text *out, json_t *parameters, const roof_op *op) {
  const char *name;
  json_t *value;
  json_object_foreach(parameters, name, value) {
    int index = op != NULL ? roof_op_param_index(op, name) : -1;
    bool given = json_is_number(value);
    double number = given ? json_number_value(value) : NAN;
    const char *choice = json_string_value(value);
    if (index >= 0) {
      const char *fallback = roof_op_value_name(op, index, op->params[index].fallback);
      if (given ? number == op->params[index].fallback
                : choice != NULL && fallback != NULL && strcmp(choice, fallback) == 0) {
        continue;
      }
    }
    roof_text_add(out, out->length > 0 ? " " : "");
    if (given) {
      roof_text_addf(out, "%s=%.15g", name, number);
    } else {
      roof_text_addf(out, "%s=%s", name, choice != NULL ? choice : "?");
    }
  }
}

void cli_seal_label(json_t *prediction, bool several) {
  const char *name = text_of(prediction, "op"), *dtype = text_of(prediction, "dtype");
  const roof_op *op = NULL;
  roof_text label = {0};
  if (name == NULL || dtype == NULL || text_of(prediction, "label") != NULL) {
    return;
  }
  roof_text_add(&label, name);
  (void)roof_op_find(name, &op, NULL);
  add_parameters(&label, json_object_get(prediction, "parameters"), op);
  roof_text_addf(&label, " %s", dtype);
  if (several) {
    roof_text_addf(&label, " on %s", text_of(prediction, "machine"));
  }
  json_object_set_new(prediction, "label", json_string(label.failed ? "" : label.data));
  roof_text_done(&label);
}

static bool several_machines(json_t *predictions) {
  const char *first = text_of(json_array_get(predictions, 0), "machine");
  for (size_t i = 1; first != NULL && i < json_array_size(predictions); i++) {
    const char *other = text_of(json_array_get(predictions, i), "machine");
    if (other != NULL && strcmp(first, other) != 0) {
      return true;
    }
  }
  return false;
}

/** Completes what a prediction from a file does not say: its shape as text, its machine's digest. */
static void complete(json_t *prediction) {
  const char *name = text_of(prediction, "machine");
  roof_machine *machine = NULL;
  char digest[ROOF_DIGEST_MAX];
  roof_text shape = {0};
  if (name != NULL && text_of(prediction, "machine_sha256") == NULL &&
      roof_catalog_load(name, &machine, NULL) == ROOF_OK &&
      cli_seal_digest(machine, digest, NULL) == ROOF_OK) {
    json_object_set_new(prediction, "machine_sha256", json_string(digest));
  }
  add_parameters(&shape, json_object_get(prediction, "parameters"), NULL);
  json_object_set_new(prediction, "shape", json_string(shape.length > 0 ? shape.data : ""));
  roof_text_done(&shape);
  roof_machine_free(machine);
}

static roof_ceiling ceiling_of(json_t *prediction, const char *basis) {
  json_t *ceiling = json_object_get(json_object_get(prediction, "ceilings"), basis);
  return (roof_ceiling){.seconds = number_of(ceiling, "seconds"),
                        .flops_per_second = number_of(ceiling, "flops_per_second"),
                        .bytes_per_second = number_of(ceiling, "bytes_per_second")};
}

static roof_status read_sealing(json_t *p, roof_sealing *out, roof_error *error) {
  const char *schema = text_of(p, "schema");
  json_t *seconds = json_object_get(p, "seconds");
  if (schema == NULL || strcmp(schema, "roofline.prediction/1") != 0) {
    return roof_error_set(error, ROOF_E_PARSE,
                          "seal: its `schema` is not roofline.prediction/1, as `predict "
                          "--json` prints it");
  }
  *out = (roof_sealing){
      .label = text_of(p, "label"),
      .machine = text_of(p, "machine"),
      .machine_digest = text_of(p, "machine_sha256"),
      .op = text_of(p, "op"),
      .parameters = text_of(p, "shape"),
      .dtype = text_of(p, "dtype"),
      .regime = text_of(p, "regime"),
      .binding = text_of(p, "binding"),
      .flops = number_of(p, "flops"),
      .bytes = number_of(p, "bytes"),
      .compute_seconds = number_of(seconds, "compute"),
      .memory_seconds = number_of(seconds, "memory"),
      .overhead_seconds = number_of(seconds, "overhead"),
      .network_seconds = number_of(seconds, "network"),
      .lower_seconds = number_of(seconds, "lower"),
      .upper_seconds = number_of(seconds, "upper"),
      .expected_seconds = number_of(seconds, "expected"),
      .expected_low_seconds = number_of(seconds, "expected_low"),
      .expected_high_seconds = number_of(seconds, "expected_high"),
      .ceilings =
          {[ROOF_THEORETICAL] = ceiling_of(p, "theoretical"), [ROOF_ACHIEVED] = ceiling_of(p, "achieved")},
  };
  return out->regime != NULL && out->binding != NULL
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_PARSE, "%.60s: `regime` or `binding` is missing",
                              out->label != NULL ? out->label : "a prediction");
}

/** What the machine's memory levels deliver, to set counted bytes against. `*machine` is the
 * one that `known` names. */
static void add_levels(roof_sealing *sealing, roof_machine **machine, const char **known) {
  if (sealing->machine != NULL && (*known == NULL || strcmp(*known, sealing->machine) != 0)) {
    roof_machine_free(*machine);
    *machine = NULL;
    *known = roof_catalog_load(sealing->machine, machine, NULL) == ROOF_OK ? sealing->machine : NULL;
  }
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT && *known != NULL; i++) {
    const roof_level *level = roof_machine_level(*machine, (roof_level_kind)i, ROOF_DATASHEET);
    sealing->level_bytes_per_second[i] = level != NULL ? roof_level_bandwidth(level, 0, 0) : NAN;
  }
}

roof_status cli_seal_all(const char *ledger, json_t *predictions, const char *key, roof_error *error) {
  char commit[ROOF_DIGEST_MAX];
  size_t count = json_array_size(predictions);
  bool several = several_machines(predictions);
  const char *known = NULL;
  roof_machine *machine = NULL;
  roof_sealing *sealings = calloc(count + 1, sizeof *sealings);
  roof_status status =
      sealings != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "seal: out of memory");
  for (size_t i = 0; i < count && status == ROOF_OK; i++) {
    json_t *prediction = json_array_get(predictions, i);
    cli_seal_label(prediction, several);
    complete(prediction);
    status = read_sealing(prediction, &sealings[i], error);
    if (status == ROOF_OK) {
      add_levels(&sealings[i], &machine, &known);
    }
  }
  if (status == ROOF_OK) {
    cli_commit(commit, sizeof commit);
    roof_ledger_options how = {.commit = commit[0] != '\0' ? commit : NULL, .key = key};
    status = roof_ledger_seal(ledger, sealings, count, &how, error);
  }
  free(sealings);
  roof_machine_free(machine);
  return status;
}
