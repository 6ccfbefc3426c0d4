/* Several values of a model's settings for people: one row per run, or the machines side by side. */
#include <math.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/model/model.h"
#include "core/number.h"

enum { ROWS_MAX = 64, LINES_MAX = 16, COLUMNS_MAX = 128 };

/** Columns of the table of runs; those that no run knows are left out. */
static const struct {
  roof_run_figure figure;
  const char *heading;
  const char *side; /**< as cli_grid_end takes it */
} columns[] = {{ROOF_RUN_TTFT, "TTFT", "r"},
               {ROOF_RUN_STEP, "step", "r"},
               {ROOF_RUN_TPOT, "TPOT", "r"},
               {ROOF_RUN_RATE, "tokens/s per request", "r"},
               {ROOF_RUN_DEVICE_RATE, "tokens/s per device", "r"},
               {ROOF_RUN_ENERGY, "energy per token", "r3"},
               {ROOF_RUN_PRICE, "price a million", "r"},
               {ROOF_RUN_TOTAL_BYTES, "memory per device", "r1"},
               {ROOF_RUN_INTENSITY, "FLOP/B", "r2"}};
enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

/** What binds a run, or why it cannot be. */
static const char *bound_of(const roof_model_run *p) {
  return p->why[0] != '\0' ? p->why : roof_regime_name(p->regime);
}

const char *cli_model_run_memory(const roof_model_run *p) {
  return p->why[0] != '\0'                         ? "-"
         : isnan(p->figures[ROOF_RUN_SPARE_BYTES]) ? "unknown"
         : p->fits                                 ? "fits"
                                                   : "does not fit";
}

/** Fills `text` and returns it. */
static const char *figure_text(const roof_model_run *p, roof_run_figure figure, char text[CLI_SHORT]) {
  const char *unit;
  double value = p->figures[figure];
  roof_run_figure_key(figure, &unit);
  if (p->why[0] != '\0' || isnan(value)) {
    snprintf(text, CLI_SHORT, "-");
  } else if (strcmp(unit, "B") == 0) {
    roof_bytes_format(text, CLI_SHORT, value);
  } else if (unit[0] != '\0') {
    roof_quantity_format(text, CLI_SHORT, value, unit);
  } else {
    cli_number(text, value);
  }
  return text;
}

static const char *heading(const roof_model_sweep *s, int column) {
  bool whole = columns[column].figure == ROOF_RUN_TTFT && s->model->encoder;
  return whole ? "one batch" : columns[column].heading;
}

static void add_head(cli_grid *grid, char alignment[COLUMNS_MAX], const char *side, const char *text) {
  cli_grid_add(grid, "%s", text);
  strcat(alignment, side);
}

/** The headings, and how their columns are aligned. */
static void add_heads(cli_grid *grid, const roof_model_sweep *s, char alignment[COLUMNS_MAX]) {
  alignment[0] = '\0';
  if (s->machine_count > 1) {
    add_head(grid, alignment, "L", "machine");
  }
  if (s->precisions.count > 1) {
    add_head(grid, alignment, "L", "precision");
  }
  for (int i = 0; i < s->axes->count; i++) {
    add_head(grid, alignment, "R", s->axes->list[i].name);
  }
  for (int i = 0; i < COLUMN_COUNT; i++) {
    if (roof_model_sweep_knows(s, columns[i].figure)) {
      add_head(grid, alignment, columns[i].side, heading(s, i));
    }
  }
  add_head(grid, alignment, "l", "bound");
  add_head(grid, alignment, "l", "memory");
}

static void add_row(cli_grid *grid, const roof_model_sweep *s, const roof_model_run *p) {
  char text[CLI_SHORT];
  if (s->machine_count > 1) {
    cli_grid_add(grid, "%s", s->machines[p->machine]->name);
  }
  if (s->precisions.count > 1) {
    cli_grid_add(grid, "%s", s->precisions.names[p->precision]);
  }
  for (int i = 0; i < s->axes->count; i++) {
    cli_grid_add(grid, "%.15g", roof_model_sweep_value(s, p, i));
  }
  for (int i = 0; i < COLUMN_COUNT; i++) {
    if (roof_model_sweep_knows(s, columns[i].figure)) {
      cli_grid_add(grid, "%s", figure_text(p, columns[i].figure, text));
    }
  }
  cli_grid_add(grid, "%s", bound_of(p));
  cli_grid_add(grid, "%s", cli_model_run_memory(p));
}

static void add_runs(roof_text *out, const roof_model_sweep *s) {
  cli_grid grid = {0};
  char alignment[COLUMNS_MAX] = "";
  add_heads(&grid, s, alignment);
  size_t step = s->count > ROWS_MAX ? (s->count + ROWS_MAX - 1) / ROWS_MAX : 1, shown = 0;
  for (size_t i = 0; i < s->count; i++) {
    if (i % step == 0 || i == s->count - 1) {
      add_row(&grid, s, &s->runs[i]);
      shown++;
    }
  }
  cli_grid_end(&grid, out, alignment);
  if (shown < s->count) {
    roof_text_addf(out, "  %zu of %zu runs; --csv has all\n", shown, s->count);
  }
}

/** The run of `machine` with the values of row `row`. */
static const roof_model_run *run_of(const roof_model_sweep *s, int machine, size_t row) {
  return &s->runs[(size_t)machine * s->values * (size_t)s->precisions.count + row];
}

/** One figure of all machines with the values of a row, the others' also as a multiple of the first's. */
static void add_compared(cli_grid *grid, const roof_model_sweep *s, roof_run_figure figure, size_t row) {
  double first = run_of(s, 0, row)->figures[figure];
  for (int m = 0; m < s->machine_count; m++) {
    const roof_model_run *p = run_of(s, m, row);
    char text[CLI_SHORT];
    figure_text(p, figure, text);
    if (m > 0 && p->why[0] == '\0' && first > 0 && !isnan(p->figures[figure])) {
      cli_grid_add(grid, "%s %7.3gx", text, p->figures[figure] / first);
    } else {
      cli_grid_add(grid, "%s", text);
    }
  }
}

static void head_machines(cli_grid *grid, const roof_model_sweep *s, const char *what, char *alignment) {
  alignment[0] = '\0';
  add_head(grid, alignment, "l", what);
  for (int m = 0; m < s->machine_count; m++) {
    add_head(grid, alignment, "r", s->machines[m]->name);
  }
}

/** One table per figure, one row per value. */
static void add_machines(roof_text *out, const roof_model_sweep *s) {
  size_t rows = s->values * (size_t)s->precisions.count;
  for (int i = 0; i < COLUMN_COUNT; i++) {
    char alignment[COLUMNS_MAX];
    cli_grid grid = {0};
    if (!roof_model_sweep_knows(s, columns[i].figure) || columns[i].figure == ROOF_RUN_INTENSITY) {
      continue;
    }
    head_machines(&grid, s, heading(s, i), alignment);
    for (size_t row = 0; row < rows && row < ROWS_MAX; row++) {
      char words[ROOF_RUN_WORDS_MAX];
      cli_grid_add(&grid, "%s", roof_model_run_words(s, run_of(s, 0, row), -1, words, sizeof words));
      add_compared(&grid, s, columns[i].figure, row);
    }
    roof_text_add(out, i > 0 ? "\n" : "");
    cli_grid_end(&grid, out, alignment);
  }
}

/** One run per machine: one row per figure. */
static void add_figures(roof_text *out, const roof_model_sweep *s) {
  char alignment[COLUMNS_MAX];
  cli_grid grid = {0};
  head_machines(&grid, s, "", alignment);
  for (int i = 0; i < COLUMN_COUNT; i++) {
    if (roof_model_sweep_knows(s, columns[i].figure)) {
      cli_grid_add(&grid, "%s", heading(s, i));
      add_compared(&grid, s, columns[i].figure, 0);
    }
  }
  for (int line = 0; line < 2; line++) {
    cli_grid_add(&grid, "%s", line == 0 ? "bound" : "memory");
    for (int m = 0; m < s->machine_count; m++) {
      const roof_model_run *p = run_of(s, m, 0);
      bool bound = line == 0 || p->why[0] != '\0';
      cli_grid_add(&grid, "%s", bound ? bound_of(p) : cli_model_run_memory(p));
    }
  }
  cli_grid_end(&grid, out, alignment);
}

/** What is said of the crossings. */
typedef struct lines {
  roof_text text;
  int count;
} lines;

static void add_crossing(void *context, const roof_model_sweep *s, const roof_model_sweep_crossing *c) {
  lines *l = context;
  if (l->count++ >= LINES_MAX) {
    return;
  }
  char words[ROOF_RUN_WORDS_MAX];
  roof_model_run_words(s, c->run, c->axis, words, sizeof words);
  roof_text_addf(&l->text, "  %-7s %-8s  %s%s%s", roof_phase_name(c->phase),
                 c->products ? "products" : "whole", c->words, words[0] != '\0' ? "; " : "", words);
  if (s->machine_count > 1) {
    roof_text_addf(&l->text, "; on %s", s->machines[c->run->machine]->name);
  }
  roof_text_add(&l->text, "\n");
}

static void add_crossings(roof_text *out, const roof_model_sweep *s) {
  lines l = {0};
  roof_model_sweep_crossings(s, add_crossing, &l);
  if (l.count > 0) {
    roof_text_addf(out, "\nWhere compute takes longer than memory, summed over a step's operations\n%s%s",
                   l.text.data != NULL ? l.text.data : "",
                   l.count > LINES_MAX ? "  ... --json has all\n" : "");
  }
  roof_text_done(&l.text);
}

void cli_model_sweep_text(roof_text *out, const roof_model_sweep *s, bool compare) {
  roof_model_sweep_sentence(out, s);
  if (!compare) {
    add_runs(out, s);
  } else if (s->values * (size_t)s->precisions.count > 1) {
    add_machines(out, s);
  } else {
    add_figures(out, s);
  }
  if (compare && s->machine_count > 1) {
    roof_text_addf(out, "\n  x: times the first machine's figure, so that %s 0.5x is half the time\n",
                   roof_model_sweep_knows(s, ROOF_RUN_STEP) ? "step" : "TTFT");
  }
  roof_model_sweep_batches_describe(out, s, LINES_MAX);
  add_crossings(out, s);
}
