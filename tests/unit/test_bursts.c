/* Every burst and transfer this processor can run, by the values they leave. */
#include "test.h"

#include "kernels/lanes/burst.h"
#include "kernels/lanes/lanes.h"

enum { ROUNDS = 3 };

/** What the chain `index` holds after ROUNDS steps from 0.75 with factor -1 and term 0.5. */
static double expected(const roof_burst *burst, int index) {
  static const double fused = 0.5 - 0.75, summed = 0.75 + ROUNDS * 0.5, multiplied = -0.75;
  static const double ends[ROOF_BURST_FORM_COUNT][2] = {[ROOF_BURST_FMA] = {fused, fused},
                                                        [ROOF_BURST_ADD] = {summed, summed},
                                                        [ROOF_BURST_MUL] = {multiplied, multiplied},
                                                        [ROOF_BURST_MUL_ADD] = {fused, fused},
                                                        [ROOF_BURST_FMA_ADD] = {fused, summed}};
  bool adds = strncmp(burst->isa, "NEON", 4) == 0 || strncmp(burst->isa, "SVE", 3) == 0;
  return adds && burst->form == ROOF_BURST_FMA ? 0.75 - ROUNDS * 0.5 : ends[burst->form][index];
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
  double end = summed ? ROUNDS * products(burst) * each : expected(burst, chain);
  if (value != end) {
    fail_msg("%s %s: chain %d ends at %g, not at %g", burst->isa, roof_dtype_name(burst->dtype), chain, value,
             end);
  }
}

static void chains_compute_what_they_say(void **state) {
  (void)state;
  _Alignas(64) static char seeds[3 * ROOF_BURST_BYTES], result[2 * ROOF_BURST_BYTES];
  int ran = 0, widest = 0;
  for (int i = 0; roof_burst_at(i) != NULL; i++) {
    const roof_burst *burst = roof_burst_at(i);
    if (!burst->available() || (burst->refused != NULL && burst->refused() != NULL)) {
      continue;
    }
    widest = burst->bits > widest ? burst->bits : widest;
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
  print_message("%d ways, registers of up to %d bits\n", ran, widest);
  assert_null(roof_burst_at(-1));
}

enum { SPAN_BYTES = 2048, SPAN_COUNT = SPAN_BYTES / sizeof(double) };

/** Two thirds of the arrays, from their second half on, and what the pattern leaves in element `i` of a. */
static void check_transfer(roof_transfer *transfer, roof_pattern pattern, size_t bytes) {
  _Alignas(64) static double a[SPAN_COUNT], b[SPAN_COUNT], c[SPAN_COUNT];
  for (size_t i = 0; i < SPAN_COUNT; i++) {
    a[i] = 3 + (double)i;
    b[i] = 1000 + (double)i;
    c[i] = 0.5 * (double)i;
  }
  transfer(&(roof_span){(char *)a, (const char *)b, (const char *)c, SPAN_BYTES, SPAN_BYTES / 2, bytes});
  for (size_t i = 0; i < SPAN_COUNT; i++) {
    bool passed = i >= SPAN_COUNT / 2 || bytes >= SPAN_BYTES;
    bool twice = i >= SPAN_COUNT / 2 && bytes > SPAN_BYTES;
    double before = 3 + (double)i;
    const double after[ROOF_PATTERN_COUNT] = {[ROOF_LOAD] = before,
                                              [ROOF_STORE] = -1,
                                              [ROOF_COPY] = b[i],
                                              [ROOF_UPDATE] = twice ? before : -before,
                                              [ROOF_TRIAD] = b[i] - c[i]};
    assert_true(a[i] == (passed ? after[pattern] : before));
  }
}

static void transfers_move_what_they_say(void **state) {
  (void)state;
  for (int l = 0; roof_lanes_at(l) != NULL; l++) {
    const roof_lanes *lanes = roof_lanes_at(l);
    print_message("%s%s\n", lanes->isa, lanes->available() ? "" : ": not here");
    for (int p = 0; p < ROOF_PATTERN_COUNT && lanes->available(); p++) {
      for (int w = 0; w < ROOF_WAY_COUNT; w++) {
        check_transfer(lanes->transfers[p][w], (roof_pattern)p, SPAN_BYTES / 2);
        check_transfer(lanes->transfers[p][w], (roof_pattern)p, SPAN_BYTES);
        check_transfer(lanes->transfers[p][w], (roof_pattern)p, SPAN_BYTES * 3 / 2);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_compute_what_they_say),
      cmocka_unit_test(transfers_move_what_they_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
