/* The kernels of attention_wgmma.cu on an emulated multiprocessor: layouts, barriers, roles, turns, masks,
 * edges. */
#include "test.h"

#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* what nvcc unrolls after inlining */
#endif
#include "kernels/cuda/attention_wgmma.cu"

#include "attention.h"

static CUtensorMap map_of(const rf_device_arg *arg) {
  const rf_device_tensor *t = &arg->tensor;
  assert_int_equal(arg->kind, RF_ARG_TENSOR);
  return (CUtensorMap){t->buffer, t->columns, t->rows, t->box_rows, t->planes};
}

static void run_launch(const void *arguments) {
  static const struct {
    const char *name;
    void (*code)(CUtensorMap, CUtensorMap, CUtensorMap, int, int, int, float);
  } entries[] = {{"attention_wgmma_64_bf16", attention_wgmma_64_bf16},
                 {"attention_wgmma_64_fp16", attention_wgmma_64_fp16},
                 {"attention_wgmma_128_bf16", attention_wgmma_128_bf16},
                 {"attention_wgmma_128_fp16", attention_wgmma_128_fp16}};
  const rf_device_launch *l = arguments;
  const rf_device_arg *a = l->args;
  for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
    if (strcmp(entries[i].name, l->entry) == 0) {
      entries[i].code(map_of(&a[0]), map_of(&a[1]), map_of(&a[2]), a[3].number, a[4].number, a[5].number,
                      a[6].real);
    }
  }
}

static void test_attends(void **state) {
  (void)state;
  attends_all("attention-flash-wgmma", run_launch);
}

static int done(void **state) {
  (void)state;
  emulate_done();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_attends)};
  return cmocka_run_group_tests(tests, NULL, done);
}
