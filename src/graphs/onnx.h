/** An ONNX graph: nodes and values as the file has them (onnx_read.c), sizes and small integers followed
 *  through (onnx_shape.c, onnx_fold.c), each operator's work (onnx_ops.c). Fields and types: onnx/onnx
 *  onnx/onnx.proto; operators: docs/Operators.md there, and docs/ContribOperators.md of
 *  microsoft/onnxruntime. */
#ifndef GRAPHS_ONNX_H
#define GRAPHS_ONNX_H

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "documents/proto.h"
#include "roofline/graphs.h"

enum { ONNX_RANK = 8, ONNX_KNOWN_MAX = 4096 };

/** X(symbol, TensorProto.DataType, name, bits, the format it is multiplied in) */
#define ONNX_TYPE_MAP(X)                                                                                     \
  X(ONNX_FLOAT, 1, "float", 32, ROOF_FP32)                                                                   \
  X(ONNX_UINT8, 2, "uint8", 8, ROOF_INT8)                                                                    \
  X(ONNX_INT8, 3, "int8", 8, ROOF_INT8)                                                                      \
  X(ONNX_UINT16, 4, "uint16", 16, ROOF_FP32)                                                                 \
  X(ONNX_INT16, 5, "int16", 16, ROOF_FP32)                                                                   \
  X(ONNX_INT32, 6, "int32", 32, ROOF_FP32)                                                                   \
  X(ONNX_INT64, 7, "int64", 64, ROOF_FP32)                                                                   \
  X(ONNX_BOOL, 9, "bool", 8, ROOF_FP32)                                                                      \
  X(ONNX_FLOAT16, 10, "float16", 16, ROOF_FP16)                                                              \
  X(ONNX_DOUBLE, 11, "double", 64, ROOF_FP64)                                                                \
  X(ONNX_UINT32, 12, "uint32", 32, ROOF_FP32)                                                                \
  X(ONNX_UINT64, 13, "uint64", 64, ROOF_FP32)                                                                \
  X(ONNX_BFLOAT16, 16, "bfloat16", 16, ROOF_BF16)                                                            \
  X(ONNX_E4M3, 17, "float8e4m3fn", 8, ROOF_FP8)                                                              \
  X(ONNX_E4M3_UZ, 18, "float8e4m3fnuz", 8, ROOF_FP8)                                                         \
  X(ONNX_E5M2, 19, "float8e5m2", 8, ROOF_FP8)                                                                \
  X(ONNX_E5M2_UZ, 20, "float8e5m2fnuz", 8, ROOF_FP8)                                                         \
  X(ONNX_UINT4, 21, "uint4", 4, ROOF_INT4)                                                                   \
  X(ONNX_INT4, 22, "int4", 4, ROOF_INT4)                                                                     \
  X(ONNX_E2M1, 23, "float4e2m1", 4, ROOF_FP4)

enum {
#define ONNX_TYPE_ENUM(symbol, id, name, bits, dtype) symbol = id,
  ONNX_TYPE_MAP(ONNX_TYPE_ENUM)
#undef ONNX_TYPE_ENUM
};

typedef struct onnx_type {
  int id;
  const char *name;
  double bytes;
  roof_dtype dtype;
} onnx_type;

/** A tensor of the graph. */
typedef struct onnx_value {
  struct onnx_value *next; /**< of all values, for release */
  int type;                /**< TensorProto.DataType, 0: not known */
  int rank;                /**< -1: not known */
  double dims[ONNX_RANK];
  double *known; /**< its elements where they are few and known */
  proto declared;
  bool constant;           /**< weights, or made of constants alone */
  bool external;           /**< its elements lie outside the file */
  bool counted;            /**< as a weight */
  bool output;             /**< of the graph */
  bool made;               /**< by a node */
  struct onnx_value *base; /**< whose storage it is, NULL: its own */
  size_t last_use;         /**< the node that reads it last */
  double live;             /**< bytes that it holds at the moment */
  char name[];
} onnx_value;

/** One node; its attributes stay as they lie in the file. */
typedef struct onnx_node {
  char *name, *type, *domain;
  proto body;
  onnx_value **in; /**< NULL: left out */
  int in_count;
  onnx_value **out;
  int out_count;
} onnx_node;

typedef struct onnx_graph {
  const char *file;
  const roof_workload_reading *reading;
  char batch_symbol[64];
  double batch;
  bool *used;    /**< of the dimensions given */
  json_t *index; /**< name to address */
  onnx_value *values;
  onnx_node *nodes;
  size_t node_count, node_room;
  onnx_value **inputs;
  size_t input_count;
  double externals; /**< tensors whose elements lie outside the file */
  roof_error *error;
} onnx_graph;

/** A node while its shape and work are computed. The initial values suit most operators; a shape function
 * changes the others. */
typedef struct onnx_call {
  onnx_graph *graph;
  const onnx_node *node;
  size_t number; /**< of the node, from 0 */
  bool open;     /**< its result's sizes depend on data */
  double flops;
  double inner;    /**< summed over in a product */
  double left_out; /**< share of the first input that is not read */
  char detail[48]; /**< for people, behind the sizes */
} onnx_call;

/** Which bytes an operator moves. */
typedef enum onnx_moves {
  ONNX_MOVES_ALL,    /**< every input and output once */
  ONNX_MOVES_RESULT, /**< the elements taken from the first input, all of the other inputs and of the
                          output */
  ONNX_MOVES_NOTHING /**< nothing: a view of its first input, or known before the graph runs */
} onnx_moves;

typedef struct onnx_op onnx_op;
struct onnx_op {
  const char *type;
  roof_status (*shape)(onnx_call *c); /**< sizes of the outputs, and c->flops where it is no multiple */
  double flops;                       /**< an element of the output, added to c->flops */
  roof_unit unit;
  onnx_moves moves;
  int result;                 /**< type of the outputs: a data type, -N: the input N's, 0: the first's */
  void (*fold)(onnx_call *c); /**< computes known elements from known elements, or NULL */
};

/* onnx_read.c */
/** Reads nodes and values. Call rf_onnx_done in any case, also on failure. */
roof_status rf_onnx_read(onnx_graph *g, proto model);
void rf_onnx_done(onnx_graph *g);
const onnx_type *rf_onnx_type_of(int id);
/** Gives a value the sizes that a TypeProto declares. */
roof_status rf_onnx_declare(onnx_graph *g, onnx_value *v, proto type, bool input);
/** Reads sizes, type and, where they are few, elements of a TensorProto. */
roof_status rf_onnx_tensor(onnx_graph *g, onnx_value *v, proto tensor);

/* onnx_attributes.c */
bool rf_onnx_attribute(const onnx_node *n, const char *name, proto *attribute);
double rf_onnx_int(const onnx_node *n, const char *name, double fallback);
/** Fills at most `room` numbers; how many there are, 0 without the attribute. */
int rf_onnx_ints(const onnx_node *n, const char *name, double *values, int room);
double rf_onnx_float(const onnx_node *n, const char *name, double fallback);
/** Copies a text attribute, "" without. */
void rf_onnx_text(const onnx_node *n, const char *name, char *text, size_t size);

/* onnx_shape.c */
double rf_onnx_elements(const onnx_value *v);
/** True if every dimension is a whole number within range. */
bool rf_onnx_is_sound(const onnx_value *v);
/** Bytes of a value, in the format asked for where it holds floating-point numbers. */
double rf_onnx_bytes(const onnx_graph *g, const onnx_value *v);
/** Does nothing for NULL: an output that the node leaves out. */
void rf_onnx_set(onnx_value *v, int rank, const double *dims);
/** The input number `i`, NULL where it is left out. */
onnx_value *rf_onnx_in(const onnx_call *c, int i);
onnx_value *rf_onnx_out(const onnx_call *c, int i);
/** The first output that is not left out, NULL without any. */
onnx_value *rf_onnx_first_output(const onnx_call *c);
/** ROOF_E_ARGUMENT that names the file, the node and its operator. */
roof_status rf_onnx_fail(onnx_call *c, roof_status code, const char *format, ...) ROOF_PRINTF(3, 4);
/** An axis from 0; fails where it is none. */
roof_status rf_onnx_axis(onnx_call *c, double axis, int rank, int *found);
/** Numbers of attribute `name`, or known ones of input `i`; *count -1: neither. Not known: c->open. */
roof_status rf_onnx_list(onnx_call *c, const char *name, int i, double *values, int room, int *count);
roof_status rf_onnx_same(onnx_call *c);
roof_status rf_onnx_broadcast(onnx_call *c);

/* onnx_window.c: convolutions, pools; products */
roof_status rf_onnx_conv(onnx_call *c);
roof_status rf_onnx_quantised_conv(onnx_call *c);
roof_status rf_onnx_conv_transpose(onnx_call *c);
roof_status rf_onnx_pool(onnx_call *c);
roof_status rf_onnx_global_pool(onnx_call *c);
roof_status rf_onnx_matmul(onnx_call *c);
roof_status rf_onnx_quantised_matmul(onnx_call *c);
roof_status rf_onnx_gemm(onnx_call *c);
roof_status rf_onnx_packed_matmul(onnx_call *c);
roof_status rf_onnx_recurrent(onnx_call *c);
roof_status rf_onnx_local_norm(onnx_call *c);
roof_status rf_onnx_dynamic_quantise(onnx_call *c);
roof_status rf_onnx_cast(onnx_call *c);

/* onnx_move.c: operators that move or choose elements */
roof_status rf_onnx_reshape(onnx_call *c);
roof_status rf_onnx_flatten(onnx_call *c);
roof_status rf_onnx_squeeze(onnx_call *c);
roof_status rf_onnx_unsqueeze(onnx_call *c);
roof_status rf_onnx_transpose(onnx_call *c);
roof_status rf_onnx_concat(onnx_call *c);
roof_status rf_onnx_split(onnx_call *c);
roof_status rf_onnx_slice(onnx_call *c);
roof_status rf_onnx_gather(onnx_call *c);
roof_status rf_onnx_gather_elements(onnx_call *c);
roof_status rf_onnx_gather_nd(onnx_call *c);
roof_status rf_onnx_expand(onnx_call *c);
roof_status rf_onnx_tile(onnx_call *c);
roof_status rf_onnx_pad(onnx_call *c);
roof_status rf_onnx_resize(onnx_call *c);
roof_status rf_onnx_constant(onnx_call *c);
roof_status rf_onnx_filled(onnx_call *c);
roof_status rf_onnx_range(onnx_call *c);
roof_status rf_onnx_shape(onnx_call *c);
roof_status rf_onnx_size(onnx_call *c);
roof_status rf_onnx_depth_to_space(onnx_call *c);
roof_status rf_onnx_space_to_depth(onnx_call *c);
roof_status rf_onnx_one_hot(onnx_call *c);
roof_status rf_onnx_where(onnx_call *c);
roof_status rf_onnx_reduce(onnx_call *c);
roof_status rf_onnx_arg(onnx_call *c);
roof_status rf_onnx_top_k(onnx_call *c);
roof_status rf_onnx_data_dependent(onnx_call *c);

/* onnx_fold.c */
/** Gives a value its elements where they are few. */
roof_status rf_onnx_know(onnx_call *c, onnx_value *v, const double *values);
/** Keeps the same value of all elements, of which there are at most ONNX_KNOWN_MAX. */
roof_status rf_onnx_know_all(onnx_call *c, onnx_value *v, double value);
/** Computes the elements of the first output if all its inputs are known. */
void rf_onnx_fold_copy(onnx_call *c);
void rf_onnx_fold_map(onnx_call *c);
void rf_onnx_fold_binary(onnx_call *c);
void rf_onnx_fold_where(onnx_call *c);
void rf_onnx_fold_gather(onnx_call *c);
void rf_onnx_fold_concat(onnx_call *c);
void rf_onnx_fold_slice(onnx_call *c);
void rf_onnx_fold_expand(onnx_call *c);
void rf_onnx_fold_range(onnx_call *c);
void rf_onnx_fold_product(onnx_call *c);

/* onnx_ops.c */
/** The operator of a node, or NULL. */
const onnx_op *rf_onnx_op_find(const onnx_node *n);
/** Every operator's name, NULL-terminated. */
const char *const *rf_onnx_op_names(void);

#endif
