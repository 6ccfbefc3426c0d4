/* A ladder written as roofline.ladder/1. */
#include "documents/json.h"
#include "roofline/ladder.h"

static json_t *rung_json(const roof_rung *r) {
  const roof_measurement *m = &r->measurement;
  return json_pack("{s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "rung",
                   r->kernel->rung > 0 ? json_integer(r->kernel->rung) : json_null(), "kernel",
                   r->kernel->name, "label", r->label, "summary", r->kernel->summary, "one_core",
                   json_boolean(r->alone), "moved_bytes", rf_json_number(r->moved_bytes), "moved_intensity",
                   rf_json_number(r->moved_intensity), "predicted_seconds",
                   rf_json_number(r->prediction.expected_seconds), "measured_seconds",
                   rf_json_number(m->seconds), "flops_per_second", rf_json_number(m->flops / m->seconds),
                   "fraction_of_ceiling", rf_json_number(r->at.share), "memory_pace",
                   rf_json_number(m->memory_pace), "times_rung_before", rf_json_number(r->step),
                   "fraction_of_best_library", rf_json_number(r->share_of_library));
}

roof_status roof_ladder_write(const roof_ladder *ladder, const char *ledger, roof_text *out,
                              roof_error *error) {
  json_t *rungs = json_array(), *skipped = json_array();
  for (int i = 0; i < ladder->count; i++) {
    const roof_rung *r = &ladder->rungs[i];
    if (r->skipped[0] != '\0') {
      rf_json_append(skipped, json_pack("{s:s, s:s}", "what", r->label, "why", r->skipped));
    } else {
      rf_json_append(rungs, rung_json(r));
    }
  }
  return rf_json_write(
      json_pack("{s:s, s:s, s:s, s:o, s:s, s:s?, s:s?, s:o, s:o}", "schema", "roofline.ladder/1", "machine",
                ladder->machines[0]->name, "op", ladder->op->name, "parameters",
                rf_parameters_json(ladder->op, ladder->values), "dtype", roof_dtype_name(ladder->dtype),
                "ledger", ledger, "moved_from", ladder->moved != NULL ? ladder->moved->name : NULL, "rungs",
                rungs, "skipped", skipped),
      "ladder", out, error);
}
