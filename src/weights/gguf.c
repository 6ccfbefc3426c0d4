/* Reads the header of a GGUF file: metadata, then the tensors' names, shapes, types and places. */
#include "weights/gguf.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/file.h"
#include "roofline/weights.h"

enum { KEY_SIZE = 128, NAME_SIZE = 128, DIMENSIONS = 4, ARRAY = 9, STRING = 8 };

static const weights_type types[] = {
    {"F32", 0, 1, 4, ROOF_FP32, false},        {"F16", 1, 1, 2, ROOF_FP16, false},
    {"Q4_0", 2, 32, 18, ROOF_INT4, true},      {"Q4_1", 3, 32, 20, ROOF_INT4, true},
    {"Q5_0", 6, 32, 22, ROOF_INT8, true},      {"Q5_1", 7, 32, 24, ROOF_INT8, true},
    {"Q8_0", 8, 32, 34, ROOF_INT8, true},      {"Q8_1", 9, 32, 36, ROOF_INT8, true},
    {"Q2_K", 10, 256, 84, ROOF_INT4, true},    {"Q3_K", 11, 256, 110, ROOF_INT4, true},
    {"Q4_K", 12, 256, 144, ROOF_INT4, true},   {"Q5_K", 13, 256, 176, ROOF_INT8, true},
    {"Q6_K", 14, 256, 210, ROOF_INT8, true},   {"Q8_K", 15, 256, 292, ROOF_INT8, true},
    {"IQ2_XXS", 16, 256, 66, ROOF_INT4, true}, {"IQ2_XS", 17, 256, 74, ROOF_INT4, true},
    {"IQ3_XXS", 18, 256, 98, ROOF_INT4, true}, {"IQ1_S", 19, 256, 50, ROOF_INT4, true},
    {"IQ4_NL", 20, 32, 18, ROOF_INT4, true},   {"IQ3_S", 21, 256, 110, ROOF_INT4, true},
    {"IQ2_S", 22, 256, 82, ROOF_INT4, true},   {"IQ4_XS", 23, 256, 136, ROOF_INT4, true},
    {"I8", 24, 1, 1, ROOF_DTYPE_COUNT, true},  {"I16", 25, 1, 2, ROOF_DTYPE_COUNT, true},
    {"I32", 26, 1, 4, ROOF_DTYPE_COUNT, true}, {"I64", 27, 1, 8, ROOF_DTYPE_COUNT, true},
    {"F64", 28, 1, 8, ROOF_FP64, false},       {"IQ1_M", 29, 256, 56, ROOF_INT4, true},
    {"BF16", 30, 1, 2, ROOF_BF16, false},      {"TQ1_0", 34, 256, 54, ROOF_INT4, true},
    {"TQ2_0", 35, 256, 66, ROOF_INT4, true},   {"MXFP4", 39, 32, 17, ROOF_FP4, true},
    {"NVFP4", 40, 64, 36, ROOF_FP4, true}};

/** Where reading stands. A number that is not there sets `status` once; the rest reads zeros. */
typedef struct reader {
  const unsigned char *data;
  size_t length, at;
  double whole; /**< length of the file */
  int version;
  bool swapped; /**< written by a big-endian machine */
  const char *file;
  roof_error *error;
  roof_status status;
  double data_end; /**< of the tensor that lies furthest, from the start of the data */
  gguf g;
} reader;

static roof_status fail(reader *r, size_t at, const char *why) {
  if (r->status == ROOF_OK) {
    roof_error_set(r->error, ROOF_E_PARSE, "byte %zu: %s", at, why);
    r->status = roof_error_at(r->error, r->file, 0, 0);
  }
  return r->status;
}

static bool has(reader *r, uint64_t bytes) {
  if (r->status == ROOF_OK && bytes > r->length - r->at) {
    char why[96];
    snprintf(why, sizeof why, "%llu bytes are to follow, the file has %zu more", (unsigned long long)bytes,
             r->length - r->at);
    fail(r, r->at, why);
  }
  return r->status == ROOF_OK;
}

static uint64_t take(reader *r, size_t size) {
  uint64_t value = 0;
  if (has(r, size)) {
    for (size_t i = 0; i < size; i++) {
      size_t place = r->swapped ? size - 1 - i : i;
      value |= (uint64_t)r->data[r->at + i] << (8 * place);
    }
    r->at += size;
  }
  return value;
}

/** A count or length: four bytes in version 1, eight since. */
static uint64_t take_count(reader *r) {
  return take(r, r->version == 1 ? 4 : 8);
}

/** A text, cut to `size`; NULL skips it. */
static void take_text(reader *r, char *text, size_t size) {
  uint64_t length = take_count(r);
  if (!has(r, length)) {
    length = 0;
  }
  if (text != NULL) {
    snprintf(text, size, "%.*s", (int)(length < size ? length : size - 1), (const char *)r->data + r->at);
  }
  r->at += (size_t)length;
}

/** Bytes of a value of the metadata; 0: a text, an array or no type. */
static size_t value_size(uint64_t type) {
  static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return type < sizeof sizes / sizeof sizes[0] ? sizes[type] : 0;
}

/** A number of the metadata as a double. Signed ones are counts too: what is negative reads as huge. */
static double take_value(reader *r, uint64_t type) {
  uint64_t bits = take(r, value_size(type));
  uint32_t narrow = (uint32_t)bits;
  float single = 0;
  double value = (double)bits;
  if (type == 6) {
    memcpy(&single, &narrow, sizeof single);
    value = (double)single;
  } else if (type == 12) {
    memcpy(&value, &bits, sizeof value);
  }
  return value;
}

/** What a key's number is, GGUF_NUMBER_COUNT where it is none that is used. Keys of a model begin with its
 * architecture. */
static gguf_number number_of(const char *key) {
  const char *dot = strchr(key, '.');
  int i = 0;
  while (i < GGUF_NUMBER_COUNT && (dot == NULL || (strcmp(dot + 1, rf_gguf_key((gguf_number)i)) != 0 &&
                                                   strcmp(key, rf_gguf_key((gguf_number)i)) != 0))) {
    i++;
  }
  return (gguf_number)i;
}

/** The place of a key's number, or NULL. */
static double *place_of(gguf *g, const char *key) {
  gguf_number number = number_of(key);
  return strcmp(key, "general.alignment") == 0 ? &g->alignment
         : strcmp(key, "split.count") == 0     ? &g->shards
         : number < GGUF_NUMBER_COUNT          ? &g->numbers[number]
                                               : NULL;
}

/** The list a layer that a number has, or -1. */
static int list_of(gguf_number number) {
  return number == GGUF_HEADS      ? GGUF_EACH_HEADS
         : number == GGUF_KV_HEADS ? GGUF_EACH_KV
         : number == GGUF_WIDTH    ? GGUF_EACH_WIDTH
                                   : -1;
}

/** Element `i` of a list of numbers. */
static void take_element(gguf *g, gguf_number number, uint64_t i, double value) {
  int list = list_of(number);
  g->uneven[number] |= i > 0 && value != g->numbers[number];
  g->numbers[number] = i == 0 ? value : fmax(g->numbers[number], value);
  if (list >= 0 && i < ROOF_LAYER_MAX) {
    g->each[list][i] = value;
    g->each_count[list] = (int)i + 1;
  }
}

/** An array: its length where it is the tokenizer's, its numbers where they are used. */
static void take_array(reader *r, const char *key, size_t start) {
  gguf_number number = number_of(key);
  uint64_t type = take(r, 4), count = take_count(r);
  size_t size = value_size(type);
  if (size == 0 && type != STRING) {
    fail(r, start, type == ARRAY ? "an array of arrays" : "an array of a type that GGUF does not define");
    return;
  }
  if (count > r->length || !has(r, count * (size > 0 ? size : 1))) {
    fail(r, start, "an array longer than the file");
    return;
  }
  if (strcmp(key, "tokenizer.ggml.tokens") == 0) {
    r->g.tokens = (double)count;
  }
  if (size > 0 && number == GGUF_NUMBER_COUNT) {
    r->at += (size_t)count * size;
    return;
  }
  for (uint64_t i = 0; i < count && r->status == ROOF_OK; i++) {
    if (type == STRING) {
      take_text(r, NULL, 0);
    } else {
      take_element(&r->g, number, i, take_value(r, type));
    }
  }
}

static void take_entry(reader *r) {
  char key[KEY_SIZE];
  size_t start = r->at;
  take_text(r, key, sizeof key);
  uint64_t type = take(r, 4);
  double *place = place_of(&r->g, key);
  if (type == ARRAY) {
    take_array(r, key, start);
  } else if (type == STRING) {
    bool architecture = strcmp(key, "general.architecture") == 0;
    take_text(r, architecture ? r->g.architecture : NULL, sizeof r->g.architecture);
  } else if (value_size(type) == 0) {
    fail(r, start, "metadata of a type that GGUF does not define");
  } else {
    double value = take_value(r, type);
    *(place != NULL ? place : &value) = value;
  }
}

static const weights_type *find_type(uint64_t id) {
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if ((uint64_t)types[i].id == id) {
      return &types[i];
    }
  }
  return NULL;
}

static void note_tensor(gguf *g, const char *name) {
  static const char *const biases[] = {"attn_q.bias", "attn_qkv.bias"};
  char *end = NULL;
  long layer = strncmp(name, "blk.", 4) == 0 ? strtol(name + 4, &end, 10) : -1;
  if (layer >= 0 && layer < ROOF_LAYER_MAX && strncmp(end, ".ffn_gate_inp.", 14) == 0) {
    g->router[layer] = true;
  }
  g->output |= strcmp(name, "output.weight") == 0;
  g->qk_norm |= strstr(name, ".attn_q_norm.") != NULL;
  for (size_t i = 0; i < sizeof biases / sizeof biases[0]; i++) {
    g->qkv_bias |= strstr(name, biases[i]) != NULL;
  }
}

static void take_tensor(reader *r) {
  char name[NAME_SIZE];
  size_t start = r->at;
  double elements = 1, row = 1;
  take_text(r, name, sizeof name);
  uint64_t rank = take(r, 4);
  if (rank > DIMENSIONS) {
    fail(r, start, "a tensor of more than 4 dimensions");
    return;
  }
  for (uint64_t i = 0; i < rank; i++) {
    double size = (double)take_count(r);
    row = i == 0 ? size : row;
    elements *= size;
  }
  const weights_type *type = find_type(take(r, 4));
  double offset = (double)take(r, 8);
  if (r->status == ROOF_OK && type == NULL) {
    fail(r, start, "a tensor of unknown type");
  } else if (r->status == ROOF_OK && !(elements >= 1 && elements <= 1e15 && fmod(row, type->block) == 0)) {
    fail(r, start, "a tensor whose rows are no whole blocks of its type, or that is too large");
  } else if (r->status == ROOF_OK) {
    double bytes = elements / type->block * type->bytes;
    rf_weights_add(&r->g.stored, type, rf_weights_kind_of(name, (int)rank), elements, bytes);
    r->data_end = fmax(r->data_end, offset + bytes);
    note_tensor(&r->g, name);
  }
}

static void take_counts(reader *r, uint64_t *tensors, uint64_t *entries) {
  if (r->length < 8 || memcmp(r->data, "GGUF", 4) != 0) {
    fail(r, 0, "not a GGUF file");
    return;
  }
  r->at = 4;
  r->swapped = r->data[4] == 0 && r->data[7] != 0;
  r->version = (int)take(r, 4);
  if (r->version < 1 || r->version > 3) {
    fail(r, 4, "a version of GGUF other than 1, 2 and 3");
  }
  *tensors = take_count(r);
  *entries = take_count(r);
  if (*tensors > r->length || *entries > r->length) {
    fail(r, 8, "counts of tensors and metadata larger than the file");
  }
}

/** The data lie behind the header, from the next multiple of the alignment. */
static void check_data(reader *r) {
  double alignment = r->g.alignment;
  if (r->status == ROOF_OK && !(alignment >= 1 && alignment <= 1 << 20)) {
    fail(r, r->at, "general.alignment: not from 1 to 1048576");
    return;
  }
  double end = ceil((double)r->at / alignment) * alignment + r->data_end;
  if (r->status == ROOF_OK && r->g.tensors > 0 && end > r->whole) {
    char why[96];
    snprintf(why, sizeof why, "truncated: tensor data should extend to byte %.0f", end);
    fail(r, r->length, why);
  }
}

roof_status roof_model_read_gguf(const void *data, size_t length, const char *file, roof_model *model,
                                 roof_error *error) {
  return rf_gguf_read(data, length, (double)length, file, model, error);
}

roof_status rf_gguf_read(const void *data, size_t length, double whole, const char *file, roof_model *model,
                         roof_error *error) {
  uint64_t tensors = 0, entries = 0;
  roof_model read;
  reader r = {
      .data = data, .length = length, .whole = whole, .file = file, .error = error, .g = {.alignment = 32}};
  for (int i = 0; i < GGUF_NUMBER_COUNT; i++) {
    r.g.numbers[i] = NAN;
  }
  take_counts(&r, &tensors, &entries);
  for (uint64_t i = 0; i < entries && r.status == ROOF_OK; i++) {
    take_entry(&r);
  }
  for (uint64_t i = 0; i < tensors && r.status == ROOF_OK; i++) {
    take_tensor(&r);
  }
  r.g.tensors = (double)tensors;
  check_data(&r);
  roof_status status = r.status == ROOF_OK ? rf_gguf_describe(&r.g, file, &read, error) : r.status;
  if (status == ROOF_OK) {
    rf_file_base_name(file, read.name, sizeof read.name);
    *model = read;
  }
  return status;
}
