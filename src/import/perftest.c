/* perftest (ib_write_bw, ib_read_lat and the others): one table per test, one row per size. MB are 2^20 bytes, Gb are
 * 10^9 bits; latencies of writes and sends are half of a round trip. */
#include <math.h>
#include <string.h>

#include "import/_ceilings.h"

static int detect(const char *text, size_t size) {
  (void)size;
  bool table = strstr(text, "BW average[MB/sec]") != NULL || strstr(text, "BW average[Gb/sec]") != NULL ||
               strstr(text, "BW average[MiB/sec]") != NULL || strstr(text, "t_typical[usec]") != NULL ||
               strstr(text, "t_avg[usec]") != NULL;
  return table && strstr(text, "#bytes") != NULL && strstr(text, "#iterations") != NULL ? 95 : 0;
}

/** What a table's columns are. */
typedef enum table { TABLE_NONE, TABLE_BANDWIDTH, TABLE_LATENCY, TABLE_LATENCY_MEAN } table;

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  char test[80], device[48]; /**< "RDMA_Write BW", "mlx5_0" */
  bool both_ways;            /**< the sum of two directions */
  table table;
  double unit;        /**< bytes/s of 1 of the bandwidth's unit */
  double best, least; /**< bytes/s one way; s */
} reading;

/** "                    RDMA_Write Bidirectional BW Test". */
static void take_title(reading *r, const char *line) {
  const char *begin = line + strspn(line, " "), *end = strstr(begin, " Test");
  if (end != NULL && (strstr(begin, "BW Test") != NULL || strstr(begin, "Latency Test") != NULL)) {
    snprintf(r->test, sizeof r->test, "%.*s", (int)(end - begin), begin);
    r->both_ways = strstr(r->test, "Bidirectional") != NULL;
    r->table = TABLE_NONE;
  }
}

/** "Dual-port       : OFF          Device         : mlx5_0". */
static void take_device(reading *r, const char *line) {
  const char *at = strstr(line, "Device ");
  const char *colon = at != NULL ? strchr(at, ':') : NULL;
  if (colon != NULL) {
    const char *name = colon + 1 + strspn(colon + 1, " \t");
    snprintf(r->device, sizeof r->device, "%.*s", (int)strcspn(name, " \t"), name);
  }
}

static void take_header(reading *r, const char *line) {
  bool bits = strstr(line, "BW average[Gb/sec]") != NULL;
  bool bandwidth = bits || strstr(line, "BW average[M") != NULL;
  r->unit = bits ? 1e9 / 8 : 1048576;
  r->table = bandwidth                                 ? TABLE_BANDWIDTH
             : strstr(line, "t_typical[usec]") != NULL ? TABLE_LATENCY
             : strstr(line, "t_avg[usec]") != NULL     ? TABLE_LATENCY_MEAN
                                                       : TABLE_NONE;
}

/** Seconds of one message, one way; NaN: the row does not say. Older versions end with t_typical. */
static double seconds_of(const reading *r, double size, const double *values, int count) {
  enum { TYPICAL = 2, MEAN = 3 };
  if (r->table == TABLE_BANDWIDTH) {
    return count >= 2 ? size / (values[1] * r->unit / (r->both_ways ? 2 : 1)) : NAN;
  }
  int at = r->table == TABLE_LATENCY_MEAN ? 0 : count > MEAN ? MEAN : TYPICAL;
  return at < count ? values[at] * 1e-6 : NAN;
}

/** #bytes #iterations t_min t_max t_typical [t_avg t_stdev 99% 99.9%]. */
static void take_latencies(reading *r, roof_record *record, const double *values, int count) {
  static const char *const names[] = {"least_seconds",  "most_seconds", "typical_seconds", NULL,
                                      "stddev_seconds", "p99_seconds",  "p99.9_seconds"};
  for (int i = 0; i < count && i < (int)(sizeof names / sizeof names[0]); i++) {
    if (names[i] != NULL) {
      rf_import_counter(r->profile, record, names[i], values[i] * 1e-6, 1);
    }
  }
}

static const char *link_of(const reading *r) {
  return r->device[0] != '\0' ? r->device : "RDMA";
}

static void take_figures(reading *r, roof_record *record, double seconds, const double *values, int count) {
  if (r->table == TABLE_BANDWIDTH) {
    double peak = values[0] * r->unit, average = values[1] * r->unit;
    rf_import_counter(r->profile, record, "bytes_per_second", average, 1);
    rf_import_counter(r->profile, record, "peak_bytes_per_second", peak > 0 ? peak : NAN,
                      1); /* 0: not measured */
    if (count > 2) {
      rf_import_counter(r->profile, record, "messages_per_second", values[2] * 1e6, 1);
    }
    r->best = fmax(r->best, average / (r->both_ways ? 2 : 1));
  } else {
    take_latencies(r, record, values, r->table == TABLE_LATENCY ? count : 0);
    r->least = fmin(r->least, seconds);
  }
}

static roof_status take_row(reading *r, char *line, roof_error *error) {
  enum { MOST = 12, FIRST = 2 };
  char *words[MOST];
  double values[MOST];
  int64_t size = 0, iterations = 0;
  uint64_t picoseconds;
  int words_count = rf_import_words(line, words, MOST), count = 0;
  if (words_count < FIRST || !rf_import_count(words[0], &size) || !rf_import_count(words[1], &iterations) ||
      size < 1 || iterations < 1) {
    return ROOF_OK;
  }
  while (FIRST + count < words_count && !isnan(rf_import_number(words[FIRST + count], NULL))) {
    values[count] = rf_import_number(words[FIRST + count], NULL);
    count++;
  }
  const char *name =
      rf_import_textf(r->profile, "%s %.0f B", r->test[0] != '\0' ? r->test : "perftest", (double)size);
  double seconds = seconds_of(r, (double)size, values, count);
  if (!(seconds > 0) || iterations > 1000000000000 ||
      !rf_import_picoseconds(seconds * (double)iterations, &picoseconds)) {
    rf_import_skip(r->profile, name, "no time follows from its row");
    return ROOF_OK;
  }
  roof_record *record = rf_import_record(r->profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(r->profile, error);
  }
  rf_import_calls(record, (uint64_t)iterations, picoseconds);
  rf_import_sample(r->profile, record, seconds);
  if (r->table == TABLE_BANDWIDTH) {
    rf_import_add(&record->link_bytes, (double)size * (double)iterations, "size", ROOF_QUALITY_DERIVED);
    record->link = roof_profile_text(r->profile, link_of(r));
  } else {
    rf_import_missing(&record->link_bytes, "one message waits for the next: a latency, no bandwidth");
  }
  take_figures(r, record, seconds, values, count);
  return ROOF_OK;
}

static roof_status take_line(reading *r, char *line, roof_error *error) {
  const char *first = line + strspn(line, " ");
  if (strncmp(first, "#bytes", 6) == 0) {
    take_header(r, first);
  } else if (r->table != TABLE_NONE && *first >= '0' && *first <= '9') {
    return take_row(r, line, error);
  } else {
    take_title(r, line);
    take_device(r, line);
  }
  return ROOF_OK;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile, .least = INFINITY};
  roof_status status = ROOF_OK;
  size_t length = 0;
  for (char *line; status == ROOF_OK && (line = rf_import_line(source, &length)) != NULL;) {
    status = take_line(&r, line, error);
  }
  if (status == ROOF_OK && profile->count == 0) {
    return rf_import_error(source, error, ROOF_E_PARSE, 0, 0,
                           "no row of a size and a bandwidth or latency in it");
  }
  if (status == ROOF_OK && r.best > 0) {
    rf_ceilings_name(profile, r.device, "rdma");
    rf_ceilings_link(profile, r.device[0] != '\0' ? r.device : "RDMA", r.best, isinf(r.least) ? NAN : r.least,
                     "perftest: the best average of its sizes");
  }
  return status;
}

const roof_format rf_format_perftest = {
    .name = "perftest",
    .title = "perftest output (ib_write_bw, ib_read_lat ...)",
    .gives = "time of every size, bytes through the link; the best bandwidth is the link's ceiling",
    .detect = detect,
    .read = read,
    .ends_lines = true,
};
