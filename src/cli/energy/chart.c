/* The chart of energy as a file, with a table of what it shows. */
#include <math.h>
#include <stdlib.h>

#include "cli/chart.h"
#include "cli/energy/energy.h"
#include "cli/grid.h"

/** What the drawing shows, for the page. */
static void make_table(const roof_energy_subject *all, int count, cli_grid *grid) {
  const char *const heads[] = {"machine", "GFLOP/s per watt at best", "time balance", "energy balance",
                               "most power (W)"};
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    cli_grid_add(grid, "%s", heads[i]);
  }
  for (int i = 0; i < count; i++) {
    const roof_energy_line *l = &all[i].line;
    cli_grid_add(grid, "%s", all[i].target.machine->name);
    cli_grid_add(grid, "%.5g", roof_energy_efficiency(l, INFINITY) / 1e9);
    cli_grid_add(grid, "%.4g", roof_energy_time_balance(l));
    cli_grid_add(grid, "%.4g", roof_energy_balance(l));
    cli_grid_add(grid, "%.4g", roof_energy_watts(l, roof_energy_time_balance(l)));
  }
}

roof_status cli_energy_draw(const char *path, const roof_energy_subject *all, int count, roof_error *error) {
  roof_text svg = {0};
  cli_grid grid = {0};
  roof_curves *chart = calloc(1, sizeof *chart);
  roof_status status = chart != NULL ? roof_energy_chart(all, count, chart, error)
                                     : roof_error_set(error, ROOF_E_MEMORY, "energy: out of memory");
  status = status == ROOF_OK ? roof_draw_curves_svg(chart, &svg, error) : status;
  make_table(all, count, &grid);
  const char **cells = cli_grid_cells(&grid);
  const roof_table table = {"Lines", cells, 5, count};
  if (status == ROOF_OK) {
    status = cells != NULL ? cli_chart_write_svg(path, chart->title, &svg, &table, error)
                           : roof_error_set(error, ROOF_E_MEMORY, "energy: out of memory");
  }
  free(cells);
  free(chart);
  cli_grid_done(&grid);
  roof_text_done(&svg);
  return status;
}
