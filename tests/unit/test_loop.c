/* The main job as a program asks for it, on the scripted machine. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loop/calibrate.h"
#include "roofline/loop.h"

static char folder[] = "/tmp/roofline-test-XXXXXX";

static int enter(void **state) {
  (void)state;
  return mkdtemp(folder) == NULL || chdir(folder) != 0 || setenv("XDG_CONFIG_HOME", folder, 1) != 0;
}

static int leave(void **state) {
  (void)state;
  char command[64];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return chdir("/") != 0 || system(command) != 0;
}

static roof_loop_options fake(void) {
  roof_loop_options options = roof_loop_options_default();
  assert_int_equal(roof_backend_find("fake", &options.backend, NULL), ROOF_OK);
  options.how.quick = true;
  return options;
}

static void seals_runs_reconciles_and_reports(void **state) {
  (void)state;
  roof_loop_options options = fake();
  roof_loop *loop = calloc(1, sizeof *loop);
  roof_ledger_summary summary;
  roof_text text = {0};
  char line[ROOF_LOOP_LINE];
  assert_non_null(loop);
  assert_int_equal(roof_loop_init(loop, &options, NULL), ROOF_OK);
  assert_true(loop->count > 0 && loop->done == 0);
  assert_int_equal(roof_loop_run(loop, NULL), ROOF_OK);
  assert_string_equal(loop->machine->name, "fake");
  assert_true(loop->done > 0);
  assert_int_equal(roof_ledger_verify("roofline.ledger", NULL, &summary, NULL), ROOF_OK);
  assert_int_equal(summary.predictions, loop->count);
  assert_int_equal(summary.measurements, loop->count);
  roof_loop_accuracy accuracy;
  assert_int_equal(roof_loop_accuracy_of(loop, &accuracy, NULL), ROOF_OK);
  assert_true(accuracy.points == loop->count && accuracy.points > loop->done && accuracy.alone);
  assert_true(accuracy.median < 0.05 && accuracy.median <= accuracy.ninetieth && accuracy.coverage > 0.8);
  assert_non_null(strstr(roof_loop_accuracy_sentence(&accuracy, line, sizeof line), "90th percentile"));
  assert_true(accuracy.looked == 0 && accuracy.whole == 0 && isnan(accuracy.whole_median));
  assert_string_equal(roof_loop_sharing_sentence(&accuracy, line, sizeof line), "");
  assert_string_equal(roof_loop_place(loop, &loop->kernels[loop->count - 1], line, sizeof line),
                      "DRAM, 1 core");
  assert_non_null(strstr(roof_loop_sentence(loop, line, sizeof line),
                         "kernels in fp32: most headroom, naive apart, in "));
  assert_int_equal(roof_loop_write(loop, "a.html", &text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "\"report\": \"a.html\""));
  assert_non_null(strstr(text.data, roof_loop_because(&loop->kernels[0], line, sizeof line)));
  roof_text_done(&text);
  assert_int_equal(roof_loop_write_html(loop, &text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "Ceilings of this machine"));
  roof_text_done(&text);
  roof_loop_done(loop);
  free(loop);
}

static void kernels_on_shared_cores_are_counted_apart(void **state) {
  (void)state;
  static const double disturbed[] = {0, 0.4, 0.6, 1, NAN}, errors[] = {0.1, 0.3, 0.8, 0.9, 0.5};
  enum { KERNELS = sizeof errors / sizeof errors[0] };
  roof_loop_kernel kernels[KERNELS];
  roof_loop loop = {.kernels = kernels, .count = KERNELS};
  for (int i = 0; i < KERNELS; i++) {
    kernels[i] = (roof_loop_kernel){.measured_seconds = 1, .disturbed = disturbed[i]};
    kernels[i].prediction.expected_seconds = 1 + errors[i];
  }
  roof_loop_accuracy a;
  char line[ROOF_LOOP_LINE];
  assert_int_equal(roof_loop_accuracy_of(&loop, &a, NULL), ROOF_OK);
  assert_true(a.points == 5 && a.looked == 4 && a.whole == 2);
  assert_true(fabs(a.median - 0.5) < 1e-9 && fabs(a.whole_median - 0.2) < 1e-9);
  assert_string_equal(roof_loop_sharing_sentence(&a, line, sizeof line),
                      "2 of 4 shared a core with something; the other 2 off by 20 %, 90th percentile 30 %");
  kernels[0].disturbed = kernels[1].disturbed = 1;
  assert_int_equal(roof_loop_accuracy_of(&loop, &a, NULL), ROOF_OK);
  assert_string_equal(roof_loop_sharing_sentence(&a, line, sizeof line),
                      "4 of 4 shared a core with something");
}

/** Two modes: samples that spread far, and a median that is known well. */
static roof_status run_in_modes(const roof_kernel *kernel, roof_dtype dtype, const double *values,
                                const roof_measure_options *options, roof_measurement *out,
                                roof_error *error) {
  const roof_backend *plain = NULL;
  assert_int_equal(roof_backend_find("fake", &plain, NULL), ROOF_OK);
  roof_status status = plain->run(kernel, dtype, values, options, out, error);
  if (status == ROOF_OK) {
    out->stats.spread = 0.5;
  }
  return status;
}

static void a_timing_counts_by_what_is_known_of_its_median(void **state) {
  (void)state;
  roof_loop_options options = fake();
  roof_backend modes = *options.backend;
  modes.run = run_in_modes;
  options.backend = &modes;
  roof_loop *loop = calloc(1, sizeof *loop);
  assert_non_null(loop);
  assert_int_equal(roof_loop_init(loop, &options, NULL), ROOF_OK);
  assert_int_equal(roof_loop_run(loop, NULL), ROOF_OK);
  assert_true(loop->calibration->count > 0);
  for (size_t i = 0; i < loop->calibration->count; i++) {
    assert_true(loop->calibration->timings[i].weight > 0.9);
  }
  roof_loop_done(loop);
  free(loop);
}

static void a_format_that_no_kernel_has(void **state) {
  (void)state;
  roof_loop_options options = fake();
  roof_loop loop;
  roof_error error;
  options.dtype = ROOF_BF16;
  assert_int_equal(roof_loop_init(&loop, &options, &error), ROOF_E_UNSUPPORTED);
  assert_non_null(strstr(error.message, "bf16"));
}

static void a_ledger_that_is_none_stops_it(void **state) {
  (void)state;
  roof_loop_options options = fake();
  roof_loop *loop = calloc(1, sizeof *loop);
  assert_non_null(loop);
  options.ledger = "nowhere/ledger";
  assert_int_equal(roof_loop_init(loop, &options, NULL), ROOF_OK);
  assert_int_equal(roof_loop_run(loop, NULL), ROOF_E_OUTPUT);
  assert_int_equal(loop->done, 0);
  roof_loop_done(loop);
  free(loop);
}

static int count_of(const char *text, const char *part) {
  int count = 0;
  for (; (text = strstr(text, part)) != NULL; text += strlen(part)) {
    count++;
  }
  return count;
}

/** Backends that call a library name it in what they say of the measurement. */
static void the_report_names_a_library_once(void **state) {
  (void)state;
  roof_loop_options options = fake();
  roof_loop *loop = calloc(1, sizeof *loop);
  const char *library = NULL;
  assert_non_null(loop);
  options.ledger = "once.ledger";
  assert_int_equal(roof_loop_init(loop, &options, NULL), ROOF_OK);
  assert_int_equal(roof_loop_run(loop, NULL), ROOF_OK);
  for (int i = 0; i < loop->count && library == NULL; i++) {
    roof_loop_kernel *k = &loop->kernels[i];
    library = k->shown && k->kernel->library != NULL ? k->kernel->library() : NULL;
    if (library != NULL) {
      snprintf(k->how, sizeof k->how, "2 threads bound; %s", library);
    }
  }
  if (library != NULL) {
    roof_text page = {0};
    assert_int_equal(roof_loop_write_html(loop, &page, NULL), ROOF_OK);
    assert_int_equal(count_of(page.data, library), 1);
    roof_text_done(&page);
  }
  roof_loop_done(loop);
  free(loop);
  if (library == NULL) {
    skip(); /* no BLAS is installed */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_report_names_a_library_once),
      cmocka_unit_test(seals_runs_reconciles_and_reports),
      cmocka_unit_test(kernels_on_shared_cores_are_counted_apart),
      cmocka_unit_test(a_timing_counts_by_what_is_known_of_its_median),
      cmocka_unit_test(a_format_that_no_kernel_has),
      cmocka_unit_test(a_ledger_that_is_none_stops_it),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}
