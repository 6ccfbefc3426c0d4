/* Workload files; the format is detected from the first bytes. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "documents/proto.h"
#include "host/file.h"
#include "roofline/graphs.h"

enum { MODEL_GRAPH = 7, BEGIN = 4096 };

/** True for a protocol buffer with a field that could be a graph. */
static bool is_onnx(const char *path) {
  rf_file_mapping mapping;
  proto_field f;
  if (rf_file_map(path, &mapping, NULL) != ROOF_OK) {
    return false;
  }
  const unsigned char *at = mapping.data;
  bool graph = rf_proto_find((proto){at, at + mapping.length}, MODEL_GRAPH, &f) && f.wire == 2;
  rf_file_unmap(&mapping);
  return graph;
}

/** True for text whose first word after any comments begins with a letter. */
static bool is_list(const char *path) {
  char begin[BEGIN];
  FILE *file = fopen(path, "rb");
  size_t length = file != NULL ? fread(begin, 1, sizeof begin - 1, file) : 0, i = rf_file_mark(begin, length);
  if (file != NULL) {
    fclose(file);
  }
  begin[length] = '\0';
  if (strlen(begin) != length || strncmp(begin, "GGUF", 4) == 0) {
    return false;
  }
  while (i < length && (isspace((unsigned char)begin[i]) || begin[i] == '#')) {
    i += begin[i] == '#' ? strcspn(begin + i, "\n") : 1;
  }
  return i < length && isalpha((unsigned char)begin[i]);
}

bool roof_workload_is(const char *path) {
  if (rf_file_is_input(path)) { /* a config begins with a brace */
    int c = rf_file_peek_input();
    return c == '#' || (c != EOF && isalpha(c));
  }
  struct stat status;
  bool plain = stat(path, &status) == 0 && S_ISREG(status.st_mode);
  size_t length = strlen(path);
  bool named = length > 5 && strcmp(path + length - 5, ".onnx") == 0;
  return named || (plain && (is_list(path) || is_onnx(path)));
}

static roof_status load_list(const char *path, const roof_workload_reading *reading, roof_workload *workload,
                             roof_error *error) {
  roof_text text = {0};
  roof_status status = rf_file_read_text(path, &text, error);
  if (status == ROOF_OK) {
    status = roof_workload_read_list(text.data, text.length, path, reading, workload, error);
  }
  roof_text_done(&text);
  return status;
}

roof_status roof_workload_load(const char *path, const roof_workload_reading *reading,
                               roof_workload *workload, roof_error *error) {
  rf_file_mapping mapping;
  if (rf_file_is_input(path) || (is_list(path) && !is_onnx(path))) {
    return load_list(path, reading, workload, error);
  }
  roof_status status = rf_file_map(path, &mapping, error);
  if (status == ROOF_OK) {
    status = roof_workload_read_onnx(mapping.data, mapping.length, path, reading, workload, error);
    rf_file_unmap(&mapping);
  }
  return status;
}
