/* What a measurement can use on this machine: thread binding, counters, energy, libraries. */
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "doctor/checks.h"

enum { LINE = 256 };

void rf_check_pinning(const rf_check *check, const char *root, roof_diagnosis *out) {
  static const char call[] = "sched_setaffinity";
  (void)check;
  cpu_set_t before, one;
  if (rf_probe_captured(root, call, out)) {
    return;
  }
  if (sched_getaffinity(0, sizeof before, &before) != 0) {
    rf_diagnose(out, ROOF_HEALTH_UNKNOWN, call, "sched_getaffinity: %s", strerror(errno));
    return;
  }
  size_t first = 0;
  while (first < CPU_SETSIZE - 1 && !CPU_ISSET(first, &before)) {
    first++;
  }
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) {
    rf_diagnose(out, ROOF_HEALTH_WARN, call, "%s", strerror(errno));
    return;
  }
  sched_setaffinity(0, sizeof before, &before);
  rf_diagnose(out, ROOF_HEALTH_OK, call, "a thread can be bound to a processor");
}

/** Opens and reads a cycle counter of this thread. Returns 0 on success, else the errno value. */
static int try_counter(void) {
  struct perf_event_attr what = {.type = PERF_TYPE_HARDWARE,
                                 .size = sizeof what,
                                 .config = PERF_COUNT_HW_CPU_CYCLES,
                                 .exclude_kernel = 1,
                                 .exclude_hv = 1};
  long long cycles = 0;
  int file = (int)syscall(SYS_perf_event_open, &what, 0, -1, -1, 0);
  if (file < 0) {
    return errno;
  }
  int why = read(file, &cycles, sizeof cycles) == (ssize_t)sizeof cycles && cycles > 0 ? 0 : ENODATA;
  close(file);
  return why;
}

void rf_check_counters(const rf_check *check, const char *root, roof_diagnosis *out) {
  static const char call[] = "perf_event_open", setting[] = "/proc/sys/kernel/perf_event_paranoid";
  (void)check;
  char level[LINE];
  if (!rf_probe_line(root, setting, level, sizeof level)) {
    rf_diagnose(out, ROOF_HEALTH_UNKNOWN, setting, "%s", level);
    return;
  }
  if (root[0] != '\0') {
    bool barred = atoi(level) > 2;
    rf_diagnose(out, barred ? ROOF_HEALTH_INFO : ROOF_HEALTH_UNKNOWN, setting, "%.100s: %s", level,
                barred ? "not permitted for unprivileged users"
                       : "only a running machine shows whether it has them");
    return;
  }
  int why = try_counter();
  if (why == 0) {
    rf_diagnose(out, ROOF_HEALTH_OK, call, "cycles can be counted (perf_event_paranoid %.100s)", level);
  } else {
    rf_diagnose(out, ROOF_HEALTH_INFO, call, "%s (perf_event_paranoid %.100s)",
                why == ENOENT ? "no hardware counters: absent, or hidden by the hypervisor" : strerror(why),
                level);
  }
}

void rf_check_energy(const rf_check *check, const char *root, roof_diagnosis *out) {
  static const char path[] = "/sys/class/powercap/intel-rapl:0/energy_uj";
  (void)check;
  char line[LINE];
  bool readable = rf_probe_line(root, path, line, sizeof line);
  rf_diagnose(out, readable ? ROOF_HEALTH_OK : ROOF_HEALTH_INFO, path, readable ? "%s microjoules" : "%s",
              line);
}

void rf_check_loader(const rf_check *check, const char *root, roof_diagnosis *out) {
  static const char call[] = "dlopen";
  (void)check;
  if (rf_probe_captured(root, call, out)) {
    return;
  }
  const char *refusal = rf_library_refusal();
  rf_diagnose(out, refusal == NULL ? ROOF_HEALTH_OK : ROOF_HEALTH_INFO, call, "%s",
              refusal == NULL ? "libraries are loaded where they are needed" : refusal);
}

/** An environment may ask for another processor than this one; a library that is older than the processor takes a lesser one. */
static void diagnose_found(const rf_library *library, const rf_loaded *loaded, roof_diagnosis *out) {
  const char *core = library->core_setting != NULL ? secure_getenv(library->core_setting) : NULL;
  const char *lacks = rf_library_lesser(library, loaded).lacks, *soname = loaded->soname;
  bool fits = library->core_name != NULL && lacks == NULL;
  if (core != NULL) {
    out->remedy =
        fits ? out->remedy : "leave that out of the environment, or name a core type of this processor";
    rf_diagnose(out, fits ? ROOF_HEALTH_INFO : ROOF_HEALTH_WARN, soname, "found; %s=%.40s is its core type",
                library->core_setting, core);
  } else if (lacks != NULL) {
    out->remedy = "a newer one, or OPENBLAS_CORETYPE=SkylakeX (AVX-512), Haswell (AVX2+FMA)";
    rf_diagnose(out, ROOF_HEALTH_WARN, soname, "found; it took a core type without %s", lacks);
  } else {
    rf_diagnose(out, ROOF_HEALTH_OK, soname, "found");
  }
}

void rf_check_library(const rf_check *check, const char *root, roof_diagnosis *out) {
  const char *const *sonames = check->library.sonames;
  rf_loaded loaded;
  if (rf_probe_captured(root, sonames[0], out)) {
    return;
  }
  if (rf_library_load(&check->library, &loaded)) {
    diagnose_found(&check->library, &loaded, out);
    rf_library_close(&loaded);
  } else if (rf_library_refusal() != NULL) {
    out->remedy = "see loader";
    rf_diagnose(out, ROOF_HEALTH_INFO, sonames[0], "not looked for: see loader");
  } else {
    rf_diagnose(out, ROOF_HEALTH_INFO, sonames[0], "not found");
  }
}
