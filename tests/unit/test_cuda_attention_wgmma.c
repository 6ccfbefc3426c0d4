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
    void (*code)(CUtensorMap, CUtensorMap, bf16 *, uint32_t *, int, int, int, int, int, int, float);
  } entries[] = {{"attention_wgmma_64_bf16", attention_wgmma_64_bf16},
                 {"attention_wgmma_64_fp16", attention_wgmma_64_fp16},
                 {"attention_wgmma_128_bf16", attention_wgmma_128_bf16},
                 {"attention_wgmma_128_fp16", attention_wgmma_128_fp16},
                 {"attention_wgmma_plain_bf16", attention_wgmma_plain_bf16},
                 {"attention_wgmma_plain_fp16", attention_wgmma_plain_fp16}};
  const rf_device_launch *l = arguments;
  const rf_device_arg *a = l->args;
  for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
    if (strcmp(entries[i].name, l->entry) == 0) {
      entries[i].code(map_of(&a[0]), map_of(&a[1]), a[2].buffer, a[3].buffer, a[4].number, a[5].number,
                      a[6].number, a[7].number, a[8].number, a[9].number, a[10].real);
    }
  }
}

static void test_attends(void **state) {
  (void)state;
  attends_all("attention-flash-wgmma", run_launch);
}

/** Blocks with several tasks, of an odd number of tiles, so that stages and their phases go on where the task before left them. */
static void test_goes_on(void **state) {
  (void)state;
  static const struct {
    const char *sizes;
    roof_dtype dtype;
  } cases[] = {
      {"batch=1 heads=2 q_len=140 kv_len=371 head_dim=128 kv_heads=1", ROOF_BF16},
      {"batch=1 heads=2 q_len=260 kv_len=270 head_dim=64 kv_heads=1 causal=1", ROOF_FP16},
  };
  for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
    roof_error error = {.message = ""};
    emulated_late = i % 2 != 0;
    planned_units = 2;
    roof_status status =
        attends("attention-flash-wgmma", cases[i / 2].sizes, cases[i / 2].dtype, run_launch, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(status, ROOF_OK);
  }
}

/** Every 128 queries of every head are one task, in sections one of which is smaller; no task of a section sees more keys than
 * the one before. */
static void test_tasks(void **state) {
  (void)state;
  enum { HEADS = 5, SHARING = 2, SECTION = 2, DOWN = 3, TASKS = HEADS * SHARING * DOWN };
  const work w = {
      .q_len = 300, .kv_len = 1000, .causal = 1, .heads = HEADS, .sharing = SHARING, .section = SECTION};
  bool seen[DOWN][HEADS * SHARING] = {{false}};
  task before = {0};
  for (int i = 0; i < TASKS; i++) {
    task t = task_of(&w, i, 128);
    assert_true(t.row % ROWS == 0 && t.row < w.q_len && t.head < HEADS * SHARING);
    assert_false(seen[t.row / ROWS][t.head]);
    seen[t.row / ROWS][t.head] = true;
    assert_int_equal(t.stored, t.head / SHARING);
    assert_int_equal(t.tiles, (700 + (t.row + ROWS < 300 ? t.row + ROWS : 300) + 127) / 128);
    assert_true(t.stored / SECTION >= before.stored / SECTION);
    assert_true(i == 0 || t.stored / SECTION > before.stored / SECTION || t.tiles <= before.tiles);
    before = t;
  }
}

/** The launch planned for a shape, with no data. */
static rf_device_launch planned(const char *sizes) {
  const roof_kernel *kernel = NULL;
  roof_kernel_run run = {.dtype = ROOF_BF16};
  rf_device_launch launches[RF_DEVICE_LAUNCHES];
  const rf_device_operands operands = {{NULL, NULL}, NULL, NULL, 1024, 132, NAN};
  assert_int_equal(roof_kernel_find("attention-flash-wgmma", &kernel, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_values(kernel, sizes, run.values, NULL), ROOF_OK);
  run.kernel = kernel;
  assert_int_equal(rf_device_kernel_of(kernel)->plan(&run, &operands, launches), 1);
  return launches[0];
}

/** A block for each multiprocessor, or for each task; heads together whose keys and values are 16 MiB; wider tiles only of
 * head_dim 128 without a mask. */
static void test_plans(void **state) {
  (void)state;
  static const struct {
    const char *sizes, *entry;
    unsigned blocks;
    int section;
  } cases[] = {
      {"batch=2 heads=16 q_len=8192 kv_len=8192 head_dim=128", "attention_wgmma_plain_bf16", 132, 1},
      {"batch=2 heads=16 q_len=8192 kv_len=8192 head_dim=128 causal=1", "attention_wgmma_128_bf16", 132, 4},
      {"batch=2 heads=16 q_len=8192 kv_len=8192 head_dim=64 causal=1", "attention_wgmma_64_bf16", 132, 8},
      {"batch=1 heads=8 q_len=1024 kv_len=1024 head_dim=128 kv_heads=2 causal=1", "attention_wgmma_128_bf16",
       64, 2},
      {"batch=1 heads=8 q_len=131072 kv_len=131072 head_dim=128 causal=1", "attention_wgmma_128_bf16", 132,
       1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rf_device_launch l = planned(cases[i].sizes);
    assert_string_equal(l.entry, cases[i].entry);
    assert_int_equal(l.groups[0], cases[i].blocks);
    assert_int_equal(l.args[6].number, cases[i].section);
  }
}

static int done(void **state) {
  (void)state;
  emulate_done();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_attends), cmocka_unit_test(test_goes_on),
                                     cmocka_unit_test(test_tasks), cmocka_unit_test(test_plans)};
  return cmocka_run_group_tests(tests, NULL, done);
}
