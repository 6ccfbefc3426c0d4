/* The kernels of attention_mma.cu on an emulated multiprocessor: fragments, turned chunks, masks, shared
 * heads, edges. */
#include "test.h"

#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* what nvcc unrolls after inlining */
#endif
#include "kernels/cuda/attention_mma.cu"

#include "attention.h"

static void run_launch(const void *arguments) {
  static const struct {
    const char *name;
    void (*code)(const bf16 *, const bf16 *, bf16 *, int, int, int, float, long long);
  } entries[] = {{"attention_mma_64_bf16", attention_mma_64_bf16},
                 {"attention_mma_64_fp16", attention_mma_64_fp16},
                 {"attention_mma_128_bf16", attention_mma_128_bf16},
                 {"attention_mma_128_fp16", attention_mma_128_fp16}};
  const rf_device_launch *l = arguments;
  const rf_device_arg *a = l->args;
  for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
    if (strcmp(entries[i].name, l->entry) == 0) {
      entries[i].code(a[0].buffer, a[1].buffer, a[2].buffer, a[3].number, a[4].number, a[5].number, a[6].real,
                      a[7].index);
    }
  }
}

static void test_attends(void **state) {
  (void)state;
  attends_all("attention-flash-mma", run_launch);
}

static void test_refuses(void **state) {
  (void)state;
  roof_error error;
  assert_int_equal(attends("attention-flash-mma", "batch=1 heads=1 q_len=8 kv_len=8 head_dim=80", ROOF_BF16,
                           run_launch, &error),
                   ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message, "attention-flash-mma: not written for head_dim=80, only 64 and 128");
}

/** Eight rows read together lie in different banks. */
static void test_banks(void **state) {
  (void)state;
  for (int i = 0; i < 24; i++) {
    unsigned banks = 0;
    for (int row = 0; row < 8; row++) {
      banks |= 1u << (offset(row, i < 16 ? i : i - 16, i < 16 ? 128 : 64) / 16 % 8);
    }
    assert_int_equal(banks, 255);
  }
}

static int done(void **state) {
  (void)state;
  emulate_done();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_attends), cmocka_unit_test(test_refuses),
                                     cmocka_unit_test(test_banks)};
  return cmocka_run_group_tests(tests, NULL, done);
}
