/* Parallel plans: splits sum to the whole, transfers by hand, the pipeline's bubble, what is refused. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "roofline/catalog.h"
#include "roofline/draw.h"
#include "roofline/plan.h"
#include "roofline/weights.h"

static roof_machine *machine = NULL;
static roof_model llama, mixtral;

static int setup(void **state) {
  (void)state;
  bool ready = roof_catalog_load("h100", &machine, NULL) == ROOF_OK &&
               roof_model_load("llama-3.1-8b", &llama, NULL) == ROOF_OK &&
               roof_model_load("mixtral-8x7b", &mixtral, NULL) == ROOF_OK;
  return ready ? 0 : -1;
}

static roof_model_settings base(const roof_model *model) {
  roof_model_settings s = roof_model_settings_default(model);
  s.batch = 64;
  return s;
}

static void answer(const roof_model *model, const roof_model_settings *s, roof_model_answer *a) {
  roof_model_target t;
  roof_error error = {0};
  if (roof_model_target_init(&t, model, machine, s, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  roof_model_answer_of(&t, a);
}

static const roof_model_operation *operation(const roof_model_phase *p, const char *name, roof_span span) {
  for (int i = 0; i < p->count; i++) {
    if (strcmp(p->operations[i].name, name) == 0 && p->operations[i].span == span) {
      return &p->operations[i];
    }
  }
  return NULL;
}

static const roof_model_operation *known_operation(const roof_model_phase *p, const char *name,
                                                   roof_span span) {
  const roof_model_operation *o = operation(p, name, span);
  if (o == NULL) {
    fail_msg("no operation %s", name);
    abort();
  }
  return o;
}

static roof_model_answer one, other;

/** FLOPs of an operation in a whole step. */
static double flops(const roof_model_answer *a, roof_phase phase, const char *name) {
  const roof_model_operation *o = operation(&a->phases[phase], name, ROOF_SPAN_NODE);
  assert_non_null(o);
  return o->count * o->flops;
}

/** One device is the same whatever its cluster would be. */
static void no_plan(void **state) {
  (void)state;
  roof_model_settings s = base(&mixtral);
  answer(&mixtral, &s, &one);
  s.node = 1;
  s.microbatches = 1;
  s.network = &roof_network_at(1)->link;
  answer(&mixtral, &s, &other);
  assert_true(one.ttft_seconds == other.ttft_seconds && one.tpot_seconds == other.tpot_seconds);
  assert_true(one.capacity.total_bytes == other.capacity.total_bytes);
  assert_true(one.phases[ROOF_PHASE_PREFILL].network_seconds == 0);
}

/** Work and memory of all devices together are those of one. */
static void sums(void **state) {
  (void)state;
  static const struct {
    double tp, pp, dp, ep, cp;
  } plans[] = {{2, 1, 1, 1, 1}, {8, 1, 1, 1, 1}, {1, 4, 1, 1, 1}, {1, 1, 8, 1, 1}, {1, 1, 1, 1, 4},
               {2, 4, 2, 1, 2}, {1, 1, 8, 8, 1}, {4, 1, 1, 4, 1}, {8, 2, 1, 2, 1}, {2, 2, 4, 8, 1}};
  roof_model_settings s = base(&mixtral);
  answer(&mixtral, &s, &one);
  for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
    s.tp = plans[i].tp, s.pp = plans[i].pp, s.dp = plans[i].dp, s.ep = plans[i].ep, s.cp = plans[i].cp;
    answer(&mixtral, &s, &other);
    double n = s.tp * s.pp * s.dp * s.cp;
    assert_true(other.devices == n);
    assert_near(n * other.capacity.kv_bytes, one.capacity.kv_bytes, 1e-12);
    assert_near(n * flops(&other, ROOF_PHASE_PREFILL, "qkv_proj"),
                flops(&one, ROOF_PHASE_PREFILL, "qkv_proj"), 1e-12);
    assert_near(n * flops(&other, ROOF_PHASE_PREFILL, "attention"),
                flops(&one, ROOF_PHASE_PREFILL, "attention"), 1e-12);
    assert_near(n * flops(&other, ROOF_PHASE_PREFILL, "experts_down"),
                flops(&one, ROOF_PHASE_PREFILL, "experts_down"), 1e-12);
    assert_near(n * flops(&other, ROOF_PHASE_DECODE, "attention"),
                flops(&one, ROOF_PHASE_DECODE, "attention"), 1e-12);
  }
}

/** Experts' weights are held once over the devices that share them. */
static void weights(void **state) {
  (void)state;
  roof_model_settings s = base(&mixtral);
  answer(&mixtral, &s, &one);
  double experts = roof_model_count(&mixtral).parts[ROOF_PART_EXPERTS] * 2;
  s.dp = s.ep = 8;
  answer(&mixtral, &s, &other);
  assert_near(one.capacity.weight_bytes - other.capacity.weight_bytes, experts * 7 / 8, 1e-12);
  s = base(&llama);
  answer(&llama, &s, &one);
  s.pp = 32; /* the stage of the output projection has one layer, which the first stage has as well */
  answer(&llama, &s, &other);
  double table = 128256.0 * 4096 * 2;
  assert_near(32 * (other.capacity.weight_bytes - table) + 2 * table, one.capacity.weight_bytes, 1e-12);
}

/** Bytes through each link, by hand. */
static void transfers(void **state) {
  (void)state;
  roof_model_settings s = base(&mixtral);
  s.prompt = 128, s.chunk = 0, s.tp = 16;
  mixtral.blocks[0].kv_heads = 16;
  answer(&mixtral, &s, &one);
  double buffer = 64.0 * 128 * 4096 * 2;
  const roof_model_phase *p = &one.phases[ROOF_PHASE_PREFILL];
  const roof_model_operation *in = operation(p, "tp_all_reduce", ROOF_SPAN_NODE);
  const roof_model_operation *between = operation(p, "tp_all_reduce", ROOF_SPAN_CLUSTER);
  assert_non_null(in);
  assert_non_null(between);
  assert_near(in->bytes[ROOF_BYTES_NETWORK], 2 * 7.0 / 8 * buffer, 1e-12);
  assert_near(between->bytes[ROOF_BYTES_NETWORK], 2 * 1.0 / 2 * buffer / 8, 1e-12);
  assert_near(in->network_seconds, in->bytes[ROOF_BYTES_NETWORK] / 450e9 + 2 * 0.6e-6, 1e-9);
  assert_near(between->network_seconds, between->bytes[ROOF_BYTES_NETWORK] / 50e9 + 2 * 2.7e-6, 1e-9);
  mixtral.blocks[0].kv_heads = 8;
  s.tp = 1, s.dp = 8, s.ep = 8; /* two of eight experts: a token visits 8 (1 - (7/8)^2) devices */
  answer(&mixtral, &s, &one);
  const roof_model_operation *out = operation(&one.phases[ROOF_PHASE_PREFILL], "ep_dispatch", ROOF_SPAN_NODE);
  assert_non_null(out);
  assert_near(out->bytes[ROOF_BYTES_NETWORK], buffer / 8 * 8 * (1 - 49.0 / 64) * 7 / 8, 1e-12);
  assert_null(operation(&one.phases[ROOF_PHASE_PREFILL], "ep_dispatch", ROOF_SPAN_CLUSTER));
  s.dp = s.ep = 1, s.pp = 16;
  answer(&mixtral, &s, &one);
  const roof_model_operation *send = operation(&one.phases[ROOF_PHASE_PREFILL], "pp_send", ROOF_SPAN_CLUSTER);
  assert_non_null(send);
  assert_near(send->count * send->bytes[ROOF_BYTES_NETWORK], buffer, 1e-12);
}

/** Between nodes a token goes once to each node, and to no more than its routing allows: 4 of 8 groups of DeepSeek-V3. */
static void tokens_between_nodes(void **state) {
  (void)state;
  static roof_model deepseek;
  assert_int_equal(roof_model_load("deepseek-v3", &deepseek, NULL), ROOF_OK);
  roof_model_settings s = roof_model_settings_default(&deepseek);
  double row = 7168;
  for (double nodes = 4; nodes <= 16; nodes *= 2) {
    s.batch = s.dp = s.ep = 8 * nodes;
    s.prompt = 128, s.chunk = 0;
    answer(&deepseek, &s, &one);
    double copies = fmin(4 * ceil(nodes / 8), nodes * (1 - pow(1 - 1 / nodes, 8)));
    const roof_model_operation *out =
        operation(&one.phases[ROOF_PHASE_PREFILL], "ep_dispatch", ROOF_SPAN_CLUSTER);
    assert_non_null(out);
    assert_near(out->bytes[ROOF_BYTES_NETWORK], 128 * row * copies * (nodes - 1) / nodes, 1e-9);
  }
}

/** Bytes of a collective that pass a device's port between nodes, one call, and those of the whole buffer. */
static void far_sum(const char *name, double *passed, double *buffer) {
  const roof_model_phase *p = &one.phases[ROOF_PHASE_TRAIN];
  const roof_model_operation *far = operation(p, name, ROOF_SPAN_CLUSTER);
  assert_non_null(far);
  *passed = far->bytes[ROOF_BYTES_NETWORK];
  *buffer = 2 * roof_model_count(&llama).total / llama.layer_count;
}

/** The ports of a last node that is not full pass all of a sum, and of what is gathered all but its own part; ports of full
 * nodes have even shares. */
static void last_node_is_not_full(void **state) {
  (void)state;
  roof_model_settings s = base(&llama);
  double passed, buffer;
  s.train = true, s.prompt = 128;
  for (s.node = 1; s.node <= 8; s.node++) {
    for (double n = s.node + 1; n <= 26; n++) {
      double nodes = ceil(n / s.node), least = n - (nodes - 1) * s.node;
      s.batch = s.dp = n, s.zero = 0;
      answer(&llama, &s, &one);
      far_sum("dp_all_reduce", &passed, &buffer);
      assert_near(passed, 2 * (nodes - 1) / nodes * buffer / least, 1e-12);
      assert_true(passed * (1 + 1e-12) >= buffer / least);
      s.zero = 1;
      answer(&llama, &s, &one);
      far_sum("dp_all_gather", &passed, &buffer);
      assert_near(passed, (n - least) / n * buffer / least, 1e-12);
      far_sum("dp_reduce_scatter", &passed, &buffer);
      assert_near(passed, (n - least) / n * buffer / least, 1e-12);
    }
  }
}

/** Every token of the other nodes that has an expert in the last one, which is not full, comes in through its ports. */
static void tokens_to_the_last_node(void **state) {
  (void)state;
  static roof_model deepseek;
  assert_int_equal(roof_model_load("deepseek-v3", &deepseek, NULL), ROOF_OK);
  deepseek.blocks[1].token_groups = 0; /* any node */
  roof_model_settings s = roof_model_settings_default(&deepseek);
  s.prompt = 128, s.chunk = 0;
  for (double n = 9; n <= 32; n++) {
    double least = n - 8 * (ceil(n / 8) - 1), come = 1 - pow(1 - least / n, 8);
    s.batch = s.dp = s.ep = n;
    answer(&deepseek, &s, &one);
    const roof_model_operation *out =
        operation(&one.phases[ROOF_PHASE_PREFILL], "ep_dispatch", ROOF_SPAN_CLUSTER);
    assert_non_null(out);
    assert_near(out->bytes[ROOF_BYTES_NETWORK], 128 * 7168 * (n - least) / least * come, 1e-9);
  }
}

/** 144 devices hold two experts each of 256: 32 are copies. */
static void redundant_experts(void **state) {
  (void)state;
  static roof_model deepseek;
  assert_int_equal(roof_model_load("deepseek-v3", &deepseek, NULL), ROOF_OK);
  roof_model_settings s = roof_model_settings_default(&deepseek);
  s.batch = s.dp = s.ep = 128;
  answer(&deepseek, &s, &one);
  s.batch = s.dp = s.ep = 144;
  answer(&deepseek, &s, &other);
  assert_near(one.capacity.weight_bytes, other.capacity.weight_bytes, 1e-12);
}

/** Seconds of the operations that a stage does, without its waiting. */
static double stage_seconds(const roof_model_phase *p) {
  double seconds = 0;
  for (int i = 0; i < p->count; i++) {
    bool idle = strcmp(p->operations[i].name, "pipeline_idle") == 0;
    seconds += idle ? 0 : p->operations[i].count * p->operations[i].expected_seconds;
  }
  return seconds;
}

/** One microbatch passes every layer and the output projection once, whatever the stages: the seconds of one device, and a
 * transfer between each two stages. So does its bound, which has no transfers. */
static void one_microbatch_passes_once(void **state) {
  (void)state;
  static const roof_phase kinds[] = {ROOF_PHASE_PREFILL, ROOF_PHASE_DECODE};
  roof_model_settings s = base(&llama);
  s.batch = 1, s.chunk = 0;
  answer(&llama, &s, &other);
  for (s.pp = 2; s.pp <= 32; s.pp += s.pp < 8 ? 1 : 8) {
    answer(&llama, &s, &one);
    for (int i = 0; i < 2; i++) {
      const roof_model_phase *p = &one.phases[kinds[i]], *alone = &other.phases[kinds[i]];
      roof_span span = s.pp > 8 ? ROOF_SPAN_CLUSTER : ROOF_SPAN_NODE;
      const roof_model_operation *send = known_operation(p, "pp_send", span);
      assert_near(p->expected_seconds, alone->expected_seconds + (s.pp - 1) * send->expected_seconds, 1e-9);
      assert_near(p->lower_seconds, alone->lower_seconds, 1e-9);
      assert_near(p->bubble, 1 - stage_seconds(p) / p->expected_seconds, 1e-12);
    }
  }
}

/** With m microbatches a prompt takes m - 1 times the slowest stage besides. Decoding waits with fewer of them than stages,
 * not at all with as many; no stage can be faster than the output projection alone. */
static void bubble(void **state) {
  (void)state;
  roof_model_settings s = base(&llama);
  s.chunk = 0, s.pp = 4;
  for (double m = 1; m <= 64; m *= 2) {
    s.microbatches = m;
    answer(&llama, &s, &one);
    const roof_model_phase *p = &one.phases[ROOF_PHASE_PREFILL], *d = &one.phases[ROOF_PHASE_DECODE];
    const roof_model_operation *head = known_operation(p, "lm_head", ROOF_SPAN_NODE),
                               *send = known_operation(p, "pp_send", ROOF_SPAN_NODE);
    double stage = stage_seconds(p) / m;
    double layers = stage - (head->expected_seconds * head->count + send->expected_seconds * send->count) / m;
    double pass = stage + 3 * layers + 2 * send->expected_seconds;
    assert_near(p->expected_seconds, pass + (m - 1) * stage, 0.005); /* the embedding is once too */
    assert_true(m < 4 ? d->bubble > 0 && d->bubble < 1 - m / 4 : d->bubble == 0);
    assert_true(p->lower_seconds <= p->expected_seconds && d->lower_seconds <= d->expected_seconds);
    assert_true(d->lower_seconds >= m * known_operation(d, "lm_head", ROOF_SPAN_NODE)->lower_seconds);
  }
  const roof_model_phase *p = &one.phases[ROOF_PHASE_PREFILL];
  assert_string_equal(p->operations[p->count - 1].name, "pipeline_idle");
  assert_true(p->bubble < 3.0 / 67 && p->bubble > 2.0 / 67);
}

/** At best a phase takes no more than all of its operations at best one after another, and without a pipeline, in which no device
 * has all of them, no less than any. */
static void assert_at_best(const roof_model_phase *p, bool piped) {
  double sum = 0, longest = 0;
  for (int i = 0; i < p->count; i++) {
    double seconds = p->operations[i].count * p->operations[i].lower_seconds;
    sum += seconds;
    longest = fmax(longest, seconds);
  }
  assert_true(p->lower_seconds <= sum * (1 + 1e-9));
  assert_true(piped || p->lower_seconds >= longest * (1 - 1e-9));
  assert_true(p->lower_seconds <= p->upper_seconds);
}

/** What a link takes of a tree's or a ring's messages is more than what an exchange takes at best. */
static void at_best_links_carry_what_they_must(void **state) {
  (void)state;
  static const double splits[] = {1, 2, 8, 16, 32}, stages[] = {1, 2, 4};
  for (int n = 0; n < 2 * 5 * 3 * 2 * 2; n++) {
    const roof_model *model = n % 2 == 0 ? &llama : &mixtral;
    roof_model_settings s = base(model);
    s.tp = splits[n / 2 % 5], s.pp = stages[n / 10 % 3];
    s.batch = n / 30 % 2 == 0 ? 8 : 64, s.train = n / 60 % 2 == 1;
    s.sp = s.tp > 1 && n % 3 == 0;
    s.ep = model == &mixtral && s.tp == 8 ? 8 : 1;
    answer(model, &s, &one);
    for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
      if (one.phases[i].present) {
        assert_at_best(&one.phases[i], s.pp > 1);
      }
    }
  }
}

static void assert_in_order(double least, double low, double expected, double high) {
  double most = 1 + 1e-9;
  assert_true(least <= low * most && low <= expected * most && expected <= high * most);
}

/** The longer the work takes, the less of a transfer from the host is left: its times are in order all the same. */
static void times_with_a_host_are_in_order(void **state) {
  (void)state;
  static const double shares[] = {0.02, 0.05, 0.1, 0.3, 0.7}, stages[] = {1, 2, 4}, batches[] = {1, 8, 64};
  for (int n = 0; n < 5 * 3 * 3 * 2; n++) {
    roof_model_settings s = base(&llama);
    s.offload = shares[n % 5], s.pp = stages[n / 5 % 3], s.batch = batches[n / 15 % 3];
    s.options.overlap = n / 45 % 2 == 0 ? s.options.overlap : 0.8;
    answer(&llama, &s, &one);
    for (int i = ROOF_PHASE_PREFILL; i <= ROOF_PHASE_DECODE; i++) {
      const roof_model_phase *p = &one.phases[i];
      const roof_model_operation *o = known_operation(p, "offload", ROOF_SPAN_HOST);
      assert_in_order(p->lower_seconds, p->expected_low_seconds, p->expected_seconds,
                      p->expected_high_seconds);
      assert_in_order(o->lower_seconds, o->expected_low_seconds, o->expected_seconds,
                      o->expected_high_seconds);
    }
  }
}

/** Cards that exchange over PCI Express have one port for that and for what comes from the host: it takes the time of both. */
static void one_port_carries_both(void **state) {
  (void)state;
  const struct {
    const char *machine;
    bool one;
  } cases[] = {{"l40s", true}, {"h100", false}};
  roof_machine *sxm = machine;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(roof_catalog_load(cases[i].machine, &machine, NULL), ROOF_OK);
    for (double pp = 1; pp <= 2; pp++) {
      roof_model_settings s = base(&llama);
      s.tp = 4, s.pp = pp, s.batch = 64, s.offload = 0.5;
      answer(&llama, &s, &one);
      const roof_model_phase *p = &one.phases[ROOF_PHASE_DECODE];
      double host = p->link_seconds[ROOF_SPAN_HOST], both = host + p->link_seconds[ROOF_SPAN_NODE];
      assert_true(both > 1.001 * host);
      assert_near(p->lower_seconds, cases[i].one ? both : host, 1e-9);
      assert_true(p->expected_low_seconds >= p->lower_seconds * (1 - 1e-9));
    }
    roof_machine_free(machine);
  }
  machine = sxm;
}

/** More devices never hold or compute more each; a slower network is never faster; bounds are in order. */
static void monotone(void **state) {
  (void)state;
  roof_model_settings s = base(&llama);
  double weights_before = INFINITY, compute_before = INFINITY, ttft = 0;
  for (s.tp = 1; s.tp <= 32; s.tp *= 2) {
    answer(&llama, &s, &one);
    const roof_model_phase *p = &one.phases[ROOF_PHASE_PREFILL];
    assert_true(one.capacity.weight_bytes < weights_before && p->compute_seconds < compute_before);
    assert_true(p->lower_seconds <= p->expected_seconds && p->lower_seconds <= p->upper_seconds);
    assert_at_best(p, false);
    assert_near(p->link_seconds[0] + p->link_seconds[1], p->network_seconds, 1e-12);
    assert_true((p->link_seconds[ROOF_SPAN_CLUSTER] > 0) == (s.tp > 8));
    weights_before = one.capacity.weight_bytes, compute_before = p->compute_seconds;
  }
  s.tp = 16;
  static const char *const slower[] = {"xdr", "ndr", "hdr", "edr"};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(roof_network_find(slower[i], machine, &s.network, NULL), ROOF_OK);
    answer(&llama, &s, &one);
    assert_true(one.ttft_seconds > ttft);
    ttft = one.ttft_seconds;
  }
}

/** The search against plans that are answered one by one. */
static void found(void **state) {
  (void)state;
  static roof_plan_front front;
  roof_model_settings s = base(&llama);
  roof_plan_limits limits = {.devices = 8, .ttft_seconds = NAN, .tpot_seconds = 0.012};
  s.chunk = s.prompt; /* whole prompts alone */
  assert_int_equal(roof_plan_search(&llama, machine, &s, &s.precision, 1, &limits, &front, NULL), ROOF_OK);
  assert_true(front.within > 0 && front.within <= front.fit && front.fit <= front.tried);
  double most = 0;
  for (int split = 0; split < 64; split++) {
    s.tp = 1 << split % 4, s.pp = 1 << split / 4 % 4, s.cp = 1 << split / 16;
    s.dp = 8 / (s.tp * s.pp * s.cp);
    for (double batch = 1; batch <= 65536 && s.dp >= 1; batch *= 2) {
      s.batch = s.dp;
      answer(&llama, &s, &one);
      s.batch = batch * s.dp;
      answer(&llama, &s, &other);
      double decode = other.phases[ROOF_PHASE_DECODE].expected_seconds, prompt = one.ttft_seconds;
      double busy = prompt * (1 - one.phases[ROOF_PHASE_PREFILL].bubble); /* of each stage */
      double request = prompt + (batch - 1) * busy + (s.generate - 1) * decode;
      double seen = decode + (batch - 1) * busy / s.generate;
      if (other.capacity.fits && seen <= 0.012) {
        most = fmax(most, s.batch * s.generate / request / 8);
      }
    }
  }
  s = base(&llama);
  s.chunk = s.prompt;
  const roof_plan_point *best = &front.best; /* batches between powers of two are tried too */
  assert_true(best->device_tokens_per_second >= most * (1 - 1e-12) && best->tpot_seconds <= 0.012);
  s.tp = best->tp, s.pp = best->pp, s.dp = best->dp, s.cp = best->cp;
  s.batch = best->batch;
  answer(&llama, &s, &one);
  assert_near(best->device_tokens_per_second, one.continuous.device_tokens_per_second, 1e-12);
  s.batch = s.dp * floor(best->batch / s.dp * 17 / 16 + 1);
  answer(&llama, &s, &one);
  assert_true(!one.capacity.fits || one.continuous.tpot_seconds > 0.012);
  s = base(&llama);
  s.chunk = s.prompt;
  for (int i = 1; i < front.count; i++) {
    assert_true(front.points[i].tpot_seconds > front.points[i - 1].tpot_seconds);
    assert_true(front.points[i].device_tokens_per_second > front.points[i - 1].device_tokens_per_second);
  }
  limits.tpot_seconds = 1e-6;
  assert_int_equal(roof_plan_search(&llama, machine, &s, &s.precision, 1, &limits, &front, NULL), ROOF_OK);
  assert_true(front.within == 0 && front.best.batch == 0 && front.count > 0);
  limits.devices = 7; /* no head count that 7 divides, but 7 replicas */
  assert_int_equal(roof_plan_search(&llama, machine, &s, &s.precision, 1, &limits, &front, NULL), ROOF_OK);
  limits.devices = 0;
  assert_int_equal(roof_plan_search(&llama, machine, &s, &s.precision, 1, &limits, &front, NULL),
                   ROOF_E_ARGUMENT);
}

/** All-reduces and the limit of data parallelism against closed forms; ZeRO and the bubble. */
static void cluster(void **state) {
  (void)state;
  roof_cluster c = {.node = 8,
                    .flops_per_second = 312e12,
                    .parameters = 7e9,
                    .tokens = 1e6,
                    .gradient_bytes = 2,
                    .links = {{.bytes_per_second = 300e9}, {.bytes_per_second = 25e9}}};
  assert_near(roof_cluster_intensity(&c, 8), 1.5e6 / 7, 1e-12);
  assert_near(roof_cluster_all_reduce(&c, ROOF_ROUTE_RING, 14e9, 8), 2 * 7.0 / 8 * 14e9 / 300e9, 1e-12);
  assert_near(roof_cluster_all_reduce(&c, ROOF_ROUTE_TREE, 14e9, 64), 2 * 63.0 / 64 * 14e9 / 25e9, 1e-12);
  double within = 2 * 7.0 / 8 * 14e9 / 300e9, across = 2 * 7.0 / 8 * 14e9 / 8 / 25e9; /* in pieces, at once */
  assert_near(roof_cluster_all_reduce(&c, ROOF_ROUTE_HIERARCHY, 14e9, 64), fmax(within, across), 1e-12);
  c.links[ROOF_SPAN_NODE].latency_seconds = 1e-6;
  assert_near(roof_cluster_all_reduce(&c, ROOF_ROUTE_HIERARCHY, 14e9, 64), fmax(within, across) + 14e-6,
              1e-12);
  c.links[ROOF_SPAN_NODE].latency_seconds = 0;
  for (double n = 9; n <= 32; n++) { /* the last node may have fewer ports, which pass as much */
    double nodes = ceil(n / 8), least = n - 8 * (nodes - 1);
    across = 2 * (nodes - 1) / nodes * 14e9 / least / 25e9;
    assert_near(roof_cluster_all_reduce(&c, ROOF_ROUTE_HIERARCHY, 14e9, n), fmax(within, across), 1e-12);
  }
  /* 6 P B / (N peak) = 2 (N - 1) / N x 2 P / bandwidth */
  assert_near(roof_cluster_limit(&c, ROOF_ROUTE_RING, 1), 1 + 1.5 * 1e6 * 25e9 / 312e12, 1e-6);
  assert_near(roof_cluster_limit(&c, ROOF_ROUTE_RING, 2.0 / 3), 1 + 1e6 * 25e9 / 312e12, 1e-6);
  double limit = 0;
  for (c.tokens = 1e5; c.tokens < 1e8; c.tokens *= 3) {
    assert_true(roof_cluster_limit(&c, ROOF_ROUTE_HIERARCHY, 1) > limit);
    limit = roof_cluster_limit(&c, ROOF_ROUTE_HIERARCHY, 1);
    assert_true(roof_cluster_limit(&c, ROOF_ROUTE_RING, 1) <= limit);
  }
  static const double held[] = {16, 4 + 12.0 / 64, 2 + 14.0 / 64, 16.0 / 64};
  for (int stage = 0; stage < 4; stage++) {
    assert_near(roof_zero_bytes(stage, 64), held[stage], 1e-12);
    assert_near(roof_zero_bytes(stage, 1), 16, 1e-12);
  }
  assert_near(roof_zero_traffic(3, 64) / roof_zero_traffic(0, 64), 1.5, 1e-12);
  assert_true(isnan(roof_zero_bytes(4, 2)));
  assert_near(roof_pipeline_bubble(4, 16), 3.0 / 19, 1e-12);
}

static void refused(void **state) {
  (void)state;
  static const struct {
    const roof_model *model;
    double tp, pp, dp, ep, cp, microbatches;
    const char *says;
  } plans[] = {{&llama, 3, 1, 1, 1, 1, 0, "the 32 heads"},
               {&llama, 1, 33, 1, 1, 1, 0, "32 layers"},
               {&llama, 1, 1, 3, 1, 1, 0, "dp=3: does not divide the batch"},
               {&llama, 1, 1, 1, 2, 1, 0, "no experts"},
               {&llama, 1, 2, 1, 1, 1, 65, "64 sequences"},
               {&llama, 1, 1, 1, 1, 1e6, 0, "the prompt has"},
               {&mixtral, 2, 1, 1, 4, 1, 0, "tp x dp"},
               {&mixtral, 1, 1, 32, 32, 1, 0, "more than two copies of each of the 8 experts"}};
  for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
    roof_model_settings s = base(plans[i].model);
    roof_model_target t;
    roof_error error = {0};
    s.tp = plans[i].tp, s.pp = plans[i].pp, s.dp = plans[i].dp, s.ep = plans[i].ep, s.cp = plans[i].cp;
    s.microbatches = plans[i].microbatches;
    assert_int_equal(roof_model_target_init(&t, plans[i].model, machine, &s, &error), ROOF_E_ARGUMENT);
    if (strstr(error.message, plans[i].says) == NULL) {
      fail_msg("%s: without `%s`", error.message, plans[i].says);
    }
  }
  const roof_link *link = NULL;
  roof_error error = {0};
  assert_int_equal(roof_network_find("nrd", machine, &link, &error), ROOF_E_NAME);
  assert_non_null(strstr(error.message, "did you mean `ndr`?"));
  assert_null(link);
}

/** What two cards' bridge joins is two: more share a model over PCI Express, and whoever joins none cannot. */
static void links_join_so_many(void **state) {
  (void)state;
  const struct {
    const char *machine;
    double tp, dp, pp;
    const char *link, *host;
  } cases[] = {
      {"h100-pcie", 2, 1, 1, "NVLink 4 bridge", "PCIe 5.0 x16"},
      {"h100-pcie", 2, 4, 1, "NVLink 4 bridge", "PCIe 5.0 x16"}, /* replicas that serve exchange nothing */
      {"h100-pcie", 4, 1, 1, "PCIe 5.0 x16", "PCIe 5.0 x16"},
      {"h100-pcie", 2, 1, 2, "PCIe 5.0 x16", "PCIe 5.0 x16"},
      {"dgx-spark", 2, 1, 1, "ConnectX-7 200 GbE", "NVLink-C2C"},
      {"gb200", 8, 1, 1, "NVLink 5", "NVLink-C2C"},
      {"h100", 8, 1, 1, "NVLink 4", "PCIe 5.0 x16"},
      {"epyc-9654", 2, 1, 1, NULL, ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_machine *m = NULL;
    roof_model_target t;
    roof_model_settings s = base(&llama);
    s.tp = cases[i].tp, s.dp = cases[i].dp, s.pp = cases[i].pp;
    assert_int_equal(roof_catalog_load(cases[i].machine, &m, NULL), ROOF_OK);
    roof_status status = roof_model_target_init(&t, &llama, m, &s, NULL);
    assert_int_equal(status, cases[i].link != NULL ? ROOF_OK : ROOF_E_UNSUPPORTED);
    if (status == ROOF_OK) {
      assert_string_equal(t.links[ROOF_SPAN_NODE].name, cases[i].link);
      assert_string_equal(t.links[ROOF_SPAN_HOST].name, cases[i].host);
    }
    roof_machine_free(m);
  }
}

/** Cards that a bridge joins send each other over it, whatever else shares the model: the transfer that stretches over more
 * goes by PCI Express. */
static void neighbours_keep_their_bridge(void **state) {
  (void)state;
  static const struct {
    double tp, pp, dp, cp;
    const char *near, *far;
  } plans[] = {{2, 2, 1, 1, "tp_all_reduce", "pp_send"},
               {2, 1, 1, 2, "tp_all_reduce", "cp_keys"},
               {1, 2, 2, 2, "cp_keys", "pp_send"},
               {4, 1, 1, 1, NULL, "tp_all_reduce"},
               {1, 4, 1, 1, NULL, "pp_send"}};
  roof_machine *own = machine;
  assert_int_equal(roof_catalog_load("h100-nvl", &machine, NULL), ROOF_OK);
  for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
    const roof_model_phase *p = &one.phases[ROOF_PHASE_PREFILL];
    roof_model_settings s = base(&llama);
    s.tp = plans[i].tp, s.pp = plans[i].pp, s.dp = plans[i].dp, s.cp = plans[i].cp;
    answer(&llama, &s, &one);
    assert_non_null(operation(p, plans[i].far, ROOF_SPAN_NODE));
    assert_null(operation(p, plans[i].far, ROOF_SPAN_NEIGHBOURS));
    assert_true((p->link_seconds[ROOF_SPAN_NEIGHBOURS] > 0) == (plans[i].near != NULL));
    assert_true(plans[i].near == NULL || operation(p, plans[i].near, ROOF_SPAN_NODE) == NULL);
    assert_at_best(p, s.pp > 1);
  }
  roof_model_settings s = base(&llama);
  s.tp = 2;
  answer(&llama, &s, &one);
  s.pp = 2;
  answer(&llama, &s, &other);
  const roof_model_operation *pair =
      operation(&one.phases[ROOF_PHASE_DECODE], "tp_all_reduce", ROOF_SPAN_NODE);
  const roof_model_operation *of_four =
      operation(&other.phases[ROOF_PHASE_DECODE], "tp_all_reduce", ROOF_SPAN_NEIGHBOURS);
  assert_true(pair != NULL && of_four != NULL && of_four->network_seconds < pair->network_seconds);
  roof_machine_free(machine);
  machine = own;
}

/** A node is what a link joins beyond the host, where it does; sixteen on one host need not be there. */
static void node_is_what_a_link_joins(void **state) {
  (void)state;
  static const struct {
    const char *machine;
    double node;
  } cases[] = {{"gb200", 72}, {"gb300", 72},  {"h100", 8},   {"a100", 8},      {"h100-nvl", 8},
               {"mi210", 8},  {"tpu-v5e", 8}, {"mi300x", 8}, {"epyc-9654", 8}, {"trn2", 16}};
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_machine *m = NULL;
    roof_model_target t;
    roof_model_settings s = base(&llama);
    assert_int_equal(roof_catalog_load(cases[i].machine, &m, NULL), ROOF_OK);
    assert_true(roof_node_devices(m) == cases[i].node);
    assert_int_equal(roof_model_target_init(&t, &llama, m, &s, NULL), ROOF_OK);
    assert_true(t.settings.node == cases[i].node);
    s.node = 4;
    assert_int_equal(roof_model_target_init(&t, &llama, m, &s, NULL), ROOF_OK);
    assert_true(t.settings.node == 4);
    roof_machine_free(m);
  }
  static roof_cluster_answer a;
  roof_cluster_settings s = roof_cluster_settings_default();
  roof_machine *gb200 = NULL;
  roof_target target;
  assert_int_equal(roof_catalog_load("gb200", &gb200, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, gb200, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_cluster_answer_of(&target, &s, &a, NULL), ROOF_OK);
  assert_true(a.cluster.node == 72);
  roof_machine_free(gb200);
}

static void answer_of(const char *name, double devices, roof_cluster_answer *a) {
  roof_machine *m = NULL;
  roof_cluster_settings s = roof_cluster_settings_default();
  roof_types types = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  roof_target target;
  s.devices = devices;
  assert_int_equal(roof_catalog_load(name, &m, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, m, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_cluster_answer_of(&target, &s, a, NULL), ROOF_OK);
  double slowest = a->cluster.links[ROOF_SPAN_CLUSTER].bytes_per_second;
  slowest = devices <= a->cluster.node ? a->cluster.links[ROOF_SPAN_NODE].bytes_per_second
                                       : fmin(slowest, a->cluster.links[ROOF_SPAN_NODE].bytes_per_second);
  for (int i = 0; i < 2 && devices > 1; i++) {
    assert_true(a->routes[i].bus_bytes_per_second <= slowest);
  }
  roof_machine_free(m);
}

/** One more device makes no ring and no tree over all of them faster, and none is faster than the slowest link that it passes. */
static void a_ring_is_as_fast_as_its_slowest_link(void **state) {
  (void)state;
  static const char *const names[] = {"rtx-4090", "l40s", "a10",  "l4",    "t4",   "a100",
                                      "h100",     "h200", "b200", "gb200", "v100", "mi300x"};
  static const double counts[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 64, 72, 73, 512, 4096};
  static roof_cluster_answer a;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    double before[2] = {0, 0};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
      answer_of(names[i], counts[k], &a);
      for (int route = ROOF_ROUTE_RING; route <= ROOF_ROUTE_TREE; route++) {
        if (!(a.routes[route].seconds >= before[route])) {
          fail_msg("%s, %s: %g devices take %g s, fewer %g", names[i], a.routes[route].name, counts[k],
                   a.routes[route].seconds, before[route]);
        }
        before[route] = a.routes[route].seconds;
      }
    }
  }
  answer_of("rtx-4090", 8, &a);
  double eight = a.routes[ROOF_ROUTE_RING].seconds;
  answer_of("rtx-4090", 64, &a); /* the host is shared by the eight of a node, not by all */
  assert_near(a.routes[ROOF_ROUTE_RING].seconds / eight, 63.0 / 64 / (7.0 / 8), 0.05);
}

/** No device is a part of one: a limit between a full node and the next device is that device. */
static void limit_beyond_a_full_node_is_whole(void **state) {
  (void)state;
  roof_cluster c = {.node = 8,
                    .flops_per_second = 989.4e12,
                    .parameters = 8.03e9,
                    .gradient_bytes = 2,
                    .links = {{.bytes_per_second = 450e9}, {.bytes_per_second = 50e9}}};
  for (c.tokens = 3e4; c.tokens < 3e5; c.tokens *= 1.1) {
    double step = roof_cluster_limit(&c, ROOF_ROUTE_RING, 1);
    double backward = roof_cluster_limit(&c, ROOF_ROUTE_RING, 2.0 / 3);
    assert_true(backward <= step);
    assert_true(!(step > 8 && step < 9) && !(backward > 8 && backward < 9));
  }
}

static void settings_that_no_cluster_is(void **state) {
  (void)state;
  static const char *const words[] = {"devices=63.7", "node=2.5", "bytes=0",          "devices=1e30",
                                      "params=0.5",   "stages=0", "microbatches=1.5", "size=0"};
  static roof_cluster_answer a;
  roof_cluster_settings s = roof_cluster_settings_default();
  double *const fields[] = {&s.devices,        &s.node,   &s.parameters,   &s.tokens,
                            &s.gradient_bytes, &s.stages, &s.microbatches, &s.buffer_bytes};
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  roof_target target;
  roof_error error = {0};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    assert_int_equal(roof_cluster_settings_read(words[i], &s, &error), ROOF_E_ARGUMENT);
  }
  assert_int_equal(roof_cluster_settings_read("devices=1e30", &s, &error), ROOF_E_ARGUMENT);
  assert_string_equal(error.message, "devices=1e+30: must be a whole number from 1 to 1e18");
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  a.bubble = 7;
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    double before = *fields[i];
    *fields[i] = 0;
    assert_int_equal(roof_cluster_answer_of(&target, &s, &a, NULL), ROOF_E_ARGUMENT);
    *fields[i] = NAN;
    assert_int_equal(roof_cluster_answer_of(&target, &s, &a, NULL),
                     isnan(before) ? ROOF_OK : ROOF_E_ARGUMENT);
    *fields[i] = before;
  }
}

/** A mixture of experts computes with the parameters that a token uses, and sends the gradients of all. */
static void experts_compute_with_what_is_active(void **state) {
  (void)state;
  roof_cluster c = {.node = 8,
                    .flops_per_second = 989.4e12,
                    .parameters = 671e9,
                    .active_parameters = 37e9,
                    .tokens = 4e6,
                    .gradient_bytes = 2};
  assert_near(roof_cluster_compute(&c, 64), 6 * 37e9 * 4e6 / 64 / 989.4e12, 1e-12);
  assert_near(roof_cluster_intensity(&c, 64), 3 * 4e6 / (63 * 2) * 37 / 671, 1e-12);
  c.active_parameters = NAN;
  assert_near(roof_cluster_compute(&c, 64), 6 * 671e9 * 4e6 / 64 / 989.4e12, 1e-12);
  static roof_cluster_answer a;
  roof_cluster_settings s = roof_cluster_settings_default();
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  roof_target target;
  roof_error error = {0};
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_cluster_settings_read("params=46G", &s, NULL), ROOF_OK);
  assert_int_equal(roof_cluster_settings_read("active=13G", &s, NULL), ROOF_OK);
  assert_int_equal(roof_cluster_answer_of(&target, &s, &a, NULL), ROOF_OK);
  assert_near(a.compute_seconds, 6 * 13e9 * 4e6 / 64 * target.seconds_per_flop[ROOF_MATRIX], 1e-12);
  assert_true(a.buffer_bytes == 92e9);
  s.active_parameters = 47e9;
  assert_int_equal(roof_cluster_answer_of(&target, &s, &a, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "active=4.7e+10: is more than params=4.6e+10"));
}

/** ZeRO holds and sends gradients of the bytes asked about: stage 0 sends what the all-reduce of the gradients does. */
static void zero_has_the_gradients_asked_about(void **state) {
  (void)state;
  static roof_cluster_answer a;
  roof_cluster_settings s = roof_cluster_settings_default();
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  roof_target target;
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  static const double sent[2][4] = {{4, 4, 4, 6}, {8, 6, 6, 8}};
  for (int wide = 0; wide <= 1; wide++) {
    s.gradient_bytes = 2 + 2 * wide;
    assert_int_equal(roof_cluster_answer_of(&target, &s, &a, NULL), ROOF_OK);
    for (int stage = 0; stage < ROOF_ZERO_STAGES; stage++) {
      assert_near(a.zero[stage].sent_bytes, 63.0 / 64 * sent[wide][stage] * 8e9, 1e-12);
    }
    assert_near(a.zero[0].sent_bytes, 2 * 63.0 / 64 * a.buffer_bytes, 1e-12);
    assert_near(a.zero[0].bytes_per_parameter, 14 + s.gradient_bytes, 1e-12);
    assert_near(a.zero[2].bytes_per_parameter, 2 + (12 + s.gradient_bytes) / 64, 1e-12);
  }
}

/** What the command `cluster` says, a program asks: the first number of devices on the other side of a full node
 * among it. */
static void cluster_is_asked(void **state) {
  (void)state;
  static roof_cluster_answer a;
  roof_cluster_settings s = roof_cluster_settings_default();
  roof_types types = roof_types_of(ROOF_FP8);
  roof_options options = roof_options_default();
  roof_target target;
  s.devices = 8;
  s.parameters = 1e9;
  s.tokens = 64000;
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_cluster_answer_of(&target, &s, &a, NULL), ROOF_OK);
  assert_int_equal(a.link_count, machine->link_count + 1);
  assert_true(a.routes[ROOF_ROUTE_RING].devices_limit == 9 && a.buffer_bytes == 2e9);
  for (s.devices = 8; s.devices <= 9; s.devices++) {
    assert_int_equal(roof_cluster_answer_of(&target, &s, &a, NULL), ROOF_OK);
    assert_true((a.routes[ROOF_ROUTE_RING].gradient_seconds >= a.compute_seconds) == (s.devices >= 9));
  }
  assert_true(a.zero[0].bytes == 16e9 && a.zero[0].fits);
  roof_text text = {0};
  roof_cluster_describe(&s, &a, &text);
  assert_memory_equal(text.data, "all-reduce of 2.000 GB over ", 28);
  assert_non_null(strstr(text.data, "\ndata parallel: 1.000 G parameters, "));
  assert_non_null(strstr(text.data, "\n  stage 0  16.00 GB   (16 B per parameter)  "));
  roof_text_done(&text);
  s.devices = s.node = 9; /* eight are joined */
  a.bubble = 7;
  assert_int_equal(roof_cluster_answer_of(&target, &s, &a, NULL), ROOF_E_UNSUPPORTED);
  assert_true(a.bubble == 7);
}

/** A line a link up to the peak; one device sends nothing, and is drawn without its gradients. */
static void cluster_is_drawn(void **state) {
  (void)state;
  static roof_cluster_answer a;
  roof_cluster_settings s = roof_cluster_settings_default();
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  roof_target target;
  roof_curves *chart = malloc(sizeof *chart);
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  for (s.devices = 1; s.devices <= 64; s.devices *= 64) {
    roof_text svg = {0};
    assert_int_equal(roof_cluster_answer_of(&target, &s, &a, NULL), ROOF_OK);
    roof_cluster_chart(&target, &s, &a, chart);
    assert_int_equal(chart->series_count, a.link_count);
    assert_int_equal(chart->panels[0].dot_count, s.devices > 1);
    assert_true(chart->marks[0].x == a.links[0].flops_per_byte);
    assert_true(chart->panels[0].curves[0].y[127] == a.cluster.flops_per_second);
    assert_int_equal(roof_draw_curves_svg(chart, 0, &svg, NULL), ROOF_OK);
    roof_text_done(&svg);
  }
  free(chart);
}

static void plans_in_words(void **state) {
  (void)state;
  char text[96];
  const roof_plan_point point = {.tp = 2, .pp = 1, .dp = 4, .ep = 8, .cp = 1, .batch = 16};
  const roof_plan_point chunked = {.tp = 2, .pp = 1, .dp = 1, .ep = 1, .cp = 4, .batch = 3, .chunk = 2048};
  assert_string_equal(roof_plan_point_text(&point, "fp8", text, sizeof text), "tp 2 pp 1 dp 4 ep 8 b16 fp8");
  assert_string_equal(roof_plan_point_text(&point, NULL, text, 8), "tp 2 pp");
  assert_string_equal(roof_plan_point_text(&chunked, NULL, text, sizeof text),
                      "tp 2 pp 1 dp 1 cp 4 b3 chunks of 2048");
}

/** Requests that come at random: Little's law, the mean wait of M/D/1, and no answer beyond saturation. */
static void queues(void **state) {
  (void)state;
  static roof_plan_front front;
  roof_model_settings s = base(&llama);
  roof_plan_limits limits = {.devices = 1, .ttft_seconds = NAN, .tpot_seconds = NAN, .rate = 2};
  s.chunk = s.prompt; /* whole prompts alone */
  assert_int_equal(roof_plan_search(&llama, machine, &s, &s.precision, 1, &limits, &front, NULL), ROOF_OK);
  const roof_plan_point mean = front.best;
  double service = mean.prompt_seconds, busy = 2 * service;
  assert_near(mean.busy, busy, 1e-12);
  assert_near(mean.ttft_seconds, service + busy * service / (2 * (1 - busy)), 1e-12);
  assert_near(mean.device_tokens_per_second, 2 * s.generate, 1e-12);
  double there = 2 * (s.generate - 1) * mean.tpot_seconds; /* on average; the batch is whole */
  assert_true(there <= mean.batch && mean.batch < there + 2);
  limits.share = 0.99;
  assert_int_equal(roof_plan_search(&llama, machine, &s, &s.precision, 1, &limits, &front, NULL), ROOF_OK);
  assert_true(front.best.batch > mean.batch && front.best.tpot_seconds > mean.tpot_seconds);
  assert_near(front.best.ttft_seconds, service + service / (2 * (1 - busy)) * log(busy / 0.01), 1e-9);
  limits.rate = 1.01 / service;
  assert_int_equal(roof_plan_search(&llama, machine, &s, &s.precision, 1, &limits, &front, NULL), ROOF_OK);
  assert_true(front.within == 0 && front.count == 0 && front.nearest.busy >= 1);
  limits.users = 8;
  assert_int_equal(roof_plan_search(&llama, machine, &s, &s.precision, 1, &limits, &front, NULL),
                   ROOF_E_ARGUMENT);
}

/** A request alone has its first token from its prompt and a step for each more: the same tokens per second and joules in `model`,
 * in its `continuous` and in the search, however few it generates. */
static void steps_of_a_request(void **state) {
  (void)state;
  static roof_plan_front front;
  const roof_plan_limits limits = {.devices = 1, .ttft_seconds = NAN, .tpot_seconds = NAN, .users = 1};
  roof_model_settings s = base(&llama);
  s.batch = 1, s.prompt = s.chunk = 16;
  for (s.generate = 1; s.generate <= 256; s.generate *= 2) {
    answer(&llama, &s, &one);
    double rate = s.generate / one.request_seconds;
    assert_near(one.request_seconds,
                one.ttft_seconds + (s.generate > 1 ? (s.generate - 1) * one.tpot_seconds : 0), 1e-12);
    assert_near(one.continuous.device_tokens_per_second, rate, 1e-9);
    assert_int_equal(roof_plan_search(&llama, machine, &s, &s.precision, 1, &limits, &front, NULL), ROOF_OK);
    assert_near(front.best.device_tokens_per_second, rate, 1e-9);
    assert_near(front.best.joules_per_token, one.joules_per_token, 1e-9);
  }
}

/** Chunks take less of the others' time than whole prompts, which are there sooner. */
static void chunks(void **state) {
  (void)state;
  static roof_plan_front front;
  roof_model_settings s = base(&llama);
  s.prompt = 8000;
  roof_plan_limits limits = {.devices = 1, .ttft_seconds = NAN, .tpot_seconds = NAN, .users = 8};
  roof_plan_point found[2];
  for (int i = 0; i < 2; i++) {
    s.chunk = i == 0 ? s.prompt : 2048;
    assert_int_equal(roof_plan_search(&llama, machine, &s, &s.precision, 1, &limits, &front, NULL), ROOF_OK);
    found[i] = front.best;
  }
  assert_true(found[0].chunk == 0 && found[1].chunk == 2048);
  assert_true(found[1].prompt_seconds > found[0].prompt_seconds);
  assert_true(found[1].tpot_seconds < found[0].tpot_seconds);
  s.chunk = 0;
  assert_int_equal(roof_plan_search(&llama, machine, &s, &s.precision, 1, &limits, &front, NULL), ROOF_OK);
  assert_true(front.best.device_tokens_per_second ==
              fmax(found[0].device_tokens_per_second, found[1].device_tokens_per_second));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_plan),
      cmocka_unit_test(sums),
      cmocka_unit_test(weights),
      cmocka_unit_test(transfers),
      cmocka_unit_test(tokens_between_nodes),
      cmocka_unit_test(last_node_is_not_full),
      cmocka_unit_test(tokens_to_the_last_node),
      cmocka_unit_test(redundant_experts),
      cmocka_unit_test(one_microbatch_passes_once),
      cmocka_unit_test(bubble),
      cmocka_unit_test(at_best_links_carry_what_they_must),
      cmocka_unit_test(times_with_a_host_are_in_order),
      cmocka_unit_test(one_port_carries_both),
      cmocka_unit_test(monotone),
      cmocka_unit_test(refused),
      cmocka_unit_test(found),
      cmocka_unit_test(links_join_so_many),
      cmocka_unit_test(neighbours_keep_their_bridge),
      cmocka_unit_test(node_is_what_a_link_joins),
      cmocka_unit_test(a_ring_is_as_fast_as_its_slowest_link),
      cmocka_unit_test(limit_beyond_a_full_node_is_whole),
      cmocka_unit_test(settings_that_no_cluster_is),
      cmocka_unit_test(cluster),
      cmocka_unit_test(experts_compute_with_what_is_active),
      cmocka_unit_test(zero_has_the_gradients_asked_about),
      cmocka_unit_test(cluster_is_asked),
      cmocka_unit_test(cluster_is_drawn),
      cmocka_unit_test(plans_in_words),
      cmocka_unit_test(queues),
      cmocka_unit_test(steps_of_a_request),
      cmocka_unit_test(chunks),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
