#include "weights/experts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/file.h"
#include "roofline/units.h"

static int most_first(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x < *y) - (*x > *y);
}

/** Numbers of a line between commas and blanks; *column is where an error is. */
static roof_status read_line(const char *line, size_t length, double *shares, int *count, int *column,
                             roof_error *error) {
  for (size_t at = 0; at < length;) {
    size_t next = strcspn(line + at, ", \t\r\n"), used = 0;
    double value = 0;
    if (next > 0) {
      used = roof_number_read(line + at, next, &value);
      *column = (int)at + 1;
      if (used != next || !(value >= 0 && value < 1e300)) {
        return roof_error_set(error, ROOF_E_PARSE, "`%.*s`: a number from 0 on", next < 40 ? (int)next : 40,
                              line + at);
      }
      if (*count == ROOF_EXPERT_SHARES_MAX) {
        return roof_error_set(error, ROOF_E_ARGUMENT, "more than %d experts", ROOF_EXPERT_SHARES_MAX);
      }
      shares[(*count)++] = value;
    }
    at += next + 1;
  }
  return ROOF_OK;
}

roof_status rf_experts_read(const char *text, const char *path, double shares[ROOF_EXPERT_SHARES_MAX],
                            int *count, roof_error *error) {
  int number = 0, read = 0;
  double sum = 0, list[ROOF_EXPERT_SHARES_MAX];
  for (const char *at = text; *at != '\0';) {
    size_t length = strcspn(at, "\n");
    int column = 1;
    number++;
    roof_status status = at[0] == '#' ? ROOF_OK : read_line(at, length, list, &read, &column, error);
    if (status != ROOF_OK) {
      roof_error_at(error, path, number, column);
      return status;
    }
    at += length + (at[length] == '\n');
  }
  for (int i = 0; i < read; i++) {
    sum += list[i];
  }
  if (!(sum > 0)) {
    return roof_error_set(error, ROOF_E_INPUT, "%s: no expert that is ever chosen", path);
  }
  qsort(list, (size_t)read, sizeof *list, most_first);
  memcpy(shares, list, (size_t)read * sizeof *list);
  *count = read;
  return ROOF_OK;
}

roof_status roof_expert_shares_read(const char *path, double shares[ROOF_EXPERT_SHARES_MAX], int *count,
                                    roof_error *error) {
  roof_text text = {0};
  roof_status status = rf_file_read_text(path, &text, error);
  status = status == ROOF_OK ? rf_experts_read(text.data != NULL ? text.data : "", path, shares, count, error)
                             : status;
  roof_text_done(&text);
  return status;
}
