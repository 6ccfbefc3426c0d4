/* Arguments of an operator's call as a trace records them. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "import/_torch_row.h"
#include "roofline/ops.h"

/** A type's name in a trace (caffe2::TypeMeta). */
static const struct {
  const char *name;
  double bytes;
  int dtype; /* -1: it does no FLOPs */
} types[] = {{"float", 4, ROOF_FP32},
             {"double", 8, ROOF_FP64},
             {"c10::Half", 2, ROOF_FP16},
             {"c10::BFloat16", 2, ROOF_BF16},
             {"c10::Float8_e4m3fn", 1, ROOF_FP8},
             {"c10::Float8_e5m2", 1, ROOF_FP8},
             {"c10::Float8_e4m3fnuz", 1, ROOF_FP8},
             {"c10::Float8_e5m2fnuz", 1, ROOF_FP8},
             {"signed char", 1, ROOF_INT8},
             {"unsigned char", 1, -1},
             {"bool", 1, -1},
             {"short", 2, -1},
             {"int", 4, -1},
             {"long", 8, -1},
             {"long int", 8, -1},
             {"c10::complex<float>", 8, -1},
             {"c10::complex<double>", 16, -1}};

enum { TYPES = sizeof types / sizeof types[0] };

double rf_torch_bytes(const torch_tensor *t) {
  return t->type >= 0 ? t->elements * types[t->type].bytes : 0;
}

static int type_of(rf_span name) {
  for (int i = 0; i < TYPES; i++) {
    if (rf_scan_is(name, types[i].name)) {
      return i;
    }
  }
  return -1;
}

/** Sizes of a list of numbers. False for anything else: a list of tensors has lists in it. */
static bool read_sizes(rf_span list, torch_tensor *t) {
  const char *at = list.at + 1;
  rf_span key, value;
  t->elements = 1;
  while (rf_scan_next(&at, &key, &value)) {
    int64_t size = rf_chrome_whole(value, -1);
    if (t->rank == TORCH_RANK || size < 0) {
      return false;
    }
    t->size[t->rank++] = (double)size;
    t->elements *= (double)size;
  }
  return true;
}

/** A list of tensors: their elements together. */
static bool read_list(rf_span list, torch_tensor *t) {
  const char *at = list.at + 1;
  rf_span key, value;
  *t = (torch_tensor){.type = -1};
  while (rf_scan_next(&at, &key, &value)) {
    torch_tensor one = {.type = -1};
    if (*value.at != '[' || !read_sizes(value, &one)) {
      return false;
    }
    t->list = true;
    t->elements += one.elements;
  }
  return t->list;
}

void rf_torch_arguments_read(const torch_call *call, torch_arguments *a) {
  rf_span key, value;
  const char *shape = call->shapes.at + 1, *type = call->types.at != NULL ? call->types.at + 1 : "";
  *a = (torch_arguments){.count = 0};
  while (a->count < TORCH_ARGUMENTS && rf_scan_next(&shape, &key, &value)) {
    torch_tensor *t = &a->list[a->count++];
    rf_span sizes = value;
    bool plain = *sizes.at == '[' && read_sizes(sizes, t), typed = rf_scan_next(&type, &key, &value);
    t->type = typed && plain ? type_of(value) : -1;
    if (typed && rf_scan_is(value, "TensorList") && (*sizes.at != '[' || !read_list(sizes, t))) {
      *t = (torch_tensor){.type = -1};
    }
  }
  const char *at = call->values.at != NULL ? call->values.at + 1 : "";
  while (a->value_count < TORCH_ARGUMENTS && rf_scan_next(&at, &key, &a->values[a->value_count])) {
    a->value_count++;
  }
}

const torch_tensor *rf_torch_argument(const torch_arguments *a, int at) {
  static const torch_tensor none = {.type = -1};
  return at >= 0 && at < a->count ? &a->list[at] : &none;
}

double rf_torch_width(const torch_tensor *t) {
  return t->type >= 0 ? types[t->type].bytes : 0;
}

int rf_torch_dtype(const torch_tensor *t) {
  return t->type >= 0 ? types[t->type].dtype : -1;
}

int rf_torch_numbers(const torch_arguments *a, int at, double list[TORCH_RANK]) {
  if (at < 0 || at >= a->value_count) {
    return 0;
  }
  int count = 0;
  const char *p = a->values[at].at, *end = p + a->values[at].size;
  while (p < end && count < TORCH_RANK) {
    double value = 0;
    bool digits = false;
    for (; p < end && isdigit((unsigned char)*p); p++) {
      value = value * 10 + (*p - '0');
      digits = true;
    }
    if (digits) {
      list[count++] = value;
    }
    p += p < end && !digits;
  }
  return count;
}

int rf_torch_truth(const torch_arguments *a, int at) {
  if (at < 0 || at >= a->value_count) {
    return -1;
  }
  return rf_scan_is(a->values[at], "True") ? 1 : rf_scan_is(a->values[at], "False") ? 0 : -1;
}

bool rf_torch_ask(const char *name, const roof_types *formats, int count, const double *given,
                  roof_work *work) {
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  if (roof_op_find(name, &op, NULL) != ROOF_OK) {
    return false;
  }
  roof_op_defaults(op, values);
  memcpy(values, given, (size_t)count * sizeof *given);
  if (roof_op_complete(op, values, NULL) != ROOF_OK) {
    return false;
  }
  roof_work_init(work);
  op->work(op, values, formats, work);
  return true;
}

double rf_torch_type_in(rf_span kernel, roof_dtype *dtype) {
  static const struct {
    const char *text;
    double bytes;
    roof_dtype dtype;
  } names[] = {{"<float", 4, ROOF_FP32},         {"<double", 8, ROOF_FP64},
               {"<c10::Half", 2, ROOF_FP16},     {"<c10::BFloat16", 2, ROOF_BF16},
               {"OpaqueType<1u>", 1, ROOF_FP32}, {"OpaqueType<2u>", 2, ROOF_FP32},
               {"OpaqueType<4u>", 4, ROOF_FP32}, {"OpaqueType<8u>", 8, ROOF_FP32}};
  const char *first = NULL;
  double bytes = 0;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *at = memmem(kernel.at, kernel.size, names[i].text, strlen(names[i].text));
    if (at != NULL && (first == NULL || at < first)) {
      first = at;
      bytes = names[i].bytes;
      *dtype = names[i].dtype;
    }
  }
  return bytes;
}
