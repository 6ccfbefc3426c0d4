/** Practice: questions about operations on machines, drawn from a seed, and the grading of their answers.
 *
 *  Example:
 *    uint64_t state = 7;
 *    roof_drill_question question;
 *    roof_drill_draw(&state, NULL, &question);
 *    printf("%s on %s: intensity, regime, percent of the peak?\n", question.text, question.machine); */
#ifndef ROOFLINE_DRILL_H
#define ROOFLINE_DRILL_H

#include <stdint.h>

#include "roofline/predict.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_DRILL_TEXT 128

/** An operation in fp16 on a machine. */
typedef struct roof_drill_question {
  const char *machine;        /**< its name in the catalogue */
  const char *op;             /**< the operation's name */
  char text[ROOF_DRILL_TEXT]; /**< that with its shape: "gemm m=128 n=512 k=4096" */
} roof_drill_question;

/** The right answers, and the figures that they follow from. */
typedef struct roof_drill_solution {
  roof_target target;
  roof_prediction prediction; /**< intensity, ridge, regime, peak */
  double bytes_per_second;    /**< of reading the target's memory */
  double percent;             /**< of the peak, at best: from the memory, its launch counted */
} roof_drill_solution;

/** A question that was answered. */
typedef struct roof_drill_round {
  char question[ROOF_DRILL_TEXT];
  char machine[ROOF_NAME_MAX];
  double intensity, ridge, percent; /**< the right ones */
  roof_regime regime;
  bool intensity_right, regime_right, percent_right; /**< what was answered */
} roof_drill_round;

/** Draws the next question; the same `state`, at first any number, draws the same questions everywhere. On one of
 *  `machines`, which ends with NULL; NULL: of six well-known ones.
 *  Units: none.
 *  Ownership: changes *state, fills *question; its machine is one of `machines` or static, its operation static.
 *  Errors: none. */
ROOF_API void roof_drill_draw(uint64_t *state, const char *const *machines, roof_drill_question *question);

/** Solves a question on the machine that it names, as the catalogue has it.
 *  Units: FLOP/byte, bytes/s, %.
 *  Ownership: fills *solution on success only; it points into the machine.
 *  Errors: as roof_target_init; ROOF_E_UNSUPPORTED for a machine without a peak or a bandwidth in fp16. */
ROOF_API roof_status roof_drill_solve(const roof_drill_question *question, const roof_machine *machine,
                                      roof_drill_solution *solution, roof_error *error);

/** Says what is wrong with answers that cannot be graded: not a number, a regime and a number.
 *  Units: none.
 *  Ownership: none.
 *  Errors: ROOF_E_PARSE. */
ROOF_API roof_status roof_drill_check(const char *answers, roof_error *error);

/** Grades "INTENSITY REGIME PERCENT", words between blanks or commas: a number within a tenth of the right
 *  one is right, so is a regime as "memory-bound" and a percentage with its sign. What is missing is wrong.
 *  Units: FLOP/byte, %.
 *  Ownership: fills *round; keeps nothing.
 *  Errors: none. */
ROOF_API void roof_drill_grade(const roof_drill_question *question, const roof_drill_solution *solution,
                               const char *answers, roof_drill_round *round);

/** Points of the rounds: one for each right answer, three per round.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API int roof_drill_points(const roof_drill_round *rounds, int count);

#ifdef __cplusplus
}
#endif
#endif
