/** What a model's answer is made of: kinds of kernels, sides of the ridge, formats, ways to launch.
 *
 *  Example:
 *    static roof_model model;
 *    static roof_model_target target;
 *    static roof_model_answer answer;
 *    roof_machine *machine = NULL;
 *    roof_model_side side;
 *    if (roof_catalog_load("h100", &machine, NULL) == ROOF_OK && roof_model_load("qwen3-4b", &model, NULL) == ROOF_OK) {
 *      roof_model_settings settings = roof_model_settings_default(&model);
 *      if (roof_model_target_init(&target, &model, machine, &settings, NULL) == ROOF_OK) {
 *        roof_model_answer_of(&target, &answer);
 *        if (roof_model_phase_side(&answer.phases[ROOF_PHASE_DECODE], &side)) {
 *          printf("%.3g FLOP/B of %.4g: %s-bound\n", side.intensity, side.ridge, side.compute ? "compute" : "memory");
 *        }
 *      }
 *    }
 *    roof_machine_free(machine); */
#ifndef ROOFLINE_ANALYSIS_H
#define ROOFLINE_ANALYSIS_H

#include "roofline/failures.h"
#include "roofline/model.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The operations of one kind in a phase, together. */
typedef struct roof_model_kind {
  roof_phase phase;
  roof_operation_kind kind;
  const char
      *name; /**< as roof_operation_kind_name; of products "GEMM", or "GEMV" where a step has one token */
  double kernels;
  double flops, bytes; /**< bytes of memory */
  double intensity;    /**< NaN without bytes */
  double seconds;      /**< expected */
  double share;        /**< of the phase's expected time */
  double joules;       /**< of one device; NaN: the machine does not say */
  roof_regime regime;  /**< what stops most of that time */
} roof_model_kind;

/** The kinds of operations that take time in a phase.
 *  Units: FLOP, bytes, s, J.
 *  Ownership: fills the caller's `kinds`; names are static.
 *  Errors: none; returns how many there are. */
ROOF_API int roof_model_kinds(const roof_model_phase *phase,
                              roof_model_kind kinds[ROOF_OPERATION_KIND_COUNT]);

/** On which side of its ridge a phase is, all operations together. */
typedef struct roof_model_side {
  double intensity, ridge; /**< FLOP/byte of memory; the ridge by the mix of its formats */
  bool compute;            /**< computing takes longer than memory */
  roof_bytes_class most;   /**< class of most of the bytes of memory */
  double most_share;       /**< of them */
} roof_model_side;

/** The side of a phase.
 *  Units: FLOP/byte.
 *  Ownership: fills *side on success only.
 *  Errors: false where the phase is not there or takes no time. */
ROOF_API bool roof_model_phase_side(const roof_model_phase *phase, roof_model_side *side);

/** What the format of a part's weights changes. */
typedef struct roof_model_format {
  roof_model_part part;
  char name[48];     /**< as they are stored */
  double bytes;      /**< of one weight */
  roof_dtype wanted; /**< they would be multiplied as, activations quantised to it where `quantized` */
  bool quantized;
  roof_dtype compute; /**< they are multiplied as */
  bool native;        /**< false: the machine does not multiply `wanted`, or at a peak that is not known */
  bool lacks;         /**< its file says that it does not */
  double flops_per_second; /**< peak of that */
  double ridge;            /**< FLOP/byte */
  double batch; /**< tokens from which a product passes it: its intensity is about 2 tokens / bytes */
} roof_model_format;

/** The formats of the parts that a model has.
 *  Units: bytes, FLOP/s, FLOP/byte, tokens.
 *  Ownership: fills the caller's `formats`.
 *  Errors: NaN where the machine has no peak or bandwidth; returns how many there are. */
ROOF_API int roof_model_formats(const roof_model_target *target, roof_model_format formats[ROOF_PART_COUNT]);

/** What the first step takes with one way to launch kernels. */
typedef struct roof_model_launches {
  roof_launch launch;
  bool chosen;           /**< in the target's settings */
  double kernel_seconds; /**< of one kernel, or barrier */
  double kernels;        /**< of a step */
  double barriers;       /**< persistent: in the one kernel, else 0 */
  double layer_kernels;  /**< kernels per layer */
  double step_seconds;   /**< of decoding, else of the only phase */
  double ttft_seconds;
} roof_model_launches;

/** Every way to launch kernels, all other settings as in the target.
 *  Units: s.
 *  Ownership: fills the caller's `ways` on success only.
 *  Errors: as roof_model_target_init; ROOF_E_MEMORY. */
ROOF_API roof_status roof_model_launches_of(const roof_model_target *target,
                                            roof_model_launches ways[ROOF_LAUNCH_COUNT], roof_error *error);

/** Whether a run has times: it fits, or what there is of memory is not known.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_model_has_times(const roof_model_answer *answer);

/** Makes all times, rates, energies and prices NaN of a run that has none; FLOPs, bytes and memory stay.
 *  Units: s.
 *  Ownership: changes *answer.
 *  Errors: none. */
ROOF_API void roof_model_drop_times(roof_model_answer *answer);

enum { ROOF_MODEL_FITS_MAX = 8 };

/** One change with which a run fits. */
typedef struct roof_model_fit {
  char change[32];    /**< as it is typed: "--precision fp8", "tp=2" */
  double devices;     /**< of the changed run */
  double spare_bytes; /**< on each of them */
} roof_model_fit;

/** The changes, each by itself, with which a run that does not fit would: narrower weights or cache, fewer or shorter
 *  sequences, weights with the host, the fewest devices; of a training step what is computed again or sharded.
 *  Units: bytes.
 *  Ownership: fills at most ROOF_MODEL_FITS_MAX, returns how many; 0 also for a run that fits.
 *  Errors: none. */
ROOF_API size_t roof_model_fits_of(const roof_model_target *target, roof_model_fit fits[ROOF_MODEL_FITS_MAX]);

/** Appends them as a list, or where to go on if there is none.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_model_fits_describe(roof_text *out, const roof_model_target *target);

/** Refuses a run without times where they are what is asked for. `weights` is the option that says their format to who
 *  asks: "precision", or "weights" where roof_formats are typed.
 *  Units: none.
 *  Ownership: none.
 *  Errors: ROOF_E_ARGUMENT with what is missing and what would make it fit. */
ROOF_API roof_status roof_model_check_fit(const roof_model_target *target, const roof_model_answer *answer,
                                          const char *weights, roof_error *error);

/** How long one of what a model is for takes, and by which ceiling it is bound: "an image in 1.66 ms, compute-bound". Nothing for a
 *  language model, whose times are TTFT and TPOT, and where there are no times.
 *  Units: s.
 *  Ownership: appends to the caller's text.
 *  Errors: the text's own. */
ROOF_API void roof_model_headline(roof_text *out, const roof_model_target *target,
                                  const roof_model_answer *answer);

/** Appends a run in words, a line or more for each: the model's layers, the settings and formats, what its file of
 *  weights holds, memory, and over several devices the plan with its links and bubble.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_model_describe(roof_text *out, const roof_model_target *target,
                                  const roof_model_answer *answer);

/** Appends the rates of a run that generates tokens: per request, together, per device; the first and last token,
 *  energy and price. Nothing of one that generates none.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_model_rates_describe(roof_text *out, const roof_model_target *target,
                                        const roof_model_answer *answer);

/** Appends the days and cost of a training run, of its tokens or of a million of them (`per_million`, or NaN); nothing
 *  where neither is known. With `failures` (nullable) also those, and the cost is of the time that they take too, none
 *  where the run never ends.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_model_training_describe(roof_text *out, const roof_model_training *training,
                                           const roof_model_settings *settings, double per_million,
                                           const roof_failures *failures);

/** Appends the price that a cost is of, " at 2.5 per device and hour", with its source and date where it was read.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: nothing without a price; a text that runs out of memory says so itself. */
ROOF_API void roof_model_price_describe(roof_text *out, const roof_model_settings *settings);

#ifdef __cplusplus
}
#endif
#endif
