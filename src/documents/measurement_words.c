/* A measurement read from words, as people type it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "roofline/documents.h"
#include "roofline/sealing.h"
#include "roofline/units.h"

static roof_status take_seconds(roof_measurement *m, char *text, roof_error *error) {
  roof_status status = roof_quantity_parse_unit(text, "s", &m->seconds, error);
  return status != ROOF_OK && strchr(text, ',') != NULL
             ? roof_error_set(error, status, "seconds: `%s`: one time; of several give samples=%s", text,
                              text)
             : status;
}

static roof_status take_samples(roof_measurement *m, char *text, roof_error *error) {
  char *rest = NULL;
  roof_status status = ROOF_OK;
  for (char *part = strtok_r(text, ",", &rest); part != NULL && status == ROOF_OK;
       part = strtok_r(NULL, ",", &rest)) {
    double seconds = NAN;
    status = roof_quantity_parse_unit(part, "s", &seconds, error);
    if (status == ROOF_OK && !(seconds > 0)) {
      status = roof_error_set(error, ROOF_E_ARGUMENT, "samples: `%s`: must be more than 0 s", part);
    }
    if (status == ROOF_OK) {
      status = roof_measurement_sample(m, seconds, error);
    }
  }
  return status;
}

static roof_status take_flops(roof_measurement *m, char *text, roof_error *error) {
  return roof_quantity_parse_unit(text, "FLOP", &m->flops, error);
}

static roof_status take_bytes(roof_measurement *m, char *text, roof_error *error) {
  return roof_quantity_parse_unit(text, "B", &m->bytes, error);
}

static roof_status take_machine(roof_measurement *m, char *text, roof_error *error) {
  (void)error;
  snprintf(m->machine, sizeof m->machine, "%s", text);
  return ROOF_OK;
}

static roof_status take_dtype(roof_measurement *m, char *text, roof_error *error) {
  m->dtype_said = true;
  return roof_dtype_parse(text, &m->dtype, error);
}

static const struct {
  const char *key;
  roof_status (*take)(roof_measurement *m, char *text, roof_error *error);
} keys[] = {{"seconds", take_seconds}, {"samples", take_samples}, {"flops", take_flops},
            {"bytes", take_bytes},     {"machine", take_machine}, {"dtype", take_dtype}};

enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

/** `*given`: the keys before it. */
static roof_status take_pair(roof_measurement *m, const char *word, unsigned *given, roof_error *error) {
  const char *names[KEY_COUNT + 1] = {NULL};
  char copy[4096];
  if (snprintf(copy, sizeof copy, "%s", word) >= (int)sizeof copy) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%.40s...`: too long; record a file instead", word);
  }
  char *equals = strchr(copy, '=');
  if (equals == NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: give key=value, for instance seconds=1.5ms", word);
  }
  *equals = '\0';
  for (int i = 0; i < KEY_COUNT; i++) {
    names[i] = keys[i].key;
    if (strcmp(copy, keys[i].key) == 0 && (*given >> i & 1) != 0) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "%s: given twice", copy);
    }
    if (strcmp(copy, keys[i].key) == 0) {
      *given |= 1u << i;
      return keys[i].take(m, equals + 1, error);
    }
  }
  return roof_error_unknown(error, "key", copy, names, NULL);
}

roof_status roof_measurements_add_words(roof_measurements *all, const char *label, const char *const *words,
                                        int count, roof_error *error) {
  roof_measurement *m = NULL;
  unsigned given = 0;
  roof_status status = roof_measurements_add(all, &m, error);
  if (status != ROOF_OK) {
    return status;
  }
  all->taken = m->taken_from = ROOF_TAKEN_HAND;
  status = roof_label_check(label, error);
  if (status != ROOF_OK) {
    return status;
  }
  snprintf(m->label, sizeof m->label, "%s", label);
  snprintf(m->note, sizeof m->note, "by hand");
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = take_pair(m, words[i], &given, error);
  }
  status = status == ROOF_OK ? roof_measurement_settle(m, error) : status;
  if (status == ROOF_OK && isnan(m->seconds)) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "%s: give seconds=..., or samples=...", m->label);
  }
  snprintf(m->counted, sizeof m->counted, "%s", isnan(m->bytes) ? "" : "by hand");
  snprintf(m->counted_flops, sizeof m->counted_flops, "%s", isnan(m->flops) ? "" : "by hand");
  return status;
}

roof_status roof_measurements_count(roof_measurements *all, const char *const *counters, roof_error *error) {
  roof_status status = ROOF_OK;
  bool given[ROOF_CLUE_COUNT] = {false};
  if (counters != NULL && all->count != 1) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--counter: of which of the %zu kernels?", all->count);
  }
  for (int i = 0; counters != NULL && counters[i] != NULL && status == ROOF_OK; i++) {
    roof_clue clue;
    double value;
    status = roof_clue_read(counters[i], &clue, &value, error);
    if (status == ROOF_OK && given[clue]) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "--counter %s: given twice", roof_clue_name(clue));
    }
    if (status == ROOF_OK) {
      given[clue] = true;
      status = roof_measurement_count(&all->list[0], roof_clue_name(clue), value, error);
    }
  }
  return status;
}
