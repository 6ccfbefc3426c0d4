#include "cluster/fabric_clock.h"

#include <math.h>

#include "host/clock.h"

enum { TAG_CLOCK = 11, EXCHANGES = 20, PARTS = 3 };

/** The shortest of some readings. */
static const rf_clock_reading *shortest(const rf_clock_reading *readings, size_t first, size_t last) {
  const rf_clock_reading *best = &readings[first];
  for (size_t i = first; i < last; i++) {
    best = readings[i].round_trip < best->round_trip ? &readings[i] : best;
  }
  return best;
}

static double offset_of(const rf_clock_reading *reading) {
  return reading->remote - reading->local;
}

/** A drift is believed where it is smaller than any clock's is not: a hundredth would be no clock. */
static roof_estimate drift_between(const rf_clock_reading *a, const rf_clock_reading *b) {
  double apart = b->local - a->local, error = (a->round_trip + b->round_trip) / 2 / apart;
  double drift = (offset_of(b) - offset_of(a)) / apart;
  return apart > 0 && error < 0.01 ? (roof_estimate){drift, drift - error, drift + error}
                                   : (roof_estimate){NAN, NAN, NAN};
}

bool rf_clock_fit(const rf_clock_reading *readings, size_t count, roof_clock *clock) {
  if (count == 0) {
    return false;
  }
  size_t part = (count + PARTS - 1) / PARTS;
  const rf_clock_reading *early = shortest(readings, 0, part),
                         *late = shortest(readings, count - part, count),
                         *best = shortest(readings, 0, count);
  double half = best->round_trip / 2, offset = offset_of(best);
  *clock = (roof_clock){best->local, {offset, offset - half, offset + half}, drift_between(early, late)};
  return true;
}

static double drift_of(const roof_clock *clock) {
  return isnan(clock->drift.value) ? 0 : clock->drift.value;
}

double rf_clock_remote(const roof_clock *clock, double local) {
  return local + clock->offset.value + drift_of(clock) * (local - clock->at);
}

double rf_clock_local(const roof_clock *clock, double remote) {
  return clock->at + (remote - clock->at - clock->offset.value) / (1 + drift_of(clock));
}

/** Answers with the time of rank 0, as far as it is known here. */
static bool teach(const rf_mpi *mpi, int group, int who, const roof_clock *clock) {
  bool done = true;
  for (int i = 0; i < EXCHANGES && done; i++) {
    char asked;
    done = mpi->receive(group, who, TAG_CLOCK, &asked, 1);
    double now = rf_clock_remote(clock, rf_clock_seconds());
    done = done && mpi->send(group, who, TAG_CLOCK, &now, sizeof now);
  }
  return done;
}

static bool learn(const rf_mpi *mpi, int group, int who, roof_clock *clock) {
  rf_clock_reading readings[EXCHANGES];
  bool done = true;
  for (int i = 0; i < EXCHANGES && done; i++) {
    double start = rf_clock_seconds(), remote = 0;
    done = mpi->send(group, who, TAG_CLOCK, "", 1) &&
           mpi->receive(group, who, TAG_CLOCK, &remote, sizeof remote);
    double end = rf_clock_seconds();
    readings[i] = (rf_clock_reading){(start + end) / 2, remote, end - start};
  }
  if (done) {
    rf_clock_fit(readings, EXCHANGES, clock);
    clock->drift = (roof_estimate){NAN, NAN, NAN}; /* milliseconds apart show none */
  }
  return done;
}

bool rf_clock_agree(const rf_mpi *mpi, int group, roof_clock *clock) {
  int rank = mpi->rank(group), size = mpi->size(group);
  bool done = true;
  *clock = (roof_clock){0, {0, 0, 0}, {0, 0, 0}};
  for (int known = 1; known < size && done; known *= 2) {
    if (rank < known && rank + known < size) {
      done = teach(mpi, group, rank + known, clock);
    } else if (rank >= known && rank < 2 * known) {
      done = learn(mpi, group, rank - known, clock);
    }
  }
  return done;
}
