/* The table of observations and next steps: each row by its figures. */
#include "test.h"

#include "roofline/advise.h"

enum { LOW_INTENSITY, IDLE_MATRIX, COLLECTIVE, CAPACITY, BUSY_BUT_SLOW, STARVED, NONE = 9 };

static void five_observations(void **state) {
  (void)state;
  static const struct {
    roof_regime regime;
    roof_clue clue;
    double value, fraction, active;
    int row;
  } cases[] = {
      {ROOF_MEMORY_BOUND, ROOF_CLUE_MEMORY, 0.9, 0.8, NAN, LOW_INTENSITY},
      {ROOF_MEMORY_BOUND, ROOF_CLUE_MEMORY, NAN, 0.6, NAN, LOW_INTENSITY},
      {ROOF_MEMORY_BOUND, ROOF_CLUE_MEMORY, 0.49, 0.4, NAN, NONE},
      {ROOF_COMPUTE_BOUND, ROOF_CLUE_MATRIX, 0.59, 0.8, NAN, IDLE_MATRIX},
      {ROOF_COMPUTE_BOUND, ROOF_CLUE_MATRIX, 0.60, 0.2, NAN, NONE},
      {ROOF_COMPUTE_BOUND, ROOF_CLUE_MATRIX, NAN, 0.69, NAN, IDLE_MATRIX},
      {ROOF_COMPUTE_BOUND, ROOF_CLUE_MATRIX, NAN, 0.70, NAN, NONE},
      {ROOF_NETWORK_BOUND, ROOF_CLUE_LINK, NAN, 0.5, NAN, COLLECTIVE},
      {ROOF_COMPUTE_BOUND, ROOF_CLUE_LINK, 0.61, 0.9, NAN, COLLECTIVE},
      {ROOF_CAPACITY_BOUND, ROOF_CLUE_LINK, 0.9, 0.5, NAN, CAPACITY},
      {ROOF_MEMORY_BOUND, ROOF_CLUE_PAGED, 0.06, 0.5, NAN, CAPACITY},
      {ROOF_COMPUTE_BOUND, ROOF_CLUE_MATRIX, 0.05, 0.05, 0.98, BUSY_BUT_SLOW},
      {ROOF_COMPUTE_BOUND, ROOF_CLUE_MATRIX, 0.05, 0.05, 0.90, IDLE_MATRIX},
      {ROOF_COMPUTE_BOUND, ROOF_CLUE_COMPUTE, 0.61, 0.05, 0.98, IDLE_MATRIX},
      {ROOF_MEMORY_BOUND, ROOF_CLUE_MEMORY, 0.61, 0.05, 0.98, LOW_INTENSITY},
      {ROOF_OVERHEAD_BOUND, ROOF_CLUE_LAUNCH, 0.9, 0.05, NAN, STARVED},
      {ROOF_COMPUTE_BOUND, ROOF_CLUE_MATRIX, 0.10, 0.05, 0.30, STARVED},
      {ROOF_MEMORY_BOUND, ROOF_CLUE_IDLE, 0.20, 0.60, NAN, STARVED},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_prediction p = {.regime = cases[i].regime};
    roof_evidence e = {.prediction = &p};
    for (int c = 0; c < ROOF_CLUE_COUNT; c++) {
      e.clue[c] = NAN;
    }
    e.clue[ROOF_CLUE_ACTIVE] = cases[i].active;
    e.clue[ROOF_CLUE_FRACTION] = cases[i].fraction;
    e.clue[cases[i].clue] = cases[i].value;
    if (roof_decision_of(&e) != roof_decision_at(cases[i].row)) {
      fail_msg("case %zu: %s", i, roof_decision_of(&e) != NULL ? roof_decision_of(&e)->observation : "none");
    }
  }
  assert_non_null(roof_decision_at(STARVED));
  assert_null(roof_decision_at(STARVED + 1));
  assert_null(roof_decision_at(-1));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(five_observations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
