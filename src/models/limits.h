/** Limits as they are typed. */
#ifndef MODELS_LIMITS_H
#define MODELS_LIMITS_H

#include "roofline/status.h"

/** A quantity above 0 of option `name`, in `unit`; *value stays where nothing was typed. */
roof_status rf_limit_parse(const char *text, const char *unit, const char *name, double *value,
                           roof_error *error);

#endif
