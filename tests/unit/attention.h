/* Attention on the emulated multiprocessor: launched as its row plans it, with the operands and the check of
 * the processor's kernel. Included behind the kernel's text. */
#ifndef TESTS_UNIT_ATTENTION_H
#define TESTS_UNIT_ATTENTION_H

#include "test.h"

#include "kernels/device/_device.h"
#include "kernels/kernels.h"

/** Multiprocessors that launches are planned for, and how many launches there were. */
static double planned_units = 1;
static int launch_count;

/** Runs the kernel named on `sizes`; `run_launch` takes a launch planned. */
static roof_status attends(const char *name, const char *sizes, roof_dtype dtype,
                           void (*run_launch)(const void *launch), roof_error *error) {
  const roof_kernel *kernel = NULL;
  roof_kernel_run run = {.dtype = dtype, .threads = 1};
  rf_device_launch launches[RF_DEVICE_LAUNCHES];
  assert_int_equal(roof_kernel_find(name, &kernel, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_values(kernel, sizes, run.values, NULL), ROOF_OK);
  run.kernel = kernel;
  roof_status status = kernel->prepare(&run, error);
  if (status == ROOF_OK) {
    const rf_operands *o = run.state;
    const rf_device_kernel *device = rf_device_kernel_of(kernel);
    size_t bytes = device->scratch != NULL ? (size_t)device->scratch(&run) : 0;
    void *scratch = bytes > 0 ? memset(test_malloc(bytes), 0xFF, bytes) : NULL; /* NaN */
    if (device->zeros > 0) {
      memset(scratch, 0, device->zeros);
    }
    rf_device_operands operands = {{o->in[0], o->in[1]}, o->out, scratch, 1024, planned_units, NAN};
    launch_count = device->plan(&run, &operands, launches);
    for (int i = 0; i < launch_count; i++) {
      const rf_device_launch *l = &launches[i];
      assert_true(l->shared <= SHARED_MAX);
      if (l->early) {
        emulate_early(scratch, bytes);
      }
      assert_true(
          emulate(run_launch, l, (index3){l->groups[0], l->groups[1], l->groups[2]}, (int)l->items[0], 1));
    }
    if (scratch != NULL) {
      assert_true(device->zeros == 0 || *(const uint32_t *)scratch == 0);
      test_free(scratch);
    }
    status = kernel->check(&run, error);
  }
  kernel->release(&run);
  return status;
}

/** Shared heads, several batches, masks, lengths that fill no tile, a single query; copies and products early
 * and late. */
INSIDE void attends_all(const char *name, void (*run_launch)(const void *launch)) {
  static const struct {
    const char *sizes;
    roof_dtype dtype;
  } cases[] = {
      {"batch=1 heads=2 q_len=130 kv_len=70 head_dim=64 kv_heads=1", ROOF_BF16},
      {"batch=1 heads=1 q_len=20 kv_len=300 head_dim=128", ROOF_BF16},
      {"batch=1 heads=1 q_len=150 kv_len=150 head_dim=128 causal=1", ROOF_FP16},
      {"batch=2 heads=4 q_len=1 kv_len=65 head_dim=64 kv_heads=2 causal=1", ROOF_FP16},
  };
  for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
    roof_error error = {.message = ""};
    emulated_late = i % 2 != 0;
    roof_status status = attends(name, cases[i / 2].sizes, cases[i / 2].dtype, run_launch, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(status, ROOF_OK);
  }
}

#endif
