#include "cli/run/measured.h"

#include <math.h>
#include <string.h>

void cli_measured_samples(const void *row, roof_text *out) {
  const roof_measurement *m = row;
  for (size_t i = 0; i < m->sample_count; i++) {
    roof_text_add(out, i > 0 ? ";" : "");
    roof_text_add_number(out, m->samples[i], 15);
  }
}

const char *cli_measured_dtypes(const void *row, char scratch[CLI_SCRATCH]) {
  const roof_measurement *m = row;
  size_t used = 0;
  scratch[0] = '\0';
  for (int d = 0; d < ROOF_DTYPE_COUNT && used < CLI_SCRATCH; d++) {
    if (!isnan(m->dtype_flops[d])) {
      used += (size_t)snprintf(scratch + used, CLI_SCRATCH - used, "%s%s", used > 0 ? "+" : "",
                               roof_dtype_name((roof_dtype)d));
    }
  }
  return used > 0 ? scratch : isnan(m->flops) ? NULL : roof_dtype_name(m->dtype);
}

const char *cli_measured_share(double share, char scratch[CLI_SCRATCH]) {
  static const double most = 10; /* beyond it the FLOPs or bytes are wrong, whatever the share */
  return share > most ? "over 1000 %" : isnan(share) ? NULL : cli_column_say(scratch, "%.1f %%", 100 * share);
}

double cli_measured_flops_rate(const void *row) {
  const roof_measurement *m = row;
  return m->flops / m->seconds;
}

double cli_measured_bytes_rate(const void *row) {
  const roof_measurement *m = row;
  return m->bytes / m->seconds;
}

double cli_measured_intensity(const void *row) {
  const roof_measurement *m = row;
  return isfinite(m->flops / m->bytes) ? m->flops / m->bytes : (double)NAN;
}

double cli_measured_spread(const void *row) {
  const roof_measurement *m = row;
  return m->sample_count > 0 ? m->stats.spread : (double)NAN;
}

double cli_measured_unknown(const void *row) {
  (void)row;
  return NAN;
}
