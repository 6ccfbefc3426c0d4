/** What was measured, and how it was counted.
 *
 *  Example:
 *    roof_measurement measured;
 *    roof_measurement_init(&measured);
 *    snprintf(measured.label, sizeof measured.label, "my kernel");
 *    measured.seconds = 1.25e-3;
 *    measured.flops = 2e9;
 *    roof_measurement_done(&measured); */
#ifndef ROOFLINE_MEASUREMENT_H
#define ROOFLINE_MEASUREMENT_H

#include <stddef.h>

#include "roofline/machine.h"
#include "roofline/stats.h"
#include "roofline/work.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_FIGURE_MAX 64
#define ROOF_LABEL_MAX 128
#define ROOF_OWN_NAME_MAX (ROOF_LABEL_MAX + 32) /* "NAME and 2 more" */

/** What a profiler counted, a clue of ROOF_CLUE_MAP (advise.h) where there is one: "occupancy" 0.3. */
typedef struct roof_figure {
  char name[48];
  double value;
} roof_figure;

/** How it is known when measuring began. */
typedef enum roof_taken {
  ROOF_TAKEN_UNKNOWN,
  ROOF_TAKEN_HAND,    /**< typed: it ends now */
  ROOF_TAKEN_PIPE,    /**< a pipe that does not say: it ends now */
  ROOF_TAKEN_SAID,    /**< the document says so */
  ROOF_TAKEN_FILE,    /**< it does not; the file's date does */
  ROOF_TAKEN_PROCESS, /**< this process measured */
  ROOF_TAKEN_COUNT
} roof_taken;

/** "by hand", "pipe", "document", "file date", "this process"; "" for unknown.
 *  Units: none.
 *  Ownership: static.
 *  Errors: none. */
ROOF_API const char *roof_taken_name(roof_taken taken);

/** The ceiling and the prediction that a document gives for a time, s. NaN: none. */
typedef struct roof_given {
  double ceiling_seconds; /**< the least time */
  double limit_seconds;   /**< the same at the hardware's own limits, where the ceiling was measured */
  double fastest_seconds, slowest_seconds; /**< the ends of what is predicted */
  bool achieved;                           /**< the ceiling is one that a benchmark reached */
  bool launched;                           /**< the ceiling is the time of its launches */
} roof_given;

/** One kernel on one machine. `samples` are seconds per call, in the order taken. */
typedef struct roof_measurement {
  char label[ROOF_LABEL_MAX];          /**< matches a prediction's label */
  char measured_as[ROOF_OWN_NAME_MAX]; /**< the kernel's own name where the label is another, "" none */
  char machine[ROOF_NAME_MAX];
  roof_dtype dtype;
  double flops;                              /**< per call; NaN unknown */
  double bytes;                              /**< per call at the outermost level; NaN unknown */
  double write_share;                        /**< of `bytes`: written; NaN unknown */
  double update_share;                       /**< of `bytes`: written where they were read; NaN unknown */
  double level_bytes[ROOF_LEVEL_KIND_COUNT]; /**< per call, by level; NaN unknown */
  double unit_flops[ROOF_DTYPE_COUNT]
                   [ROOF_UNIT_COUNT];   /**< of `flops`, those whose unit is known; NaN none */
  double dtype_flops[ROOF_DTYPE_COUNT]; /**< of `flops`, those whose unit is not */
  double link_bytes;                    /**< per call, one way; NaN unknown */
  char link[ROOF_NAME_MAX];             /**< what that link's name begins with, "" unknown */
  double
      memory_bytes_per_second; /**< rate of memory right before and after the samples; NaN: not probed, or not one */
  double
      memory_pace; /**< that rate as a share of the ceiling's where memory was in another mode; NaN: as then */
  roof_given given;     /**< of a call */
  double seconds;       /**< median per call */
  double calls;         /**< of all threads; NaN unknown */
  double threads;       /**< that called it; NaN unknown */
  double total_seconds; /**< of all calls; NaN unknown */
  double own_seconds;   /**< of those, in no other region inside; NaN unknown */
  double watts;    /**< mean power of the processor, with its memory where that is counted; NaN unknown */
  double joules;   /**< of one call at that power; NaN unknown */
  char power[200]; /**< how the power was measured or why not, "" where nothing is known of it */
  double taken;    /**< s since 1970 when measuring began; NaN or 0: it ends now */
  roof_taken taken_from;
  bool dtype_said; /**< somebody typed `dtype` */
  roof_stats stats;
  double *samples;
  size_t sample_count;
  roof_conditions conditions;
  char counted[64];       /**< how the bytes were: "formula" or the counter source */
  char counted_flops[64]; /**< how the FLOPs were */
  char uncounted[16];     /**< of its work, as roof_place_withhold; "" nothing */
  roof_figure counters[ROOF_FIGURE_MAX];
  size_t counter_count;
  char note[192];
} roof_measurement;

/** What a profiler counted of one call. NaN: not counted. */
typedef struct roof_counts {
  double flops;
  double bytes[ROOF_LEVEL_KIND_COUNT]; /**< by level, inner to outer */
  double outer_bytes;                  /**< of the outermost level that was counted */
  double intensity;                    /**< operational: FLOPs for each of those bytes */
} roof_counts;

/** Resets to nothing measured: numbers NaN, texts "", no samples, no counters.
 *  Units: none.
 *  Ownership: the caller's storage.
 *  Errors: none. */
ROOF_API void roof_measurement_init(roof_measurement *measurement);

/** Labels it with a kernel's name; one that is too long keeps its beginning, and a digest of all of it.
 *  Units: none.
 *  Ownership: copied.
 *  Errors: none. */
ROOF_API void roof_measurement_name(roof_measurement *measurement, const char *name);

/** Frees the samples and resets.
 *  Units: none.
 *  Ownership: releases measurement->samples.
 *  Errors: none. */
ROOF_API void roof_measurement_done(roof_measurement *measurement);

#ifdef __cplusplus
}
#endif
#endif
