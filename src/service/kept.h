/** What the cache of one sequence takes: a page of every layer's tokens is a block; layers with a window keep no more than its
 *  tokens, and a state does not grow. */
#ifndef SERVICE_KEPT_H
#define SERVICE_KEPT_H

#include "roofline/model.h"

enum { SERVICE_WINDOWS = 8 };

/** All zero: every layer keeps all tokens. */
typedef struct service_kept {
  double state; /**< blocks of a sequence, however long */
  int count;    /**< of the kinds of layers */
  struct {
    double share;  /**< of a block that these layers have */
    double window; /**< tokens that they keep at most; may be infinite */
  } kinds[SERVICE_WINDOWS];
} service_kept;

/** Of a target's layers on one device; *block_bytes: of a page, or of the state where nothing grows. More windows than there is
 *  room for count as the widest of them. */
service_kept rf_kept_layers(const roof_model_target *target, double *block_bytes);

/** Two models side by side, blocks of both of `bytes` and `other_bytes`. */
service_kept rf_kept_both(const service_kept *kept, double bytes, const service_kept *other,
                          double other_bytes);

/** Blocks of a sequence of so many tokens. */
double rf_kept_blocks(const service_kept *kept, double page, double tokens);

/** The same without rounding up to whole pages, in tokens of a block. */
double rf_kept_tokens(const service_kept *kept, double page, double tokens);

/** Of each page of tokens between two lengths the part of a block that it needs: exact outside of windows that end between them. */
double rf_kept_growth(const service_kept *kept, double from, double to);

/** Of a block the part that a sequence keeps however much follows. */
double rf_kept_lasting(const service_kept *kept);

/** The longest sequence that so many blocks hold, in tokens. */
double rf_kept_longest(const service_kept *kept, double page, double blocks);

#endif
