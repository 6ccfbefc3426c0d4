/* The work of operators that touch each element a fixed number of times, or move it: elementwise, norms, pooling,
 * tables, lists of tensors. */
#include <math.h>
#include <string.h>

#include "import/_torch_row.h"
#include "roofline/ops.h"

/** FLOPs per element: the row's own, else our operation's. NaN: not counted. */
static double per_element(const torch_row *r) {
  const roof_op *op = NULL;
  return r->flops != 0 ? r->flops : roof_op_find(r->op, &op, NULL) == ROOF_OK ? op->flops_per_element : 0;
}

/** Arithmetic on whole numbers is no FLOP. */
static void set_vector(torch_work *w, const torch_tensor *shape, double flops, double bytes) {
  int dtype = rf_torch_dtype(shape);
  w->flops = dtype >= 0 && dtype != ROOF_INT8 ? flops : isnan(flops) ? NAN : 0;
  w->bytes = bytes;
  w->dtype = dtype >= 0 ? (roof_dtype)dtype : ROOF_FP32;
  w->unit = ROOF_VECTOR;
}

static double bytes_of_all(const torch_arguments *a) {
  double bytes = 0;
  for (int i = 0; i < a->count; i++) {
    bytes += rf_torch_bytes(&a->list[i]);
  }
  return bytes;
}

/** The sizes of all tensors brought together, as broadcasting does. False when they do not fit. */
static bool broadcast(const torch_arguments *a, int tensors, torch_tensor *result) {
  *result = (torch_tensor){.type = -1, .elements = 1};
  double wide[TORCH_RANK];
  for (int d = 0; d < TORCH_RANK; d++) {
    wide[d] = 1;
  }
  for (int i = 0; i < a->count && i < tensors; i++) {
    const torch_tensor *t = &a->list[i];
    for (int d = 0; d < t->rank && t->type >= 0; d++) {
      double size = t->size[t->rank - 1 - d];
      if (size != 1 && wide[d] != 1 && size != wide[d]) {
        return false;
      }
      wide[d] = wide[d] == 1 ? size : wide[d];
    }
    bool widest =
        t->type >= 0 &&
        (result->type < 0 || t->rank > result->rank ||
         (t->rank == result->rank && rf_torch_dtype(t) >= 0 && rf_torch_width(t) > rf_torch_width(result)));
    result->type = widest ? t->type : result->type;
    result->rank = t->rank > result->rank ? t->rank : result->rank;
  }
  for (int d = 0; d < TORCH_RANK; d++) {
    result->elements *= wide[d];
  }
  return result->type >= 0;
}

/** at: how many arguments are operands that are brought together, 0: all; bytes of a second result per element.
 */
bool rf_torch_map(const torch_row *r, const torch_arguments *a, torch_work *w) {
  torch_tensor shape;
  if (!broadcast(a, r->at[0] > 0 ? r->at[0] : r->tensors, &shape)) {
    return false;
  }
  double written = rf_torch_bytes(&shape) + r->at[1] * shape.elements;
  set_vector(w, &shape, per_element(r) * shape.elements, bytes_of_all(a) + written);
  return true;
}

/** A comparison gives a byte. */
bool rf_torch_test(const torch_row *r, const torch_arguments *a, torch_work *w) {
  torch_tensor shape;
  if (!broadcast(a, r->tensors, &shape)) {
    return false;
  }
  set_vector(w, &shape, per_element(r) * shape.elements, bytes_of_all(a) + shape.elements);
  return true;
}

/** at: what is written as it is; what is read, each element once. */
bool rf_torch_fill(const torch_row *r, const torch_arguments *a, torch_work *w) {
  const torch_tensor *to = rf_torch_argument(a, r->at[0]), *from = rf_torch_argument(a, r->at[1]);
  const torch_tensor *shape = from->type >= 0 ? from : to;
  if (shape->type < 0) {
    return false;
  }
  set_vector(w, shape, per_element(r) * shape->elements, rf_torch_bytes(to) + rf_torch_bytes(from));
  return true;
}

/** at: times that the first argument is moved; the others are read once. */
bool rf_torch_move(const torch_row *r, const torch_arguments *a, torch_work *w) {
  const torch_tensor *x = rf_torch_argument(a, 0);
  if (x->type < 0) {
    return false;
  }
  double again = (r->at[0] - 1) * rf_torch_bytes(x);
  set_vector(w, x, per_element(r) * x->elements, bytes_of_all(a) + again);
  return true;
}

/* Tables */

/** at: table, indices. */
bool rf_torch_embed(const torch_row *r, const torch_arguments *a, torch_work *w) {
  const torch_tensor *table = rf_torch_argument(a, r->at[0]), *indices = rf_torch_argument(a, r->at[1]);
  roof_work work;
  if (table->rank != 2 || table->type < 0 || rf_torch_dtype(table) < 0) {
    return false;
  }
  roof_types formats = roof_types_of((roof_dtype)rf_torch_dtype(table));
  if (!rf_torch_ask(r->op, &formats, 2, (double[]){indices->elements, table->size[1]}, &work)) {
    return false;
  }
  set_vector(w, table, 0, work.read_bytes + work.write_bytes);
  return true;
}

/** at: gradient of the rows, indices, number of the table's rows. The gradient of the whole table is written. */
bool rf_torch_embed_backward(const torch_row *r, const torch_arguments *a, torch_work *w) {
  const torch_tensor *gradient = rf_torch_argument(a, r->at[0]), *indices = rf_torch_argument(a, r->at[1]);
  double rows[TORCH_RANK];
  if (gradient->rank < 2 || gradient->type < 0 || rf_torch_numbers(a, r->at[2], rows) != 1) {
    return false;
  }
  double table = rows[0] * gradient->size[gradient->rank - 1] * rf_torch_width(gradient);
  set_vector(w, gradient, gradient->elements, rf_torch_bytes(gradient) + rf_torch_bytes(indices) + table);
  return true;
}

/** at: table, indices, offsets: the rows of a bag are added. */
bool rf_torch_embed_bags(const torch_row *r, const torch_arguments *a, torch_work *w) {
  const torch_tensor *table = rf_torch_argument(a, r->at[0]), *indices = rf_torch_argument(a, r->at[1]);
  const torch_tensor *offsets = rf_torch_argument(a, r->at[2]);
  if (table->rank != 2 || table->type < 0 || offsets->type < 0) {
    return false;
  }
  double read = indices->elements * table->size[1], written = offsets->elements * table->size[1];
  set_vector(w, table, read,
             rf_torch_bytes(indices) + rf_torch_bytes(offsets) + (read + written) * rf_torch_width(table));
  return true;
}

static double least(double a, double b) {
  return a < b ? a : b;
}

/** at: source, indices: an element of the source for each of the indices, which no more than the source are read. */
bool rf_torch_pick(const torch_row *r, const torch_arguments *a, torch_work *w) {
  const torch_tensor *from = rf_torch_argument(a, r->at[0]), *indices = rf_torch_argument(a, r->at[1]);
  if (from->type < 0 || indices->type < 0) {
    return false;
  }
  double moved = least(indices->elements, from->elements) + indices->elements;
  set_vector(w, from, 0, rf_torch_bytes(indices) + moved * rf_torch_width(from));
  return true;
}

/** at: source, dimension, indices: rows of that dimension. */
bool rf_torch_select(const torch_row *r, const torch_arguments *a, torch_work *w) {
  const torch_tensor *from = rf_torch_argument(a, r->at[0]), *indices = rf_torch_argument(a, r->at[2]);
  double dimension[TORCH_RANK] = {0};
  bool known =
      from->rank == 1 || (rf_torch_numbers(a, r->at[1], dimension) == 1 && dimension[0] <= from->rank);
  bool from_end = known && from->rank > 1 && *a->values[r->at[1]].at == '-';
  int d = !known || from->rank == 1 ? 0 : from_end ? from->rank - (int)dimension[0] : (int)dimension[0];
  if (from->type < 0 || indices->type < 0 || !known || d < 0 || d >= from->rank || !(from->size[d] > 0)) {
    return false;
  }
  double results = from->elements / from->size[d] * indices->elements;
  set_vector(w, from, 0,
             rf_torch_bytes(indices) + (least(results, from->elements) + results) * rf_torch_width(from));
  return true;
}

/** at: target, indices, source (none: a number), 1: it is added to what is there, which is read as well. */
bool rf_torch_scatter(const torch_row *r, const torch_arguments *a, torch_work *w) {
  const torch_tensor *to = rf_torch_argument(a, r->at[0]), *indices = rf_torch_argument(a, r->at[1]);
  const torch_tensor *from = rf_torch_argument(a, r->at[2]);
  if (to->type < 0 || indices->type < 0) {
    return false;
  }
  double count = from->type >= 0 ? least(from->elements, indices->elements) : indices->elements;
  double written = least(count, to->elements) * rf_torch_width(to);
  set_vector(w, to, r->at[3] * count,
             rf_torch_bytes(indices) + count * rf_torch_width(from) + (1 + r->at[3]) * written);
  return true;
}

/* Pooling */

/** One number of a list for dimension d; a list of one holds for all. */
static double of_dimension(const double *list, int count, int d, double otherwise) {
  return count == 0 ? otherwise : list[d < count ? d : count - 1];
}

/** Results of windows over the last two dimensions, and the elements of a window; NaN: not recorded.
 *  Rounding: pooling_shape.h of PyTorch. */
static double pooled(const torch_row *r, const torch_arguments *a, const torch_tensor *x, double *taps) {
  double kernel[TORCH_RANK], stride[TORCH_RANK], padding[TORCH_RANK], apart[TORCH_RANK];
  int kernels = rf_torch_numbers(a, r->at[1], kernel), strides = rf_torch_numbers(a, r->at[2], stride);
  int paddings = rf_torch_numbers(a, r->at[3], padding), aparts = rf_torch_numbers(a, r->at[4], apart);
  bool up = rf_torch_truth(a, r->at[5]) == 1;
  double results = kernels > 0 ? x->elements : NAN;
  *taps = 1;
  for (int d = 0; d < 2; d++) {
    double size = x->size[x->rank - 2 + d], wide = of_dimension(kernel, kernels, d, NAN);
    double step = of_dimension(stride, strides, d, wide), edge = of_dimension(padding, paddings, d, 0);
    double last = size + 2 * edge - of_dimension(apart, aparts, d, 1) * (wide - 1) - 1;
    double side = (up ? ceil(last / step) : floor(last / step)) + 1;
    side -= up && (side - 1) * step >= size + edge;
    results *= side >= 1 ? side / size : NAN;
    *taps *= wide;
  }
  return results;
}

/** at: input, window, stride, padding, dilation, rounded up. The largest comes with its place, 8 bytes; a mean is
 *  divided. */
bool rf_torch_pool(const torch_row *r, const torch_arguments *a, torch_work *w) {
  const torch_tensor *x = rf_torch_argument(a, r->at[0]);
  double taps = 0;
  if (x->rank < 3 || x->type < 0 || !(x->elements > 0)) {
    return false;
  }
  double results = pooled(r, a, x, &taps);
  bool largest = strncmp(r->op, "max", 3) == 0;
  set_vector(w, x, results * (taps + !largest),
             rf_torch_bytes(x) + results * (rf_torch_width(x) + (largest ? 8 : 0)));
  return true;
}

/** at: input, sizes of the results: each element is added once, each result divided. */
bool rf_torch_pool_whole(const torch_row *r, const torch_arguments *a, torch_work *w) {
  const torch_tensor *x = rf_torch_argument(a, r->at[0]);
  double side[TORCH_RANK];
  if (x->rank < 3 || x->type < 0 || rf_torch_numbers(a, r->at[1], side) != 2 || !(x->elements > 0)) {
    return false;
  }
  double results = x->elements / (x->size[x->rank - 2] * x->size[x->rank - 1]) * side[0] * side[1];
  set_vector(w, x, x->elements + results, rf_torch_bytes(x) + results * rf_torch_width(x));
  return true;
}

/** at: gradient, what has the sizes of the input's gradient, indices, 1: FLOPs count per element of the input. */
bool rf_torch_pool_backward(const torch_row *r, const torch_arguments *a, torch_work *w) {
  const torch_tensor *gradient = rf_torch_argument(a, r->at[0]), *like = rf_torch_argument(a, r->at[1]);
  if (gradient->type < 0 || like->type < 0) {
    return false;
  }
  set_vector(w, gradient, r->flops * (r->at[3] ? like : gradient)->elements,
             rf_torch_bytes(gradient) + rf_torch_bytes(like) +
                 rf_torch_bytes(rf_torch_argument(a, r->at[2])));
  return true;
}

/** at: bytes of a result, and how many more elements than the input a row of it has (fbgemm: the scale and the
 *  bias of a row of fp8, 8 bytes). FLOPs per element of fp32. */
bool rf_torch_convert(const torch_row *r, const torch_arguments *a, torch_work *w) {
  const torch_tensor *x = rf_torch_argument(a, 0);
  bool rows = r->at[1] != 0;
  if (x->type < 0 || (rows && x->rank != 2)) {
    return false;
  }
  double results = rows ? x->size[0] * (x->size[1] + r->at[1]) : x->elements;
  w->flops = r->flops * least(results, x->elements);
  w->bytes = rf_torch_bytes(x) + results * r->at[0];
  w->dtype = ROOF_FP32;
  w->unit = ROOF_VECTOR;
  return true;
}

/* Lists of tensors */

/** at: the first argument that is read; times that the first list is written. `bytes` are elements: the kernel's name
 *  says how wide they are. */
bool rf_torch_lists(const torch_row *r, const torch_arguments *a, torch_work *w) {
  const torch_tensor *first = rf_torch_argument(a, 0);
  if (!first->list) {
    return false;
  }
  w->bytes = r->at[1] * first->elements;
  for (int i = r->at[0]; i < a->count; i++) {
    w->bytes += a->list[i].list ? a->list[i].elements : 0;
  }
  w->flops = r->flops * first->elements;
  w->unit = ROOF_VECTOR;
  w->untyped = true;
  return true;
}
