/* Running profilers. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/process.h"
#include "host/write.h"
#include "roofline/import.h"
#include "roofline/profiler.h"

enum { ENVIRONMENT = 8 };

/** Runs the words of a step: as a shell has it, NAME=VALUE before the command. A program that is profiled
 *  writes no regions. */
static roof_status run_step(const char *const *words, bool quiet, rf_process_hold *hold, roof_error *error) {
  const char *environment[ENVIRONMENT + 2] = {"ROOFLINE_REGIONS="};
  rf_process_usage usage;
  for (int i = 1; i <= ENVIRONMENT && words[0] != NULL && strchr(words[0], '=') != NULL; i++) {
    environment[i] = *words++;
  }
  const rf_process process = {.words = words, .environment = environment, .quiet = quiet};
  return rf_process_run(&process, hold, &usage, error);
}

roof_status roof_profiler_collect(const roof_profiler *profiler, const char *const *program,
                                  roof_error *error) {
  rf_process_hold hold;
  roof_status status = ROOF_OK;
  (void)unlink(profiler->file);
  rf_process_begin(&hold);
  for (int step = 0; step < ROOF_PROFILER_STEPS && status == ROOF_OK; step++) {
    const char **words = roof_profiler_command(profiler, step, program);
    status = words != NULL ? run_step(words, false, &hold, error) : ROOF_OK;
    free(words);
  }
  rf_process_end(&hold);
  return status == ROOF_OK && access(profiler->file, R_OK) != 0
             ? roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: it wrote no %s", profiler->name, profiler->file)
             : status;
}

/* Counting */

/** What one run did: each kernel's mean, all of them together. */
static void sum_up(const roof_profile *profile, roof_counts *counts) {
  *counts = (roof_counts){.outer_bytes = NAN};
  for (size_t i = 0; i < profile->count; i++) {
    const roof_record *record = &profile->records[i];
    counts->flops += roof_record_flops(record, NULL, NULL) / (double)record->calls;
    for (int level = 0; level < ROOF_LEVEL_KIND_COUNT; level++) {
      counts->bytes[level] += record->bytes[level].value / (double)record->calls;
    }
  }
  for (int level = 0; level < ROOF_LEVEL_KIND_COUNT; level++) {
    counts->outer_bytes = isnan(counts->bytes[level]) ? counts->outer_bytes : counts->bytes[level];
  }
  counts->intensity = counts->flops / counts->outer_bytes;
}

static roof_status read_log(const char *log, roof_counts *counts, roof_error *error) {
  roof_profile profile;
  roof_status status = roof_profile_init(&profile, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_error why = {.message = ""};
  if (roof_import(log, NULL, &profile, &why) != ROOF_OK || profile.count == 0) {
    status = roof_error_set(
        error, ROOF_E_UNSUPPORTED, "ncu counted nothing%s%.300s",
        why.message[0] != '\0' ? ": " : "; does the backend run kernels on an NVIDIA device?", why.message);
  } else {
    sum_up(&profile, counts);
  }
  roof_profile_done(&profile);
  return status;
}

/** ncu's own error message, or how it ended. */
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
  return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s%s%s", ended, said[0] != '\0' ? ": " : "", said);
}

/** The metrics without those that a pattern chooses: "a,regex:b,c" becomes "a,c". */
static void without_pattern(const char *metrics, char *out, size_t size) {
  const char *pattern = strstr(metrics, "regex:");
  int before = (int)(pattern != NULL ? (size_t)(pattern - metrics) : strlen(metrics));
  const char *behind = pattern != NULL ? strchr(pattern, ',') : NULL;
  snprintf(out, size, "%.*s%s", before, metrics, behind != NULL ? behind + 1 : "");
}

/** Runs the program under ncu, which writes to `log`; `plain`: without the metrics chosen by a pattern. */
static roof_status profile(const roof_profiler *ncu, const char *const *program, const char *log, bool plain,
                           rf_process_hold *hold, roof_error *error) {
  roof_error why = {.message = ""};
  char metrics[1024];
  const char **words = roof_profiler_command(ncu, 0, program);
  if (words == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "ncu: out of memory");
  }
  for (int i = 0; words[i] != NULL; i++) {
    if (plain && i > 0 && strcmp(words[i - 1], "--metrics") == 0) {
      without_pattern(words[i], metrics, sizeof metrics);
      words[i] = metrics;
    }
    words[i] = words[i] == ncu->file ? log : words[i];
  }
  roof_status status = run_step(words, true, hold, &why);
  free(words);
  return status == ROOF_OK ? ROOF_OK : explain(log, why.message, error);
}

/** Not every version of ncu has the tensor cores' metrics: without them the traffic is known and the FLOPs are not. */
static roof_status profile_known(const roof_profiler *ncu, const char *const *program, const char *log,
                                 rf_process_hold *hold, bool *plain, roof_error *error) {
  roof_error why = {.message = ""};
  roof_status status = profile(ncu, program, log, false, hold, &why);
  *plain = status != ROOF_OK && strstr(why.message, "find metric") != NULL;
  return *plain              ? profile(ncu, program, log, true, hold, error)
         : status != ROOF_OK ? roof_error_set(error, status, "%s", why.message)
                             : ROOF_OK;
}

static roof_status count_into(char *log, const roof_profiler *ncu, const char *const *program,
                              roof_counts *counts, roof_error *error) {
  rf_process_hold hold;
  rf_process_begin(&hold);
  int file = mkstemp(log);
  roof_status status =
      file >= 0 ? ROOF_OK : roof_error_set(error, ROOF_E_OUTPUT, "%s: %s", log, strerror(errno));
  if (status == ROOF_OK) {
    bool plain;
    close(file);
    status = profile_known(ncu, program, log, &hold, &plain, error);
    status = status == ROOF_OK ? read_log(log, counts, error) : status;
    if (status == ROOF_OK && plain) {
      counts->flops = counts->intensity = NAN;
    }
    unlink(log);
  }
  rf_process_end(&hold);
  return status;
}

/** ncu takes its last options before the program. */
static const char **with_option(const char *option, const char *const *program) {
  size_t count = 0;
  while (program[count] != NULL) {
    count++;
  }
  const char **words = calloc(count + 2, sizeof *words);
  if (words != NULL) {
    words[0] = option;
    memcpy(words + 1, program, count * sizeof *words);
  }
  return words;
}

roof_status roof_profiler_count(const char *const *program, int launches, roof_counts *counts,
                                roof_error *error) {
  const roof_profiler *ncu = NULL;
  char log[4096], option[48];
  roof_status status = rf_temporary_name(log, sizeof log, "roofline-ncu-XXXXXX", error);
  status = status == ROOF_OK ? roof_profiler_find("ncu", &ncu, error) : status;
  if (status == ROOF_OK && !roof_profiler_installed(ncu)) {
    status =
        roof_error_set(error, ROOF_E_UNSUPPORTED, "no ncu on PATH: it comes with NVIDIA's Nsight Compute");
  }
  if (status != ROOF_OK) {
    return status;
  }
  snprintf(option, sizeof option, "--launch-count=%d", launches);
  const char **words = with_option(option, program);
  status = words != NULL ? count_into(log, ncu, words, counts, error)
                         : roof_error_set(error, ROOF_E_MEMORY, "ncu: out of memory");
  free(words);
  return status;
}
