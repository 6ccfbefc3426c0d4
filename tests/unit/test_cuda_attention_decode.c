/* The kernels of attention_decode.cu on an emulated multiprocessor: packed heads, keys divided over warps and blocks, merging,
 * masks, edges; how the keys are divided; and the bytes that are predicted. */
#include "test.h"

#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* what nvcc unrolls after inlining */
#endif
#include "kernels/cuda/attention_decode.cu"

#include "attention.h"
#include "roofline/roofline.h"

static const char name[] = "attention-decode";

static void run_launch(const void *arguments) {
  static const struct {
    const char *entry;
    void (*decode)(const bf16 *, const bf16 *, bf16 *, float *, int, int, int, int, int, int, float,
                   long long);
    void (*merge)(const float *, bf16 *, int);
  } entries[] = {{"attention_decode_64_bf16", attention_decode_64_bf16, NULL},
                 {"attention_decode_64_fp16", attention_decode_64_fp16, NULL},
                 {"attention_decode_128_bf16", attention_decode_128_bf16, NULL},
                 {"attention_decode_128_fp16", attention_decode_128_fp16, NULL},
                 {"attention_paged_64_bf16", attention_paged_64_bf16, NULL},
                 {"attention_paged_64_fp16", attention_paged_64_fp16, NULL},
                 {"attention_paged_128_bf16", attention_paged_128_bf16, NULL},
                 {"attention_paged_128_fp16", attention_paged_128_fp16, NULL},
                 {"attention_merge_64_bf16", NULL, attention_merge_64_bf16},
                 {"attention_merge_64_fp16", NULL, attention_merge_64_fp16},
                 {"attention_merge_128_bf16", NULL, attention_merge_128_bf16},
                 {"attention_merge_128_fp16", NULL, attention_merge_128_fp16}};
  const rf_device_launch *l = arguments;
  const rf_device_arg *a = l->args;
  for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
    if (strcmp(entries[i].entry, l->entry) == 0 && entries[i].decode != NULL) {
      entries[i].decode(a[0].buffer, a[1].buffer, a[2].buffer, a[3].buffer, a[4].number, a[5].number,
                        a[6].number, a[7].number, a[8].number, a[9].number, a[10].real, a[11].index);
    } else if (strcmp(entries[i].entry, l->entry) == 0) {
      entries[i].merge(a[0].buffer, a[1].buffer, a[2].number);
    }
  }
}

/** Every length, count of heads, width and format; one, two and four warps with rows of their own, and several blocks of them;
 * splits that no query of a mask sees; one block for all keys and more splits than the threads that merge. */
static void test_attends(void **state) {
  (void)state;
  static const struct {
    const char *sizes;
    roof_dtype dtype;
    int units, launches;
  } cases[] = {
      {"batch=1 heads=1 q_len=1 kv_len=1 head_dim=64", ROOF_BF16, 132, 1},
      {"batch=3 heads=8 q_len=1 kv_len=7 head_dim=128 kv_heads=8", ROOF_FP16, 132, 1},
      {"batch=1 heads=8 q_len=1 kv_len=131 head_dim=128 kv_heads=1", ROOF_BF16, 132, 2},
      {"batch=3 heads=64 q_len=1 kv_len=131 head_dim=64 kv_heads=8", ROOF_BF16, 1, 1},
      {"batch=1 heads=64 q_len=1 kv_len=131 head_dim=128 kv_heads=2", ROOF_FP16, 132, 2},
      {"batch=1 heads=64 q_len=1 kv_len=131 head_dim=64 kv_heads=1", ROOF_FP16, 132, 2},
      {"batch=1 heads=1 q_len=1 kv_len=4097 head_dim=64", ROOF_FP16, 132, 2},
      {"batch=1 heads=2 q_len=3 kv_len=131 head_dim=64 kv_heads=1 causal=1", ROOF_BF16, 132, 2},
      {"batch=1 heads=1 q_len=131 kv_len=131 head_dim=64 causal=1", ROOF_FP16, 132, 2},
      {"batch=1 heads=24 q_len=3 kv_len=7 head_dim=64 kv_heads=2 causal=1", ROOF_BF16, 1, 1},
  };
  for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
    roof_error error = {.message = ""};
    emulated_late = i % 2 != 0;
    planned_units = cases[i / 2].units;
    roof_status status = attends(name, cases[i / 2].sizes, cases[i / 2].dtype, run_launch, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(status, ROOF_OK);
    assert_int_equal(launch_count, cases[i / 2].launches);
  }
}

/** Several sequences and heads, a last page that is not full, splits that begin within the table; less than a page. */
static void test_paged(void **state) {
  (void)state;
  static const struct {
    const char *sizes;
    roof_dtype dtype;
    int units;
  } cases[] = {
      {"batch=2 heads=4 q_len=1 kv_len=203 head_dim=128 kv_heads=2", ROOF_BF16, 1},
      {"batch=2 heads=3 q_len=2 kv_len=199 head_dim=64 kv_heads=3 causal=1", ROOF_FP16, 132},
      {"batch=2 heads=1 q_len=1 kv_len=7 head_dim=64", ROOF_BF16, 132},
  };
  for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
    roof_error error = {.message = ""};
    emulated_late = i % 2 != 0;
    planned_units = cases[i / 2].units;
    roof_status status =
        attends("attention-decode-paged", cases[i / 2].sizes, cases[i / 2].dtype, run_launch, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(status, ROOF_OK);
  }
}

/** Every page is named once, and not in order. */
static void test_table(void **state) {
  (void)state;
  const roof_kernel *kernel = NULL;
  roof_kernel_run run = {.dtype = ROOF_BF16, .threads = 1};
  assert_int_equal(roof_kernel_find("attention-decode-paged", &kernel, NULL), ROOF_OK);
  assert_int_equal(
      roof_kernel_values(kernel, "batch=3 heads=1 q_len=1 kv_len=100 head_dim=64", run.values, NULL),
      ROOF_OK);
  run.kernel = kernel;
  assert_int_equal(kernel->prepare(&run, NULL), ROOF_OK);
  const rf_operands *o = run.state;
  enum { PAGES = 3 * 7 };
  const int32_t *table = (const int32_t *)o->in[1] + PAGES * PAGE * 64;
  int seen[PAGES] = {0}, in_place = 0;
  for (int i = 0; i < PAGES; i++) {
    assert_in_range(table[i], 0, PAGES - 1);
    seen[table[i]]++;
    in_place += table[i] == i;
  }
  for (int i = 0; i < PAGES; i++) {
    assert_int_equal(seen[i], 1);
  }
  assert_true(in_place < PAGES / 2 && o->bytes[1] == 4 * (PAGES * PAGE * 64 + PAGES));
  kernel->release(&run);
}

static void test_refuses(void **state) {
  (void)state;
  roof_error error;
  assert_int_equal(
      attends(name, "batch=1 heads=1 q_len=1 kv_len=8 head_dim=80", ROOF_BF16, run_launch, &error),
      ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message, "attention-decode: not written for head_dim=80, only 64 and 128");
}

/** The launches planned for `units` with so much shared memory, with no data. */
static int planned(const char *sizes, double units, double unit_bytes, rf_device_launch *launches) {
  const roof_kernel *kernel = NULL;
  roof_kernel_run run = {.dtype = ROOF_BF16};
  assert_int_equal(roof_kernel_find(name, &kernel, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_values(kernel, sizes, run.values, NULL), ROOF_OK);
  run.kernel = kernel;
  const rf_device_operands operands = {{NULL, NULL}, NULL, NULL, 1024, units, unit_bytes};
  int count = rf_device_kernel_of(kernel)->plan(&run, &operands, launches);
  double parts = (double)launches[1].groups[0] * launches[0].groups[0] * 4 * (run.values[4] + 2);
  assert_true(count == 1 || parts <= rf_device_kernel_of(kernel)->scratch(&run));
  return count;
}

/** Each multiprocessor has blocks, and as few splits as that takes; a batch that fills the device has none. */
static void test_divides(void **state) {
  (void)state;
  static const struct {
    const char *sizes;
    int units, unit_kibibytes;
    unsigned splits, down, heads;
  } cases[] = {
      {"batch=1 heads=8 q_len=1 kv_len=131072 head_dim=128 kv_heads=1", 132, 228, 256, 1, 1},
      {"batch=16 heads=64 q_len=1 kv_len=8192 head_dim=128 kv_heads=8", 132, 228, 2, 1, 128},
      {"batch=1 heads=64 q_len=1 kv_len=4096 head_dim=128 kv_heads=8", 132, 228, 32, 1, 8},
      {"batch=66 heads=32 q_len=1 kv_len=4096 head_dim=128 kv_heads=4", 132, 228, 1, 1, 264},
      {"batch=1 heads=128 q_len=1 kv_len=65536 head_dim=128 kv_heads=1", 108, 228, 103, 2, 1},
      /* a block's 96 KiB fit an A100 and an RTX 4090 once; its 48 KiB of heads of 64 twice */
      {"batch=1 heads=8 q_len=1 kv_len=131072 head_dim=128 kv_heads=1", 108, 164, 108, 1, 1},
      {"batch=1 heads=8 q_len=1 kv_len=131072 head_dim=128 kv_heads=1", 128, 100, 128, 1, 1},
      {"batch=1 heads=8 q_len=1 kv_len=131072 head_dim=64 kv_heads=1", 128, 100, 256, 1, 1},
  };
  rf_device_launch launches[RF_DEVICE_LAUNCHES];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(planned(cases[i].sizes, cases[i].units, cases[i].unit_kibibytes * 1024, launches),
                     cases[i].splits > 1 ? 2 : 1);
    assert_int_equal(launches[0].groups[0], cases[i].splits);
    assert_int_equal(launches[0].groups[1], cases[i].down);
    assert_int_equal(launches[0].groups[2], cases[i].heads);
  }
}

static double level_bytes(const roof_prediction *p, roof_level_kind level) {
  for (int i = 0; i < p->level_count; i++) {
    if (p->levels[i].level->level == level) {
      return p->levels[i].bytes;
    }
  }
  return NAN;
}

/** Memory supplies what the operation counts: each key and value once. The last cache supplies the parts of two splits too. */
static void test_predicts(void **state) {
  (void)state;
  const roof_kernel *kernel = NULL;
  roof_machine *machine = NULL;
  roof_options options = roof_options_default();
  roof_types types;
  roof_target target;
  double values[ROOF_PARAM_MAX];
  roof_prediction out, moved;
  assert_int_equal(roof_kernel_find(name, &kernel, NULL), ROOF_OK);
  assert_int_equal(roof_catalog_load("h100", &machine, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_values(kernel, kernel->sizes, values, NULL), ROOF_OK);
  types = roof_kernel_types(kernel, ROOF_BF16);
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_predict(kernel, &target, &target, values, &out, &moved, NULL), ROOF_OK);
  double queries = 16 * 64 * 128, stored = 2.0 * 16 * 8 * 8192 * 128, parts = 2.0 * 16 * 64 * 130 * 4;
  assert_true(level_bytes(&out, ROOF_MEMORY) == (2 * queries + stored) * 2);
  assert_true(level_bytes(&moved, ROOF_MEMORY) == level_bytes(&out, ROOF_MEMORY));
  assert_true(level_bytes(&moved, ROOF_L2) == level_bytes(&out, ROOF_MEMORY) + 2 * parts);
  roof_machine_free(machine);
}

/** Rows of sums that a warp stores together lie in different banks, and those that threads merge begin at 16 bytes. */
static void test_banks(void **state) {
  (void)state;
  for (int dim = 64; dim <= 128; dim += 64) {
    uint32_t banks = 0;
    for (int lane = 0; lane < 16; lane++) {
      banks |= 3u << ((lane >> 2) * (dim + APART) + 2 * (lane & 3)) % 32;
    }
    assert_int_equal(banks, UINT32_MAX);
    assert_int_equal((dim + APART) * 4 % 16, 0);
    assert_true(WARPS * ROWS * (dim + APART + 2) * 4 <= ATTENTION_DECODE_SHARED(dim));
  }
}

static int done(void **state) {
  (void)state;
  emulate_done();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_attends), cmocka_unit_test(test_paged),
                                     cmocka_unit_test(test_table),   cmocka_unit_test(test_refuses),
                                     cmocka_unit_test(test_divides), cmocka_unit_test(test_predicts),
                                     cmocka_unit_test(test_banks)};
  return cmocka_run_group_tests(tests, NULL, done);
}
