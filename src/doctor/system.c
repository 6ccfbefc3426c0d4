/* What the operating system does during a measurement, and what it permits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "doctor/checks.h"
#include "host/quota.h"

enum { LINE = 256 };

void rf_check_balancing(const rf_check *check, const char *root, roof_diagnosis *out) {
  static const char path[] = "/proc/sys/kernel/numa_balancing";
  (void)check;
  char line[LINE], nodes[LINE];
  if (!rf_probe_line(root, path, line, sizeof line)) {
    rf_diagnose(out, ROOF_HEALTH_UNKNOWN, path, "%s", line);
    return;
  }
  bool known = rf_probe_line(root, "/sys/devices/system/node/online", nodes, sizeof nodes);
  int count = known ? rf_probe_count(nodes) : 0;
  if (strcmp(line, "0") == 0) {
    rf_diagnose(out, ROOF_HEALTH_OK, path, "0: pages stay where they are");
  } else if (count == 1) {
    rf_diagnose(out, ROOF_HEALTH_OK, path, "%s, without effect: one NUMA node", line);
  } else {
    rf_diagnose(out, ROOF_HEALTH_WARN, path, "%s: pages move between NUMA nodes %s", line, nodes);
  }
}

void rf_check_pages(const rf_check *check, const char *root, roof_diagnosis *out) {
  static const char path[] = "/sys/kernel/mm/transparent_hugepage/enabled";
  (void)check;
  char line[LINE];
  roof_health health = ROOF_HEALTH_UNKNOWN;
  if (rf_probe_line(root, path, line, sizeof line)) {
    health = strstr(line, "[never]") != NULL                                         ? ROOF_HEALTH_WARN
             : strstr(line, "[always]") != NULL || strstr(line, "[madvise]") != NULL ? ROOF_HEALTH_OK
                                                                                     : ROOF_HEALTH_UNKNOWN;
  }
  rf_diagnose(out, health, path, "%s", line);
}

void rf_check_quota(const rf_check *check, const char *root, roof_diagnosis *out) {
  (void)check;
  char line[LINE];
  rf_quota quota;
  if (!rf_quota_read(root, &quota)) {
    bool top = rf_probe_line(root, "/sys/fs/cgroup/cgroup.controllers", line, sizeof line);
    rf_diagnose(out, top ? ROOF_HEALTH_OK : ROOF_HEALTH_UNKNOWN, "/proc/self/cgroup", "%s",
                top ? "the root cgroup, which has no limit" : "no cgroup's limit can be read");
  } else if (isinf(quota.processors)) {
    rf_diagnose(out, ROOF_HEALTH_OK, quota.path, "no limit");
  } else {
    rf_diagnose(out, ROOF_HEALTH_WARN, quota.path, "time for %.4g processors", quota.processors);
  }
}

void rf_check_cores(const rf_check *check, const char *root, roof_diagnosis *out) {
  (void)check;
  char allowed[LINE], online[LINE];
  if (!rf_probe_key(root, "/proc/self/status", "Cpus_allowed_list", allowed, sizeof allowed)) {
    rf_diagnose(out, ROOF_HEALTH_UNKNOWN, "/proc/self/status", "%s", allowed);
  } else if (!rf_probe_line(root, "/sys/devices/system/cpu/online", online, sizeof online)) {
    rf_diagnose(out, ROOF_HEALTH_UNKNOWN, "/sys/devices/system/cpu/online", "%s", online);
  } else {
    bool fewer = rf_probe_count(allowed) < rf_probe_count(online);
    rf_diagnose(out, fewer ? ROOF_HEALTH_WARN : ROOF_HEALTH_OK, "/proc/self/status: Cpus_allowed_list",
                "%.100s of %.100s", allowed, online);
  }
}

void rf_check_load(const rf_check *check, const char *root, roof_diagnosis *out) {
  static const double much = 0.5;
  (void)check;
  char line[LINE];
  double figures[4]; /* the load of 1, 5 and 15 minutes, what is runnable */
  if (!rf_probe_line(root, "/proc/loadavg", line, sizeof line) || rf_numbers_read(line, figures, 4) != 4) {
    rf_diagnose(out, ROOF_HEALTH_UNKNOWN, "/proc/loadavg", "%s", line);
    return;
  }
  double load = figures[0];
  int running = (int)figures[3];
  int others = running > 1 ? running - 1 : 0; /* without this process */
  rf_diagnose(out, load > much || others > 0 ? ROOF_HEALTH_WARN : ROOF_HEALTH_OK, "/proc/loadavg",
              "%d other%s runnable now, %.2f on average over a minute", others, others == 1 ? "" : "s", load);
}

void rf_check_swap(const rf_check *check, const char *root, roof_diagnosis *out) {
  static const char path[] = "/proc/meminfo";
  (void)check;
  char total[LINE], unused[LINE];
  if (!rf_probe_key(root, path, "SwapTotal", total, sizeof total) ||
      !rf_probe_key(root, path, "SwapFree", unused, sizeof unused)) {
    rf_diagnose(out, ROOF_HEALTH_UNKNOWN, path, "does not report swap");
    return;
  }
  double all = 0, free = 0;
  rf_numbers_read(total, &all, 1);
  rf_numbers_read(unused, &free, 1);
  double used = all - free;
  if (used > 0) {
    rf_diagnose(out, ROOF_HEALTH_WARN, path, "%.0f MiB of memory are swapped out", ceil(used / 1024));
  } else {
    rf_diagnose(out, ROOF_HEALTH_OK, path, "nothing is swapped out");
  }
}
