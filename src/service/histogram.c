#include "service/histogram.h"

#include <math.h>
#include <string.h>

#include "core/power.h"

/** The first bin begins at a nanosecond, the last ends after 1000 seconds or more. */
static const double first = 1e-9, ratio = 1.01;

void rf_histogram_start(service_histogram *h) {
  memset(h, 0, sizeof *h);
  h->least = INFINITY;
}

static int bin_of(double value) {
  static const double per_bin = 100.4991708; /* 1 / ln 1.01 */
  double bin = floor(log(value / first) * per_bin);
  return bin < 0 ? 0 : bin < SERVICE_BINS ? (int)bin : SERVICE_BINS - 1;
}

static void note(service_histogram *h, double low, double high, double weight) {
  h->count += weight;
  h->sum += weight * (low + high) / 2;
  h->least = fmin(h->least, low);
  h->most = fmax(h->most, high);
}

void rf_histogram_add(service_histogram *h, double value, double weight) {
  note(h, value, value, weight);
  *(value > 0 ? &h->bins[bin_of(value)] : &h->zeros) += weight;
}

void rf_histogram_spread(service_histogram *h, double low, double high, double weight) {
  int from = bin_of(low), to = bin_of(high);
  if (!(low > 0) || from == to) {
    rf_histogram_add(h, (low + high) / 2, weight);
    h->least = fmin(h->least, low), h->most = fmax(h->most, high);
    return;
  }
  note(h, low, high, weight);
  double at = low, end = first * rf_power(ratio, from + 1);
  for (int bin = from; bin <= to; bin++, end *= ratio) {
    double reached = bin == to ? high : fmin(end, high);
    h->bins[bin] += weight * (reached - at) / (high - low);
    at = reached;
  }
}

static double quantile(const service_histogram *h, double share) {
  double wanted = share * h->count, passed = h->zeros;
  if (wanted <= passed) {
    return 0;
  }
  int bin = 0;
  while (bin < SERVICE_BINS - 1 && passed + h->bins[bin] < wanted) {
    passed += h->bins[bin++];
  }
  double within = h->bins[bin] > 0 ? (wanted - passed) / h->bins[bin] : 0.5;
  return fmax(h->least, fmin(h->most, first * rf_power(ratio, bin + within)));
}

roof_service_times rf_histogram_times(const service_histogram *h, double share) {
  if (!(h->count > 0)) {
    return (roof_service_times){0, NAN, NAN, NAN, NAN, NAN, NAN};
  }
  return (roof_service_times){.count = h->count,
                              .mean = h->sum / h->count,
                              .p50 = quantile(h, 0.5),
                              .p90 = quantile(h, 0.9),
                              .p99 = quantile(h, 0.99),
                              .most = h->most,
                              .asked = share > 0 ? quantile(h, share) : NAN};
}
