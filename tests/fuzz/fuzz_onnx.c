/* Any bytes as an ONNX model: refused with a reason, or its work is a number and is answered. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "roofline/catalog.h"
#include "roofline/graphs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition) {
  if (!condition) {
    abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static roof_machine *machine = NULL;
  static const roof_dimension sizes[] = {{"batch", 2}, {"sequence", 16}};
  roof_workload_reading reading = {.floats = ROOF_DTYPE_COUNT,
                                   .dimensions = sizes,
                                   .dimension_count = size % 3 == 0 ? 0 : (int)(size % 3)};
  roof_workload workload;
  roof_workload_answer answer;
  roof_error error;
  if (machine == NULL) {
    require(roof_catalog_load("h100", &machine, NULL) == ROOF_OK);
  }
  if (roof_workload_read_onnx(data, size, "fuzz", &reading, &workload, &error) != ROOF_OK) {
    require(error.code != ROOF_OK && error.message[0] != '\0');
    return 0;
  }
  roof_workload_settings settings = roof_workload_settings_default();
  require(roof_workload_answer_of(&workload, machine, &settings, &answer, &error) == ROOF_OK);
  require(answer.flops >= 0 && answer.bytes >= 0 &&
          isfinite(answer.flops + answer.bytes + answer.expected_seconds));
  require(workload.weight_bytes >= 0 && workload.activation_bytes >= 0);
  roof_workload_answer_done(&answer);
  roof_workload_done(&workload);
  return 0;
}
