/* The kernel of attention_mma.cu on an emulated multiprocessor, launched as its row plans it, with the
 * operands and the check of the processor's kernel: fragments, turned chunks, masks, shared heads, edges. */
#include "test.h"

#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* what nvcc unrolls after inlining */
#endif
#include "kernels/cuda/attention_mma.cu"
#include "kernels/device/_device.h"
#include "kernels/kernels.h"

typedef void entry_point(const bf16 *, const bf16 *, bf16 *, int, int, int, float, long long);

static const struct {
  const char *name;
  entry_point *code;
} entries[] = {{"attention_mma_64_bf16", attention_mma_64_bf16},
               {"attention_mma_64_fp16", attention_mma_64_fp16},
               {"attention_mma_128_bf16", attention_mma_128_bf16},
               {"attention_mma_128_fp16", attention_mma_128_fp16}};

static void run_launch(const void *arguments) {
  const roof_device_launch *l = arguments;
  const roof_device_arg *a = l->args;
  for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
    if (strcmp(entries[i].name, l->entry) == 0) {
      entries[i].code(a[0].buffer, a[1].buffer, a[2].buffer, a[3].number, a[4].number, a[5].number, a[6].real,
                      a[7].index);
    }
  }
}

static roof_status attends(const char *sizes, roof_dtype dtype, bool late, roof_error *error) {
  const roof_kernel *kernel = NULL;
  roof_kernel_run run = {.dtype = dtype, .threads = 1};
  roof_device_launch launches[ROOF_DEVICE_LAUNCHES];
  assert_int_equal(roof_kernel_find("attention-flash-mma", &kernel, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_values(kernel, sizes, run.values, NULL), ROOF_OK);
  run.kernel = kernel;
  roof_status status = kernel->prepare(&run, error);
  if (status == ROOF_OK) {
    const roof_operands *o = run.state;
    roof_device_operands operands = {{o->in[0], o->in[1]}, o->out, NULL, 1024};
    assert_int_equal(roof_device_kernel_of(kernel)->plan(&run, &operands, launches), 1);
    emulated_late = late;
    const unsigned *g = launches[0].groups;
    assert_true(emulate(run_launch, launches, (index3){g[0], g[1], g[2]}, (int)launches[0].lanes[0], 1));
    status = kernel->check(&run, error);
  }
  kernel->release(&run);
  return status;
}

static void test_attends(void **state) {
  (void)state;
  static const struct {
    const char *sizes;
    roof_dtype dtype;
    bool late;
  } cases[] = {
      {"batch=1 heads=2 q_len=130 kv_len=70 head_dim=64 kv_heads=1", ROOF_BF16, false},
      {"batch=1 heads=1 q_len=20 kv_len=200 head_dim=128", ROOF_BF16, true},
      {"batch=1 heads=1 q_len=150 kv_len=150 head_dim=128 causal=1", ROOF_FP16, true},
      {"batch=2 heads=4 q_len=1 kv_len=65 head_dim=64 kv_heads=2 causal=1", ROOF_FP16, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_error error = {.message = ""};
    roof_status status = attends(cases[i].sizes, cases[i].dtype, cases[i].late, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(status, ROOF_OK);
  }
}

static void test_refuses(void **state) {
  (void)state;
  roof_error error;
  assert_int_equal(attends("batch=1 heads=1 q_len=8 kv_len=8 head_dim=80", ROOF_BF16, false, &error),
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
