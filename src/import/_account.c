/* Where the time of each device of each trace went: busy, idle and why, by activity and by stream. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"

const char *roof_idle_name(roof_idle cause) {
  static const char *const names[] = {
#define NAME(symbol, name) name,
      ROOF_IDLE_MAP(NAME)
#undef NAME
  };
  return (unsigned)cause < ROOF_IDLE_COUNT ? names[cause] : "?";
}

/** The length of a union of intervals that come in the order of their starts. */
typedef struct cover {
  int64_t until, length; /* ns */
  bool any;
} cover;

static void add_interval(cover *c, int64_t start, int64_t end) {
  int64_t from = c->any && c->until > start ? c->until : start;
  c->length += end > from ? end - from : 0;
  c->until = c->any && c->until > end ? c->until : end;
  c->any = true;
}

/** Everything that one accounting needs. */
typedef struct account {
  const roof_timeline *t;
  uint32_t *tracks;          /* in the order of trace and device */
  uint32_t *device_of;       /* by track */
  const roof_slice **slices; /* of one device after the other, each in the order of their starts */
  size_t *first;             /* of each device's slices, and in the last place of all */
  roof_host_wait *waits;     /* in the order of trace and end */
  cover *streams;            /* by track */
  roof_accounting result;
} account;

#define COMPARE(x, y) ((x) != (y) ? ((x) < (y) ? -1 : 1) : 0)

static int by_device(const void *a, const void *b, void *tracks) {
  uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
  const roof_track *x = (const roof_track *)tracks + i, *y = (const roof_track *)tracks + k;
  return x->trace != y->trace     ? COMPARE(x->trace, y->trace)
         : x->device != y->device ? COMPARE(x->device, y->device)
                                  : COMPARE(i, k);
}

/** Of those that start together the one that was launched first. */
static int by_start(const void *a, const void *b) {
  const roof_slice *x = *(const roof_slice *const *)a, *y = *(const roof_slice *const *)b;
  int64_t first = x->launched != ROOF_LAUNCH_UNKNOWN ? x->launched : INT64_MAX;
  int64_t second = y->launched != ROOF_LAUNCH_UNKNOWN ? y->launched : INT64_MAX;
  return x->start != y->start ? COMPARE(x->start, y->start) : COMPARE(first, second);
}

static int by_wait_end(const void *a, const void *b) {
  const roof_host_wait *x = a, *y = b;
  return x->trace != y->trace ? COMPARE(x->trace, y->trace) : COMPARE(x->end, y->end);
}

/** Gives every track its device, every device its place. */
static void find_devices(account *a) {
  const roof_timeline *t = a->t;
  for (size_t i = 0; i < t->track_count; i++) {
    a->tracks[i] = (uint32_t)i;
  }
  qsort_r(a->tracks, t->track_count, sizeof *a->tracks, by_device, t->tracks);
  roof_device_time *last = NULL;
  for (size_t i = 0; i < t->track_count; i++) {
    const roof_track *track = &t->tracks[a->tracks[i]];
    if (last == NULL || last->trace != track->trace || last->device != track->device) {
      last = &a->result.devices[a->result.device_count++];
      *last = (roof_device_time){.trace = track->trace, .device = track->device, .name = track->device_name};
    }
    a->device_of[a->tracks[i]] = (uint32_t)a->result.device_count - 1;
  }
}

/** Puts the slices of each device behind each other, in order. */
static void sort_slices(account *a) {
  const roof_timeline *t = a->t;
  size_t devices = a->result.device_count;
  for (size_t i = 0; i < t->slice_count; i++) {
    a->first[a->device_of[t->slices[i].track] + 1]++;
  }
  for (size_t d = 0; d < devices; d++) {
    a->first[d + 1] += a->first[d];
  }
  for (size_t i = 0; i < t->slice_count; i++) {
    a->slices[a->first[a->device_of[t->slices[i].track]]++] = &t->slices[i];
  }
  memmove(a->first + 1, a->first, devices * sizeof *a->first);
  a->first[0] = 0;
  for (size_t d = 0; d < devices; d++) {
    qsort(a->slices + a->first[d], a->first[d + 1] - a->first[d], sizeof *a->slices, by_start);
  }
}

/** Whether the host was waiting when the device ran dry, and until then or later, but not after the launch. */
static bool had_waited(const account *a, uint32_t trace, int64_t dry, int64_t launched) {
  size_t low = 0, high = a->t->wait_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    const roof_host_wait *w = &a->waits[middle];
    if (w->trace < trace || (w->trace == trace && w->end <= dry)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (; low < a->t->wait_count && a->waits[low].trace == trace && a->waits[low].end <= launched; low++) {
    if (a->waits[low].start <= dry) {
      return true;
    }
  }
  return false;
}

/** What a device idled from when it ran dry to the start of its next call. */
static void add_gap(const account *a, roof_device_time *d, int64_t dry, const roof_slice *next) {
  d->gaps++;
  if (next->launched == ROOF_LAUNCH_UNKNOWN) {
    d->idle[ROOF_IDLE_UNKNOWN] += (double)(next->start - dry);
    return;
  }
  int64_t launched = next->launched < dry ? dry : next->launched > next->start ? next->start : next->launched;
  bool waited = launched > dry && had_waited(a, d->trace, dry, launched);
  d->idle[waited ? ROOF_IDLE_SYNC : ROOF_IDLE_HOST] += (double)(launched - dry);
  d->idle[ROOF_IDLE_KERNEL] += (double)(next->start - launched);
}

enum { SETS = 1 << ROOF_ACTIVITY_COUNT }; /* sets of activities, as bits */

static void account_device(account *a, roof_device_time *d, const roof_slice *const *slices, size_t count) {
  cover covers[SETS] = {{0}};
  const cover *all = &covers[SETS - 1];
  for (size_t i = 0; i < count; i++) {
    const roof_slice *s = slices[i];
    if (i > 0 && s->start > all->until) {
      add_gap(a, d, all->until, s);
    }
    for (int set = 1; set < SETS; set++) {
      if ((set >> s->activity & 1) != 0) {
        add_interval(&covers[set], s->start, s->end);
      }
    }
    add_interval(&a->streams[s->track], s->start, s->end);
  }
  d->calls = count;
  d->busy_seconds = (double)all->length * 1e-9;
  d->span_seconds = count > 0 ? (double)(all->until - slices[0]->start) * 1e-9 : 0;
  d->idle_seconds = count > 0 ? (double)(all->until - slices[0]->start - all->length) * 1e-9 : 0;
  for (int i = 0; i < ROOF_IDLE_COUNT; i++) {
    d->idle[i] *= 1e-9;
  }
  const cover *compute = &covers[1 << ROOF_ACTIVITY_COMPUTE];
  for (int i = 0; i < ROOF_ACTIVITY_COUNT; i++) {
    const cover *one = &covers[1 << i], *either = &covers[1 << i | 1 << ROOF_ACTIVITY_COMPUTE];
    d->seconds[i] = (double)one->length * 1e-9;
    d->hidden[i] = one != compute ? (double)(one->length + compute->length - either->length) * 1e-9 : 0;
  }
}

static void account_streams(account *a) {
  const roof_timeline *t = a->t;
  for (size_t i = 0; i < t->track_count; i++) {
    uint32_t track = a->tracks[i];
    double busy = (double)a->streams[track].length * 1e-9,
           span = a->result.devices[a->device_of[track]].span_seconds;
    a->result.streams[i] =
        (roof_stream_time){.track = track, .busy_seconds = busy, .share = span > 0 ? busy / span : NAN};
    a->device_of[track] = (uint32_t)i; /* from here on: its place among the streams */
  }
  a->result.stream_count = t->track_count;
  for (size_t i = 0; i < t->slice_count; i++) {
    a->result.streams[a->device_of[t->slices[i].track]].calls++;
  }
}

/** Whether all traces have ranks, no two the same. Ranks of a job are few: a rank beyond them is none. */
static bool have_ranks(const roof_timeline *t) {
  enum { RANKS = 4096 };
  bool seen[RANKS] = {false}, distinct = true;
  for (size_t i = 0; i < t->trace_count && distinct; i++) {
    int rank = t->traces[i].rank;
    distinct = rank >= 0 && rank < RANKS && !seen[rank];
    if (distinct) {
      seen[rank] = true;
    }
  }
  return distinct;
}

/** Names each device by what distinguishes it. */
static void label_devices(account *a) {
  const roof_timeline *t = a->t;
  bool ranks = have_ranks(t), several = t->trace_count > 1;
  for (size_t i = 0; i < a->result.device_count; i++) {
    roof_device_time *d = &a->result.devices[i];
    const roof_trace *trace = &t->traces[d->trace];
    const char *slash = strrchr(trace->path, '/');
    bool alone =
        (i == 0 || d[-1].trace != d->trace) && (i + 1 == a->result.device_count || d[1].trace != d->trace);
    int length = 0;
    if (several && ranks) {
      length = snprintf(d->label, sizeof d->label, "rank %d", trace->rank);
    } else if (several) {
      length = snprintf(d->label, sizeof d->label, "%.40s", slash != NULL ? slash + 1 : trace->path);
    }
    if (!several || !alone) {
      snprintf(d->label + length, sizeof d->label - (size_t)length, "%sdevice %d", several ? " " : "",
               d->device);
    }
  }
}

static bool take_memory(account *a) {
  const roof_timeline *t = a->t;
  a->tracks = calloc(t->track_count + 1, sizeof *a->tracks);
  a->device_of = calloc(t->track_count + 1, sizeof *a->device_of);
  a->slices = calloc(t->slice_count + 1, sizeof *a->slices);
  a->first = calloc(t->track_count + 2, sizeof *a->first);
  a->waits = calloc(t->wait_count + 1, sizeof *a->waits);
  a->streams = calloc(t->track_count + 1, sizeof *a->streams);
  a->result.devices = calloc(t->track_count + 1, sizeof *a->result.devices);
  a->result.streams = calloc(t->track_count + 1, sizeof *a->result.streams);
  return a->tracks != NULL && a->device_of != NULL && a->slices != NULL && a->first != NULL &&
         a->waits != NULL && a->streams != NULL && a->result.devices != NULL && a->result.streams != NULL;
}

roof_status roof_timeline_account(const roof_timeline *timeline, roof_accounting *accounting,
                                  roof_error *error) {
  account a = {.t = timeline};
  bool there = take_memory(&a);
  if (there) {
    find_devices(&a);
    sort_slices(&a);
    if (timeline->wait_count > 0) {
      memcpy(a.waits, timeline->waits, timeline->wait_count * sizeof *a.waits);
      qsort(a.waits, timeline->wait_count, sizeof *a.waits, by_wait_end);
    }
    for (size_t d = 0; d < a.result.device_count; d++) {
      account_device(&a, &a.result.devices[d], a.slices + a.first[d], a.first[d + 1] - a.first[d]);
    }
    account_streams(&a);
    label_devices(&a);
    *accounting = a.result;
  } else {
    roof_accounting_done(&a.result);
  }
  free(a.tracks);
  free(a.device_of);
  free(a.slices);
  free(a.first);
  free(a.waits);
  free(a.streams);
  return there ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "time line: out of memory");
}

void roof_accounting_done(roof_accounting *accounting) {
  free(accounting->devices);
  free(accounting->streams);
  *accounting = (roof_accounting){0};
}
