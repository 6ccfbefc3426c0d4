/* Every peak kernel and transfer this processor can run, by the values they leave. */
#include "test.h"

#include "kernels/lanes/lanes.h"
#include "kernels/lanes/peak.h"

enum { ROUNDS = 3 };

/** What the chain `index` holds after ROUNDS steps from 0.75 with factor -1 and term 0.5. */
static double expected(const rf_peak_kernel *kernel, int index) {
  static const double fused = 0.5 - 0.75, summed = 0.75 + ROUNDS * 0.5, multiplied = -0.75;
  static const double ends[RF_PEAK_FORM_COUNT][2] = {[RF_PEAK_FMA] = {fused, fused},
                                                     [RF_PEAK_ADD] = {summed, summed},
                                                     [RF_PEAK_MUL] = {multiplied, multiplied},
                                                     [RF_PEAK_MUL_ADD] = {fused, fused},
                                                     [RF_PEAK_FMA_ADD] = {fused, summed}};
  bool adds = strncmp(kernel->isa, "NEON", 4) == 0 || strncmp(kernel->isa, "SVE", 3) == 0;
  return adds && kernel->form == RF_PEAK_FMA ? 0.75 - ROUNDS * 0.5 : ends[kernel->form][index];
}

/** Half precision, for the few values above. */
static double half(uint16_t bits) {
  return ldexp(1 + (bits & 0x3FF) / 1024.0, (bits >> 10 & 0x1F) - 15) * (bits >> 15 != 0 ? -1 : 1);
}

/** Products that one step adds to one sum. */
static double products(const rf_peak_kernel *kernel) {
  double sums = kernel->form == RF_PEAK_TILE ? 16 * 16 : kernel->bits / 32;
  return kernel->operations / 2 / sums;
}

static void assert_end(const rf_peak_kernel *kernel, const void *result, int chain) {
  const char *at = (const char *)result + chain * RF_PEAK_BYTES;
  double fp64 = 0;
  float fp32 = 0;
  uint16_t fp16 = 0;
  int32_t sum = 0;
  memcpy(&fp64, at, sizeof fp64);
  memcpy(&fp32, at, sizeof fp32);
  memcpy(&fp16, at, sizeof fp16);
  memcpy(&sum, at, sizeof sum);
  bool summed = kernel->form == RF_PEAK_DOT || kernel->form == RF_PEAK_TILE;
  double value = kernel->dtype == ROOF_FP64   ? fp64
                 : kernel->dtype == ROOF_INT8 ? sum
                 : kernel->dtype == ROOF_FP16 ? half(fp16)
                                              : (double)fp32;
  double each = kernel->dtype == ROOF_INT8 ? 3 * 5 : -0.5;
  double end = summed ? ROUNDS * products(kernel) * each : expected(kernel, chain);
  if (value != end) {
    fail_msg("%s %s: chain %d ends at %g, not at %g", kernel->isa, roof_dtype_name(kernel->dtype), chain,
             value, end);
  }
}

static void chains_compute_what_they_say(void **state) {
  (void)state;
  _Alignas(64) static char seeds[3 * RF_PEAK_BYTES], result[2 * RF_PEAK_BYTES];
  int ran = 0, widest = 0;
  for (int i = 0; rf_peak_kernel_at(i) != NULL; i++) {
    const rf_peak_kernel *kernel = rf_peak_kernel_at(i);
    if (!kernel->available() || (kernel->refused != NULL && kernel->refused() != NULL)) {
      continue;
    }
    widest = kernel->bits > widest ? kernel->bits : widest;
    rf_peak_kernel_seeds(kernel, seeds);
    for (int w = -1; w < RF_PEAK_WAYS && (w < 0 || kernel->ways[w].run != NULL); w++) {
      memset(result, 0x55, sizeof result);
      (w < 0 ? kernel->paced : kernel->ways[w].run)(ROUNDS, seeds, result);
      assert_end(kernel, result, 0);
      assert_end(kernel, result, 1);
      ran++;
    }
  }
  assert_true(ran > 0);
  print_message("%d ways, registers of up to %d bits\n", ran, widest);
  assert_null(rf_peak_kernel_at(-1));
}

/** What factor and term of that type give, as the bits of the result. */
static uint64_t operated(const rf_rate_kernel *kernel, const char *seeds) {
  const char *f = seeds + RF_PEAK_BYTES, *t = seeds + 2 * RF_PEAK_BYTES,
             *does = strchr(kernel->name, ' ') + 1;
  bool adds = strcmp(does, "add") == 0, multiplies = strcmp(does, "multiply") == 0,
       divides = strcmp(does, "divide") == 0;
  size_t terms = strncmp(does, "sum ", 4) == 0 ? (size_t)kernel->operations : 0;
  uint64_t bits = 0;
#define OPERATE(type, root)                                                                                  \
  {                                                                                                          \
    type a, b, result, sum = 0;                                                                              \
    memcpy(&a, f, sizeof a);                                                                                 \
    memcpy(&b, t, sizeof b);                                                                                 \
    for (size_t p = 0; p < terms; p++) {                                                                     \
      sum += b * a;                                                                                          \
    }                                                                                                        \
    result = terms > 0    ? sum                                                                              \
             : adds       ? (type)(a + b)                                                                    \
             : multiplies ? (type)(a * b)                                                                    \
             : divides    ? (type)(a / b)                                                                    \
                          : (type)root(b);                                                                      \
    memcpy(&bits, &result, sizeof result);                                                                   \
  }
  switch (kernel->type) {
  case RF_RATE_INT32:
    OPERATE(uint32_t, (uint32_t))
    break;
  case RF_RATE_INT64:
    OPERATE(uint64_t, (uint64_t))
    break;
  case RF_RATE_FP32:
    OPERATE(float, sqrtf)
    break;
  default:
    OPERATE(double, sqrt)
  }
  return bits;
}

static void operations_give_what_they_say(void **state) {
  (void)state;
  _Alignas(64) static char seeds[3 * RF_PEAK_BYTES], result[2 * RF_PEAK_BYTES];
  int ran = 0;
  for (int i = 0; rf_rate_kernel_at(i) != NULL; i++) {
    const rf_rate_kernel *kernel = rf_rate_kernel_at(i);
    size_t size = kernel->type == RF_RATE_INT32 || kernel->type == RF_RATE_FP32 ? 4 : 8;
    if (!kernel->available()) {
      continue;
    }
    rf_rate_kernel_seeds(kernel, seeds);
    memset(result, 0x55, sizeof result);
    kernel->run(ROUNDS, seeds, result);
    uint64_t expected_bits = operated(kernel, seeds), first = 0, second = 0;
    memcpy(&first, result, size);
    memcpy(&second, result + RF_PEAK_BYTES, size);
    if (first != expected_bits || second != expected_bits) {
      fail_msg("%s %s: %llx and %llx, not %llx", kernel->name, kernel->isa, (unsigned long long)first,
               (unsigned long long)second, (unsigned long long)expected_bits);
    }
    assert_true(kernel->operations >= 8);
    ran++;
  }
  print_message("%d kinds of operations\n", ran);
  assert_null(rf_rate_kernel_at(-1));
}

/** Every chain of a loop that mixes loads with arithmetic, lane by lane. */
static double mixed(const double *x, size_t count, size_t steps, size_t lanes) {
  double total = 0;
  for (size_t chain = 0; chain < 8 * lanes; chain++) {
    double sum = 0;
    size_t column = chain % (4 * lanes), own = (steps + (chain < 4 * lanes)) / 2;
    for (size_t i = 0; i + 4 * lanes <= count; i += 4 * lanes) {
      for (size_t s = 0; s < own; s++) {
        sum = x[i + column] - sum;
      }
    }
    total += sum;
  }
  return total;
}

static void mixed_loops_do_the_arithmetic_they_count(void **state) {
  (void)state;
  enum { COUNT = 259 };
  static double x[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    x[i] = (double)(i * 37 % 101) - 50;
  }
  for (int l = 0; rf_lanes_at(l) != NULL; l++) {
    const rf_lanes *lanes = rf_lanes_at(l);
    static const size_t steps[] = {1, 2, 3, 6, 8, 13, 24};
    for (size_t s = 0; s < sizeof steps / sizeof steps[0] && lanes->available() && lanes->fp64 != NULL; s++) {
      double got = lanes->fp64->mix(x, COUNT, steps[s]);
      assert_near(got + 1e6, mixed(x, COUNT, steps[s], (size_t)lanes->fp64->lanes) + 1e6, 1e-12);
    }
  }
}

enum { SPAN_BYTES = 2048, SPAN_COUNT = SPAN_BYTES / sizeof(double) };

/** Two thirds of the arrays, from their second half on, and what the pattern leaves in element `i` of a. */
static void check_transfer(rf_transfer *transfer, rf_pattern pattern, size_t bytes) {
  _Alignas(64) static double a[SPAN_COUNT], b[SPAN_COUNT], c[SPAN_COUNT];
  for (size_t i = 0; i < SPAN_COUNT; i++) {
    a[i] = 3 + (double)i;
    b[i] = 1000 + (double)i;
    c[i] = 0.5 * (double)i;
  }
  transfer(&(rf_lanes_span){(char *)a, (const char *)b, (const char *)c, SPAN_BYTES, SPAN_BYTES / 2, bytes});
  for (size_t i = 0; i < SPAN_COUNT; i++) {
    bool passed = i >= SPAN_COUNT / 2 || bytes >= SPAN_BYTES;
    bool twice = i >= SPAN_COUNT / 2 && bytes > SPAN_BYTES;
    double before = 3 + (double)i;
    const double after[RF_PATTERN_COUNT] = {[RF_LOAD] = before,
                                            [RF_STORE] = -1,
                                            [RF_COPY] = b[i],
                                            [RF_UPDATE] = twice ? before : -before,
                                            [RF_TRIAD] = b[i] - c[i]};
    assert_true(a[i] == (passed ? after[pattern] : before));
  }
}

static void transfers_move_what_they_say(void **state) {
  (void)state;
  for (int l = 0; rf_lanes_at(l) != NULL; l++) {
    const rf_lanes *lanes = rf_lanes_at(l);
    print_message("%s%s\n", lanes->isa, lanes->available() ? "" : ": not here");
    for (int p = 0; p < RF_PATTERN_COUNT && lanes->available(); p++) {
      for (int w = 0; w < RF_WAY_COUNT; w++) {
        check_transfer(lanes->transfers[p][w], (rf_pattern)p, SPAN_BYTES / 2);
        check_transfer(lanes->transfers[p][w], (rf_pattern)p, SPAN_BYTES);
        check_transfer(lanes->transfers[p][w], (rf_pattern)p, SPAN_BYTES * 3 / 2);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_compute_what_they_say),
      cmocka_unit_test(operations_give_what_they_say),
      cmocka_unit_test(mixed_loops_do_the_arithmetic_they_count),
      cmocka_unit_test(transfers_move_what_they_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
