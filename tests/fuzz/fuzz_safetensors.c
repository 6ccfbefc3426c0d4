/* Any bytes as a safetensors file: refused with a reason, or counted. */
#include <stdint.h>
#include <stdlib.h>

#include "weights/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  weights w = {0};
  roof_error error = {0};
  bool read = rf_safetensors_add(&w, data, size, "fuzz", &error) == ROOF_OK;
  for (int i = 0; i < w.count; i++) {
    if (!(w.types[i].bytes <= (double)size * w.types[i].tensors)) {
      abort();
    }
  }
  if (!read && (error.code == ROOF_OK || error.message[0] == '\0')) {
    abort();
  }
  return 0;
}
