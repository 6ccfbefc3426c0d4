/* Any bytes as a GGUF file: refused with a reason, or the model they describe is answered. */
#include <stdint.h>
#include <stdlib.h>

#include "roofline/catalog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition) {
  if (!condition) {
    abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static roof_machine machine;
  static roof_model_answer answer;
  roof_model model;
  roof_error error;
  if (machine.name[0] == '\0') {
    require(roof_catalog_load("h100", &machine, NULL) == ROOF_OK);
  }
  if (roof_model_read_gguf(data, size, "fuzz", &model, &error) != ROOF_OK) {
    require(error.code != ROOF_OK && error.message[0] != '\0');
    return 0;
  }
  roof_model_target target;
  roof_model_settings settings = roof_model_settings_default(&model);
  if (roof_model_target_init(&target, &model, &machine, &settings, &error) != ROOF_OK) {
    require(error.message[0] != '\0');
    return 0;
  }
  roof_model_answer_of(&target, &answer);
  require(answer.capacity.total_bytes > 0 && target.parameters.total > 0);
  return 0;
}
