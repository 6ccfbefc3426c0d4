/** The tensors of a file of weights: what they are stored as, and which part of the model they are. */
#ifndef WEIGHTS_WEIGHTS_H
#define WEIGHTS_WEIGHTS_H

#include "roofline/model.h"

/** What a tensor is if it is none of the model's parts. */
typedef enum weights_kind {
  WEIGHTS_TABLE = ROOF_PART_COUNT, /**< the token table */
  WEIGHTS_POSITIONS,               /**< learned positions and segments */
  WEIGHTS_VECTORS,
  WEIGHTS_KIND_COUNT
} weights_kind;

/** How elements are stored: `bytes` for each `block` of them. */
typedef struct weights_type {
  const char *name;
  int id;
  double block, bytes;
  roof_dtype stored; /**< the nearest format; ROOF_DTYPE_COUNT: none, it packs others */
  bool packed;       /**< unpacked before it is multiplied */
} weights_type;

typedef struct weights {
  roof_stored_type types[ROOF_STORED_MAX];
  const weights_type *rows[ROOF_STORED_MAX];
  int count;
  double elements[WEIGHTS_KIND_COUNT];
  double bytes[WEIGHTS_KIND_COUNT];
  double by_type[WEIGHTS_KIND_COUNT][ROOF_STORED_MAX];
} weights;

/** What a tensor of that name and rank is, by the names that llama.cpp and transformers give. */
int rf_weights_kind_of(const char *name, int rank);
/** Adds a tensor; types beyond the most that are kept go into the last. */
void rf_weights_add(weights *w, const weights_type *type, int kind, double elements, double bytes);
/** The type with the most bytes in a kind, or NULL. */
const weights_type *rf_weights_main_type(const weights *w, int kind);
/** Gives a described model its tensors' types and bytes. */
void rf_weights_apply(const weights *w, roof_model *model);

#endif
