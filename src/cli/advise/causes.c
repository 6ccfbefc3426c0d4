#include "cli/advise/causes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** The machine that was predicted for, while the catalogue has it. */
static void find_machine(cli_why *why, const char *name) {
  if (strcmp(why->name, name) != 0) {
    snprintf(why->name, sizeof why->name, "%s", name);
    roof_machine_free(why->machine);
    why->machine = NULL;
    roof_catalog_load(name, &why->machine, NULL);
  }
}

static roof_regime regime_of(const char *name) {
  for (int i = 0; i < ROOF_REGIME_COUNT; i++) {
    if (strcmp(roof_regime_name((roof_regime)i), name) == 0) {
      return (roof_regime)i;
    }
  }
  return ROOF_MEMORY_BOUND;
}

/** The peak that "fp16 matrix" names; false when it names none. */
static bool read_peak(const char *binding, double flops_per_second, roof_peak *peak) {
  char dtype[32], unit[32];
  *peak = (roof_peak){.flops_per_second = flops_per_second};
  return sscanf(binding, "%31s %31s", dtype, unit) == 2 &&
         roof_dtype_parse(dtype, &peak->dtype, NULL) == ROOF_OK &&
         roof_unit_parse(unit, &peak->unit, NULL) == ROOF_OK;
}

/** The prediction as far as it was sealed. */
static void restore(cli_why *why, const roof_reconciled *r) {
  roof_prediction *p = &why->prediction;
  *p = (roof_prediction){.bytes = r->bytes,
                         .regime = regime_of(r->regime),
                         .compute_seconds = r->compute_seconds,
                         .memory_seconds = r->memory_seconds,
                         .overhead_seconds = r->overhead_seconds,
                         .lower_seconds = r->lower_seconds,
                         .upper_seconds = r->upper_seconds,
                         .expected_seconds = r->predicted_seconds,
                         .binding = &why->level,
                         .link = &why->link};
  roof_work_init(&p->work);
  p->work.flops = r->flops;
  p->work.write_bytes = NAN;
  p->work.link_bytes = NAN;
  snprintf(why->level.name, sizeof why->level.name, "%s", r->binding);
  snprintf(why->link.name, sizeof why->link.name, "%s", r->binding);
  if (p->regime == ROOF_COMPUTE_BOUND && read_peak(r->binding, r->flops / r->compute_seconds, &why->peak)) {
    p->peak = &why->peak;
  }
}

void cli_why_free(cli_why *why) {
  if (why != NULL) {
    roof_machine_free(why->machine);
  }
  free(why);
}

void cli_why_of(cli_why *why, const roof_reconciled *r) {
  find_machine(why, r->machine);
  restore(why, r);
  roof_evidence evidence = roof_evidence_of(&why->prediction, why->machine, r->measured_seconds);
  evidence.counted_bytes = r->counted_bytes;
  for (int i = 0; i < ROOF_CLUE_COUNT; i++) {
    evidence.clue[i] = isnan(r->clue[i]) ? evidence.clue[i] : r->clue[i];
  }
  roof_evidence_derive(&evidence);
  size_t found = roof_causes_rank(&evidence, why->causes, CLI_WHY_CAUSES);
  why->count = found < CLI_WHY_CAUSES ? found : CLI_WHY_CAUSES;
  roof_causes_sentence(&evidence, why->causes, why->count, why->sentence, sizeof why->sentence);
}

json_t *cli_json_cause(const roof_cause *c) {
  return json_pack("{s:s, s:s, s:s, s:o, s:o, s:s, s:s, s:s, s:s}", "name", c->name, "certainty",
                   c->certainty == ROOF_SHOWN ? "shown" : "possible", "figure", roof_clue_name(c->clue),
                   "value", cli_json_number(c->value), "threshold", cli_json_number(c->threshold), "sentence",
                   c->sentence, "measurement", c->measurement, "action", c->action, "source", c->source);
}

json_t *cli_why_json(const cli_why *why) {
  json_t *array = json_array();
  for (size_t i = 0; i < why->count; i++) {
    json_array_append_new(array, cli_json_cause(&why->causes[i]));
  }
  return array;
}
