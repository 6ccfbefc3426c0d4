/* Runs of whole models as records. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "import/import.h"

const char *roof_served_figure_name(roof_served_figure figure) {
  static const char *const names[] = {
#define ROW(symbol, name) name,
      ROOF_SERVED_FIGURE_MAP(ROW)
#undef ROW
  };
  return (unsigned)figure < ROOF_SERVED_FIGURE_COUNT ? names[figure] : "?";
}

roof_status rf_import_served(roof_record *record, const roof_served *run, roof_error *error) {
  if (record->run == NULL && (record->run = malloc(sizeof *record->run)) == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "%.100s: out of memory", record->name);
  }
  *record->run = *run;
  return ROOF_OK;
}

roof_status rf_import_copy_run(roof_profile *profile, roof_record *into, const roof_served *run,
                               roof_error *error) {
  roof_served copy = *run;
  const char **texts[] = {&copy.model,   &copy.settings, &copy.kv,     &copy.dtype,
                          &copy.weights, &copy.experts,  &copy.device, &copy.how};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    *texts[i] = roof_profile_text(profile, *texts[i] != NULL ? *texts[i] : "");
  }
  return rf_import_served(into, &copy, error);
}

roof_status rf_import_run(roof_profile *profile, const char *name, const roof_served *run,
                          roof_error *error) {
  uint64_t picoseconds = 0;
  roof_record *record = rf_import_record(profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(profile, error);
  }
  roof_status status = rf_import_served(record, run, error);
  if (status != ROOF_OK) {
    return status;
  }
  for (int i = ROOF_SERVED_FIGURE_COUNT - 1; i >= 0; i--) {
    if (!record->timed && run->seconds[i] > 0 && rf_import_picoseconds(run->seconds[i], &picoseconds)) {
      rf_import_call(profile, record, picoseconds);
    }
  }
  rf_import_missing(&record->bytes[ROOF_MEMORY], "a whole model: `roofline validate` predicts it");
  rf_import_missing(&record->flops[ROOF_FP16][ROOF_MATRIX], "a whole model: `roofline validate` predicts it");
  return rf_import_settled(profile, error);
}

bool roof_served_is_setting(const char *word) {
  size_t length = strcspn(word, "=/.");
  return word[length] == '=' && length > 0 && access(word, F_OK) != 0;
}

/** The settings with the one that `word` names replaced or added. */
static const char *with_setting(roof_profile *profile, const char *settings, const char *word) {
  roof_text words = {0};
  size_t name = strcspn(word, "=") + 1;
  for (const char *at = settings; *at != '\0'; at += strspn(at, " ")) {
    size_t length = strcspn(at, " ");
    if (strncmp(at, word, name) != 0) {
      roof_text_addf(&words, "%.*s ", (int)length, at);
    }
    at += length;
  }
  roof_text_add(&words, word);
  const char *kept = roof_profile_text(profile, words.data != NULL ? words.data : word);
  roof_text_done(&words);
  return kept;
}

/** The model and the formats have fields of their own. */
void rf_import_served_set(roof_profile *profile, roof_served *run, const char *word) {
  const struct {
    const char *name;
    const char **field;
  } fields[] = {
      {"model=", &run->model}, {"weights=", &run->weights}, {"dtype=", &run->dtype}, {"kv=", &run->kv}};
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    size_t length = strlen(fields[i].name);
    if (strncmp(word, fields[i].name, length) == 0) {
      *fields[i].field = roof_profile_text(profile, word + length);
      return;
    }
  }
  run->settings = with_setting(profile, run->settings, word);
}

roof_status roof_profile_set_runs(roof_profile *profile, const char *word, roof_error *error) {
  bool found = false;
  for (size_t i = 0; i < profile->count; i++) {
    if (profile->records[i].run != NULL) {
      found = true;
      rf_import_served_set(profile, profile->records[i].run, word);
    }
  }
  return found ? rf_import_settled(profile, error)
               : roof_error_set(error, ROOF_E_ARGUMENT,
                                "%.60s: a setting, but there is no run of a whole model", word);
}
