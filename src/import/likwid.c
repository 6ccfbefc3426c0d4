/* likwid-perfctr: CSV, the table for people, and what its JSON filter makes of the CSV. Regions of threads:
 * FLOPs are summed over the threads, the time is that of the slowest. */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "import/_events.h"
#include "import/_json.h"

enum { THREADS = 1024 };

static int detect(const char *text, size_t size) {
  (void)size;
  bool csv = strstr(text, "STRUCT,Info,") != NULL || strstr(text, "TABLE,Region ") != NULL ||
             strstr(text, "TABLE,Group ") != NULL;
  bool runtime = strstr(text, "RDTSC Runtime [s]") != NULL || strstr(text, "Runtime (RDTSC) [s]") != NULL;
  bool head = strstr(text, "CPU name:\t") != NULL && strstr(text, "CPU clock:\t") != NULL;
  return csv ? 95 : runtime ? 90 : head && strstr(text, "MICRO BENCHMARK") == NULL ? 50 : 0;
}

/** Rates that LIKWID computed from the processor's own events. */
typedef enum rate { RATE_DP, RATE_SP, RATE_L2, RATE_L3, RATE_MEMORY, RATE_COUNT } rate;

static const struct {
  const char *name, *unit, *source;
} rates[RATE_COUNT] = {{"DP ", "MFLOP/s", "DP [MFLOP/s] x runtime of each thread"},
                       {"SP ", "MFLOP/s", "SP [MFLOP/s] x runtime of each thread"},
                       {"L2 bandwidth", "MBytes/s", "L2 bandwidth x runtime of each thread"},
                       {"L3 bandwidth", "MBytes/s", "L3 bandwidth x runtime of each thread"},
                       {"Memory bandwidth", "MBytes/s", "Memory bandwidth x runtime of each thread"}};

/** A region's time: of the slowest thread in this run, and in the runs before. */
enum { RUN, EARLIER };

/** What belongs to the region of the same index in `regions`. */
typedef struct extra {
  double total[RATE_COUNT]; /**< FLOP or bytes of all threads */
  roof_dtype both;
  const char *group;
} extra;

typedef enum table { TABLE_NONE, TABLE_INFO, TABLE_RAW, TABLE_METRIC } table;

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  event_regions regions;
  extra *extras;
  size_t room;
  const char *region; /**< that the next table is of, kept by the profile */
  const char *group;
  table table;
  int64_t rows, rows_said; /* of the last table of CSV: seen, and as its title says */
  double seconds[THREADS];
  bool failed;
} reading;

/** The region and its extra, made when they are new. */
static event_region *current(reading *r, extra **more) {
  size_t before = r->regions.count;
  event_region *region = rf_event_region_of(&r->regions, r->region);
  if (region == NULL) {
    r->failed = true;
    return NULL;
  }
  if (r->regions.count > r->room) {
    size_t room = r->regions.count * 2;
    extra *grown = realloc(r->extras, room * sizeof *grown);
    if (grown == NULL) {
      r->failed = true;
      return NULL;
    }
    r->extras = grown;
    r->room = room;
  }
  *more = &r->extras[region - r->regions.list];
  if (r->regions.count > before) {
    **more = (extra){.both = strstr(r->group, "SP") != NULL ? ROOF_FP32 : ROOF_FP64, .group = r->group};
    for (int i = 0; i < RATE_COUNT; i++) {
      (*more)->total[i] = NAN;
    }
  }
  return region;
}

static void forget_runtimes(reading *r) {
  for (int i = 0; i < THREADS; i++) {
    r->seconds[i] = NAN;
  }
}

/** Begins a table of a region ("" the whole program), measured with a group of events. Another group of the
 * same region is a record of its own. */
static void begin(reading *r, const char *region, const char *group) {
  const char *before = r->region;
  r->region = roof_profile_text(r->profile, region[0] != '\0' ? region : "program");
  r->group = roof_profile_text(r->profile, group);
  for (size_t i = 0; i < r->regions.count; i++) {
    if (r->regions.list[i].name == r->region && r->extras[i].group != r->group) {
      r->region = rf_import_textf(r->profile, "%s (%s)", r->region, group);
      break;
    }
  }
  if (r->region != before) {
    forget_runtimes(r);
  }
}

/** Runtimes stand in two tables: with six decimals, and with four or in powers of ten. The second replaces
 * the first where it is finer. */
static void take_runtime(reading *r, const double *values, int count) {
  static const double half_of_last_decimal = 0.5e-6;
  extra *more;
  event_region *region = current(r, &more);
  double longest = NAN;
  for (int i = 0; i < count && region != NULL; i++) {
    bool finer = isnan(r->seconds[i]) || fabs(values[i] - r->seconds[i]) <= half_of_last_decimal;
    r->seconds[i] = finer ? values[i] : r->seconds[i];
    longest = fmax(longest, r->seconds[i]);
  }
  if (region != NULL) {
    region->time[RUN] = longest;
  }
}

static void take_calls(reading *r, const double *values, int count) {
  extra *more;
  event_region *region = current(r, &more);
  double most = 0;
  for (int i = 0; i < count; i++) {
    most = fmax(most, values[i]);
  }
  if (region != NULL && most < 1e15) {
    region->calls += (uint64_t)most;
  }
}

/** A run of the region begins; a log may hold several. */
static void begin_run(reading *r) {
  extra *more;
  event_region *region = r->region != NULL ? current(r, &more) : NULL;
  forget_runtimes(r);
  if (region != NULL && !isnan(region->time[RUN])) {
    region->time[EARLIER] = region->time[RUN] + (isnan(region->time[EARLIER]) ? 0 : region->time[EARLIER]);
    region->time[RUN] = NAN;
  }
}

static void take_event(reading *r, const char *event, const double *values, int count) {
  extra *more;
  event_region *region = current(r, &more);
  double sum = NAN;
  for (int i = 0; i < count; i++) {
    sum = isnan(values[i]) ? sum : isnan(sum) ? values[i] : sum + values[i];
  }
  if (region != NULL) {
    r->failed = !rf_event_region_add(region, roof_profile_text(r->profile, event), sum, NAN, 1) || r->failed;
  }
}

static void take_metric(reading *r, const char *metric, const double *values, int count) {
  extra *more;
  if (strncmp(metric, "Runtime (RDTSC)", 15) == 0) {
    take_runtime(r, values, count);
  }
  for (int k = 0; k < RATE_COUNT; k++) {
    bool fits =
        strncmp(metric, rates[k].name, strlen(rates[k].name)) == 0 && strstr(metric, rates[k].unit) != NULL;
    if (!fits || current(r, &more) == NULL) {
      continue;
    }
    for (int i = 0; i < count; i++) {
      double add = values[i] * 1e6 * r->seconds[i];
      more->total[k] = isnan(add) ? more->total[k] : isnan(more->total[k]) ? add : more->total[k] + add;
    }
  }
}

/** The values behind the first `skip` cells. "-" and "nan" are none. */
static int values_of(const import_row *row, size_t skip, double values[THREADS]) {
  int count = 0;
  for (size_t i = skip; i < row->count && count < THREADS; i++) {
    if (row->fields[i][0] != '\0') {
      values[count++] = rf_import_number(row->fields[i], NULL);
    }
  }
  return count;
}

/** One row of a table, in CSV or between bars. */
static void take_row(reading *r, const import_row *row) {
  double values[THREADS];
  const char *first = rf_import_field(row, 0), *second = rf_import_field(row, 1),
             *third = rf_import_field(row, 2);
  bool statistics = strcmp(second, "Sum") == 0 || strcmp(third, "Sum") == 0;
  bool raw = strcmp(first, "Event") == 0 && !statistics;
  if (strcmp(first, "Region Info") == 0 || (raw && r->table != TABLE_INFO)) {
    begin_run(r);
  }
  if (strcmp(first, "Region Info") == 0) {
    r->table = TABLE_INFO;
  } else if (strcmp(first, "Event") == 0) {
    r->table = statistics ? TABLE_NONE : TABLE_RAW;
  } else if (strcmp(first, "Metric") == 0) {
    r->table = statistics ? TABLE_NONE : TABLE_METRIC;
  } else if (r->region == NULL || r->table == TABLE_NONE) {
    return;
  } else if (r->table == TABLE_INFO && strcmp(first, "RDTSC Runtime [s]") == 0) {
    take_runtime(r, values, values_of(row, 1, values));
  } else if (r->table == TABLE_INFO && strcmp(first, "call count") == 0) {
    take_calls(r, values, values_of(row, 1, values));
  } else if (r->table == TABLE_RAW) {
    take_event(r, first, values, values_of(row, 2, values));
  } else if (r->table == TABLE_METRIC) {
    take_metric(r, first, values, values_of(row, 1, values));
  }
}

/** "TABLE,Region dot,Group 1 Raw,FLOPS_DP,6": the region may hold commas. */
static void take_table(reading *r, const import_row *row) {
  const char *region = rf_import_field(row, 1);
  bool marked = strncmp(region, "Region ", 7) == 0;
  r->table = TABLE_NONE;
  begin(r, marked ? region + 7 : "", rf_import_field(row, marked ? 3 : 2));
}

/** "Region dot, Group 1: FLOPS_SP" and "Group 1: FLOPS_SP". */
static void take_title(reading *r, char *line) {
  char *group = strstr(line, "Group "), *colon = group != NULL ? strstr(group, ": ") : NULL;
  if (colon == NULL || !isdigit((unsigned char)group[6])) {
    return;
  }
  bool marked = strncmp(line, "Region ", 7) == 0 && group > line + 9;
  if (marked) {
    group[-2] = '\0';
  }
  if (marked || group == line) {
    begin(r, marked ? line + 7 : "", colon + 2);
    r->table = TABLE_NONE;
  }
}

static void trim(import_row *row) {
  for (size_t i = 0; i < row->count; i++) {
    char *text = row->fields[i] + strspn(row->fields[i], " \t");
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) {
      text[--length] = '\0';
    }
    row->fields[i] = text;
  }
}

static void take_processor(reading *r, import_row *row) {
  if (rf_import_field(row, 1)[0] != '\0') {
    rf_import_device(r->profile, rf_import_field(row, 1));
  }
}

/** Counts the rows of the table that is open, of which its title says how many there are. */
static void count_row(reading *r, const import_row *row) {
  static const char *const others[] = {"Region Info", "RDTSC Runtime [s]", "call count", "Event", "Metric"};
  const char *first = rf_import_field(row, 0), *region = rf_import_field(row, 1);
  bool title = strcmp(first, "TABLE") == 0, counts = true;
  if (title || strcmp(first, "STRUCT") == 0) {
    int64_t said = 0;
    int column = strncmp(region, "Region ", 7) == 0 ? 4 : 3;
    r->rows_said = title && rf_import_count(rf_import_field(row, column), &said) ? said : 0;
    r->rows = 0;
    return;
  }
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    counts &= strcmp(first, others[i]) != 0;
  }
  r->rows += counts;
}

/** One line as cells, whatever parts them. */
static roof_status take_line(reading *r, char *line, import_row *row, roof_error *error) {
  bool bars = line[0] == '|', processor = strncmp(line, "CPU name:", 9) == 0;
  char delimiter = bars ? '|' : processor && line[9] == '\t' ? '\t' : ',';
  take_title(r, line);
  roof_status status = rf_import_csv_split(line + bars, delimiter, row, error);
  if (status != ROOF_OK) {
    return status;
  }
  trim(row);
  count_row(r, row);
  if (processor) {
    take_processor(r, row);
  } else if (strcmp(rf_import_field(row, 0), "TABLE") == 0) {
    take_table(r, row);
  } else if (row->count > 1) {
    take_row(r, row);
  }
  return ROOF_OK;
}

static roof_status read_lines(reading *r, roof_error *error) {
  import_row row = {0};
  roof_status status = ROOF_OK;
  size_t length = 0;
  for (char *line; status == ROOF_OK && (line = rf_import_line(r->source, &length)) != NULL;) {
    status = take_line(r, line, &row, error);
  }
  if (r->rows < r->rows_said) {
    rf_import_cut(r->profile, "its last table has fewer rows than it says");
  }
  rf_import_row_done(&row);
  return status == ROOF_OK ? rf_import_failed(r->source, error) : status;
}

static int json_values(const json_t *list, double values[THREADS]) {
  int count = 0;
  size_t i;
  json_t *value;
  json_array_foreach(list, i, value) {
    if (count < THREADS) {
      values[count++] = rf_import_number_of(value);
    }
  }
  return count;
}

/** The tables of one group of the JSON, which names no region. */
static void take_json_group(reading *r, const char *name, const json_t *tables) {
  double values[THREADS];
  const char *key;
  json_t *row;
  begin(r, "", name);
  begin_run(r);
  const json_t *metrics = json_object_get(tables, "Metric");
  const json_t *runtime = json_object_get(metrics, "Runtime (RDTSC) [s]");
  if (runtime != NULL) {
    take_runtime(r, values, json_values(json_object_get(runtime, "Values"), values));
  }
  json_object_foreach((json_t *)(uintptr_t)metrics, key, row) {
    take_metric(r, key, values, json_values(json_object_get(row, "Values"), values));
  }
  json_object_foreach(json_object_get(tables, "Raw"), key, row) {
    take_event(r, rf_import_member_text(row, "Event"), values,
               json_values(json_object_get(row, "Values"), values));
  }
}

static roof_status read_json(reading *r, roof_error *error) {
  json_t *document = NULL, *group;
  const char *name;
  roof_status status = rf_import_document(r->source, &document, error);
  if (status != ROOF_OK) {
    return status;
  }
  const char *cpu = rf_import_member_text(json_object_get(document, "Info"), "CPU name:");
  if (cpu[0] != '\0') {
    rf_import_device(r->profile, cpu);
  }
  json_object_foreach(document, name, group) {
    const json_t *tables = json_object_get(group, name);
    if (tables != NULL) {
      take_json_group(r, name, tables);
    }
  }
  rf_import_skip(r->profile, "regions",
                 "LIKWID's JSON keeps the last region of a group, without its name; import its CSV");
  json_decref(document);
  return status;
}

static void add_rate(roof_count *count, const extra *more, rate which) {
  if (!isnan(more->total[which]) && isnan(count->value)) {
    rf_import_add(count, more->total[which], rates[which].source, ROOF_QUALITY_DERIVED);
  }
}

/** The levels have what LIKWID computed; FLOPs are exact where the events are there. */
static void finish(reading *r, event_region *region, const extra *more) {
  r->profile->overlap = true;
  roof_record *record = rf_import_record(r->profile, region->name, strlen(region->name));
  if (record == NULL) {
    return;
  }
  add_rate(&record->bytes[ROOF_L2], more, RATE_L2);
  add_rate(&record->bytes[ROOF_L3], more, RATE_L3);
  add_rate(&record->bytes[ROOF_MEMORY], more, RATE_MEMORY);
  region->calls = region->calls > 0 ? region->calls : 1;
  double seconds = region->time[RUN] + (isnan(region->time[EARLIER]) ? 0 : region->time[EARLIER]);
  record = rf_event_region_settle(region, seconds, more->both, r->profile);
  if (record == NULL) {
    return;
  }
  add_rate(&record->flops[ROOF_FP64][ROOF_VECTOR], more, RATE_DP);
  add_rate(&record->flops[ROOF_FP32][ROOF_VECTOR], more, RATE_SP);
  if (isnan(roof_record_flops(record, NULL, NULL))) {
    rf_import_missing(&record->flops[more->both][ROOF_VECTOR],
                      rf_import_textf(r->profile, "the group %s does not count it", more->group));
  }
  rf_import_missing(&record->bytes[ROOF_MEMORY],
                    rf_import_textf(r->profile, "the group %s does not count it", more->group));
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading *r = calloc(1, sizeof *r);
  if (r == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "likwid: out of memory");
  }
  size_t size = 0;
  const char *head = rf_import_head(source, &size);
  r->source = source;
  r->profile = profile;
  roof_status status = head[strspn(head, " \t\r\n")] == '{' ? read_json(r, error) : read_lines(r, error);
  if (status == ROOF_OK && r->failed) {
    status = roof_error_set(error, ROOF_E_MEMORY, "likwid: out of memory");
  } else if (status == ROOF_OK && r->regions.count == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "no table of events or metrics in it");
  }
  for (size_t i = 0; i < r->regions.count && status == ROOF_OK; i++) {
    finish(r, &r->regions.list[i], &r->extras[i]);
  }
  rf_event_regions_done(&r->regions);
  free(r->extras);
  free(r);
  return status;
}

const roof_format rf_format_likwid = {
    .name = "likwid",
    .title = "likwid-perfctr CSV, table, JSON",
    .gives = "time, FLOPs by format, bytes of L2, L3 and DRAM by region; other events as counters",
    .detect = detect,
    .read = read,
};
