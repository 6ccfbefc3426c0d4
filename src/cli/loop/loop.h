/** The main job's state, shared by the command and what it prints. */
#ifndef CLI_LOOP_LOOP_H
#define CLI_LOOP_LOOP_H

#include "cli/grid.h"
#include "roofline/ledger.h"
#include "roofline/measure.h"

/** One built-in kernel on its way through the loop. */
typedef struct cli_loop_kernel {
  const roof_kernel *kernel;
  const char *shape; /**< "n=33554432" */
  double values[ROOF_PARAM_MAX];
  char label[ROOF_LABEL_MAX];
  char skipped[512]; /**< why it did not run, or "" */
  roof_prediction prediction;
  double measured_seconds;
  char how[256]; /**< samples, spread and the backend's note */
  roof_reconciled reconciled;
  roof_placed placed; /**< under the measured ceilings */
  char again[256];    /**< what the second measurement said, or "" */
} cli_loop_kernel;

typedef struct cli_loop {
  const cli_args *args;
  const roof_backend *backend;
  roof_measure_options options;
  roof_dtype dtype;
  const char *ledger;
  const char *report;
  roof_machine *machine;
  roof_target target;
  cli_loop_kernel *kernels;
  int count;
  int done; /**< kernels that ran */
} cli_loop;

/* loop_text.c: what goes to the terminal */
/** The answer in one line, without a final newline. */
void cli_loop_answer(const cli_loop *loop, char *buffer, size_t size);

/** Why the verdict, or why it was skipped. */
void cli_loop_because(const cli_loop_kernel *kernel, char *buffer, size_t size);

enum { CLI_LOOP_COLUMNS = 9 };
/** The table of kernels that ran, header first. */
void cli_loop_add_kernels(cli_grid *grid, const cli_loop *loop);
void cli_loop_add_row(cli_grid *grid, const char *const *cells, int columns);

void cli_loop_text(const cli_loop *loop, roof_text *out);
void cli_loop_csv(const cli_loop *loop, roof_text *out);
json_t *cli_loop_json(const cli_loop *loop);

/* loop_report.c */
roof_status cli_loop_html(const cli_loop *loop, roof_text *out, roof_error *error);

#endif
