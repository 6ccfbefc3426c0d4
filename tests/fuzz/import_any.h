/* Any bytes as a file of one format: refused with a reason, or read into counts that make sense. A target
 * defines FORMAT, and FILE_NAME where a reader takes something from the file's name, and includes this. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "mutate.h"
#include "roofline/import.h"

#ifndef FILE_NAME
#define FILE_NAME "fuzz"
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return mutate_text(data, size, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  /* by a dimension that the length chooses, so that white space behind a file is enough to try another */
  roof_import_options options = {.by = (roof_by)(size % ROOF_BY_COUNT), .by_if_known = true};
  roof_profile profile;
  if (roof_format_find(FORMAT, &options.format, NULL) != ROOF_OK ||
      roof_profile_init(&profile, NULL) != ROOF_OK) {
    abort();
  }
  roof_error error = {.code = ROOF_OK};
  (void)options.format->detect("", 0);
  if (roof_import_memory((const char *)data, size, FILE_NAME, &options, &profile, &error) != ROOF_OK) {
    if (error.code == ROOF_OK || error.message[0] == '\0') {
      abort();
    }
  }
  for (size_t i = 0; i < profile.count; i++) {
    const roof_record *r = &profile.records[i];
    if (r->sample_count > ROOF_IMPORT_SAMPLES || roof_record_seconds(r) < 0 ||
        roof_record_bytes(r, NULL) < 0 || roof_record_flops(r, NULL, NULL) < 0) {
      abort();
    }
  }
  roof_profile_done(&profile);
  return 0;
}
