/* Fits of message times, and the plans of pairs. */
#include "test.h"

#include "cluster/fabric_pairs.h"
#include "cluster/fit.h"

enum { SIZES = 16, SAMPLES = 21 };

typedef struct series {
  double samples[SIZES][SAMPLES];
  rf_sized sizes[SIZES];
} series;

static double noise(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 33) / 2147483648.0;
}

/** Times of eager messages below 16 KiB, of rendezvous from there; each late by up to `late` of itself, every tenth by ten times itself. */
static void make(series *s, double alpha[2], double beta[2], double late) {
  uint64_t state = 7;
  double bytes = 8;
  for (int i = 0; i < SIZES; i++, bytes *= 4) {
    int large = bytes >= 16384;
    for (int k = 0; k < SAMPLES; k++) {
      double t = alpha[large] + beta[large] * bytes;
      s->samples[i][k] = t * (1 + late * noise(&state)) * (late > 0 && noise(&state) > 0.9 ? 10 : 1);
    }
    s->sizes[i] = (rf_sized){bytes, s->samples[i], SAMPLES};
  }
}

static void exact_line_is_one_protocol(void **state) {
  (void)state;
  series s;
  roof_alpha_beta fit;
  make(&s, (double[]){2e-6, 2e-6}, (double[]){1e-10, 1e-10}, 0);
  assert_true(rf_fit_alpha_beta(s.sizes, SIZES, &fit));
  assert_int_equal(fit.count, 1);
  assert_near(fit.of[0].alpha.value, 2e-6, 1e-6);
  assert_near(fit.of[0].beta.value, 1e-10, 1e-6);
  assert_near(roof_message_seconds(&fit, 1e6), 2e-6 + 1e-4, 1e-6);
  assert_true(fit.error < 1e-6);
}

static void protocols_are_distinguished(void **state) {
  (void)state;
  series s;
  roof_alpha_beta fit;
  make(&s, (double[]){2e-6, 9e-6}, (double[]){4e-10, 1e-10}, 0.04);
  assert_true(rf_fit_alpha_beta(s.sizes, SIZES, &fit));
  assert_int_equal(fit.count, 2);
  assert_near(fit.of[1].from_bytes, 32768, 0);
  assert_near(fit.of[0].alpha.value, 2e-6 * 1.02, 0.03);
  assert_near(fit.of[1].beta.value, 1e-10 * 1.02, 0.03);
  for (int i = 0; i < 2; i++) {
    const roof_estimate both[] = {fit.of[i].alpha, fit.of[i].beta};
    for (int k = 0; k < 2; k++) {
      assert_true(both[k].low <= both[k].value && both[k].value <= both[k].high);
      assert_true(both[k].high - both[k].low < 0.2 * both[k].value);
      assert_true(both[k].low < both[k].high);
    }
  }
}

static void wild_sizes_move_no_fit(void **state) {
  (void)state;
  series s;
  roof_alpha_beta fit;
  make(&s, (double[]){2e-6, 2e-6}, (double[]){1e-10, 1e-10}, 0.01);
  for (int k = 0; k < SAMPLES; k++) {
    s.samples[5][k] *= 1.6;
  }
  assert_true(rf_fit_alpha_beta(s.sizes, SIZES, &fit));
  assert_near(fit.of[0].alpha.value, 2e-6, 0.03);
  assert_near(fit.of[fit.count - 1].beta.value, 1e-10, 0.03);
}

static void too_little_is_refused(void **state) {
  (void)state;
  series s;
  roof_alpha_beta fit = {.count = 9};
  make(&s, (double[]){2e-6, 2e-6}, (double[]){1e-10, 1e-10}, 0);
  assert_false(rf_fit_alpha_beta(s.sizes, 2, &fit));
  s.sizes[2].count = 0;
  assert_false(rf_fit_alpha_beta(s.sizes, SIZES, &fit));
  assert_int_equal(fit.count, 9);
  for (int i = 0; i < SIZES; i++) {
    s.sizes[i].count = 2;
  }
  assert_true(rf_fit_alpha_beta(s.sizes, SIZES, &fit));
  assert_true(isnan(fit.of[0].alpha.low));
}

/** Times of a processor that others use: whatever they are, a message takes some. */
static void times_are_positive(void **state) {
  (void)state;
  roof_alpha_beta fit;
  const double samples[3][5] = {{52e-6, 52e-6, 52e-6, 52e-6, 52e-6},
                                {1406e-6, 1406e-6, 1406e-6, 1406e-6, 1406e-6},
                                {61630e-6, 61630e-6, 61630e-6, 61630e-6, 61630e-6}};
  const rf_sized sizes[] = {{4, samples[0], 5}, {16, samples[1], 5}, {64, samples[2], 5}};
  assert_true(rf_fit_alpha_beta(sizes, 3, &fit));
  assert_true(roof_message_seconds(&fit, 4) > 0);
  assert_true(roof_message_seconds(&fit, 8) > 0);
}

/** The three series of a network with L = 5 us, o = 1 us, g = 2 us, 1/G = 10 GB/s (Hoefler et al. 2007). */
static void loggp_is_found_again(void **state) {
  (void)state;
  const double latency = 5e-6, overhead = 1e-6, gap = 2e-6, per_byte = 1e-10;
  double one[SIZES], further[SIZES], bytes = 1;
  rf_sized ones[SIZES], gaps[SIZES];
  for (int i = 0; i < SIZES; i++, bytes *= 2) {
    one[i] = 2 * (latency + 2 * overhead + (bytes - 1) * per_byte);
    further[i] = gap + (bytes - 1) * per_byte;
    ones[i] = (rf_sized){bytes, &one[i], 1};
    gaps[i] = (rf_sized){bytes, &further[i], 1};
  }
  rf_loggp_data data = {ones, gaps, SIZES, {1, &overhead, 1}};
  roof_loggp fit;
  assert_true(rf_fit_loggp(&data, &fit));
  assert_near(fit.latency.value, latency, 1e-6);
  assert_near(fit.overhead.value, overhead, 1e-6);
  assert_near(fit.gap.value, gap, 1e-6);
  assert_near(fit.gap_per_byte.value, per_byte, 1e-6);
  data.count = 2;
  assert_false(rf_fit_loggp(&data, &fit));
}

static void each_pair_meets_once(void **state) {
  (void)state;
  for (int ranks = 0; ranks <= 33; ranks++) {
    int met[33][33] = {0}, rounds = rf_pairs_rounds(ranks), pairs = 0;
    assert_true(rounds <= ranks);
    for (int round = 0; round < rounds; round++) {
      for (int rank = 0; rank < ranks; rank++) {
        int partner = rf_pairs_partner(ranks, round, rank);
        assert_true(partner >= -1 && partner < ranks && partner != rank);
        assert_int_equal(partner < 0 ? rank : rf_pairs_partner(ranks, round, partner), rank);
        pairs += partner >= 0 && met[rank][partner]++ == 0;
      }
    }
    assert_int_equal(pairs, ranks * (ranks - 1));
  }
}

static void halves_meet_across(void **state) {
  (void)state;
  for (int ranks = 2; ranks <= 9; ranks++) {
    for (int rank = 0; rank < ranks; rank++) {
      int partner = rf_pairs_across(ranks, rank);
      assert_int_equal(partner < 0 ? rank : rf_pairs_across(ranks, partner), rank);
      assert_true(partner < 0 ? rank == ranks - 1 && ranks % 2 == 1
                              : (rank < ranks / 2) != (partner < ranks / 2));
    }
  }
}

static void distances_by_place_and_name(void **state) {
  (void)state;
  static const struct {
    rf_rank_place a, b;
    roof_distance expected;
  } cases[] = {
      {{"n1", "", 0, 3}, {"n1", "", 0, 3}, ROOF_DISTANCE_CORE},
      {{"n1", "", 0, 3}, {"n1", "", 0, 4}, ROOF_DISTANCE_SOCKET},
      {{"n1", "", 0, 3}, {"n1", "", 1, 9}, ROOF_DISTANCE_NODE},
      {{"n1", "", -1, -1}, {"n1", "", -1, -1}, ROOF_DISTANCE_NODE},
      {{"n1", "", 0, 3}, {"n2", "", 0, 3}, ROOF_DISTANCE_NETWORK},
      {{"r1n3", "", 0, 3}, {"r1n12", "", 0, 3}, ROOF_DISTANCE_SWITCH},
      {{"r1n3", "", 0, 3}, {"r2n3", "", 0, 3}, ROOF_DISTANCE_NETWORK},
      {{"x1000c0s3b0n0", "", 0, 3}, {"x1000c0s3b0n1", "", 0, 3}, ROOF_DISTANCE_SWITCH},
      {{"n1", "s0.s1.n1", 0, 3}, {"n2", "s0.s1.n2", 0, 3}, ROOF_DISTANCE_SWITCH},
      {{"r1n1", "s0.s1.r1n1", 0, 3}, {"r1n2", "s0.s2.r1n2", 0, 3}, ROOF_DISTANCE_NETWORK},
      {{"login", "", 0, 3}, {"admin", "", 0, 3}, ROOF_DISTANCE_NETWORK},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_string_equal(roof_distance_name(rf_distance_of(&cases[i].a, &cases[i].b)),
                        roof_distance_name(cases[i].expected));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_line_is_one_protocol),  cmocka_unit_test(protocols_are_distinguished),
      cmocka_unit_test(wild_sizes_move_no_fit),      cmocka_unit_test(too_little_is_refused),
      cmocka_unit_test(times_are_positive),          cmocka_unit_test(loggp_is_found_again),
      cmocka_unit_test(each_pair_meets_once),        cmocka_unit_test(halves_meet_across),
      cmocka_unit_test(distances_by_place_and_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
