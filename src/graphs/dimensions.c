/* Sizes of a graph's dimensions as words: batch=8 sequence=128. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "roofline/graphs.h"
#include "roofline/units.h"

static roof_status read_size(const char *text, double *size, roof_error *error) {
  double read = 0;
  roof_status status = roof_quantity_parse(text, &read, error);
  if (status == ROOF_OK && !(read >= 1 && read <= 1e9 && read == floor(read))) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: not a whole number from 1 to 1e9", text);
  }
  *size = read;
  return status;
}

roof_status roof_dimensions_parse(const char *const *words, int count, roof_dimensions *dimensions,
                                  roof_error *error) {
  dimensions->count = 0;
  for (int i = 0; i < count; i++) {
    const char *word = words[i], *equals = strrchr(word, '=');
    size_t length = equals != NULL ? (size_t)(equals - word) : 0;
    if (length == 0 || length >= sizeof dimensions->names[0] || i == ROOF_DIMENSION_MAX) {
      return roof_error_set(error, ROOF_E_ARGUMENT,
                            "`%.60s`: sizes are name=N, at most %d, for instance batch=8", word,
                            ROOF_DIMENSION_MAX);
    }
    roof_error why = {0};
    roof_dimension *d = &dimensions->list[i];
    snprintf(dimensions->names[i], sizeof dimensions->names[i], "%.*s", (int)length, word);
    d->name = dimensions->names[i];
    roof_status status = read_size(equals + 1, &d->size, &why);
    if (status != ROOF_OK) {
      return roof_error_set(error, status, "%s: %s", d->name, why.message);
    }
    dimensions->count++;
  }
  return ROOF_OK;
}
