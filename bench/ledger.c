/* How long a ledger of many entries takes to verify and to reconcile, in the library; the best of several
 * runs. bench-ledger FILE [ENTRIES]: makes FILE, half predictions, half measurements of seven samples, when
 * it does not exist. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "roofline/ledger.h"

enum { RUNS = 9, SAMPLES = 7, LABEL = 48, BATCH = 10000 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void label_of(char *label, size_t index) {
  snprintf(label, LABEL, "gemm m=%zu n=8192 k=8192 fp16", index + 1);
}

static roof_status seal(const char *path, size_t first, size_t count, roof_error *error) {
  static roof_sealing list[BATCH];
  for (size_t i = 0; i < count; i++) {
    double seconds = 1e-5 * (double)(first + i + 1) / 7;
    list[i] = (roof_sealing){
        .machine = "nvidia-h100-sxm",
        .machine_digest = "86bbafd63f2e4aa0b855bf9f47b858edd090f3306e8db6d492023b7225a798b5",
        .op = "gemm",
        .parameters = "m=1 n=8192 k=8192 batch=1 beta=0",
        .dtype = "fp16",
        .regime = "memory",
        .binding = "HBM",
        .flops = 1e12 * seconds,
        .bytes = 3.35e12 * seconds,
        .compute_seconds = seconds / 11,
        .memory_seconds = seconds,
        .overhead_seconds = NAN,
        .lower_seconds = seconds,
        .upper_seconds = seconds * 1.09,
        .expected_seconds = seconds / 0.78,
        .expected_low_seconds = seconds / 0.85,
        .expected_high_seconds = seconds / 0.65,
        .ceilings = {{seconds, 989.4e12, 3.35e12}, {seconds * 1.13, NAN, 2.958e12}},
    };
    label_of(list[i].label, first + i);
  }
  roof_ledger_options how = {.commit = "0123456789abcdef0123456789abcdef01234567"};
  return roof_ledger_seal(path, list, count, &how, error);
}

static roof_status record(const char *path, size_t first, size_t count, roof_error *error) {
  static roof_measurement list[BATCH];
  static double samples[BATCH][SAMPLES];
  for (size_t i = 0; i < count; i++) {
    double seconds = 1.3e-5 * (double)(first + i + 1) / 7;
    roof_measurement_init(&list[i]);
    label_of(list[i].label, first + i);
    snprintf(list[i].machine, sizeof list[i].machine, "nvidia-h100-sxm");
    snprintf(list[i].counted, sizeof list[i].counted, "dram__bytes.sum");
    list[i].seconds = seconds;
    list[i].flops = 1e12 * seconds;
    list[i].bytes = 2.6e12 * seconds;
    list[i].samples = samples[i];
    list[i].sample_count = SAMPLES;
    for (int j = 0; j < SAMPLES; j++) {
      samples[i][j] = seconds * (1 + 0.01 * j);
    }
  }
  return roof_ledger_record(path, list, count, NULL, error);
}

static roof_status make(const char *path, size_t entries, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t first = 0; first < entries / 2 && status == ROOF_OK; first += BATCH) {
      size_t left = entries / 2 - first, count = left < BATCH ? left : BATCH;
      status = (pass == 0 ? seal : record)(path, first, count, error);
    }
  }
  return status;
}

static roof_status verify(const char *path, size_t *entries, roof_error *error) {
  roof_ledger_summary summary;
  roof_status status = roof_ledger_verify(path, NULL, &summary, error);
  *entries = status == ROOF_OK ? summary.entries : 0;
  return status;
}

static roof_status reconcile(const char *path, size_t *entries, roof_error *error) {
  roof_reconcile result;
  roof_status status = roof_ledger_reconcile(path, false, &result, error);
  if (status == ROOF_OK) {
    *entries = 2 * result.count;
    roof_reconcile_done(&result);
  }
  return status;
}

typedef roof_status step(const char *path, size_t *entries, roof_error *error);

static roof_status best_of(const char *name, step *run, const char *path, roof_error *error) {
  double best = INFINITY;
  size_t entries = 0;
  for (int i = 0; i < RUNS; i++) {
    double start = now();
    roof_status status = run(path, &entries, error);
    if (status != ROOF_OK) {
      return status;
    }
    best = fmin(best, now() - start);
  }
  printf("%s_seconds %.4f\n%s_entries %zu\n", name, best, name, entries);
  return ROOF_OK;
}

int main(int argc, char **argv) {
  struct stat info;
  roof_error error = {0};
  roof_status status = ROOF_OK;
  if (argc < 2) {
    fprintf(stderr, "usage: bench-ledger FILE [ENTRIES]\n");
    return 2;
  }
  if (stat(argv[1], &info) != 0) {
    status = make(argv[1], argc > 2 ? strtoull(argv[2], NULL, 10) : 100000, &error);
  }
  if (status == ROOF_OK) {
    status = best_of("verify", verify, argv[1], &error);
  }
  if (status == ROOF_OK) {
    status = best_of("reconcile", reconcile, argv[1], &error);
  }
  if (status != ROOF_OK) {
    fprintf(stderr, "bench-ledger: %s\n", error.message);
  }
  return roof_status_exit_code(status);
}
