#include <math.h>
#include <string.h>

#include "cli/machine/machine.h"

char *cli_machine_figure(char *buffer, double value, const char *unit, const char *unknown) {
  return isnan(value) ? strcpy(buffer, unknown)
                      : roof_quantity_format(buffer, MACHINE_FIGURE_SIZE, value, unit);
}
