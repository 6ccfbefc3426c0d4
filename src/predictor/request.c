#include "predictor/request.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "documents/json.h"
#include "roofline/predictor.h"

enum { PROTOCOL = 1, ID_MAX = 256, DEPTH_MAX = 4 };

typedef enum field_kind { TEXT, FLAG, COUNT } field_kind;

#define OWN(name)                                                                                            \
  { #name, TEXT, offsetof(predictor_request, name) }
#define FORMAT(name) {#name, TEXT, offsetof(predictor_request, formats.name)},
#define OPTION(name) {#name, TEXT, offsetof(predictor_request, options.name)},
#define SWITCH(name) {#name, FLAG, offsetof(predictor_request, options.name)},
#define LOAD(name, member)                                                                                   \
  { name, COUNT, offsetof(predictor_request, load.member) }

/** The members of a request but for `id`, `protocol` and `parameters`; formats and options have the command's names. */
static const struct {
  const char *name;
  field_kind kind;
  size_t offset;
} fields[] = {OWN(op),
              OWN(machine),
              OWN(model),
              OWN(plan),
              LOAD("batch", decodes),
              LOAD("context", context),
              LOAD("prompts", prompts),
              LOAD("queries", queries),
              LOAD("past", past),
              LOAD("logits", logits),
              FORMAT(dtype) ROOF_FORMATS_MAP(FORMAT) ROOF_OPTIONS_MAP(OPTION) ROOF_SWITCHES_MAP(SWITCH)};
#define FIELDS (int)(sizeof fields / sizeof fields[0])
_Static_assert(FIELDS <= (int)PREDICTOR_FIELDS, "a text for each number");

static roof_status refuse_name(const char *key, roof_error *error) {
  const char *names[FIELDS + 4] = {"id", "protocol", "parameters"};
  for (int i = 0; i < FIELDS; i++) {
    names[i + 3] = fields[i].name;
  }
  return roof_error_unknown(error, "request: member", key, names, NULL);
}

static roof_status take_text(predictor_request *r, int field, json_t *value, roof_error *error) {
  const char **text = (const char **)((char *)r + fields[field].offset);
  *text = json_string_value(value);
  if (json_is_number(value)) {
    roof_number_write(r->numbers[field], json_number_value(value), 0);
    *text = r->numbers[field];
  }
  return *text != NULL
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "%s: must be a text or a number", fields[field].name);
}

static roof_status take_count(predictor_request *r, int field, json_t *value, roof_error *error) {
  double count = rf_json_number_of(value);
  if (!(count >= 0 && count <= 1e12)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: must be a number from 0 to 1e12", fields[field].name);
  }
  *(double *)((char *)r + fields[field].offset) = count;
  return ROOF_OK;
}

static roof_status take_field(predictor_request *r, const char *key, json_t *value, roof_error *error) {
  int i = 0;
  while (i < FIELDS && strcmp(fields[i].name, key) != 0) {
    i++;
  }
  if (i == FIELDS) {
    return refuse_name(key, error);
  }
  if (json_is_null(value)) {
    return ROOF_OK;
  }
  if (fields[i].kind == FLAG) {
    *(int *)((char *)r + fields[i].offset) = json_is_true(value);
    return json_is_boolean(value) ? ROOF_OK
                                  : roof_error_set(error, ROOF_E_ARGUMENT, "%s: must be true or false", key);
  }
  return fields[i].kind == TEXT ? take_text(r, i, value, error) : take_count(r, i, value, error);
}

static roof_status check_protocol(json_t *value, roof_error *error) {
  return json_is_integer(value) && json_integer_value(value) == PROTOCOL
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "protocol: must be %d", PROTOCOL);
}

static roof_status take_parameters(predictor_request *r, json_t *value, roof_error *error) {
  r->parameters = json_is_object(value) ? value : NULL;
  return r->parameters != NULL
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "parameters: must be an object of names and values");
}

/** Before anything else: also what is refused is answered under its id. */
static roof_status take_id(predictor_request *r, roof_error *error) {
  json_t *id = json_object_get(r->document, "id");
  bool kept = id == NULL || json_is_null(id) || json_is_number(id) ||
              (json_is_string(id) && json_string_length(id) <= ID_MAX);
  r->id = kept ? id : NULL;
  return kept ? ROOF_OK
              : roof_error_set(error, ROOF_E_ARGUMENT, "id: must be a number or a text of at most %d bytes",
                               ID_MAX);
}

/** Whether `text` nests no deeper than a request does; brackets in its strings do not count. */
static bool is_flat(const char *text, size_t length) {
  bool string = false;
  for (size_t i = 0, depth = 0; i < length; i++) {
    char c = text[i];
    string = c == '"' ? !string : string;
    i += string && c == '\\';
    depth += !string && (c == '{' || c == '[');
    depth -= !string && (c == '}' || c == ']') && depth > 0;
    if (depth > DEPTH_MAX) {
      return false;
    }
  }
  return true;
}

static roof_status parse(predictor_request *r, const char *line, size_t length, roof_error *error) {
  json_error_t why;
  if (!is_flat(line, length)) {
    return roof_error_set(error, ROOF_E_PARSE, "request: nested deeper than %d", DEPTH_MAX);
  }
  r->document = rf_json_load(line, length, JSON_REJECT_DUPLICATES, &why);
  if (r->document == NULL) {
    return roof_error_set(error, ROOF_E_PARSE, "request: %s (column %d)", why.text, why.column);
  }
  return json_is_object(r->document) ? ROOF_OK
                                     : roof_error_set(error, ROOF_E_PARSE, "request: not a JSON object");
}

static roof_status take_members(predictor_request *r, roof_error *error) {
  const char *key;
  json_t *value;
  roof_status status = take_id(r, error);
  json_object_foreach(r->document, key, value) {
    if (status != ROOF_OK) {
      break;
    }
    status = strcmp(key, "id") == 0           ? ROOF_OK
             : strcmp(key, "protocol") == 0   ? check_protocol(value, error)
             : strcmp(key, "parameters") == 0 ? take_parameters(r, value, error)
                                              : take_field(r, key, value, error);
  }
  return status;
}

roof_status rf_predictor_request_read(predictor_request *r, const char *line, size_t length,
                                      roof_error *error) {
  memset(r, 0, offsetof(predictor_request, numbers));
  if (length > ROOF_PREDICTOR_LINE_MAX) {
    return roof_error_set(error, ROOF_E_PARSE, "request: longer than %d bytes", ROOF_PREDICTOR_LINE_MAX);
  }
  roof_status status = parse(r, line, length, error);
  status = status == ROOF_OK ? take_members(r, error) : status;
  if (status == ROOF_OK && (r->op == NULL) == (r->model == NULL)) {
    status =
        roof_error_set(error, ROOF_E_ARGUMENT,
                       r->op == NULL ? "request: which `op` or `model`?" : "request: either `op` or `model`");
  }
  return status;
}

void rf_predictor_request_done(predictor_request *r) {
  json_decref(r->document);
}

/** A number as it is; what is no plain size is read as the command reads its text. */
static roof_status take_value(const roof_op *op, int param, json_t *value, double *out, roof_error *error) {
  const roof_param_kind kind = op->params[param].kind;
  double number = rf_json_number_of(value);
  char text[ROOF_NUMBER_SIZE];
  bool plain = json_is_integer(value) && number >= 1 && number < 0x1p53 && kind != ROOF_PARAM_CHOICE;
  if (plain) {
    *out = number;
    return ROOF_OK;
  }
  if (json_is_number(value)) {
    roof_number_write(text, number, 0);
  } else if (json_is_boolean(value)) {
    strcpy(text, json_is_true(value) ? "1" : "0");
  } else if (!json_is_string(value)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: must be a number or a text", op->params[param].name);
  }
  return roof_op_value_parse(op, param, json_is_string(value) ? json_string_value(value) : text, out, error);
}

static roof_status refuse_parameter(const roof_op *op, const char *key, roof_error *error) {
  const char *names[ROOF_PARAM_MAX + 1] = {NULL};
  for (int i = 0; i < roof_op_param_count(op); i++) {
    names[i] = op->params[i].name;
  }
  roof_error_set(error, ROOF_E_NAME, "%s has no parameter `%s`", op->name, key);
  return roof_error_suggest(error, key, names);
}

roof_status rf_predictor_request_values(const predictor_request *r, const roof_op *op, double *values,
                                        roof_error *error) {
  const char *key;
  json_t *value;
  roof_op_defaults(op, values);
  json_object_foreach(r->parameters, key, value) {
    int param = roof_op_param_index(op, key);
    roof_status status =
        param >= 0 ? take_value(op, param, value, &values[param], error) : refuse_parameter(op, key, error);
    if (status != ROOF_OK) {
      return status;
    }
  }
  return roof_op_complete(op, values, error);
}

void rf_predictor_request_key(const predictor_request *r, roof_text *out) {
  for (int i = 0; i < FIELDS; i++) {
    const char *at = (const char *)r + fields[i].offset;
    const char *text = fields[i].kind == TEXT ? *(const char *const *)at : NULL;
    if (text != NULL && fields[i].offset != offsetof(predictor_request, op)) {
      roof_text_add_bytes(out, &(char){(char)('A' + i)}, 1);
      roof_text_add(out, text);
      roof_text_add_bytes(out, "\n", 1);
    } else if (fields[i].kind == FLAG && *(const int *)at != 0) {
      roof_text_add_bytes(out, &(char){(char)('A' + i)}, 1);
    }
  }
}
