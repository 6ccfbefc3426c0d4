/* What `perf stat` writes: CSV of any separator, JSON lines, and the table for people. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "import/_events.h"
#include "import/_intervals.h"
#include "import/_json.h"

#define LOCALE_HINT "numbers with a decimal comma between commas: run `LC_ALL=C perf stat ...`"

/** One line of any of the three forms. Texts are valid until the next line. */
typedef struct perf_row {
  const char *value, *unit, *event, *subject;
  const char *place; /**< the cores whose counts are added up; "" all */
  const char *metric_unit;
  double metric;
  double share;    /**< of the time that the event was counted, in percent; NaN not said */
  double interval; /**< s since the start, NaN: the whole run */
  import_marks marks;
} perf_row;

/** What the time of a region in a run is known from. */
enum { ELAPSED, INTERVALS, CLOCK, TIMES };

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  event_regions regions;
  interval_list intervals;
  size_t rows, broken;
  const char *program;
  char delimiter;
  import_marks marks; /**< of the table for people */
  import_row row;
  uint64_t run;      /**< of those that a log holds one behind the other, from 1 */
  bool titled;       /**< a line begins each run */
  const char *clock; /**< the first that was read of a run without such a line; NULL: none yet */
  double stamp;      /**< s since the run's start, of the last interval */
  double earlier;    /**< s of the intervals of the runs before */
} reading;

static const perf_row no_row = {.value = "",
                                .unit = "",
                                .event = "",
                                .subject = "",
                                .place = "",
                                .metric_unit = "",
                                .metric = NAN,
                                .share = NAN,
                                .interval = NAN,
                                .marks = {'.', 0}};

static bool is_value(const char *text) {
  text += strspn(text, " ");
  return strncmp(text, "<not ", 5) == 0 ||
         (strpbrk(text, "0123456789") != NULL && text[strspn(text, "0123456789.,-")] == '\0');
}

static bool is_unit(const char *text) {
  return text[0] == '\0' || (isalpha((unsigned char)text[0]) && strlen(text) < 16 && !strpbrk(text, ";\t|"));
}

static bool is_event(const char *text) {
  return isalnum((unsigned char)text[0]) && strpbrk(text, "abcdefghijklmnopqrstuvwxyz") != NULL;
}

/** "S0-D0-C1", "CPU3", "N0": cores whose counts are added up, not a thread. */
static bool is_place(const char *text) {
  const char *p = text;
  while (isalpha((unsigned char)*p)) {
    p++;
  }
  size_t letters = (size_t)(p - text), digits = strspn(p, "0123456789");
  bool part = digits > 0 && (letters == 1 || strncmp(text, "CPU", 3) == 0);
  return part && (p[digits] == '\0' || (p[digits] == '-' && is_place(p + digits + 1)));
}

static bool all_digits(const char *text) {
  return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/** Where value, unit and event stand, -1 nowhere. */
static int find_value(const import_row *row) {
  for (int i = 0; i < 4 && (size_t)i + 2 < row->count; i++) {
    if (is_value(row->fields[i]) && is_unit(row->fields[i + 1]) && is_event(row->fields[i + 2])) {
      return i;
    }
  }
  return -1;
}

/** The fields before the value. False when one is half of a number. */
static bool take_front(const import_row *row, int at, perf_row *out) {
  for (int i = 0; i < at; i++) {
    const char *f = row->fields[i];
    const char *before = i > 0 ? row->fields[i - 1] : "";
    bool count = all_digits(f) && isalpha((unsigned char)before[0]) && strncmp(before, "CPU", 3) != 0;
    if (i == 0 && is_value(f) && (strchr(f, '.') != NULL || strchr(f, ',') != NULL)) {
      out->interval = rf_import_number(f, &out->marks);
    } else if (is_place(f)) {
      out->place = f;
    } else if (!is_value(f)) {
      out->subject = f;
    } else if (!count) {
      return false;
    }
  }
  return true;
}

/** The fields behind the event. False when the share of time is half of a number. */
static bool take_back(const import_row *row, int at, char delimiter, perf_row *out) {
  size_t i = (size_t)at + 3;
  while (i < row->count && !all_digits(row->fields[i])) {
    const char *f = row->fields[i];
    out->subject = f[0] != '\0' && strchr(f, '%') == NULL ? f : out->subject;
    i++;
  }
  const char *share = rf_import_field(row, (int)i + 1);
  if (delimiter == ',' && share[0] != '\0' && strchr(share, '.') == NULL) {
    return false;
  }
  out->marks = strchr(share, ',') != NULL ? (import_marks){',', 0} : out->marks;
  out->share = rf_import_number(share, &out->marks);
  out->metric = rf_import_number(rf_import_field(row, (int)i + 2), &out->marks);
  out->metric_unit = rf_import_field(row, (int)i + 3);
  return true;
}

typedef enum line_kind { LINE_OTHER, LINE_ROW, LINE_LOCALE } line_kind;

/** One line of CSV; the separator is found out. */
static line_kind take_csv(const char *line, char *delimiter, import_row *row, perf_row *out) {
  static const char marks[] = ",;\t|";
  const char one[] = {*delimiter, '\0'};
  for (const char *d = *delimiter != '\0' ? one : marks; *d != '\0'; d++) {
    int at = strchr(line, *d) != NULL && rf_import_csv_split(line, *d, row, NULL) == ROOF_OK ? find_value(row)
                                                                                             : -1;
    if (at < 0) {
      continue;
    }
    *out = no_row;
    bool whole = take_back(row, at, *d, out) && take_front(row, at, out);
    out->value = row->fields[at] + strspn(row->fields[at], " ");
    out->unit = row->fields[at + 1];
    out->event = row->fields[at + 2];
    *delimiter = *d;
    return whole ? LINE_ROW : LINE_LOCALE;
  }
  return LINE_OTHER;
}

/** True when a line of `text` is a row of perf's CSV, whatever its locale. */
static bool has_csv(const char *text) {
  import_row row = {0};
  perf_row out;
  char delimiter = '\0', line[400];
  bool found = false;
  for (int lines = 0; lines < 40 && *text != '\0' && !found; lines++) {
    size_t length = strcspn(text, "\r\n");
    if (text[0] != '#' && length > 0 && length < sizeof line) {
      memcpy(line, text, length);
      line[length] = '\0';
      line_kind kind = take_csv(line, &delimiter, &row, &out);
      bool clock = strstr(line, "msec") != NULL && strstr(line, "-clock") != NULL;
      found = (kind == LINE_ROW && !isnan(out.share)) || (kind == LINE_LOCALE && clock);
      delimiter = '\0';
    }
    text += length + strspn(text + length, "\r\n");
  }
  rf_import_row_done(&row);
  return found;
}

/** Above the rows of `perf stat -I`: "#           time             counts unit events". */
static const char interval_header[] = " counts unit events";

static int detect(const char *text, size_t size) {
  (void)size;
  bool json = strstr(text, "\"counter-value\"") != NULL && strstr(text, "\"event\"") != NULL;
  bool table = strstr(text, "Performance counter stats for") != NULL || strstr(text, interval_header) != NULL;
  return json || table ? 95 : has_csv(text) ? 75 : 0;
}

/** Adds the time of the run that was read. A run without a time leaves the sum unknown. */
static void end_run(reading *r, event_region *s) {
  static const char *const from[] = {"elapsed time", "the last interval", "task-clock / CPUs utilized"};
  double seconds = NAN;
  for (int i = 0; i < TIMES && isnan(seconds); i++) {
    seconds = s->time[i];
    if (!isnan(seconds)) {
      rf_import_fact(r->profile, "time_from", NAN, from[i]);
    }
  }
  s->seconds += seconds;
  for (int i = 0; i < TIMES; i++) {
    s->time[i] = NAN;
  }
}

/** The run, or the row's cgroup or thread. */
static event_region *region_of(reading *r, const char *name) {
  const char *subject = name[0] != '\0' ? roof_profile_text(r->profile, name) : r->program;
  event_region *s = rf_event_region_of(&r->regions, subject);
  if (s != NULL && s->run != r->run) {
    if (s->calls > 0) {
      end_run(r, s);
    }
    s->run = r->run;
    s->calls++;
  }
  return s;
}

/** The rows that follow are of another run. */
static void begin_run(reading *r) {
  r->run++;
  r->clock = NULL;
  r->earlier += r->stamp;
  r->stamp = 0;
}

static bool is_clock(const perf_row *row) {
  return strcmp(row->event, "task-clock") == 0 || strcmp(row->event, "cpu-clock") == 0;
}

/** A run begins where times go back, or, in logs without lines between runs, where the first clock is read again. */
static void find_run(reading *r, const perf_row *row) {
  if (!isnan(row->interval)) {
    if (row->interval < r->stamp) {
      begin_run(r);
    }
    r->stamp = row->interval;
  } else if (!r->titled && (is_clock(row) || strcmp(row->event, "duration_time") == 0)) {
    const char *clock = rf_import_textf(r->profile, "%s %s %s", row->event, row->subject, row->place);
    if (r->clock == clock) {
      begin_run(r);
    }
    r->clock = r->clock != NULL ? r->clock : clock;
  }
}

/** What the row says of the time. */
static void take_time(event_region *s, const perf_row *row, double value) {
  if (strcmp(row->event, "duration_time") == 0) {
    s->time[ELAPSED] = isnan(s->time[ELAPSED]) ? value : s->time[ELAPSED] + value;
  } else if (is_clock(row) && row->metric > 0 && strncmp(row->metric_unit, "CPUs", 4) == 0 &&
             isnan(row->interval)) {
    s->time[CLOCK] = fmax(s->time[CLOCK], value / row->metric);
  }
  s->time[INTERVALS] = fmax(s->time[INTERVALS], row->interval);
}

static roof_status take_row(reading *r, const perf_row *row, roof_error *error) {
  static const char *const ghosts[] = {"<not supported>", "<not counted>"};
  find_run(r, row);
  event_region *s = region_of(r, row->subject);
  if (s == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "perf: out of memory");
  }
  double value = rf_import_number(row->value, &row->marks);
  bool bare = is_clock(row) && row->unit[0] == '\0'; /* newer versions of perf: in ns, and do not say so */
  double scale = rf_import_unit(bare ? "ns" : row->unit, 1024);
  bool bytes = row->unit[0] != '\0' && strchr(row->unit, 'B') != NULL;
  r->rows++;
  for (int i = 0; i < 2; i++) {
    if (strncmp(row->value, ghosts[i], strlen(ghosts[i])) == 0) {
      rf_import_skip(r->profile, row->event, ghosts[i]);
    }
  }
  s->events.estimated = s->events.estimated || row->share < 99.995;
  double unit = isnan(scale) ? 1 : scale;
  const char *event = roof_profile_text(r->profile, row->event);
  take_time(s, row, value * unit);
  double stamp = r->earlier + row->interval;
  bool kept = isnan(stamp) ||
              rf_intervals_add(&r->intervals, s->name, event, stamp, value * unit, bytes ? scale : NAN);
  return kept && rf_event_region_add(s, event, value, bytes ? scale : NAN, unit)
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_MEMORY, "perf: out of memory");
}

static const char *place_of(const json_t *object) {
  static const char *const keys[] = {"cpu", "core", "cache", "cluster", "die", "socket", "node"};
  const char *place = "";
  for (size_t i = 0; i < sizeof keys / sizeof keys[0] && place[0] == '\0'; i++) {
    place = rf_import_member_text(object, keys[i]);
  }
  return place;
}

static roof_status read_json_line(reading *r, char *line, size_t length, roof_error *error) {
  json_error_t why;
  while (length > 0 && strchr(", \t", line[length - 1]) != NULL) {
    length--;
  }
  json_t *object = rf_import_document_line(line, length, &why);
  roof_status status = ROOF_OK;
  if (object == NULL) {
    r->broken++;
    return ROOF_OK;
  }
  if (json_object_get(object, "counter-value") != NULL) {
    const char *thread = rf_import_member_text(object, "thread"),
               *cgroup = rf_import_member_text(object, "cgroup");
    perf_row row = no_row;
    row.value = rf_import_member_text(object, "counter-value");
    row.unit = rf_import_member_text(object, "unit");
    row.event = rf_import_member_text(object, "event");
    row.subject = thread[0] != '\0' ? thread : cgroup;
    row.place = place_of(object);
    row.share = rf_import_member(object, "pcnt-running");
    row.interval = rf_import_member(object, "interval");
    row.metric = rf_import_member(object, "metric-value");
    row.metric_unit = rf_import_member_text(object, "metric-unit");
    row.marks = strchr(row.value, ',') != NULL ? (import_marks){',', 0} : row.marks;
    status = take_row(r, &row, error);
  }
  json_decref(object);
  return status;
}

static roof_status read_csv_line(reading *r, const char *line, roof_error *error) {
  perf_row row;
  switch (take_csv(line, &r->delimiter, &r->row, &row)) {
  case LINE_ROW:
    return take_row(r, &row, error);
  case LINE_LOCALE:
    return rf_import_error(r->source, error, ROOF_E_PARSE, 0, 0, LOCALE_HINT);
  default:
    return ROOF_OK;
  }
}

/** "  62.92 msec task-clock  #  0.925 CPUs utilized  (33.20%)" in pieces; `line` is changed. */
static bool split_table(const reading *r, char *line, perf_row *out) {
  char *p = line + strspn(line, " "), *end = p;
  bool ghost = strncmp(p, "<not ", 5) == 0;
  end += ghost ? strcspn(p, ">") : 0;
  while (*end != '\0' && (*end != ' ' || (!ghost && isdigit((unsigned char)end[1])))) {
    end++;
  }
  *out = no_row;
  char *share = strrchr(p, '('), *mark = strchr(end, '#');
  if (share != NULL && strchr(share, '%') != NULL && strstr(share, "+-") == NULL) {
    share[strcspn(share, "%")] = '\0';
    out->share = rf_import_number(share + 1, &r->marks);
  }
  if (mark != NULL) {
    char *unit = mark + 1 + strspn(mark + 1, " ");
    size_t length = strcspn(unit, " ");
    out->metric_unit = unit[length] != '\0' ? unit + length + 1 : "";
    unit[length] = '\0';
    out->metric = rf_import_number(unit, &r->marks);
    *mark = '\0';
  }
  char *rest = NULL, *first = *end != '\0' ? strtok_r(end + 1, " ", &rest) : NULL;
  char *second = first != NULL ? strtok_r(NULL, " ", &rest) : NULL;
  bool has_unit = second != NULL && second[0] != '(' && second[0] != '#';
  *end = '\0';
  out->value = p;
  out->unit = has_unit ? first : "";
  out->event = has_unit ? second : first;
  out->marks = r->marks;
  return first != NULL && (ghost || !isnan(rf_import_number(p, &r->marks)));
}

/** 'a b' in "Performance counter stats for 'a b' (5 runs):". */
static void take_program(reading *r, char *at) {
  char *name = strchr(at, '\'');
  char *end = name != NULL ? strrchr(name + 1, '\'') : NULL;
  if (end != NULL) {
    *end = '\0';
    r->program = roof_profile_text(r->profile, name + 1);
  }
}

static roof_status read_table_line(reading *r, char *line, roof_error *error) {
  char *elapsed = strstr(line, " seconds time elapsed");
  if (elapsed != NULL) {
    char *p = line + strspn(line, " ");
    event_region *s = region_of(r, "");
    p[strcspn(p, " ")] = '\0';
    if (s != NULL) {
      s->time[ELAPSED] = rf_import_number(p, &r->marks);
    }
    return ROOF_OK;
  }
  perf_row row;
  bool other = strstr(line, " seconds user") != NULL || strstr(line, " seconds sys") != NULL;
  return !other && split_table(r, line, &row) ? take_row(r, &row, error) : ROOF_OK;
}

/** Blank lines, and those that begin with '#'. */
static void read_comment(reading *r, const char *line, bool *intervals) {
  *intervals = *intervals || strstr(line, interval_header) != NULL;
  if (strstr(line, "# started on ") != NULL) {
    r->titled = true;
    begin_run(r);
  }
}

/** "     0.051832097              28.74 msec task-clock  #    0.575 CPUs utilized". */
static roof_status read_interval_line(reading *r, char *line, roof_error *error) {
  perf_row row;
  char *stamp = line + strspn(line, " "), *rest = stamp + strcspn(stamp, " ");
  if (*rest == '\0') {
    return ROOF_OK;
  }
  *rest = '\0';
  bool whole = split_table(r, rest + 1, &row);
  row.interval = rf_import_number(stamp, &r->marks);
  return whole && !isnan(row.interval) ? take_row(r, &row, error) : ROOF_OK;
}

static roof_status read_lines(reading *r, roof_error *error) {
  roof_status status = ROOF_OK;
  size_t length = 0;
  bool table = false, intervals = false;
  for (char *line; status == ROOF_OK && (line = rf_import_line(r->source, &length)) != NULL;) {
    const char *first = line + strspn(line, " \t");
    char *title = strstr(line, "Performance counter stats for");
    if (title != NULL) {
      take_program(r, title);
      begin_run(r);
      r->titled = table = true;
      intervals = false;
    } else if (*first == '\0' || *first == '#') {
      read_comment(r, line, &intervals);
    } else if (*first == '{') {
      status = read_json_line(r, line, length, error);
    } else {
      status = intervals ? read_interval_line(r, line, error)
               : table   ? read_table_line(r, line, error)
                         : read_csv_line(r, line, error);
    }
  }
  return status == ROOF_OK ? rf_import_failed(r->source, error) : status;
}

/** How the table for people writes numbers. */
static import_marks table_marks(roof_source *source, char forced) {
  import_votes votes = {0};
  size_t size = 0;
  char word[64];
  for (const char *p = rf_import_head(source, &size); *p != '\0'; p += strspn(p, " \n\t%()#")) {
    size_t length = strcspn(p, " \n\t%()#");
    if (length > 0 && length < sizeof word) {
      memcpy(word, p, length);
      word[length] = '\0';
      rf_import_vote(&votes, word);
    }
    p += length;
  }
  return rf_import_marks_of(&votes, forced);
}

static void finish(reading *r, event_region *s) {
  static const char *const why = "no event of perf's counts it";
  end_run(r, s);
  if (isnan(s->seconds)) {
    rf_import_skip(r->profile, "time", "perf wrote none: add -e duration_time");
  }
  roof_record *record = rf_event_region_settle(s, s->seconds, ROOF_FP64, r->profile);
  if (record != NULL) {
    rf_import_missing(&record->flops[ROOF_FP64][ROOF_VECTOR], why);
    rf_import_missing(&record->bytes[ROOF_MEMORY], why);
  }
}

static roof_status finish_all(reading *r, roof_error *error) {
  if (r->rows == 0) {
    return rf_import_error(r->source, error, ROOF_E_PARSE, 0, 0, "no row of perf stat%s",
                           r->broken > 0 ? "; its JSON is broken: " LOCALE_HINT : "");
  }
  if (r->broken > 0) {
    rf_import_skip(r->profile, "lines", "not JSON");
  }
  for (size_t i = 0; i < r->regions.count; i++) {
    finish(r, &r->regions.list[i]);
  }
  rf_intervals_settle(&r->intervals, r->profile);
  return ROOF_OK;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {
      .source = source, .profile = profile, .program = roof_profile_text(profile, "program"), .run = 1};
  r.marks = table_marks(source, profile->decimal);
  roof_status status = read_lines(&r, error);
  if (status == ROOF_OK) {
    status = finish_all(&r, error);
  }
  rf_event_regions_done(&r.regions);
  rf_intervals_done(&r.intervals);
  rf_import_row_done(&r.row);
  return status;
}

const roof_format rf_format_perf = {
    .name = "perf",
    .title = "perf stat (-x, -j, the table; -I)",
    .gives = "time, FLOPs by format, bytes of L2, L3 and DRAM where counted; other events as counters",
    .detect = detect,
    .read = read,
    .ends_lines = true,
};
