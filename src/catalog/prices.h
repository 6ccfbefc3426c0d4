/** Prices as a file has them. */
#ifndef CATALOG_PRICES_H
#define CATALOG_PRICES_H

#include "roofline/catalog.h"

/** Reads a list of prices; `path` is for errors. As roof_catalog_prices. */
roof_status rf_prices_read(const char *text, const char *path, roof_machine *const *machines, int count,
                           roof_listed_price *prices, roof_error *error);

#endif
