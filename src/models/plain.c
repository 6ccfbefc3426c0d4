/* A number without a unit, as people write it. */
#include <math.h>

#include "core/number.h"
#include "models/words.h"
#include "roofline/units.h"

const char *rf_plain_number(char *buffer, size_t size, double value) {
  if (fabs(value) >= 1e6) {
    return roof_quantity_format(buffer, size, value, "");
  }
  rf_format(buffer, size, fabs(value) >= 1000 ? "%.0f" : "%.4g", value);
  return buffer;
}
