/** Limits as they are typed. */
#ifndef MODELS_LIMITS_H
#define MODELS_LIMITS_H

#include "roofline/model.h"

/** A quantity above 0 of option `name`, in `unit`; *value stays where nothing was typed. */
roof_status rf_limit_parse(const char *text, const char *unit, const char *name, double *value,
                           roof_error *error);

/** Refuses a bare number over `most` seconds, where milliseconds are meant as often; `before`: what was typed before it. */
roof_status rf_limit_ask_unit(const char *before, const char *text, double seconds, double most,
                              roof_error *error);

/** The limits of a service's times, NULL where none is typed; a long one says its unit. */
roof_status rf_limit_times(const char *ttft, const char *tpot, double *ttft_seconds, double *tpot_seconds,
                           roof_error *error);

/** Refuses requests that generate nothing. */
roof_status rf_limit_generates(const char *command, const roof_model_settings *settings, roof_error *error);

#endif
