#include "core/curve.h"

#include <math.h>

#include "core/stats.h"

double rf_curve_memory_rate(const roof_curve_point *curve, int count) {
  enum { OUTER = 8 };
  double rates[OUTER];
  int points = count < OUTER ? count : OUTER;
  for (int i = 0; i < points; i++) {
    rates[i] = curve[count - 1 - i].bytes_per_second;
  }
  return rf_stats_quantile(rates, (size_t)points, 0.5);
}

double rf_curve_memory_share(const roof_curve_point *curve, int count, double bytes) {
  int below = count - 1;
  double rate = 0;
  if (count == 0 || !(bytes <= curve[below].bytes)) {
    return 1;
  }
  for (; below >= 0 && curve[below].bytes >= bytes; below--) {
    rate = fmax(rate, curve[below].bytes_per_second);
  }
  if (below >= 0) {
    const roof_curve_point *from = &curve[below], *to = from + 1;
    double more = fmax(0, from->bytes_per_second - rate);
    rate += more * (to->bytes - bytes) / (to->bytes - from->bytes);
  }
  return fmin(1, rf_curve_memory_rate(curve, count) / rate);
}
