/* The device that was named, among those of a driver. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/letters.h"
#include "measure/device/device.h"

/** The first device whose name has `text` in it, case ignored. */
static roof_status open_named(const rf_device_driver *driver, const char *text, int *index,
                              rf_device **device, roof_error *error) {
  char names[256] = "";
  size_t length = 0;
  for (int i = 0; i < driver->count(); i++) {
    rf_device *opened = NULL;
    roof_status status = driver->open(i, &opened, error);
    if (status != ROOF_OK) {
      return status;
    }
    if (rf_letters_find(opened->info.name, text) != NULL) {
      *index = i;
      *device = opened;
      return ROOF_OK;
    }
    if (length < sizeof names) {
      length += (size_t)snprintf(names + length, sizeof names - length, "%s%d: %.60s", i > 0 ? ", " : "", i,
                                 opened->info.name);
    }
    driver->close(opened);
  }
  return roof_error_set(error, ROOF_E_NAME, "device `%.60s`: none of %s has that name (%s)", text,
                        driver->name, names);
}

roof_status rf_device_open(const rf_device_driver *driver, const char *text, int *index, rf_device **device,
                           roof_error *error) {
  bool number = text == NULL || (text[0] != '\0' && text[strspn(text, "0123456789")] == '\0');
  if (!number) {
    return open_named(driver, text, index, device, error);
  }
  long at = text != NULL ? strtol(text, NULL, 10) : 0;
  if (text != NULL && at >= driver->count()) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "device %.20s: %s has %d, counted from 0", text,
                          driver->name, driver->count());
  }
  *index = (int)at;
  return driver->open((int)at, device, error);
}
