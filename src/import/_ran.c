/* Operations with their shapes, from labels as roof_op_label writes them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/import.h"
#include "roofline/ops.h"
#include "roofline/shape.h"

void rf_import_ran(roof_profile *profile, roof_record *record, const char *label, const char *device) {
  roof_ran ran = {.device = device, .how = ""};
  roof_dtype dtype;
  if (record->ran != NULL) {
    return;
  }
  roof_status status = roof_shape_of_label(label, &ran.op, ran.values, &dtype, NULL);
  if (status == ROOF_OK) {
    ran.types = roof_types_of(dtype);
    rf_import_keep_ran(profile, record, &ran);
  } else if (status == ROOF_E_MEMORY) {
    rf_import_starved(profile);
  }
}

bool rf_import_served_label(roof_profile *profile, const char *label, roof_served *run,
                            roof_served_figure *figure) {
  char text[ROOF_LABEL_MAX], *rest = NULL;
  snprintf(text, sizeof text, "%s", label);
  const char *model = strtok_r(text, " ", &rest), *name = strtok_r(NULL, " ", &rest);
  *figure = ROOF_SERVED_TTFT;
  while (*figure < ROOF_SERVED_STEP &&
         strcmp(roof_served_figure_name(*figure), name != NULL ? name : "") != 0) {
    (*figure)++;
  }
  if (*figure == ROOF_SERVED_STEP) {
    return false;
  }
  *run = (roof_served){.model = roof_profile_text(profile, model),
                       .settings = "",
                       .dtype = "",
                       .weights = "",
                       .device = "",
                       .how = "",
                       .device_bytes_per_second = NAN,
                       .requests = NAN,
                       .spread = NAN,
                       .seconds = {NAN, NAN, NAN, NAN}};
  for (char *word = strtok_r(NULL, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    if (strchr(word, '=') != NULL) {
      rf_import_served_set(profile, run, word);
    }
  }
  return true;
}

void rf_import_ran_work(roof_profile *profile, roof_record *record) {
  const roof_ran *ran = record->ran;
  roof_work work;
  roof_work_init(&work);
  work.unit = ran->op->unit;
  ran->op->work(ran->op, ran->values, &ran->types, &work);
  const char *source = rf_import_textf(profile, "formula of %s", ran->op->name);
  rf_import_add(&record->flops[ran->types.compute][work.unit], work.flops, source, ROOF_QUALITY_DERIVED);
  rf_import_add(&record->bytes[ROOF_MEMORY], work.read_bytes + work.write_bytes, source,
                ROOF_QUALITY_ESTIMATED);
  if (work.link_bytes > 0) {
    rf_import_add(&record->link_bytes, work.link_bytes, source, ROOF_QUALITY_DERIVED);
  }
}

/** Gives a record the run of a whole model that `label` names, as `model --seal` does. */
static roof_status take_served(roof_profile *profile, roof_record *record, const char *label,
                               const char *device, double seconds, roof_error *error) {
  roof_served run;
  roof_served_figure figure;
  if (!rf_import_served_label(profile, label, &run, &figure)) {
    return ROOF_OK;
  }
  run.device = roof_profile_text(profile, device);
  run.seconds[figure] = seconds;
  return rf_import_served(record, &run, error);
}

roof_status roof_profile_add(roof_profile *profile, const char *label, const char *ran, const char *device,
                             double seconds, roof_error *error) {
  uint64_t picoseconds;
  if (!rf_import_picoseconds(seconds, &picoseconds) || picoseconds == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%.100s: no time", label);
  }
  roof_record *record = rf_import_record(profile, label, strlen(label));
  if (record == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "%.100s: out of memory", label);
  }
  ran = ran != NULL ? ran : label;
  rf_import_call(profile, record, picoseconds);
  rf_import_ran(profile, record, ran, device);
  roof_status status = take_served(profile, record, ran, device, seconds, error);
  return status == ROOF_OK ? rf_import_settled(profile, error) : status;
}
