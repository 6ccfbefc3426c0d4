/* Any bytes as a safetensors file: refused with a reason, or counted. */
#include <stdint.h>
#include <stdlib.h>

#include "mutate.h"
#include "weights/safetensors.h"

enum { PREFIX = 8 };

/** Changes the header's JSON, then makes the length before it right again; the bytes of the tensors stay. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  uint64_t header = 0;
  for (size_t i = 0; i < PREFIX && size > PREFIX; i++) {
    header |= (uint64_t)data[i] << (8 * i);
  }
  if (header == 0 || header > size - PREFIX || seed % 8 == 0) {
    return mutate_text(data, size, most, seed);
  }
  size_t rest = size - PREFIX - (size_t)header, room = most - PREFIX - rest;
  uint8_t *text = malloc(room);
  if (text == NULL) {
    return size;
  }
  memcpy(text, data + PREFIX, (size_t)header);
  size_t length = mutate_text(text, (size_t)header, room, seed);
  memmove(data + PREFIX + length, data + PREFIX + header, rest);
  memcpy(data + PREFIX, text, length);
  free(text);
  for (size_t i = 0; i < PREFIX; i++) {
    data[i] = (uint8_t)((uint64_t)length >> (8 * i));
  }
  return PREFIX + length + rest;
}

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
