#include "catalog/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/text.h"
#include "roofline/units.h"

enum { TEXT_MAX = 1000, NAMES_MAX = 64 };

/** What a formula may call: muParser's, plus floor and ceil. `log` is left out: its base is a guess. */
static const char *const functions[] = {"max", "min",  "sum",   "avg",  "abs",  "sqrt",  "exp",
                                        "ln",  "log2", "log10", "rint", "sign", "floor", "ceil"};
enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

bool rf_formula_has_function(const char *name) {
  for (int i = 0; i < FUNCTION_COUNT; i++) {
    if (strcmp(name, functions[i]) == 0) {
      return true;
    }
  }
  return false;
}

static double floor_of(double x) {
  return floor(x);
}

static double ceil_of(double x) {
  return ceil(x);
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static roof_status check_word(const char *word, const char *const *names, roof_error *error) {
  const char *known[NAMES_MAX + FUNCTION_COUNT + 1] = {NULL};
  int count = 0;
  for (; names[count] != NULL && count < NAMES_MAX; count++) {
    known[count] = names[count];
  }
  memcpy(known + count, functions, sizeof functions);
  for (int i = 0; known[i] != NULL; i++) {
    if (strcmp(word, known[i]) == 0) {
      return ROOF_OK;
    }
  }
  roof_error_set(error, ROOF_E_NAME, "`%s`: neither a parameter nor a, w, o, kv nor a function", word);
  roof_error_suggest(error, word, known);
  return ROOF_E_NAME;
}

/** Steps over a number at `s`, so that its exponent is not taken for a name. */
static const char *skip_number(const char *s) {
  double value = 0;
  size_t length = roof_number_read(s, strlen(s), &value);
  return length > 0 ? s + length : s + 1;
}

/** Checks the names in `text`, and that it does not assign: muParser would change a parameter. */
static roof_status check_names(const char *text, const char *const *names, size_t *offset,
                               roof_error *error) {
  for (const char *s = text; *s != '\0';) {
    *offset = (size_t)(s - text);
    if (isdigit((unsigned char)*s) || *s == '.') {
      s = skip_number(s);
    } else if (is_word(*s)) {
      char word[TEXT_MAX + 1];
      size_t length = 0;
      for (; is_word(s[length]); length++) {
        word[length] = s[length];
      }
      word[length] = '\0';
      roof_status status = check_word(word, names, error);
      if (status != ROOF_OK) {
        return status;
      }
      s += length;
    } else if (s[0] == '=' && s[1] != '=' && (s == text || strchr("=<>!", s[-1]) == NULL)) {
      return roof_error_set(error, ROOF_E_PARSE, "`=`: a formula cannot assign; compare with `==`");
    } else {
      s++;
    }
  }
  return ROOF_OK;
}

/** muParser's message without the position that the error carries already. */
static roof_status parser_error(const formula *f, size_t *offset, roof_error *error) {
  int position = f->mup->position(f->parser);
  *offset = position < 0 || (size_t)position > strlen(f->text) ? strlen(f->text) : (size_t)position;
  const char *message = f->mup->message(f->parser), *tail = strstr(message, " at position");
  int length = (int)(tail != NULL ? (size_t)(tail - message) : strlen(message));
  return roof_error_set(error, ROOF_E_PARSE, "`%s`: %.*s", f->text, length, message);
}

static roof_status compile(formula *f, const char *const *names, double *values, size_t *offset,
                           roof_error *error) {
  f->mup->define_function(f->parser, "floor", floor_of, 0);
  f->mup->define_function(f->parser, "ceil", ceil_of, 0);
  for (int i = 0; names[i] != NULL; i++) {
    f->mup->define_variable(f->parser, names[i], &values[i]);
  }
  f->mup->set(f->parser, f->text);
  int results = 0;
  f->mup->values(f->parser, &results);
  if (f->mup->failed(f->parser)) {
    return parser_error(f, offset, error);
  }
  *offset = 0;
  return results == 1
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_PARSE, "`%s`: one value is needed, not %d", f->text, results);
}

/** f->parser stays NULL where it fails. */
static roof_status create(formula *f, const char *const *names, double *values, size_t *offset,
                          roof_error *error) {
  f->mup = rf_muparser_load(error);
  if (f->mup == NULL) {
    return ROOF_E_UNSUPPORTED;
  }
  f->parser = f->mup->create(muBASETYPE_FLOAT);
  roof_status status = f->parser != NULL ? compile(f, names, values, offset, error)
                                         : roof_error_set(error, ROOF_E_MEMORY, "formula: out of memory");
  if (status != ROOF_OK) {
    rf_formula_done(f);
  }
  return status;
}

roof_status rf_formula_init(formula *f, const char *text, const char *const *names, double *values,
                            size_t *offset, roof_error *error) {
  *offset = 0;
  if (strlen(text) > TEXT_MAX) {
    return roof_error_set(error, ROOF_E_PARSE, "formula: longer than %d characters", TEXT_MAX);
  }
  roof_status status = check_names(text, names, offset, error);
  if (status != ROOF_OK) {
    return status;
  }
  formula made = {.text = text};
  status = create(&made, names, values, offset, error);
  if (status ==
      ROOF_E_PARSE) { /* muParser takes want of memory for an error in the text: that is there the second time too */
    formula again = {.text = text};
    size_t second = 0;
    bool wrong = create(&again, names, values, &second, NULL) != ROOF_OK;
    rf_formula_done(&again);
    return wrong ? status : roof_error_set(error, ROOF_E_MEMORY, "formula: out of memory");
  }
  if (status == ROOF_OK) {
    *f = made;
  }
  return status;
}

void rf_formula_done(formula *f) {
  if (f->parser != NULL) {
    f->mup->release(f->parser);
  }
  *f = (formula){0};
}

double rf_formula_value(const formula *f) {
  return f->mup->value(f->parser);
}
