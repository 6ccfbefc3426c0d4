/* What the library asks of the host, in a browser: files are those that the page was given, shared libraries there are none. */
#include "web/wasm/host.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/file.h"
#include "host/library.h"
#include "roofline/graphs.h"
#include "roofline/weights.h"
#include "service/trace.h"
#include "weights/safetensors.h"

enum { FILES_MAX = 16 };

typedef struct kept_file {
  char *name;
  char *data;
  size_t length;
  double whole; /**< length of the file, of which this may be the beginning */
} kept_file;

static kept_file files[FILES_MAX];

static const char *without_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static kept_file *find(const char *path) {
  for (int i = 0; i < FILES_MAX; i++) {
    if (files[i].name != NULL && strcmp(files[i].name, without_folder(path)) == 0) {
      return &files[i];
    }
  }
  return NULL;
}

/** The place of that name, else a free one, else the first. */
static kept_file *place_of(const char *path) {
  kept_file *place = find(path);
  for (int i = 0; i < FILES_MAX && place == NULL; i++) {
    place = files[i].name == NULL ? &files[i] : NULL;
  }
  return place != NULL ? place : &files[0];
}

bool web_file_keep(const char *name, const char *data, size_t length, double whole) {
  kept_file *place = place_of(name);
  size_t mark = rf_file_mark(data, length);
  data += mark;
  length -= mark;
  char *own_name = strdup(without_folder(name)), *own = malloc(length + 1);
  if (own_name == NULL || own == NULL) {
    free(own_name);
    free(own);
    return false;
  }
  memcpy(own, data, length);
  own[length] = '\0';
  free(place->name);
  free(place->data);
  *place = (kept_file){own_name, own, length, whole - (double)mark};
  web_machines_forget();
  return true;
}

bool rf_file_is_input(const char *path) {
  return strcmp(path, "-") == 0;
}

int rf_file_peek_input(void) {
  return EOF;
}

roof_status rf_file_read(const char *path, roof_text *out, roof_error *error) {
  const kept_file *file = find(path);
  if (file == NULL) {
    return roof_error_set(error, ROOF_E_INPUT, "`%s`: not among the files that the page was given", path);
  }
  roof_text_add_bytes(out, file->data, file->length);
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "`%s`: out of memory", path) : ROOF_OK;
}

roof_status rf_file_read_text(const char *path, roof_text *out, roof_error *error) {
  return rf_file_read(path, out, error); /* kept without a mark */
}

void rf_file_base_name(const char *path, char *name, size_t size) {
  const char *base = without_folder(path);
  const char *dot = strrchr(base, '.');
  size_t length = dot != NULL && dot > base ? (size_t)(dot - base) : strlen(base);
  snprintf(name, size, "%.*s", (int)(length < size ? length : size - 1), base);
}

bool rf_file_begins(const char *path, const char *text) {
  const kept_file *file = find(path);
  return file != NULL && strncmp(file->data, text, strlen(text)) == 0;
}

roof_status rf_file_map(const char *path, rf_file_mapping *mapping, roof_error *error) {
  const kept_file *file = find(path);
  if (file == NULL || file->length == 0) {
    return roof_error_set(error, ROOF_E_INPUT, "`%s`: not among the files that the page was given", path);
  }
  *mapping = (rf_file_mapping){file->data, file->length, file->whole};
  return ROOF_OK;
}

void rf_file_unmap(rf_file_mapping *mapping) {
  *mapping = (rf_file_mapping){0};
}

bool rf_library_load(const rf_library *library, rf_loaded *out) {
  *out = (rf_loaded){0};
  snprintf(out->reason, sizeof out->reason, "%s: not in a browser", library->what);
  return false;
}

bool rf_library_find(void *handle, const rf_symbol *symbols, size_t count, const char **missing) {
  (void)handle, (void)count, (void)missing, (void)symbols;
  return false;
}

void rf_library_close(rf_loaded *loaded) {
  *loaded = (rf_loaded){0};
}

/* What the catalogue calls of libc: the files above, in one folder that ROOFLINE_PATH names. */

char *secure_getenv(const char *name) {
  static char folder[] = "files";
  return strcmp(name, "ROOFLINE_PATH") == 0 ? folder : NULL;
}

int __wrap_access(const char *path, int mode) {
  (void)mode;
  return find(path) != NULL ? 0 : -1;
}

int __wrap_stat(const char *restrict path, struct stat *restrict status) {
  (void)path, (void)status;
  errno = ENOENT;
  return -1;
}

DIR *__wrap_opendir(const char *path) {
  (void)path;
  return NULL;
}

struct dirent *__wrap_readdir(DIR *folder) {
  (void)folder;
  return NULL;
}

int __wrap_closedir(DIR *folder) {
  (void)folder;
  return 0;
}

/* Graphs: the name says the format. */

bool roof_workload_is(const char *name) {
  return roof_text_ends_with(name, ".onnx");
}

roof_status roof_workload_load(const char *name, const roof_workload_reading *reading,
                               roof_workload *workload, roof_error *error) {
  rf_file_mapping mapping;
  roof_status status = rf_file_map(name, &mapping, error);
  return status == ROOF_OK
             ? roof_workload_read_onnx(mapping.data, mapping.length, name, reading, workload, error)
             : status;
}

/* What the explorer leaves out: files next to others. */

static roof_status left_out(const char *what, roof_error *error) {
  return roof_error_set(error, ROOF_E_UNSUPPORTED,
                        "`%.80s`: a page reads config.json, GGUF and ONNX; the command reads it", what);
}

roof_status rf_safetensors_folder(const char *path, roof_text *out, roof_error *error) {
  (void)out;
  return left_out(path, error);
}

roof_status rf_safetensors_apply_folder(const char *folder, roof_model *model, roof_error *error) {
  (void)folder, (void)model, (void)error;
  return ROOF_OK;
}

/* Traces are read as they are simulated, from files of the command's alone. */

roof_status roof_requests_read(const char *path, roof_requests *requests, roof_error *error) {
  (void)requests;
  return left_out(path, error);
}

roof_status rf_trace_open(const char *path, trace_stream **stream, roof_error *error) {
  (void)stream;
  return left_out(path, error);
}

void rf_trace_close(trace_stream *stream) {
  (void)stream;
}

roof_status rf_trace_next(trace_stream *stream, const roof_request **row, const unsigned **blocks,
                          roof_error *error) {
  (void)stream, (void)error;
  *row = NULL;
  *blocks = NULL;
  return ROOF_OK;
}
