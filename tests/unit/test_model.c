/* Whole models: parameter counts, keys that are seen, laws that every answer keeps. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "models/step.h"
#include "roofline/catalog.h"
#include "roofline/effects.h"
#include "roofline/ops.h"
#include "roofline/weights.h"

static roof_machine *machine = NULL;

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
  if (roof_model_target_init(&target, model, machine, settings, &error) != ROOF_OK) {
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
          assert_near(rf_model_pairs(&g, windows[w], chunked != 0), pairs / n, 1e-12);
          assert_near(rf_model_keys(&g, &b), distinct / n, 1e-12);
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
    assert_near(4 * rf_model_pairs(&parts, window, false), rf_model_pairs(&whole, window, false), 1e-12);
    assert_near(4 * rf_model_pairs(&parts, window, true), rf_model_pairs(&whole, window, true), 1e-12);
  }
}

/** FLOPs of the prefill but for the output projection and the choice of a token, which happen once anyway. */
static double prefill_flops(const roof_model *model, const roof_model_settings *s) {
  const roof_model_phase *p = &answer(model, s)->phases[ROOF_PHASE_PREFILL];
  const roof_model_operation *head = operation(p, "lm_head"), *choice = operation(p, "sample");
  return p->flops - head->count * head->flops - choice->count * choice->flops;
}

/** A prompt with a prefix in the cache is the whole prompt less the prefix, to the last pair of query and key, in
 * pieces too. */
static void prefix_splits(void **state) {
  (void)state;
  roof_model model = read_model(llama_text);
  for (int chunked = 0; chunked < 2; chunked++) {
    roof_model_settings s = roof_model_settings_default(&model);
    s.chunk = chunked ? 256 : 0;
    double whole = prefill_flops(&model, &s);
    s.prefix = 1536;
    double rest = prefill_flops(&model, &s);
    s.prompt = s.prefix, s.prefix = 0;
    assert_near(prefill_flops(&model, &s) + rest, whole, 1e-12);
  }
}

/** The more is cached, the earlier the first token and the smaller the cache of many; a step of decoding stays. */
static void prefix_helps(void **state) {
  (void)state;
  roof_model model = read_model(llama_text);
  roof_model_settings s = roof_model_settings_default(&model);
  s.batch = 32;
  roof_model_answer before = *answer(&model, &s);
  for (s.prefix = 128; s.prefix < s.prompt; s.prefix += 128) {
    const roof_model_answer *a = answer(&model, &s);
    assert_true(a->ttft_seconds < before.ttft_seconds);
    assert_true(a->continuous.tpot_seconds < before.continuous.tpot_seconds);
    assert_true(a->capacity.kv_bytes < before.capacity.kv_bytes);
    assert_true(a->capacity.largest_batch >= before.capacity.largest_batch);
    assert_true(a->tpot_seconds == before.tpot_seconds);
    assert_near(a->capacity.kv_bytes + a->capacity.shared_kv_bytes,
                before.capacity.kv_bytes + before.capacity.shared_kv_bytes, 1e-12);
    before = *a;
  }
  s.prefix = 0.5;
  double share = answer(&model, &s)->ttft_seconds;
  s.prefix = 1024;
  assert_near(answer(&model, &s)->ttft_seconds, share, 1e-12);
  s.prompt = 4096, s.prefix = 0.9;
  assert_true(roof_model_prefix(&s) == 3686);
  s.prompt = 100, s.prefix = 0.29;
  assert_true(roof_model_prefix(&s) == 29);
  s.prompt = 2048, s.prefix = 1024;
  s.sharers = 1;
  assert_true(answer(&model, &s)->capacity.shared_kv_bytes == 0);
  s.prefix = s.prompt;
  roof_model_target target;
  assert_int_equal(roof_model_target_init(&target, &model, machine, &s, NULL), ROOF_E_ARGUMENT);
}

/** The largest batch fits and one more does not, however many share a prefix. */
static void prefix_fills(void **state) {
  (void)state;
  static const double sharers[] = {0, 1, 3, 8, 10000};
  roof_model model = read_model(llama_text);
  roof_model_settings s = roof_model_settings_default(&model);
  s.prompt = 4096;
  s.prefix = 3000;
  s.batch = 64;
  for (size_t i = 0; i < sizeof sharers / sizeof sharers[0]; i++) {
    s.sharers = sharers[i];
    s.batch = answer(&model, &s)->capacity.largest_batch;
    assert_true(answer(&model, &s)->capacity.fits);
    s.batch++;
    assert_false(answer(&model, &s)->capacity.fits);
  }
}

/** A step takes its own time or that of the transfer from the host, whichever is longer; what lies there is not on
 * the device, but for two layers. */
static void offloaded(void **state) {
  (void)state;
  roof_model model = read_model(llama_text);
  roof_model_settings s = roof_model_settings_default(&model);
  roof_model_answer base = *answer(&model, &s);
  double link = 63.015e9, before = base.tpot_seconds, weights = base.capacity.weight_bytes;
  double read = base.phases[ROOF_PHASE_DECODE].bytes[ROOF_BYTES_WEIGHTS]; /* without the table */
  for (s.offload = 0.01; s.offload <= 1; s.offload += 0.11) {
    const roof_model_answer *a = answer(&model, &s);
    assert_near(a->tpot_seconds, fmax(base.tpot_seconds, s.offload * read / link), 1e-9);
    assert_true(a->tpot_seconds >= before && a->ttft_seconds >= base.ttft_seconds);
    assert_near(a->capacity.weight_bytes, weights * (1 - s.offload * (1 - 2.0 / 32)), 1e-12);
    before = a->tpot_seconds;
  }
  s.offload = 0, s.offload_kv = 0.5, s.batch = 64;
  const roof_model_answer *a = answer(&model, &s);
  double cache = a->phases[ROOF_PHASE_DECODE].bytes[ROOF_BYTES_KV];
  assert_near(a->tpot_seconds, cache / 2 / link, 1e-9);
  double half = a->capacity.kv_bytes;
  s.offload_kv = 0;
  assert_near(answer(&model, &s)->capacity.kv_bytes, 2 * half, 1e-12);
  roof_model_target target;
  roof_machine *processor = NULL;
  s.offload = 0.5;
  assert_int_equal(roof_catalog_load("amd-epyc-9654", &processor, NULL), ROOF_OK);
  assert_int_equal(roof_model_target_init(&target, &model, processor, &s, NULL), ROOF_E_UNSUPPORTED);
  roof_machine_free(processor);
  s.offload_kv = 1;
  assert_int_equal(roof_model_target_init(&target, &model, machine, &s, NULL), ROOF_E_ARGUMENT);
}

/** A launch that was measured one after another is no bound of kernels in a graph, of a model no more than of one kernel. */
static void the_bound_counts_a_part_of_a_measured_launch(void **state) {
  (void)state;
  roof_model model = read_model(llama_text);
  roof_model_settings s = roof_model_settings_default(&model);
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  roof_machine *l40s = NULL;
  roof_model_target target;
  roof_target one;
  assert_int_equal(roof_catalog_load("l40s", &l40s, NULL), ROOF_OK);
  assert_int_equal(l40s->launch_origin.kind, ROOF_MEASURED);
  assert_int_equal(roof_model_target_init(&target, &model, l40s, &s, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&one, l40s, &types, &options, NULL), ROOF_OK);
  assert_near(one.least_launch_seconds, ROOF_ASSUMED_LEAST * l40s->launch_seconds, 1e-12);
  assert_near(target.plain.least_launch_seconds, one.least_launch_seconds, 1e-12);
  roof_machine_free(l40s);
}

static void counts(void **state) {
  (void)state;
  roof_model model = read_model(llama_text);
  roof_model_parameters p = roof_model_count(&model);
  assert_true(p.total == 8030261248.0 && p.active == p.total && p.kv_elements_per_token == 65536);
}

static bool is_built_in(const roof_op *op) {
  for (int i = 0; i < roof_op_count(); i++) {
    if (roof_op_at(i) == op) {
      return true;
    }
  }
  return false;
}

/** A program predicts an operation of a model itself: from the model's own figures, or with other values. */
static void operations_can_be_asked(void **state) {
  (void)state;
  roof_model model = read_model(llama_text);
  roof_model_settings s = roof_model_settings_default(&model);
  s.batch = 4;
  s.prompt = 1000;
  s.generate = 2;
  static roof_model_phase p;
  roof_model_target target;
  roof_prediction one, again;
  assert_int_equal(roof_model_target_init(&target, &model, machine, &s, NULL), ROOF_OK);
  roof_model_phase_of(&target, ROOF_PHASE_DECODE, s.prompt, s.prompt, &p);
  for (int i = 0; i < p.count; i++) {
    const roof_model_operation *o = &p.operations[i];
    assert_true(is_built_in(o->op));
    roof_model_operation_predict(&target, o, &one);
    assert_true(one.work.flops == o->flops && one.expected_seconds == o->expected_seconds);
    assert_true(one.bytes == o->bytes[0] + o->bytes[1] + o->bytes[2] && one.regime == o->regime);
  }
  roof_model_operation lm_head = *operation(&p, "lm_head");
  assert_string_equal(lm_head.op->name, "linear");
  assert_true(lm_head.values[0] == 4 && lm_head.values[1] == 4096 && lm_head.values[2] == 128256);
  roof_model_operation_predict(&target, &lm_head, &one);
  roof_predict(&target.parts[lm_head.part], lm_head.op, lm_head.values, &again);
  assert_true(again.work.flops == one.work.flops && again.bytes == one.bytes);
  lm_head.values[roof_op_param_index(lm_head.op, "batch")] *= 2;
  roof_model_operation_predict(&target, &lm_head, &again);
  assert_true(again.work.flops == 2 * one.work.flops);
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
    double now[4] = {a->ttft_seconds, a->tpot_seconds, a->capacity.total_bytes,
                     a->phases[ROOF_PHASE_PREFILL].flops};
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
    double sums = 2 * 4096 * 2 * 65, logits = 128256 * 2; /* of 64 sublayers and the embedding */
    double sent = (sums + logits) * (s.tp - 1) / s.tp;
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
    s.batch = 1e9;
    const roof_model_answer *a = answer(&model, &s);
    const roof_phase kinds[] = {ROOF_PHASE_ENCODE, ROOF_PHASE_DECODE, ROOF_PHASE_DENOISE};
    double table = roof_model_count(&model).embedding * roof_dtype_bytes(model.precision.activations);
    double read = 0, lies = a->capacity.weight_bytes - table;
    for (int i = 0; i < 3; i++) {
      read += a->phases[kinds[i]].present ? a->phases[kinds[i]].bytes[ROOF_BYTES_WEIGHTS] : 0;
    }
    if (fabs(read - lies) > 1e-12 * lies) {
      fail_msg("%s: reads %.0f of %.0f bytes", e.name, read, lies);
    }
  }
}

/** For built-in models of which each mixer is here once: a prompt takes about two FLOPs for each parameter that a token uses,
 * the output projection and what attention adds apart. */
static void a_prompt_takes_two_flops_a_parameter(void **state) {
  (void)state;
  static const char *const names[] = {"llama-3.1-8b",    "deepseek-v2-lite", "mamba2-2.7b", "falcon-h1-7b",
                                      "minimax-text-01", "kimi-linear-48b",  "glm-4-9b",    "command-r-35b",
                                      "granite-3.1-8b",  "olmoe-1b-7b",      "smollm3-3b",  "seed-oss-36b"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    roof_model model;
    assert_int_equal(roof_model_load(names[i], &model, NULL), ROOF_OK);
    roof_model_settings s = roof_model_settings_default(&model);
    s.prompt = 64;
    roof_model_parameters p = roof_model_count(&model);
    double used = p.active - p.embedding - p.parts[ROOF_PART_HEAD] - p.vectors;
    double head = 2 * p.parts[ROOF_PART_HEAD]; /* of the last token */
    assert_near(answer(&model, &s)->phases[ROOF_PHASE_PREFILL].flops - head, 2 * used * s.prompt, 0.06);
  }
}

/** An engine that may use a share of the memory has that much capacity, and no other byte changes. */
static void a_share_of_the_memory(void **state) {
  (void)state;
  roof_model model = read_model(llama_text);
  roof_model_settings s = roof_model_settings_default(&model);
  const roof_model_capacity all = answer(&model, &s)->capacity;
  s.memory_share = 0.9;
  const roof_model_capacity some = answer(&model, &s)->capacity;
  assert_near(some.capacity_bytes, 0.9 * all.capacity_bytes, 1e-12);
  assert_true(some.total_bytes == all.total_bytes && some.largest_batch < all.largest_batch);
  assert_near(all.spare_bytes - some.spare_bytes, 0.1 * all.capacity_bytes, 1e-9);
}

/** The longest context fits, one token more does not; the same for the batch. */
static void limits(void **state) {
  (void)state;
  roof_model model = read_model(llama_text);
  roof_model_settings s = roof_model_settings_default(&model);
  roof_model_capacity c = answer(&model, &s)->capacity;
  s.prompt = c.longest_context - s.generate;
  assert_true(answer(&model, &s)->capacity.fits);
  s.prompt += 1;
  assert_false(answer(&model, &s)->capacity.fits);
  for (double page = 1; page <= 64; page += 63) { /* a share of the prompt, however long that is */
    s.batch = 8, s.prompt = 1100, s.prefix = 0.5, s.page = page;
    s.prompt = answer(&model, &s)->capacity.longest_context - s.generate;
    assert_true(answer(&model, &s)->capacity.fits &&
                answer(&model, &s)->capacity.spare_bytes < 64 * page * 131072);
    s.prompt += 1;
    assert_false(answer(&model, &s)->capacity.fits);
  }
  s = roof_model_settings_default(&model);
  for (s.dp = 1; s.dp <= 2; s.dp++) { /* of all replicas, from any batch */
    s.batch = s.dp;
    double most = answer(&model, &s)->capacity.largest_batch;
    s.batch = most;
    assert_true(answer(&model, &s)->capacity.fits && answer(&model, &s)->capacity.largest_batch == most);
    s.batch += s.dp;
    assert_false(answer(&model, &s)->capacity.fits);
    assert_true(answer(&model, &s)->capacity.largest_batch == most);
  }
}

/** Settings in which nothing but the roof counts: whole bounds, launches free. */
static roof_model_settings bare(const roof_model *model) {
  roof_model_settings s = roof_model_settings_default(model);
  s.options.efficiency_low = s.options.efficiency = s.options.efficiency_high = 1;
  s.options.without = ROOF_EFFECTS_ALL;
  s.kernel_seconds = 0;
  s.chunk = 0;
  return s;
}

static const roof_model_answer *answer_on(const char *name, const roof_model *model,
                                          const roof_model_settings *settings) {
  roof_machine_free(machine);
  assert_int_equal(roof_catalog_load(name, &machine, NULL), ROOF_OK);
  const roof_model_answer *a = answer(model, settings);
  roof_machine_free(machine);
  assert_int_equal(roof_catalog_load("h100", &machine, NULL), ROOF_OK);
  return a;
}

static roof_model load(const char *name) {
  roof_model model;
  assert_int_equal(roof_model_load(name, &model, NULL), ROOF_OK);
  return model;
}

/** 7e9 weights and nothing else on an A100 (worked.json 003.llm.*): a prompt of 512 takes 22.97 ms, a
 * token 6.866 ms, 256 of them 98.7 % of 1780.7 ms. What a model also moves, here activations of two wide
 * products, is under 1 %. */
static void weights_alone(void **state) {
  (void)state;
  roof_model model;
  roof_model_block block;
  memset(&block, 0, sizeof block);
  roof_model_init(&model);
  model.hidden = 1e5;
  model.final_norm = false;
  block.width = 35000;
  model.precision = roof_model_precision_of(ROOF_FP16);
  assert_int_equal(roof_model_add_layer(&model, &block, NULL), ROOF_OK);
  assert_true(roof_model_count(&model).total == 7e9);
  roof_model_settings s = bare(&model);
  s.prompt = 512;
  s.generate = 257; /* the first comes from the prefill */
  const roof_model_answer *a = answer_on("a100-80gb", &model, &s);
  assert_near(a->ttft_seconds, 22.9744e-3, 0.02);
  assert_near(a->tpot_seconds, 6.866e-3, 1e-3);
  assert_near(a->tokens_per_second, 145.6, 1e-3);
  assert_near(a->request_seconds, 1.7807, 1e-3);
  assert_near(256 * a->tpot_seconds / a->request_seconds, 0.987098, 1e-3);
}

/** Layers of Llama 70B decode with three products of 8192 x 28672 each, 240 per token, of 112.7 GB in
 * fp16. */
static void products_of_a_layer(void **state) {
  (void)state;
  roof_model model = load("llama-2-70b");
  roof_model_settings s = bare(&model);
  s.fusion = 0;
  const roof_model_phase *p = &answer(&model, &s)->phases[ROOF_PHASE_DECODE];
  static const char *const names[] = {"gate_proj", "up_proj", "down_proj"};
  double count = 0, bytes = 0;
  for (int i = 0; i < 3; i++) {
    const roof_model_operation *o = operation(p, names[i]);
    assert_true(o->flops == 2.0 * 8192 * 28672);
    count += o->count;
    bytes += o->count * o->bytes[ROOF_BYTES_WEIGHTS];
  }
  assert_true(count == 240);
  assert_near(bytes, 112.7e9, 1e-3);
}

/** The block of GPT-2 at batch 32 and 1024 tokens (worked.json 003.blk.*): bytes of each operation. */
static void gpt2_block(void **state) {
  (void)state;
  roof_model model = load("gpt2");
  roof_model_settings s = bare(&model);
  s.batch = 32;
  s.prompt = 1024;
  s.generate = 0;
  s.fusion = ROOF_FUSE_QKV | ROOF_FUSE_FLASH;
  const roof_model_phase *p = &answer(&model, &s)->phases[ROOF_PHASE_PREFILL];
  static const struct {
    const char *name;
    double bytes;
  } rows[] = {{"qkv_proj", 0.204866e9}, {"attention", 0.201327e9}, {"o_proj", 0.101843e9}};
  for (size_t i = 0; i < 3; i++) {
    const roof_model_operation *o = operation(p, rows[i].name);
    assert_near(o->bytes[0] + o->bytes[1] + o->bytes[2], rows[i].bytes, 1e-4);
  }
  const roof_model_operation *up = operation(p, "up_proj"), *down = operation(p, "down_proj");
  assert_near(up->bytes[0] + up->bytes[1] + down->bytes[0] + down->bytes[1], 0.512754e9, 1e-4);
  assert_near(up->flops + down->flops, 309.24e9, 1e-4);
  assert_near(operation(p, "norm")->flops, 0.402653e9 / 2, 1e-4);
}

/** Qwen3-4B on an Orin Nano, weights alone: 102 GB/s / 4e9 = 25.5 tokens/s in int8, 51.0 in int4. */
static void edge(void **state) {
  (void)state;
  roof_model model = load("qwen3-4b");
  roof_model_settings s = bare(&model);
  s.prompt = 1;
  s.generate = 2;
  for (int part = 0; part < ROOF_PART_COUNT; part++) {
    s.precision.weights[part] =
        (roof_weight_format){.stored = ROOF_INT8, .compute = ROOF_INT8, .weight_only = true};
  }
  assert_near(answer_on("orin-nano-super", &model, &s)->tokens_per_second, 25.5, 0.02);
  for (int part = 0; part < ROOF_PART_COUNT; part++) {
    s.precision.weights[part].stored = s.precision.weights[part].compute = ROOF_INT4;
  }
  assert_near(answer_on("orin-nano-super", &model, &s)->tokens_per_second, 51.0, 0.02);
}

/** A decoding step of Llama-2-7B reads 0.197 ms of cache at 768 tokens on an A100. */
static void cache_time(void **state) {
  (void)state;
  roof_model model = load("llama-2-7b");
  roof_model_settings s = bare(&model);
  s.prompt = 767;
  s.generate = 2;
  const roof_model_phase *p = &answer_on("a100-80gb", &model, &s)->phases[ROOF_PHASE_DECODE];
  const roof_model_operation *o = operation(p, "attention");
  assert_near(32 * o->bytes[ROOF_BYTES_KV] / 2039e9, 0.1975e-3, 1e-3);
}

/** More bandwidth is faster decoding, not faster prefill: H200 over H100. */
static void machines_by_phase(void **state) {
  (void)state;
  roof_model model = load("llama-3.1-8b");
  roof_model_settings s = bare(&model);
  double ttft = answer_on("h100", &model, &s)->ttft_seconds,
         tpot = answer_on("h100", &model, &s)->tpot_seconds;
  assert_near(tpot / answer_on("h200", &model, &s)->tpot_seconds, 4.8 / 3.35, 1e-3);
  assert_near(ttft / answer_on("h200", &model, &s)->ttft_seconds, 1, 0.06);
}

/** What each technique reduces, and nothing else: W4A16 weights, fewer KV heads and narrow KV the cache,
 * flash and fusion activations. */
static void techniques(void **state) {
  (void)state;
  roof_model model = load("llama-2-7b");
  for (int i = 0; i < 5; i++) {
    roof_model_settings s = bare(&model), changed = s;
    roof_model other = model;
    s.fusion = changed.fusion = 0;
    static const roof_bytes_class reduced[] = {ROOF_BYTES_WEIGHTS, ROOF_BYTES_KV, ROOF_BYTES_KV,
                                               ROOF_BYTES_ACTIVATIONS, ROOF_BYTES_ACTIVATIONS};
    if (i == 0) {
      roof_weight_format format;
      assert_int_equal(roof_weight_format_parse("w4a16", &format, NULL), ROOF_OK);
      roof_model_precision_quantize(&changed.precision, &format);
    }
    other.blocks[0].kv_heads = i == 1 ? 8 : 32;
    changed.precision.kv = i == 2 ? ROOF_FP8 : ROOF_FP16;
    changed.fusion = i == 3 ? ROOF_FUSE_FLASH : i == 4 ? ROOF_FUSE_ACTIVATION : 0;
    roof_model_phase before = answer(&model, &s)->phases[ROOF_PHASE_DECODE];
    const roof_model_phase *after = &answer(&other, &changed)->phases[ROOF_PHASE_DECODE];
    for (int c = 0; c < ROOF_BYTES_CLASS_COUNT; c++) {
      bool less = after->bytes[c] < before.bytes[c];
      bool projections = i == 1 && c != ROOF_BYTES_NETWORK; /* K and V are narrower too */
      assert_true(c == (int)reduced[i] ? less : projections || after->bytes[c] == before.bytes[c]);
    }
  }
}

/** A norm inside the projection saves its round trip: 2 x tokens x width x 2 bytes each time. */
static void fused_norm(void **state) {
  (void)state;
  roof_model model = load("llama-3.1-8b");
  roof_model_settings s = bare(&model);
  roof_model_target target;
  s.fusion &= ~(unsigned)ROOF_FUSE_RESIDUAL;
  assert_int_equal(roof_model_target_init(&target, &model, machine, &s, NULL), ROOF_OK);
  roof_model_saving saved = roof_model_fusion_saving(&target, ROOF_PHASE_PREFILL, ROOF_FUSE_NORM_INDEX);
  assert_near(saved.bytes, 64.0 * 2 * 2048 * 4096 * 2, 1e-9);
  assert_true(saved.kernels == 64);
  saved = roof_model_fusion_saving(&target, ROOF_PHASE_DECODE, ROOF_FUSE_FLASH_INDEX);
  assert_true(saved.bytes > 0 && saved.kernels == 64);
}

/** Nothing takes longer for being joined to what is next to it, with LayerNorm's two sums as with one. */
static void fusing_never_slows(void **state) {
  (void)state;
  static const char *const names[] = {"gpt2", "llama-3.1-8b", "command-r-35b"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    roof_model model = load(names[i]);
    roof_model_settings s = roof_model_settings_default(&model);
    for (int f = 0; f < ROOF_FUSION_COUNT; f++) {
      s.fusion = ROOF_FUSION_SERVING & ~(1u << f);
      double alone = answer(&model, &s)->tpot_seconds;
      s.fusion |= 1u << f;
      assert_true(answer(&model, &s)->tpot_seconds <= alone);
    }
  }
}

/** The format of the cache is of no matter to what touches none of it: towers, encoders, prompts of a latent. */
static void the_caches_format_is_of_the_cache(void **state) {
  (void)state;
  static const char *const names[] = {"bert-base", "whisper-large-v3", "gemma-3-4b", "deepseek-v3",
                                      "nemotron-h-56b"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    roof_model model = load(names[i]);
    roof_model_settings s = roof_model_settings_default(&model);
    roof_model_answer before = *answer(&model, &s);
    s.precision.kv = ROOF_FP8;
    const roof_model_answer *after = answer(&model, &s);
    for (int p = 0; p < ROOF_PHASE_COUNT; p++) {
      for (int o = 0; o < before.phases[p].count; o++) {
        const roof_model_operation *x = &before.phases[p].operations[o], *y = &after->phases[p].operations[o];
        bool same = x->expected_seconds == y->expected_seconds && x->lower_seconds == y->lower_seconds;
        assert_true(same || x->types == NULL || x->bytes[ROOF_BYTES_KV] > 0);
      }
    }
  }
}

/** A step of decoding reads its weights and what is kept of every sequence, and writes states back, but for what one last
 * cache holds of it all: also where the weights alone, or a layer's keys, would fit there. */
static void a_cache_is_credited_once(void **state) {
  (void)state;
  static const struct {
    const char *model, *machine;
    double batch, prompt;
  } runs[] = {{"mamba2-2.7b", "b200", 64, 2048}, {"mamba2-2.7b", "h100", 4, 2048},
              {"gpt2", "mi300x", 8, 512},        {"gpt2", "mi300x", 16, 512},
              {"gpt2", "mi300x", 32, 512},       {"gpt2", "mi300x", 64, 512},
              {"gpt2", "mi300x", 64, 900},       {"llama-3.1-8b", "h200", 32, 4096}};
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    roof_model model = load(runs[i].model);
    roof_model_settings s = roof_model_settings_default(&model);
    s.batch = runs[i].batch, s.prompt = runs[i].prompt, s.generate = 64;
    roof_machine *one = NULL;
    roof_model_target target;
    static roof_model_phase p;
    assert_int_equal(roof_catalog_load(runs[i].machine, &one, NULL), ROOF_OK);
    assert_int_equal(roof_model_target_init(&target, &model, one, &s, NULL), ROOF_OK);
    roof_model_phase_of(&target, ROOF_PHASE_DECODE, s.prompt, s.prompt + s.generate, &p);
    double passed = p.bytes[ROOF_BYTES_WEIGHTS] + p.bytes[ROOF_BYTES_KV] - target.plain.cache_bytes;
    assert_true(p.lower_seconds >= passed * target.plain.seconds_per_byte[target.plain.memory][0]);
    roof_machine_free(one);
  }
}

/** Modes pay their kernels; a persistent kernel is one per step. Verification yields as a geometric
 * series. */
static void modes(void **state) {
  (void)state;
  roof_model model = load("llama-3.1-8b");
  roof_model_settings s = roof_model_settings_default(&model);
  double before = INFINITY;
  for (int mode = 0; mode < ROOF_LAUNCH_COUNT; mode++) {
    s.launch = (roof_launch)mode;
    const roof_model_answer *a = answer(&model, &s);
    assert_true(a->tpot_seconds < before);
    assert_true((a->phases[ROOF_PHASE_DECODE].kernels == 1) == (mode == ROOF_LAUNCH_PERSISTENT));
    assert_true(a->tpot_first_seconds < a->tpot_seconds && a->tpot_seconds < a->tpot_last_seconds);
    before = a->tpot_seconds;
  }
  s.draft = 3;
  s.accept = 0.5;
  const roof_model_phase *p = &answer(&model, &s)->phases[ROOF_PHASE_VERIFY];
  assert_near(p->yield, 1 + 0.5 + 0.25 + 0.125, 1e-12);
  assert_true(p->tokens == 4);
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

/** Compute and memory seconds of a step, all operations or its products. */
static double balance(const roof_model_target *t, roof_phase kind, bool products) {
  static roof_model_phase p;
  double sum = 0, last = t->settings.prompt + fmax(0, t->settings.generate - 2);
  roof_model_phase_of(t, kind, t->settings.prompt, last, &p);
  for (int i = 0; i < p.count; i++) {
    const roof_model_operation *o = &p.operations[i];
    sum +=
        !products || o->kind == ROOF_KIND_PRODUCT ? o->count * (o->compute_seconds - o->memory_seconds) : 0;
  }
  return sum;
}

/** The side changes between the whole numbers around the critical value, or never: a cache grows with the
 * batch. */
static void critical(void **state) {
  (void)state;
  roof_model model = load("llama-3.1-8b");
  roof_model_settings s = roof_model_settings_default(&model);
  roof_model_target t;
  assert_int_equal(roof_model_target_init(&t, &model, machine, &s, NULL), ROOF_OK);
  roof_model_crossing c = roof_model_critical(&t, ROOF_PHASE_DECODE, ROOF_GROW_BATCH, true);
  assert_false(c.compute_first);
  assert_true(c.compute_last && c.at - c.value >= 0 && c.at - c.value < 1);
  t.settings.batch = c.at - 1;
  assert_true(balance(&t, ROOF_PHASE_DECODE, true) < 0);
  t.settings.batch = c.at;
  assert_true(balance(&t, ROOF_PHASE_DECODE, true) >= 0);
  assert_near(c.ridge, c.intensity, 1e-6);
  c = roof_model_critical(&t, ROOF_PHASE_DECODE, ROOF_GROW_BATCH, false);
  assert_true(isnan(c.value) && !c.compute_last && c.intensity < c.ridge);
  t.settings.batch = 1;
  c = roof_model_critical(&t, ROOF_PHASE_PREFILL, ROOF_GROW_PROMPT, false);
  assert_true(c.at > 100 && c.at < 2048);
  t.settings.prompt = c.at;
  assert_true(balance(&t, ROOF_PHASE_PREFILL, false) >= 0);
  t.settings.prompt = c.at - 1;
  assert_true(balance(&t, ROOF_PHASE_PREFILL, false) < 0);
  assert_string_equal(roof_growth_name(ROOF_GROW_GENERATE), "generate");
  assert_string_equal(roof_growth_name(ROOF_GROWTH_COUNT), "?");
}

/** Formats by name, what figures count, and the questions that a model has phases for. */
static void words(void **state) {
  (void)state;
  roof_model model = read_model(llama_text);
  roof_model_settings s = roof_model_settings_default(&model);
  roof_model_precision before = s.precision;
  roof_model_target target;
  char text[160];
  assert_int_equal(roof_model_precision_parse("w4a16,head=fp8", &s.precision, NULL), ROOF_OK);
  assert_true(s.precision.weights[ROOF_PART_MLP].stored == ROOF_INT4 &&
              s.precision.weights[ROOF_PART_HEAD].stored == ROOF_FP8);
  s.precision = before;
  assert_int_equal(roof_model_precision_parse("w4a16,heads=fp8", &s.precision, NULL), ROOF_E_NAME);
  assert_int_equal(roof_model_precision_read("int4", &s.precision, NULL), ROOF_E_ARGUMENT);
  assert_memory_equal(&s.precision, &before, sizeof before);
  assert_int_equal(roof_model_precision_read("fp32", &s.precision, NULL), ROOF_OK);
  assert_int_equal(s.precision.activations, ROOF_FP32);
  s.precision = before;
  assert_memory_equal(&s.precision, &before, sizeof before);
  assert_non_null(roof_model_definition_at(0));
  assert_null(roof_model_definition_at(100));
  for (s.generate = 0; s.generate <= 2; s.generate++) {
    int decoding = 0;
    const roof_model_question *q = NULL;
    assert_int_equal(roof_model_target_init(&target, &model, machine, &s, NULL), ROOF_OK);
    assert_true(roof_model_generates(&target) == (s.generate > 1));
    assert_true(roof_model_first_phase(&target) == ROOF_PHASE_PREFILL);
    assert_false(roof_model_too_long(&target, text, sizeof text));
    for (int i = 0; (q = roof_model_question_at(&target, i)) != NULL; i++) {
      decoding += q->phase == ROOF_PHASE_DECODE && q->growth != ROOF_GROW_GENERATE;
    }
    assert_int_equal(decoding, s.generate > 1 ? 3 : 0);
  }
}

/** Weights with a scale for each block have kernels, and so constants, of their own. */
static void weights_in_blocks_have_their_own_constants(void **state) {
  (void)state;
  static const char *const formats[] = {"fp8", "fp8-block"};
  roof_model model = read_model(llama_text);
  roof_model_settings s = roof_model_settings_default(&model);
  for (int i = 0; i < 2; i++) {
    roof_model_target target;
    assert_int_equal(roof_model_precision_parse(formats[i], &s.precision, NULL), ROOF_OK);
    assert_int_equal(roof_model_target_init(&target, &model, machine, &s, NULL), ROOF_OK);
    const roof_target *mlp = &target.parts[ROOF_PART_MLP];
    const roof_constants *own = roof_constants_find(machine, ROOF_KERNEL_PRODUCT, &mlp->types, NULL);
    assert_true(roof_types_in_blocks(&mlp->types) == (i == 1) && own->blocks == (i == 1));
    assert_true(mlp->forms[ROOF_KERNEL_PRODUCT].values[ROOF_EFFICIENCY] == own->values[ROOF_EFFICIENCY]);
  }
}

/** As Hugging Face writes them, organisation and training included. */
static void models_as_people_write_them(void **state) {
  (void)state;
  static const char *const names[][2] = {{"meta-llama/Llama-3.1-70B-Instruct", "llama-3.1-70b"},
                                         {"meta-llama/Llama-2-7b-chat-hf", "llama-2-7b"},
                                         {"mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b"},
                                         {"google/gemma-2-9b-it", "gemma-2-9b"},
                                         {"Qwen/Qwen3-235B-A22B", "qwen3-235b-a22b"},
                                         {"openai/whisper-large-v3", "whisper-large-v3"},
                                         {"stabilityai/stable-diffusion-3.5-large", "sd3.5-large"},
                                         {"black-forest-labs/FLUX.1-dev", "flux.1-dev"}};
  roof_model model;
  roof_error error = {0};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (roof_model_load(names[i][0], &model, &error) != ROOF_OK) {
      fail_msg("%s: %s", names[i][0], error.message);
    }
    assert_string_equal(model.name, names[i][1]);
  }
  assert_int_equal(roof_model_load("qwen3-235b", &model, &error), ROOF_E_NAME);
  assert_non_null(strstr(error.message, "did you mean `qwen3-235b-a22b`?"));
  assert_null(strstr(error.message, "huggingface"));
  assert_int_equal(roof_model_load("google/gemma-3-27b-it", &model, &error), ROOF_E_NAME);
  assert_non_null(strstr(error.message,
                         "save https://huggingface.co/google/gemma-3-27b-it/raw/main/config.json and "
                         "pass the file"));
  roof_weight_format awq, wanted;
  assert_int_equal(roof_weight_format_parse("awq", &awq, NULL), ROOF_OK);
  assert_int_equal(roof_weight_format_parse("w4a16", &wanted, NULL), ROOF_OK);
  assert_true(awq.stored == wanted.stored && awq.group == wanted.group);
}

/** Work that runs while other work does draws nothing of its own: no step takes more than the board does meanwhile. */
static void power_is_the_boards(void **state) {
  (void)state;
  static const char *const models[] = {"deepseek-v3", "deepseek-v2-lite", "llama-4-scout", "kimi-k2",
                                       "glm-4.5-air", "mixtral-8x7b",     "qwen3-8b"};
  static const char *const machines[] = {"h200", "b200", "mi300x", "h100-pcie"};
  static roof_model_answer a;
  for (size_t i = 0; i < 3 * 4 * 7; i++) {
    roof_machine *m = NULL;
    roof_model model;
    roof_model_target target;
    assert_int_equal(roof_model_load(models[i % 7], &model, NULL), ROOF_OK);
    assert_int_equal(roof_catalog_load(machines[i / 7 % 4], &m, NULL), ROOF_OK);
    roof_model_settings s = roof_model_settings_default(&model);
    s.train = i / 28 == 2, s.batch = 64;
    s.tp = i / 28 == 0 ? 8 : 1, s.dp = i / 28 == 2 ? 8 : 1;
    s.ep = roof_model_count(&model).parts[ROOF_PART_EXPERTS] > 0 ? s.tp * s.dp : 1;
    assert_int_equal(roof_model_target_init(&target, &model, m, &s, NULL), ROOF_OK);
    assert_true(target.plain.costs.power_only);
    roof_model_answer_of(&target, &a);
    for (int p = 0; p < ROOF_PHASE_COUNT; p++) {
      double most = m->energy.watts * a.phases[p].expected_seconds;
      assert_true(!a.phases[p].present || a.phases[p].energy_joules <= most * (1 + 1e-9));
      assert_true(!a.phases[p].present || a.phases[p].energy_joules > 0.99 * most);
    }
    roof_machine_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(power_is_the_boards),
      cmocka_unit_test(keys),
      cmocka_unit_test(pieces),
      cmocka_unit_test(counts),
      cmocka_unit_test(operations_can_be_asked),
      cmocka_unit_test(additive),
      cmocka_unit_test(monotone),
      cmocka_unit_test(tensor_parallel),
      cmocka_unit_test(weights_are_parameters),
      cmocka_unit_test(every_weight_is_read),
      cmocka_unit_test(a_prompt_takes_two_flops_a_parameter),
      cmocka_unit_test(a_share_of_the_memory),
      cmocka_unit_test(limits),
      cmocka_unit_test(weights_alone),
      cmocka_unit_test(products_of_a_layer),
      cmocka_unit_test(gpt2_block),
      cmocka_unit_test(edge),
      cmocka_unit_test(cache_time),
      cmocka_unit_test(machines_by_phase),
      cmocka_unit_test(techniques),
      cmocka_unit_test(fused_norm),
      cmocka_unit_test(fusing_never_slows),
      cmocka_unit_test(the_caches_format_is_of_the_cache),
      cmocka_unit_test(a_cache_is_credited_once),
      cmocka_unit_test(prefix_splits),
      cmocka_unit_test(offloaded),
      cmocka_unit_test(prefix_helps),
      cmocka_unit_test(prefix_fills),
      cmocka_unit_test(modes),
      cmocka_unit_test(refused),
      cmocka_unit_test(critical),
      cmocka_unit_test(words),
      cmocka_unit_test(weights_in_blocks_have_their_own_constants),
      cmocka_unit_test(the_bound_counts_a_part_of_a_measured_launch),
      cmocka_unit_test(models_as_people_write_them),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
