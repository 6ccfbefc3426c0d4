/* The causes of a gap: every rule on both sides of its threshold, the ranking, and what a kernel waits on. */
#include "test.h"

#include "roofline/advise.h"
#include "roofline/catalog.h"
#include "roofline/ops.h"

static roof_machine *gpu = NULL, *cpu = NULL;
static roof_target on_gpu, on_cpu;

static int load(void **state) {
  (void)state;
  roof_types half = roof_types_of(ROOF_FP16), single = roof_types_of(ROOF_FP32);
  roof_options options = roof_options_default();
  return roof_catalog_load("h100", &gpu, NULL) != ROOF_OK ||
         roof_catalog_load("epyc-9654", &cpu, NULL) != ROOF_OK ||
         roof_target_init(&on_gpu, gpu, &half, &options, NULL) != ROOF_OK ||
         roof_target_init(&on_cpu, cpu, &single, &options, NULL) != ROOF_OK;
}

static roof_prediction predict(const roof_target *target, const char *name, double a, double b, double c) {
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  assert_int_equal(roof_op_find(name, &op, NULL), ROOF_OK);
  roof_op_defaults(op, values);
  const double given[] = {a, b, c};
  for (int i = 0; i < 3 && i < roof_op_param_count(op); i++) {
    values[i] = given[i];
  }
  assert_int_equal(roof_op_complete(op, values, NULL), ROOF_OK);
  roof_predict(target, op, values, &p);
  return p;
}

/** The cause of that name among those ranked, or NULL. */
static const roof_cause *find(const roof_evidence *e, const char *name) {
  static roof_cause causes[64];
  size_t count = roof_causes_rank(e, causes, 64);
  assert_true(count <= 64);
  for (size_t i = 0; i < count; i++) {
    if (strcmp(causes[i].name, name) == 0) {
      return &causes[i];
    }
  }
  return NULL;
}

/** -1 where the cause is not among them. */
static int certainty(const roof_evidence *e, const char *name) {
  const roof_cause *cause = find(e, name);
  return cause != NULL ? (int)cause->certainty : -1;
}

static roof_evidence quiet(const roof_prediction *p, const roof_machine *machine) {
  roof_evidence e = roof_evidence_of(p, machine, 2 * p->expected_seconds);
  e.clue[ROOF_CLUE_BEYOND] = 0;
  e.clue[ROOF_CLUE_LAUNCH] = e.clue[ROOF_CLUE_EXPOSED] = e.clue[ROOF_CLUE_WRITE_ALLOCATE] = 0;
  e.clue[ROOF_CLUE_VECTOR] = e.clue[ROOF_CLUE_WIDER] = 0;
  return e;
}

static void both_sides_of_every_threshold(void **state) {
  (void)state;
  static const struct {
    const char *name;
    roof_clue clue;
    double threshold;
    bool less; /**< less is worse */
    bool gpu, compute;
    bool guess; /**< no counter: possible, never shown */
  } rules[] = {
      {"launch overhead", ROOF_CLUE_LAUNCH, 0.10, false, true, true, true},
      {"launch overhead", ROOF_CLUE_ACTIVE, 0.50, true, true, true, false},
      {"host overhead", ROOF_CLUE_IDLE, 0.10, false, true, true, false},
      {"host overhead", ROOF_CLUE_BEYOND, 0.50, false, true, true, true},
      {"host overhead", ROOF_CLUE_BEYOND, 0.50, false, false, false, true},
      {"clock throttling", ROOF_CLUE_CLOCK, 0.97, true, true, true, false},
      {"other work on the machine", ROOF_CLUE_STEAL, 0.02, false, false, false, false},
      {"no tensor cores", ROOF_CLUE_MATRIX, 0.05, true, true, true, false},
      {"no tensor cores", ROOF_CLUE_VECTOR, 0.50, false, true, true, true},
      {"wrong dtype path", ROOF_CLUE_WIDER, 0.65, false, true, true, true},
      {"wave quantization", ROOF_CLUE_WAVE, 0.10, false, true, true, false},
      {"tile quantization", ROOF_CLUE_TILE, 0.05, false, true, true, false},
      {"occupancy", ROOF_CLUE_OCCUPANCY, 0.50, true, true, false, false},
      {"register pressure", ROOF_CLUE_SPILL, 0.02, false, true, true, false},
      {"bank conflicts", ROOF_CLUE_BANK, 0.05, false, true, true, false},
      {"uncoalesced access", ROOF_CLUE_SECTOR, 0.80, true, true, false, false},
      {"L2 reuse", ROOF_CLUE_TRAFFIC, 1.10, false, true, true, false},
      {"divergence", ROOF_CLUE_LANES, 0.90, true, true, true, false},
      {"overlap failure", ROOF_CLUE_EXPOSED, 0.10, false, true, true, true},
      {"write-allocate", ROOF_CLUE_WRITE_ALLOCATE, 0.15, false, false, false, true},
      {"strided access", ROOF_CLUE_SECTOR, 0.80, true, false, false, false},
      {"cache reuse", ROOF_CLUE_TRAFFIC, 1.10, false, false, false, false},
      {"NUMA", ROOF_CLUE_REMOTE, 0.10, false, false, false, false},
      {"huge pages", ROOF_CLUE_PAGE_WALK, 0.05, false, false, false, false},
      {"SMT", ROOF_CLUE_SMT, 1.5, false, false, false, false},
  };
  roof_prediction compute = predict(&on_gpu, "gemm", 8192, 8192, 8192);
  roof_prediction memory = predict(&on_gpu, "gemv", 8192, 28672, 0);
  roof_prediction stream = predict(&on_cpu, "triad", 1 << 28, 0, 0);
  assert_int_equal(compute.regime, ROOF_COMPUTE_BOUND);
  assert_int_equal(memory.regime, ROOF_MEMORY_BOUND);
  assert_int_equal(stream.regime, ROOF_MEMORY_BOUND);
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    roof_evidence e = quiet(!rules[i].gpu      ? &stream
                            : rules[i].compute ? &compute
                                               : &memory,
                            rules[i].gpu ? gpu : cpu);
    /* The other clue of the same name must not count either. */
    e.clue[ROOF_CLUE_ACTIVE] = e.clue[ROOF_CLUE_MATRIX] = 1;
    e.clue[ROOF_CLUE_IDLE] = 0;
    e.clue[rules[i].clue] = rules[i].threshold;
    const roof_cause *cause = find(&e, rules[i].name);
    if (cause != NULL) {
      fail_msg("%s applies at its threshold: %s", rules[i].name, cause->sentence);
    }
    e.clue[rules[i].clue] *= rules[i].less ? 0.98 : 1.02;
    cause = find(&e, rules[i].name);
    if (cause == NULL || cause->clue != rules[i].clue ||
        cause->certainty != (rules[i].guess ? ROOF_POSSIBLE : ROOF_SHOWN)) {
      fail_msg("%s does not apply past %g", rules[i].name, rules[i].threshold);
      return;
    }
    assert_true(cause->threshold == rules[i].threshold);
    assert_true(cause->value == e.clue[rules[i].clue]);
    assert_true(strlen(cause->measurement) > 0 && strlen(cause->action) > 0 && strlen(cause->source) > 0);
  }
}

static void the_furthest_past_comes_first(void **state) {
  (void)state;
  roof_prediction p = predict(&on_gpu, "gemv", 8192, 28672, 0);
  roof_evidence e = quiet(&p, gpu);
  e.clue[ROOF_CLUE_BANK] = 0.40;
  e.clue[ROOF_CLUE_OCCUPANCY] = 0.48;
  roof_cause causes[32];
  size_t count = roof_causes_rank(&e, causes, 32);
  assert_string_equal(causes[0].name, "bank conflicts");
  assert_string_equal(causes[1].name, "occupancy");
  assert_non_null(strstr(causes[0].sentence, "40 %"));
  for (size_t i = 1; i < count; i++) {
    assert_true(causes[i].weight <= causes[i - 1].weight);
    assert_true(causes[i].certainty >= causes[i - 1].certainty);
  }
  e.clue[ROOF_CLUE_BANK] = 0.06;
  e.clue[ROOF_CLUE_OCCUPANCY] = 0.10;
  roof_causes_rank(&e, causes, 32);
  assert_string_equal(causes[0].name, "occupancy");
  roof_cause two[2];
  assert_true(roof_causes_rank(&e, two, 2) == count);
  assert_memory_equal(two[1].name, causes[1].name, strlen(two[1].name));
  assert_true(roof_causes_rank(&e, NULL, 0) == count);
}

/** Products on the matrix unit are fast with few warps: FlashAttention-3 runs at 10 to 20 % occupancy. */
static void few_warps_explain_no_matrix_product(void **state) {
  (void)state;
  roof_prediction p = predict(&on_gpu, "gemm", 8192, 8192, 8192);
  roof_evidence e = quiet(&p, gpu);
  e.clue[ROOF_CLUE_OCCUPANCY] = 0.14;
  assert_null(find(&e, "occupancy"));
}

static void divergence_of_half_the_warp(void **state) {
  (void)state;
  roof_prediction p = predict(&on_gpu, "gemm", 8192, 8192, 8192);
  roof_evidence e = quiet(&p, gpu);
  e.clue[ROOF_CLUE_LANES] = 16.0 / 32;
  roof_cause cause;
  roof_causes_rank(&e, &cause, 1);
  assert_string_equal(cause.name, "divergence");
  assert_non_null(strstr(cause.sentence, "50 %"));
}

static void idle_wall_time(void **state) {
  (void)state;
  roof_prediction p = predict(&on_gpu, "gemv", 8192, 28672, 0);
  roof_evidence e = roof_evidence_of(&p, gpu, 0.4e-3);
  e.wall_seconds = 1.1e-3;
  roof_evidence_derive(&e);
  assert_near(e.clue[ROOF_CLUE_IDLE], 0.636364, 1e-5);
  roof_cause cause;
  roof_causes_rank(&e, &cause, 1);
  assert_string_equal(cause.name, "host overhead");
  assert_non_null(strstr(cause.sentence, "63.6 %"));
  char text[400];
  roof_causes_sentence(&e, &cause, 1, text, sizeof text);
  assert_null(strstr(text, "host overhead"));
}

static void what_follows_from_the_figures(void **state) {
  (void)state;
  roof_prediction p = predict(&on_gpu, "gemm", 8192, 8192, 8192);
  /* 50 TFLOP/s: under the 66.9 (fp16 runs on 133.8) of the vector lanes, far under the 989 of the matrix
   * unit. */
  const roof_peak *vector = roof_machine_peak(gpu, ROOF_FP16, ROOF_VECTOR, false, ROOF_DATASHEET);
  assert_non_null(vector);
  roof_evidence e = roof_evidence_of(&p, gpu, p.work.flops / (0.9 * vector->flops_per_second));
  assert_near(e.clue[ROOF_CLUE_VECTOR], 0.9, 1e-9);
  assert_non_null(find(&e, "no tensor cores"));
  e = roof_evidence_of(&p, gpu, p.work.flops / (1.1 * vector->flops_per_second));
  assert_near(e.clue[ROOF_CLUE_VECTOR], 1.1, 1e-9);
  assert_null(find(&e, "no tensor cores"));
  const roof_peak *tf32 = roof_machine_peak(gpu, ROOF_TF32, ROOF_MATRIX, false, ROOF_DATASHEET);
  e = roof_evidence_of(&p, gpu, p.work.flops / (0.8 * tf32->flops_per_second));
  assert_near(e.clue[ROOF_CLUE_WIDER], 0.8, 1e-9);
  assert_non_null(find(&e, "wrong dtype path"));
  e.waves = 2.25;
  e.counted_bytes = 2 * p.bytes;
  roof_evidence_derive(&e);
  assert_near(e.clue[ROOF_CLUE_WAVE], 0.25, 1e-12);
  assert_near(e.clue[ROOF_CLUE_TRAFFIC], 2, 1e-12);
  /* A triad at 75 % is what reading the target first (4 instead of 3 streams) leaves. */
  roof_prediction triad = predict(&on_cpu, "triad", 1 << 28, 0, 0);
  e = roof_evidence_of(&triad, cpu, triad.lower_seconds / 0.74);
  assert_near(e.clue[ROOF_CLUE_WRITE_ALLOCATE], 0.25, 1e-9);
  e = roof_evidence_of(&triad, cpu, triad.lower_seconds / 0.76);
  assert_true(e.clue[ROOF_CLUE_WRITE_ALLOCATE] == 0);
}

static void causes_of_other_devices_are_left_out(void **state) {
  (void)state;
  roof_prediction triad = predict(&on_cpu, "triad", 1 << 28, 0, 0),
                  gemv = predict(&on_gpu, "gemv", 8192, 28672, 0);
  roof_evidence host = roof_evidence_of(&triad, cpu, 2 * triad.expected_seconds);
  roof_evidence device = roof_evidence_of(&gemv, gpu, 2 * gemv.expected_seconds);
  assert_int_equal(certainty(&host, "NUMA"), ROOF_POSSIBLE);
  assert_null(find(&host, "occupancy"));
  assert_null(find(&device, "NUMA"));
  assert_non_null(find(&device, "occupancy"));
  assert_null(find(&device, "no tensor cores"));
}

/** No word of a GPU among what is said of a processor, and the other way round. */
static void words_are_those_of_the_device(void **state) {
  (void)state;
  static const char *const of_gpus[] = {"l1tex",  "warp", "smsp",          "sm__",
                                        "dram__", "CUDA", "shared memory", "bank"};
  roof_prediction triad = predict(&on_cpu, "triad", 1 << 28, 0, 0);
  roof_evidence e = roof_evidence_of(&triad, cpu, 20 * triad.expected_seconds);
  roof_cause causes[64];
  size_t count = roof_causes_rank(&e, causes, 64);
  assert_true(count > 4);
  for (size_t i = 0; i < count; i++) {
    for (size_t w = 0; w < sizeof of_gpus / sizeof of_gpus[0]; w++) {
      assert_null(strstr(causes[i].measurement, of_gpus[w]));
      assert_null(strstr(causes[i].action, of_gpus[w]));
    }
  }
  for (int i = 0; i < 3; i++) {
    assert_null(strstr(roof_actions_of(cpu, ROOF_OVERHEAD_BOUND, 0.1)->actions[i], "CUDA"));
    assert_null(strstr(roof_actions_of(cpu, ROOF_COMPUTE_BOUND, 0.1)->actions[i], "warp"));
    assert_null(strstr(roof_actions_of(cpu, ROOF_MEMORY_BOUND, 0.1)->actions[i], "coalesced"));
  }
}

/** Faster than the vector units can be: the tensor cores work, whatever no counter says. */
static void arithmetic_rules_causes_out(void **state) {
  (void)state;
  roof_prediction p = predict(&on_gpu, "gemm", 8192, 8192, 8192);
  roof_evidence e = roof_evidence_of(&p, gpu, p.lower_seconds / 0.4);
  assert_null(find(&e, "no tensor cores"));
  assert_null(find(&e, "NUMA"));
  e = roof_evidence_of(&p, gpu, p.lower_seconds / 0.05);
  assert_int_equal(certainty(&e, "no tensor cores"), ROOF_POSSIBLE);
}

/** No vector peak of the format in the file: those of other formats say what its units cannot give. */
static void vector_peaks_of_other_formats_rule_out(void **state) {
  (void)state;
  static const char *const names[] = {"h100", "b200", "mi300x"};
  static const roof_dtype formats[] = {ROOF_FP8, ROOF_INT8};
  for (size_t i = 0; i < 3 * sizeof formats / sizeof formats[0]; i++) {
    roof_machine *machine = NULL;
    roof_target target;
    roof_types types = roof_types_of(formats[i / 3]);
    roof_options options = roof_options_default();
    assert_int_equal(roof_catalog_load(names[i % 3], &machine, NULL), ROOF_OK);
    assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
    roof_prediction p = predict(&target, "gemm", 8192, 8192, 8192);
    roof_evidence e = roof_evidence_of(&p, machine, p.lower_seconds / 0.5);
    assert_true(e.clue[ROOF_CLUE_VECTOR] > 1);
    assert_null(find(&e, "no tensor cores"));
    const roof_actions *actions = roof_actions_for(&e);
    assert_string_equal(actions->name, "compute-bound, low efficiency");
    assert_null(strstr(actions->actions[0], "matrix unit"));
    e = roof_evidence_of(&p, machine, p.lower_seconds / 0.02);
    assert_true(e.clue[ROOF_CLUE_VECTOR] == 0);
    assert_int_equal(certainty(&e, "no tensor cores"), ROOF_POSSIBLE);
    assert_non_null(strstr(roof_actions_for(&e)->actions[0], "matrix unit"));
    roof_machine_free(machine);
  }
}

/** Where well-made kernels land nothing is left to explain but what a counter shows. */
static void a_normal_share_is_silent(void **state) {
  (void)state;
  roof_prediction p = predict(&on_gpu, "gemv", 8192, 28672, 0);
  roof_evidence e = roof_evidence_of(&p, gpu, p.lower_seconds / 0.66);
  assert_true(roof_causes_rank(&e, NULL, 0) == 0);
  e.clue[ROOF_CLUE_OCCUPANCY] = 0.2;
  assert_true(roof_causes_rank(&e, NULL, 0) == 1);
  e = roof_evidence_of(&p, gpu, 1.01 * p.expected_high_seconds);
  assert_true(roof_causes_rank(&e, NULL, 0) > 4);
}

/** Far beyond even the sum of all times, time is lost outside the kernel or in all of it. */
static void time_beyond_the_upper_bound(void **state) {
  (void)state;
  roof_prediction p = predict(&on_gpu, "gemm", 8192, 28672, 8192);
  roof_evidence e = roof_evidence_of(&p, gpu, 50e-3);
  assert_near(e.clue[ROOF_CLUE_BEYOND], 1 - p.upper_seconds / 50e-3, 1e-12);
  assert_int_equal(certainty(&e, "host overhead"), ROOF_POSSIBLE);
  assert_null(find(&e, "overlap failure"));
  double counted[ROOF_CLUE_COUNT];
  for (int i = 0; i < ROOF_CLUE_COUNT; i++) {
    counted[i] = NAN;
  }
  counted[ROOF_CLUE_BEYOND] = 0.9;
  roof_evidence_take(&e, counted);
  assert_int_equal(certainty(&e, "host overhead"), ROOF_SHOWN);
}

static void every_verdict_has_both_clauses(void **state) {
  (void)state;
  roof_prediction p = predict(&on_gpu, "gemv", 8192, 28672, 0);
  char text[400];
  roof_cause causes[32];
  const double shares[] = {0.05, 0.3, 0.71, 0.95, 1.2};
  for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
    roof_evidence e = roof_evidence_of(&p, gpu, p.lower_seconds / shares[i]);
    size_t count = roof_causes_rank(&e, causes, 32);
    roof_causes_sentence(&e, causes, count, text, sizeof text);
    assert_memory_equal(text, "HBM delivers", 12);
    assert_non_null(strstr(text, shares[i] > 1 ? "above its ceiling" : " the expected "));
    assert_true((strstr(text, "no counter shows why") != NULL) == (shares[i] < 0.65));
    assert_true((strstr(text, "nothing to explain") != NULL) == (shares[i] >= 0.65 && shares[i] <= 1));
    assert_non_null(strstr(text, "TB/s") != NULL ? strstr(text, "TB/s") : strstr(text, "GB/s"));
  }
  roof_evidence e = roof_evidence_of(&p, gpu, p.lower_seconds / 0.71);
  e.clue[ROOF_CLUE_SECTOR] = 0.5;
  size_t count = roof_causes_rank(&e, causes, 32);
  roof_causes_sentence(&e, causes, count, text, sizeof text);
  assert_non_null(strstr(text, "71.0 %"));
  assert_non_null(strstr(text, "; uncoalesced access: only 50 %"));
  roof_causes_sentence(&e, causes, count, text, 20);
  assert_true(strlen(text) == 19);
}

static void an_idle_link_and_pages_moved_in(void **state) {
  (void)state;
  roof_prediction sum = predict(&on_gpu, "allreduce", 1e9, 8, 0);
  assert_int_equal(sum.regime, ROOF_NETWORK_BOUND);
  roof_evidence e = quiet(&sum, gpu);
  e.clue[ROOF_CLUE_LINK] = 0.80;
  assert_null(find(&e, "idle link"));
  e.clue[ROOF_CLUE_LINK] = 0.79;
  assert_int_equal(certainty(&e, "idle link"), ROOF_SHOWN);
  assert_null(find(&e, "paging"));
  roof_prediction gemv = predict(&on_gpu, "gemv", 8192, 28672, 0);
  e = quiet(&gemv, gpu);
  assert_null(find(&e, "idle link"));
  e.clue[ROOF_CLUE_PAGED] = 0.05;
  assert_null(find(&e, "paging"));
  e.clue[ROOF_CLUE_PAGED] = 0.051;
  assert_int_equal(certainty(&e, "paging"), ROOF_SHOWN);
}

static void six_counter_sets_give_six_answers(void **state) {
  (void)state;
  roof_prediction p = predict(&on_gpu, "gemm", 8192, 8192, 8192);
  static const struct {
    const char *resource;
    double active, compute, memory, shared, spill, stalled;
  } sets[] = {
      {"host launch", 0.49, 0.10, 0.12, 0.05, 0, 0.90},  {"compute", 0.98, 0.91, 0.30, 0.40, 0, 0.20},
      {"memory", 0.97, 0.15, 0.89, 0.10, 0, 0.70},       {"shared memory", 0.97, 0.35, 0.20, 0.93, 0, 0.55},
      {"registers", 0.96, 0.30, 0.35, 0.20, 0.45, 0.65}, {"scheduler", 0.95, 0.25, 0.30, 0.20, 0, 0.85},
  };
  roof_evidence e = roof_evidence_of(&p, gpu, p.expected_seconds);
  assert_null(roof_evidence_waiting(&e));
  for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
    e.clue[ROOF_CLUE_ACTIVE] = sets[i].active;
    e.clue[ROOF_CLUE_COMPUTE] = sets[i].compute;
    e.clue[ROOF_CLUE_MEMORY] = sets[i].memory;
    e.clue[ROOF_CLUE_SHARED] = sets[i].shared;
    e.clue[ROOF_CLUE_SPILL] = sets[i].spill;
    e.clue[ROOF_CLUE_STALLED] = sets[i].stalled;
    assert_string_equal(roof_evidence_waiting(&e), sets[i].resource);
  }
  e.clue[ROOF_CLUE_ACTIVE] = 0.51;
  e.clue[ROOF_CLUE_STALLED] = 0.1;
  assert_null(roof_evidence_waiting(&e));
}

/** Every clue at a value at which no regime's rule applies. */
static void calm(double clue[ROOF_CLUE_COUNT]) {
  for (int i = 0; i < ROOF_CLUE_COUNT; i++) {
    clue[i] = NAN;
  }
}

static void both_sides_of_every_regime(void **state) {
  (void)state;
  static const struct {
    roof_clue clue;
    double threshold;
    bool below, decides;
    roof_regime regime;
    const char *resource;
  } rules[] = {
      {ROOF_CLUE_ACTIVE, 0.50, true, true, ROOF_OVERHEAD_BOUND, "launches"},
      {ROOF_CLUE_IDLE, 0.50, false, true, ROOF_OVERHEAD_BOUND, "the host"},
      {ROOF_CLUE_LAUNCH, 0.50, false, true, ROOF_OVERHEAD_BOUND, "launches"},
      {ROOF_CLUE_PAGED, 0.05, false, true, ROOF_CAPACITY_BOUND, "paging"},
      {ROOF_CLUE_COMPUTE, 0.60, false, false, ROOF_COMPUTE_BOUND, "compute"},
      {ROOF_CLUE_MATRIX, 0.60, false, false, ROOF_COMPUTE_BOUND, "matrix unit"},
      {ROOF_CLUE_MEMORY, 0.60, false, false, ROOF_MEMORY_BOUND, "memory"},
      {ROOF_CLUE_L3, 0.60, false, false, ROOF_MEMORY_BOUND, "L3"},
      {ROOF_CLUE_L2, 0.60, false, false, ROOF_MEMORY_BOUND, "L2"},
      {ROOF_CLUE_L1, 0.60, false, false, ROOF_MEMORY_BOUND, "L1"},
      {ROOF_CLUE_SHARED, 0.60, false, false, ROOF_MEMORY_BOUND, "shared memory"},
      {ROOF_CLUE_LINK, 0.60, false, false, ROOF_NETWORK_BOUND, "link"},
  };
  double clue[ROOF_CLUE_COUNT];
  calm(clue);
  assert_null(roof_regime_seen(clue).resource);
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    calm(clue);
    clue[rules[i].clue] = rules[i].threshold;
    roof_seen at = roof_regime_seen(clue);
    assert_true(rules[i].decides ? at.resource == NULL : !at.busy);
    clue[rules[i].clue] = rules[i].threshold * (rules[i].below ? 0.98 : 1.02);
    roof_seen past = roof_regime_seen(clue);
    assert_non_null(past.resource);
    assert_string_equal(past.resource, rules[i].resource);
    assert_int_equal(past.regime, rules[i].regime);
    assert_int_equal(past.clue, rules[i].clue);
    assert_true(past.busy && past.threshold == rules[i].threshold);
    assert_near(past.share, rules[i].below ? 1 - clue[rules[i].clue] : clue[rules[i].clue], 1e-12);
    assert_true(strlen(past.rule) > 0 && strlen(past.source) > 0);
    /* A deciding cause decides even next to a busy resource; any other has to be the busiest. */
    roof_clue other = rules[i].clue == ROOF_CLUE_MEMORY ? ROOF_CLUE_COMPUTE : ROOF_CLUE_MEMORY;
    clue[other] = 0.95;
    assert_int_equal(roof_regime_seen(clue).clue, rules[i].decides ? rules[i].clue : other);
  }
}

static void counters_as_typed(void **state) {
  (void)state;
  roof_clue clue = ROOF_CLUE_SMT;
  double value = 7;
  roof_error error;
  assert_int_equal(roof_clue_read("occupancy=30%", &clue, &value, NULL), ROOF_OK);
  assert_int_equal(clue, ROOF_CLUE_OCCUPANCY);
  assert_near(value, 0.3, 1e-12);
  assert_int_equal(roof_clue_read("traffic=2.5", &clue, &value, NULL), ROOF_OK);
  assert_near(value, 2.5, 1e-12);
  static const struct {
    const char *text;
    roof_status status;
    const char *why;
  } bad[] = {
      {"occupancy", ROOF_E_PARSE, "not NAME=VALUE"},
      {"occupancy=", ROOF_E_PARSE, ""},
      {"occupancy=much", ROOF_E_PARSE, ""},
      {"ocupancy=0.3", ROOF_E_NAME, "did you mean `occupancy`?"},
      {"occupancy=30", ROOF_E_ARGUMENT, "write 30 as 0.3 or 30%"},
      {"occupancy=-0.1", ROOF_E_ARGUMENT, "is no share"},
      {"sector_use=150%", ROOF_E_ARGUMENT, "1.5 is no share: at most 1, or 100%"},
      {"idle=101%", ROOF_E_ARGUMENT, "at most 1"},
      {"launch=1.5", ROOF_E_ARGUMENT, "at most 1"},
      {"occupancy=0.300000000000000000000000000000000000000000000000000000001", ROOF_E_PARSE,
       "not NAME=VALUE"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    value = 7;
    assert_int_equal(roof_clue_read(bad[i].text, &clue, &value, &error), bad[i].status);
    assert_true(value == 7);
    assert_non_null(strstr(error.message, bad[i].why));
  }
  assert_int_equal(roof_clue_read("lanes=100.3%", &clue, &value, NULL), ROOF_OK); /* rounded by a profiler */
  assert_true(value == 1);
  assert_int_equal(roof_clue_check(ROOF_CLUE_VECTOR, 1.3, NULL), ROOF_OK);
  assert_int_equal(roof_clue_check(ROOF_CLUE_CLOCK, 1.05, NULL), ROOF_OK);
  assert_int_equal(roof_clue_check(ROOF_CLUE_CLOCK, NAN, NULL), ROOF_E_ARGUMENT);
}

static void clues_are_found_by_name(void **state) {
  (void)state;
  roof_clue clue;
  roof_error error;
  for (int i = 0; i < ROOF_CLUE_COUNT; i++) {
    assert_int_equal(roof_clue_parse(roof_clue_name((roof_clue)i), &clue, NULL), ROOF_OK);
    assert_int_equal(clue, i);
  }
  assert_int_equal(roof_clue_parse("ocupancy", &clue, &error), ROOF_E_NAME);
  assert_non_null(strstr(error.message, "did you mean `occupancy`?"));
  assert_string_equal(roof_clue_name(ROOF_CLUE_COUNT), "?");
}

/** What cannot make so large a gap is not named without a figure; with one it is. */
static void a_cause_explains_no_more_than_it_can(void **state) {
  (void)state;
  roof_prediction p = predict(&on_gpu, "gemv", 28672, 8192, NAN);
  roof_evidence near = roof_evidence_of(&p, gpu, 1.5 * p.expected_seconds);
  assert_int_equal(certainty(&near, "wave quantization"), ROOF_POSSIBLE);
  roof_evidence far = roof_evidence_of(&p, gpu, 8 * p.expected_seconds);
  assert_int_equal(certainty(&far, "wave quantization"), -1);
  assert_int_equal(certainty(&far, "clock throttling"), -1);
  assert_int_equal(certainty(&far, "uncoalesced access"), ROOF_POSSIBLE);
  far.clue[ROOF_CLUE_WAVE] = 0.4;
  assert_int_equal(certainty(&far, "wave quantization"), ROOF_SHOWN);
}

/** As slow as predicted is no gap, however low the share is. */
static void what_was_foreseen_is_no_gap(void **state) {
  (void)state;
  roof_prediction p = predict(&on_gpu, "gemv", 28672, 8192, NAN);
  p.expected_seconds = 10 * p.lower_seconds;
  p.expected_high_seconds = 12 * p.lower_seconds;
  roof_evidence e = roof_evidence_of(&p, gpu, p.expected_high_seconds);
  assert_false(roof_evidence_has_gap(&e));
  e = roof_evidence_of(&p, gpu, 1.1 * p.expected_high_seconds);
  assert_true(roof_evidence_has_gap(&e));
}

/** What slows a kernel down explains none that took no longer than expected, counted or not. */
static void nothing_has_slowed_what_is_as_fast_as_expected(void **state) {
  (void)state;
  roof_prediction p = predict(&on_gpu, "gemv", 28672, 8192, NAN);
  const struct {
    double seconds;
    int certainty;
  } rows[] = {{0.9 * p.lower_seconds, -1}, {p.expected_seconds, -1}, {1.01 * p.expected_seconds, ROOF_SHOWN}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_evidence e = roof_evidence_of(&p, gpu, rows[i].seconds);
    e.clue[ROOF_CLUE_WAVE] = 0.4;
    assert_int_equal(certainty(&e, "wave quantization"), rows[i].certainty);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_has_slowed_what_is_as_fast_as_expected),
      cmocka_unit_test(a_cause_explains_no_more_than_it_can),
      cmocka_unit_test(what_was_foreseen_is_no_gap),
      cmocka_unit_test(both_sides_of_every_threshold),
      cmocka_unit_test(the_furthest_past_comes_first),
      cmocka_unit_test(few_warps_explain_no_matrix_product),
      cmocka_unit_test(divergence_of_half_the_warp),
      cmocka_unit_test(idle_wall_time),
      cmocka_unit_test(what_follows_from_the_figures),
      cmocka_unit_test(causes_of_other_devices_are_left_out),
      cmocka_unit_test(words_are_those_of_the_device),
      cmocka_unit_test(arithmetic_rules_causes_out),
      cmocka_unit_test(vector_peaks_of_other_formats_rule_out),
      cmocka_unit_test(a_normal_share_is_silent),
      cmocka_unit_test(time_beyond_the_upper_bound),
      cmocka_unit_test(every_verdict_has_both_clauses),
      cmocka_unit_test(an_idle_link_and_pages_moved_in),
      cmocka_unit_test(six_counter_sets_give_six_answers),
      cmocka_unit_test(both_sides_of_every_regime),
      cmocka_unit_test(counters_as_typed),
      cmocka_unit_test(clues_are_found_by_name),
  };
  return cmocka_run_group_tests(tests, load, NULL);
}
