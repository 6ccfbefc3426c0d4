#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/chart.h"
#include "core/letters.h"

/** The chart and its table are what the answer is about: one section. */
static roof_status draw_page(const cli_args *args, const char *title, const roof_text *wide,
                             const roof_text *narrow, const roof_table *table, roof_text *out,
                             roof_error *error) {
  const char *const charts[] = {wide->data, NULL}, *const narrow_charts[] = {narrow->data, NULL};
  const roof_page_section section = {.part = args->part,
                                     .charts = charts,
                                     .narrow = narrow_charts,
                                     .tables = table,
                                     .table_count = table->rows > 0};
  return cli_page_draw(args, title, &section, out, error);
}

void *cli_chart_room(void) {
  static union {
    roof_scene scene;
    roof_curves curves;
    roof_bars bars;
  } room;
  return memset(&room, 0, sizeof room);
}

bool cli_chart_is_wanted(const cli_args *args) {
  return args->file != NULL || args->page != NULL;
}

roof_status cli_chart_or_none(const cli_args *args, roof_status status) {
  bool none = status == ROOF_E_ARGUMENT || status == ROOF_E_UNSUPPORTED;
  return args->page != NULL && none ? ROOF_OK : status;
}

/** Writes what was drawn, on a page with the other for a narrow window and the table. */
static roof_status write_drawn(const cli_args *args, const char *title, const roof_text *wide,
                               const roof_text *narrow, const roof_table *table, roof_error *error) {
  roof_text out = {0};
  roof_status status = ROOF_OK;
  if (strcmp(args->ending, "svg") == 0) {
    roof_text_add_bytes(&out, wide->data, wide->length);
  } else {
    status = strcmp(args->ending, "png") == 0   ? roof_draw_svg_png(wide, &out, error)
             : strcmp(args->ending, "pdf") == 0 ? roof_draw_svg_pdf(wide, &out, error)
                                                : draw_page(args, title, wide, narrow, table, &out, error);
  }
  status = status == ROOF_OK ? cli_to_write(args, args->file, &out, error) : status;
  roof_text_done(&out);
  return status;
}

roof_status cli_chart_write(const cli_args *args, const char *title, cli_draw *draw, const void *chart,
                            const roof_table *table, roof_error *error) {
  roof_text wide = {0}, narrow = {0};
  bool page = args->page != NULL || strcmp(args->ending, "html") == 0;
  roof_status status = draw(chart, page ? ROOF_CHART_PAGE : args->width, &wide, error);
  status = status == ROOF_OK && page ? draw(chart, ROOF_CHART_NARROW, &narrow, error) : status;
  if (status == ROOF_OK) {
    status = args->page != NULL ? cli_page_add_chart(args->page, &wide, &narrow, error)
                                : write_drawn(args, title, &wide, &narrow, table, error);
  }
  roof_text_done(&wide);
  roof_text_done(&narrow);
  return status;
}

/** One line of warning where the picture, which nobody may look at, has points above their ceilings. */
void cli_chart_warn_above(const char *path, const roof_scene *scene) {
  int count = 0, first = 0;
  for (int i = scene->dot_count - 1; i >= 0; i--) {
    count += scene->dots[i].above;
    first = scene->dots[i].above ? i : first;
  }
  if (count > 0) {
    roof_error warning = {0};
    roof_error_set(&warning, ROOF_E_ARGUMENT,
                   "%s: %d point%s above the ceiling (%.40s%s): check the time, the counts and the machine",
                   path, count, count > 1 ? "s are" : " is", scene->dots[first].label,
                   count > 1 ? ", ..." : "");
    cli_report("warning: ", &warning);
  }
}

/** The same with rows as the table. */
static roof_status write_with_rows(const cli_args *args, const char *title, cli_draw *draw, const void *chart,
                                   const char *caption, cli_rows rows, roof_error *error) {
  cli_page_table table = {0};
  roof_status status = cli_page_table_fill(&table, caption, rows, error);
  status = status == ROOF_OK ? cli_chart_write(args, title, draw, chart, &table.table, error) : status;
  cli_page_table_done(&table);
  return status;
}

roof_status cli_draw_scene(const void *scene, int width, roof_text *out, roof_error *error) {
  return roof_draw_svg(scene, width, out, error);
}

static roof_status draw_linear(const void *scene, int width, roof_text *out, roof_error *error) {
  return roof_draw_linear_svg(scene, width, out, error);
}

static roof_status draw_curves(const void *curves, int width, roof_text *out, roof_error *error) {
  return roof_draw_curves_svg(curves, width, out, error);
}

static roof_status draw_bars(const void *bars, int width, roof_text *out, roof_error *error) {
  return roof_draw_bars_svg(bars, width, out, error);
}

static roof_status write_scene(const cli_args *args, const roof_scene *scene, cli_draw *draw,
                               const char *title, cli_rows rows, roof_error *error) {
  roof_status status = write_with_rows(args, scene->title, draw, scene, title, rows, error);
  if (status == ROOF_OK) {
    cli_chart_warn_above(args->file, scene);
  }
  return status;
}

roof_status cli_chart_write_rows(const cli_args *args, const roof_scene *scene, const char *title,
                                 cli_rows rows, roof_error *error) {
  return write_scene(args, scene, cli_draw_scene, title, rows, error);
}

roof_status cli_chart_write_curves(const cli_args *args, const roof_curves *curves, const char *title,
                                   const cli_rows *rows, roof_error *error) {
  return rows != NULL ? write_with_rows(args, curves->title, draw_curves, curves, title, *rows, error)
                      : cli_chart_write(args, curves->title, draw_curves, curves, &(roof_table){0}, error);
}

/** A roof or a dot is a record of CSV, a dot a row of the page's table too. */
static const cli_column scene_columns[] = {
    {.header = "operation", CLI_FIELD(TEXT, roof_scene_row, operation)},
    {.key = "what", CLI_FIELD(TEXT, roof_scene_row, what)},
    {.key = "machine", .header = "machine", CLI_FIELD(TEXT, roof_scene_row, machine)},
    {.key = "label", CLI_FIELD(TEXT, roof_scene_row, label)},
    {.key = "intensity",
     .header = "intensity (FLOP/byte)",
     .digits = 4,
     .csv_digits = 12,
     CLI_FIELD(NUMBER, roof_scene_row, intensity)},
    {.key = "flops_per_second",
     .header = "rate",
     .unit = "FLOP/s",
     .csv_digits = 12,
     CLI_FIELD(NUMBER, roof_scene_row, flops_per_second)},
    {.key = "bytes_per_second", .csv_digits = 12, CLI_FIELD(NUMBER, roof_scene_row, bytes_per_second)},
    {.key = "ceiling_flops_per_second",
     .header = "ceiling",
     .unit = "FLOP/s",
     .csv_digits = 12,
     CLI_FIELD(NUMBER, roof_scene_row, ceiling_flops_per_second)},
    {.header = "of ceiling", CLI_PERCENT(1), CLI_FIELD(NUMBER, roof_scene_row, share)},
    {.key = "verdict", .header = "verdict", .verdict = true, CLI_FIELD(TEXT, roof_scene_row, verdict)},
    {.header = "limit", CLI_FIELD(TEXT, roof_scene_row, limit)},
    {0},
};

static roof_scene_row scene_rows[ROOF_SCENE_ROOFS + ROOF_SCENE_DOTS];

roof_status cli_chart_write_scene(const cli_args *args, const roof_scene *scene, bool linear,
                                  roof_error *error) {
  roof_scene_rows(scene, scene_rows);
  cli_rows dots = CLI_ROWS(scene_columns, scene_rows + scene->roof_count, (size_t)scene->dot_count);
  return write_scene(args, scene, linear ? draw_linear : cli_draw_scene, "Operations", dots, error);
}

void cli_chart_add_csv(roof_text *out, const roof_scene *scene) {
  size_t count = roof_scene_rows(scene, scene_rows);
  cli_columns_add_csv(out, CLI_ROWS(scene_columns, scene_rows, count));
}

static const cli_column bar_columns[] = {
    {.key = "label", .header = "", CLI_FIELD(NAME, roof_bar, label)},
    {.key = "value", .header = "value", .csv_digits = 12, CLI_FIELD(NUMBER, roof_bar, value)},
    {.key = "note", .header = "", CLI_FIELD(NAME, roof_bar, note)},
    {0},
};

/** The size given, else the terminal's, else one that fits most. */
static void choose_size(int width, int height, int *columns, int *rows) {
  struct winsize size = {0};
  bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row >= 16;
  int wide = cli_screen(stdout).width;
  *columns = width != 0 ? width : wide < 120 ? wide : 120;
  *rows = height != 0 ? height : known ? (size.ws_row < 40 ? size.ws_row - 2 : 32) : 28;
}

roof_status cli_chart_print(const roof_scene *scene, int width, int height, bool ascii, roof_error *error) {
  int columns, rows;
  roof_text out = {0};
  const rf_screen screen = cli_screen(stdout);
  choose_size(width, height, &columns, &rows);
  roof_status status =
      roof_draw_terminal(scene, columns, rows, ascii || screen.ascii, screen.color, &out, error);
  if (status == ROOF_OK) {
    status = cli_print_document(&out, error);
  }
  roof_text_done(&out);
  return status;
}

enum { BAR_COLUMNS = sizeof bar_columns / sizeof bar_columns[0], BAR_VALUE = 1 };

/** The columns with the unit of these bars. */
static void name_unit(const roof_bars *bars, cli_column columns[BAR_COLUMNS]) {
  bool share = strcmp(bars->unit, "%") == 0;
  memcpy(columns, bar_columns, sizeof bar_columns);
  columns[BAR_VALUE].unit = share ? " %" : bars->unit;
  columns[BAR_VALUE].scale = share ? 100 : 1;
  columns[BAR_VALUE].digits = share ? 4 : 0;
}

roof_status cli_chart_bars(const cli_args *args, const roof_bars *bars, bool ascii, roof_error *error) {
  cli_column with_unit[BAR_COLUMNS];
  roof_text out = {0};
  int columns, height;
  roof_status status = ROOF_OK;
  name_unit(bars, with_unit);
  cli_rows rows = CLI_ROWS(with_unit, bars->bars, (size_t)bars->count);
  choose_size(args->width, 0, &columns, &height);
  if (args->file != NULL) {
    return write_with_rows(args, bars->title, draw_bars, bars, bars->title, rows, error);
  }
  if (args->csv) {
    cli_columns_add_csv(&out, rows);
  } else if (args->json) {
    status = roof_bars_write(bars, &out, error);
  } else {
    const rf_screen screen = cli_screen(stdout);
    rf_screen_add(&out, &screen, bars->title);
    roof_text_add(&out, "\n");
    if (bars->subtitle[0] != '\0') {
      rf_screen_add(&out, &screen, bars->subtitle);
      roof_text_add(&out, "\n");
    }
    roof_text_add(&out, "\n");
    status = roof_draw_bars_terminal(bars, columns, ascii || screen.ascii, screen.color, &out, error);
  }
  status = status == ROOF_OK ? cli_print_document(&out, error) : status;
  roof_text_done(&out);
  return status;
}
