/** A whole model where an operation is asked about: a claim of its speed, its energy by phase, what would make it
 *  faster.
 *
 *  Example:
 *    extern const roof_model_target *target; // by roof_model_target_init
 *    extern const roof_model_answer *answer; // by roof_model_answer_of
 *    roof_model_claim claim = {ROOF_MODEL_CLAIM_TPOT, 18e-3};
 *    roof_model_judged judged;
 *    if (roof_model_claim_judge(target, answer, &claim, &judged, NULL) == ROOF_OK) {
 *      puts(judged.because);
 *    } */
#ifndef ROOFLINE_WHOLE_H
#define ROOFLINE_WHOLE_H

#include "roofline/model.h"
#include "roofline/place.h"

#ifdef __cplusplus
extern "C" {
#endif

/** X(symbol, name, unit, what it is): what is claimed of a whole model. */
#define ROOF_MODEL_CLAIM_MAP(X)                                                                              \
  X(ROOF_MODEL_CLAIM_TTFT, "ttft", "s", "a time to the first token")                                         \
  X(ROOF_MODEL_CLAIM_TPOT, "tpot", "s", "a time per token")                                                  \
  X(ROOF_MODEL_CLAIM_STEP, "step", "s", "a training step")                                                   \
  X(ROOF_MODEL_CLAIM_RATE, "rate", "tokens/s", "a rate")                                                     \
  X(ROOF_MODEL_CLAIM_MFU, "mfu", "%", "an MFU")

typedef enum roof_model_claim_kind {
#define ROOF_MODEL_CLAIM_ENUM(symbol, name, unit, text) symbol,
  ROOF_MODEL_CLAIM_MAP(ROOF_MODEL_CLAIM_ENUM)
#undef ROOF_MODEL_CLAIM_ENUM
      ROOF_MODEL_CLAIM_COUNT
} roof_model_claim_kind;

/** One quantity of a model's run on a machine; a share from 0 to 1 for MFU. */
typedef struct roof_model_claim {
  roof_model_claim_kind kind;
  double value;
} roof_model_claim;

/** A claim against the least time of the phase that it is of. */
typedef struct roof_model_judged {
  double limit;            /**< in the unit of the claim: no run is beyond it */
  double expected;         /**< what `model` predicts */
  const char *phase;       /**< that it is of; "encode and prefill": a first token with its encoder */
  roof_placed placed;      /**< the claimed time; its share over 1 by more than rounding is impossible */
  bool fits;               /**< in the memory of the devices, or that is not known */
  bool possible;           /**< fits, and not beyond the limit */
  const char *name, *unit; /**< of what is claimed: "tpot", "s" */
  char because[512];       /**< the answer in one sentence */
  bool all_accepted;       /**< the limit has all drafted tokens right, as nobody said how many are */
} roof_model_judged;

/** Reads `ttft=80ms`, `tpot=18ms`, `step=14s`, `rate=5000`, `mfu=45%`, or a rate or share by its unit (5000tokens/s,
 *  45%); *read is false for a word that is none of them.
 *  Units: s, tokens/s, a share.
 *  Ownership: changes *claim only where it reads one.
 *  Errors: ROOF_E_PARSE; ROOF_E_ARGUMENT for a value that is not positive, or a time that does not say of what. */
ROOF_API roof_status roof_model_claim_read(const char *word, roof_model_claim *claim, bool *read,
                                           roof_error *error);

/** Judges a claim of a model's run: possible where it fits and takes at least the time of perfect overlap.
 *  Units: s, tokens/s, a share.
 *  Ownership: fills *judged on success only.
 *  Errors: ROOF_E_ARGUMENT where the run has no such figure. */
ROOF_API roof_status roof_model_claim_judge(const roof_model_target *target, const roof_model_answer *answer,
                                            const roof_model_claim *claim, roof_model_judged *judged,
                                            roof_error *error);

/** What a phase takes of energy. */
typedef struct roof_model_joules {
  const char *phase;
  double seconds;
  double joules; /**< of all devices, in one step of the phase; NaN: the machine does not say */
  double watts;  /**< of all devices, on average */
  double tokens; /**< of all sequences */
  double joules_per_token;
  double flops_per_joule;
  roof_regime regime;
} roof_model_joules;

/** The phases that a run has, in order.
 *  Units: s, J, W.
 *  Ownership: fills at most ROOF_PHASE_COUNT rows, returns how many.
 *  Errors: none. */
ROOF_API size_t roof_model_joules_of(const roof_model_target *target, const roof_model_answer *answer,
                                     roof_model_joules rows[ROOF_PHASE_COUNT]);

/** One change of a run, everything else as it is. Gains are ratios of before to after, over 1 where it is better. */
typedef struct roof_model_lever {
  const char *name;
  char change[64];
  bool fits;
  double ttft_seconds, tpot_seconds;
  double
      device_tokens_per_second; /**< requests one after another; where nothing is generated, of the input */
  double total_bytes;
  double rate_gain, ttft_gain, tpot_gain;
  bool helps; /**< fits, and the rate gains, or it did not fit before */
} roof_model_lever;

enum { ROOF_MODEL_LEVERS_MAX = 16 };

/** What would change the run's speed: weights and cache in narrower formats, batches, more devices, a prefix cache,
 *  drafted tokens, fusion, launches; those that help first, by the gain in tokens/s per device.
 *  Units: s, tokens/s, bytes.
 *  Ownership: fills at most ROOF_MODEL_LEVERS_MAX, *count of them.
 *  Errors: ROOF_E_ARGUMENT for a training step, whose plans are searched; ROOF_E_MEMORY. */
ROOF_API roof_status roof_model_levers_of(const roof_model_target *target, const roof_model_answer *answer,
                                          roof_model_lever levers[ROOF_MODEL_LEVERS_MAX], int *count,
                                          roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
