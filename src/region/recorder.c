/* Begin and end. Each thread records under its own lock, which is contended only while a document is
 * written. */
#include "region/recorder.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "region/ticks.h"
#include "roofline/text.h"

enum { DEPTH = 64 };

typedef struct frame {
  roof_region *region;
  uint64_t start;
  uint64_t inner; /**< ticks in regions inside */
  bool counted;
  long long flops[RF_COUNTER_MAX];
} frame;

typedef struct thread {
  struct thread *next;
  atomic_flag busy;
  int depth;
  uint64_t overflow; /**< begun above DEPTH, of all regions */
  uint32_t number;   /**< in the order of their first calls */
  uint64_t random;
  rf_counters counters;
  rf_tally **tallies; /**< by region */
  size_t tally_count;
  frame stack[DEPTH];
} thread;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* protects the lists of regions and threads */
static rf_recorder recorder;
static atomic_bool starved;
static _Atomic(const char *) uncounted;
static roof_region **last = &recorder.first;
static size_t region_count;
static uint32_t thread_count;
static thread *threads;
static pthread_key_t key;
static bool counter;
/* initial-exec: access is a load, not a function call, in the shared library too */
static _Thread_local thread *self __attribute__((tls_model("initial-exec")));

static void enter(thread *t) {
  while (atomic_flag_test_and_set_explicit(&t->busy, memory_order_acquire)) {
  }
}

static void leave(thread *t) {
  atomic_flag_clear_explicit(&t->busy, memory_order_release);
}

/** The thread's record of the region; NULL if out of memory. */
static rf_tally *tally_of(thread *t, const roof_region *region) {
  if (region->index >= t->tally_count) {
    size_t count = region->index + 8;
    rf_tally **more = realloc(t->tallies, count * sizeof(rf_tally *));
    if (more == NULL) {
      starved = true;
      return NULL;
    }
    memset(more + t->tally_count, 0, (count - t->tally_count) * sizeof(rf_tally *));
    t->tallies = more;
    t->tally_count = count;
  }
  rf_tally **tally = &t->tallies[region->index];
  if (*tally == NULL) {
    *tally = calloc(1, sizeof **tally);
    if (*tally != NULL) {
      (*tally)->threads = 1;
    } else {
      starved = true;
    }
  }
  return *tally;
}

/** Forgets the calls above DEPTH, which were never ended. */
static void drop_overflow(thread *t) {
  for (size_t i = 0; i < t->tally_count && t->overflow > 0; i++) {
    rf_tally *tally = t->tallies[i];
    if (tally != NULL) {
      tally->unended += tally->deep;
      tally->deep = 0;
    }
  }
  t->overflow = 0;
}

/** Forgets the calls from `depth` on, which were never ended. */
static void drop(thread *t, int depth) {
  drop_overflow(t);
  for (int i = depth; i < t->depth; i++) {
    rf_tally *tally = tally_of(t, t->stack[i].region);
    if (tally != NULL) {
      tally->unended++;
    }
  }
  t->depth = depth;
}

/** Merges a thread's tally of `region` into `*into`. */
static void gather(thread *t, const roof_region *region, rf_tally **into) {
  rf_tally *from = region->index < t->tally_count ? t->tallies[region->index] : NULL;
  if (from != NULL && *into == NULL) {
    *into = calloc(1, sizeof **into);
    starved = starved || *into == NULL;
  }
  if (from != NULL && *into != NULL) {
    rf_tally_merge(*into, from, &t->random);
  }
}

/** A thread ends: what it recorded stays. */
static void retire(void *user) {
  thread *t = user;
  pthread_mutex_lock(&mutex);
  drop(t, 0);
  thread **link = &threads;
  while (*link != t) {
    link = &(*link)->next;
  }
  *link = t->next;
  for (roof_region *r = recorder.first; r != NULL; r = r->next) {
    gather(t, r, &r->ended);
  }
  pthread_mutex_unlock(&mutex);
  for (size_t i = 0; i < t->tally_count; i++) {
    free(t->tallies[i]);
  }
  free(t->tallies);
  rf_counters_stop(&t->counters);
  free(t);
  self = NULL;
}

static void start_counters(thread *t) {
  const char *why = rf_counters_count() > 0 ? rf_counters_start(&t->counters) : NULL;
  if (why != NULL) {
    uncounted = why;
  }
}

static thread *join(void) {
  thread *t = calloc(1, sizeof *t);
  if (t == NULL) {
    starved = true;
    return NULL;
  }
  atomic_flag_clear(&t->busy);
  t->random = (uint64_t)(uintptr_t)t | 1;
  pthread_mutex_lock(&mutex);
  t->next = threads;
  t->number = thread_count++;
  threads = t;
  pthread_mutex_unlock(&mutex);
  pthread_setspecific(key, t);
  start_counters(t);
  return self = t;
}

/** `name` as one line that can be shown, which the caller frees; NULL: memory is out. */
static char *one_line(const char *name) {
  char *line = strdup(name[0] != '\0' ? name : "(no name)");
  for (size_t i = 0, length; line != NULL && line[i] != '\0'; i += length) {
    length = roof_text_shown(line + i);
    if (length == 0) {
      line[i] = ' ';
      length = 1;
    }
  }
  starved |= line == NULL;
  return line;
}

static roof_region *add_region(const char *name) {
  size_t length = strlen(name) + 1;
  roof_region *region = calloc(1, sizeof *region + length);
  if (region == NULL) {
    starved = true;
    return NULL;
  }
  memcpy(region->name, name, length);
  region->index = region_count++;
  *last = region;
  last = &region->next;
  return region;
}

roof_region *roof_region_get(const char *name) {
  char *line = roof_region_enabled && name != NULL ? one_line(name) : NULL;
  if (line == NULL) {
    return NULL;
  }
  pthread_mutex_lock(&mutex);
  roof_region *region = recorder.first;
  while (region != NULL && strcmp(region->name, line) != 0) {
    region = region->next;
  }
  if (region == NULL) {
    region = add_region(line);
  }
  pthread_mutex_unlock(&mutex);
  free(line);
  return region;
}

roof_region *roof_region_at(roof_region **site, const char *name) {
  roof_region *region = __atomic_load_n(site, __ATOMIC_ACQUIRE); /* not _Atomic: C++ reads the header too */
  if (region == NULL) {
    region = roof_region_get(name);
    __atomic_store_n(site, region, __ATOMIC_RELEASE);
  }
  return region;
}

void roof_region_begin(roof_region *region) {
  thread *t = region == NULL ? NULL : self != NULL ? self : join();
  if (t == NULL) {
    return;
  }
  enter(t);
  if (t->depth == DEPTH) {
    rf_tally *tally = tally_of(t, region);
    if (tally != NULL) {
      tally->deep++;
      t->overflow++;
    }
    leave(t);
    return;
  }
  frame *f = &t->stack[t->depth++];
  f->region = region;
  f->inner = 0;
  leave(t);
  f->counted = rf_counters_read(&t->counters, f->flops);
  f->start = rf_ticks(counter);
}

/** Takes the innermost call of `region` off the stack, with those inside that were never ended; -1 if there
 * is none. */
static int pop(thread *t, const roof_region *region) {
  int at = t->depth - 1;
  while (at >= 0 && t->stack[at].region != region) {
    at--;
  }
  if (at >= 0) {
    drop(t, at + 1);
    t->depth = at;
  }
  return at;
}

/** Adds the FLOPs counted between a begin and now. */
static void count_flops(rf_tally *tally, const frame *f, const long long *flops) {
  for (int i = 0; i < rf_counters_count(); i++) {
    tally->counted_flops[i] += (double)(flops[i] - f->flops[i]);
  }
  tally->counted_calls++;
}

/** What the call at `at` of the stack took without those inside it is its own; all of it is inside the one around. */
static void count_own(thread *t, rf_tally *tally, int at, uint64_t ticks) {
  uint64_t inner = t->stack[at].inner;
  tally->own += ticks > inner ? ticks - inner : 0;
  if (at > 0) {
    t->stack[at - 1].inner += ticks;
  }
}

void roof_region_end(roof_region *region, roof_dtype dtype, double flops, double bytes) {
  uint64_t now = rf_ticks(counter);
  thread *t = region == NULL ? NULL : self != NULL ? self : join();
  if (t == NULL) {
    return;
  }
  long long counts[RF_COUNTER_MAX];
  bool counted = rf_counters_read(&t->counters, counts);
  enter(t);
  rf_tally *tally = tally_of(t, region);
  if (tally != NULL && tally->deep > 0) {
    tally->deep--;
    t->overflow--;
    tally->too_deep++;
  } else if (tally != NULL) {
    int at = pop(t, region);
    if (at < 0) {
      tally->unbegun++;
    } else {
      rf_tally_add(tally, now - t->stack[at].start, dtype, flops, bytes, &t->random);
      count_own(t, tally, at, now - t->stack[at].start);
      rf_calls_add(&(rf_region_call){region, t->stack[at].start, now, t->number});
      if (counted && t->stack[at].counted) {
        count_flops(tally, &t->stack[at], counts);
      }
    }
  }
  leave(t);
}

/** The counter and the system's clock at the same time, as nearly as of a few attempts: one may be interrupted. */
static void read_both(uint64_t *ticks, uint64_t *nanoseconds) {
  enum { ATTEMPTS = 8 };
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < ATTEMPTS; i++) {
    uint64_t before = rf_nanoseconds(), now = rf_ticks(counter), took = rf_nanoseconds() - before;
    if (took < least) {
      least = took;
      *ticks = now;
      *nanoseconds = before + took / 2;
    }
  }
}

/** The counter's rate, from the time since the start once that is long enough. */
static double tick_seconds(void) {
  static const uint64_t least = 2000000;
  if (!counter) {
    return 1e-9;
  }
  uint64_t nanoseconds = 0, ticks = 0;
  do {
    read_both(&ticks, &nanoseconds);
  } while (nanoseconds - recorder.start_nanoseconds < least);
  return 1e-9 * (double)(nanoseconds - recorder.start_nanoseconds) / (double)(ticks - recorder.start_ticks);
}

static void merge_all(roof_region *region) {
  uint64_t random = 1;
  region->open = 0;
  if (region->ended != NULL) {
    region->merged = calloc(1, sizeof *region->merged);
    if (region->merged != NULL) {
      rf_tally_merge(region->merged, region->ended, &random);
    } else {
      starved = true;
    }
  }
  for (thread *t = threads; t != NULL; t = t->next) {
    gather(t, region, &region->merged);
    region->open += region->index < t->tally_count && t->tallies[region->index] != NULL
                        ? t->tallies[region->index]->deep
                        : 0;
    for (int i = 0; i < t->depth; i++) {
      region->open += t->stack[i].region == region;
    }
  }
}

roof_status rf_recorder_visit(roof_status (*write)(const rf_recorder *recorder, roof_error *error),
                              roof_error *error) {
  pthread_mutex_lock(&mutex);
  for (thread *t = threads; t != NULL; t = t->next) {
    enter(t);
  }
  recorder.tick_seconds = tick_seconds();
  for (roof_region *r = recorder.first; r != NULL; r = r->next) {
    merge_all(r);
  }
  recorder.calls = rf_calls_list();
  for (thread *t = threads; t != NULL; t = t->next) {
    leave(t);
  }
  recorder.starved = starved;
  recorder.uncounted = uncounted;
  roof_status status = write(&recorder, error);
  for (roof_region *r = recorder.first; r != NULL; r = r->next) {
    free(r->merged);
    r->merged = NULL;
  }
  pthread_mutex_unlock(&mutex);
  return status;
}

bool rf_recorder_start(const char *counters) {
  if (counters != NULL && counters[0] != '\0') {
    uncounted = strcmp(counters, "papi") == 0 ? rf_counters_open() : "ROOFLINE_COUNTERS: only papi is known";
  }
  recorder.clock = rf_ticks_name();
  counter = recorder.clock != NULL;
  read_both(&recorder.start_ticks, &recorder.start_nanoseconds);
  return pthread_key_create(&key, retire) == 0;
}
