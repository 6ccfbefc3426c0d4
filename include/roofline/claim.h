/** Is a claimed speed, bandwidth or time possible on a machine?
 *
 *  Example:
 *    extern const roof_target *target; // by roof_target_init
 *    const char *words[] = {"1700TFLOP/s"};
 *    roof_claim claim;
 *    roof_claim_judged judged;
 *    if (roof_claim_parse(&claim, NULL, words, 1, NULL) == ROOF_OK &&
 *        roof_claim_judge(target, &claim, &judged, NULL) == ROOF_OK) {
 *      printf("%s: %s\n", judged.possible ? "possible" : "impossible", judged.because);
 *    } */
#ifndef ROOFLINE_CLAIM_H
#define ROOFLINE_CLAIM_H

#include "roofline/place.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ROOF_CLAIM_NAME = 160, ROOF_CLAIM_MATCHES = 8 };

/** X(symbol, name, unit): what can be claimed. */
#define ROOF_CLAIM_MAP(X)                                                                                    \
  X(ROOF_CLAIM_RATE, "rate", "FLOP/s")                                                                       \
  X(ROOF_CLAIM_BANDWIDTH, "bandwidth", "B/s")                                                                \
  X(ROOF_CLAIM_TIME, "time", "s")                                                                            \
  X(ROOF_CLAIM_INTENSITY, "intensity", "FLOP/B") /* that a rate is claimed at */                             \
  X(ROOF_CLAIM_SHARE, "share", "%")              /* of the peak: a rate */

typedef enum roof_claim_kind {
#define ROOF_CLAIM_ENUM(symbol, name, unit) symbol,
  ROOF_CLAIM_MAP(ROOF_CLAIM_ENUM)
#undef ROOF_CLAIM_ENUM
      ROOF_CLAIM_KIND_COUNT
} roof_claim_kind;

/** What is claimed: one rate, share of the peak, bandwidth or time, of an operation or of the machine. */
typedef struct roof_claim {
  double value[ROOF_CLAIM_KIND_COUNT]; /**< NaN where not claimed */
  const roof_op *op;                   /**< NULL: of the machine */
  double values[ROOF_PARAM_MAX];       /**< of `op`, completed */
} roof_claim;

/** Another figure of the machine that the claim equals. */
typedef struct roof_claim_match {
  char name[ROOF_CLAIM_NAME];
  double value;
} roof_claim_match;

/** A claim against its limit. */
typedef struct roof_claim_judged {
  roof_claim_kind kind; /**< rate, bandwidth or time */
  roof_dtype dtype;     /**< computed in */
  double claimed;
  double limit;
  roof_placed
      placed;    /**< the work at the claimed speed; its share over 1 by more than rounding is impossible */
  bool possible; /**< false too where placed.state is ROOF_PLACE_UNKNOWN: beyond a limit that is assumed */
  bool fits;     /**< the operation's data, in the machine's memory */
  char limit_name[ROOF_CLAIM_NAME]; /**< "dense fp16 matrix peak" */
  char source[ROOF_SOURCE_MAX + 64];
  roof_provenance source_kind; /**< of the figure that limits; with an empty `source` it says nothing */
  bool given;                  /**< that figure has no date: the asker gave it */
  roof_claim_match matches[ROOF_CLAIM_MATCHES];
  int match_count;
  double sparse_share;     /**< of the limit that sparsity would give an impossible claim; NaN: no help */
  double sparse_limit;     /**< FLOP/s of that limit; NaN: of an operation */
  const char *sparse_name; /**< "2:4 sparse"; NULL without `sparse_share` */
  double sums_share;       /**< of the peak with fp16 sums, where that would make it possible; NaN: no help */
  double sums_limit;       /**< FLOP/s of that peak */
  const char *
      algorithm; /**< of fewer FLOPs, or a cache of unknown bandwidth, where it alone could be so fast; NULL: none, or not needed */
  double algorithm_seconds; /**< that the operation takes at least with it */
  double clock_hz;  /**< of an impossible claim's peak, where a higher clock could give it; NaN: none could */
  double needed_hz; /**< the clock that it takes */
  char because[512]; /**< the answer in one sentence */
} roof_claim_judged;

/** Nothing claimed.
 *  Units: none.
 *  Ownership: the caller's storage.
 *  Errors: none. */
ROOF_API void roof_claim_init(roof_claim *claim);

/** The word that names the operation of a claim, to look up before roof_claim_parse.
 *  Units: none.
 *  Ownership: one of `words`.
 *  Errors: NULL where none does: the claim is of the machine. */
ROOF_API const char *roof_claim_operation(const char *const *words, int count);

/** Reads `count` words in any order: quantities whose unit says what is claimed (1700TFLOP/s, 3.0TB/s, 400Gb/s, 1ms,
 *  64FLOP/B, 90%), the same by name (rate=, bandwidth=, time=, intensity=), the name of `op`, and its shape.
 *  Units: FLOP/s, bytes/s, s, FLOP/byte, a share.
 *  Ownership: fills *claim on success only; `op`, nullable, must outlive it.
 *  Errors: ROOF_E_PARSE and ROOF_E_ARGUMENT naming the word; as roof_claim_check and roof_shape_parse. */
ROOF_API roof_status roof_claim_parse(roof_claim *claim, const roof_op *op, const char *const *words,
                                      int count, roof_error *error);

/** One rate, share, bandwidth or time that makes sense with the operation, or without one.
 *  Units: none.
 *  Ownership: none.
 *  Errors: ROOF_E_ARGUMENT for a claim that makes no sense. */
ROOF_API roof_status roof_claim_check(const roof_claim *claim, roof_error *error);

/** Judges a claim on a machine with formats and options. A rate of no operation is held against the fastest
 *  path of the format.
 *  Units: FLOP/s, bytes/s, s.
 *  Ownership: fills *judged on success only.
 *  Errors: as roof_claim_check, ROOF_E_ARGUMENT for options that only an operation has, ROOF_E_UNSUPPORTED where the
 *  machine has no path for the format or the figure is not known. */
ROOF_API roof_status roof_claim_judge(const roof_target *target, const roof_claim *claim,
                                      roof_claim_judged *judged, roof_error *error);

/** The time under which a measurement of a prediction's operation cannot be: its lower bound, less where that rests on an
 *  assumed figure, or where the data may come from a cache whose bandwidth is unknown.
 *  Units: s.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API double roof_claim_least_seconds(const roof_target *target, const roof_prediction *prediction);

/** Appends what a judgement rests on, a line each: the claim, the limit and its source on `machine`, what has the same
 *  figure, the verdict. `of_op`: the claim is of an operation, and so of a format.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_claim_details(const roof_claim_judged *judged, const char *machine, bool of_op,
                                 roof_text *out);

/** "rate", "bandwidth", ...
 *  Units: none.
 *  Ownership: static.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_claim_kind_name(roof_claim_kind kind);

/** The unit as printed.
 *  Units: none.
 *  Ownership: static.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_claim_kind_unit(roof_claim_kind kind);

#ifdef __cplusplus
}
#endif
#endif
