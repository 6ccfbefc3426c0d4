/* A list of operations as text: `OP key=value ...` a line. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/file.h"
#include "roofline/graphs.h"
#include "roofline/ops.h"
#include "roofline/units.h"

enum { LINE_MAX_LENGTH = 1024, SHAPE_LENGTH = 256, OPTIONS = 8 };

/** One line while it is read. */
typedef struct line {
  const char *file;
  int number;
  const char *start;
  roof_error *error;
  const roof_op *op;
  double values[ROOF_PARAM_MAX];
  bool given[ROOF_PARAM_MAX];
  roof_types types;
  double count;
  char name[96];
} line;

ROOF_PRINTF(4, 5)
static roof_status fail(const line *l, const char *at, roof_status code, const char *format, ...) {
  char message[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  roof_error_set(l->error, code, "%s", message);
  return roof_error_at(l->error, l->file, l->number, (int)(at - l->start) + 1);
}

/* What may stand beside the parameters. */

static roof_status take_dtype(line *l, const char *value, roof_error *error) {
  roof_dtype dtype = ROOF_FP16;
  roof_status status = roof_dtype_parse(value, &dtype, error);
  if (status == ROOF_OK) {
    l->types = roof_types_of(dtype);
  }
  return status;
}

static roof_status take_weights(line *l, const char *value, roof_error *error) {
  return roof_dtype_parse(value, &l->types.weights, error);
}

static roof_status take_accumulate(line *l, const char *value, roof_error *error) {
  return roof_dtype_parse(value, &l->types.accumulate, error);
}

static roof_status take_output(line *l, const char *value, roof_error *error) {
  return roof_dtype_parse(value, &l->types.output, error);
}

static roof_status take_kv(line *l, const char *value, roof_error *error) {
  return roof_dtype_parse(value, &l->types.kv, error);
}

static roof_status take_number(const char *name, const char *value, double least, double *number,
                               roof_error *error) {
  double parsed = 0;
  roof_status status = roof_quantity_parse(value, &parsed, error);
  if (status == ROOF_OK && !(parsed >= least && parsed <= 1e15)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s=%s: must be from %g to 1e15", name, value, least);
  }
  *number = status == ROOF_OK ? parsed : *number;
  return status;
}

static roof_status take_group(line *l, const char *value, roof_error *error) {
  return take_number("group", value, 1, &l->types.group, error);
}

static roof_status take_count(line *l, const char *value, roof_error *error) {
  roof_status status = take_number("count", value, 1, &l->count, error);
  return status == ROOF_OK && l->count != floor(l->count)
             ? roof_error_set(error, ROOF_E_ARGUMENT, "count=%s: not a whole number", value)
             : status;
}

static roof_status take_name(line *l, const char *value, roof_error *error) {
  snprintf(l->name, sizeof l->name, "%s", value);
  return value[0] != '\0' ? ROOF_OK : roof_error_set(error, ROOF_E_PARSE, "name=: a name is missing");
}

/** `dtype` comes first: it sets the others. */
static const struct {
  const char *name;
  roof_status (*take)(line *l, const char *value, roof_error *error);
} options[OPTIONS] = {{"dtype", take_dtype},           {"weights", take_weights}, {"group", take_group},
                      {"accumulate", take_accumulate}, {"output", take_output},   {"kv", take_kv},
                      {"count", take_count},           {"name", take_name}};

static roof_status fail_key(line *l, const char *at, const char *key) {
  const char *names[ROOF_PARAM_MAX + OPTIONS + 1] = {NULL};
  int count = roof_op_param_count(l->op);
  for (int i = 0; i < count + OPTIONS; i++) {
    names[i] = i < count ? l->op->params[i].name : options[i - count].name;
  }
  const char *near = roof_suggest(key, names);
  return fail(l, at, ROOF_E_NAME, "%s has no parameter `%.60s`%s%s%s", l->op->name, key,
              near != NULL ? "; did you mean `" : "", near != NULL ? near : "", near != NULL ? "`?" : "");
}

/** Takes `key=value` at `word`; in the first pass dtype alone, then all others. */
static roof_status take_word(line *l, char *word, bool first) {
  char *equals = strchr(word, '=');
  roof_error why = {0};
  if (equals == NULL || equals == word) {
    return fail(l, word, ROOF_E_PARSE, "`%.60s`: not key=value", word);
  }
  *equals = '\0';
  int param = roof_op_param_index(l->op, word), option = 0;
  while (option < OPTIONS && strcmp(options[option].name, word) != 0) {
    option++;
  }
  roof_status status = ROOF_OK;
  if (param < 0 && option == OPTIONS) {
    status = fail_key(l, word, word);
  } else if (param < 0 && (option == 0) == first) {
    status = options[option].take(l, equals + 1, &why);
  } else if (param >= 0 && !first && l->given[param]) {
    status = roof_error_set(&why, ROOF_E_ARGUMENT, "`%s`: given twice", word);
  } else if (param >= 0 && !first) {
    l->given[param] = true;
    status = roof_op_value_parse(l->op, param, equals + 1, &l->values[param], &why);
  }
  if (status != ROOF_OK && why.message[0] != '\0') {
    fail(l, equals + 1, status, "%s", why.message);
  }
  *equals = '=';
  return status;
}

/** Calls take_word for each word behind the first. */
static roof_status take_words(line *l, char *rest, bool first) {
  roof_status status = ROOF_OK;
  while (status == ROOF_OK) {
    rest += strspn(rest, " \t\r");
    size_t length = strcspn(rest, " \t\r");
    if (length == 0) {
      break;
    }
    char end = rest[length];
    rest[length] = '\0';
    status = take_word(l, rest, first);
    rest[length] = end;
    rest += length;
  }
  return status;
}

static void write_shape(const line *l, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < roof_op_param_count(l->op) && used < size; i++) {
    const char *choice = roof_op_value_name(l->op, i, l->values[i]);
    if (l->given[i]) {
      used += choice != NULL ? (size_t)snprintf(text + used, size - used, "%s%s=%s", used > 0 ? " " : "",
                                                l->op->params[i].name, choice)
                             : (size_t)snprintf(text + used, size - used, "%s%s=%.15g", used > 0 ? " " : "",
                                                l->op->params[i].name, l->values[i]);
    }
  }
}

static roof_status add_line(line *l, char *word, roof_workload *w) {
  char shape[SHAPE_LENGTH];
  roof_error why = {0};
  roof_status status = roof_op_complete(l->op, l->values, &why);
  if (status != ROOF_OK) {
    return fail(l, word, status, "%s", why.message);
  }
  roof_workload_item item = {.name = l->name,
                             .op = l->op->name,
                             .shape = shape,
                             .count = l->count,
                             .types = l->types,
                             .weight_bytes = NAN};
  write_shape(l, shape, sizeof shape);
  roof_work_init(&item.work);
  item.work.unit = l->op->unit;
  l->op->work(l->op, l->values, &item.types, &item.work);
  return roof_workload_add(w, &item, l->error);
}

/** One line, comment and end cut off. */
static roof_status take_line(line *l, char *text, const roof_workload_reading *reading, roof_workload *w) {
  char *word = text + strspn(text, " \t\r");
  size_t length = strcspn(word, " \t\r");
  roof_error why = {0};
  if (length == 0) {
    return ROOF_OK;
  }
  char end = word[length];
  word[length] = '\0';
  roof_status status = roof_op_find(word, &l->op, &why);
  word[length] = end;
  if (status != ROOF_OK) {
    return fail(l, word, status, "%s%s", why.message,
                length == 2 && strncmp(word, "op", 2) == 0
                    ? "; a file of your own operations is given by `--ops FILE`"
                    : "");
  }
  roof_op_defaults(l->op, l->values);
  memset(l->given, 0, sizeof l->given);
  l->types = reading->types;
  l->count = 1;
  l->name[0] = '\0';
  status = take_words(l, word + length, true);
  status = status == ROOF_OK ? take_words(l, word + length, false) : status;
  return status == ROOF_OK ? add_line(l, word, w) : status;
}

static roof_status take_lines(line *l, const char *text, size_t length, const roof_workload_reading *reading,
                              roof_workload *w) {
  char buffer[LINE_MAX_LENGTH];
  roof_status status = ROOF_OK;
  for (const char *at = text; at < text + length && status == ROOF_OK;) {
    const char *end = memchr(at, '\n', (size_t)(text + length - at));
    size_t size = (size_t)((end != NULL ? end : text + length) - at);
    l->number++;
    l->start = buffer;
    if (size >= sizeof buffer) {
      return fail(l, buffer, ROOF_E_PARSE, "a line of %zu characters, more than %d", size,
                  LINE_MAX_LENGTH - 1);
    }
    memcpy(buffer, at, size);
    buffer[size] = '\0';
    buffer[strcspn(buffer, "#")] = '\0';
    status = take_line(l, buffer, reading, w);
    at += size + (end != NULL);
  }
  return status;
}

roof_status roof_workload_read_list(const char *text, size_t length, const char *file,
                                    const roof_workload_reading *reading, roof_workload *workload,
                                    roof_error *error) {
  line l = {.file = file, .error = error};
  roof_workload w = {
      .format = "operations", .batch = NAN, .parameters = NAN, .weight_bytes = NAN, .activation_bytes = NAN};
  rf_file_base_name(file, w.name, sizeof w.name);
  roof_status status = take_lines(&l, text, length, reading, &w);
  if (status == ROOF_OK && reading->dimension_count > 0) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "%.60s=: a list of operations has its sizes in its lines",
                            reading->dimensions[0].name);
    roof_error_at(error, file, 0, 0);
  } else if (status == ROOF_OK && w.count == 0) {
    status = roof_error_set(error, ROOF_E_PARSE, "no operation: a line is `OP key=value ...`");
    roof_error_at(error, file, 0, 0);
  }
  if (status != ROOF_OK) {
    roof_workload_done(&w);
    return status;
  }
  *workload = w;
  return ROOF_OK;
}
