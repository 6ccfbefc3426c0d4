/** Charts that are no rooflines: bars, and the builders of what they show. Drawing returns text and touches no
 *  file.
 *
 *  Example:
 *    extern roof_machine *machine; // by roof_catalog_load
 *    static roof_bars chart; // 20 KB
 *    roof_text text = {0};
 *    if (roof_peaks_chart(&machine, 1, &chart, NULL) == ROOF_OK &&
 *        roof_draw_bars_terminal(&chart, 80, false, false, &text, NULL) == ROOF_OK) {
 *      fwrite(text.data, 1, text.length, stdout);
 *    }
 *    roof_text_done(&text); */
#ifndef ROOFLINE_CHARTS_H
#define ROOFLINE_CHARTS_H

#include "roofline/analysis.h"
#include "roofline/draw.h"
#include "roofline/losses.h"
#include "roofline/sweep.h"
#include "roofline/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_BARS_MAX 128

/** One bar, from the left end of the axis to `value`. */
typedef struct roof_bar {
  char label[ROOF_LABEL_MAX];
  char note[112]; /**< after its figure */
  double value;   /**< over 0 */
  double whole;   /**< drawn pale behind it, where it is larger; 0: nothing */
  int series;     /**< colour */
} roof_bar;

/** Bars, one below the other. */
typedef struct roof_bars {
  char title[128];
  char subtitle[160];
  char x_title[96];
  char unit[16]; /**< "%": values are shares, 1 is all */
  bool linear;   /**< from 0; else logarithmic from the decade below the least */
  roof_bar bars[ROOF_BARS_MAX];
  int count;
} roof_bars;

/** Draws the bars as one SVG element with title and desc.
 *  Units: as `unit` says; `width` as of roof_draw_svg.
 *  Ownership: appends to `out`.
 *  Errors: ROOF_E_ARGUMENT without bars, or for a value that is not finite and positive; ROOF_E_MEMORY. */
ROOF_API roof_status roof_draw_bars_svg(const roof_bars *bars, int width, roof_text *out, roof_error *error);

/** Draws the bars in a terminal, a line for each, at most `columns` wide.
 *  Units: character cells.
 *  Ownership: appends to `out`.
 *  Errors: as roof_draw_bars_svg; ROOF_E_ARGUMENT under 40 columns. */
ROOF_API roof_status roof_draw_bars_terminal(const roof_bars *bars, int columns, bool ascii, bool colour,
                                             roof_text *out, roof_error *error);

/** Appends the bars as one roofline.bars/1 object, what `plot peaks --json` prints.
 *  Units: as `unit` says, "%" as shares of 1.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_bars_write(const roof_bars *bars, roof_text *out, roof_error *error);

#define ROOF_LANE_BINS 730

/** A row of a time line: `series_count` shares of each of ROOF_LANE_BINS equal parts of the time. */
typedef struct roof_lane {
  const char *label;
  const float *shares;
} roof_lane;

/** What streams did over time, one below the other. */
typedef struct roof_lanes {
  char title[128];
  char subtitle[160];
  const char *const *series; /**< what they did, in the order of the shares */
  int series_count;
  double seconds; /**< of the whole axis, from 0 */
  const roof_lane *lanes;
  int count;
} roof_lanes;

/** Draws a time line as one SVG element with title and desc: in each part of the time a bar as high as the stream was
 *  busy, in the colour of what it did most. At most 20 bytes for a part of a row.
 *  Units: s; `width` as of roof_draw_svg.
 *  Ownership: appends to `out`.
 *  Errors: ROOF_E_ARGUMENT without rows or time; ROOF_E_MEMORY. */
ROOF_API roof_status roof_draw_lanes_svg(const roof_lanes *lanes, int width, roof_text *out,
                                         roof_error *error);

/** The dense peaks of machines by format, each with its ratio to the machine's fp32 vector peak.
 *  Units: FLOP/s.
 *  Ownership: fills *chart on success only.
 *  Errors: ROOF_E_ARGUMENT where no peak is known, or for more than a chart holds. */
ROOF_API roof_status roof_peaks_chart(roof_machine *const *machines, int count, roof_bars *chart,
                                      roof_error *error);

/** The bandwidth of each level of a machine by mix of reads and writes, on all cores.
 *  Units: bytes/s.
 *  Ownership: fills *chart on success only.
 *  Errors: ROOF_E_ARGUMENT where none is known, or for more than a chart holds. */
ROOF_API roof_status roof_bandwidths_chart(const roof_machine *machine, roof_bars *chart, roof_error *error);

/** What one core reads of working sets of growing size: a bar each, in the colour of the level that it lies in.
 *  Units: bytes/s.
 *  Ownership: fills *chart on success only.
 *  Errors: ROOF_E_ARGUMENT where it was not measured; ROOF_E_MEMORY. */
ROOF_API roof_status roof_working_set_bars(const roof_machine *machine, roof_bars *chart, roof_error *error);

/** The same as a curve, the capacities of the levels as marks.
 *  Units: bytes, bytes/s.
 *  Ownership: fills *chart on success only.
 *  Errors: as roof_working_set_bars. */
ROOF_API roof_status roof_working_set_chart(const roof_machine *machine, roof_curves *chart,
                                            roof_error *error);

/** Each level's and the peak's rate on 1, 2, 4 ... cores over that on one.
 *  Units: times.
 *  Ownership: fills *chart on success only.
 *  Errors: ROOF_E_ARGUMENT where it was not measured, or for more than a chart holds; ROOF_E_MEMORY. */
ROOF_API roof_status roof_scaling_bars(const roof_machine *machine, roof_bars *chart, roof_error *error);

/** The same as curves, with a dot where cores saturate a level.
 *  Units: cores, times.
 *  Ownership: fills *chart on success only.
 *  Errors: as roof_scaling_bars. */
ROOF_API roof_status roof_scaling_chart(const roof_machine *machine, roof_curves *chart, roof_error *error);

/** What a loop reaches that reads memory and computes, by intensity, pale behind it what the roofline allows.
 *  Units: FLOP/s.
 *  Ownership: fills *chart on success only.
 *  Errors: ROOF_E_ARGUMENT where it was not measured; ROOF_E_MEMORY. */
ROOF_API roof_status roof_intensity_bars(const roof_machine *machine, roof_bars *chart, roof_error *error);

/** The same as a curve and the roofline.
 *  Units: FLOP/byte, FLOP/s.
 *  Ownership: fills *chart on success only.
 *  Errors: as roof_intensity_bars. */
ROOF_API roof_status roof_intensity_chart(const roof_machine *machine, roof_curves *chart, roof_error *error);

/** Each measured kernel's share of its ceiling on a machine, in the order given, with its verdict.
 *  Units: shares of 1.
 *  Ownership: fills *chart on success only.
 *  Errors: ROOF_E_ARGUMENT where no share is known, or for more than a chart holds; as roof_ceilings_init. */
ROOF_API roof_status roof_shares_chart(const roof_machine *machine, const roof_measurement *list,
                                       size_t count, roof_bars *chart, roof_error *error);

/** A cascade of losses: what is left after each cause, and pale what it took.
 *  Units: as the losses.
 *  Ownership: fills *chart.
 *  Errors: none. */
ROOF_API void roof_losses_chart(const roof_losses *losses, roof_bars *chart);

/** What each kind of operation in each phase of a model takes of energy: per generated token, its prompt included, so
 *  that the bars add up to that of the answer; per token that goes in where nothing is generated.
 *  Units: J, of all devices.
 *  Ownership: fills *chart on success only.
 *  Errors: ROOF_E_UNSUPPORTED for a machine that says neither joules nor watts. */
ROOF_API roof_status roof_model_energy_chart(const roof_model_target *target, const roof_model_answer *answer,
                                             roof_bars *chart, roof_error *error);

/** A time that was predicted and the one that was measured; what is not known is NaN. */
typedef struct roof_pair {
  const char *label;
  double predicted_seconds, measured_seconds;
} roof_pair;

/** What was measured over what was predicted, with the line where both are the same; as many as a panel has dots.
 *  Units: s.
 *  Ownership: fills *chart on success only.
 *  Errors: ROOF_E_ARGUMENT where no pair is known, ROOF_E_MEMORY. */
ROOF_API roof_status roof_pairs_chart(const roof_pair *pairs, size_t count, roof_curves *chart,
                                      roof_error *error);

/** An operation over the values of its first list: FLOP/s attainable and intensity, a line for each machine
 *  and value of the other lists, the ridges as level lines, the critical batch as a mark.
 *  Units: FLOP/s, FLOP/byte.
 *  Ownership: fills *chart on success only.
 *  Errors: ROOF_E_ARGUMENT without a list, for more lines than a chart holds, and for work without FLOPs; as
 *  roof_sweep_point. */
ROOF_API roof_status roof_sweep_chart(const roof_sweep *sweep, roof_curves *chart, roof_error *error);

/** Adds a machine as one series for each of `count` formats, so that they can be compared: its memory's ramp once,
 *  and the flat roof of each format that it computes in, on the unit that has more. Weights alone in a format that
 *  it lacks have a series but no roof. The series are in the order of `types`, and title the scene.
 *  Units: FLOP/s, bytes/s.
 *  Ownership: copies.
 *  Errors: ROOF_E_ARGUMENT when the scene is full, or neither bandwidth nor peak is known. */
ROOF_API roof_status roof_scene_add_formats(roof_scene *scene, const roof_machine *machine,
                                            const roof_types *types, int count, roof_error *error);

/** Adds the operations of a graph or a list as dots, as large as their share of the time, under the ceilings of
 *  the scene's first machine, equal ones once, and one dot for all together. They have the series `name`.
 *  `arrow`: one leads to the whole from that of the workload added before.
 *  Units: FLOP/byte, FLOP/s.
 *  Ownership: copies.
 *  Errors: ROOF_E_ARGUMENT where none does FLOPs, and for more than a scene holds. */
ROOF_API roof_status roof_scene_add_workload(roof_scene *scene, const roof_machine *machine, const char *name,
                                             const roof_workload *workload,
                                             const roof_workload_answer *answer, bool arrow,
                                             roof_error *error);

/** Adds the operations of each phase of a model's run as dots, as large as their share of the phase's time, and one
 *  dot for all of the phase, under the ceilings of the scene's first machine: at the FLOPs, bytes of memory and
 *  expected time on one device. They have the series `name`; NULL: each phase one of its own.
 *  Units: FLOP/byte, FLOP/s.
 *  Ownership: copies.
 *  Errors: ROOF_E_ARGUMENT where a rate is not known, and for more than a scene holds. */
ROOF_API roof_status roof_scene_add_model(roof_scene *scene, const roof_machine *machine, const char *name,
                                          const roof_model_answer *answer, roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
