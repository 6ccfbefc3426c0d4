/* When calls were: slices on the streams of devices, and what the host waited for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/letters.h"
#include "import/_timeline.h"
#include "import/import.h"

typedef timeline_grown grown;

const char *roof_activity_name(roof_activity activity) {
  static const char *const names[] = {
#define NAME(symbol, name) name,
      ROOF_ACTIVITY_MAP(NAME)
#undef NAME
  };
  return (unsigned)activity < ROOF_ACTIVITY_COUNT ? names[activity] : "?";
}

/** What names hold, in any case; the first that is found says it. */
static const struct {
  const char *part;
  roof_activity activity;
} parts[] = {{"memcpy", ROOF_ACTIVITY_COPY},
             {"memset", ROOF_ACTIVITY_COPY},
             {"[copy ", ROOF_ACTIVITY_COPY},
             {"rocclr_copybuffer", ROOF_ACTIVITY_COPY},
             {"rocclr_fillbuffer", ROOF_ACTIVITY_COPY},
             {"nccl", ROOF_ACTIVITY_COMMUNICATION},
             {"rccl", ROOF_ACTIVITY_COMMUNICATION},
             {"oneccl", ROOF_ACTIVITY_COMMUNICATION},
             {"nvshmem", ROOF_ACTIVITY_COMMUNICATION},
             {"cross_device_reduce", ROOF_ACTIVITY_COMMUNICATION},
             {"allreduce", ROOF_ACTIVITY_COMMUNICATION},
             {"all_reduce", ROOF_ACTIVITY_COMMUNICATION},
             {"allgather", ROOF_ACTIVITY_COMMUNICATION},
             {"all_gather", ROOF_ACTIVITY_COMMUNICATION},
             {"reducescatter", ROOF_ACTIVITY_COMMUNICATION},
             {"reduce_scatter", ROOF_ACTIVITY_COMMUNICATION},
             {"all-reduce", ROOF_ACTIVITY_COMMUNICATION}, /* as XLA names its operations */
             {"all-gather", ROOF_ACTIVITY_COMMUNICATION},
             {"reduce-scatter", ROOF_ACTIVITY_COMMUNICATION},
             {"all-to-all", ROOF_ACTIVITY_COMMUNICATION},
             {"collective-permute", ROOF_ACTIVITY_COMMUNICATION}};

roof_activity roof_activity_of(const char *name) {
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    if (rf_letters_find(name, parts[i].part) != NULL) {
      return parts[i].activity;
    }
  }
  return ROOF_ACTIVITY_COMPUTE;
}

/** Room for `more` elements of a list that has `count`; false, and the profile starved, when out of memory. */
static bool reserve(roof_profile *profile, void *list, size_t *room, size_t count, size_t more, size_t size) {
  if (count + more <= *room) {
    return true;
  }
  size_t wide = count + more > *room + *room / 2 ? count + more : *room + *room / 2;
  void *wider = realloc(*(void **)list, wide * size);
  if (wider == NULL) {
    rf_import_starved(profile);
    return false;
  }
  *(void **)list = wider;
  *room = wide;
  return true;
}

static grown *grown_of(roof_profile *profile) {
  if (profile->timeline == NULL) {
    grown *fresh = calloc(1, sizeof *fresh);
    if (fresh == NULL) {
      rf_import_starved(profile);
      return NULL;
    }
    profile->timeline = &fresh->all;
  }
  return (grown *)profile->timeline;
}

/** A trace of which nothing is known. */
static const roof_trace no_trace = {.path = "",
                                    .rank = -1,
                                    .node = "",
                                    .uncertainty = NAN,
                                    .offset = NAN,
                                    .drift = NAN,
                                    .whole_until = ROOF_LAUNCH_UNKNOWN};

/** Adds a trace; false when out of memory. */
static bool add_trace(roof_profile *profile, grown *g, const roof_trace *trace) {
  if (!reserve(profile, &g->all.traces, &g->trace_room, g->all.trace_count, 1, sizeof *trace)) {
    return false;
  }
  roof_trace *added = &g->all.traces[g->all.trace_count++];
  *added = *trace;
  added->path = roof_profile_text(profile, trace->path);
  added->node = roof_profile_text(profile, trace->node);
  return true;
}

/** Slices whose reader does not say what the device did have it from their record's name. */
static void name_activities(roof_profile *profile, grown *g) {
  uint8_t *of = malloc(profile->count + 1);
  if (of == NULL) {
    rf_import_starved(profile);
    return;
  }
  memset(of, ROOF_ACTIVITY_COUNT, profile->count + 1);
  for (size_t i = 0; i < g->all.slice_count; i++) {
    roof_slice *slice = &g->all.slices[i];
    if (slice->activity == ROOF_ACTIVITY_COUNT) {
      uint8_t *known = &of[slice->record];
      *known = *known != ROOF_ACTIVITY_COUNT
                   ? *known
                   : (uint8_t)roof_activity_of(profile->records[slice->record].name);
      slice->activity = *known;
    }
  }
  free(of);
}

void rf_import_trace_read(roof_profile *profile, const char *path) {
  grown *g = (grown *)profile->timeline;
  if (g != NULL && g->open) {
    g->all.traces[g->all.trace_count - 1].path = roof_profile_text(profile, path);
    g->open = false;
    name_activities(profile, g);
  }
}

void rf_import_trace_end(roof_profile *profile, const char *path, const roof_trace *about) {
  grown *g = (grown *)profile->timeline;
  if (g != NULL && g->open) {
    roof_trace *trace = &g->all.traces[g->all.trace_count - 1];
    *trace = about != NULL ? *about : *trace;
    trace->path = roof_profile_text(profile, path);
    g->open = false;
    g->all.aligned = (g->all.trace_count == 1 || g->all.aligned) && !isnan(trace->uncertainty);
  }
}

void rf_import_rank(roof_profile *profile, int rank) {
  grown *g = (grown *)profile->timeline;
  if (g != NULL && g->open) {
    g->all.traces[g->all.trace_count - 1].rank = rank;
  }
}

/** The number of a track of the last trace, added when it is new. */
static uint32_t track_of(roof_profile *profile, grown *g, int device, const char *name, const char *stream) {
  char key[200];
  int length = snprintf(key, sizeof key, "%zu %d %s", g->all.trace_count, device, stream);
  size_t size = (size_t)length < sizeof key ? (size_t)length : sizeof key - 1;
  uint32_t number = rf_intern_add(&g->tracks, key, size);
  if (number == INTERN_FAILED) {
    rf_import_starved(profile);
  } else if (number == g->all.track_count) {
    if (!reserve(profile, &g->all.tracks, &g->track_room, number, 1, sizeof *g->all.tracks)) {
      return INTERN_FAILED;
    }
    g->all.tracks[g->all.track_count++] = (roof_track){.trace = (uint32_t)g->all.trace_count - 1,
                                                       .device = device,
                                                       .device_name = roof_profile_text(profile, name),
                                                       .stream = roof_profile_text(profile, stream)};
  }
  return number < g->all.track_count ? number : INTERN_FAILED;
}

uint32_t rf_import_track(roof_profile *profile, int device, const char *stream) {
  grown *g = grown_of(profile);
  if (g == NULL) {
    return INTERN_FAILED;
  }
  g->open = g->open || add_trace(profile, g, &no_trace);
  return g->open ? track_of(profile, g, device, "", stream) : INTERN_FAILED;
}

void rf_import_track_device(roof_profile *profile, int device, const char *name) {
  grown *g = (grown *)profile->timeline;
  for (size_t i = 0; g != NULL && g->open && i < g->all.track_count; i++) {
    roof_track *track = &g->all.tracks[i];
    if (track->trace == g->all.trace_count - 1 && track->device == device) {
      track->device_name = roof_profile_text(profile, name);
    }
  }
}

static bool is_near(int64_t time) {
  return time >= -IMPORT_FARTHEST && time <= IMPORT_FARTHEST;
}

void rf_import_slice(roof_profile *profile, const roof_slice *slice) {
  grown *g = (grown *)profile->timeline;
  if (g == NULL || slice->track >= g->all.track_count || slice->end < slice->start ||
      !is_near(slice->start) || !is_near(slice->end) ||
      !reserve(profile, &g->all.slices, &g->slice_room, g->all.slice_count, 1, sizeof *slice)) {
    return;
  }
  roof_slice *added = &g->all.slices[g->all.slice_count++];
  *added = *slice;
  added->launched = is_near(slice->launched) ? slice->launched : ROOF_LAUNCH_UNKNOWN;
}

/** The number at the end of a device's name, "NVIDIA RTX A6000 (0)", "Agent 4" or "4"; 0: none. */
static int device_number(const char *device, size_t *before) {
  size_t end = strlen(device);
  end -= end > 0 && device[end - 1] == ')';
  size_t start = end;
  while (start > 0 && device[start - 1] >= '0' && device[start - 1] <= '9') {
    start--;
  }
  int64_t number = 0;
  char digits[16];
  snprintf(digits, sizeof digits, "%.*s", (int)(end - start), device + start);
  *before = start;
  return rf_import_count(digits, &number) && number <= INT32_MAX ? (int)number : 0;
}

const char *rf_import_place(roof_profile *profile, int device, const char *stream) {
  if (stream == NULL || stream[0] == '\0') {
    return NULL;
  }
  profile->dimensions |= 1u << ROOF_BY_DEVICE | 1u << ROOF_BY_STREAM;
  return profile->by == ROOF_BY_DEVICE   ? rf_import_textf(profile, "device %d", device)
         : profile->by == ROOF_BY_STREAM ? rf_import_textf(profile, "device %d, stream %s", device, stream)
                                         : NULL;
}

roof_record *rf_import_record_on(roof_profile *profile, const char *name, size_t length, const char *device,
                                 const char *stream) {
  size_t before;
  const char *part =
      device[0] != '\0' ? rf_import_place(profile, device_number(device, &before), stream) : NULL;
  return rf_import_part(profile, part, name, length);
}

void rf_import_call_at(roof_profile *profile, const roof_record *record, int64_t start, uint64_t picoseconds,
                       const char *device, const char *stream) {
  size_t before = 0;
  int number = device_number(device, &before);
  uint32_t track = rf_import_track(profile, number, stream);
  if (track == INTERN_FAILED || !is_near(start)) {
    return;
  }
  roof_track *t = &profile->timeline->tracks[track];
  if (t->device_name[0] == '\0' && before > 2 && device[before - 1] == '(') {
    t->device_name = rf_import_textf(profile, "%.*s", (int)before - 2, device);
  }
  rf_import_slice(profile, &(roof_slice){.start = start,
                                         .end = start + (int64_t)(picoseconds / 1000),
                                         .launched = ROOF_LAUNCH_UNKNOWN,
                                         .record = (uint32_t)(record - profile->records),
                                         .track = track,
                                         .activity = ROOF_ACTIVITY_COUNT});
}

void rf_import_host_wait(roof_profile *profile, int64_t start, int64_t end) {
  grown *g = (grown *)profile->timeline;
  if (g == NULL || !g->open || end < start || !is_near(start) || !is_near(end) ||
      !reserve(profile, &g->all.waits, &g->wait_room, g->all.wait_count, 1, sizeof *g->all.waits)) {
    return;
  }
  g->all.waits[g->all.wait_count++] = (roof_host_wait){start, end, (uint32_t)g->all.trace_count - 1};
}

/** Adds the traces and their tracks; the tracks' new numbers. */
static bool join_tracks(roof_profile *into, grown *g, const roof_timeline *from, uint32_t *number) {
  bool added = true;
  size_t track = 0;
  for (size_t t = 0; t < from->trace_count && added; t++) {
    added = add_trace(into, g, &from->traces[t]);
    for (; track < from->track_count && from->tracks[track].trace == t && added; track++) {
      const roof_track *f = &from->tracks[track];
      number[track] = track_of(into, g, f->device, f->device_name, f->stream);
      added = number[track] != INTERN_FAILED;
    }
  }
  return added;
}

void rf_import_timeline_join(roof_profile *into, const roof_profile *from, const uint32_t *record) {
  const roof_timeline *f = from->timeline;
  grown *g = f != NULL ? grown_of(into) : NULL;
  uint32_t *track = g != NULL ? malloc((f->track_count + 1) * sizeof *track) : NULL;
  uint32_t traces = g != NULL ? (uint32_t)g->all.trace_count : 0;
  if (track == NULL) {
    if (f != NULL) {
      rf_import_starved(into);
    }
    return;
  }
  g->all.aligned = false; /* a file's clock is its own */
  bool whole =
      join_tracks(into, g, f, track) &&
      reserve(into, &g->all.slices, &g->slice_room, g->all.slice_count, f->slice_count, sizeof *f->slices) &&
      reserve(into, &g->all.waits, &g->wait_room, g->all.wait_count, f->wait_count, sizeof *f->waits);
  for (size_t i = 0; i < f->slice_count && whole; i++) {
    roof_slice *slice = &g->all.slices[g->all.slice_count++];
    *slice = f->slices[i];
    slice->track = track[slice->track];
    slice->record = record[slice->record];
    slice->group = slice->group != NULL ? roof_profile_text(into, slice->group) : NULL;
  }
  for (size_t i = 0; i < f->wait_count && whole; i++) {
    const roof_host_wait *w = &f->waits[i];
    g->all.waits[g->all.wait_count++] = (roof_host_wait){w->start, w->end, w->trace + traces};
  }
  free(track);
}
