/* Operations from a user's file: lines of `key = value` in blocks that begin with `op NAME`. */
#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/formula.h"
#include "core/number.h"
#include "host/file.h"
#include "roofline/catalog.h"
#include "roofline/ops.h"
#include "roofline/units.h"

enum { FLOPS, BYTES, READ, WRITE, LEVELS, FORMULA_COUNT = LEVELS + ROOF_LEVEL_KIND_COUNT };
enum { WIDTH_COUNT = 4, OPS_MAX = 1000, MESSAGE_MAX = 400 };

static const char *const width_names[WIDTH_COUNT] = {"a", "w", "o", "kv"};

/** What an operation points to, and what evaluates it. The variables of all its formulas are `values`: the widths, then the
 * parameters. `lock` serialises the threads that predict with it. */
typedef struct user_op {
  pthread_mutex_t lock;
  double values[WIDTH_COUNT + ROOF_PARAM_MAX];
  roof_param params[ROOF_PARAM_MAX + 1];
  formula formulas[FORMULA_COUNT];
  int lines[FORMULA_COUNT];
  int columns[FORMULA_COUNT];
  roof_text bytes; /**< read + write, as one formula to show */
  int line;
} user_op;

/** Everything that the operations point into. */
typedef struct store {
  char *file;
  char *text; /**< cut into lines, names and values */
  user_op *users;
  size_t count;
} store;

typedef struct reader {
  const store *store;
  const char *start;   /**< of the line */
  const char *comment; /**< of the line, or "" */
  int line;
  roof_op *ops;
  user_op *users;
  size_t count; /**< operations begun; the last one is open */
  roof_error error;
} reader;

static roof_status fail_at(reader *r, int line, int column, roof_status code, const char *message) {
  roof_error_set(&r->error, code, "%s", message);
  return roof_error_at(&r->error, r->store->file, line, column);
}

ROOF_PRINTF(4, 5)
static roof_status fail(reader *r, const char *at, roof_status code, const char *format, ...) {
  char message[MESSAGE_MAX];
  va_list arguments;
  va_start(arguments, format);
  rf_vformat(message, sizeof message, format, arguments);
  va_end(arguments);
  return fail_at(r, r->line, (int)(at - r->start) + 1, code, message);
}

static char *skip_space(char *s) {
  while (*s == ' ' || *s == '\t') {
    s++;
  }
  return s;
}

static void trim_end(char *s) {
  size_t length = strlen(s);
  while (length > 0 && isspace((unsigned char)s[length - 1])) {
    s[--length] = '\0';
  }
}

/** Length of the name at `s`: a letter, then letters, digits and `extra`. */
static size_t name_length(const char *s, const char *extra) {
  size_t length = 0;
  while (isalnum((unsigned char)s[length]) || (s[length] != '\0' && strchr(extra, s[length]) != NULL)) {
    length++;
  }
  return isalpha((unsigned char)s[0]) && length < ROOF_NAME_MAX ? length : 0;
}

/* Work. */

static void set_variables(user_op *user, const double *values, double a, double w, double o, double kv) {
  const double widths[WIDTH_COUNT] = {a, w, o, kv};
  memcpy(user->values, widths, sizeof widths);
  memcpy(user->values + WIDTH_COUNT, values, ROOF_PARAM_MAX * sizeof *values);
}

/** The formula's value: NaN when it is not a count, 0 without a formula. */
static double count_of(const user_op *user, int which) {
  if (user->formulas[which].text == NULL) {
    return 0;
  }
  double value = rf_formula_value(&user->formulas[which]);
  return isfinite(value) && value >= 0 ? value : NAN;
}

static void user_work(const roof_op *op, const double *values, const roof_types *types, roof_work *work) {
  user_op *user = op->state;
  pthread_mutex_lock(&user->lock);
  set_variables(user, values, roof_dtype_bytes(types->compute), roof_types_weight_bytes(types, 1),
                roof_dtype_bytes(types->output), roof_dtype_bytes(types->kv));
  work->flops = count_of(user, FLOPS);
  work->read_bytes = count_of(user, BYTES) + count_of(user, READ);
  work->write_bytes = count_of(user, WRITE);
  for (int k = 0; k < ROOF_LEVEL_KIND_COUNT; k++) {
    if (user->formulas[LEVELS + k].text != NULL) {
      work->level_bytes[k] = count_of(user, LEVELS + k);
    }
  }
  pthread_mutex_unlock(&user->lock);
  work->working_set = work->read_bytes + work->write_bytes;
}

static void describe_values(const roof_op *op, const double *values, char *text, size_t size) {
  size_t length = 0;
  text[0] = '\0';
  for (int i = 0; i < roof_op_param_count(op) && length < size; i++) {
    length += (size_t)rf_format(text + length, size - length, "%s%s=%g", i > 0 ? ", " : "",
                                op->params[i].name, values[i]);
  }
}

/** Refuses shapes for which a formula does not give a count. Formats do not matter to that: all are fp16. */
static roof_status user_check(const roof_op *op, const double *values, roof_error *error) {
  user_op *user = op->state;
  roof_status status = ROOF_OK;
  double sum = 0;
  char shape[160];
  describe_values(op, values, shape, sizeof shape);
  pthread_mutex_lock(&user->lock);
  set_variables(user, values, 2, 2, 2, 2);
  for (int i = 0; i < FORMULA_COUNT && status == ROOF_OK; i++) {
    const formula *f = &user->formulas[i];
    double value = f->text != NULL ? rf_formula_value(f) : 0;
    sum += value;
    if (!isfinite(value) || value < 0) {
      status = roof_error_set(error, ROOF_E_ARGUMENT, "%s: `%.200s` gives %g, not a count, for %s", op->name,
                              f->text, isnan(value) ? NAN : value, shape);
    }
  }
  pthread_mutex_unlock(&user->lock);
  if (status == ROOF_OK && sum == 0) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "%s: neither FLOPs nor bytes for %s", op->name, shape);
  }
  return status;
}

/* The end of a block: everything of the operation is known. */

static roof_status compile_formula(reader *r, const roof_op *op, user_op *user, int which) {
  const char *names[WIDTH_COUNT + ROOF_PARAM_MAX + 1] = {NULL};
  memcpy(names, width_names, sizeof width_names);
  for (int i = 0; i < roof_op_param_count(op); i++) {
    names[WIDTH_COUNT + i] = op->params[i].name;
  }
  size_t offset = 0;
  roof_error why = {0};
  formula *f = &user->formulas[which];
  roof_status status = rf_formula_init(f, f->text, names, user->values, &offset, &why);
  return status == ROOF_OK
             ? ROOF_OK
             : fail_at(r, user->lines[which], user->columns[which] + (int)offset, status, why.message);
}

static roof_status check_block(reader *r, const user_op *user) {
  const formula *f = user->formulas;
  bool parts = f[READ].text != NULL || f[WRITE].text != NULL;
  const char *why = NULL;
  if (f[FLOPS].text == NULL) {
    why = "op: `flops = ...` is missing";
  } else if (f[BYTES].text == NULL && !parts) {
    why = "op: `bytes = ...` (or `read` and `write`) is missing";
  } else if (f[BYTES].text != NULL && parts) {
    why = "op: either `bytes` or `read` and `write`, not both";
  }
  return why == NULL ? ROOF_OK : fail_at(r, user->line, 1, ROOF_E_PARSE, why);
}

/** The formula of all bytes as one text. */
static roof_status describe_bytes(reader *r, roof_op *op, user_op *user) {
  const char *read = user->formulas[READ].text, *write = user->formulas[WRITE].text;
  if (user->formulas[BYTES].text != NULL || read == NULL || write == NULL) {
    op->bytes = user->formulas[BYTES].text != NULL ? user->formulas[BYTES].text : read != NULL ? read : write;
    return ROOF_OK;
  }
  roof_text_addf(&user->bytes, "(%s) + (%s)", read, write);
  op->bytes = user->bytes.data;
  return user->bytes.failed ? fail(r, r->start, ROOF_E_MEMORY, "op %s: out of memory", op->name) : ROOF_OK;
}

/** An operation that can be called without arguments must work without arguments. */
static roof_status check_defaults(reader *r, const roof_op *op, const user_op *user) {
  double values[ROOF_PARAM_MAX];
  roof_op_defaults(op, values);
  for (int i = 0; i < roof_op_param_count(op); i++) {
    if (isnan(values[i]) && op->params[i].same_as == NULL) {
      return ROOF_OK;
    }
  }
  roof_error why = {0};
  roof_status status = roof_op_complete(op, values, &why);
  return status == ROOF_OK ? ROOF_OK : fail_at(r, user->line, 1, status, why.message);
}

static roof_status end_block(reader *r) {
  if (r->count == 0) {
    return ROOF_OK;
  }
  roof_op *op = &r->ops[r->count - 1];
  user_op *user = &r->users[r->count - 1];
  roof_status status = check_block(r, user);
  for (int i = 0; i < FORMULA_COUNT && status == ROOF_OK; i++) {
    status = user->formulas[i].text != NULL ? compile_formula(r, op, user, i) : ROOF_OK;
  }
  if (status == ROOF_OK) {
    status = describe_bytes(r, op, user);
  }
  op->flops = user->formulas[FLOPS].text;
  op->batch = roof_op_param_index(op, "batch") >= 0 ? "batch" : NULL;
  return status == ROOF_OK ? check_defaults(r, op, user) : status;
}

/* Lines. */

static roof_status read_op(reader *r, char *value) {
  roof_status status = end_block(r);
  if (status != ROOF_OK) {
    return status;
  }
  size_t length = name_length(value, "_-");
  if (length == 0 || value[length] != '\0') {
    return fail(r, value, ROOF_E_PARSE, "op `%.80s`: a name is a letter, then letters, digits, - and _",
                value);
  }
  const roof_op *known = NULL;
  if (roof_op_find(value, &known, NULL) == ROOF_OK) {
    return fail(r, value, ROOF_E_ARGUMENT, "op %s: a built-in operation has that name", value);
  }
  for (size_t i = 0; i < r->count; i++) {
    if (strcmp(value, r->ops[i].name) == 0) {
      return fail(r, value, ROOF_E_ARGUMENT, "op %s: already in line %d", value, r->users[i].line);
    }
  }
  if (r->count == OPS_MAX) {
    return fail(r, value, ROOF_E_ARGUMENT, "op %s: more than %d operations in a file", value, OPS_MAX);
  }
  user_op *user = &r->users[r->count];
  user->line = r->line;
  if (pthread_mutex_init(&user->lock, NULL) != 0) {
    return fail(r, value, ROOF_E_MEMORY, "op %s: no lock", value);
  }
  r->ops[r->count++] = (roof_op){.name = value,
                                 .params = user->params,
                                 .family = "user",
                                 .summary = "",
                                 .source = r->store->file,
                                 .unit = ROOF_VECTOR,
                                 .flops_per_element = NAN,
                                 .work = user_work,
                                 .check = user_check,
                                 .state = user};
  return ROOF_OK;
}

static roof_status check_param_name(reader *r, const roof_op *op, const char *name) {
  if (roof_op_param_count(op) == ROOF_PARAM_MAX) {
    return fail(r, name, ROOF_E_ARGUMENT, "op %s: more than %d parameters", op->name, ROOF_PARAM_MAX);
  }
  bool taken = rf_formula_has_function(name) || roof_op_param_index(op, name) >= 0;
  for (int i = 0; i < WIDTH_COUNT; i++) {
    taken |= strcmp(name, width_names[i]) == 0;
  }
  return taken ? fail(r, name, ROOF_E_ARGUMENT, "param %s: the name is taken", name) : ROOF_OK;
}

/** A default is an earlier parameter's name or a number. Only a whole number from 1 on makes a count. */
static roof_status read_default(reader *r, const roof_op *op, roof_param *param, const char *text) {
  int earlier = roof_op_param_index(op, text);
  if (earlier >= 0) {
    param->same_as = op->params[earlier].name;
    param->kind = op->params[earlier].kind;
    return ROOF_OK;
  }
  roof_error why = {0};
  roof_status status = roof_quantity_parse(text, &param->fallback, &why);
  if (status != ROOF_OK) {
    return fail(r, text, status, "param %s: %s", param->name, why.message);
  }
  if (!(param->fallback >= 0 && param->fallback <= 0x1p53)) {
    return fail(r, text, ROOF_E_ARGUMENT, "param %s: must be from 0 to 2^53", param->name);
  }
  bool count = param->fallback >= 1 && param->fallback == floor(param->fallback);
  param->kind = count ? ROOF_PARAM_COUNT : ROOF_PARAM_AMOUNT;
  return ROOF_OK;
}

static roof_status read_param(reader *r, char *value) {
  roof_op *op = &r->ops[r->count - 1];
  size_t length = name_length(value, "_");
  char *rest = skip_space(value + length);
  if (length == 0 || (*rest != '\0' && *rest != '=')) {
    return fail(r, value, ROOF_E_PARSE, "param `%.80s`: use `param NAME` or `param NAME = DEFAULT`", value);
  }
  bool given = *rest == '=';
  value[length] = '\0';
  roof_status status = check_param_name(r, op, value);
  if (status != ROOF_OK) {
    return status;
  }
  roof_param param = {.name = value, .kind = ROOF_PARAM_COUNT, .fallback = NAN, .text = r->comment};
  status = given ? read_default(r, op, &param, skip_space(rest + 1)) : ROOF_OK;
  if (status == ROOF_OK) {
    r->users[r->count - 1].params[roof_op_param_count(op)] = param;
  }
  return status;
}

static roof_status keep_formula(reader *r, int which, const char *value) {
  user_op *user = &r->users[r->count - 1];
  if (user->formulas[which].text != NULL) {
    return fail(r, r->start, ROOF_E_PARSE, "already given in line %d", user->lines[which]);
  }
  user->formulas[which].text = value;
  user->lines[which] = r->line;
  user->columns[which] = (int)(value - r->start) + 1;
  return ROOF_OK;
}

static roof_status read_flops(reader *r, char *value) {
  return keep_formula(r, FLOPS, value);
}

static roof_status read_bytes(reader *r, char *value) {
  return keep_formula(r, BYTES, value);
}

static roof_status read_read(reader *r, char *value) {
  return keep_formula(r, READ, value);
}

static roof_status read_write(reader *r, char *value) {
  return keep_formula(r, WRITE, value);
}

static roof_status read_unit(reader *r, char *value) {
  roof_error why = {0};
  roof_status status = roof_unit_parse(value, &r->ops[r->count - 1].unit, &why);
  return status == ROOF_OK ? ROOF_OK : fail(r, value, status, "%s", why.message);
}

static roof_status read_summary(reader *r, char *value) {
  r->ops[r->count - 1].summary = value;
  return ROOF_OK;
}

static roof_status read_source(reader *r, char *value) {
  r->ops[r->count - 1].source = value;
  return ROOF_OK;
}

static const struct {
  const char *name;
  bool assigned; /**< `name = value`, not `name value` */
  roof_status (*read)(reader *r, char *value);
} keys[] = {
    {"op", false, read_op},      {"param", false, read_param},    {"flops", true, read_flops},
    {"bytes", true, read_bytes}, {"read", true, read_read},       {"write", true, read_write},
    {"unit", true, read_unit},   {"summary", true, read_summary}, {"source", true, read_source},
};
enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

/** Index of the key `name`, or -1 with the error set. */
static int find_key(reader *r, const char *name) {
  const char *names[KEY_COUNT + 1] = {NULL};
  for (int i = 0; i < KEY_COUNT; i++) {
    if (strcmp(name, keys[i].name) == 0) {
      return i;
    }
    names[i] = keys[i].name;
  }
  fail(r, name, ROOF_E_NAME, "`%.80s`: unknown", name);
  roof_error_suggest(&r->error, name, names);
  return -1;
}

/** `bytes.LEVEL = ...` */
static roof_status read_level(reader *r, const char *name, char *value) {
  roof_level_kind level;
  roof_error why = {0};
  roof_status status = roof_level_kind_parse(name, &level, &why);
  return status == ROOF_OK ? keep_formula(r, LEVELS + (int)level, value)
                           : fail(r, name, status, "%s", why.message);
}

/** Reads `key = value` or `key value`, cut apart in place. */
static roof_status read_line(reader *r, char *line) {
  static const char level_key[] = "bytes.";
  char *key = skip_space(line);
  char *rest = key + strcspn(key, " \t=");
  char *equals = skip_space(rest);
  bool assigned = *equals == '=';
  char *value = assigned ? skip_space(equals + 1) : equals;
  *rest = '\0';
  bool level = strncmp(key, level_key, sizeof level_key - 1) == 0;
  int found = level ? -1 : find_key(r, key);
  if (!level && found < 0) {
    return ROOF_E_NAME;
  }
  bool assigns = level || keys[found].assigned;
  if (assigned != assigns || *value == '\0') {
    return fail(r, key, ROOF_E_PARSE, "%s: use `%s %s`", key, key, assigns ? "= ..." : "NAME");
  }
  if (r->count == 0 && (level || keys[found].read != read_op)) {
    return fail(r, key, ROOF_E_PARSE, "%s: before the first `op NAME`", key);
  }
  return level ? read_level(r, key + sizeof level_key - 1, value) : keys[found].read(r, value);
}

/** Cuts the comment off a line and returns it: from `#` at the start or after white space. */
static const char *cut_comment(char *line) {
  for (char *s = strchr(line, '#'); s != NULL; s = strchr(s + 1, '#')) {
    if (s == line || isspace((unsigned char)s[-1])) {
      *s = '\0';
      trim_end(s + 1);
      return skip_space(s + 1);
    }
  }
  return "";
}

static roof_status read_lines(reader *r) {
  roof_status status = ROOF_OK;
  for (char *line = r->store->text; line != NULL && status == ROOF_OK;) {
    char *end = strchr(line, '\n');
    if (end != NULL) {
      *end = '\0';
    }
    r->start = line;
    r->line++;
    r->comment = cut_comment(line);
    trim_end(line);
    status = *skip_space(line) == '\0' ? ROOF_OK : read_line(r, line);
    line = end != NULL ? end + 1 : NULL;
  }
  return status == ROOF_OK ? end_block(r) : status;
}

/** Most operations the text can hold: its lines. */
static size_t count_lines(const char *text) {
  size_t lines = 1;
  for (; *text != '\0' && lines < OPS_MAX; text++) {
    lines += *text == '\n';
  }
  return lines;
}

/** True when all `length` bytes, which a NUL follows, are UTF-8 without control characters. */
static bool is_text(const char *text, size_t length) {
  size_t used = 0;
  for (size_t step = 1; step > 0 && text[used] != '\0'; used += step) {
    step = roof_text_sequence(text + used);
  }
  return used == length;
}

static void store_done(store *s) {
  for (size_t i = 0; i < s->count; i++) {
    for (int f = 0; f < FORMULA_COUNT; f++) {
      rf_formula_done(&s->users[i].formulas[f]);
    }
    roof_text_done(&s->users[i].bytes);
    pthread_mutex_destroy(&s->users[i].lock);
  }
  free(s->users);
  free(s->text);
  free(s->file);
  free(s);
}

void roof_userops_done(roof_userops *ops) {
  if (ops->storage != NULL) {
    store_done(ops->storage);
  }
  free(ops->ops);
  *ops = (roof_userops){0};
}

roof_status roof_userops_read(const char *text, size_t length, const char *file, roof_userops *ops,
                              roof_error *error) {
  roof_userops made = {.storage = calloc(1, sizeof(store))};
  store *s = made.storage;
  roof_status status = ROOF_E_MEMORY;
  if (s == NULL || (s->file = strdup(file)) == NULL || (s->text = strndup(text, length)) == NULL) {
    goto done;
  }
  if (!is_text(s->text, length)) {
    status = roof_error_set(error, ROOF_E_PARSE, "not UTF-8 text");
    roof_error_at(error, file, 0, 0);
    goto done;
  }
  size_t most = count_lines(s->text);
  made.ops = calloc(most, sizeof *made.ops);
  s->users = calloc(most, sizeof *s->users);
  if (made.ops == NULL || s->users == NULL) {
    goto done;
  }
  reader r = {.store = s, .ops = made.ops, .users = s->users};
  status = read_lines(&r);
  s->count = made.count = r.count;
  if (status != ROOF_OK && error != NULL) {
    *error = r.error;
  }
done:
  if (status == ROOF_OK) {
    *ops = made;
    return ROOF_OK;
  }
  roof_userops_done(&made);
  return s == NULL || status == ROOF_E_MEMORY ? roof_error_set(error, status, "%s: out of memory", file)
                                              : status;
}

roof_status roof_userops_load(const char *path, roof_userops *ops, roof_error *error) {
  roof_text text = {0};
  roof_status status = rf_file_read_text(path, &text, error);
  if (status == ROOF_OK) {
    status = roof_userops_read(text.data != NULL ? text.data : "", text.length, path, ops, error);
  }
  roof_text_done(&text);
  return status;
}
