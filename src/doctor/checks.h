/** The checks and what they read with. */
#ifndef DOCTOR_CHECKS_H
#define DOCTOR_CHECKS_H

#include <stdbool.h>

#include "doctor/doctor.h"
#include "measure/probe.h"
#include "roofline/export.h"

/** A row of the table. */
typedef struct roof_check {
  const char *name, *why, *remedy;
  void (*look)(const struct roof_check *check, const char *root, roof_diagnosis *out);
  const char *sonames[8]; /**< for a library: the first that loads counts */
} roof_check;

typedef void roof_look(const roof_check *check, const char *root, roof_diagnosis *out);

/* processor.c */
roof_look roof_look_governor, roof_look_turbo, roof_look_smt, roof_look_machine, roof_look_steal,
    roof_look_clocksource;
/* system.c */
roof_look roof_look_balancing, roof_look_pages, roof_look_quota, roof_look_cores, roof_look_load,
    roof_look_swap;
/* abilities.c */
roof_look roof_look_pinning, roof_look_counters, roof_look_energy, roof_look_library;

/* probe.c */

/** How many processors a list like `0-3,8` names; 0 for none. */
int roof_probe_count(const char *list);

/** States a health with what was read. */
void roof_diagnose(roof_diagnosis *out, roof_health health, const char *path, const char *format, ...)
    ROOF_PRINTF(4, 5);

/** True where `root` is not this machine; the diagnosis then says that only a running system can tell. */
bool roof_probe_captured(const char *root, const char *what, roof_diagnosis *out);

#endif
