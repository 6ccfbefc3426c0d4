/* Which machine, how many: the fewest that meet the limits, ranked; why others fail; the commands that serve it. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/choice.h"
#include "owned.h"
#include "roofline/apart.h"
#include "roofline/catalog.h"
#include "roofline/choice.h"
#include "roofline/documents.h"
#include "roofline/draw.h"
#include "roofline/weights.h"

static roof_model llama;
static roof_model_settings settings;
static roof_model_precisions precisions;
static roof_choices choices;

static int setup(void **state) {
  (void)state;
  if (roof_model_load("llama-3.1-70b", &llama, NULL) != ROOF_OK) {
    return -1;
  }
  llama.repository[0] = '\0'; /* a file of the user's */
  settings = roof_model_settings_default(&llama);
  settings.prompt = 8000;
  return roof_model_precisions_parse("bf16/fp8", &settings.precision, &precisions, NULL) == ROOF_OK ? 0 : -1;
}

static roof_choice_question question(const roof_offer *offers, int count) {
  return (roof_choice_question){&llama, &settings, &precisions,
                                offers, count,     {.ttft_seconds = 2, .tpot_seconds = 0.04, .users = 16}};
}

static void the_cheapest_that_meets_the_limits_is_first_and_has_the_fewest_devices(void **state) {
  (void)state;
  owned roof_machine *h100 = NULL;
  owned roof_machine *h200 = NULL;
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  assert_int_equal(roof_catalog_load("h200", &h200, NULL), ROOF_OK);
  const roof_offer offers[] = {{h100, 2.5}, {h200, 3.5}};
  roof_choice_question q = question(offers, 2);
  assert_int_equal(roof_choices_of(&q, &choices, NULL), ROOF_OK);
  assert_int_equal(choices.count, 4);
  assert_true(choices.meeting > 1);
  roof_text text = {0};
  roof_choices_sentence(&text, &q, &choices);
  assert_non_null(strstr(text.data, " per million tokens\n  llama-3.1-70b, 16 requests at once of 8000 + 256 "
                                    "tokens\n  on average TTFT 2.000 s, "));
  roof_text_done(&text);
  for (int i = 0; i < choices.meeting; i++) {
    const roof_choice *c = &choices.list[i], *fewer = &choices.fewer[i];
    assert_int_equal(c->result, ROOF_CHOICE_MEETS);
    assert_true(c->point.tpot_seconds <= 0.04 && c->point.ttft_seconds <= 2);
    assert_true(c->point.batch >= 16 && c->devices == c->point.tp * c->point.pp * c->point.dp * c->point.cp);
    assert_near(c->point.price_per_million_tokens,
                1e6 * offers[c->offer].price / 3600 / c->point.device_tokens_per_second, 1e-12);
    assert_true(i == 0 ||
                c->point.price_per_million_tokens >= choices.list[i - 1].point.price_per_million_tokens);
    assert_true(c->devices == 1 || (fewer->devices < c->devices && fewer->result != ROOF_CHOICE_MEETS));
  }
}

static void what_fails_says_by_how_much(void **state) {
  (void)state;
  char why[128];
  owned roof_machine *h100 = NULL;
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  const roof_offer offer = {h100, NAN};
  roof_choice_question q = question(&offer, 1);
  q.limits.devices = 1;
  assert_int_equal(roof_choices_of(&q, &choices, NULL), ROOF_OK);
  assert_int_equal(choices.meeting, 0);
  assert_int_equal(choices.list[1].result, ROOF_CHOICE_SHORT);
  assert_non_null(strstr(roof_choice_why(&q, &choices.list[1], why, sizeof why), "GiB short per device"));
  q.limits = (roof_plan_limits){.devices = 8, .ttft_seconds = 2, .tpot_seconds = 1e-3, .users = 16};
  assert_int_equal(roof_choices_of(&q, &choices, NULL), ROOF_OK);
  assert_int_equal(choices.list[0].result, ROOF_CHOICE_SLOW);
  assert_non_null(strstr(roof_choice_why(&q, &choices.list[0], why, sizeof why), "ms over the limit"));
}

/** More devices are taken where they make a token cheaper; the front has no choice that another beats. */
static void prices_rank_numbers_too(void **state) {
  (void)state;
  static roof_choices fixed;
  static roof_front chart;
  owned roof_machine *h100 = NULL;
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  const roof_offer offer = {h100, 2.5};
  roof_choice_question q = question(&offer, 1);
  q.limits.tpot_seconds = q.limits.ttft_seconds = NAN;
  assert_int_equal(roof_choices_of(&q, &choices, NULL), ROOF_OK);
  const roof_choice *best = &choices.list[0];
  for (q.limits.devices = 1; q.limits.devices <= 8; q.limits.devices++) {
    assert_int_equal(roof_choices_of(&q, &fixed, NULL), ROOF_OK);
    assert_true(fixed.meeting == 0 ||
                fixed.list[0].point.price_per_million_tokens >= best->point.price_per_million_tokens);
  }
  assert_true(best->low.tpot_seconds < best->point.tpot_seconds &&
              best->point.tpot_seconds < best->high.tpot_seconds);
  assert_true(choices.priced && choices.front_count > 1);
  for (int i = 1; i < choices.front_count; i++) {
    assert_true(choices.front[i].point.tpot_seconds > choices.front[i - 1].point.tpot_seconds);
    assert_true(choices.front[i].point.price_per_million_tokens <
                choices.front[i - 1].point.price_per_million_tokens);
  }
  q.limits.devices = 0;
  roof_choices_chart(&q, &choices, &chart);
  int marked = 0;
  for (int i = 0; i < chart.count; i++) {
    assert_true(chart.dots[i].x == 1e3 * choices.front[i].point.tpot_seconds);
    marked += chart.dots[i].best;
  }
  assert_int_equal(marked, 1);
  q.limits.energy_price = 0.2;
  assert_int_equal(roof_choices_of(&q, &fixed, NULL), ROOF_OK);
  double energy = 1e6 * 0.2 * fixed.list[0].point.joules_per_token / 3.6e6;
  assert_near(fixed.list[0].point.price_per_million_tokens,
              1e6 * 2.5 / 3600 / fixed.list[0].point.device_tokens_per_second + energy, 1e-12);
}

static void a_sequence_longer_than_the_model_was_made_for_is_refused(void **state) {
  (void)state;
  owned roof_machine *h100 = NULL;
  roof_error error;
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  const roof_offer offer = {h100, NAN};
  roof_model_settings longer = settings;
  roof_choice_question q = question(&offer, 1);
  longer.prompt = 200000;
  q.base = &longer;
  assert_int_equal(roof_choices_of(&q, &choices, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "more than the 131072"));
}

/** A dearer choice that keeps up at the slow end of its range stands before a cheaper one that does not. */
static void what_keeps_up_is_first(void **state) {
  (void)state;
  const roof_offer offers[] = {{NULL, 1}, {NULL, 2}};
  const roof_choice_question q = question(offers, 2);
  const roof_choice none = {.devices = 0};
  roof_choice cheap = {.offer = 0, .result = ROOF_CHOICE_MEETS, .point = {.price_per_million_tokens = 1}};
  const roof_choice dear = {
      .offer = 1, .result = ROOF_CHOICE_MEETS, .point = {.price_per_million_tokens = 2}};
  choices = (roof_choices){.list = {cheap, dear}, .count = 2, .meeting = 2, .priced = true};
  cheap.high.busy = 1.02;
  rf_choices_replace(&q, &choices, 0, &cheap, &none);
  assert_true(choices.list[0].offer == 1 && choices.list[1].offer == 0);
  cheap.high.busy = 0.98;
  rf_choices_replace(&q, &choices, 1, &cheap, &none);
  assert_true(choices.list[0].offer == 0 && choices.meeting == 2);
}

/** The time of a step jumps where kernels take another tile; how many requests there are at once is known there as well. */
static void a_rate_between_two_that_are_met_is_met(void **state) {
  (void)state;
  static roof_model small;
  owned roof_machine *h200 = NULL;
  assert_int_equal(roof_model_load("llama-3.1-8b", &small, NULL), ROOF_OK);
  assert_int_equal(roof_catalog_load("h200", &h200, NULL), ROOF_OK);
  roof_model_settings s = roof_model_settings_default(&small);
  s.prompt = 8000, s.generate = 100;
  const roof_offer offer = {h200, NAN};
  roof_plan_limits limits = {.devices = 1, .ttft_seconds = NAN, .tpot_seconds = NAN, .share = 0.9};
  roof_choice_question q = {&small, &s, &precisions, &offer, 1, limits};
  double highest = 0;
  for (q.limits.rate = 12; q.limits.rate > 0.5; q.limits.rate -= 0.02) {
    assert_int_equal(roof_choices_of(&q, &choices, NULL), ROOF_OK);
    highest = highest == 0 && choices.meeting > 0 ? q.limits.rate : highest;
    if (highest > 0 && choices.meeting == 0) {
      fail_msg("%g requests/s are too many, %g are not", q.limits.rate, highest);
    }
  }
  assert_true(highest > 0 && highest < 11);
}

/** What starts a choice on a machine, or why nothing does. */
static const char *started_on(const roof_machine *machine, const roof_choice *c, roof_engine engine) {
  static roof_text text;
  static roof_error error;
  const roof_offer offer = {machine, NAN};
  roof_choice_question q = question(&offer, 1);
  roof_text_done(&text);
  return roof_choice_launch(&q, c, engine, "M", &text, &error) == ROOF_OK ? text.data : error.message;
}

static const char *started(const roof_choice *c, roof_engine engine) {
  static const roof_machine gpu = {.name = "gpu", .vendor = "NVIDIA", .device_class = "gpu"};
  return started_on(&gpu, c, engine);
}

/** A line for the machines that an engine runs on, and the formats that it reads. */
static void engines_have_their_machines(void **state) {
  (void)state;
  static const struct {
    roof_machine machine;
    double tp;
    const char *started; /**< a letter for each engine: y, or why not: m the machine, f the format */
    const char *mixed;   /**< the same, of q4_k_m */
  } cases[] = {{{.vendor = "NVIDIA", .device_class = "gpu"}, 2, "yyyyyy", "fffyff"},
               {{.vendor = "AMD", .device_class = "gpu"}, 2, "yymyyy", "ffmyff"},
               {{.vendor = "Intel", .device_class = "gpu"}, 1, "yymyyy", "ffmyff"},
               {{.vendor = "Apple", .device_class = "gpu"}, 1, "mmmymm", "mmmymm"},
               {{.vendor = "Apple", .device_class = "gpu"}, 2, "mmmmmm", "mmmmmm"},
               {{.vendor = "Intel", .device_class = "accelerator"}, 1, "mmmmmm", "mmmmmm"},
               {{.vendor = "NVIDIA", .device_class = "cpu"}, 1, "mmmymm", "mmmymm"}};
  const roof_model_precisions before = precisions;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const roof_choice c = {.point = {.tp = cases[i].tp, .pp = 1, .dp = 1, .ep = 1, .cp = 1, .batch = 8}};
    for (int e = 0; e < 2 * ROOF_ENGINE_COUNT; e++) {
      bool mixed = e >= ROOF_ENGINE_COUNT;
      assert_int_equal(
          roof_model_precisions_parse(mixed ? "q4_k_m" : "bf16", &settings.precision, &precisions, NULL),
          ROOF_OK);
      const char *said = started_on(&cases[i].machine, &c, (roof_engine)(e % ROOF_ENGINE_COUNT));
      char letter = strstr(said, "launch: no line of ") == said     ? 'm'
                    : strstr(said, "which is of llama.cpp") != NULL ? 'f'
                                                                    : 'y';
      assert_int_equal(letter, (mixed ? cases[i].mixed : cases[i].started)[e % ROOF_ENGINE_COUNT]);
    }
  }
  precisions = before;
}

/** A model by its name is started from its repository, or from a file of that name where the engine reads files. */
static void a_model_by_name_is_started_from_its_repository(void **state) {
  (void)state;
  const roof_choice one = {.point = {.tp = 1, .pp = 1, .dp = 1, .ep = 1, .cp = 1, .batch = 1}};
  strcpy(llama.repository, "owner/M");
  assert_non_null(strstr(started(&one, ROOF_ENGINE_VLLM), "vllm serve owner/M "));
  assert_non_null(strstr(started(&one, ROOF_ENGINE_LLAMA_CPP), "llama-server --model M.gguf "));
  llama.repository[0] = '\0';
}

static void the_plan_is_typed_as_engines_read_it(void **state) {
  (void)state;
  const roof_choice dense = {
      .precision = 1, .point = {.tp = 4, .pp = 1, .dp = 2, .ep = 1, .cp = 1, .batch = 50, .chunk = 2048}};
  const roof_choice experts = {.precision = 0,
                               .point = {.tp = 1, .pp = 1, .dp = 8, .ep = 8, .cp = 1, .batch = 64}};
  roof_choice split = dense, far = dense;
  split.point.cp = 2;
  far.point.pp = 4;
  assert_string_equal(started(&dense, ROOF_ENGINE_VLLM),
                      "vllm serve M --tensor-parallel-size 4 --data-parallel-size 2 --max-model-len 8256 "
                      "--max-num-seqs 25 --max-num-batched-tokens 2048 --quantization fp8");
  assert_string_equal(started(&experts, ROOF_ENGINE_SGLANG),
                      "python3 -m sglang.launch_server --model-path M --tp-size 8 --dp-size 8 "
                      "--enable-dp-attention --ep-size 8 --context-length 8256 --max-running-requests 8 "
                      "--chunked-prefill-size 8000 --dtype bfloat16");
  settings.memory_share = 0.9;
  assert_string_equal(
      started(&dense, ROOF_ENGINE_TENSORRT_LLM),
      "trtllm-serve M --tp_size 4 --max_seq_len 8256 --max_batch_size 25 --max_num_tokens 2048 "
      "--kv_cache_free_gpu_memory_fraction 0.9");
  settings.memory_share = 1;
  assert_non_null(strstr(started(&dense, ROOF_ENGINE_KUBERNETES), "  replicas: 2\n"));
  assert_non_null(strstr(started(&dense, ROOF_ENGINE_KUBERNETES), "nvidia.com/gpu: \"4\"\n"));
  assert_non_null(
      strstr(started(&experts, ROOF_ENGINE_KUBERNETES), "- \"--data-parallel-size\"\n        - \"8\"\n"));
  assert_non_null(
      strstr(started(&dense, ROOF_ENGINE_SLURM), "#SBATCH --ntasks=2\n#SBATCH --gpus-per-task=4\n"));
  assert_non_null(strstr(started(&split, ROOF_ENGINE_VLLM), " --prefill-context-parallel-size 2 "));
  assert_non_null(strstr(started(&split, ROOF_ENGINE_SGLANG), " --tp-size 8 --attn-cp-size 2 --dp-size 2 "));
  assert_non_null(strstr(started(&split, ROOF_ENGINE_TENSORRT_LLM), "no option for cp 2"));
  assert_string_equal(started(&dense, ROOF_ENGINE_LLAMA_CPP),
                      "llama-server --model M --split-mode row --ctx-size 206400 --parallel 25 "
                      "--batch-size 2048");
  assert_non_null(strstr(started(&experts, ROOF_ENGINE_LLAMA_CPP), "share experts"));
  assert_non_null(strstr(started(&far, ROOF_ENGINE_SLURM), "16 devices"));
  assert_non_null(strstr(started(&experts, ROOF_ENGINE_TENSORRT_LLM), "share experts"));
  assert_string_equal(roof_engine_name(ROOF_ENGINE_SGLANG), "sglang");
  assert_string_equal(roof_choice_result_name(ROOF_CHOICE_SHORT), "does not fit");
}

/** Of 80 GiB: SGLang leaves 512 MiB, 1.5 for each token of a step, 2 for each sequence of its graphs and 128 for each device. */
static void engines_take_memory_by_their_own_rules(void **state) {
  (void)state;
  static roof_model_target target;
  owned roof_machine *h100 = NULL;
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  roof_model_settings s = settings;
  s.tp = 4, s.chunk = 8192, s.memory_share = 0.9;
  assert_int_equal(roof_model_target_init(&target, &llama, h100, &s, NULL), ROOF_OK);
  const roof_model_capacity vllm = roof_model_capacity_of(&target);
  double all = target.plain.capacity, steps = vllm.workspace_bytes + vllm.activation_bytes;
  assert_near(vllm.capacity_bytes, 0.9 * all, 1e-12);
  target.settings.memory_rule = ROOF_MEMORY_SGLANG;
  double left = 1048576.0 * (512 + 1.5 * 8192 + 2 * 512 + 4 * 128);
  assert_near(roof_model_capacity_of(&target).capacity_bytes - steps, all - left, 1e-12);
  target.settings.memory_rule = ROOF_MEMORY_TENSORRT_LLM;
  double fixed = vllm.weight_bytes + steps;
  assert_near(roof_model_capacity_of(&target).capacity_bytes - fixed, 0.9 * (all - fixed), 1e-9);
  roof_memory_rule rule;
  assert_int_equal(roof_memory_rule_parse("sglong", &rule, NULL), ROOF_E_NAME);
}

/** Three servers of prompts, two that generate. */
static void two_pools_are_started_by_their_roles(void **state) {
  (void)state;
  static const struct {
    roof_engine engine;
    const char *has[3];
  } cases[] = {
      {ROOF_ENGINE_VLLM,
       {"# 3 x on 1 x gpu each\nVLLM_NIXL_SIDE_CHANNEL_HOST=$(hostname -i) vllm serve M --max-model-len 8256",
        ".kv_role kv_producer\n# 2 x on 4 x gpu each\n", " --tensor-parallel-size 4 "}},
      {ROOF_ENGINE_SGLANG,
       {" --disaggregation-mode prefill\n", " --disaggregation-mode decode\n",
        "launch_router --pd-disaggregation"}},
      {ROOF_ENGINE_TENSORRT_LLM,
       {" --extra_llm_api_options prefill.yml\n", "--extra_llm_api_options decode.yml\n",
        "trtllm-serve disaggregated -c servers.yml"}},
      {ROOF_ENGINE_KUBERNETES,
       {"  name: vllm-prefill\n", "fieldPath: status.podIP", "  name: vllm-decode\n"}},
      {ROOF_ENGINE_SLURM,
       {"#SBATCH --ntasks=3\n#SBATCH --gpus-per-task=1\n#SBATCH hetjob\n#SBATCH --ntasks=2\n",
        "srun --het-group=0 bash -c '\\\n    VLLM_NIXL_SIDE_CHANNEL_HOST=", "wait\n"}}};
  static roof_machine gpu = {.name = "gpu", .vendor = "NVIDIA", .device_class = "gpu"};
  const roof_offer offer = {&gpu, NAN};
  roof_choice_question q = question(&offer, 1);
  const roof_apart apart = {
      .found = true,
      .prefill = {.devices = 1, .instances = 3, .tp = 1, .pp = 1, .dp = 1, .ep = 1, .batch = 1},
      .decode = {.devices = 4, .instances = 2, .tp = 4, .pp = 1, .dp = 1, .ep = 1, .batch = 32}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_text text = {0};
    assert_int_equal(roof_apart_launch(&q, &apart, cases[i].engine, "M", &text, NULL), ROOF_OK);
    for (int k = 0; k < 3; k++) {
      assert_non_null(strstr(text.data, cases[i].has[k]));
    }
    roof_text_done(&text);
  }
  roof_text text = {0};
  assert_int_equal(roof_apart_launch(&q, &apart, ROOF_ENGINE_LLAMA_CPP, "M", &text, NULL),
                   ROOF_E_UNSUPPORTED);
  assert_true(text.length == 0);
}

static void prices_are_of_the_machines_named(void **state) {
  (void)state;
  owned roof_machine *h100 = NULL;
  owned roof_machine *h200 = NULL;
  roof_text text = {0};
  roof_listed_price prices[2] = {{.value = 1}, {.value = 1}};
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  assert_int_equal(roof_catalog_load("h200", &h200, NULL), ROOF_OK);
  roof_machine *const machines[] = {h100, h200};
  assert_int_equal(roof_catalog_prices("h200=3.5", machines, 2, prices, NULL), ROOF_OK);
  assert_true(isnan(prices[0].value) && prices[1].value == 3.5);
  assert_int_equal(roof_catalog_prices("a100=1", machines, 2, prices, NULL), ROOF_E_ARGUMENT);
  assert_true(prices[1].value == 3.5);
  const roof_offer offer = {h200, prices[1].value};
  roof_choice_question q = question(&offer, 1);
  assert_int_equal(roof_choices_of(&q, &choices, NULL), ROOF_OK);
  assert_int_equal(roof_choices_write(&q, &choices, NULL, "M", &text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "roofline.plan/1"));
  assert_non_null(strstr(text.data, "vllm serve M"));
  roof_text_done(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_cheapest_that_meets_the_limits_is_first_and_has_the_fewest_devices),
      cmocka_unit_test(what_fails_says_by_how_much),
      cmocka_unit_test(prices_rank_numbers_too),
      cmocka_unit_test(a_sequence_longer_than_the_model_was_made_for_is_refused),
      cmocka_unit_test(what_keeps_up_is_first),
      cmocka_unit_test(a_rate_between_two_that_are_met_is_met),
      cmocka_unit_test(engines_have_their_machines),
      cmocka_unit_test(a_model_by_name_is_started_from_its_repository),
      cmocka_unit_test(the_plan_is_typed_as_engines_read_it),
      cmocka_unit_test(two_pools_are_started_by_their_roles),
      cmocka_unit_test(engines_take_memory_by_their_own_rules),
      cmocka_unit_test(prices_are_of_the_machines_named),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
