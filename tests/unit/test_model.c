/* Whole models: parameter counts, keys that are seen, laws that every answer keeps. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "models/step.h"
#include "roofline/catalog.h"
#include "roofline/ops.h"

static roof_machine machine;

static const char llama_text[] =
    "{\"model_type\": \"llama\", \"hidden_size\": 4096, \"intermediate_size\": 14336, "
    "\"num_attention_heads\": 32,"
    " \"num_key_value_heads\": 8, \"num_hidden_layers\": 32, \"vocab_size\": 128256,"
    " \"max_position_embeddings\": 131072, \"torch_dtype\": \"bfloat16\"}";

static roof_model read_model(const char *text) {
  roof_model model;
  roof_error error = {0};
  if (roof_model_read(text, strlen(text), "test.json", &model, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  return model;
}

static int setup(void **state) {
  (void)state;
  return roof_catalog_load("h100", &machine, NULL) == ROOF_OK ? 0 : -1;
}

/** Answers with settings as they are. */
static const roof_model_answer *answer(const roof_model *model, const roof_model_settings *settings) {
  static roof_model_answer a;
  roof_model_target target;
  roof_error error = {0};
  if (roof_model_target_init(&target, model, &machine, settings, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  roof_model_answer_of(&target, &a);
  return &a;
}

static const roof_model_operation *operation(const roof_model_phase *p, const char *name) {
  for (int i = 0; i < p->count; i++) {
    if (strcmp(p->operations[i].name, name) == 0) {
      return &p->operations[i];
    }
  }
  fail_msg("no operation %s", name);
  return NULL;
}

static double keys_by_hand(double position, double window, bool chunked) {
  return window <= 0 ? position + 1 : chunked ? fmod(position, window) + 1 : fmin(position + 1, window);
}

/** Closed forms against sums over every query. */
static void keys(void **state) {
  (void)state;
  static const double windows[] = {0, 1, 4, 7, 100};
  for (size_t w = 0; w < 5; w++) {
    for (int chunked = 0; chunked < 2; chunked++) {
      for (double q = 1; q <= 9; q += 4) {
        for (double last = 3; last <= 23; last += 5) {
          model_group g = {.queries = q, .past_first = 3, .past_last = last, .stride = 1, .causal = true};
          roof_model_block b = {.window = windows[w], .chunked = chunked != 0};
          double pairs = 0, distinct = 0;
          for (double past = 3; past <= last; past++) {
            double first = past + 1;
            for (double i = 0; i < q; i++) {
              double seen = keys_by_hand(past + i, windows[w], chunked != 0);
              pairs += seen;
              first = fmin(first, past + i + 1 - seen);
            }
            distinct += past + q - first;
          }
          double n = last - 3 + 1;
          assert_near(model_pairs(&g, windows[w], chunked != 0), pairs / n, 1e-12);
          assert_near(model_keys(&g, &b), distinct / n, 1e-12);
        }
      }
    }
  }
}

/** Prompts in pieces score as many pairs as whole ones. */
static void pieces(void **state) {
  (void)state;
  model_group whole = {.queries = 96, .causal = true};
  model_group parts = {.queries = 24, .past_last = 72, .stride = 24, .causal = true};
  for (double window = 0; window < 50; window += 7) {
    assert_near(4 * model_pairs(&parts, window, false), model_pairs(&whole, window, false), 1e-12);
    assert_near(4 * model_pairs(&parts, window, true), model_pairs(&whole, window, true), 1e-12);
  }
}

static void counts(void **state) {
  (void)state;
  roof_model model = read_model(llama_text);
  roof_model_parameters p = roof_model_count(&model);
  assert_true(p.total == 8030261248.0 && p.active == p.total && p.kv_elements_per_token == 65536);
}

/** The operations' own formulas give the same work. */
static void same_as_operations(void **state) {
  (void)state;
  roof_model model = read_model(llama_text);
  roof_model_settings s = roof_model_settings_default(&model);
  s.batch = 4;
  s.prompt = 1000;
  s.generate = 2;
  const roof_model_answer *a = answer(&model, &s);
  static const struct {
    const char *name, *op;
    double values[6];
  } rows[] = {{"qkv_proj", "linear", {4, 4096, 6144}},
              {"down_proj", "linear", {4, 14336, 4096}},
              {"lm_head", "linear", {4, 4096, 128256}},
              {"attention", "attention", {4, 32, 1, 1001, 128, 8}}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const roof_op *op = NULL;
    double values[ROOF_PARAM_MAX];
    roof_work work;
    roof_types types = roof_types_of(ROOF_BF16);
    assert_int_equal(roof_op_find(rows[i].op, &op, NULL), ROOF_OK);
    roof_op_defaults(op, values);
    memcpy(values, rows[i].values, (i == 3 ? 6 : 3) * sizeof values[0]);
    assert_int_equal(roof_op_complete(op, values, NULL), ROOF_OK);
    roof_work_init(&work);
    op->work(op, values, &types, &work);
    const roof_model_operation *o = operation(&a->phases[ROOF_PHASE_DECODE], rows[i].name);
    assert_near(o->flops, work.flops, 1e-12);
    assert_near(o->bytes[0] + o->bytes[1] + o->bytes[2], work.read_bytes + work.write_bytes, 1e-12);
  }
}

/** Twice the layers is twice the layers' work; the rest stays. */
static void additive(void **state) {
  (void)state;
  roof_model one = read_model(llama_text), two;
  one.layer_count = 16;
  two = one;
  two.layer_count = 32;
  roof_model none = one;
  none.layer_count = 1;
  roof_model_settings s = roof_model_settings_default(&one);
  double flops[3], bytes[3];
  const roof_model *models[] = {&none, &one, &two};
  for (int i = 0; i < 3; i++) {
    const roof_model_phase *p = &answer(models[i], &s)->phases[ROOF_PHASE_PREFILL];
    flops[i] = p->flops;
    bytes[i] = p->memory_bytes;
  }
  assert_near((flops[2] - flops[0]) / 31, (flops[1] - flops[0]) / 15, 1e-12);
  assert_near((bytes[2] - bytes[0]) / 31, (bytes[1] - bytes[0]) / 15, 1e-12);
}

static void monotone(void **state) {
  (void)state;
  roof_model model = read_model(llama_text);
  roof_model_settings s = roof_model_settings_default(&model);
  double before[4] = {0};
  for (s.prompt = 1; s.prompt < 1e5; s.prompt *= 3) {
    const roof_model_answer *a = answer(&model, &s);
    double now[4] = {a->ttft_seconds, a->tpot_seconds, a->capacity.total_bytes, a->phases[0].flops};
    for (int i = 0; i < 4; i++) {
      assert_true(now[i] > before[i]);
      before[i] = now[i];
    }
  }
}

/** Devices share products, heads and the cache: their sums are the whole. */
static void tensor_parallel(void **state) {
  (void)state;
  roof_model model = read_model(llama_text);
  roof_model_settings s = roof_model_settings_default(&model);
  static const char *const split[] = {"qkv_proj", "attention", "o_proj", "gate_up_proj",
                                      "act",      "down_proj", "lm_head"};
  double flops[7], weights[7], kv = 0;
  for (s.tp = 1; s.tp <= 8; s.tp *= 2) {
    const roof_model_answer *a = answer(&model, &s);
    const roof_model_phase *p = &a->phases[ROOF_PHASE_DECODE];
    for (int i = 0; i < 7; i++) {
      const roof_model_operation *o = operation(p, split[i]);
      flops[i] = s.tp == 1 ? o->flops : flops[i];
      weights[i] = s.tp == 1 ? o->bytes[ROOF_BYTES_WEIGHTS] : weights[i];
      assert_near(s.tp * o->flops, flops[i], 1e-12);
      assert_near(s.tp * o->bytes[ROOF_BYTES_WEIGHTS], weights[i], 1e-12);
    }
    kv = s.tp == 1 ? a->capacity.kv_bytes : kv;
    assert_near(s.tp * a->capacity.kv_bytes, kv, 1e-12);
    double sent = s.tp == 1 ? 0 : 2 * 4096 * 2 * (s.tp - 1) / s.tp * 64;
    assert_near(p->bytes[ROOF_BYTES_NETWORK], sent, 1e-12);
  }
}

/** Weights that a step reads are the parameters it is active with, but for the table that is looked up. */
static void weights_are_parameters(void **state) {
  (void)state;
  roof_model model = read_model(llama_text);
  roof_model_settings s = roof_model_settings_default(&model);
  const roof_model_answer *a = answer(&model, &s);
  roof_model_parameters p = roof_model_count(&model);
  assert_near(a->phases[ROOF_PHASE_DECODE].bytes[ROOF_BYTES_WEIGHTS], 2 * (p.active - p.embedding), 1e-12);
  assert_near(a->capacity.weight_bytes, 2 * p.total, 1e-12);
}

/** For every built-in model: what a step reads with all experts touched is what lies in memory, but for the
 * table. */
static void every_weight_is_read(void **state) {
  (void)state;
  size_t count = 0;
  for (roof_model_entry e = roof_model_entry_at(0); e.name != NULL; e = roof_model_entry_at(++count)) {
    roof_model model;
    assert_int_equal(roof_model_load(e.name, &model, NULL), ROOF_OK);
    roof_model_settings s = roof_model_settings_default(&model);
    s.batch = 1e5;
    const roof_model_answer *a = answer(&model, &s);
    const roof_model_phase *p = &a->phases[model.encoder ? ROOF_PHASE_ENCODE : ROOF_PHASE_DECODE];
    double table = roof_model_count(&model).embedding * roof_dtype_bytes(model.precision.activations);
    double read = p->bytes[ROOF_BYTES_WEIGHTS], lies = a->capacity.weight_bytes - table;
    if (fabs(read - lies) > 1e-12 * lies) {
      fail_msg("%s: reads %.0f of %.0f bytes", e.name, read, lies);
    }
  }
}

/** The longest context fits, one token more does not; the same for the batch. */
static void limits(void **state) {
  (void)state;
  roof_model model = read_model(llama_text);
  roof_model_settings s = roof_model_settings_default(&model);
  roof_model_capacity c = answer(&model, &s)->capacity;
  s.generate = c.longest_context - s.prompt;
  s.page = 1;
  assert_true(answer(&model, &s)->capacity.fits);
  s.generate += 1;
  assert_false(answer(&model, &s)->capacity.fits);
  s = roof_model_settings_default(&model);
  s.chunk = 2048; /* activations do not grow with the batch but for its logits */
  s.batch = answer(&model, &s)->capacity.largest_batch;
  s.batch = answer(&model, &s)->capacity.largest_batch;
  assert_true(answer(&model, &s)->capacity.fits);
  s.batch += 2;
  assert_false(answer(&model, &s)->capacity.fits);
}

static void refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *why;
  } rows[] = {
      {"{\"model_type\": \"lama\"}", "did you mean `llama`"},
      {"{\"model_type\": \"llama\", \"hidden_sise\": 8}", "did you mean `hidden_size`"},
      {"{\"model_type\": \"llama\", \"hidden_size\": -8}", "hidden_size"},
      {"{\"model_type\": \"llama\", \"vocab_size\": 8}", "`hidden_size` is missing"},
      {"{\"hidden_size\": 8}", "model_type"},
      {"[1]", "not an object"},
      {"{", "config"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_model model;
    roof_error error = {0};
    assert_int_not_equal(roof_model_read(rows[i].text, strlen(rows[i].text), "x.json", &model, &error),
                         ROOF_OK);
    if (strstr(error.message, rows[i].why) == NULL || error.line < 1) {
      fail_msg("%s: `%s` has no `%s`", rows[i].text, error.message, rows[i].why);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys),
      cmocka_unit_test(pieces),
      cmocka_unit_test(counts),
      cmocka_unit_test(same_as_operations),
      cmocka_unit_test(additive),
      cmocka_unit_test(monotone),
      cmocka_unit_test(tensor_parallel),
      cmocka_unit_test(weights_are_parameters),
      cmocka_unit_test(every_weight_is_read),
      cmocka_unit_test(limits),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
