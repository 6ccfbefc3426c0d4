/** What a profiler counts while a built-in kernel runs, to compare with what its formula says. */
#ifndef CLI_RUN_COUNTERS_H
#define CLI_RUN_COUNTERS_H

#include "cli/cli.h"
#include "cli/grid.h"
#include "roofline/kernels.h"
#include "roofline/measurement.h"

/** Of one run of the kernel; NaN: not counted. */
typedef struct cli_counted {
  double flops;
  double bytes[ROOF_LEVEL_KIND_COUNT]; /**< by level, inner to outer */
} cli_counted;

/** Runs this program's kernel once more under Nsight Compute (`ncu` on PATH) and reads what it counted.
 *  Units: FLOP, bytes of one run.
 *  Ownership: *counted on success only.
 *  Errors: ROOF_E_UNSUPPORTED where there is no ncu, it fails or sees no kernel; as roof_import. */
roof_status cli_count_kernel(const roof_kernel *kernel, const char *backend, roof_dtype dtype,
                             const double *values, cli_counted *counted, roof_error *error);

/** The heads of the table that compares counts with formulas, and a kernel's row.
 *  Units: none. Ownership: changes *grid. Errors: none. */
void cli_counted_heads(cli_grid *grid);
void cli_counted_row(cli_grid *grid, const roof_measurement *measurement, const cli_counted *counted);

/** The same for --json.
 *  Units: FLOP, bytes. Ownership: the caller's. Errors: NULL when out of memory. */
json_t *cli_counted_json(const cli_counted *counted);

#endif
