#include "documents/proto.h"

#include <string.h>

static bool varint(proto *m, uint64_t *value) {
  *value = 0;
  for (int shift = 0; m->at < m->end && shift < 64; shift += 7) {
    unsigned char byte = *m->at++;
    *value |= (uint64_t)(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) {
      return true;
    }
  }
  return false;
}

/** Little-endian, as the wire is. */
static bool fixed(proto *m, size_t size, uint64_t *value) {
  if ((size_t)(m->end - m->at) < size) {
    return false;
  }
  *value = 0;
  for (size_t i = 0; i < size; i++) {
    *value |= (uint64_t)m->at[i] << (8 * i);
  }
  m->at += size;
  return true;
}

static bool value_of(proto *m, proto_field *f) {
  switch (f->wire) {
  case 0:
    return varint(m, &f->number);
  case 1:
    return fixed(m, 8, &f->number);
  case 5:
    return fixed(m, 4, &f->number);
  case 2:
    if (!varint(m, &f->number) || f->number > (uint64_t)(m->end - m->at)) {
      return false;
    }
    f->bytes = (proto){m->at, m->at + f->number};
    m->at += f->number;
    return true;
  default:
    return false;
  }
}

bool rf_proto_next(proto *m, proto_field *f, bool *broken) {
  uint64_t tag = 0;
  if (m->at >= m->end) {
    return false;
  }
  *f = (proto_field){0};
  bool good = varint(m, &tag) && tag >> 3 > 0 && tag >> 3 < 1u << 29;
  f->id = (uint32_t)(tag >> 3);
  f->wire = (int)(tag & 7);
  *broken = *broken || !good || !value_of(m, f);
  return !*broken;
}

double rf_proto_double(const proto_field *f) {
  if (f->wire == 5) {
    uint32_t bits = (uint32_t)f->number;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
  }
  double value;
  memcpy(&value, &f->number, sizeof value);
  return value;
}

bool rf_proto_numbers(const proto_field *f, int wire, double *values, size_t room, size_t *count) {
  proto rest = f->bytes;
  proto_field one = *f;
  bool packed = f->wire == 2;
  while (!packed || rest.at < rest.end) {
    one.wire = wire;
    if (packed ? !value_of(&rest, &one) : f->wire != wire) {
      return false;
    }
    if (*count < room) {
      values[*count] = wire == 0 ? (double)(int64_t)one.number : rf_proto_double(&one);
    }
    ++*count;
    if (!packed) {
      break;
    }
  }
  return true;
}

bool rf_proto_find(proto m, uint32_t id, proto_field *f) {
  for (bool broken = false; rf_proto_next(&m, f, &broken);) {
    if (f->id == id) {
      return true;
    }
  }
  return false;
}
