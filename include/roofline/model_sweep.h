/** A model over lists and ranges of its settings, precisions and machines.
 *
 *  Example:
 *    static roof_model model;
 *    static roof_model_precisions precisions;
 *    static roof_model_sweep sweep;
 *    const char *const words[] = {"batch=1..256*2", "prompt=4k"};
 *    roof_machine *machine = NULL;
 *    roof_model_axes axes = {0};
 *    if (roof_catalog_load("h100", &machine, NULL) == ROOF_OK && roof_model_load("qwen3-4b", &model, NULL) == ROOF_OK) {
 *      roof_model_settings settings = roof_model_settings_default(&model);
 *      if (roof_model_settings_read(words, 2, &settings, &axes, NULL) == ROOF_OK &&
 *          roof_model_precisions_parse("bf16/fp8", &settings.precision, &precisions, NULL) == ROOF_OK &&
 *          roof_model_sweep_of(&model, &machine, 1, &settings, &axes, &precisions, &sweep, NULL) == ROOF_OK) {
 *        size_t fitting = 0;
 *        const roof_model_run *best = roof_model_sweep_best(&sweep, &fitting);
 *        printf("%zu fit, the best at batch=%g\n", fitting, best != NULL ? roof_model_sweep_value(&sweep, best, 0) : 0);
 *        roof_model_sweep_done(&sweep);
 *      }
 *    }
 *    roof_model_axes_done(&axes);
 *    roof_machine_free(machine); */
#ifndef ROOFLINE_MODEL_SWEEP_H
#define ROOFLINE_MODEL_SWEEP_H

#include "roofline/model.h"
#include "roofline/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_MODEL_AXIS_MAX 8

/** A setting with several values. */
typedef struct roof_model_axis {
  const char *name; /**< static */
  size_t offset;    /**< of a double in roof_model_settings */
  roof_axis values; /**< `param` and `params` are not used */
} roof_model_axis;

/** Settings with several values, in the order typed. Start from `{0}`, release with roof_model_axes_done. */
typedef struct roof_model_axes {
  roof_model_axis list[ROOF_MODEL_AXIS_MAX];
  int count;
} roof_model_axes;

/** Reads `count` words key=value into settings: batch, prompt, generate, chunk, draft, accept, tp, pp, dp,
 *  ep, cp, microbatches, node, page, workspace, memory_share, price, zero. A list or range (batch=1,8 or batch=1..256*2) is
 *  added to `axes`, the setting getting its first value; where `axes` is NULL it is refused.
 *  Units: as roof_model_settings.
 *  Ownership: the caller's, released with roof_model_axes_done.
 *  Errors: ROOF_E_NAME with the nearest name, ROOF_E_PARSE or ROOF_E_ARGUMENT for a value or a setting given
 *  two lists, ROOF_E_MEMORY; values out of range are refused by roof_model_target_init. */
ROOF_API roof_status roof_model_settings_read(const char *const *words, int count,
                                              roof_model_settings *settings, roof_model_axes *axes,
                                              roof_error *error);

/** Refuses a setting that was typed and has no effect on what is asked: `searched` for plans, or answered for the
 *  settings and the values of `axes` (NULL: none) on a machine (NULL: on one of several).
 *  Units: none.
 *  Ownership: none.
 *  Errors: ROOF_E_ARGUMENT with the setting's name and the reason. */
ROOF_API roof_status roof_model_settings_check(const roof_model *model, const roof_model_settings *settings,
                                               const roof_machine *machine, bool searched,
                                               const roof_model_axes *axes, roof_error *error);

/** Frees the values.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none. */
ROOF_API void roof_model_axes_done(roof_model_axes *axes);

/** X(symbol, key, unit): a figure of a run. A step is one of training or of denoising, which have no first token.
 *  Intensity, MFU and MBU are of the decoding step, else of the only phase. */
#define ROOF_RUN_FIGURE_MAP(X)                                                                               \
  X(ROOF_RUN_TTFT, "ttft_seconds", "s")                                                                      \
  X(ROOF_RUN_TPOT, "tpot_seconds", "s")                                                                      \
  X(ROOF_RUN_STEP, "step_seconds", "s")                                                                      \
  X(ROOF_RUN_RATE, "tokens_per_second", "")                                                                  \
  X(ROOF_RUN_BATCH_RATE, "batch_tokens_per_second", "")                                                      \
  X(ROOF_RUN_DEVICE_RATE, "device_tokens_per_second", "") /* of the input where none are generated */        \
  X(ROOF_RUN_PROMPT_RATE, "prompt_tokens_per_second", "")                                                    \
  X(ROOF_RUN_ENERGY, "joules_per_token", "J")                                                                \
  X(ROOF_RUN_PRICE, "price_per_million_tokens", "")                                                          \
  X(ROOF_RUN_TOTAL_BYTES, "total_bytes", "B")                                                                \
  X(ROOF_RUN_SPARE_BYTES, "spare_bytes", "B")                                                                \
  X(ROOF_RUN_INTENSITY, "intensity", "")                                                                     \
  X(ROOF_RUN_MFU, "mfu", "")                                                                                 \
  X(ROOF_RUN_MBU, "mbu", "")

typedef enum roof_run_figure {
#define ROOF_RUN_FIGURE_ENUM(symbol, key, unit) symbol,
  ROOF_RUN_FIGURE_MAP(ROOF_RUN_FIGURE_ENUM)
#undef ROOF_RUN_FIGURE_ENUM
      ROOF_RUN_FIGURE_COUNT
} roof_run_figure;

/** One value of each axis, in one precision, on one machine. */
typedef struct roof_model_run {
  int machine, precision;
  size_t index; /**< of the values: the last axis turns fastest */
  double figures[ROOF_RUN_FIGURE_COUNT];
  bool fits;
  roof_regime regime; /**< the longest of the step's times */
  char why[128];      /**< why it cannot be; "": it can */
} roof_model_run;

/** Every run. Release with roof_model_sweep_done. */
typedef struct roof_model_sweep {
  const roof_model *model;
  roof_machine *const *machines;
  int machine_count;
  roof_model_settings settings;
  const roof_model_axes *axes;
  roof_model_precisions precisions;
  size_t values; /**< of all axes together */
  roof_model_run *runs;
  size_t count; /**< machines x precisions x values, in that order */
} roof_model_sweep;

/** Where a phase changes sides along an axis; other settings as in `run`. */
typedef struct roof_model_sweep_crossing {
  const roof_model_run *run;
  int axis;
  roof_phase phase;
  bool products; /**< of its products alone */
  roof_model_crossing at;
  char words[224]; /**< roof_model_crossing_text */
} roof_model_sweep_crossing;

/** Receives a crossing.
 *  Units: the settings'.
 *  Ownership: `context` is the caller's; *crossing is gone afterwards.
 *  Errors: none. */
typedef void roof_model_sweep_visit(void *context, const roof_model_sweep *sweep,
                                    const roof_model_sweep_crossing *crossing);

/** The key of a figure, and in *unit (nullable) its unit: "s", "B", "J" or "".
 *  Units: none.
 *  Ownership: static.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_run_figure_key(roof_run_figure figure, const char **unit);

/** Answers the model at every value of the axes, in every precision, on every machine; a run that cannot be
 *  says why.
 *  Units: as roof_model_answer.
 *  Ownership: *sweep points to the model, the machines and the axes; release it with roof_model_sweep_done.
 *  Errors: ROOF_E_ARGUMENT for more than 100000 runs, or when none can be; ROOF_E_MEMORY; *sweep is left
 *  alone. */
ROOF_API roof_status roof_model_sweep_of(const roof_model *model, roof_machine *const *machines,
                                         int machine_count, const roof_model_settings *settings,
                                         const roof_model_axes *axes, const roof_model_precisions *precisions,
                                         roof_model_sweep *sweep, roof_error *error);

/** Frees the runs.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none. */
ROOF_API void roof_model_sweep_done(roof_model_sweep *sweep);

/** Runs from one value of an axis to its next.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API size_t roof_model_sweep_stride(const roof_model_sweep *sweep, int axis);

/** Whether a run has the first value of an axis: it begins a line along it.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_model_sweep_starts(const roof_model_sweep *sweep, const roof_model_run *run, int axis);

/** A run's value of an axis.
 *  Units: the setting's.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API double roof_model_sweep_value(const roof_model_sweep *sweep, const roof_model_run *run, int axis);

/** Whether some run generates tokens.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_model_sweep_generates(const roof_model_sweep *sweep);

/** Whether some run knows a figure.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_model_sweep_knows(const roof_model_sweep *sweep, roof_run_figure figure);

/** Of the runs that fit the one with most tokens per second and device, of the input where none are generated; the first of
 *  equals, and in *fitting how many fit.
 *  Units: none.
 *  Ownership: of the sweep.
 *  Errors: NULL when none fits. */
ROOF_API const roof_model_run *roof_model_sweep_best(const roof_model_sweep *sweep, size_t *fitting);

#define ROOF_RUN_WORDS_MAX 512

/** The settings that all runs have: "batch 1, 2048 tokens in, 256 out", without those that are swept.
 *  Units: sequences, tokens.
 *  Ownership: fills the caller's buffer, of ROOF_RUN_WORDS_MAX bytes to hold any; returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_model_sweep_settings(const roof_model_sweep *sweep, char *buffer, size_t size);

/** What distinguishes a run from the others of its machine, without the axis `except` (-1: all): "tp=2 bf16"; "" for the
 *  only one.
 *  Units: the settings'.
 *  Ownership: fills the caller's buffer, of ROOF_RUN_WORDS_MAX bytes to hold any; returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_model_run_words(const roof_model_sweep *sweep, const roof_model_run *run, int except,
                                    char *buffer, size_t size);

/** The batches of the line along `axis` that begins at `run`, where that is the axis of the batch.
 *  Units: sequences.
 *  Ownership: by value.
 *  Errors: NaN on another axis, within a line, or where a run cannot be. */
ROOF_API roof_model_batches roof_model_sweep_batches(const roof_model_sweep *sweep, const roof_model_run *run,
                                                     int axis);

/** Visits every crossing of every line along the batch, the prompt and the generation.
 *  Units: as roof_model_crossing.
 *  Ownership: keeps nothing; the crossing lives during the visit.
 *  Errors: none. */
ROOF_API void roof_model_sweep_crossings(const roof_model_sweep *sweep, roof_model_sweep_visit *visit,
                                         void *context);

/** Appends how many runs there are and fit, which has the most tokens/s, and what all share.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_model_sweep_sentence(roof_text *out, const roof_model_sweep *sweep);

/** Appends where each line along the batch bends and where memory ends it, at most `most` lines after a heading.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_model_sweep_batches_describe(roof_text *out, const roof_model_sweep *sweep, int most);

#ifdef __cplusplus
}
#endif
#endif
