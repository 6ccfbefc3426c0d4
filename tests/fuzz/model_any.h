/* What the targets that read a model share: it is answered on a machine, or refused with a reason. */
#ifndef FUZZ_MODEL_ANY_H
#define FUZZ_MODEL_ANY_H

#include <stdint.h>
#include <stdlib.h>

#include "mutate.h"
#include "roofline/catalog.h"
#include "roofline/model.h"
#include "roofline/weights.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return mutate_text(data, size, most, seed);
}

static void require(int condition) {
  if (!condition) {
    abort();
  }
}

/** The answer on an H100, valid until the next call; NULL where the model cannot be answered there. */
static const roof_model_answer *answer_any(const roof_model *model) {
  static roof_machine *machine = NULL;
  static roof_model_answer answer;
  roof_model_target target;
  roof_model_settings settings = roof_model_settings_default(model);
  roof_error error;
  if (machine == NULL) {
    require(roof_catalog_load("h100", &machine, NULL) == ROOF_OK);
  }
  if (roof_model_target_init(&target, model, machine, &settings, &error) != ROOF_OK) {
    require(error.message[0] != '\0');
    return NULL;
  }
  roof_model_answer_of(&target, &answer);
  require(answer.capacity.total_bytes > 0 && target.parameters.total > 0);
  return &answer;
}

#endif
