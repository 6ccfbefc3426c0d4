/** The checks, and the readers that they share. */
#ifndef DOCTOR_CHECKS_H
#define DOCTOR_CHECKS_H

#include <stdbool.h>

#include "host/library.h"
#include "host/probe.h"
#include "roofline/doctor.h"
#include "roofline/export.h"

/** One row of the table of checks. */
typedef struct rf_check {
  const char *name, *why, *remedy;
  void (*look)(const struct rf_check *check, const char *root, roof_diagnosis *out);
  rf_library library; /**< the one that is looked for */
} rf_check;

typedef void rf_check_run(const rf_check *check, const char *root, roof_diagnosis *out);

/* processor.c */
rf_check_run rf_check_governor, rf_check_turbo, rf_check_smt, rf_check_machine, rf_check_steal,
    rf_check_clocksource;
/* system.c */
rf_check_run rf_check_balancing, rf_check_pages, rf_check_quota, rf_check_cores, rf_check_load, rf_check_swap;
/* abilities.c */
rf_check_run rf_check_pinning, rf_check_counters, rf_check_energy, rf_check_loader, rf_check_library;

/* sharing.c */
rf_check_run rf_check_sharing;

enum { RF_SHARING_LOOKS = 8192 };

/** Says how often cores were whole, by widths of one and, if there are `several`, of two at once: that many of each. It
 *  sorts them. */
void rf_sharing_judge(double *widths, bool several, roof_diagnosis *out);

/* probe.c */

/** How many processors a list like `0-3,8` names; 0 for none. */
int rf_probe_count(const char *list);

/** Sets a diagnosis's health and what was read. */
void rf_diagnose(roof_diagnosis *out, roof_health health, const char *path, const char *format, ...)
    ROOF_PRINTF(4, 5);

/** True if `root` is not this machine; the diagnosis then reports that only a running system can answer. */
bool rf_probe_captured(const char *root, const char *what, roof_diagnosis *out);

#endif
