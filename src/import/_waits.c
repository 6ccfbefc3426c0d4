/* Which rank waits for which, by times of one clock. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "roofline/units.h"

/** What a rank was in: a region, or any of them. */
typedef struct stay {
  int64_t start, end; /* ns */
  uint32_t record, trace;
} stay;

/** What a rank waited. */
typedef struct pause {
  int64_t start, end;
  uint32_t record, trace, awaited;
} pause;

typedef struct study {
  const roof_profile *profile;
  const roof_timeline *t;
  int64_t first, last; /* ns: what is looked at */
  stay *stays;         /* by region, rank and start, those that overlap joined */
  size_t stay_count;
  pause *pauses;
  size_t pause_count, pause_room;
  roof_waits result;
  bool failed; /* out of memory */
} study;

#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

static int by_region(const void *a, const void *b) {
  const stay *x = a, *y = b;
  int order = COMPARE(x->record, y->record);
  order = order != 0 ? order : COMPARE(x->trace, y->trace);
  return order != 0 ? order : COMPARE(x->start, y->start);
}

/** Joins neighbours of one region and rank that overlap: a region that calls itself, or threads in it at the same time. */
static size_t join(stay *stays, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    stay *last = kept > 0 ? &stays[kept - 1] : NULL;
    if (last != NULL && last->record == stays[i].record && last->trace == stays[i].trace &&
        stays[i].start < last->end) {
      last->end = stays[i].end > last->end ? stays[i].end : last->end;
    } else {
      stays[kept++] = stays[i];
    }
  }
  return kept;
}

/** What is looked at: until calls are missing somewhere. */
static void find_span(study *s) {
  const roof_timeline *t = s->t;
  s->first = INT64_MAX;
  s->last = INT64_MIN;
  for (size_t i = 0; i < t->slice_count; i++) {
    s->first = t->slices[i].start < s->first ? t->slices[i].start : s->first;
    s->last = t->slices[i].end > s->last ? t->slices[i].end : s->last;
  }
  for (size_t i = 0; i < t->trace_count; i++) {
    s->result.uncertainty = fmax(s->result.uncertainty, t->traces[i].uncertainty);
    if (t->traces[i].dropped > 0 && t->traces[i].whole_until < s->last) {
      s->last = t->traces[i].whole_until > s->first ? t->traces[i].whole_until : s->first;
      s->result.cut = true;
    }
  }
  s->result.seconds = 1e-9 * (double)(s->last - s->first);
}

/** The stays in that span; `apart` false: whatever the region. */
static size_t take_stays(const study *s, bool apart, stay *stays) {
  const roof_timeline *t = s->t;
  size_t count = 0;
  for (size_t i = 0; i < t->slice_count; i++) {
    const roof_slice *c = &t->slices[i];
    if (c->end <= s->last) {
      stays[count++] = (stay){c->start, c->end, apart ? c->record : 0, t->tracks[c->track].trace};
    }
  }
  qsort(stays, count, sizeof *stays, by_region);
  return join(stays, count);
}

/* One region */

/** The stays of one region in one rank. */
typedef struct visits {
  const stay *list;
  size_t count;
} visits;

/** One moment at which a rank enters (+1) or leaves (-1). */
typedef struct moment {
  int64_t at;
  int change;
} moment;

static int by_moment(const void *a, const void *b) {
  const moment *x = a, *y = b;
  return x->at != y->at ? COMPARE(x->at, y->at) : COMPARE(x->change, y->change);
}

/** How long at least one of `ranks` ranks was in it, and all of them. */
static void add_overlap(study *s, const stay *stays, size_t count, size_t ranks, roof_shared_region *region) {
  moment *moments = malloc(2 * count * sizeof *moments);
  size_t inside = 0;
  if (moments == NULL) {
    s->failed = true;
    return;
  }
  for (size_t i = 0; i < count; i++) {
    moments[2 * i] = (moment){stays[i].start, 1};
    moments[2 * i + 1] = (moment){stays[i].end, -1};
    region->seconds += 1e-9 * (double)(stays[i].end - stays[i].start) / (double)ranks;
  }
  qsort(moments, 2 * count, sizeof *moments, by_moment);
  for (size_t i = 0; i < 2 * count; i++) {
    double since = i > 0 ? 1e-9 * (double)(moments[i].at - moments[i - 1].at) : 0;
    region->any_seconds += inside > 0 ? since : 0;
    region->all_seconds += inside == ranks ? since : 0;
    inside = moments[i].change > 0 ? inside + 1 : inside - 1;
  }
  free(moments);
}

/** Of one round who begins last, and how far apart ranks begin and end. */
typedef struct round_times {
  size_t last;
  int64_t begins, ends, first_end; /* ns; first_end: when the first one leaves */
} round_times;

static round_times round_of(const visits *of, size_t ranks, size_t n) {
  round_times r = {0, 0, 0, of[0].list[n].end};
  int64_t first = of[0].list[n].start, last_end = of[0].list[n].end;
  for (size_t i = 1; i < ranks; i++) {
    const stay *v = &of[i].list[n];
    r.last = v->start > of[r.last].list[n].start ? i : r.last;
    first = v->start < first ? v->start : first;
    r.first_end = v->end < r.first_end ? v->end : r.first_end;
    last_end = v->end > last_end ? v->end : last_end;
  }
  r.begins = of[r.last].list[n].start - first;
  r.ends = last_end - r.first_end;
  return r;
}

/** Whether ranks meet in it: they leave at least twice as close together as they enter, and nobody before the last has come. */
static bool do_meet(const study *s, const visits *of, size_t ranks, size_t rounds) {
  double begins = 0, ends = 0, slack = 2e9 * s->result.uncertainty;
  size_t orderly = 0;
  for (size_t n = 0; n < rounds; n++) {
    round_times r = round_of(of, ranks, n);
    begins += (double)r.begins;
    ends += (double)r.ends;
    orderly += (double)r.first_end + slack >= (double)of[r.last].list[n].start;
  }
  return 2 * ends < begins && begins > slack * (double)rounds && 20 * orderly >= 19 * rounds;
}

static void add_pause(study *s, const pause *p) {
  if (s->pause_count == s->pause_room) {
    size_t room = 2 * s->pause_room + 256;
    pause *more = realloc(s->pauses, room * sizeof *more);
    if (more == NULL) {
      s->failed = true;
      return;
    }
    s->pauses = more;
    s->pause_room = room;
  }
  s->pauses[s->pause_count++] = *p;
}

/** Each waits from its begin to that of the last; what clocks may be off by is no wait. */
static void add_round(study *s, const visits *of, size_t ranks, size_t n) {
  round_times r = round_of(of, ranks, n);
  const stay *last = &of[r.last].list[n];
  double off = s->t->traces[last->trace].uncertainty;
  for (size_t i = 0; i < ranks; i++) {
    const stay *v = &of[i].list[n];
    if ((double)(last->start - v->start) > 1e9 * (off + s->t->traces[v->trace].uncertainty)) {
      int64_t end = v->end < last->start ? v->end : last->start;
      add_pause(s, &(pause){v->start, end, v->record, v->trace, last->trace});
    }
  }
}

/** The region of `count` stays. */
static void add_region(study *s, const stay *stays, size_t count, visits *of) {
  roof_shared_region *region = &s->result.regions[s->result.region_count++];
  size_t ranks = 0, least = SIZE_MAX, most = 0;
  for (size_t i = 0, to; i < count; i = to) {
    for (to = i + 1; to < count && stays[to].trace == stays[i].trace; to++) {
    }
    of[ranks++] = (visits){&stays[i], to - i};
    least = to - i < least ? to - i : least;
    most = to - i > most ? to - i : most;
  }
  *region =
      (roof_shared_region){.name = s->profile->records[stays[0].record].name, .ranks = ranks, .calls = most};
  add_overlap(s, stays, count, ranks, region);
  bool rounds = ranks > 1 && (least == most || s->result.cut);
  region->meets = rounds && do_meet(s, of, ranks, least);
  for (size_t n = 0; region->meets && n < least; n++) {
    add_round(s, of, ranks, n);
  }
}

static void add_regions(study *s) {
  visits *of = malloc((s->t->trace_count + 1) * sizeof *of);
  s->failed = s->failed || of == NULL;
  for (size_t i = 0, to; i < s->stay_count && !s->failed; i = to) {
    for (to = i + 1; to < s->stay_count && s->stays[to].record == s->stays[i].record; to++) {
    }
    add_region(s, &s->stays[i], to - i, of);
  }
  free(of);
}

/* Pairs of ranks */

static int by_time(const void *a, const void *b) {
  const pause *x = a, *y = b;
  return x->trace != y->trace ? COMPARE(x->trace, y->trace) : COMPARE(x->start, y->start);
}

static int by_pair(const void *a, const void *b) {
  const pause *x = a, *y = b;
  int order = COMPARE(x->trace, y->trace);
  order = order != 0 ? order : COMPARE(x->awaited, y->awaited);
  return order != 0 ? order : COMPARE(x->record, y->record);
}

static void sort_pauses(const study *s, int compare(const void *, const void *)) {
  if (s->pause_count > 0) { /* without one there is no list */
    qsort(s->pauses, s->pause_count, sizeof *s->pauses, compare);
  }
}

/** A wait in a region around another ends where that of the inner one begins. */
static void cut_pauses(study *s) {
  sort_pauses(s, by_time);
  for (size_t i = 0; i + 1 < s->pause_count; i++) {
    pause *p = &s->pauses[i];
    if (p->trace == p[1].trace && p->end > p[1].start) {
      p->end = p[1].start;
    }
  }
}

static double length_of(const pause *p) {
  return 1e-9 * (double)(p->end - p->start);
}

static void add_to_region(study *s, const pause *p) {
  const char *name = s->profile->records[p->record].name;
  for (size_t i = 0; i < s->result.region_count; i++) {
    if (s->result.regions[i].name == name) {
      s->result.regions[i].waited_seconds += length_of(p);
      return;
    }
  }
}

/** The pauses of one rank for another, by region. */
static void add_pair(study *s, const pause *list, size_t count) {
  roof_wait *wait = &s->result.list[s->result.count++];
  double most = -1, here = 0;
  *wait = (roof_wait){.rank = s->t->traces[list->trace].rank, .awaited = s->t->traces[list->awaited].rank};
  for (size_t i = 0; i < count; i++) {
    here = i > 0 && list[i].record == list[i - 1].record ? here + length_of(&list[i]) : length_of(&list[i]);
    wait->seconds += length_of(&list[i]);
    wait->calls++;
    if (here > most) {
      most = here;
      wait->region = s->profile->records[list[i].record].name;
    }
    add_to_region(s, &list[i]);
  }
  s->result.waited_seconds += wait->seconds;
}

static int longest_first(const void *a, const void *b) {
  const roof_wait *x = a, *y = b;
  return x->seconds != y->seconds ? COMPARE(y->seconds, x->seconds) : COMPARE(x->rank, y->rank);
}

static int longest_region_first(const void *a, const void *b) {
  const roof_shared_region *x = a, *y = b;
  return x->seconds != y->seconds ? COMPARE(y->seconds, x->seconds) : strcmp(x->name, y->name);
}

static void add_pairs(study *s) {
  s->result.list = calloc(s->pause_count + 1, sizeof *s->result.list);
  s->failed = s->failed || s->result.list == NULL;
  sort_pauses(s, by_pair);
  for (size_t i = 0, to; i < s->pause_count && !s->failed; i = to) {
    for (to = i + 1; to < s->pause_count && s->pauses[to].trace == s->pauses[i].trace &&
                     s->pauses[to].awaited == s->pauses[i].awaited;
         to++) {
    }
    add_pair(s, &s->pauses[i], to - i);
  }
  if (!s->failed) {
    qsort(s->result.list, s->result.count, sizeof *s->result.list, longest_first);
    qsort(s->result.regions, s->result.region_count, sizeof *s->result.regions, longest_region_first);
  }
}

/** Which rank is waited for longest. */
static void find_awaited(study *s) {
  double *seconds = calloc(s->t->trace_count, sizeof *seconds);
  s->failed = s->failed || seconds == NULL;
  for (size_t i = 0; i < s->pause_count && !s->failed; i++) {
    double *sum = &seconds[s->pauses[i].awaited];
    *sum += length_of(&s->pauses[i]);
    if (*sum > s->result.awaited_seconds) {
      s->result.awaited_seconds = *sum;
      s->result.awaited = s->t->traces[s->pauses[i].awaited].rank;
    }
  }
  free(seconds);
}

/* Over time */

/** Adds a time to the parts that it lies in. */
static void spread(const study *s, int64_t start, int64_t end, double sign, double *parts) {
  double length = (double)(s->last - s->first) / ROOF_STRETCHES;
  for (int i = 0; i < ROOF_STRETCHES; i++) {
    double from = fmax((double)(start - s->first), i * length),
           to = fmin((double)(end - s->first), (i + 1) * length);
    parts[i] += to > from ? sign * (to - from) : 0;
  }
}

static void judge(const study *s, const double *work, const double *waits, int at, roof_stretch *stretch) {
  double sum = 0, waiting = 0, most = 0, length = (double)(s->last - s->first) / ROOF_STRETCHES;
  size_t ranks = s->t->trace_count;
  *stretch = (roof_stretch){1e-9 * at * length, 1e-9 * (at + 1) * length, -1, NAN, NAN};
  for (size_t i = 0; i < ranks; i++) {
    double worked = work[i * ROOF_STRETCHES + (size_t)at];
    sum += worked;
    waiting += waits[i * ROOF_STRETCHES + (size_t)at];
    if (worked > most) {
      most = worked;
      stretch->busiest = s->t->traces[i].rank;
    }
  }
  stretch->imbalance = most / (sum / (double)ranks);
  stretch->waiting_share = waiting / (length * (double)ranks);
}

static void add_stretches(study *s) {
  size_t size = s->t->trace_count * ROOF_STRETCHES;
  double *work = calloc(size, sizeof *work), *waits = calloc(size, sizeof *waits);
  size_t count = take_stays(s, false, s->stays);
  s->failed = s->failed || work == NULL || waits == NULL;
  for (size_t i = 0; i < count && !s->failed; i++) {
    spread(s, s->stays[i].start, s->stays[i].end, 1, &work[s->stays[i].trace * ROOF_STRETCHES]);
  }
  for (size_t i = 0; i < s->pause_count && !s->failed; i++) {
    spread(s, s->pauses[i].start, s->pauses[i].end, 1, &waits[s->pauses[i].trace * ROOF_STRETCHES]);
    spread(s, s->pauses[i].start, s->pauses[i].end, -1, &work[s->pauses[i].trace * ROOF_STRETCHES]);
  }
  for (int i = 0; i < ROOF_STRETCHES && !s->failed; i++) {
    judge(s, work, waits, i, &s->result.stretches[i]);
  }
  free(work);
  free(waits);
}

roof_status roof_profile_waits(const roof_profile *profile, roof_waits *waits, roof_error *error) {
  const roof_timeline *t = profile->timeline;
  if (t == NULL || !t->aligned || t->trace_count < 2 || profile->by != ROOF_BY_KERNEL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "waits: no time line of several ranks by one clock");
  }
  study s = {.profile = profile, .t = t, .result = {.ranks = t->trace_count, .awaited = -1}};
  s.stays = malloc((t->slice_count + 1) * sizeof *s.stays);
  s.result.regions = calloc(profile->count + 1, sizeof *s.result.regions);
  s.failed = s.stays == NULL || s.result.regions == NULL;
  if (!s.failed) {
    find_span(&s);
    s.stay_count = take_stays(&s, true, s.stays);
    add_regions(&s);
    cut_pauses(&s);
    add_pairs(&s);
    find_awaited(&s);
    add_stretches(&s);
  }
  free(s.stays);
  free(s.pauses);
  if (s.failed) {
    roof_waits_done(&s.result);
    return roof_error_set(error, ROOF_E_MEMORY, "waits: out of memory");
  }
  *waits = s.result;
  return ROOF_OK;
}

void roof_waits_done(roof_waits *waits) {
  free(waits->regions);
  free(waits->list);
  *waits = (roof_waits){0};
}

void roof_waits_sentence(const roof_waits *w, roof_text *out) {
  char span[32], off[32], waited[32], all[32];
  if (w->awaited >= 0) {
    roof_text_addf(out, "rank %d is waited for most: %s of %s that ranks wait for each other\n", w->awaited,
                   roof_quantity_format(waited, sizeof waited, w->awaited_seconds, "s"),
                   roof_quantity_format(all, sizeof all, w->waited_seconds, "s"));
  } else {
    roof_text_add(out, "no rank is seen to wait for another\n");
  }
  roof_text_addf(out, "%zu ranks over %s%s, their clocks aligned within %s\n", w->ranks,
                 roof_quantity_format(span, sizeof span, w->seconds, "s"),
                 w->cut ? " (later calls are missing)" : "",
                 roof_quantity_format(off, sizeof off, w->uncertainty, "s"));
}
