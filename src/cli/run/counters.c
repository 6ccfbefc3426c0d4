#include "cli/run/counters.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "core/number.h"
#include "roofline/profiler.h"

/** The first launches are the run that is checked and those that find how many fit a sample: one run each, of as many
 *  kernels as the plan has. */
enum { LAUNCHES = 4, WORDS_MAX = ROOF_PARAM_MAX + 8, WORD = 128 };

/** What ncu runs: this program and the kernel. Words live in `text`. */
typedef struct command {
  char self[4096]; /**< this program */
  char text[WORDS_MAX][WORD];
  const char *words[WORDS_MAX + 1];
  int count;
} command;

/** A word, or a name, `=` and a value. */
static void add(command *c, const char *name, const char *equals, const char *value) {
  if (c->count < WORDS_MAX) {
    snprintf(c->text[c->count], WORD, "%s%s%s", name, equals, value);
    c->words[c->count] = c->text[c->count];
    c->words[++c->count] = NULL;
  }
}

static roof_status write_command(command *c, const char *backend, const roof_run *run, roof_error *error) {
  const roof_op *op = NULL;
  ssize_t length = readlink("/proc/self/exe", c->self, sizeof c->self - 1);
  if (length <= 0) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "/proc/self/exe: %s", strerror(errno));
  }
  c->self[length] = '\0';
  roof_status status = roof_op_find(run->kernel->op, &op, error);
  c->words[c->count++] = c->self;
  add(c, "run", "", "");
  add(c, run->kernel->name, "", "");
  for (int i = 0; status == ROOF_OK && i < roof_op_param_count(op); i++) {
    char number[32];
    const char *choice = roof_op_value_name(op, i, run->values[i]);
    rf_format(number, sizeof number, "%.15g", run->values[i]);
    add(c, op->params[i].name, "=", choice != NULL ? choice : number);
  }
  add(c, "--backend", "=", backend);
  add(c, "--dtype", "=", roof_dtype_name(run->dtype));
  add(c, "--quick", "", "");
  return status;
}

roof_status cli_count_kernel(const char *backend, roof_run *run, roof_error *error) {
  command c = {.count = 0};
  roof_error why = {0};
  roof_status status = write_command(&c, backend, run, &why);
  status = status == ROOF_OK ? roof_profiler_count(c.words, LAUNCHES, &run->counts, &why) : status;
  run->counted = status == ROOF_OK;
  return status == ROOF_OK ? ROOF_OK : roof_error_set(error, status, "--counters: %s", why.message);
}

/* What is shown of it. */

static double known(double value) {
  return isfinite(value) ? value : NAN;
}

CLI_VALUE(share_of_flops, roof_run, known(r->counts.flops / r->measurement.flops))
CLI_VALUE(share_of_bytes, roof_run, known(r->counts.outer_bytes / r->measurement.bytes))

#define LEVEL(kind) .unit = "B", .none = "?", CLI_FIELD(NUMBER, roof_run, counts.bytes[kind])

static const cli_column columns[] = {
    {.header = "kernel", .name = true, CLI_FIELD(NAME, roof_run, measurement.label)},
    {.header = "FLOPs", .unit = "FLOP", .none = "?", CLI_FIELD(NUMBER, roof_run, counts.flops)},
    {.header = "of formula", CLI_PERCENT(1), .none = "?", .number = share_of_flops},
    {.header = "L1", .rank = 2, LEVEL(ROOF_L1)},
    {.header = "L2", .rank = 1, LEVEL(ROOF_L2)},
    {.header = "memory", LEVEL(ROOF_MEMORY)},
    {.header = "of formula", CLI_PERCENT(1), .none = "?", .number = share_of_bytes},
    {.header = "intensity", .digits = 3, .number = cli_measured_intensity},
    {.header = "operational", .digits = 3, .none = "?", CLI_FIELD(NUMBER, roof_run, counts.intensity)},
    {0},
};

void cli_counted_add(roof_text *out, cli_rows runs) {
  runs.columns = columns;
  roof_text_add(out, "\n  counted by ncu, of one run\n");
  cli_columns_add_text(out, runs);
  roof_text_add(out, "\n");
}
