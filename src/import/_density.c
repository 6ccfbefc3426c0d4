/* How busy each stream was over time, in as many parts as a picture has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"

/** The first and last moment of a trace; false where it has no call. */
static bool span_of(const roof_timeline *t, uint32_t trace, int64_t *start, int64_t *end) {
  *start = INT64_MAX;
  *end = INT64_MIN;
  for (size_t i = 0; i < t->slice_count; i++) {
    const roof_slice *s = &t->slices[i];
    if (t->tracks[s->track].trace == trace) {
      *start = s->start < *start ? s->start : *start;
      *end = s->end > *end ? s->end : *end;
    }
  }
  return *end > *start;
}

/** Adds the part of each bin that a call takes; `length` ns is a bin. */
static void add_call(roof_density *d, const roof_slice *s, int64_t start, double length) {
  double from = (double)(s->start - start) / length, to = (double)(s->end - start) / length;
  for (int bin = (int)from; bin < ROOF_DENSITY_BINS && bin < to; bin++) {
    double low = from > bin ? from : bin, high = to < bin + 1 ? to : bin + 1;
    d->shares[bin][s->activity] += (float)(high - low);
  }
}

static void label(const roof_timeline *t, const roof_accounting *a, roof_density *d) {
  const roof_track *track = &t->tracks[d->track];
  for (size_t i = 0; i < a->device_count; i++) {
    if (a->devices[i].trace == track->trace && a->devices[i].device == track->device) {
      bool named = strncmp(track->stream, "thread ", 7) == 0;
      snprintf(d->label, sizeof d->label, "%s, %s%.24s", a->devices[i].label, named ? "" : "stream ",
               track->stream);
    }
  }
}

/** Traces by one clock begin with the first of them. Returns how long all take, in ns. */
static int64_t begin_together(const roof_timeline *t, int64_t *starts) {
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (size_t i = 0; i < t->slice_count; i++) {
    first = t->slices[i].start < first ? t->slices[i].start : first;
    last = t->slices[i].end > last ? t->slices[i].end : last;
  }
  for (size_t i = 0; i < t->trace_count; i++) {
    starts[i] = first;
  }
  return last > first ? last - first : 0;
}

roof_status roof_timeline_densities(const roof_timeline *t, const roof_accounting *a, size_t most,
                                    roof_density **list, size_t *count, double *seconds, roof_error *error) {
  size_t shown = a->stream_count < most ? a->stream_count : most;
  roof_density *all = calloc(shown + 1, sizeof *all);
  int64_t longest = 0, *starts = calloc(t->trace_count + 1, sizeof *starts), end;
  if (all == NULL || starts == NULL) {
    free(all);
    free(starts);
    return roof_error_set(error, ROOF_E_MEMORY, "time line: out of memory");
  }
  for (uint32_t i = 0; i < t->trace_count; i++) {
    bool any = span_of(t, i, &starts[i], &end);
    longest = any && end - starts[i] > longest ? end - starts[i] : longest;
  }
  if (t->aligned) {
    longest = begin_together(t, starts);
  }
  double length = (double)(longest > 0 ? longest : 1) / ROOF_DENSITY_BINS;
  for (size_t k = 0; k < shown; k++) {
    all[k].track = a->streams[k].track;
    label(t, a, &all[k]);
    for (size_t i = 0; i < t->slice_count; i++) {
      if (t->slices[i].track == all[k].track) {
        add_call(&all[k], &t->slices[i], starts[t->tracks[all[k].track].trace], length);
      }
    }
  }
  free(starts);
  *list = all;
  *count = shown;
  *seconds = (double)longest * 1e-9;
  return ROOF_OK;
}
