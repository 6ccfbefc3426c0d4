/* The team, the clock, the sampler and the scripted backend; ceilings themselves are measured in tests/cli.
 */
#include "test.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/clock.h"
#include "host/threads.h"
#include "kernels/data.h"
#include "kernels/gemm/_blocks.h"
#include "measure/cpu/cpu.h"
#include "measure/cpu/trial.h"
#include "measure/run.h"
#include "measure/sampler.h"
#include "measure/team.h"
#include "owned.h"
#include "roofline/advise.h"
#include "roofline/measure.h"

static void clock_goes_forward(void **state) {
  (void)state;
  double before = rf_clock_seconds();
  double chain = rf_clock_chain();
  double after = rf_clock_seconds();
  assert_true(after > before);
#if defined(__x86_64__) || defined(__aarch64__)
  assert_true(chain > 0 && chain <= after - before);
  double hertz = RF_CLOCK_CHAIN / chain;
  assert_true(hertz > 1e6 && hertz < 1e10);
#else
  assert_true(isnan(chain));
#endif
}

static atomic_bool waiting;

/** As a thread of a library that waits for its next product. */
static void *wait_awake(void *user) {
  while (waiting) {
  }
  return user;
}

static double settle_seconds(void) {
  double start = rf_clock_seconds();
  rf_team_settle();
  return rf_clock_seconds() - start;
}

static void threads_that_wait_awake_are_waited_for(void **state) {
  (void)state;
  pthread_t thread;
  rf_team_settle(); // threads of the tests before
  assert_int_equal(rf_threads_awake(), 0);
  waiting = true;
  assert_int_equal(pthread_create(&thread, NULL, wait_awake, NULL), 0);
  double awake = settle_seconds();
  assert_int_equal(rf_threads_awake(), 1);
  waiting = false;
  pthread_join(thread, NULL);
  assert_true(awake >= 0.2);
  assert_true(settle_seconds() < 0.2);
}

typedef struct record {
  cpu_set_t bound[CPU_SETSIZE];
  int calls;
} record;

static void record_binding(void *user, int thread, int threads) {
  record *r = user;
  (void)threads;
  sched_getaffinity(0, sizeof r->bound[thread], &r->bound[thread]);
#pragma omp atomic
  r->calls++;
}

static void team_has_a_core_each(void **state) {
  (void)state;
  static record r;
  cpu_set_t before, after;
  rf_team team;
  sched_getaffinity(0, sizeof before, &before);
  assert_int_equal(rf_team_init(&team, 0, NULL), ROOF_OK);
  assert_true(team.threads == team.topology.core_count && team.threads >= 1 &&
              team.threads <= CPU_COUNT(&before));
  assert_true(rf_team_time(&team, team.threads, record_binding, &r) >= 0);
  assert_int_equal(r.calls, team.threads);
  for (int i = 0; i < team.threads; i++) {
    assert_int_equal(CPU_COUNT(&r.bound[i]), 1);
    for (int j = 0; j < i; j++) {
      assert_false(CPU_EQUAL(&r.bound[i], &r.bound[j]));
    }
  }
  r.calls = 0;
  rf_team_time(&team, 1, record_binding, &r);
  assert_int_equal(r.calls, 1);
  assert_true(rf_team_empty_regions(&team, 10) > 0);
  rf_team_done(&team);
  sched_getaffinity(0, sizeof after, &after);
  assert_true(CPU_EQUAL(&before, &after));
}

/** A thread that is measured alone has the cores near it to fill its data, and its own again after that. */
static void a_team_of_one_sets_up_with_its_neighbours(void **state) {
  (void)state;
  cpu_set_t before, alone, wide, again;
  rf_team all, team;
  assert_int_equal(rf_team_init(&all, 0, NULL), ROOF_OK);
  int cores = all.topology.core_count;
  assert_int_equal(all.setup_threads, all.threads);
  rf_team_done(&all);
  sched_getaffinity(0, sizeof before, &before);
  assert_int_equal(rf_team_init(&team, 1, NULL), ROOF_OK);
  assert_true(team.threads == 1 && team.setup_threads >= 1 && team.setup_threads <= cores);
  sched_getaffinity(0, sizeof alone, &alone);
  rf_team_widen(&team);
  int seen = 0;
#pragma omp parallel num_threads(team.setup_threads) reduction(+ : seen)
  seen += 1;
  assert_int_equal(seen, team.setup_threads);
  sched_getaffinity(0, sizeof wide, &wide);
  assert_true(CPU_COUNT(&wide) >= team.setup_threads && CPU_COUNT(&wide) <= CPU_COUNT(&before));
  rf_team_narrow(&team);
  sched_getaffinity(0, sizeof again, &again);
  assert_true(CPU_EQUAL(&again, &alone) && CPU_COUNT(&again) == 1);
  rf_team_done(&team);
}

static void team_keeps_to_the_affinity_it_was_given(void **state) {
  (void)state;
  cpu_set_t before, one;
  rf_team team;
  roof_error error;
  sched_getaffinity(0, sizeof before, &before);
  CPU_ZERO(&one);
  for (size_t cpu = 0; CPU_COUNT(&one) == 0; cpu++) {
    if (CPU_ISSET(cpu, &before)) {
      CPU_SET(cpu, &one);
    }
  }
  sched_setaffinity(0, sizeof one, &one);
  assert_int_equal(rf_team_init(&team, 0, NULL), ROOF_OK);
  assert_int_equal(team.topology.core_count, 1);
  assert_int_equal(team.setup_threads, 1);
  rf_team_done(&team);
  assert_int_equal(rf_team_init(&team, 2, &error), ROOF_E_ARGUMENT);
  assert_string_equal(error.message, "threads=2: this process may use 1 core");
  sched_setaffinity(0, sizeof before, &before);
}

typedef struct script {
  const double *seconds;
  size_t count;
  size_t calls;
} script;

static double scripted(void *user) {
  script *s = user;
  return s->seconds[s->calls++ % s->count];
}

static void sampler_stops_when_the_interval_is_tight(void **state) {
  (void)state;
  const double steady[] = {1, 1.001, 0.999};
  script s = {steady, 3, 0};
  rf_sampling sampling = {.calls = 1, .budget = 1000, .least = 5, .most = 1000, .precision = 0.01};
  rf_samples samples;
  assert_int_equal(rf_sample(scripted, &s, &sampling, &samples, NULL), ROOF_OK);
  assert_string_equal(samples.stopped, "interval within 1 %");
  assert_true(samples.count >= 5 && samples.count < 10);
  assert_true(samples.settled && samples.warm_up == 6); /* two threes that agree */
  assert_int_equal(s.calls, samples.count + samples.warm_up);
  assert_near(samples.stats.median, 1, 0.001);
  rf_samples_done(&samples);
}

static void sampler_stops_when_the_time_is_spent(void **state) {
  (void)state;
  const double wild[] = {1, 5, 2, 9, 1, 7};
  script s = {wild, 6, 0};
  rf_sampling sampling = {.calls = 1, .budget = 100, .least = 5, .most = 1000, .precision = 0.01};
  rf_samples samples;
  assert_int_equal(rf_sample(scripted, &s, &sampling, &samples, NULL), ROOF_OK);
  assert_string_equal(samples.stopped, "time spent");
  double sum = 0;
  for (size_t i = 0; i < samples.count; i++) {
    sum += samples.seconds[i];
  }
  assert_true(sum >= 100 && sum < 110);
  rf_samples_done(&samples);
}

static void sampler_keeps_the_order_and_takes_no_more_than_allowed(void **state) {
  (void)state;
  const double wild[] = {3, 1, 2, 9};
  script s = {wild, 4, 0};
  rf_sampling sampling = {.calls = 1, .budget = 1e9, .least = 5, .most = 20, .precision = 0.01};
  rf_samples samples;
  s.calls = 3; /* the warm-up of at least a sample */
  sampling.budget = 1e-9;
  assert_int_equal(rf_sample(scripted, &s, &sampling, &samples, NULL), ROOF_OK);
  assert_int_equal(samples.count, 1);
  assert_true(samples.seconds[0] == 3);
  rf_samples_done(&samples);
  s.calls = 3;
  sampling.calls = 4;
  assert_int_equal(rf_sample(scripted, &s, &sampling, &samples, NULL), ROOF_OK);
  assert_true(samples.seconds[0] == 0.75 && samples.stats.median == 0.75);
  rf_samples_done(&samples);
}

static void warm_up_ends_when_times_no_longer_fall(void **state) {
  (void)state;
  double falling[64];
  bool settled = false;
  for (int i = 0; i < 64; i++) {
    falling[i] = i < 20 ? 5 - 0.2 * i : 1;
  }
  script s = {falling, 64, 0};
  size_t count = rf_warm_up(scripted, &s, 1e9, &settled);
  assert_true(settled && count >= 24 && count <= 27);
  const double wild[] = {1, 1, 1, 2, 2, 2};
  s = (script){wild, 6, 0};
  count = rf_warm_up(scripted, &s, 30, &settled);
  assert_true(!settled && count >= 18 && count <= 21);
  s = (script){(const double[]){100}, 1, 0};
  assert_int_equal(rf_warm_up(scripted, &s, 30, NULL), 1); /* a long one warms up enough */
}

static void warm_up_sees_what_falls_slowly(void **state) {
  (void)state;
  double falling[800];
  for (int i = 0; i < 800; i++) {
    falling[i] =
        (i < 400 ? 2 - i / 400. : 1) * 5e-5; /* by a quarter of a percent from one to the next, for 30 ms */
  }
  script s = {falling, 800, 0};
  bool settled = false;
  size_t count = rf_warm_up(scripted, &s, 0.1, &settled);
  assert_true(settled && count >= 400 && count < 800);
}

/** A core whose widths come over and over: work takes a second where it is 4 wide before and after, else two. */
typedef struct company {
  const double *widths;
  size_t count, looks;
} company;

static double time_in_company(void *user) {
  const company *c = user;
  double before = c->widths[(c->looks + c->count - 1) % c->count], after = c->widths[c->looks % c->count];
  return fmin(before, after) >= 4 ? 1 : 2;
}

static double look_around(void *user) {
  company *c = user;
  return c->widths[c->looks++ % c->count];
}

static rf_samples sample_in_company(company *c, rf_widest *widest, double span) {
  rf_sampling sampling = {
      .calls = 1, .budget = 100, .span = span, .least = 5, .most = 1000, .precision = 0.01};
  rf_samples samples;
  sampling.width = look_around;
  sampling.widest = widest;
  sampling.whole_only = true;
  assert_int_equal(rf_sample(time_in_company, c, &sampling, &samples, NULL), ROOF_OK);
  return samples;
}

static void samples_that_shared_a_core_do_not_count(void **state) {
  (void)state;
  const double widths[] = {4, 4, 4, 4, 4, 2, 2, 3};
  company c = {widths, 8, 0};
  rf_widest widest = {{0}};
  rf_samples samples = sample_in_company(&c, &widest, 40);
  assert_true(rf_widest_whole(&widest) == 4 * RF_CLOCK_WHOLE);
  assert_true(samples.stats.median == 1 && samples.stats.maximum == 1 && samples.disturbed == 0);
  assert_true(samples.shared > 0.4 && samples.shared < 0.6);
  assert_string_equal(samples.stopped, "interval within 1 %");
  roof_conditions conditions;
  roof_conditions_init(&conditions);
  rf_samples_conditions(&samples, 0.01, &conditions);
  assert_true(conditions.shared == samples.shared && conditions.disturbed == 0);
  rf_samples_done(&samples);
}

static void where_all_shared_a_core_all_count(void **state) {
  (void)state;
  const double widths[] = {2, 3};
  company c = {widths, 2, 0};
  rf_widest widest = {{4, 4, 4, 4, 4, 4, 4, 4}}; /* by an earlier kernel */
  rf_samples samples = sample_in_company(&c, &widest, 0);
  assert_true(samples.shared == 1 && samples.disturbed == 1 && samples.count == 50);
  assert_string_equal(samples.stopped, "time spent"); /* it went on looking */
  rf_samples_done(&samples);
}

/** A script of times and one of widths. */
typedef struct scene {
  script times;
  company core;
} scene;

static double act(void *user) {
  return scripted(&((scene *)user)->times);
}

static double look_on(void *user) {
  return look_around(&((scene *)user)->core);
}

static void all_samples_of_several_threads_count(void **state) {
  (void)state;
  const double times[] = {1, 2}, widths[] = {4, 4, 4, 3};
  scene s = {{times, 2, 0}, {widths, 4, 0}};
  rf_widest widest = {{0}};
  rf_sampling sampling = {.calls = 1, .budget = 100, .span = 50, .least = 5, .most = 1000, .precision = 0.01};
  rf_samples samples;
  sampling.width = look_on;
  sampling.widest = &widest;
  assert_int_equal(rf_sample(act, &s, &sampling, &samples, NULL), ROOF_OK);
  assert_true(samples.count > 50 && samples.disturbed == samples.shared);
  assert_true(samples.shared > 0.4 && samples.shared < 0.6);
  rf_samples_done(&samples);
}

static void between_short_samples_two_looks_may_miss(void **state) {
  (void)state;
  const double times[] = {5e-4},
               widths[] = {4, 4, 4, 4,
                           4, 4, 2}; /* of seven samples five were whole, two of them next to others */
  scene s = {{times, 1, 0}, {widths, 7, 0}};
  rf_widest widest = {{0}};
  rf_sampling sampling = {
      .calls = 1, .budget = 0.7, .span = 0.35, .least = 5, .most = 1000, .precision = 0.01};
  rf_samples samples;
  sampling.width = look_on;
  sampling.widest = &widest;
  sampling.whole_only = true;
  assert_int_equal(rf_sample(act, &s, &sampling, &samples, NULL), ROOF_OK);
  assert_true(samples.disturbed == 0 && samples.shared > 0.52 && samples.shared < 0.62);
  rf_samples_done(&samples);
}

static void a_look_that_was_interrupted_is_not_believed(void **state) {
  (void)state;
  const double widths[] = {4, 4, 4, 17, 4, 9, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
                           4, 4, 4, 4,  4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
  company c = {widths, sizeof widths / sizeof widths[0], 0};
  rf_widest widest = {{0}};
  rf_samples samples = sample_in_company(&c, &widest, 30);
  assert_true(rf_widest_whole(&widest) == 4 * RF_CLOCK_WHOLE && samples.shared == 0);
  rf_samples_done(&samples);
}

static void samples_lie_across_a_span(void **state) {
  (void)state;
  const double steady[] = {1, 1.001, 0.999};
  script s = {steady, 3, 0};
  rf_sampling sampling = {
      .calls = 1, .budget = 1000, .span = 50, .least = 5, .most = 1000, .precision = 0.01};
  rf_samples samples;
  assert_int_equal(rf_sample(scripted, &s, &sampling, &samples, NULL), ROOF_OK);
  assert_string_equal(samples.stopped, "interval within 1 %");
  assert_true(samples.count >= 49 && samples.count < 70);
  assert_true(isnan(samples.shared) && isnan(samples.disturbed));
  rf_samples_done(&samples);
}

static void a_core_begins_several_additions_a_cycle(void **state) {
  (void)state;
  double most = 0;
  for (int i = 0; i < 100; i++) {
    most = fmax(most, rf_clock_width()); /* NaN where it is not known */
  }
  assert_true(isnan(rf_clock_width()) || most > 0.5);
}

static double shares[2]; /* of the samples below; infinite: they cannot be taken */
static int runs;

static roof_status sample_by_share(void *user, roof_measurement *out, roof_error *error) {
  const double *share = user;
  if (isinf(share[runs])) {
    runs++;
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "not this time");
  }
  out->conditions.disturbed = share[runs++];
  out->seconds = runs;
  out->samples = malloc(sizeof *out->samples);
  return ROOF_OK;
}

static void what_shared_its_core_is_sampled_once_more(void **state) {
  (void)state;
  static const struct {
    double shares[2];
    int runs, kept;
  } cases[] = {
      {{0.5, 0}, 1, 1}, {{NAN, 0}, 1, 1}, {{1, 0.2}, 2, 2}, {{0.95, 1}, 2, 1}, {{1, INFINITY}, 2, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_measurement m;
    memcpy(shares, cases[i].shares, sizeof shares);
    runs = 0;
    roof_measurement_init(&m);
    assert_int_equal(rf_run_unshared(sample_by_share, shares, &m, NULL), ROOF_OK);
    assert_int_equal(runs, cases[i].runs);
    assert_true(m.seconds == cases[i].kept && m.samples != NULL);
    roof_measurement_done(&m);
  }
}

static void shared_cores_count_as_a_profiler_would(void **state) {
  (void)state;
  roof_measurement m;
  roof_measurement_init(&m);
  rf_run_sharing(&m);
  assert_int_equal(m.counter_count, 0);
  m.conditions.disturbed = 0;
  rf_run_sharing(&m);
  assert_int_equal(m.counter_count, 0);
  m.conditions.disturbed = 0.75;
  rf_run_sharing(&m);
  rf_run_sharing(&m);
  assert_int_equal(m.counter_count, 1);
  assert_string_equal(m.counters[0].name, roof_clue_name(ROOF_CLUE_SMT));
  assert_true(m.counters[0].value == 1.75);
}

static void a_clock_that_does_not_go_forward_is_refused(void **state) {
  (void)state;
  static const double bad[] = {0, -1, NAN, INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    script s = {&bad[i], 1, 0};
    rf_sampling sampling = {.calls = 1, .budget = 1, .least = 5, .most = 20, .precision = 0.01};
    rf_samples samples = {.count = 77};
    roof_error error = {0};
    assert_int_equal(rf_sample(scripted, &s, &sampling, &samples, &error), ROOF_E_UNSUPPORTED);
    assert_non_null(strstr(error.message, "by this machine's clock, which is not possible"));
    assert_int_equal(samples.count, 77);
  }
}

static void samples_of_two_kinds_are_known_from_one(void **state) {
  (void)state;
  double two[] = {1, 1.9, 1.01, 1.02, 1.91, 1.03, 1.92, 1, 1.95, 1.02};
  double one[] = {1, 1.02, 1.05, 1.07, 1.1, 1.13, 1.16, 1.2, 1.24, 1.3};
  double outlier[] = {1, 1.01, 1.02, 1, 1.01, 1.02, 1, 1.01, 1.02, 9};
  double stopped[] = {1, 7.9, 1.01, 1.02, 7.91, 1.03, 7.92, 1, 7.95, 1.02};
  double fast = 0, slow = 0;
  const rf_samples samples = {.seconds = two, .count = 10};
  assert_true(rf_samples_modes(&samples, &fast, &slow));
  assert_near(fast, 1.015, 1e-12);
  assert_near(slow, 1.915, 1e-12);
  double interrupted[] = {1, 1.9, 1.01, 1.02, 3.91, 1.03, 5.92, 1, 9.95, 1.02};
  assert_false(rf_samples_modes(&(rf_samples){.seconds = interrupted, .count = 10}, &fast, &slow));
  assert_false(rf_samples_modes(&(rf_samples){.seconds = stopped, .count = 10}, &fast, &slow));
  assert_false(rf_samples_modes(&(rf_samples){.seconds = one, .count = 10}, &fast, &slow));
  assert_false(rf_samples_modes(&(rf_samples){.seconds = outlier, .count = 10}, &fast, &slow));
  assert_false(rf_samples_modes(&(rf_samples){.seconds = two, .count = 1}, &fast, &slow));
}

static rf_peak_kernel peak_kernel_of(rf_peak_kernel_form form, double operations) {
  return (rf_peak_kernel){.form = form, .dtype = ROOF_FP64, .operations = operations};
}

/* Zen 4 as its vendor describes it: two pipes of 256 bits that multiply, two more that add. */
static void limits_follow_from_the_pipes(void **state) {
  (void)state;
  const rf_core_limits zen4 = {2, 2, 4, 2, NAN, 64, 32, 32, ""}, shared = {2, 2, 3, 2, 16, 128, 64, 64, ""};
  rf_peak_kernel fma = peak_kernel_of(RF_PEAK_FMA, 8), add = peak_kernel_of(RF_PEAK_ADD, 4);
  rf_peak_kernel both = peak_kernel_of(RF_PEAK_FMA_ADD, 6), apart = peak_kernel_of(RF_PEAK_MUL_ADD, 8);
  assert_near(rf_cpu_peak_kernel_limit(&zen4, &fma), 16, 1e-12);
  assert_near(rf_cpu_peak_kernel_limit(&zen4, &add), 8, 1e-12);
  assert_near(rf_cpu_peak_kernel_limit(&zen4, &both), 24, 1e-12);
  assert_near(rf_cpu_peak_kernel_limit(&zen4, &apart), 16, 1e-12);
  assert_near(rf_cpu_peak_kernel_limit(&shared, &both), 18, 1e-12);
  assert_near(rf_cpu_peak_kernel_limit(&shared, &apart), 12, 1e-12);
  rf_peak_kernel tile = peak_kernel_of(RF_PEAK_TILE, 16384);
  assert_near(rf_cpu_peak_kernel_limit(&shared, &tile), 1024, 1e-12);
  assert_true(isnan(rf_cpu_peak_kernel_limit(&zen4, &tile)));
  assert_near(rf_cpu_transfer_limit(&zen4, 1, 0), 64, 1e-12);
  assert_near(rf_cpu_transfer_limit(&zen4, 1, 1), 64, 1e-12);
  assert_near(rf_cpu_transfer_limit(&zen4, 2, 1), 96, 1e-12);
  assert_near(rf_cpu_transfer_limit(&zen4, 0, 1), 32, 1e-12);
}

/* Nanoseconds by working set from 8 KiB on, as seen on three machines. */
static void levels_show_in_the_curve(void **state) {
  (void)state;
  const double server[] = {1.2, 1.2, 1.2, 3.7, 3.7, 3.7, 3.8, 3.9, 4, 22, 24, 24, 25, 26, 90, 105, 110};
  const double guest[] = {1.4, 1.4, 1.4, 5.6, 5.6, 5.6, 5.7, 5.7, 5.7, 70, 108, 109, 120, 124, 125, 126, 130};
  const double flat[] = {4, 4.1, 4, 4.2, 4};
  rf_rise at[8];
  assert_int_equal(rf_curve_rises(server, 17, at, 8), 3);
  assert_true(at[0].from == 2 && at[0].to == 3 && at[1].to == 9 && at[2].from == 13 && at[2].to == 14);
  assert_int_equal(rf_curve_rises(guest, 17, at, 8), 2);
  assert_true(at[0].to == 3 && at[1].from == 8 && at[1].to == 10); /* a slope from 70 to 108 */
  assert_int_equal(rf_curve_rises(flat, 5, at, 8), 0);
  assert_int_equal(rf_curve_rises(server, 17, at, 1), 1);
}

enum { KIB = 1024, MIB = 1024 * KIB };

typedef struct rate_up_to {
  double bytes, rate; /**< up to these bytes one core reads at this rate */
} rate_up_to;

/** Two working sets per doubling from 8 KiB to 1 GiB: steps, with noise that only slows, and a fall per
 * doubling.
 */
static int draw_curve(const rate_up_to *steps, double noise, double fall, roof_curve_point *curve) {
  int count = 0;
  for (double bytes = 8 * KIB; bytes <= 1024.0 * MIB; bytes *= count % 2 == 0 ? 4 / 3.0 : 1.5) {
    int s = 0;
    while (bytes > steps[s].bytes) {
      s++;
    }
    double disturbed = 1 - noise * fabs(sin(12.9898 * count)), octaves = log2(bytes / (8 * KIB));
    curve[count++] = (roof_curve_point){bytes, steps[s].rate * disturbed * pow(1 - fall, octaves)};
  }
  return count;
}

/** Labels go outwards: larger working sets, slower. */
static void check_order(const rf_place *places, int levels) {
  double size = 0, rate = INFINITY;
  for (int i = 0; i < levels; i++) {
    if (places[i].seen) {
      assert_true(places[i].from > size && places[i].to >= places[i].from);
      assert_true(places[i].ends[0].bytes_per_second < rate);
      size = places[i].to;
      rate = places[i].ends[0].bytes_per_second;
    }
  }
}

static const rate_up_to server[] = {{48 * KIB, 400}, {2 * MIB, 120}, {32 * MIB, 30}, {INFINITY, 12}};
static const rate_up_to guest[] = {{48 * KIB, 400}, {2 * MIB, 120}, {8 * MIB, 30}, {INFINITY, 12}};
static const rate_up_to no_l3[] = {{48 * KIB, 400}, {2 * MIB, 120}, {INFINITY, 12}};
static const rate_up_to one_rate[] = {{INFINITY, 30}};

static const double honest[] = {48 * KIB, 2 * MIB, 32 * MIB, 64e9};
static const double boasting[] = {48 * KIB, 2 * MIB, 260 * MIB, 64e9};
static const double modest[] = {32 * KIB, 512 * KIB, 4 * MIB, 64e9};
static const double inflated[] = {48 * KIB, 16 * MIB, 32 * MIB, 64e9};

static void labels_follow_the_curve(void **state) {
  (void)state;
  static const struct {
    const rate_up_to *steps;
    double noise, fall;
    const double *capacities;
    double ends[4]; /* of the plateaus, KiB; 0: not seen */
    const char *flat;
  } cases[] = {
      {server, 0, 0, honest, {48, 2048, 32768, 1048576}, "1111"},
      {server, 0.12, 0, honest, {48, 2048, 32768, 1048576}, "1111"},
      {server, 0, 0.02, honest, {48, 2048, 32768, 1048576}, "1111"},
      {guest, 0, 0, boasting, {48, 2048, 8192, 1048576}, "1101"},
      {guest, 0.12, 0, boasting, {48, 2048, 8192, 1048576}, "1101"},
      {server, 0, 0, modest, {48, 2048, 32768, 1048576}, "1111"},
      {server, 0, 0, inflated, {48, 2048, 32768, 1048576}, "1011"},
      {no_l3, 0, 0, honest, {48, 2048, 0, 1048576}, "11 1"},
      {no_l3, 0.12, 0, boasting, {48, 2048, 0, 1048576}, "11 1"},
      {one_rate, 0, 0, honest, {0, 0, 0, 1048576}, "   1"},
      {one_rate, 0.12, 0, honest, {0, 0, 0, 1048576}, "   1"},
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    roof_curve_point curve[ROOF_CURVE_MAX];
    rf_place places[4];
    int count = draw_curve(cases[c].steps, cases[c].noise, cases[c].fall, curve);
    rf_curve_place(curve, count, cases[c].capacities, 4, places);
    check_order(places, 4);
    for (int i = 0; i < 4; i++) {
      if (places[i].seen != (cases[c].ends[i] > 0) || places[i].to != cases[c].ends[i] * KIB ||
          (places[i].seen && places[i].sloped == (cases[c].flat[i] == '1'))) {
        fail_msg("case %zu level %d: seen %d to %g KiB, sloped %d", c, i, places[i].seen, places[i].to / KIB,
                 places[i].sloped);
      }
    }
  }
}

/** A virtual machine has a part of the cache that the system reports; a curve that does not show it, or shows more than half
 * of it, changes nothing. */
static void the_last_cache_holds_what_the_curve_shows(void **state) {
  (void)state;
  static const rate_up_to sliding[] = {{48 * KIB, 380}, {1 * MIB, 180}, {16 * MIB, 109},
                                       {24 * MIB, 61},  {64 * MIB, 48}, {INFINITY, 36}};
  static const struct {
    const rate_up_to *steps;
    double inner, reported, holds; /* MiB */
  } cases[] = {{sliding, 1, 508, 24}, {sliding, 1, 32, 32}, {sliding, 1, 49, 24}, {server, 2, 32, 32},
               {server, 2, 40, 40},   {guest, 2, 260, 8},   {no_l3, 2, 32, 32},   {one_rate, 2, 32, 32}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    for (int noisy = 0; noisy < 2; noisy++) {
      roof_curve_point curve[ROOF_CURVE_MAX];
      int count = draw_curve(cases[c].steps, noisy * 0.12, 0, curve);
      double holds = rf_curve_holds(curve, count, cases[c].inner * MIB, cases[c].reported * MIB);
      if (holds != cases[c].holds * MIB) {
        fail_msg("case %zu: %g MiB", c, holds / MIB);
      }
    }
  }
  roof_curve_point point = {8192, 1};
  assert_near(rf_curve_holds(&point, 1, 1, 5), 5, 0);
}

/* Whatever the curve and whatever the system reports, no label is beyond that of an outer level. */
static void labels_never_slip(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 2000; seed++) {
    roof_curve_point curve[ROOF_CURVE_MAX];
    double capacities[4] = {8 * KIB, 0, 0, 64e9};
    rf_place places[4];
    int count = draw_curve(one_rate, 0, 0, curve);
    for (int i = 0; i < count; i++) {
      double fall = rf_random_at(seed, (size_t)i);
      curve[i].bytes_per_second =
          i == 0 ? 400 : curve[i - 1].bytes_per_second * (fall > 0.5 ? 0.6 : 1 + fall / 9);
    }
    for (int i = 1; i < 3; i++) {
      capacities[i] = capacities[i - 1] * exp2(1 + 7 * fabs(rf_random_at(seed + 5000, (size_t)i)));
    }
    rf_curve_place(curve, count, capacities, 4, places);
    check_order(places, 4);
    for (int i = 0; i < 4; i++) {
      assert_true(!places[i].sloped || places[i].ends[0].bytes < places[i].ends[1].bytes);
    }
  }
  rf_place place = {.seen = true};
  roof_curve_point point = {8192, 1};
  assert_int_equal(rf_curve_place(&point, 1, honest, 1, &place), 0);
  assert_false(place.seen);
}

static const roof_backend *find(const char *name) {
  const roof_backend *backend = NULL;
  assert_int_equal(roof_backend_find(name, &backend, NULL), ROOF_OK);
  return backend;
}

static void backends_by_name(void **state) {
  (void)state;
  const roof_backend *backend = NULL;
  roof_error error;
  assert_true(roof_backend_count() >= 2);
  assert_null(roof_backend_at(roof_backend_count()));
  assert_null(find("cpu")->disabled_reason());
  assert_int_equal(roof_backend_find("cpi", &backend, &error), ROOF_E_NAME);
  assert_non_null(strstr(error.message, "did you mean `cpu`"));
}

static void use_script(const char *text) {
  static char path[] = "/tmp/roofline-test-XXXXXX";
  static int file = -1;
  if (file < 0) {
    file = mkstemp(path);
    assert_true(file >= 0);
    setenv("ROOFLINE_FAKE", path, 1);
  }
  if (text == NULL) {
    unlink(path);
    unsetenv("ROOFLINE_FAKE");
    return;
  }
  assert_int_equal(ftruncate(file, 0), 0);
  assert_int_equal(pwrite(file, text, strlen(text), 0), strlen(text));
}

static roof_status run_fake(const char *kernel_name, const char *sizes, roof_measurement *out,
                            roof_error *error) {
  const roof_kernel *kernel = NULL;
  double values[ROOF_PARAM_MAX];
  roof_measure_options options = roof_measure_options_default();
  assert_int_equal(roof_kernel_find(kernel_name, &kernel, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_values(kernel, sizes, values, NULL), ROOF_OK);
  return find("fake")->run(kernel, ROOF_FP64, values, &options, out, error);
}

static void fake_gives_the_same_again(void **state) {
  (void)state;
  roof_measure_options options = roof_measure_options_default();
  static roof_machine *one = NULL, *two = NULL;
  roof_measurement first, second;
  assert_int_equal(find("fake")->measure(&options, &one, NULL), ROOF_OK);
  assert_int_equal(find("fake")->measure(&options, &two, NULL), ROOF_OK);
  assert_true(same_machine(one, two));
  assert_non_null(strstr(one->title, "FAKE"));
  assert_string_equal(one->name, "fake");
  assert_int_equal(run_fake("triad", "n=1000000", &first, NULL), ROOF_OK);
  assert_int_equal(run_fake("triad", "n=1000000", &second, NULL), ROOF_OK);
  assert_string_equal(first.label, "triad n=1000000 fp64");
  assert_true(first.flops == 2e6 && first.bytes == 24e6);
  assert_near(first.seconds, 24e6 / 36e9 / 0.8, 1e-12); /* triad bandwidth and efficiency of the script */
  assert_int_equal(first.sample_count, second.sample_count);
  assert_memory_equal(first.samples, second.samples, first.sample_count * sizeof(double));
  roof_measurement_done(&first);
  roof_measurement_done(&second);
}

static void fake_follows_its_script(void **state) {
  (void)state;
  roof_measure_options options = roof_measure_options_default();
  static roof_machine *machine = NULL;
  roof_measurement measurement;
  use_script("# a comment\ntitle = Slow FAKE\nfp64 = 1GFLOP/s # peak\n\ntime dot = 3ms 1ms 2ms\n");
  assert_int_equal(find("fake")->measure(&options, &machine, NULL), ROOF_OK);
  assert_string_equal(machine->title, "Slow FAKE");
  assert_true(roof_machine_peak(machine, ROOF_FP64, ROOF_VECTOR, false, ROOF_MEASURED)->flops_per_second ==
              1e9);
  assert_int_equal(run_fake("dot", "n=100", &measurement, NULL), ROOF_OK);
  assert_int_equal(measurement.sample_count, 3);
  assert_true(measurement.samples[0] == 3e-3 && measurement.seconds == 2e-3);
  roof_measurement_done(&measurement);
}

static void bad_scripts_are_refused_with_their_line(void **state) {
  (void)state;
  static const struct {
    const char *text;
    roof_status status;
    int line;
    const char *message;
  } bad[] = {
      {"fp64 = 1GFLOP/s\nfp46 = 2\n", ROOF_E_NAME, 2, "did you mean `fp64`"},
      {"fp64\n", ROOF_E_PARSE, 1, "not of the form"},
      {"\n\nread = fast\n", ROOF_E_PARSE, 3, "fast"},
      {"read = -1GB/s\n", ROOF_E_ARGUMENT, 1, "more than 0"},
      {"time dot =\n", ROOF_E_PARSE, 1, "no samples"},
      {"time dot = 1GB\n", ROOF_E_PARSE, 1, "1GB"},
  };
  roof_measure_options options = roof_measure_options_default();
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    static roof_machine *machine = NULL;
    roof_error error = {0};
    use_script(bad[i].text);
    assert_int_equal(find("fake")->measure(&options, &machine, &error), bad[i].status);
    assert_int_equal(error.line, bad[i].line);
    assert_non_null(strstr(error.message, bad[i].message));
  }
  use_script(NULL);
}

static void cpu_runs_a_kernel(void **state) {
  (void)state;
  const roof_kernel *kernel = NULL;
  double values[ROOF_PARAM_MAX];
  roof_measurement m;
  roof_measure_options options = roof_measure_options_default();
  options.seconds_per_item = 0.01;
  assert_int_equal(roof_kernel_find("dot", &kernel, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_values(kernel, "n=20000", values, NULL), ROOF_OK);
  assert_int_equal(find("cpu")->run(kernel, ROOF_FP32, values, &options, &m, NULL), ROOF_OK);
  assert_string_equal(m.label, "dot n=20000 fp32");
  assert_true(m.sample_count > 0 && m.seconds > 0 && m.stats.minimum <= m.seconds);
  assert_true(m.flops / m.seconds < 1e13);
  roof_measurement_done(&m);
  assert_int_equal(find("cpu")->run(kernel, ROOF_FP16, values, &options, &m, NULL), ROOF_E_UNSUPPORTED);
}

/* Nanoseconds by pages touched: 64 fit the first TLB, 1536 the second; walks slow down beyond. */
static void tlbs_show_in_the_curve(void **state) {
  (void)state;
  const double costs[] = {1.7, 1.7, 1.6, 1.7, 4, 4.1, 4, 4, 4.2, 11, 15, 16, 16.2, 18};
  const double none[] = {1.7, 1.7, 1.8, 1.7};
  rf_rise at[2];
  assert_int_equal(rf_curve_rises(costs, 14, at, 2), 2);
  assert_true(at[0].from == 3 && at[0].to == 4 && at[1].from == 8 && at[1].to == 9);
  assert_int_equal(rf_curve_rises(none, 4, at, 2), 0);
}

static void tlbs_reach_further_outwards(void **state) {
  (void)state;
  enum { BYTES = 16 << 20 };
  static roof_machine *m = NULL;
  empty_machine(&m);
  roof_measure_options options = roof_measure_options_default();
  m->clock_hz = 1e9;
  rf_bench bench = {.options = &options, .machine = m};
  void *large = NULL, *small = NULL;
  assert_int_equal(rf_data_new("test", BYTES, &large, NULL), ROOF_OK);
  assert_int_equal(rf_data_new("test", BYTES, &small, NULL), ROOF_OK);
  madvise(small, BYTES, MADV_NOHUGEPAGE);
  memset(large, 1, BYTES);
  memset(small, 1, BYTES);
  assert_false(rf_pages_large(small, BYTES) > 0.5); /* neighbours may share its mapping */
  assert_true(rf_pages_refused(0)[0] != '\0' && rf_pages_refused(NAN)[0] != '\0');
  assert_int_equal(rf_cpu_measure_tlbs(&bench, large, small, BYTES, NULL), ROOF_OK);
  free(large);
  free(small);
  assert_true(m->report->tlb_count == 2 || m->report->tlb_count == 4);
  for (int i = 0; i < m->report->tlb_count; i++) {
    const roof_tlb *tlb = &m->report->tlbs[i];
    assert_true(tlb->page_bytes == (i < 2 ? 4096 : 2 << 20) && tlb->source[0] != '\0');
    assert_true(isnan(tlb->entries) ? isnan(tlb->reach_bytes) && strstr(tlb->source, "unknown") != NULL
                                    : tlb->reach_bytes == tlb->entries * tlb->page_bytes);
    assert_false(i % 2 == 1 && tlb->entries <= m->report->tlbs[i - 1].entries);
  }
}

static void latency_grows_with_load_or_says_why_not(void **state) {
  (void)state;
  static roof_machine *m = NULL;
  empty_machine(&m);
  roof_measure_options options = roof_measure_options_default();
  options.quick = true;
  rf_bench bench = {.options = &options, .machine = m, .lanes = rf_lanes_best()};
  fill_machine(m, 0, 1, 0);
  m->levels[0].level = ROOF_MEMORY;
  m->levels[0].latency_seconds = 100e-9;
  assert_int_equal(rf_team_init(&bench.team, 0, NULL), ROOF_OK);
  int threads = bench.team.threads;
  assert_int_equal(rf_cpu_measure_loaded(&bench, NULL), ROOF_OK);
  bench.team.threads = 1;
  assert_int_equal(rf_cpu_measure_loaded(&bench, NULL), ROOF_OK);
  assert_non_null(strstr(m->notes[0], "one core is used"));
  bench.team.threads = threads;
  rf_team_done(&bench.team);
  const roof_level *level = &m->levels[0];
  assert_int_equal(level->report->loaded_latency_count, threads > 1 ? 8 : 0);
  for (int i = 0; i < level->report->loaded_latency_count; i++) {
    const roof_loaded_latency *point = &level->report->loaded_latency[i];
    assert_true(point->latency_seconds > 0 && point->latency_seconds < 1);
    assert_true(i == 0 ? point->bytes_per_second == 0
                       : point->bytes_per_second >= point[-1].bytes_per_second);
  }
}

static const char *judged(roof_machine *machine) {
  roof_measure_options options = roof_measure_options_default();
  rf_bench bench = {.options = &options,
                    .machine = machine,
                    .team = {.threads = 2, .topology = {.core_count = 2, .kind_count = 1}}};
  machine->note_count = 0;
  rf_cpu_judge(&bench);
  return machine->note_count > 0 ? machine->notes[0] : "";
}

static void figures_against_themselves(void **state) {
  (void)state;
  static roof_machine *m = NULL;
  empty_machine(&m);
  fill_machine(m, 2, 2, 0);
  m->peaks[0].kind = m->peaks[1].kind = ROOF_MEASURED;
  m->peaks[0].cores = 1;
  m->peaks[0].flops_per_second = 50e9;
  m->peaks[1].flops_per_second = 100e9;
  m->peaks[1].limit_flops_per_second = 100e9;
  strcpy(m->levels[0].name, "L3");
  m->levels[0].level = ROOF_L3;
  m->levels[0].read_bytes_per_second = 40e9;
  strcpy(m->levels[1].name, "DRAM");
  m->levels[1].level = ROOF_MEMORY;
  m->levels[1].read_bytes_per_second = 30e9;
  assert_string_equal(judged(m), "");
  m->peaks[1].flops_per_second = 120e9;
  assert_non_null(strstr(judged(m), "on all cores is 120.0 % of clock x work per cycle"));
  m->peaks[1].flops_per_second = 55e9;
  assert_non_null(strstr(judged(m), "on all cores does 1.10 times the work of one core"));
  m->peaks[1].flops_per_second = 100e9;
  m->levels[1].read_bytes_per_second = 45e9;
  assert_non_null(strstr(judged(m), "DRAM on all cores reads faster than L3"));
  m->levels[1].read_bytes_per_second = 30e9;
  m->levels[0].limit_bytes_per_second = 30e9;
  assert_non_null(strstr(judged(m), "L3 read on all cores is 133.3 % of clock x work per cycle"));
}

static void add_cost(roof_machine *m, const char *name, double seconds) {
  roof_cost *cost = roof_machine_add_cost(m);
  strcpy(cost->name, name);
  cost->seconds = cost->least_seconds = seconds;
}

static void costs_against_themselves(void **state) {
  (void)state;
  static roof_machine *m = NULL;
  empty_machine(&m);
  add_cost(m, "atomic add, own line", 6e-9);
  add_cost(m, "atomic add, shared line", 12e-9);
  add_cost(m, "compare and swap, own line", 6e-9);
  add_cost(m, "compare and swap, shared line", 12e-9);
  add_cost(m, "hand-off, same L3", 40e-9);
  fill_machine(m, 0, 1, 0);
  strcpy(m->levels[0].name, "L1");
  m->levels[0].level = ROOF_L1;
  m->levels[0].kind = ROOF_MEASURED;
  m->levels[0].latency_seconds = 1.5e-9;
  assert_string_equal(judged(m), "");
  m->report->costs[4].least_seconds = 1e-9;
  assert_string_equal(judged(m),
                      "hand-off, same L3: faster than a load from L1 is impossible: measure again");
  m->report->costs[4].least_seconds = 40e-9;
  m->report->costs[3].seconds = 3e-9;
  assert_string_equal(judged(m), "compare and swap, shared line: 50 % of compare and swap, own line "
                                 "is impossible: measure again");
  m->report->costs[3].seconds = 12e-9;
  m->report->costs[1].seconds = 3e-9;
  assert_non_null(strstr(judged(m), "atomic add, shared line: 50 % of"));
}

static const roof_cost *find_cost(const roof_machine *m, const char *name) {
  for (int i = 0; i < m->report->cost_count; i++) {
    if (strncmp(m->report->costs[i].name, name, strlen(name)) == 0) {
      return &m->report->costs[i];
    }
  }
  return NULL;
}

static const roof_cost *known_cost(const roof_machine *m, const char *name) {
  const roof_cost *cost = find_cost(m, name);
  assert_non_null(cost);
  return cost;
}

static void synchronisation_costs_what_it_may(void **state) {
  (void)state;
  static roof_machine *m = NULL;
  empty_machine(&m);
  m->clock_hz = 1e9;
  roof_measure_options options = roof_measure_options_default();
  rf_bench bench = {.options = &options, .machine = m, .budget = 0.1};
  assert_int_equal(rf_team_init(&bench.team, 0, NULL), ROOF_OK);
  int threads = bench.team.threads;
  assert_int_equal(rf_cpu_measure_sync(&bench, NULL), ROOF_OK);
  rf_team_done(&bench.team);
  for (int i = 0; i < m->report->cost_count; i++) {
    const roof_cost *cost = &m->report->costs[i];
    assert_true(cost->seconds > 0 && cost->seconds < 1 && cost->spread >= 0 && cost->samples >= 1);
    assert_true(cost->kind == ROOF_MEASURED && cost->source[0] != '\0' && cost->clock_hz == 1e9);
    assert_false(cost->least_seconds > cost->most_seconds);
  }
  assert_int_equal(known_cost(m, "atomic add, own line")->cores, 1);
  assert_non_null(find_cost(m, "mutex, free"));
  if (threads == 1) {
    assert_null(find_cost(m, "barrier"));
    assert_non_null(strstr(m->notes[0], "one core"));
    return;
  }
  assert_int_equal(known_cost(m, "barrier")->cores, 0);
  assert_int_equal(known_cost(m, "hand-off")->cores, 2);
  assert_true(known_cost(m, "hand-off")->least_seconds > 0);
}

/** Windows as a script has them, over and over. */
typedef struct scripted_figure {
  const double *seconds;
  double clock;
  int count, calls;
  roof_conditions conditions;
  double rate;
} scripted_figure;

static double scripted_window(void *user, double *clock_hz) {
  scripted_figure *f = user;
  int call = f->calls++;
  *clock_hz = f->clock;
  return f->seconds[call % f->count];
}

static void keep_rate(rf_bench *bench, rf_trial *t) {
  (void)bench;
  ((scripted_figure *)t->user)->rate = t->rate;
}

static roof_status try_windows(scripted_figure *f, rf_window *window, rf_estimate estimate,
                               roof_error *error) {
  static roof_machine *machine = NULL;
  roof_measure_options options = roof_measure_options_default();
  options.quick = true;
  empty_machine(&machine);
  roof_conditions_init(&f->conditions);
  rf_bench bench = {.options = &options, .machine = machine, .budget = 0.02};
  rf_trial *trial = NULL;
  assert_int_equal(rf_trial_add(&bench, &trial, NULL), ROOF_OK);
  *trial = (rf_trial){.figure = "a figure",
                      .window = window,
                      .finish = keep_rate,
                      .user = f,
                      .work = 6,
                      .cores = 1,
                      .estimate = estimate,
                      .conditions = &f->conditions};
  roof_status status = rf_trials_run(&bench, error);
  rf_trials_done(&bench);
  return status;
}

static roof_status try_figure(scripted_figure *f, rf_estimate estimate, roof_error *error) {
  return try_windows(f, scripted_window, estimate, error);
}

static void a_figure_is_refused_where_time_stands_still(void **state) {
  (void)state;
  static const double bad[] = {0, -1, NAN, INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    scripted_figure f = {.seconds = &bad[i], .count = 1, .clock = 3e9};
    roof_error error = {0};
    assert_int_equal(try_figure(&f, RF_FASTEST, &error), ROOF_E_UNSUPPORTED);
    assert_non_null(strstr(error.message, "a figure: a window took "));
  }
}

static void a_clock_that_is_none_is_unknown(void **state) {
  (void)state;
  static const double bad[] = {0, -1, NAN, INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    scripted_figure f = {.seconds = (const double[]){2}, .count = 1, .clock = bad[i]};
    assert_int_equal(try_figure(&f, RF_FASTEST, NULL), ROOF_OK);
    assert_near(f.rate, 3, 1e-12);
    assert_true(isnan(f.conditions.clock_hz) && isnan(f.conditions.per_cycle));
  }
}

static void windows_on_whole_cores_give_the_rate(void **state) {
  (void)state;
  enum { WINDOWS = 100, WHOLE = 3 };
  double seconds[WINDOWS], clocks[WINDOWS], widths[WINDOWS];
  rf_trial trial = {.seconds = seconds, .clocks = clocks, .widths = widths, .estimate = RF_SHARED};
  for (int i = 0; i < WINDOWS; i++) {
    clocks[i] = 3e9;
    seconds[i] = i < WHOLE ? 1 : 2;
    widths[i] = i < WHOLE ? 4 : 2;
    rf_widest_add(&trial.widest, 4);
  }
  assert_true(rf_trial_seconds(&trial, 0, WINDOWS, 3e9) == 1);
  assert_true(rf_trial_seconds(&trial, 1, WINDOWS, 3e9) == 2); /* two are too few */
  clocks[0] = 3.2e9;
  assert_true(rf_trial_seconds(&trial, 0, WINDOWS, 3e9) == 2); /* a boost is not whole */
  seconds[0] = seconds[1] = seconds[2] = 3;
  clocks[0] = 3e9;
  assert_true(rf_trial_seconds(&trial, 0, WINDOWS, 3e9) == 2); /* slow ones that looked whole */
}

static void steady_figures_settle_and_others_are_marked(void **state) {
  (void)state;
  static const double wild[] = {2, 2, 3, 2, 3, 3};
  scripted_figure steady = {.seconds = (const double[]){2}, .count = 1, .clock = 3e9};
  assert_int_equal(try_figure(&steady, RF_TYPICAL, NULL), ROOF_OK);
  assert_string_equal(steady.conditions.noisy, "");
  assert_string_equal(steady.conditions.stopped, "interval within 1 %");
  assert_true(steady.conditions.round_count >= 2 && steady.conditions.samples >= 6);
  assert_near(steady.conditions.per_cycle, 1e-9, 1e-20);
  scripted_figure two = {.seconds = wild, .count = 6, .clock = 3e9};
  assert_int_equal(try_figure(&two, RF_SHARED, NULL), ROOF_OK);
  assert_non_null(strstr(two.conditions.noisy, "two modes, 50 % apart"));
  static const double mostly_slow[] = {2, 2.2, 2.2, 2.2, 2.2, 2.2};
  scripted_figure others = {.seconds = mostly_slow, .count = 6, .clock = 3e9};
  assert_int_equal(try_figure(&others, RF_SHARED, NULL), ROOF_OK);
  assert_non_null(strstr(others.conditions.noisy, "half of the windows were at least 10 % slower"));
  assert_near(others.rate, 3, 1e-12); /* what there is when others leave it alone */
}

/** A window of which every fifth comes at another clock and takes less time. */
typedef struct clocked_figure {
  scripted_figure figure;
  double other_clock;
} clocked_figure;

static double clocked_window(void *user, double *clock_hz) {
  clocked_figure *f = user;
  bool other = f->figure.calls++ % 5 == 0;
  *clock_hz = other ? f->other_clock : 3e9;
  return other ? 1 : 2;
}

static void peak_kernels_of_a_higher_clock_do_not_count(void **state) {
  (void)state;
  static const struct {
    double clock, rate;
  } cases[] = {
      {3.3e9, 3}, {3.01e9, 6}, {2e9, 6}}; /* who is interrupted reads too low a clock, not too high */
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    clocked_figure f = {.other_clock = cases[i].clock};
    assert_int_equal(try_windows(&f.figure, clocked_window, RF_FASTEST, NULL), ROOF_OK);
    assert_near(f.figure.rate, cases[i].rate, 1e-12);
  }
}

/** Ways that take 3, 1, 1.2 and 1.5 s; how often each was tried. */
typedef struct scripted_ways {
  int selected, tried[4];
} scripted_ways;

static double select_scripted(void *user, int index) {
  ((scripted_ways *)user)->selected = index;
  return 1;
}

static double try_scripted(void *user, double *clock_hz) {
  static const double seconds[] = {3, 1, 1.2, 1.5};
  scripted_ways *w = user;
  *clock_hz = NAN;
  return w->tried[w->selected]++, seconds[w->selected];
}

static void slow_ways_are_not_tried_again(void **state) {
  (void)state;
  scripted_ways w = {0};
  rf_choice choice = {.window = try_scripted, .select = select_scripted, .count = 4, .tries = 4};
  assert_int_equal(rf_choice_try(&choice, &w), 1);
  assert_true(w.tried[0] == 4 && w.tried[1] == 4 && w.tried[2] == 4 && w.tried[3] == 4);
  assert_int_equal(rf_choice_try(&choice, &w), 1);
  assert_true(w.tried[0] == 4 && w.tried[1] == 6 && w.tried[2] == 6 && w.tried[3] == 4);
  assert_true(w.selected == 1 && choice.chosen == 1 && choice.visits == 2);
}

static void outliers_are_counted_by_mad(void **state) {
  (void)state;
  const double sorted[] = {1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 9};
  assert_int_equal(roof_stats_outliers(sorted, 8, 5), 1);
  assert_int_equal(roof_stats_outliers(sorted, 7, 5), 0);
  assert_int_equal(roof_stats_outliers((const double[]){2, 2, 2, 3}, 4, 5), 0); /* no deviation to count in */
  assert_int_equal(roof_stats_outliers(sorted, 0, 5), 0);
}

/* Zeros can stream faster than data: processors and hypervisors know them. */
static void what_levels_stream_is_not_zero(void **state) {
  (void)state;
  enum { COUNT = 100000 };
  void *data = NULL;
  int zeros = 0;
  assert_int_equal(rf_data_new("test", COUNT * sizeof(double), &data, NULL), ROOF_OK);
  rf_data_fill(data, ROOF_FP64, COUNT, 1, 1);
  for (int i = 0; i < COUNT; i++) {
    zeros += ((const double *)data)[i] == 0;
  }
  free(data);
  assert_int_equal(zeros, 0);
}

/** Blocks are looked for within a time, and are such as the product takes them. */
static void measured_blocks_are_whole(void **state) {
  (void)state;
  static const roof_dtype formats[] = {ROOF_FP64, ROOF_FP32};
  owned roof_machine *machine = NULL;
  roof_measure_options options = {.quick = true};
  rf_bench bench = {.options = &options, .machine = empty_machine(&machine), .budget = 0.005};
  assert_int_equal(rf_team_init(&bench.team, 0, NULL), ROOF_OK);
  rf_cpu_measure_blocks(&bench, 128);
  rf_team_done(&bench.team);
  assert_int_equal(machine->report->block_count, 2);
  for (int i = 0; i < 2; i++) {
    const rf_loops *loops = rf_lanes_loops(rf_lanes_best(), formats[i]);
    const roof_blocks *b = roof_machine_blocks(machine, formats[i]);
    rf_blocks whole = rf_gemm_whole_blocks(formats[i], b);
    assert_true(b->depth == (double)whole.depth && b->width == (double)whole.width);
    assert_true(b->height == (double)whole.height && (int)b->width % loops->tile_columns == 0);
    assert_true(b->flops_per_second > 0 && (b->gain == 1 || b->gain >= 1.02) && b->kind == ROOF_MEASURED);
    assert_memory_equal(b->source, "best of ", 8);
    assert_true(b->date[0] != '\0');
  }
}

int main(void) {
  unsetenv("ROOFLINE_FAKE");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clock_goes_forward),
      cmocka_unit_test(team_has_a_core_each),
      cmocka_unit_test(threads_that_wait_awake_are_waited_for),
      cmocka_unit_test(a_team_of_one_sets_up_with_its_neighbours),
      cmocka_unit_test(team_keeps_to_the_affinity_it_was_given),
      cmocka_unit_test(sampler_stops_when_the_interval_is_tight),
      cmocka_unit_test(sampler_stops_when_the_time_is_spent),
      cmocka_unit_test(sampler_keeps_the_order_and_takes_no_more_than_allowed),
      cmocka_unit_test(warm_up_ends_when_times_no_longer_fall),
      cmocka_unit_test(warm_up_sees_what_falls_slowly),
      cmocka_unit_test(samples_that_shared_a_core_do_not_count),
      cmocka_unit_test(where_all_shared_a_core_all_count),
      cmocka_unit_test(all_samples_of_several_threads_count),
      cmocka_unit_test(between_short_samples_two_looks_may_miss),
      cmocka_unit_test(a_look_that_was_interrupted_is_not_believed),
      cmocka_unit_test(samples_lie_across_a_span),
      cmocka_unit_test(a_core_begins_several_additions_a_cycle),
      cmocka_unit_test(what_shared_its_core_is_sampled_once_more),
      cmocka_unit_test(shared_cores_count_as_a_profiler_would),
      cmocka_unit_test(a_clock_that_does_not_go_forward_is_refused),
      cmocka_unit_test(samples_of_two_kinds_are_known_from_one),
      cmocka_unit_test(limits_follow_from_the_pipes),
      cmocka_unit_test(levels_show_in_the_curve),
      cmocka_unit_test(labels_follow_the_curve),
      cmocka_unit_test(the_last_cache_holds_what_the_curve_shows),
      cmocka_unit_test(labels_never_slip),
      cmocka_unit_test(backends_by_name),
      cmocka_unit_test(fake_gives_the_same_again),
      cmocka_unit_test(fake_follows_its_script),
      cmocka_unit_test(bad_scripts_are_refused_with_their_line),
      cmocka_unit_test(cpu_runs_a_kernel),
      cmocka_unit_test(tlbs_show_in_the_curve),
      cmocka_unit_test(tlbs_reach_further_outwards),
      cmocka_unit_test(latency_grows_with_load_or_says_why_not),
      cmocka_unit_test(figures_against_themselves),
      cmocka_unit_test(a_figure_is_refused_where_time_stands_still),
      cmocka_unit_test(a_clock_that_is_none_is_unknown),
      cmocka_unit_test(windows_on_whole_cores_give_the_rate),
      cmocka_unit_test(steady_figures_settle_and_others_are_marked),
      cmocka_unit_test(peak_kernels_of_a_higher_clock_do_not_count),
      cmocka_unit_test(slow_ways_are_not_tried_again),
      cmocka_unit_test(outliers_are_counted_by_mad),
      cmocka_unit_test(what_levels_stream_is_not_zero),
      cmocka_unit_test(costs_against_themselves),
      cmocka_unit_test(synchronisation_costs_what_it_may),
      cmocka_unit_test(measured_blocks_are_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
