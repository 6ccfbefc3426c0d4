/* Operators that move, select, reduce or create elements. */
#include <stdio.h>
#include <string.h>

#include "graphs/onnx.h"

static roof_status no_input(onnx_call *c) {
  rf_onnx_fail(c, ROOF_E_ARGUMENT, "a required input is missing");
  return ROOF_E_ARGUMENT;
}

static roof_status too_deep(onnx_call *c) {
  return rf_onnx_fail(c, ROOF_E_ARGUMENT, "more than %d dimensions", ONNX_RANK);
}

static roof_status set_output(onnx_call *c, int rank, const double *dims) {
  rf_onnx_set(rf_onnx_out(c, 0), rank, dims);
  return ROOF_OK;
}

roof_status rf_onnx_reshape(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0);
  double dims[ONNX_RANK], product = 1;
  int count = 0, open = -1;
  roof_status status = x == NULL ? no_input(c) : rf_onnx_list(c, "shape", 1, dims, ONNX_RANK, &count);
  if (status != ROOF_OK || c->open) {
    return status;
  }
  bool zero_stays = rf_onnx_int(c->node, "allowzero", 0) == 1;
  for (int i = 0; i < count; i++) {
    if (dims[i] == 0 && !zero_stays) {
      dims[i] = i < x->rank ? x->dims[i] : 0;
    }
    open = dims[i] == -1 ? i : open;
    product *= dims[i] == -1 ? 1 : dims[i];
  }
  double elements = rf_onnx_elements(x);
  if (open >= 0 && product > 0) {
    dims[open] = elements / product;
    product = floor(dims[open]) * product;
  }
  if (count < 0 || product != elements) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT,
                        "%.0f elements cannot be reshaped to %.0f (a fixed batch size in the graph?)",
                        elements, product);
  }
  return set_output(c, count, dims);
}

roof_status rf_onnx_flatten(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0);
  double dims[2] = {1, 1}, axis = rf_onnx_int(c->node, "axis", 1);
  if (x == NULL) {
    return no_input(c);
  }
  axis += axis < 0 ? x->rank : 0;
  for (int i = 0; i < x->rank; i++) {
    dims[i >= axis] *= x->dims[i];
  }
  return set_output(c, 2, dims);
}

/** Marks the axes that attribute or input 1 names; none named: *count -1. */
static roof_status read_axes(onnx_call *c, int rank, bool *marked, int *count) {
  double axes[ONNX_RANK];
  roof_status status = rf_onnx_list(c, "axes", 1, axes, ONNX_RANK, count);
  for (int i = 0; i < *count && status == ROOF_OK; i++) {
    int axis = 0;
    status = rf_onnx_axis(c, axes[i], rank, &axis);
    marked[axis] = true;
  }
  return status;
}

roof_status rf_onnx_squeeze(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0);
  bool marked[ONNX_RANK] = {false};
  double dims[ONNX_RANK];
  int count = 0, rank = 0;
  roof_status status = x == NULL ? no_input(c) : read_axes(c, x->rank, marked, &count);
  if (status != ROOF_OK || c->open) {
    return status;
  }
  for (int i = 0; i < x->rank; i++) {
    bool goes = count < 0 ? x->dims[i] == 1 : marked[i];
    if (!goes) {
      dims[rank++] = x->dims[i];
    } else if (x->dims[i] != 1) {
      return rf_onnx_fail(c, ROOF_E_ARGUMENT, "dimension %d has %g elements, not 1", i, x->dims[i]);
    }
  }
  return set_output(c, rank, dims);
}

roof_status rf_onnx_unsqueeze(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0);
  double axes[ONNX_RANK], dims[ONNX_RANK];
  bool marked[ONNX_RANK] = {false};
  int count = 0;
  roof_status status = x == NULL ? no_input(c) : rf_onnx_list(c, "axes", 1, axes, ONNX_RANK, &count);
  if (status != ROOF_OK || c->open) {
    return status;
  }
  int rank = x->rank + (count > 0 ? count : 0);
  if (rank > ONNX_RANK) {
    return too_deep(c);
  }
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    int axis = 0;
    status = rf_onnx_axis(c, axes[i], rank, &axis);
    marked[axis] = true;
  }
  for (int i = 0, from = 0; i < rank; i++) {
    dims[i] = marked[i] || from == x->rank ? 1 : x->dims[from++];
  }
  return status == ROOF_OK ? set_output(c, rank, dims) : status;
}

roof_status rf_onnx_transpose(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0);
  double order[ONNX_RANK], dims[ONNX_RANK];
  roof_status status = x == NULL ? no_input(c) : ROOF_OK;
  int count = rf_onnx_ints(c->node, "perm", order, ONNX_RANK);
  for (int i = 0; status == ROOF_OK && i < x->rank; i++) {
    int from = x->rank - 1 - i;
    status = i < count ? rf_onnx_axis(c, order[i], x->rank, &from) : ROOF_OK;
    dims[i] = x->dims[from];
  }
  return status == ROOF_OK ? set_output(c, x->rank, dims) : status;
}

roof_status rf_onnx_concat(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0);
  double dims[ONNX_RANK];
  int axis = 0;
  roof_status status =
      x == NULL ? no_input(c) : rf_onnx_axis(c, rf_onnx_int(c->node, "axis", 1), x->rank, &axis);
  if (status != ROOF_OK) {
    return status;
  }
  memcpy(dims, x->dims, sizeof dims);
  for (int i = 1; i < c->node->in_count; i++) {
    const onnx_value *more = rf_onnx_in(c, i);
    for (int k = 0; more != NULL && k < x->rank; k++) {
      if (more->rank != x->rank || (k != axis && more->dims[k] != dims[k])) {
        return rf_onnx_fail(c, ROOF_E_ARGUMENT, "`%.60s` does not match the others along axis %d", more->name,
                            axis);
      }
    }
    dims[axis] += more != NULL ? more->dims[axis] : 0;
  }
  return set_output(c, x->rank, dims);
}

roof_status rf_onnx_split(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0);
  double dims[ONNX_RANK], sizes[ONNX_RANK * 8], sum = 0;
  int axis = 0, count = 0, outputs = c->node->out_count;
  roof_status status =
      x == NULL ? no_input(c) : rf_onnx_axis(c, rf_onnx_int(c->node, "axis", 0), x->rank, &axis);
  status = status == ROOF_OK ? rf_onnx_list(c, "split", 1, sizes, ONNX_RANK * 8, &count) : status;
  if (status != ROOF_OK || c->open) {
    return status;
  }
  memcpy(dims, x->dims, sizeof dims);
  double whole = x->dims[axis], part = ceil(whole / outputs);
  for (int i = 0; i < outputs; i++) {
    double rest = whole - sum;
    dims[axis] = count > i ? sizes[i] : fmin(part, rest);
    sum += dims[axis];
    if (rf_onnx_out(c, i) != NULL) {
      rf_onnx_set(rf_onnx_out(c, i), x->rank, dims);
    }
  }
  return sum == whole && (count < 0 || count == outputs)
             ? ROOF_OK
             : rf_onnx_fail(c, ROOF_E_ARGUMENT, "%d parts add up to %.0f elements, not %.0f", outputs, sum,
                            whole);
}

/** The number of elements that start:end:step selects from `size`. */
static double slice_size(double start, double end, double step, double size) {
  start += start < 0 ? size : 0;
  end += end < 0 ? size : 0;
  if (step < 0) {
    return fmax(0, ceil((fmin(fmax(end, -1), size) - fmin(fmax(start, 0), size - 1)) / step));
  }
  return fmax(0, ceil((fmin(fmax(end, 0), size) - fmin(fmax(start, 0), size)) / step));
}

roof_status rf_onnx_slice(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0);
  double starts[ONNX_RANK], ends[ONNX_RANK], axes[ONNX_RANK], steps[ONNX_RANK], dims[ONNX_RANK];
  int count = 0, end_count = 0, axis_count = 0, step_count = 0;
  roof_status status = x == NULL ? no_input(c) : rf_onnx_list(c, "starts", 1, starts, ONNX_RANK, &count);
  status = status == ROOF_OK ? rf_onnx_list(c, "ends", 2, ends, ONNX_RANK, &end_count) : status;
  status = status == ROOF_OK ? rf_onnx_list(c, "axes", 3, axes, ONNX_RANK, &axis_count) : status;
  status = status == ROOF_OK ? rf_onnx_list(c, NULL, 4, steps, ONNX_RANK, &step_count) : status;
  if (status != ROOF_OK || c->open) {
    return status;
  }
  if (end_count != count) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT, "Slice: %d starts but %d ends", count, end_count);
  }
  memcpy(dims, x->dims, sizeof dims);
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    int axis = 0;
    double step = i < step_count ? steps[i] : 1;
    status = rf_onnx_axis(c, i < axis_count ? axes[i] : i, x->rank, &axis);
    if (status == ROOF_OK && step == 0) {
      status = rf_onnx_fail(c, ROOF_E_ARGUMENT, "a step of 0");
    }
    dims[axis] = status == ROOF_OK ? slice_size(starts[i], ends[i], step, x->dims[axis]) : 0;
  }
  return status == ROOF_OK ? set_output(c, x->rank, dims) : status;
}

roof_status rf_onnx_gather(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0), *which = rf_onnx_in(c, 1);
  double dims[2 * ONNX_RANK];
  int axis = 0, rank = 0;
  roof_status status = x == NULL || which == NULL
                           ? no_input(c)
                           : rf_onnx_axis(c, rf_onnx_int(c->node, "axis", 0), x->rank, &axis);
  for (int i = 0; status == ROOF_OK && i < x->rank; i++) {
    if (i == axis) {
      memcpy(dims + rank, which->dims, (size_t)which->rank * sizeof *dims);
      rank += which->rank;
    } else {
      dims[rank++] = x->dims[i];
    }
  }
  return status != ROOF_OK ? status : rank > ONNX_RANK ? too_deep(c) : set_output(c, rank, dims);
}

roof_status rf_onnx_gather_elements(onnx_call *c) {
  const onnx_value *which = rf_onnx_in(c, 1);
  return which == NULL ? no_input(c) : set_output(c, which->rank, which->dims);
}

roof_status rf_onnx_gather_nd(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0), *which = rf_onnx_in(c, 1);
  double dims[2 * ONNX_RANK], batch = rf_onnx_int(c->node, "batch_dims", 0);
  if (x == NULL || which == NULL || which->rank < 1 || batch < 0) {
    return no_input(c);
  }
  int rank = which->rank - 1;
  double from = batch + which->dims[rank];
  memcpy(dims, which->dims, (size_t)rank * sizeof *dims);
  if (!(from <= x->rank)) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT, "GatherND: %g-element indices into a rank-%d tensor", from,
                        x->rank);
  }
  for (int i = (int)from; i < x->rank; i++) {
    dims[rank++] = x->dims[i];
  }
  return rank > ONNX_RANK ? too_deep(c) : set_output(c, rank, dims);
}

roof_status rf_onnx_expand(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0);
  double shape[ONNX_RANK], dims[ONNX_RANK];
  int count = 0;
  roof_status status = x == NULL ? no_input(c) : rf_onnx_list(c, NULL, 1, shape, ONNX_RANK, &count);
  if (status != ROOF_OK || c->open) {
    return status;
  }
  int rank = count > x->rank ? count : x->rank;
  for (int i = 0; i < rank; i++) {
    double have = i >= rank - x->rank ? x->dims[i - rank + x->rank] : 1;
    double want = i >= rank - count ? shape[i - rank + count] : 1;
    if (have != want && have != 1 && want != 1) {
      return rf_onnx_fail(c, ROOF_E_ARGUMENT, "cannot broadcast %g elements to %g", have, want);
    }
    dims[i] = have == 1 ? want : have;
  }
  return set_output(c, rank, dims);
}

roof_status rf_onnx_tile(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0);
  double times[ONNX_RANK], dims[ONNX_RANK];
  int count = 0;
  roof_status status = x == NULL ? no_input(c) : rf_onnx_list(c, NULL, 1, times, ONNX_RANK, &count);
  for (int i = 0; status == ROOF_OK && i < x->rank; i++) {
    dims[i] = x->dims[i] * (i < count ? times[i] : 1);
  }
  return status == ROOF_OK && !c->open ? set_output(c, x->rank, dims) : status;
}

roof_status rf_onnx_pad(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0);
  double pads[2 * ONNX_RANK], dims[ONNX_RANK];
  const char *name = rf_onnx_in(c, 1) != NULL ? NULL : "pads";
  int count = 0;
  roof_status status = x == NULL ? no_input(c) : rf_onnx_list(c, name, 1, pads, 2 * ONNX_RANK, &count);
  if (status != ROOF_OK || c->open) {
    return status;
  }
  if (count != 2 * x->rank) {
    return rf_onnx_fail(
        c, ROOF_E_ARGUMENT,
        "%d pads for %d dimensions; two per dimension are needed; two per dimension are needed", count,
        x->rank);
  }
  for (int i = 0; i < x->rank; i++) {
    dims[i] = x->dims[i] + pads[i] + pads[i + x->rank];
  }
  return set_output(c, x->rank, dims);
}

/** Resize (scales in input 2, sizes in input 3) and the older Upsample (input 1, or an attribute). */
roof_status rf_onnx_resize(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0);
  double scales[ONNX_RANK], sizes[ONNX_RANK], dims[ONNX_RANK];
  int at = c->node->in_count > 2 ? 2 : 1, count = -1, size_count = -1;
  roof_status status = x == NULL ? no_input(c) : rf_onnx_list(c, NULL, 3, sizes, ONNX_RANK, &size_count);
  if (status == ROOF_OK && size_count <= 0) {
    status = rf_onnx_list(c, "scales", at, scales, ONNX_RANK, &count);
  }
  if (status != ROOF_OK || c->open) {
    return status;
  }
  if (size_count != x->rank && count != x->rank) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT, "neither scales nor sizes for each of %d dimensions", x->rank);
  }
  for (int i = 0; i < x->rank; i++) {
    dims[i] = size_count == x->rank ? sizes[i] : floor(x->dims[i] * scales[i]);
  }
  return set_output(c, x->rank, dims);
}

roof_status rf_onnx_constant(onnx_call *c) {
  static const char *const lists[] = {"value_int", "value_float", "value_ints", "value_floats"};
  enum { VALUE_TENSOR = 5, VALUE_FLOAT = 2, VALUE_INT = 3 };
  onnx_value *out = rf_onnx_out(c, 0);
  proto attribute;
  proto_field f;
  if (rf_onnx_attribute(c->node, "value", &attribute)) {
    return rf_proto_find(attribute, VALUE_TENSOR, &f) && f.wire == 2
               ? rf_onnx_tensor(c->graph, out, f.bytes)
               : rf_onnx_fail(c, ROOF_E_PARSE, "`value` is not a tensor");
  }
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    if (rf_onnx_attribute(c->node, lists[i], &attribute)) {
      bool whole = i % 2 == 0;
      double *values = calloc(ONNX_KNOWN_MAX, sizeof *values);
      if (values == NULL) {
        return rf_onnx_fail(c, ROOF_E_MEMORY, "out of memory");
      }
      int count = rf_onnx_ints(c->node, lists[i], values, ONNX_KNOWN_MAX);
      values[0] = i == 0   ? rf_onnx_int(c->node, lists[i], 0)
                  : i == 1 ? rf_onnx_float(c->node, lists[i], 0)
                           : values[0];
      out->type = whole ? ONNX_INT64 : ONNX_FLOAT;
      rf_onnx_set(out, i < 2 ? 0 : 1, &(double){count});
      roof_status status = rf_onnx_know(c, out, values);
      free(values);
      return status;
    }
  }
  return rf_onnx_fail(c, ROOF_E_ARGUMENT, "the constant is not a tensor of numbers");
}

roof_status rf_onnx_filled(onnx_call *c) {
  double dims[ONNX_RANK];
  proto attribute;
  proto_field f;
  int count = 0;
  roof_status status = rf_onnx_list(c, NULL, 0, dims, ONNX_RANK, &count);
  if (status != ROOF_OK || c->open) {
    return status;
  }
  onnx_value *out = rf_onnx_out(c, 0);
  onnx_value of = {.rank = -1};
  out->type = ONNX_FLOAT;
  if (rf_onnx_attribute(c->node, "value", &attribute) && rf_proto_find(attribute, 5, &f) && f.wire == 2) {
    status = rf_onnx_tensor(c->graph, &of, f.bytes);
    out->type = status == ROOF_OK ? of.type : out->type;
  }
  rf_onnx_set(out, count > 0 ? count : 0, dims);
  double value = of.known != NULL && rf_onnx_elements(&of) >= 1 ? of.known[0] : 0;
  bool few = rf_onnx_is_sound(out) && rf_onnx_elements(out) <= ONNX_KNOWN_MAX;
  free(of.known);
  return status == ROOF_OK && few ? rf_onnx_know_all(c, out, value) : status;
}

roof_status rf_onnx_range(onnx_call *c) {
  double limits[3];
  int count = 0;
  for (int i = 0; i < 3; i++) {
    roof_status status = rf_onnx_list(c, NULL, i, &limits[i], 1, &count);
    if (status != ROOF_OK || c->open) {
      return status;
    }
  }
  if (count != 1 || limits[2] == 0) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT, "start, limit and a step other than 0 are needed");
  }
  return set_output(c, 1, &(double){fmax(0, ceil((limits[1] - limits[0]) / limits[2]))});
}

roof_status rf_onnx_shape(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0);
  if (x == NULL) {
    return no_input(c);
  }
  double start = rf_onnx_int(c->node, "start", 0), end = rf_onnx_int(c->node, "end", x->rank);
  start = fmin(fmax(start + (start < 0 ? x->rank : 0), 0), x->rank);
  end = fmin(fmax(end + (end < 0 ? x->rank : 0), start), x->rank);
  rf_onnx_set(rf_onnx_out(c, 0), 1, &(double){end - start});
  return rf_onnx_know(c, rf_onnx_out(c, 0), x->dims + (int)start);
}

roof_status rf_onnx_size(onnx_call *c) {
  double elements = rf_onnx_in(c, 0) != NULL ? rf_onnx_elements(rf_onnx_in(c, 0)) : 0;
  rf_onnx_set(rf_onnx_out(c, 0), 0, NULL);
  return rf_onnx_know(c, rf_onnx_out(c, 0), &elements);
}

/** Blocks of pixels become channels, or the reverse. */
static roof_status move_depth(onnx_call *c, bool to_space) {
  const onnx_value *x = rf_onnx_in(c, 0);
  double block = rf_onnx_int(c->node, "blocksize", 0);
  if (x == NULL || x->rank != 4 || !(block >= 1)) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT, "4 dimensions and a block size are needed");
  }
  double by = to_space ? block : 1 / block;
  double dims[] = {x->dims[0], x->dims[1] / (by * by), x->dims[2] * by, x->dims[3] * by};
  return set_output(c, 4, dims);
}

roof_status rf_onnx_depth_to_space(onnx_call *c) {
  return move_depth(c, true);
}

roof_status rf_onnx_space_to_depth(onnx_call *c) {
  return move_depth(c, false);
}

roof_status rf_onnx_one_hot(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0);
  double dims[ONNX_RANK], depth = 0;
  int axis = 0, count = 0;
  roof_status status = x == NULL ? no_input(c) : rf_onnx_list(c, NULL, 1, &depth, 1, &count);
  if (status == ROOF_OK && !c->open && x->rank == ONNX_RANK) {
    status = too_deep(c);
  }
  status = status == ROOF_OK ? rf_onnx_axis(c, rf_onnx_int(c->node, "axis", -1), x->rank + 1, &axis) : status;
  for (int i = 0, from = 0; status == ROOF_OK && i <= x->rank; i++) {
    dims[i] = i == axis ? depth : x->dims[from++];
  }
  return status == ROOF_OK && !c->open ? set_output(c, x->rank + 1, dims) : status;
}

roof_status rf_onnx_where(onnx_call *c) {
  return rf_onnx_in(c, 1) == NULL || rf_onnx_in(c, 2) == NULL ? no_input(c) : rf_onnx_broadcast(c);
}

roof_status rf_onnx_reduce(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0);
  bool marked[ONNX_RANK] = {false}, keep = rf_onnx_int(c->node, "keepdims", 1) != 0;
  double dims[ONNX_RANK];
  int count = 0, rank = 0;
  roof_status status = x == NULL ? no_input(c) : read_axes(c, x->rank, marked, &count);
  if (status != ROOF_OK || c->open) {
    return status;
  }
  bool all = count <= 0 && rf_onnx_int(c->node, "noop_with_empty_axes", 0) == 0;
  for (int i = 0; i < x->rank; i++) {
    bool goes = all || marked[i];
    if (!goes || keep) {
      dims[rank++] = goes ? 1 : x->dims[i];
    }
  }
  c->flops = rf_onnx_elements(x);
  return set_output(c, rank, dims);
}

roof_status rf_onnx_arg(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0);
  double dims[ONNX_RANK];
  int axis = 0, rank = 0;
  roof_status status =
      x == NULL ? no_input(c) : rf_onnx_axis(c, rf_onnx_int(c->node, "axis", 0), x->rank, &axis);
  for (int i = 0; status == ROOF_OK && i < x->rank; i++) {
    if (i != axis || rf_onnx_int(c->node, "keepdims", 1) != 0) {
      dims[rank++] = i == axis ? 1 : x->dims[i];
    }
  }
  c->flops = status == ROOF_OK ? rf_onnx_elements(x) : 0;
  return status == ROOF_OK ? set_output(c, rank, dims) : status;
}

roof_status rf_onnx_top_k(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0);
  double dims[ONNX_RANK], k = rf_onnx_int(c->node, "k", 0);
  int axis = 0, count = 0;
  roof_status status =
      x == NULL ? no_input(c) : rf_onnx_axis(c, rf_onnx_int(c->node, "axis", -1), x->rank, &axis);
  if (status == ROOF_OK && rf_onnx_in(c, 1) != NULL) {
    status = rf_onnx_list(c, NULL, 1, &k, 1, &count);
  }
  if (status != ROOF_OK || c->open) {
    return status;
  }
  memcpy(dims, x->dims, sizeof dims);
  dims[axis] = fmin(fmax(k, 0), x->dims[axis]);
  c->flops = rf_onnx_elements(x);
  for (int i = 0; i < c->node->out_count; i++) {
    if (rf_onnx_out(c, i) != NULL) {
      rf_onnx_set(rf_onnx_out(c, i), x->rank, dims);
      rf_onnx_out(c, i)->type = i > 0 ? ONNX_INT64 : 0;
    }
  }
  return ROOF_OK;
}

roof_status rf_onnx_data_dependent(onnx_call *c) {
  c->open = true;
  return ROOF_OK;
}
