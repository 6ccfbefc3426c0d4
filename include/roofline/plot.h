/** Rooflines of what was asked about or has run: words as they are typed, built-in kernels, a ladder, a program, a
 *  profile.
 *
 *  Example:
 *    extern roof_machine *machine; // by roof_catalog_load
 *    static roof_scene scene; // 110 KB
 *    const char *const words[] = {"gemm", "m=1,256", "n=k=4096", "llama-3.1-8b", "batch=8"};
 *    roof_plot plot = {.machines = &machine, .machine_count = 1};
 *    if (roof_scene_read(&scene, &plot, words, 5, NULL) == ROOF_OK) {
 *      printf("%d dots\n", scene.dot_count);
 *    } */
#ifndef ROOFLINE_PLOT_H
#define ROOFLINE_PLOT_H

#include "roofline/catalog.h"
#include "roofline/charts.h"
#include "roofline/formats.h"
#include "roofline/ladder.h"
#include "roofline/program.h"
#include "roofline/runs.h"
#include "roofline/timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What words are placed on, and in which formats. */
typedef struct roof_plot {
  roof_machine *const *machines; /**< files, graphs and models are placed on the first */
  int machine_count;
  roof_formats formats;      /**< what is not said is the first machine's usual one */
  const char *const *dtypes; /**< two or more: one machine with a series for each */
  int dtype_count;
  const roof_userops *userops; /**< operations of your own */
  int userops_count;
  bool ceilings;     /**< every ceiling of the one machine: roof_scene_add_ceilings */
  bool machine_said; /**< its ceilings go before those that a file gives itself */
  bool arrows;       /**< join the values of a list, and the kernels of a file, in the order given */
} roof_plot;

/** A scene of the machines' ceilings with what the words name on it: an operation, a graph, a list of operations or
 *  a model, each with the words key=value after it, or a file of measurements (`.json`, `-` for standard input). A
 *  dtype that the machine does not compute in is one of weights alone.
 *  Units: FLOP/byte, FLOP/s.
 *  Ownership: fills *scene, also on failure; keeps nothing.
 *  Errors: ROOF_E_ARGUMENT for more dtypes than a scene has series, or several on several machines; as
 *  roof_formats_read, as the readers of what is named, and as the builders of charts.h and draw.h. */
ROOF_API roof_status roof_scene_read(roof_scene *scene, const roof_plot *plot, const char *const *words,
                                     int count, roof_error *error);

/** A scene of one point of a shape as it is predicted: on one machine a dot for each memory level whose bytes differ,
 *  joined; on several, one for each.
 *  Units: FLOP/byte, FLOP/s.
 *  Ownership: fills *scene, also on failure.
 *  Errors: ROOF_E_ARGUMENT for work without FLOPs or a known time, several formats of one machine, and more than a
 *  scene holds; as roof_scene_add_machine. */
ROOF_API roof_status roof_prediction_scene(const roof_targets *targets, const roof_shape *shape,
                                           roof_scene *scene, roof_error *error);

/** A scene of a model's run: as roof_scene_add_model, under the ceilings of its machine.
 *  Units: FLOP/byte, FLOP/s.
 *  Ownership: fills *scene, also on failure.
 *  Errors: as roof_scene_add_machine and roof_scene_add_model. */
ROOF_API roof_status roof_model_scene(const roof_model_target *target, const roof_model_answer *answer,
                                      roof_scene *scene, roof_error *error);

/** A scene of kernels that ran, under the ceilings they were placed under; the level that holds a kernel's data is
 *  its colour.
 *  Units: FLOP/byte, FLOP/s.
 *  Ownership: fills *scene, also on failure.
 *  Errors: ROOF_E_UNSUPPORTED where nothing has run or the ceilings are unknown, ROOF_E_ARGUMENT for more than a scene
 *  holds, or work without FLOPs; as roof_scene_add_machine. */
ROOF_API roof_status roof_runs_scene(const roof_runs *runs, roof_scene *scene, roof_error *error);

/** A scene of a ladder that was measured: each rung at the intensity of the bytes that it moves itself, an arrow to the
 *  next.
 *  Units: FLOP/byte, FLOP/s.
 *  Ownership: fills *scene, also on failure.
 *  Errors: as roof_scene_add_machine. */
ROOF_API roof_status roof_ladder_scene(const roof_ladder *ladder, roof_scene *scene, roof_error *error);

/** A scene of a program's regions, or of the program, under the ceilings of the cores that it used; what has no FLOPs
 *  or bytes has no place.
 *  Units: FLOP/byte, FLOP/s.
 *  Ownership: fills *scene, also on failure.
 *  Errors: ROOF_E_UNSUPPORTED where the ceilings are unknown, ROOF_E_ARGUMENT for more than a scene holds,
 *  ROOF_E_MEMORY; as roof_scene_add_machine. */
ROOF_API roof_status roof_program_scene(const roof_program *program, roof_scene *scene, roof_error *error);

/** A scene of the kernels of a profile under the ceilings they were ranked under: a dot each, or one for each level that
 *  was counted (`levels`), joined.
 *  Units: FLOP/byte, FLOP/s.
 *  Ownership: fills *scene, also on failure.
 *  Errors: ROOF_E_ARGUMENT where the ceilings are unknown or no kernel has FLOPs, bytes and time; as
 *  roof_scene_add_machine. */
ROOF_API roof_status roof_ranking_scene(const roof_profile *profile, const roof_ranking *ranking,
                                        const roof_ceilings *ceilings, bool levels, roof_scene *scene,
                                        roof_error *error);

/** The times of what two profiles both have, now over before, those that differ most first, with the line where both are the same.
 *  Units: s.
 *  Ownership: fills *chart on success only.
 *  Errors: as roof_pairs_chart. */
ROOF_API roof_status roof_diff_chart(const roof_diff *diff, roof_curves *chart, roof_error *error);

/** What the time line of a profile is called: "Time line of NVIDIA A100".
 *  Units: none.
 *  Ownership: writes to `title`.
 *  Errors: cut to `size`. */
ROOF_API void roof_timeline_title(const roof_profile *profile, char *title, size_t size);

/** The streams of a profile over time as SVG, the first 32 of them.
 *  Units: s; `width` as of roof_draw_svg.
 *  Ownership: appends to `out`.
 *  Errors: as roof_draw_lanes_svg. */
ROOF_API roof_status roof_timeline_svg(const roof_profile *profile, const roof_accounting *accounting,
                                       int width, roof_text *out, roof_error *error);

/** What was counted by interval, over time: FLOP/s, bytes/s of the memory and instructions per cycle, a panel each of those that were
 *  counted; of many intervals the means of neighbours.
 *  Units: as the axes say; `width` as of roof_draw_svg.
 *  Ownership: appends to the caller's text.
 *  Errors: ROOF_E_ARGUMENT where nothing was; ROOF_E_MEMORY. */
ROOF_API roof_status roof_intervals_svg(const roof_profile *profile, int width, roof_text *out,
                                        roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
