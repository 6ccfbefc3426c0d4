/* `perf script`: a sample a line, or a line with its call chain below it, whose first line is the leaf. A symbol's time is
 * that of its samples: the period of a clock is ns; of cycles, cycles. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "roofline/stats.h"

/** What a sample's period counts. */
typedef enum counted { COUNTED_OTHER, COUNTED_CLOCK, COUNTED_CYCLES } counted;

/** "burn 32703/32703 [001] 72964.222662:    5000000 cpu-clock:u:      5610fe9c3152 inner+0x19 (/tmp/burn)". */
typedef struct sample {
  long thread;
  double time, period; /**< s; NaN: not said */
  char event[64];      /**< without its modifiers */
  const char *rest;    /**< behind the event */
} sample;

/** The samples of one record. */
typedef struct tally {
  double period;
  uint64_t samples;
} tally;

enum { RATES = 4096 };

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  counted timed; /**< what time comes from: the first event that is one */
  tally *tallies;
  size_t room;
  sample last;         /**< that of the chain's first line, and of the line before */
  bool pending;        /**< its leaf is on the next line */
  double rates[RATES]; /**< counts per second between neighbours of one thread */
  size_t rate_count;
  uint64_t samples;
} reading;

/** A word of `accepted` with a '.' in it that ends with ':'. */
static bool is_time(const char *word, size_t length) {
  size_t digits = strspn(word, "0123456789");
  return digits > 0 && word[digits] == '.' && length > digits + 2 && word[length - 1] == ':' &&
         digits + 1 + strspn(word + digits + 1, "0123456789") == length - 1;
}

/** "cpu-clock:ppp:", "cpu_core/cycles/P:", "cycles:u:" without what is no name. */
static void event_name(const char *word, size_t length, char to[64]) {
  const char *slash = memchr(word, '/', length);
  const char *begin = slash != NULL ? slash + 1 : word;
  size_t size = strcspn(begin, "/: ");
  size_t left = length - (size_t)(begin - word);
  snprintf(to, 64, "%.*s", (int)(size < left ? size : left), begin);
}

/** The number of a copy of `length` bytes, NaN: it is none. */
static double number(const char *text, size_t length) {
  char copy[40];
  snprintf(copy, sizeof copy, "%.*s", (int)(length < sizeof copy ? length : 0), text);
  return rf_import_number(copy, NULL);
}

/** Reads a sample's line; false where it is none. A command's name may have blanks. */
static bool sample_of(const char *line, sample *s) {
  const char *word = line + strspn(line, " "), *before = NULL, *thread = NULL;
  size_t length = strcspn(word, " ");
  while (*word != '\0' && !is_time(word, length)) {
    thread = *word == '[' ? before : word;
    before = word;
    word += length + strspn(word + length, " ");
    length = strcspn(word, " ");
  }
  if (*word == '\0' || thread == NULL || line[0] == '\t') {
    return false;
  }
  const char *slash = strchr(thread, '/');
  s->thread = strtol(slash != NULL && slash < word ? slash + 1 : thread, NULL, 10);
  s->time = number(word, length - 1);
  word += length + strspn(word + length, " ");
  length = strcspn(word, " ");
  s->period = number(word, length);
  if (!isnan(s->period)) {
    word += length + strspn(word + length, " ");
    length = strcspn(word, " ");
  }
  if (length < 2 || word[length - 1] != ':') {
    return false;
  }
  event_name(word, length, s->event);
  s->rest = word + length + strspn(word + length, " ");
  return s->event[0] != '\0';
}

static int detect(const char *text, size_t size) {
  (void)size;
  char line[400];
  sample s;
  for (int lines = 0; lines < 100 && *text != '\0'; lines++) {
    size_t length = strcspn(text, "\r\n");
    snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : 0), text);
    if (line[0] != '#' && sample_of(line, &s) && !isnan(s.period)) {
      return 85;
    }
    text += length + strspn(text + length, "\r\n");
  }
  return 0;
}

static counted counted_of(const char *event) {
  static const char *const clocks[] = {"cpu-clock", "task-clock"}, *const cycles[] = {"cycles", "cpu-cycles",
                                                                                      "cpu_cycles"};
  for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
    if (strcmp(event, clocks[i]) == 0) {
      return COUNTED_CLOCK;
    }
  }
  for (size_t i = 0; i < sizeof cycles / sizeof cycles[0]; i++) {
    if (strcmp(event, cycles[i]) == 0) {
      return COUNTED_CYCLES;
    }
  }
  return COUNTED_OTHER;
}

/** "inner (burn)" of "5610fe9c3152 inner+0x19 (/tmp/burn)". */
static const char *leaf_name(reading *r, const char *leaf) {
  const char *name = leaf + strspn(leaf, " \t");
  size_t hex = strspn(name, "0123456789abcdef");
  name += hex > 0 && name[hex] == ' ' ? hex + 1 : 0;
  const char *open = strrchr(name, '('), *file = open != NULL ? strrchr(open, '/') : NULL;
  size_t length = open != NULL ? (size_t)(open - name) : strlen(name);
  while (length > 0 && name[length - 1] == ' ') {
    length--;
  }
  for (size_t i = length; i > 3; i--) {
    if (strncmp(name + i - 3, "+0x", 3) == 0 && strspn(name + i, "0123456789abcdef") >= length - i) {
      length = i - 3;
      break;
    }
  }
  const char *object = file != NULL ? file + 1 : open != NULL ? open + 1 : "";
  size_t end = strcspn(object, ")");
  return end > 0 ? rf_import_textf(r->profile, "%.*s (%.*s)", (int)length, name, (int)end, object)
                 : rf_import_textf(r->profile, "%.*s", (int)length, name);
}

/** The tally of the record at `index`; NULL when out of memory. */
static tally *tally_of(reading *r, size_t index) {
  if (index >= r->room) {
    size_t room = 2 * index + 64;
    tally *more = realloc(r->tallies, room * sizeof *more);
    if (more == NULL) {
      return NULL;
    }
    memset(more + r->room, 0, (room - r->room) * sizeof *more);
    r->tallies = more;
    r->room = room;
  }
  return &r->tallies[index];
}

/** Adds to the sum of an event that is no time. */
static void add_event(reading *r, roof_record *record, const char *event, double period) {
  for (size_t i = 0; i < record->counter_count; i++) {
    if (strcmp(record->counters[i].name, event) == 0) {
      record->counters[i].value += period;
      return;
    }
  }
  rf_import_counter(r->profile, record, roof_profile_text(r->profile, event), period, 1);
}

static roof_status take_leaf(reading *r, const char *leaf, roof_error *error) {
  const char *name = leaf_name(r, leaf);
  counted kind = counted_of(r->last.event);
  double period = isnan(r->last.period) ? 1 : r->last.period;
  roof_record *record = rf_import_record(r->profile, name[0] != '\0' ? name : "[unknown]",
                                         name[0] != '\0' ? strlen(name) : strlen("[unknown]"));
  tally *t = record != NULL ? tally_of(r, (size_t)(record - r->profile->records)) : NULL;
  if (t == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "perf script: out of memory");
  }
  r->samples++;
  r->timed = r->timed == COUNTED_OTHER ? kind : r->timed;
  if (kind != COUNTED_OTHER && kind == r->timed && !isnan(r->last.period)) {
    t->period += period;
    t->samples++;
  } else {
    add_event(r, record, r->last.event, period);
  }
  return ROOF_OK;
}

/** What a second has of the counts, as two neighbours of one thread show it. */
static void take_rate(reading *r, const sample *s) {
  double gap = s->time - r->last.time;
  if (s->thread == r->last.thread && strcmp(s->event, r->last.event) == 0 && gap > 0 && s->period > 0 &&
      counted_of(s->event) == COUNTED_CYCLES) {
    r->rates[r->rate_count++ % RATES] = s->period / gap;
  }
}

/** A sample without a chain is one of an unknown symbol. */
static roof_status close_chain(reading *r, roof_error *error) {
  bool open = r->pending;
  r->pending = false;
  return open ? take_leaf(r, "", error) : ROOF_OK;
}

static roof_status take_line(reading *r, const char *line, roof_error *error) {
  sample s;
  if (r->pending && line[0] == '\t') {
    r->pending = false;
    return take_leaf(r, line, error);
  }
  if (line[0] == '#') {
    rf_import_device(r->profile, strncmp(line, "# cpudesc : ", 12) == 0 ? line + 12 : "");
  } else if (sample_of(line, &s)) {
    roof_status status = close_chain(r, error);
    take_rate(r, &s);
    r->last = s;
    r->pending = s.rest[0] == '\0';
    return r->pending || status != ROOF_OK ? status : take_leaf(r, s.rest, error);
  }
  return ROOF_OK;
}

/** Counts per second of a processor that runs: of a clock 10^9, of cycles the median between neighbours. */
static double rate_of(reading *r) {
  roof_stats stats = {.median = NAN};
  size_t count = r->rate_count < RATES ? r->rate_count : RATES;
  if (r->timed == COUNTED_CYCLES && count > 0) {
    (void)roof_stats_of(r->rates, count, &stats, NULL);
  }
  return r->timed == COUNTED_CLOCK ? 1e9 : stats.median;
}

static roof_status finish(reading *r, roof_error *error) {
  static const char why[] = "perf script has samples alone";
  double rate = rate_of(r);
  if (r->samples == 0) {
    return rf_import_error(r->source, error, ROOF_E_PARSE, 0, 0, "no sample in it");
  }
  for (size_t i = 0; i < r->profile->count && i < r->room; i++) {
    roof_record *record = &r->profile->records[i];
    uint64_t picoseconds;
    if (r->tallies[i].samples > 0 && rf_import_picoseconds(r->tallies[i].period / rate, &picoseconds)) {
      rf_import_calls(record, r->tallies[i].samples, picoseconds);
    }
    rf_import_missing(&record->flops[ROOF_FP64][ROOF_VECTOR], why);
    rf_import_missing(&record->bytes[ROOF_MEMORY], why);
  }
  if (isnan(rate)) {
    rf_import_skip(r->profile, "time", "no event with a period counts it: record cpu-clock or cycles");
  } else {
    rf_import_fact(r->profile, "time_from", NAN,
                   r->timed == COUNTED_CLOCK ? "samples of the clock"
                                             : "samples of cycles, by the time between neighbours");
  }
  rf_import_fact(r->profile, "samples", NAN, rf_import_textf(r->profile, "%.0f", (double)r->samples));
  return ROOF_OK;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading *r = calloc(1, sizeof *r);
  roof_status status = ROOF_OK;
  size_t length = 0;
  if (r == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "perf script: out of memory");
  }
  r->source = source;
  r->profile = profile;
  for (char *line; status == ROOF_OK && (line = rf_import_line(source, &length)) != NULL;) {
    status = take_line(r, line, error);
  }
  status = status == ROOF_OK ? rf_import_failed(source, error) : status;
  status = status == ROOF_OK ? close_chain(r, error) : status;
  status = status == ROOF_OK ? finish(r, error) : status;
  free(r->tallies);
  free(r);
  return status;
}

const roof_format rf_format_perf_script = {
    .name = "perf-script",
    .title = "perf script (samples, with call chains or without)",
    .gives = "time of every sampled symbol, its calls are samples; other events as counters",
    .detect = detect,
    .read = read,
};
