/* The loop with a backend that is wrong once: the figure that a second measurement does not confirm does not stay. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "roofline/loop.h"
#include "roofline/report.h"
#include "roofline/trust.h"
#include "test.h"

static const roof_backend *fake;
static int triads;

/** The scripted machine, whose first triad of the default size comes out three times too fast. */
static roof_status run_once_wrong(const roof_kernel *kernel, roof_dtype dtype, const double *values,
                                  const roof_measure_options *options, roof_measurement *out,
                                  roof_error *error) {
  roof_status status = fake->run(kernel, dtype, values, options, out, error);
  bool shown = strcmp(kernel->name, "triad") == 0 && values[0] > 5e7;
  if (status == ROOF_OK && shown && triads++ == 0) {
    out->seconds /= 3;
  }
  return status;
}

static const roof_loop_kernel *kernel_of(const roof_loop *loop, const char *name) {
  for (int i = 0; i < loop->count; i++) {
    if (strcmp(loop->kernels[i].kernel->name, name) == 0) {
      return &loop->kernels[i];
    }
  }
  fail_msg("%s: not in the loop", name);
  return NULL;
}

static void an_outlier_is_replaced(void **state) {
  (void)state;
  char folder[] = "/tmp/roofline-loop-XXXXXX";
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
  assert_int_equal(setenv("XDG_CONFIG_HOME", folder, 1), 0);
  assert_int_equal(roof_backend_find("fake", &fake, NULL), ROOF_OK);
  roof_backend once_wrong = *fake;
  once_wrong.run = run_once_wrong;
  roof_loop loop;
  roof_loop_options options = roof_loop_options_default();
  options.backend = &once_wrong;
  options.how.quick = true;
  roof_error error = {0};
  assert_int_equal(roof_loop_init(&loop, &options, NULL), ROOF_OK);
  if (roof_loop_run(&loop, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  const roof_loop_kernel *triad = kernel_of(&loop, "triad");
  assert_int_equal(triads, 2);
  assert_near(triad->reconciled.fraction_of_ceiling, 0.8, 1e-3);
  assert_near(triad->placed.share, 0.8, 1e-3);
  assert_string_equal(triad->reconciled.verdict, "normal");
  assert_non_null(strstr(triad->again, "240.0 % of the ceiling, which a second measurement did not confirm"));
  assert_true(roof_kernel_is_naive(kernel_of(&loop, "gemm-naive")->kernel));
  roof_loop_kernel shaky = *kernel_of(&loop, "gemv");
  assert_false(roof_loop_is_noisy(&shaky));
  shaky.noise = 0.2;
  assert_true(roof_loop_is_noisy(&shaky));
  shaky.noise = NAN;
  assert_false(roof_loop_is_noisy(&shaky));
  char sentence[ROOF_LOOP_LINE];
  assert_null(strstr(roof_loop_sentence(&loop, sentence, sizeof sentence), "gemm-naive"));
  roof_loop_done(&loop);
}

static void trust_counts_what_is_noisy(void **state) {
  (void)state;
  roof_trust trust;
  char line[ROOF_TRUST_LINE];
  roof_machine *m = roof_machine_new();
  roof_machine_trust(m, &trust);
  assert_true(trust.scripted);
  for (int i = 0; i < 4; i++) {
    roof_peak *peak = roof_machine_add_peak(m);
    assert_non_null(roof_peak_make_conditions(peak));
    *peak->conditions = (roof_conditions){.samples = 9, .spread = 0.01 * (i + 1), .clock_spread = 0.004};
  }
  strcpy(m->peaks[0].conditions->noisy, "rounds differ by 3.0 %");
  roof_machine_trust(m, &trust);
  assert_int_equal(trust.figures, 4);
  assert_int_equal(trust.noisy, 1);
  assert_near(trust.spread, 0.025, 1e-9);
  assert_string_equal(roof_trust_sentence(&trust, line, sizeof line),
                      "clock to 0.4 %, figures to 2.5 %; 1 of 4 noisy: see `doctor`");
  trust = (roof_trust){.figures = 128, .noisy = 128, .clock_spread = 1, .spread = 26.469};
  assert_true(strlen(roof_trust_sentence(&trust, line, sizeof line)) <= 68);
  roof_machine_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(an_outlier_is_replaced),
                                     cmocka_unit_test(trust_counts_what_is_noisy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
