#include "documents/measurements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "documents/json.h"
#include "host/file.h"
#include "roofline/advise.h"
#include "roofline/time.h"

void rf_measurements_done(rf_measurements *all) {
  for (size_t i = 0; i < all->count; i++) {
    roof_measurement_done(&all->list[i]);
  }
  free(all->list);
  *all = (rf_measurements){0};
}

roof_status rf_measurements_init(rf_measurements *all, size_t count, roof_error *error) {
  *all = (rf_measurements){.list = calloc(count + 1, sizeof *all->list)};
  if (all->list == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "measurements: out of memory");
  }
  all->count = count;
  for (size_t i = 0; i < count; i++) {
    roof_measurement_init(&all->list[i]);
    all->list[i].dtype = ROOF_FP32;
  }
  return ROOF_OK;
}

roof_status rf_measurement_settle(roof_measurement *m, roof_error *error) {
  if (m->sample_count == 0 || !isnan(m->seconds)) {
    return ROOF_OK;
  }
  double *sorted = malloc(m->sample_count * sizeof *sorted);
  if (sorted == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "measurements: out of memory");
  }
  memcpy(sorted, m->samples, m->sample_count * sizeof *sorted);
  roof_status status = roof_stats_of(sorted, m->sample_count, &m->stats, error);
  m->seconds = status == ROOF_OK ? m->stats.median : NAN;
  free(sorted);
  return status;
}

roof_status rf_measurement_sample(roof_measurement *m, double seconds, roof_error *error) {
  double *more = realloc(m->samples, (m->sample_count + 1) * sizeof *more);
  if (more == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "measurements: out of memory");
  }
  m->samples = more;
  m->samples[m->sample_count++] = seconds;
  return ROOF_OK;
}

roof_status rf_measurement_count(roof_measurement *m, const char *name, double value, roof_error *error) {
  roof_clue clue;
  size_t i = 0;
  roof_status status = ROOF_OK;
  if (roof_clue_parse(name, &clue, NULL) == ROOF_OK) {
    status = roof_clue_check(clue, value, error);
  }
  while (i < m->counter_count && strcmp(m->counters[i].name, name) != 0) {
    i++;
  }
  if (status == ROOF_OK && (i == ROOF_FIGURE_MAX || strlen(name) >= sizeof m->counters[i].name)) {
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "counter `%.60s`: a name has at most %zu bytes, a kernel at "
                            "most %d counters",
                            name, sizeof m->counters[0].name - 1, ROOF_FIGURE_MAX);
  }
  if (status == ROOF_OK) {
    snprintf(m->counters[i].name, sizeof m->counters[i].name, "%s", name);
    m->counters[i].value = value;
    m->counter_count = i < m->counter_count ? m->counter_count : i + 1;
  }
  return status;
}

/** How something was counted: `what` says it for all, or each format and level for itself. */
static void read_how(json_t *counted, const char *what, const char *name, char *how, size_t size) {
  json_t *all = json_object_get(counted, what), *one = json_object_get(counted, name);
  snprintf(how, size, "%s", rf_json_text_of(all != NULL ? all : json_object_get(one, "source")));
}

/** FLOPs of all formats; the format is the one with most. */
static void read_flops(json_t *flops, json_t *counted, roof_measurement *m) {
  const char *name;
  json_t *value;
  double most = 0;
  json_object_foreach(flops, name, value) {
    double count = rf_json_number_of(value);
    m->flops = isnan(m->flops) ? count : m->flops + count;
    if (count > most) {
      read_how(counted, "flops", name, m->counted_flops, sizeof m->counted_flops);
    }
    if (count > most && roof_dtype_parse(name, &m->dtype, NULL) == ROOF_OK) {
      most = count;
    }
  }
}

/** Bytes by level, and those of the outermost one named. */
static void read_bytes(json_t *bytes, json_t *counted, roof_measurement *m) {
  const char *name;
  json_t *value;
  int outermost = -1;
  json_object_foreach(bytes, name, value) {
    roof_level_kind kind;
    if (!json_is_number(value) || roof_level_kind_parse(name, &kind, NULL) != ROOF_OK) {
      continue;
    }
    m->level_bytes[kind] = json_number_value(value);
    if ((int)kind > outermost) {
      outermost = (int)kind;
      m->bytes = json_number_value(value);
      read_how(counted, "bytes", name, m->counted, sizeof m->counted);
    }
  }
}

static roof_status read_counters(json_t *counters, roof_measurement *m, roof_error *error) {
  const char *name;
  json_t *value;
  roof_status status = ROOF_OK;
  json_object_foreach(counters, name, value) {
    if (status == ROOF_OK && !json_is_null(value)) {
      status = rf_measurement_count(m, name, rf_json_number_of(value), error);
    }
  }
  return status;
}

static roof_status read_kernel(json_t *kernel, roof_measurement *m, roof_error *error) {
  const char *name = rf_json_text_of(json_object_get(kernel, "name"));
  json_t *counted = json_object_get(kernel, "counted"), *sample;
  size_t index;
  if (name[0] == '\0' || strlen(name) >= sizeof m->label) {
    return roof_error_set(error, ROOF_E_PARSE, "a kernel's `name` must have 1 to %zu bytes",
                          sizeof m->label - 1);
  }
  snprintf(m->label, sizeof m->label, "%s", name);
  snprintf(m->note, sizeof m->note, "%s", rf_json_text_of(json_object_get(kernel, "note")));
  m->seconds = rf_json_number_of(json_object_get(kernel, "seconds"));
  read_flops(json_object_get(kernel, "flops"), counted, m);
  read_bytes(json_object_get(kernel, "bytes"), counted, m);
  roof_status status = read_counters(json_object_get(kernel, "counters"), m, error);
  json_array_foreach(json_object_get(kernel, "samples"), index, sample) {
    status = status == ROOF_OK ? rf_measurement_sample(m, rf_json_number_of(sample), error) : status;
  }
  status = status == ROOF_OK ? rf_measurement_settle(m, error) : status;
  if (status != ROOF_OK && error != NULL) {
    roof_error why = *error;
    roof_error_set(error, status, "%s: %s", name, why.message);
  }
  return status;
}

/** When measuring began: as the document says, else as the file's date does; a pipe ends now. */
static roof_status read_taken(json_t *root, const char *file, double *taken, rf_taken *how,
                              roof_error *error) {
  json_t *said = json_object_get(root, "taken");
  struct stat info;
  if (said != NULL && !json_is_null(said)) {
    roof_status status = roof_time_parse(rf_json_text_of(said), taken, error);
    *how = RF_TAKEN_SAID;
    return status == ROOF_OK ? status
                             : roof_error_set(error, status,
                                              "%s: `taken`: not a time in UTC, as "
                                              "2026-01-31T12:00:00Z",
                                              file);
  }
  if (stat(file, &info) == 0 && S_ISREG(info.st_mode)) {
    *taken = (double)info.st_mtim.tv_sec + 1e-9 * (double)info.st_mtim.tv_nsec;
    *how = RF_TAKEN_FILE;
  }
  return ROOF_OK;
}

static roof_status read_root(json_t *root, const char *file, rf_measurements *all, roof_error *error) {
  json_t *kernels = json_object_get(root, "kernels"), *kernel;
  const char *machine = rf_json_text_of(json_object_get(root, "machine"));
  double taken = NAN;
  size_t index;
  if (strcmp(rf_json_text_of(json_object_get(root, "schema")), "roofline.measurements/1") != 0 ||
      json_array_size(kernels) == 0) {
    return roof_error_set(error, ROOF_E_PARSE,
                          "%s: is not roofline.measurements/1 with kernels, as `run --json` prints it", file);
  }
  roof_status status = rf_measurements_init(all, json_array_size(kernels), error);
  if (status == ROOF_OK) {
    status = read_taken(root, file, &taken, &all->taken, error);
  }
  json_array_foreach(kernels, index, kernel) {
    if (status != ROOF_OK) {
      break;
    }
    roof_measurement *m = &all->list[index];
    snprintf(m->machine, sizeof m->machine, "%s", machine);
    m->taken = taken;
    status = read_kernel(kernel, m, error);
  }
  return status;
}

roof_status rf_measurements_parse(const char *text, size_t length, const char *file, rf_measurements *all,
                                  roof_error *error) {
  json_error_t why;
  json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
  if (root == NULL) {
    roof_error_set(error, ROOF_E_PARSE, "%s", why.text);
    return roof_error_at(error, file, why.line, why.column);
  }
  roof_status status = read_root(root, file, all, error);
  json_decref(root);
  return status;
}

roof_status rf_measurements_read(const char *file, rf_measurements *all, roof_error *error) {
  roof_text text = {0};
  roof_status status = rf_file_read(file, &text, error);
  if (status == ROOF_OK) {
    status = rf_measurements_parse(text.data != NULL ? text.data : "", text.length, file, all, error);
  }
  roof_text_done(&text);
  return status;
}
