/* From a prediction to what is sealed of it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "roofline/catalog.h"
#include "roofline/documents.h"
#include "roofline/ledger.h"

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
      (void)roof_catalog_load(known, &machine, NULL);
    }
    status = machine != NULL ? roof_sealing_complete(s, machine, error) : ROOF_OK;
  }
  roof_machine_free(machine);
  return status;
}

roof_status roof_sealing_of(const roof_target *target, const roof_op *op, const double *values,
                            const roof_prediction *prediction, roof_sealing *sealing, roof_error *error) {
  const roof_prediction *p = prediction;
  roof_sealing s;
  roof_sealing_init(&s);
  roof_op_label(op, op->name, target->types.compute, values, s.label, sizeof s.label);
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
  s.network_seconds = p->network_seconds;
  s.lower_seconds = p->lower_seconds;
  s.upper_seconds = p->upper_seconds;
  s.expected_seconds = p->expected_seconds;
  s.expected_low_seconds = p->expected_low_seconds;
  s.expected_high_seconds = p->expected_high_seconds;
  for (int basis = 0; basis < ROOF_BASIS_COUNT; basis++) {
    s.ceilings[basis] = roof_ceiling_of(target, (roof_basis)basis, &p->work);
  }
  roof_status status = roof_sealing_complete(&s, target->machine, error);
  if (status == ROOF_OK) {
    *sealing = s;
  }
  return status;
}
