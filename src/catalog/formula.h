/** A formula of a user's operation, evaluated by muParser over variables that the caller owns. */
#ifndef CATALOG_FORMULA_H
#define CATALOG_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

#include "catalog/muparser.h"

typedef struct formula {
  const char *text; /**< NULL: there is none */
  const rf_muparser *mup;
  muParserHandle_t parser;
} formula;

/** Compiles `text` (kept) over `names` (NULL-terminated) whose values are read from `values` at each
 *  evaluation. On failure *offset is where in the text it is. */
roof_status rf_formula_init(formula *f, const char *text, const char *const *names, double *values,
                            size_t *offset, roof_error *error);

void rf_formula_done(formula *f);

/** The value, whatever it is; not safe for two threads at once. */
double rf_formula_value(const formula *f);

/** True for the name of a function of formulas. */
bool rf_formula_has_function(const char *name);

#endif
