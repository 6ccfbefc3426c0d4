/* Operations with their shapes, from labels as roof_op_label writes them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "roofline/ops.h"
#include "roofline/shape.h"

void rf_import_ran(roof_profile *profile, roof_record *record, const char *label, const char *device) {
  roof_ran ran = {.how = ""};
  roof_dtype dtype;
  if (record->ran != NULL || !roof_shape_of_label(label, &ran.op, ran.values, &dtype)) {
    return;
  }
  ran.types = roof_types_of(dtype);
  record->ran = malloc(sizeof *record->ran);
  if (record->ran != NULL) {
    ran.device = roof_profile_text(profile, device);
    *record->ran = ran;
  }
}

roof_status roof_profile_add(roof_profile *profile, const char *label, const char *device, double seconds,
                             roof_error *error) {
  uint64_t picoseconds;
  if (!rf_import_picoseconds(seconds, &picoseconds) || picoseconds == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%.100s: no time", label);
  }
  roof_record *record = rf_import_record(profile, label, strlen(label));
  if (record == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "%.100s: out of memory", label);
  }
  rf_import_call(profile, record, picoseconds);
  rf_import_ran(profile, record, label, device);
  return ROOF_OK;
}
