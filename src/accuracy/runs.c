/* Runs of whole models, and what is predicted of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy/cases.h"
#include "core/form.h"
#include "models/step.h"
#include "roofline/weights.h"

enum { WORDS = 32 };

/** The framework of that name, where any constants could be of it; NULL: as kernels of any. */
static const char *framework_of(const roof_machine *machine, const char *text) {
  const char *name = NULL;
  char own[ROOF_FRAMEWORK_MAX];
  snprintf(own, sizeof own, "%.*s", (int)strcspn(text, "/ "), text);
  rf_framework_find(machine, own, &name, NULL);
  return name;
}

/** The run on the machine: its model loaded, its settings read, answered. */
static roof_status predict(const roof_served *run, const roof_machine *machine, const roof_options *options,
                           roof_whole **whole, roof_error *error) {
  char *settings = strdup(run->settings), *rest = NULL;
  if (settings == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", run->model);
  }
  const char *words[WORDS] = {run->model};
  int count = 1;
  roof_formats formats = {.dtype = run->dtype[0] != '\0' ? run->dtype : NULL,
                          .weights = run->weights[0] != '\0' ? run->weights : NULL,
                          .kv = run->kv != NULL && run->kv[0] != '\0' ? run->kv : NULL};
  for (char *word = strtok_r(settings, " ", &rest); word != NULL && count < WORDS;
       word = strtok_r(NULL, " ", &rest)) {
    words[count++] = word;
  }
  roof_options own = *options;
  own.framework = own.framework != NULL ? own.framework : framework_of(machine, run->how);
  roof_status status = count < WORDS
                           ? roof_whole_read(words, count, &formats, &own, false, whole, error)
                           : roof_error_set(error, ROOF_E_ARGUMENT, "settings: %d words at most: %.60s",
                                            WORDS - 2, run->settings);
  free(settings);
  if (status == ROOF_OK) {
    (*whole)->settings.expert_framework =
        options->framework == NULL && run->experts != NULL ? framework_of(machine, run->experts) : NULL;
    status = roof_whole_on(*whole, machine, error);
    if (status != ROOF_OK) {
      roof_whole_free(*whole);
      *whole = NULL;
    }
  }
  return status;
}

/** The figures of a run that were timed, as its answer predicts them. */
static rf_run_case figure_of(const roof_whole *whole, const rf_accuracy_device *device,
                             const roof_served *run, roof_served_figure figure) {
  rf_run_case c = {.device = device, .run = run, .figure = figure, .seconds = run->seconds[figure]};
  const roof_model_answer *a = &whole->answer;
  const roof_model_phase *train = &a->phases[ROOF_PHASE_TRAIN];
  switch (figure) {
  case ROOF_SERVED_TTFT:
    rf_first_token(whole, run, &c);
    break;
  case ROOF_SERVED_REQUEST:
    rf_whole_request(whole, run, &c);
    break;
  case ROOF_SERVED_TPOT:
    c.expected = a->continuous.tpot_seconds;
    c.low = a->continuous_low.tpot_seconds;
    c.high = a->continuous_high.tpot_seconds;
    c.lower = a->continuous_least.tpot_seconds - a->continuous_least.wait_seconds;
    break;
  default:
    c.expected = train->expected_seconds;
    c.low = train->expected_low_seconds;
    c.high = train->expected_high_seconds;
    c.lower = train->lower_seconds;
  }
  return c;
}

static roof_run_class class_of(const roof_model_operation *o) {
  switch (o->kind) {
  case ROOF_KIND_PRODUCT:
    return o->part == ROOF_PART_EXPERTS ? ROOF_RUN_EXPERTS : ROOF_RUN_PRODUCTS;
  case ROOF_KIND_ATTENTION:
  case ROOF_KIND_STATE:
    return ROOF_RUN_ATTENTION;
  case ROOF_KIND_COLLECTIVE:
    return ROOF_RUN_COLLECTIVES;
  default:
    return ROOF_RUN_ELEMENTWISE;
  }
}

/** Adds the classes of a phase, `each` of its time. */
static void add_parts(rf_run_case *c, const roof_model_phase *p, double each) {
  for (int i = 0; i < p->count; i++) {
    const roof_model_operation *o = &p->operations[i];
    double calls = o->count * each;
    c->part[class_of(o)].expected += calls * o->expected_seconds;
    c->part[class_of(o)].low += calls * o->expected_low_seconds;
    c->part[class_of(o)].high += calls * o->expected_high_seconds;
  }
}

/** What of the expected time each class of kernels has. */
static void fill_parts(roof_whole *whole, rf_run_case *c) {
  const roof_model_target *t = &whole->target;
  roof_model_answer *a = &whole->answer;
  const roof_model_phase *step = roof_model_step(a);
  if (c->figure == ROOF_SERVED_TPOT) {
    add_parts(c, step, a->tpot_seconds / step->expected_seconds);
    c->part[ROOF_RUN_PROMPTS].expected = a->continuous.wait_seconds;
    c->part[ROOF_RUN_PROMPTS].low = a->continuous_low.wait_seconds;
    c->part[ROOF_RUN_PROMPTS].high = a->continuous_high.wait_seconds;
  } else if (c->figure == ROOF_SERVED_TTFT) {
    roof_model_phase *prompt = &a->phases[ROOF_PHASE_TRAIN]; /* free where something is generated */
    double host = rf_host_seconds(t, c->run, &a->continuous);
    add_parts(c, prompt, (c->expected - host) / rf_model_one_prompt_seconds(t, prompt));
  } else if (c->figure == ROOF_SERVED_STEP) {
    add_parts(c, step, 1);
  }
}

/** What its errors are taken together by: each figure by itself. */
static void name_keys(rf_run_case *c) {
  const struct {
    roof_accuracy_by by;
    const char *name;
  } keys[] = {{ROOF_ACCURACY_DEVICE, c->device->machine->name},
              {ROOF_ACCURACY_FORMAT, c->run->weights[0] != '\0' ? c->run->weights : "as stored"},
              {ROOF_ACCURACY_HOW, c->run->how},
              {ROOF_ACCURACY_MODEL, c->run->model}};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    if (keys[i].name[0] != '\0') {
      snprintf(c->key[keys[i].by], sizeof c->key[0], "%s, %.48s", roof_served_figure_name(c->figure),
               keys[i].name);
    }
  }
}

static roof_status add(rf_cases *cases, const rf_run_case *c, roof_error *error) {
  rf_run_case *grown = cases->runs;
  if ((cases->run_count & (cases->run_count - 1)) == 0) {
    grown = realloc(grown, (cases->run_count > 0 ? 2 * cases->run_count : 1) * sizeof *grown);
  }
  if (grown == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "accuracy: out of memory");
  }
  cases->runs = grown;
  cases->runs[cases->run_count++] = *c;
  return ROOF_OK;
}

/** Whether the device that the file means has the memory of the machine that we know; true where it does not say. */
static bool same_memory(const roof_target *t, double bytes_per_second) {
  const roof_level *memory = t->level[t->memory];
  double own = memory != NULL ? memory->bytes_per_second : NAN;
  return isnan(bytes_per_second) || (own > 0.95 * bytes_per_second && own < 1.05 * bytes_per_second);
}

/** Why the run on a machine is no prediction of what ran; "": it is one. */
static void find_reason(const roof_whole *whole, const roof_served *run, roof_error *why) {
  if (!same_memory(&whole->target.plain, run->device_bytes_per_second)) {
    roof_error_set(why, ROOF_E_ARGUMENT, "%s: our machine of that name has another memory", run->device);
  } else if (!whole->answer.capacity.fits) {
    roof_error_set(why, ROOF_E_ARGUMENT, "its batch does not fit: the engine ran fewer sequences at a time");
  }
}

roof_status rf_cases_add_run(rf_cases *cases, const rf_accuracy_device *device, const roof_served *run,
                             const roof_options *options, roof_error *why, roof_error *error) {
  roof_whole *whole = NULL;
  roof_status status = ROOF_OK;
  if (predict(run, device->machine, options, &whole, why) != ROOF_OK) {
    return ROOF_OK;
  }
  find_reason(whole, run, why);
  roof_service_answer simulated;
  bool simulates = cases->simulated && !isnan(run->requests) && why->message[0] == '\0' &&
                   rf_run_simulate(whole, run, &simulated, why) == ROOF_OK;
  for (int i = 0; i < ROOF_SERVED_FIGURE_COUNT && why->message[0] == '\0' && status == ROOF_OK; i++) {
    rf_run_case c = figure_of(whole, device, run, (roof_served_figure)i);
    if (simulates) {
      rf_run_simulated(&simulated, &c);
    }
    if (!(c.seconds > 0 && c.expected > 0)) {
      continue; /* its parts would take the place of a phase that another figure needs */
    }
    name_keys(&c);
    fill_parts(whole, &c);
    status = add(cases, &c, error);
  }
  roof_whole_free(whole);
  return status;
}
