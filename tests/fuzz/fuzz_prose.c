/* Any bytes as Markdown and as plain text: each claim stands in a line and a column that the text has, and is judged or says why it is
 * not. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "mutate.h"
#include "roofline/prose.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return mutate_text(data, size, most, seed);
}

static void check(const roof_prose *prose, int lines, size_t size) {
  size_t impossible = 0, unknown = 0;
  for (size_t i = 0; i < prose->count; i++) {
    const roof_prose_claim *c = &prose->claims[i];
    impossible += c->state == ROOF_PROSE_IMPOSSIBLE;
    unknown += c->state == ROOF_PROSE_UNKNOWN;
    bool placed = c->line >= 1 && c->line <= lines && c->column >= 1 && (size_t)c->column <= size;
    if (!placed || !(c->claimed > 0) || c->because[0] == '\0' || !(c->devices >= 1) ||
        isnan(c->fraction) != (c->state == ROOF_PROSE_UNKNOWN && isnan(c->limit))) {
      abort();
    }
  }
  if (impossible != prose->impossible || unknown != prose->unknown) {
    abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const files[] = {"fuzz.md", "fuzz.txt"};
  const roof_prose_options options = {.machine = size % 2 == 0 ? "h100" : NULL};
  int lines = 1;
  for (size_t i = 0; i < size; i++) {
    lines += data[i] == '\n';
  }
  for (int i = 0; i < 2; i++) {
    roof_prose prose = {0};
    if (roof_prose_read((const char *)data, size, files[i], &options, &prose, NULL) == ROOF_OK) {
      check(&prose, lines, size);
    }
    roof_prose_done(&prose);
  }
  return 0;
}
