/* A list of operations as text: one `OP key=value ...` per line. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "host/file.h"
#include "roofline/graphs.h"
#include "roofline/ops.h"
#include "roofline/shape.h"
#include "roofline/units.h"

enum { LINE_MAX_LENGTH = 1024, SHAPE_LENGTH = 256, OPTIONS = 8 };

/** One line while it is read. */
typedef struct line {
  const char *file;
  int number;
  char text[LINE_MAX_LENGTH];
  roof_error *error;
  const roof_op *op;
  ptrdiff_t indent; /**< where the operation's name begins */
  roof_shape shape;
  double values[ROOF_PARAM_MAX];
  roof_types types;
  double count;
  char name[96];
} line;

ROOF_PRINTF(4, 5)
static roof_status fail(const line *l, const char *at, roof_status code, const char *format, ...) {
  char message[400];
  va_list arguments;
  va_start(arguments, format);
  rf_vformat(message, sizeof message, format, arguments);
  va_end(arguments);
  roof_error_set(l->error, code, "%s", message);
  return roof_error_at(l->error, l->file, l->number, (int)(at - l->text) + 1);
}

/* The keys allowed in addition to the parameters. */

static roof_status take_dtype(line *l, const char *value, roof_error *error) {
  roof_dtype dtype = ROOF_FP16;
  roof_status status = roof_dtype_parse_scaled(value, &dtype, error);
  if (status == ROOF_OK) {
    l->types = roof_types_of(dtype);
  }
  return status;
}

static roof_status take_weights(line *l, const char *value, roof_error *error) {
  return roof_dtype_parse_scaled(value, &l->types.weights, error);
}

static roof_status take_accumulate(line *l, const char *value, roof_error *error) {
  return roof_dtype_parse_scaled(value, &l->types.accumulate, error);
}

static roof_status take_output(line *l, const char *value, roof_error *error) {
  return roof_dtype_parse_scaled(value, &l->types.output, error);
}

static roof_status take_kv(line *l, const char *value, roof_error *error) {
  return roof_dtype_parse_scaled(value, &l->types.kv, error);
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
  return value[0] != '\0' ? ROOF_OK : roof_error_set(error, ROOF_E_PARSE, "name=: the name is empty");
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
  fail(l, at, ROOF_E_NAME, "%s has no parameter `%.60s`", l->op->name, key);
  return roof_error_suggest(l->error, key, names);
}

static int option_of(const char *key) {
  int option = 0;
  while (option < OPTIONS && strcmp(options[option].name, key) != 0) {
    option++;
  }
  return option;
}

/** Takes an option `key=value` at `word` and blanks it out; in the first pass dtype alone, then all
 * others. */
static roof_status take_word(line *l, char *word, size_t length, bool first) {
  char copy[LINE_MAX_LENGTH];
  roof_error why = {0};
  snprintf(copy, sizeof copy, "%.*s", (int)length, word);
  char *equals = strchr(copy, '=');
  if (equals == NULL) {
    return ROOF_OK;
  }
  *equals = '\0';
  int option = option_of(copy);
  if (option == OPTIONS) {
    return roof_op_param_index(l->op, copy) >= 0 ? ROOF_OK : fail_key(l, word, copy);
  }
  if ((option == 0) != first) {
    return ROOF_OK;
  }
  roof_status status = options[option].take(l, equals + 1, &why);
  if (status != ROOF_OK) {
    return fail(l, word + (equals + 1 - copy), status, "%s", why.message);
  }
  memset(word, ' ', length);
  return ROOF_OK;
}

/** Calls take_word for each word. */
static roof_status take_options(line *l, char *rest, bool first) {
  static const char blanks[] = " \t\r";
  roof_status status = ROOF_OK;
  for (rest += strspn(rest, blanks); *rest != '\0' && status == ROOF_OK; rest += strspn(rest, blanks)) {
    size_t length = strcspn(rest, blanks);
    status = take_word(l, rest, length, first);
    rest += length;
  }
  return status;
}

/** The parameters, which are all that the options left. */
static roof_status take_shape(line *l, const char *rest) {
  roof_error why = {0};
  roof_status status = roof_shape_parse_text(&l->shape, l->op, rest, &why);
  if (status != ROOF_OK) {
    return fail(l, rest + why.column - 1, status, "%s", why.message);
  }
  status = l->shape.points == 1
               ? roof_shape_point(&l->shape, 0, l->values, &why)
               : roof_error_set(&why, ROOF_E_ARGUMENT, "several sizes; a line is one operation of one size");
  roof_shape_done(&l->shape);
  return status == ROOF_OK ? ROOF_OK : fail(l, l->text + l->indent, status, "%s", why.message);
}

static void write_shape(const line *l, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < roof_op_param_count(l->op) && used < size; i++) {
    char value[64];
    if (l->shape.typed & 1u << i) {
      used +=
          (size_t)snprintf(text + used, size - used, "%s%s=%s", used > 0 ? " " : "", l->op->params[i].name,
                           roof_op_value_text(l->op, i, l->values[i], value, sizeof value));
    }
  }
}

/** Among `ops`, which ends with NULL or is NULL, then among the built-in ones. */
static roof_status find_op(const char *name, const roof_op *const *ops, const roof_op **op,
                           roof_error *error) {
  for (size_t i = 0; ops != NULL && ops[i] != NULL; i++) {
    if (strcmp(ops[i]->name, name) == 0) {
      *op = ops[i];
      return ROOF_OK;
    }
  }
  return roof_op_find(name, op, error);
}

static roof_status add_line(line *l, roof_workload *w) {
  char shape[SHAPE_LENGTH];
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

/** One line, without its comment and line end. */
static roof_status take_line(line *l, char *text, const roof_workload_reading *reading, roof_workload *w) {
  char *word = text + strspn(text, " \t\r");
  size_t length = strcspn(word, " \t\r");
  roof_error why = {0};
  if (length == 0) {
    return ROOF_OK;
  }
  char end = word[length];
  word[length] = '\0';
  roof_status status = find_op(word, reading->ops, &l->op, &why);
  word[length] = end;
  if (status != ROOF_OK) {
    return fail(l, word, status, "%s%s", why.message,
                length == 2 && strncmp(word, "op", 2) == 0
                    ? "; a file of your own operations is passed with `--ops FILE`"
                    : "");
  }
  l->types = reading->types;
  l->count = 1;
  l->name[0] = '\0';
  l->indent = word - text;
  status = take_options(l, word + length, true);
  status = status == ROOF_OK ? take_options(l, word + length, false) : status;
  status = status == ROOF_OK ? take_shape(l, word + length) : status;
  return status == ROOF_OK ? add_line(l, w) : status;
}

static roof_status take_lines(line *l, const char *text, size_t length, const roof_workload_reading *reading,
                              roof_workload *w) {
  roof_status status = ROOF_OK;
  for (const char *at = text; at < text + length && status == ROOF_OK;) {
    const char *end = memchr(at, '\n', (size_t)(text + length - at));
    size_t size = (size_t)((end != NULL ? end : text + length) - at);
    l->number++;
    if (size >= sizeof l->text) {
      return fail(l, l->text, ROOF_E_PARSE, "a line of %zu characters, more than %d", size,
                  LINE_MAX_LENGTH - 1);
    }
    memcpy(l->text, at, size);
    l->text[size] = '\0';
    l->text[strcspn(l->text, "#")] = '\0';
    status = take_line(l, l->text, reading, w);
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
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "%.60s=: unknown here; a list of operations gives its sizes in its lines",
                            reading->dimensions[0].name);
    roof_error_at(error, file, 0, 0);
  } else if (status == ROOF_OK && w.count == 0) {
    status = roof_error_set(error, ROOF_E_PARSE, "no operation; a line has the form `OP key=value ...`");
    roof_error_at(error, file, 0, 0);
  }
  if (status != ROOF_OK) {
    roof_workload_done(&w);
    return status;
  }
  *workload = w;
  return ROOF_OK;
}
