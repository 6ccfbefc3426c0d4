/* Any text as a roofline.measurements/1 document: refused with a reason, or kernels with a name each. */
#include <stdint.h>
#include <stdlib.h>

#include "mutate.h"
#include "roofline/documents.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return mutate_text(data, size, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  roof_measurements all = {0};
  roof_error error = {.code = ROOF_OK};
  if (roof_measurements_parse((const char *)data, size, "fuzz", &all, &error) != ROOF_OK) {
    if (error.code == ROOF_OK || error.message[0] == '\0') {
      abort();
    }
  } else {
    for (size_t i = 0; i < all.count; i++) {
      if (all.list[i].label[0] == '\0' || all.list[i].counter_count > ROOF_FIGURE_MAX) {
        abort();
      }
    }
  }
  roof_measurements_done(&all);
  return 0;
}
