/* Finds a model: a config.json, or the folder that holds one. */
#include <string.h>
#include <sys/stat.h>

#include "catalog/file.h"
#include "roofline/catalog.h"

static bool is_folder(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static roof_status load_file(const char *path, roof_model *model, roof_error *error) {
  roof_text text = {0};
  roof_status status = catalog_file_read(path, &text, error);
  if (status == ROOF_OK) {
    status = roof_model_read(text.data != NULL ? text.data : "", text.length, path, model, error);
  }
  roof_text_done(&text);
  return status;
}

roof_status roof_model_load(const char *name, roof_model *model, roof_error *error) {
  roof_text path = {0};
  roof_text_addf(&path, is_folder(name) ? "%s/config.json" : "%s", name);
  roof_status status = path.failed ? roof_error_set(error, ROOF_E_MEMORY, "model `%s`: out of memory", name)
                                   : load_file(path.data, model, error);
  roof_text_done(&path);
  return status;
}
