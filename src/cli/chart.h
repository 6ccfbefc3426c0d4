/** A chart written to a file or printed. */
#ifndef CLI_CHART_H
#define CLI_CHART_H

#include "cli/page.h"
#include "roofline/charts.h"

/** Draws a chart as SVG, `width` pixels wide as of roof_draw_svg. */
typedef roof_status cli_draw(const void *chart, int width, roof_text *out, roof_error *error);

/** That of a roof_scene. */
cli_draw cli_draw_scene;

/** Zeroed room for one roof_scene, roof_curves or roof_bars, which are too large for the stack: the same one at every call. */
void *cli_chart_room(void);

/** Writes the scene for --to as SVG or PNG, or as an HTML page with the rows as a table beneath it, `title` above
 *  them. */
roof_status cli_chart_write_rows(const cli_args *args, const roof_scene *scene, const char *title,
                                 cli_rows rows, roof_error *error);

/** The same with the scene's own dots as rows, over logarithmic axes or linear ones from zero. */
roof_status cli_chart_write_scene(const cli_args *args, const roof_scene *scene, bool linear,
                                  roof_error *error);

/** Appends the roofs and dots of a scene as CSV. */
void cli_chart_add_csv(roof_text *out, const roof_scene *scene);

/** Writes for --to what `draw` makes of `chart`, `title` heading the page, with the table under it. */
roof_status cli_chart_write(const cli_args *args, const char *title, cli_draw *draw, const void *chart,
                            const roof_table *table, roof_error *error);

/** `status` of a chart: on a page of an answer, one that cannot be drawn is left out. */
roof_status cli_chart_or_none(const cli_args *args, roof_status status);

/** Whether the answer is drawn: to a file, or onto its page. */
bool cli_chart_is_wanted(const cli_args *args);

/** Warns of points above their ceilings in what is written to `path`. */
void cli_chart_warn_above(const char *path, const roof_scene *scene);

/** Writes curves, the rows (NULL: none) as the table beneath them, `title` above it. */
roof_status cli_chart_write_curves(const cli_args *args, const roof_curves *curves, const char *title,
                                   const cli_rows *rows, roof_error *error);

/** Prints the scene `width` by `height` characters large; 0: as the terminal, else what fits most. */
roof_status cli_chart_print(const roof_scene *scene, int width, int height, bool ascii, roof_error *error);

/** Answers with bars as `args` ask: a drawing of --to, JSON, CSV or the terminal. */
roof_status cli_chart_bars(const cli_args *args, const roof_bars *bars, bool ascii, roof_error *error);

#endif
