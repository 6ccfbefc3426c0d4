/* Products of matrices by kernels of the library, taken in turn in one process: the time of every window.
 * usage: bench-gemm ROUNDS THREADS DTYPE M N K KERNEL ...
 * prints "round kernel GFLOP/s" with the best window of each round. */
#include <stdio.h>
#include <stdlib.h>

#include "host/clock.h"
#include "measure/team.h"
#include "roofline/kernels.h"

enum { KERNELS_MAX = 16, WINDOWS_LEAST = 2, WINDOWS_MOST = 40 };
static const double turn_seconds = 0.3;

static roof_status start(roof_kernel_run *run, const char *name, int threads, roof_dtype dtype,
                         const char *shape, roof_error *error) {
  roof_status status = roof_kernel_find(name, &run->kernel, error);
  run->dtype = dtype;
  run->threads = threads;
  if (status == ROOF_OK) {
    status = roof_kernel_values(run->kernel, shape, run->values, error);
  }
  if (status == ROOF_OK) {
    status = run->kernel->prepare(run, error);
  }
  if (status == ROOF_OK) {
    run->kernel->execute(run);
    status = run->kernel->check(run, error);
  }
  return status;
}

/** The best rate of one kernel's turn, whose first product, not timed, wakes its threads. */
static double take_turn(roof_kernel_run *run) {
  const double *v = run->values;
  double begin = rf_clock_seconds(), best = 0;
  for (int w = 0; w < WINDOWS_LEAST || (w < WINDOWS_MOST && rf_clock_seconds() - begin < turn_seconds); w++) {
    double started = rf_clock_seconds();
    run->kernel->execute(run);
    double rate = 2e-9 * v[0] * v[1] * v[2] / (rf_clock_seconds() - started);
    best = w > 0 && rate > best ? rate : best;
  }
  return best;
}

/** One round: every kernel in turn. */
static void take_round(int number, roof_kernel_run *runs, int count) {
  for (int i = 0; i < count; i++) {
    rf_team_settle(); // OpenBLAS's threads wait awake for the next product, for 25 ms, on a core that the next kernel needs
    printf("%d %s %.2f\n", number, runs[i].kernel->name, take_turn(&runs[i]));
  }
  fflush(stdout);
}

int main(int argc, char **argv) {
  static roof_kernel_run runs[KERNELS_MAX];
  roof_error error = {0};
  roof_dtype dtype = ROOF_FP64;
  char shape[96];
  int count = argc - 7;
  if (count < 1 || count > KERNELS_MAX) {
    fprintf(stderr, "usage: bench-gemm ROUNDS THREADS DTYPE M N K KERNEL ...\n");
    return 2;
  }
  snprintf(shape, sizeof shape, "m=%s n=%s k=%s", argv[4], argv[5], argv[6]);
  roof_status status = roof_dtype_parse(argv[3], &dtype, &error);
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = start(&runs[i], argv[7 + i], atoi(argv[2]), dtype, shape, &error);
  }
  for (int round = 1; round <= atoi(argv[1]) && status == ROOF_OK; round++) {
    take_round(round, runs, count);
  }
  for (int i = 0; i < count && runs[i].kernel != NULL; i++) {
    runs[i].kernel->release(&runs[i]);
  }
  if (status != ROOF_OK) {
    fprintf(stderr, "bench-gemm: %s\n", error.message);
  }
  return roof_status_exit_code(status);
}
