/** What on this machine would distort a measurement or make a figure unavailable, and what to do about it.
 *
 *  Example:
 *    roof_examination examination;
 *    if (roof_doctor_examine(NULL, &examination, NULL) == ROOF_OK) {
 *      printf("%d warnings\n", examination.healths[ROOF_HEALTH_WARN]);
 *      roof_examination_done(&examination);
 *    } */
#ifndef ROOFLINE_DOCTOR_H
#define ROOFLINE_DOCTOR_H

#include "roofline/status.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum roof_health {
  ROOF_HEALTH_UNKNOWN,
  ROOF_HEALTH_OK,
  ROOF_HEALTH_WARN, /**< it distorts measurements */
  ROOF_HEALTH_INFO, /**< something is not available here; what is measured is not affected */
  ROOF_HEALTH_COUNT
} roof_health;

/** The answer of one check. */
typedef struct roof_diagnosis {
  const char *name;
  const char *why;    /**< why it matters */
  const char *remedy; /**< what to do */
  roof_health health; /**< unknown if it could not be read, never ok */
  char path[256];     /**< what was read: a file, or a call */
  char value[256];    /**< what was found there, or why nothing was */
} roof_diagnosis;

/** The answers of all checks. */
typedef struct roof_examination {
  roof_diagnosis *diagnoses;
  size_t count;
  int healths[ROOF_HEALTH_COUNT]; /**< how many of each */
} roof_examination;

/** Runs all checks. Files are read below the folder `root`, NULL for this machine; answers that need a running system
 *  are unknown below another root.
 *  Units: none.
 *  Ownership: fills *examination on success only; release with roof_examination_done.
 *  Errors: ROOF_E_INPUT for a root whose /proc cannot be read, ROOF_E_MEMORY. */
ROOF_API roof_status roof_doctor_examine(const char *root, roof_examination *examination, roof_error *error);

/** Appends the answer: how many warnings, unknown, info and ok.
 *  Units: none.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_examination_sentence(const roof_examination *examination, roof_text *out);

/** Appends what to do about each warning and why it matters, each after an empty line.
 *  Units: none.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_examination_remedies(const roof_examination *examination, roof_text *out);

/** Appends the answers as one roofline.doctor/1 object, what `doctor --json` prints.
 *  Units: none.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_examination_write(const roof_examination *examination, roof_text *out,
                                            roof_error *error);

/** Frees the answers.
 *  Units: none.
 *  Ownership: releases what roof_doctor_examine filled.
 *  Errors: none. */
ROOF_API void roof_examination_done(roof_examination *examination);

/** "ok", "warn", "info" or "unknown".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_health_name(roof_health health);

#ifdef __cplusplus
}
#endif
#endif
