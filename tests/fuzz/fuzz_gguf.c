/* Any bytes as a GGUF file: refused with a reason, or the model they describe is answered. */
#include "model_any.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  roof_model model;
  roof_error error;
  if (roof_model_read_gguf(data, size, "fuzz", &model, &error) != ROOF_OK) {
    require(error.code != ROOF_OK && error.message[0] != '\0');
    return 0;
  }
  answer_any(&model);
  return 0;
}
