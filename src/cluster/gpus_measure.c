/* Between GPUs: who takes part, whether the results are right, messages by distance, then collectives. */
#include "cluster/gpus_measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/collectives_ledger.h"
#include "cluster/fabric_exchange.h"
#include "cluster/gpus_pair.h"

enum { TAG_RESULT = 8, FACTOR = 8, BUS = 65, REASON = 160 };

/** What a rank says of its GPU to all others. */
typedef struct seat {
  char bus[BUS];
  char why[REASON]; /* it has a GPU and cannot use it, "": it can */
  int here;         /* there is one */
} seat;

typedef struct gathering {
  const rf_job *job;
  const rf_fabric_task *task;
  rf_gpu *gpu;
  seat *seats;
  rf_rank_place *places; /* of those that take part */
  int group, rank, size; /* of those */
  roof_fabric *out;
  char *why;
} gathering;

static roof_status refused(const gathering *c, roof_error *error) {
  return roof_error_set(error, ROOF_E_UNSUPPORTED, "GPUs: the MPI refused: %s", c->job->mpi->reason());
}

/* --- who takes part --- */

static roof_status take_seat(gathering *c, roof_error *error) {
  roof_error why = {0};
  roof_status status = rf_gpu_open(c->job->node_rank, &c->gpu, &why);
  seat own = {.here = status != ROOF_E_NAME};
  if (status == ROOF_OK) {
    snprintf(own.bus, sizeof own.bus, "%s", rf_gpu_bus(c->gpu));
  } else {
    snprintf(own.why, sizeof own.why, "%.150s", why.message);
  }
  c->seats = calloc((size_t)c->job->size, sizeof *c->seats);
  if (c->seats == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "GPUs: out of memory");
  }
  return c->job->mpi->all_gather(RF_MPI_WORLD, &own, c->seats, sizeof own) ? ROOF_OK : refused(c, error);
}

static bool can(const seat *s) {
  return s->here && s->why[0] == '\0';
}

/** Of the ranks of a node that found the same GPU the first takes it. */
static bool takes_part(const gathering *c, int rank) {
  bool first = can(&c->seats[rank]);
  for (int i = 0; i < rank && first; i++) {
    first = !(can(&c->seats[i]) && c->job->node_of[i] == c->job->node_of[rank] &&
              strcmp(c->seats[i].bus, c->seats[rank].bus) == 0);
  }
  return first;
}

static void explain(const gathering *c, int rank, const char *why) {
  char name[128];
  snprintf(c->why, RF_GPUS_WHY, "%s: %s", rf_job_rank_name(c->job, rank, name, sizeof name), why);
}

/** Whether there is something to measure; rank 0 collects, and must be there. */
static bool is_worth_it(const gathering *c) {
  int count = 0, here = 0;
  for (int i = 0; i < c->job->size; i++) {
    count += takes_part(c, i);
    here += c->seats[i].here;
    if (c->seats[i].here && !can(&c->seats[i]) && c->why[0] == '\0') {
      explain(c, i, c->seats[i].why);
    }
  }
  if (count > 0 && count < 2 && c->why[0] == '\0') {
    snprintf(c->why, RF_GPUS_WHY, "the ranks have one GPU together");
  } else if (count > 1 && !takes_part(c, 0)) {
    explain(c, 0, "has no GPU, and it is the one that collects");
  }
  return here > 0 && count > 1 && takes_part(c, 0);
}

/* --- together --- */

/** What became of a step on one rank. */
typedef struct outcome {
  int rank, well;
  char why[REASON];
} outcome;

/** Whether a step went well on all; else the first that it did not is explained. */
static bool agree(const gathering *c, roof_status status, const roof_error *error) {
  outcome own = {.rank = c->job->rank, .well = status == ROOF_OK};
  outcome *all = calloc((size_t)c->size, sizeof *all);
  snprintf(own.why, sizeof own.why, "%.150s", own.well ? "" : error->message);
  bool well = all != NULL && c->job->mpi->all_gather(c->group, &own, all, sizeof own);
  if (!well) {
    explain(c, own.rank, "the MPI refused, or out of memory");
  }
  for (int i = 0; i < c->size && well; i++) {
    well = all[i].well;
    if (!well) {
      explain(c, all[i].rank, all[i].why);
    }
  }
  free(all);
  return well;
}

/** The GPUs meet by a word of the first. */
static bool meet(gathering *c) {
  const rf_mpi *mpi = c->job->mpi;
  rf_gpu_word word = {0};
  roof_error error = {0};
  roof_status status = c->rank == 0 ? rf_gpu_word_make(c->gpu, &word, &error) : ROOF_OK;
  status = status == ROOF_OK ? rf_gpu_room(c->gpu, RF_GPUS_LARGEST + 64 * (size_t)c->size, &error) : status;
  if (!agree(c, status, &error) || !mpi->broadcast(c->group, 0, &word, sizeof word)) {
    return false;
  }
  status = rf_gpu_meet(c->gpu, &word, c->rank, c->size, &error);
  return agree(c, status, &error);
}

/** Where this rank is among them: GPUs share no core. */
static bool find_places(gathering *c) {
  rf_rank_place here = c->task->place;
  here.core = here.socket = -1;
  c->places = calloc((size_t)c->size, sizeof *c->places);
  return c->places != NULL && c->job->mpi->all_gather(c->group, &here, c->places, sizeof here);
}

static bool take_distance(gathering *c, roof_distance distance) {
  const rf_mpi *mpi = c->job->mpi;
  roof_distance_fit found = {.distance = distance};
  if (!rf_distance_pair(c->places, c->size, distance, found.ranks)) {
    return true;
  }
  for (int i = 0; i < 2; i++) {
    memcpy(found.nodes[i], c->places[found.ranks[i]].node, sizeof found.nodes[i]);
  }
  int leader = found.ranks[0], other = found.ranks[1];
  const rf_gpus_pair pair = {mpi, c->group, c->rank == leader ? other : leader, c->gpu};
  bool done = c->rank == leader  ? rf_gpus_lead(&pair, &c->task->plan, &found)
              : c->rank == other ? rf_gpus_obey(&pair)
                                 : true;
  if (leader != 0 && c->rank == leader) {
    done = done && mpi->send(c->group, 0, TAG_RESULT, &found, sizeof found);
  } else if (leader != 0 && c->rank == 0) {
    done = done && mpi->receive(c->group, leader, TAG_RESULT, &found, sizeof found);
  }
  if (done && c->rank == 0) {
    c->out->distances[c->out->distance_count++] = found;
  }
  return done && rf_gate(mpi, c->group);
}

static roof_status take_collectives(const gathering *c, roof_error *error) {
  rf_collectives_ledger ledger = {
      .path = c->task->ledger, .how = c->task->how, .fabric = c->out, .machine = "gpus", .prefix = "gpus "};
  const rf_collectives_plan plan = {.seconds = c->task->plan.seconds,
                                    .largest = RF_GPUS_LARGEST,
                                    .factor = FACTOR,
                                    .sealer = rf_collectives_seal,
                                    .keeper = rf_collectives_keep,
                                    .user = &ledger,
                                    .engine = &rf_gpu_collectives,
                                    .out = rf_gpu_out(c->gpu),
                                    .in = rf_gpu_in(c->gpu)};
  roof_status status = rf_collectives_measure(c->job->mpi, c->group, &plan, c->out, error);
  roof_status recorded = rf_collectives_record(&ledger, status == ROOF_OK ? error : NULL);
  return status == ROOF_OK ? recorded : status;
}

static bool take(gathering *c) {
  roof_error error = {0};
  roof_status status = ROOF_OK;
  if (!meet(c)) {
    return false;
  }
  status = rf_gpus_check(c->gpu, c->rank, c->size, &error);
  if (!agree(c, status, &error)) {
    return false;
  }
  status = find_places(c) ? ROOF_OK : refused(c, &error);
  for (int d = 0; d < ROOF_DISTANCE_COUNT && status == ROOF_OK; d++) {
    status = take_distance(c, (roof_distance)d)
                 ? ROOF_OK
                 : roof_error_set(&error, ROOF_E_UNSUPPORTED, "%s: %s", rf_gpu_title(c->gpu),
                                  rf_gpu_collectives.reason());
  }
  status = status == ROOF_OK ? take_collectives(c, &error) : status;
  return agree(c, status, &error);
}

/** By all ranks, of which some take no part. */
static roof_status run(gathering *c, roof_fabric *fabric, roof_error *error) {
  const rf_mpi *mpi = c->job->mpi;
  bool takes = takes_part(c, c->job->rank);
  c->group = mpi->split(RF_MPI_WORLD, takes);
  if (c->group < 0) {
    return refused(c, error);
  }
  c->rank = mpi->rank(c->group), c->size = mpi->size(c->group);
  c->out = calloc(1, sizeof *c->out);
  if (c->out == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "GPUs: out of memory");
  }
  bool found = takes && take(c);
  if (found && c->job->rank == 0) {
    snprintf(c->out->library, sizeof c->out->library, "%s", rf_gpu_title(c->gpu));
    c->out->ranks = c->size;
    c->out->bisection_bytes_per_second = (double)NAN;
    fabric->gpus = c->out;
    c->out = NULL;
  }
  return rf_gate(mpi, RF_MPI_WORLD) ? ROOF_OK : refused(c, error);
}

roof_status rf_gpus_measure(const rf_job *job, const rf_fabric_task *task, roof_fabric *fabric,
                            char why[RF_GPUS_WHY], roof_error *error) {
  gathering c = {.job = job, .task = task, .why = why};
  why[0] = '\0';
  roof_status status = take_seat(&c, error);
  if (status == ROOF_OK && is_worth_it(&c)) {
    if (c.task->plan.listener != NULL && job->rank == 0) {
      c.task->plan.listener(c.task->plan.user, "between GPUs");
    }
    status = run(&c, fabric, error);
  }
  rf_gpu_close(c.gpu);
  free(c.seats);
  free(c.places);
  free(c.out);
  return status;
}
