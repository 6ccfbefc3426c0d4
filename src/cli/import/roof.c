/* The roof over what a profiler counted: every format and every level at its own ceiling. */
#include <math.h>
#include <string.h>

#include "cli/import/import.h"

static void resolve(import_roof *roof, const roof_machine *machine, roof_dtype dtype) {
  roof_types types = roof_types_of(dtype);
  roof_options options = roof_options_default();
  roof_target target;
  if (roof_target_init(&target, machine, &types, &options, NULL) != ROOF_OK) {
    return;
  }
  for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
    roof->seconds_per_flop[dtype][u] = target.seconds_per_flop[u];
  }
  for (int l = 0; l < ROOF_LEVEL_KIND_COUNT; l++) {
    /* A profiler rarely says how reads and writes were mixed. */
    roof->seconds_per_byte[l] = roof_costs_least(target.seconds_per_byte[l]);
    roof->level_name[l] =
        target.level[l] != NULL ? target.level[l]->name : roof_level_kind_name((roof_level_kind)l);
  }
}

void cli_import_roof_init(import_roof *roof, const roof_machine *machine) {
  *roof = (import_roof){.machine = machine};
  for (int l = 0; l < ROOF_LEVEL_KIND_COUNT; l++) {
    roof->seconds_per_byte[l] = NAN;
    roof->level_name[l] = roof_level_kind_name((roof_level_kind)l);
  }
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
      roof->seconds_per_flop[d][u] = NAN;
    }
    if (machine != NULL) {
      resolve(roof, machine, (roof_dtype)d);
    }
  }
}

/** Raises the ceiling to `seconds` when that is more. */
static void consider(import_placed *row, double seconds, roof_regime regime, const char *binding) {
  if (isnan(seconds) || !(isnan(row->ceiling) || seconds > row->ceiling)) {
    return;
  }
  row->ceiling = seconds;
  row->regime = regime;
  snprintf(row->binding, sizeof row->binding, "%s", binding);
}

/** True when more than a hundredth of the FLOPs is of formats whose peak is not known: then no ceiling is. */
static bool peak_unknown(const import_roof *roof, const import_placed *row) {
  double unknown = 0;
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
      double flops = row->record->flops[d][u].value;
      unknown += flops > 0 && isnan(roof->seconds_per_flop[d][u]) ? flops : 0;
    }
  }
  return unknown > 0.01 * row->flops;
}

/** The units work side by side, the formats of one unit after each other. */
static void consider_flops(const import_roof *roof, import_placed *row) {
  for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
    double sum = NAN, largest = -1;
    char name[ROOF_NAME_MAX] = "";
    for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
      double seconds = row->record->flops[d][u].value * roof->seconds_per_flop[d][u];
      if (isnan(seconds)) {
        continue;
      }
      sum = isnan(sum) ? seconds : sum + seconds;
      if (seconds > largest) {
        largest = seconds;
        snprintf(name, sizeof name, "%s %s", roof_dtype_name((roof_dtype)d), roof_unit_name((roof_unit)u));
      }
    }
    consider(row, sum, ROOF_COMPUTE_BOUND, name);
  }
}

/** The machine's first link whose name begins as the record says. */
static void consider_link(const import_roof *roof, import_placed *row) {
  const roof_machine *m = roof->machine;
  for (int i = 0; m != NULL && i < m->link_count; i++) {
    if (strncmp(m->links[i].name, row->record->link, strlen(row->record->link)) == 0) {
      consider(row, row->record->link_bytes.value / m->links[i].bytes_per_second, ROOF_NETWORK_BOUND,
               m->links[i].name);
      return;
    }
  }
}

import_placed cli_import_place(const import_roof *roof, const roof_record *record) {
  import_placed row = {.record = record,
                       .seconds = roof_record_seconds(record),
                       .ceiling = NAN,
                       .dtype = ROOF_FP32,
                       .unit = ROOF_VECTOR,
                       .level = ROOF_MEMORY,
                       .regime = ROOF_REGIME_COUNT};
  row.flops = roof_record_flops(record, &row.dtype, &row.unit);
  row.bytes = roof_record_bytes(record, &row.level);
  row.intensity = row.bytes > 0 ? row.flops / row.bytes : NAN;
  consider_flops(roof, &row);
  for (int l = 0; l < ROOF_LEVEL_KIND_COUNT; l++) {
    consider(&row, record->bytes[l].value * roof->seconds_per_byte[l], ROOF_MEMORY_BOUND,
             roof->level_name[l]);
  }
  consider_link(roof, &row);
  if (!(row.ceiling > 0) || peak_unknown(roof, &row)) { /* no work counted is no ceiling */
    row.ceiling = NAN;
    row.regime = ROOF_REGIME_COUNT;
    row.binding[0] = '\0';
  }
  row.fraction = row.ceiling / row.seconds;
  row.lost = row.seconds - row.ceiling;
  return row;
}
