#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/machine/machine.h"
#include "core/number.h"

/** The machines and what they are compared by. */
typedef struct comparison {
  roof_machine *const *machines;
  int count;
  roof_comparison_row *rows;
  size_t row_count;
} comparison;

static void add_row(const comparison *c, cli_grid *grid, const roof_comparison_row *row) {
  char text[MACHINE_FIGURE_SIZE], ratio[32];
  cli_grid_add(grid, "%s", row->name);
  for (int i = 0; i < c->count; i++) {
    const char *figure = cli_machine_figure(text, row->values[i], row->unit, row->lacking[i] ? "" : "?");
    if (i > 0 && !isnan(row->ratios[i])) {
      rf_format(ratio, sizeof ratio, "%.2fx", row->ratios[i]);
      cli_grid_add(grid, "%s  %6s", figure, ratio);
    } else {
      cli_grid_add(grid, i > 0 ? "%s        " : "%s", figure);
    }
  }
}

static void add_text(const comparison *c, bool quiet, roof_text *out) {
  cli_grid grid = {0};
  char alignment[ROOF_COMPARED_MAX + 2] = "l";
  cli_grid_add(&grid, "%s", "figure (peaks are dense)");
  for (int i = 0; i < c->count; i++) {
    cli_grid_add(&grid, "%s", c->machines[i]->name);
    strcat(alignment, "r");
  }
  for (size_t i = 0; i < c->row_count; i++) {
    add_row(c, &grid, &c->rows[i]);
  }
  roof_text_add(out, RF_MARK_BOLD);
  roof_comparison_sentence(out, c->machines, c->count, c->rows, c->row_count);
  roof_text_add(out, RF_MARK_END "\n");
  cli_grid_end(&grid, out, alignment);
  if (!quiet) {
    roof_text_addf(out, "\n  ratios against %s; blank: no such path in hardware, ?: not known\n",
                   c->machines[0]->name);
  }
}

roof_status cli_machine_compare_print(const cli_args *args, roof_machine *const *machines, int count,
                                      roof_error *error) {
  comparison c = {.machines = machines, .count = count};
  roof_text text = {0};
  roof_status status = roof_machines_compare(machines, count, &c.rows, &c.row_count, error);
  if (status == ROOF_OK && args->json) {
    status = roof_comparison_write(machines, count, c.rows, c.row_count, &text, error);
  } else if (status == ROOF_OK) {
    args->csv ? roof_comparison_write_csv(machines, count, c.rows, c.row_count, &text)
              : add_text(&c, args->quiet != 0, &text);
  }
  status = cli_print_end(&text, status, error);
  free(c.rows);
  return status;
}

/** Machines of one name, two files of `host`, are called what was typed; of a long path the end is kept, for two to fit. */
static void name_by_words(roof_machine *const *machines, const char *const *words, int count) {
  enum { ROOM = 24 };
  bool same[ROOF_COMPARED_MAX] = {false};
  for (int i = 0; i < count * count; i++) {
    int a = i / count, b = i % count;
    same[a] |= a != b && strcmp(machines[a]->name, machines[b]->name) == 0;
  }
  for (int i = 0; i < count; i++) {
    size_t length = strlen(words[i]);
    const char *end = words[i] + (length > ROOM ? length - ROOM : 0);
    while ((*end & 0xC0) == 0x80) { /* of a character of UTF-8 no part */
      end++;
    }
    if (same[i]) {
      snprintf(machines[i]->name, sizeof machines[i]->name, "%s", end);
    }
  }
}

roof_status cli_machine_compare_run(const cli_args *args, roof_error *error) {
  int count = args->word_count - 1;
  roof_machine **machines = calloc((size_t)count, sizeof *machines);
  roof_status status =
      machines == NULL ? roof_error_set(error, ROOF_E_MEMORY, "machine compare: out of memory") : ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = roof_catalog_load(args->words[i + 1], &machines[i], error);
  }
  if (status == ROOF_OK) {
    name_by_words(machines, args->words + 1, count);
    status = cli_machine_compare_print(args, machines, count, error);
  }
  roof_machines_free(machines, count);
  return status;
}
