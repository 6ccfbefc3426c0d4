/* Failures of a training run: Young's interval loses the least, and a run without failures loses nothing. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "roofline/failures.h"

/** The share lost with another interval than the one of the answer (Daly 2006). */
static double lost_at(const roof_failure_settings *s, const roof_failures *f, double interval) {
  double m = f->between_seconds;
  return 1 - interval / (m * exp(s->restart_seconds / m) * (exp((interval + f->checkpoint_seconds) / m) - 1));
}

static void the_interval_loses_the_least(void **state) {
  (void)state;
  const roof_failure_settings s = roof_failure_settings_default();
  for (double devices = 8; devices <= 65536; devices *= 8) {
    roof_failures f = roof_failures_of(&s, 70e9, devices, 1e7);
    assert_near(f.lost, lost_at(&s, &f, f.interval_seconds), 1e-9);
    assert_true(f.lost < lost_at(&s, &f, 0.9 * f.interval_seconds));
    assert_true(f.lost < lost_at(&s, &f, 1.1 * f.interval_seconds));
    assert_near(f.seconds * (1 - f.lost), 1e7, 1e-12);
    assert_near(f.failures, f.seconds * devices / s.device_seconds, 1e-12);
  }
}

/** Llama 3's own cluster: a failure about every three hours. */
static void the_default_is_what_was_published(void **state) {
  (void)state;
  const roof_failure_settings s = roof_failure_settings_default();
  roof_failures f = roof_failures_of(&s, 405e9, 16384, 54 * 86400.0);
  assert_near(f.between_seconds, 54 * 86400.0 / 419, 1e-12);
  assert_near(f.checkpoint_bytes, 14 * 405e9, 1e-12);
  assert_true(f.failures > 419 && f.lost < 0.15);
}

/** A failure within each restart makes it a matter of luck: e^(R / M) tries. Where no number is large enough the text says so. */
static void devices_that_fail_again_and_again(void **state) {
  (void)state;
  roof_text text = {0};
  roof_failures f = roof_failures_of(&(roof_failure_settings){512 * 300.0, 1e9, 600}, 70e9, 512, 1e6);
  assert_true(f.seconds > 1e6 * exp(2) && f.seconds < 1.3e6 * exp(2));
  f = roof_failures_of(&(roof_failure_settings){36, 1e9, 600}, 70e9, 512, 1e6);
  assert_true(isinf(f.seconds));
  roof_failures_describe(&text, &f);
  assert_non_null(strstr(text.data, "never ends"));
  roof_text_done(&text);
  f = roof_failures_of(&(roof_failure_settings){1e18, 1e9, 600}, 70e9, 512,
                       5); /* one checkpoint, at the end */
  assert_true(f.interval_seconds == 5 && f.checkpoints == 1);
  assert_near(f.seconds, 5 + f.checkpoint_seconds, 1e-9);
  f = roof_failures_of(&(roof_failure_settings){1e18, 1e9, 600}, 70e9, 512, 1e6);
  assert_near(f.seconds, 1e6, 1e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_interval_loses_the_least),
      cmocka_unit_test(the_default_is_what_was_published),
      cmocka_unit_test(devices_that_fail_again_and_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
