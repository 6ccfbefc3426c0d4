#include "cli/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/profilers.h"
#include "roofline/import.h"
#include "roofline/ops.h"

enum { WORDS_MAX = ROOF_PARAM_MAX + 8, WORD = 128 };

/** What ncu runs: its own last options, this program and the kernel. Words live in `text`. */
typedef struct command {
  char text[WORDS_MAX][WORD];
  const char *words[WORDS_MAX + 1];
  int count;
} command;

static void add(command *c, const char *format, const char *first, const char *second) {
  if (c->count < WORDS_MAX) {
    snprintf(c->text[c->count], WORD, format, first, second);
    c->words[c->count] = c->text[c->count];
    c->words[++c->count] = NULL;
  }
}

/** The first launches are the run that is checked and those that find how many fit a sample: one run each, of
 * as many kernels as the plan has. */
static roof_status add_kernel(command *c, const roof_kernel *kernel, const char *backend, roof_dtype dtype,
                              const double *values, roof_error *error) {
  char self[WORD];
  const roof_op *op = NULL;
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "--counters: /proc/self/exe: %s", strerror(errno));
  }
  self[length] = '\0';
  roof_status status = roof_op_find(kernel->op, &op, error);
  add(c, "--launch-count=4", "", "");
  add(c, "%s", self, "");
  add(c, "run", "", "");
  add(c, "%s", kernel->name, "");
  for (int i = 0; status == ROOF_OK && i < roof_op_param_count(op); i++) {
    char number[32];
    const char *choice = roof_op_value_name(op, i, values[i]);
    snprintf(number, sizeof number, "%.15g", values[i]);
    add(c, "%s=%s", op->params[i].name, choice != NULL ? choice : number);
  }
  add(c, "--backend=%s", backend, "");
  add(c, "--dtype=%s", roof_dtype_name(dtype), "");
  add(c, "--quick", "", "");
  return status;
}

/** Runs the command without its output; its exit code, or -1 when it could not be started. */
static int execute(const char *const *words) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
      dup2(nowhere, STDOUT_FILENO);
      dup2(nowhere, STDERR_FILENO);
    }
    for (; strchr(words[0], '=') != NULL; words++) { /* as a shell has it */
      putenv((char *)(uintptr_t)words[0]);
    }
    execvp(words[0], (char *const *)(uintptr_t)words);
    _exit(127);
  }
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/** What one run did: each kernel's mean, all of them together. */
static void sum_up(const roof_profile *profile, roof_counted *counted) {
  *counted = (roof_counted){.flops = 0};
  for (size_t i = 0; i < profile->count; i++) {
    const roof_record *record = &profile->records[i];
    counted->flops += roof_record_flops(record, NULL, NULL) / (double)record->calls;
    for (int level = 0; level < ROOF_LEVEL_KIND_COUNT; level++) {
      counted->bytes[level] += record->bytes[level].value / (double)record->calls;
    }
  }
}

static roof_status read_log(const char *log, roof_counted *counted, roof_error *error) {
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

/** Runs the kernel under the profiler, which writes to `log`. */
static roof_status profile(const command *c, const char *log, roof_error *error) {
  const profiler *ncu = NULL;
  roof_status status = profiler_find("ncu", &ncu, error);
  if (status != ROOF_OK) {
    return status;
  }
  if (!profiler_installed(ncu)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "--counters: no ncu on PATH: it comes with NVIDIA's Nsight Compute");
  }
  const char **words = profiler_command(ncu, 0, c->words);
  if (words == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "--counters: out of memory");
  }
  for (int i = 0; words[i] != NULL; i++) {
    words[i] = words[i] == ncu->file ? log : words[i];
  }
  int code = execute(words);
  free(words);
  return code == 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_UNSUPPORTED,
                              "--counters: ncu ends with code %d; may this user read counters? (NVIDIA: "
                              "ERR_NVGPUCTRPERM)",
                              code);
}

roof_status roof_count_kernel(const roof_kernel *kernel, const char *backend, roof_dtype dtype,
                              const double *values, roof_counted *counted, roof_error *error) {
  char log[] = "/tmp/roofline-ncu-XXXXXX";
  command c = {.count = 0};
  int file = mkstemp(log);
  if (file < 0) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "--counters: %s: %s", log, strerror(errno));
  }
  close(file);
  roof_status status = add_kernel(&c, kernel, backend, dtype, values, error);
  if (status == ROOF_OK) {
    status = profile(&c, log, error);
  }
  if (status == ROOF_OK) {
    status = read_log(log, counted, error);
  }
  unlink(log);
  return status;
}

/* What is shown of it. */

/** The bytes of the outermost level that was counted. */
static double outer_bytes(const roof_counted *counted) {
  double bytes = NAN;
  for (int level = 0; level < ROOF_LEVEL_KIND_COUNT; level++) {
    bytes = isnan(counted->bytes[level]) ? bytes : counted->bytes[level];
  }
  return bytes;
}

void roof_counted_heads(roof_grid *grid) {
  static const char *const heads[] = {"kernel", "FLOPs",      "of formula", "L1",         "L2",
                                      "memory", "of formula", "intensity",  "operational"};
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    roof_grid_add(grid, "%s", heads[i]);
  }
}

/** A number with its unit, or "?" where it was not counted. */
static void add_count(roof_grid *grid, double value, const char *unit) {
  char text[32];
  roof_grid_add(grid, "%s", isnan(value) ? "?" : roof_quantity_format(text, sizeof text, value, unit));
}

static void add_share(roof_grid *grid, double share) {
  roof_grid_add(grid, isfinite(share) ? "%.1f %%" : "?", 100 * share);
}

void roof_counted_row(roof_grid *grid, const roof_measurement *m, const roof_counted *counted) {
  double outer = outer_bytes(counted);
  roof_grid_add(grid, "%s", m->label);
  add_count(grid, counted->flops, "FLOP");
  add_share(grid, counted->flops / m->flops);
  add_count(grid, counted->bytes[ROOF_L1], "B");
  add_count(grid, counted->bytes[ROOF_L2], "B");
  add_count(grid, counted->bytes[ROOF_MEMORY], "B");
  add_share(grid, outer / m->bytes);
  roof_grid_add(grid, "%.3g", m->flops / m->bytes);
  roof_grid_add(grid, isfinite(counted->flops / outer) ? "%.3g" : "?", counted->flops / outer);
}

json_t *roof_counted_json(const roof_counted *counted) {
  json_t *bytes = json_object();
  for (int level = 0; level < ROOF_LEVEL_KIND_COUNT; level++) {
    json_object_set_new(bytes, roof_level_kind_name((roof_level_kind)level),
                        roof_json_number(counted->bytes[level]));
  }
  return json_pack("{s:s, s:o, s:o, s:o}", "source", "ncu", "flops", roof_json_number(counted->flops),
                   "bytes", bytes, "operational_intensity",
                   roof_json_number(counted->flops / outer_bytes(counted)));
}
