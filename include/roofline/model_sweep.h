/** A model over lists and ranges of its settings, precisions and machines.
 *
 *  Example:
 *    const char *const words[] = {"batch=1..256*2", "prompt=4k"};
 *    roof_model_axes axes = {0};
 *    roof_model_settings settings = roof_model_settings_default(&model);
 *    roof_status status = roof_model_settings_read(words, 2, &settings, &axes, &error); */
#ifndef ROOFLINE_MODEL_SWEEP_H
#define ROOFLINE_MODEL_SWEEP_H

#include "roofline/model.h"
#include "roofline/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_MODEL_AXIS_MAX 8

/** A setting with several values. */
typedef struct roof_model_axis {
  const char *name; /**< static */
  size_t offset;    /**< of a double in roof_model_settings */
  roof_axis values; /**< `param` and `params` are not used */
} roof_model_axis;

/** Settings with several values, in the order typed. Start from `{0}`, release with roof_model_axes_done. */
typedef struct roof_model_axes {
  roof_model_axis list[ROOF_MODEL_AXIS_MAX];
  int count;
} roof_model_axes;

/** Reads `count` words key=value into settings: batch, prompt, generate, chunk, draft, accept, tp, pp, dp, ep, cp,
 *  microbatches, node, page, workspace, price, zero. A list or range (batch=1,8 or batch=1..256*2) is added to `axes`,
 *  the setting getting its first value; where `axes` is NULL it is refused.
 *  Units: as roof_model_settings.
 *  Ownership: the caller's, released with roof_model_axes_done.
 *  Errors: ROOF_E_NAME with the nearest name, ROOF_E_PARSE or ROOF_E_ARGUMENT for a value or a setting given two
 *  lists, ROOF_E_MEMORY; values out of range are refused by roof_model_target_init. */
ROOF_API roof_status roof_model_settings_read(const char *const *words, int count,
                                              roof_model_settings *settings, roof_model_axes *axes,
                                              roof_error *error);

/** Frees the values.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none. */
ROOF_API void roof_model_axes_done(roof_model_axes *axes);

#ifdef __cplusplus
}
#endif
#endif
