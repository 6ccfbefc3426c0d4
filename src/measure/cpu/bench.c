/* What every measurement of this processor uses: progress, notes, samples of a kernel. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "core/number.h"
#include "host/clock.h"
#include "measure/cpu/cpu.h"
#include "measure/sampler.h"

void rf_bench_step(rf_bench *bench, const char *step) {
  if (bench->options->progress != NULL) {
    bench->options->progress(bench->options->user, step, bench->steps_done, bench->steps);
  }
  bench->steps_done++;
}

void rf_bench_note(rf_bench *bench, const char *format, ...) {
  roof_machine *machine = bench->machine;
  if (machine->note_count == ROOF_NOTE_MAX) {
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  rf_vformat(roof_machine_add_note(machine), ROOF_SOURCE_MAX, format, arguments);
  va_end(arguments);
}

/** Calls per sample: enough to make the clock's resolution negligible. */
typedef struct timed_run {
  roof_kernel_run *run;
  int calls;
} timed_run;

static double timed_calls(void *user) {
  timed_run *t = user;
  double start = rf_clock_seconds();
  for (int i = 0; i < t->calls; i++) {
    t->run->kernel->execute(t->run);
  }
  return rf_clock_seconds() - start;
}

static void calibrate(timed_run *t) {
  static const double least_seconds = 50e-6;
  t->calls = 1;
  double seconds = fmin(timed_calls(t), timed_calls(t));
  t->calls = (int)fmax(1, ceil(least_seconds / fmax(seconds, 1e-8)));
}

enum { LEAST_SAMPLES = 5, MOST_SAMPLES = 1000 };

roof_status rf_cpu_sample(roof_kernel_run *run, double budget, double precision, rf_samples *samples,
                          roof_error *error) {
  timed_run t = {.run = run};
  calibrate(&t);
  rf_sampling sampling = {t.calls, budget, LEAST_SAMPLES, MOST_SAMPLES, precision};
  return rf_sample(timed_calls, &t, &sampling, samples, error);
}

/** Two kernels; the times of the second are kept here, the warm-up included. */
typedef struct turns {
  timed_run first, second;
  double *seconds; /**< per call */
  size_t count, room;
} turns;

/** NAN, which ends the sampling, when memory is out. */
static double timed_in_turns(void *user) {
  turns *t = user;
  double seconds = timed_calls(&t->first), other = timed_calls(&t->second);
  if (t->count == t->room) {
    size_t room = 2 * t->room + 64;
    double *grown = realloc(t->seconds, room * sizeof *grown);
    if (grown == NULL) {
      return NAN;
    }
    t->seconds = grown;
    t->room = room;
  }
  t->seconds[t->count++] = other / t->second.calls;
  return seconds;
}

roof_status rf_cpu_sample_in_turns(roof_kernel_run runs[2], double budget, double precision,
                                   rf_samples samples[2], roof_error *error) {
  turns t = {.first = {.run = &runs[0]}, .second = {.run = &runs[1]}};
  calibrate(&t.first);
  calibrate(&t.second);
  rf_sampling sampling = {t.first.calls, budget, LEAST_SAMPLES, MOST_SAMPLES, precision};
  roof_status status = rf_sample(timed_in_turns, &t, &sampling, &samples[0], error);
  if (status == ROOF_OK) {
    size_t warm_up = t.count - samples[0].count;
    status = rf_samples_like(&samples[0], t.seconds + warm_up, samples[0].count, &samples[1], error);
    if (status != ROOF_OK) {
      rf_samples_done(&samples[0]);
    }
  }
  free(t.seconds);
  return status;
}
