/* Any bytes as requests of the predictor, a line each: every line gets one line of JSON, and a second time the same one. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mutate.h"
#include "roofline/predictor.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return mutate_text(data, size, most, seed);
}

/** The reply, checked: one object on one line. */
static void answer(roof_predictor *predictor, const char *line, size_t length, roof_text *out) {
  if (roof_predictor_answer(predictor, line, length, out, NULL) != ROOF_OK) {
    abort();
  }
  json_t *reply = json_loadb(out->data, out->length, 0, NULL);
  if (!json_is_object(reply) || memchr(out->data, '\n', out->length) != out->data + out->length - 1) {
    abort();
  }
  json_decref(reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static roof_predictor *predictor = NULL;
  if (predictor == NULL && roof_predictor_new(&predictor, NULL) != ROOF_OK) {
    abort();
  }
  const char *line = (const char *)data, *end = line + size;
  while (line < end) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    size_t length = (size_t)((stop != NULL ? stop : end) - line);
    roof_text first = {0}, second = {0};
    answer(predictor, line, length, &first);
    answer(predictor, line, length, &second);
    if (strcmp(first.data, second.data) != 0) {
      abort();
    }
    roof_text_done(&first);
    roof_text_done(&second);
    line += length + 1;
  }
  return 0;
}
