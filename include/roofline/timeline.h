/** When the calls of a profile were: slices of time on the streams of devices, and the host's waits for them.
 *
 *  Example:
 *    roof_profile profile;
 *    if (roof_profile_init(&profile, NULL) == ROOF_OK) {
 *      if (roof_import("trace.json", NULL, &profile, NULL) == ROOF_OK && profile.timeline != NULL) {
 *        const roof_slice *first = &profile.timeline->slices[0];
 *        printf("%s at %lld ns\n", profile.records[first->record].name, (long long)first->start);
 *      }
 *      roof_profile_done(&profile);
 *    } */
#ifndef ROOFLINE_TIMELINE_H
#define ROOFLINE_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "roofline/import.h"

#ifdef __cplusplus
extern "C" {
#endif

/** X(symbol, name): what a device does. */
#define ROOF_ACTIVITY_MAP(X)                                                                                 \
  X(ROOF_ACTIVITY_COMPUTE, "compute")                                                                        \
  X(ROOF_ACTIVITY_COMMUNICATION, "communication") /* collectives and messages between devices */             \
  X(ROOF_ACTIVITY_COPY, "copy")                   /* copies and sets */

typedef enum roof_activity {
#define ROOF_ACTIVITY_ENUM(symbol, name) symbol,
  ROOF_ACTIVITY_MAP(ROOF_ACTIVITY_ENUM)
#undef ROOF_ACTIVITY_ENUM
      ROOF_ACTIVITY_COUNT
} roof_activity;

/** One file that has the times of calls. */
typedef struct roof_trace {
  const char *path;
  int rank; /**< of the process in its group; -1 unknown */
} roof_trace;

/** One stream (queue) of one device. */
typedef struct roof_track {
  uint32_t trace; /**< index of its trace */
  int device;
  const char *device_name; /**< as the file has it, "" unknown */
  const char *stream;      /**< as the file has it, "" unknown */
} roof_track;

#define ROOF_LAUNCH_UNKNOWN INT64_MIN

/** One call of a record. Times are ns of the trace's own clock. */
typedef struct roof_slice {
  int64_t start, end;
  int64_t launched; /**< when the host began to launch it; ROOF_LAUNCH_UNKNOWN: the file does not say */
  uint32_t record;  /**< index of its record in the profile */
  uint32_t track;   /**< index of its track */
  uint8_t activity; /**< a roof_activity */
} roof_slice;

/** The host in a call that waits for a device. Times as those of a slice. */
typedef struct roof_host_wait {
  int64_t start, end;
  uint32_t trace;
} roof_host_wait;

/** All times of calls of a profile, slices of a trace in any order. The profile's. */
typedef struct roof_timeline {
  roof_trace *traces;
  size_t trace_count;
  roof_track *tracks;
  size_t track_count;
  roof_slice *slices;
  size_t slice_count;
  roof_host_wait *waits;
  size_t wait_count;
} roof_timeline;

/** The name of an activity.
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_activity_name(roof_activity activity);

/** What a device does in a kernel or copy of that name: collectives of NCCL, RCCL and frameworks communicate.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API roof_activity roof_activity_of(const char *name);

#ifdef __cplusplus
}
#endif
#endif
