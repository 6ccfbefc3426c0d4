/** What on this machine would spoil a measurement, or take a figure away. */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include <stddef.h>

typedef enum roof_health {
  ROOF_HEALTH_UNKNOWN,
  ROOF_HEALTH_OK,
  ROOF_HEALTH_WARN,
  ROOF_HEALTH_COUNT
} roof_health;

/** The answer of one check. */
typedef struct roof_diagnosis {
  const char *name;
  const char *why;    /**< why it matters */
  const char *remedy; /**< what to do */
  roof_health health; /**< what could not be read is unknown, never ok */
  char path[256];     /**< what was read: a file, or a call */
  char value[256];    /**< what it says, or why it says nothing */
} roof_diagnosis;

enum { ROOF_DIAGNOSIS_MAX = 48 };

/** Makes all checks. Files are read below the folder `root`, "" for this machine; what only a running system
 * can answer is unknown below another root. Units: none. Ownership: fills at most `capacity` diagnoses,
 * returns how many. Errors: none. */
size_t roof_doctor_examine(const char *root, roof_diagnosis *diagnoses, size_t capacity);

/** "ok", "warn" or "unknown".
 *  Units: none. Ownership: a static string. Errors: "?" for a value out of range. */
const char *roof_health_name(roof_health health);

#endif
