/* Safetensors files in the folder of a config.json: model.safetensors, or shards model-00001-of-00003 with
 * an index that names the file of each tensor (huggingface/transformers, save_pretrained). */
#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "documents/json.h"
#include "host/file.h"
#include "roofline/weights.h"
#include "weights/safetensors.h"

static roof_status add_file(weights *w, const char *path, roof_error *error) {
  rf_file_mapping mapping;
  roof_status status = rf_file_map(path, &mapping, error);
  if (status == ROOF_OK) {
    status = rf_safetensors_add(w, mapping.data, mapping.length, path, error);
    rf_file_unmap(&mapping);
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

/** What an index says: the files that hold tensors, each once, and their bytes together. */
typedef struct shard_index {
  json_t *files; /**< an object; NULL: there is no index */
  double bytes;  /**< NaN: not said */
} shard_index;

static const char index_name[] = "model.safetensors.index.json";

static roof_status fail_index(const char *path, roof_error *error, const char *why) {
  roof_error_set(error, ROOF_E_PARSE, "%s", why);
  return roof_error_at(error, path, 0, 0);
}

static roof_status take_index(const json_t *root, const char *path, shard_index *x, roof_error *error) {
  json_t *map = json_object_get(root, "weight_map"), *file = NULL;
  const json_t *size = json_object_get(json_object_get(root, "metadata"), "total_size");
  const char *tensor = NULL;
  if (json_object_size(map) == 0) {
    return fail_index(path, error, "weight_map: missing, it names the file of each tensor");
  }
  x->bytes = json_is_number(size) ? json_number_value(size) : NAN;
  x->files = json_object();
  json_object_foreach(map, tensor, file) {
    const char *name = json_string_value(file);
    if (name == NULL || name[0] == '\0' || strchr(name, '/') != NULL) {
      roof_error_set(error, ROOF_E_PARSE, "weight_map: %.100s: not in a file of this folder", tensor);
      return roof_error_at(error, path, 0, 0);
    }
    rf_json_set(x->files, name, json_true());
  }
  return ROOF_OK;
}

/** Reads the folder's index, if it has one. Release x->files whatever it returns. */
static roof_status read_index(const char *folder, shard_index *x, roof_error *error) {
  roof_text path = {0}, text = {0};
  roof_text_addf(&path, "%s/%s", folder, index_name);
  if (path.failed || access(path.data, F_OK) != 0) {
    roof_status status =
        path.failed ? roof_error_set(error, ROOF_E_MEMORY, "`%s`: out of memory", folder) : ROOF_OK;
    roof_text_done(&path);
    return status;
  }
  roof_status status = rf_file_read_text(path.data, &text, error);
  json_t *root = NULL;
  if (status == ROOF_OK) {
    status = rf_json_read(text.data != NULL ? text.data : "", text.length, 0, path.data, "", &root, error);
  }
  status = status == ROOF_OK ? take_index(root, path.data, x, error) : status;
  json_decref(root);
  roof_text_done(&path);
  roof_text_done(&text);
  return status;
}

static bool is_there(const char *folder, const char *name) {
  roof_text path = {0};
  roof_text_addf(&path, "%s/%s", folder, name);
  bool there = !path.failed && access(path.data, F_OK) == 0;
  roof_text_done(&path);
  return there;
}

/** The files that an index names, all or none: without them the formats are the config's. */
static roof_status add_indexed(weights *w, const char *folder, const shard_index *x, roof_model *model,
                               roof_error *error) {
  const char *name = NULL, *missing = NULL;
  json_t *value = NULL;
  size_t found = 0;
  double bytes = 0;
  roof_status status = ROOF_OK;
  json_object_foreach(x->files, name, value) {
    bool there = is_there(folder, name);
    found += there;
    missing = there ? missing : name;
  }
  if (found == 0) {
    roof_model_note(model, "%s names %zu files of %.0f B, none of which is here: formats are the config's",
                    index_name, json_object_size(x->files), x->bytes);
    return ROOF_OK;
  }
  if (missing != NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "`%s`: %zu of the %zu files that %s names are there, `%.100s` is not", folder,
                          found, json_object_size(x->files), index_name, missing);
  }
  json_object_foreach(x->files, name, value) {
    status = status == ROOF_OK ? add_entry(w, folder, name, error) : status;
  }
  for (int i = 0; i < w->count; i++) {
    bytes += w->types[i].bytes;
  }
  if (status == ROOF_OK && x->bytes >= 0 && x->bytes != bytes) {
    roof_model_note(model, "%s says %.0f B, the files hold %.0f B", index_name, x->bytes, bytes);
  }
  return status;
}

/** Without an index: all model*.safetensors, of which a name may say how many there are. */
static roof_status add_listed(weights *w, const char *folder, roof_error *error) {
  DIR *directory = opendir(folder);
  roof_status status = ROOF_OK;
  long found = 0, wanted = 0;
  for (struct dirent *entry = directory != NULL ? readdir(directory) : NULL;
       entry != NULL && status == ROOF_OK; entry = readdir(directory)) {
    if (is_part(entry->d_name)) {
      found++;
      wanted = shards_of(entry->d_name);
      status = add_entry(w, folder, entry->d_name, error);
    }
  }
  if (directory != NULL) {
    closedir(directory);
  }
  return status == ROOF_OK && found != wanted
             ? roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: %ld of %ld files model*.safetensors are there",
                              folder, found, wanted)
             : status;
}

roof_status rf_safetensors_apply_folder(const char *folder, roof_model *model, roof_error *error) {
  weights w = {0};
  shard_index x = {.bytes = NAN};
  roof_status status = read_index(folder, &x, error);
  if (status == ROOF_OK) {
    status = x.files != NULL ? add_indexed(&w, folder, &x, model, error) : add_listed(&w, folder, error);
  }
  if (status == ROOF_OK && w.count > 0) {
    rf_weights_apply(&w, model);
  }
  json_decref(x.files);
  return status;
}

/** The index alone: what it says of files that no config describes. */
static roof_status fail_index_alone(const char *path, const char *folder, roof_error *error) {
  shard_index x = {.bytes = NAN};
  roof_status status = read_index(folder, &x, error);
  if (status == ROOF_OK) {
    status = roof_error_set(
        error, ROOF_E_ARGUMENT,
        "`%s`: %zu files of %.0f B, but no config.json in the same folder to describe the model", path,
        json_object_size(x.files), x.bytes);
  }
  json_decref(x.files);
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
  return status != ROOF_OK ? status
                           : roof_error_set(error, ROOF_E_ARGUMENT,
                                            "`%s`: %.0f tensors, %.0f elements, %.0f B, but no config.json "
                                            "in the same folder to describe the model",
                                            path, tensors, elements, bytes);
}

roof_status rf_safetensors_folder(const char *path, roof_text *out, roof_error *error) {
  roof_text folder = {0}, config = {0};
  const char *slash = strrchr(path, '/');
  roof_text_addf(&folder, "%.*s", slash != NULL ? (int)(slash - path) : 1, slash != NULL ? path : ".");
  roof_text_addf(&config, "%s/config.json", folder.data != NULL ? folder.data : "");
  roof_status status = ROOF_OK;
  if (folder.failed || config.failed) {
    status = roof_error_set(error, ROOF_E_MEMORY, "`%s`: out of memory", path);
  } else if (access(config.data, F_OK) != 0) {
    size_t length = strlen(path);
    bool is_index = length > 5 && strcmp(path + length - 5, ".json") == 0;
    status = is_index ? fail_index_alone(path, folder.data, error) : fail_alone(path, error);
  } else {
    *out = folder;
    folder = (roof_text){0};
  }
  roof_text_done(&folder);
  roof_text_done(&config);
  return status;
}
