#include "catalog/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { FILE_MAX = 16 << 20 };

roof_status catalog_file_read(const char *path, roof_text *out, roof_error *error) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return roof_error_set(error, ROOF_E_INPUT, "`%s`: %s", path, strerror(errno));
  }
  char block[16384];
  size_t length = 0;
  roof_status status = ROOF_OK;
  errno = 0;
  while (status == ROOF_OK && (length = fread(block, 1, sizeof block, file)) > 0) {
    roof_text_add_bytes(out, block, length);
    if (out->failed) {
      status = roof_error_set(error, ROOF_E_MEMORY, "`%s`: out of memory", path);
    } else if (out->length > FILE_MAX) {
      status = roof_error_set(error, ROOF_E_INPUT, "`%s`: larger than 16 MiB", path);
    }
  }
  if (status == ROOF_OK && ferror(file)) {
    status = roof_error_set(error, ROOF_E_INPUT, "`%s`: %s", path, strerror(errno));
  }
  fclose(file);
  return status;
}
