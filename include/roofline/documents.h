/** JSON documents: machines (roofline.machine/1) and measurements (roofline.measurements/1), read and written; answers
 *  (roofline.prediction/1, roofline.model/1, roofline.cluster/1 and others), written as --json prints them.
 *
 *  Example:
 *    extern const roof_machine *machine; // by roof_catalog_load
 *    roof_text json = {0};
 *    if (roof_machine_write(machine, &json, NULL) == ROOF_OK) {
 *      fwrite(json.data, 1, json.length, stdout);
 *    }
 *    roof_text_done(&json); */
#ifndef ROOFLINE_DOCUMENTS_H
#define ROOFLINE_DOCUMENTS_H

#include "roofline/advise.h"
#include "roofline/apart.h"
#include "roofline/choice.h"
#include "roofline/claim.h"
#include "roofline/drill.h"
#include "roofline/explain.h"
#include "roofline/failures.h"
#include "roofline/joules.h"
#include "roofline/machine.h"
#include "roofline/measurement.h"
#include "roofline/model_sweep.h"
#include "roofline/plan.h"
#include "roofline/predict.h"
#include "roofline/sealing.h"
#include "roofline/sweep.h"
#include "roofline/text.h"
#include "roofline/whole.h"
#include "roofline/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Reads a machine from JSON text; `file` names it in errors.
 *  Units: as roof_machine.
 *  Ownership: fills *machine on success only; `text` is not kept.
 *  Errors: ROOF_E_PARSE or ROOF_E_ARGUMENT with file, line and column. */
ROOF_API roof_status roof_machine_read(const char *text, size_t length, const char *file,
                                       roof_machine **machine, roof_error *error);

/** Writes a machine as JSON, every key present, unknown as null; reads back equal.
 *  Units: as roof_machine.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_machine_write(const roof_machine *machine, roof_text *out, roof_error *error);

/** What the name of a measured link to another device begins with: the number of its machine `host-gpuN` follows. */
#define ROOF_DEVICE_LINK "to host-gpu"

/** What one measured device copies to another of the same backend.
 *  Units: bytes/s.
 *  Ownership: none.
 *  Errors: NaN where it was not measured. */
ROOF_API double roof_device_link(const roof_machine *from, const roof_machine *to);

/** Appends several machines as one roofline.machines/1 object, what `measure --backend A,B --json` prints, with what
 *  each device copies to each other: row i is that of machine i.
 *  Units: as roof_machine, bytes/s.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_machines_write(const roof_machine *const *machines, int count, roof_text *out,
                                         roof_error *error);

/** Appends a machine's peaks, levels and links as CSV, a row each.
 *  Units: as roof_machine.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_machine_write_csv(const roof_machine *machine, roof_text *out, roof_error *error);

/** Appends what stands behind a figure as one JSON object, null where nothing is known.
 *  Units: as in a machine file.
 *  Ownership: appends to the caller's text.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_conditions_write(const roof_conditions *conditions, roof_text *out,
                                           roof_error *error);

/** Bytes of a kernel's name in a table. */
enum { ROOF_KERNEL_SHOWN = 48 };

/** The name of a kernel in at most ROOF_KERNEL_SHOWN bytes: a name of C++ without namespaces and parameters; of a longer
 *  one the beginning and the end, with "..." between them.
 *  Units: none.
 *  Ownership: writes to and returns `buffer`.
 *  Errors: cut to `size`; as it is when out of memory. */
ROOF_API char *roof_kernel_shorten(const char *name, char *buffer, size_t size);

/** The names of several kernels as roof_kernel_shorten, in at most `width` bytes each (no fewer than 16): where that
 *  would show two alike it shows where they differ, or numbers them ("scale~2"). Equal names
 *  are shown alike.
 *  Units: bytes.
 *  Ownership: writes a text every `stride` bytes of `shown`, each of at most stride - 1 bytes; of fewer than 12 names may
 *  be alike.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_kernel_names(const char *const *names, size_t count, size_t width, char *shown,
                                       size_t stride, roof_error *error);

/** Appends a prediction as one roofline.prediction/1 object: every key present, unknown
 *  as null.
 *  Units: as roof_prediction.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_prediction_write(const roof_target *target, const roof_op *op, const double *values,
                                           const roof_prediction *prediction, roof_text *out,
                                           roof_error *error);

/** Appends the header of predictions as CSV: the operation's parameters, then columns that every operation has.
 *  Units: base units; the names say which.
 *  Ownership: appends to the caller's `out`.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_predictions_csv_header(const roof_op *op, roof_text *out);

/** Appends one prediction as a row of CSV under that header; unknown is empty.
 *  Units: base units.
 *  Ownership: appends to the caller's `out`.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_predictions_csv_row(const roof_target *target, const roof_op *op, const double *values,
                                       const roof_prediction *prediction, roof_text *out);

/** Predicts on `count` targets and appends what `predict --json` prints: a roofline.prediction/1 object of one target,
 *  of several a roofline.predictions/1 object. `sealed` (nullable) has the sealing of each prediction, whose label,
 *  machine and shape are written with it.
 *  Units: as roof_prediction.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_predictions_write(const roof_target *targets, int count, const roof_op *op,
                                            const double *values, const roof_sealings *sealed, roof_text *out,
                                            roof_error *error);

/** Called after each point of a sweep with what is written so far, which it may print and empty.
 *  Units: points.
 *  Ownership: `context` is the caller's; *written is the `out` of roof_sweep_write.
 *  Errors: any status but ROOF_OK ends the sweep, which returns it. */
typedef roof_status roof_sweep_step(void *context, size_t done, roof_text *written, roof_error *error);

/** Predicts every point and appends one roofline.sweep/1 object, what `sweep --json` prints: the points, then where the
 *  regime changes.
 *  Units: as roof_prediction.
 *  Ownership: appends to the caller's `out`; `step` may be NULL.
 *  Errors: as roof_sweep_point, those of `step`, ROOF_E_MEMORY. */
ROOF_API roof_status roof_sweep_write(const roof_sweep *sweep, roof_sweep_step *step, void *context,
                                      roof_text *out, roof_error *error);

/** Appends the roofline of energy of `count` machines as one roofline.energy/1 object, what `energy --json` prints.
 *  Units: J, W, s.
 *  Ownership: appends to the caller's `out`.
 *  Errors: as roof_energy_point_at, ROOF_E_MEMORY. */
ROOF_API roof_status roof_energy_write(const roof_energy_subject *subjects, int count, roof_text *out,
                                       roof_error *error);

/** Appends advice as one roofline.advice/1 object, what `advise --json` prints, with the `count` machines that
 *  roof_catalog_rank gives.
 *  Units: s, W, J.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_advice_write(const roof_target *target, const roof_op *op, const double *values,
                                       const roof_advice *advice, const roof_ranked_machine *machines,
                                       int count, roof_text *out, roof_error *error);

/** Appends a call before and after a change as one roofline.what_if/1 object; `sets`, NULL-terminated, are the
 *  changes as typed.
 *  Units: as roof_prediction.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_what_if_write(const roof_what_if *what_if, const char *const *sets, roof_text *out,
                                        roof_error *error);

/** Appends a solved mix as one roofline.mix/1 object.
 *  Units: shares.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_time_mix_write(const roof_time_mix *mix, const roof_target *from,
                                         const roof_target *to, roof_text *out, roof_error *error);

/** Appends a judged claim as one roofline.claim/1 object, what `claim --json` prints.
 *  Units: FLOP/s, bytes/s, s.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_claim_write(const roof_target *target, const roof_claim *claim,
                                      const roof_claim_judged *judged, roof_text *out, roof_error *error);

/** Appends the rounds that were answered of the questions of `seed` as one roofline.drill/1 object.
 *  Units: FLOP/byte, %.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_drill_write(uint64_t seed, const roof_drill_round *rounds, int count,
                                      roof_text *out, roof_error *error);

/** Appends what a gate found as one roofline.check/1 object, what `check --json` prints; `against`, nullable, is
 *  what the baseline is called.
 *  Units: s.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_gate_write(const roof_gate_report *report, const char *against, roof_text *out,
                                     roof_error *error);

/** Appends what a gate found as JUnit XML: a test case a kernel, a failure where it misses.
 *  Units: s.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_gate_write_junit(const roof_gate_report *report, roof_text *out, roof_error *error);

/** Appends a GitHub workflow command for each kernel that has a message: an error where it misses, else a notice. `file`
 *  (nullable) is where the results are.
 *  Units: none.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_gate_write_github(const roof_gate_report *report, const char *file, roof_text *out,
                                            roof_error *error);

/** Appends the explorer, a page that predicts in the browser, with `machine` (nullable) in it as `host`.
 *  Units: as roof_machine.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_UNSUPPORTED where the page was not built next to the program or installed with it; ROOF_E_MEMORY. */
ROOF_API roof_status roof_explorer_write(const roof_machine *machine, roof_text *out, roof_error *error);

/** Appends an operation with its parameters as one roofline.op/1 object, what `op show --json` prints.
 *  Units: none.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_op_write(const roof_op *op, roof_text *out, roof_error *error);

/** Appends an explanation as one roofline.explanation/1 object, what `explain --json` prints.
 *  Units: none.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_explanation_write(const roof_target *target, const roof_explanation *explanation,
                                            roof_text *out, roof_error *error);

/** Appends the names of all topics as one roofline.topics/1 object.
 *  Units: none.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_topics_write(roof_text *out, roof_error *error);

/** A machine file to fill in: every key, comments as notes, figures that lint.
 *  Units: as roof_machine.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_ARGUMENT for a bad name. */
ROOF_API roof_status roof_machine_template(const char *name, roof_text *out, roof_error *error);

/** What a peak and a bandwidth are computed from. NaN: not known. */
typedef struct roof_machine_parts {
  double units, clock_hz, flops_per_cycle; /**< FLOP per unit and cycle, an FMA is two */
  double bus_bits, transfers_per_second;   /**< per pin */
  roof_dtype dtype;                        /**< of the peak */
} roof_machine_parts;

/** A machine file of the vector peak units x flops_per_cycle x clock_hz and the memory bandwidth bus_bits / 8 x
 *  transfers_per_second, with the arithmetic as notes and the sources to fill in.
 *  Units: Hz, bits, transfers/s.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_ARGUMENT for a bad name, and where a part of the peak or the bandwidth is missing or not above 0. */
ROOF_API roof_status roof_machine_compute(const char *name, const roof_machine_parts *parts, roof_text *out,
                                          roof_error *error);

/** Appends a model's answer as one roofline.model/1 object, what `model --json` prints.
 *  Units: as roof_model_answer.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_model_write(const roof_model_target *target, const roof_model_answer *answer,
                                      roof_text *out, roof_error *error);

/** Appends a model over several values as one roofline.model_sweep/1 object.
 *  Units: as roof_model_run.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_model_sweep_write(const roof_model_sweep *sweep, roof_text *out, roof_error *error);

/** Appends a workload's answer on a machine as one roofline.workload/1 object, what `model LIST --json` prints.
 *  Units: as roof_workload_answer.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_workload_write(const roof_workload *workload, const roof_machine *machine,
                                         const roof_workload_settings *settings,
                                         const roof_workload_answer *answer, roof_text *out,
                                         roof_error *error);

/** Appends machines compared as one roofline.plan/1 object; `served` as roof_choice_launch, `apart` NULL where it was not
 *  searched. `simulated` and `prices` are null: roof_choices_simulated_write writes them, as `plan --json` does.
 *  Units: as roof_plan_point.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_choices_write(const roof_choice_question *question, const roof_choices *choices,
                                        const roof_apart *apart, const char *served, roof_text *out,
                                        roof_error *error);

/** Appends what roof_train_search found as one roofline.train_plans/1 object, with the failures of the best plan's run; NULL: null.
 *  Units: as roof_train_front.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_train_plans_write(const roof_model *model, const roof_machine *machine,
                                            const roof_model_settings *settings, double devices,
                                            const roof_train_front *front, const roof_failures *failures,
                                            roof_text *out, roof_error *error);

/** Appends a cluster's answer as one roofline.cluster/1 object, what `cluster --json` prints.
 *  Units: as roof_cluster_answer.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_cluster_write(const roof_target *target, const roof_cluster_settings *settings,
                                        const roof_cluster_answer *answer, roof_text *out, roof_error *error);

/** Something that was not measured. */
typedef struct roof_skipped {
  char what[ROOF_LABEL_MAX];
  char why[512];
} roof_skipped;

/** What a roofline.measurements/1 document holds. Start from `{0}`. */
typedef struct roof_measurements {
  roof_measurement *list;
  size_t count;
  char source[ROOF_LABEL_MAX]; /**< the program that measured */
  char format[32];             /**< the backend, or the profiler's format */
  char machine[ROOF_NAME_MAX];
  roof_taken taken; /**< of each measurement's `taken` */
  roof_skipped *skipped;
  size_t skipped_count;
} roof_measurements;

/** Appends a measurement of which nothing is known.
 *  Units: none.
 *  Ownership: *one points into the list until the next is added; release with roof_measurements_done.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_measurements_add(roof_measurements *all, roof_measurement **one, roof_error *error);

/** Forgets the ceilings that the documents give, so that those of a machine hold.
 *  Units: none.
 *  Ownership: changes *all.
 *  Errors: none. */
ROOF_API void roof_measurements_drop_ceilings(roof_measurements *all);

/** Appends something that was not measured, once.
 *  Units: none.
 *  Ownership: copies.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_measurements_skip(roof_measurements *all, const char *what, const char *why,
                                            roof_error *error);

/** Reads the document in `file` ("-": standard input), which has at least one kernel; its date is when they
 *  were taken where it does not say.
 *  Units: s, FLOP and bytes per call.
 *  Ownership: fills *all; release it in any case.
 *  Errors: ROOF_E_INPUT, ROOF_E_PARSE with line and column where it is no JSON, ROOF_E_ARGUMENT for a counter
 *  with a value that it cannot have, ROOF_E_MEMORY. */
ROOF_API roof_status roof_measurements_read(const char *file, roof_measurements *all, roof_error *error);

/** As roof_measurements_read, from `length` bytes of text that may hold no kernel; `file` is for messages and
 *  its date.
 *  Units: s, FLOP and bytes per call.
 *  Ownership: `text` is not kept; release *all in any case.
 *  Errors: as roof_measurements_read. */
ROOF_API roof_status roof_measurements_parse(const char *text, size_t length, const char *file,
                                             roof_measurements *all, roof_error *error);

/** Appends the measurement that a person typed: `count` words seconds=1.5ms, samples=1ms,2ms, flops=, bytes=, machine=,
 *  dtype=.
 *  Units: s, FLOP and bytes per call.
 *  Ownership: copies; release *all in any case.
 *  Errors: ROOF_E_ARGUMENT for a label that is too long, no time or a key given twice, ROOF_E_NAME for an unknown key, ROOF_E_PARSE,
 *  ROOF_E_MEMORY. */
ROOF_API roof_status roof_measurements_add_words(roof_measurements *all, const char *label,
                                                 const char *const *words, int count, roof_error *error);

/** Adds counters as they are typed ("occupancy=0.3"; a NULL ends them, NULL: none) to the only measurement.
 *  Units: shares, ratios.
 *  Ownership: copies.
 *  Errors: ROOF_E_ARGUMENT for another number of measurements or one given twice; as roof_clue_read and roof_measurement_count. */
ROOF_API roof_status roof_measurements_count(roof_measurements *all, const char *const *counters,
                                             roof_error *error);

/** As roof_measurements_read, of a roofline.reconcile/1 document too: its measured times and shares.
 *  Units: s.
 *  Ownership: release *all in any case.
 *  Errors: as roof_measurements_read. */
ROOF_API roof_status roof_measurements_read_results(const char *file, roof_measurements *all,
                                                    roof_error *error);

/** What a gate compares: the kernels of a document; `ceilings` NULL: under those that the document gives.
 *  Units: s.
 *  Ownership: points into both.
 *  Errors: none. */
ROOF_API roof_gate_side roof_gate_side_of(const roof_measurements *all, const roof_ceilings *ceilings);

/** Writes the document; it reads back equal.
 *  Units: s, FLOP and bytes per call.
 *  Ownership: appends to the caller's text.
 *  Errors: ROOF_E_ARGUMENT for text that is not UTF-8, ROOF_E_MEMORY. */
ROOF_API roof_status roof_measurements_write(const roof_measurements *all, roof_text *out, roof_error *error);

/** Releases the measurements with their samples.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none. */
ROOF_API void roof_measurements_done(roof_measurements *all);

/** Appends a sample.
 *  Units: s.
 *  Ownership: the measurement's.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_measurement_sample(roof_measurement *measurement, double seconds,
                                             roof_error *error);

/** Sets the statistics of the samples, and the time to their median where it is not known.
 *  Units: s.
 *  Ownership: none.
 *  Errors: ROOF_E_MEMORY, ROOF_E_ARGUMENT for samples that are no times. */
ROOF_API roof_status roof_measurement_settle(roof_measurement *measurement, roof_error *error);

/** Adds a counter, or replaces the one of that name.
 *  Units: the counter's.
 *  Ownership: copies `name`.
 *  Errors: ROOF_E_ARGUMENT for a name that is too long, too many of them, or a clue with a value that
 *  roof_clue_check refuses. */
ROOF_API roof_status roof_measurement_count(roof_measurement *measurement, const char *name, double value,
                                            roof_error *error);

/** Appends a judged claim about a whole model as one roofline.model_claim/1 object.
 *  Units: as roof_model_judged.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_model_claim_write(const roof_model_target *target, const roof_model_claim *claim,
                                            const roof_model_judged *judged, roof_text *out,
                                            roof_error *error);

/** Appends the energy of a model's phases as one roofline.model_energy/1 object.
 *  Units: as roof_model_joules.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_model_energy_write(const roof_model_target *target, const roof_model_answer *answer,
                                             roof_text *out, roof_error *error);

/** Appends what would make a model faster as one roofline.model_levers/1 object.
 *  Units: as roof_model_lever.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_model_levers_write(const roof_model_target *target, const roof_model_lever *levers,
                                             int count, roof_text *out, roof_error *error);

/** Appends a prediction to seal for each phase of a model's run (a decoding step is the mean one).
 *  Units: s, FLOP, bytes.
 *  Ownership: release *all in any case.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_model_sealings(const roof_model_target *target, const roof_model_answer *answer,
                                         roof_sealings *all, roof_error *error);

/** Appends two predictions to seal of what a serving benchmark measures of a model's run: TTFT and TPOT of requests that
 *  come one after another (roof_model_continuous).
 *  Units: s.
 *  Ownership: release *all in any case.
 *  Errors: ROOF_E_ARGUMENT where nothing is generated; ROOF_E_MEMORY. */
ROOF_API roof_status roof_model_served_sealings(const roof_model_target *target,
                                                const roof_model_answer *answer, roof_sealings *all,
                                                roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
