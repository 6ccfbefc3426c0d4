#include "roofline/op.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/letters.h"
#include "core/number.h"
#include "roofline/text.h"
#include "roofline/units.h"

/** Counts above 2^53 are no longer exact. */
static const double largest_count = 0x1p53;

int roof_op_param_count(const roof_op *op) {
  int count = 0;
  while (count < ROOF_PARAM_MAX && op->params[count].name != NULL) {
    count++;
  }
  return count;
}

int roof_op_param_index(const roof_op *op, const char *name) {
  for (int i = 0; i < ROOF_PARAM_MAX && op->params[i].name != NULL; i++) {
    if (strcmp(op->params[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

void roof_op_defaults(const roof_op *op, double *values) {
  int count = roof_op_param_count(op);
  for (int i = 0; i < ROOF_PARAM_MAX; i++) {
    values[i] = i < count ? op->params[i].fallback : NAN;
  }
}

static roof_status parse_choice(const roof_param *param, const char *text, double *value, roof_error *error) {
  const char *names[ROOF_CHOICE_MAX + 1] = {NULL};
  for (int i = 0; i < ROOF_CHOICE_MAX && param->choices[i] != NULL; i++) {
    if (rf_letters_compare(text, param->choices[i]) == 0) {
      *value = param->kind == ROOF_PARAM_CHOICE ? i : ROOF_CHOICE_VALUE(i);
      return ROOF_OK;
    }
    names[i] = param->choices[i];
  }
  return roof_error_unknown(error, param->name, text, names,
                            param->kind == ROOF_PARAM_CHOICE ? NULL : "or give a number");
}

/** Name of the choice that `value` stands for, or NULL. */
static const char *choice_name(const roof_param *param, double value) {
  for (int i = 0; i < ROOF_CHOICE_MAX && param->choices[i] != NULL; i++) {
    if (value == (param->kind == ROOF_PARAM_CHOICE ? i : ROOF_CHOICE_VALUE(i))) {
      return param->choices[i];
    }
  }
  return NULL;
}

const char *roof_op_value_name(const roof_op *op, int param, double value) {
  return choice_name(&op->params[param], value);
}

char *roof_op_value_text(const roof_op *op, int param, double value, char *buffer, size_t size) {
  const char *name = roof_op_value_name(op, param, value);
  if (name != NULL) {
    snprintf(buffer, size, "%s", name);
  } else {
    rf_format(buffer, size, "%.15g", value);
  }
  return buffer;
}

/** Appends " m=8" to what is `used` of the buffer; returns what is used then. */
static size_t add_value(const roof_op *op, int param, double value, char *buffer, size_t size, size_t used) {
  char text[64];
  if (used >= size) {
    return used;
  }
  roof_op_value_text(op, param, value, text, sizeof text);
  return used + (size_t)snprintf(buffer + used, size - used, "%s%s=%s", used > 0 ? " " : "",
                                 op->params[param].name, text);
}

char *roof_op_write_values(const roof_op *op, const double *values, char *buffer, size_t size) {
  size_t used = 0;
  buffer[0] = '\0';
  for (int i = 0; i < roof_op_param_count(op); i++) {
    used = add_value(op, i, values[i], buffer, size, used);
  }
  return buffer;
}

/** What a parameter is when it is not typed. */
static double usual_value(const roof_op *op, const roof_param *param, const double *values) {
  int followed = param->same_as != NULL ? roof_op_param_index(op, param->same_as) : -1;
  return followed >= 0 ? values[followed] : param->fallback;
}

char *roof_op_label(const roof_op *op, const char *name, roof_dtype dtype, const double *values, char *buffer,
                    size_t size) {
  size_t used = (size_t)snprintf(buffer, size, "%s", name);
  for (int i = 0; i < roof_op_param_count(op); i++) {
    if (values[i] != usual_value(op, &op->params[i], values)) {
      used = add_value(op, i, values[i], buffer, size, used);
    }
  }
  if (used < size) {
    snprintf(buffer + used, size - used, " %s", roof_dtype_name(dtype));
  }
  return buffer;
}

static roof_status check_number(const roof_param *param, double value, roof_error *error) {
  const char *why = NULL;
  switch (param->kind) {
  case ROOF_PARAM_COUNT:
    why = value >= 1 && value <= largest_count ? NULL : "must be from 1 to 2^53";
    if (why == NULL && value != floor(value)) {
      why = "must be a whole number";
    }
    break;
  case ROOF_PARAM_AMOUNT:
    why = value >= 0 && value <= largest_count ? NULL : "must be from 0 to 2^53";
    break;
  case ROOF_PARAM_BYTES:
    why = (value > 0 || value == param->fallback) && value <= 1e18
              ? NULL
              : "must be more than 0, at most 1e18 bytes";
    break;
  case ROOF_PARAM_FLAG:
    why = value == 0 || value == 1 ? NULL : "must be 0 or 1";
    break;
  case ROOF_PARAM_CHOICE:
    why = "must be one of its choices";
    break;
  }
  return why == NULL ? ROOF_OK
                     : roof_error_set(error, ROOF_E_ARGUMENT, "%s=%.17g: %s", param->name, value, why);
}

/** A quantity, or a product of several: `4*1024`. */
static roof_status parse_product(const char *text, const char *unit, double *value, roof_error *error) {
  char factor[64];
  double product = 1, parsed = 0;
  size_t length = 0;
  do {
    length = strcspn(text, "*");
    snprintf(factor, sizeof factor, "%.*s", (int)length, text);
    roof_status status = length < sizeof factor
                             ? roof_quantity_parse_unit(factor, unit, &parsed, error)
                             : roof_error_set(error, ROOF_E_PARSE, "`%.60s`: not a number", text);
    if (status != ROOF_OK) {
      return status;
    }
    product *= parsed;
    text += length + 1;
  } while (text[-1] == '*');
  *value = product;
  return ROOF_OK;
}

roof_status roof_op_value_parse(const roof_op *op, int param, const char *text, double *value,
                                roof_error *error) {
  const roof_param *p = &op->params[param];
  if (p->kind == ROOF_PARAM_CHOICE || (p->choices[0] != NULL && strpbrk(text, "0123456789") == NULL)) {
    return parse_choice(p, text, value, error);
  }
  double parsed = 0;
  roof_error why = {0};
  roof_status status = parse_product(text, p->kind == ROOF_PARAM_BYTES ? "B" : "", &parsed, &why);
  if (status != ROOF_OK) {
    return roof_error_set(error, status, "%s=%s", p->name, why.message);
  }
  status = check_number(p, parsed, error);
  if (status == ROOF_OK) {
    *value = parsed;
  }
  return status;
}

roof_status roof_op_complete(const roof_op *op, double *values, roof_error *error) {
  for (int i = 0; i < ROOF_PARAM_MAX && op->params[i].name != NULL; i++) {
    const roof_param *param = &op->params[i];
    if (isnan(values[i]) && param->same_as != NULL) {
      values[i] = values[roof_op_param_index(op, param->same_as)];
    }
    if (isnan(values[i])) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "%s: `%s` is missing (%s)", op->name, param->name,
                            param->text);
    }
    if (choice_name(param, values[i]) != NULL) {
      continue;
    }
    roof_status status = check_number(param, values[i], error);
    if (status != ROOF_OK) {
      return status;
    }
  }
  return op->check != NULL ? op->check(op, values, error) : ROOF_OK;
}

bool roof_op_uses(const roof_op *op, const double *values, int param, const roof_types *types) {
  double twice[ROOF_PARAM_MAX];
  roof_work now, then;
  memcpy(twice, values, sizeof twice);
  twice[param] *= 2;
  roof_work_init(&now);
  roof_work_init(&then);
  op->work(op, values, types, &now);
  op->work(op, twice, types, &then);
  return op->params[param].kind != ROOF_PARAM_COUNT || now.flops != then.flops ||
         now.read_bytes != then.read_bytes || now.write_bytes != then.write_bytes ||
         now.link_bytes != then.link_bytes || now.link_steps != then.link_steps ||
         now.working_set != then.working_set;
}
