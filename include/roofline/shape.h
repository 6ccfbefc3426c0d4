/** Shapes as they are typed: key=value words with lists, ranges and parameters tied together.
 *
 *  Example:
 *    const roof_op *gemm;
 *    roof_shape shape;
 *    double values[ROOF_PARAM_MAX];
 *    if (roof_op_find("gemm", &gemm, NULL) == ROOF_OK &&
 *        roof_shape_parse_text(&shape, gemm, "m=1..1024*2 n=k=4096", NULL) == ROOF_OK) {
 *      for (size_t i = 0; i < shape.points && roof_shape_point(&shape, i, values, NULL) == ROOF_OK; i++) {
 *        printf("m=%g\n", values[0]);
 *      }
 *      roof_shape_done(&shape);
 *    } */
#ifndef ROOFLINE_SHAPE_H
#define ROOFLINE_SHAPE_H

#include "roofline/op.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What varies. */
typedef struct roof_axis {
  int param;       /**< the first of `params` */
  unsigned params; /**< one bit per parameter: `m=n=k=1..8` varies three together */
  double *values;
  size_t count;
} roof_axis;

/** The points of one operation. Do not copy: `op` may point into it. */
typedef struct roof_shape {
  const roof_op *op;                     /**< the one given, or `tied` */
  roof_op tied;                          /**< its copy in which parameters given together follow the first */
  roof_param params[ROOF_PARAM_MAX + 1]; /**< of `tied` */
  double values[ROOF_PARAM_MAX];
  roof_axis axes[ROOF_PARAM_MAX]; /**< parameters with more than one value, in the order typed */
  int axis_count;
  unsigned typed; /**< one bit per parameter that was typed */
  unsigned given; /**< those, and the ones that `defaults` gave */
  size_t points;
} roof_shape;

/** Reads one value.
 *  Units: the reader's.
 *  Ownership: writes *value on success only; `context` is the caller's.
 *  Errors: what the reader says, naming what the value is of. */
typedef roof_status roof_value_read(const void *context, const char *text, double *value, roof_error *error);

/** Adds the values of `list` ("1,8,64", "1..1024*2", "128..4096+128") to an axis, each read by `parse`;
 *  `whole`: those of a range are rounded.
 *  Units: as `parse` gives them.
 *  Ownership: `list` is changed; the caller frees axis->values, also on failure.
 *  Errors: ROOF_E_ARGUMENT, those of `parse`, ROOF_E_MEMORY. */
ROOF_API roof_status roof_axis_read(roof_axis *axis, const char *name, bool whole, roof_value_read *parse,
                                    const void *context, char *list, roof_error *error);

/** Reads `count` words key=value[,value...]; a word of `defaults` ("m=1024 n=1024", nullable) counts where no
 *  key of it was given.
 *  Units: the parameters'.
 *  Ownership: the caller's, released by roof_shape_done; `op` must outlive it.
 *  Errors: ROOF_E_PARSE, ROOF_E_NAME for an unknown key, ROOF_E_ARGUMENT, ROOF_E_MEMORY. */
ROOF_API roof_status roof_shape_parse(roof_shape *shape, const roof_op *op, const char *const *words,
                                      int count, const char *defaults, roof_error *error);

/** True for sizes that are typed without names, `4096x11008x4096`: those of the parameters that have no default.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_shape_is_sizes(const char *word);

/** As roof_shape_parse, from one text, words between blanks; an error has the column in it, from 1.
 *  Units: the parameters'.
 *  Ownership: as roof_shape_parse.
 *  Errors: as roof_shape_parse. */
ROOF_API roof_status roof_shape_parse_text(roof_shape *shape, const roof_op *op, const char *text,
                                           roof_error *error);

/** The operation, its completed values and the format that a label of roof_op_label says ("gemm m=8 n=8 k=8 fp16").
 *  Units: the parameters'.
 *  Ownership: *op is static; writes on success only.
 *  Errors: ROOF_E_NAME where the label is none, ROOF_E_MEMORY. */
ROOF_API roof_status roof_shape_of_label(const char *label, const roof_op **op, double *values,
                                         roof_dtype *dtype, roof_error *error);

/** The completed values of the one point that `text` ("m=8 n=4k k=2Ki") says.
 *  Units: the parameters'.
 *  Ownership: fills the caller's `values` (ROOF_PARAM_MAX) on success only.
 *  Errors: as roof_shape_parse; ROOF_E_ARGUMENT for several points. */
ROOF_API roof_status roof_shape_values(const roof_op *op, const char *text, double *values,
                                       roof_error *error);

/** Values of point `index` as typed (the last axis turns fastest): NaN where one follows another.
 *  Units: the parameters'.
 *  Ownership: fills the caller's `values` (ROOF_PARAM_MAX).
 *  Errors: none. */
ROOF_API void roof_shape_typed(const roof_shape *shape, size_t index, double *values);

/** Completed values of point `index`.
 *  Units: the parameters'.
 *  Ownership: fills the caller's `values` (ROOF_PARAM_MAX).
 *  Errors: as roof_op_complete, naming the point. */
ROOF_API roof_status roof_shape_point(const roof_shape *shape, size_t index, double *values,
                                      roof_error *error);

/** Appends "m=1 n=k=2": the point on its axes, without the axis of the parameter `except` (-1: all).
 *  Units: the parameters'.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_shape_add_point(roof_text *out, const roof_shape *shape, size_t index, int except);

/** What an axis is called: its parameter, "m=n=k" where several vary together. Returns `buffer`.
 *  Units: none.
 *  Ownership: fills the caller's buffer.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_shape_axis_name(const roof_shape *shape, int axis, char *buffer, size_t size);

/** Frees what the shape holds.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none; after a failure to parse nothing is held. */
ROOF_API void roof_shape_done(roof_shape *shape);

#ifdef __cplusplus
}
#endif
#endif
