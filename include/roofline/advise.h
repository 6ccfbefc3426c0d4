/** Verdicts, their causes and levers: what a measured share of the ceiling means and what would change it.
 *
 *  Example:
 *    extern const roof_prediction *p; // by roof_predict
 *    roof_evidence evidence = roof_evidence_of(p, NULL, 1.25 * p->expected_seconds);
 *    roof_cause causes[ROOF_ADVICE_CAUSES];
 *    char text[512];
 *    size_t count = roof_causes_rank(&evidence, causes, ROOF_ADVICE_CAUSES);
 *    puts(roof_causes_sentence(&evidence, causes, count, text, sizeof text)); */
#ifndef ROOFLINE_ADVISE_H
#define ROOFLINE_ADVISE_H

#include <stdbool.h>
#include <stddef.h>

#include "roofline/formats.h"
#include "roofline/place.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/** X(symbol, name, unit, text): evidence for or against a cause. Unit 's' is a share from 0 to 1, 'x' a
 *  ratio, 'n' a plain number. The first block follows from prediction and time (roof_evidence_derive), the
 *  rest is counted: give what a profiler has, leave the others NaN. */
#define ROOF_CLUE_MAP(X)                                                                                     \
  X(ROOF_CLUE_FRACTION, "fraction", 's', "lower bound / measured time")                                      \
  X(ROOF_CLUE_LAUNCH, "launch", 's', "launch cost / measured time")                                          \
  X(ROOF_CLUE_EXPOSED, "exposed", 's', "time that perfect overlap would have hidden / measured time")        \
  X(ROOF_CLUE_BEYOND, "beyond", 's', "time beyond the sum without overlap / measured time")                  \
  X(ROOF_CLUE_WRITE_ALLOCATE, "write_allocate", 's', "bus time that reading lines before writing takes")     \
  X(ROOF_CLUE_VECTOR, "vector_rate", 's', "achieved FLOP/s / peak of the vector units")                      \
  X(ROOF_CLUE_WIDER, "wider_rate", 's', "achieved FLOP/s / peak of the next wider format")                   \
  X(ROOF_CLUE_IDLE, "idle", 's', "wall time in which no kernel ran")                                         \
  X(ROOF_CLUE_TRAFFIC, "traffic", 'x', "bytes moved / compulsory bytes")                                     \
  X(ROOF_CLUE_WAVE, "wave_loss", 's', "idle part of the last wave: 1 - waves / whole waves")                 \
  X(ROOF_CLUE_ACTIVE, "active", 's', "cycles with work / elapsed cycles")                                    \
  X(ROOF_CLUE_MEMORY, "memory", 's', "bytes/s of the memory / its peak")                                     \
  X(ROOF_CLUE_COMPUTE, "compute", 's', "busiest arithmetic pipe / its peak")                                 \
  X(ROOF_CLUE_MATRIX, "matrix", 's', "cycles with the matrix pipe active")                                   \
  X(ROOF_CLUE_SHARED, "shared", 's', "shared memory pipe / its peak")                                        \
  X(ROOF_CLUE_L1, "l1", 's', "bytes/s of the L1 cache / its peak")                                           \
  X(ROOF_CLUE_L2, "l2", 's', "bytes/s of the L2 cache / its peak")                                           \
  X(ROOF_CLUE_L3, "l3", 's', "bytes/s of the L3 cache / its peak")                                           \
  X(ROOF_CLUE_LINK, "link", 's', "bytes/s of the link to other devices / its peak")                          \
  X(ROOF_CLUE_PAGED, "paged", 's', "bytes fetched from beyond the memory: pages moved in / all bytes")       \
  X(ROOF_CLUE_STALLED, "stalled", 's', "cycles with no eligible warp")                                       \
  X(ROOF_CLUE_SPILL, "spill", 's', "traffic that is register spills")                                        \
  X(ROOF_CLUE_OCCUPANCY, "occupancy", 's', "resident warps / the most there can be")                         \
  X(ROOF_CLUE_TILE, "tile_loss", 's', "elements computed beyond the matrix: padding of the tiles")           \
  X(ROOF_CLUE_BANK, "bank_conflicts", 's', "shared memory wavefronts that are conflicts")                    \
  X(ROOF_CLUE_SECTOR, "sector_use", 's', "bytes used / bytes fetched")                                       \
  X(ROOF_CLUE_LANES, "lanes", 's', "threads active in an instruction / lanes")                               \
  X(ROOF_CLUE_CLOCK, "clock", 's', "clock / nominal clock")                                                  \
  X(ROOF_CLUE_REMOTE, "remote", 's', "accesses served by another NUMA node")                                 \
  X(ROOF_CLUE_PAGE_WALK, "page_walk", 's', "cycles spent walking page tables")                               \
  X(ROOF_CLUE_SMT, "threads_per_core", 'n', "busy threads of one core")                                      \
  X(ROOF_CLUE_STEAL, "steal", 's', "time the hypervisor or other programs took")

typedef enum roof_clue {
#define ROOF_CLUE_ENUM(symbol, name, unit, text) symbol,
  ROOF_CLUE_MAP(ROOF_CLUE_ENUM)
#undef ROOF_CLUE_ENUM
      ROOF_CLUE_COUNT
} roof_clue;

/** What is known about one measured kernel. Start from roof_evidence_of. */
typedef struct roof_evidence {
  const roof_prediction *prediction;
  const roof_machine *machine; /**< NULL: unknown, causes of every kind of device are considered */
  double measured_seconds;
  double wall_seconds;  /**< NaN unknown; of the program part that ran the kernel */
  double counted_bytes; /**< NaN unknown; moved at the outermost level */
  double waves;         /**< NaN unknown; blocks / blocks resident at once */
  double achieved;      /**< share of the measured ceiling, NaN unknown */
  double clue[ROOF_CLUE_COUNT];
  bool inferred[ROOF_CLUE_COUNT]; /**< follows from time and ceilings alone: suggests a cause, shows none */
} roof_evidence;

/** How firm the evidence is. */
typedef enum roof_certainty {
  ROOF_SHOWN,   /**< a counter is past its threshold */
  ROOF_POSSIBLE /**< the regime allows it, or the time alone suggests it: no counter shows it */
} roof_certainty;

typedef struct roof_cause {
  const char *name; /**< "launch overhead", "bank conflicts", ... */
  roof_certainty certainty;
  roof_clue clue;          /**< the figure that shows it */
  double value;            /**< of that figure, NaN when it is not known */
  double threshold;        /**< past which it counts */
  double weight;           /**< 0 to 1, the rank */
  char sentence[192];      /**< with the number at hand */
  const char *measurement; /**< the one measurement that distinguishes it from the others */
  const char *action;
  const char *source; /**< of the threshold */
} roof_cause;

/** Nothing known but the prediction, the time and (nullable) the machine; what follows from them is derived.
 *  Units: s.
 *  Ownership: keeps the two pointers.
 *  Errors: none. */
ROOF_API roof_evidence roof_evidence_of(const roof_prediction *prediction, const roof_machine *machine,
                                        double measured_seconds);

/** Fills the clues that follow from the figures given (wall_seconds, counted_bytes, waves) and are still NaN.
 *  Units: none.
 *  Ownership: changes *evidence.
 *  Errors: none. */
ROOF_API void roof_evidence_derive(roof_evidence *evidence);

/** Takes the clues that were counted (NaN: not), then derives what is still unknown.
 *  Units: shares, ratios.
 *  Ownership: changes *evidence.
 *  Errors: none. */
ROOF_API void roof_evidence_take(roof_evidence *evidence, const double counted[ROOF_CLUE_COUNT]);

/** True where the share of the ceiling is under what well-made kernels reach, or unknown: a gap to explain.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_evidence_has_gap(const roof_evidence *evidence);

/** True where counters show a device that waits for work: under half of its cycles, or a tenth and more of the
 *  elapsed time without a kernel.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_evidence_is_starved(const roof_evidence *evidence);

/** The name of a clue, as counters are typed and printed ("bank_conflicts").
 *  Units: none.
 *  Ownership: static.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_clue_name(roof_clue clue);

/** Finds a clue by name.
 *  Units: none.
 *  Ownership: writes *clue on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_clue_parse(const char *text, roof_clue *clue, roof_error *error);

/** The causes that can be on this class of device, the best supported first: those a counter shows, then,
 *  where there is a gap, those that nothing rules out. A cause whose figure is on the good side of its
 *  threshold is not listed, nor a path that cannot be as fast as was measured.
 *  Units: shares.
 *  Ownership: fills at most `capacity` causes; returns how many there are.
 *  Errors: none. */
ROOF_API size_t roof_causes_rank(const roof_evidence *evidence, roof_cause *out, size_t capacity);

/** "HBM delivers 1.7 TB/s, 51.0 % of its ceiling, 26.1 points below the expected 77.1 %; X", with the numbers
 *  at hand; `causes` as ranked, none is fine.
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_causes_sentence(const roof_evidence *evidence, const roof_cause *causes, size_t count,
                                    char *buffer, size_t size);

/** Reads "occupancy=0.3" or "occupancy=30%".
 *  Units: shares, ratios.
 *  Ownership: writes *clue and *value on success only.
 *  Errors: ROOF_E_NAME, ROOF_E_PARSE; ROOF_E_ARGUMENT for a value that it cannot have. */
ROOF_API roof_status roof_clue_read(const char *text, roof_clue *clue, double *value, roof_error *error);

/** ROOF_E_ARGUMENT for a value that this clue cannot have: negative, not finite, a share over 1 by more than rounding.
 *  Units: shares, ratios.
 *  Ownership: none.
 *  Errors: as said. */
ROOF_API roof_status roof_clue_check(roof_clue clue, double value, roof_error *error);

/** A regime as counters show it. */
typedef struct roof_seen {
  roof_regime regime;
  const char *resource; /**< "memory", "L2", "compute", "link", "launches", ...; NULL: nothing was counted */
  roof_clue clue;       /**< the figure that shows it */
  double share;         /**< of the resource's peak, or of the time where regime is overhead */
  double threshold;     /**< for that figure */
  bool busy;            /**< past the threshold; else only the nearest of all */
  const char *rule;     /**< why that figure means that regime */
  const char *source;   /**< of the threshold */
} roof_seen;

/** The regime that clues show: a device without work, and pages moved in, come before all, then the busiest
 *  resource.
 *  Units: shares.
 *  Ownership: by value, static texts.
 *  Errors: `resource` NULL where nothing is known to show it. */
ROOF_API roof_seen roof_regime_seen(const double clue[ROOF_CLUE_COUNT]);

/** The resource a kernel waits on: "compute", "memory", "shared memory", "registers", "scheduler" or "host
 *  launch", from counters alone.
 *  Units: none.
 *  Ownership: static.
 *  Errors: NULL when no counter is past its threshold. */
ROOF_API const char *roof_evidence_waiting(const roof_evidence *evidence);

/** X(symbol, name, misses, meaning): what a gate says of one kernel. */
#define ROOF_GATE_MAP(X)                                                                                     \
  X(ROOF_GATE_PASS, "pass", 0, "at or over the least share, no slower than allowed")                         \
  X(ROOF_GATE_NOISE, "noise", 0, "slower than allowed, but runs of equal kernels differ as much by chance")  \
  X(ROOF_GATE_NEW, "new", 0, "not in the baseline")                                                          \
  X(ROOF_GATE_LOW, "low", 1, "under the least share of its ceiling")                                         \
  X(ROOF_GATE_SLOWER, "slower", 1, "slower than the baseline by more than allowed")                          \
  X(ROOF_GATE_FEW, "few runs", 1, "slower than allowed, but too few runs to exclude chance")                 \
  X(ROOF_GATE_GONE, "gone", 1, "in the baseline, not measured now")                                          \
  X(ROOF_GATE_IMPOSSIBLE, "impossible", 1, "above its ceiling: the ceiling, the work or the time is wrong")  \
  X(ROOF_GATE_NO_CEILING, "no ceiling", 1, "its ceiling is not known")                                       \
  X(ROOF_GATE_UNKNOWN, "unknown", 0, "its work or its time is not known: there is nothing to judge")

typedef enum roof_gate_state {
#define ROOF_GATE_ENUM(symbol, name, misses, meaning) symbol,
  ROOF_GATE_MAP(ROOF_GATE_ENUM)
#undef ROOF_GATE_ENUM
      ROOF_GATE_STATE_COUNT
} roof_gate_state;

typedef struct roof_gate {
  double least;          /**< share of the ceiling to reach, 0 to 1 */
  double max_regression; /**< time / baseline time - 1 that is allowed */
  double significance;   /**< chance of a difference that is none, above which it is called noise */
} roof_gate;

typedef struct roof_gate_result {
  roof_gate_state state;
  double regression;  /**< median / baseline median - 1; NaN without a baseline */
  double p;           /**< of the Mann-Whitney test, one-sided; NaN where none was needed */
  size_t runs_needed; /**< on each side, for the significance asked */
} roof_gate_result;

/** Least share 0.65, regression 0.05, significance 0.05.
 *  Units: shares.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_gate roof_gate_default(void);

/** Judges one kernel: where it stands under its ceiling, then its runs against those of a baseline
 *  (`before_count` 0: none). A regression is a miss only where the runs tell it from chance; work or a time that is
 *  not known misses nothing.
 *  Units: `now` and `before` in one unit: both in seconds on one machine, or, of two machines, each as multiples of
 *  its own ceiling's time.
 *  Ownership: sorts both lists in place; writes *result on success only.
 *  Errors: ROOF_E_ARGUMENT for runs that are not finite. */
ROOF_API roof_status roof_gate_judge(const roof_gate *gate, const roof_placed *placed, double *now,
                                     size_t now_count, double *before, size_t before_count,
                                     roof_gate_result *result, roof_error *error);

/** Sets placed work against the ceiling and the prediction that its document gives, where it gives a ceiling: what binds
 *  stays as it was placed. `noise` as in roof_counted.
 *  Units: s, of the time that was placed.
 *  Ownership: changes *placed.
 *  Errors: none. */
ROOF_API void roof_place_given(const roof_given *given, double noise, roof_placed *placed);

/** Places a measurement: against the ceiling that its document gives (roof_measurements_drop_ceilings forgets it),
 *  else under `ceilings` (NULL: none), FLOPs of which it does not say the unit being of the operation that its label
 *  begins with.
 *  Units: s.
 *  Ownership: fills *placed on success only.
 *  Errors: ROOF_E_MEMORY; what is not known says why. */
ROOF_API roof_status roof_place_measurement(const roof_ceilings *ceilings,
                                            const roof_measurement *measurement, roof_placed *placed,
                                            roof_error *error);

/** The measurements of one machine that a gate compares. */
typedef struct roof_gate_side {
  const char *machine; /**< "" unknown */
  const roof_measurement *kernels;
  size_t count;
  const roof_ceilings *ceilings; /**< of kernels that have none in the document; NULL: none */
} roof_gate_side;

enum { ROOF_GATE_MESSAGE = 256 };

/** One kernel judged. NaN where unknown. */
typedef struct roof_gate_line {
  const char *label;
  roof_placed placed;
  double before_share; /**< of the baseline's ceiling */
  size_t runs, before_runs;
  roof_gate_result result;
  char message[ROOF_GATE_MESSAGE]; /**< why it is not a plain pass, or "" */
} roof_gate_line;

typedef struct roof_gate_report {
  roof_gate gate;
  const char *machine;   /**< whose ceilings they are held against, "" unknown */
  roof_gate_line *lines; /**< the kernels in their order, then those that only the baseline has */
  size_t count;
  size_t missed;
  size_t unknown;
} roof_gate_report;

/** Judges every kernel of `now`, against those of the same label in `before` (NULL: no baseline). Runs are
 *  compared as multiples of their ceilings where both are known, as times on one machine alone.
 *  Units: s.
 *  Ownership: *report points into both sides; release with roof_gate_report_done; filled on success only.
 *  Errors: ROOF_E_INPUT for a time or a sample that is not over 0, ROOF_E_MEMORY. */
ROOF_API roof_status roof_gate_check(const roof_gate *gate, const roof_gate_side *now,
                                     const roof_gate_side *before, roof_gate_report *report,
                                     roof_error *error);

/** Whether no kernel misses, and one at least could be judged.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_gate_passes(const roof_gate_report *report);

/** Appends the answer in one sentence: "3 of 4 kernels pass on host: at least 65 % of the ceiling";
 *  `against`, nullable, is what the baseline is called.
 *  Units: shares.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_gate_sentence(const roof_gate_report *report, const char *against, roof_text *out);

/** Frees a report.
 *  Units: none.
 *  Ownership: releases what roof_gate_check filled.
 *  Errors: none. */
ROOF_API void roof_gate_report_done(roof_gate_report *report);

/** "pass", "slower", ...
 *  Units: none.
 *  Ownership: static.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_gate_name(roof_gate_state state);

/** What the state means.
 *  Units: none.
 *  Ownership: static.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_gate_meaning(roof_gate_state state);

/** True when the state fails the gate.
 *  Units: none.
 *  Ownership: none.
 *  Errors: true for a value out of range. */
ROOF_API bool roof_gate_misses(roof_gate_state state);

/** Share of an achieved (measured) ceiling from which a kernel is done: what is left is to move the
 *  ceiling. */
#define ROOF_STOP_FRACTION 0.90

/** What to do in one class: a regime and a share of the ceiling from `from` to the next row's. */
typedef struct roof_actions {
  roof_regime regime;
  double from;
  const char *name; /**< "memory-bound, low efficiency" */
  const char *actions[3];
} roof_actions;

/** The class of a measured share: memory under 0.5, under 0.8 and over, compute under 0.7 and over, one each
 *  for overhead, network and capacity; a threshold belongs to the class above it. What to do is that for the
 *  machine's class of device (NULL: a GPU's).
 *  Units: a ratio.
 *  Ownership: static.
 *  Errors: NULL for NaN or a negative share. */
ROOF_API const roof_actions *roof_actions_of(const roof_machine *machine, roof_regime regime,
                                             double fraction);

/** What to do by all that is known: a starved device is overhead-bound, whatever its kernel is bound by, and a rate
 *  above what vector units can give needs no word of the matrix unit.
 *  Units: none.
 *  Ownership: static.
 *  Errors: as roof_actions_of. */
ROOF_API const roof_actions *roof_actions_for(const roof_evidence *evidence);

/** Two checks to make before rewriting a kernel whose share is under the expected band, in order.
 *  Units: none.
 *  Ownership: static.
 *  Errors: NULL when `index` is not 0 or 1. */
ROOF_API const char *roof_actions_check(const roof_machine *machine, int index);

/** What was observed, and the next step. */
typedef struct roof_decision {
  const char *observation, *step;
} roof_decision;

/** The table's row at `index`, from 0.
 *  Units: none.
 *  Ownership: static.
 *  Errors: NULL when out of range. */
ROOF_API const roof_decision *roof_decision_at(int index);

/** The row that the prediction's regime and the clues show: capacity and links first, then a device that
 *  waits for work, then one that is busy with neither arithmetic nor memory, then the side of the ridge.
 *  Units: none.
 *  Ownership: static.
 *  Errors: NULL where no row does. */
ROOF_API const roof_decision *roof_decision_of(const roof_evidence *evidence);

/** What a change does in addition to its formats, shape and machine. */
typedef struct roof_change {
  double peak, bandwidth; /**< factors; 1: none */
  double seconds;         /**< added to each call, for instance to dequantise */
  bool
      unpack; /**< a kernel of its own writes the weights in the format computed in, and they are read again */
} roof_change;

/** A call with some things changed. */
typedef struct roof_variation {
  roof_change change;
  roof_formats formats;
  const char *machine;           /**< NULL: the same */
  double values[ROOF_PARAM_MAX]; /**< as typed: NaN where a parameter has its default or follows another */
} roof_variation;

/** Nothing changed of a call with these formats and values.
 *  Units: none.
 *  Ownership: keeps the texts of `formats`.
 *  Errors: none. */
ROOF_API roof_variation roof_variation_init(const roof_formats *formats, const double *typed);

/** Reads one change, KEY=VALUE: a parameter of `op`, a format (dtype, weights, group, accumulate, output, kv),
 *  machine=NAME, peak=2x, bandwidth=2x, cost=TIME.
 *  Units: as typed.
 *  Ownership: *variation may point into `text`; it is changed on success only.
 *  Errors: ROOF_E_ARGUMENT, ROOF_E_PARSE, ROOF_E_NAME with the nearest key. */
ROOF_API roof_status roof_variation_read(roof_variation *variation, const roof_op *op, const char *text,
                                         roof_error *error);

/** One call before (index 0) and after (1) a change. Pointers live as long as the machines. */
typedef struct roof_what_if {
  const roof_op *op;
  double values[2][ROOF_PARAM_MAX];
  roof_target targets[2];
  roof_prediction predictions[2];
  double gain;     /**< rate of work after / before; the same work in any algorithm, mask or format */
  char moved[256]; /**< which ceiling moved, as a sentence */
} roof_what_if;

/** A figure before (index 0) and after (1) a change. */
typedef struct roof_what_if_figure {
  const char *name, *unit;
  double value[2];
} roof_what_if_figure;

enum { ROOF_WHAT_IF_FIGURES = 10 };

/** Predicts one call of `op` on both targets, the second with the factors and the cost of `change`.
 *  Units: as roof_prediction.
 *  Ownership: fills *out on success only; it points into both machines.
 *  Errors: ROOF_E_UNSUPPORTED where a machine lacks the formats. */
ROOF_API roof_status roof_what_if_of(const roof_target *before, const double *values_before,
                                     const roof_target *after, const double *values_after, const roof_op *op,
                                     const roof_change *change, roof_what_if *out, roof_error *error);

/** The figures of both calls that at least one has: work, intensity, ceilings, times.
 *  Units: as each says.
 *  Ownership: fills the caller's list with static texts; returns how many there are.
 *  Errors: none. */
ROOF_API size_t roof_what_if_compare(const roof_what_if *what_if,
                                     roof_what_if_figure list[ROOF_WHAT_IF_FIGURES]);

#define ROOF_TIME_SHARES 16

/** One part of a time: its share, what binds it, and that resource's rate on two machines. */
typedef struct roof_time_share {
  const char *name; /**< of the phase or the resource, static */
  roof_regime regime;
  double share;
  double from, to; /**< rate of the resource, FLOP/s or bytes/s */
  double gain;     /**< to / from */
  double after;    /**< share of the time after */
} roof_time_share;

/** A time by what binds it. */
typedef struct roof_time_mix {
  roof_time_share parts[ROOF_TIME_SHARES];
  int count;
  double gain; /**< of the whole */
} roof_time_mix;

/** Reads "decode=0.8,prefill=0.2": phases (decode, prefill, train) or resources (memory, compute, network,
 *  overhead) with shares that add up to 1.
 *  Units: shares.
 *  Ownership: writes *mix on success only.
 *  Errors: ROOF_E_ARGUMENT, ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_time_mix_parse(const char *text, roof_time_mix *mix, roof_error *error);

/** Fills the rates and gains from one target to another: 1 / sum of share / gain (Amdahl).
 *  Units: FLOP/s, bytes/s.
 *  Ownership: changes *mix.
 *  Errors: ROOF_E_UNSUPPORTED for a part whose resource has no figure on one of them. */
ROOF_API roof_status roof_time_mix_solve(roof_time_mix *mix, const roof_target *from, const roof_target *to,
                                         roof_error *error);

/** X(symbol, name): the kinds of levers. Hardware is ranked with roof_predict over machines. */
#define ROOF_LEVER_MAP(X)                                                                                    \
  X(ROOF_LEVER_PRECISION, "precision")                                                                       \
  X(ROOF_LEVER_BATCHING, "batching")                                                                         \
  X(ROOF_LEVER_FUSION, "fusion")                                                                             \
  X(ROOF_LEVER_LAUNCHES, "launches")                                                                         \
  X(ROOF_LEVER_PARALLEL, "parallel plan")                                                                    \
  X(ROOF_LEVER_RESOURCE, "faster machine")

typedef enum roof_lever_kind {
#define ROOF_LEVER_ENUM(symbol, name) symbol,
  ROOF_LEVER_MAP(ROOF_LEVER_ENUM)
#undef ROOF_LEVER_ENUM
      ROOF_LEVER_KIND_COUNT
} roof_lever_kind;

/** Gains under this are none: the band of expected times is far wider. */
#define ROOF_LEVER_HELPS 1.05

/** One change and what it would bring. */
typedef struct roof_lever {
  roof_lever_kind kind;
  double gain;        /**< rate of the same work after / before, at the expected time; NaN: it fits then, or a
                         launch's cost is not known */
  double seconds;     /**< expected after the change; NaN unknown */
  double flips_at;    /**< batching: the first whole size that is compute-bound; else NaN */
  roof_regime regime; /**< after the change */
  bool of_launches;   /**< a faster machine: its launches, not its kernels */
  char change[160];   /**< "weights in int4, a scale per 128" */
  char moved[192];    /**< which quantities moved, from what to what */
  char why[256];      /**< why it helps, or why it does not */
} roof_lever;

/** Every lever for one operation, the largest gain first: narrower formats, a larger batch, fusion, fewer
 *  launches, other plans where the network binds, and each of the machine's resources twice as fast. Those
 *  under ROOF_LEVER_HELPS say why they do not help. `users` is how many requests there are at once, beyond
 *  which no batch can grow; 0 unknown.
 *  Units: s.
 *  Ownership: fills at most `capacity` levers and says in *count how many. `typed` are values as typed
 *  (roof_shape_typed): NaN where a parameter has its default or follows another.
 *  Errors: as roof_op_complete; ROOF_E_MEMORY. */
ROOF_API roof_status roof_levers_rank(const roof_target *target, const roof_op *op, const double *typed,
                                      double users, roof_lever *out, size_t capacity, size_t *count,
                                      roof_error *error);

/** "bytes 470 MB -> 125 MB (0.266x)", for each of FLOPs, bytes, link bytes, launches, peak and bandwidth that
 *  differs, or "nothing".
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_levers_moved(const roof_target *target_before, const roof_prediction *before,
                                 const roof_target *target_after, const roof_prediction *after, char *buffer,
                                 size_t size);

/** "precision", ...
 *  Units: none.
 *  Ownership: static.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_lever_name(roof_lever_kind kind);

enum { ROOF_ADVICE_LEVERS = 48, ROOF_ADVICE_CAUSES = 32 };

/** What is known of an operation whose owner asks for advice. Start from roof_question_init. */
typedef struct roof_question {
  double measured_seconds; /**< NaN: not measured */
  double wall_seconds;     /**< of the program part that ran it; NaN unknown */
  double clue[ROOF_CLUE_COUNT];
  double users;         /**< requests there are at once; 0 unknown */
  double counted_bytes; /**< that the memory moved; NaN: not counted */
} roof_question;

/** Where an operation stands, why, and what would change it. */
typedef struct roof_advice {
  roof_prediction now;
  double measured_seconds; /**< NaN: not measured; so are the shares then */
  roof_placed placed;      /**< the operation at the measured time */
  double achieved_seconds; /**< lower bound with the measured ceilings, where the machine has them */
  double achieved_share;
  bool done; /**< at ROOF_STOP_FRACTION of the measured ceiling: only another ceiling helps */
  roof_evidence evidence;
  roof_cause causes[ROOF_ADVICE_CAUSES]; /**< best supported first; of a measured one */
  size_t cause_count;
  roof_lever levers[ROOF_ADVICE_LEVERS]; /**< largest gain first */
  size_t lever_count;
  const roof_lever *best; /**< one of them that the owner can pull and that helps; NULL: none */
} roof_advice;

/** A question of which nothing is known.
 *  Units: s.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_question roof_question_init(void);

/** Reads "measured=TIME" or "wall=TIME"; *read is false for another word, which may be of the shape.
 *  Units: s.
 *  Ownership: changes *question and *read on success only.
 *  Errors: ROOF_E_PARSE, ROOF_E_ARGUMENT for a time that is not over 0. */
ROOF_API roof_status roof_question_read(roof_question *question, const char *word, bool *read,
                                        roof_error *error);

/** Predicts `op` with `typed` values (not completed: NaN follows), explains its measured time where there is
 *  one, and ranks the levers.
 *
 *  Units: s.
 *  Ownership: fills *out, which points into itself (do not copy it) and into the target's machine.
 *  Errors: as roof_op_complete and roof_target_supports; ROOF_E_UNSUPPORTED where a measured time has no
 *  ceiling; ROOF_E_ARGUMENT for counters or a wall time without a time, or a wall time under it. */
ROOF_API roof_status roof_advise(const roof_target *target, const roof_op *op, const double *typed,
                                 const roof_question *question, roof_advice *out, roof_error *error);

/** A machine for the same work, among others (roof_catalog_rank). */
typedef struct roof_ranked_machine {
  char name[ROOF_NAME_MAX];
  bool own; /**< the target's own machine */
  roof_regime regime;
  double seconds;  /**< expected */
  double gain;     /**< time on the target / this time */
  double watts;    /**< NaN unknown */
  double joules;   /**< seconds x watts */
  int rank;        /**< by time, from 1 */
  int energy_rank; /**< by joules, from 1; -1: they are not known */
} roof_ranked_machine;

/** True when a lever's gain is worth pulling it (ROOF_LEVER_HELPS), or when it makes the work fit.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_lever_helps(const roof_lever *lever);

/** Appends advice in words, without its levers: the side, the five questions to ask before changing anything, and of
 *  a measured time its causes, where it goes, whether to stop and what to do; of a time that the machine cannot reach
 *  what to doubt.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_advice_describe(roof_text *out, const roof_target *target, const roof_op *op,
                                   const roof_advice *advice);

#ifdef __cplusplus
}
#endif
#endif
