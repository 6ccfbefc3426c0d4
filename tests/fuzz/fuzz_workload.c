/* Any text as a list of operations: refused with its place, or each line's work is a number. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "mutate.h"
#include "roofline/graphs.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return mutate_text(data, size, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  roof_workload_reading reading = {.types = roof_types_of(ROOF_FP16), .floats = ROOF_DTYPE_COUNT};
  roof_workload workload;
  roof_error error;
  if (roof_workload_read_list((const char *)data, size, "fuzz", &reading, &workload, &error) != ROOF_OK) {
    if (error.code == ROOF_OK || error.message[0] == '\0') {
      abort();
    }
    return 0;
  }
  for (size_t i = 0; i < workload.count; i++) {
    const roof_work *work = &workload.items[i].work;
    if (!(workload.items[i].count >= 1 && work->flops >= 0 && work->read_bytes >= 0 &&
          work->write_bytes >= 0)) {
      abort();
    }
  }
  roof_workload_done(&workload);
  return 0;
}
