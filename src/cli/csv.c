#include "cli/cli.h"

#include <math.h>
#include <string.h>

enum { DIGITS = 12 };

void roof_csv_add_header(roof_text *out, const roof_op *op) {
  for (int i = 0; i < roof_op_param_count(op); i++) {
    roof_text_add_csv(out, op->params[i].name);
    roof_text_add(out, ",");
  }
  roof_text_add(out,
                "machine,op,dtype,flops,bytes,intensity,ridge,regime,binding,attainable_flops_per_second,"
                "lower_seconds,upper_seconds,expected_seconds\n");
}

static void add_numbers(roof_text *out, const double *numbers, int count) {
  char text[64];
  for (int i = 0; i < count; i++) {
    size_t length = roof_number_write(text, numbers[i], DIGITS);
    text[length++] = ',';
    roof_text_add_bytes(out, text, length);
  }
}

void roof_csv_add_row(roof_text *out, const roof_target *target, const roof_op *op, const double *values,
                      const roof_prediction *p) {
  char binding[ROOF_NAME_MAX];
  for (int i = 0; i < ROOF_PARAM_MAX && op->params[i].name != NULL; i++) {
    const char *name = roof_op_value_name(op, i, values[i]);
    if (name != NULL) {
      roof_text_add_csv(out, name);
      roof_text_add(out, ",");
    } else {
      add_numbers(out, &values[i], 1);
    }
  }
  roof_text_add_csv(out, target->machine->name);
  roof_text_add(out, ",");
  roof_text_add_csv(out, op->name);
  roof_text_add(out, ",");
  roof_text_add(out, roof_dtype_name(target->types.compute));
  roof_text_add(out, ",");
  add_numbers(out, (const double[]){p->work.flops, p->bytes, p->intensity, p->ridge}, 4);
  roof_text_add(out, roof_regime_name(p->regime));
  roof_text_add(out, ",");
  roof_text_add_csv(out, roof_prediction_binding(p, binding, sizeof binding));
  roof_text_add(out, ",");
  add_numbers(out, (const double[]){p->attainable, p->lower_seconds, p->upper_seconds}, 3);
  add_numbers(out, &p->expected_seconds, 1);
  if (!out->failed) {
    out->data[out->length - 1] = '\n';
  }
}

/** The members of an object as one field: their names, or the sum of their numbers. */
static json_t *fold(json_t *object, bool named) {
  const char *name;
  json_t *value;
  roof_text names = {0};
  double sum = 0;
  json_object_foreach(object, name, value) {
    roof_text_addf(&names, "%s%s", names.length > 0 ? "+" : "", name);
    sum += json_is_number(value) ? json_number_value(value) : NAN;
  }
  json_t *folded = !json_is_object(object) ? json_null()
                   : named                 ? json_string(names.data != NULL ? names.data : "")
                                           : roof_json_number(sum);
  roof_text_done(&names);
  return folded;
}

/** What `path` leads to, a new reference. */
static json_t *follow(json_t *row, const char *path) {
  char step[64];
  json_t *at = row;
  while (*path != '\0') {
    size_t length = strcspn(path, ".");
    snprintf(step, sizeof step, "%.*s", (int)length, path);
    path += length + (path[length] == '.');
    if (strcmp(step, "*") == 0 || strcmp(step, "#") == 0) {
      return fold(at, step[0] == '#');
    }
    at = json_object_get(at, step);
  }
  return at != NULL ? json_incref(at) : json_null();
}

/** A value as text: unknown is empty, of a list the values or names. */
static void add_value(roof_text *out, json_t *value) {
  size_t index;
  json_t *element;
  if (json_is_array(value)) {
    json_array_foreach(value, index, element) {
      json_t *name = json_object_get(element, "name");
      roof_text_add(out, index > 0 ? ";" : "");
      add_value(out, name != NULL ? name : element);
    }
  } else if (json_is_integer(value)) {
    roof_text_addf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
  } else if (json_is_number(value)) {
    roof_text_add_number(out, json_number_value(value), DIGITS);
  } else if (json_is_boolean(value)) {
    roof_text_add(out, json_is_true(value) ? "true" : "false");
  } else if (json_is_string(value)) {
    roof_text_add(out, json_string_value(value));
  }
}

static void add_row(roof_text *out, json_t *row, const roof_csv_column *columns) {
  for (const roof_csv_column *c = columns; c->name != NULL; c++) {
    roof_text field = {0};
    json_t *value = follow(row, c->path != NULL ? c->path : c->name);
    add_value(&field, value);
    roof_text_add(out, c > columns ? "," : "");
    roof_text_add_csv(out, field.data != NULL ? field.data : "");
    out->failed = out->failed || field.failed;
    roof_text_done(&field);
    json_decref(value);
  }
  roof_text_add(out, "\n");
}

void roof_csv_add(roof_text *out, json_t *rows, const roof_csv_column *columns) {
  size_t index;
  json_t *row;
  for (const roof_csv_column *c = columns; c->name != NULL; c++) {
    roof_text_addf(out, "%s%s", c > columns ? "," : "", c->name);
  }
  roof_text_add(out, "\n");
  json_array_foreach(rows, index, row) {
    add_row(out, row, columns);
  }
}

roof_status roof_csv_print(json_t *answer, const char *rows, const roof_csv_column *columns,
                           roof_error *error) {
  roof_text text = {0};
  roof_csv_add(&text, json_object_get(answer, rows), columns);
  json_decref(answer);
  roof_status status = roof_print(&text, error);
  roof_text_done(&text);
  return status;
}
