/** The loop's table of kernels, for the report and the terminal. */
#ifndef LOOP_LOOP_H
#define LOOP_LOOP_H

#include "draw/cells.h"
#include "roofline/loop.h"

enum { RF_LOOP_COLUMNS = 8, RF_LOOP_POINT_COLUMNS = 8 };

/** The kernels that ran, header first. */
void rf_loop_add_kernels(rf_cells *cells, const roof_loop *loop);

/** What ran in each level on each number of cores, header first. */
void rf_loop_add_points(rf_cells *cells, const roof_loop *loop);

/** |expected / measured - 1| of a kernel that ran.
 *  Units: a share. Ownership: none. Errors: none. */
double rf_loop_error(const roof_loop_kernel *kernel);

#endif
