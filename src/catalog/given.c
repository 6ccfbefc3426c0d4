#include "catalog/given.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/text.h"
#include "roofline/units.h"

static const char peak_key[] = "peak=", bandwidth_key[] = "bandwidth=";

/** What stands after the key; NULL: another word. */
static const char *value_of(const char *word, const char *key) {
  size_t length = strlen(key);
  return strncmp(word, key, length) == 0 ? word + length : NULL;
}

bool rf_catalog_is_given(const char *name) {
  return value_of(name, peak_key) != NULL || value_of(name, bandwidth_key) != NULL;
}

static roof_status read_rate(const char *key, const char *text, const char *unit, double *value,
                             roof_error *error) {
  roof_error why = {0};
  roof_status status = roof_quantity_parse_unit(text, unit, value, &why);
  if (status == ROOF_OK && !(*value > 0)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s%s: must be above 0", key, text);
  }
  return status == ROOF_OK ? ROOF_OK : roof_error_set(error, status, "%s%s", key, why.message);
}

static bool has_peak(const roof_machine *m, roof_dtype dtype) {
  for (int i = 0; i < m->peak_count; i++) {
    if (m->peaks[i].dtype == dtype) {
      return true;
    }
  }
  return false;
}

static bool add_peak(roof_machine *m, roof_dtype dtype, double rate) {
  roof_peak *peak = has_peak(m, dtype) ? NULL : roof_machine_add_peak(m);
  if (peak != NULL) {
    peak->dtype = dtype;
    peak->unit = ROOF_VECTOR;
    peak->kind = ROOF_ASSUMED;
    peak->flops_per_second = rate;
    snprintf(peak->source, sizeof peak->source, "given by --peak");
  }
  return peak != NULL || has_peak(m, dtype);
}

/** "312TFLOP/s" or "fp16:312TFLOP/s"; what is of all formats waits in *rest. */
static roof_status read_peak(roof_machine *m, const char *text, double *rest, roof_error *error) {
  const char *colon = strchr(text, ':');
  char name[ROOF_NAME_MAX];
  roof_dtype dtype = ROOF_FP32;
  double rate = 0;
  snprintf(name, sizeof name, "%.*s", colon != NULL ? (int)(colon - text) : 0, text);
  roof_status status = colon != NULL ? roof_dtype_parse(name, &dtype, error) : ROOF_OK;
  status = status == ROOF_OK ? read_rate(peak_key, colon != NULL ? colon + 1 : text, "FLOP/s", &rate, error)
                             : status;
  if (status != ROOF_OK || colon == NULL) {
    *rest = status == ROOF_OK ? rate : *rest;
    return status;
  }
  return add_peak(m, dtype, rate) ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "machine: out of memory");
}

static roof_status read_bandwidth(roof_machine *m, const char *text, roof_error *error) {
  double rate = 0;
  roof_status status = read_rate(bandwidth_key, text, "B/s", &rate, error);
  roof_level *level = status == ROOF_OK ? roof_machine_add_level(m) : NULL;
  if (level == NULL) {
    return status != ROOF_OK ? status : roof_error_set(error, ROOF_E_MEMORY, "machine: out of memory");
  }
  snprintf(level->name, sizeof level->name, "memory");
  level->level = ROOF_MEMORY;
  level->kind = ROOF_ASSUMED;
  level->bytes_per_second = rate;
  snprintf(level->source, sizeof level->source, "given by --bandwidth");
  return ROOF_OK;
}

static roof_status read_word(roof_machine *m, const char *word, double *rest, roof_error *error) {
  const char *peak = value_of(word, peak_key), *bandwidth = value_of(word, bandwidth_key);
  return peak != NULL        ? read_peak(m, peak, rest, error)
         : bandwidth != NULL ? read_bandwidth(m, bandwidth, error)
                             : roof_error_set(error, ROOF_E_ARGUMENT,
                                              "machine `%.40s`: give peak=FLOP/s and bandwidth=B/s", word);
}

static roof_status read_words(roof_machine *m, const char *name, roof_error *error) {
  char *copy = strdup(name), *rest = NULL;
  double others = 0;
  roof_status status =
      copy != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "machine: out of memory");
  for (char *word = copy != NULL ? strtok_r(copy, " ", &rest) : NULL; word != NULL && status == ROOF_OK;
       word = strtok_r(NULL, " ", &rest)) {
    status = read_word(m, word, &others, error);
  }
  for (int i = 0; i < ROOF_DTYPE_COUNT && others > 0 && status == ROOF_OK; i++) {
    add_peak(m, (roof_dtype)i, others);
  }
  free(copy);
  return status;
}

/** The figures, as people read them. */
static void write_title(roof_machine *m, double peak) {
  char rate[48] = "", bandwidth[48] = "";
  if (peak > 0) {
    roof_quantity_format(rate, sizeof rate, peak, "FLOP/s");
  }
  if (m->level_count > 0) {
    roof_quantity_format(bandwidth, sizeof bandwidth, m->levels[0].bytes_per_second, "B/s");
  }
  snprintf(m->title, sizeof m->title, "%s%s%s", rate, rate[0] != '\0' && bandwidth[0] != '\0' ? ", " : "",
           bandwidth);
}

roof_status rf_catalog_load_given(const char *name, roof_machine **machine, roof_error *error) {
  roof_machine *m = roof_machine_new();
  if (m == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "machine: out of memory");
  }
  roof_status status = read_words(m, name, error);
  if (status != ROOF_OK) {
    roof_machine_free(m);
    return status;
  }
  m->kind = ROOF_ASSUMED;
  snprintf(m->name, sizeof m->name, "%s", strlen(name) < sizeof m->name ? name : "given");
  write_title(m, m->peak_count > 0 ? m->peaks[0].flops_per_second : 0);
  *machine = m;
  return ROOF_OK;
}
