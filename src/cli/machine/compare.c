#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/machine/machine.h"

enum { MACHINE_MAX = 16, NAME_SIZE = 64 };

/** The comparison in every form it may be printed in. */
typedef struct comparison {
  roof_machine *const *machines;
  int count;
  cli_grid grid;
  roof_text csv;
  json_t *rows;
} comparison;

/** Adds a row unless nobody has the figure; `missing` says why a machine has none. */
static void add_row(comparison *c, const char *name, const char *key, const char *unit, const double *values,
                    const char *const *missing) {
  json_t *numbers = json_array(), *ratios = json_array();
  int known = 0;
  for (int i = 0; i < c->count; i++) {
    known += !isnan(values[i]);
    json_array_append_new(numbers, cli_json_number(values[i]));
    json_array_append_new(ratios, cli_json_number(values[i] / values[0]));
  }
  if (known == 0) {
    json_decref(numbers);
    json_decref(ratios);
    return;
  }
  json_array_append_new(c->rows, json_pack("{s:s, s:s, s:s, s:o, s:o}", "figure", key, "name", name, "unit",
                                           unit, "values", numbers, "ratios", ratios));
  cli_grid_add(&c->grid, "%s", name);
  roof_text_add_csv(&c->csv, key);
  for (int i = 0; i < c->count; i++) {
    char text[MACHINE_FIGURE_SIZE];
    cli_grid_add(&c->grid, "%s", cli_machine_figure(text, values[i], unit, missing[i]));
    if (i > 0 && !isnan(values[i] / values[0])) {
      cli_grid_add(&c->grid, "%.2fx", values[i] / values[0]);
    } else if (i > 0) {
      cli_grid_add(&c->grid, "%s", "");
    }
    roof_text_add(&c->csv, ",");
    roof_text_add_number(&c->csv, values[i], 15);
  }
  roof_text_add(&c->csv, "\n");
}

static bool is_unsupported(const roof_machine *m, roof_dtype dtype, roof_unit unit) {
  for (int i = 0; i < m->peak_count; i++) {
    if (m->peaks[i].dtype == dtype && m->peaks[i].unit == unit && m->peaks[i].unsupported) {
      return true;
    }
  }
  return false;
}

static void add_peaks(comparison *c) {
  for (int unit = 0; unit < ROOF_UNIT_COUNT; unit++) {
    for (int dtype = 0; dtype < ROOF_DTYPE_COUNT; dtype++) {
      double values[MACHINE_MAX];
      const char *missing[MACHINE_MAX];
      char name[NAME_SIZE], key[NAME_SIZE];
      for (int i = 0; i < c->count; i++) {
        values[i] = cli_machine_peak_rate(c->machines[i], (roof_dtype)dtype, (roof_unit)unit);
        missing[i] = is_unsupported(c->machines[i], (roof_dtype)dtype, (roof_unit)unit) ? "" : "?";
      }
      snprintf(name, sizeof name, "%s %s", roof_dtype_name((roof_dtype)dtype),
               roof_unit_name((roof_unit)unit));
      snprintf(key, sizeof key, "%s_%s_flops_per_second", roof_dtype_name((roof_dtype)dtype),
               roof_unit_name((roof_unit)unit));
      add_row(c, name, key, "FLOP/s", values, missing);
    }
  }
}

static double memory_bytes(const roof_machine *m) {
  const roof_level *memory = roof_machine_memory(m, ROOF_DATASHEET);
  return memory != NULL ? memory->bytes * memory->instances : NAN;
}

static double level_bytes(const roof_machine *m, roof_level_kind kind) {
  const roof_level *level = roof_machine_level(m, kind, ROOF_DATASHEET);
  return level != NULL ? level->bytes * level->instances : NAN;
}

static double l1_bytes(const roof_machine *m) {
  return level_bytes(m, ROOF_L1);
}

static double l2_bytes(const roof_machine *m) {
  return level_bytes(m, ROOF_L2);
}

static double l3_bytes(const roof_machine *m) {
  return level_bytes(m, ROOF_L3);
}

static double ridge(const roof_machine *m) {
  return cli_machine_half_rate(m) / cli_machine_memory_rate(m);
}

static double first_link(const roof_machine *m) {
  return m->link_count > 0 ? m->links[0].bytes_per_second : NAN;
}

static double watts(const roof_machine *m) {
  return m->energy.watts;
}

static double launch(const roof_machine *m) {
  return m->launch_seconds;
}

static const struct {
  const char *name, *key, *unit;
  double (*value)(const roof_machine *m);
} figures[] = {
    {"memory", "memory_bytes", "B", memory_bytes},
    {"memory bandwidth", "bytes_per_second", "B/s", cli_machine_memory_rate},
    {"ridge, 16 bit", "ridge", "FLOP/B", ridge},
    {"L1, all units", "l1_bytes", "B", l1_bytes},
    {"L2", "l2_bytes", "B", l2_bytes},
    {"L3", "l3_bytes", "B", l3_bytes},
    {"first link, one way", "link_bytes_per_second", "B/s", first_link},
    {"power", "watts", "W", watts},
    {"launch", "launch_seconds", "s", launch},
};

static void add_figures(comparison *c) {
  for (size_t k = 0; k < sizeof figures / sizeof figures[0]; k++) {
    double values[MACHINE_MAX];
    const char *missing[MACHINE_MAX];
    for (int i = 0; i < c->count; i++) {
      values[i] = figures[k].value(c->machines[i]);
      missing[i] = "?";
    }
    add_row(c, figures[k].name, figures[k].key, figures[k].unit, values, missing);
  }
}

static void add_heads(comparison *c, json_t *names) {
  cli_grid_add(&c->grid, "%s", "figure (peaks are dense)");
  roof_text_add(&c->csv, "figure");
  for (int i = 0; i < c->count; i++) {
    cli_grid_add(&c->grid, "%s", c->machines[i]->name);
    if (i > 0) {
      cli_grid_add(&c->grid, "%s", "");
    }
    roof_text_addf(&c->csv, ",%s", c->machines[i]->name);
    json_array_append_new(names, json_string(c->machines[i]->name));
  }
  roof_text_add(&c->csv, "\n");
}

static roof_status print(const cli_args *args, comparison *c, json_t *names, roof_error *error) {
  if (args->json) {
    return cli_json_print(
        json_pack("{s:s, s:O, s:O}", "schema", "roofline.comparison/1", "machines", names, "rows", c->rows),
        error);
  }
  if (args->csv) {
    return cli_print(&c->csv, error);
  }
  roof_text text = {0};
  char alignment[2 * MACHINE_MAX + 1] = "l";
  for (int i = 0; i < c->count; i++) {
    strcat(alignment, i == 0 ? "r" : "rr");
  }
  cli_grid_end(&c->grid, &text, alignment);
  if (!args->quiet) {
    roof_text_addf(&text, "\n  ratios against %s; blank: no such path in hardware, ?: not known\n",
                   c->machines[0]->name);
  }
  roof_status status = cli_print(&text, error);
  roof_text_done(&text);
  return status;
}

roof_status cli_machine_compare_print(const cli_args *args, roof_machine *const *machines, int count,
                                      roof_error *error) {
  json_t *names = json_array();
  comparison c = {.machines = machines, .count = count, .rows = json_array()};
  add_heads(&c, names);
  add_peaks(&c);
  add_figures(&c);
  roof_status status = print(args, &c, names, error);
  json_decref(names);
  json_decref(c.rows);
  roof_text_done(&c.csv);
  roof_text_done(&c.grid.cells);
  return status;
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
    status = cli_machine_compare_print(args, machines, count, error);
  }
  cli_machines_free(machines, count);
  return status;
}
