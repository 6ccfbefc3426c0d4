/* Caliper's JSON as cali-query writes it: json-split (rows, columns, a tree of regions) and a list of records (-j). A
 * region's time is its own, without the regions in it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "documents/json.h"
#include "import/_json.h"

/** Columns of time, the best first. */
static const struct {
  const char *name;
  double unit; /**< s; NaN: as its metadata says, or as versions do that say nothing */
  bool inclusive;
} times[] = {{"time", 1, false},
             {"time (exc)", 1, false},
             {"sum#sum#time.duration.ns", 1e-9, false},
             {"sum#time.duration.ns", 1e-9, false},
             {"time.duration.ns", 1e-9, false},
             {"sum#sum#time.duration", NAN, false},
             {"sum#time.duration", NAN, false},
             {"time.duration", NAN, false},
             {"time (inc)", 1, true},
             {"inclusive#sum#time.duration.ns", 1e-9, true},
             {"time.inclusive.duration.ns", 1e-9, true},
             {"inclusive#sum#time.duration", NAN, true},
             {"sum#inclusive#sum#time.duration", NAN, true},
             {"time.inclusive.duration", NAN, true}};

enum { TIMES = sizeof times / sizeof times[0] };

static int detect(const char *text, size_t size) {
  (void)size;
  bool split = strstr(text, "\"column_metadata\"") != NULL && strstr(text, "\"is_value\"") != NULL;
  bool rows = strncmp(text, "{\n  \"data\": [\n    [ ", 20) == 0;
  bool list = text[strspn(text, " \t\r\n")] == '[' && strstr(text, "time.duration\"") != NULL;
  return split ? 95 : list || rows ? 80 : 0; /* the metadata may lie behind the first bytes */
}

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  const json_t *columns, *nodes, *data;
  size_t time_at, path_at; /**< columns */
  int time;                /**< in `times`; -1: none */
  double unit;
} reading;

/** Microseconds are whole, seconds are not: old versions of Caliper count the former and do not say so. */
static double guessed_unit(reading *r, bool whole) {
  rf_import_fact(r->profile, "time_unit", NAN,
                 whole ? "microseconds: whole numbers without a unit" : "seconds: fractions without a unit");
  return whole ? 1e-6 : 1;
}

static double stated_unit(const json_t *metadata, int time) {
  const char *text = rf_import_member_text(metadata, "attribute.unit");
  double unit = text[0] != '\0' ? rf_import_unit(text, 1000) : NAN;
  return isnan(unit) ? times[time].unit : unit;
}

static void find_columns(reading *r, const json_t *metadata) {
  const json_t *column, *row;
  size_t i, k;
  bool whole = true;
  r->time = -1;
  r->path_at = SIZE_MAX;
  json_array_foreach(r->columns, i, column) {
    const char *name = json_is_string(column) ? json_string_value(column) : "";
    bool tree = json_is_false(json_object_get(json_array_get(metadata, i), "is_value"));
    if (tree && (r->path_at == SIZE_MAX || strcmp(name, "path") == 0)) {
      r->path_at = i;
    }
    for (int t = 0; t < (r->time < 0 ? TIMES : r->time); t++) {
      if (strcmp(name, times[t].name) == 0) {
        r->time = t;
        r->time_at = i;
      }
    }
  }
  if (r->time >= 0) {
    r->unit = stated_unit(json_array_get(metadata, r->time_at), r->time);
    json_array_foreach(r->data, k, row) {
      double value = rf_import_number_of(json_array_get(row, r->time_at));
      whole = whole && (isnan(value) || value == floor(value));
    }
    r->unit = isnan(r->unit) ? guessed_unit(r, whole) : r->unit;
  }
}

/** The node that a row or a node names, SIZE_MAX: none. */
static size_t node_number(const json_t *value, size_t count) {
  double number = json_is_number(value) ? json_number_value(value) : NAN;
  return number >= 0 && number < (double)count ? (size_t)number : SIZE_MAX;
}

static roof_status add(reading *r, const char *name, double seconds, uint64_t calls, roof_error *error) {
  uint64_t picoseconds;
  name = name[0] != '\0' ? name : "(outside of regions)";
  if (calls == 0) {
    return ROOF_OK;
  }
  if (!rf_import_picoseconds(seconds, &picoseconds)) {
    rf_import_skip(r->profile, name, "no time in it");
    return ROOF_OK;
  }
  roof_record *record = rf_import_record(r->profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(r->profile, error);
  }
  rf_import_calls(record, calls, picoseconds);
  rf_import_missing(&record->flops[ROOF_FP64][ROOF_VECTOR], "Caliper's time alone is read");
  rf_import_missing(&record->bytes[ROOF_MEMORY], "Caliper's time alone is read");
  return ROOF_OK;
}

/** The rows' seconds and their number by node; the last place is of those without one. */
static void sum_rows(const reading *r, double *seconds, uint64_t *rows, size_t count) {
  const json_t *row;
  size_t i;
  json_array_foreach(r->data, i, row) {
    size_t node = node_number(json_array_get(row, r->path_at), count);
    double value = rf_import_number_of(json_array_get(row, r->time_at)) * r->unit;
    if (!isnan(value)) {
      seconds[node == SIZE_MAX ? count : node] += value;
      rows[node == SIZE_MAX ? count : node]++;
    }
  }
}

/** A node's own seconds, and the nearest node around it that has rows; SIZE_MAX: none. */
typedef struct nested {
  double own;
  size_t around;
} nested;

static void nest(const reading *r, const double *seconds, const uint64_t *rows, nested *nodes, size_t count) {
  enum { DEEPEST = 1000 }; /* nodes of a broken file may be in one another */
  for (size_t i = 0; i < count; i++) {
    const json_t *parent = json_object_get(json_array_get(r->nodes, i), "parent");
    nodes[i] = (nested){seconds[i], node_number(parent, count)};
  }
  for (size_t i = 0; i < count; i++) {
    size_t *around = &nodes[i].around;
    for (int steps = 0; *around != SIZE_MAX && rows[*around] == 0 && steps < DEEPEST; steps++) {
      *around = nodes[*around].around;
    }
  }
}

/** Takes from each node what the nodes in it took; rounding may leave less than nothing. */
static void make_exclusive(const reading *r, double *seconds, const uint64_t *rows, size_t count) {
  nested *nodes = malloc(count * sizeof *nodes);
  if (nodes == NULL) {
    rf_import_starved(r->profile);
    return;
  }
  nest(r, seconds, rows, nodes, count);
  for (size_t i = 0; i < count; i++) {
    size_t around = nodes[i].around;
    if (around != SIZE_MAX && around != i) {
      nodes[around].own -= seconds[i];
    }
  }
  for (size_t i = 0; i < count; i++) {
    seconds[i] = nodes[i].own > 0 ? nodes[i].own : 0;
  }
  free(nodes);
}

static roof_status take_split(reading *r, roof_error *error) {
  size_t count = json_array_size(r->nodes);
  double *seconds = calloc(count + 1, sizeof *seconds);
  uint64_t *rows = calloc(count + 1, sizeof *rows);
  roof_status status = seconds != NULL && rows != NULL
                           ? ROOF_OK
                           : roof_error_set(error, ROOF_E_MEMORY, "caliper: out of memory");
  if (status == ROOF_OK) {
    sum_rows(r, seconds, rows, count);
  }
  if (status == ROOF_OK && times[r->time].inclusive) {
    make_exclusive(r, seconds, rows, count);
  }
  for (size_t i = 0; i <= count && status == ROOF_OK; i++) {
    const char *label = i < count ? rf_import_member_text(json_array_get(r->nodes, i), "label") : "";
    status = add(r, label, seconds[i], rows[i], error);
  }
  free(seconds);
  free(rows);
  return status;
}

/** Of "main/loop/solve" the last. */
static const char *region_of(const json_t *record) {
  static const char *const keys[] = {"path", "region", "function", "kernel", "loop", "annotation"};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    const char *text = rf_import_member_text(record, keys[i]), *slash = strrchr(text, '/');
    if (text[0] != '\0') {
      return slash != NULL && slash[1] != '\0' ? slash + 1 : text;
    }
  }
  return "";
}

/** The list of records has no tree: only times that are a region's own. */
static roof_status take_list(reading *r, const json_t *list, roof_error *error) {
  const json_t *record;
  size_t i;
  bool whole = true;
  int best = -1;
  json_array_foreach(list, i, record) {
    for (int t = 0; t < (best < 0 ? TIMES : best); t++) {
      best = !times[t].inclusive && json_object_get(record, times[t].name) != NULL ? t : best;
    }
  }
  json_array_foreach(list, i, record) {
    double value = best >= 0 ? rf_import_member(record, times[best].name) : NAN;
    whole = whole && (isnan(value) || value == floor(value));
  }
  if (best < 0) {
    return rf_import_error(
        r->source, error, ROOF_E_PARSE, 1, 0,
        "no time of a region alone in it: `cali-query -q 'FORMAT json-split'` has the tree");
  }
  roof_status status = ROOF_OK;
  double unit = isnan(times[best].unit) ? guessed_unit(r, whole) : times[best].unit;
  json_array_foreach(list, i, record) {
    double value = rf_import_member(record, times[best].name);
    status = status == ROOF_OK && !isnan(value) ? add(r, region_of(record), value * unit, 1, error) : status;
  }
  return status;
}

static roof_status take_document(reading *r, const json_t *document, roof_error *error) {
  if (json_is_array(document)) {
    return take_list(r, document, error);
  }
  r->columns = json_object_get(document, "columns");
  r->nodes = json_object_get(document, "nodes");
  r->data = json_object_get(document, "data");
  find_columns(r, json_object_get(document, "column_metadata"));
  if (r->time < 0) {
    return rf_import_error(r->source, error, ROOF_E_PARSE, 1, 0, "no column of time in it");
  }
  double ranks = rf_import_member(document, "mpi.world.size");
  if (ranks >= 1) {
    rf_import_fact(r->profile, "ranks", ranks, NULL);
  }
  return take_split(r, error);
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile};
  json_t *document = NULL;
  roof_status status = rf_import_document(source, &document, error);
  status = status == ROOF_OK ? take_document(&r, document, error) : status;
  json_decref(document);
  return status == ROOF_OK && profile->count == 0
             ? rf_import_error(source, error, ROOF_E_PARSE, 1, 0, "no row with a time in it")
             : status;
}

const roof_format rf_format_caliper = {
    .name = "caliper",
    .title = "Caliper JSON (cali-query json-split, -j)",
    .gives = "time of every region without the regions in it, over all ranks",
    .detect = detect,
    .read = read,
};
