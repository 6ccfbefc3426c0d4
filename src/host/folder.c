#include "host/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/write.h"
#include "roofline/text.h"

roof_status rf_folder_make(char *path, size_t size, roof_error *error) {
  roof_status status = rf_temporary_name(path, size, "roofline.XXXXXX", error);
  if (status == ROOF_OK && mkdtemp(path) == NULL) {
    status = roof_error_set(error, ROOF_E_OUTPUT, "%s: %s", path, strerror(errno));
  }
  if (status != ROOF_OK) {
    path[0] = '\0';
  }
  return status;
}

char **rf_folder_match(const char *folder, const char *names, glob_t *found) {
  static char *none[] = {NULL};
  roof_text pattern = {0};
  for (; *folder != '\0'; folder++) { /* what glob would take for a pattern stands for itself */
    roof_text_addf(&pattern, strchr("*?[\\", *folder) != NULL ? "\\%c" : "%c", *folder);
  }
  roof_text_addf(&pattern, "/%s", names);
  bool matched = !pattern.failed && glob(pattern.data, 0, NULL, found) == 0;
  roof_text_done(&pattern);
  return matched ? found->gl_pathv : none;
}

void rf_folder_remove(const char *folder, const char *beginning) {
  DIR *files = opendir(folder);
  for (struct dirent *file; files != NULL && (file = readdir(files)) != NULL;) {
    if (strcmp(file->d_name, ".") != 0 && strcmp(file->d_name, "..") != 0 &&
        strncmp(file->d_name, beginning, strlen(beginning)) == 0) {
      unlinkat(dirfd(files), file->d_name, 0);
    }
  }
  if (files != NULL) {
    closedir(files);
  }
  rmdir(folder);
}
