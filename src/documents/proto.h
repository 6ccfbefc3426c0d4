/** Protocol buffers on the wire: fields by number, unknown ones skipped. */
#ifndef DOCUMENTS_PROTO_H
#define DOCUMENTS_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A message, or what is left of it. */
typedef struct proto {
  const unsigned char *at, *end;
} proto;

/** One field: `number` of a varint or a fixed one, `bytes` of a length-delimited one. */
typedef struct proto_field {
  uint32_t id;
  int wire; /**< 0 varint, 1 eight bytes, 2 bytes, 5 four bytes */
  uint64_t number;
  proto bytes;
} proto_field;

/** Reads the next field. False at the end; *broken is set if the bytes are malformed. */
bool rf_proto_next(proto *message, proto_field *field, bool *broken);

/** The eight or four bytes of a fixed field as a floating-point number. */
double rf_proto_double(const proto_field *field);

/** Adds the numbers of a repeated field, one or many packed, to the `room` of `values`: signed varints (wire
 *  0) or floating-point ones (1, 5). *count counts them all. False if the bytes are malformed. */
bool rf_proto_numbers(const proto_field *field, int wire, double *values, size_t room, size_t *count);

/** The first field of that number; false when there is none. */
bool rf_proto_find(proto message, uint32_t id, proto_field *field);

#endif
