/** Workloads from files: ONNX graphs and lists of operations.
 *
 *  Example:
 *    roof_workload_reading reading = {.types = roof_types_of(ROOF_FP16), .floats = ROOF_DTYPE_COUNT};
 *    roof_workload workload = {0};
 *    if (roof_workload_load("resnet50.onnx", &reading, &workload, NULL) == ROOF_OK) {
 *      printf("%zu operations\n", workload.count);
 *    }
 *    roof_workload_done(&workload); */
#ifndef ROOFLINE_GRAPHS_H
#define ROOFLINE_GRAPHS_H

#include "roofline/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The size of a dimension that a graph names and leaves open (`batch`, `sequence_length`). */
typedef struct roof_dimension {
  const char *name;
  double size;
} roof_dimension;

#define ROOF_DIMENSION_MAX 16

/** Sizes as they were typed. Do not copy: `list` points into it. */
typedef struct roof_dimensions {
  roof_dimension list[ROOF_DIMENSION_MAX];
  char names[ROOF_DIMENSION_MAX][96];
  int count;
} roof_dimensions;

/** Reads `count` words name=size.
 *  Units: elements.
 *  Ownership: fills *dimensions, also on failure; `words` are not kept.
 *  Errors: ROOF_E_ARGUMENT for more than ROOF_DIMENSION_MAX or a size that is no whole number from 1 to 1e9; as
 *  roof_quantity_parse. */
ROOF_API roof_status roof_dimensions_parse(const char *const *words, int count, roof_dimensions *dimensions,
                                           roof_error *error);

/** What a workload's file leaves open; every reader needs one. */
typedef struct roof_workload_reading {
  roof_types types; /**< of a list's lines that name none */
  const roof_op *const
      *ops;          /**< of your own, for a list: found before the built-in ones; NULL ends, or none */
  roof_dtype floats; /**< a graph's floating-point tensors as if stored so; ROOF_DTYPE_COUNT: as they are */
  const roof_dimension *dimensions; /**< `batch`: the first dimension of a graph's inputs, 1 unless given */
  int dimension_count;
} roof_workload_reading;

/** Reads an ONNX model: every node as an item, its FLOPs from the operator and the sizes that follow from
 *  those of the inputs, its bytes from the tensors' own types. No weights are read. `data` is the whole file.
 *  Units: FLOP, bytes.
 *  Ownership: fills *workload on success only, release with roof_workload_done; `data` is not kept.
 *  Errors: ROOF_E_PARSE; ROOF_E_NAME for an operator or a dimension that is not known; ROOF_E_ARGUMENT naming
 *  the node whose sizes do not fit or depend on data. */
ROOF_API roof_status roof_workload_read_onnx(const void *data, size_t length, const char *file,
                                             const roof_workload_reading *reading, roof_workload *workload,
                                             roof_error *error);

/** Reads a list of operations: a line each, `OP key=value ...` with an operation's parameters and optional
 *  `count=`, `name=`, `dtype=`, `weights=`, `group=`, `accumulate=`, `output=`, `kv=`; `#` begins a comment.
 *  Units: FLOP, bytes.
 *  Ownership: fills *workload on success only, release with roof_workload_done.
 *  Errors: ROOF_E_PARSE, ROOF_E_NAME or ROOF_E_ARGUMENT with file, line and column. */
ROOF_API roof_status roof_workload_read_list(const char *text, size_t length, const char *file,
                                             const roof_workload_reading *reading, roof_workload *workload,
                                             roof_error *error);

/** True where the file at `path` holds a workload: an ONNX model, or text whose first word is an operation's.
 *  Units: none.
 *  Ownership: none.
 *  Errors: false where it cannot be read. */
ROOF_API bool roof_workload_is(const char *path);

/** Reads the workload at `path` as what it holds.
 *  Units: FLOP, bytes.
 *  Ownership: fills *workload on success only, release with roof_workload_done.
 *  Errors: ROOF_E_INPUT, and as the two readers. */
ROOF_API roof_status roof_workload_load(const char *path, const roof_workload_reading *reading,
                                        roof_workload *workload, roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
