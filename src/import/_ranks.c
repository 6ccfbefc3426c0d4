/* Who waits for the others: a collective ends at the same time everywhere, so that it is shortest where it began last. The
 * clocks of hosts need not agree. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "roofline/timeline.h"
#include "roofline/units.h"

/** A call of a collective: equal names and equal groups have the same text in a profile. */
typedef struct call {
  const char *name, *group;
  uint32_t sequence; /* in its group; 0: not known */
  uint32_t trace;
  int64_t start, length;
} call;

static int by_address(const char *a, const char *b) {
  return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

/** Whether two calls may be one collective, or how they are sorted. */
static int by_collective(const call *x, const call *y) {
  int name = by_address(x->name, y->name), group = by_address(x->group, y->group);
  return name != 0 ? name : group != 0 ? group : (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

static int by_name(const void *a, const void *b) {
  const call *x = a, *y = b;
  int order = by_collective(x, y);
  return order != 0             ? order
         : x->trace != y->trace ? (x->trace < y->trace ? -1 : 1)
                                : (x->start > y->start) - (x->start < y->start);
}

static size_t take_calls(const roof_profile *profile, call *calls) {
  const roof_timeline *t = profile->timeline;
  size_t count = 0;
  for (size_t i = 0; i < t->slice_count; i++) {
    const roof_slice *s = &t->slices[i];
    if (s->activity == ROOF_ACTIVITY_COMMUNICATION) {
      calls[count++] = (call){profile->records[s->record].name, s->group, s->sequence,
                              t->tracks[s->track].trace,        s->start, s->end - s->start};
    }
  }
  qsort(calls, count, sizeof *calls, by_name);
  return count;
}

/** The end of the calls that may be one collective, or of one trace too. */
static size_t run_of(const call *calls, size_t from, size_t count, bool trace) {
  size_t to = from + 1;
  while (to < count && by_collective(&calls[to], &calls[from]) == 0 &&
         (!trace || calls[to].trace == calls[from].trace)) {
    to++;
  }
  return to;
}

/** Calls of one name, group and number, `each` of every of `traces` traces: the n-th of each are one collective. */
static void match(const call *calls, size_t traces, size_t each, roof_ranks *ranks) {
  for (size_t n = 0; n < each; n++) {
    size_t last = 0;
    for (size_t r = 1; r < traces; r++) {
      last = calls[r * each + n].length < calls[last * each + n].length ? r : last;
    }
    int64_t least = calls[last * each + n].length;
    for (size_t r = 0; r < traces; r++) {
      const call *c = &calls[r * each + n];
      double waited = (double)(c->length - least) * 1e-9;
      ranks->list[c->trace].waited_seconds += waited;
      ranks->waited_seconds += waited;
    }
    ranks->list[calls[last * each + n].trace].last++;
    ranks->collectives++;
  }
}

/** Names that some trace has more often than another cannot be matched. */
static void match_all(const call *calls, size_t count, roof_ranks *ranks) {
  for (size_t from = 0, to; from < count; from = to) {
    to = run_of(calls, from, count, false);
    size_t each = run_of(calls, from, count, true) - from, traces = 0, at = from;
    bool even = true;
    for (; at < to; at = run_of(calls, at, to, true), traces++) {
      even = even && run_of(calls, at, to, true) - at == each;
    }
    if (even && traces > 1) {
      match(calls + from, traces, each, ranks);
    } else {
      ranks->unmatched += to - from;
    }
  }
}

static roof_status add_compute(const roof_timeline *timeline, roof_ranks *ranks, roof_error *error) {
  roof_accounting all;
  double sum = 0, most = 0;
  roof_status status = roof_timeline_account(timeline, &all, error);
  if (status != ROOF_OK) {
    return status;
  }
  for (size_t i = 0; i < all.device_count; i++) {
    ranks->list[all.devices[i].trace].compute_seconds += all.devices[i].seconds[ROOF_ACTIVITY_COMPUTE];
  }
  for (size_t i = 0; i < ranks->count; i++) {
    sum += ranks->list[i].compute_seconds;
    most = fmax(most, ranks->list[i].compute_seconds);
    ranks->straggler = ranks->list[i].last > ranks->list[ranks->straggler].last ? i : ranks->straggler;
  }
  ranks->imbalance = most / (sum / (double)ranks->count);
  roof_accounting_done(&all);
  return ROOF_OK;
}

roof_status roof_profile_ranks(const roof_profile *profile, roof_ranks *ranks, roof_error *error) {
  const roof_timeline *t = profile->timeline;
  size_t traces = t != NULL ? t->trace_count : 0;
  roof_ranks made = {.count = traces, .imbalance = NAN, .list = calloc(traces + 1, sizeof *made.list)};
  call *calls = calloc((t != NULL ? t->slice_count : 0) + 1, sizeof *calls);
  roof_status status = made.list != NULL && calls != NULL
                           ? ROOF_OK
                           : roof_error_set(error, ROOF_E_MEMORY, "import: out of memory");
  for (size_t i = 0; i < traces && status == ROOF_OK; i++) {
    made.list[i].rank = t->traces[i].rank >= 0 ? t->traces[i].rank : (int)i;
  }
  if (status == ROOF_OK && traces > 1) {
    match_all(calls, take_calls(profile, calls), &made);
    status = add_compute(t, &made, error);
  }
  free(calls);
  if (status == ROOF_OK) {
    *ranks = made;
  } else {
    free(made.list);
  }
  return status;
}

void roof_ranks_done(roof_ranks *ranks) {
  free(ranks->list);
  *ranks = (roof_ranks){0};
}

void roof_ranks_sentence(const roof_ranks *r, roof_text *out) {
  char waited[48];
  if (r->count < 2) {
    return;
  }
  if (r->collectives > 0) {
    const roof_rank_time *last = &r->list[r->straggler];
    roof_text_addf(out, "rank %d arrives last in %.0f %% of %zu collectives: all ranks together wait %s\n",
                   last->rank, 100 * (double)last->last / (double)r->collectives, r->collectives,
                   roof_quantity_format(waited, sizeof waited, r->waited_seconds, "s"));
  }
  if (r->imbalance > 0) {
    roof_text_addf(out, "imbalance of compute: the longest is %.2fx the mean of the ranks\n", r->imbalance);
  }
}
