/** Words about models: what their files share. */
#ifndef MODELS_WORDS_H
#define MODELS_WORDS_H

#include <stddef.h>

#include "roofline/choice.h"
#include "roofline/text.h"

/** A number without a unit as people write it, never with an exponent: 0.3333, 46640, 70.55 G; returns `buffer`. */
const char *rf_plain_number(char *buffer, size_t size, double value);

/** "tp 8 pp 1 dp 1 ep 8": devices along the axes of replicas, of experts and context where there are several; returns `buffer`. */
const char *rf_model_axes(char *buffer, size_t size, const roof_model_settings *settings);

/** Appends a line of the formats of activations, cache and weights, and one for each that the machine does not multiply as such. */
void rf_model_add_precision(roof_text *out, const roof_model_target *target);

/** Appends ", 3 drafted per step, each 70 % right (assumed)"; nothing where no token is drafted. */
void rf_model_add_drafts(roof_text *out, const roof_model_settings *settings);

/** Appends ", of 90 % of its memory", or that it is as an engine takes it; `changed`: with what sets the share, where it has one. */
void rf_model_add_memory_rule(roof_text *out, const roof_model_settings *settings, bool changed);

/** Appends "TTFT 99.36 ms (81.07 ms to 123.6 ms)"; a `high` that is infinite: at the slow end it grows without end. */
void rf_plan_add_time(roof_text *out, const char *name, double seconds, double low, double high);

/** Appends how the times of a plan were found: what a run of its load had, or had not, that another has. */
void rf_plan_add_how(roof_text *out, const roof_choice_question *question, bool simulated);

/** Appends whether what is sure keeps the limits at the slow end too; nothing without limits. */
void rf_plan_add_sure(roof_text *out, const roof_plan_limits *limits, bool sure);

#endif
