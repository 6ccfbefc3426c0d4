/* Any bytes as counts of experts: refused with a reason, or read, the most first. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mutate.h"
#include "weights/experts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return mutate_text(data, size, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  double shares[ROOF_EXPERT_SHARES_MAX];
  int count = 0;
  roof_error error = {.code = ROOF_OK};
  char *text = calloc(size + 1, 1);
  if (text == NULL) {
    return 0;
  }
  memcpy(text, data, size);
  if (rf_experts_read(text, "fuzz", shares, &count, &error) != ROOF_OK) {
    count = error.message[0] != '\0' ? 0 : -1;
  }
  for (int i = 1; i < count; i++) {
    count = shares[i] <= shares[i - 1] ? count : -1;
  }
  free(text);
  if (count < 0) {
    abort();
  }
  return 0;
}
