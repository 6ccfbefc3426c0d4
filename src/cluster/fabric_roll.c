#include "cluster/fabric_roll.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "host/clock.h"
#include "host/probe.h"
#include "roofline/text.h"

enum { TAG_ALIVE = 12, NAMED = 4 };

static const double reporting = 2, staying = 10; /* s */

static struct {
  _Atomic double end;
  _Atomic int partner; /* -1: none */
  bool *answers;       /* of each rank, on rank 0 once the roll was called */
} roll = {.end = INFINITY, .partner = -1};

void rf_roll_at(double end) {
  roll.end = end;
  roll.partner = -1;
}

bool rf_roll_is_due(void) {
  return rf_clock_seconds() > roll.end;
}

void rf_roll_meets(const rf_mpi *mpi, int group, int partner) {
  bool same = mpi->size(group) == mpi->size(RF_MPI_WORLD); /* then ranks have the same numbers in both */
  roll.partner = same ? partner : -1;
}

static void rest(double seconds) {
  nanosleep(&(struct timespec){.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * fmod(seconds, 1))}, NULL);
}

/** Takes the reports that have come. */
static void take_reports(const rf_mpi *mpi, bool *answers) {
  int from = 0;
  size_t bytes = 0;
  while (mpi->probe(RF_MPI_WORLD, RF_MPI_ANY, TAG_ALIVE, &from, &bytes) && from >= 0) {
    char token;
    answers[from] = mpi->receive(RF_MPI_WORLD, from, TAG_ALIVE, &token, 1);
  }
}

void rf_roll_call(const rf_mpi *mpi) {
  static const double beat = 0.02;
  static const char token = 0;
  rf_mpi_request request;
  if (mpi->rank(RF_MPI_WORLD) != 0) {
    mpi->start_send(RF_MPI_WORLD, 0, TAG_ALIVE, &token, 1, &request);
    for (double end = rf_clock_seconds() + staying; rf_clock_seconds() < end;) {
      bool done = false;
      mpi->test(&request, &done); /* the message goes on while somebody looks */
      rest(done ? 1 : beat);
    }
    return;
  }
  bool *answers = calloc((size_t)mpi->size(RF_MPI_WORLD), sizeof *answers);
  if (answers != NULL) {
    answers[0] = true;
    for (double end = rf_clock_seconds() + reporting; rf_clock_seconds() < end;) {
      take_reports(mpi, answers);
      rest(beat);
    }
  }
  roll.answers = answers;
}

/** Whether a rank's process is seen on this system not to run: stopped, or being traced. */
static bool is_stopped(const rf_job *job, int rank) {
  char path[64], line[64];
  snprintf(path, sizeof path, "/proc/%d/status", job->process[rank]);
  return job->process[rank] > 0 && rf_probe_key("", path, "State", line, sizeof line) &&
         (line[0] == 'T' || line[0] == 't');
}

static bool is_silent(int rank) {
  return roll.answers != NULL ? !roll.answers[rank] : rank == roll.partner;
}

const char *rf_roll_silent(const rf_job *job, char *text, size_t size) {
  char name[128];
  roof_text names = {0};
  int count = 0, stopped = 0;
  for (int i = 1; i < job->size; i++) {
    stopped += is_stopped(job, i); /* then the others wait for it alone */
  }
  for (int i = 1; i < job->size; i++) {
    if (stopped > 0 ? is_stopped(job, i) : is_silent(i)) {
      count++;
      if (count <= NAMED) {
        roof_text_addf(&names, "%s%s", count > 1 ? ", " : "", rf_job_rank_name(job, i, name, sizeof name));
      }
    }
  }
  if (count > NAMED) {
    roof_text_addf(&names, " and %d more", count - NAMED);
  }
  snprintf(text, size, "%s", count > 0 && !names.failed ? names.data : "a rank");
  roof_text_done(&names);
  return text;
}
