/** Speeds as people write them: a number, its unit, and of what it is one. */
#ifndef PROSE_QUANTITY_H
#define PROSE_QUANTITY_H

#include "prose/page.h"
#include "roofline/prose.h"

typedef enum rf_per { RF_PER_NOTHING, RF_PER_DEVICE, RF_PER_USER } rf_per;

typedef struct rf_quantity {
  rf_prose_span span; /**< number and unit */
  double value;
  roof_prose_kind kind;
  rf_per per;
} rf_quantity;

/** The first speed that begins in `span`, outside code. A number without a unit is none, nor is a share of something (per
 *  watt, per core), nor what may be an amount. */
bool rf_quantity_next(const rf_prose_page *page, rf_prose_span span, rf_quantity *quantity);

/** Reads a number with commas between thousands; returns what follows it, `at` where there is none. */
size_t rf_quantity_number(const char *text, size_t at, size_t to, double *value);

#endif
