/** What on this machine would distort a measurement or make a figure unavailable. */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include <stddef.h>

typedef enum rf_health { RF_HEALTH_UNKNOWN, RF_HEALTH_OK, RF_HEALTH_WARN, RF_HEALTH_COUNT } rf_health;

/** The answer of one check. */
typedef struct rf_diagnosis {
  const char *name;
  const char *why;    /**< why it matters */
  const char *remedy; /**< what to do */
  rf_health health;   /**< unknown if it could not be read, never ok */
  char path[256];     /**< what was read: a file, or a call */
  char value[256];    /**< what was found there, or why nothing was */
} rf_diagnosis;

enum { RF_DIAGNOSIS_MAX = 48 };

/** Runs all checks. Files are read below the folder `root`, "" for this machine; answers that need a running
 *  system are unknown below another root.
 *  Units: none.
 *  Ownership: fills at most `capacity` diagnoses, returns how many.
 *  Errors: none. */
size_t rf_doctor_examine(const char *root, rf_diagnosis *diagnoses, size_t capacity);

/** "ok", "warn" or "unknown".
 *  Units: none. Ownership: a static string. Errors: "?" for a value out of range. */
const char *rf_health_name(rf_health health);

#endif
