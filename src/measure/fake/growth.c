/* What `measure` finds beyond single figures, of a scripted machine. */
#include "measure/fake/growth.h"

#include <math.h>
#include <stdio.h>

static void add_growth(roof_machine *machine, const rf_script *script, const char *name, const char *unit,
                       double one, double most, const char *source) {
  roof_scaling *s = roof_machine_add_scaling(machine);
  if (s == NULL) {
    return;
  }
  snprintf(s->name, sizeof s->name, "%s", name);
  snprintf(s->unit, sizeof s->unit, "%s", unit);
  snprintf(s->source, sizeof s->source, "%s", source);
  s->kind = ROOF_MEASURED;
  for (double cores = 1; s->core_count < ROOF_CORE_COUNTS_MAX; cores = fmin(2 * cores, script->cores)) {
    s->cores[s->core_count++] = cores;
    s->per_second[s->rate_count++] = fmin(cores * one, most);
    if (cores == script->cores) {
      break;
    }
  }
  s->saturating_cores = roof_scaling_saturation(s);
}

static void add_curve(roof_machine *machine, const rf_script *script) {
  for (double bytes = 8192; bytes <= 64 * script->cache; bytes *= 2) {
    roof_curve_point *point = roof_machine_add_curve_point(machine);
    if (point != NULL) {
      *point = (roof_curve_point){bytes, bytes <= script->cache ? script->cache_read : script->core_read};
    }
  }
}

/** The longer of both times, and what of the shorter one it does not hide. */
static void add_intensities(roof_machine *machine, const rf_script *script) {
  for (double intensity = 0.25; intensity <= 64; intensity *= 2) {
    roof_intensity_point *point = roof_machine_add_intensity(machine);
    double compute = 1 / script->fp64, memory = 1 / (intensity * script->read);
    double seconds = fmax(compute, memory) + (1 - script->hidden) * fmin(compute, memory);
    if (point != NULL) {
      *point = (roof_intensity_point){intensity, 1 / seconds};
    }
  }
}

static void add_rate(roof_machine *machine, const rf_script *script, int cores, const char *source) {
  roof_rate *r = roof_machine_add_rate(machine);
  if (r != NULL) {
    snprintf(r->name, sizeof r->name, "fp64 divide");
    snprintf(r->isa, sizeof r->isa, "fake");
    snprintf(r->source, sizeof r->source, "%s", source);
    r->kind = ROOF_MEASURED;
    r->cores = cores;
    r->per_second = script->divide / (cores > 0 ? script->cores : 1);
    r->clock_hz = script->clock_hz;
    r->spread = 0;
  }
}

void rf_fake_add_growth(roof_machine *machine, const rf_script *script, const char *source) {
  if (script->core_read > 0) {
    add_growth(machine, script, "fp64 vector fake", "FLOP/s", script->fp64 / script->cores, script->fp64,
               source);
    add_growth(machine, script, "DRAM read", "B/s", script->core_read, script->read, source);
  }
  if (script->cache > 0 && script->cache_read > 0 && script->core_read > 0) {
    add_curve(machine, script);
  }
  if (script->hidden > 0) {
    add_intensities(machine, script);
  }
  for (int cores = 1; cores >= 0 && script->divide > 0; cores--) {
    add_rate(machine, script, cores, source);
  }
}
