/* Where the regime changes along the axes of a shape. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "roofline/catalog.h"
#include "roofline/documents.h"
#include "roofline/ops.h"
#include "roofline/sweep.h"

typedef struct seen {
  int count, wanted;
  size_t starts[8];
  roof_crossing crossings[8];
  bool within[8];
} seen;

static bool keep(void *context, const roof_sweep_crossing *at) {
  seen *s = context;
  s->starts[s->count] = at->start;
  s->within[s->count] = at->within;
  s->crossings[s->count++] = at->crossing;
  return s->count < s->wanted;
}

/** A sweep in fp16 on two machines, the H100 and the A100, or on the first alone. */
typedef struct case_of {
  roof_machine *machines[2];
  roof_target targets[2];
  roof_shape shape;
  roof_sweep sweep;
} case_of;

static roof_status begin_op(case_of *c, const char *name, const char *text, int machines, roof_error *error) {
  static const char *const names[] = {"h100", "a100"};
  const roof_op *op = NULL;
  roof_types half = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  options.overhead_cutoff = 8e-6;
  *c = (case_of){0};
  for (int i = 0; i < machines; i++) {
    assert_int_equal(roof_catalog_load(names[i], &c->machines[i], NULL), ROOF_OK);
    assert_int_equal(roof_target_init(&c->targets[i], c->machines[i], &half, &options, NULL), ROOF_OK);
  }
  assert_int_equal(roof_op_find(name, &op, NULL), ROOF_OK);
  assert_int_equal(roof_shape_parse_text(&c->shape, op, text, NULL), ROOF_OK);
  return roof_sweep_init(&c->sweep, &c->shape, c->targets, machines, error);
}

static roof_status begin(case_of *c, const char *text, int machines, roof_error *error) {
  return begin_op(c, "gemm", text, machines, error);
}

static void predict_all(const case_of *c) {
  for (size_t i = 0; i < c->sweep.count; i++) {
    double values[ROOF_PARAM_MAX];
    roof_prediction p;
    assert_int_equal(roof_sweep_point(&c->sweep, i, values, &p, NULL), ROOF_OK);
    assert_int_equal(c->sweep.regimes[i], p.regime);
  }
}

static void end(case_of *c) {
  roof_sweep_done(&c->sweep);
  roof_shape_done(&c->shape);
  roof_machine_free(c->machines[0]);
  roof_machine_free(c->machines[1]);
}

static seen sweep(const char *text, int wanted, bool *all) {
  seen s = {.wanted = wanted};
  case_of c;
  assert_int_equal(begin(&c, text, 1, NULL), ROOF_OK);
  predict_all(&c);
  *all = roof_sweep_crossings(&c.sweep, keep, &s);
  end(&c);
  return s;
}

static void a_line_has_its_crossings_in_order(void **state) {
  (void)state;
  bool all = false;
  seen s = sweep("m=1,64,8192 n=28672 k=8192", 8, &all);
  assert_true(all);
  assert_int_equal(s.count, 1);
  assert_int_equal(s.crossings[0].from, ROOF_MEMORY_BOUND);
  assert_int_equal(s.crossings[0].to, ROOF_COMPUTE_BOUND);
  assert_near(s.crossings[0].at, 310, 1e-12);
  assert_true(s.within[0]);
  s = sweep("m=1,64 n=28672 k=8192", 8, &all);
  assert_true(all && s.count == 1 && !s.within[0]);
  s = sweep("m=1,4096 n=64 k=4096", 8, &all);
  assert_true(s.count >= 2); /* out of the overhead too */
  for (int i = 1; i < s.count; i++) {
    assert_false(s.crossings[i].value < s.crossings[i - 1].value);
  }
}

/** Intensity of causal attention rises with the queries up to the keys, then falls: compute binds in between alone. */
static void both_ends_of_a_side_are_found(void **state) {
  (void)state;
  seen s = {.wanted = 8};
  case_of c;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  assert_int_equal(
      begin_op(&c, "attention", "batch=1 heads=32 q_len=1,8192 kv_len=2048 head_dim=128 causal=1", 1, NULL),
      ROOF_OK);
  predict_all(&c);
  assert_true(roof_sweep_crossings(&c.sweep, keep, &s));
  assert_int_equal(s.count, 2);
  assert_true(s.within[0] && s.within[1]);
  roof_shape_typed(&c.shape, 0, values);
  for (int i = 0; i < 2; i++) {
    const roof_crossing *at = &s.crossings[i];
    assert_int_equal(at->from, i == 0 ? ROOF_MEMORY_BOUND : ROOF_COMPUTE_BOUND);
    assert_int_equal(at->to, i == 0 ? ROOF_COMPUTE_BOUND : ROOF_MEMORY_BOUND);
    roof_predict_at(&c.targets[0], c.shape.op, values, at->param, at->at, &p);
    assert_int_equal(p.regime, at->to);
    roof_predict_at(&c.targets[0], c.shape.op, values, at->param, at->at - 1, &p);
    assert_int_equal(p.regime, at->from);
  }
  end(&c);
}

/** A peak between two powers of two is found, and where there is none the most that intensity reaches is named. */
static void a_narrow_peak_is_found(void **state) {
  (void)state;
  case_of c;
  double values[ROOF_PARAM_MAX];
  roof_crossing at;
  assert_int_equal(
      begin_op(&c, "attention", "batch=1 heads=32 q_len=1 kv_len=1100 head_dim=128 causal=1", 1, NULL),
      ROOF_OK);
  roof_shape_typed(&c.shape, 0, values);
  int keys = roof_op_param_index(c.shape.op, "kv_len"), queries = roof_op_param_index(c.shape.op, "q_len");
  roof_crossing_critical(&c.targets[0], c.shape.op, values, queries, &at);
  assert_near(at.at, 711, 1e-12);
  assert_true(roof_crossing_next(&c.targets[0], c.shape.op, values, &at));
  assert_near(at.at, 906, 1e-12);
  assert_false(roof_crossing_next(&c.targets[0], c.shape.op, values, &at));
  assert_near(at.at, 906, 1e-12);
  values[keys] = 512;
  roof_crossing_critical(&c.targets[0], c.shape.op, values, queries, &at);
  assert_true(isnan(at.value));
  assert_non_null(strstr(at.why, "never: intensity is at most 138.743 FLOP/B, at q_len=375, under"));
  end(&c);
}

/** The value named is the first whose own row has the regime: a step lies just over a whole number. */
static void a_step_is_named_by_its_first_row(void **state) {
  (void)state;
  seen s = {.wanted = 8};
  case_of c;
  roof_prediction p;
  double values[ROOF_PARAM_MAX];
  assert_int_equal(begin_op(&c, "linear", "batch=64,128 in=1024 out=1024", 1, NULL), ROOF_OK);
  c.targets[0].options.overhead_cutoff = NAN;
  predict_all(&c);
  assert_true(roof_sweep_crossings(&c.sweep, keep, &s));
  assert_int_equal(s.crossings[0].from, ROOF_OVERHEAD_BOUND);
  assert_true(s.crossings[0].value == 65 && s.crossings[0].at == 65);
  roof_shape_typed(&c.shape, 0, values);
  roof_predict_at(&c.targets[0], c.shape.op, values, s.crossings[0].param, 65, &p);
  assert_int_equal(p.regime, s.crossings[0].to);
  end(&c);
}

static void each_line_of_an_axis_is_walked(void **state) {
  (void)state;
  bool all = false;
  seen s = sweep("m=64,8192 n=28672,14336 k=8192", 8, &all);
  assert_true(all);
  assert_int_equal(s.count, 4); /* the lines of m, then those of n */
  assert_true(s.starts[0] == 0 && s.starts[1] == 1);
  assert_true(s.starts[2] == 0 && s.starts[3] == 2);
  s = sweep("m=64,8192 n=28672,14336 k=8192", 1, &all);
  assert_false(all);
  assert_int_equal(s.count, 1);
  s = sweep("m=8192 n=28672 k=8192 beta=0,1", 8, &all);
  assert_true(all && s.count == 0); /* beta does not count */
}

static void the_points_are_those_of_each_machine(void **state) {
  (void)state;
  case_of c;
  double values[ROOF_PARAM_MAX];
  roof_prediction p, q;
  assert_int_equal(begin(&c, "m=1,64 n=4096 k=4096", 2, NULL), ROOF_OK);
  assert_int_equal(c.sweep.count, 4);
  assert_ptr_equal(roof_sweep_target(&c.sweep, 1), &c.targets[0]);
  assert_ptr_equal(roof_sweep_target(&c.sweep, 2), &c.targets[1]);
  assert_int_equal(roof_sweep_point(&c.sweep, 3, values, &p, NULL), ROOF_OK);
  assert_near(values[0], 64, 1e-12);
  roof_predict(&c.targets[1], c.shape.op, values, &q);
  assert_near(p.expected_seconds, q.expected_seconds, 1e-12);
  end(&c);
}

static void a_sweep_that_a_machine_cannot_do_is_refused(void **state) {
  (void)state;
  case_of c;
  roof_error error = {0};
  assert_int_equal(begin(&c, "m=1,64 n=4096 k=4096", 2, NULL), ROOF_OK);
  roof_target eighth;
  roof_types types = roof_types_of(ROOF_FP8);
  roof_options options = roof_options_default();
  assert_int_equal(roof_target_init(&eighth, c.machines[1], &types, &options, NULL), ROOF_OK);
  roof_sweep other = {.count = 77};
  assert_int_equal(roof_sweep_init(&other, &c.shape, &eighth, 1, &error), ROOF_E_UNSUPPORTED);
  assert_int_equal(other.count, 77);
  end(&c);
}

static void a_table_shows_ends_and_changes(void **state) {
  (void)state;
  case_of c;
  size_t rows[40];
  assert_int_equal(begin(&c, "m=1..30+1 n=4096 k=4096", 1, NULL), ROOF_OK);
  predict_all(&c);
  assert_int_equal(roof_sweep_select(&c.sweep, rows, 40), 30);
  assert_int_equal(rows[29], 29);
  end(&c);
  assert_int_equal(begin(&c, "m=1..5000+1 n=28672 k=8192", 1, NULL), ROOF_OK);
  predict_all(&c);
  size_t count = roof_sweep_select(&c.sweep, rows, 40), changes = 0;
  assert_true(count > 4 && count <= 40);
  assert_true(rows[0] == 0 && rows[count - 1] == 4999);
  for (size_t i = 0; i < count; i++) {
    changes += rows[i] == 308 || rows[i] == 309; /* m=309 and m=310 */
    assert_true(i == 0 || rows[i] > rows[i - 1]);
  }
  assert_int_equal(changes, 2);
  end(&c);
}

/** Takes every part away, as a program does that prints them. */
static roof_status take(void *context, size_t done, roof_text *written, roof_error *error) {
  roof_text *all = context;
  (void)done;
  (void)error;
  roof_text_add(all, written->data);
  written->length = 0;
  return ROOF_OK;
}

static roof_status refuse(void *context, size_t done, roof_text *written, roof_error *error) {
  (void)context;
  (void)written;
  return done < 2 ? ROOF_OK : roof_error_set(error, ROOF_E_OUTPUT, "full");
}

static void the_document_is_the_same_in_parts(void **state) {
  (void)state;
  case_of c;
  roof_text whole = {0}, parts = {0}, rest = {0};
  roof_error error = {0};
  assert_int_equal(begin(&c, "m=1,64,512 n=28672 k=8192", 2, NULL), ROOF_OK);
  assert_int_equal(roof_sweep_write(&c.sweep, NULL, NULL, &whole, NULL), ROOF_OK);
  assert_int_equal(roof_sweep_write(&c.sweep, take, &parts, &rest, NULL), ROOF_OK);
  roof_text_add(&parts, rest.data);
  assert_string_equal(whole.data, parts.data);
  assert_non_null(strstr(whole.data, "\"schema\": \"roofline.sweep/1\""));
  assert_non_null(strstr(whole.data, "{\"parameter\": \"m\", \"machine\": \"nvidia-a100-sxm-80gb\""));
  assert_int_equal(roof_sweep_write(&c.sweep, refuse, NULL, &rest, &error), ROOF_E_OUTPUT);
  roof_text_done(&whole);
  roof_text_done(&parts);
  roof_text_done(&rest);
  end(&c);
}

static void a_sweep_is_said_in_words(void **state) {
  (void)state;
  case_of c;
  roof_text text = {0};
  assert_int_equal(begin(&c, "m=1,64,512 n=28672 k=8192", 1, NULL), ROOF_OK);
  predict_all(&c);
  roof_sweep_sentence(&text, &c.sweep);
  assert_non_null(strstr(text.data, "memory-bound at m=1, compute-bound from m="));
  text.length = 0;
  roof_sweep_fixed(&text, &c.sweep);
  assert_string_equal(text.data, "n=28672 k=8192 batch=1 beta=0 in fp16");
  c.targets[0].types = (roof_types){.compute = ROOF_FP16,
                                    .weights = ROOF_INT4,
                                    .output = ROOF_FP32,
                                    .accumulate = ROOF_FP16,
                                    .kv = ROOF_FP8,
                                    .group = 128};
  text.length = 0;
  roof_sweep_fixed(&text, &c.sweep);
  assert_string_equal(text.data,
                      "n=28672 k=8192 batch=1 beta=0 in fp16, weights int4 with a scale per 128, keys and "
                      "values fp8, accumulated in fp16, result fp32");
  text.length = 0;
  assert_true(roof_sweep_crossings_write(&text, &c.sweep, 1));
  assert_memory_equal(text.data, "  m            compute-bound from m=", 36);
  text.length = 0;
  assert_false(roof_sweep_crossings_write(&text, &c.sweep, 0));
  assert_int_equal(text.length, 0);
  end(&c);
  assert_int_equal(begin(&c, "m=1,512 n=28672 k=8192", 2, NULL), ROOF_OK);
  predict_all(&c);
  text.length = 0;
  roof_sweep_sentence(&text, &c.sweep);
  assert_string_equal(text.data, "gemm on 2 machines, 4 points: 2 compute-bound, 2 memory-bound");
  roof_text_done(&text);
  end(&c);
}

static void predictions_are_rows_of_csv(void **state) {
  (void)state;
  case_of c;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  roof_text text = {0};
  assert_int_equal(begin(&c, "m=1 n=28672 k=8192", 1, NULL), ROOF_OK);
  assert_int_equal(roof_sweep_point(&c.sweep, 0, values, &p, NULL), ROOF_OK);
  roof_predictions_csv_header(c.shape.op, &text);
  assert_memory_equal(text.data, "m,n,k,", 6);
  text.length = 0;
  roof_predictions_csv_row(&c.targets[0], c.shape.op, values, &p, &text);
  assert_memory_equal(text.data, "1,28672,8192,", 13);
  assert_non_null(strstr(text.data, ",gemm,fp16,469762048,"));
  assert_int_equal(text.data[text.length - 1], '\n');
  roof_text_done(&text);
  end(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_has_its_crossings_in_order),
      cmocka_unit_test(each_line_of_an_axis_is_walked),
      cmocka_unit_test(both_ends_of_a_side_are_found),
      cmocka_unit_test(a_narrow_peak_is_found),
      cmocka_unit_test(a_step_is_named_by_its_first_row),
      cmocka_unit_test(the_points_are_those_of_each_machine),
      cmocka_unit_test(a_sweep_that_a_machine_cannot_do_is_refused),
      cmocka_unit_test(a_table_shows_ends_and_changes),
      cmocka_unit_test(the_document_is_the_same_in_parts),
      cmocka_unit_test(a_sweep_is_said_in_words),
      cmocka_unit_test(predictions_are_rows_of_csv),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
