/** Words about models: what their files share. */
#ifndef MODELS_WORDS_H
#define MODELS_WORDS_H

#include <stddef.h>

/** A number without a unit as people write it, never with an exponent: 0.3333, 46640, 70.55 G; returns `buffer`. */
const char *rf_plain_number(char *buffer, size_t size, double value);

#endif
