/** An operation: a named formula from shapes to work. The built-in ones are in roofline/ops.h.
 *
 *  Example:
 *    extern const roof_op *triad; // by roof_op_find
 *    double values[ROOF_PARAM_MAX];
 *    roof_op_defaults(triad, values);
 *    values[roof_op_param_index(triad, "n")] = 1 << 26;
 *    if (roof_op_complete(triad, values, NULL) == ROOF_OK) {
 *      roof_types types = roof_types_of(ROOF_FP64);
 *      roof_work work;
 *      roof_work_init(&work);
 *      triad->work(triad, values, &types, &work);
 *      printf("%g FLOP, %g bytes\n", work.flops, work.read_bytes + work.write_bytes);
 *    } */
#ifndef ROOFLINE_OP_H
#define ROOFLINE_OP_H

#include <stddef.h>

#include "roofline/work.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_PARAM_MAX 12
#define ROOF_CHOICE_MAX 4

typedef enum roof_param_kind {
  ROOF_PARAM_COUNT,  /**< a whole number >= 1 */
  ROOF_PARAM_AMOUNT, /**< a number >= 0 (beta, padding) */
  ROOF_PARAM_BYTES,  /**< bytes > 0, or the fallback */
  ROOF_PARAM_FLAG,   /**< 0 or 1 */
  ROOF_PARAM_CHOICE  /**< an index into `choices`, typed by name */
} roof_param_kind;

/** How a number's parameter stores the name `choices[index]` (padding=same), apart from the numbers. */
#define ROOF_CHOICE_VALUE(index) (-1.0 - (index))

/** One parameter. `fallback` NaN with no `same_as` means it must be given. A number with `choices` also takes
 *  their names. */
typedef struct roof_param {
  const char *name;
  roof_param_kind kind;
  double fallback;
  const char *same_as; /**< takes the value of that earlier parameter when not given */
  const char *choices[ROOF_CHOICE_MAX];
  const char *text;
} roof_param;

typedef struct roof_op roof_op;

/** Computes the work of one call from `values` (one per parameter, in the table's order, completed and checked) over
 *  what roof_work_init left in *work. It allocates nothing.
 *  Units: FLOP, bytes.
 *  Ownership: fills *work.
 *  Errors: none. */
typedef void roof_op_work(const roof_op *op, const double *values, const roof_types *types, roof_work *work);

/** Checks `values` beyond each parameter's own range (what divides what, what fits).
 *  Units: the parameters'.
 *  Ownership: none.
 *  Errors: ROOF_E_ARGUMENT naming the parameter. */
typedef roof_status roof_op_check(const roof_op *op, const double *values, roof_error *error);

/** One operation. `flops`, `bytes`, `link` and `steps` are the formulas in the parameters' names, their
 *  choices' names and a (activation), w (weight), o (output), kv bytes per element; a test holds them equal
 *  to `work`. */
struct roof_op {
  const char *name;
  const char *family;
  const char *summary;
  roof_unit unit;
  const char *flops;
  const char *bytes;
  const char *link;         /**< bytes of one rank through its busiest link, one direction; NULL: none */
  const char *steps;        /**< sequential messages over that link; NULL: none */
  double flops_per_element; /**< NaN where the notion does not apply */
  const char *source;
  roof_op_work *work;
  roof_op_check *check;     /**< NULL: the parameters' ranges are all there is to check */
  void *state;              /**< of a user's operation; NULL for built-in ones */
  const char *batch;        /**< parameter a critical batch is solved for, or NULL */
  const roof_param *params; /**< ROOF_PARAM_MAX at most, ended by one without a name */
};

/** Number of parameters of `op`.
 *  Units: count.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API int roof_op_param_count(const roof_op *op);

/** Index of the parameter `name`, or -1.
 *  Units: none.
 *  Ownership: none.
 *  Errors: -1 when there is none. */
ROOF_API int roof_op_param_index(const roof_op *op, const char *name);

/** Whether the work depends on the count `param` at these completed `values`: the passes over the scores, for
 *  instance, do nothing where an algorithm keeps the scores on chip. True for a parameter that is no count.
 *  Units: as the parameters'.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_op_uses(const roof_op *op, const double *values, int param, const roof_types *types);

/** Sets every parameter to its default, NaN where it must be given or follows another.
 *  Units: none.
 *  Ownership: fills the caller's `values` (ROOF_PARAM_MAX).
 *  Errors: none. */
ROOF_API void roof_op_defaults(const roof_op *op, double *values);

/** Reads one value for a parameter: a quantity, or a choice by name.
 *  Units: as the parameter's.
 *  Ownership: writes *value on success only.
 *  Errors: ROOF_E_PARSE, ROOF_E_NAME for an unknown choice, ROOF_E_ARGUMENT when out of range. */
ROOF_API roof_status roof_op_value_parse(const roof_op *op, int param, const char *text, double *value,
                                         roof_error *error);

/** The name of the choice that `value` of a parameter stands for, or NULL when it is a number.
 *  Units: as the parameter's.
 *  Ownership: static.
 *  Errors: NULL. */
ROOF_API const char *roof_op_value_name(const roof_op *op, int param, double value);

/** A parameter's value as typed: a choice by its name, a count in full. Returns `buffer`.
 *  Units: as the parameter's.
 *  Ownership: fills the caller's buffer.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_op_value_text(const roof_op *op, int param, double value, char *buffer, size_t size);

/** All parameters as text, "m=1 n=8". Returns `buffer`.
 *  Units: as the parameters'.
 *  Ownership: fills the caller's buffer.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_op_write_values(const roof_op *op, const double *values, char *buffer, size_t size);

/** What a prediction and its measurement are matched by: `name` (the operation's, or a kernel's that does it),
 *  the parameters that differ from their default, the format: "gemm m=512 n=512 k=512 fp64". Returns `buffer`.
 *  Units: as the parameters'.
 *  Ownership: fills the caller's buffer.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_op_label(const roof_op *op, const char *name, roof_dtype dtype, const double *values,
                             char *buffer, size_t size);

/** Fills what follows another parameter and checks that all are given, in range and fit together.
 *  Units: none.
 *  Ownership: changes `values` in place.
 *  Errors: ROOF_E_ARGUMENT naming the parameter. */
ROOF_API roof_status roof_op_complete(const roof_op *op, double *values, roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
