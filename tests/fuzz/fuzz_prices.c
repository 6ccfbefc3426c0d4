/* Any bytes as a list of prices: refused with a reason, or read with a source and a date. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/prices.h"
#include "mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return mutate_text(data, size, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static roof_machine *h100;
  roof_listed_price price = {.value = -1};
  roof_error error = {.code = ROOF_OK};
  char *text = calloc(size + 1, 1);
  if (text == NULL || (h100 == NULL && roof_catalog_load("h100", &h100, NULL) != ROOF_OK)) {
    free(text);
    return 0;
  }
  memcpy(text, data, size);
  roof_status status = rf_prices_read(text, "fuzz", &h100, 1, &price, &error);
  bool read = price.value >= 0;
  if ((status != ROOF_OK && error.message[0] == '\0') ||
      (read && (strlen(price.date) != 10 || price.source[0] == '\0'))) {
    abort();
  }
  free(text);
  return 0;
}
