/* The time of a pipeline. A token passes every stage once, each with its own layers, the embedding and the output projection
 * where they are: a microbatch alone takes the sum of the stages' times and of the transfers between them. Each microbatch
 * more takes what the slowest stage takes (Huang et al. 2019, GPipe, section 2.3). */
#include <math.h>

#include "models/step.h"

/** The fullest stage's part of the layers, in the device's times, is so many-th of all. */
double rf_model_full_stages(const roof_model_target *t) {
  double layers = t->model->layer_count;
  return layers / ceil(layers / t->settings.pp);
}

void rf_model_pipeline_add(model_step *s, double count, const roof_model_operation *o) {
  int best = o->kind == ROOF_KIND_COLLECTIVE ? MODEL_TIME_LINKS + (int)o->span : MODEL_TIME_WORK;
  const double seconds[MODEL_TIME_COUNT] = {[MODEL_TIME_UPPER] = o->upper_seconds,
                                            [MODEL_TIME_EXPECTED] = o->expected_seconds,
                                            [MODEL_TIME_LOW] = o->expected_low_seconds,
                                            [MODEL_TIME_HIGH] = o->expected_high_seconds};
  double *sums = s->times[s->place];
  if (s->target->settings.pp <= 1) {
    return;
  }
  for (int i = 0; i < MODEL_TIME_COUNT; i++) {
    sums[i] += count * seconds[i];
  }
  sums[best] += count * o->lower_seconds;
}

/** What the device does in a step: it has everything of a stage, and the most layers. */
static double stage_seconds(const model_step *s, int time) {
  double sum = 0;
  for (int i = 0; i < MODEL_PLACE_COUNT; i++) {
    sum += s->times[i][time];
  }
  return sum / s->steps;
}

/** Of a microbatch through all stages: what the other stages have besides is layers, and one transfer fewer than stages. */
static double pass_seconds(const model_step *s, int time) {
  double layers = (rf_model_full_stages(s->target) - 1) * s->times[MODEL_IN_LAYERS][time];
  double sends = (s->target->settings.pp - 2) * s->times[MODEL_BETWEEN][time];
  return stage_seconds(s, time) + (layers + sends) / s->steps;
}

/** While one microbatch passes the other stages, unless others come meanwhile; with several stages on each device, one on
 *  each (Narayanan et al. 2021, section 2.2.2). */
static double wait_seconds(const model_step *s, int time) {
  double stage = stage_seconds(s, time), pass = pass_seconds(s, time);
  return s->fills ? (pass - stage) / fmax(1, s->target->settings.interleave)
                  : fmax(0, pass - s->steps * stage);
}

/** Where all that is not the longest hides behind it: the work on the device, or one link between devices. */
static double at_best(const model_step *s, double seconds(const model_step *, int)) {
  double near = fmax(seconds(s, MODEL_TIME_LINKS + ROOF_SPAN_NEIGHBOURS),
                     seconds(s, MODEL_TIME_LINKS + ROOF_SPAN_NODE));
  double links = fmax(near, seconds(s, MODEL_TIME_LINKS + ROOF_SPAN_CLUSTER));
  return fmax(seconds(s, MODEL_TIME_WORK), links);
}

/** Of a transfer from the host the more is left the shorter the work that it hides behind: low and high may be the wrong way round. */
model_seconds rf_model_idle(const model_step *s) {
  double expected = wait_seconds(s, MODEL_TIME_EXPECTED);
  return (model_seconds){at_best(s, wait_seconds), wait_seconds(s, MODEL_TIME_UPPER), expected,
                         fmin(expected, wait_seconds(s, MODEL_TIME_LOW)),
                         fmax(expected, wait_seconds(s, MODEL_TIME_HIGH))};
}

/** Some stage has as many layers as the fullest of equal ones, one has the output projection, and one as much as the mean
 *  of all. A step of training need not fill and drain: weights' gradients, of three products one at most, wait for no other
 *  stage and run while it would, and stages that are done begin the next step (Qi et al. 2023, Zero Bubble). */
static double least_seconds(const model_step *s, int time) {
  double pass = pass_seconds(s, time), m = s->steps;
  double busiest = fmax(s->times[MODEL_IN_LAYERS][time], s->times[MODEL_IN_HEAD][time]) / m;
  busiest = fmax(busiest, pass / s->target->settings.pp);
  if (s->training) {
    return fmax(pass * 2 / 3, m * busiest);
  }
  return s->fills ? pass + (m - 1) * busiest : fmax(pass, m * busiest);
}

double rf_model_pipeline_least(const model_step *s) {
  return at_best(s, least_seconds);
}
