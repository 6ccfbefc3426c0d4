/* The Empirical Roofline Toolkit's roofline.json: the ceilings that it measured. */
#include <math.h>
#include <string.h>

#include "import/_ceilings.h"
#include "import/_json.h"

static int detect(const char *text, size_t size) {
  (void)size;
  return strstr(text, "\"empirical\"") != NULL && strstr(text, "\"gbytes\"") != NULL ? 95 : 0;
}

/** A list of [name, value in 10^9]. */
static void take_list(roof_profile *profile, const json_t *list, bool peaks) {
  size_t i;
  const json_t *pair;
  json_array_foreach(list, i, pair) {
    const char *name = json_string_value(json_array_get(pair, 0));
    double rate = rf_import_number_of(json_array_get(pair, 1)) * 1e9;
    char word[16] = "";
    roof_dtype dtype = ROOF_FP64;
    if (name == NULL) {
      continue;
    }
    snprintf(word, sizeof word, "%.*s", (int)strcspn(name, " "), name);
    bool named = roof_dtype_parse(word, &dtype, NULL) == ROOF_OK;
    if (!peaks) {
      rf_ceilings_level(profile, name, rate, NAN, "Empirical Roofline Toolkit");
    } else if (named || strcmp(word, "GFLOPs") == 0) {
      rf_ceilings_peak(profile, named ? dtype : ROOF_FP64, ROOF_VECTOR, rate, "",
                       named ? "Empirical Roofline Toolkit"
                             : "Empirical Roofline Toolkit; double precision unless its kernel was changed");
    } else {
      rf_import_skip(profile, name, "not a number format that is known here");
    }
  }
}

/** HOSTNAME is a text, or a list that begins with it. */
static const char *host_of(const json_t *metadata) {
  const json_t *host = json_object_get(metadata, "HOSTNAME");
  const char *text = json_string_value(json_is_array(host) ? json_array_get(host, 0) : host);
  return text != NULL ? text : "";
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  json_t *document = NULL;
  roof_status status = rf_import_document(source, &document, error);
  if (status != ROOF_OK) {
    return status;
  }
  const json_t *empirical = json_object_get(document, "empirical");
  const json_t *metadata = json_object_get(empirical, "metadata");
  const json_t *graphics = json_array_get(json_object_get(json_object_get(metadata, "CONFIG"), "ERT_GPU"), 0);
  rf_ceilings_name(profile, host_of(metadata), "ert");
  take_list(profile, json_object_get(json_object_get(empirical, "gbytes"), "data"), false);
  take_list(profile, json_object_get(json_object_get(empirical, "gflops"), "data"), true);
  if (profile->machine != NULL && json_is_true(graphics)) {
    snprintf(profile->machine->device_class, sizeof profile->machine->device_class, "gpu");
  }
  if (json_object_get(document, "spec") != NULL) {
    rf_import_skip(profile, "spec", "what the manufacturer says was not measured");
  }
  json_decref(document);
  return rf_ceilings_settle(source, profile, error);
}

const roof_format rf_format_ert = {
    .name = "ert",
    .title = "Empirical Roofline Toolkit JSON",
    .gives = "a machine: bandwidth of each level, peak; --to FILE.json writes it as a machine file",
    .detect = detect,
    .read = read,
};
