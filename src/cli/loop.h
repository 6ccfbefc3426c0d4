/** The main job's state, shared by the command and what it prints. */
#ifndef CLI_LOOP_H
#define CLI_LOOP_H

#include "cli/grid.h"
#include "roofline/ledger.h"
#include "roofline/measure.h"

/** One built-in kernel on its way through the loop. */
typedef struct roof_loop_kernel {
  const roof_kernel *kernel;
  const char *shape; /**< "n=33554432" */
  double values[ROOF_PARAM_MAX];
  char label[ROOF_LABEL_MAX];
  char skipped[512]; /**< why it did not run, or "" */
  roof_prediction prediction;
  double measured_seconds;
  char how[256]; /**< samples, spread and the backend's note */
  roof_reconciled reconciled;
  char again[256]; /**< what the second measurement said, or "" */
} roof_loop_kernel;

typedef struct roof_loop {
  const roof_args *args;
  const roof_backend *backend;
  roof_measure_options options;
  roof_dtype dtype;
  const char *ledger;
  const char *report;
  roof_machine machine;
  roof_target target;
  roof_loop_kernel *kernels;
  int count;
  int done; /**< kernels that ran */
} roof_loop;

/* loop_text.c: what goes to the terminal */
/** The answer in one line, without a final newline. */
void roof_loop_answer(const roof_loop *loop, char *buffer, size_t size);

/** Why the verdict, or why it was skipped. */
void roof_loop_because(const roof_loop_kernel *kernel, char *buffer, size_t size);

enum { ROOF_LOOP_COLUMNS = 9 };
/** The table of kernels that ran, header first. */
void roof_loop_add_kernels(roof_grid *grid, const roof_loop *loop);
void roof_loop_add_row(roof_grid *grid, const char *const *cells, int columns);

void roof_loop_text(const roof_loop *loop, roof_text *out);
void roof_loop_csv(const roof_loop *loop, roof_text *out);
json_t *roof_loop_json(const roof_loop *loop);

/* loop_report.c */
roof_status roof_loop_html(const roof_loop *loop, roof_text *out, roof_error *error);

#endif
