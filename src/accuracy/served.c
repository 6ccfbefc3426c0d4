/* Runs of serving benchmarks as measurements of the predictions that were sealed of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "roofline/accuracy.h"
#include "roofline/units.h"
#include "roofline/weights.h"

/** A sealed prediction's label, read. */
typedef struct sealed {
  const char *label;
  roof_served run;
  roof_served_figure figure;
  bool measured; /**< already */
} sealed;

/** A setting of "batch=16 prompt=1024"; NaN: it is not there. */
static double setting_of(const char *settings, const char *name) {
  size_t length = strlen(name);
  for (const char *at = settings; at != NULL; at = strchr(at, ' ')) {
    at += strspn(at, " ");
    if (strncmp(at, name, length) == 0 && at[length] == '=') {
      double value = NAN;
      return roof_number_read(at + length + 1, strcspn(at + length + 1, " "), &value) > 0 ? value : NAN;
    }
  }
  return NAN;
}

/** Whether two names are of one model: "meta-llama/Llama-3.1-8B-Instruct" and "llama-3.1-8b". */
static bool same_model(const char *a, const char *b) {
  roof_model *models = malloc(2 * sizeof *models);
  bool same = strcmp(a, b) == 0;
  if (!same && models != NULL && roof_model_load(a, &models[0], NULL) == ROOF_OK) {
    same = strcmp(models[0].name, b) == 0 ||
           (roof_model_load(b, &models[1], NULL) == ROOF_OK && strcmp(models[0].name, models[1].name) == 0);
  }
  free(models);
  return same;
}

/** Whether a run is what was predicted: the plan and the requests at once as they are, tokens within a tenth. */
static bool matches(const roof_served *run, const sealed *s) {
  static const char *const equal[] = {"batch", "tp", "pp", "dp", "ep"};
  static const char *const near[] = {"prompt", "generate"};
  bool is = true;
  for (size_t i = 0; i < sizeof equal / sizeof equal[0]; i++) {
    double own = setting_of(run->settings, equal[i]), other = setting_of(s->run.settings, equal[i]);
    is = is && (isnan(own) || own == (isnan(other) ? 1 : other));
  }
  for (size_t i = 0; i < sizeof near / sizeof near[0]; i++) {
    double own = setting_of(run->settings, near[i]), other = setting_of(s->run.settings, near[i]);
    is = is && fabs(own - other) <= 0.1 * other;
  }
  return is && same_model(run->model, s->run.model);
}

/** Of requests that came at once the first tokens waited in their queue; what is sealed is the time of a prompt alone. */
static bool has_queue(const roof_served *run, roof_served_figure figure) {
  return figure == ROOF_SERVED_TTFT && run->at_once && setting_of(run->settings, "batch") > 1;
}

static roof_status add_figure(const roof_profile *profile, const roof_record *record, const sealed *list,
                              size_t count, roof_served_figure figure, roof_measurements *all,
                              roof_error *error) {
  const char *label = NULL;
  bool several = false, measured = false;
  char what[ROOF_LABEL_MAX];
  for (size_t i = 0; i < count; i++) {
    bool is = list[i].figure == figure && matches(record->run, &list[i]);
    measured = measured || (is && list[i].measured);
    if (is && !list[i].measured) {
      several = label != NULL;
      label = label == NULL ? list[i].label : label;
    }
  }
  snprintf(what, sizeof what, "%s of %.100s", roof_served_figure_name(figure), record->name);
  if (label == NULL || several) {
    return roof_measurements_skip(
        all, what,
        several    ? "several sealed predictions could be of it: record it by its label"
        : measured ? "the prediction of it has a measurement: record it by its label"
                   : "no prediction of its model, batch and tokens is sealed",
        error);
  }
  if (has_queue(record->run, figure)) {
    return roof_measurements_skip(
        all, what,
        "the requests came at once, so it has their queue, and the prediction is of "
        "a prompt alone: `validate` and `serve --concurrency` have the queue",
        error);
  }
  roof_measurement *one;
  roof_status status = roof_measurements_add(all, &one, error);
  if (status == ROOF_OK) {
    snprintf(one->label, sizeof one->label, "%s", label);
    one->seconds = record->run->seconds[figure];
    one->taken = profile->taken;
    one->taken_from = all->taken;
  }
  return status;
}

static roof_status add_all(const roof_profile *profile, const sealed *list, size_t count,
                           roof_measurements *all, roof_error *error) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < profile->count && status == ROOF_OK; i++) {
    const roof_record *record = &profile->records[i];
    for (int f = ROOF_SERVED_TTFT; f <= ROOF_SERVED_TPOT && record->run != NULL && status == ROOF_OK; f++) {
      status = record->run->seconds[f] > 0
                   ? add_figure(profile, record, list, count, (roof_served_figure)f, all, error)
                   : ROOF_OK;
    }
  }
  if (status == ROOF_OK && all->count == 0) {
    status = all->skipped_count > 0
                 ? roof_error_set(error, ROOF_E_GATE, "%s: %s", all->skipped[0].what, all->skipped[0].why)
                 : roof_error_set(error, ROOF_E_ARGUMENT, "no run of a whole model with a time");
  }
  return status;
}

bool roof_profile_has_runs(const roof_profile *profile) {
  for (size_t i = 0; i < profile->count; i++) {
    if (profile->records[i].run != NULL) {
      return true;
    }
  }
  return false;
}

roof_status roof_served_measurements(roof_profile *profile, char (*labels)[ROOF_LABEL_MAX], size_t count,
                                     size_t open, roof_measurements *all, roof_error *error) {
  sealed *list = malloc((count + 1) * sizeof *list);
  size_t read = 0;
  if (list == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "accuracy: out of memory");
  }
  for (size_t i = 0; i < count; i++) {
    list[read].label = labels[i];
    list[read].measured = i >= open;
    read += rf_import_served_label(profile, labels[i], &list[read].run, &list[read].figure);
  }
  all->taken = profile->dated_by_file ? ROOF_TAKEN_FILE : ROOF_TAKEN_SAID;
  snprintf(all->source, sizeof all->source, "%s", profile->format != NULL ? profile->format->title : "");
  roof_status status = add_all(profile, list, read, all, error);
  free(list);
  return status;
}
