/* All ranks at once: each against each other in rounds, one half against the other. */
#include <math.h>
#include <stdlib.h>

#include "cluster/fabric_series.h"
#include "cluster/fit.h"

enum { PILOTS = 5, MOST = 20, TRAINS = 3, MESSAGES = 4, SMALL = 1 << 14, LARGE = 1 << 20 };

/** What one pair found; both ranks have it. */
typedef struct pair {
  double latency_seconds, bytes_per_second;
} pair;

static double quiet(const double *samples, size_t count) {
  double scratch[MOST];
  return rf_quiet(samples, count, scratch);
}

/** Bytes of a message that takes about `seconds`, as a small train says. */
static bool size_train(const rf_exchange *with, double seconds, rf_train *train) {
  double samples[TRAINS];
  *train = (rf_train){.bytes = SMALL, .answer = 1, .messages = MESSAGES, .repeats = TRAINS};
  bool done = rf_exchange_lead(with, train, samples);
  double factor = seconds / quiet(samples, TRAINS);
  while (train->bytes < LARGE && factor >= 2) {
    train->bytes *= 2, factor /= 2;
  }
  return done;
}

/** Bandwidth of trains, less the round trip of the smallest message. */
static bool take_rate(const rf_exchange *with, double seconds, double round_trip, double *rate) {
  double samples[TRAINS];
  rf_train train;
  bool done = size_train(with, seconds, &train) && rf_exchange_lead(with, &train, samples);
  double each = fmax(quiet(samples, TRAINS) - round_trip, 1e-9);
  *rate = done ? (double)train.messages * train.bytes / each : NAN;
  return done;
}

static bool take_pair(const rf_exchange *with, double seconds, pair *out) {
  double samples[MOST];
  rf_train train = {.bytes = 1, .answer = 1, .messages = 1, .repeats = PILOTS};
  bool done = rf_exchange_lead(with, &train, samples);
  double fits = seconds / 2 / quiet(samples, PILOTS);
  train.repeats = fits > MOST ? MOST : fits < PILOTS ? PILOTS : (int)fits;
  done = done && rf_exchange_lead(with, &train, samples);
  double round_trip = quiet(samples, (size_t)train.repeats);
  out->latency_seconds = round_trip / 2;
  return take_rate(with, seconds / (2 * TRAINS), round_trip, &out->bytes_per_second) && done;
}

/** One of a pair leads and sends the other what it found. */
static bool meet_one_way(rf_exchange *with, bool leads, double seconds, pair *found) {
  enum { TAG_FOUND = 9 };
  if (!leads) {
    return rf_exchange_obey(with) &&
           with->mpi->receive(with->group, with->partner, TAG_FOUND, found, sizeof *found);
  }
  bool done = take_pair(with, seconds, found);
  return rf_exchange_release(with) && done &&
         with->mpi->send(with->group, with->partner, TAG_FOUND, found, sizeof *found);
}

/** Each leads in turn; the slower direction is the pair's. */
static bool meet(rf_exchange *with, int rank, double seconds, pair *found) {
  pair back;
  bool first = rank < with->partner;
  bool done = meet_one_way(with, first, seconds / 2, found) && meet_one_way(with, !first, seconds / 2, &back);
  if (done) {
    found->latency_seconds = fmin(found->latency_seconds, back.latency_seconds);
    found->bytes_per_second = fmin(found->bytes_per_second, back.bytes_per_second);
  }
  return done;
}

bool rf_pairs_meet(rf_exchange *with, const rf_fabric_plan *plan, rf_met *met) {
  int rank = with->mpi->rank(with->group), size = with->mpi->size(with->group),
      rounds = rf_pairs_rounds(size);
  size_t count = 0, room = (size_t)rounds + 1;
  double *latencies = calloc(3 * room, sizeof *latencies);
  bool done = latencies != NULL;
  for (int round = 0; round < rounds && done; round++) {
    with->partner = rf_pairs_partner(size, round, rank);
    done = rf_gate(with->mpi, with->group);
    if (with->partner >= 0 && done) {
      pair found;
      done = meet(with, rank, plan->seconds / rounds, &found);
      latencies[count] = found.latency_seconds;
      latencies[room + count++] = found.bytes_per_second;
    }
  }
  if (done) {
    *met = (rf_met){rf_median(latencies, count, latencies + 2 * room),
                    rf_median(latencies + room, count, latencies + 2 * room)};
  }
  free(latencies);
  return done;
}

bool rf_pairs_bisect(rf_exchange *with, const rf_fabric_plan *plan, double *bytes_per_second) {
  int rank = with->mpi->rank(with->group), size = with->mpi->size(with->group);
  pair found = {0};
  with->partner = rf_pairs_across(size, rank);
  bool leads = with->partner > rank;
  double *all = rank == 0 ? calloc((size_t)size, sizeof *all) : NULL;
  bool done = (rank != 0 || all != NULL) && rf_gate(with->mpi, with->group);
  if (with->partner >= 0 && done) {
    done = leads ? take_pair(with, plan->seconds / 2, &found) : rf_exchange_obey(with);
    done = (!leads || rf_exchange_release(with)) && done;
  }
  double own = leads ? found.bytes_per_second : 0, sum = 0;
  done = done && with->mpi->gather(with->group, 0, &own, all, sizeof own);
  for (int i = 0; i < size && rank == 0 && done; i++) {
    sum += all[i];
  }
  *bytes_per_second = sum;
  free(all);
  return done;
}
