/* A list of prices: a header, then one machine a line with the price of a device and hour, the date and where it was read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/prices.h"
#include "roofline/units.h"

static const char header[] = "machine,price,date,source";

enum { MACHINE, PRICE, DATE, SOURCE, CELLS };

/** A line cut into cells; the source is all that is left, commas too. */
typedef struct row {
  char text[256];
  char *cells[CELLS];
} row;

static bool cut(const char *line, size_t length, row *r) {
  if (length >= sizeof r->text || memchr(line, '\0', length) != NULL) {
    return false;
  }
  memcpy(r->text, line, length);
  r->text[length] = '\0';
  char *at = r->text;
  for (int i = 0; i < CELLS; i++) {
    r->cells[i] = at;
    char *comma = i < SOURCE ? strchr(at, ',') : NULL;
    if (comma == NULL) {
      return i == SOURCE && at[0] != '\0';
    }
    *comma = '\0';
    at = comma + 1;
  }
  return false;
}

/** "2026-11-23". */
static bool is_date(const char *text) {
  static const char form[] = "dddd-dd-dd";
  for (size_t i = 0; i < sizeof form; i++) {
    bool digit = text[i] >= '0' && text[i] <= '9';
    if (form[i] == 'd' ? !digit : text[i] != form[i]) {
      return false;
    }
  }
  return true;
}

/** *cell is where an error is. */
static roof_status read_row(const row *r, roof_machine *const *machines, int count, roof_listed_price *prices,
                            int *cell, roof_error *error) {
  roof_listed_price price;
  roof_machine *named = NULL;
  *cell = MACHINE;
  roof_status status = roof_catalog_load(r->cells[MACHINE], &named, error);
  if (status == ROOF_OK) {
    *cell = PRICE;
    status = roof_quantity_parse_unit(r->cells[PRICE], "", &price.value, error);
  }
  if (status == ROOF_OK && !(price.value >= 0)) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: a price of 0 or more", r->cells[PRICE]);
  }
  if (status == ROOF_OK && !is_date(r->cells[DATE])) {
    *cell = DATE;
    status = roof_error_set(error, ROOF_E_PARSE, "`%.40s`: no date like 2026-11-23", r->cells[DATE]);
  }
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    if (strcmp(machines[i]->name, named->name) == 0) {
      snprintf(price.source, sizeof price.source, "%.127s", r->cells[SOURCE]);
      snprintf(price.date, sizeof price.date, "%.10s", r->cells[DATE]);
      prices[i] = price;
    }
  }
  roof_machine_free(named);
  return status;
}

static roof_status read_line(const char *line, size_t length, roof_machine *const *machines, int count,
                             roof_listed_price *prices, int *column, roof_error *error) {
  row r;
  int cell = 0;
  if (!cut(line, length, &r)) {
    return roof_error_set(error, ROOF_E_PARSE, "not a line of %s", header);
  }
  roof_status status = read_row(&r, machines, count, prices, &cell, error);
  *column = (int)(r.cells[cell] - r.text) + 1;
  return status;
}

roof_status rf_prices_read(const char *text, const char *path, roof_machine *const *machines, int count,
                           roof_listed_price *prices, roof_error *error) {
  bool begun = false;
  int number = 0;
  for (const char *at = text; *at != '\0';) {
    size_t whole = strcspn(at, "\n"), length = whole - (whole > 0 && at[whole - 1] == '\r');
    int column = 1;
    roof_status status = ROOF_OK;
    number++;
    if (length > 0 && at[0] != '#' && begun) {
      status = read_line(at, length, machines, count, prices, &column, error);
    } else if (length > 0 && at[0] != '#') {
      begun = length == sizeof header - 1 && memcmp(at, header, length) == 0;
      status = begun ? ROOF_OK : roof_error_set(error, ROOF_E_PARSE, "prices begin with a line `%s`", header);
    }
    if (status != ROOF_OK) {
      return roof_error_at(error, path, number, column), status;
    }
    at += whole + (at[whole] == '\n');
  }
  return begun ? ROOF_OK : roof_error_set(error, ROOF_E_INPUT, "%s: no line `%s`", path, header);
}
