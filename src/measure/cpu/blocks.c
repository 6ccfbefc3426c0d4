/* The blocks in which the built-in product of matrices is fastest here: those that follow from the sizes of the caches
 * and some around them, tried in turn; the best one replaces the first only when it wins again, against it alone. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/clock.h"
#include "kernels/gemm/_blocks.h"
#include "measure/cpu/cpu.h"
#include "measure/run.h"

/* A trial costs a few calls; many formats and slow processors must not make a measurement long. */
enum { SAMPLES = 4, DUELS = 8, STEP = 64, BUDGETS = 4 };

/** What depth, width and height of the first blocks are multiplied by. Deeper blocks pass C less often, others keep
 * their panels nearer. */
static const double factors[][3] = {{1, 1, 1},      {0.5, 2, 1}, {0.7, 1.4, 1}, {1.4, 0.7, 1}, {2, 0.5, 1},
                                    {2.8, 0.36, 1}, {1, 0.5, 1}, {1, 1.8, 1},   {1, 1, 0.5},   {1, 1, 2}};
enum { FACTORS = sizeof factors / sizeof factors[0] };

/** One product with blocks of its own. */
typedef struct candidate {
  roof_blocks blocks;
  roof_kernel_run run;
  double seconds; /**< of the fastest call */
} candidate;

/** What is looked for, and until when others are tried. */
typedef struct search {
  const roof_kernel *kernel;
  roof_dtype dtype;
  int threads;
  char sizes[ROOF_NAME_MAX];
  double end;
} search;

static candidate candidate_of(const search *s, const double *factor) {
  rf_blocks first = rf_gemm_fitting(s->kernel, s->dtype, SIZE_MAX);
  roof_blocks scaled = {.depth = factor[0] * (double)first.depth,
                        .width = factor[1] * (double)first.width,
                        .height = factor[2] * (double)first.height};
  rf_blocks whole = rf_gemm_whole_blocks(s->dtype, &scaled);
  candidate c = {.seconds = INFINITY};
  c.run = (roof_kernel_run){.kernel = s->kernel, .dtype = s->dtype, .threads = s->threads};
  c.blocks = (roof_blocks){.dtype = s->dtype,
                           .depth = (double)whole.depth,
                           .width = (double)whole.width,
                           .height = (double)whole.height,
                           .gain = 1,
                           .kind = ROOF_MEASURED};
  return c;
}

static roof_status begin(candidate *c, const search *s, roof_error *error) {
  roof_kernel_run *run = &c->run;
  run->blocks = &c->blocks;
  roof_status status = roof_kernel_values(run->kernel, s->sizes, run->values, error);
  status = status == ROOF_OK ? run->kernel->prepare(run, error) : status;
  if (status == ROOF_OK) {
    run->kernel->execute(run);
    status = run->kernel->check(run, error);
  }
  return status;
}

static void sample(candidate *c) {
  double begin = rf_clock_seconds();
  c->run.kernel->execute(&c->run);
  c->seconds = fmin(c->seconds, rf_clock_seconds() - begin);
}

static void end(candidate *c) {
  c->run.kernel->release(&c->run);
}

/** The fastest of all that there is time for, each with operands of its own, one after the other. Returns which it is;
 * *tried: how many there were. */
static int try_all(const search *s, int *tried, roof_status *status, roof_error *error) {
  double least = INFINITY;
  int best = 0, i = 0;
  for (; i < FACTORS && *status == ROOF_OK && (i == 0 || rf_clock_seconds() < s->end); i++) {
    candidate c = candidate_of(s, factors[i]);
    *status = begin(&c, s, error);
    for (int n = 0; n < SAMPLES && *status == ROOF_OK; n++) {
      sample(&c);
    }
    end(&c);
    best = c.seconds < least ? i : best;
    least = fmin(c.seconds, least);
  }
  *tried = i;
  return best;
}

/** Both by turns. */
static roof_status compare(const search *s, candidate pair[2], roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < 2 && status == ROOF_OK; i++) {
    status = begin(&pair[i], s, error);
  }
  for (int n = 0; n < DUELS && status == ROOF_OK; n++) {
    sample(&pair[0]);
    sample(&pair[1]);
  }
  for (int i = 0; i < 2; i++) {
    end(&pair[i]);
  }
  return status;
}

static void keep(roof_machine *machine, const candidate *c, const search *s, double gain, int tried) {
  roof_blocks *b = roof_machine_add_blocks(machine);
  if (b == NULL) {
    return;
  }
  const double *v = c->run.values;
  *b = c->blocks;
  b->gain = gain;
  b->flops_per_second = 2 * v[0] * v[1] * v[2] / c->seconds;
  snprintf(b->parameters, sizeof b->parameters, "%s", s->sizes);
  snprintf(b->source, sizeof b->source, "best of %d blocks of %s, then %d calls by turns with the first",
           tried, s->kernel->name, DUELS);
  rf_run_date(b->date);
}

static roof_status look(rf_bench *bench, const search *s, roof_error *error) {
  static const double least_gain = 1.02; /* less is chance */
  roof_status status = ROOF_OK;
  int tried = 0, best = try_all(s, &tried, &status, error);
  candidate pair[2] = {candidate_of(s, factors[0]), candidate_of(s, factors[best])};
  status = status == ROOF_OK ? compare(s, pair, error) : status;
  if (status == ROOF_OK) {
    double gain = pair[0].seconds / pair[1].seconds;
    bool better = best > 0 && gain >= least_gain;
    keep(bench->machine, &pair[better], s, better ? gain : 1, tried);
  }
  return status;
}

void rf_cpu_measure_blocks(rf_bench *bench, double side) {
  static const roof_dtype formats[] = {ROOF_FP64, ROOF_FP32};
  search s = {.threads = bench->team.threads};
  int n = STEP * (int)round(side * cbrt(bench->team.threads) / STEP);
  snprintf(s.sizes, sizeof s.sizes, "m=%d n=%d k=%d", n, n, n);
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    roof_error why = {0};
    char step[96];
    s.dtype = formats[i];
    s.end = rf_clock_seconds() + BUDGETS * bench->budget;
    snprintf(step, sizeof step, "blocks of a product of matrices: %s", roof_dtype_name(s.dtype));
    rf_bench_step(bench, step);
    roof_status status = roof_kernel_find("gemm-blocked", &s.kernel, &why);
    status = status == ROOF_OK ? look(bench, &s, &why) : status;
    if (status != ROOF_OK) {
      rf_bench_note(bench, "blocks of a product of matrices in %s: none looked for: %s",
                    roof_dtype_name(s.dtype), why.message);
    }
  }
}
