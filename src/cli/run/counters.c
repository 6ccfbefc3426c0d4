#include "cli/run/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/profile/run.h"
#include "core/number.h"
#include "host/write.h"
#include "roofline/import.h"
#include "roofline/ops.h"

enum { WORDS_MAX = ROOF_PARAM_MAX + 8, WORD = 128 };

/** What ncu runs: its own last options, this program and the kernel. Words live in `text`. */
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

/** The first launches are the run that is checked and those that find how many fit a sample: one run each, of
 * as many kernels as the plan has. */
static roof_status add_kernel(command *c, const roof_kernel *kernel, const char *backend, roof_dtype dtype,
                              const double *values, roof_error *error) {
  const roof_op *op = NULL;
  ssize_t length = readlink("/proc/self/exe", c->self, sizeof c->self - 1);
  if (length <= 0) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "--counters: /proc/self/exe: %s", strerror(errno));
  }
  c->self[length] = '\0';
  roof_status status = roof_op_find(kernel->op, &op, error);
  add(c, "--launch-count=4", "", "");
  c->words[c->count++] = c->self;
  add(c, "run", "", "");
  add(c, kernel->name, "", "");
  for (int i = 0; status == ROOF_OK && i < roof_op_param_count(op); i++) {
    char number[32];
    const char *choice = roof_op_value_name(op, i, values[i]);
    rf_format(number, sizeof number, "%.15g", values[i]);
    add(c, op->params[i].name, "=", choice != NULL ? choice : number);
  }
  add(c, "--backend", "=", backend);
  add(c, "--dtype", "=", roof_dtype_name(dtype));
  add(c, "--quick", "", "");
  return status;
}

/** What one run did: each kernel's mean, all of them together. */
static void sum_up(const roof_profile *profile, cli_counted *counted) {
  *counted = (cli_counted){.flops = 0};
  for (size_t i = 0; i < profile->count; i++) {
    const roof_record *record = &profile->records[i];
    counted->flops += roof_record_flops(record, NULL, NULL) / (double)record->calls;
    for (int level = 0; level < ROOF_LEVEL_KIND_COUNT; level++) {
      counted->bytes[level] += record->bytes[level].value / (double)record->calls;
    }
  }
}

static roof_status read_log(const char *log, cli_counted *counted, roof_error *error) {
  roof_profile profile;
  roof_status status = roof_profile_init(&profile, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_error why = {.message = ""};
  if (roof_import(log, NULL, &profile, &why) != ROOF_OK || profile.count == 0) {
    status = roof_error_set(
        error, ROOF_E_UNSUPPORTED, "--counters: ncu counted nothing%s%.300s",
        why.message[0] != '\0' ? ": " : "; does the backend run kernels on an NVIDIA device?", why.message);
  } else {
    sum_up(&profile, counted);
  }
  roof_profile_done(&profile);
  return status;
}

/** What ncu itself says went wrong, or what its end says. */
static roof_status explain(const char *log, const char *ended, roof_error *error) {
  static const char mark[] = "==ERROR== ";
  char line[400], said[400] = "";
  FILE *file = fopen(log, "re");
  while (file != NULL && said[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, mark, strlen(mark)) == 0) {
      snprintf(said, sizeof said, "%.*s", (int)strcspn(line + strlen(mark), "\n"), line + strlen(mark));
    }
  }
  if (file != NULL) {
    fclose(file);
  }
  return roof_error_set(error, ROOF_E_UNSUPPORTED, "--counters: %s%s%s", ended, said[0] != '\0' ? ": " : "",
                        said);
}

/** Sends standard output and error nowhere; returns where they went, for restore_output. */
static void silence_output(int kept[2]) {
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  fflush(stdout);
  for (int i = 0; i < 2; i++) {
    kept[i] = fcntl(i + 1, F_DUPFD_CLOEXEC, 3);
    if (nowhere >= 0 && kept[i] >= 0) {
      dup2(nowhere, i + 1);
    }
  }
  if (nowhere >= 0) {
    close(nowhere);
  }
}

static void restore_output(const int kept[2]) {
  for (int i = 0; i < 2; i++) {
    if (kept[i] >= 0) {
      dup2(kept[i], i + 1);
      close(kept[i]);
    }
  }
}

/** Runs the kernel under the profiler, which writes to `log`. */
static roof_status profile(const roof_profiler *ncu, const command *c, const char *log, rf_program_hold *hold,
                           roof_error *error) {
  int kept[2];
  roof_error why = {.message = ""};
  const char **words = roof_profiler_command(ncu, 0, c->words);
  if (words == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "--counters: out of memory");
  }
  for (int i = 0; words[i] != NULL; i++) {
    words[i] = words[i] == ncu->file ? log : words[i];
  }
  silence_output(kept);
  roof_status status = cli_profiler_run_held(words, hold, &why);
  restore_output(kept);
  free(words);
  return status == ROOF_OK ? ROOF_OK : explain(log, why.message, error);
}

static roof_status count_into(char *log, const roof_profiler *ncu, const command *c, cli_counted *counted,
                              roof_error *error) {
  rf_program_hold hold;
  rf_program_begin(&hold);
  int file = mkstemp(log);
  roof_status status =
      file >= 0 ? ROOF_OK : roof_error_set(error, ROOF_E_OUTPUT, "--counters: %s: %s", log, strerror(errno));
  if (status == ROOF_OK) {
    close(file);
    status = profile(ncu, c, log, &hold, error);
    status = status == ROOF_OK ? read_log(log, counted, error) : status;
    unlink(log);
  }
  rf_program_end(&hold);
  return status;
}

roof_status cli_count_kernel(const roof_kernel *kernel, const char *backend, roof_dtype dtype,
                             const double *values, cli_counted *counted, roof_error *error) {
  const roof_profiler *ncu = NULL;
  command c = {.count = 0};
  char log[4096];
  roof_status status = rf_temporary_name(log, sizeof log, "roofline-ncu-XXXXXX", error);
  if (status == ROOF_OK) {
    status = roof_profiler_find("ncu", &ncu, error);
  }
  if (status == ROOF_OK && !roof_profiler_installed(ncu)) {
    status = roof_error_set(error, ROOF_E_UNSUPPORTED,
                            "--counters: no ncu on PATH: it comes with NVIDIA's Nsight Compute");
  }
  if (status == ROOF_OK) {
    status = add_kernel(&c, kernel, backend, dtype, values, error);
  }
  return status == ROOF_OK ? count_into(log, ncu, &c, counted, error) : status;
}

/* What is shown of it. */

/** The bytes of the outermost level that was counted. */
static double outer_bytes(const cli_counted *counted) {
  double bytes = NAN;
  for (int level = 0; level < ROOF_LEVEL_KIND_COUNT; level++) {
    bytes = isnan(counted->bytes[level]) ? bytes : counted->bytes[level];
  }
  return bytes;
}

void cli_counted_heads(cli_grid *grid) {
  static const char *const heads[] = {"kernel", "FLOPs",      "of formula", "L1",         "L2",
                                      "memory", "of formula", "intensity",  "operational"};
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    cli_grid_add(grid, "%s", heads[i]);
  }
}

/** A number with its unit, or "?" where it was not counted. */
static void add_count(cli_grid *grid, double value, const char *unit) {
  char text[32];
  cli_grid_add(grid, "%s", isnan(value) ? "?" : roof_quantity_format(text, sizeof text, value, unit));
}

static void add_share(cli_grid *grid, double share) {
  cli_grid_add(grid, isfinite(share) ? "%.1f %%" : "?", 100 * share);
}

void cli_counted_row(cli_grid *grid, const roof_measurement *m, const cli_counted *counted) {
  double outer = outer_bytes(counted);
  cli_grid_add(grid, "%s", m->label);
  add_count(grid, counted->flops, "FLOP");
  add_share(grid, counted->flops / m->flops);
  add_count(grid, counted->bytes[ROOF_L1], "B");
  add_count(grid, counted->bytes[ROOF_L2], "B");
  add_count(grid, counted->bytes[ROOF_MEMORY], "B");
  add_share(grid, outer / m->bytes);
  cli_grid_add(grid, "%.3g", m->flops / m->bytes);
  cli_grid_add(grid, isfinite(counted->flops / outer) ? "%.3g" : "?", counted->flops / outer);
}

json_t *cli_counted_json(const cli_counted *counted) {
  json_t *bytes = json_object();
  for (int level = 0; level < ROOF_LEVEL_KIND_COUNT; level++) {
    json_object_set_new(bytes, roof_level_kind_name((roof_level_kind)level),
                        rf_json_number(counted->bytes[level]));
  }
  return json_pack("{s:s, s:o, s:o, s:o}", "source", "ncu", "flops", rf_json_number(counted->flops), "bytes",
                   bytes, "operational_intensity", rf_json_number(counted->flops / outer_bytes(counted)));
}
