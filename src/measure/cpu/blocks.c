/* The blocks in which the built-in product of matrices is fastest here: those that follow from the sizes of the caches
 * and some around them, tried in turn; the best one replaces the first only when it wins again, against it alone. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/clock.h"
#include "kernels/gemm/_blocks.h"
#include "measure/cpu/cpu.h"
#include "measure/run.h"

enum { SAMPLES = 4, DUELS = 8, STEP = 64 };

/** What depth, width and height of the first blocks are multiplied by. Deeper blocks pass C less often, others keep
 * their panels nearer. */
static const double factors[][3] = {{1, 1, 1},      {0.5, 2, 1}, {0.7, 1.4, 1}, {1.4, 0.7, 1}, {2, 0.5, 1},
                                    {2.8, 0.36, 1}, {1, 0.5, 1}, {1, 1.8, 1},   {1, 1, 0.5},   {1, 1, 2}};

/** One product with blocks of its own. */
typedef struct candidate {
  roof_blocks blocks;
  roof_kernel_run run;
  double seconds; /**< of the fastest call */
} candidate;

static roof_status begin(candidate *c, const char *sizes, roof_error *error) {
  roof_kernel_run *run = &c->run;
  roof_status status = roof_kernel_values(run->kernel, sizes, run->values, error);
  run->blocks = c->blocks.depth > 0 ? &c->blocks : NULL;
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

/** The fastest of all, each with operands of its own, one after the other. */
static roof_status try_all(const roof_kernel_run *run, const rf_blocks *first, const char *sizes,
                           candidate *best, roof_error *error) {
  roof_status status = ROOF_OK;
  *best = (candidate){.seconds = INFINITY};
  for (size_t i = 0; i < sizeof factors / sizeof factors[0] && status == ROOF_OK; i++) {
    candidate c = {.run = *run, .seconds = INFINITY};
    c.blocks = (roof_blocks){.depth = factors[i][0] * (double)first->depth,
                             .width = factors[i][1] * (double)first->width,
                             .height = factors[i][2] * (double)first->height};
    status = begin(&c, sizes, error);
    for (int s = 0; s < SAMPLES && status == ROOF_OK; s++) {
      sample(&c);
    }
    end(&c);
    *best = c.seconds < best->seconds ? c : *best;
  }
  return status;
}

/** Both by turns: how many times as fast the second is. */
static roof_status compare(candidate pair[2], const char *sizes, double *gain, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < 2 && status == ROOF_OK; i++) {
    pair[i].seconds = INFINITY;
    status = begin(&pair[i], sizes, error);
  }
  for (int s = 0; s < DUELS && status == ROOF_OK; s++) {
    sample(&pair[0]);
    sample(&pair[1]);
  }
  for (int i = 0; i < 2; i++) {
    end(&pair[i]);
  }
  *gain = pair[0].seconds / pair[1].seconds;
  return status;
}

static void keep(roof_machine *machine, const candidate *c, const rf_blocks *used, double gain,
                 const char *sizes) {
  roof_blocks *b = roof_machine_add_blocks(machine);
  if (b == NULL) {
    return;
  }
  *b = (roof_blocks){.dtype = c->run.dtype,
                     .depth = (double)used->depth,
                     .width = (double)used->width,
                     .height = (double)used->height,
                     .gain = gain,
                     .kind = ROOF_MEASURED};
  const double *v = c->run.values;
  b->flops_per_second = 2 * v[0] * v[1] * v[2] / c->seconds;
  snprintf(b->parameters, sizeof b->parameters, "%s", sizes);
  snprintf(b->source, sizeof b->source, "best of %zu blocks of %s, then %d calls by turns with the first",
           sizeof factors / sizeof factors[0], c->run.kernel->name, DUELS);
  rf_run_date(b->date);
}

/** Blocks before they are fitted to a shape. */
static rf_blocks blocks_of(const candidate *c, const rf_blocks *first) {
  return c->run.blocks == NULL ? *first
                               : (rf_blocks){.depth = (size_t)c->blocks.depth,
                                             .width = (size_t)c->blocks.width,
                                             .height = (size_t)c->blocks.height};
}

static roof_status search(rf_bench *bench, roof_dtype dtype, const char *sizes, roof_error *error) {
  static const double least_gain = 1.02; /* less is chance */
  roof_kernel_run run = {.dtype = dtype, .threads = bench->team.threads};
  candidate pair[2];
  double gain = 1;
  roof_status status = roof_kernel_find("gemm-blocked", &run.kernel, error);
  if (status != ROOF_OK) {
    return status;
  }
  rf_blocks first = rf_gemm_fitting(dtype, SIZE_MAX);
  pair[0] = (candidate){.run = run};
  status = try_all(&run, &first, sizes, &pair[1], error);
  pair[1].run = run;
  if (status == ROOF_OK) {
    status = compare(pair, sizes, &gain, error);
  }
  if (status == ROOF_OK) {
    const candidate *winner = &pair[gain >= least_gain];
    rf_blocks used = blocks_of(winner, &first);
    keep(bench->machine, winner, &used, fmax(gain, 1), sizes);
  }
  return status;
}

void rf_cpu_measure_blocks(rf_bench *bench) {
  static const double side = 768;
  static const roof_dtype formats[] = {ROOF_FP64, ROOF_FP32};
  int n = STEP * (int)round(side * cbrt(bench->team.threads) / STEP);
  char sizes[ROOF_NAME_MAX];
  snprintf(sizes, sizeof sizes, "m=%d n=%d k=%d", n, n, n);
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    roof_error why = {0};
    char step[96];
    snprintf(step, sizeof step, "blocks of a product of matrices: %s", roof_dtype_name(formats[i]));
    rf_bench_step(bench, step);
    if (search(bench, formats[i], sizes, &why) != ROOF_OK) {
      rf_bench_note(bench, "blocks of a product of matrices in %s: none looked for: %s",
                    roof_dtype_name(formats[i]), why.message);
    }
  }
}
