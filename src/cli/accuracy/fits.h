/** Fitted constants as calibrate and reconcile show them. */
#ifndef CLI_ACCURACY_FITS_H
#define CLI_ACCURACY_FITS_H

#include "cli/columns.h"
#include "roofline/calibrate.h"

/** How far off they are, the constants of each kind and format, and the errors by what was measured. */
void cli_fits_add(const roof_calibration *c, roof_text *out);

#endif
