/* A service under load: the laws of queues through the event loop with stubs for its steps, books that balance for any settings,
 * and the tables of a model's steps against the model itself. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "owned.h"
#include "roofline/catalog.h"
#include "roofline/weights.h"
#include "service/loop.h"
#include "service/steps.h"
#include "service/trace.h"

/** A step of one token for each that generates, always as long; prompts take no time. */
static const double token_seconds = 1e-3;

static double stub_step(void *data, const roof_load *load) {
  (void)data;
  return load->decodes > 0 ? token_seconds : 0;
}

static service_line stub_line(void *data, double sequences, double context) {
  (void)data, (void)sequences;
  return (service_line){token_seconds, 0, context + 1e9};
}

/** A server that takes one request at a time, for a time that is its tokens'. */
static service_plant single_server(void) {
  return (service_plant){.clock = {.step = stub_step, .decode = stub_line},
                         .replicas = 1,
                         .page = 16,
                         .blocks = INFINITY,
                         .longest = INFINITY};
}

static roof_service_settings plain_settings(void) {
  return (roof_service_settings){.rate = 1,
                                 .burstiness = 1,
                                 .requests = 10000,
                                 .seed = 1,
                                 .prompt = {.mean = 1},
                                 .generate = {.mean = 1001},
                                 .turns = {.mean = 1},
                                 .speed = 1,
                                 .sequences = 1,
                                 .budget = 8192,
                                 .ttft_seconds = NAN,
                                 .tpot_seconds = NAN};
}

/** Wait and response time against Pollaczek and Khinchine's: rate E[S^2] / 2 (1 - load). `square`: E[S^2] / E[S]^2. */
static void check_queue(roof_lengths_kind kind, double mean, double other, double square, double load) {
  roof_service_settings s = plain_settings();
  service_plant plant = single_server();
  roof_service_answer a;
  s.generate = (roof_lengths){.kind = kind, .mean = mean, .other = other};
  s.requests = test_sanitized() ? 2e5 : 2e6;
  double near = test_sanitized() ? 0.06 : 0.02;
  double service = (roof_lengths_mean(&s.generate) - 1) * token_seconds;
  s.rate = load / service;
  assert_int_equal(rf_loop_run(&plant, &s, &a, NULL, NULL), ROOF_OK);
  assert_false(a.overloaded);
  double wait = load * service * square / (2 * (1 - load));
  assert_near(a.wait.mean, wait, near);
  assert_near(a.ttft.mean, wait, near);
  assert_near(a.utilisation, load, near / 4);
  assert_near(a.in_system, s.rate * (wait + service), near);
}

static void queues_of_textbooks(void **state) {
  (void)state;
  check_queue(ROOF_LENGTHS_EXPONENTIAL, 20001, 0, 2, 0.5); /* M/M/1 */
  check_queue(ROOF_LENGTHS_EXPONENTIAL, 20001, 0, 2, 0.7);
  check_queue(ROOF_LENGTHS_CONSTANT, 1001, 0, 1, 0.5); /* M/D/1 */
  check_queue(ROOF_LENGTHS_CONSTANT, 1001, 0, 1, 0.8);
  check_queue(ROOF_LENGTHS_UNIFORM, 1, 2001, 4.0 / 3, 0.7); /* M/G/1 */
}

/** Gaps between arrivals, which a server of no time shows. */
static void arrivals_have_their_mean_and_spread(void **state) {
  (void)state;
  static const struct {
    roof_arrival arrival;
    double shape, variance;
  } cases[] = {{ROOF_ARRIVE_POISSON, 1, 1},
               {ROOF_ARRIVE_GAMMA, 0.25, 4},
               {ROOF_ARRIVE_GAMMA, 4, 0.25},
               {ROOF_ARRIVE_CONSTANT, 1, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_service_settings s = plain_settings();
    service_source source;
    service_arrival a, before;
    double sum = 0, squares = 0, n = 400000;
    s.arrival = cases[i].arrival, s.burstiness = cases[i].shape, s.rate = 2, s.requests = n + 1;
    rf_source_start(&source, &s, 0, INFINITY, 16);
    assert_true(rf_source_next(&source, &before));
    for (double k = 0; k < n; k++, before = a) {
      assert_true(rf_source_next(&source, &a));
      double gap = 2 * (a.seconds - before.seconds);
      sum += gap, squares += gap * gap;
    }
    assert_false(rf_source_next(&source, &a));
    assert_near(sum / n, 1, 0.01);
    assert_true(fabs(squares / n - 1 - cases[i].variance) < 0.06 * (cases[i].variance + 0.01));
  }
}

static void lengths_have_their_mean(void **state) {
  (void)state;
  static const char *const texts[] = {"1024", "uniform:128:2048", "exponential:512", "lognormal:512:0.8"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    roof_lengths lengths;
    char text[64];
    assert_int_equal(roof_lengths_parse(texts[i], &lengths, NULL), ROOF_OK);
    assert_string_equal(roof_lengths_text(&lengths, text, sizeof text), texts[i]);
    service_random random = rf_random_start(7, i);
    double sum = 0;
    for (int k = 0; k < 200000; k++) {
      sum += rf_lengths_draw(&lengths, &random);
    }
    assert_near(sum / 200000, roof_lengths_mean(&lengths), 0.01);
  }
}

/** The first numbers of a seed, also computed by other means, and the last digits of what is made of them. */
static void random_numbers_are_the_same_everywhere(void **state) {
  (void)state;
  static const uint64_t bits[] = {0x309714ec38d33b4c, 0x1bc11473d28024a0, 0xaa4f7bbef2a5a194};
  service_random r = rf_random_start(1, 1);
  for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
    assert_true(rf_random_bits(&r) == bits[i]);
  }
  assert_true(rf_random_exponential(&r) == 0x1.d8b6aa35a1b6p-4);
  assert_true(rf_random_normal(&r) == 0x1.24086e23ba8a2p-1);
  assert_true(rf_random_gamma(&r, 0.5) == 0x1.108c9c31ea7b7p-3);
}

/** Steps that grow with what is in them, so that nothing hides. */
static double busy_step(void *data, const roof_load *l) {
  (void)data;
  return 1e-3 + 1e-5 * (l->decodes + l->prompts * l->queries) + 1e-9 * l->decodes * l->context;
}

static service_line busy_line(void *data, double sequences, double context) {
  (void)data;
  double end = 128 * (floor(context / 128) + 1);
  return (service_line){1e-3 + 1e-5 * sequences + 1e-9 * sequences * context, 1e-9 * sequences, end};
}

/** A configuration of any kind. */
static void draw_settings(service_random *r, roof_service_settings *s, service_plant *p) {
  *p = single_server();
  p->clock = (service_clock){.step = busy_step, .decode = busy_line};
  p->replicas = 1 + (double)(rf_random_bits(r) % 4);
  p->blocks = 40 + (double)(rf_random_bits(r) % 200);
  p->longest = p->blocks * p->page;
  p->swap_seconds = 1e-4;
  p->transfer_seconds = 1e-6;
  p->shared = rf_random_bits(r) % 2 ? 64 : 0;
  p->hashed = p->shared;
  *s = plain_settings();
  s->rate = 1 + 60 * rf_random_share(r);
  s->arrival = (roof_arrival)(rf_random_bits(r) % ROOF_ARRIVAL_COUNT);
  s->burstiness = 0.5;
  s->requests = 400;
  s->seed = (double)(rf_random_bits(r) % 1000);
  s->concurrency = rf_random_bits(r) % 3 == 0 ? 1 + (double)(rf_random_bits(r) % 40) : 0;
  s->prompt = (roof_lengths){.kind = ROOF_LENGTHS_UNIFORM, .mean = 65, .other = 400};
  s->generate = (roof_lengths){.kind = ROOF_LENGTHS_UNIFORM, .mean = 1, .other = 200};
  s->sequences = 1 + (double)(rf_random_bits(r) % 32);
  s->budget = 64 + (double)(rf_random_bits(r) % 512);
  s->whole_prompts = rf_random_bits(r) % 3 == 0;
  s->cache = rf_random_bits(r) % 2;
  if (rf_random_bits(r) % 3 == 0) {
    s->turns = (roof_lengths){.kind = ROOF_LENGTHS_UNIFORM, .mean = 1, .other = 6};
    s->turn_seconds = rf_random_bits(r) % 2 ? 0.5 : 0;
    p->hashed = p->page;
  }
  s->preemption = (roof_preemption)(rf_random_bits(r) % ROOF_PREEMPTION_COUNT);
  s->routing = (roof_routing)(rf_random_bits(r) % ROOF_ROUTING_COUNT);
  s->host_seconds = rf_random_bits(r) % 2 ? 0.01 * rf_random_share(r) : 0;
  s->prefills = p->replicas > 1 && rf_random_bits(r) % 2 ? 1 : 0;
}

/** Tokens that the source has for a run; NaN where turns depend on the answers before. */
static double tokens_of(const service_plant *p, const roof_service_settings *s) {
  service_source source;
  service_arrival a;
  double tokens = rf_source_has_sessions(s) ? NAN : 0;
  rf_source_start(&source, s, p->shared, p->longest, p->page);
  while (rf_source_next(&source, &a)) {
    tokens += a.generate;
  }
  rf_source_done(&source);
  return tokens;
}

/** The bins of a timeline add up to what was counted. */
static void check_timeline(const roof_service_timeline *line, const service_tally *t, double blocks) {
  double kv = 0, preemptions = 0;
  assert_true(line->count > 0 && line->count <= ROOF_SERVICE_BINS);
  for (size_t i = 0; i < line->count; i++) {
    kv += line->bins[i].kv * line->bin_seconds;
    preemptions += line->bins[i].preemptions;
  }
  assert_near(kv * blocks, t->kv_area, 1e-9);
  assert_true(preemptions == t->preemptions);
  assert_true((double)(line->count - 1) * line->bin_seconds <= t->last_seconds);
}

static void no_token_is_lost_or_made(void **state) {
  (void)state;
  roof_service_timeline line;
  service_random random = rf_random_start(3, 3);
  service_tally *t = malloc(sizeof *t);
  double preemptions = 0, cached = 0;
  assert_non_null(t);
  for (int i = 0; i < 600; i++) {
    roof_service_settings s;
    service_plant p;
    roof_service_answer a;
    draw_settings(&random, &s, &p);
    s.timeline = &line;
    assert_int_equal(rf_loop_run(&p, &s, &a, t, NULL), ROOF_OK);
    double drawn = tokens_of(&p, &s), tokens = t->generated_tokens, left = t->left;
    assert_true(t->arrived == s.requests && left == s.requests);
    assert_true(t->emitted == tokens && (isnan(drawn) || drawn == tokens));
    /* Little: requests in the system, counted as time passes, are as many as each one's stay adds up to */
    assert_near(t->in_system_area, t->end_to_end.sum, 1e-9);
    /* every token after a request's first has one ITL, and they add up to the time after the first token */
    assert_true(fabs(t->itl.count - (tokens - left)) < 1e-6 * tokens);
    assert_near(t->itl.sum, t->end_to_end.sum - t->ttft.sum, 1e-6);
    assert_true(a.utilisation > 0 && a.utilisation <= 1 + 1e-12);
    assert_true(a.kv_most <= 1 && a.kv_mean <= a.kv_most && a.kv_mean > 0);
    check_timeline(&line, t, p.blocks * p.replicas);
    preemptions += t->preemptions, cached += t->cached_tokens;
  }
  assert_true(preemptions > 1000 && cached > 1000);
  free(t);
}

static void the_same_seed_gives_the_same_answer(void **state) {
  (void)state;
  service_random random = rf_random_start(5, 5);
  for (int i = 0; i < 20; i++) {
    roof_service_settings s;
    service_plant p;
    roof_service_answer a, b, c;
    memset(&a, 0, sizeof a), memset(&b, 0, sizeof b);
    draw_settings(&random, &s, &p);
    assert_int_equal(rf_loop_run(&p, &s, &a, NULL, NULL), ROOF_OK);
    assert_int_equal(rf_loop_run(&p, &s, &b, NULL, NULL), ROOF_OK);
    assert_memory_equal(&a.seconds, &b.seconds, sizeof a.seconds);
    assert_true(a.requests == b.requests && a.itl.count == b.itl.count);
    s.seed += 1;
    assert_int_equal(rf_loop_run(&p, &s, &c, NULL, NULL), ROOF_OK);
    assert_true(a.seconds != c.seconds);
  }
}

/** More requests per second: a longer wait, longer tokens, a fuller cache. */
static void answers_rise_with_the_rate(void **state) {
  (void)state;
  service_plant p = single_server();
  roof_service_answer a, before = {0};
  p.clock = (service_clock){.step = busy_step, .decode = busy_line};
  p.blocks = 2000;
  p.longest = 32000;
  for (double rate = 1; rate <= 32; rate *= 2) {
    roof_service_settings s = plain_settings();
    s.rate = rate;
    s.requests = 20000;
    s.sequences = 64;
    s.prompt = (roof_lengths){.kind = ROOF_LENGTHS_EXPONENTIAL, .mean = 300};
    s.generate = (roof_lengths){.kind = ROOF_LENGTHS_EXPONENTIAL, .mean = 150};
    assert_int_equal(rf_loop_run(&p, &s, &a, NULL, NULL), ROOF_OK);
    assert_false(a.overloaded);
    assert_true(a.ttft.mean >= before.ttft.mean && a.tpot.p50 >= before.tpot.p50);
    assert_true(a.kv_mean > before.kv_mean && a.utilisation > before.utilisation);
    before = a;
  }
}

/** With a place for every client, a request waits for the step that is in flight and no longer. */
static void clients_ask_again_at_once(void **state) {
  (void)state;
  service_plant p = single_server();
  roof_service_settings s = plain_settings();
  roof_service_answer a;
  p.clock = (service_clock){.step = busy_step, .decode = busy_line};
  s.concurrency = s.sequences = 32;
  s.requests = 1000;
  s.generate = (roof_lengths){.kind = ROOF_LENGTHS_UNIFORM, .mean = 100, .other = 300};
  assert_int_equal(rf_loop_run(&p, &s, &a, NULL, NULL), ROOF_OK);
  assert_true(a.wait.most < 2e-3);
  assert_true(a.batch > 25);
  s.host_seconds = 0.5, s.host_token_seconds = 0.1;
  assert_int_equal(rf_loop_run(&p, &s, &a, NULL, NULL), ROOF_OK);
  assert_true(a.wait.most >= 0.5 + 32 * 0.1 && a.wait.most < 0.5 + 32 * 0.1 + 2e-3);
}

/** Sessions of one turn are plain requests; of more, all but the last blocks of what was said before is in the cache. */
static void turns_find_what_was_said(void **state) {
  (void)state;
  service_plant p = single_server();
  roof_service_settings s = plain_settings();
  roof_service_answer a, b;
  p.clock = (service_clock){.step = busy_step, .decode = busy_line};
  p.hashed = p.page;
  s.rate = 10, s.requests = 600, s.sequences = 16, s.cache = true;
  s.prompt.mean = 160, s.generate.mean = 80;
  assert_int_equal(rf_loop_run(&p, &s, &a, NULL, NULL), ROOF_OK);
  s.turns = (roof_lengths){.kind = ROOF_LENGTHS_UNIFORM, .mean = 1, .other = 1};
  assert_int_equal(rf_loop_run(&p, &s, &b, NULL, NULL), ROOF_OK);
  assert_true(a.seconds == b.seconds && a.ttft.mean == b.ttft.mean && b.cached == 0);
  s.turns = (roof_lengths){.mean = 4};
  s.concurrency = 1;
  assert_int_equal(rf_loop_run(&p, &s, &a, NULL, NULL), ROOF_OK);
  /* prompts of 160, 400, 640 and 880 tokens, of which 0, 240, 480 and 720 were there */
  assert_near(a.prompt_tokens, 150.0 * (160 + 400 + 640 + 880), 1e-12);
  assert_near(a.cached, (240 + 480 + 720) / (160 + 400 + 640 + 880.0), 1e-12);
  s.cache = false;
  assert_int_equal(rf_loop_run(&p, &s, &b, NULL, NULL), ROOF_OK);
  assert_true(b.cached == 0 && b.ttft.mean > a.ttft.mean);
}

/** Twice what it can do: the queue grows by half of what comes. */
static void overload_is_said(void **state) {
  (void)state;
  service_plant p = single_server();
  roof_service_settings s = plain_settings();
  roof_service_answer a;
  s.rate = 2;
  assert_int_equal(rf_loop_run(&p, &s, &a, NULL, NULL), ROOF_OK);
  assert_true(a.overloaded && isnan(a.ttft.p50));
  assert_near(a.queue_growth, 1, 0.05);
  assert_near(a.requests_per_second, 1, 0.01);
  s.rate = 0.9;
  assert_int_equal(rf_loop_run(&p, &s, &a, NULL, NULL), ROOF_OK);
  assert_false(a.overloaded);
}

/** A model on a machine. Release with free. */
typedef struct subject {
  roof_model model;
  roof_machine *machine;
  roof_model_target target;
  roof_model_phase phase;
} subject;

static subject *subject_of(const char *model, const char *machine, double tp, double pp) {
  subject *s = malloc(sizeof *s);
  roof_error error = {0};
  assert_non_null(s);
  if (roof_model_load(model, &s->model, &error) != ROOF_OK ||
      roof_catalog_load(machine, &s->machine, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  roof_model_settings settings = roof_model_settings_default(&s->model);
  settings.tp = tp, settings.pp = pp;
  if (roof_model_target_init(&s->target, &s->model, s->machine, &settings, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  return s;
}

static void subject_done(subject *s) {
  roof_machine_free(s->machine);
  free(s);
}

/** Steps of a service are the steps that `model` answers with. */
static void steps_are_the_models(void **state) {
  (void)state;
  static const char *const models[] = {"llama-3.1-8b", "deepseek-v3", "mixtral-8x7b"};
  for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
    subject *s = subject_of(models[i], "h200", 1, 1);
    s->target.settings.batch = 24;
    roof_model_phase_of(&s->target, ROOF_PHASE_DECODE, 3000, 3000, &s->phase);
    double decode = s->phase.expected_seconds;
    roof_load load = {.decodes = 24, .context = 3000, .logits = 24};
    roof_load_phase(&s->target, &load, &s->phase);
    assert_near(s->phase.expected_seconds, decode, 1e-12);
    s->target.settings.batch = 1;
    s->target.settings.prompt = 1500;
    roof_model_phase_of(&s->target, ROOF_PHASE_PREFILL, 0, 0, &s->phase);
    double prefill = s->phase.expected_seconds;
    load = (roof_load){.prompts = 1, .queries = 1500, .logits = 1};
    roof_load_phase(&s->target, &load, &s->phase);
    assert_near(s->phase.expected_seconds, prefill, 1e-12);
    s->target.settings.batch = 24;
    s->target.settings.chunk = 512;
    roof_model_phase_of(&s->target, ROOF_PHASE_MIXED, 3000, 3000, &s->phase);
    double mixed = s->phase.expected_seconds;
    load = (roof_load){.decodes = 24,
                       .context = 3000,
                       .prompts = 1,
                       .queries = 512,
                       .past = (1500 - 512) / 2.0,
                       .logits = 24};
    roof_load_phase(&s->target, &load, &s->phase);
    assert_near(s->phase.expected_seconds, mixed, 1e-12);
    subject_done(s);
  }
}

/** The tables against the prediction itself, at random loads: 0.3 % off on average, and more than 3 % for one in a hundred at most, where
 * the blocks of a kernel jump. */
static void tables_are_near_the_prediction(void **state) {
  (void)state;
  static const struct {
    const char *model;
    double tp, pp;
  } cases[] = {{"llama-3.1-8b", 1, 1},
               {"llama-3.1-70b", 4, 2},
               {"deepseek-v3", 8, 1},
               {"mixtral-8x7b", 2, 1},
               {"gemma-2-27b", 1, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    subject *s = subject_of(cases[i].model, "h200", cases[i].tp, cases[i].pp);
    service_steps steps;
    service_random r = rf_random_start(i, 9);
    double far = 0, sum = 0;
    assert_int_equal(rf_steps_init(&steps, &s->target, NULL), ROOF_OK);
    for (int k = 0; k < 2000; k++) {
      double decodes = floor(exp2(9 * rf_random_share(&r)) - 1);
      double prompts = k % 2 || decodes == 0 ? floor(exp2(3 * rf_random_share(&r))) : 0;
      roof_load load = {.decodes = decodes,
                        .context = exp2(15 * rf_random_share(&r)),
                        .prompts = prompts,
                        .queries = prompts > 0 ? floor(exp2(11 * rf_random_share(&r))) : 0,
                        .past = prompts > 0 && k % 3 ? exp2(14 * rf_random_share(&r)) : 0,
                        .logits = decodes + floor(prompts / 2)};
      double table = rf_steps_seconds(&steps, &load);
      table +=
          decodes == 0 ? rf_steps_lag(&steps, &load, table) : 0; /* prompts alone keep no stage waiting */
      roof_load_phase(&s->target, &load, &s->phase);
      double error = fabs(table / s->phase.expected_seconds - 1);
      far += error > 0.03 ? 1 : 0, sum += error;
    }
    if (!(far / 2000 < 0.01 && sum / 2000 < 0.003)) {
      fail_msg("%s: %g beyond 3 %%, mean %.5f", cases[i].model, far, sum / 2000);
    }
    rf_steps_done(&steps);
    subject_done(s);
  }
}

/** Steps taken many at once, and one at a time. */
static void jumps_are_sums_of_steps(void **state) {
  (void)state;
  subject *s = subject_of("llama-3.1-8b", "h100", 1, 1);
  service_steps steps;
  assert_int_equal(rf_steps_init(&steps, &s->target, NULL), ROOF_OK);
  service_plant p = single_server();
  p.clock = rf_steps_clock(&steps);
  roof_service_settings set = plain_settings();
  roof_service_answer a;
  set.prompt.mean = 700, set.generate.mean = 900, set.requests = 1, set.sequences = 4;
  assert_int_equal(rf_loop_run(&p, &set, &a, NULL, NULL), ROOF_OK);
  roof_load load = {.prompts = 1, .queries = 700, .logits = 1};
  double seconds = rf_steps_seconds(&steps, &load);
  assert_near(a.ttft.mean, seconds, 1e-12);
  for (double past = 700; past < 700 + 899; past++) {
    load = (roof_load){.decodes = 1, .context = past, .logits = 1};
    seconds += rf_steps_seconds(&steps, &load);
  }
  assert_near(a.end_to_end.mean, seconds, 1e-9);
  rf_steps_done(&steps);
  subject_done(s);
}

/** Halves that take turns are never slower, and with one device nothing travels. */
static void overlap_is_never_slower(void **state) {
  (void)state;
  for (double tp = 1; tp <= 8; tp *= 8) {
    subject *s = subject_of("llama-3.1-70b", "h200", tp, 1);
    roof_service *service = NULL;
    roof_service_answer with, without;
    assert_int_equal(roof_service_new(&s->target, &service, NULL), ROOF_OK);
    roof_service_settings set = roof_service_settings_default(&s->target);
    set.requests = 300;
    assert_int_equal(roof_service_run(service, &set, &without, NULL), ROOF_OK);
    set.two_batch_overlap = true;
    assert_int_equal(roof_service_run(service, &set, &with, NULL), ROOF_OK);
    assert_true(tp > 1 ? with.ttft.mean < 0.99 * without.ttft.mean && with.tpot.mean <= without.tpot.mean
                       : with.ttft.mean == without.ttft.mean && with.seconds == without.seconds);
    roof_service_free(service);
    subject_done(s);
  }
}

static void saturation_is_where_the_queue_grows(void **state) {
  (void)state;
  subject *s = subject_of("llama-3.1-8b", "h100", 1, 1);
  roof_service *service = NULL;
  roof_service_answer a;
  double rate = 0;
  assert_int_equal(roof_service_new(&s->target, &service, NULL), ROOF_OK);
  roof_service_settings set = roof_service_settings_default(&s->target);
  set.prompt.mean = 1024, set.generate.mean = 256;
  assert_int_equal(roof_service_saturation(service, &set, &rate, NULL), ROOF_OK);
  assert_true(rate > 1 && rate < 200);
  set.rate = 0.9 * rate;
  assert_int_equal(roof_service_run(service, &set, &a, NULL), ROOF_OK);
  assert_false(a.overloaded);
  set.rate = 1.15 * rate;
  assert_int_equal(roof_service_run(service, &set, &a, NULL), ROOF_OK);
  assert_true(a.overloaded);
  double limited = NAN;
  set.ttft_seconds = 0.1, set.tpot_seconds = 0.012;
  assert_int_equal(roof_service_limit_rate(service, &set, rate, &limited, NULL), ROOF_OK);
  assert_true(limited > 0.01 * rate && limited < 0.9 * rate);
  set.requests = 8000;
  for (int over = 0; over < 2; over++) {
    set.rate = (over ? 1.1 : 1) * limited;
    assert_int_equal(roof_service_run(service, &set, &a, NULL), ROOF_OK);
    assert_int_equal(a.within < ROOF_SERVICE_LIMIT_SHARE, over);
  }
  set.tpot_seconds = 1e-6;
  assert_int_equal(roof_service_limit_rate(service, &set, rate, &limited, NULL), ROOF_OK);
  assert_true(limited == 0);
  roof_service_free(service);
  subject_done(s);
}

static void what_cannot_be_served_is_refused(void **state) {
  (void)state;
  subject *s = subject_of("llama-3.1-8b", "h100", 1, 1);
  roof_service *service = NULL;
  roof_service_answer a;
  roof_error error;
  assert_int_equal(roof_service_new(&s->target, &service, NULL), ROOF_OK);
  roof_service_settings set = roof_service_settings_default(&s->target);
  set.prompt.mean = 200000;
  assert_int_equal(roof_service_run(service, &set, &a, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "more than the 131072"));
  set = roof_service_settings_default(&s->target);
  set.rate = 0;
  assert_int_equal(roof_service_run(service, &set, &a, &error), ROOF_E_ARGUMENT);
  set = roof_service_settings_default(&s->target);
  set.budget = 100;
  assert_int_equal(roof_service_run(service, &set, &a, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "budget"));
  roof_service_free(service);
  subject_done(s);
}

/** A text as a trace. */
static roof_status read_text(const char *text, roof_requests *requests, roof_error *error) {
  char padded[1024] = {0};
  snprintf(padded, sizeof padded - 8, "%s", text);
  return rf_trace_read(padded, strlen(padded), "trace", requests, error);
}

static void traces_are_read(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double seconds, prompt, generate; /* of the second request */
    size_t count, skipped;
  } cases[] = {{"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-12-31 23:59:59.5000000,10,20\r\n2024-01-01 "
                "00:00:01.2500000,30,40\n",
                1.75, 30, 40, 2, 0},
               {"TIMESTAMP,ContextTokens,GeneratedTokens\n2024-02-28 23:59:59+00:00,1,2\n2024-03-01 "
                "00:00:00.5+00:00,3,4\n"
                "2024-03-01 00:00:01+00:00,3,0",
                86401.5, 3, 4, 2, 1},
               {"Timestamp,Model,Request tokens,Response tokens,Total tokens,Log "
                "Type\n5,ChatGPT,472,18,490,Conversation log\n"
                "4.5,GPT-4,10,1,11,API log\n",
                0.5, 472, 18, 2, 0},
               {"{\"timestamp\": 1000, \"input_length\": 600, \"output_length\": 5, \"hash_ids\": [7, 9]}\n"
                "{\"hash_ids\": [], \"output_length\": 6, \"input_length\": 700, \"timestamp\": 1500, "
                "\"type\": \"x\"}\n",
                0.5, 700, 6, 2, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_requests r;
    roof_error error = {0};
    if (read_text(cases[i].text, &r, &error) != ROOF_OK) {
      fail_msg("%zu: %s", i, error.message);
    }
    assert_int_equal(r.count, cases[i].count);
    assert_int_equal(r.skipped, cases[i].skipped);
    assert_true(r.requests[0].seconds == 0);
    assert_near(r.requests[1].seconds, cases[i].seconds, 1e-9);
    assert_true(r.requests[1].prompt == cases[i].prompt && r.requests[1].generate == cases[i].generate);
    roof_requests_done(&r);
  }
}

static void broken_traces_are_refused_where_they_break(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int line, column;
  } cases[] = {{"", 1, 1},
               {"Timestamp,Model\n", 1, 1},
               {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-13-16,1,2\n", 2, 1},
               {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03,1,2,3\n", 2, 26},
               {"Timestamp,Request tokens,Response tokens\n5,1,2\n6,1.5,2\n", 3, 3},
               {"{\"timestamp\": 0, \"input_length\": 5, \"output_length\": 5}\n{\"timestamp\": 0\n", 2, 1},
               {"{\"timestamp\": 0, \"input_length\": \"5\\n\", \"output_length\": 5}\n", 1, 35},
               {"{\"timestamp\": 0, \"input_length\": 5}\n", 1, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_requests r;
    roof_error error = {0};
    assert_int_equal(read_text(cases[i].text, &r, &error), ROOF_E_PARSE);
    if (error.line != cases[i].line || error.column != cases[i].column) {
      fail_msg("%zu: %d:%d %s", i, error.line, error.column, error.message);
    }
  }
}

/** A prompt whose blocks are there is not processed again: its first token comes as soon as its last piece takes. */
static void known_blocks_are_not_processed_again(void **state) {
  (void)state;
  roof_requests r;
  roof_service_answer with, without;
  service_plant p = single_server();
  roof_service_settings s = plain_settings();
  assert_int_equal(
      read_text(
          "{\"timestamp\": 0, \"input_length\": 1500, \"output_length\": 2, \"hash_ids\": [0, 1, 2]}\n"
          "{\"timestamp\": 9000, \"input_length\": 1030, \"output_length\": 2, \"hash_ids\": [0, 1, 3]}\n",
          &r, NULL),
      ROOF_OK);
  p.clock = (service_clock){.step = busy_step, .decode = busy_line};
  p.hashed = r.block_tokens;
  s.trace = &r, s.requests = 0, s.cache = true;
  assert_int_equal(rf_loop_run(&p, &s, &with, NULL, NULL), ROOF_OK);
  s.cache = false;
  assert_int_equal(rf_loop_run(&p, &s, &without, NULL, NULL), ROOF_OK);
  assert_near(with.cached * (1500 + 1030), 1024, 1e-12);
  assert_near(2 * (without.ttft.mean - with.ttft.mean), 1024e-5, 1e-9);
  roof_requests_done(&r);
}

/** Four adapters, of which two are on the device at once: the others wait or are loaded; without adapters a step is as long as ever. */
static void adapters_take_slots_and_time(void **state) {
  (void)state;
  service_plant p = single_server();
  roof_service_settings s = plain_settings();
  roof_service_answer without, all, few;
  s.sequences = 8, s.rate = 2, s.requests = 2000;
  assert_int_equal(rf_loop_run(&p, &s, &without, NULL, NULL), ROOF_OK);
  s.adapters = 4;
  p.adapters = (service_adapters){
      .count = 4, .slots = 4, .step_seconds = 1e-4, .each_seconds = 1e-4, .load_seconds = 0.05};
  assert_int_equal(rf_loop_run(&p, &s, &all, NULL, NULL), ROOF_OK);
  assert_true(all.adapter_loads == 4 && all.tpot.p50 > 1.19e-3 && all.tpot.most < 1.6e-3);
  assert_near(without.tpot.p50, token_seconds, 0.006);
  p.adapters.slots = 2;
  assert_int_equal(rf_loop_run(&p, &s, &few, NULL, NULL), ROOF_OK);
  assert_true(few.adapter_loads > 100 && few.wait.mean > all.wait.mean && few.requests == 2000);
  assert_true(all.slot_waits == 0 && few.slot_waits > 0.1 && few.slot_waits < 1);
  assert_true(few.slot_wait_seconds > 0 && few.slot_wait_seconds <= few.wait.mean);
  s.adapter_skew = 3; /* most requests are of the first */
  assert_int_equal(rf_loop_run(&p, &s, &all, NULL, NULL), ROOF_OK);
  assert_true(all.slot_waits < 0.5 * few.slot_waits);
}

/** Each adapter as often as Zipf's law has it, within five deviations; an exponent of 0 has all as often. */
static void adapters_are_as_popular_as_zipf_says(void **state) {
  (void)state;
  enum { DRAWS = 100000, MOST = 1000 };
  static const struct {
    double count, exponent;
  } cases[] = {{1, 1}, {2, 1}, {32, 0.5}, {32, 1}, {1000, 1.5}, {5, 10}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    static double seen[MOST + 1];
    double sum = 0;
    service_random r = rf_random_start(c + 1, 1);
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < DRAWS; i++) {
      double drawn = rf_random_zipf(&r, cases[c].count, cases[c].exponent);
      assert_true(drawn >= 1 && drawn <= cases[c].count && drawn == floor(drawn));
      seen[(int)drawn]++;
    }
    for (double i = 1; i <= cases[c].count; i++) {
      sum += pow(i, -cases[c].exponent);
    }
    for (double i = 1; i <= cases[c].count; i++) {
      double expected = DRAWS * pow(i, -cases[c].exponent) / sum;
      assert_true(fabs(seen[(int)i] - expected) <= 5 * sqrt(expected) + 1);
    }
  }
}

static void an_adapter_is_as_large_as_its_rank_says(void **state) {
  (void)state;
  static roof_model model;
  static roof_model_target target;
  owned roof_machine *h100 = NULL;
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  assert_int_equal(roof_model_load("llama-3.1-8b", &model, NULL), ROOF_OK);
  roof_model_settings settings = roof_model_settings_default(&model);
  assert_int_equal(roof_model_target_init(&target, &model, h100, &settings, NULL), ROOF_OK);
  const roof_service_settings s = {.adapters = 8, .adapter_rank = 16};
  service_adapters a = rf_adapters_of(&target, &s);
  /* q and o 4096 + 4096, k and v 4096 + 1024, gate, up and down 4096 + 14336; 32 layers, 2 bytes */
  double elements = 32 * (2 * 8192 + 2 * 5120 + 3 * 18432), products = 32 * 7;
  assert_true(a.slots == 8 && a.bytes == 16.0 * 2 * elements);
  /* a step's bytes are those of its adapters and of 100 tokens' inputs and outputs, in two products each of the layers; rank 16 is
   * far under the ridge, so that its FLOPs take no longer */
  double byte = target.plain.seconds_per_byte[target.plain.memory][ROOF_MIX_READ];
  double bytes = 3 * a.bytes + 100 * 2 * (elements + 2 * 16 * products);
  assert_near(rf_adapters_seconds(&a, 3, 100) - a.step_seconds, bytes * byte, 1e-12);
  assert_near(a.token_flop_seconds, 2 * 16 * elements * target.plain.seconds_per_flop[ROOF_MATRIX], 1e-12);
  assert_true(a.token_flop_seconds > 0 && a.token_flop_seconds < a.token_seconds &&
              rf_adapters_seconds(&a, 0, 100) == 0);
}

/** A file in order is read line by line, with the same answer as from memory; one out of order as a whole. */
static void long_traces_are_read_line_by_line(void **state) {
  (void)state;
  static const char *const lines[] = {
      "{\"timestamp\": 5000, \"input_length\": 1500, \"output_length\": 50, \"hash_ids\": [0, 1, 2]}\n",
      "{\"timestamp\": 5900, \"input_length\": 1400, \"output_length\": 40, \"hash_ids\": [0, 1, 3]}\n",
      "{\"timestamp\": 6000, \"input_length\": 700, \"output_length\": 9, \"hash_ids\": [0, 4]}\n"};
  const char *path = "serve_trace.jsonl";
  for (int swapped = 0; swapped < 2; swapped++) {
    char text[1024] = {0};
    snprintf(text, sizeof text - 8, "%s%s%s", lines[swapped ? 2 : 0], lines[1], lines[swapped ? 0 : 2]);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    roof_requests read, kept;
    assert_int_equal(roof_requests_read(path, &read, NULL), ROOF_OK);
    assert_int_equal(rf_trace_read(text, strlen(text), "trace", &kept, NULL), ROOF_OK);
    assert_true((read.requests == NULL) == (swapped == 0) && read.count == 3 && kept.requests != NULL);
    assert_true(read.longest.prompt == 1500 && read.prompt_tokens == 3600 && read.generated_tokens == 99);
    assert_near(roof_requests_rate(&read), roof_requests_rate(&kept), 1e-12);
    service_plant p = single_server();
    roof_service_settings s = plain_settings();
    roof_service_answer a, b;
    p.hashed = 512, p.blocks = 5000, s.cache = true, s.sequences = 8;
    s.trace = &read;
    assert_int_equal(rf_loop_run(&p, &s, &a, NULL, NULL), ROOF_OK);
    s.trace = &kept;
    assert_int_equal(rf_loop_run(&p, &s, &b, NULL, NULL), ROOF_OK);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(a.requests == 3 && a.cached > 0);
    remove(path);
    roof_error error;
    s.trace = &read;
    assert_true(swapped ||
                (rf_loop_run(&p, &s, &a, NULL, &error) == ROOF_E_INPUT && strstr(error.message, path)));
    roof_requests_done(&read);
    roof_requests_done(&kept);
  }
}

/** Half of the layers keep 1024 tokens, the others all; a state is there from the first token on. */
static void windows_and_states_bound_the_cache(void **state) {
  (void)state;
  const service_kept plain = {.state = 0};
  const service_kept mixed = {.state = 2, .count = 2, .kinds = {{0.5, INFINITY}, {0.5, 1024}}};
  assert_true(rf_kept_blocks(&plain, 16, 100) == 7 && rf_kept_growth(&plain, 5, 900) == 1);
  assert_true(rf_kept_blocks(&mixed, 16, 512) == 2 + 32 && rf_kept_blocks(&mixed, 16, 4096) == 2 + 128 + 32);
  assert_true(rf_kept_growth(&mixed, 4096, 5000) == 0.5 && rf_kept_growth(&mixed, 0, 2048) == 0.75);
  assert_true(rf_kept_longest(&mixed, 16, 2 + 128 + 32) == 4096);
  service_plant p = single_server();
  roof_service_settings s = plain_settings();
  roof_service_answer a;
  s.prompt.mean = 4096, s.generate.mean = 1601, s.requests = 3, s.rate = 0.01;
  p.blocks = 1000, p.kept = mixed;
  assert_int_equal(rf_loop_run(&p, &s, &a, NULL, NULL), ROOF_OK);
  assert_near(a.kv_most, rf_kept_blocks(&mixed, p.page, 4096 + 1600) / p.blocks, 0.01);
}

static void gpt_oss_keeps_windows(void **state) {
  (void)state;
  static roof_model model;
  static roof_model_target target;
  double bytes;
  owned roof_machine *h100 = NULL;
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  assert_int_equal(roof_model_load("gpt-oss-20b", &model, NULL), ROOF_OK);
  roof_model_settings settings = roof_model_settings_default(&model);
  assert_int_equal(roof_model_target_init(&target, &model, h100, &settings, NULL), ROOF_OK);
  service_kept kept = rf_kept_layers(&target, &bytes); /* every other layer sees 128 tokens */
  assert_true(kept.count == 2 && kept.kinds[0].share == 0.5 && rf_kept_lasting(&kept) == 0.5);
  target.settings.prompt = 8192, target.settings.generate = 1024, target.settings.batch = 1;
  assert_near(bytes * rf_kept_tokens(&kept, target.settings.page, 9216) / target.settings.page,
              roof_model_capacity_of(&target).kv_bytes, 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(queues_of_textbooks),
                                     cmocka_unit_test(arrivals_have_their_mean_and_spread),
                                     cmocka_unit_test(lengths_have_their_mean),
                                     cmocka_unit_test(random_numbers_are_the_same_everywhere),
                                     cmocka_unit_test(no_token_is_lost_or_made),
                                     cmocka_unit_test(the_same_seed_gives_the_same_answer),
                                     cmocka_unit_test(answers_rise_with_the_rate),
                                     cmocka_unit_test(clients_ask_again_at_once),
                                     cmocka_unit_test(turns_find_what_was_said),
                                     cmocka_unit_test(overload_is_said),
                                     cmocka_unit_test(steps_are_the_models),
                                     cmocka_unit_test(tables_are_near_the_prediction),
                                     cmocka_unit_test(jumps_are_sums_of_steps),
                                     cmocka_unit_test(overlap_is_never_slower),
                                     cmocka_unit_test(saturation_is_where_the_queue_grows),
                                     cmocka_unit_test(what_cannot_be_served_is_refused),
                                     cmocka_unit_test(traces_are_read),
                                     cmocka_unit_test(broken_traces_are_refused_where_they_break),
                                     cmocka_unit_test(known_blocks_are_not_processed_again),
                                     cmocka_unit_test(windows_and_states_bound_the_cache),
                                     cmocka_unit_test(gpt_oss_keeps_windows),
                                     cmocka_unit_test(long_traces_are_read_line_by_line),
                                     cmocka_unit_test(adapters_take_slots_and_time),
                                     cmocka_unit_test(adapters_are_as_popular_as_zipf_says),
                                     cmocka_unit_test(an_adapter_is_as_large_as_its_rank_says)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
