/* Which kernel of attention a library takes, and how it is cut: a window, few sequences, one query, tiles of a prompt. */
#include "test.h"

#include <math.h>
#include <stdio.h>

#include "roofline/catalog.h"
#include "roofline/effects.h"
#include "roofline/ops.h"
#include "roofline/shape.h"

static roof_machine *h200;
static roof_constants *of_decode, *of_prefill;

static roof_constants *constants_of(roof_kernel_kind kind) {
  roof_types types = roof_types_of(ROOF_BF16);
  const roof_constants *found = roof_constants_find(h200, kind, &types, NULL);
  return &h200->constants[found - h200->constants];
}

static int start(void **state) {
  (void)state;
  if (roof_catalog_load("h200", &h200, NULL) != ROOF_OK) {
    return -1;
  }
  of_decode = constants_of(ROOF_KERNEL_DECODE);
  of_prefill = constants_of(ROOF_KERNEL_PREFILL);
  of_decode->values[ROOF_GROUP_MOST] = 32;
  return 0;
}

static int end(void **state) {
  (void)state;
  roof_machine_free(h200);
  return 0;
}

static roof_prediction attention_under(const char *framework, const char *shape, unsigned without) {
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  roof_target target;
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  options.without = without;
  options.framework = framework;
  assert_int_equal(roof_target_init(&target, h200, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("attention", &op, NULL), ROOF_OK);
  assert_int_equal(roof_shape_values(op, shape, values, NULL), ROOF_OK);
  roof_predict(&target, op, values, &p);
  return p;
}

static roof_prediction attention_of(const char *shape, unsigned without) {
  return attention_under(NULL, shape, without);
}

static double seconds_of(const char *shape, unsigned without) {
  return attention_of(shape, without).expected_seconds;
}

/** A window that begins within a tile of keys reads the whole tile. */
static void a_window_begins_within_a_tile(void **state) {
  (void)state;
  static const char all[] = "batch=256 heads=8 kv_heads=8 q_len=1 head_dim=128 kv_len=128",
                    last[] = "batch=256 heads=8 kv_heads=8 q_len=1 head_dim=128 kv_len=256 window=128";
  unsigned tiles = 1u << ROOF_EFFECT_TILES;
  of_decode->values[ROOF_RESIDENTS] = 1;
  assert_true(seconds_of(last, 0) > 1.05 * seconds_of(all, 0));
  assert_true(seconds_of(last, tiles) == seconds_of(all, tiles));
}

/** What lies before a window is read in part at most: no window takes longer than all of the keys. */
static void a_window_takes_no_longer(void **state) {
  (void)state;
  static const int keys[] = {2, 4, 64, 128, 200, 511, 1024, 3000, 8192}, batches[] = {1, 16, 64};
  of_decode->values[ROOF_RESIDENTS] = 1;
  for (int n = 0; n < 9 * 3 * 16; n++) {
    char all[128], last[160];
    int kv = keys[n % 9], window = 1 + (kv - 1) * (n / 27) / 16;
    snprintf(all, sizeof all, "batch=%d heads=64 kv_heads=%d head_dim=128 causal=1 q_len=1 kv_len=%d",
             batches[n / 9 % 3], n % 2 == 0 ? 64 : 8, kv);
    snprintf(last, sizeof last, "%s window=%d", all, n / 27 == 15 ? kv - 1 : window);
    assert_true(seconds_of(last, 0) <= seconds_of(all, 0) * (1 + 1e-9));
  }
}

/** Where single query heads have a kernel of their own, few groups go head by head and many do not. */
static void few_groups_go_head_by_head(void **state) {
  (void)state;
  static const char few[] = "batch=4 heads=32 kv_heads=4 q_len=1 head_dim=128 kv_len=64",
                    many[] = "batch=16 heads=32 kv_heads=4 q_len=1 head_dim=128 kv_len=64",
                    longer[] = "batch=4 heads=32 kv_heads=4 q_len=1 head_dim=128 kv_len=1024";
  of_decode->values[ROOF_RESIDENTS] = 1;
  double few_before = seconds_of(few, 0), many_before = seconds_of(many, 0),
         longer_before = seconds_of(longer, 0);
  of_decode->values[ROOF_RESIDENTS] = 4;
  assert_true(seconds_of(few, 0) < 0.95 * few_before);
  assert_true(seconds_of(many, 0) == many_before);
  assert_true(seconds_of(longer, 0) == longer_before);
}

/** Such a library starts blocks for keys before the window too: as long as they grow, and no further. */
static void blocks_start_before_the_window(void **state) {
  (void)state;
  static const char *const shapes[] = {
      "batch=32 heads=32 kv_heads=4 q_len=1 head_dim=128 kv_len=512 window=128",
      "batch=32 heads=32 kv_heads=4 q_len=1 head_dim=128 kv_len=1024 window=128",
      "batch=32 heads=32 kv_heads=4 q_len=1 head_dim=128 kv_len=16384 window=128",
      "batch=32 heads=32 kv_heads=4 q_len=1 head_dim=128 kv_len=65536 window=128"};
  of_decode->values[ROOF_RESIDENTS] = 1;
  assert_true(seconds_of(shapes[1], 0) == seconds_of(shapes[0], 0));
  of_decode->values[ROOF_RESIDENTS] = 4;
  assert_true(seconds_of(shapes[1], 0) > 1.2 * seconds_of(shapes[0], 0));
  assert_true(seconds_of(shapes[2], 0) > seconds_of(shapes[1], 0));
  assert_true(seconds_of(shapes[3], 0) == seconds_of(shapes[2], 0));
}

/** A prompt of one token is a decoding step, and one of two a prompt; an engine that keeps prompts apart from decoding takes
 * its kernel of prompts for both, and not for a step after a prompt, whose window may be one key. */
static void one_token_is_decoded_or_a_prompt(void **state) {
  (void)state;
  static const struct {
    const char *framework, *shape;
    roof_kernel_kind kind;
  } cases[] = {{"vllm", "q_len=1 kv_len=1", ROOF_KERNEL_DECODE},
               {NULL, "q_len=1 kv_len=1", ROOF_KERNEL_DECODE},
               {"vllm", "q_len=2 kv_len=2", ROOF_KERNEL_PREFILL},
               {"trtllm", "q_len=1 kv_len=1", ROOF_KERNEL_PREFILL},
               {"trtllm", "q_len=1 kv_len=2", ROOF_KERNEL_DECODE},
               {"trtllm", "q_len=1 kv_len=2 window=1", ROOF_KERNEL_DECODE}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char shape[128];
    snprintf(shape, sizeof shape, "batch=8 heads=8 kv_heads=8 head_dim=128 causal=1 %s", cases[i].shape);
    assert_int_equal(attention_under(cases[i].framework, shape, 0).work.kernel.kind, cases[i].kind);
  }
}

/** As many blocks in eight times the sequences: FlashAttention 3 on Hopper looks each of them up, TensorRT-LLM's kernel none. */
static void blocks_look_up_their_sequence(void **state) {
  (void)state;
  static const char few[] = "batch=32 heads=8 kv_heads=8 q_len=1 head_dim=128 kv_len=32",
                    many[] = "batch=256 heads=1 kv_heads=1 q_len=1 head_dim=128 kv_len=32";
  static const char *const engines[] = {NULL, "vllm", "sglang"};
  unsigned waves = 1u << ROOF_EFFECT_WAVES;
  for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
    double seconds = attention_under(engines[i], few, 0).expected_seconds;
    assert_true(attention_under(engines[i], many, 0).expected_seconds > seconds + 3e-6);
    assert_true(fabs(attention_under(engines[i], many, waves).expected_seconds -
                     attention_under(engines[i], few, waves).expected_seconds) < 1e-6);
  }
  assert_true(attention_under("trtllm", many, 0).expected_seconds <
              1.05 * attention_under("trtllm", few, 0).expected_seconds);
}

/** In tiles of 128 queries 64 take as long as 128 less the arithmetic; in tiles of 64 they take half of the tiles. */
static void prompts_fill_tiles(void **state) {
  (void)state;
  static const char half[] = "batch=512 heads=32 kv_heads=32 q_len=64 kv_len=64 head_dim=128 causal=1";
  of_prefill->values[ROOF_TILE_QUERIES] = 64;
  double narrow = seconds_of(half, 0), without = seconds_of(half, 1u << ROOF_EFFECT_TILES);
  of_prefill->values[ROOF_TILE_QUERIES] = 128;
  assert_true(seconds_of(half, 0) > 1.02 * narrow);
  assert_true(seconds_of(half, 1u << ROOF_EFFECT_TILES) <= without);
}

/** One query more of a sequence whose keys are in the cache is no other kernel at once: 16 were taken for a prompt that
 * writes all keys anew and shares none out, 6 to 10 times as long as 15. */
static void queries_after_a_prefix_pass_into_a_prompt(void **state) {
  (void)state;
  double before = INFINITY;
  for (int queries = 1; queries <= 64; queries++) {
    char shape[120];
    snprintf(shape, sizeof shape, "batch=1 heads=32 kv_heads=8 head_dim=128 kv_len=65536 causal=1 q_len=%d",
             queries);
    double seconds = seconds_of(shape, 0);
    assert_true(seconds < 1.4 * before);
    before = seconds;
  }
}

/** Of the keys that a prompt reads it stores its own alone. */
static void a_prompt_stores_its_own_keys(void **state) {
  (void)state;
  unsigned store = 1u << ROOF_EFFECT_STORE;
  static const char whole[] = "batch=64 heads=8 kv_heads=8 head_dim=128 causal=1 q_len=512 kv_len=512",
                    last[] = "batch=64 heads=8 kv_heads=8 head_dim=128 causal=1 q_len=512 kv_len=8192";
  of_prefill->values[ROOF_STORE_PASSES] = 4;
  of_prefill->values[ROOF_CORNER] = 1;
  double own = seconds_of(whole, 0) - seconds_of(whole, store);
  assert_true(own > 0);
  double ratio = (seconds_of(last, 0) - seconds_of(last, store)) / own;
  assert_true(ratio > 0.5 && ratio < 1.5);
}

/** The text of an effect on attention. */
static void why(const char *shape, roof_effect effect, char *text, size_t size) {
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  roof_target target;
  assert_int_equal(roof_target_init(&target, h200, &types, &options, NULL), ROOF_OK);
  roof_prediction p = attention_of(shape, 0);
  roof_effect_part parts[ROOF_EFFECT_COUNT];
  int count = roof_effects_of(&target, &p, parts);
  text[0] = '\0';
  for (int i = 0; i < count; i++) {
    if (parts[i].effect == effect) {
      snprintf(text, size, "%s", parts[i].text);
    }
  }
}

/** Tiles cover the queries of all heads by their keys: 256 rows for 200, whatever heads share keys. */
static void tiles_are_counted_for_all_heads(void **state) {
  (void)state;
  char text[160];
  of_prefill->values[ROOF_TILE_QUERIES] = 64;
  why("batch=4 heads=32 kv_heads=8 q_len=200 kv_len=4096 head_dim=128", ROOF_EFFECT_TILES, text, sizeof text);
  assert_string_equal(text, "tiles of 64 x 4096 cover 1.28 times the matrix");
}

/** Single queries seldom show what arithmetic reaches: that of several is no faster than a prompt's. */
static void several_queries_reach_what_prompts_do(void **state) {
  (void)state;
  char text[160];
  static const char several[] = "batch=8 heads=32 kv_heads=8 head_dim=128 causal=1 q_len=64 kv_len=65536";
  double decode = of_decode->values[ROOF_EFFICIENCY], prompt = of_prefill->values[ROOF_EFFICIENCY];
  of_prefill->values[ROOF_EFFICIENCY] = 0.1;
  of_decode->values[ROOF_EFFICIENCY] = 0.1;
  double reached = seconds_of(several, 0);
  of_decode->values[ROOF_EFFICIENCY] = 1;
  assert_near(seconds_of(several, 0), reached, 1e-9);
  why(several, ROOF_EFFECT_EFFICIENCY, text, sizeof text);
  assert_string_equal(text, "10 % of the peak");
  assert_true(seconds_of(several, 1u << ROOF_EFFECT_EFFICIENCY) < 0.5 * reached);
  of_decode->values[ROOF_EFFICIENCY] = decode;
  of_prefill->values[ROOF_EFFICIENCY] = prompt;
}

/** Tiles are read again nearer by than new keys are stored. */
static void tiles_store_no_more(void **state) {
  (void)state;
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  double stored[2] = {0};
  for (int tiled = 0; tiled < 2; tiled++) {
    roof_target target;
    roof_prediction p;
    roof_effect_part parts[ROOF_EFFECT_COUNT];
    const roof_op *op = NULL;
    double values[ROOF_PARAM_MAX];
    options.tile = tiled ? 128 : 0;
    assert_int_equal(roof_target_init(&target, h200, &types, &options, NULL), ROOF_OK);
    assert_int_equal(roof_op_find("attention", &op, NULL), ROOF_OK);
    assert_int_equal(
        roof_shape_values(op, "batch=1 heads=32 q_len=4096 kv_len=4096 head_dim=128", values, NULL), ROOF_OK);
    roof_predict(&target, op, values, &p);
    int count = roof_effects_of(&target, &p, parts);
    for (int i = 0; i < count; i++) {
      stored[tiled] += parts[i].effect == ROOF_EFFECT_STORE ? parts[i].seconds : 0;
    }
  }
  assert_true(stored[0] > 0);
  assert_near(stored[1], stored[0], 1e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_window_begins_within_a_tile),
      cmocka_unit_test(a_window_takes_no_longer),
      cmocka_unit_test(few_groups_go_head_by_head),
      cmocka_unit_test(blocks_start_before_the_window),
      cmocka_unit_test(one_token_is_decoded_or_a_prompt),
      cmocka_unit_test(blocks_look_up_their_sequence),
      cmocka_unit_test(prompts_fill_tiles),
      cmocka_unit_test(queries_after_a_prefix_pass_into_a_prompt),
      cmocka_unit_test(a_prompt_stores_its_own_keys),
      cmocka_unit_test(tiles_are_counted_for_all_heads),
      cmocka_unit_test(tiles_store_no_more),
      cmocka_unit_test(several_queries_reach_what_prompts_do),
  };
  return cmocka_run_group_tests(tests, start, end);
}
