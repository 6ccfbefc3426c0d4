/* Measurements read: the only reader of roofline.measurements/1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "documents/json.h"
#include "documents/locate.h"
#include "documents/measurements.h"
#include "host/file.h"
#include "roofline/advise.h"
#include "roofline/documents.h"
#include "roofline/time.h"

void roof_measurements_done(roof_measurements *all) {
  for (size_t i = 0; i < all->count; i++) {
    roof_measurement_done(&all->list[i]);
  }
  free(all->list);
  free(all->skipped);
  *all = (roof_measurements){0};
}

/** Room for one more of `size` bytes, where there is room for each power of two. */
static void *grow(void *list, size_t count, size_t size) {
  bool full = (count & (count - 1)) == 0;
  return full ? realloc(list, (count > 0 ? 2 * count : 1) * size) : list;
}

roof_status roof_measurements_add(roof_measurements *all, roof_measurement **one, roof_error *error) {
  roof_measurement *list = grow(all->list, all->count, sizeof *list);
  if (list == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "measurements: out of memory");
  }
  all->list = list;
  *one = &list[all->count++];
  roof_measurement_init(*one);
  (*one)->dtype = ROOF_FP32;
  return ROOF_OK;
}

void roof_measurements_drop_ceilings(roof_measurements *all) {
  for (size_t i = 0; i < all->count; i++) {
    all->list[i].given.ceiling_seconds = all->list[i].given.limit_seconds = NAN;
  }
}

roof_status roof_measurements_skip(roof_measurements *all, const char *what, const char *why,
                                   roof_error *error) {
  roof_skipped one;
  snprintf(one.what, sizeof one.what, "%s", what);
  snprintf(one.why, sizeof one.why, "%s", why);
  for (size_t i = 0; i < all->skipped_count; i++) {
    if (strcmp(all->skipped[i].what, one.what) == 0 && strcmp(all->skipped[i].why, one.why) == 0) {
      return ROOF_OK;
    }
  }
  roof_skipped *list = grow(all->skipped, all->skipped_count, sizeof *list);
  if (list == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "measurements: out of memory");
  }
  all->skipped = list;
  list[all->skipped_count++] = one;
  return ROOF_OK;
}

roof_status roof_measurement_settle(roof_measurement *m, roof_error *error) {
  if (m->sample_count == 0) {
    return ROOF_OK;
  }
  double *sorted = malloc(m->sample_count * sizeof *sorted);
  if (sorted == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "measurements: out of memory");
  }
  memcpy(sorted, m->samples, m->sample_count * sizeof *sorted);
  roof_status status = roof_stats_of(sorted, m->sample_count, &m->stats, error);
  m->seconds = isnan(m->seconds) && status == ROOF_OK ? m->stats.median : m->seconds;
  free(sorted);
  return status;
}

/** Of more calls than samples the mean may be beyond them. */
roof_status rf_measurement_check_samples(const roof_measurement *m, roof_error *error) {
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < m->sample_count; i++) {
    if (!(m->samples[i] >= 0 && isfinite(m->samples[i]))) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "sample %zu is no time", i + 1);
    }
    low = fmin(low, m->samples[i]);
    high = fmax(high, m->samples[i]);
  }
  bool all = m->sample_count > 0 && !(m->calls > (double)m->sample_count);
  return all && (rf_is_above(low, m->seconds) || rf_is_above(m->seconds, high))
             ? roof_error_set(error, ROOF_E_ARGUMENT, "%.4g s, but its samples are from %.4g to %.4g s",
                              m->seconds, low, high)
             : ROOF_OK;
}

roof_status roof_measurement_sample(roof_measurement *m, double seconds, roof_error *error) {
  double *more = realloc(m->samples, (m->sample_count + 1) * sizeof *more);
  if (more == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "measurements: out of memory");
  }
  m->samples = more;
  m->samples[m->sample_count++] = seconds;
  return ROOF_OK;
}

roof_status roof_measurement_count(roof_measurement *m, const char *name, double value, roof_error *error) {
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

/** How something was counted: `what` for all, or for each format and level. */
static void read_how(json_t *counted, const char *what, const char *name, char *how, size_t size) {
  json_t *all = json_object_get(counted, what), *one = json_object_get(counted, name);
  snprintf(how, size, "%s", rf_json_text_of(all != NULL ? all : json_object_get(one, "source")));
}

/** The format and unit that a key of `flops` names ("fp16", "fp16 vector"); the unit may be given with how it
 * was counted; -1: not given. */
static roof_status read_format(const char *name, json_t *counted, roof_dtype *dtype, int *unit,
                               roof_error *error) {
  char format[ROOF_NAME_MAX];
  size_t length = strcspn(name, " ");
  const char *given = rf_json_text_of(json_object_get(json_object_get(counted, name), "unit"));
  roof_unit found;
  snprintf(format, sizeof format, "%.*s", (int)length, name);
  given = name[length] == ' ' ? name + length + 1 : given;
  *unit = roof_unit_parse(given, &found, NULL) == ROOF_OK ? (int)found : -1;
  return roof_dtype_parse(format, dtype, error);
}

static void add(double *sum, double value) {
  *sum = isnan(*sum) ? value : *sum + value;
}

/** What is given by format or level is an object of numbers, each of which may be unknown. */
static roof_status check_amounts(json_t *kernel, const char *key, const char *example, const char **at,
                                 roof_error *error) {
  json_t *amounts = json_object_get(kernel, key), *value;
  const char *name;
  *at = key;
  if (amounts != NULL && !json_is_null(amounts) && !json_is_object(amounts)) {
    return roof_error_set(error, ROOF_E_PARSE, "`%s` must say of what, as {\"%s\": 1e9}", key, example);
  }
  json_object_foreach(amounts, name, value) {
    if (!json_is_number(value) && !json_is_null(value)) {
      return roof_error_set(error, ROOF_E_PARSE, "`%s` of `%s` must be a number, or null", key, name);
    }
  }
  return ROOF_OK;
}

/** FLOPs of all formats; the format is the one with most. */
static roof_status read_flops(json_t *flops, json_t *counted, roof_measurement *m, roof_error *error) {
  const char *name;
  json_t *value;
  double most = -1;
  roof_status status = ROOF_OK;
  json_object_foreach(flops, name, value) {
    double count = rf_json_number_of(value);
    roof_dtype dtype;
    int unit;
    status = status == ROOF_OK ? read_format(name, counted, &dtype, &unit, error) : status;
    if (status != ROOF_OK) {
      break;
    }
    add(&m->flops, count);
    add(unit >= 0 ? &m->unit_flops[dtype][unit] : &m->dtype_flops[dtype], count);
    if (count > most) {
      read_how(counted, "flops", name, m->counted_flops, sizeof m->counted_flops);
      m->dtype = dtype;
      most = count;
    }
  }
  return status;
}

/** Bytes through a link, whose name stands with how they were counted. */
static void read_link(json_t *value, json_t *counted, roof_measurement *m) {
  const char *link = rf_json_text_of(json_object_get(json_object_get(counted, "link"), "link"));
  m->link_bytes = rf_json_number_of(value);
  snprintf(m->link, sizeof m->link, "%s", link);
}

/** Bytes by level, and those of the outermost one named; "unknown" stands for an unknown level. */
static void read_bytes(json_t *bytes, json_t *counted, roof_measurement *m) {
  const char *name;
  json_t *value;
  int outermost = -1;
  read_link(json_object_get(bytes, "link"), counted, m);
  json_object_foreach(bytes, name, value) {
    roof_level_kind kind;
    bool known = roof_level_kind_parse(name, &kind, NULL) == ROOF_OK;
    int rank = known ? (int)kind : -1;
    if (!json_is_number(value) || (!known && strcmp(name, "unknown") != 0)) {
      continue;
    }
    if (known) {
      m->level_bytes[kind] = json_number_value(value);
    }
    if (isnan(m->bytes) || rank > outermost) {
      outermost = rank;
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
      status = roof_measurement_count(m, name, rf_json_number_of(value), error);
    }
  }
  return status;
}

/** A number that is not negative; null, and none at all, is unknown. */
static roof_status read_amount(json_t *kernel, const char *key, double *value, const char **at,
                               roof_error *error) {
  json_t *said = json_object_get(kernel, key);
  *at = key;
  *value = rf_json_number_of(said);
  return said == NULL || json_is_null(said) || *value >= 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_PARSE, "`%s` must be a number from 0 on, or null", key);
}

/** The ceiling that the document gives: a time, or a share of it. */
static roof_status read_ceiling(json_t *kernel, roof_measurement *m, const char **at, roof_error *error) {
  roof_given *g = &m->given;
  double share = NAN;
  roof_status status = read_amount(kernel, "fraction_of_ceiling", &share, at, error);
  status =
      status == ROOF_OK ? read_amount(kernel, "ceiling_seconds", &g->ceiling_seconds, at, error) : status;
  status = status == ROOF_OK ? read_amount(kernel, "limit_seconds", &g->limit_seconds, at, error) : status;
  status =
      status == ROOF_OK ? read_amount(kernel, "fastest_seconds", &g->fastest_seconds, at, error) : status;
  status =
      status == ROOF_OK ? read_amount(kernel, "slowest_seconds", &g->slowest_seconds, at, error) : status;
  g->ceiling_seconds = isnan(g->ceiling_seconds) ? share * m->seconds : g->ceiling_seconds;
  g->achieved =
      strcmp(rf_json_text_of(json_object_get(kernel, "basis")), roof_basis_name(ROOF_ACHIEVED)) == 0;
  g->launched =
      strcmp(rf_json_text_of(json_object_get(kernel, "regime")), roof_regime_name(ROOF_OVERHEAD_BOUND)) == 0;
  return status;
}

/** Reads what a kernel is known by, under `key`. */
static roof_status read_label(json_t *from, const char *key, roof_measurement *m, const char **at,
                              roof_error *error) {
  *at = key;
  const char *label = rf_json_text_of(json_object_get(from, key));
  if (label[0] == '\0') {
    return roof_error_set(error, ROOF_E_PARSE, "a kernel's `%s` must not be empty", key);
  }
  roof_measurement_name(m, label);
  return roof_text_is_plain(label)
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_PARSE,
                              "kernel `%s`: its %s is not one line of text that can be shown", label, key);
}

/** What is wrong, after the name of the kernel that it is about. */
static roof_status name_kernel(const roof_measurement *m, roof_status status, roof_error *error) {
  if (status != ROOF_OK && error != NULL) {
    roof_error why = *error;
    roof_error_set(error, status, "%s: %s", m->label, why.message);
  }
  return status;
}

static roof_status read_kernel(json_t *kernel, roof_measurement *m, const char **at, roof_error *error) {
  json_t *counted = json_object_get(kernel, "counted"), *sample;
  size_t index;
  roof_status status = read_label(kernel, "name", m, at, error);
  if (status != ROOF_OK) {
    return status;
  }
  snprintf(m->note, sizeof m->note, "%s", rf_json_text_of(json_object_get(kernel, "note")));
  m->calls = rf_json_number_of(json_object_get(kernel, "calls"));
  m->threads = rf_json_number_of(json_object_get(kernel, "threads"));
  m->total_seconds = rf_json_number_of(json_object_get(kernel, "total_seconds"));
  m->own_seconds = rf_json_number_of(json_object_get(kernel, "own_seconds"));
  m->write_share = rf_json_number_of(json_object_get(kernel, "write_share"));
  m->update_share = rf_json_number_of(json_object_get(kernel, "update_share"));
  snprintf(m->uncounted, sizeof m->uncounted, "%s", rf_json_text_of(json_object_get(kernel, "not_counted")));
  status = read_amount(kernel, "seconds", &m->seconds, at, error);
  status = status == ROOF_OK ? read_ceiling(kernel, m, at, error) : status;
  status = status == ROOF_OK ? check_amounts(kernel, "bytes", "memory", at, error) : status;
  status = status == ROOF_OK ? check_amounts(kernel, "flops", "fp16", at, error) : status;
  status = status == ROOF_OK ? read_flops(json_object_get(kernel, "flops"), counted, m, error) : status;
  read_bytes(json_object_get(kernel, "bytes"), counted, m);
  *at = status == ROOF_OK ? "counters" : *at;
  status = status == ROOF_OK ? read_counters(json_object_get(kernel, "counters"), m, error) : status;
  *at = status == ROOF_OK ? "samples" : *at;
  json_array_foreach(json_object_get(kernel, "samples"), index, sample) {
    status = status == ROOF_OK ? roof_measurement_sample(m, rf_json_number_of(sample), error) : status;
  }
  status = status == ROOF_OK ? roof_measurement_settle(m, error) : status;
  status = status == ROOF_OK ? rf_measurement_check_samples(m, error) : status;
  return name_kernel(m, status, error);
}

/** When measuring began: from the document, else from the file's date; a pipe ends now. */
static roof_status read_taken(json_t *root, const char *file, double *taken, roof_taken *how,
                              roof_error *error) {
  json_t *said = json_object_get(root, "taken");
  struct stat info;
  *how = ROOF_TAKEN_PIPE;
  if (said != NULL && !json_is_null(said)) {
    roof_status status = roof_time_parse(rf_json_text_of(said), taken, error);
    *how = ROOF_TAKEN_SAID;
    return status == ROOF_OK ? status
                             : roof_error_set(error, status,
                                              "%s: `taken`: not a time in UTC, as "
                                              "2026-01-31T12:00:00Z",
                                              file);
  }
  if (stat(file, &info) == 0 && S_ISREG(info.st_mode)) {
    *taken = (double)info.st_mtim.tv_sec + 1e-9 * (double)info.st_mtim.tv_nsec;
    *how = ROOF_TAKEN_FILE;
  }
  return ROOF_OK;
}

/** An entry of a reconciliation: what was measured, and its share. */
static roof_status read_entry(json_t *entry, roof_measurement *m, const char **at, roof_error *error) {
  m->seconds = rf_json_number_of(json_object_get(entry, "measured_seconds"));
  roof_status status = read_label(entry, "label", m, at, error);
  return status == ROOF_OK ? name_kernel(m, read_ceiling(entry, m, at, error), error) : status;
}

/** A schema, the list in it and the reader of one of its members, which says at which key it is. */
typedef struct document {
  const char *schema, *list;
  roof_status (*read)(json_t *kernel, roof_measurement *m, const char **at, roof_error *error);
} document;

typedef struct source {
  const char *text, *file;
  size_t length;
} source;

static const document documents[] = {{"roofline.measurements/1", "kernels", read_kernel},
                                     {"roofline.reconcile/1", "entries", read_entry}};
enum { ONLY_MEASUREMENTS = 1, RESULTS = sizeof documents / sizeof documents[0] };

static roof_status refuse(const char *file, size_t count, roof_error *error) {
  return roof_error_set(error, ROOF_E_PARSE, "%s: is %s", file,
                        count == RESULTS
                            ? "neither roofline.measurements/1 with kernels, as `run --json` prints it, nor "
                              "roofline.reconcile/1 with entries"
                            : "not roofline.measurements/1 with kernels, as `run --json` prints it");
}

static roof_status read_skipped(json_t *list, roof_measurements *all, roof_error *error) {
  size_t index;
  json_t *one;
  roof_status status = ROOF_OK;
  json_array_foreach(list, index, one) {
    status = status == ROOF_OK ? roof_measurements_skip(all, rf_json_text_of(json_object_get(one, "what")),
                                                        rf_json_text_of(json_object_get(one, "why")), error)
                               : status;
  }
  return status;
}

static roof_status read_head(json_t *root, roof_measurements *all, roof_error *error) {
  const struct {
    const char *key;
    char *to;
    size_t size;
  } texts[] = {{"source", all->source, sizeof all->source},
               {"format", all->format, sizeof all->format},
               {"machine", all->machine, sizeof all->machine}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    const char *text = rf_json_text_of(json_object_get(root, texts[i].key));
    if (!roof_text_is_plain(text)) {
      return roof_error_set(error, ROOF_E_PARSE, "`%s`: not one line of text that can be shown",
                            texts[i].key);
    }
    snprintf(texts[i].to, texts[i].size, "%s", text);
  }
  return ROOF_OK;
}

/** The number of a member; of none how many there are. */
static size_t member_number(json_t *object, const char *key) {
  const char *name;
  json_t *value;
  size_t number = 0;
  json_object_foreach(object, name, value) {
    if (strcmp(name, key) == 0) {
      break;
    }
    number++;
  }
  return number;
}

/** Says where in the text the kernel of that number is wrong: at its member `key` if it has one. */
static void locate(const source *s, json_t *root, const char *list, size_t number, const char *key,
                   roof_error *error) {
  json_t *kernel = json_array_get(json_object_get(root, list), number);
  const size_t steps[] = {member_number(root, list), number, member_number(kernel, key)};
  int line = 0, column = 0;
  rf_json_locate(s->text, s->length, steps, json_object_get(kernel, key) != NULL ? 3 : 2, false, &line,
                 &column);
  (void)roof_error_at(error, s->file, line, column);
}

/** The first `count` documents are taken. */
static roof_status read_root(json_t *root, const source *s, size_t count, roof_measurements *all,
                             roof_error *error) {
  const char *schema = rf_json_text_of(json_object_get(root, "schema"));
  const document *d = NULL;
  for (size_t i = 0; i < count; i++) {
    d = strcmp(schema, documents[i].schema) == 0 ? &documents[i] : d;
  }
  json_t *list = d != NULL ? json_object_get(root, d->list) : NULL;
  double taken = NAN;
  *all = (roof_measurements){0};
  if (!json_is_array(list)) {
    return refuse(s->file, count, error);
  }
  roof_status status = read_head(root, all, error);
  status = status == ROOF_OK ? read_taken(root, s->file, &taken, &all->taken, error) : status;
  for (size_t i = 0; i < json_array_size(list) && status == ROOF_OK; i++) {
    roof_measurement *m = NULL;
    status = roof_measurements_add(all, &m, error);
    if (status == ROOF_OK) {
      memcpy(m->machine, all->machine, sizeof m->machine);
      m->taken = taken;
      m->taken_from = all->taken;
      const char *at = "";
      status = d->read(json_array_get(list, i), m, &at, error);
      if (status != ROOF_OK) {
        locate(s, root, d->list, i, at, error);
      }
    }
  }
  return status == ROOF_OK ? read_skipped(json_object_get(root, "skipped"), all, error) : status;
}

/** Of the first `count` documents. */
static roof_status parse(const char *text, size_t length, const char *file, size_t count,
                         roof_measurements *all, roof_error *error) {
  json_t *root = NULL;
  size_t at = 0;
  while (at < length && strchr(" \t\r\n", text[at]) != NULL) {
    at++;
  }
  if (at < length && text[at] != '{' && text[at] != '[') {
    return roof_error_set(error, ROOF_E_PARSE,
                          "%s: no JSON; what a profiler wrote, `roofline import FILE --json` reads first",
                          file);
  }
  roof_status status = rf_json_read(text, length, JSON_REJECT_DUPLICATES, file, "", &root, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = read_root(root, &(source){text, file, length}, count, all, error);
  json_decref(root);
  return status;
}

static roof_status read_file(const char *file, size_t count, roof_measurements *all, roof_error *error) {
  roof_text text = {0};
  roof_status status = rf_file_read_text(file, &text, error);
  if (status == ROOF_OK) {
    status = parse(text.data != NULL ? text.data : "", text.length, file, count, all, error);
  }
  roof_text_done(&text);
  return status == ROOF_OK && all->count == 0 ? refuse(file, count, error) : status;
}

roof_status roof_measurements_parse(const char *text, size_t length, const char *file, roof_measurements *all,
                                    roof_error *error) {
  return parse(text, length, file, ONLY_MEASUREMENTS, all, error);
}

roof_status roof_measurements_read(const char *file, roof_measurements *all, roof_error *error) {
  return read_file(file, ONLY_MEASUREMENTS, all, error);
}

roof_status roof_measurements_read_results(const char *file, roof_measurements *all, roof_error *error) {
  return read_file(file, RESULTS, all, error);
}
