/** Predictions as they are sealed and as roofline.prediction/1 documents hold them.
 *
 *  Example:
 *    extern const char *json; // as `roofline predict --json` prints it
 *    roof_sealings all = {0};
 *    if (roof_sealings_read(&all, json, strlen(json), "prediction.json", NULL) == ROOF_OK) {
 *      printf("%zu predictions\n", all.count);
 *    }
 *    roof_sealings_done(&all); */
#ifndef ROOFLINE_SEALING_H
#define ROOFLINE_SEALING_H

#include <stddef.h>

#include "roofline/measurement.h"
#include "roofline/predict.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_DIGEST_MAX 65
#define ROOF_PARAMETERS_MAX 512
#define ROOF_TYPED_MAX 512

/** Where the figures of a prediction come from. */
typedef enum roof_sealing_origin {
  ROOF_SEALING_UNKNOWN,    /**< an entry of version 0.1 does not say */
  ROOF_SEALING_PREDICTED,  /**< this program predicted them */
  ROOF_SEALING_RECOMPUTED, /**< a document, and predicting anew gave the same */
  ROOF_SEALING_HAND /**< a document, and they are others, or cannot be predicted anew: somebody wrote them */
} roof_sealing_origin;

/** "predicted", "recomputed", "by hand"; "" for unknown.
 *  Units: none.
 *  Ownership: static.
 *  Errors: none. */
ROOF_API const char *roof_sealing_origin_name(roof_sealing_origin origin);

/** A prediction to seal. Texts are "" where unknown, numbers NaN. */
typedef struct roof_sealing {
  char label[ROOF_LABEL_MAX];
  bool named; /**< the label was given, not made of operation, parameters and format */
  char machine[ROOF_NAME_MAX];
  char device_class[32];                /**< of the machine: cpu, gpu, accelerator */
  char machine_digest[ROOF_DIGEST_MAX]; /**< of the machine file, roof_machine_digest */
  char op[ROOF_NAME_MAX];
  char parameters[ROOF_PARAMETERS_MAX]; /**< "m=1 n=8" */
  char dtype[16];
  char typed[ROOF_TYPED_MAX]; /**< formats and options that are not the usual ones, as `predict` takes them */
  char regime[16];
  char binding[ROOF_NAME_MAX];
  double flops;
  double bytes;
  double compute_seconds;
  double memory_seconds;
  double overhead_seconds;
  bool overhead_assumed; /**< no figure of the machine, so it shows nothing of what was measured */
  double network_seconds;
  double lower_seconds;
  double least_seconds; /**< what is faster cannot be (roof_claim_least_seconds); NaN: than lower_seconds */
  double upper_seconds;
  double expected_seconds;
  double expected_low_seconds;
  double expected_high_seconds;
  double mine_seconds; /**< what a person predicted, sealed with it and graded by reconcile; NaN: nothing */
  roof_ceiling ceilings[ROOF_BASIS_COUNT];
  double level_bytes_per_second[ROOF_LEVEL_KIND_COUNT]; /**< of the machine */
  roof_sealing_origin origin;
  char doubt[192];      /**< why it is by hand, else "" */
  roof_types types;     /**< of a document: what to predict it anew with */
  roof_options options; /**< too, but for the texts */
  char link[ROOF_NAME_MAX];
  char framework[ROOF_NAME_MAX];
} roof_sealing;

/** Several of them. Start from `{0}`. */
typedef struct roof_sealings {
  roof_sealing *list;
  size_t count;
} roof_sealings;

/** Sets all to unknown.
 *  Units: none.
 *  Ownership: the caller's storage.
 *  Errors: none. */
ROOF_API void roof_sealing_init(roof_sealing *sealing);

/** Whether a text can be a label: 1 to ROOF_LABEL_MAX - 1 bytes of UTF-8 without control characters and changes of the
 *  direction of writing.
 *  Units: none.
 *  Ownership: none.
 *  Errors: ROOF_E_ARGUMENT where it cannot. */
ROOF_API roof_status roof_label_check(const char *label, roof_error *error);

/** Gives a prediction the label that its measurement will carry.
 *  Units: none.
 *  Ownership: copies `label`.
 *  Errors: as roof_label_check. */
ROOF_API roof_status roof_sealing_name(roof_sealing *sealing, const char *label, roof_error *error);

/** Sets what a person predicts of each: a share of the ceiling ("70%", "0.7"), or the time of a single one ("5ms").
 *  Units: s.
 *  Ownership: keeps nothing.
 *  Errors: ROOF_E_PARSE; ROOF_E_ARGUMENT for a share beyond 1, a time that is not positive or of several, and *all
 *  as it was. */
ROOF_API roof_status roof_sealings_mine(roof_sealings *all, const char *text, roof_error *error);

/** Appends one.
 *  Units: none.
 *  Ownership: copies; release with roof_sealings_done.
 *  Errors: ROOF_E_MEMORY, and *all as it was. */
ROOF_API roof_status roof_sealings_add(roof_sealings *all, const roof_sealing *one, roof_error *error);

/** Appends the predictions of a roofline.prediction/1, roofline.predictions/1 or roofline.sweep/1 document; a
 *  prediction without `label` gets one made of its operation, parameters and format. `file` is for messages.
 *  Units: s, FLOP, bytes.
 *  Ownership: `text` is not kept; release *all in any case.
 *  Errors: ROOF_E_PARSE with file, line and column, ROOF_E_ARGUMENT for a label, ROOF_E_MEMORY. */
ROOF_API roof_status roof_sealings_read(roof_sealings *all, const char *text, size_t length, const char *file,
                                        roof_error *error);

/** Adds " on MACHINE" to the labels that were made, where there are several machines.
 *  Units: none.
 *  Ownership: changes the labels.
 *  Errors: a label is truncated. */
ROOF_API void roof_sealings_name_machines(roof_sealings *all);

/** Sets `typed`, and adds the formats to the label that was made.
 *  Units: none.
 *  Ownership: the caller's storage.
 *  Errors: a label is truncated. */
ROOF_API void roof_sealing_ask(roof_sealing *sealing, const roof_types *types, const roof_options *options);

/** Frees the list.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none. */
ROOF_API void roof_sealings_done(roof_sealings *all);

#ifdef __cplusplus
}
#endif
#endif
