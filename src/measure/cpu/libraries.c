/* The rates that libraries reach. Each library runs in a process of its own: a crash, a hang or its own
 * threads disturb nothing here, and its threads may use all the cores it is measured on. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/number.h"
#include "host/clock.h"
#include "measure/cpu/cpu.h"
#include "measure/run.h"

static const roof_dtype formats[RF_ATTEMPT_MAX] = {ROOF_FP64, ROOF_FP32, ROOF_BF16, ROOF_INT8};

/** What the process sends back for each format. */
typedef struct answer {
  roof_dtype dtype;
  double flops_per_second, spread;
  char version[128], skipped[ROOF_SOURCE_MAX], source[128];
} answer;
_Static_assert(sizeof(answer) <= PIPE_BUF, "small enough for an atomic write to a pipe");

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static roof_status time_calls(const rf_attempt *attempt, roof_kernel_run *run, answer *a, roof_error *error) {
  static const double precision = 0.01;
  roof_measurement work;
  rf_samples samples;
  double wall = rf_clock_seconds(), busy = processor_seconds();
  roof_status status = rf_run_describe(run->kernel, run->dtype, run->values, &work, error);
  if (status == ROOF_OK) {
    status = rf_cpu_sample(run, NULL, false, attempt->budget, precision, &samples, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  busy = (processor_seconds() - busy) / (rf_clock_seconds() - wall);
  a->flops_per_second = work.flops / samples.stats.minimum;
  a->spread = samples.count > 1 ? samples.stats.spread : NAN;
  rf_format(a->source, sizeof a->source, "best of %zu sample%s after a checked call; %.2f cores busy",
            samples.count, samples.count == 1 ? "" : "s", busy);
  rf_samples_done(&samples);
  return ROOF_OK;
}

static roof_status try_format(const rf_attempt *attempt, answer *a, roof_error *error) {
  const roof_kernel *kernel = attempt->kernel;
  roof_kernel_run run = {.kernel = kernel, .dtype = a->dtype, .threads = attempt->threads};
  roof_status status = roof_kernel_values(kernel, attempt->sizes, run.values, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = kernel->prepare(&run, error);
  if (status == ROOF_OK) {
    kernel->execute(&run);
    status = kernel->check(&run, error);
  }
  if (status == ROOF_OK) {
    status = time_calls(attempt, &run, a, error);
  }
  kernel->release(&run);
  return status;
}

/** The work of the process, on a thread without an OpenMP team: the threads of the parent's team do not exist
 * here. */
typedef struct errand {
  const rf_attempt *attempt;
  int pipe;
} errand;

static void *run_errand(void *user) {
  const errand *e = user;
  const roof_kernel *kernel = e->attempt->kernel;
  rf_team_spread(e->attempt->team, e->attempt->threads);
  omp_set_dynamic(0);
  for (int i = 0; i < RF_ATTEMPT_MAX; i++) {
    roof_error error = {0};
    answer a = {.dtype = formats[i], .flops_per_second = NAN, .spread = NAN};
    const char *reason = kernel->disabled_reason != NULL ? kernel->disabled_reason() : NULL;
    if (!kernel->supports(a.dtype)) {
      continue;
    }
    if (reason == NULL) {
      snprintf(a.version, sizeof a.version, "%s", kernel->library != NULL ? kernel->library() : "");
      reason = try_format(e->attempt, &a, &error) == ROOF_OK ? "" : error.message;
    }
    snprintf(a.skipped, sizeof a.skipped, "%.255s", reason);
    if (write(e->pipe, &a, sizeof a) != (ssize_t)sizeof a) {
      break;
    }
  }
  return NULL;
}

/** Never returns. What the library prints goes to standard error. */
static _Noreturn void be_child(const rf_attempt *attempt, int pipe) {
  struct rlimit no_core = {0, 0};
  pthread_t thread;
  errand e = {attempt, pipe};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setrlimit(RLIMIT_CORE, &no_core);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  if (pthread_create(&thread, NULL, run_errand, &e) == 0) {
    pthread_join(thread, NULL);
  }
  _exit(0);
}

/** Reads answers until the process ends or its time is up. Returns how many. */
static int read_answers(int from, double limit, answer *answers) {
  double end = rf_clock_seconds() + limit;
  struct pollfd waiting = {.fd = from, .events = POLLIN};
  int count = 0;
  while (count < RF_ATTEMPT_MAX) {
    double left = end - rf_clock_seconds();
    int ready = left > 0 ? poll(&waiting, 1, (int)ceil(1e3 * left)) : 0;
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    if (ready <= 0 || read(from, &answers[count], sizeof *answers) != (ssize_t)sizeof *answers) {
      break;
    }
    count++;
  }
  return count;
}

/** Ends the process if it still runs. Returns why it did not answer. */
static void end_child(pid_t child, double limit, char *why, size_t size) {
  int state = 0;
  bool ended = waitpid(child, &state, WNOHANG) == child;
  for (int i = 0; i < 100 && !ended; i++) { /* its end of the pipe closes shortly before the process has
                                               ended */
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    ended = waitpid(child, &state, WNOHANG) == child;
  }
  if (!ended) {
    kill(child, SIGKILL);
    waitpid(child, &state, 0);
    rf_format(why, size, "no answer within %.3g s", limit);
  } else if (WIFSIGNALED(state)) {
    snprintf(why, size, "the library ended its process: %s", strsignal(WTERMSIG(state)));
  } else {
    snprintf(why, size, "the library ended its process with status %d", WEXITSTATUS(state));
  }
}

/** Runs a process and collects its answers. Returns why there are no more. */
static int ask(const rf_attempt *attempt, answer *answers, char *why, size_t size) {
  int ends[2];
  if (pipe(ends) != 0) {
    snprintf(why, size, "pipe: %s", strerror(errno));
    return 0;
  }
  fflush(NULL); /* otherwise a library that calls exit() would write the buffered output a second time */
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    be_child(attempt, ends[1]);
  }
  close(ends[1]);
  int count = 0;
  if (child < 0) {
    snprintf(why, size, "fork: %s", strerror(errno));
  } else {
    count = read_answers(ends[0], attempt->limit_seconds, answers);
    end_child(child, attempt->limit_seconds, why, size);
  }
  close(ends[0]);
  return count;
}

/** "OpenBLAS 0.3.21 ..." without the name, which has its own column. */
static const char *version_alone(const char *name, const char *version) {
  size_t length = strlen(name);
  return strncmp(version, name, length) == 0 && version[length] == ' ' ? version + length + 1 : version;
}

static void fill(const rf_attempt *attempt, const answer *a, roof_library *out) {
  const roof_kernel *kernel = attempt->kernel;
  *out = (roof_library){.dtype = a->dtype,
                        .kind = ROOF_MEASURED,
                        .flops_per_second = a->flops_per_second,
                        .best_flops_per_second = NAN,
                        .fraction_of_peak = NAN,
                        .spread = a->spread};
  snprintf(out->name, sizeof out->name, "%s", kernel->variant);
  snprintf(out->version, sizeof out->version, "%s", version_alone(kernel->variant, a->version));
  snprintf(out->op, sizeof out->op, "%s", kernel->op);
  snprintf(out->parameters, sizeof out->parameters, "%s", attempt->sizes);
  snprintf(out->skipped, sizeof out->skipped, "%s", a->skipped);
  snprintf(out->source, sizeof out->source, "%s", a->source);
  rf_run_date(out->date);
}

int rf_library_try(const rf_attempt *attempt, roof_library *results) {
  answer answers[RF_ATTEMPT_MAX];
  char why[128];
  int answered = ask(attempt, answers, why, sizeof why), count = 0;
  for (int i = 0, next = 0; i < RF_ATTEMPT_MAX; i++) {
    answer none = {.dtype = formats[i], .flops_per_second = NAN, .spread = NAN};
    if (!attempt->kernel->supports(formats[i])) {
      continue;
    }
    snprintf(none.skipped, sizeof none.skipped, "%s", why);
    const answer *a = next < answered ? &answers[next++] : &none;
    bool again = count > 0 && a->skipped[0] != '\0' && strcmp(a->skipped, results[count - 1].skipped) == 0;
    if (!again) {
      fill(attempt, a, &results[count++]);
    }
  }
  return count;
}

static bool is_library(const roof_kernel *kernel) {
  return kernel->library != NULL && strcmp(kernel->op, "gemm") == 0 && roof_kernel_runs_on(kernel, "cpu");
}

int rf_cpu_library_count(void) {
  int count = 0;
  for (int i = 0; i < roof_kernel_count(); i++) {
    count += is_library(roof_kernel_at(i));
  }
  return count;
}

/** The fastest measured peak of the format on as many cores. */
static double peak_of(const roof_machine *m, const roof_library *library) {
  double best = NAN;
  for (int i = 0; i < m->peak_count; i++) {
    const roof_peak *p = &m->peaks[i];
    if (p->dtype == library->dtype && p->cores == library->cores && p->kind == ROOF_MEASURED && !p->mixed) {
      best = fmax(best, p->flops_per_second);
    }
  }
  return best;
}

/** Keeps the entries, except a failure already recorded for another number of cores. */
static void keep(roof_machine *machine, const roof_library *results, int count, int cores) {
  for (int i = 0; i < count && machine->report->library_count < ROOF_LIBRARY_MAX; i++) {
    bool known = false;
    for (int k = 0; k < machine->report->library_count; k++) {
      const roof_library *other = &machine->report->libraries[k];
      known = known || (results[i].skipped[0] != '\0' && strcmp(other->name, results[i].name) == 0 &&
                        strcmp(other->skipped, results[i].skipped) == 0);
    }
    if (!known) {
      roof_library *kept = roof_machine_add_library(machine);
      *kept = results[i];
      kept->cores = cores;
      kept->fraction_of_peak = kept->flops_per_second / peak_of(machine, kept);
    }
  }
}

/** A size of product for all cores that takes as long as the one-core size on one. */
static void measure_library(rf_bench *bench, const roof_kernel *kernel, int threads) {
  static const double side = 768, quick_side = 320, budget = 0.08, quick_budget = 0.015, limit = 30;
  enum { STEP = 64 };
  bool quick = bench->options->quick;
  int n = STEP * (int)round((quick ? quick_side : side) * cbrt(threads) / STEP);
  char sizes[ROOF_NAME_MAX];
  roof_library results[RF_ATTEMPT_MAX];
  snprintf(sizes, sizeof sizes, "m=%d n=%d k=%d", n, n, n);
  rf_attempt attempt = {.kernel = kernel,
                        .team = &bench->team,
                        .threads = threads,
                        .sizes = kernel->serial ? kernel->sizes : sizes,
                        .budget = quick ? quick_budget : budget,
                        .limit_seconds = limit};
  int count = rf_library_try(&attempt, results);
  keep(bench->machine, results, count, threads == bench->team.threads ? 0 : threads);
}

void rf_cpu_measure_libraries(rf_bench *bench) {
  for (int i = 0; i < roof_kernel_count(); i++) {
    const roof_kernel *kernel = roof_kernel_at(i);
    if (!is_library(kernel)) {
      continue;
    }
    char step[96];
    snprintf(step, sizeof step, "rate of a library: %s", kernel->variant);
    rf_bench_step(bench, step);
    measure_library(bench, kernel, 1);
    if (bench->team.threads > 1 && !kernel->serial) {
      measure_library(bench, kernel, bench->team.threads);
    }
  }
}
