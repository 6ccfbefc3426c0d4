/* Runs of whole models as records. */
#include <stdlib.h>
#include <string.h>

#include "import/import.h"

const char *roof_served_figure_name(roof_served_figure figure) {
  static const char *const names[] = {
#define ROW(symbol, name) name,
      ROOF_SERVED_FIGURE_MAP(ROW)
#undef ROW
  };
  return (unsigned)figure < ROOF_SERVED_FIGURE_COUNT ? names[figure] : "?";
}

roof_status rf_import_run(roof_profile *profile, const char *name, const roof_served *run,
                          roof_error *error) {
  uint64_t picoseconds = 0;
  roof_record *record = rf_import_record(profile, name, strlen(name));
  if (record == NULL || (record->run == NULL && (record->run = malloc(sizeof *record->run)) == NULL)) {
    return roof_error_set(error, ROOF_E_MEMORY, "%.100s: out of memory", name);
  }
  *record->run = *run;
  for (int i = ROOF_SERVED_FIGURE_COUNT - 1; i >= 0; i--) {
    if (!record->timed && run->seconds[i] > 0 && rf_import_picoseconds(run->seconds[i], &picoseconds)) {
      rf_import_call(profile, record, picoseconds);
    }
  }
  rf_import_missing(&record->bytes[ROOF_MEMORY], "a whole model: `roofline validate` predicts it");
  rf_import_missing(&record->flops[ROOF_FP16][ROOF_MATRIX], "a whole model: `roofline validate` predicts it");
  return rf_import_settled(profile, error);
}
