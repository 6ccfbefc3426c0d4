/** The loop's table of kernels, for the report and the terminal. */
#ifndef LOOP_LOOP_H
#define LOOP_LOOP_H

#include "draw/cells.h"
#include "roofline/loop.h"

enum { RF_LOOP_COLUMNS = 9 };

/** The kernels that ran, header first. */
void rf_loop_add_kernels(rf_cells *cells, const roof_loop *loop);

#endif
