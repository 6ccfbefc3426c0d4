/* What every measurement of this processor uses: progress, notes, samples of a kernel. */
#include <math.h>
#include <stdarg.h>

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

roof_status rf_cpu_sample(roof_kernel_run *run, double budget, double precision, rf_samples *samples,
                          roof_error *error) {
  enum { LEAST = 5, MOST = 1000 };
  timed_run t = {.run = run};
  calibrate(&t);
  rf_sampling sampling = {
      .calls = t.calls, .budget = budget, .least = LEAST, .most = MOST, .precision = precision};
  return rf_sample(timed_calls, &t, &sampling, samples, error);
}
