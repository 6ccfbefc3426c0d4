/* OSU micro-benchmarks: one table per test, one row per size. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/letters.h"
#include "import/import.h"

static int detect(const char *text, size_t size) {
  (void)size;
  return strstr(text, "# OSU ") != NULL && strstr(text, " Test") != NULL && strstr(text, "# Size") != NULL
             ? 95
             : 0;
}

/** What the second column is. */
typedef enum column { COLUMN_NONE, COLUMN_LATENCY, COLUMN_BANDWIDTH } column;

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  char test[80]; /**< "Bandwidth", "Allreduce Latency" */
  column column;
  bool both_ways; /**< the sum of two directions */
  bool collective;
  bool once;     /**< a collective in which a link carries each byte once */
  bool messages; /**< a third column of messages per second */
  double pairs;
} reading;

/** Without "MPI ", "MPI-CUDA " or, of one-sided tests, the "MPI_" of "MPI_Put". */
static const char *without_mpi(const char *title) {
  if (strncmp(title, "MPI_", 4) == 0) {
    return title + 4;
  }
  bool word = strncmp(title, "MPI ", 4) == 0 || strncmp(title, "MPI-", 4) == 0;
  title += word ? strcspn(title, " ") : 0;
  return title + strspn(title, " ");
}

/** Tests between two ranks; any other latency is a collective's. */
static bool is_pairwise(const char *test) {
  static const char *const pairs[] = {"Multi",       "put", "get", "Accumulate", "Compare_and_swap",
                                      "Fetch_and_op"};
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    if (rf_letters_find(test, pairs[i]) != NULL) {
      return true;
    }
  }
  return rf_letters_compare(test, "Latency") == 0;
}

/** "# OSU MPI-CUDA Allreduce Latency Test v5.6.2". */
static void take_title(reading *r, const char *line) {
  static const char *const once[] = {"Bcast", "Broadcast", "Reduce Latency"};
  const char *begin = without_mpi(line + strlen("# OSU "));
  const char *end = strstr(begin, " Test");
  *r = (reading){.source = r->source, .profile = r->profile, .pairs = 1};
  if (end != NULL && end > begin) {
    snprintf(r->test, sizeof r->test, "%.*s", (int)(end - begin), begin);
  }
  r->both_ways =
      rf_letters_find(r->test, "Bi-Directional") != NULL || rf_letters_find(r->test, "Bibw") != NULL;
  r->collective = rf_letters_find(r->test, "Latency") != NULL && !is_pairwise(r->test);
  for (size_t i = 0; i < sizeof once / sizeof once[0]; i++) {
    r->once = r->once || strncmp(r->test, once[i], strlen(once[i])) == 0;
  }
}

static void take_comment(reading *r, const char *line) {
  const char *pairs = strstr(line, "pairs: ");
  if (strncmp(line, "# OSU ", 6) == 0) {
    take_title(r, line);
  } else if (strncmp(line, "# Size", 6) == 0) {
    r->column = strstr(line, "MB/s") != NULL   ? COLUMN_BANDWIDTH
                : strstr(line, "(us)") != NULL ? COLUMN_LATENCY
                                               : COLUMN_NONE;
    r->messages = strstr(line, "Messages/s") != NULL;
  } else if (pairs != NULL) {
    int number = 0;
    r->pairs = sscanf(pairs, "pairs: %d", &number) == 1 && number > 0 ? number : 1;
  }
}

/** What a link carries, one way, in `seconds`. */
static void add_bytes(const reading *r, roof_record *record, double size) {
  if (r->collective && !r->once) {
    rf_import_missing(&record->link_bytes, "the file does not give the number of ranks");
  } else if (r->collective) {
    rf_import_add(&record->link_bytes, size, "size: each link carries it once", ROOF_QUALITY_ESTIMATED);
  } else {
    rf_import_add(&record->link_bytes, size * r->pairs, r->pairs > 1 ? "size x pairs" : "size",
                  ROOF_QUALITY_DERIVED);
  }
}

static roof_status take_row(reading *r, char *line, roof_error *error) {
  enum { MOST = 8 };
  char *words[MOST];
  int count = rf_import_words(line, words, MOST);
  double size = count > 1 ? rf_import_number(words[0], NULL) : NAN;
  double value = count > 1 ? rf_import_number(words[1], NULL) : NAN;
  uint64_t picoseconds;
  if (isnan(size) || isnan(value) || r->column == COLUMN_NONE) {
    return ROOF_OK;
  }
  const char *name = rf_import_textf(r->profile, "%s %.0f B", r->test, size);
  double rate = value * 1e6 / (r->both_ways ? 2 : 1);
  double seconds = r->column == COLUMN_LATENCY ? value * 1e-6 : size * r->pairs / rate;
  if (!rf_import_picoseconds(seconds, &picoseconds)) {
    rf_import_skip(r->profile, name, "no time follows from its bandwidth");
    return ROOF_OK;
  }
  roof_record *record = rf_import_record(r->profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(r->profile, error);
  }
  rf_import_call(r->profile, record, picoseconds);
  add_bytes(r, record, size);
  if (r->column == COLUMN_BANDWIDTH) {
    rf_import_counter(r->profile, record, "bytes_per_second", value * 1e6, seconds);
  } else if (count >= 4) { /* -f: Avg Min Max Iterations */
    rf_import_counter(r->profile, record, "least_seconds", rf_import_number(words[2], NULL) * 1e-6, seconds);
    rf_import_counter(r->profile, record, "most_seconds", rf_import_number(words[3], NULL) * 1e-6, seconds);
  }
  if (r->messages && count >= 3) {
    rf_import_counter(r->profile, record, "messages_per_second", rf_import_number(words[2], NULL), seconds);
  }
  return ROOF_OK;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile, .pairs = 1};
  roof_status status = ROOF_OK;
  size_t length = 0;
  for (char *line; status == ROOF_OK && (line = rf_import_line(source, &length)) != NULL;) {
    if (line[0] == '#') {
      take_comment(&r, line);
    } else if (isdigit((unsigned char)line[0])) {
      status = take_row(&r, line, error);
    }
  }
  return status == ROOF_OK && profile->count == 0
             ? rf_import_error(source, error, ROOF_E_PARSE, 0, 0,
                               "no row of a size and a latency or bandwidth in it")
             : status;
}

const roof_format rf_format_osu = {
    .name = "osu",
    .title = "OSU micro-benchmarks output",
    .gives = "time of every size, bytes through a link between two ranks",
    .detect = detect,
    .read = read,
};
