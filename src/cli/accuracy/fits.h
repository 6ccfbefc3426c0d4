/** Fitted constants as calibrate and reconcile show them. */
#ifndef CLI_ACCURACY_FITS_H
#define CLI_ACCURACY_FITS_H

#include "cli/columns.h"
#include "roofline/calibrate.h"

/** What runs of whole models say, a table of causes each. */
void cli_runs_add(const roof_calibration *c, roof_text *out);
/** How far off they are, the constants of each kind and format, and the errors by what was measured. */
void cli_fits_add(const roof_calibration *c, roof_text *out);

#endif
