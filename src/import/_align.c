/* Time lines of several processes by one clock, and written as one. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "roofline/time.h"
#include "roofline/units.h"

roof_alignment roof_alignment_none(void) {
  return (roof_alignment){0};
}

/** ns that a time is behind by. */
static int64_t shift_at(const roof_alignment *a, int64_t time) {
  return llround(1e9 * (a->offset + a->drift * (1e-9 * (double)time - a->at)));
}

static double error_at(const roof_alignment *a, int64_t time) {
  return a->offset_error + a->drift_error * fabs(1e-9 * (double)time - a->at);
}

/** Whether calls are missing from a time on that is known. */
static bool is_cut(const roof_trace *trace) {
  return trace->dropped > 0 && trace->whole_until != ROOF_LAUNCH_UNKNOWN;
}

void roof_timeline_align(roof_timeline *t, const roof_alignment *a) {
  for (size_t i = 0; i < t->trace_count; i++) {
    t->traces[i].offset = a->offset;
    t->traces[i].drift = a->drift;
    t->traces[i].uncertainty = 0;
    if (is_cut(&t->traces[i])) {
      t->traces[i].whole_until += shift_at(a, t->traces[i].whole_until);
    }
  }
  for (size_t i = 0; i < t->slice_count; i++) {
    roof_slice *s = &t->slices[i];
    roof_trace *trace = &t->traces[t->tracks[s->track].trace];
    trace->uncertainty = fmax(trace->uncertainty, fmax(error_at(a, s->start), error_at(a, s->end)));
    s->start += shift_at(a, s->start);
    s->end += shift_at(a, s->end);
  }
  t->aligned = true;
}

void roof_timeline_place(roof_profile *profile, int rank, const char *node) {
  roof_timeline *t = profile->timeline;
  for (size_t i = 0; t != NULL && i < t->trace_count; i++) {
    t->traces[i].rank = rank;
    t->traces[i].node = roof_profile_text(profile, node);
  }
}

/* Writing */

typedef struct writer {
  const roof_profile *profile;
  const roof_timeline *t;
  const roof_slice **slices; /* in the order of their ranks, threads and starts */
  size_t *order;             /* traces by their ranks */
  size_t *calls;             /* of traces */
  uint32_t *threads;         /* of tracks: their number in their rank */
  int64_t first;             /* ns: of all calls */
  roof_text *out;
} writer;

static const roof_trace *trace_of(const roof_timeline *t, const roof_slice *s) {
  return &t->traces[t->tracks[s->track].trace];
}

/** A process without a rank is the only one, 0. */
static int process_of(const roof_trace *trace) {
  return trace->rank >= 0 ? trace->rank : 0;
}

static int by_place(const void *a, const void *b, void *user) {
  const writer *w = user;
  const roof_slice *x = *(const roof_slice *const *)a, *y = *(const roof_slice *const *)b;
  int p = process_of(trace_of(w->t, x)), q = process_of(trace_of(w->t, y));
  uint32_t i = w->threads[x->track], k = w->threads[y->track];
  return p != q   ? (p > q) - (p < q)
         : i != k ? (i > k) - (i < k)
                  : (x->start > y->start) - (x->start < y->start);
}

static int by_rank(const void *a, const void *b, void *user) {
  const roof_timeline *t = user;
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  int p = process_of(&t->traces[x]), q = process_of(&t->traces[y]);
  return p != q ? (p > q) - (p < q) : (x > y) - (x < y);
}

/** Threads of a rank are numbered through, of whichever of its processes. */
static void number_threads(const writer *w) {
  const roof_timeline *t = w->t;
  for (size_t i = 0; i < t->track_count; i++) {
    int process = process_of(&t->traces[t->tracks[i].trace]);
    w->threads[i] = 0;
    for (size_t k = i; k-- > 0 && w->threads[i] == 0;) {
      w->threads[i] = process_of(&t->traces[t->tracks[k].trace]) == process ? w->threads[k] + 1 : 0;
    }
  }
}

static void add_number(roof_text *out, const char *key, double value, int digits) {
  char number[ROOF_NUMBER_SIZE] = "null";
  if (isfinite(value)) {
    roof_number_write(number, value, digits);
  }
  roof_text_addf(out, ", \"%s\": %s", key, number);
}

/** us since the first call */
static void add_time(const writer *w, int64_t time) {
  int64_t since = time - w->first;
  roof_text_addf(w->out, "%s%" PRId64 ".%03" PRId64, since < 0 ? "-" : "", imaxabs(since) / 1000,
                 imaxabs(since) % 1000);
}

static void add_rank(const writer *w, size_t index, const char *before) {
  const roof_trace *trace = &w->t->traces[index];
  roof_text_addf(w->out, "%s\n    {\"rank\": %d, \"node\": ", before, process_of(trace));
  roof_text_add_json(w->out, trace->node);
  roof_text_addf(w->out, ", \"calls\": %zu, \"dropped\": %" PRIu64 ", \"whole_until_us\": ", w->calls[index],
                 trace->dropped);
  if (is_cut(trace)) {
    add_time(w, trace->whole_until);
  } else {
    roof_text_add(w->out, "null");
  }
  add_number(w->out, "offset_seconds", trace->offset, 12);
  add_number(w->out, "drift", trace->drift, 6);
  add_number(w->out, "uncertainty_seconds", trace->uncertainty, 3);
  roof_text_add(w->out, "}");
}

static void add_skipped(const writer *w) {
  roof_text_add(w->out, "\n  ],\n  \"skipped\": [");
  for (size_t i = 0; i < w->profile->skip_count; i++) {
    roof_text_add(w->out, i > 0 ? ",\n    {\"what\": " : "\n    {\"what\": ");
    roof_text_add_json(w->out, w->profile->skips[i].what);
    roof_text_add(w->out, ", \"why\": ");
    roof_text_add_json(w->out, w->profile->skips[i].why);
    roof_text_add(w->out, "}");
  }
  roof_text_add(w->out, w->profile->skip_count > 0 ? "\n  ],\n" : "],\n");
}

/** The name of a rank's process, for viewers. */
static void add_name(const writer *w, const roof_trace *trace) {
  char name[ROOF_NAME_MAX + 32];
  snprintf(name, sizeof name, "rank %d%s%s", process_of(trace), trace->node[0] != '\0' ? " on " : "",
           trace->node);
  roof_text_addf(w->out, "    {\"name\": \"process_name\", \"ph\": \"M\", \"pid\": %d, \"args\": {\"name\": ",
                 process_of(trace));
  roof_text_add_json(w->out, name);
  roof_text_addf(w->out,
                 "}},\n    {\"name\": \"process_sort_index\", \"ph\": \"M\", \"pid\": %d, \"args\": "
                 "{\"sort_index\": %d}},\n",
                 process_of(trace), process_of(trace));
}

static void add_call(const writer *w, const roof_slice *s) {
  int64_t length = s->end - s->start;
  roof_text_add(w->out, "    {\"name\": ");
  roof_text_add_json(w->out, w->profile->records[s->record].name);
  roof_text_add(w->out, ", \"cat\": \"region\", \"ph\": \"X\", \"ts\": ");
  add_time(w, s->start);
  roof_text_addf(w->out, ", \"dur\": %" PRId64 ".%03" PRId64 ", \"pid\": %d, \"tid\": %" PRIu32 "}",
                 length / 1000, length % 1000, process_of(trace_of(w->t, s)), w->threads[s->track]);
}

static void add_document(const writer *w, const char *program) {
  char taken[ROOF_TIME_MAX];
  const roof_timeline *t = w->t;
  roof_text_add(w->out, "{\n  \"schema\": \"roofline.timeline/1\",\n  \"source\": ");
  roof_text_add_json(w->out, program);
  roof_text_addf(w->out, ",\n  \"taken\": \"%s\",\n  \"displayTimeUnit\": \"ns\",\n  \"ranks\": [",
                 roof_time_write(isnan(w->profile->taken) ? roof_time_now() : w->profile->taken, taken));
  for (size_t i = 0; i < t->trace_count; i++) {
    add_rank(w, w->order[i], i > 0 ? "," : "");
  }
  add_skipped(w);
  roof_text_add(w->out, "  \"traceEvents\": [\n");
  for (size_t i = 0; i < t->trace_count; i++) {
    add_name(w, &t->traces[w->order[i]]);
  }
  for (size_t i = 0; i < t->slice_count; i++) {
    add_call(w, w->slices[i]);
    roof_text_add(w->out, i + 1 < t->slice_count ? ",\n" : "\n  ]\n}\n");
  }
}

/** Puts everything into the order in which it is written. */
static void arrange(writer *w) {
  const roof_timeline *t = w->t;
  for (size_t i = 0; i < t->trace_count; i++) {
    w->order[i] = i;
  }
  for (size_t i = 0; i < t->slice_count; i++) {
    w->calls[t->tracks[t->slices[i].track].trace]++;
    w->slices[i] = &t->slices[i];
    w->first = t->slices[i].start < w->first ? t->slices[i].start : w->first;
  }
  number_threads(w);
  qsort_r(w->order, t->trace_count, sizeof *w->order, by_rank, (void *)(uintptr_t)t);
  qsort_r(w->slices, t->slice_count, sizeof(*w->slices), by_place, w);
}

roof_status roof_timeline_write(const roof_profile *profile, const char *program, roof_text *out,
                                roof_error *error) {
  const roof_timeline *t = profile->timeline;
  if (t == NULL || t->slice_count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "time line: no region was called");
  }
  writer w = {.profile = profile,
              .t = t,
              .slices = calloc(t->slice_count, sizeof *w.slices),
              .order = calloc(t->trace_count, sizeof *w.order),
              .calls = calloc(t->trace_count, sizeof *w.calls),
              .threads = calloc(t->track_count, sizeof *w.threads),
              .first = INT64_MAX,
              .out = out};
  bool there = w.slices != NULL && w.order != NULL && w.calls != NULL && w.threads != NULL;
  if (there) {
    arrange(&w);
    add_document(&w, program);
  }
  free(w.slices);
  free(w.order);
  free(w.calls);
  free(w.threads);
  return there && !out->failed ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "time line: out of memory");
}
