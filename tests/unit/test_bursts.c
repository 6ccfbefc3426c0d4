/* Every burst this processor can run, by the values its chains end with. */
#include "test.h"

#include <stdio.h>

#include "kernels/lanes/burst.h"
#include "measure/cpu/cpu.h"

enum { ROUNDS = 3 };

/** What the chain `index` holds after ROUNDS steps from 0.75 with factor -1 and term 0.5. */
static double expected(roof_burst_form form, int index) {
  static const double fused = 0.5 - 0.75, summed = 0.75 + ROUNDS * 0.5, multiplied = -0.75;
  static const double ends[ROOF_BURST_FORM_COUNT][2] = {[ROOF_BURST_FMA] = {fused, fused},
                                                        [ROOF_BURST_ADD] = {summed, summed},
                                                        [ROOF_BURST_MUL] = {multiplied, multiplied},
                                                        [ROOF_BURST_MUL_ADD] = {fused, fused},
                                                        [ROOF_BURST_FMA_ADD] = {fused, summed}};
  return ends[form][index];
}

/** Half precision, for the few values above. */
static double half(uint16_t bits) {
  return ldexp(1 + (bits & 0x3FF) / 1024.0, (bits >> 10 & 0x1F) - 15) * (bits >> 15 != 0 ? -1 : 1);
}

/** Products that one step adds to one sum. */
static double products(const roof_burst *burst) {
  double sums = burst->form == ROOF_BURST_TILE ? 16 * 16 : burst->bits / 32;
  return burst->operations / 2 / sums;
}

static void assert_end(const roof_burst *burst, const void *result, int chain) {
  const char *at = (const char *)result + chain * ROOF_BURST_BYTES;
  double fp64 = 0;
  float fp32 = 0;
  uint16_t fp16 = 0;
  int32_t sum = 0;
  memcpy(&fp64, at, sizeof fp64);
  memcpy(&fp32, at, sizeof fp32);
  memcpy(&fp16, at, sizeof fp16);
  memcpy(&sum, at, sizeof sum);
  bool summed = burst->form == ROOF_BURST_DOT || burst->form == ROOF_BURST_TILE;
  double value = burst->dtype == ROOF_FP64   ? fp64
                 : burst->dtype == ROOF_INT8 ? sum
                 : burst->dtype == ROOF_FP16 ? half(fp16)
                                             : (double)fp32;
  double each = burst->dtype == ROOF_INT8 ? 3 * 5 : -0.5;
  double end = summed ? ROUNDS * products(burst) * each : expected(burst->form, chain);
  if (value != end) {
    fail_msg("%s %s: chain %d ends at %g, not at %g", burst->isa, roof_dtype_name(burst->dtype), chain, value,
             end);
  }
}

static void chains_compute_what_they_say(void **state) {
  (void)state;
  _Alignas(64) static char seeds[3 * ROOF_BURST_BYTES], result[2 * ROOF_BURST_BYTES];
  int ran = 0;
  for (int i = 0; roof_burst_at(i) != NULL; i++) {
    const roof_burst *burst = roof_burst_at(i);
    if (!burst->available() || (burst->refused != NULL && burst->refused() != NULL)) {
      continue;
    }
    roof_burst_seeds(burst, seeds);
    for (int w = -1; w < ROOF_BURST_WAYS && (w < 0 || burst->ways[w].run != NULL); w++) {
      memset(result, 0x55, sizeof result);
      (w < 0 ? burst->paced : burst->ways[w].run)(ROUNDS, seeds, result);
      assert_end(burst, result, 0);
      assert_end(burst, result, 1);
      ran++;
    }
  }
  assert_true(ran > 0);
  assert_null(roof_burst_at(-1));
}

static roof_burst burst_of(roof_burst_form form, double operations) {
  return (roof_burst){.form = form, .dtype = ROOF_FP64, .operations = operations};
}

/* Zen 4 as its vendor describes it: two pipes of 256 bits that multiply, two more that add. */
static void limits_follow_from_the_pipes(void **state) {
  (void)state;
  const roof_core_limits zen4 = {2, 2, 4, 2, NAN, 64, 32, 32, ""}, shared = {2, 2, 3, 2, 16, 128, 64, 64, ""};
  roof_burst fma = burst_of(ROOF_BURST_FMA, 8), add = burst_of(ROOF_BURST_ADD, 4);
  roof_burst both = burst_of(ROOF_BURST_FMA_ADD, 6), apart = burst_of(ROOF_BURST_MUL_ADD, 8);
  assert_near(roof_cpu_burst_limit(&zen4, &fma), 16, 1e-12);
  assert_near(roof_cpu_burst_limit(&zen4, &add), 8, 1e-12);
  assert_near(roof_cpu_burst_limit(&zen4, &both), 24, 1e-12);
  assert_near(roof_cpu_burst_limit(&zen4, &apart), 16, 1e-12);
  assert_near(roof_cpu_burst_limit(&shared, &both), 18, 1e-12);
  assert_near(roof_cpu_burst_limit(&shared, &apart), 12, 1e-12);
  roof_burst tile = burst_of(ROOF_BURST_TILE, 16384);
  assert_near(roof_cpu_burst_limit(&shared, &tile), 1024, 1e-12);
  assert_true(isnan(roof_cpu_burst_limit(&zen4, &tile)));
  assert_near(roof_cpu_transfer_limit(&zen4, 1, 0), 64, 1e-12);
  assert_near(roof_cpu_transfer_limit(&zen4, 1, 1), 64, 1e-12);
  assert_near(roof_cpu_transfer_limit(&zen4, 2, 1), 96, 1e-12);
  assert_near(roof_cpu_transfer_limit(&zen4, 0, 1), 32, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_compute_what_they_say),
      cmocka_unit_test(limits_follow_from_the_pipes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
