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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roofline/import.h"
#include "roofline/text.h"

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

#define ROOF_LAUNCH_UNKNOWN INT64_MIN

/** A process whose calls have times: a file, or a rank of one that has several. */
typedef struct roof_trace {
  const char *path;
  int rank;         /**< of the process in its group; -1 unknown */
  const char *node; /**< where it ran, "" unknown */
  double
      uncertainty; /**< s that its times may be off the clock of all; NaN: they are by a clock of its own */
  double offset, drift; /**< of that clock against its own, s and s per s; NaN unknown */
  uint64_t dropped;     /**< calls that the file has no room for */
  int64_t whole_until;  /**< until then it has all calls; ROOF_LAUNCH_UNKNOWN: it has all */
} roof_trace;

/** One stream (queue) of one device. */
typedef struct roof_track {
  uint32_t trace; /**< index of its trace */
  int device;
  const char *device_name; /**< as the file has it, "" unknown */
  const char *stream;      /**< as the file has it, "" unknown */
} roof_track;

/** One call of a record. Times are ns of the trace's own clock. */
typedef struct roof_slice {
  int64_t start, end;
  int64_t launched;  /**< when the host began to launch it; ROOF_LAUNCH_UNKNOWN: the file does not say */
  uint32_t record;   /**< index of its record in the profile */
  uint32_t track;    /**< index of its track */
  uint8_t activity;  /**< a roof_activity */
  uint32_t sequence; /**< of a collective: its number in its group; 0: the file does not say */
  const char *
      group; /**< of a collective: the ranks that take part, and the group's name; NULL: the file does not say. The profile's */
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
  bool aligned; /**< all times are by one clock */
} roof_timeline;

/** A clock against that of rank 0 (Cristian 1989): theirs = ours + offset + drift * (ours - at), each within its error. */
typedef struct roof_alignment {
  double at;                   /**< s, by this clock */
  double offset, offset_error; /**< s */
  double drift, drift_error;   /**< s per s */
} roof_alignment;

/** A clock that is the one of all.
 *  Units: s.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_alignment roof_alignment_none(void);

/** Gives all times of a profile by the clock that it is aligned to, and says of its traces how far off they may be.
 *  Units: s.
 *  Ownership: none.
 *  Errors: none; a profile without times stays as it is. */
ROOF_API void roof_timeline_align(roof_timeline *timeline, const roof_alignment *alignment);

/** Says whose the traces are.
 *  Units: none.
 *  Ownership: copies `node`.
 *  Errors: none; a text that runs out of memory is "". */
ROOF_API void roof_timeline_place(roof_profile *profile, int rank, const char *node);

/** Appends the traces as Chrome trace events (roofline.timeline/1): a process for each rank, from the first call on.
 *  Units: us, as that format has them.
 *  Ownership: appends to the caller's `out`; `program` is not kept.
 *  Errors: ROOF_E_ARGUMENT where no call has a time, ROOF_E_MEMORY. */
ROOF_API roof_status roof_timeline_write(const roof_profile *profile, const char *program, roof_text *out,
                                         roof_error *error);

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

/** X(symbol, name): why a device idles before a call. */
#define ROOF_IDLE_MAP(X)                                                                                     \
  X(ROOF_IDLE_HOST, "host late")       /* it was launched after the device ran dry */                        \
  X(ROOF_IDLE_SYNC, "synchronisation") /* the same, by a host that had waited until the device ran dry */    \
  X(ROOF_IDLE_KERNEL, "kernel wait")   /* it was launched: a dependency, or the launch in flight */          \
  X(ROOF_IDLE_UNKNOWN, "unknown")      /* its launch is not recorded */

typedef enum roof_idle {
#define ROOF_IDLE_ENUM(symbol, name) symbol,
  ROOF_IDLE_MAP(ROOF_IDLE_ENUM)
#undef ROOF_IDLE_ENUM
      ROOF_IDLE_COUNT
} roof_idle;

/** The time of one device in one trace, from its first call's start to its last one's end. Seconds of an activity are
 *  those in which at least one stream did it. */
typedef struct roof_device_time {
  uint32_t trace; /**< index of its trace */
  int device;
  const char *name; /**< as the file has it, "" unknown; the profile's */
  char label[64];   /**< among the others: "device 1", "rank 3", "b.json device 0" */
  uint64_t calls, gaps;
  double span_seconds, busy_seconds, idle_seconds; /**< busy: at least one stream was */
  double idle[ROOF_IDLE_COUNT];                    /**< s, their sum is the idle time */
  double seconds[ROOF_ACTIVITY_COUNT]; /**< s, more together than the busy time where they overlap */
  double hidden[ROOF_ACTIVITY_COUNT];  /**< s of it while another stream computes; 0 of compute */
} roof_device_time;

/** The time of one stream. */
typedef struct roof_stream_time {
  uint32_t track; /**< index of its track */
  uint64_t calls;
  double busy_seconds;
  double share; /**< of its device's span; NaN for a span of 0 */
} roof_stream_time;

/** Where the time of a profile's devices went. */
typedef struct roof_accounting {
  roof_device_time *devices; /**< in the order of traces, then of devices */
  size_t device_count;
  roof_stream_time *streams; /**< of devices in their order */
  size_t stream_count;
} roof_accounting;

/** The name of a cause of idle time.
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_idle_name(roof_idle cause);

/** Accounts for the time of every device of every trace, each by itself.
 *  Units: s.
 *  Ownership: fills *accounting on success only; release with roof_accounting_done. It points into the profile's texts.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_timeline_account(const roof_timeline *timeline, roof_accounting *accounting,
                                           roof_error *error);

/** Releases an accounting.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none; one full of zeros is fine. */
ROOF_API void roof_accounting_done(roof_accounting *accounting);

/** Appends where the time went: of one device how long it idled and why and what it did while it was busy, a line
 *  each where there is something to say; of several how much they idled.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_accounting_sentence(const roof_accounting *accounting, roof_text *out);

#define ROOF_DENSITY_BINS 730

/** How busy one stream was over time. */
typedef struct roof_density {
  uint32_t track;  /**< index of its track */
  char label[112]; /**< its device's label and its name: "device 0, stream 7" */
  float shares[ROOF_DENSITY_BINS][ROOF_ACTIVITY_COUNT]; /**< of each bin the share that each activity took */
} roof_density;

/** How busy the first `most` streams of an accounting were in equal parts of the longest trace's time; each trace
 *  begins with its first call, those by one clock with the first of all.
 *  Units: *seconds are those of all bins together.
 *  Ownership: *list is the caller's to free(); set on success only.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_timeline_densities(const roof_timeline *timeline, const roof_accounting *accounting,
                                             size_t most, roof_density **list, size_t *count, double *seconds,
                                             roof_error *error);

/** What one process of a group did, and how it waited for the others. */
typedef struct roof_rank_time {
  int rank;               /**< as the trace says, else its place among the traces */
  double compute_seconds; /**< in which at least one stream of its devices computed */
  double waited_seconds;  /**< in collectives that others had not reached yet */
  size_t last;            /**< collectives that it reached last */
} roof_rank_time;

/** The processes of a group, a trace each. */
typedef struct roof_ranks {
  roof_rank_time *list; /**< in the order of the traces */
  size_t count;
  size_t collectives; /**< that were matched */
  size_t unmatched;   /**< calls of collectives that some trace has more often than another */
  double waited_seconds;
  size_t straggler; /**< index of the one that was last most often */
  double imbalance; /**< longest compute / its mean; NaN for one process */
} roof_ranks;

/** Who waits for the others. In the traces of a group of ranks the collectives of one name and number are one; where the files
 *  do not number them, the n-th of a name in each; where they do not name groups, all traces are one group. A collective ends everywhere at the same time, so that
 *  a rank has waited for as long as its call is longer than the shortest, whose rank arrived last.
 *  Units: s.
 *  Ownership: fills *ranks on success only; release with roof_ranks_done.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_profile_ranks(const roof_profile *profile, roof_ranks *ranks, roof_error *error);

/** Appends who arrives last, how long the others wait, and how uneven compute is, a line each; nothing of one process.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_ranks_sentence(const roof_ranks *ranks, roof_text *out);

/** Releases ranks.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none; one full of zeros is fine. */
ROOF_API void roof_ranks_done(roof_ranks *ranks);

/** A region of ranks whose times are by one clock. */
typedef struct roof_shared_region {
  const char *name; /**< the profile's */
  size_t ranks;     /**< that called it */
  uint64_t calls;   /**< of the rank that called it most; those of several threads at the same time are one */
  double seconds;   /**< that a rank was in it, in the mean */
  double any_seconds, all_seconds; /**< at least one of its ranks was; all of them were */
  bool meets; /**< they leave it closer together than they enter it: who comes first waits for the last */
  double waited_seconds; /**< by all ranks together; 0 where they do not meet */
} roof_shared_region;

/** How long one rank waited for another, in regions where ranks meet. */
typedef struct roof_wait {
  int rank, awaited;
  uint64_t calls;
  double seconds;
  const char *region; /**< where most of it was; the profile's */
} roof_wait;

/** A part of the time of a job. */
typedef struct roof_stretch {
  double start, end;    /**< s since the first call */
  int busiest;          /**< the rank that was in regions longest, its waits apart; -1: none was */
  double imbalance;     /**< its time over the mean of all ranks; NaN where none was */
  double waiting_share; /**< of the time of all ranks */
} roof_stretch;

enum { ROOF_STRETCHES = 6 };

/** Which rank waits for which. */
typedef struct roof_waits {
  roof_shared_region *regions; /**< the longest first */
  size_t region_count;
  roof_wait *list; /**< the longest first */
  size_t count;
  roof_stretch stretches[ROOF_STRETCHES];
  size_t ranks;
  double seconds;         /**< from the first call to the last one, or to where calls begin to miss */
  double uncertainty;     /**< s: the largest of a rank; what is shorter is no wait */
  double waited_seconds;  /**< of all ranks together */
  int awaited;            /**< the rank that is waited for longest; -1: none is */
  double awaited_seconds; /**< how long, by all others */
  bool cut;               /**< later calls are missing in some rank, and left out in all */
} roof_waits;

/** Which rank waits for which, in a time line of several ranks by one clock. The n-th call of a region in each rank are one round; where
 *  ranks meet in it, each waits from its own begin to that of the last. A region whose ranks call it differently often has no
 *  rounds.
 *  Units: s.
 *  Ownership: fills *waits on success only; release with roof_waits_done before the profile.
 *  Errors: ROOF_E_ARGUMENT where the profile is no such time line or is rolled up, ROOF_E_MEMORY. */
ROOF_API roof_status roof_profile_waits(const roof_profile *profile, roof_waits *waits, roof_error *error);

/** Appends the answer in a sentence: how long, how well aligned, which rank is waited for.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_waits_sentence(const roof_waits *waits, roof_text *out);

/** Releases it.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none; one full of zeros is fine. */
ROOF_API void roof_waits_done(roof_waits *waits);

#ifdef __cplusplus
}
#endif
#endif
