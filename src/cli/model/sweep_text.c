/* Several values of a model's settings for people: a row a run, or the machines side by side. */
#include <math.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/model/sweep.h"
#include "core/number.h"

enum { SHORT = 48, ROWS_MAX = 64, LINES_MAX = 16, COLUMNS_MAX = 128 };

/** Columns of the table of runs; those that no run knows are left out. */
static const int columns[] = {CLI_SWEEP_ttft_seconds,
                              CLI_SWEEP_tpot_seconds,
                              CLI_SWEEP_tokens_per_second,
                              CLI_SWEEP_device_tokens_per_second,
                              CLI_SWEEP_prompt_tokens_per_second,
                              CLI_SWEEP_joules_per_token,
                              CLI_SWEEP_price_per_million_tokens,
                              CLI_SWEEP_total_bytes,
                              CLI_SWEEP_intensity};
enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

static bool is_known(const cli_sweep *s, int figure) {
  for (size_t i = 0; i < s->count; i++) {
    if (s->points[i].why[0] == '\0' && !isnan(s->points[i].figures[figure])) {
      return figure != CLI_SWEEP_prompt_tokens_per_second || !is_known(s, CLI_SWEEP_tpot_seconds);
    }
  }
  return false;
}

static void write_figure(char text[SHORT], const cli_sweep_point *p, int figure) {
  const char *head, *unit;
  double value = p->figures[figure];
  cli_sweep_figure(figure, &head, &unit);
  if (p->why[0] != '\0' || isnan(value)) {
    snprintf(text, SHORT, "-");
  } else if (strcmp(unit, "B") == 0) {
    roof_bytes_format(text, SHORT, value);
  } else if (unit[0] != '\0') {
    roof_quantity_format(text, SHORT, value, unit);
  } else {
    rf_format(text, SHORT, value >= 1000 ? "%.0f" : "%.4g", value);
  }
}

static void add_figure(cli_grid *grid, const cli_sweep_point *p, int figure) {
  char text[SHORT];
  write_figure(text, p, figure);
  cli_grid_add(grid, "%s", text);
}

static const char *heading(const cli_sweep *s, int figure) {
  const char *head, *unit;
  cli_sweep_figure(figure, &head, &unit);
  bool only = !cli_sweep_generates(s);
  return figure == CLI_SWEEP_ttft_seconds && only       ? "step"
         : figure == CLI_SWEEP_prompt_tokens_per_second ? "tokens/s"
                                                        : head;
}

/** The headings; returns how the columns are aligned. */
static void add_heads(cli_grid *grid, const cli_sweep *s, char alignment[COLUMNS_MAX]) {
  int n = 0;
  if (s->machine_count > 1) {
    cli_grid_add(grid, "machine");
    alignment[n++] = 'l';
  }
  if (s->precisions.count > 1) {
    cli_grid_add(grid, "precision");
    alignment[n++] = 'l';
  }
  for (int i = 0; i < s->axes->count; i++) {
    cli_grid_add(grid, "%s", s->axes->list[i].name);
    alignment[n++] = 'r';
  }
  for (int i = 0; i < COLUMN_COUNT; i++) {
    if (is_known(s, columns[i])) {
      cli_grid_add(grid, "%s", heading(s, columns[i]));
      alignment[n++] = 'r';
    }
  }
  cli_grid_add(grid, "bound");
  cli_grid_add(grid, "memory");
  strcpy(alignment + n, "ll");
}

static void add_row(cli_grid *grid, const cli_sweep *s, const cli_sweep_point *p) {
  bool possible = p->why[0] == '\0';
  if (s->machine_count > 1) {
    cli_grid_add(grid, "%s", s->machines[p->machine]->name);
  }
  if (s->precisions.count > 1) {
    cli_grid_add(grid, "%s", s->precisions.names[p->precision]);
  }
  for (int i = 0; i < s->axes->count; i++) {
    cli_grid_add(grid, "%.15g", cli_sweep_value(s, p, i));
  }
  for (int i = 0; i < COLUMN_COUNT; i++) {
    if (is_known(s, columns[i])) {
      add_figure(grid, p, columns[i]);
    }
  }
  cli_grid_add(grid, "%s", possible ? roof_regime_name(p->regime) : p->why);
  bool unknown = isnan(p->figures[CLI_SWEEP_spare_bytes]);
  cli_grid_add(grid, "%s", !possible ? "-" : unknown ? "unknown" : p->fits ? "fits" : "does not fit");
}

static void add_runs(roof_text *out, const cli_sweep *s) {
  cli_grid grid = {0};
  char alignment[COLUMNS_MAX] = "";
  add_heads(&grid, s, alignment);
  size_t step = s->count > ROWS_MAX ? (s->count + ROWS_MAX - 1) / ROWS_MAX : 1, shown = 0;
  for (size_t i = 0; i < s->count; i++) {
    if (i % step == 0 || i == s->count - 1) {
      add_row(&grid, s, &s->points[i]);
      shown++;
    }
  }
  cli_grid_end(&grid, out, alignment);
  if (shown < s->count) {
    roof_text_addf(out, "  %zu of %zu runs; --csv has all\n", shown, s->count);
  }
}

/** The run of `machine` with the values of row `row`. */
static const cli_sweep_point *beside(const cli_sweep *s, int machine, size_t row) {
  return &s->points[(size_t)machine * s->values * (size_t)s->precisions.count + row];
}

/** One figure of all machines with the values of a row, the others' also as a multiple of the first's. */
static void add_beside(cli_grid *grid, const cli_sweep *s, int figure, size_t row) {
  double first = beside(s, 0, row)->figures[figure];
  for (int m = 0; m < s->machine_count; m++) {
    const cli_sweep_point *p = beside(s, m, row);
    char text[SHORT];
    write_figure(text, p, figure);
    if (m > 0 && p->why[0] == '\0' && first > 0 && !isnan(p->figures[figure])) {
      cli_grid_add(grid, "%s %7.3gx", text, p->figures[figure] / first);
    } else {
      cli_grid_add(grid, "%s", text);
    }
  }
}

static void head_beside(cli_grid *grid, const cli_sweep *s, const char *what, char *alignment) {
  cli_grid_add(grid, "%s", what);
  strcpy(alignment, "l");
  for (int m = 0; m < s->machine_count; m++) {
    cli_grid_add(grid, "%s", s->machines[m]->name);
    strcat(alignment, "r");
  }
}

/** A table a figure, a row each value. */
static void add_machines(roof_text *out, const cli_sweep *s) {
  size_t rows = s->values * (size_t)s->precisions.count;
  for (int i = 0; i < COLUMN_COUNT; i++) {
    char alignment[COLUMNS_MAX];
    cli_grid grid = {0};
    if (!is_known(s, columns[i]) || columns[i] == CLI_SWEEP_intensity) {
      continue;
    }
    head_beside(&grid, s, heading(s, columns[i]), alignment);
    for (size_t row = 0; row < rows && row < ROWS_MAX; row++) {
      roof_text words = {0};
      cli_sweep_add_words(&words, s, beside(s, 0, row), -1);
      cli_grid_add(&grid, "%s", words.data != NULL ? words.data : "");
      roof_text_done(&words);
      add_beside(&grid, s, columns[i], row);
    }
    roof_text_add(out, i > 0 ? "\n" : "");
    cli_grid_end(&grid, out, alignment);
  }
}

/** One run a machine: a row a figure. */
static void add_figures(roof_text *out, const cli_sweep *s) {
  char alignment[COLUMNS_MAX];
  cli_grid grid = {0};
  head_beside(&grid, s, "", alignment);
  for (int i = 0; i < COLUMN_COUNT; i++) {
    if (is_known(s, columns[i])) {
      cli_grid_add(&grid, "%s", heading(s, columns[i]));
      add_beside(&grid, s, columns[i], 0);
    }
  }
  for (int line = 0; line < 2; line++) {
    cli_grid_add(&grid, "%s", line == 0 ? "bound" : "memory");
    for (int m = 0; m < s->machine_count; m++) {
      const cli_sweep_point *p = beside(s, m, 0);
      const char *fits = isnan(p->figures[CLI_SWEEP_spare_bytes]) ? "unknown"
                         : p->fits                                ? "fits"
                                                                  : "does not fit";
      cli_grid_add(&grid, "%s", p->why[0] != '\0' ? p->why : line == 0 ? roof_regime_name(p->regime) : fits);
    }
  }
  cli_grid_end(&grid, out, alignment);
}

/** Lines told of the crossings. */
typedef struct lines {
  roof_text text;
  int count;
} lines;

static void add_crossing(void *context, const cli_sweep *s, const cli_sweep_crossing *c) {
  lines *l = context;
  if (l->count++ >= LINES_MAX) {
    return;
  }
  roof_text words = {0};
  cli_sweep_add_words(&words, s, c->point, c->axis);
  roof_text_addf(&l->text, "  %-7s %-8s  %s", roof_phase_name(c->phase), c->products ? "products" : "whole",
                 c->words);
  if (words.length > 0) {
    roof_text_addf(&l->text, "; %s", words.data);
  }
  if (s->machine_count > 1) {
    roof_text_addf(&l->text, "; on %s", s->machines[c->point->machine]->name);
  }
  roof_text_add(&l->text, "\n");
  roof_text_done(&words);
}

static void add_crossings(roof_text *out, const cli_sweep *s) {
  lines l = {0};
  cli_sweep_crossings(s, add_crossing, &l);
  if (l.count > 0) {
    roof_text_addf(out, "\nWhere compute takes longer than memory, summed over a step's operations\n%s%s",
                   l.text.data != NULL ? l.text.data : "",
                   l.count > LINES_MAX ? "  ... --json has all\n" : "");
  }
  roof_text_done(&l.text);
}

static void add_answer(roof_text *out, const cli_sweep *s) {
  const roof_model_settings *set = &s->settings;
  size_t best = 0, fitting = 0;
  int figure = is_known(s, CLI_SWEEP_device_tokens_per_second) ? CLI_SWEEP_device_tokens_per_second
                                                               : CLI_SWEEP_prompt_tokens_per_second;
  for (size_t i = 0; i < s->count; i++) {
    const cli_sweep_point *p = &s->points[i];
    if (p->fits) {
      best = fitting++ == 0 || p->figures[figure] > s->points[best].figures[figure] ? i : best;
    }
  }
  roof_text_addf(out, "%s: %zu runs, %zu fit", s->model->name, s->count, fitting);
  if (fitting > 0 && s->count > 1) {
    roof_text words = {0};
    cli_sweep_add_words(&words, s, &s->points[best], -1);
    roof_text_addf(out, "; most tokens/s per device%s: %.4g with %s%s%s",
                   figure == CLI_SWEEP_device_tokens_per_second ? "" : " of the input",
                   s->points[best].figures[figure], words.data != NULL ? words.data : "",
                   words.length > 0 && s->machine_count > 1 ? " on " : "",
                   s->machine_count > 1 ? s->machines[s->points[best].machine]->name : "");
    roof_text_done(&words);
  }
  roof_text_addf(
      out, "\n\n  where not said: batch %.0f, %.0f tokens in, %.0f out; bound: the longest time of a %s\n\n",
      set->batch, set->prompt, set->generate, cli_sweep_generates(s) ? "decoding step" : "step");
}

void cli_sweep_text(roof_text *out, const cli_sweep *s, bool compare) {
  add_answer(out, s);
  if (!compare) {
    add_runs(out, s);
  } else if (s->values * (size_t)s->precisions.count > 1) {
    add_machines(out, s);
  } else {
    add_figures(out, s);
  }
  add_crossings(out, s);
}
