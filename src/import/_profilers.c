/* Which profiler answers which question, and its command line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "documents/json.h"
#include "host/probe.h"
#include "host/process.h"
#include "roofline/profiler.h"

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
                                     "sm__cycles_active.avg.pct_of_peak_sustained_elapsed,"
                                     "sm__throughput.avg.pct_of_peak_sustained_elapsed,"
                                     "dram__throughput.avg.pct_of_peak_sustained_elapsed";

/* What a run can count at once: 8 counters of the SQ, 4 of each channel of the TCC, of which FETCH_SIZE takes 3 and
 * WRITE_SIZE 2 (rocprofiler-sdk, counter collection). Runs come together in one file. */
#define VALU(type)                                                                                           \
  "SQ_INSTS_VALU_ADD_" type ",SQ_INSTS_VALU_MUL_" type ",SQ_INSTS_VALU_TRANS_" type ",SQ_INSTS_VALU_"        \
  "FMA_" type
#define MOPS(type) "SQ_INSTS_VALU_MFMA_MOPS_" type
static const char rocprof_first[] = VALU("F16") "," VALU("F32") ",FETCH_SIZE",
                  rocprof_second[] = VALU("F64") "," MOPS("F16") "," MOPS("BF16") "," MOPS("F32") "," MOPS(
                      "F64") ",WRITE_SIZE",
                  rocprof_third[] = "SQ_INSTS_VALU_INT32,SQ_INSTS_VALU_INT64," MOPS("I8");
#define ROCPROF_RUN(file, counters)                                                                          \
  {                                                                                                          \
    "rocprofv3", "--kernel-trace", "--pmc", counters, "--output-format", "csv", "-d", ".", "-o", file, "--", \
        "@program"                                                                                           \
  }

static const char torch_program[] = "import runpy, sys, torch.profiler as t\n"
                                    "file, sys.argv = sys.argv[1], sys.argv[2:]\n"
                                    "with t.profile(record_shapes=True) as p:\n"
                                    "    runpy.run_path(sys.argv[0], run_name='__main__')\n"
                                    "p.export_chrome_trace(file)";

#define INTEL_FP(width) "fp_arith_inst_retired." width "_double,fp_arith_inst_retired." width "_single,"

/** What counts FLOPs, by the vendor in /proc/cpuinfo; the last one is for all others. */
static const struct {
  const char *vendor, *events, *group;
} processors[] = {{"GenuineIntel",
                   INTEL_FP("scalar") INTEL_FP("128b_packed") INTEL_FP("256b_packed") INTEL_FP("512b_packed"),
                   "MEM_DP"},
                  {"AuthenticAMD", "fp_ret_sse_avx_ops.all,", "FLOPS_DP"},
                  {"", "", "FLOPS_DP"}};

static const char common_events[] =
    "duration_time,task-clock,cycles,instructions,LLC-load-misses,LLC-store-misses";

static const roof_profiler profilers[] = {
    {.name = "ncu",
     .program = "ncu",
     .question = "kernels",
     .answers = "which ceiling limits each CUDA kernel: FLOPs, bytes of every level, occupancy",
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
     .question = "kernels",
     .answers = "which ceiling limits each HIP kernel: FLOPs, integer work, bytes of the memory",
     .format = "rocprof",
     .file = "roofline-rocprofv3.csv",
     .cost = "the program is run three times, for what can be counted at once; kernels wait for each other",
     .commands = {ROCPROF_RUN("roofline-rocprofv3-1", rocprof_first),
                  ROCPROF_RUN("roofline-rocprofv3-2", rocprof_second),
                  ROCPROF_RUN("roofline-rocprofv3-3", rocprof_third),
                  {"sh", "-c",
                   "cat roofline-rocprofv3-[123]_counter_collection.csv >roofline-rocprofv3.csv"}}},
    {.name = "rocprofv3-trace",
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
     .module = "torch",
     .question = "operators",
     .answers = "which ceiling limits each operator of a PyTorch script: FLOPs and bytes from shapes",
     .format = "kineto",
     .file = "roofline-torch.json",
     .cost = "every operator and its shapes are recorded: launches take longer",
     .commands = {{"python3", "-c", torch_program, "@file", "@script"}}},
    {.name = "advisor",
     .program = "advisor",
     .question = "loops",
     .answers = "which ceiling limits each loop of a program (Intel Advisor)",
     .format = "advisor",
     .file = "roofline-advisor.csv",
     .cost = "the second of its two runs counts and is slow; its times are of the first",
     .commands = {{"advisor", "--collect=roofline", "--project-dir=roofline-advisor", "--", "@program"},
                  {"advisor", "--report=survey", "--format=csv", "--show-all-columns",
                   "--project-dir=roofline-advisor", "--report-output=roofline-advisor.csv"}}},
    {.name = "perf",
     .program = "perf",
     .question = "processor",
     .answers = "whole-program counters: time, FLOPs, last-level cache misses",
     .format = "perf",
     .file = "roofline-perf.csv",
     .cost = "counting alone costs little; with more events than counters each is counted part of the time",
     .commands = {{"LC_ALL=C", "perf", "stat", "-x,", "-o", "@file", "-e", "@events", "--", "@program"}}},
    {.name = "likwid",
     .program = "likwid-perfctr",
     .question = "processor",
     .answers = "counters of a program by marked regions: FLOPs, bytes of memory",
     .format = "likwid",
     .file = "roofline-likwid.csv",
     .cost = "counting alone costs little; its threads are pinned",
     .commands = {{"likwid-perfctr", "-C", "N:0-@last", "-g", "@group", "-o", "@file", "@program"}}},
};

enum { PROFILER_COUNT = sizeof profilers / sizeof profilers[0] };

const roof_profiler *roof_profiler_at(int index) {
  return index >= 0 && index < PROFILER_COUNT ? &profilers[index] : NULL;
}

roof_status roof_profiler_find(const char *name, const roof_profiler **found, roof_error *error) {
  const char *names[PROFILER_COUNT + 1] = {NULL};
  for (int i = 0; i < PROFILER_COUNT; i++) {
    names[i] = profilers[i].name;
    if (strcmp(name, profilers[i].name) == 0) {
      *found = &profilers[i];
      return ROOF_OK;
    }
  }
  return roof_error_unknown(error, "--with", name, names, "`roofline profile --list` shows them");
}

static int add_once(const char *names[], int count, const char *name) {
  for (int i = 0; i < count; i++) {
    if (strcmp(names[i], name) == 0) {
      return count;
    }
  }
  names[count] = name;
  return count + 1;
}

roof_status roof_profiler_for(const char *question, const roof_profiler **found, roof_error *error) {
  const roof_profiler *first = NULL;
  const char *names[PROFILER_COUNT + 1] = {NULL};
  for (int i = 0, count = 0; i < PROFILER_COUNT; i++) {
    const roof_profiler *p = &profilers[i];
    count = add_once(names, count, p->question);
    if (question != NULL && strcmp(question, p->question) != 0) {
      continue;
    }
    first = first == NULL ? p : first;
    /* not what needs a Python module, unless it was asked for: the program may be of another language */
    if ((question != NULL || p->module == NULL) && roof_profiler_installed(p)) {
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

roof_status roof_profiler_choose(const char *name, const char *question, const roof_profiler **found,
                                 roof_error *error) {
  const roof_profiler *named = NULL;
  if (name == NULL) {
    return roof_profiler_for(question, found, error);
  }
  roof_status status = roof_profiler_find(name, &named, error);
  if (status == ROOF_OK && question != NULL && strcmp(named->question, question) != 0) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--with %s: it answers --for %s", name, named->question);
  }
  *found = status == ROOF_OK ? named : *found;
  return status;
}

static bool on_path(const char *program) {
  const char *path = secure_getenv("PATH");
  char file[4096];
  while (path != NULL && *path != '\0') {
    size_t length = strcspn(path, ":");
    snprintf(file, sizeof file, "%.*s/%s", (int)length, path, program);
    if (access(file, X_OK) == 0) {
      return true;
    }
    path += length + (path[length] == ':');
  }
  return false;
}

/** Whether `python` finds `module`, which it does not load: that takes seconds. */
static bool has_module(const char *python, const char *module) {
  static const char program[] =
      "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)";
  const char *const words[] = {python, "-c", program, module, NULL};
  const rf_process process = {.words = words, .quiet = true};
  rf_process_hold hold;
  rf_process_usage usage;
  rf_process_begin(&hold);
  roof_status status = rf_process_run(&process, &hold, &usage, NULL);
  rf_process_end(&hold);
  return status == ROOF_OK;
}

bool roof_profiler_installed(const roof_profiler *p) {
  return on_path(p->program) && (p->module == NULL || has_module(p->program, p->module));
}

/** The row of this machine's processor; the last one where its counters cannot be read, as in most virtual
 * machines. */
static int processor_of_this(void) {
  bool counts = access("/sys/bus/event_source/devices/cpu", F_OK) == 0 ||
                access("/sys/bus/event_source/devices/cpu_core", F_OK) == 0;
  int last = sizeof processors / sizeof processors[0] - 1;
  char vendor[64];
  counts = counts && rf_probe_key("", "/proc/cpuinfo", "vendor_id", vendor, sizeof vendor);
  for (int i = 0; counts && i < last; i++) {
    if (strstr(vendor, processors[i].vendor) != NULL) {
      return i;
    }
  }
  return last;
}

enum { FILL_SIZE = 1024 };

/** What a word that is one word stands for, written to `text` where it is not constant; itself otherwise. */
static const char *fill(const roof_profiler *p, const char *word, char text[FILL_SIZE]) {
  if (strcmp(word, "@file") == 0) {
    return p->file;
  }
  if (strcmp(word, "@group") == 0) {
    return processors[processor_of_this()].group;
  }
  if (strcmp(word, "@events") == 0) {
    snprintf(text, FILL_SIZE, "%s%s", processors[processor_of_this()].events, common_events);
    return text;
  }
  if (strcmp(word, "N:0-@last") == 0) {
    snprintf(text, FILL_SIZE, "N:0-%ld", sysconf(_SC_NPROCESSORS_ONLN) - 1);
    return text;
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

const char **roof_profiler_command(const roof_profiler *p, int step, const char *const *program) {
  const char *const *words = step < ROOF_PROFILER_STEPS ? p->commands[step] : NULL;
  size_t most = ROOF_PROFILER_WORDS + length_of(program) + 1;
  /* the list, then the text of the one word of a command that is made here */
  const char **out = words != NULL && words[0] != NULL ? calloc(1, most * sizeof *out + FILL_SIZE) : NULL;
  size_t count = 0;
  for (int i = 0; out != NULL && i < ROOF_PROFILER_WORDS && words[i] != NULL; i++) {
    bool script = strcmp(words[i], "@script") == 0;
    if (!script && strcmp(words[i], "@program") != 0) {
      out[count++] = fill(p, words[i], (char *)(out + most));
      continue;
    }
    bool interpreted =
        script && program[0] != NULL && strncmp(program[0], "python", 6) == 0 && program[1] != NULL;
    for (const char *const *w = program + interpreted; *w != NULL; w++) {
      out[count++] = *w;
    }
  }
  return out;
}

void roof_profiler_write(roof_text *out, const char *const *words) {
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

static json_t *profiler_json(const roof_profiler *p) {
  return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:b}", "name", p->name, "question", p->question, "answers",
                   p->answers, "format", p->format, "file", p->file, "cost", p->cost, "installed",
                   (int)roof_profiler_installed(p));
}

roof_status roof_profilers_write(roof_text *out, roof_error *error) {
  json_t *list = json_array();
  for (int i = 0; i < PROFILER_COUNT; i++) {
    rf_json_append(list, profiler_json(&profilers[i]));
  }
  return rf_json_write(json_pack("{s:s, s:o}", "schema", "roofline.profilers/1", "profilers", list),
                       "profilers", out, error);
}
