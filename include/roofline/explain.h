/** Explanations for people: a prediction step by step, and what the terms of the field mean, worked on the
 *  numbers of one operation on one machine. */
#ifndef ROOFLINE_EXPLAIN_H
#define ROOFLINE_EXPLAIN_H

#include "roofline/predict.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_TOPIC_WORDS 4

/** The numbers a topic is worked on. */
typedef struct roof_lesson {
  const roof_target *target;
  const roof_op *op;
  const double *typed;  /**< NaN where one follows another */
  const double *values; /**< completed */
  roof_prediction prediction;
} roof_lesson;

/** One term. */
typedef struct roof_topic {
  const char *name;
  const char *summary;
  const char *text;
  void (*worked)(roof_text *out, const roof_lesson *lesson); /**< NULL: nothing to compute */
  const char *example[ROOF_TOPIC_WORDS]; /**< operation and shape it is worked on by itself */
} roof_topic;

/** The topic number `index`, from 0.
 *  Units: none.
 *  Ownership: static.
 *  Errors: NULL past the last. */
ROOF_API const roof_topic *roof_topic_at(int index);

/** Finds a topic by its name.
 *  Units: none.
 *  Ownership: static.
 *  Errors: NULL when there is none. */
ROOF_API const roof_topic *roof_topic_find(const char *name);

/** Appends how a prediction follows from the formulas and the machine's figures: each step with its numbers,
 *  then the sources.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_explain_prediction(roof_text *out, const roof_target *target, const roof_op *op,
                                      const double *values, const roof_prediction *prediction);

#ifdef __cplusplus
}
#endif
#endif
