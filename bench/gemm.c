/* Products of matrices by kernels of the library, taken in turn in one process: the time of every window.
 * usage: bench-gemm ROUNDS THREADS DTYPE M N K KERNEL ...
 * prints "round kernel GFLOP/s" with the best window of each round. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "roofline/kernels.h"

enum { KERNELS_MAX = 16, WINDOWS_LEAST = 1, WINDOWS_MOST = 40 };
static const double round_seconds = 0.3;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

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

/** One round: windows of one call each, every kernel in turn, until the time is spent. */
static void take_round(int number, roof_kernel_run *runs, int count) {
  double best[KERNELS_MAX] = {0}, begin = now();
  const double *v = runs[0].values;
  for (int w = 0; w < WINDOWS_LEAST || (w < WINDOWS_MOST && now() - begin < round_seconds * count); w++) {
    for (int i = 0; i < count; i++) {
      double started = now();
      runs[i].kernel->execute(&runs[i]);
      double rate = 2e-9 * v[0] * v[1] * v[2] / (now() - started);
      best[i] = rate > best[i] ? rate : best[i];
    }
  }
  for (int i = 0; i < count; i++) {
    printf("%d %s %.2f\n", number, runs[i].kernel->name, best[i]);
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
