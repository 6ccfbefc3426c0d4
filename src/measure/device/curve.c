/* What an accelerator reads of growing size: bandwidth, the ramp that it follows, and the size from which a
 * read is more than its launch. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/device/bench.h"
#include "roofline/units.h"

/** As near as a line must come to the times of its points. */
static const double within = 0.25;

/** The largest part of a time that a line misses. */
static double deviation(const double *bytes, const double *seconds, int count, double latency,
                        double bandwidth) {
  double worst = 0;
  for (int i = 0; i < count; i++) {
    worst = fmax(worst, fabs((latency + bytes[i] / bandwidth) / seconds[i] - 1));
  }
  return worst;
}

/** A line through the origin, where the best one begins below it. */
static double through_origin(const double *bytes, const double *seconds, int count) {
  double xx = 0, xy = 0;
  for (int i = 0; i < count; i++) {
    xx += bytes[i] * bytes[i] / (seconds[i] * seconds[i]);
    xy += bytes[i] / seconds[i];
  }
  return xx / xy;
}

void rf_device_fit(const double *bytes, const double *seconds, int count, double *latency, double *bandwidth,
                   double *worst) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0; /* weighted by 1 / t^2: errors count in relation to the time */
  for (int i = 0; i < count; i++) {
    double weight = 1 / (seconds[i] * seconds[i]);
    n += weight;
    x += weight * bytes[i];
    y += weight * seconds[i];
    xx += weight * bytes[i] * bytes[i];
    xy += weight * bytes[i] * seconds[i];
  }
  double slope = (n * xy - x * y) / (n * xx - x * x);
  *latency = (y - slope * x) / n;
  *bandwidth = 1 / slope;
  if (*latency < 0) {
    *latency = 0;
    *bandwidth = through_origin(bytes, seconds, count);
  }
  *worst = count < 2 ? NAN : deviation(bytes, seconds, count, *latency, *bandwidth);
}

/** The line of most points: the one that fits worst goes, again and again, up to a sixth of them. */
static rf_device_ramp fit_most(const double *bytes, const double *seconds, int count) {
  double x[ROOF_CURVE_MAX], y[ROOF_CURVE_MAX];
  rf_device_ramp r = {.count = count, .missed = 0};
  memcpy(x, bytes, (size_t)count * sizeof *x);
  memcpy(y, seconds, (size_t)count * sizeof *y);
  rf_device_fit(x, y, count, &r.latency, &r.bandwidth, &r.worst);
  while (r.missed < count / 6 && !(r.worst <= within)) {
    int left = count - r.missed++, worst = 0;
    double most = -1;
    for (int i = 0; i < left; i++) {
      double off = deviation(&x[i], &y[i], 1, r.latency, r.bandwidth);
      worst = off > most ? i : worst;
      most = fmax(most, off);
    }
    memmove(&x[worst], &x[worst + 1], (size_t)(left - worst - 1) * sizeof *x);
    memmove(&y[worst], &y[worst + 1], (size_t)(left - worst - 1) * sizeof *y);
    rf_device_fit(x, y, left - 1, &r.latency, &r.bandwidth, &r.worst);
  }
  return r;
}

rf_device_ramp rf_device_ramp_of(const double *bytes, const double *seconds, int count) {
  enum { LEAST = 5 };
  static const double wide = 16;
  rf_device_ramp best = {.latency = NAN, .bandwidth = NAN, .worst = NAN};
  double widest = 0;
  for (int first = 0; first + LEAST <= count; first++) {
    for (int end = first + LEAST; end <= count; end++) {
      rf_device_ramp r = fit_most(bytes + first, seconds + first, end - first);
      double range = bytes[end - 1] / bytes[first];
      bool ends = deviation(&bytes[first], &seconds[first], 1, r.latency, r.bandwidth) <= within &&
                  deviation(&bytes[end - 1], &seconds[end - 1], 1, r.latency, r.bandwidth) <= within;
      r.first = first;
      if (r.worst <= within && ends && r.bandwidth > 0 && range >= wide && range > widest) {
        widest = range;
        best = r;
      }
    }
  }
  return best;
}

double rf_device_reach(const double *bytes, const double *seconds, int count, double reach) {
  for (int i = 0; i < count; i++) {
    if (seconds[i] >= reach) {
      double share = i > 0 ? (reach - seconds[i - 1]) / (seconds[i] - seconds[i - 1]) : 1;
      return i > 0 ? bytes[i - 1] + share * (bytes[i] - bytes[i - 1]) : bytes[0];
    }
  }
  return NAN;
}

/** A read of `wanted` bytes with as many work-groups as that is worth; *bytes becomes what it reads. */
static roof_status reader_of(rf_device_bench *bench, double wanted, double *bytes, rf_device_launch *launch,
                             roof_error *error) {
  rf_device_layout layout = bench->reading, one = layout;
  one.groups = 1;
  double a_group = 4 * layout.width * rf_device_elements(&one, 1);
  layout.groups = (int)fmax(1, fmin(layout.groups, floor(wanted / a_group)));
  *bytes = wanted;
  *launch = rf_device_reader(bench, &layout, bytes, 1);
  return rf_device_find(bench, bench->memory, launch, error);
}

static void note_ramp(rf_device_bench *bench, const double *bytes, const double *seconds, int count) {
  rf_device_ramp r = rf_device_ramp_of(bytes, seconds, count);
  char start[32], rate[32], from[32], to[32], all[32];
  if (r.count == 0) {
    double worst = NAN;
    rf_device_fit(bytes, seconds, count, &r.latency, &r.bandwidth, &worst);
    rf_device_note(
        bench,
        "reads of growing size do not follow latency + bytes / bandwidth over any factor of 16: over all %d "
        "sizes the best such line is %.0f %% off",
        count, 100 * worst);
    return;
  }
  roof_bytes_format(from, sizeof from, bytes[r.first]);
  roof_bytes_format(to, sizeof to, bytes[r.first + r.count - 1]);
  roof_quantity_format(start, sizeof start, r.latency, "s");
  roof_quantity_format(rate, sizeof rate, r.bandwidth, "B/s");
  rf_device_note(
      bench,
      "reads of %s to %s, again and again, take %s + bytes / %s, within %.0f %% at %d of %d sizes (%d up "
      "to %s were tried)",
      from, to, start, rate, 100 * r.worst, r.count - r.missed, r.count, count,
      roof_bytes_format(all, sizeof all, bytes[count - 1]));
}

/** Bytes that the ceilings say are read while a launch starts. */
static double predict_escape(const rf_device_bench *bench) {
  double launch = bench->machine->launch_seconds, of_cache = launch * bench->cache_rate;
  return of_cache <= bench->device->info.cache_bytes / 2 ? of_cache : launch * bench->read_rate;
}

/** The smallest read that, launched again and again, takes twice as long as a kernel that does nothing: half
 * of its time is work. */
static roof_status measure_escape(rf_device_bench *bench, double step, roof_error *error) {
  enum { POINTS = 48, LAUNCHES = 200, QUICK_LAUNCHES = 20, ROUNDS = 3 };
  const rf_device_driver *driver = bench->device->driver;
  double bytes[POINTS], seconds[POINTS] = {0}, reach = 2 * bench->machine->launch_seconds;
  int count = 0, launches = bench->options->quick ? QUICK_LAUNCHES : LAUNCHES;
  roof_status status = ROOF_OK;
  for (double wanted = 4096; wanted <= bench->bytes && count < POINTS && status == ROOF_OK &&
                             (count == 0 || seconds[count - 1] < reach);
       wanted *= step, count++) {
    rf_device_launch launch;
    double now = NAN;
    status = reader_of(bench, wanted, &bytes[count], &launch, error);
    seconds[count] = INFINITY;
    for (int i = 0; i < ROUNDS && status == ROOF_OK; i++) {
      status = driver->empty(bench->device, RF_LAUNCH_BACK_TO_BACK, &launch, launches, &now, error);
      seconds[count] = fmin(seconds[count], now / launches);
    }
  }
  double escaped = status == ROOF_OK ? rf_device_reach(bytes, seconds, count, reach) : NAN;
  char measured[32], predicted[32];
  if (!isnan(escaped)) {
    rf_device_note(
        bench,
        "the smallest read that escapes overhead (launched back to back it takes twice an empty kernel's "
        "time): %s%s measured, %s predicted (launch x bandwidth of the level that holds it)",
        seconds[0] >= reach ? "at most " : "", roof_bytes_format(measured, sizeof measured, escaped),
        roof_bytes_format(predicted, sizeof predicted, predict_escape(bench)));
  }
  return status;
}

roof_status rf_device_curve(rf_device_bench *bench, roof_error *error) {
  enum { TRIES = 7, LARGE_TRIES = 2 };
  static const double large = 16 << 20;
  roof_machine *m = bench->machine;
  double bytes[ROOF_CURVE_MAX], seconds[ROOF_CURVE_MAX], before = 0;
  double step = bench->options->quick ? 2 : sqrt(2);
  roof_status status = ROOF_OK;
  int count = 0;
  rf_device_step(bench, "bandwidth against size");
  for (double wanted = 4096; wanted <= bench->bytes && count < ROOF_CURVE_MAX && status == ROOF_OK;
       wanted *= step) {
    rf_device_launch launch;
    status = reader_of(bench, wanted, &bytes[count], &launch, error);
    if (status == ROOF_OK && (bytes[count] <= before || bytes[count] > bench->bytes)) {
      continue;
    }
    if (status == ROOF_OK) {
      status = rf_device_try(bench, &launch, wanted < large ? TRIES : LARGE_TRIES, &seconds[count], error);
    }
    if (status == ROOF_OK) {
      before = bytes[count];
      *roof_machine_add_curve_point(m) = (roof_curve_point){before, before / seconds[count]};
      count++;
    }
  }
  if (status == ROOF_OK && count > 1) {
    rf_device_keep(bench, "read of growing size, one launch each", 1, seconds, (size_t)count);
    note_ramp(bench, bytes, seconds, count);
    status = measure_escape(bench, step, error);
  }
  return status;
}
