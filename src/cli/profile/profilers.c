/* Which profiler answers which question, its command line, and running it. */
#include "cli/profile/profilers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "region/program.h"

/* The metrics are those that the reader of ncu's files uses. */
#define NCU_FLOPS(prefix, type)                                                                              \
  prefix "_op_" type "add_pred_on.sum," prefix "_op_" type "mul_pred_on.sum," prefix "_op_" type             \
         "fma_pred_on.sum,"
#define NCU_SASS "sm__sass_thread_inst_executed"

static const char ncu_metrics[] =
    "gpu__time_duration.sum,dram__bytes.sum,lts__t_bytes.sum,l1tex__t_bytes.sum," NCU_FLOPS(NCU_SASS, "d")
        NCU_FLOPS(NCU_SASS, "f")
            NCU_FLOPS(NCU_SASS, "h") "regex:sm__ops_path_tensor_src_.*,"
                                     "sm__warps_active.avg.pct_of_peak_sustained_active,"
                                     "sm__throughput.avg.pct_of_peak_sustained_elapsed,"
                                     "dram__throughput.avg.pct_of_peak_sustained_elapsed";

static const char torch_program[] = "import runpy, sys, torch.profiler as t\n"
                                    "file, sys.argv = sys.argv[1], sys.argv[2:]\n"
                                    "with t.profile(record_shapes=True) as p:\n"
                                    "    runpy.run_path(sys.argv[0], run_name='__main__')\n"
                                    "p.export_chrome_trace(file)";

#define INTEL_FP(width) "fp_arith_inst_retired." width "_double,fp_arith_inst_retired." width "_single,"

/** What tells FLOPs, by the vendor in /proc/cpuinfo; the last one is for all others. */
static const struct {
  const char *vendor, *events, *group;
} processors[] = {{"GenuineIntel",
                   INTEL_FP("scalar") INTEL_FP("128b_packed") INTEL_FP("256b_packed") INTEL_FP("512b_packed"),
                   "MEM_DP"},
                  {"AuthenticAMD", "fp_ret_sse_avx_ops.all,", "FLOPS_DP"},
                  {"", "", "FLOPS_DP"}};

static const char common_events[] =
    "duration_time,task-clock,cycles,instructions,LLC-load-misses,LLC-store-misses";

const profiler cli_profilers[] = {
    {.name = "ncu",
     .program = "ncu",
     .question = "kernels",
     .answers = "which wall does each CUDA kernel hit: FLOPs, bytes of every level, occupancy",
     .format = "ncu",
     .file = "roofline-ncu.csv",
     .cost = "each kernel is run again for every group of counters, its caches flushed",
     .commands = {{"LC_ALL=C", "ncu", "--clock-control", "none", "--csv", "--page", "raw", "--print-units",
                   "base", "--target-processes", "all", "--metrics", ncu_metrics, "--log-file", "@file",
                   "@program"}}},
    {.name = "nsys",
     .program = "nsys",
     .question = "timeline",
     .answers = "where does the time of a CUDA program go: kernels, copies, idle time",
     .format = "nsys-sqlite",
     .file = "roofline-nsys.sqlite",
     .cost = "every call of the driver is recorded: launches take longer",
     .commands = {{"nsys", "profile", "--trace=cuda,nvtx", "--force-overwrite=true", "--export=sqlite",
                   "--output=roofline-nsys", "@program"}}},
    {.name = "rocprofv3",
     .program = "rocprofv3",
     .question = "timeline",
     .answers = "where does the time of a HIP program go: kernels",
     .format = "rocprof",
     .file = "roofline-rocprofv3_kernel_trace.csv",
     .cost = "every dispatch is recorded: launches take longer",
     .commands = {{"rocprofv3", "--kernel-trace", "--output-format", "csv", "-d", ".", "-o",
                   "roofline-rocprofv3", "--", "@program"}}},
    {.name = "torch",
     .program = "python3",
     .question = "operators",
     .answers = "which operators of a PyTorch script hit which wall: FLOPs and bytes from shapes",
     .format = "kineto",
     .file = "roofline-torch.json",
     .cost = "every operator and its shapes are recorded: launches take longer",
     .commands = {{"python3", "-c", torch_program, "@file", "@script"}}},
    {.name = "advisor",
     .program = "advisor",
     .question = "loops",
     .answers = "which wall does each loop of a program hit (Intel Advisor)",
     .format = "advisor",
     .file = "roofline-advisor.csv",
     .cost = "the second of its two runs counts and is slow; its times are of the first",
     .commands = {{"advisor", "--collect=roofline", "--project-dir=roofline-advisor", "--", "@program"},
                  {"advisor", "--report=survey", "--format=csv", "--show-all-columns",
                   "--project-dir=roofline-advisor", "--report-output=roofline-advisor.csv"}}},
    {.name = "perf",
     .program = "perf",
     .question = "processor",
     .answers = "what a program asks of the processor: time, FLOPs, misses of the last cache",
     .format = "perf",
     .file = "roofline-perf.csv",
     .cost = "counting alone costs little; with more events than counters each is counted part of the time",
     .commands = {{"LC_ALL=C", "perf", "stat", "-x,", "-o", "@file", "-e", "@events", "--", "@program"}}},
    {.name = "likwid",
     .program = "likwid-perfctr",
     .question = "processor",
     .answers = "what a program asks of the processor, by marked regions: FLOPs, bytes of the memory",
     .format = "likwid",
     .file = "roofline-likwid.csv",
     .cost = "counting alone costs little; its threads are pinned",
     .commands = {{"likwid-perfctr", "-C", "N:0-@last", "-g", "@group", "-o", "@file", "@program"}}},
};

const int cli_profiler_count = sizeof cli_profilers / sizeof cli_profilers[0];

roof_status cli_profiler_find(const char *name, const profiler **found, roof_error *error) {
  const char *names[sizeof cli_profilers / sizeof cli_profilers[0] + 1] = {NULL};
  for (int i = 0; i < cli_profiler_count; i++) {
    names[i] = cli_profilers[i].name;
    if (strcmp(name, cli_profilers[i].name) == 0) {
      *found = &cli_profilers[i];
      return ROOF_OK;
    }
  }
  return roof_error_unknown(error, "--with", name, names, "`roofline profile --list` shows them");
}

roof_status cli_profiler_for(const char *question, const profiler **found, roof_error *error) {
  const profiler *first = NULL;
  const char *names[sizeof cli_profilers / sizeof cli_profilers[0] + 1] = {NULL};
  for (int i = 0; i < cli_profiler_count; i++) {
    const profiler *p = &cli_profilers[i];
    names[i] = p->question;
    if (question != NULL && strcmp(question, p->question) != 0) {
      continue;
    }
    first = first == NULL ? p : first;
    /* python3 is everywhere and says nothing of PyTorch: that is for those who ask */
    if (cli_profiler_installed(p) && (question != NULL || strcmp(p->name, "torch") != 0)) {
      *found = p;
      return ROOF_OK;
    }
  }
  if (first != NULL) {
    *found = first;
    return ROOF_OK;
  }
  return roof_error_unknown(error, "--for", question, names, "`roofline profile --list` shows them");
}

bool cli_profiler_installed(const profiler *p) {
  const char *path = getenv("PATH");
  char file[4096];
  while (path != NULL && *path != '\0') {
    size_t length = strcspn(path, ":");
    snprintf(file, sizeof file, "%.*s/%s", (int)length, path, p->program);
    if (access(file, X_OK) == 0) {
      return true;
    }
    path += length + (path[length] == ':');
  }
  return false;
}

/** The row of this machine's processor; the last one where its counters cannot be read, as in most virtual
 * machines. */
static int processor_of_this(void) {
  bool counts = access("/sys/bus/event_source/devices/cpu", F_OK) == 0 ||
                access("/sys/bus/event_source/devices/cpu_core", F_OK) == 0;
  FILE *file = counts ? fopen("/proc/cpuinfo", "re") : NULL;
  int last = sizeof processors / sizeof processors[0] - 1, found = last;
  char line[512];
  while (file != NULL && found == last && fgets(line, sizeof line, file) != NULL) {
    for (int i = 0; i < last && strncmp(line, "vendor_id", 9) == 0; i++) {
      found = strstr(line, processors[i].vendor) != NULL ? i : found;
    }
  }
  if (file != NULL) {
    fclose(file);
  }
  return found;
}

/** What a word that is one word stands for; itself otherwise. Valid until the program ends. */
static const char *fill(const profiler *p, const char *word) {
  static char events[1024], cores[40];
  if (strcmp(word, "@file") == 0) {
    return p->file;
  }
  if (strcmp(word, "@events") == 0) {
    snprintf(events, sizeof events, "%s%s", processors[processor_of_this()].events, common_events);
    return events;
  }
  if (strcmp(word, "@group") == 0) {
    return processors[processor_of_this()].group;
  }
  if (strcmp(word, "N:0-@last") == 0) {
    snprintf(cores, sizeof cores, "N:0-%ld", sysconf(_SC_NPROCESSORS_ONLN) - 1);
    return cores;
  }
  return word;
}

static size_t length_of(const char *const *words) {
  size_t count = 0;
  while (words[count] != NULL) {
    count++;
  }
  return count;
}

const char **cli_profiler_command(const profiler *p, int step, const char *const *program) {
  const char *const *words = step < PROFILER_STEPS ? p->commands[step] : NULL;
  const char **out =
      words != NULL && words[0] != NULL ? calloc(PROFILER_WORDS + length_of(program) + 1, sizeof *out) : NULL;
  size_t count = 0;
  for (int i = 0; out != NULL && i < PROFILER_WORDS && words[i] != NULL; i++) {
    bool script = strcmp(words[i], "@script") == 0;
    if (!script && strcmp(words[i], "@program") != 0) {
      out[count++] = fill(p, words[i]);
      continue;
    }
    bool interpreted = script && strncmp(program[0], "python", 6) == 0 && program[1] != NULL;
    for (const char *const *w = program + interpreted; *w != NULL; w++) {
      out[count++] = *w;
    }
  }
  return out;
}

void cli_profiler_add_command(roof_text *out, const char *const *words) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+@%-";
  for (size_t i = 0; words[i] != NULL; i++) {
    const char *word = words[i];
    roof_text_add(out, i > 0 ? " " : "");
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
      roof_text_add(out, word);
      continue;
    }
    roof_text_add(out, "'");
    for (; *word != '\0'; word++) {
      roof_text_add_bytes(out, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    }
    roof_text_add(out, "'");
  }
}

roof_status cli_profiler_run(const char *const *words, roof_error *error) {
  rf_program_hold hold;
  rf_program_begin(&hold);
  roof_status status = cli_profiler_run_held(words, &hold, error);
  rf_program_end(&hold);
  return status;
}

roof_status cli_profiler_run_held(const char *const *words, rf_program_hold *hold, roof_error *error) {
  rf_program_counting none = {0};
  rf_program_usage usage;
  while (strchr(words[0], '=') != NULL) { /* as a shell has it: NAME=VALUE before the command */
    putenv((char *)(uintptr_t)*words++);
  }
  return rf_program_run(words, "", &none, hold, &usage, error);
}
