/* When the calls of a trace of PyTorch's profiler were. */
#include <stdlib.h>
#include <string.h>

#include "import/_kineto.h"

/** The track of a kernel's process and thread, which are a device and its stream. */
static uint32_t track_of(kineto *t, const kineto_kernel *k, uint32_t *tracks) {
  char text[KINETO_STREAM];
  if (tracks[k->stream] == KINETO_NONE) {
    tracks[k->stream] = rf_import_track(t->profile, k->device, rf_kineto_stream(t, k->stream, text));
  }
  return tracks[k->stream];
}

/** The group of a collective, of others NULL. */
static const char *group_of(kineto *t, const kineto_kernel *k) {
  size_t size;
  const char *text = k->group > 0 ? rf_intern_get(&t->groups, k->group - 1, &size) : NULL;
  return text != NULL ? rf_import_textf(t->profile, "%.*s", (int)(size < 900 ? size : 900), text) : NULL;
}

static void add_slice(kineto *t, const kineto_kernel *k, uint32_t *tracks) {
  static const roof_activity activities[] = {[KERNEL] = ROOF_ACTIVITY_COUNT, /* its name says it */
                                             [COLLECTIVE] = ROOF_ACTIVITY_COMMUNICATION,
                                             [COPY] = ROOF_ACTIVITY_COPY,
                                             [SET] = ROOF_ACTIVITY_COPY};
  const kineto_launch *launch = rf_kineto_launch_of(t, k->correlation);
  rf_import_slice(t->profile, &(roof_slice){.start = k->start,
                                            .end = k->start + (int64_t)(k->picoseconds / 1000),
                                            .launched = launch != NULL ? launch->start : ROOF_LAUNCH_UNKNOWN,
                                            .record = k->record,
                                            .track = track_of(t, k, tracks),
                                            .activity = (uint8_t)activities[k->activity],
                                            .sequence = k->sequence,
                                            .group = group_of(t, k)});
}

roof_status rf_kineto_time(kineto *t) {
  uint32_t *tracks = malloc((t->threads.count + 1) * sizeof *tracks);
  if (tracks == NULL) {
    return rf_kineto_no_memory(t);
  }
  memset(tracks, 0xFF, (t->threads.count + 1) * sizeof *tracks); /* KINETO_NONE */
  for (size_t i = 0; i < t->kernels.count; i++) {
    add_slice(t, &t->kernels.list[i], tracks);
  }
  for (size_t i = 0; i < t->waits.count; i++) {
    rf_import_host_wait(t->profile, t->waits.list[i].start, t->waits.list[i].end);
  }
  for (int d = 0; d < KINETO_DEVICES; d++) {
    if (t->devices[d] != NULL) {
      rf_import_track_device(t->profile, d, t->devices[d]);
    }
  }
  rf_import_rank(t->profile, t->rank);
  free(tracks);
  return rf_import_settled(t->profile, t->error);
}
