/* Our own time lines (roofline.timeline/1): the calls of marked regions as Chrome trace events, of one process or of the ranks of a job. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/_chrome.h"
#include "import/_intern.h"
#include "import/_nested.h"
#include "roofline/time.h"

enum { NAME = 4096, MOST_RANKS = 1 << 20 };

/** A call of a region. */
typedef struct row {
  int64_t start, end; /* ns */
  int32_t process;
  int64_t thread;
  uint32_t name;
} row;

/** What the file says of a rank. */
typedef struct said {
  int32_t rank;
  roof_trace trace;
} said;

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  row *rows;
  size_t count, room;
  said *ranks;
  size_t rank_count;
  intern names;
  import_nesting calls;
} reading;

static int detect(const char *text, size_t size) {
  (void)size;
  return strstr(text, "\"roofline.timeline/1\"") != NULL ? 100 : 0;
}

static bool wants(rf_span category) {
  (void)category;
  return false;
}

static roof_status no_memory(const reading *r, roof_error *error) {
  return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", rf_import_name(r->source));
}

/** Room for one more of a list that doubles. */
static bool grow(void *list, size_t count, size_t *room, size_t size) {
  if (count < *room) {
    return true;
  }
  size_t wide = 2 * *room + 256;
  void *wider = realloc(*(void **)list, wide * size);
  if (wider != NULL) {
    *(void **)list = wider;
    *room = wide;
  }
  return wider != NULL;
}

static roof_status take_event(void *state, const chrome_event *e, roof_error *error) {
  reading *r = state;
  char name[NAME];
  int64_t start = 0, length = 0, process = rf_chrome_whole(e->process, -1);
  if (!rf_scan_is(e->phase, "X") || e->name.at == NULL) {
    return ROOF_OK;
  }
  size_t size = rf_scan_text(e->name, name, sizeof name);
  if (!rf_chrome_thousandths(e->start, &start) || !rf_chrome_thousandths(e->length, &length) || length < 0 ||
      start < -IMPORT_FARTHEST || start > IMPORT_FARTHEST || length > IMPORT_FARTHEST) {
    rf_import_skip(r->profile, name, "its ts and dur are no times");
    return ROOF_OK;
  }
  if (process < 0 || process >= MOST_RANKS) {
    rf_import_skip(r->profile, name, "its pid is no rank");
    return ROOF_OK;
  }
  uint32_t number = rf_intern_add(&r->names, name, size);
  if (number == INTERN_FAILED || !grow(&r->rows, r->count, &r->room, sizeof *r->rows)) {
    return no_memory(r, error);
  }
  r->rows[r->count++] = (row){start, start + length, (int32_t)process, rf_chrome_whole(e->thread, 0), number};
  return ROOF_OK;
}

/* What the file says of its ranks */

static double number_of(rf_span value) {
  char text[64];
  rf_scan_text(value, text, sizeof text);
  return rf_import_number(text, NULL);
}

static void take_rank(reading *r, rf_span object) {
  said *s = &r->ranks[r->rank_count];
  const char *at = object.at + 1;
  rf_span key, value;
  char text[ROOF_NAME_MAX];
  *s = (said){-1,
              {.path = "",
               .rank = -1,
               .node = "",
               .uncertainty = NAN,
               .offset = NAN,
               .drift = NAN,
               .whole_until = ROOF_LAUNCH_UNKNOWN}};
  while (*object.at == '{' && rf_scan_next(&at, &key, &value)) {
    double number = number_of(value);
    if (rf_scan_is(key, "rank")) {
      s->rank = number >= 0 && number < MOST_RANKS ? (int32_t)number : -1;
    } else if (rf_scan_is(key, "node")) {
      rf_scan_text(value, text, sizeof text);
      s->trace.node = roof_profile_text(r->profile, roof_text_is_plain(text) ? text : "");
    } else if (rf_scan_is(key, "dropped")) {
      s->trace.dropped = number >= 0 && number < 1e18 ? (uint64_t)number : 0;
    } else if (rf_scan_is(key, "whole_until_us")) {
      int64_t until;
      bool known =
          rf_chrome_thousandths(value, &until) && until >= -IMPORT_FARTHEST && until <= IMPORT_FARTHEST;
      s->trace.whole_until = known ? until : ROOF_LAUNCH_UNKNOWN;
    } else if (rf_scan_is(key, "offset_seconds")) {
      s->trace.offset = number;
    } else if (rf_scan_is(key, "drift")) {
      s->trace.drift = number;
    } else if (rf_scan_is(key, "uncertainty_seconds")) {
      s->trace.uncertainty = number >= 0 ? number : NAN;
    }
  }
  s->trace.rank = s->rank;
  r->rank_count++;
}

static roof_status take_ranks(reading *r, rf_span list, roof_error *error) {
  const char *at = list.at + 1;
  rf_span key, value;
  size_t room = r->rank_count;
  while (*list.at == '[' && rf_scan_next(&at, &key, &value)) {
    if (!grow(&r->ranks, r->rank_count, &room, sizeof *r->ranks)) {
      return no_memory(r, error);
    }
    take_rank(r, value);
  }
  return ROOF_OK;
}

/** What the writer left out. */
static void take_skipped(reading *r, rf_span list) {
  const char *at = list.at + 1;
  rf_span key, value, member;
  while (*list.at == '[' && rf_scan_next(&at, &key, &value)) {
    char what[200] = "", why[400] = "";
    const char *inner = value.at + 1;
    while (*value.at == '{' && rf_scan_next(&inner, &key, &member)) {
      rf_scan_text(member, rf_scan_is(key, "what") ? what : why,
                   rf_scan_is(key, "what") ? sizeof what : sizeof why);
    }
    if (what[0] != '\0') {
      rf_import_skip(r->profile, what, why);
    }
  }
}

static roof_status take_member(void *state, rf_span key, rf_span value, roof_error *error) {
  reading *r = state;
  if (rf_scan_is(key, "ranks")) {
    return take_ranks(r, value, error);
  }
  if (rf_scan_is(key, "skipped")) {
    take_skipped(r, value);
  } else if (rf_scan_is(key, "taken")) {
    char text[64];
    rf_scan_text(value, text, sizeof text);
    (void)roof_time_parse(text, &r->profile->taken, NULL); /* what is no time stays unknown */
  }
  return ROOF_OK;
}

/* The profile */

static int by_place(const void *a, const void *b) {
  const row *x = a, *y = b;
  return x->process != y->process ? (x->process > y->process) - (x->process < y->process)
         : x->thread != y->thread ? (x->thread > y->thread) - (x->thread < y->thread)
                                  : (x->start > y->start) - (x->start < y->start);
}

/** Where a file of one process does not say its rank, its calls are those of the only one. */
static const said *said_of(const reading *r, int32_t process) {
  for (size_t i = 0; i < r->rank_count; i++) {
    if (r->ranks[i].rank == process || (r->rank_count == 1 && r->ranks[i].rank < 0)) {
      return &r->ranks[i];
    }
  }
  return NULL;
}

/** `line`: a number of the call's thread. */
static roof_status add_row(reading *r, const row *c, const char *part, uint32_t line, roof_error *error) {
  size_t size = 0;
  char thread[32];
  const char *name = rf_intern_get(&r->names, c->name, &size);
  snprintf(thread, sizeof thread, "thread %lld", (long long)c->thread);
  roof_record *record = rf_import_uncounted(
      r->profile, part, name, size, "a time line has times alone: `run --to FILE.json` has FLOPs and bytes");
  if (record == NULL) {
    return rf_import_settled(r->profile, error);
  }
  rf_import_call(r->profile, record, (uint64_t)(c->end - c->start) * 1000);
  rf_import_slice(r->profile, &(roof_slice){.start = c->start,
                                            .end = c->end,
                                            .launched = ROOF_LAUNCH_UNKNOWN,
                                            .record = (uint32_t)(record - r->profile->records),
                                            .track = rf_import_track(r->profile, 0, thread),
                                            .activity = (uint8_t)roof_activity_of(record->name)});
  return rf_import_nested_add(&r->calls, r->profile, record, line, (const int64_t[]){c->start, c->end},
                              error);
}

/** The time of regions outside those that lie in them, where some do. */
static roof_status add_own(reading *r, roof_error *error) {
  roof_status status = rf_import_nest_own(&r->calls, error);
  bool nested = false;
  for (size_t i = 0; i < r->calls.count; i++) {
    nested |= r->calls.list[i].around;
  }
  for (size_t i = 0; i < r->calls.count && nested; i++) {
    const import_nested *c = &r->calls.list[i];
    rf_import_own(r->profile, &r->profile->records[c->record], 1e-9 * (double)c->own, c->around);
  }
  return status;
}

/** The calls of one process, a trace of their own. */
static roof_status add_process(reading *r, const row *rows, size_t count, roof_error *error) {
  const said *about = said_of(r, rows[0].process);
  const char *part =
      r->profile->by == ROOF_BY_RANK ? rf_import_textf(r->profile, "rank %d", rows[0].process) : NULL;
  roof_status status = ROOF_OK;
  size_t line = 0;
  for (size_t i = 0; i < count && status == ROOF_OK; i++) {
    line = rows[i].thread == rows[line].thread ? line : i;
    status = add_row(r, &rows[i], part, (uint32_t)((size_t)(rows - r->rows) + line), error);
  }
  bool ranked = about != NULL && about->rank >= 0;
  rf_import_track_device(r->profile, 0,
                         ranked ? rf_import_textf(r->profile, "rank %d", about->rank) : "process");
  rf_import_trace_end(r->profile, rf_import_name(r->source), about != NULL ? &about->trace : NULL);
  return status;
}

static roof_status finish(reading *r, bool cut, roof_error *error) {
  if (r->count == 0) {
    return rf_import_error(r->source, error, ROOF_E_PARSE, 0, 0, "%s",
                           cut ? "it ends too early, before any call of a region" : "no region was called");
  }
  qsort(r->rows, r->count, sizeof *r->rows, by_place);
  roof_status status = ROOF_OK;
  for (size_t i = 0, next; i < r->count && status == ROOF_OK; i = next) {
    for (next = i + 1; next < r->count && r->rows[next].process == r->rows[i].process;) {
      next++;
    }
    status = add_process(r, &r->rows[i], next - i, error);
  }
  if (status == ROOF_OK) {
    status = add_own(r, error);
  }
  uint64_t dropped = 0;
  for (size_t i = 0; i < r->rank_count; i++) {
    dropped += r->ranks[i].trace.dropped;
  }
  if (dropped > 0) {
    rf_import_fact(r->profile, "calls_without_room", (double)dropped, NULL);
  }
  if (cut) {
    rf_import_cut(r->profile, "the time line is not ended");
  }
  return status == ROOF_OK ? rf_import_settled(r->profile, error) : status;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile};
  const chrome_reader reader = {take_event, wants, take_member, &r};
  bool cut = false;
  roof_status status = rf_chrome_read(source, &reader, &cut, error);
  status = status == ROOF_OK ? finish(&r, cut, error) : status;
  free(r.rows);
  free(r.ranks);
  free(r.calls.list);
  rf_intern_done(&r.names);
  return status;
}

const roof_format rf_format_regions = {
    .name = "regions",
    .title = "time line of marked regions (roofline run --timeline)",
    .gives = "time of every call of each rank, by one clock",
    .detect = detect,
    .read = read,
};
