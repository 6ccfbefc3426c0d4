/* Prices of machines as they are typed: machine=price, or a file that lists them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/prices.h"
#include "host/file.h"
#include "roofline/units.h"

/** `name=price`, of those of `machines` that `name` is of. */
static roof_status read_one(char *part, roof_machine *const *machines, int count, roof_listed_price *prices,
                            roof_error *error) {
  char *equals = strchr(part, '=');
  double price = NAN;
  if (equals == NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "price: `%.60s` is not machine=price", part);
  }
  *equals = '\0';
  roof_machine *named = NULL;
  roof_status status = roof_quantity_parse_unit(equals + 1, "", &price, error);
  status = status == ROOF_OK ? roof_catalog_load(part, &named, error) : status;
  bool found = false;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    if (strcmp(machines[i]->name, named->name) == 0) {
      prices[i].value = price;
      found = true;
    }
  }
  roof_machine_free(named);
  return status != ROOF_OK || found
             ? status
             : roof_error_set(error, ROOF_E_ARGUMENT, "price: %s is none of the machines asked about", part);
}

static roof_status read_typed(const char *text, roof_machine *const *machines, int count,
                              roof_listed_price *prices, roof_error *error) {
  char copy[512];
  snprintf(copy, sizeof copy, "%s", text);
  char *rest = NULL;
  roof_status status = ROOF_OK;
  for (char *part = strtok_r(copy, ",", &rest); part != NULL && status == ROOF_OK;
       part = strtok_r(NULL, ",", &rest)) {
    status = read_one(part, machines, count, prices, error);
  }
  return status;
}

static roof_status read_file(const char *path, roof_machine *const *machines, int count,
                             roof_listed_price *prices, roof_error *error) {
  roof_text text = {0};
  roof_error why = {0};
  roof_status status = rf_file_read_text(path, &text, &why);
  status = status != ROOF_OK
               ? roof_error_set(error, status, "price: neither a number nor machine=price, and no file: %s",
                                why.message)
               : rf_prices_read(text.data != NULL ? text.data : "", path, machines, count, prices, error);
  roof_text_done(&text);
  return status;
}

bool roof_prices_are_listed(const char *text) {
  return text[strspn(text, "0123456789.,*+-eEkM")] != '\0';
}

roof_status roof_price_of_one(double price, int count, roof_listed_price *prices, roof_error *error) {
  if (price > 0 && count > 1) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "price: %g of %d machines alike? name them: h100=2.5,a100=1.5", price, count);
  }
  for (int i = 0; i < count && prices != NULL; i++) {
    prices[i] = (roof_listed_price){.value = price};
  }
  return ROOF_OK;
}

roof_status roof_catalog_prices(const char *text, roof_machine *const *machines, int count,
                                roof_listed_price *prices, roof_error *error) {
  roof_listed_price *read = malloc((size_t)(count > 0 ? count : 1) * sizeof *read);
  if (read == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "price: out of memory");
  }
  for (int i = 0; i < count; i++) {
    read[i] = (roof_listed_price){.value = NAN};
  }
  roof_status status =
      (strchr(text, '=') != NULL ? read_typed : read_file)(text, machines, count, read, error);
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    prices[i] = read[i];
  }
  free(read);
  return status;
}
