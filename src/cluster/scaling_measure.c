/* A scaling study as a job runs it. */
#include "cluster/scaling_measure.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/fabric_exchange.h"
#include "cluster/scaling_ledger.h"
#include "cluster/scaling_run.h"
#include "host/clock.h"
#include "host/probe.h"

enum { LEAST = 5, MOST = RF_SCALING_STEPS };

/** What a rank says of where it is. */
typedef struct where {
  rf_rank_place place;
  cpu_set_t cores; /* the first hardware thread of each that it may use */
} where;

/** One study, on every rank. */
typedef struct session {
  const rf_job *job;
  const rf_scaling_task *task;
  rf_scaling_study *study; /* the predictions and measurements in it are of rank 0 */
  const roof_fabric *fabric;
  where *all; /* of rank 0 */
} session;

/* --- all ranks go on, or none --- */

static roof_status refused(const rf_mpi *mpi, roof_error *error) {
  return roof_error_set(error, ROOF_E_UNSUPPORTED, "scaling: the MPI refused: %s", mpi->reason());
}

/** By all ranks of a group: the first failure is that of all. */
static roof_status agree(const rf_mpi *mpi, int group, roof_status status, roof_error *error) {
  int size = mpi->size(group);
  roof_error own = {0}, *all = calloc((size_t)size, sizeof *all);
  own.code = status;
  if (status != ROOF_OK) {
    snprintf(own.message, sizeof own.message, "%s", error->message);
  }
  roof_status agreed = all == NULL ? roof_error_set(error, ROOF_E_MEMORY, "scaling: out of memory")
                       : mpi->all_gather(group, &own, all, sizeof own) ? ROOF_OK
                                                                       : refused(mpi, error);
  for (int i = 0; i < size && agreed == ROOF_OK; i++) {
    if (all[i].code != ROOF_OK) {
      agreed = roof_error_set(error, all[i].code, "%.511s", all[i].message);
    }
  }
  free(all);
  return agreed;
}

static void say(const session *s, const char *what, double seconds) {
  if (s->job->rank == 0 && s->task->listener != NULL) {
    s->task->listener(s->task->user, what, seconds);
  }
}

/* --- where the ranks are --- */

/** Hardware threads of one core count once. */
static cpu_set_t own_cores(void) {
  cpu_set_t bound, cores;
  char path[96], line[64];
  CPU_ZERO(&bound);
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof bound, &bound);
  for (int i = 0; i < CPU_SETSIZE; i++) {
    if (CPU_ISSET((size_t)i, &bound)) {
      snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", i);
      int first = rf_probe_line("", path, line, sizeof line) ? atoi(line) : i;
      CPU_SET((size_t)first, &cores);
    }
  }
  return cores;
}

static roof_status gather_places(session *s, roof_error *error) {
  const rf_job *job = s->job;
  where own = {rf_rank_place_here(job->nodes[job->node].name), own_cores()};
  s->all = job->rank == 0 ? calloc((size_t)job->size, sizeof *s->all) : NULL;
  if (job->rank == 0 && s->all == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "scaling: out of memory");
  }
  return job->mpi->gather(RF_MPI_WORLD, 0, &own, s->all, sizeof own) ? ROOF_OK : refused(job->mpi, error);
}

static int fullest_node(const session *s, int ranks, int *nodes, int *most) {
  int *count = calloc((size_t)s->job->node_count, sizeof *count), fullest = 0;
  *nodes = *most = 0;
  for (int i = 0; i < ranks && count != NULL; i++) {
    int node = s->job->node_of[i];
    *nodes += count[node]++ == 0;
    if (count[node] > *most) {
      *most = count[node], fullest = node;
    }
  }
  free(count);
  return fullest;
}

/** The fit of a distance; of one that was not measured that of the farthest. */
static const roof_alpha_beta *fit_of(const roof_fabric *fabric, roof_distance distance) {
  const roof_distance_fit *found = roof_fabric_farthest(fabric);
  for (int i = 0; i < fabric->distance_count; i++) {
    found = fabric->distances[i].distance == distance ? &fabric->distances[i] : found;
  }
  return found != NULL ? &found->fit : NULL;
}

/** Distances are of a tree: the farthest two ranks are as far apart as the first one and the farthest from it. */
static rf_scaling_place place_of(const session *s, int ranks) {
  rf_scaling_place at = {.distance = ROOF_DISTANCE_CORE};
  int node = fullest_node(s, ranks, &at.nodes, &at.most);
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (int i = 0; i < ranks; i++) {
    roof_distance far = rf_distance_of(&s->all[0].place, &s->all[i].place);
    at.distance = i > 0 && far > at.distance ? far : at.distance;
    if (s->job->node_of[i] == node) {
      CPU_OR(&cores, &cores, &s->all[i].cores);
    }
  }
  int measured = (int)s->task->machine->unit_count; /* a quota of processor time may leave fewer */
  at.cores = CPU_COUNT(&cores);
  at.cores = measured > 0 && measured < at.cores ? measured : at.cores;
  at.fit = ranks > 1 ? fit_of(s->fabric, at.distance) : NULL;
  return at;
}

/* --- predictions --- */

/** The shares on every rank, for all must find the same wrong. */
static roof_status share(session *s, roof_error *error) {
  int ranks[RF_SCALING_POINTS];
  const rf_scaling_task *t = s->task;
  roof_status status = ROOF_OK;
  s->study->count = rf_scaling_counts(s->job->size, ranks);
  for (int i = 0; i < s->study->count && status == ROOF_OK; i++) {
    status = rf_scaling_share(t->kernel, t->values, ranks[i], t->weak, &s->study->points[i].part, error);
  }
  return status;
}

static roof_status predict(session *s, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < s->study->count && status == ROOF_OK; i++) {
    rf_scaling_point *point = &s->study->points[i];
    point->place = place_of(s, point->part.ranks);
    status = point->part.ranks > 1 && (point->place.fit == NULL || point->place.fit->count == 0)
                 ? roof_error_set(error, ROOF_E_UNSUPPORTED,
                                  "scaling: the network could not be fitted, so that nothing is predicted")
                 : rf_scaling_predict(s->task->kernel, s->task->machine, point, error);
  }
  return status == ROOF_OK ? rf_scaling_seal(s->task, s->study, error) : status;
}

/* --- one number of ranks --- */

/** Times of steps: of the slowest rank, and in MPI on average. */
typedef struct times {
  double seconds[MOST], network[MOST];
  int count;
} times;

/** Steps that fit the time, as the first of the group finds after two. */
static bool choose_count(rf_scaling_run *run, double budget, times *t) {
  double begin = rf_clock_seconds();
  bool done = run->kernel->way->step(run);
  double fits = budget / (rf_clock_seconds() - begin);
  t->count = fits < LEAST ? LEAST : fits > MOST ? MOST : (int)fits;
  return done && run->mpi->broadcast(run->group, 0, &t->count, sizeof t->count);
}

static bool take_steps(rf_scaling_run *run, times *t) {
  bool done = true;
  for (int i = 0; i < t->count && done; i++) {
    run->network_seconds = 0;
    done = run->mpi->barrier(run->group);
    double begin = rf_clock_seconds();
    done = done && run->kernel->way->step(run);
    t->seconds[i] = rf_clock_seconds() - begin;
    t->network[i] = run->network_seconds;
  }
  return done;
}

/** Of all ranks at the first. */
static bool join(const rf_scaling_run *run, times *t) {
  int size = run->part.ranks;
  times *all = run->rank == 0 ? calloc((size_t)size, sizeof *all) : NULL;
  bool done = (run->rank != 0 || all != NULL) && run->mpi->gather(run->group, 0, t, all, sizeof *t);
  for (int i = 0; i < t->count && run->rank == 0 && done; i++) {
    double network = 0;
    for (int r = 0; r < size; r++) {
      t->seconds[i] = fmax(t->seconds[i], all[r].seconds[i]);
      network += all[r].network[i] / size;
    }
    t->network[i] = network;
  }
  free(all);
  return done;
}

/** By the ranks of the group: verified, then timed. */
static roof_status run_point(rf_scaling_run *run, double budget, times *t, roof_error *error) {
  const rf_mpi *mpi = run->mpi;
  roof_status status = agree(mpi, run->group, rf_scaling_prepare(run, error), error);
  bool stepped = status == ROOF_OK && run->kernel->way->step(run);
  if (status == ROOF_OK) {
    status = stepped ? run->kernel->way->verify(run, error) : refused(mpi, error);
    status = agree(mpi, run->group, status, error);
  }
  if (status == ROOF_OK && !(choose_count(run, budget, t) && take_steps(run, t) && join(run, t))) {
    status = refused(mpi, error);
  }
  rf_scaling_release(run);
  return status;
}

static roof_status keep(session *s, rf_scaling_point *point, times *t, roof_error *error) {
  double share = point->part.ranks > 1 ? rf_scaling_network_share(t->seconds, t->network, t->count) : 0;
  roof_status status = rf_scaling_record(s->task, s->study, point, t->seconds, (size_t)t->count, error);
  point->measured.network_seconds = share * point->measured.seconds;
  return status;
}

/** By all ranks: the first ones run, the others sleep until they have. */
static roof_status measure(session *s, rf_scaling_point *point, roof_error *error) {
  const rf_mpi *mpi = s->job->mpi;
  char what[96];
  times t = {.count = 0};
  bool takes_part = s->job->rank < point->part.ranks;
  int group = mpi->split(RF_MPI_WORLD, takes_part);
  snprintf(what, sizeof what, "%s on %d rank%s", s->task->kernel->name, point->part.ranks,
           point->part.ranks == 1 ? "" : "s");
  say(s, what, s->task->seconds + MOST * (s->job->rank == 0 ? point->predicted.seconds : 0));
  roof_status status = group >= 0 ? ROOF_OK : refused(mpi, error);
  if (status == ROOF_OK && takes_part) {
    rf_scaling_run run = {
        .kernel = s->task->kernel, .mpi = mpi, .group = group, .rank = mpi->rank(group), .part = point->part};
    status = run_point(&run, s->task->seconds, &t, error);
    status = status == ROOF_OK && s->job->rank == 0 ? keep(s, point, &t, error) : status;
  }
  if (!rf_gate(mpi, RF_MPI_WORLD)) {
    status = status == ROOF_OK ? refused(mpi, error) : status;
  }
  return agree(mpi, RF_MPI_WORLD, status, error);
}

/* --- the study --- */

static void hear_network(void *user, const char *what) {
  const session *s = user;
  say(s, what, s->task->seconds);
}

static roof_status measure_network(session *s, roof_fabric *fabric, roof_error *error) {
  const rf_fabric_plan plan = {
      .seconds = s->task->seconds, .factor = s->task->factor, .listener = hear_network, .user = s};
  const rf_job *job = s->job;
  rf_rank_place here = rf_rank_place_here(job->nodes[job->node].name);
  return job->size < 2 ? ROOF_OK : rf_fabric_measure(job->mpi, RF_MPI_WORLD, &here, &plan, fabric, error);
}

/** What the study says of its links. */
static void keep_links(const roof_fabric *fabric, rf_scaling_study *study) {
  snprintf(study->library, sizeof study->library, "%s", fabric->library);
  for (int i = 0; i < fabric->distance_count; i++) {
    const roof_distance_fit *d = &fabric->distances[i];
    int count = d->fit.count;
    double beta = count > 0 ? d->fit.of[count - 1].beta.value : 0;
    study->links[study->link_count++] = (rf_scaling_link){
        d->distance, count > 0 ? d->fit.of[0].alpha.value : (double)NAN, beta > 0 ? 1 / beta : (double)NAN};
  }
}

roof_status rf_scaling_of_job(const rf_job *job, const rf_scaling_task *task, rf_scaling_study *study,
                              roof_fabric *fabric, roof_error *error) {
  session s = {.job = job, .task = task, .study = study, .fabric = fabric};
  *study = (rf_scaling_study){.kernel = task->kernel, .weak = task->weak};
  *fabric = (roof_fabric){0};
  memcpy(study->values, task->values, sizeof study->values);
  if (job->rank == 0) {
    snprintf(study->machine, sizeof study->machine, "%s", task->machine->name);
    snprintf(study->machine_title, sizeof study->machine_title, "%.95s", roof_machine_title(task->machine));
    snprintf(study->machine_date, sizeof study->machine_date, "%s",
             task->machine->kind == ROOF_MEASURED ? task->machine->date : "");
  }
  snprintf(study->launcher, sizeof study->launcher, "%s", job->launcher->name);
  roof_status status = share(&s, error);
  status = status == ROOF_OK ? measure_network(&s, fabric, error) : status;
  keep_links(fabric, study);
  status = status == ROOF_OK ? gather_places(&s, error) : status;
  status = status == ROOF_OK && job->rank == 0 ? predict(&s, error) : status;
  status = agree(job->mpi, RF_MPI_WORLD, status, error);
  for (int i = 0; i < study->count && status == ROOF_OK; i++) {
    status = measure(&s, &study->points[i], error);
  }
  free(s.all);
  return status;
}
