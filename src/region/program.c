#include "region/program.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "region/events.h"

enum { PATIENCE_SECONDS = 2 }; /* between SIGTERM and SIGKILL */

/** A program forked and not yet reaped. */
typedef struct child {
  pid_t process;
  int go;     /* a byte written here lets it execute */
  int failed; /* why it could not execute is read here */
} child;

static void held_signals(sigset_t *set) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD};
  sigemptyset(set);
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
    sigaddset(set, signals[i]);
  }
}

void rf_program_begin(rf_program_hold *hold) {
  sigset_t held;
  held_signals(&held);
  hold->caught = 0;
  signal(SIGCHLD, SIG_DFL); /* if SIGCHLD were if SIGCHLD were ignored, the usage of a program that ended
                               would be lost */
  sigprocmask(SIG_BLOCK, &held, &hold->before);
}

void rf_program_end(rf_program_hold *hold) {
  sigprocmask(SIG_SETMASK, &hold->before, NULL);
  if (hold->caught != 0) {
    raise(hold->caught);
  }
}

void rf_program_counting_init(rf_program_counting *counting) {
  char kernel[160];
  const char *why = rf_counters_open(), *reason = rf_events_reason(kernel, sizeof kernel);
  memset(counting, 0, sizeof *counting);
  counting->flops = why == NULL;
  if (why != NULL) { /* that the machine has no events is a better reason than that the library finds none */
    snprintf(counting->flops_reason, sizeof counting->flops_reason, "%s", reason != NULL ? reason : why);
  }
  counting->memory = rf_uncore_find("", &counting->uncore);
  if (!counting->memory) {
    snprintf(counting->memory_reason, sizeof counting->memory_reason,
             "no memory controller's counters (uncore_imc) in /sys/bus/event_source/devices");
  }
}

static _Noreturn void execute(const char *const *argv, const char *regions, const sigset_t *mask, int go,
                              int failed) {
  char byte;
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* the program ends when this process does */
  sigprocmask(SIG_SETMASK, mask, NULL);
  if (read(go, &byte, 1) == 1 && setenv("ROOFLINE_REGIONS", regions, 1) == 0) {
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    int code = errno;
    (void)!write(failed, &code, sizeof code);
  }
  _exit(127);
}

static void close_all(const int *files, int count) {
  for (int i = 0; i < count; i++) {
    close(files[i]);
  }
}

/** Forks the program, which waits for a byte before it executes. */
static roof_status fork_program(const char *const *argv, const char *regions, const sigset_t *mask, child *c,
                                roof_error *error) {
  int ends[4];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: pipe: %s", argv[0], strerror(errno));
  }
  if (pipe2(ends + 2, O_CLOEXEC) != 0) {
    int code = errno;
    close_all(ends, 2);
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: pipe: %s", argv[0], strerror(code));
  }
  pid_t process = fork();
  if (process == 0) {
    close_all((const int[]){ends[1], ends[2]}, 2);
    execute(argv, regions, mask, ends[0], ends[3]);
  }
  int code = errno;
  close_all((const int[]){ends[0], ends[3]}, 2);
  if (process < 0) {
    close_all((const int[]){ends[1], ends[2]}, 2);
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: fork: %s", argv[0], strerror(code));
  }
  *c = (child){.process = process, .go = ends[1], .failed = ends[2]};
  return ROOF_OK;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** Waits for its end. Signals are forwarded unless the terminal sent them to the program already; SIGKILL
 * follows one that is ignored. */
static void wait_for(pid_t process, rf_program_hold *hold, int *status, struct rusage *usage) {
  const struct timespec patience = {.tv_sec = PATIENCE_SECONDS};
  sigset_t held;
  held_signals(&held);
  while (wait4(process, status, WNOHANG, usage) == 0) {
    siginfo_t info;
    int got = sigtimedwait(&held, &info, hold->caught != 0 ? &patience : NULL);
    if (got < 0 && errno == EAGAIN) {
      kill(process, SIGKILL);
    } else if (got > 0 && got != SIGCHLD) {
      hold->caught = hold->caught != 0 ? hold->caught : got;
      if (info.si_code != SI_KERNEL) {
        kill(process, got);
      }
    }
  }
}

static void start_counting(rf_program_counting *counting, rf_counters *counters, pid_t process) {
  const char *why = counting->flops ? rf_counters_attach(counters, process) : NULL;
  char buffer[160];
  if (why != NULL) {
    counting->flops = false;
    snprintf(counting->flops_reason, sizeof counting->flops_reason, "%s", why);
  }
  why = counting->memory ? rf_uncore_start(&counting->uncore, buffer, sizeof buffer) : NULL;
  if (why != NULL) {
    counting->memory = false;
    snprintf(counting->memory_reason, sizeof counting->memory_reason, "%s", why);
  }
}

static void stop_counting(rf_program_counting *counting, rf_counters *counters, rf_program_usage *usage) {
  long long flops[RF_COUNTER_MAX];
  bool got = counting->flops && rf_counters_read(counters, flops);
  for (int i = 0; i < RF_COUNTER_MAX; i++) {
    usage->flops[i] = got && i < rf_counters_count() ? (double)flops[i] : NAN;
  }
  usage->memory_bytes = counting->memory ? rf_uncore_stop(&counting->uncore) : NAN;
  if (counting->flops) {
    rf_counters_stop(counters);
  }
}

/** How it ended, if not well. */
static roof_status judge(const char *name, int code, int status, int caught, roof_error *error) {
  if (code != 0) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: cannot be executed: %s", name, strerror(code));
  }
  if (caught != 0) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: stopped: %s", name, strsignal(caught));
  }
  if (WIFSIGNALED(status)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: ended by signal %d (%s): nothing is reported", name,
                          WTERMSIG(status), strsignal(WTERMSIG(status)));
  }
  return WEXITSTATUS(status) == 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: failed with exit code %d: nothing is reported",
                              name, WEXITSTATUS(status));
}

static double seconds_of(struct timeval t) {
  return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

roof_status rf_program_run(const char *const *argv, const char *regions, rf_program_counting *counting,
                           rf_program_hold *hold, rf_program_usage *usage, roof_error *error) {
  child c = {0};
  rf_counters counters = {0};
  rf_program_usage u;
  struct rusage used = {0};
  int ended = 0, code = 0;
  roof_status status = fork_program(argv, regions, &hold->before, &c, error);
  if (status != ROOF_OK) {
    return status;
  }
  start_counting(counting, &counters, c.process);
  double start = now();
  (void)!write(c.go, "", 1);
  close(c.go);
  if (read(c.failed, &code, sizeof code) != (ssize_t)sizeof code) {
    code = 0;
  }
  close(c.failed);
  wait_for(c.process, hold, &ended, &used);
  u.seconds = now() - start;
  stop_counting(counting, &counters, &u);
  u.user_seconds = seconds_of(used.ru_utime);
  u.system_seconds = seconds_of(used.ru_stime);
  u.peak_bytes = 1024 * (double)used.ru_maxrss;
  u.voluntary_switches = (double)used.ru_nvcsw;
  u.involuntary_switches = (double)used.ru_nivcsw;
  status = judge(argv[0], code, ended, hold->caught, error);
  if (status == ROOF_OK) {
    *usage = u;
  }
  return status;
}
