/* From a prediction to what is sealed of it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "roofline/catalog.h"
#include "roofline/claim.h"
#include "roofline/documents.h"
#include "roofline/ledger.h"
#include "roofline/ops.h"
#include "roofline/shape.h"

roof_status roof_machine_digest(const roof_machine *machine, char digest[ROOF_DIGEST_MAX],
                                roof_error *error) {
  roof_text text = {0};
  roof_status status = roof_machine_write(machine, &text, error);
  if (status == ROOF_OK) {
    roof_ledger_digest(text.data, text.length, digest);
  }
  roof_text_done(&text);
  return status;
}

roof_status roof_sealing_complete(roof_sealing *sealing, const roof_machine *machine, roof_error *error) {
  roof_status status = sealing->machine_digest[0] == '\0'
                           ? roof_machine_digest(machine, sealing->machine_digest, error)
                           : ROOF_OK;
  if (sealing->device_class[0] == '\0') {
    snprintf(sealing->device_class, sizeof sealing->device_class, "%s", machine->device_class);
  }
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT && status == ROOF_OK; i++) {
    const roof_level *level = roof_machine_level(machine, (roof_level_kind)i, ROOF_DATASHEET);
    sealing->level_bytes_per_second[i] = level != NULL ? roof_level_bandwidth(level, 0, 0) : NAN;
  }
  return status;
}

roof_status roof_sealing_of(const roof_target *target, const roof_op *op, const double *values,
                            const roof_prediction *prediction, roof_sealing *sealing, roof_error *error) {
  const roof_prediction *p = prediction;
  roof_sealing s;
  roof_sealing_init(&s);
  roof_op_label(op, op->name, target->types.compute, values, s.label, sizeof s.label);
  roof_sealing_ask(&s, &target->types, &target->options);
  roof_op_write_values(op, values, s.parameters, sizeof s.parameters);
  snprintf(s.machine, sizeof s.machine, "%s", target->machine->name);
  snprintf(s.op, sizeof s.op, "%s", op->name);
  snprintf(s.dtype, sizeof s.dtype, "%s", roof_dtype_name(target->types.compute));
  snprintf(s.regime, sizeof s.regime, "%s", roof_regime_name(p->regime));
  roof_prediction_binding(p, s.binding, sizeof s.binding);
  s.flops = p->work.flops;
  s.bytes = p->bytes;
  s.compute_seconds = p->compute_seconds;
  s.memory_seconds = p->memory_seconds;
  s.overhead_seconds = p->overhead_seconds;
  s.overhead_assumed = isnan(target->options.launch) && target->machine->launch_origin.kind == ROOF_ASSUMED;
  s.network_seconds = p->network_seconds;
  s.lower_seconds = p->lower_seconds;
  s.least_seconds = roof_claim_least_seconds(target, p);
  s.upper_seconds = p->upper_seconds;
  s.expected_seconds = p->expected_seconds;
  s.expected_low_seconds = p->expected_low_seconds;
  s.expected_high_seconds = p->expected_high_seconds;
  s.origin = ROOF_SEALING_PREDICTED;
  for (int basis = 0; basis < ROOF_BASIS_COUNT; basis++) {
    s.ceilings[basis] = roof_ceiling_of(target, (roof_basis)basis, &p->work);
  }
  roof_status status = roof_sealing_complete(&s, target->machine, error);
  if (status == ROOF_OK) {
    *sealing = s;
  }
  return status;
}

/** What a document says of a prediction and predicting it anew gives too. */
static const struct {
  const char *name;
  size_t offset;
} figures[] = {
#define FIGURE(name, member)                                                                                 \
  { name, offsetof(roof_sealing, member) }
    FIGURE("flops", flops),
    FIGURE("bytes", bytes),
    FIGURE("seconds.compute", compute_seconds),
    FIGURE("seconds.memory", memory_seconds),
    FIGURE("seconds.overhead", overhead_seconds),
    FIGURE("seconds.network", network_seconds),
    FIGURE("seconds.lower", lower_seconds),
    FIGURE("seconds.upper", upper_seconds),
    FIGURE("seconds.expected", expected_seconds),
    FIGURE("seconds.expected_low", expected_low_seconds),
    FIGURE("seconds.expected_high", expected_high_seconds),
    FIGURE("ceilings.theoretical.seconds", ceilings[ROOF_THEORETICAL].seconds),
    FIGURE("ceilings.theoretical.flops_per_second", ceilings[ROOF_THEORETICAL].flops_per_second),
    FIGURE("ceilings.theoretical.bytes_per_second", ceilings[ROOF_THEORETICAL].bytes_per_second),
    FIGURE("ceilings.achieved.seconds", ceilings[ROOF_ACHIEVED].seconds),
    FIGURE("ceilings.achieved.flops_per_second", ceilings[ROOF_ACHIEVED].flops_per_second),
    FIGURE("ceilings.achieved.bytes_per_second", ceilings[ROOF_ACHIEVED].bytes_per_second),
};

/** The same but for how the text rounds. */
static bool agree(double said, double found) {
  static const double rounding = 1e-12;
  return isnan(said) || fabs(said - found) <= rounding * fabs(found);
}

static void doubt(roof_sealing *s, const char *name, const char *said, const char *found) {
  snprintf(s->doubt, sizeof s->doubt, "its %s is %.60s, predicting it gives %.60s", name, said, found);
}

/** Says the first of the document's figures that is another when it is predicted anew; *s stays by hand. */
static void compare(roof_sealing *s, const roof_sealing *found) {
  for (size_t i = 0; i < sizeof figures / sizeof figures[0] && s->doubt[0] == '\0'; i++) {
    double said = *(const double *)(const void *)((const char *)s + figures[i].offset);
    double is = *(const double *)(const void *)((const char *)found + figures[i].offset);
    if (!agree(said, is)) {
      char texts[2][32];
      rf_format(texts[0], sizeof texts[0], "%.12g", said);
      rf_format(texts[1], sizeof texts[1], "%.12g", is);
      doubt(s, figures[i].name, texts[0], texts[1]);
    }
  }
  if (strcmp(s->regime, found->regime) != 0) {
    doubt(s, "regime", s->regime, found->regime);
  } else if (strcmp(s->binding, found->binding) != 0) {
    doubt(s, "binding", s->binding, found->binding);
  } else if (s->doubt[0] == '\0') {
    s->origin = ROOF_SEALING_RECOMPUTED;
    s->least_seconds = found->least_seconds;
    s->overhead_assumed = found->overhead_assumed;
  }
}

/** Predicts what a document says anew. */
static roof_status recompute(roof_sealing *s, const roof_machine *machine, roof_error *error) {
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_target target;
  roof_prediction p;
  roof_sealing found;
  roof_error why = {0};
  roof_options options = s->options;
  options.link = s->link[0] != '\0' ? s->link : NULL;
  options.framework = s->framework[0] != '\0' ? s->framework : NULL;
  roof_status status = roof_op_find(s->op, &op, &why);
  status = status == ROOF_OK ? roof_shape_values(op, s->parameters, values, &why) : status;
  status = status == ROOF_OK ? roof_target_init(&target, machine, &s->types, &options, &why) : status;
  if (status == ROOF_E_MEMORY) {
    return roof_error_set(error, status, "%s", why.message);
  }
  if (status != ROOF_OK) {
    snprintf(s->doubt, sizeof s->doubt, "it cannot be predicted anew: %.140s", why.message);
    return ROOF_OK;
  }
  roof_predict(&target, op, values, &p);
  status = roof_sealing_of(&target, op, values, &p, &found, error);
  if (status == ROOF_OK) {
    compare(s, &found);
  }
  return status;
}

/** Of a machine that the catalogue has (or NULL), with the document's digest, if it says one. */
static roof_status complete_document(roof_sealing *s, const roof_machine *machine, roof_error *error) {
  char said[ROOF_DIGEST_MAX];
  memcpy(said, s->machine_digest, sizeof said);
  if (machine == NULL) {
    snprintf(s->doubt, sizeof s->doubt, "the catalogue has no machine `%.60s`", s->machine);
    return ROOF_OK;
  }
  s->machine_digest[0] = '\0';
  roof_status status = roof_sealing_complete(s, machine, error);
  if (status == ROOF_OK && said[0] != '\0' && strcmp(said, s->machine_digest) != 0) {
    snprintf(s->doubt, sizeof s->doubt, "its machine `%.60s` is another than the catalogue's", s->machine);
    memcpy(s->machine_digest, said, sizeof said);
    return ROOF_OK;
  }
  return status == ROOF_OK ? recompute(s, machine, error) : status;
}

roof_status roof_sealings_complete(roof_sealings *all, roof_error *error) {
  roof_machine *machine = NULL;
  const char *known = "";
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < all->count && status == ROOF_OK; i++) {
    roof_sealing *s = &all->list[i];
    if (strcmp(known, s->machine) != 0) {
      roof_machine_free(machine);
      machine = NULL;
      known = s->machine;
      status = roof_catalog_load_known(known, &machine, error);
    }
    status = status == ROOF_OK ? complete_document(s, machine, error) : status;
  }
  roof_machine_free(machine);
  return status;
}
