/** Claims in what people write: speeds and bandwidths of machines, rates of models, found in Markdown or plain text and
 *  judged as roof_claim_judge and roof_model_claim_judge do.
 *
 *  Example:
 *    static const char text[] = "It reaches 1.7 PFLOP/s on one H100.";
 *    roof_prose_options options = {0};
 *    roof_prose prose = {0};
 *    if (roof_prose_read(text, sizeof text - 1, "README.md", &options, &prose, NULL) == ROOF_OK) {
 *      printf("%zu of %zu claims are impossible\n", prose.impossible, prose.count);
 *    }
 *    roof_prose_done(&prose); */
#ifndef ROOFLINE_PROSE_H
#define ROOFLINE_PROSE_H

#include "roofline/dtype.h"
#include "roofline/machine.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/** X(symbol, name, unit): what prose claims. */
#define ROOF_PROSE_MAP(X)                                                                                    \
  X(ROOF_PROSE_RATE, "rate", "FLOP/s")                                                                       \
  X(ROOF_PROSE_BANDWIDTH, "bandwidth", "B/s")                                                                \
  X(ROOF_PROSE_TOKENS, "tokens", "tokens/s")

typedef enum roof_prose_kind {
#define ROOF_PROSE_ENUM(symbol, name, unit) symbol,
  ROOF_PROSE_MAP(ROOF_PROSE_ENUM)
#undef ROOF_PROSE_ENUM
} roof_prose_kind;

typedef enum roof_prose_state {
  ROOF_PROSE_POSSIBLE,
  ROOF_PROSE_IMPOSSIBLE,
  ROOF_PROSE_UNKNOWN
} roof_prose_state;

/** What a text says nothing of. */
typedef struct roof_prose_options {
  const char *machine; /**< that a claim is about which names none; NULL: such a number is no claim */
  const char *dtype;   /**< of a rate without a format; NULL: as roof_formats_read takes it */
} roof_prose_options;

/** One claim as it stands in a text. */
typedef struct roof_prose_claim {
  char file[256];
  int line, column; /**< of its number, from 1, in characters */
  char text[64];    /**< as written */
  roof_prose_kind kind;
  double claimed;              /**< of one device; of a model's run: of all devices, or of one user */
  bool per_user;               /**< tokens/s of one user */
  char machine[ROOF_NAME_MAX]; /**< "": not known which */
  char model[ROOF_NAME_MAX];   /**< "" where a machine's own figure is claimed */
  char dtype[ROOF_NAME_MAX];   /**< that it is judged in; "": of no format */
  double devices;
  roof_prose_state state;
  double limit, fraction; /**< NaN where unknown */
  char because[512];      /**< the answer in one sentence, or why there is none */
} roof_prose_claim;

/** The claims of one text or several. */
typedef struct roof_prose {
  roof_prose_claim *claims; /**< in the order of the texts */
  size_t count, capacity;
  size_t impossible, unknown;
} roof_prose;

/** Finds the claims of a text and judges each: a number with its unit (FLOP/s, B/s, tokens/s) in a sentence or a row of a
 *  table that names a machine of the catalogue. Code, comments, addresses, what is denied, and bandwidths of links and
 *  caches are none. Where a sentence leaves open what is meant, the reading that makes the claim possible is taken.
 *  `file` names the text; one that ends in .txt or .rst is read as plain text, all others as Markdown, where
 *  `<!-- roofline off -->` and `<!-- roofline on -->` enclose what is left out.
 *  Units: FLOP/s, bytes/s, tokens/s.
 *  Ownership: appends to *prose, empty or read before; release with roof_prose_done. `text` is not kept.
 *  Errors: ROOF_E_NAME, ROOF_E_PARSE or ROOF_E_INPUT for the machine or the format of the options; ROOF_E_MEMORY. */
ROOF_API roof_status roof_prose_read(const char *text, size_t length, const char *file,
                                     const roof_prose_options *options, roof_prose *prose, roof_error *error);

/** Appends the answer in one sentence: how many claims are impossible.
 *  Units: none.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_prose_sentence(const roof_prose *prose, roof_text *out);

/** Appends the claims as one roofline.claims/1 object, what `claim --scan --json` prints.
 *  Units: as the keys say.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_prose_write(const roof_prose *prose, roof_text *out, roof_error *error);

/** Appends an annotation of GitHub for each claim that is impossible, a line each.
 *  Units: none.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_prose_write_github(const roof_prose *prose, roof_text *out, roof_error *error);

/** "possible", "impossible" or "unknown".
 *  Units: none.
 *  Ownership: static.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_prose_state_name(roof_prose_state state);

/** "rate", "bandwidth" or "tokens".
 *  Units: none.
 *  Ownership: static.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_prose_kind_name(roof_prose_kind kind);

/** The unit as printed.
 *  Units: none.
 *  Ownership: static.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_prose_kind_unit(roof_prose_kind kind);

/** Frees the claims.
 *  Units: none.
 *  Ownership: releases what roof_prose_read filled; *prose is empty afterwards.
 *  Errors: none. */
ROOF_API void roof_prose_done(roof_prose *prose);

#ifdef __cplusplus
}
#endif
#endif
