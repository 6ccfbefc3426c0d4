/** Explanations for people: a prediction step by step, and what the terms of the field mean, worked on the
 *  numbers of one operation on one machine.
 *
 *  Example:
 *    const roof_topic *ridge;
 *    if (roof_topic_find("ridge", &ridge, NULL) == ROOF_OK) {
 *      puts(ridge->text);
 *    } */
#ifndef ROOFLINE_EXPLAIN_H
#define ROOFLINE_EXPLAIN_H

#include "roofline/predict.h"
#include "roofline/shape.h"
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
  /** Appends the topic worked on a lesson's numbers. NULL: nothing to compute.
   *  Units: as printed.
   *  Ownership: appends to the caller's text.
   *  Errors: none; a text that runs out of memory says so itself. */
  void (*worked)(roof_text *out, const roof_lesson *lesson);
  const char *example[ROOF_TOPIC_WORDS]; /**< operation and shape it is worked on by itself */
} roof_topic;

/** The topic number `index`, from 0.
 *  Units: none.
 *  Ownership: static.
 *  Errors: NULL past the last. */
ROOF_API const roof_topic *roof_topic_at(int index);

/** Finds a topic by its name.
 *  Units: none.
 *  Ownership: *topic, set on success only, is static.
 *  Errors: ROOF_E_NAME with the nearest topic or operation, which is a topic too. */
ROOF_API roof_status roof_topic_find(const char *name, const roof_topic **topic, roof_error *error);

/** What a term means, and that worked on the numbers of an operation on a machine. */
typedef struct roof_explanation {
  const char *topic; /**< its name, or the operation's */
  roof_text text;
  roof_text worked; /**< empty: there is nothing to compute */
} roof_explanation;

/** Explains a topic on the one point of `shape`; with no topic (NULL) the shape's operation, worked where its
 *  parameters were typed.
 *  Units: as printed.
 *  Ownership: fills *explanation on success only; release with roof_explanation_done. Its topic is the caller's.
 *  Errors: ROOF_E_ARGUMENT for several points; as roof_shape_point; ROOF_E_MEMORY. */
ROOF_API roof_status roof_explain(const roof_target *target, const roof_topic *topic, const roof_shape *shape,
                                  roof_explanation *explanation, roof_error *error);

/** Frees an explanation.
 *  Units: none.
 *  Ownership: releases what roof_explain filled.
 *  Errors: none. */
ROOF_API void roof_explanation_done(roof_explanation *explanation);

/** Where a prediction stands to a ridge. */
typedef struct roof_ridge_side {
  const roof_level *inner; /**< the level of that ridge where it is not the outermost; else NULL */
  double intensity, ridge; /**< FLOP/byte of that level */
  double times;            /**< how many times right or left of the ridge, from 1; NaN unknown, or no FLOP */
  bool right;              /**< at the ridge or over it */
} roof_ridge_side;

/** The side of the ridge of the level whose bytes take longest, else of the outermost.
 *  Units: FLOP/byte.
 *  Ownership: by value; points into the machine.
 *  Errors: NaN where unknown. */
ROOF_API roof_ridge_side roof_prediction_side(const roof_prediction *prediction);

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
