/* Keeping a machine among the user's own. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "host/write.h"
#include "roofline/catalog.h"
#include "roofline/documents.h"

/** Makes a folder and those above it. */
static roof_status make_folders(char *path, roof_error *error) {
  for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
    if (slash != NULL) {
      *slash = '\0';
    }
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
      return roof_error_set(error, ROOF_E_OUTPUT, "%s: %s", path, strerror(errno));
    }
    if (slash == NULL) {
      return ROOF_OK;
    }
    *slash = '/';
  }
}

roof_status roof_catalog_save(const roof_machine *machine, roof_error *error) {
  roof_text path = {0}, json = {0};
  roof_status status = roof_catalog_user_folder(&path, error);
  if (status == ROOF_OK) {
    status = make_folders(path.data, error);
  }
  if (status == ROOF_OK) {
    status = roof_machine_write(machine, &json, error);
  }
  roof_text_addf(&path, "/%s.json", machine->name);
  if (status == ROOF_OK && (path.failed || json.failed)) {
    status = roof_error_set(error, ROOF_E_MEMORY, "%s.json: out of memory", machine->name);
  }
  if (status == ROOF_OK) {
    status = rf_write_file(path.data, json.data, json.length, error);
  }
  roof_text_done(&path);
  roof_text_done(&json);
  return status;
}
