/* Dependent loads (pointer chase), and rises in a curve over working sets. */
#include <math.h>
#include <string.h>

#include "host/clock.h"
#include "measure/cpu/cpu.h"

size_t rf_chase_bytes(bool quick, double last, double room) {
  double usual = quick ? 0x1p26 : 0x1p28;
  return rf_cpu_floor_power(fmin(fmax(usual, 6 * last), room));
}

/* A linear congruential sequence of full period needs no shuffle, and prefetchers cannot predict it. */
void rf_chase_link(char *data, size_t bytes) {
  const size_t count = bytes / RF_CHASE_LINE, factor = 0x9E3779B97F4A7C15u / 8 * 8 + 5,
               term = 0xB5297A4Du | 1;
  for (size_t i = 0; i < count; i++) {
    *(void **)(void *)(data + i * RF_CHASE_LINE) = data + ((i * factor + term) & (count - 1)) * RF_CHASE_LINE;
  }
}

double rf_chase(void ***from, int loads) {
  void **at = *from;
  double start = rf_clock_seconds();
  for (int i = 0; i < loads; i++) {
    at = *at;
    __asm__ volatile("" : "+r"(at));
  }
  double seconds = (rf_clock_seconds() - start) / loads;
  *from = at;
  return seconds;
}

int rf_curve_rises(const double *values, int count, rf_rise *rises, int capacity) {
  static const double step = 1.4;
  int found = 0;
  double plateau = values[0];
  for (int i = 1; i < count; i++) {
    bool rising = values[i] > step * plateau;
    bool still = rising && i > 1 && found > 0 && rises[found - 1].to == i - 1;
    if (rising && !still && found < capacity) {
      rises[found++] = (rf_rise){i - 1, i};
    }
    if (rising && still) {
      rises[found - 1].to = i; /* a slope, not a plateau: the rise continues */
    }
    plateau = rising ? values[i] : fmax(plateau, values[i]);
  }
  return found;
}
