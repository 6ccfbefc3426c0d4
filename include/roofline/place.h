/** Counted work under a machine's ceilings: which one applies, what share of it was reached, whether that can
 * be, or why it is not known.
 *
 *  Example:
 *    roof_placed placed;
 *    roof_place_time(1e-3, ROOF_ACHIEVED, 1.25e-3, NAN, &placed);
 *    printf("%.0f %% of the ceiling: %s\n", 100 * placed.share, placed.verdict->name); */
#ifndef ROOFLINE_PLACE_H
#define ROOFLINE_PLACE_H

#include "roofline/measurement.h"
#include "roofline/predict.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One band of lower bound / measured time, from `from` to the next row's. */
typedef struct roof_verdict {
  double from;
  const char *name;    /**< bug, low, normal, good, remeasure, explain; done, overhead, expected, faster */
  const char *meaning; /**< a clause that follows the name */
} roof_verdict;

/** The band of a share of a ceiling (lower bound / measured time): of the theoretical one under 0.50 bug, to 0.65 low, to
 *  0.85 normal, to 0.90 good, to 1 remeasure, over 1 explain; of the achieved one, which a benchmark reached, under 0.50 bug,
 *  to 0.70 low, to 0.90 normal, to 1 done, over 1 explain. A threshold belongs to the band above it, 1 to the one below.
 *  Units: a ratio.
 *  Ownership: static.
 *  Errors: NULL for NaN or a negative share. */
ROOF_API const roof_verdict *roof_verdict_on(roof_basis basis, double share);

/** A band (nullable) as it reads in a regime: work bound by its launches is "overhead" where it is not
 *  normal or good, never a bug of its ceiling, and arithmetic close to its peak does not come from a cache.
 *  Units: none.
 *  Ownership: static.
 *  Errors: none. */
ROOF_API const roof_verdict *roof_verdict_in(roof_regime regime, const roof_verdict *found);

/** A band (nullable) of a share of the ceiling where a prediction is known: "expected" for what is slow, but within the
 *  predicted interval from `fastest` to `slowest` (roof_prediction.expected_low_seconds and expected_high_seconds), and
 *  "faster" for what is under it and slow, or normal or good where all that was predicted is of lower bands. NaN: no
 *  prediction.
 *  Units: `share` a ratio; s.
 *  Ownership: static.
 *  Errors: none. */
ROOF_API const roof_verdict *roof_verdict_heed(const roof_verdict *found, double share, double seconds,
                                               double fastest, double slowest);

/** Datasheets round: this share over a ceiling is still at it. */
#define ROOF_PLACE_ROUNDING 5e-3

/** Work that was counted and the time it took, both of the same calls. NaN: not known, which is never 0. */
typedef struct roof_counted {
  double seconds;
  double noise; /**< how far `seconds` may be off, as a share of it; NaN: not known */
  double flops[ROOF_DTYPE_COUNT][ROOF_UNIT_COUNT]; /**< on the unit that the counter names */
  double other_flops[ROOF_DTYPE_COUNT];            /**< on a unit that nothing names */
  int unit; /**< of `other_flops` by the kernel's operation (roof_unit), or -1: roof_place decides */
  double bytes[ROOF_LEVEL_KIND_COUNT];
  double other_bytes;  /**< through a level that nothing names */
  double write_share;  /**< of the bytes, 0 to 1; NaN: the fastest mix is assumed */
  double update_share; /**< of the bytes, those written where they were read */
  double link_bytes;
  const char *link;  /**< what that link's name begins with; NULL or "": the first that joins the ranks */
  double link_ranks; /**< devices that exchange the bytes; NaN or 0: not known */
  int cores;         /**< that did it; 0: not known, all may have */
  double calls;      /**< of kernels, each launched, where the machine is an accelerator; NaN: not known */
  double busy_compute,
      busy_memory; /**< shares of their peaks at which a profiler saw the busiest arithmetic pipe and the
                                       memory: used where FLOPs or bytes were not counted */
} roof_counted;

/** The time for each FLOP and byte on one basis; NaN where no figure is known. */
typedef struct roof_price {
  double flop[ROOF_DTYPE_COUNT][ROOF_UNIT_COUNT];
  double byte[ROOF_LEVEL_KIND_COUNT][ROOF_MIX_COUNT]; /**< as roof_level_costs */
} roof_price;

/** A machine's ceilings for every format, unit and level, resolved once for many kernels. */
typedef struct roof_ceilings {
  const roof_machine *machine; /**< NULL: every ceiling is unknown */
  int cores;                   /**< that the ceilings are for; 0: all */
  roof_options options;        /**< as asked */
  roof_price reached;          /**< the figures asked for */
  roof_price least;            /**< datasheet figures and physical limits: nothing is faster */
  const roof_peak *peak[ROOF_DTYPE_COUNT][ROOF_UNIT_COUNT]; /**< behind `reached`, NULL: none is known */
  const roof_level *level[ROOF_LEVEL_KIND_COUNT];
  double launch_seconds;       /**< of an accelerator's kernel; NaN: of no accelerator, or not known */
  double least_launch_seconds; /**< the same of a launch among others */
  double overhead_cutoff;      /**< up to which a kernel is bound by its launch (roof_prediction_cutoff) */
} roof_ceilings;

/** X(symbol, name) */
#define ROOF_PLACE_MAP(X)                                                                                    \
  X(ROOF_PLACE_UNKNOWN, "unknown")       /* no ceiling, no work or no time is known */                       \
  X(ROOF_PLACE_POSSIBLE, "possible")     /* at or under the ceiling, as far as its noise allows to say */    \
  X(ROOF_PLACE_ABOVE, "above")           /* faster than the benchmark that measured the ceiling */           \
  X(ROOF_PLACE_IMPOSSIBLE, "impossible") /* faster than the hardware: ceiling, work or time is wrong */

typedef enum roof_place_state {
#define ROOF_PLACE_ENUM(symbol, name) symbol,
  ROOF_PLACE_MAP(ROOF_PLACE_ENUM)
#undef ROOF_PLACE_ENUM
      ROOF_PLACE_STATE_COUNT
} roof_place_state;

/** Where work stands. NaN where unknown. */
typedef struct roof_placed {
  roof_place_state state;
  double seconds;
  double flops;     /**< of all formats */
  double bytes;     /**< of the outermost known level */
  double intensity; /**< at that level, FLOP/byte */
  roof_dtype dtype; /**< of most FLOPs */
  roof_unit unit;
  roof_level_kind level;       /**< of `bytes` */
  roof_regime regime;          /**< of the ceiling; ROOF_REGIME_COUNT: unknown */
  char binding[ROOF_NAME_MAX]; /**< what gives the ceiling: "fp16 matrix", "HBM", a link; "" unknown */
  roof_basis basis;            /**< of the ceiling */
  int cores;                   /**< that the ceiling is for; 0: all */
  double ceiling_seconds;      /**< the least time on that basis */
  double limit_seconds;        /**< the least time that the hardware allows */
  double compute_seconds;      /**< of the arithmetic alone */
  double share;                /**< ceiling_seconds / seconds */
  double at_least;             /**< the share where part of the work was not counted (roof_place_withhold) */
  double headroom;             /**< seconds / ceiling_seconds */
  double lost_seconds;         /**< seconds - ceiling_seconds */
  double fastest_seconds;      /**< the fast end of what was predicted; NaN: nothing was */
  double slowest_seconds;      /**< the slow end of it */
  const roof_verdict *verdict; /**< of the share, heeding the prediction; NULL: unknown */
  char why[192];               /**< why it is unknown, above or impossible; "" where it is possible */
} roof_placed;

/** Nothing counted.
 *  Units: none.
 *  Ownership: the caller's storage.
 *  Errors: none. */
ROOF_API void roof_counted_init(roof_counted *work);

/** What a measurement counted, of all its threads, each of which has a core. FLOPs and bytes whose unit and
 *  level it does not say stay `other_`.
 *  Units: s, FLOP, bytes.
 *  Ownership: fills *work, which points to the link's name.
 *  Errors: none. */
ROOF_API void roof_counted_of(const roof_measurement *measurement, roof_counted *work);

/** Resolves the ceilings that `cores` cores of a machine have (0: all), as `options` ask for (NULL: the
 *  defaults). A NULL machine has none.
 *  Units: s.
 *  Ownership: points into `machine`.
 *  Errors: as roof_target_init, *ceilings unchanged. */
ROOF_API roof_status roof_ceilings_init(roof_ceilings *ceilings, const roof_machine *machine, int cores,
                                        const roof_options *options, roof_error *error);

/** Places counted work. The units work at the same time, the formats of one unit one after the other; of the
 *  levels the slowest counts. FLOPs of which no counter names the unit are of the operation's; else of the
 *  vector unit, unless the machine has only the matrix unit for the format or the rate is beyond the vector
 *  peak. Work of some cores is held against what those reach, unless it is beyond that: then others helped.
 *  Units: s.
 *  Ownership: fills *placed.
 *  Errors: none: what is not known says why. */
ROOF_API void roof_place(const roof_ceilings *ceilings, const roof_counted *work, roof_placed *placed);

/** Takes back ceiling, share and verdict of work of which part was not counted ("compute", "memory", "matrix",
 *  "KV cache") or has no ceiling ("integer"): the ceiling of the rest says only what it reached at least. Nothing where
 *  it is beyond that ceiling or `uncounted` is "".
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API void roof_place_withhold(roof_placed *placed, const char *uncounted);

/** The verdict of placed work where the interval of its time was predicted, NaN where it was not: as roof_verdict_heed.
 *  Units: s.
 *  Ownership: changes the verdict, `fastest_seconds` and `slowest_seconds`.
 *  Errors: none. */
ROOF_API void roof_place_foresee(roof_placed *placed, double fastest, double slowest);

/** The verdict of placed work where its operation, its `values` (completed) and formats are known, and how many `calls`
 *  the placed time is of: as roof_verdict_heed says of the prediction on the ceilings' machine.
 *  Units: the parameters'.
 *  Ownership: changes the verdict, `fastest_seconds` and `slowest_seconds`.
 *  Errors: none; unchanged without a machine, or where it lacks the formats. */
ROOF_API void roof_place_heed(const roof_ceilings *ceilings, const roof_op *op, const double *values,
                              const roof_types *types, double calls, roof_placed *placed);

/** Places the work of a formula, with the target's state of the data, tile and launches; `noise` as in
 *  roof_counted. A term whose figure is not known takes no time, as in a prediction.
 *  Units: s.
 *  Ownership: fills *placed.
 *  Errors: none: what is not known says why. */
ROOF_API void roof_place_work(const roof_target *target, const roof_work *work, double seconds, double noise,
                              roof_placed *placed);

/** Places the work of a prediction as roof_place_work does, its verdict by the interval of that prediction: of a kernel whose
 *  algorithm is predicted, not of the operation.
 *  Units: s.
 *  Ownership: fills *placed.
 *  Errors: none: what is not known says why. */
ROOF_API void roof_place_predicted(const roof_target *target, const roof_prediction *prediction,
                                   double seconds, double noise, roof_placed *placed);

/** Places work under a peak and a bandwidth that are known, for instance those a prediction was sealed with;
 *  FLOPs or bytes may be NaN.
 *  Units: FLOP, bytes, s.
 *  Ownership: fills *placed.
 *  Errors: none: what is not known says why. */
ROOF_API void roof_place_under(const roof_ceiling *ceiling, roof_basis basis, double flops, double bytes,
                               double seconds, double noise, roof_placed *placed);

/** Places a time against the least time of its ceiling, where nothing else is known of the work.
 *  Units: s.
 *  Ownership: fills *placed.
 *  Errors: none: what is not known says why. */
ROOF_API void roof_place_time(double ceiling_seconds, roof_basis basis, double seconds, double noise,
                              roof_placed *placed);

/** "unknown", "possible", "above" or "impossible".
 *  Units: none.
 *  Ownership: static.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_place_state_name(roof_place_state state);

/** "theoretical" or "achieved".
 *  Units: none.
 *  Ownership: static.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_basis_name(roof_basis basis);

#ifdef __cplusplus
}
#endif
#endif
