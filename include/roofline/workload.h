/** A workload: operations that run one after the other, as a file of operations or an ONNX graph has them.
 *
 *  Example:
 *    extern const roof_workload *workload; // by roof_workload_load
 *    extern const roof_machine *machine; // by roof_catalog_load
 *    roof_workload_settings settings = roof_workload_settings_default();
 *    roof_workload_answer answer;
 *    if (roof_workload_answer_of(workload, machine, &settings, &answer, NULL) == ROOF_OK) {
 *      printf("%g s\n", answer.expected_seconds);
 *      roof_workload_answer_done(&answer);
 *    } */
#ifndef ROOFLINE_WORKLOAD_H
#define ROOFLINE_WORKLOAD_H

#include "roofline/model.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_WORKLOAD_NOTE_MAX 8

/** One operation. Texts live as long as the workload. */
typedef struct roof_workload_item {
  const char *name;  /**< of the node or line, "" without one */
  const char *op;    /**< an operation's name ("gemm"), or a node's op_type ("Conv") */
  const char *shape; /**< its parameters or sizes, for people */
  double count;      /**< calls, one after the other */
  roof_types types;
  roof_work work;      /**< of one call */
  double weight_bytes; /**< of the bytes read */
} roof_workload_item;

/** Items in the order they run. Start from `{0}`, release with roof_workload_done. */
typedef struct roof_workload {
  char name[96];
  const char *format; /**< "onnx" or "operations" */
  roof_workload_item *items;
  size_t count;
  double batch;            /**< of a graph's inputs, NaN: not known */
  double parameters;       /**< elements of a graph's weights, NaN: not known */
  double weight_bytes;     /**< of a graph's weights, NaN: not known */
  double activation_bytes; /**< the most that a graph holds at once in addition to them, NaN: not known */
  char notes[ROOF_WORKLOAD_NOTE_MAX][ROOF_SOURCE_MAX];
  int note_count;
  struct roof_workload_text *texts;
} roof_workload;

/** How a workload is run. Start from roof_workload_settings_default(). */
typedef struct roof_workload_settings {
  roof_launch launch;
  double kernel_seconds; /**< cost of one kernel; NaN: the machine's, or the mode's own assumption */
  roof_options options;
} roof_workload_settings;

/** What the items of one regime take together. */
typedef struct roof_workload_share {
  double items;   /**< with their counts */
  double seconds; /**< expected */
} roof_workload_share;

/** The answer: one prediction per item, each of one call, and the whole with all counts. */
typedef struct roof_workload_answer {
  roof_prediction *items;
  roof_kernel_cost kernel;
  double calls, kernels;
  double flops, matrix_flops; /**< of them on the matrix unit */
  double bytes, weight_bytes;
  double compute_seconds, memory_seconds, network_seconds, overhead_seconds; /**< sums over the items */
  double lower_seconds, upper_seconds, expected_seconds, expected_low_seconds, expected_high_seconds;
  double energy_joules;
  roof_workload_share regimes[ROOF_REGIME_COUNT];
  roof_regime regime;    /**< the one that takes most of the expected time */
  double mfu;            /**< FLOPs / (expected time x peak of the item with most FLOPs) */
  double mbu;            /**< bytes / (expected time x bandwidth of the memory) */
  double capacity_bytes; /**< NaN: the machine does not say */
  roof_target *targets;  /**< by format, of those that items compute in */
} roof_workload_answer;

/** Graph launches, the machine's cost of a kernel, the options' defaults.
 *  Units: as the fields.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_workload_settings roof_workload_settings_default(void);

/** Appends an item; its texts are copied.
 *  Units: as the fields.
 *  Ownership: the workload's.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_workload_add(roof_workload *workload, const roof_workload_item *item,
                                       roof_error *error);

/** Appends a note; beyond the most that are kept it is dropped.
 *  Units: none.
 *  Ownership: copies.
 *  Errors: none. */
ROOF_API void roof_workload_note(roof_workload *workload, const char *format, ...) ROOF_PRINTF(2, 3);

/** Frees what a workload holds.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none. */
ROOF_API void roof_workload_done(roof_workload *workload);

/** Predicts every item and sums. A format that the machine does not multiply is computed in one that it does.
 *  Units: s, bytes, FLOP, J.
 *  Ownership: *answer points into the machine; release with roof_workload_answer_done.
 *  Errors: ROOF_E_ARGUMENT for an option out of range, ROOF_E_MEMORY; *answer is left alone. */
ROOF_API roof_status roof_workload_answer_of(const roof_workload *workload, const roof_machine *machine,
                                             const roof_workload_settings *settings,
                                             roof_workload_answer *answer, roof_error *error);

/** Frees an answer.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none. */
ROOF_API void roof_workload_answer_done(roof_workload_answer *answer);

/** Appends the work of a workload and how it runs, its memory, and by what its operations are bound, a line each.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_workload_describe(roof_text *out, const roof_workload *workload,
                                     const roof_workload_settings *settings,
                                     const roof_workload_answer *answer);

#ifdef __cplusplus
}
#endif
#endif
