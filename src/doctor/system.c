/* What else the operating system does, and what it allows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/checks.h"
#include "measure/quota.h"

enum { LINE = 256 };

void roof_look_balancing(const roof_check *check, const char *root, roof_diagnosis *out) {
  static const char path[] = "/proc/sys/kernel/numa_balancing";
  (void)check;
  char line[LINE], nodes[LINE];
  if (!roof_probe_line(root, path, line, sizeof line)) {
    roof_diagnose(out, ROOF_HEALTH_UNKNOWN, path, "%s", line);
    return;
  }
  bool known = roof_probe_line(root, "/sys/devices/system/node/online", nodes, sizeof nodes);
  int count = known ? roof_probe_count(nodes) : 0;
  if (strcmp(line, "0") == 0) {
    roof_diagnose(out, ROOF_HEALTH_OK, path, "0: pages stay where they are");
  } else if (count == 1) {
    roof_diagnose(out, ROOF_HEALTH_OK, path, "%s, with nothing to move: one NUMA node", line);
  } else {
    roof_diagnose(out, ROOF_HEALTH_WARN, path, "%s: pages move between NUMA nodes %s", line, nodes);
  }
}

void roof_look_pages(const roof_check *check, const char *root, roof_diagnosis *out) {
  static const char path[] = "/sys/kernel/mm/transparent_hugepage/enabled";
  (void)check;
  char line[LINE];
  roof_health health = ROOF_HEALTH_UNKNOWN;
  if (roof_probe_line(root, path, line, sizeof line)) {
    health = strstr(line, "[never]") != NULL                                         ? ROOF_HEALTH_WARN
             : strstr(line, "[always]") != NULL || strstr(line, "[madvise]") != NULL ? ROOF_HEALTH_OK
                                                                                     : ROOF_HEALTH_UNKNOWN;
  }
  roof_diagnose(out, health, path, "%s", line);
}

void roof_look_quota(const roof_check *check, const char *root, roof_diagnosis *out) {
  (void)check;
  char line[LINE];
  roof_quota quota;
  if (!roof_quota_read(root, &quota)) {
    bool top = roof_probe_line(root, "/sys/fs/cgroup/cgroup.controllers", line, sizeof line);
    roof_diagnose(out, top ? ROOF_HEALTH_OK : ROOF_HEALTH_UNKNOWN, "/proc/self/cgroup", "%s",
                  top ? "the root group, which has no limit" : "no group's limit can be read");
  } else if (isinf(quota.processors)) {
    roof_diagnose(out, ROOF_HEALTH_OK, quota.path, "no limit");
  } else {
    roof_diagnose(out, ROOF_HEALTH_WARN, quota.path, "time for %.4g processors", quota.processors);
  }
}

void roof_look_cores(const roof_check *check, const char *root, roof_diagnosis *out) {
  (void)check;
  char allowed[LINE], online[LINE];
  if (!roof_probe_key(root, "/proc/self/status", "Cpus_allowed_list", allowed, sizeof allowed)) {
    roof_diagnose(out, ROOF_HEALTH_UNKNOWN, "/proc/self/status", "%s", allowed);
  } else if (!roof_probe_line(root, "/sys/devices/system/cpu/online", online, sizeof online)) {
    roof_diagnose(out, ROOF_HEALTH_UNKNOWN, "/sys/devices/system/cpu/online", "%s", online);
  } else {
    bool fewer = roof_probe_count(allowed) < roof_probe_count(online);
    roof_diagnose(out, fewer ? ROOF_HEALTH_WARN : ROOF_HEALTH_OK, "/proc/self/status: Cpus_allowed_list",
                  "%.100s of %.100s", allowed, online);
  }
}

void roof_look_load(const roof_check *check, const char *root, roof_diagnosis *out) {
  static const double much = 0.5;
  (void)check;
  char line[LINE];
  double load = 0;
  int running = 0;
  if (!roof_probe_line(root, "/proc/loadavg", line, sizeof line) ||
      sscanf(line, "%lf %*f %*f %d/", &load, &running) != 2) {
    roof_diagnose(out, ROOF_HEALTH_UNKNOWN, "/proc/loadavg", "%s", line);
    return;
  }
  int others = running > 1 ? running - 1 : 0; /* without the one that asks */
  roof_diagnose(out, load > much || others > 0 ? ROOF_HEALTH_WARN : ROOF_HEALTH_OK, "/proc/loadavg",
                "%d other%s runnable now, %.2f on average over a minute", others, others == 1 ? "" : "s",
                load);
}

void roof_look_swap(const roof_check *check, const char *root, roof_diagnosis *out) {
  static const char path[] = "/proc/meminfo";
  (void)check;
  char total[LINE], unused[LINE];
  if (!roof_probe_key(root, path, "SwapTotal", total, sizeof total) ||
      !roof_probe_key(root, path, "SwapFree", unused, sizeof unused)) {
    roof_diagnose(out, ROOF_HEALTH_UNKNOWN, path, "does not tell of swap");
    return;
  }
  double used = strtod(total, NULL) - strtod(unused, NULL);
  if (used > 0) {
    roof_diagnose(out, ROOF_HEALTH_WARN, path, "%.0f MiB of memory are swapped out", ceil(used / 1024));
  } else {
    roof_diagnose(out, ROOF_HEALTH_OK, path, "nothing is swapped out");
  }
}
