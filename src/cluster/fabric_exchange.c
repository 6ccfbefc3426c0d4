#include "cluster/fabric_exchange.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster/fabric_roll.h"
#include "host/clock.h"

enum { TAG_TRAIN = 1, TAG_DATA, TAG_ANSWER, TAG_GATE, WARM_UP = 1 };

bool rf_exchange_init(rf_exchange *with, const rf_mpi *mpi, int group) {
  *with = (rf_exchange){
      .mpi = mpi, .group = group, .out = malloc(RF_EXCHANGE_ROOM), .in = malloc(RF_EXCHANGE_ROOM)};
  uint64_t state = 1;
  bool done = with->out != NULL && with->in != NULL;
  for (size_t i = 0; i < RF_EXCHANGE_ROOM && done; i += sizeof state) { /* what no link compresses */
    state = state * 6364136223846793005u + 1442695040888963407u;        /* Knuth, MMIX */
    memcpy(with->out + i, &state, sizeof state);
    memcpy(with->in + i, &state, sizeof state);
  }
  return done;
}

void rf_exchange_done(rf_exchange *with) {
  free(with->out);
  free(with->in);
  *with = (rf_exchange){0};
}

static void compute(double seconds) {
  double end = seconds > 0 ? rf_clock_seconds() + seconds : 0;
  while (seconds > 0 && rf_clock_seconds() < end) {
  }
}

static bool lead(const rf_exchange *p, const rf_train *t, double *seconds) {
  rf_mpi_request sends[RF_TRAIN_MAX], answer;
  bool done = p->mpi->start_receive(p->group, p->partner, TAG_ANSWER, p->in, (size_t)t->answer, &answer);
  double start = rf_clock_seconds();
  for (int i = 0; i < t->messages && done; i++) {
    compute(i > 0 ? t->delay : 0);
    done = p->mpi->start_send(p->group, p->partner, TAG_DATA, p->out, (size_t)t->bytes, &sends[i]);
  }
  compute(t->busy);
  done = done && p->mpi->wait(sends, (size_t)t->messages) && p->mpi->wait(&answer, 1);
  *seconds = rf_clock_seconds() - start;
  return done;
}

static bool follow(const rf_exchange *p, const rf_train *t) {
  rf_mpi_request receives[RF_TRAIN_MAX];
  bool done = true;
  for (int i = 0; i < t->messages && done; i++) {
    unsigned char *into = p->in + (size_t)i * (size_t)t->bytes;
    done = p->mpi->start_receive(p->group, p->partner, TAG_DATA, into, (size_t)t->bytes, &receives[i]);
  }
  return done && p->mpi->wait(receives, (size_t)t->messages) &&
         p->mpi->send(p->group, p->partner, TAG_ANSWER, p->out, (size_t)t->answer);
}

bool rf_exchange_lead(const rf_exchange *with, const rf_train *train, double *samples) {
  double warm;
  rf_roll_meets(with->mpi, with->group, with->partner);
  bool done = with->mpi->send(with->group, with->partner, TAG_TRAIN, train, sizeof *train);
  for (int i = 0; i < WARM_UP + train->repeats && done; i++) {
    done = lead(with, train, i < WARM_UP ? &warm : &samples[i - WARM_UP]);
  }
  return done;
}

bool rf_exchange_release(const rf_exchange *with) {
  rf_train end = {0};
  return with->mpi->send(with->group, with->partner, TAG_TRAIN, &end, sizeof end);
}

bool rf_exchange_obey(const rf_exchange *with) {
  rf_train train = {.repeats = 1};
  bool done = true;
  rf_roll_meets(with->mpi, with->group, with->partner);
  while (done) {
    done = with->mpi->receive(with->group, with->partner, TAG_TRAIN, &train, sizeof train);
    if (train.repeats == 0) {
      break;
    }
    for (int i = 0; i < WARM_UP + train.repeats && done; i++) {
      done = follow(with, &train);
    }
  }
  return done;
}

/** Looks often at first, then seldom: waits of seconds cost the ranks that measure nothing. */
static bool await(const rf_mpi *mpi, rf_mpi_request *request) {
  enum { FIRST = 50000, LAST = 10000000 }; /* ns */
  struct timespec pause = {.tv_nsec = FIRST};
  bool here = false;
  while (mpi->test(request, &here) && !here) {
    if (rf_roll_is_due()) {
      rf_roll_call(mpi);
      return false;
    }
    nanosleep(&pause, NULL);
    pause.tv_nsec = pause.tv_nsec < LAST ? 2 * pause.tv_nsec : LAST;
  }
  return here;
}

/** A barrier by dissemination (Hensgen, Finkel and Manber 1988). */
bool rf_gate(const rf_mpi *mpi, int group) {
  int rank = mpi->rank(group), size = mpi->size(group);
  bool done = true;
  rf_roll_meets(mpi, group, -1);
  for (int step = 1; step < size && done; step *= 2) {
    unsigned char sent = 0, got;
    rf_mpi_request receive;
    done = mpi->start_receive(group, (rank - step % size + size) % size, TAG_GATE, &got, 1, &receive) &&
           mpi->send(group, (rank + step) % size, TAG_GATE, &sent, 1) && await(mpi, &receive);
  }
  return done;
}
