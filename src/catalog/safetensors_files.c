/* Safetensors files as they lie beside a config.json: model.safetensors, or shards model-00001-of-00003. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "catalog/file.h"
#include "catalog/safetensors.h"
#include "roofline/catalog.h"

static roof_status add_file(weights *w, const char *path, roof_error *error) {
  catalog_mapping mapping;
  roof_status status = catalog_file_map(path, &mapping, error);
  if (status == ROOF_OK) {
    status = safetensors_add(w, mapping.data, mapping.length, path, error);
    catalog_file_unmap(&mapping);
  }
  return status;
}

static bool is_part(const char *name) {
  size_t length = strlen(name), size = strlen(".safetensors");
  return strncmp(name, "model", 5) == 0 && length > size && strcmp(name + length - size, ".safetensors") == 0;
}

/** Shards that a name says there are, 1 without. */
static long shards_of(const char *name) {
  const char *of = strstr(name, "-of-");
  return of != NULL ? strtol(of + 4, NULL, 10) : 1;
}

static roof_status add_entry(weights *w, const char *folder, const char *name, roof_error *error) {
  roof_text path = {0};
  roof_text_addf(&path, "%s/%s", folder, name);
  roof_status status = path.failed ? roof_error_set(error, ROOF_E_MEMORY, "`%s`: out of memory", folder)
                                   : add_file(w, path.data, error);
  roof_text_done(&path);
  return status;
}

roof_status safetensors_apply_folder(const char *folder, roof_model *model, roof_error *error) {
  DIR *directory = opendir(folder);
  roof_status status = ROOF_OK;
  weights w = {0};
  long found = 0, wanted = 0;
  for (struct dirent *entry = directory != NULL ? readdir(directory) : NULL;
       entry != NULL && status == ROOF_OK; entry = readdir(directory)) {
    if (is_part(entry->d_name)) {
      found++;
      wanted = shards_of(entry->d_name);
      status = add_entry(&w, folder, entry->d_name, error);
    }
  }
  if (directory != NULL) {
    closedir(directory);
  }
  if (status == ROOF_OK && found != wanted) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: %ld of %ld files model*.safetensors are there",
                          folder, found, wanted);
  }
  if (status == ROOF_OK && found > 0) {
    weights_apply(&w, model);
  }
  return status;
}

/** What a file holds that no config describes. */
static roof_status fail_alone(const char *path, roof_error *error) {
  weights w = {0};
  double tensors = 0, elements = 0, bytes = 0;
  roof_status status = add_file(&w, path, error);
  for (int i = 0; i < w.count; i++) {
    tensors += w.types[i].tensors;
    elements += w.types[i].elements;
    bytes += w.types[i].bytes;
  }
  return status != ROOF_OK
             ? status
             : roof_error_set(error, ROOF_E_ARGUMENT,
                              "`%s`: %.0f tensors, %.0f elements, %.0f B, and no config.json beside it that "
                              "says what model they are",
                              path, tensors, elements, bytes);
}

roof_status safetensors_load(const char *path, roof_model *model, roof_error *error) {
  roof_text folder = {0}, config = {0};
  const char *slash = strrchr(path, '/');
  roof_text_addf(&folder, "%.*s", slash != NULL ? (int)(slash - path) : 1, slash != NULL ? path : ".");
  roof_text_addf(&config, "%s/config.json", folder.data != NULL ? folder.data : "");
  roof_status status = ROOF_OK;
  if (folder.failed || config.failed) {
    status = roof_error_set(error, ROOF_E_MEMORY, "`%s`: out of memory", path);
  } else if (access(config.data, F_OK) != 0) {
    status = fail_alone(path, error);
  } else {
    status = roof_model_load(folder.data, model, error);
  }
  roof_text_done(&folder);
  roof_text_done(&config);
  return status;
}
