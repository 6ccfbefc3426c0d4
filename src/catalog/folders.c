#include "catalog/folders.h"

#include <stdlib.h>
#include <string.h>

#include "roofline/catalog.h"

roof_status roof_catalog_user_folder(roof_text *out, roof_error *error) {
  const char *config = secure_getenv("XDG_CONFIG_HOME");
  const char *home = secure_getenv("HOME");
  if (config != NULL && config[0] != '\0') {
    roof_text_addf(out, "%s/roofline/machines", config);
  } else if (home != NULL && home[0] != '\0') {
    roof_text_addf(out, "%s/.config/roofline/machines", home);
  } else {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "user's folder: neither XDG_CONFIG_HOME nor HOME is set");
  }
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "user's folder: out of memory") : ROOF_OK;
}

bool rf_catalog_folders(bool (*visit)(const char *folder, void *context), void *context, bool *failed) {
  bool stopped = false;
  roof_text all = {0};
  const char *path = secure_getenv("ROOFLINE_PATH");
  roof_text_addf(&all, "%s:", path != NULL ? path : "");
  roof_catalog_user_folder(&all, NULL);
  *failed |= all.failed;
  char *rest = NULL;
  for (char *folder = all.failed ? NULL : strtok_r(all.data, ":", &rest); folder != NULL && !stopped;
       folder = strtok_r(NULL, ":", &rest)) {
    stopped = visit(folder, context);
  }
  roof_text_done(&all);
  return stopped;
}
