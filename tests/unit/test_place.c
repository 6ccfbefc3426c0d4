/* Counted work under a machine's ceilings: the ceiling, the share, the verdict, and why there is none. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "roofline/measurement.h"
#include "roofline/ops.h"
#include "roofline/place.h"

enum { ROUNDS = 500 };

static const double matrix_peak = 16e12, vector_peak = 8e12, bandwidth = 1e12;

/** fp64 on both units, fp16 on the matrix unit, fp32 on the lanes alone; one memory; one link. */
static roof_machine *make_machine(void) {
  static const struct {
    roof_dtype dtype;
    roof_unit unit;
    double rate;
  } peaks[] = {{ROOF_FP64, ROOF_VECTOR, vector_peak},
               {ROOF_FP64, ROOF_MATRIX, matrix_peak},
               {ROOF_FP16, ROOF_MATRIX, 8 * matrix_peak},
               {ROOF_FP32, ROOF_VECTOR, 2 * vector_peak}};
  roof_machine *m = roof_machine_new();
  m->unit_count = 8;
  for (size_t i = 0; i < sizeof peaks / sizeof peaks[0]; i++) {
    roof_peak *peak = roof_machine_add_peak(m);
    peak->dtype = peaks[i].dtype;
    peak->unit = peaks[i].unit;
    peak->flops_per_second = peaks[i].rate;
  }
  roof_level *level = roof_machine_add_level(m);
  level->level = ROOF_MEMORY;
  level->bytes = 1e12;
  level->instances = 1;
  level->bytes_per_second = bandwidth;
  snprintf(level->name, sizeof level->name, "HBM");
  roof_link *link = roof_machine_add_link(m);
  link->bytes_per_second = 1e11;
  snprintf(link->name, sizeof link->name, "NVLink 4");
  return m;
}

static roof_machine *machine;
static roof_ceilings ceilings;

static int set_up(void **state) {
  (void)state;
  roof_machine_free(machine);
  machine = make_machine();
  return roof_ceilings_init(&ceilings, machine, 0, NULL, NULL) == ROOF_OK ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  roof_machine_free(machine);
  return 0;
}

static roof_placed place(const roof_counted *work) {
  roof_placed placed;
  roof_place(&ceilings, work, &placed);
  return placed;
}

static roof_counted counted(double seconds) {
  roof_counted work;
  roof_counted_init(&work);
  work.seconds = seconds;
  return work;
}

static void unknown_is_never_a_share(void **state) {
  (void)state;
  roof_counted work = counted(1);
  roof_placed at = place(&work);
  assert_int_equal(at.state, ROOF_PLACE_UNKNOWN);
  assert_true(isnan(at.share) && at.verdict == NULL && at.regime == ROOF_REGIME_COUNT);
  assert_non_null(strstr(at.why, "no FLOPs and no bytes"));
  work.other_bytes = 1e9; /* of which level? */
  assert_non_null(strstr(place(&work).why, "level"));
  work = counted(NAN);
  work.flops[ROOF_FP64][ROOF_VECTOR] = 1e12;
  assert_non_null(strstr(place(&work).why, "time"));
  work = counted(1);
  work.flops[ROOF_TF32][ROOF_MATRIX] = work.bytes[ROOF_MEMORY] = 1e9;
  machine->peak_count = 2; /* fp64 alone: neither tf32 nor the fp32 lanes that would stand in */
  assert_int_equal(roof_ceilings_init(&ceilings, machine, 0, NULL, NULL), ROOF_OK);
  assert_non_null(strstr(place(&work).why, "tf32 matrix"));
  assert_int_equal(roof_ceilings_init(&ceilings, NULL, 0, NULL, NULL), ROOF_OK);
  assert_non_null(strstr(place(&work).why, "no machine"));
  set_up(NULL);
}

/** A resource that was not counted is judged by what the profiler saw of it; the busier one names the wall. */
static void what_was_not_counted_is_as_busy_as_seen(void **state) {
  (void)state;
  roof_counted work;
  roof_placed placed;
  roof_counted_init(&work);
  work.seconds = 1;
  work.busy_compute = 0.52;
  work.busy_memory = 0.24;
  roof_place(&ceilings, &work, &placed);
  assert_true(placed.state == ROOF_PLACE_POSSIBLE && placed.regime == ROOF_COMPUTE_BOUND);
  assert_string_equal(placed.binding, "compute");
  assert_near(placed.share, 0.52, 1e-12);
  assert_near(placed.lost_seconds, 0.48, 1e-12);
  work.bytes[ROOF_MEMORY] = 0.6 * bandwidth; /* counted: its own share counts */
  roof_place(&ceilings, &work, &placed);
  assert_string_equal(placed.binding, "HBM");
  assert_near(placed.share, 0.6, 1e-12);
  work.flops[ROOF_FP64][ROOF_VECTOR] = 0.7 * vector_peak;
  work.busy_compute = 0.99;
  roof_place(&ceilings, &work, &placed);
  assert_string_equal(placed.binding, "fp64 vector");
  assert_near(placed.share, 0.7, 1e-12);
}

static void the_unit_of_flops(void **state) {
  (void)state;
  roof_counted work = counted(1);
  work.other_flops[ROOF_FP64] = vector_peak / 2;
  assert_int_equal(place(&work).unit, ROOF_VECTOR); /* nobody said which */
  assert_near(place(&work).share, 0.5, 1e-12);
  work.unit = ROOF_MATRIX; /* the operation is a product */
  assert_string_equal(place(&work).binding, "fp64 matrix");
  assert_near(place(&work).share, 0.25, 1e-12);
  work.unit = -1;
  work.other_flops[ROOF_FP64] = 1.5 * vector_peak; /* beyond the lanes: the matrix unit did it */
  assert_string_equal(place(&work).binding, "fp64 matrix");
  work = counted(1);
  work.other_flops[ROOF_FP16] = matrix_peak; /* the machine has no lanes of fp16 */
  assert_string_equal(place(&work).binding, "fp16 matrix");
  work = counted(1);
  work.flops[ROOF_FP64][ROOF_VECTOR] = 1.5 * vector_peak; /* counted there: it cannot be */
  assert_int_equal(place(&work).state, ROOF_PLACE_IMPOSSIBLE);
}

static void the_impossible_says_why(void **state) {
  (void)state;
  roof_counted work = counted(1);
  work.flops[ROOF_FP64][ROOF_VECTOR] = 2 * bandwidth;
  work.bytes[ROOF_MEMORY] = 2 * bandwidth;
  roof_placed at = place(&work);
  assert_int_equal(at.state, ROOF_PLACE_IMPOSSIBLE);
  assert_string_equal(at.verdict->name, "explain");
  assert_string_equal(at.why, "2.000 TFLOP/s cannot be at 1 FLOP/B: 1 FLOP/B x 1.000 TB/s = 1.000 TFLOP/s = "
                              "12.5 % of the peak, not 25.0 %");
  work.flops[ROOF_FP64][ROOF_VECTOR] = NAN;
  assert_string_equal(place(&work).why, "2.000 TB/s cannot be: the bandwidth is 1.000 TB/s");
  work = counted(1);
  work.link_bytes = 3e11;
  work.link = "NVLink";
  assert_string_equal(place(&work).why, "300.0 GB/s cannot be: the bandwidth is 100.0 GB/s");
}

/** A link that joins fewer devices than exchange carries nothing between them. */
static void a_link_that_joins_too_few(void **state) {
  (void)state;
  roof_counted work = counted(1);
  double joined = machine->links[0].joins;
  work.link_bytes = 5e10;
  machine->links[0].joins = 8;
  work.link_ranks = 8;
  assert_near(place(&work).share, 0.5, 1e-12);
  work.link_ranks = 16;
  assert_true(isnan(place(&work).share));
  assert_int_equal(place(&work).state, ROOF_PLACE_UNKNOWN);
  assert_non_null(strstr(place(&work).why, "at most 8 devices, not 16"));
  machine->links[0].joins = joined;
}

static void noise_and_rounding(void **state) {
  (void)state;
  roof_counted work = counted(1);
  work.bytes[ROOF_MEMORY] = 1.004 * bandwidth; /* datasheets round */
  assert_int_equal(place(&work).state, ROOF_PLACE_POSSIBLE);
  assert_string_equal(place(&work).verdict->name, "remeasure");
  work.bytes[ROOF_MEMORY] = 1.04 * bandwidth;
  assert_int_equal(place(&work).state, ROOF_PLACE_IMPOSSIBLE);
  work.noise = 0.05;
  assert_int_equal(place(&work).state, ROOF_PLACE_POSSIBLE);
}

/** The samples' interval reaches as far up as down: half of it is what a share may be off. */
static void a_measurement_has_the_noise_of_its_samples(void **state) {
  (void)state;
  roof_measurement m;
  roof_counted work;
  roof_measurement_init(&m);
  m.seconds = 1;
  m.level_bytes[ROOF_MEMORY] = 1.03 * bandwidth;
  m.sample_count = 3;
  m.stats = (roof_stats){.count = 3, .median = 1, .ci_low = 0.98, .ci_high = 1.02};
  roof_counted_of(&m, &work);
  assert_near(work.noise, 0.02, 1e-12);
  assert_int_equal(place(&work).state, ROOF_PLACE_IMPOSSIBLE);
  m.stats.ci_low = 0.96, m.stats.ci_high = 1.04;
  roof_counted_of(&m, &work);
  assert_int_equal(place(&work).state, ROOF_PLACE_POSSIBLE);
  m.sample_count = 1;
  roof_counted_of(&m, &work);
  assert_true(isnan(work.noise));
}

/** A measurement counts what one of its threads did; a link carries the bytes of all. */
static void all_threads_share_the_ceilings(void **state) {
  (void)state;
  roof_measurement m;
  roof_counted work;
  roof_measurement_init(&m);
  m.seconds = 1;
  m.link_bytes = 2e10;
  for (int threads = 1; threads <= 4; threads++) {
    m.threads = threads;
    roof_counted_of(&m, &work);
    assert_near(place(&work).share, 0.2 * threads, 1e-12);
  }
}

static void measured_ceilings_and_cores(void **state) {
  (void)state;
  roof_counted work = counted(1);
  work.flops[ROOF_FP64][ROOF_VECTOR] = vector_peak / 8;
  for (int i = 0; i < machine->peak_count; i++) {
    machine->peaks[i].kind = ROOF_MEASURED;
    machine->peaks[i].limit_flops_per_second = 1.2 * machine->peaks[i].flops_per_second;
  }
  roof_peak *one = &machine->peaks[machine->peak_count++];
  *one = machine->peaks[0];
  one->cores = 1;
  one->flops_per_second = vector_peak / 8;
  one->limit_flops_per_second = 1.2 * one->flops_per_second;
  assert_int_equal(roof_ceilings_init(&ceilings, machine, 0, NULL, NULL), ROOF_OK);
  assert_near(place(&work).share, 0.125, 1e-12);
  assert_int_equal(roof_ceilings_init(&ceilings, machine, 1, NULL, NULL), ROOF_OK);
  assert_near(place(&work).share, 1, 1e-12);
  assert_int_equal(place(&work).basis, ROOF_ACHIEVED);
  assert_int_equal(roof_ceilings_init(&ceilings, machine, 0, NULL, NULL), ROOF_OK);
  work.cores = 1;
  assert_near(place(&work).share, 1, 1e-12);
  assert_int_equal(place(&work).cores, 1);
  work.flops[ROOF_FP64][ROOF_VECTOR] *= 2; /* beyond one core: others helped */
  assert_near(place(&work).share, 0.25, 1e-12);
  assert_int_equal(place(&work).cores, 0);
  work.flops[ROOF_FP64][ROOF_VECTOR] /= 2;
  work.cores = 0;
  assert_int_equal(roof_ceilings_init(&ceilings, machine, 1, NULL, NULL), ROOF_OK);
  work.flops[ROOF_FP64][ROOF_VECTOR] *= 1.1; /* over the benchmark, under what the core could do */
  assert_int_equal(place(&work).state, ROOF_PLACE_ABOVE);
  work.flops[ROOF_FP64][ROOF_VECTOR] *= 1.2;
  assert_int_equal(place(&work).state, ROOF_PLACE_IMPOSSIBLE);
  assert_int_equal(roof_ceilings_init(&ceilings, machine, 4, NULL, NULL), ROOF_OK);
  assert_near(place(&work).share, 1.1 * 1.2 / 4, 1e-12);
  set_up(NULL);
}

static double random_between(double low, double high) {
  return low * pow(high / low, (double)rand() / RAND_MAX);
}

/** 66 and 95 % of a ceiling that a benchmark reached are not what they are of the vendor's. */
static void the_bands_are_those_of_the_basis(void **state) {
  (void)state;
  static const struct {
    roof_basis basis;
    double share;
    const char *name;
  } rows[] = {
      {ROOF_THEORETICAL, 0.66, "normal"},    {ROOF_ACHIEVED, 0.66, "low"},
      {ROOF_THEORETICAL, 0.88, "good"},      {ROOF_ACHIEVED, 0.88, "normal"},
      {ROOF_THEORETICAL, 0.95, "remeasure"}, {ROOF_ACHIEVED, 0.95, "done"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_placed placed;
    roof_place_time(1e-3, rows[i].basis, 1e-3 / rows[i].share, NAN, &placed);
    assert_string_equal(placed.verdict->name, rows[i].name);
  }
}

/** The work of one operation, whichever way it comes in: counted, as a formula, under a sealed ceiling. */
static void every_way_in_agrees(void **state) {
  (void)state;
  static const char *const ops[] = {"gemm", "add", "softmax", "attention", "copy", "gemv"};
  const roof_op *op = NULL;
  srand(12);
  for (int trial = 0; trial < ROUNDS; trial++) {
    assert_int_equal(roof_op_find(ops[trial % 6], &op, NULL), ROOF_OK);
    double values[ROOF_PARAM_MAX];
    roof_op_defaults(op, values);
    for (int i = 0; i < roof_op_param_count(op); i++) {
      values[i] =
          isnan(values[i]) && op->params[i].same_as == NULL ? round(random_between(1, 5000)) : values[i];
    }
    assert_int_equal(roof_op_complete(op, values, NULL), ROOF_OK);
    roof_types types = roof_types_of(trial % 2 == 0 ? ROOF_FP64 : ROOF_FP32);
    roof_options options = roof_options_default();
    roof_target target;
    roof_work work;
    options.launch = 0;
    assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
    roof_work_init(&work);
    work.unit = op->unit;
    op->work(op, values, &types, &work);
    double seconds = roof_ceiling_of(&target, ROOF_THEORETICAL, &work).seconds / random_between(0.2, 3);

    roof_counted c = counted(seconds);
    roof_placed a, b, d;
    c.flops[types.compute][op->unit] = work.flops > 0 ? work.flops : NAN;
    c.bytes[ROOF_MEMORY] = work.read_bytes + work.write_bytes;
    a = place(&c);
    roof_place_work(&target, &work, seconds, NAN, &b);
    roof_ceiling ceiling = roof_ceiling_of(&target, ROOF_THEORETICAL, &work);
    roof_place_under(&ceiling, ROOF_THEORETICAL, work.flops, c.bytes[ROOF_MEMORY], seconds, NAN, &d);
    assert_near(b.share / a.share, 1, 1e-12);
    assert_near(d.share / a.share, 1, 1e-12);
    assert_string_equal(a.binding, b.binding);
    assert_true(a.state == b.state && a.state == d.state && a.regime == b.regime);
    assert_ptr_equal(a.verdict, b.verdict);
    assert_ptr_equal(a.verdict, d.verdict);
    assert_true((a.state == ROOF_PLACE_IMPOSSIBLE) == (a.share > 1.005));
    assert_true((a.why[0] != '\0') == (a.state == ROOF_PLACE_IMPOSSIBLE));
  }
}

/** A ceiling of the bytes alone would be one of a format that the machine computes at no cost. */
static void work_in_a_format_without_a_peak_has_no_ceiling(void **state) {
  (void)state;
  const roof_types types = roof_types_of(ROOF_FP8);
  const roof_options options = roof_options_default();
  roof_target target;
  roof_work work;
  roof_placed at;
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  roof_work_init(&work);
  work.unit = ROOF_MATRIX;
  work.flops = 1e12;
  work.read_bytes = 1e9;
  roof_place_work(&target, &work, 1, NAN, &at);
  assert_int_equal(at.state, ROOF_PLACE_UNKNOWN);
  assert_true(isnan(at.ceiling_seconds));
  assert_string_equal(at.why, "no fp8 matrix peak of the machine is known");
}

static void what_was_not_counted_leaves_a_share_at_least(void **state) {
  (void)state;
  roof_counted work;
  roof_placed at;
  roof_counted_init(&work);
  work.seconds = 1;
  work.bytes[ROOF_MEMORY] = 0.25 * bandwidth;
  roof_place(&ceilings, &work, &at);
  roof_place_withhold(&at, "");
  assert_near(at.share, 0.25, 1e-12);
  assert_true(isnan(at.at_least));
  roof_place_withhold(&at, "compute");
  assert_true(isnan(at.share) && isnan(at.lost_seconds) && at.verdict == NULL);
  assert_int_equal(at.state, ROOF_PLACE_UNKNOWN);
  assert_near(at.at_least, 0.25, 1e-12);
  assert_string_equal(at.why, "at least 25 % of HBM, compute not counted");
  work.bytes[ROOF_MEMORY] = 4 * bandwidth; /* what cannot be is said whatever else it did */
  roof_place(&ceilings, &work, &at);
  roof_place_withhold(&at, "compute");
  assert_int_equal(at.state, ROOF_PLACE_IMPOSSIBLE);
}

static void arithmetic_on_whole_numbers_is_as_busy_as_the_profiler_saw(void **state) {
  (void)state;
  roof_counted work;
  roof_placed at;
  roof_counted_init(&work);
  work.seconds = 1;
  work.bytes[ROOF_MEMORY] = 0.25 * bandwidth;
  work.flops[ROOF_FP32][ROOF_VECTOR] = 0;
  work.busy_compute = 0.9;
  roof_place(&ceilings, &work, &at);
  assert_near(at.share, 0.9, 1e-12);
  assert_int_equal(at.regime, ROOF_COMPUTE_BOUND);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unknown_is_never_a_share),
      cmocka_unit_test(what_was_not_counted_is_as_busy_as_seen),
      cmocka_unit_test(the_unit_of_flops),
      cmocka_unit_test(what_was_not_counted_leaves_a_share_at_least),
      cmocka_unit_test(arithmetic_on_whole_numbers_is_as_busy_as_the_profiler_saw),
      cmocka_unit_test(the_impossible_says_why),
      cmocka_unit_test(a_link_that_joins_too_few),
      cmocka_unit_test(noise_and_rounding),
      cmocka_unit_test(a_measurement_has_the_noise_of_its_samples),
      cmocka_unit_test(all_threads_share_the_ceilings),
      cmocka_unit_test(measured_ceilings_and_cores),
      cmocka_unit_test(the_bands_are_those_of_the_basis),
      cmocka_unit_test(every_way_in_agrees),
      cmocka_unit_test(work_in_a_format_without_a_peak_has_no_ceiling),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
