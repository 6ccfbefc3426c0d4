/** The constants of the effects fitted to measurements.
 *
 *  Example:
 *    extern const roof_profile *timings; // by roof_import, of a file that gives shapes
 *    roof_calibrate_options how = roof_calibrate_options_default();
 *    roof_options options = roof_options_default();
 *    roof_calibration calibration;
 *    how.family = "hopper";
 *    if (roof_calibrate(timings, &how, &options, &calibration, NULL) == ROOF_OK) {
 *      printf("%zu kinds of kernels and formats\n", calibration.count);
 *      roof_calibration_done(&calibration);
 *    } */
#ifndef ROOFLINE_CALIBRATE_H
#define ROOFLINE_CALIBRATE_H

#include "roofline/accuracy.h"
#include "roofline/effects.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is fitted to which timings. Start from roof_calibrate_options_default(). */
typedef struct roof_calibrate_options {
  const roof_machine *machine; /**< of every timing; NULL: each timing's own */
  const char
      *family; /**< machines of this family, name or class of devices alone; NULL: all, of one family */
  const char *source; /**< what was measured, for the constants' source; NULL: "timings" */
  int kernel;         /**< a roof_kernel_kind alone; -1: all */
  int dtype;          /**< arithmetic in this roof_dtype alone; -1: all */
} roof_calibrate_options;

enum { ROOF_FIT_FRAMEWORKS = 8 };

/** The constants of one kind of kernel in one format, and how well they do. */
typedef struct roof_fit {
  roof_constants constants;
  bool spreads;                       /**< `spread` was asked for: it takes as long as the fit */
  double spread[ROOF_CONSTANT_COUNT]; /**< standard deviation over resamples; NaN: not fitted */
  double gain[ROOF_CONSTANT_COUNT];   /**< mean |ln(measured / expected)| that its effect takes away */
  size_t fitted;                      /**< timings that the constants were fitted to */
  bool apart;                         /**< false: too few timings, all of them fitted and judged */
  roof_accuracy_line before, after;   /**< of the timings that were not fitted */
  bool worse; /**< their median is further off than by the constants in place, which stay */
  char frameworks[ROOF_FIT_FRAMEWORKS][ROOF_FRAMEWORK_MAX]; /**< of its timings */
  int framework_count;
} roof_fit;

/** X(symbol, name, text): what the time of a whole model's run goes to. */
#define ROOF_RUN_CLASS_MAP(X)                                                                                \
  X(ROOF_RUN_PRODUCTS, "products", "products with weights")                                                  \
  X(ROOF_RUN_EXPERTS, "experts", "products of experts")                                                      \
  X(ROOF_RUN_ATTENTION, "attention", "attention, and layers with a state")                                   \
  X(ROOF_RUN_COLLECTIVES, "collectives", "transfers between devices")                                        \
  X(ROOF_RUN_ELEMENTWISE, "elementwise", "norms, activations, sampling")                                     \
  X(ROOF_RUN_PROMPTS, "prompts", "prompts of other requests")                                                \
  X(ROOF_RUN_HOST, "host", "the host and launches: the same for every step")

typedef enum roof_run_class {
#define ROOF_RUN_CLASS_ENUM(symbol, name, text) symbol,
  ROOF_RUN_CLASS_MAP(ROOF_RUN_CLASS_ENUM)
#undef ROOF_RUN_CLASS_ENUM
      ROOF_RUN_CLASS_COUNT
} roof_run_class;

/** A class of kernels as the only cause of a gap: what it alone would have to take. */
typedef struct roof_run_cause {
  const char *name, *text;      /**< static */
  double share;                 /**< of the predicted time, mean of the runs; host: what no kernel has */
  double factor;                /**< on its time, that leaves the least; NaN: host */
  double seconds;               /**< that each step would take more; NaN: not the host */
  double usual_low, usual_high; /**< factors that 8 of 10 comparable kernels have; NaN: host */
  double left;                  /**< median error of the runs with it */
  bool helps;                   /**< takes at least a tenth of the error away */
  bool alike; /**< leaves about as little as the first: these runs do not distinguish the two */
} roof_run_cause;

/** Which class could explain how far runs of whole models are from what was predicted. */
typedef struct roof_run_causes {
  const char *figure;    /**< "TPOT": static */
  size_t runs, settings; /**< runs, and how many of them differ in model, settings or formats */
  double error, bias;    /**< medians, as those of roof_accuracy_line */
  size_t inside;         /**< runs within their interval */
  roof_run_cause causes[ROOF_RUN_CLASS_COUNT]; /**< what leaves least first */
  size_t count;
} roof_run_causes;

typedef struct roof_calibration {
  roof_run_causes runs[2]; /**< of whole models, each figure by itself */
  size_t run_count;
  roof_fit *fits;
  size_t count;
  char machine[ROOF_NAME_MAX]; /**< that the timings of kernels are of; "": of several, or none */
  roof_accuracy
      judged; /**< the timings that were not fitted, with the constants; its gaps: what was left out */
} roof_calibration;

/** All kinds and formats, each timing on its own machine.
 *  Units: none.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_calibrate_options roof_calibrate_options_default(void);

/** Fits the constants that the forms of expected times use: the least mean absolute logarithm of measured over
 *  expected, within the bounds of roof_constant_row_of, on a deterministic sample of the timings whose shapes are not
 *  kept for judging (one shape in five). Timings that cannot be are left out: faster than the lower bound, or of a
 *  host that took as long whatever the size; with options->framework those of other frameworks too. Without it, and
 *  without how->family, a framework's constants are fitted to the timings that its own predict now. The interval is
 *  the 10th to 90th percentile of the timings not fitted. Runs of whole models fit no constants: they say which class of
 *  kernels could explain them.
 *  Units: as the constants'.
 *  Ownership: fills *calibration on success only; release with roof_calibration_done.
 *  Errors: ROOF_E_ARGUMENT where no timing is left, or without `machine` and `family` timings of several families;
 *  as roof_accuracy_of. */
ROOF_API roof_status roof_calibrate(const roof_profile *profile, const roof_calibrate_options *how,
                                    const roof_options *options, roof_calibration *calibration,
                                    roof_error *error);

/** Appends what runs of whole models say: how far off they are, and which class of kernels could be the cause.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_run_causes_sentence(const roof_run_causes *causes, roof_text *out);

/** Gives a machine the fitted constants that are no worse, in place of its own of those kinds and formats; what it has
 *  from its family goes, as it is not its own.
 *  Units: none.
 *  Ownership: copies.
 *  Errors: ROOF_E_ARGUMENT when they are too many. */
ROOF_API roof_status roof_calibration_apply(const roof_calibration *calibration, roof_machine *machine,
                                            roof_error *error);

/** Writes the constants alone, the worse too, as a roofline.machine/1 document of that name, as data/constants holds them.
 *  Units: as the constants'.
 *  Ownership: appends to `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_calibration_write_constants(const roof_calibration *calibration, const char *name,
                                                      roof_text *out, roof_error *error);

/** Writes it as roofline.calibration/1.
 *  Units: as the constants'.
 *  Ownership: appends to `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_calibration_write(const roof_calibration *calibration, roof_text *out,
                                            roof_error *error);

/** X(symbol, name, text): which timings judge constants that were fitted to the others. */
#define ROOF_SPLIT_MAP(X)                                                                                    \
  X(ROOF_SPLIT_SHAPE, "shape", "one shape in five, of each family")                                          \
  X(ROOF_SPLIT_DEVICE, "device", "each machine, by the others of its family, else by all others")            \
  X(ROOF_SPLIT_RANDOM, "random", "one timing in five, of each family")

typedef enum roof_split {
#define ROOF_SPLIT_ENUM(symbol, name, text) symbol,
  ROOF_SPLIT_MAP(ROOF_SPLIT_ENUM)
#undef ROOF_SPLIT_ENUM
      ROOF_SPLIT_COUNT
} roof_split;

/** The name of a split: "shape".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_split_name(roof_split split);

/** The split of that name.
 *  Units: none.
 *  Ownership: writes *split on success only.
 *  Errors: ROOF_E_NAME with the nearest. */
ROOF_API roof_status roof_split_parse(const char *text, roof_split *split, roof_error *error);

/** Fits constants of each kind of kernel, format and framework to a part of a profile's timings, as roof_calibrate does,
 *  and judges the rest by them: what a machine would be predicted with that has been measured in part, or not at all.
 *  Units: shares.
 *  Ownership: as roof_accuracy_of.
 *  Errors: as roof_accuracy_of; ROOF_E_ARGUMENT when no timing is left to judge. */
ROOF_API roof_status roof_accuracy_split(const roof_profile *profile, const roof_machine *machine,
                                         const roof_options *options, roof_split split,
                                         roof_accuracy *accuracy, roof_error *error);

/** Releases what roof_calibrate filled.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none; one full of zeros is fine. */
ROOF_API void roof_calibration_done(roof_calibration *calibration);

#ifdef __cplusplus
}
#endif
#endif
