/* Any bytes as a trace of requests, its format known by the first line: refused with a reason, or read into requests that a service
 * can be run with. */
#ifndef FUZZ_TRACE_H
#define FUZZ_TRACE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mutate.h"
#include "service/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return mutate_text(data, size, most, seed);
}

static void check(const roof_requests *r) {
  double before = 0;
  for (size_t i = 0; i < r->count; i++) {
    const roof_request *q = &r->requests[i];
    if (!(q->seconds >= before && q->prompt >= 1 && q->generate >= 1) ||
        q->first_block + q->block_count > r->block_count) {
      abort();
    }
    before = q->seconds;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { PADDING = 8 };
  char *text = calloc(size + PADDING, 1);
  roof_requests requests = {0};
  roof_error error = {.code = ROOF_OK};
  if (text == NULL) {
    return 0;
  }
  memcpy(text, data, size);
  if (rf_trace_read(text, size, "fuzz", &requests, &error) == ROOF_OK) {
    check(&requests);
    roof_requests_done(&requests);
  } else if (error.code == ROOF_OK || error.message[0] == '\0') {
    abort();
  }
  free(text);
  return 0;
}

#endif
