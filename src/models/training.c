/* A training run: as many steps as its tokens need, days, device-hours, what it costs. */
#include <math.h>

#include "roofline/model.h"

roof_model_training roof_model_training_of(const roof_model_settings *s, double devices,
                                           const roof_model_phase *step) {
  roof_model_training run = {NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  if (!(s->tokens > 0)) {
    return run;
  }
  run.tokens = s->tokens;
  run.steps = ceil(s->tokens / (s->batch * s->prompt));
  run.seconds = run.steps * step->expected_seconds;
  run.low_seconds = run.steps * step->expected_low_seconds;
  run.high_seconds = run.steps * step->expected_high_seconds;
  run.device_seconds = run.seconds * devices;
  run.price = s->price / 3600 * run.device_seconds;
  return run;
}
