/** What one row of the table of operators is made of: arguments as a trace records them, and formulas. */
#ifndef IMPORT_TORCH_ROW_H
#define IMPORT_TORCH_ROW_H

#include "import/_torch.h"

enum { TORCH_ARGUMENTS = 32, TORCH_RANK = 8 };

/** One argument. A scalar is a tensor of no dimension; `type` -1: no tensor, or of a type not known. */
typedef struct torch_tensor {
  int rank, type;
  double size[TORCH_RANK], elements;
  bool list; /**< of tensors, together; their types are not recorded */
} torch_tensor;

typedef struct torch_arguments {
  torch_tensor list[TORCH_ARGUMENTS];
  int count;
  rf_span values[TORCH_ARGUMENTS];
  int value_count;
} torch_arguments;

typedef struct torch_row torch_row;

/** False: the arguments are not those of the formula. */
typedef bool torch_row_work(const torch_row *r, const torch_arguments *a, torch_work *w);

/** X(function): _torch_products.c, then _torch_maps.c. */
#define TORCH_WORK_MAP(X)                                                                                    \
  X(product)                                                                                                 \
  X(product_transposed)                                                                                      \
  X(convolution)                                                                                             \
  X(convolution_backward)                                                                                    \
  X(attention)                                                                                               \
  X(attention_backward)                                                                                      \
  X(map)                                                                                                     \
  X(test)                                                                                                    \
  X(fill)                                                                                                    \
  X(move)                                                                                                    \
  X(embed)                                                                                                   \
  X(embed_backward)                                                                                          \
  X(embed_bags)                                                                                              \
  X(pick)                                                                                                    \
  X(select)                                                                                                  \
  X(scatter)                                                                                                 \
  X(pool)                                                                                                    \
  X(pool_whole)                                                                                              \
  X(pool_backward)                                                                                           \
  X(convert)                                                                                                 \
  X(lists)

#define TORCH_WORK(function) torch_row_work rf_torch_##function;
TORCH_WORK_MAP(TORCH_WORK)
#undef TORCH_WORK

/** `at`: what the function reads: positions of arguments, -1: none; or counts, as the table says. */
struct torch_row {
  const char *name; /**< without the trailing `_` of the variant in place */
  const char *op;   /**< an operation of ours, or what it is called */
  double flops;     /**< per element; 0: our operation's own; NaN: not counted */
  torch_row_work *work;
  int tensors; /**< at most so many of its arguments are tensors */
  signed char at[6];
  bool wraps, values;
};

/** _torch_arguments.c */
void rf_torch_arguments_read(const torch_call *call, torch_arguments *a);
/** The argument at that position; one of no type where there is none. */
const torch_tensor *rf_torch_argument(const torch_arguments *a, int at);
/** Bytes of all elements, 0: of no tensor. */
double rf_torch_bytes(const torch_tensor *t);
/** Bytes of one element, 0: of no tensor. */
double rf_torch_width(const torch_tensor *t);
/** The format of its arithmetic, -1: it does no FLOPs. */
int rf_torch_dtype(const torch_tensor *t);
/** A value that is a list of whole numbers, "[1, 1]", or one number for all; how many it has, 0: none. */
int rf_torch_numbers(const torch_arguments *a, int at, double list[TORCH_RANK]);
/** A value's truth: 1, 0, or -1 when it is not recorded. */
int rf_torch_truth(const torch_arguments *a, int at);
/** Our operation's work with its first parameters as given. */
bool rf_torch_ask(const char *name, const roof_types *formats, int count, const double *given,
                  roof_work *work);

#endif
