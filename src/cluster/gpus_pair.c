#include "cluster/gpus_pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/collectives.h"
#include "cluster/fit.h"
#include "core/stats.h"
#include "host/clock.h"

enum { TAG_TRIPS = 9, PILOTS = 2, LEAST = 5, MOST = 100, FITTED = 3, SMALLEST = 4 };

/** So many round trips of a size follow; none: the end. */
typedef struct trips {
  int bytes, repeats;
} trips;

static bool trip(const rf_gpus_pair *p, const trips *t, bool leads, double *samples) {
  bool done = true;
  for (int i = 0; i < t->repeats && done; i++) {
    double start = rf_clock_seconds();
    done = rf_gpu_exchange(p->gpu, p->partner, (size_t)t->bytes, leads);
    if (samples != NULL) {
      samples[i] = (rf_clock_seconds() - start) / 2;
    }
  }
  return done;
}

static bool ask(const rf_gpus_pair *p, const trips *t, double *samples) {
  return p->mpi->send(p->group, p->partner, TAG_TRIPS, t, sizeof *t) && trip(p, t, true, samples);
}

bool rf_gpus_obey(const rf_gpus_pair *pair) {
  trips t = {.repeats = 1};
  bool done = true;
  while (done && t.repeats > 0) {
    done = pair->mpi->receive(pair->group, pair->partner, TAG_TRIPS, &t, sizeof t) &&
           trip(pair, &t, false, NULL);
  }
  return done;
}

static roof_message_time summary(double bytes, const double *samples, size_t count) {
  double sorted[MOST];
  memcpy(sorted, samples, count * sizeof *sorted);
  rf_stats_sort(sorted, count);
  return (roof_message_time){.bytes = bytes,
                             .seconds = roof_stats_quantile(sorted, count, 0.5),
                             .seconds_low = roof_stats_quantile(sorted, count, 0.25),
                             .seconds_high = roof_stats_quantile(sorted, count, 0.75),
                             .windowed_seconds = NAN,
                             .overlap = NAN};
}

/** One size: as often as a first trip says that the budget has room for. */
static bool take_size(const rf_gpus_pair *p, int bytes, double budget, double *samples, rf_sized *of) {
  trips t = {bytes, PILOTS};
  bool done = ask(p, &t, samples);
  double fits = done ? budget / (2 * samples[PILOTS - 1]) : 0;
  t.repeats = fits < LEAST ? LEAST : fits > MOST ? MOST : (int)fits;
  *of = (rf_sized){bytes, samples, (size_t)t.repeats};
  return done && ask(p, &t, samples);
}

static bool take_sizes(const rf_gpus_pair *p, const rf_fabric_plan *plan, double *samples, rf_sized *sizes,
                       roof_distance_fit *out) {
  int many = 1;
  for (int bytes = SMALLEST; bytes < RF_GPUS_LARGEST; bytes *= plan->factor) {
    many++;
  }
  double budget = plan->seconds / many, end = rf_clock_seconds() + plan->seconds;
  bool done = true;
  for (int bytes = SMALLEST; bytes <= RF_GPUS_LARGEST && out->time_count < ROOF_FABRIC_SIZES &&
                             (rf_clock_seconds() < end || out->time_count < FITTED) && done;
       bytes *= plan->factor) {
    int i = out->time_count;
    done = take_size(p, bytes, budget, samples + (size_t)i * MOST, &sizes[i]);
    if (done) {
      out->times[out->time_count++] = summary(bytes, sizes[i].samples, sizes[i].count);
    }
  }
  return done;
}

bool rf_gpus_lead(const rf_gpus_pair *pair, const rf_fabric_plan *plan, roof_distance_fit *out) {
  const roof_estimate unknown = {NAN, NAN, NAN};
  const trips end = {0};
  rf_sized sizes[ROOF_FABRIC_SIZES];
  double *samples = malloc(sizeof *samples * ROOF_FABRIC_SIZES * MOST);
  bool done = samples != NULL && take_sizes(pair, plan, samples, sizes, out);
  done = ask(pair, &end, NULL) && done && rf_fit_alpha_beta(sizes, (size_t)out->time_count, &out->fit);
  out->loggp = (roof_loggp){unknown, unknown, unknown, unknown};
  out->messages_per_second = NAN;
  free(samples);
  return done;
}

/* --- are the results right? --- */

/** What is in block `block` of the result where each rank gives its number and 1. */
static float expected(const char *op, int block, int ranks) {
  bool sums = strcmp(op, "allreduce") == 0 || strcmp(op, "reducescatter") == 0;
  bool blocks = strcmp(op, "allgather") == 0 || strcmp(op, "alltoall") == 0;
  return sums ? 0.5F * (float)ranks * (float)(ranks + 1) : blocks ? (float)(block + 1) : 1;
}

enum { BLOCK = 256 }; /* floats for each rank */

/** Of the collective `of`, whose result is `numbers`, of which a reduce-scatter has one block. */
static bool is_right(const rf_collective *of, const float *numbers, int size) {
  int blocks = strcmp(of->op, "reducescatter") == 0 ? 1 : size;
  for (int i = 0; i < blocks * BLOCK; i++) {
    if (numbers[i] != expected(of->op, i / BLOCK, size)) { /* small whole numbers: exact */
      return false;
    }
  }
  return true;
}

static roof_status check_one(const rf_collective *of, rf_gpu *gpu, int rank, int size, float *numbers,
                             roof_error *error) {
  size_t bytes = (size_t)size * BLOCK * sizeof *numbers;
  for (int i = 0; i < size * BLOCK; i++) {
    numbers[i] = (float)(rank + 1);
  }
  bool in_place = strcmp(of->op, "broadcast") == 0;
  bool done = rf_gpu_write(gpu, rf_gpu_out(gpu), numbers, bytes) &&
              of->run(&rf_gpu_collectives, 0, rf_gpu_out(gpu), rf_gpu_in(gpu), bytes) &&
              rf_gpu_read(gpu, numbers, in_place ? rf_gpu_out(gpu) : rf_gpu_in(gpu), bytes);
  if (!done) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: %s", rf_gpu_title(gpu),
                          rf_gpu_collectives.reason());
  }
  return is_right(of, numbers, size)
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: the result of %s is wrong", rf_gpu_title(gpu),
                              of->op);
}

roof_status rf_gpus_check(rf_gpu *gpu, int rank, int size, roof_error *error) {
  float *numbers = malloc((size_t)size * BLOCK * sizeof *numbers);
  roof_status status =
      numbers != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "GPUs: out of memory");
  for (int i = 0; i < ROOF_COLLECTIVES && numbers != NULL; i++) { /* all, whatever was wrong: the others do */
    if (rf_collectives[i].has_size) {
      roof_status one =
          check_one(&rf_collectives[i], gpu, rank, size, numbers, status == ROOF_OK ? error : NULL);
      status = status == ROOF_OK ? one : status;
    }
  }
  free(numbers);
  return status;
}
