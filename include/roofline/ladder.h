/** A ladder: the numbered variants of one operation and the libraries that do it, predicted, then measured one
 *  after the other on the same shape.
 *
 *  roof_ladder_find, roof_ladder_predict, then roof_ladder_measure for each rung; a ledger can seal the
 *  predictions in between.
 *
 *  Example:
 *    extern roof_ladder *ladder; // by roof_ladder_find and roof_ladder_predict
 *    roof_measure_options how = roof_measure_options_default();
 *    for (int i = 0; i < ladder->count; i++) {
 *      const roof_rung *rung = &ladder->rungs[i];
 *      if (rung->skipped[0] == '\0' && roof_ladder_measure(ladder, i, &how, NULL) == ROOF_OK) {
 *        printf("%s: %.0f %% of its ceiling\n", rung->label, 100 * rung->at.share);
 *      }
 *    } */
#ifndef ROOFLINE_LADDER_H
#define ROOFLINE_LADDER_H

#include "roofline/measure.h"
#include "roofline/place.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One rung, or a library on one core or on all. */
typedef struct roof_rung {
  roof_measurement measurement;
  const roof_kernel *kernel;
  bool alone; /**< on one core */
  double
      values[ROOF_PARAM_MAX]; /**< the ladder's, with the choices (an algorithm) that are the kernel's own */
  char label[ROOF_LABEL_MAX];
  roof_prediction
      prediction;         /**< bounds of the operation, expected time of this kernel: roof_kernel_predict */
  roof_prediction moved;  /**< by the kernel's algorithm */
  double moved_bytes;     /**< from the ladder's level */
  double moved_intensity; /**< FLOP per byte of these */
  roof_placed at;         /**< under the ceilings of its cores, once it is measured */
  double in_turns;        /**< share of the library that took turns with it, NaN: none did */
  double
      share_of_library; /**< of the fastest on as many cores: in turns with it where it was, else of its time */
  double step;          /**< times faster than the rung before; NaN for the first and for libraries */
  char skipped[512];    /**< why it does not run, or "" */
} roof_rung;

/** Rungs from the first up, then libraries. Do not copy. */
typedef struct roof_ladder {
  const roof_backend *backend;
  const roof_op *op;
  roof_dtype dtype;
  double values[ROOF_PARAM_MAX];
  roof_machine *machines[2]; /**< all cores that are used, and one of them */
  roof_target targets[2];
  const roof_level
      *moved; /**< that `moved_bytes` come from: where the rungs differ most, else the outermost; NULL: none
                 is known */
  roof_rung *rungs;
  int count;
} roof_ladder;

/** Collects every rung of `op` and every library that does it on that backend in that format; words (key=value)
 *  stand over the first rung's default shape.
 *  Units: the parameters'.
 *  Ownership: fills *ladder; release it with roof_ladder_done in any case.
 *  Errors: ROOF_E_UNSUPPORTED naming the operations that have a ladder, as roof_shape_parse, ROOF_E_ARGUMENT for
 *  several sizes, ROOF_E_MEMORY. */
ROOF_API roof_status roof_ladder_find(roof_ladder *ladder, const roof_backend *backend, const roof_op *op,
                                      roof_dtype dtype, const roof_measure_options *options,
                                      const char *const *words, int count, roof_error *error);

/** Predicts every rung by its algorithm on `machine`, those on one core on one core of it; says which cannot run
 *  here.
 *  Units: s.
 *  Ownership: copies `machine`.
 *  Errors: as roof_target_init, ROOF_E_MEMORY. */
ROOF_API roof_status roof_ladder_predict(roof_ladder *ladder, const roof_machine *machine, int threads,
                                         roof_error *error);

/** Checks and measures one rung, in turns with a library where the backend can; a library that cannot run is
 *  skipped.
 *  Units: s.
 *  Ownership: the rung keeps its samples.
 *  Errors: as the backend's `run`. */
ROOF_API roof_status roof_ladder_measure(roof_ladder *ladder, int rung, const roof_measure_options *options,
                                         roof_error *error);

/** In which mode memory was where it binds and that is another than its ceiling's: "memory ran at 50 % of its ceiling for
 *  5 rows: shares of that"; "" where it was the same.
 *  Units: none.
 *  Ownership: writes to and returns `buffer` (100 bytes are enough).
 *  Errors: cut to `size`. */
ROOF_API char *roof_ladder_mode(const roof_ladder *ladder, char *buffer, size_t size);

/** Appends the ladder as one roofline.ladder/1 object, what `run OP --ladder --json` prints; `ledger` names where the
 *  predictions were sealed, NULL: nowhere.
 *  Units: s, FLOP/s.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_ladder_write(const roof_ladder *ladder, const char *ledger, roof_text *out,
                                       roof_error *error);

/** Releases what the ladder holds.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none; one full of zeros is fine. */
ROOF_API void roof_ladder_done(roof_ladder *ladder);

#ifdef __cplusplus
}
#endif
#endif
