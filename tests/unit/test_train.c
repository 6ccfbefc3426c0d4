/* Training steps under a plan: memory against the published formulas, ZeRO, what replicas exchange, the
 * pipeline's bubble, splits that sum to the whole, what is refused. */
#include "test.h"

#include <string.h>

#include "roofline/catalog.h"
#include "roofline/plan.h"
#include "roofline/weights.h"

static roof_machine *machine = NULL;
static roof_model llama, mixtral, gpt;

/** The block of GPT-3 without dropout: heads of 128, an MLP four times as wide. */
static void make_gpt(void) {
  roof_model_block block;
  memset(&block, 0, sizeof block);
  roof_model_init(&gpt);
  gpt.hidden = 1024;
  gpt.vocab = 51200;
  block.mixer = ROOF_MIX_ATTENTION;
  block.heads = block.kv_heads = 8;
  block.head_dim = block.value_dim = 128;
  block.width = 4096;
  block.norms = 2;
  for (int i = 0; i < 24; i++) {
    assert_int_equal(roof_model_add_layer(&gpt, &block, NULL), ROOF_OK);
  }
}

static int setup(void **state) {
  (void)state;
  make_gpt();
  bool ready = roof_catalog_load("h100", &machine, NULL) == ROOF_OK &&
               roof_model_load("llama-3.1-8b", &llama, NULL) == ROOF_OK &&
               roof_model_load("mixtral-8x7b", &mixtral, NULL) == ROOF_OK;
  return ready ? 0 : -1;
}

static roof_model_settings base(const roof_model *model) {
  roof_model_settings s = roof_model_settings_default(model);
  s.train = true;
  s.batch = 64;
  s.prompt = 512;
  return s;
}

static roof_model_answer one, other;

static void answer(const roof_model *model, const roof_model_settings *s, roof_model_answer *a) {
  roof_model_target t;
  roof_error error = {0};
  if (roof_model_target_init(&t, model, machine, s, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  roof_model_answer_of(&t, a);
}

static const roof_model_operation *operation(const roof_model_answer *a, const char *name) {
  const roof_model_phase *p = &a->phases[ROOF_PHASE_TRAIN];
  for (int i = 0; i < p->count; i++) {
    if (strcmp(p->operations[i].name, name) == 0) {
      return &p->operations[i];
    }
  }
  return NULL;
}

static const roof_model_operation *known_operation(const roof_model_answer *a, const char *name) {
  const roof_model_operation *o = operation(a, name);
  assert_non_null(o);
  return o;
}

/** Bytes of network or FLOPs of an operation in a whole step; 0 without it. */
static double sent(const roof_model_answer *a, const char *name) {
  const roof_model_operation *o = operation(a, name);
  return o == NULL ? 0 : o->count * o->bytes[ROOF_BYTES_NETWORK];
}

static double flops(const roof_model_answer *a, const char *name) {
  const roof_model_operation *o = known_operation(a, name);
  return o->count * o->flops;
}

/** Six FLOPs per parameter and token (Kaplan et al. 2020), passes, 16 bytes of state a parameter. */
static void one_device(void **state) {
  (void)state;
  roof_model_settings s = base(&llama);
  s.batch = 4;
  answer(&llama, &s, &one);
  roof_model_parameters counted = roof_model_count(&llama);
  const roof_model_phase *p = &one.phases[ROOF_PHASE_TRAIN];
  double rule = 6 * (counted.total - counted.embedding) * s.batch * s.prompt;
  assert_true(p->flops > rule && p->flops < 1.03 * rule);
  assert_near(known_operation(&one, "qkv_proj")->count, 96, 1e-12);
  assert_near(known_operation(&one, "attention")->count, 112, 1e-12);
  const roof_model_capacity *c = &one.capacity;
  assert_near(c->weight_bytes + c->gradient_bytes + c->optimizer_bytes, 16 * counted.total, 1e-12);
  assert_near(known_operation(&one, "adam")->bytes[ROOF_BYTES_ACTIVATIONS], 28 * counted.total, 1e-12);
  assert_true(p->network_seconds == 0 && p->replica_seconds == 0);
  assert_true(p->backward_seconds > p->expected_seconds / 3 && p->backward_seconds < p->expected_seconds);
}

/** Korthikanti et al. 2022, table 2, bytes per layer and token of width h, less the masks of dropout: 2 of
 * the 10 that tensor parallelism leaves whole, and 3 of the 5 of each pair. */
static void activations(void **state) {
  (void)state;
  static const struct {
    double tp;
    bool sp, flash;
    roof_recompute recompute;
  } rows[] = {{1, false, false, ROOF_RECOMPUTE_NONE},     {8, false, false, ROOF_RECOMPUTE_NONE},
              {8, true, false, ROOF_RECOMPUTE_NONE},      {8, false, false, ROOF_RECOMPUTE_SELECTIVE},
              {8, true, false, ROOF_RECOMPUTE_SELECTIVE}, {8, true, true, ROOF_RECOMPUTE_NONE},
              {1, false, false, ROOF_RECOMPUTE_SELECTIVE}};
  double tokens = 64 * 512, h = 1024, pairs = 2.0 * 8 * 512 / h;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_model_settings s = base(&gpt);
    double t = rows[i].tp, outer = 8 / (rows[i].sp ? t : 1);
    bool scores = rows[i].recompute == ROOF_RECOMPUTE_NONE && !rows[i].flash;
    s.tp = t, s.sp = rows[i].sp, s.recompute = rows[i].recompute;
    s.fusion = rows[i].flash ? ROOF_FUSION_SERVING : 0;
    answer(&gpt, &s, &one);
    double layers = 24 * h * (outer + 24 / t + (scores ? pairs / t : 0));
    double ends = 2 * h / (rows[i].sp ? t : 1) + 4 * 51200 / t;
    assert_near(one.capacity.activation_bytes, tokens * (layers + ends), 1e-12);
  }
  roof_model_settings s = base(&gpt);
  s.recompute = ROOF_RECOMPUTE_FULL;
  s.fusion = 0;
  answer(&gpt, &s, &one);
  double whole = h * (32 + pairs); /* a layer at a time; of the others 2 h */
  assert_near(one.capacity.activation_bytes, tokens * (24 * 2 * h + whole + 2 * h + 4 * 51200), 1e-12);
}

/** With as many microbatches as stages or more, the first stage keeps all layers' of one microbatch whatever
 * the depth (Korthikanti et al. 2022, section 4.2.3); the last has the logits. */
static void stages_keep(void **state) {
  (void)state;
  roof_model_settings s = base(&gpt);
  double h = 1024, tokens = 512;
  s.microbatches = 64;
  for (s.pp = 1; s.pp <= 8; s.pp *= 2) {
    answer(&gpt, &s, &one);
    double first = 24 * 32 * h + 2 * h, last = 24 / s.pp * 32 * h + 2 * h + 4 * 51200;
    assert_near(one.capacity.activation_bytes, tokens * fmax(first, last), 1e-12);
  }
}

/** ZeRO against its own table: 16, 4 + 12 / N, 2 + 14 / N, 16 / N bytes per parameter, at stage 3 with what
 * is gathered; bytes sent 2, 2, 2 and 3 times the parameters (Rajbhandari et al. 2020, sections 5 and 7). */
static void zero(void **state) {
  (void)state;
  roof_model_settings s = base(&llama);
  double parameters = roof_model_count(&llama).total, table = 128256.0 * 4096 * 2;
  for (s.dp = 1; s.dp <= 64; s.dp *= 4) {
    double before = INFINITY;
    for (s.zero = 0; s.zero <= 3; s.zero++) {
      answer(&llama, &s, &one);
      const roof_model_capacity *c = &one.capacity;
      double held = roof_zero_bytes((int)s.zero, s.dp) * parameters;
      held += s.zero == 3 ? table * (1 - 1 / s.dp) : 0;
      assert_near(c->weight_bytes + c->gradient_bytes + c->optimizer_bytes, held, 1e-9);
      assert_true(c->total_bytes <= before && (s.dp == 1 || c->total_bytes < before));
      before = c->total_bytes;
      double all =
          sent(&one, "dp_all_reduce") + sent(&one, "dp_reduce_scatter") + sent(&one, "dp_all_gather");
      double joined = machine->links[0].joins;
      s.node = 64, machine->links[0].joins = NAN; /* all in one node */
      answer(&llama, &s, &other);
      s.node = 8, machine->links[0].joins = joined;
      all = sent(&other, "dp_all_reduce") + sent(&other, "dp_reduce_scatter") + sent(&other, "dp_all_gather");
      assert_near(all, roof_zero_traffic((int)s.zero, s.dp) * parameters, 1e-9);
      assert_near(flops(&one, "adam") * (s.zero > 0 ? s.dp : 1), 12 * parameters, 1e-9);
    }
  }
}

/** Of layers of several sizes ZeRO 3 has room for the largest: one of them takes as much as all would. */
static void the_largest_layer_is_gathered(void **state) {
  (void)state;
  roof_model mixed = gpt;
  roof_model_block wide = gpt.blocks[0];
  roof_model_settings s = base(&gpt);
  wide.width = 65536;
  mixed.layer_count = mixed.block_count = 0;
  for (int i = 0; i < 24; i++) {
    assert_int_equal(roof_model_add_layer(&mixed, i == 7 ? &wide : &gpt.blocks[0], NULL), ROOF_OK);
  }
  s.dp = 64, s.zero = 3;
  answer(&mixed, &s, &one);
  double held = 2 * roof_model_count(&mixed).total / s.dp, layer = 2 * (2 * 65536.0 + 4 * 1024) * 1024;
  assert_near(one.capacity.weight_bytes - held, layer * (1 - 1 / s.dp), 1e-3);
}

/** From stage 2 on every microbatch sends its gradients, at stage 3 it also gathers the weights twice. */
static void accumulation(void **state) {
  (void)state;
  roof_model_settings s = base(&llama);
  s.dp = 8;
  for (s.zero = 0; s.zero <= 3; s.zero++) {
    s.microbatches = 1;
    answer(&llama, &s, &one);
    s.microbatches = 4;
    answer(&llama, &s, &other);
    assert_near(flops(&one, "gate_up_proj"), flops(&other, "gate_up_proj"), 1e-12);
    assert_near(flops(&one, "adam"), flops(&other, "adam"), 1e-12);
    assert_near(one.capacity.activation_bytes, 4 * other.capacity.activation_bytes, 1e-12);
    assert_near(sent(&one, "dp_all_reduce"), sent(&other, "dp_all_reduce"), 1e-12);
    assert_near(sent(&other, "dp_reduce_scatter"), sent(&one, "dp_reduce_scatter") * (s.zero >= 2 ? 4 : 1),
                1e-12);
    assert_near(sent(&other, "dp_all_gather"), sent(&one, "dp_all_gather") * (s.zero >= 3 ? 4 : 1), 1e-12);
  }
}

/** FLOPs of all devices together are those of one, whatever the plan. */
static void sums(void **state) {
  (void)state;
  static const struct {
    double tp, pp, dp, ep, cp;
    bool sp;
  } plans[] = {{2, 1, 1, 1, 1, false}, {8, 1, 1, 1, 1, true}, {1, 4, 1, 1, 1, false}, {1, 1, 8, 1, 1, false},
               {1, 1, 1, 1, 4, false}, {2, 4, 2, 1, 2, true}, {1, 1, 8, 8, 1, false}, {4, 1, 1, 4, 1, true},
               {8, 2, 1, 2, 1, true},  {2, 2, 4, 8, 1, false}};
  static const char *const names[] = {"qkv_proj", "attention", "o_proj", "experts_gate_up", "experts_down"};
  roof_model_settings s = base(&mixtral);
  answer(&mixtral, &s, &one);
  for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
    s.tp = plans[i].tp, s.pp = plans[i].pp, s.dp = plans[i].dp, s.ep = plans[i].ep, s.cp = plans[i].cp;
    s.sp = plans[i].sp;
    answer(&mixtral, &s, &other);
    double n = s.tp * s.pp * s.dp * s.cp;
    for (size_t j = 0; j < sizeof names / sizeof names[0]; j++) {
      assert_near(n * flops(&other, names[j]), flops(&one, names[j]), 1e-12);
    }
    double outer = s.sp ? n : n / s.tp; /* norms are whole on every device of tp, or split */
    assert_near(outer * flops(&other, "add_norm"), flops(&one, "add_norm"), 1e-12);
    assert_near(n * flops(&other, "adam"), n / (s.pp * fmax(s.tp, s.ep)) * flops(&one, "adam"), 0.5);
  }
}

/** Sequence parallelism sends what the all-reduce does, and the gathered input once more (Korthikanti et al.
 * 2022, section 4.2.2). */
static void halves(void **state) {
  (void)state;
  roof_model_settings s = base(&llama);
  s.tp = 8;
  answer(&llama, &s, &one);
  s.sp = true;
  answer(&llama, &s, &other);
  double reduced = sent(&one, "tp_all_reduce"), scattered = sent(&other, "sp_reduce_scatter");
  assert_near(scattered, reduced / 2, 1e-12);
  assert_near(sent(&other, "sp_all_gather"), 1.5 * scattered, 1e-12);
  assert_true(other.capacity.activation_bytes < one.capacity.activation_bytes);
}

/** Expected seconds of a step without those of the update; `m` microbatches of a sequence each. */
static double passes_seconds(roof_model_settings *s, double m, roof_model_answer *a) {
  s->batch = s->microbatches = m;
  answer(&llama, s, a);
  return a->phases[ROOF_PHASE_TRAIN].expected_seconds - known_operation(a, "adam")->expected_seconds;
}

/** A microbatch alone takes as long as on one device, and the sends; each more as long as the stage that has the most. */
static void bubble(void **state) {
  (void)state;
  roof_model_settings s = base(&llama);
  double alone = passes_seconds(&s, 1, &one);
  for (s.pp = 2; s.pp <= 32; s.pp *= 2) {
    double first = passes_seconds(&s, 1, &one);
    const roof_model_operation *send = known_operation(&one, "pp_send");
    assert_near(first, alone + (s.pp - 1) * send->count * send->expected_seconds, 1e-9);
    for (double m = 4; m <= 64; m *= 4) {
      double all = passes_seconds(&s, m, &other);
      double idle = known_operation(&other, "pipeline_idle")->expected_seconds;
      assert_near(all, first + (m - 1) * (all - idle) / m, 1e-9);
      assert_near(other.phases[ROOF_PHASE_TRAIN].bubble, idle / all, 1e-9);
    }
  }
}

/** The bound of one microbatch does not grow with the stages; of many it is the mean stage's work, or the last one's
 *  output projection. */
static void least_of_a_pipeline(void **state) {
  (void)state;
  roof_model_settings s = base(&llama);
  const roof_model_phase *p = &one.phases[ROOF_PHASE_TRAIN];
  passes_seconds(&s, 1, &one);
  double whole = p->lower_seconds, work = whole - known_operation(&one, "adam")->lower_seconds;
  for (s.pp = 2; s.pp <= 32; s.pp *= 2) {
    passes_seconds(&s, 1, &one);
    assert_true(p->lower_seconds <= whole && p->lower_seconds > work / 2);
    passes_seconds(&s, 64, &one);
    double many = p->lower_seconds - known_operation(&one, "adam")->lower_seconds;
    const roof_model_operation *head = known_operation(&one, "lm_head"),
                               *loss = known_operation(&one, "loss");
    double last = head->count * head->lower_seconds + loss->count * loss->lower_seconds;
    assert_near(many, fmax(64 * work / s.pp, last), 1e-9);
    assert_true(p->lower_seconds < p->expected_low_seconds);
  }
}

/** Operations' times are the step's; transfers between replicas hide behind as much as `overlap` says. */
static void hidden(void **state) {
  (void)state;
  roof_model_settings s = base(&llama);
  s.dp = 16;
  for (s.zero = 0; s.zero <= 3; s.zero++) {
    double exposed = -1;
    for (int overlap = 1; overlap >= 0; overlap--) {
      s.options.overlap = overlap;
      answer(&llama, &s, &one);
      const roof_model_phase *p = &one.phases[ROOF_PHASE_TRAIN];
      double sum = 0;
      for (int i = 0; i < p->count; i++) {
        sum += p->operations[i].count * p->operations[i].expected_seconds;
      }
      assert_near(sum, p->expected_seconds, 1e-12);
      assert_true(p->lower_seconds <= p->expected_seconds && p->lower_seconds <= p->upper_seconds);
      assert_true(p->hidden_seconds <= p->replica_seconds);
      assert_true(overlap == 1 ? p->hidden_seconds > 0 : p->hidden_seconds == 0);
      assert_true(p->replica_seconds - p->hidden_seconds > exposed);
      exposed = p->replica_seconds - p->hidden_seconds;
    }
  }
}

/** Twice the tokens never take less time, at either end: sums go on while weights of the host are waited for, and each end
 *  has its own pass to hide them behind. */
static void longer_with_more_tokens(void **state) {
  (void)state;
  static const struct {
    const char *machine;
    double dp, offload, batch;
  } rows[] = {{"h100", 16, 1, 64}, {"h100", 16, 0, 64}, {"rtx-4090", 16, 0, 192}, {"rtx-4090", 8, 1, 32}};
  roof_machine *before = machine;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const roof_model_phase *p = &one.phases[ROOF_PHASE_TRAIN];
    double low = 0, expected = 0, high = 0;
    roof_model_settings s = base(&llama);
    s.dp = rows[i].dp, s.offload = rows[i].offload, s.zero = 2, s.microbatches = 4;
    assert_int_equal(roof_network_find("100gbe", NULL, &s.network, NULL), ROOF_OK);
    assert_int_equal(roof_catalog_load(rows[i].machine, &machine, NULL), ROOF_OK);
    for (s.batch = rows[i].batch; s.batch <= 64 * rows[i].batch; s.batch *= 2) {
      answer(&llama, &s, &one);
      assert_true(p->expected_low_seconds >= low * (1 - 1e-9) &&
                  p->expected_seconds >= expected * (1 - 1e-9));
      assert_true(p->expected_high_seconds >= high * (1 - 1e-9));
      low = p->expected_low_seconds, expected = p->expected_seconds, high = p->expected_high_seconds;
    }
    roof_machine_free(machine);
  }
  machine = before;
}

/** Less is kept, more is done again: MFU counts the model's FLOPs, HFU those done (Chowdhery et al. 2022,
 * section 4.1). */
static void recomputed(void **state) {
  (void)state;
  roof_model_settings s = base(&gpt);
  double kept = INFINITY, done = 0, needed = 0;
  s.fusion = 0;
  for (int i = 0; i < ROOF_RECOMPUTE_COUNT; i++) {
    s.recompute = (roof_recompute)i;
    answer(&gpt, &s, &one);
    const roof_model_phase *p = &one.phases[ROOF_PHASE_TRAIN];
    assert_true(one.capacity.activation_bytes < kept && p->flops > done);
    kept = one.capacity.activation_bytes, done = p->flops;
    needed = i == 0 ? p->flops : needed;
    assert_near(p->flops - p->recomputed_flops, needed, 1e-12);
    assert_near(p->mfu / p->hfu, needed / p->flops, 1e-12);
  }
  assert_near(flops(&one, "o_proj"), 4 * 24 * 2.0 * 64 * 512 * 1024 * 1024, 1e-12);
}

/** MFU is of all devices, though one stage has more layers and the output projection: the step's FLOPs over what they could
 * do in its time, as the search for plans says. */
static void share_of_all_devices(void **state) {
  (void)state;
  static const struct { double tp, pp, dp; } plans[] = {{1, 5, 1}, {2, 1, 1}, {8, 4, 2}, {1, 1, 8}};
  static roof_train_front front;
  roof_model_settings s = base(&llama);
  answer(&llama, &s, &other);
  const roof_model_phase *alone = &other.phases[ROOF_PHASE_TRAIN], *p = &one.phases[ROOF_PHASE_TRAIN];
  double peak = alone->flops / (alone->hfu * alone->expected_seconds);
  for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
    s.tp = plans[i].tp, s.pp = plans[i].pp, s.dp = plans[i].dp;
    answer(&llama, &s, &one);
    double could = one.devices * p->expected_seconds * peak;
    assert_near(p->hfu, alone->flops / could, 1e-12);
    assert_near(p->mfu, (alone->flops - alone->recomputed_flops) / could, 1e-12);
  }
  assert_int_equal(roof_train_search(&llama, machine, &s, 16, &front, NULL), ROOF_OK);
  const roof_train_point *best = &front.best;
  s.tp = best->tp, s.pp = best->pp, s.dp = best->dp, s.sp = best->sp, s.zero = best->zero;
  s.recompute = best->recompute, s.microbatches = best->microbatches;
  answer(&llama, &s, &one);
  assert_near(p->mfu, best->mfu, 1e-12);
}

/** Twice the layers is twice the layers' work and memory; longer sequences are never less of either. */
static void additive(void **state) {
  (void)state;
  roof_model models[3] = {gpt, gpt, gpt};
  double flops[3], bytes[3], held[3], before[3] = {0};
  roof_model_settings s = base(&gpt);
  s.tp = 2, s.dp = 2, s.sp = true, s.zero = 1;
  for (int i = 0; i < 3; i++) {
    models[i].layer_count = 8 * (i + 1);
    answer(&models[i], &s, &one);
    const roof_model_phase *p = &one.phases[ROOF_PHASE_TRAIN];
    flops[i] = p->flops, bytes[i] = p->memory_bytes, held[i] = one.capacity.total_bytes;
  }
  assert_near(flops[2] - flops[1], flops[1] - flops[0], 1e-12);
  assert_near(bytes[2] - bytes[1], bytes[1] - bytes[0], 1e-12);
  assert_near(held[2] - held[1], held[1] - held[0], 1e-12);
  for (s.prompt = 64; s.prompt <= 65536; s.prompt *= 4) {
    answer(&gpt, &s, &one);
    const roof_model_phase *p = &one.phases[ROOF_PHASE_TRAIN];
    double now[3] = {p->flops, p->memory_bytes, one.capacity.total_bytes};
    for (int i = 0; i < 3; i++) {
      assert_true(now[i] > before[i]);
      before[i] = now[i];
    }
  }
}

/** The search against plans that are answered one by one. */
static void found(void **state) {
  (void)state;
  static roof_train_front front;
  roof_model_settings s = base(&llama);
  assert_int_equal(roof_train_search(&llama, machine, &s, 8, &front, NULL), ROOF_OK);
  assert_true(front.count > 1 && front.fit <= front.tried);
  roof_text text = {0};
  roof_train_plans_sentence(&text, &llama, machine, &s, 8, &front, NULL);
  assert_non_null(strstr(text.data, " trained on 8 x "));
  assert_non_null(strstr(text.data, "\nbest: tp "));
  roof_text_done(&text);
  double fastest = INFINITY, smallest = INFINITY, plans = 0;
  for (int plan = 0; plan < 4 * 4 * 2 * 3 * 4 * 7; plan++) {
    int rest = plan;
    s.tp = 1 << rest % 4, rest /= 4;
    s.pp = 1 << rest % 4, rest /= 4;
    s.sp = rest % 2, rest /= 2;
    s.recompute = (roof_recompute)(rest % 3), rest /= 3;
    s.zero = rest % 4, rest /= 4;
    s.microbatches = 1 << rest;
    s.dp = 8 / (s.tp * s.pp);
    if (s.dp >= 1 && s.microbatches <= 64 / s.dp && (s.tp > 1 || !s.sp)) {
      answer(&llama, &s, &one);
      bool fits = one.capacity.fits;
      plans += s.dp > 1 || s.zero == 0 ? 1 : 0; /* one replica has no use for ZeRO */
      fastest = fits ? fmin(fastest, one.ttft_seconds) : fastest;
      smallest = fits ? fmin(smallest, one.capacity.total_bytes) : smallest;
    }
  }
  assert_true(front.tried == plans);
  assert_near(front.best.seconds, fastest, 1e-12);
  assert_near(front.points[front.count - 1].total_bytes, smallest, 1e-12);
  assert_near(front.best.device_tokens_per_second, 64 * 512 / fastest / 8, 1e-12);
  for (int i = 1; i < front.count; i++) {
    assert_true(front.points[i].seconds > front.points[i - 1].seconds);
    assert_true(front.points[i].total_bytes < front.points[i - 1].total_bytes);
  }
  assert_int_equal(roof_train_search(&llama, machine, &s, 0, &front, NULL), ROOF_E_ARGUMENT);
}

/** Days follow the tokens in whole steps, the price follows the days; without tokens there are none. */
static void run_of_tokens(void **state) {
  (void)state;
  roof_model_settings s = base(&llama);
  s.tokens = 64 * 512 * 1000 - 1;
  s.price = 2;
  answer(&llama, &s, &one);
  const roof_model_training *r = &one.training;
  assert_near(r->steps, 1000, 0);
  assert_near(r->seconds, 1000 * one.ttft_seconds, 1e-12);
  assert_true(r->low_seconds < r->seconds && r->seconds < r->high_seconds);
  assert_near(r->price, 2 * r->device_seconds / 3600, 1e-12);
  assert_near(one.price_per_million_tokens * 64 * 512 * 1000 / 1e6, r->price, 1e-12);
  s.price = 6;
  answer(&llama, &s, &other);
  assert_near(other.training.price, 3 * r->price, 1e-12);
  s.tokens = 0;
  answer(&llama, &s, &other);
  assert_true(isnan(other.training.seconds) && isnan(other.training.price));
  assert_near(other.price_per_million_tokens, 3 * one.price_per_million_tokens, 1e-12);
}

static void refused(void **state) {
  (void)state;
  static const struct {
    double tp, microbatches, zero;
    bool train, sp;
    const char *says;
  } rows[] = {{1, 0, 4, true, false, "stages are 0 to 3"},
              {1, 0, 1, false, false, "model --train"},
              {1, 5, 0, true, false, "does not divide the 64 sequences"},
              {1, 0, 0.5, true, false, "whole number"},
              {1, 0, 0, true, true, "add --tp"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_model_settings s = base(&llama);
    roof_model_target t;
    roof_error error = {0};
    s.tp = rows[i].tp, s.microbatches = rows[i].microbatches, s.zero = rows[i].zero, s.sp = rows[i].sp;
    s.train = rows[i].train;
    assert_int_equal(roof_model_target_init(&t, &llama, machine, &s, &error), ROOF_E_ARGUMENT);
    if (strstr(error.message, rows[i].says) == NULL) {
      fail_msg("%s: without `%s`", error.message, rows[i].says);
    }
  }
}

/** Two stages on each device: half of the bubble, twice the sends, and 1 + (p - 1) / (p v) times what a device keeps. */
static void interleaved(void **state) {
  (void)state;
  roof_model_settings s = base(&llama);
  s.pp = 4, s.microbatches = 16;
  answer(&llama, &s, &one);
  s.interleave = 2;
  answer(&llama, &s, &other);
  const roof_model_operation *send = known_operation(&one, "pp_send");
  double sends =
      2 * send->count / 16 * send->expected_seconds; /* of the stages between the first and the last */
  double filled = known_operation(&one, "pipeline_idle")->expected_seconds - sends;
  assert_near(known_operation(&other, "pipeline_idle")->expected_seconds - sends, filled / 2, 1e-9);
  assert_true(known_operation(&other, "pp_send")->count == 2 * send->count);
  assert_near(other.capacity.activation_bytes / one.capacity.activation_bytes, 1 + 3.0 / 8, 0.02);
  roof_model_target t;
  s.microbatches = 2;
  assert_int_equal(roof_model_target_init(&t, &llama, machine, &s, NULL), ROOF_E_ARGUMENT);
  s.train = false, s.microbatches = 0;
  assert_int_equal(roof_model_target_init(&t, &llama, machine, &s, NULL), ROOF_E_ARGUMENT);
}

/** Adapters alone have gradients and Adam's state; a product has no gradient of its weights. */
static void adapters(void **state) {
  (void)state;
  roof_model_settings s = base(&llama);
  s.dp = 2;
  answer(&llama, &s, &one);
  s.lora = 16;
  answer(&llama, &s, &other);
  double trained = 16.0 * 32 * (2 * 8192 + 2 * 5120 + 3 * 18432);
  assert_near(other.capacity.gradient_bytes, 2 * trained, 1e-12);
  assert_near(other.capacity.weight_bytes, one.capacity.weight_bytes + 2 * trained, 1e-12);
  assert_near(other.capacity.optimizer_bytes / other.capacity.gradient_bytes,
              one.capacity.optimizer_bytes / one.capacity.gradient_bytes, 1e-12);
  assert_near(3 * known_operation(&other, "qkv_proj")->count, 2 * known_operation(&one, "qkv_proj")->count,
              1e-12);
  assert_near(sent(&other, "dp_all_reduce") / sent(&one, "dp_all_reduce"),
              trained / roof_model_count(&llama).total, 1e-3);
}

/** State with the host passes its link there and back at once, less what the update takes; weights once in each of two passes. */
static void offloaded(void **state) {
  (void)state;
  roof_model_settings s = base(&llama);
  double rate = 63.015e9, all = roof_model_count(&llama).total, layers = 32;
  s.batch = 1;
  answer(&llama, &s, &one);
  s.offload_optimizer = 1;
  answer(&llama, &s, &other);
  double update =
      other.phases[ROOF_PHASE_TRAIN].expected_seconds - one.phases[ROOF_PHASE_TRAIN].expected_seconds;
  const roof_model_operation *adam = known_operation(&other, "adam");
  assert_near(other.capacity.host_bytes, 12 * all, 1e-9);
  assert_near(other.capacity.optimizer_bytes, 12 * all * 2 / layers, 1e-9);
  assert_near(one.capacity.total_bytes - other.capacity.total_bytes, 12 * all * (1 - 2 / layers), 1e-9);
  assert_true(adam->count == layers && known_operation(&one, "adam")->count == 1);
  assert_near(known_operation(&other, "offload_update")->expected_seconds,
              12 * all / rate - layers * adam->expected_seconds, 1e-3);
  assert_near(update, 12 * all / rate - known_operation(&one, "adam")->expected_seconds, 1e-2);
  s.offload = 1, s.offload_optimizer = 0, s.microbatches = 4, s.batch = 4;
  answer(&llama, &s, &other);
  const roof_model_operation *weights = known_operation(&other, "offload");
  assert_near(weights->network_seconds, 4 * 2 * 2 * all / rate, 1e-3);
  assert_near(known_operation(&other, "offload_update")->network_seconds, 2 * all / rate, 1e-3);
  assert_near(other.capacity.host_bytes, 2 * all, 1e-9);
  s.dp = 2, s.zero = 3, s.microbatches = 2, s.offload_optimizer = 0.5;
  answer(&llama, &s, &other);
  assert_near(other.capacity.host_bytes, all + 0.5 * 6 * all, 1e-9);
  roof_model_target t;
  s.train = false;
  assert_int_equal(roof_model_target_init(&t, &llama, machine, &s, NULL), ROOF_E_ARGUMENT);
}

static void what_is_published_has_a_source(void **state) {
  (void)state;
  roof_text text = {0};
  const roof_published_mfu *p;
  for (int i = 0; (p = roof_published_mfu_at(i)) != NULL; i++) {
    assert_true(p->mfu > 0.1 && p->mfu < 0.7 && p->devices >= 1 && strlen(p->source) > 10);
  }
  roof_published_mfu_describe(&text, machine);
  assert_non_null(strstr(text.data, "MFU 43 % of Llama 3 405B on 8192: Grattafiori et al. 2024"));
  roof_text_done(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_device),
      cmocka_unit_test(activations),
      cmocka_unit_test(stages_keep),
      cmocka_unit_test(zero),
      cmocka_unit_test(the_largest_layer_is_gathered),
      cmocka_unit_test(accumulation),
      cmocka_unit_test(sums),
      cmocka_unit_test(halves),
      cmocka_unit_test(bubble),
      cmocka_unit_test(least_of_a_pipeline),
      cmocka_unit_test(hidden),
      cmocka_unit_test(longer_with_more_tokens),
      cmocka_unit_test(recomputed),
      cmocka_unit_test(share_of_all_devices),
      cmocka_unit_test(refused),
      cmocka_unit_test(interleaved),
      cmocka_unit_test(adapters),
      cmocka_unit_test(offloaded),
      cmocka_unit_test(what_is_published_has_a_source),
      cmocka_unit_test(additive),
      cmocka_unit_test(found),
      cmocka_unit_test(run_of_tokens),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
