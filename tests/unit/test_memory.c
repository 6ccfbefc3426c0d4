/* The Nth allocation fails, for every N: out of memory is said to be that, nothing crashes, nothing leaks
 * (ASan). */
#include "test.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "owned.h"
#include "roofline/catalog.h"
#include "roofline/documents.h"
#include "roofline/draw.h"
#include "roofline/import.h"
#include "roofline/ledger.h"
#include "roofline/ops.h"
#include "roofline/page.h"
#include "roofline/predict.h"
#include "roofline/weights.h"

/* The linker sends the library's calls here (tests/CMakeLists.txt), jansson its own. */
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *data, size_t size);
void *__wrap_realloc(void *data, size_t size);

static long left = -1;    /**< allocations that succeed before the failing one; negative: all do */
static bool from_then_on; /**< all later ones fail too */
static bool failed;

static bool fails(void) {
  if (left < 0 || left-- > 0) {
    return false;
  }
  failed = true;
  left = from_then_on ? 0 : -1;
  return true;
}

void *__wrap_malloc(size_t size) {
  return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
  return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *data, size_t size) {
  return fails() ? NULL : __real_realloc(data, size);
}

static char path[64];

/** Runs `step` with its allocations failing, until none is left to fail: each of the first `dense`, of later ones ever
 * fewer. */
static void fail_some(const char *what, roof_status (*step)(roof_error *error), long dense) {
  enum { MOST = 1000000 };
  for (int mode = 0; mode < 2; mode++) {
    for (long n = 0;; n += 1 + n / dense) {
      roof_error error = {0};
      from_then_on = mode != 0;
      failed = false;
      left = n;
      roof_status status = step(&error);
      left = -1;
      if (!failed) {
        assert_int_equal(status, ROOF_OK);
        assert_true(n > 0);
        break;
      }
      if (error.message[0] == '\0' || status != ROOF_E_MEMORY || n > MOST) {
        fail_msg("%s: allocation %ld failed: status %d, `%s`", what, n, (int)status, error.message);
      }
    }
  }
}

static void fail_each(const char *what, roof_status (*step)(roof_error *error)) {
  fail_some(what, step, LONG_MAX);
}

static const char machine_text[] =
    "{\"schema\": \"roofline.machine/1\", \"name\": \"x\", \"kind\": \"datasheet\", \"aliases\": [\"y\"],"
    " \"peaks\": [{\"dtype\": \"fp16\", \"unit\": \"matrix\", \"flops_per_second\": 989e12, \"source\": \"a "
    "test\"}],"
    " \"levels\": [{\"name\": \"HBM\", \"bytes\": 80e9, \"bytes_per_second\": 3.35e12, \"source\": \"a "
    "test\"}]}";

static roof_status read_and_write(roof_error *error) {
  owned roof_machine *machine = NULL;
  roof_text out = {0};
  roof_status status = roof_machine_read(machine_text, sizeof machine_text - 1, "x.json", &machine, error);
  if (status == ROOF_OK) {
    status = roof_machine_write(machine, &out, error);
  }
  roof_text_done(&out);
  return status;
}

static roof_status write_template(roof_error *error) {
  roof_text out = {0};
  roof_status status = roof_machine_template("x", &out, error);
  roof_text_done(&out);
  return status;
}

static roof_status list_machines(roof_error *error) {
  roof_catalog_list list;
  roof_status status = roof_catalog_list_all(&list, error);
  if (status == ROOF_OK) {
    roof_catalog_list_done(&list);
  }
  return status;
}

static roof_status lint_machines(roof_error *error) {
  static const char *const names[] = {"nvidia-t4", "h100"};
  roof_lint lint;
  roof_status status = roof_catalog_lint(names, 2, &lint, error);
  if (status == ROOF_OK) {
    roof_lint_done(&lint);
  }
  return status;
}

static roof_status read_model(roof_error *error) {
  static const char text[] = "{\"model_type\": \"llama\", \"hidden_size\": 64, \"intermediate_size\": 256, "
                             "\"num_attention_heads\": 4, \"num_hidden_layers\": 2, \"vocab_size\": 1000}";
  roof_model model;
  return roof_model_read(text, sizeof text - 1, "x.json", &model, error);
}

static roof_status load_model(roof_error *error) {
  roof_model model;
  return roof_model_load("gpt-oss-20b", &model, error);
}

static void models(void **state) {
  (void)state;
  fail_each("model read", read_model);
  fail_each("model load", load_model);
}

static void machines(void **state) {
  (void)state;
  fail_each("machine read and write", read_and_write);
  fail_each("machine template", write_template);
  fail_each("machine list", list_machines);
  fail_some("machine lint", lint_machines, 256); /* with all that they inherit */
}

static roof_status read_operations(roof_error *error) {
  static const char text[] = "op twice\nparam n\nflops = 2 * n\nbytes = n * (a + o)\n";
  roof_userops ops;
  roof_status status = roof_userops_read(text, sizeof text - 1, "x.ops", &ops, error);
  if (status == ROOF_OK) {
    roof_userops_done(&ops);
  }
  return status;
}

static void operations(void **state) {
  (void)state;
  fail_each("user operations", read_operations);
}

static roof_machine *machine = NULL;
static roof_scene scene;

/** A label that says an operation decides the verdict: it is read, or want of memory is reported. */
static roof_status place_measurement(roof_error *error) {
  roof_ceilings ceilings;
  roof_measurement m;
  roof_placed placed;
  roof_status status = roof_ceilings_init(&ceilings, machine, 0, NULL, error);
  roof_measurement_init(&m);
  snprintf(m.label, sizeof m.label, "gemm m=8 n=4 k=2 fp16");
  m.seconds = 1e-3;
  status = status == ROOF_OK ? roof_place_measurement(&ceilings, &m, &placed, error) : status;
  roof_measurement_done(&m);
  return status;
}

static roof_status add_to_profile(roof_error *error) {
  roof_profile profile = {0};
  roof_status status = roof_profile_init(&profile, error);
  status = status == ROOF_OK ? roof_profile_add(&profile, "gemm m=8 n=4 k=2 fp16", NULL, "h100", 1e-3, error)
                             : status;
  roof_profile_done(&profile);
  return status;
}

static void labels(void **state) {
  (void)state;
  fail_each("place measurement", place_measurement);
  fail_each("profile add", add_to_profile);
}

static roof_status draw_svg(roof_error *error) {
  roof_text out = {0};
  roof_status status = roof_draw_svg(&scene, 0, &out, error);
  roof_text_done(&out);
  return status;
}

static roof_status draw_terminal(roof_error *error) {
  roof_text out = {0};
  roof_status status = roof_draw_terminal(&scene, 80, 24, false, true, &out, error);
  roof_text_done(&out);
  return status;
}

static roof_status draw_html(roof_error *error) {
  static const char *const cells[] = {"operation", "gemm"};
  static const char *const words[] = {"One paragraph.", NULL};
  const roof_table table = {.title = "Operations", .cells = cells, .columns = 1, .rows = 1};
  const roof_page_section section = {
      .part = ROOF_PAGE_MEASURED, .lines = words, .charts = words, .tables = &table, .table_count = 1};
  const roof_page page = {"A page", NULL, &section, 1};
  roof_text out = {0};
  roof_status status = roof_page_draw(&page, &out, error);
  roof_text_done(&out);
  return status;
}

static void drawings(void **state) {
  (void)state;
  roof_scene_dot dot = {.label = "gemm", .intensity = 100, .flops_per_second = 300e12, .next = -1};
  roof_scene_init(&scene);
  assert_int_equal(roof_scene_add_machine(&scene, machine, ROOF_FP16, NULL), ROOF_OK);
  assert_int_equal(roof_scene_add_dot(&scene, &dot), 0);
  fail_each("SVG", draw_svg);
  fail_each("terminal", draw_terminal);
  fail_each("HTML", draw_html);
}

static roof_status seal(roof_error *error) {
  roof_sealing s = {
      .label = "triad", .regime = "overhead", .binding = "launch", .lower_seconds = 1, .expected_seconds = 2};
  return roof_ledger_seal(path, &s, 1, NULL, error);
}

static roof_status record(roof_error *error) {
  double samples[] = {1, 1.5, 2};
  roof_measurement m = {.label = "triad", .machine = "host", .counted = "formula", .seconds = 1.5};
  m.samples = samples;
  m.sample_count = 3;
  return roof_ledger_record(path, &m, 1, NULL, error);
}

static roof_status verify(roof_error *error) {
  roof_ledger_summary summary;
  roof_status status = roof_ledger_verify(path, NULL, &summary, error);
  return status == ROOF_OK && summary.entries < 2 ? ROOF_E_INTERNAL : status;
}

static roof_status reconcile(roof_error *error) {
  roof_reconcile result;
  roof_text text = {0};
  roof_status status = roof_ledger_reconcile(path, false, &result, error);
  if (status == ROOF_OK) {
    status = roof_reconcile_write(&result, path, &text, error);
    roof_reconcile_done(&result);
  }
  roof_text_done(&text);
  return status;
}

/** Every entry that was sealed verifies: what failed left nothing behind. */
static void the_ledger(void **state) {
  (void)state;
  strcpy(path, "/tmp/roofline-test-XXXXXX");
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  fail_each("ledger seal", seal);
  fail_each("ledger record", record);
  assert_int_equal(verify(NULL), ROOF_OK);
  assert_int_equal(truncate(path, 0), 0);
  assert_int_equal(seal(NULL), ROOF_OK);
  assert_int_equal(record(NULL), ROOF_OK);
  fail_each("ledger verify", verify);
  fail_each("ledger reconcile", reconcile);
  unlink(path);
}

static int set_up(void **state) {
  (void)state;
  setenv("HOME", "/dev/null", 1);
  unsetenv("XDG_CONFIG_HOME");
  unsetenv("ROOFLINE_PATH");
  json_set_alloc_funcs(__wrap_malloc, free);
  return roof_machine_read(machine_text, sizeof machine_text - 1, "x.json", &machine, NULL) != ROOF_OK;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(models),   cmocka_unit_test(machines), cmocka_unit_test(operations),
      cmocka_unit_test(drawings), cmocka_unit_test(labels),   cmocka_unit_test(the_ledger),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
