/* The figures that people look for first: of one machine, and of several next to each other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/json.h"
#include "roofline/catalog.h"

static double peak_rate(const roof_machine *machine, roof_dtype dtype, roof_unit unit) {
  const roof_peak *peak = roof_machine_peak(machine, dtype, unit, false, ROOF_DATASHEET);
  return peak != NULL ? peak->flops_per_second : NAN;
}

static double half_rate(const roof_machine *machine) {
  double rate = fmax(peak_rate(machine, ROOF_FP16, ROOF_MATRIX), peak_rate(machine, ROOF_BF16, ROOF_MATRIX));
  return isnan(rate) ? peak_rate(machine, ROOF_FP16, ROOF_VECTOR) : rate;
}

static double all_bytes(const roof_level *level) {
  return level != NULL ? level->bytes * level->instances : NAN;
}

/** Counts the figures by where they come from: an entry of a list is one. */
static void count_kinds(const roof_machine *m, int kinds[ROOF_PROVENANCE_COUNT]) {
  roof_machine_value own;
  for (int i = 0; i < m->peak_count; i++) {
    kinds[m->peaks[i].kind]++;
  }
  for (int i = 0; i < m->level_count; i++) {
    kinds[m->levels[i].kind]++;
  }
  for (int i = 0; i < m->link_count; i++) {
    kinds[m->links[i].kind]++;
  }
  for (int i = 0; roof_machine_figure(m, i, &own); i++) {
    kinds[own.kind] += !isnan(own.value);
  }
  kinds[m->energy.kind] += !isnan(m->energy.watts) || !isnan(m->energy.joules_per_flop);
}

roof_machine_summary roof_machine_summarize(const roof_machine *machine) {
  const roof_level *memory = roof_machine_memory(machine, ROOF_DATASHEET);
  roof_machine_summary s = {.memory_bytes = all_bytes(memory),
                            .bytes_per_second = memory != NULL ? roof_level_bandwidth(memory, 0, 0) : NAN,
                            .fp32_flops_per_second = peak_rate(machine, ROOF_FP32, ROOF_VECTOR),
                            .half_flops_per_second = half_rate(machine),
                            .fp8_flops_per_second = peak_rate(machine, ROOF_FP8, ROOF_MATRIX)};
  s.peak_flops_per_second =
      isnan(s.half_flops_per_second) ? s.fp32_flops_per_second : s.half_flops_per_second;
  s.ridge = s.peak_flops_per_second / s.bytes_per_second;
  count_kinds(machine, s.kinds);
  return s;
}

static bool is_unsupported(const roof_machine *m, roof_dtype dtype, roof_unit unit) {
  for (int i = 0; i < m->peak_count; i++) {
    if (m->peaks[i].dtype == dtype && m->peaks[i].unit == unit && m->peaks[i].unsupported) {
      return true;
    }
  }
  return false;
}

static double memory_bytes(const roof_machine *m) {
  return roof_machine_summarize(m).memory_bytes;
}

static double memory_rate(const roof_machine *m) {
  return roof_machine_summarize(m).bytes_per_second;
}

static double half_ridge(const roof_machine *m) {
  return half_rate(m) / memory_rate(m);
}

static double fp32_ridge(const roof_machine *m) {
  return peak_rate(m, ROOF_FP32, ROOF_VECTOR) / memory_rate(m);
}

static double fp8_ridge(const roof_machine *m) {
  return peak_rate(m, ROOF_FP8, ROOF_MATRIX) / memory_rate(m);
}

static double fp4_ridge(const roof_machine *m) {
  return peak_rate(m, ROOF_FP4, ROOF_MATRIX) / memory_rate(m);
}

static double l1_bytes(const roof_machine *m) {
  return all_bytes(roof_machine_level(m, ROOF_L1, ROOF_DATASHEET));
}

static double l2_bytes(const roof_machine *m) {
  return all_bytes(roof_machine_level(m, ROOF_L2, ROOF_DATASHEET));
}

static double l3_bytes(const roof_machine *m) {
  return all_bytes(roof_machine_level(m, ROOF_L3, ROOF_DATASHEET));
}

static double device_link(const roof_machine *m) {
  const roof_target two = {.machine = m};
  const roof_link *link = roof_target_link(&two, 2);
  return link != NULL ? link->bytes_per_second : NAN;
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
  roof_dtype matrix; /**< what needs a path of the matrix unit in this format; else ROOF_FP64 */
} figures[] = {
    {"memory", "memory_bytes", "B", memory_bytes, ROOF_FP64},
    {"memory bandwidth", "bytes_per_second", "B/s", memory_rate, ROOF_FP64},
    {"ridge, fp32 vector", "fp32_ridge", "FLOP/B", fp32_ridge, ROOF_FP64},
    {"ridge, 16 bit", "ridge", "FLOP/B", half_ridge, ROOF_FP64},
    {"ridge, fp8", "fp8_ridge", "FLOP/B", fp8_ridge, ROOF_FP8},
    {"ridge, fp4", "fp4_ridge", "FLOP/B", fp4_ridge, ROOF_FP4},
    {"L1, all units", "l1_bytes", "B", l1_bytes, ROOF_FP64},
    {"L2", "l2_bytes", "B", l2_bytes, ROOF_FP64},
    {"L3", "l3_bytes", "B", l3_bytes, ROOF_FP64},
    {"two devices, one way", "link_bytes_per_second", "B/s", device_link, ROOF_FP64},
    {"power", "watts", "W", watts, ROOF_FP64},
    {"launch", "launch_seconds", "s", launch, ROOF_FP64},
};

enum { FIGURES = sizeof figures / sizeof figures[0] };

static roof_comparison_row peak_row(roof_machine *const *machines, int count, roof_dtype dtype,
                                    roof_unit unit) {
  roof_comparison_row row = {.unit = "FLOP/s"};
  snprintf(row.name, sizeof row.name, "%s %s", roof_dtype_name(dtype), roof_unit_name(unit));
  snprintf(row.key, sizeof row.key, "%s_%s_flops_per_second", roof_dtype_name(dtype), roof_unit_name(unit));
  for (int i = 0; i < count; i++) {
    row.values[i] = peak_rate(machines[i], dtype, unit);
    row.lacking[i] = is_unsupported(machines[i], dtype, unit);
  }
  return row;
}

static roof_comparison_row figure_row(roof_machine *const *machines, int count, int figure) {
  roof_comparison_row row = {.unit = figures[figure].unit};
  snprintf(row.name, sizeof row.name, "%s", figures[figure].name);
  snprintf(row.key, sizeof row.key, "%s", figures[figure].key);
  for (int i = 0; i < count; i++) {
    row.values[i] = figures[figure].value(machines[i]);
    row.lacking[i] = figures[figure].matrix != ROOF_FP64 &&
                     is_unsupported(machines[i], figures[figure].matrix, ROOF_MATRIX);
  }
  return row;
}

/** Keeps a row, with its ratios, unless no machine has the figure. */
static void keep(roof_comparison_row *rows, size_t *count, const roof_comparison_row *row, int machines) {
  bool known = false;
  rows[*count] = *row;
  for (int i = 0; i < machines; i++) {
    known = known || !isnan(row->values[i]);
    rows[*count].ratios[i] = row->values[i] / row->values[0];
  }
  *count += known;
}

roof_status roof_machines_compare(roof_machine *const *machines, int machine_count,
                                  roof_comparison_row **rows, size_t *count, roof_error *error) {
  if (machine_count > ROOF_COMPARED_MAX) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "compare: at most %d machines", ROOF_COMPARED_MAX);
  }
  roof_comparison_row *made = calloc((size_t)ROOF_UNIT_COUNT * ROOF_DTYPE_COUNT + FIGURES + 1, sizeof *made);
  size_t kept = 0;
  if (made == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "compare: out of memory");
  }
  for (int i = 0; i < (int)ROOF_UNIT_COUNT * (int)ROOF_DTYPE_COUNT; i++) {
    roof_comparison_row row = peak_row(machines, machine_count, (roof_dtype)(i % (int)ROOF_DTYPE_COUNT),
                                       (roof_unit)(i / (int)ROOF_DTYPE_COUNT));
    keep(made, &kept, &row, machine_count);
  }
  for (int i = 0; i < (int)FIGURES; i++) {
    roof_comparison_row row = figure_row(machines, machine_count, i);
    keep(made, &kept, &row, machine_count);
  }
  *rows = made;
  *count = kept;
  return ROOF_OK;
}

static json_t *row_json(const roof_comparison_row *row, int machines) {
  json_t *values = json_array(), *ratios = json_array();
  for (int i = 0; i < machines; i++) {
    rf_json_append(values, rf_json_number(row->values[i]));
    rf_json_append(ratios, rf_json_number(row->ratios[i]));
  }
  return json_pack("{s:s, s:s, s:s, s:o, s:o}", "figure", row->key, "name", row->name, "unit", row->unit,
                   "values", values, "ratios", ratios);
}

void roof_comparison_write_csv(roof_machine *const *machines, int machine_count,
                               const roof_comparison_row *rows, size_t count, roof_text *out) {
  roof_text_add(out, "figure");
  for (int i = 0; i < machine_count; i++) {
    roof_text_add(out, ",");
    roof_text_add_csv(out, machines[i]->name);
  }
  for (size_t i = 0; i < count; i++) {
    roof_text_addf(out, "\n%s", rows[i].key);
    for (int k = 0; k < machine_count; k++) {
      roof_text_add(out, ",");
      roof_text_add_number(out, rows[i].values[k], 15);
    }
  }
  roof_text_add(out, "\n");
}

roof_status roof_comparison_write(roof_machine *const *machines, int machine_count,
                                  const roof_comparison_row *rows, size_t count, roof_text *out,
                                  roof_error *error) {
  json_t *names = json_array(), *list = json_array();
  for (int i = 0; i < machine_count; i++) {
    rf_json_append(names, json_string(machines[i]->name));
  }
  for (size_t i = 0; i < count; i++) {
    rf_json_append(list, row_json(&rows[i], machine_count));
  }
  return rf_json_write(
      json_pack("{s:s, s:o, s:o}", "schema", "roofline.comparison/1", "machines", names, "rows", list),
      "compare", out, error);
}

static const roof_comparison_row *row_named(const roof_comparison_row *rows, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(rows[i].name, name) == 0) {
      return &rows[i];
    }
  }
  return NULL;
}

void roof_comparison_sentence(roof_text *out, roof_machine *const *machines, int machine_count,
                              const roof_comparison_row *rows, size_t count) {
  static const struct {
    const char *row, *text;
  } shown[] = {{"bf16 matrix", "bf16 peak"},
               {"fp32 vector", "fp32 peak"},
               {"memory bandwidth", "bandwidth"},
               {"memory", "memory"}};
  for (int m = 1; m < machine_count; m++) {
    bool any = false;
    roof_text_addf(out, "%s%s:", m > 1 ? "; " : "", machines[m]->name);
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
      const roof_comparison_row *row = row_named(rows, count, shown[i].row);
      if (row != NULL && !isnan(row->ratios[m])) {
        roof_text_addf(out, "%s %.2fx the %s", any ? "," : "", row->ratios[m], shown[i].text);
        any = true;
      }
    }
    roof_text_add(out, any ? "" : " no figure in common");
  }
  roof_text_addf(out, " of %s\n", machines[0]->name);
}
