/** Members of structs under their keys in JSON: tables by which documents are written and read. */
#ifndef CLUSTER_MEMBERS_H
#define CLUSTER_MEMBERS_H

#include <jansson.h>
#include <stddef.h>

typedef enum rf_member_kind {
  RF_NUMBER,   /**< double; NaN is null */
  RF_COUNT,    /**< int */
  RF_ESTIMATE, /**< roof_estimate */
  RF_TEXT      /**< char[] */
} rf_member_kind;

typedef struct rf_member {
  const char *key; /**< NULL at the end of a table */
  rf_member_kind kind;
  size_t offset;
  size_t size; /**< of a text */
} rf_member;

#define RF_MEMBER(type, member, key, kind)                                                                   \
  { key, RF_##kind, offsetof(type, member), sizeof(((type *)0)->member) }
#define RF_MEMBERS_END                                                                                       \
  { NULL, RF_NUMBER, 0, 0 }

/** An object of the members of a struct.
 *  Units: SI. Ownership: the caller's. Errors: as rf_json_set. */
json_t *rf_members_json(const void *of, const rf_member *members);

/** A list of `count` structs, `size` bytes each. */
json_t *rf_members_list_json(const void *first, size_t size, int count, const rf_member *members);

/** Of 0 and more; NaN: of no such number. */
double rf_member_number(json_t *value);

/** A text that people are shown: "?" where it is not plain, or longer than fits. */
void rf_member_text(char *to, size_t size, json_t *value);

/** Reads members; a figure that makes no sense is NaN, a count 0.
 *  Units: SI. Ownership: `object` stays, and may be of any type. Errors: none. */
void rf_members_read(json_t *object, void *of, const rf_member *members);

/** How many objects a list has; -1: it is no list of at most `most` objects. */
int rf_members_length(json_t *list, size_t most);

/** Reads a list into structs of `size` bytes; returns rf_members_length. */
int rf_members_read_list(json_t *list, size_t most, void *first, size_t size, const rf_member *members);

#endif
