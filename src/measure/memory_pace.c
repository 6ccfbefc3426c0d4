/* Memory that has a fast and a slow mode for seconds at a time: in which of them a kernel was measured in. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "measure/run.h"

/** Rates nearer to each other than this are one mode: bandwidth wanders by a tenth on a shared machine. */
static const double one_mode = 0.8;

static const roof_level *memory_of(const roof_machine *machine) {
  const roof_level *level = roof_machine_memory(machine, ROOF_MEASURED);
  return level != NULL && level->kind == ROOF_MEASURED && level->read_bytes_per_second > 0 ? level : NULL;
}

double rf_memory_rate(double before, double after) {
  double slower = fmin(before, after), faster = fmax(before, after);
  return slower >= one_mode * faster ? (before + after) / 2 : NAN;
}

double roof_memory_pace(const roof_measurement *measurement, const roof_machine *machine) {
  const roof_level *level = memory_of(machine);
  double pace = level != NULL ? measurement->memory_bytes_per_second / level->read_bytes_per_second : NAN;
  bool outran = level != NULL && measurement->bytes > level->read_bytes_per_second * measurement->seconds;
  return pace < one_mode || (pace > 1 / one_mode && outran) ? pace : NAN;
}

void roof_machine_pace_memory(roof_machine *machine, double pace) {
  for (int i = 0; i < machine->level_count; i++) {
    roof_level *level = &machine->levels[i];
    double *const rates[] = {&level->read_bytes_per_second, &level->write_bytes_per_second,
                             &level->copy_bytes_per_second, &level->update_bytes_per_second,
                             &level->triad_bytes_per_second};
    for (size_t k = 0; k < sizeof rates / sizeof rates[0]; k++) {
      *rates[k] *= level->level == ROOF_MEMORY && level->kind == ROOF_MEASURED ? pace : 1;
    }
  }
}

void rf_memory_pace_note(roof_measurement *m) {
  if (!isnan(m->memory_pace)) {
    size_t used = strlen(m->note);
    rf_format(m->note + used, sizeof m->note - used,
              "; memory ran at %.0f %% of its ceiling meanwhile, and the share is of that",
              100 * m->memory_pace);
  }
}

void rf_paces_add(rf_paces *paces, double pace) {
  if (pace > 0) {
    paces->count++;
    paces->least = fmin(paces->least, pace);
    paces->most = fmax(paces->most, pace);
  }
}

char *rf_paces_say(const rf_paces *paces, const char *what, char *buffer, size_t size) {
  buffer[0] = '\0';
  if (paces->count > 0) {
    size_t used = (size_t)rf_format(buffer, size, "memory ran at %.0f", 100 * paces->least);
    used += paces->most > 1.01 * paces->least
                ? (size_t)rf_format(buffer + used, size - used, " to %.0f", 100 * paces->most)
                : 0;
    rf_format(buffer + used, size - used, " %% of its ceiling for %d %s%s: shares of that", paces->count,
              what, paces->count == 1 ? "" : "s");
  }
  return buffer;
}
