/* nccl-tests and rccl-tests: one row per size, out of place and in place. Bus bandwidth is what a link of one
 * device carries: algorithm bandwidth x the collective's bus factor. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/_json.h"

static int detect(const char *text, size_t size) {
  (void)size;
  bool json = strstr(text, "\"alg_bw\"") != NULL && strstr(text, "\"bus_bw\"") != NULL;
  bool table =
      strstr(text, "algbw") != NULL && strstr(text, "busbw") != NULL && strstr(text, "(GB/s)") != NULL;
  return json || table ? 95 : 0;
}

/** One size, one way. */
typedef struct measured {
  double size, seconds, algorithm, bus; /**< bytes, s, bytes/s */
  int line;
  bool in_place, wrong;
} measured;

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  char collective[48]; /**< as the log says it, "" unknown */
  bool rooted;         /**< a column root with a rank in it */
  bool reduces;        /**< a column redop with an operation in it */
  int ranks;
  measured *rows; /**< of one table */
  size_t count, room;
  double best;
} reading;

/** The collectives' bus factors with n ranks (nccl-tests, doc/PERFORMANCE.md), and their names where a table
 * says neither or does say that it reduces. */
static const struct {
  const char *name, *reducing, *formula;
  double times, minus; /* times x (n - minus) / n */
} factors[] = {{"all_reduce", "all_reduce", "size x 2(n-1)/n", 2, 1},
               {"all_gather or alltoall", "reduce_scatter", "size x (n-1)/n", 1, 1},
               {"broadcast", "reduce", "size", 1, 0}};

/** The largest sizes are the most precise: the table has two decimals. */
static double ratio_of(const reading *r) {
  double best = 0, ratio = NAN;
  for (size_t i = 0; i < r->count; i++) {
    if (r->rows[i].algorithm > best) {
      best = r->rows[i].algorithm;
      ratio = r->rows[i].bus / best;
    }
  }
  return ratio;
}

/** What the factor is, exactly where the ranks are known; *name is the collective that has it. */
static double bus_factor(const reading *r, const char **name, const char **formula) {
  double ratio = ratio_of(r), n = r->ranks;
  *name = r->collective[0] != '\0' ? r->collective : "collective";
  *formula = "size x busbw / algbw";
  for (int i = r->rooted ? 2 : 0; i < 3 && n > 1; i++) {
    double factor = factors[i].times * (n - factors[i].minus) / n;
    if (fabs(ratio / factor - 1) < 0.005) {
      const char *likely = r->reduces ? factors[i].reducing : factors[i].name;
      *name = r->collective[0] != '\0' ? r->collective : likely;
      *formula = factors[i].formula;
      return factor;
    }
  }
  return ratio;
}

static roof_status flush(reading *r, roof_error *error) {
  const char *collective, *formula;
  double factor = bus_factor(r, &collective, &formula);
  for (size_t i = 0; i < r->count; i++) {
    const measured *m = &r->rows[i];
    uint64_t picoseconds;
    const char *name =
        rf_import_textf(r->profile, "%s %.0f B%s", collective, m->size, m->in_place ? " in place" : "");
    if (m->wrong) {
      rf_import_skip(r->profile, name, "its results were wrong");
      continue;
    }
    roof_record *record = rf_import_record(r->profile, name, strlen(name));
    if (record == NULL || !rf_import_picoseconds(m->seconds, &picoseconds)) {
      return record == NULL ? rf_import_settled(r->profile, error)
                            : rf_import_error(r->source, error, ROOF_E_PARSE, m->line, 0, "no such time");
    }
    rf_import_call(r->profile, record, picoseconds);
    rf_import_add(&record->link_bytes, m->size * factor,
                  isnan(factor) ? "the bus factor is not known" : formula, ROOF_QUALITY_DERIVED);
    record->link_ranks = r->ranks;
    rf_import_counter(r->profile, record, "algbw_bytes_per_second", m->algorithm, m->seconds);
    rf_import_counter(r->profile, record, "busbw_bytes_per_second", m->bus, m->seconds);
    r->best = fmax(r->best, m->bus);
  }
  r->count = 0;
  r->rooted = r->reduces = false;
  r->collective[0] = '\0';
  return ROOF_OK;
}

static bool add(reading *r, measured m) {
  if (r->count == r->room) {
    size_t room = r->room * 2 + 64;
    measured *more = realloc(r->rows, room * sizeof *more);
    if (more == NULL) {
      return false;
    }
    r->rows = more;
    r->room = room;
  }
  r->rows[r->count++] = m;
  return true;
}

/** Whether a word is a rank and no reduction; older tables have one of the two columns. */
static bool is_rank(const char *word) {
  return word[strspn(word, "-0123456789")] == '\0';
}

/** The last eight words are time, algbw, busbw and wrong results, twice. */
static roof_status take_row(reading *r, char *line, roof_error *error) {
  enum { MOST = 16 };
  char *words[MOST];
  int count = rf_import_words(line, words, MOST);
  if (count < 11 || count > 13 || strspn(words[0], "0123456789") != strlen(words[0])) {
    return ROOF_OK;
  }
  const char *root = count == 13 ? words[4] : count == 12 && is_rank(words[3]) ? words[3] : "-1";
  r->rooted = r->rooted || root[0] != '-';
  r->reduces = r->reduces || (count > 11 && !is_rank(words[3]) && strcmp(words[3], "none") != 0);
  for (int half = 0; half < 2; half++) {
    char **w = words + count - 8 + 4 * half;
    double wrong = rf_import_number(w[3], NULL);
    measured m = {.size = rf_import_number(words[0], NULL),
                  .seconds = rf_import_number(w[0], NULL) * 1e-6,
                  .algorithm = rf_import_number(w[1], NULL) * 1e9,
                  .bus = rf_import_number(w[2], NULL) * 1e9,
                  .line = rf_import_line_number(r->source),
                  .in_place = half == 1,
                  .wrong = wrong > 0};
    if (isnan(m.seconds)) {
      rf_import_skip(r->profile, "a row", "no time in it");
    } else if (!add(r, m)) {
      return roof_error_set(error, ROOF_E_MEMORY, "nccl-tests: out of memory");
    }
  }
  return ROOF_OK;
}

/** One half of a result of `-J FILE`: what is written of it as text stands rounded in the table. */
static roof_status take_half(reading *r, const json_t *result, const char *half, roof_error *error) {
  const json_t *values = json_object_get(result, half);
  double seconds = rf_import_member(values, "time") * 1e-6, bytes = rf_import_member(result, "size");
  measured m = {.size = bytes,
                .seconds = seconds,
                .algorithm = rf_import_member(values, "alg_bw") * 1e9,
                .bus = rf_import_member(values, "bus_bw") * 1e9,
                .line = 1,
                .in_place = strcmp(half, "in_place") == 0,
                .wrong = rf_import_member(values, "nwrong") > 0};
  if (isnan(seconds) || isnan(bytes)) {
    rf_import_skip(r->profile, half, "no time in it");
    return ROOF_OK;
  }
  return add(r, m) ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "nccl-tests: out of memory");
}

/** "all_reduce_perf" in a command line or a title. */
static void take_collective(reading *r, const char *line) {
  const char *end = strstr(line, "_perf");
  const char *begin = end;
  while (begin != NULL && begin > line && strchr("abcdefghijklmnopqrstuvwxyz_", begin[-1]) != NULL) {
    begin--;
  }
  if (end != NULL && end > begin) {
    snprintf(r->collective, sizeof r->collective, "%.*s", (int)(end - begin), begin);
  }
}

/** The document of `-J FILE`. */
static roof_status take_document(reading *r, const json_t *document, roof_error *error) {
  const json_t *devices = json_object_get(json_object_get(document, "config"), "devices"), *result, *word;
  const json_t *average = json_object_get(document, "average_bus_bandwidth");
  roof_status status = ROOF_OK;
  size_t i;
  json_array_foreach(json_object_get(document, "args"), i, word) {
    take_collective(r, json_is_string(word) ? json_string_value(word) : "");
  }
  rf_import_date(r->profile, rf_import_member_text(document, "start_time"), 0);
  r->ranks = (int)json_array_size(devices);
  rf_import_device(r->profile, roof_profile_text(r->profile, rf_import_member_text(json_array_get(devices, 0),
                                                                                   "device_info")));
  json_array_foreach(json_object_get(document, "results"), i, result) {
    const char *root = rf_import_member_text(result, "root"), *redop = rf_import_member_text(result, "redop");
    r->rooted = r->rooted || (root[0] != '\0' && strchr(root, '-') == NULL);
    r->reduces = r->reduces || (redop[0] != '\0' && strcmp(redop, "none") != 0);
    status = status == ROOF_OK ? take_half(r, result, "out_of_place", error) : status;
    status = status == ROOF_OK ? take_half(r, result, "in_place", error) : status;
  }
  double bandwidth = rf_import_member(average, "bandwidth") * 1e9;
  if (!isnan(bandwidth)) {
    rf_import_fact(r->profile, "average_busbw_bytes_per_second", bandwidth, NULL);
  }
  return status;
}

/** "#  Rank  3 Group  0 Pid 6902 on host device  3 [0000:0c:00] NVIDIA H100 80GB HBM3". */
static void take_rank(reading *r, const char *line) {
  const char *rank = strstr(line, "Rank "), *name = strstr(line, "] ");
  int number = 0;
  if (rank == NULL || strstr(line, " device ") == NULL || sscanf(rank, "Rank %d", &number) != 1) {
    return;
  }
  r->ranks = number == 0 ? 1 : number < 1 << 20 && number + 1 > r->ranks ? number + 1 : r->ranks;
  if (name != NULL) {
    rf_import_device(r->profile, name + 2);
  }
}

static roof_status take_line(reading *r, char *line, roof_error *error) {
  const char *average = strstr(line, "Avg bus bandwidth");
  bool begins = strstr(line, "_perf") != NULL || strstr(line, "nThread ") != NULL;
  roof_status status = begins && r->count > 0 ? flush(r, error) : ROOF_OK;
  take_rank(r, line);
  take_collective(r, line);
  if (average != NULL && strchr(average, ':') != NULL && line[0] == '#') {
    rf_import_fact(r->profile, "average_busbw_bytes_per_second",
                   rf_import_number(strchr(average, ':') + 1, NULL) * 1e9, NULL);
  }
  return status == ROOF_OK && line[0] != '#' ? take_row(r, line, error) : status;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile};
  roof_status status = ROOF_OK;
  size_t length = 0;
  const char *head = rf_import_head(source, &length);
  if (head[strspn(head, " \t\r\n")] == '{') {
    json_t *document = NULL;
    status = rf_import_document(source, &document, error);
    status = status == ROOF_OK ? take_document(&r, document, error) : status;
    json_decref(document);
  }
  for (char *line; status == ROOF_OK && (line = rf_import_line(source, &length)) != NULL;) {
    status = take_line(&r, line, error);
  }
  status = status == ROOF_OK ? flush(&r, error) : status;
  if (status == ROOF_OK && profile->count == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "no row of sizes and bandwidths in it");
  }
  if (status == ROOF_OK) {
    rf_import_fact(profile, "best_busbw_bytes_per_second", r.best, NULL);
    if (r.ranks > 0) {
      rf_import_fact(profile, "ranks", r.ranks, NULL);
    }
  }
  free(r.rows);
  return status;
}

const roof_format rf_format_nccl_tests = {
    .name = "nccl-tests",
    .title = "nccl-tests, rccl-tests output, JSON",
    .gives = "time and bytes through a link for every size, algorithm and bus bandwidth",
    .detect = detect,
    .read = read,
};
