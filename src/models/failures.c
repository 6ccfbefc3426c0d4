/* Failures of a training run and the checkpoints against them. */
#include "roofline/failures.h"

#include <math.h>

#include "models/limits.h"
#include "models/words.h"
#include "roofline/units.h"

enum { HOUR = 3600, DAY = 86400 };

roof_failure_settings roof_failure_settings_default(void) {
  return (roof_failure_settings){
      .device_seconds = 16384.0 * 54 * DAY / 419, .bytes_per_second = 1e9, .restart_seconds = 600};
}

roof_status roof_failure_settings_read(const char *hours, const char *rate, roof_failure_settings *settings,
                                       roof_error *error) {
  roof_failure_settings s = *settings;
  double between = s.device_seconds / HOUR;
  roof_status status = rf_limit_parse(hours, "", "mtbf", &between, error);
  status =
      status == ROOF_OK ? rf_limit_parse(rate, "B/s", "checkpoint-rate", &s.bytes_per_second, error) : status;
  s.device_seconds = HOUR * between;
  *settings = status == ROOF_OK ? s : *settings;
  return status;
}

roof_failures roof_failures_of(const roof_failure_settings *s, double parameters, double devices,
                               double seconds) {
  const double bytes = 2 + 4 + 4 + 4; /* of a parameter */
  roof_failures f = {.between_seconds = s->device_seconds / devices, .checkpoint_bytes = bytes * parameters};
  f.checkpoint_seconds = f.checkpoint_bytes / (s->bytes_per_second * devices);
  f.interval_seconds = fmin(sqrt(2 * f.checkpoint_seconds * f.between_seconds), seconds);
  double segment = (f.interval_seconds + f.checkpoint_seconds) / f.between_seconds;
  double each = f.between_seconds * exp(s->restart_seconds / f.between_seconds) * expm1(segment);
  f.seconds = each * seconds / f.interval_seconds;
  f.lost = 1 - seconds / f.seconds;
  f.checkpoints = floor(seconds / f.interval_seconds);
  f.failures = f.seconds / f.between_seconds;
  return f;
}

void roof_failures_describe(roof_text *out, const roof_failures *f) {
  char x[48], y[48];
  if (isinf(f->seconds)) {
    roof_text_addf(out, "  failures    one every %.3g hours: the run never ends\n",
                   f->between_seconds / HOUR);
    return;
  }
  roof_text_addf(out, f->failures < 10 ? "  failures    %.2g" : "  failures    %.0f", f->failures);
  roof_text_addf(out, ", one every %s hours: %.3g %% of the time lost,",
                 rf_plain_number(x, sizeof x, f->between_seconds / HOUR), 100 * f->lost);
  roof_text_addf(out, " %.4g days with them\n", f->seconds / DAY);
  roof_text_addf(out, "  checkpoint  %s in %s", roof_quantity_format(x, sizeof x, f->checkpoint_bytes, "B"),
                 roof_quantity_format(y, sizeof y, f->checkpoint_seconds, "s"));
  roof_text_addf(out, ", one every %.3g minutes, %.0f in all\n", f->interval_seconds / 60, f->checkpoints);
}
