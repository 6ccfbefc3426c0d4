/** A roofline chart as a scene, drawn as SVG or in a terminal. Drawing returns text and touches no file.
 *
 *  Example:
 *    extern const roof_machine *machine; // by roof_catalog_load
 *    static roof_scene scene; // 120 KB
 *    roof_text svg = {0};
 *    roof_scene_init(&scene);
 *    if (roof_scene_add_machine(&scene, machine, ROOF_FP16, NULL) == ROOF_OK &&
 *        roof_draw_svg(&scene, 0, &svg, NULL) == ROOF_OK) {
 *      fwrite(svg.data, 1, svg.length, stdout);
 *    }
 *    roof_text_done(&svg); */
#ifndef ROOFLINE_DRAW_H
#define ROOFLINE_DRAW_H

#include "roofline/choice.h"
#include "roofline/joules.h"
#include "roofline/model_sweep.h"
#include "roofline/place.h"
#include "roofline/plan.h"
#include "roofline/shape.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Widths of a picture in pixels, with text of 12: by itself, in a page's column, and for a telephone, where labels have lines of their own
 *  and numbers. */
#define ROOF_CHART_WIDE 960
#define ROOF_CHART_PAGE 800
#define ROOF_CHART_NARROW 340

#define ROOF_SCENE_ROOFS 96
#define ROOF_SCENE_DOTS 1024
#define ROOF_SCENE_SERIES 8

typedef enum roof_line_style { ROOF_SOLID, ROOF_DASHED } roof_line_style; /**< theoretical, achieved */

/** A flat compute ceiling (`flops_per_second`) or a memory ramp (`bytes_per_second`); the other is NaN. */
typedef struct roof_scene_roof {
  char label[80];
  double flops_per_second;
  double bytes_per_second;
  roof_line_style style;
  roof_dtype dtype; /**< of a peak */
  roof_unit unit;
  int cores;             /**< that it is for; 0: all */
  roof_level_kind level; /**< of a ramp; the outermost one of a series makes its ridge */
  int series;   /**< an index into the scene's series: name, and of several machines colour; the lines of
                            one machine have a hue for each level */
  bool near;    /**< nearly on another of its kind, which leaves no room in a drawing: roof_scene_thin */
  bool general; /**< no kernel is judged by it yet: the first that is by another mix of its level puts
                              that in its place */
  double
      mixes[ROOF_MIX_COUNT]; /**< of a measured level: bytes/s for each mix of reads and writes, else NaN */
} roof_scene_roof;

/** A kernel at (intensity, FLOP/s), measured or as it is expected. `next` joins it to another dot, or -1: by an
 *  arrow to what comes after it, by a line to the same kernel predicted and measured or at another level. */
typedef struct roof_scene_dot {
  char label[ROOF_LABEL_MAX];
  char key[80];     /**< names the same thing in a table of the page; "": its label does */
  char detail[160]; /**< tooltip */
  double intensity;
  double flops_per_second;
  double attainable_flops_per_second; /**< of predicted work, from the memory itself; 0: not known */
  double
      ceiling_flops_per_second; /**< what its ceiling allows; 0: the lower of its series' outermost roofs */
  bool above;                   /**< faster than that ceiling, where one is given */
  const char *verdict;          /**< of measured work, static; NULL: none */
  double share;                 /**< of the whole time, which the dot's area grows with; 0: the usual size */
  bool predicted;               /**< hollow */
  bool inner;                   /**< at the bytes of an inner level: the outermost ramp is no ceiling of it */
  roof_level_kind level;        /**< whose hue it has in a chart of one machine; 0: none */
  const char *group; /**< what it is one of, static; several groups of one machine have a hue each */
  int series;
  int next;
} roof_scene_dot;

typedef struct roof_scene {
  char title[128];
  char machines[104]; /**< that the title names before the formats drawn; "": it is no such title */
  char subtitle[160];
  char arrow[24];                     /**< what an arrow stands for; "": next */
  char description[512];              /**< for screen readers; empty: written from the roofs and dots */
  char series[ROOF_SCENE_SERIES][64]; /**< names for the legend */
  int series_count;
  roof_scene_roof roofs[ROOF_SCENE_ROOFS];
  int roof_count;
  roof_scene_dot dots[ROOF_SCENE_DOTS];
  int dot_count;
  int left_out; /**< kernels of files that have no place here, which the subtitle says */
} roof_scene;

/** An empty scene.
 *  Units: none.
 *  Ownership: the caller's storage.
 *  Errors: none. */
ROOF_API void roof_scene_init(roof_scene *scene);

/** Adds a machine as a new series (index series_count - 1): its dense ceilings for `dtype` on both units,
 *  as far as they are known, and its memory levels. Datasheet, assumed and limit
 *  figures are solid, measured ones dashed.
 *  Units: FLOP/s, bytes/s.
 *  Ownership: copies.
 *  Errors: ROOF_E_ARGUMENT when the scene is full or nothing is known; the scene is then unchanged. */
ROOF_API roof_status roof_scene_add_machine(roof_scene *scene, const roof_machine *machine, roof_dtype dtype,
                                            roof_error *error);

/** Adds a machine as a new series with every ceiling of the format that it has: by each set of instructions, of one
 *  core and of all, and titles the scene; what no product reaches (`mixed`) is left out.
 *  Units: FLOP/s, bytes/s.
 *  Ownership: copies.
 *  Errors: as roof_scene_add_machine. */
ROOF_API roof_status roof_scene_add_ceilings(roof_scene *scene, const roof_machine *machine, roof_dtype dtype,
                                             roof_error *error);

/** Leaves out the ceilings that nearly lie on another, for a drawing: its title says how many.
 *  Units: none.
 *  Ownership: changes the scene in place.
 *  Errors: none. */
ROOF_API void roof_scene_thin(roof_scene *scene);

/** The series of that name without ceilings of its own, added when there is none yet: a colour for dots.
 *  Units: none.
 *  Ownership: copies.
 *  Errors: 0, the first series, when the scene is full. */
ROOF_API int roof_scene_series(roof_scene *scene, const char *name);

/** Keeps of each series only its outline, so that several machines stay legible: the flat roofs and the
 *  outermost ramp, theoretical ones where there are any.
 *  Units: none.
 *  Ownership: changes the scene in place.
 *  Errors: none. */
ROOF_API void roof_scene_outline(roof_scene *scene);

/** Adds the flat roof of a peak to a series, unless it has it.
 *  Units: FLOP/s.
 *  Ownership: copies.
 *  Errors: ROOF_E_ARGUMENT when the scene is full; nothing is added for a peak of no known rate. */
ROOF_API roof_status roof_scene_add_peak(roof_scene *scene, int series, const roof_machine *machine,
                                         roof_dtype dtype, roof_unit unit, roof_error *error);

/** Adds work that was placed as a dot, with its own ceiling, verdict and whether it is above the ceiling: at the
 *  intensity and rate of the placement where `dot` gives none (0). The ceiling that it was judged by is drawn: of
 *  its mix of reads and writes, of the cores it used.
 *  Units: FLOP/byte, FLOP/s.
 *  Ownership: copies.
 *  Errors: as roof_scene_add_dot. */
ROOF_API int roof_scene_add_placed(roof_scene *scene, const roof_scene_dot *dot, const roof_placed *placed);

/** Adds work that was predicted on `target` as a dot, and draws the ceiling of its own mix of reads and writes where the
 *  memory binds it.
 *  Units: FLOP/byte, FLOP/s.
 *  Ownership: copies.
 *  Errors: as roof_scene_add_dot. */
ROOF_API int roof_scene_add_predicted(roof_scene *scene, const roof_scene_dot *dot, const roof_target *target,
                                      const roof_prediction *prediction);

/** Adds several machines, of several the outlines, and titles the scene by them.
 *  Units: FLOP/s, bytes/s.
 *  Ownership: copies.
 *  Errors: as roof_scene_add_machine. */
ROOF_API roof_status roof_scene_add_machines(roof_scene *scene, roof_machine *const *machines, int count,
                                             roof_dtype dtype, roof_error *error);

/** Adds every point of `shape` at the rate that is expected on `target`, whose series is `series`, and the flat
 *  roof of the unit that does it. `arrows`: one leads from each value of the last list to the next.
 *  Units: FLOP/byte, FLOP/s.
 *  Ownership: copies.
 *  Errors: ROOF_E_ARGUMENT for an operation that does no FLOPs, where the machine gives no rate, and for more
 *  dots than a scene holds; as roof_shape_point and roof_target_supports. */
ROOF_API roof_status roof_scene_add_shape(roof_scene *scene, const roof_target *target, int series,
                                          const roof_shape *shape, bool arrows, roof_error *error);

/** Adds measured kernels under the ceilings of `machine`, whose series is `series`; those without time, FLOPs
 *  or bytes have no place, which the subtitle says. `name` is where they are from. `arrows`: one leads from
 *  each to the next.
 *  Units: FLOP/byte, FLOP/s.
 *  Ownership: copies.
 *  Errors: ROOF_E_ARGUMENT where none has a place, and for more than a scene holds; as roof_ceilings_init. */
ROOF_API roof_status roof_scene_add_measurements(roof_scene *scene, const roof_machine *machine, int series,
                                                 const roof_measurement *list, size_t count, const char *name,
                                                 bool arrows, roof_error *error);

/** One operation at one point on several machines: its dots are labelled by their machines, and the subtitle
 *  says once what they are. Another scene stays as it is.
 *  Units: none.
 *  Ownership: changes the scene in place.
 *  Errors: none. */
ROOF_API void roof_scene_label_by_machine(roof_scene *scene);

/** A roof or a dot as a row of a table; what it has not is NaN or "". */
typedef struct roof_scene_row {
  const char *what; /**< "roof", "measured roof", "predicted" or "measured" */
  const char *machine, *label;
  const char *operation, *limit; /**< of a dot; NULL for a roof */
  const char *verdict;
  double intensity, flops_per_second, bytes_per_second, ceiling_flops_per_second, share;
} roof_scene_row;

/** All roofs, then all dots as rows: from row scene->roof_count the dots.
 *  Units: FLOP/byte, FLOP/s, bytes/s, a share.
 *  Ownership: fills the caller's rows, which point into the scene; returns how many.
 *  Errors: none. */
ROOF_API size_t roof_scene_rows(const roof_scene *scene,
                                roof_scene_row rows[ROOF_SCENE_ROOFS + ROOF_SCENE_DOTS]);

/** Appends the roofs and dots as one roofline.plot/1 object, what `plot --json` prints.
 *  Units: FLOP/byte, FLOP/s, bytes/s.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_scene_write(const roof_scene *scene, roof_text *out, roof_error *error);

/** Adds a dot and returns its index, or -1 when it is not finite and positive (no FLOPs: no place on a log
 *  axis), its series is out of range or the scene is full.
 *  Units: FLOP/byte, FLOP/s.
 *  Ownership: copies.
 *  Errors: -1. */
ROOF_API int roof_scene_add_dot(roof_scene *scene, const roof_scene_dot *dot);

/** Draws the scene as one SVG element with title and desc, log-log, labels placed apart, text as text.
 *  Units: `width` in pixels; 0: ROOF_CHART_WIDE; less than ROOF_CHART_NARROW is that.
 *  Ownership: appends to `out`.
 *  Errors: ROOF_E_ARGUMENT for a scene without roofs, ROOF_E_MEMORY. */
ROOF_API roof_status roof_draw_svg(const roof_scene *scene, int width, roof_text *out, roof_error *error);

/** Draws the scene's outline over linear axes from zero: each flat roof, the outermost ramp under it, the
 *  dots.
 *  Units: `width` as of roof_draw_svg.
 *  Ownership: appends to `out`.
 *  Errors: as roof_draw_curves_svg. */
ROOF_API roof_status roof_draw_linear_svg(const roof_scene *scene, int width, roof_text *out,
                                          roof_error *error);

/** Whether PNG and PDF can be drawn here: librsvg and cairo are loaded when they are asked for.
 *  Units: none.
 *  Ownership: none.
 *  Errors: ROOF_E_UNSUPPORTED naming what is missing. */
ROOF_API roof_status roof_draw_png_check(roof_error *error);

/** Paints an SVG that was drawn here as PNG: two pixels per unit, on white.
 *  Units: bytes.
 *  Ownership: appends to `out`, which then holds NULs.
 *  Errors: as roof_draw_png_check; ROOF_E_INTERNAL when librsvg does not draw it. */
ROOF_API roof_status roof_draw_svg_png(const roof_text *svg, roof_text *out, roof_error *error);

/** Paints an SVG that was drawn here as a PDF of one page of its size, text as text.
 *  Units: bytes.
 *  Ownership: appends to `out`, which then holds NULs.
 *  Errors: as roof_draw_svg_png. */
ROOF_API roof_status roof_draw_svg_pdf(const roof_text *svg, roof_text *out, roof_error *error);

/** Draws the scene in a terminal: title, chart and axes take `columns` by `rows` characters, in braille or
 *  ASCII; the legend follows beneath, a line for each roof and dot.
 *  Units: character cells.
 *  Ownership: appends to `out`.
 *  Errors: as roof_draw_svg; ROOF_E_ARGUMENT under 40 x 12. */
ROOF_API roof_status roof_draw_terminal(const roof_scene *scene, int columns, int rows, bool ascii,
                                        bool colour, roof_text *out, roof_error *error);

#define ROOF_FRONT_DOTS 128

/** A choice between two things that are both better when larger. */
typedef struct roof_front_dot {
  double x, y; /**< from 0 */
  char label[80];
  bool best;
} roof_front_dot;

/** A front: choices of which none is better in both; axes from 0. */
typedef struct roof_front {
  char title[128];
  char subtitle[160];
  char x_title[80];
  char y_title[80];
  double least_x; /**< a limit as an upright line; NaN: none */
  char least[48]; /**< its label */
  roof_front_dot dots[ROOF_FRONT_DOTS];
  int count;
} roof_front;

/** Draws the front as one SVG element with title and desc; labels that have no room are left out.
 *  Units: as the axes' titles say; `width` as of roof_draw_svg.
 *  Ownership: appends to `out`.
 *  Errors: ROOF_E_ARGUMENT for a front without dots, or one that is not finite and positive;
 *  ROOF_E_MEMORY. */
ROOF_API roof_status roof_draw_front_svg(const roof_front *front, int width, roof_text *out,
                                         roof_error *error);

#define ROOF_PANEL_CURVES 8
#define ROOF_PANEL_POINTS 256
#define ROOF_PANEL_DOTS 64
#define ROOF_PANEL_MARKS 16
#define ROOF_PANEL_MAX 3

/** One line: y over x. Points beyond the first `solid` are drawn dashed. */
typedef struct roof_curve {
  int series; /**< colour */
  int count;
  int solid;
  double x[ROOF_PANEL_POINTS], y[ROOF_PANEL_POINTS]; /**< finite, from 0; over 0 on a log axis */
} roof_curve;

/** A value of y that matters, as a level line, or a point with a name. */
typedef struct roof_curve_dot {
  char label[80];
  double x, y;
  int series;
  bool hollow;      /**< predicted */
  double limit;     /**< of a dot: what is possible at its x, marked over it; 0: none */
  char detail[120]; /**< of a dot: its tooltip after the label; "": none */
} roof_curve_dot;

typedef struct roof_panel {
  char title[96]; /**< of its y axis */
  char unit[16];
  bool linear; /**< from 0; else logarithmic */
  roof_curve curves[ROOF_PANEL_CURVES];
  int curve_count;
  roof_curve_dot limits[ROOF_PANEL_MARKS]; /**< level lines; x is not used */
  int limit_count;
  roof_curve_dot dots[ROOF_PANEL_DOTS];
  int dot_count;
} roof_panel;

/** Curves over one x axis, in panels one above the other. */
typedef struct roof_curves {
  char title[128];
  char subtitle[160];
  char x_title[96];
  char x_unit[16];
  bool linear;                        /**< the x axis, from 0; else logarithmic */
  char series[ROOF_PANEL_CURVES][80]; /**< names for the legend */
  int series_count;
  char dashed[48]; /**< what a dashed part means, for the legend; "": nothing is dashed */
  roof_curve_dot marks[ROOF_PANEL_MARKS]; /**< upright lines through all panels; y is not used */
  int mark_count;
  roof_panel panels[ROOF_PANEL_MAX];
  int panel_count;
} roof_curves;

/** Draws the curves as one SVG element with title and desc, labels kept apart.
 *  Units: as the axes' titles and units say; `width` as of roof_draw_svg.
 *  Ownership: appends to `out`.
 *  Errors: ROOF_E_ARGUMENT for a panel without a curve of a point, or a value that has no place on its axis;
 *  ROOF_E_MEMORY. */
ROOF_API roof_status roof_draw_curves_svg(const roof_curves *curves, int width, roof_text *out,
                                          roof_error *error);

/** The chart of FLOPs per joule and of power over intensity: a line for each of `count` machines (at most
 *  ROOF_PANEL_CURVES), their balances and limits, and the operation's points.
 *  Units: FLOP/byte, FLOP/J, W.
 *  Ownership: fills *chart on success only.
 *  Errors: ROOF_E_UNSUPPORTED for a machine without a peak or a bandwidth; ROOF_E_ARGUMENT for more points
 *  than a chart holds; as roof_energy_point_at. */
ROOF_API roof_status roof_energy_chart(const roof_energy_subject *subjects, int count, roof_curves *chart,
                                       roof_error *error);

/** The chart of a model over the values of the sweep's first axis: tokens per second and time per token, a
 *  line for each machine, precision and value of the other axes, as far as it fits; marks
 *  where a line turns.
 *  Units: tokens/s, s.
 *  Ownership: fills *chart, also on failure.
 *  Errors: ROOF_E_ARGUMENT for a sweep without an axis, or with more lines than a chart holds. */
ROOF_API roof_status roof_model_sweep_chart(const roof_model_sweep *sweep, roof_curves *chart,
                                            roof_error *error);

/** The front of machines and plans: the price of a million tokens over the time per token, or without prices tokens per
 *  second and device over those of a request; what is best, and the limit.
 *  Units: s, money; tokens/s.
 *  Ownership: fills *chart.
 *  Errors: none. */
ROOF_API void roof_choices_chart(const roof_choice_question *question, const roof_choices *choices,
                                 roof_front *chart);

/** The network roofline: FLOP/s that a device attains over the FLOPs per byte that it sends, one line per
 *  link, and where the gradients of the settings lie.
 *  Units: FLOP/s, FLOP/byte.
 *  Ownership: fills *chart.
 *  Errors: none. */
ROOF_API void roof_cluster_chart(const roof_target *target, const roof_cluster_settings *settings,
                                 const roof_cluster_answer *answer, roof_curves *chart);

#ifdef __cplusplus
}
#endif
#endif
