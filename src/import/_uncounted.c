/* What counters of instructions left out of a kernel's arithmetic. */
#include <math.h>
#include <string.h>

#include "import/_kernel_name.h"
#include "import/import.h"

void rf_import_uncounted_compute(roof_record *record, bool matrix) {
  rf_span name = {record->name, strlen(record->name), false};
  double flops = roof_record_flops(record, NULL, NULL);
  bool vector = !isnan(record->flops[ROOF_FP32][ROOF_VECTOR].value) &&
                !isnan(record->flops[ROOF_FP64][ROOF_VECTOR].value);
  bool busy = !isnan(roof_record_counter(record, "compute"));
  if (flops == 0 && !(vector && matrix) && !busy) {
    record->uncounted = "compute";
  } else if (flops > 0 && !matrix && rf_kernel_name_says(name).unit == ROOF_MATRIX) {
    record->uncounted = "matrix";
  }
}
