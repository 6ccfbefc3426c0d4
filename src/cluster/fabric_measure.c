#include "cluster/fabric_measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/fabric_series.h"

enum { TAG_RESULT = 8 };

/** One measurement, on every rank. */
typedef struct measuring {
  rf_exchange with;
  const rf_fabric_plan *plan;
  rf_rank_place *places;
  int rank, size;
  roof_fabric *out;
} measuring;

static void say(const measuring *m, const char *what, const char *which) {
  char line[96];
  if (m->plan->listener != NULL && m->rank == 0) {
    snprintf(line, sizeof line, "%s%s", what, which);
    m->plan->listener(m->plan->user, line);
  }
}

/** What the leader found reaches rank 0. */
static bool hand_in(measuring *m, roof_distance_fit *found) {
  int leader = found->ranks[0];
  if (leader == 0) {
    return true;
  }
  return m->rank == 0        ? m->with.mpi->receive(m->with.group, leader, TAG_RESULT, found, sizeof *found)
         : m->rank == leader ? m->with.mpi->send(m->with.group, 0, TAG_RESULT, found, sizeof *found)
                             : true;
}

static bool take_distance(measuring *m, roof_distance distance) {
  roof_distance_fit found = {.distance = distance};
  if (!rf_distance_pair(m->places, m->size, distance, found.ranks)) {
    return true;
  }
  for (int i = 0; i < 2; i++) {
    memcpy(found.nodes[i], m->places[found.ranks[i]].node, sizeof found.nodes[i]);
  }
  bool leads = m->rank == found.ranks[0], obeys = m->rank == found.ranks[1];
  say(m, "two ranks that share no more than the ", roof_distance_name(distance));
  m->with.partner = found.ranks[leads];
  bool done = leads ? rf_distance_lead(&m->with, m->plan, &found) : obeys ? rf_exchange_obey(&m->with) : true;
  done = done && hand_in(m, &found) && rf_gate(m->with.mpi, m->with.group);
  if (done && m->rank == 0) {
    m->out->distances[m->out->distance_count++] = found;
  }
  return done;
}

/** What a rank says of itself to rank 0. */
typedef struct line {
  int counts, rank; /* of those that met all others */
  rf_met met;
} line;

static bool gather_nodes(measuring *m, const line *own) {
  line *all = m->rank == 0 ? calloc((size_t)m->size, sizeof *all) : NULL;
  m->out->nodes = m->rank == 0 ? calloc((size_t)m->size, sizeof *m->out->nodes) : NULL;
  bool done = (m->rank != 0 || (all != NULL && m->out->nodes != NULL)) &&
              m->with.mpi->gather(m->with.group, 0, own, all, sizeof *own);
  for (int i = 0; i < m->size && done && m->rank == 0; i++) {
    if (all[i].counts) {
      roof_fabric_node *node = &m->out->nodes[m->out->node_count++];
      memcpy(node->name, m->places[i].node, sizeof node->name);
      node->rank = i;
      node->latency_seconds = all[i].met.latency_seconds;
      node->bytes_per_second = all[i].met.bytes_per_second;
    }
  }
  free(all);
  return done;
}

/** The first rank of a node represents it; on a single node each for itself. */
static bool represents(const measuring *m) {
  bool first = true, alone = true;
  for (int i = 0; i < m->size; i++) {
    bool same = strcmp(m->places[i].node, m->places[m->rank].node) == 0;
    first = first && !(same && i < m->rank);
    alone = alone && same;
  }
  return first || alone;
}

static bool take_all(measuring *m) {
  rf_exchange among = m->with;
  line own = {.counts = represents(m), .rank = m->rank, .met = {NAN, NAN}};
  among.group = m->with.mpi->split(m->with.group, own.counts);
  bool done = among.group >= 0;
  say(m, "all pairs, in rounds", "");
  done = done && (!own.counts || rf_pairs_meet(&among, m->plan, &own.met));
  say(m, "one half against the other", "");
  done = done && (!own.counts || rf_pairs_bisect(&among, m->plan, &m->out->bisection_bytes_per_second));
  m->out->bisection_pairs = done ? among.mpi->size(among.group) / 2 : 0;
  return done && rf_gate(m->with.mpi, m->with.group) && gather_nodes(m, &own);
}

static bool begin(measuring *m) {
  m->places = calloc((size_t)m->size, sizeof *m->places);
  return rf_exchange_init(&m->with, m->with.mpi, m->with.group) && m->places != NULL;
}

static bool take(measuring *m, const rf_rank_place *here) {
  bool done = rf_gate(m->with.mpi, m->with.group) &&
              m->with.mpi->all_gather(m->with.group, here, m->places, sizeof *here);
  for (int d = 0; d < ROOF_DISTANCE_COUNT && done; d++) {
    done = take_distance(m, (roof_distance)d);
  }
  return done && take_all(m);
}

roof_status rf_fabric_measure(const rf_mpi *mpi, int group, const rf_rank_place *here,
                              const rf_fabric_plan *plan, roof_fabric *fabric, roof_error *error) {
  roof_fabric found = {.ranks = mpi->size(group)};
  measuring m = {.with = {.mpi = mpi, .group = group}, .plan = plan, .out = &found};
  m.rank = mpi->rank(group), m.size = found.ranks;
  snprintf(found.library, sizeof found.library, "%s", mpi->library());
  roof_status status = begin(&m) ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "network: out of memory");
  if (status == ROOF_OK && !take(&m, here)) {
    status = roof_error_set(error, ROOF_E_UNSUPPORTED, "network: the MPI refused: %s", mpi->reason());
  }
  rf_exchange_done(&m.with);
  free(m.places);
  status = status == ROOF_OK && m.rank == 0 ? roof_fabric_judge(&found, error) : status;
  if (status != ROOF_OK || m.rank != 0) {
    roof_fabric_done(&found);
  }
  if (status == ROOF_OK) {
    *fabric = found;
  }
  return status;
}
