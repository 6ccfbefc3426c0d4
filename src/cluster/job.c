#include "cluster/job.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cluster/launcher.h"
#include "host/clock.h"
#include "roofline/text.h"
#include "roofline/version.h"

/* --- the start, which is waited for so long and no longer --- */

/** What ends the process where the MPI does not start: an MPI itself waits for ever. */
typedef struct guard {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t started;
  bool is_started;
  double patience;
  int rank, tasks;
} guard;

enum { FIRST_LINE = 1, SECOND_LINE = 5 }; /* s that rank 0 has to say it for all */
enum { LAST = 5 };                        /* s that an MPI has to end in */

static void give_up(const guard *g) {
  char line[256];
  int length = snprintf(line, sizeof line,
                        "roofline: cluster: rank %d: not all of the %d ranks started within %.0f s: one is "
                        "late, hangs or has ended\n",
                        g->rank, g->tasks, g->patience);
  if (length > 0) {
    (void)!write(STDERR_FILENO, line, (size_t)length);
  }
  _exit(roof_status_exit_code(ROOF_E_UNSUPPORTED));
}

static void *watch(void *user) {
  guard *g = user;
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += (time_t)g->patience + (g->rank != 0 ? SECOND_LINE : 0);
  pthread_mutex_lock(&g->lock);
  int code = 0;
  while (!g->is_started && code == 0) {
    code = pthread_cond_timedwait(&g->started, &g->lock, &end);
  }
  if (!g->is_started) {
    give_up(g);
  }
  pthread_mutex_unlock(&g->lock);
  return NULL;
}

static bool guard_begin(guard *g) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&g->started, &monotonic);
  pthread_condattr_destroy(&monotonic);
  pthread_mutex_init(&g->lock, NULL);
  return pthread_create(&g->thread, NULL, watch, g) == 0;
}

static void guard_end(guard *g) {
  pthread_mutex_lock(&g->lock);
  g->is_started = true;
  pthread_cond_signal(&g->started);
  pthread_mutex_unlock(&g->lock);
  pthread_join(g->thread, NULL);
  pthread_cond_destroy(&g->started);
  pthread_mutex_destroy(&g->lock);
}

/* --- who is there --- */

static void introduce(rf_hello *hello) {
  *hello = (rf_hello){.order = 1, .process = (int)getpid()};
  snprintf(hello->version, sizeof hello->version, "%s", roof_version());
  rf_launcher_node(hello->node);
  snprintf(hello->boot, sizeof hello->boot, "%s", rf_clock_boot());
}

roof_status rf_job_check(const rf_hello *all, int count, roof_error *error) {
  for (int i = 0; i < count; i++) {
    if (all[i].order != 1) {
      return roof_error_set(
          error, ROOF_E_INPUT,
          "cluster: %.64s: its bytes are in another order than those of %.64s: nodes of one kind only",
          all[i].node, all[0].node);
    }
    if (strncmp(all[i].version, all[0].version, sizeof all[i].version) != 0) {
      return roof_error_set(error, ROOF_E_INPUT,
                            "cluster: %.64s: has roofline %.27s, and %.64s %.27s: one version on all nodes",
                            all[i].node, all[i].version, all[0].node, all[0].version);
    }
  }
  return ROOF_OK;
}

/* --- nodes, by a table of their names: ten thousand are found in milliseconds --- */

static size_t hash(const rf_hello *hello) {
  size_t h = 5381;
  for (const char *at = hello->node; *at != '\0'; at++) {
    h = 33 * h + (unsigned char)*at;
  }
  return h;
}

static bool is_same_node(const rf_hello *a, const rf_hello *b) {
  return strcmp(a->node, b->node) == 0 && strcmp(a->boot, b->boot) == 0;
}

/** Whether that process can be seen from this one: a container may have numbers of its own. */
static bool is_here(const rf_hello *rank, const rf_hello *own) {
  return own->boot[0] != '\0' && strcmp(rank->boot, own->boot) == 0 && kill(rank->process, 0) == 0;
}

/** Numbers the nodes in the order of their first ranks. False when out of memory. */
static bool number_nodes(rf_job *job, const rf_hello *all) {
  size_t ranks = job->size > 0 ? (size_t)job->size : 1, slots = 2 * ranks + 1;
  int *first = calloc(slots, sizeof *first); /* the first rank of a node and 1 */
  job->nodes = calloc(ranks, sizeof *job->nodes);
  job->node_of = calloc(ranks, sizeof *job->node_of);
  job->process = calloc(ranks, sizeof *job->process);
  bool fits = first != NULL && job->nodes != NULL && job->node_of != NULL && job->process != NULL;
  for (int i = 0; i < job->size && fits; i++) {
    size_t slot = hash(&all[i]) % slots;
    while (first[slot] != 0 && !is_same_node(&all[first[slot] - 1], &all[i])) {
      slot = (slot + 1) % slots;
    }
    if (first[slot] == 0) {
      first[slot] = i + 1;
      job->node_of[i] = job->node_count++;
      memcpy(job->nodes[job->node_of[i]].name, all[i].node, RF_JOB_NODE_MAX);
    } else {
      job->node_of[i] = job->node_of[first[slot] - 1];
    }
    job->nodes[job->node_of[i]].ranks++;
    job->process[i] = is_here(&all[i], &all[job->rank]) ? all[i].process : 0;
  }
  free(first);
  return fits;
}

static roof_status refused(const rf_job *job, roof_error *error) {
  return roof_error_set(error, ROOF_E_UNSUPPORTED, "cluster: %s: %s", job->launcher->name,
                        job->mpi->reason());
}

/** Tells all ranks who this is and learns who they are. */
static roof_status meet(rf_job *job, rf_hello *all, roof_error *error) {
  rf_hello own;
  introduce(&own);
  if (!job->mpi->all_gather(RF_MPI_WORLD, &own, all, sizeof own)) {
    return refused(job, error);
  }
  for (int i = 0; i < job->size; i++) { /* of another program's memory */
    all[i].version[sizeof all[i].version - 1] = all[i].node[sizeof all[i].node - 1] = '\0';
    all[i].boot[sizeof all[i].boot - 1] = '\0';
  }
  roof_status status = rf_job_check(all, job->size, error);
  if (status == ROOF_OK && !number_nodes(job, all)) {
    return roof_error_set(error, ROOF_E_MEMORY, "cluster: out of memory");
  }
  if (status == ROOF_OK) {
    job->node = job->node_of[job->rank];
    job->node_group = job->mpi->split(RF_MPI_WORLD, job->node);
    status = job->node_group >= 0 ? ROOF_OK : refused(job, error);
  }
  return status;
}

static roof_status enter(rf_job *job, double patience, roof_error *error) {
  guard g = {.patience = patience, .rank = rf_launcher_rank(job->launcher)};
  rf_job_under_launcher(&g.tasks);
  if (!guard_begin(&g)) {
    return roof_error_set(error, ROOF_E_MEMORY, "cluster: no thread can be started");
  }
  bool started = job->mpi->start();
  job->rank = started ? job->mpi->rank(RF_MPI_WORLD) : 0;
  job->size = started ? job->mpi->size(RF_MPI_WORLD) : 0;
  rf_hello *all = calloc((size_t)job->size + 1, sizeof *all);
  roof_status status = started ? ROOF_OK : refused(job, error);
  if (status == ROOF_OK && g.tasks > 1 && job->size == 1) {
    status = roof_error_set(error, ROOF_E_UNSUPPORTED,
                            "cluster: %s started %d ranks, and %s knows of one: it is another MPI's launcher",
                            job->launcher->name, g.tasks, job->mpi->library());
  }
  if (status == ROOF_OK) {
    status =
        all != NULL ? meet(job, all, error) : roof_error_set(error, ROOF_E_MEMORY, "cluster: out of memory");
  }
  guard_end(&g);
  free(all);
  if (status != ROOF_OK && started) {
    rf_job_end(job, false);
  }
  return status;
}

/** What another rank says: this one ends well, for a launcher ends all ranks with the first that does not, and that
 *  must be the one whose line is out. */
static roof_status silent(rf_job *job) {
  *job = (rf_job){0};
  return ROOF_OK;
}

roof_status rf_job_begin(rf_job *job, double patience, roof_error *error) {
  const rf_launcher *launcher = rf_job_under_launcher(NULL);
  rf_job started = {.launcher = launcher};
  if (launcher == NULL) {
    return rf_launcher_none(error);
  }
  roof_status status = rf_launcher_load(launcher, &started.mpi, error);
  if (status != ROOF_OK) { /* of this node, and perhaps of no other: its first rank says so */
    sleep(rf_launcher_rank(launcher) != 0 ? FIRST_LINE : 0);
    return rf_launcher_is_first(launcher) ? status : silent(job);
  }
  status = enter(&started, patience, error);
  if (status != ROOF_OK) {
    return rf_launcher_rank(launcher) == 0 ? status : silent(job);
  }
  started.node_rank = started.mpi->rank(started.node_group);
  started.node_size = started.mpi->size(started.node_group);
  *job = started;
  return ROOF_OK;
}

/** Ends the process where the MPI does not: MPICH over UCX and TCP may wait for ever for a connection to close. */
static void *end_late(void *user) {
  (void)user;
  sleep(LAST);
  fflush(NULL);
  _exit(0);
}

void rf_job_end(rf_job *job, bool finished) {
  pthread_t late;
  bool watched = finished && pthread_create(&late, NULL, end_late, NULL) == 0;
  job->mpi->finish();
  if (watched) {
    pthread_cancel(late);
    pthread_join(late, NULL);
  }
  free(job->nodes);
  free(job->node_of);
  free(job->process);
  *job = (rf_job){0};
}

bool rf_job_is_gone(const rf_job *job, int rank) {
  return job->process[rank] > 0 && kill(job->process[rank], 0) != 0 && errno == ESRCH;
}

void rf_job_abort(const rf_job *job, roof_status status) {
  fflush(NULL);
  job->mpi->abort(roof_status_exit_code(status));
  _exit(roof_status_exit_code(status));
}

const char *rf_job_rank_name(const rf_job *job, int rank, char *text, size_t size) {
  snprintf(text, size, "rank %d (%s)", rank, job->nodes[job->node_of[rank]].name);
  return text;
}
