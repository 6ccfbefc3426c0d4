#include "cluster/gather.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cluster/launcher.h"
#include "host/clock.h"
#include "host/file.h"
#include "host/folder.h"
#include "host/write.h"
#include "roofline/units.h"

/* Files of a rank: who it is, from its start on; its text; why it has none. */
static const char here[] = "here", given[] = "json", failed[] = "failed";

enum { PATH_ROOM = PATH_MAX + 64 };

static const char *path_of(const rf_gather *g, int rank, const char *what, char path[PATH_ROOM]) {
  snprintf(path, PATH_ROOM, "%s/%d.%s", g->folder, rank, what);
  return path;
}

static bool is_there(const rf_gather *g, int rank, const char *what) {
  char path[PATH_ROOM];
  return access(path_of(g, rank, what, path), F_OK) == 0;
}

int rf_gather_ranks(void) {
  int tasks = 0;
  return rf_job_under_launcher(&tasks) != NULL && tasks > 1 ? tasks : 1;
}

roof_status rf_gather_once(roof_status status, roof_error *error) {
  const rf_launcher *launcher = rf_job_under_launcher(NULL);
  if (launcher != NULL && rf_launcher_rank(launcher) != 0 && error != NULL) {
    sleep(1);
    error->message[0] = '\0';
  }
  return status;
}

/** A line for the first rank. */
static roof_status put_line(const rf_gather *g, const char *what, const char *line, roof_error *error) {
  char path[PATH_ROOM];
  return rf_write_file(path_of(g, g->rank, what, path), line, strlen(line), error);
}

roof_status rf_gather_begin(rf_gather *g, const char *base, roof_error *error) {
  char job[32], path[PATH_MAX];
  const rf_launcher *launcher = rf_job_under_launcher(&g->size);
  g->rank = launcher != NULL ? rf_launcher_rank(launcher) : 0;
  rf_launcher_node(g->node);
  if (launcher == NULL || !rf_launcher_job(job, sizeof job)) {
    return roof_error_set(
        error, ROOF_E_UNSUPPORTED,
        "job: the launcher does not say which job its ranks are of, so that they cannot meet");
  }
  if (realpath(base, path) == NULL) {
    return roof_error_set(error, ROOF_E_OUTPUT, "%s: %s", base, strerror(errno));
  }
  if ((size_t)snprintf(g->folder, sizeof g->folder, "%.4000s/.roofline-%s", path, job) >= sizeof g->folder ||
      (mkdir(g->folder, 0700) != 0 && errno != EEXIST)) {
    return roof_error_set(error, ROOF_E_OUTPUT, "%s: %s: the ranks meet there; --gather names another folder",
                          g->folder, strerror(errno));
  }
  return put_line(g, here, g->node, error);
}

/* Waiting */

/** A wait that a signal ends: it comes to whoever waits, not to the process. */
typedef struct wait_state {
  sigset_t signals, before;
  double end;
  int caught;
} wait_state;

static void wait_begin(wait_state *w, double patience) {
  *w = (wait_state){.end = rf_clock_seconds() + patience};
  sigemptyset(&w->signals);
  sigaddset(&w->signals, SIGINT);
  sigaddset(&w->signals, SIGTERM);
  sigaddset(&w->signals, SIGHUP);
  sigprocmask(SIG_BLOCK, &w->signals, &w->before);
}

static void wait_end(const wait_state *w) {
  sigprocmask(SIG_SETMASK, &w->before, NULL);
}

/** False when it is time to give up. */
static bool wait_more(wait_state *w) {
  const struct timespec beat = {.tv_nsec = 20000000};
  int signal = sigtimedwait(&w->signals, NULL, &beat);
  w->caught = signal > 0 ? signal : w->caught;
  return w->caught == 0 && rf_clock_seconds() < w->end;
}

/** Removes what this rank has there. */
static void withdraw(const rf_gather *g) {
  char beginning[32];
  snprintf(beginning, sizeof beginning, "%d.", g->rank);
  rf_folder_remove(g->folder, beginning);
}

roof_status rf_gather_attach(const rf_gather *g, const char *name, const roof_text *text, roof_error *error) {
  char path[PATH_ROOM];
  return rf_write_file(path_of(g, g->rank, name, path), text->data, text->length, error);
}

roof_status rf_gather_attached(const rf_gather *g, int rank, const char *name, roof_text *text,
                               roof_error *error) {
  char path[PATH_ROOM];
  return rf_file_read(path_of(g, rank, name, path), text, error);
}

roof_status rf_gather_give(const rf_gather *g, const roof_text *text, double patience, roof_error *error) {
  char path[PATH_ROOM];
  wait_state w;
  if (access(g->folder, F_OK) != 0) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "rank %d (%s): rank 0 no longer waits for it", g->rank,
                          g->node);
  }
  roof_status status = rf_write_file(path_of(g, g->rank, given, path), text->data, text->length, error);
  if (status != ROOF_OK || g->rank == 0) {
    return status;
  }
  wait_begin(&w, patience);
  bool seen = is_there(g, 0, here);
  while (!seen && access(g->folder, F_OK) == 0 && wait_more(&w)) {
    seen = is_there(g, 0, here);
  }
  wait_end(&w);
  if (!seen && access(g->folder, F_OK) == 0) { /* else rank 0 has taken all and removed it */
    withdraw(g);
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "rank %d (%s): rank 0 does not use %s: nodes do not share it, or rank 0 was not "
                          "started by `roofline run`; --gather names a folder that all share",
                          g->rank, g->node, g->folder);
  }
  return ROOF_OK;
}

/* The first rank */

static roof_status take_one(const rf_gather *g, int rank, const rf_gather_taker *taker, roof_error *error) {
  char path[PATH_ROOM];
  roof_text text = {0};
  roof_status status = rf_file_read(path_of(g, rank, given, path), &text, error);
  status = status == ROOF_OK
               ? taker->take(taker->user, rank, text.data != NULL ? text.data : "", text.length, error)
               : status;
  roof_text_done(&text);
  return status;
}

/** A line of a rank; "" where there is none. */
static void read_line(const rf_gather *g, int rank, const char *what, char *line, size_t size) {
  char path[PATH_ROOM];
  roof_text text = {0};
  bool fine = rf_file_read(path_of(g, rank, what, path), &text, NULL) == ROOF_OK && text.data != NULL &&
              roof_text_is_plain(text.data);
  snprintf(line, size, "%s", fine ? text.data : "");
  roof_text_done(&text);
}

static void explain(const rf_gather *g, int rank, const wait_state *w, double patience,
                    const rf_gather_taker *taker) {
  char node[RF_JOB_NODE_MAX], why[256], time[32];
  read_line(g, rank, here, node, sizeof node);
  read_line(g, rank, failed, why, sizeof why);
  if (why[0] == '\0' && w->caught != 0) {
    snprintf(why, sizeof why, "the run was ended (%s) before it answered", strsignal(w->caught));
  } else if (why[0] == '\0') {
    snprintf(why, sizeof why,
             node[0] != '\0' ? "no answer within %s after rank 0"
                             : "not seen within %s after rank 0: its node does not share the folder "
                               "(--gather names one that all share), or it was not started by `roofline run`",
             roof_quantity_format(time, sizeof time, patience, "s"));
  }
  taker->miss(taker->user, rank, node, why);
}

void rf_gather_fail(const rf_gather *g, const char *why) {
  if (g->rank == 0) {
    rf_folder_remove(g->folder, "");
  } else {
    put_line(g, failed, why, NULL);
  }
}

roof_status rf_gather_take(const rf_gather *g, double patience, const rf_gather_taker *taker,
                           roof_error *error) {
  bool *done = calloc((size_t)g->size, sizeof *done);
  roof_status status = done != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "job: out of memory");
  int missing = g->size;
  wait_state w;
  wait_begin(&w, patience);
  do {
    for (int i = 0; i < g->size && status == ROOF_OK; i++) {
      bool answered = !done[i] && is_there(g, i, given);
      if (answered || (!done[i] && is_there(g, i, failed))) {
        status = answered ? take_one(g, i, taker, error) : ROOF_OK;
        done[i] = true;
        missing--;
        if (!answered) {
          explain(g, i, &w, patience, taker);
        }
      }
    }
  } while (status == ROOF_OK && missing > 0 && wait_more(&w));
  for (int i = 0; i < g->size && status == ROOF_OK; i++) {
    if (!done[i]) {
      explain(g, i, &w, patience, taker);
    }
  }
  wait_end(&w);
  rf_folder_remove(g->folder, "");
  free(done);
  return status;
}
