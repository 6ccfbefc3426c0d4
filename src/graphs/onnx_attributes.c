/* Attributes of a node, read in place from the file's bytes. */
#include <stdio.h>
#include <string.h>

#include "graphs/onnx.h"

enum { NODE_ATTRIBUTE = 5, NAME = 1, FLOAT = 2, INT = 3, TEXT = 4, FLOATS = 7, INTS = 8 };

static bool is_named(proto attribute, const char *name) {
  proto_field f;
  size_t length = strlen(name);
  return rf_proto_find(attribute, NAME, &f) && f.wire == 2 && (size_t)(f.bytes.end - f.bytes.at) == length &&
         memcmp(f.bytes.at, name, length) == 0;
}

bool rf_onnx_attribute(const onnx_node *n, const char *name, proto *attribute) {
  bool broken = false;
  proto body = n->body;
  for (proto_field f; rf_proto_next(&body, &f, &broken);) {
    if (f.id == NODE_ATTRIBUTE && f.wire == 2 && is_named(f.bytes, name)) {
      *attribute = f.bytes;
      return true;
    }
  }
  return false;
}

double rf_onnx_int(const onnx_node *n, const char *name, double fallback) {
  proto attribute;
  proto_field f;
  bool there = rf_onnx_attribute(n, name, &attribute) && rf_proto_find(attribute, INT, &f) && f.wire == 0;
  return there ? (double)(int64_t)f.number : fallback;
}

double rf_onnx_float(const onnx_node *n, const char *name, double fallback) {
  proto attribute;
  proto_field f;
  bool there = rf_onnx_attribute(n, name, &attribute) && rf_proto_find(attribute, FLOAT, &f) && f.wire == 5;
  return there ? rf_proto_double(&f) : fallback;
}

int rf_onnx_ints(const onnx_node *n, const char *name, double *values, int room) {
  proto attribute;
  size_t count = 0;
  bool broken = false;
  if (rf_onnx_attribute(n, name, &attribute)) {
    for (proto_field f; rf_proto_next(&attribute, &f, &broken);) {
      if (f.id == INTS || f.id == FLOATS) {
        rf_proto_numbers(&f, f.id == INTS ? 0 : 5, values, (size_t)room, &count);
      }
    }
  }
  return count < (size_t)room ? (int)count : room;
}

void rf_onnx_text(const onnx_node *n, const char *name, char *text, size_t size) {
  proto attribute;
  proto_field f;
  bool there = rf_onnx_attribute(n, name, &attribute) && rf_proto_find(attribute, TEXT, &f) && f.wire == 2;
  int length =
      there ? (int)(f.bytes.end - f.bytes.at < (int)size ? f.bytes.end - f.bytes.at : (int)size - 1) : 0;
  snprintf(text, size, "%.*s", length, there ? (const char *)f.bytes.at : "");
}
