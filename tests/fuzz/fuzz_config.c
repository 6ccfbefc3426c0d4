/* Any text as a config.json: it is refused with a place in it, or the model it describes is answered. */
#include "model_any.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  roof_model model;
  roof_error error;
  if (roof_model_read((const char *)data, size, "fuzz", &model, &error) != ROOF_OK) {
    require(error.code != ROOF_OK && error.message[0] != '\0' && error.line >= 1);
    return 0;
  }
  const roof_model_answer *answer = answer_any(&model);
  require(answer == NULL || answer->ttft_seconds > 0);
  return 0;
}
