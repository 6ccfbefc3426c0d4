#include "cli/measure/watch.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "host/clock.h"

static struct {
  pthread_mutex_t lock;
  cli_watch_keeper *keeper;
  void *user;
  _Atomic double end; /* when a rank is taken to hang */
} watched = {PTHREAD_MUTEX_INITIALIZER, NULL, NULL, INFINITY};

static void watched_signals(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGINT);
  sigaddset(set, SIGTERM);
  sigaddset(set, SIGHUP);
}

/** Nobody else goes on with what is kept: the lock stays. */
static void keep(const char *why) {
  pthread_mutex_lock(&watched.lock);
  if (watched.keeper != NULL) {
    roof_error error;
    roof_error_set(&error, ROOF_E_UNSUPPORTED, "%s", watched.keeper(watched.user, why));
    cli_report("", &error);
  }
}

void cli_watch_hang(void) {
  keep(NULL);
  _exit(roof_status_exit_code(ROOF_E_UNSUPPORTED));
}

static void *watch(void *unused) {
  const struct timespec look = {.tv_sec = 1};
  sigset_t set;
  int signal = 0;
  watched_signals(&set);
  while ((signal = sigtimedwait(&set, NULL, &look)) < 0 && rf_clock_seconds() < watched.end) {
  }
  if (signal < 0) {
    cli_watch_hang();
  }
  keep("the launcher or somebody ended the run");
  _exit(128 + signal);
  return unused;
}

roof_status cli_watch_begin(roof_error *error) {
  pthread_t thread;
  sigset_t set;
  watched_signals(&set);
  if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0 || pthread_create(&thread, NULL, watch, NULL) != 0) {
    return roof_error_set(error, ROOF_E_MEMORY, "cluster: no thread can be started");
  }
  pthread_detach(thread);
  return ROOF_OK;
}

void cli_watch_set(cli_watch_keeper *keeper, void *user) {
  pthread_mutex_lock(&watched.lock);
  watched.keeper = keeper;
  watched.user = user;
  pthread_mutex_unlock(&watched.lock);
}

void cli_watch_limit(double seconds) {
  watched.end = rf_clock_seconds() + seconds;
}
