/* What a file has about its machine: figures that a tool measured or the driver reports. */
#include "import/_ceilings.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/letters.h"

void rf_ceilings_name(roof_profile *profile, const char *title, const char *fallback) {
  roof_machine *machine = rf_import_machine(profile);
  size_t length = 0;
  if (machine == NULL) {
    return;
  }
  for (const char *p = title; *p != '\0' && length + 1 < sizeof machine->name; p++) {
    bool plain = isalnum((unsigned char)*p) != 0;
    if (plain || (length > 0 && machine->name[length - 1] != '-')) {
      machine->name[length++] = plain ? (char)rf_lower((unsigned char)*p) : '-';
    }
  }
  length -= length > 0 && machine->name[length - 1] == '-';
  machine->name[length] = '\0';
  if (length == 0) {
    snprintf(machine->name, sizeof machine->name, "%s", fallback);
  }
  snprintf(machine->title, sizeof machine->title, "%.90s", title[0] != '\0' ? title : fallback);
  snprintf(machine->device_class, sizeof machine->device_class, "cpu");
}

void rf_ceilings_level(roof_profile *profile, const char *name, double rate, double bytes,
                       const char *source) {
  roof_machine *machine = rf_import_machine(profile);
  roof_level_kind kind;
  if (machine == NULL || !(rate > 0)) {
    return;
  }
  if (roof_level_kind_parse(name, &kind, NULL) != ROOF_OK || machine->level_count == ROOF_LEVEL_MAX) {
    rf_import_skip(profile, name, "not a memory level that is known here");
    return;
  }
  int i = 0;
  while (i < machine->level_count && machine->levels[i].level != kind) {
    i++;
  }
  roof_level *level = i < machine->level_count ? &machine->levels[i] : roof_machine_add_level(machine);
  if (level->bytes_per_second >= rate) {
    return;
  }
  level->level = kind;
  level->kind = ROOF_MEASURED;
  level->bytes_per_second = rate;
  level->bytes = bytes;
  snprintf(level->name, sizeof level->name, "%.60s", name);
  snprintf(level->source, sizeof level->source, "%s", source);
}

void rf_ceilings_link(roof_profile *profile, const char *name, double rate, double latency,
                      const char *source) {
  roof_machine *machine = rf_import_machine(profile);
  int i = 0;
  if (machine == NULL || !(rate > 0)) {
    return;
  }
  while (i < machine->link_count && strcmp(machine->links[i].name, name) != 0) {
    i++;
  }
  roof_link *link = i < machine->link_count ? &machine->links[i] : roof_machine_add_link(machine);
  if (link == NULL || link->bytes_per_second >= rate) {
    return;
  }
  link->kind = ROOF_MEASURED;
  link->bytes_per_second = rate;
  link->latency_seconds = latency;
  link->count = 1;
  snprintf(link->name, sizeof link->name, "%.60s", name);
  snprintf(link->source, sizeof link->source, "%s", source);
}

void rf_ceilings_memory(roof_machine *machine, const char *name, double rate, const char *source) {
  if (!(rate > 0) || machine->level_count > 0) {
    return;
  }
  roof_level *level = roof_machine_add_level(machine);
  snprintf(level->name, sizeof level->name, "%s", name);
  snprintf(level->source, sizeof level->source, "%s", source);
  level->level = ROOF_MEMORY;
  level->kind = ROOF_DATASHEET;
  level->instances = 1;
  level->bytes_per_second = rate;
}

void rf_ceilings_peak(roof_profile *profile, roof_dtype dtype, roof_unit unit, double rate, const char *isa,
                      const char *source) {
  roof_machine *machine = rf_import_machine(profile);
  if (machine == NULL || !(rate > 0)) {
    return;
  }
  int i = 0;
  while (i < machine->peak_count && (machine->peaks[i].dtype != dtype || machine->peaks[i].unit != unit)) {
    i++;
  }
  roof_peak *peak = i < machine->peak_count ? &machine->peaks[i] : roof_machine_add_peak(machine);
  if (peak == NULL || peak->flops_per_second >= rate) {
    return;
  }
  peak->dtype = dtype;
  peak->unit = unit;
  peak->kind = ROOF_MEASURED;
  peak->flops_per_second = rate;
  snprintf(peak->isa, sizeof peak->isa, "%.30s", isa);
  snprintf(peak->source, sizeof peak->source, "%s", source);
}

static int by_level(const void *a, const void *b) {
  return (int)((const roof_level *)a)->level - (int)((const roof_level *)b)->level;
}

roof_status rf_ceilings_settle(roof_source *source, roof_profile *profile, roof_error *error) {
  roof_machine *machine = profile->machine;
  if (machine == NULL || machine->level_count + machine->peak_count == 0) {
    return rf_import_error(source, error, ROOF_E_PARSE, 1, 0, "no ceiling in it");
  }
  qsort(machine->levels, (size_t)machine->level_count, sizeof machine->levels[0], by_level);
  return ROOF_OK;
}
