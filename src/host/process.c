#include "host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/clock.h"

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

/** Of this thread, as the mask of signals is. */
static _Thread_local rf_process_hold *innermost;

void rf_process_begin(rf_process_hold *hold) {
  sigset_t held;
  *hold = innermost != NULL ? *innermost : (rf_process_hold){.caught = 0};
  hold->around = innermost;
  innermost = hold;
  if (hold->around != NULL) {
    return;
  }
  held_signals(&held);
  hold->child = signal(SIGCHLD, SIG_DFL); /* ignored, the usage of a program that ended would be lost */
  sigprocmask(SIG_BLOCK, &held, &hold->before);
}

void rf_process_end(rf_process_hold *hold) {
  innermost = hold->around;
  if (innermost != NULL) {
    innermost->caught = hold->caught;
    return;
  }
  signal(SIGCHLD, hold->child);
  sigprocmask(SIG_SETMASK, &hold->before, NULL);
  if (hold->caught != 0) {
    raise(hold->caught);
  }
}

static bool set_environment(const char *const *environment) {
  bool set = true;
  for (; environment != NULL && *environment != NULL; environment++) {
    set = set && putenv((char *)(uintptr_t)*environment) == 0;
  }
  return set;
}

static void silence(void) {
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
  }
}

static _Noreturn void execute(const rf_process *p, const sigset_t *mask, int go, int failed) {
  char byte;
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* the program ends when this process does */
  sigprocmask(SIG_SETMASK, mask, NULL);
  if (p->quiet) {
    silence();
  }
  if (read(go, &byte, 1) == 1 && set_environment(p->environment)) {
    execvp(p->words[0], (char *const *)(uintptr_t)p->words);
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
static roof_status fork_program(const rf_process *p, const sigset_t *mask, child *c, roof_error *error) {
  const char *name = p->words[0];
  int ends[4];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: pipe: %s", name, strerror(errno));
  }
  if (pipe2(ends + 2, O_CLOEXEC) != 0) {
    int code = errno;
    close_all(ends, 2);
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: pipe: %s", name, strerror(code));
  }
  pid_t process = fork();
  if (process == 0) {
    close_all((const int[]){ends[1], ends[2]}, 2);
    execute(p, mask, ends[0], ends[3]);
  }
  int code = errno;
  close_all((const int[]){ends[0], ends[3]}, 2);
  if (process < 0) {
    close_all((const int[]){ends[1], ends[2]}, 2);
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: fork: %s", name, strerror(code));
  }
  *c = (child){.process = process, .go = ends[1], .failed = ends[2]};
  return ROOF_OK;
}

/** Waits for its end. Signals are forwarded unless the terminal sent them to the program already; SIGKILL
 * follows one that is ignored. */
static void wait_for(pid_t process, rf_process_hold *hold, int *status, struct rusage *usage) {
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

/** Lets the program execute and waits for its end; its code when it could not be executed, else 0. */
static int finish(const child *c, rf_process_hold *hold, int *ended, struct rusage *used) {
  int code = 0;
  (void)!write(c->go, "", 1);
  close(c->go);
  if (read(c->failed, &code, sizeof code) != (ssize_t)sizeof code) {
    code = 0;
  }
  close(c->failed);
  wait_for(c->process, hold, ended, used);
  return code;
}

roof_status rf_process_run(const rf_process *process, rf_process_hold *hold, rf_process_usage *usage,
                           roof_error *error) {
  child c = {0};
  struct rusage used = {0};
  int ended = 0;
  roof_status status = fork_program(process, &hold->before, &c, error);
  if (status != ROOF_OK) {
    return status;
  }
  if (process->start != NULL) {
    process->start(process->user, c.process);
  }
  double start = rf_clock_seconds();
  int code = finish(&c, hold, &ended, &used);
  double seconds = rf_clock_seconds() - start;
  if (process->stop != NULL) {
    process->stop(process->user);
  }
  status = judge(process->words[0], code, ended, hold->caught, error);
  if (status == ROOF_OK) {
    *usage = (rf_process_usage){.seconds = seconds,
                                .user_seconds = seconds_of(used.ru_utime),
                                .system_seconds = seconds_of(used.ru_stime),
                                .peak_bytes = 1024 * (double)used.ru_maxrss,
                                .voluntary_switches = (double)used.ru_nvcsw,
                                .involuntary_switches = (double)used.ru_nivcsw};
  }
  return status;
}

const char *rf_process_name(char *path, size_t size) {
  int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  ssize_t length = file >= 0 ? read(file, path, size - 1) : 0;
  path[length > 0 ? length : 0] = '\0';
  if (file >= 0) {
    close(file);
  }
  return path;
}

const char *rf_process_folder(char *path, size_t size) {
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  path[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(path, '/');
  if (slash != NULL) {
    *slash = '\0';
  } else {
    snprintf(path, size, ".");
  }
  return path;
}
