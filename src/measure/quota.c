#include "measure/quota.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/probe.h"

enum { LINE = 1024 };

/** Reads the quota of one group: processors, infinity for no limit. */
static bool read_quota(const char *root, const char *folder, const char *group, bool second,
                       double *processors) {
  char path[2 * LINE], line[LINE];
  double time = 0, period = 0;
  if (second) {
    snprintf(path, sizeof path, "%s%s/cpu.max", folder, group);
    if (!roof_probe_line(root, path, line, sizeof line)) {
      return false;
    }
    *processors = sscanf(line, "%lf %lf", &time, &period) == 2 && period > 0 ? time / period : INFINITY;
    return true;
  }
  snprintf(path, sizeof path, "%s%s/cpu.cfs_quota_us", folder, group);
  if (!roof_probe_line(root, path, line, sizeof line)) {
    return false;
  }
  time = strtod(line, NULL);
  snprintf(path, sizeof path, "%s%s/cpu.cfs_period_us", folder, group);
  period = roof_probe_line(root, path, line, sizeof line) ? strtod(line, NULL) : 0;
  *processors = time > 0 && period > 0 ? time / period : INFINITY;
  return true;
}

/** The least quota of `group` and the groups above it; false when none has one to read. */
static bool least_quota(const char *root, const char *folder, char *group, bool second, double *processors) {
  bool known = false;
  *processors = INFINITY;
  for (;;) {
    double here = INFINITY;
    if (read_quota(root, folder, strcmp(group, "/") == 0 ? "" : group, second, &here)) {
      known = true;
      *processors = fmin(*processors, here);
    }
    char *slash = strrchr(group, '/');
    if (slash == NULL || group[0] == '\0') {
      return known;
    }
    *slash = '\0';
  }
}

/** True when "cpu" is among the controllers of `list`. */
static bool names_processors(const char *list, size_t length) {
  for (size_t at = 0; at < length; at += strcspn(list + at, ",:") + 1) {
    if (strcspn(list + at, ",:") == 3 && strncmp(list + at, "cpu", 3) == 0) {
      return true;
    }
  }
  return false;
}

/** This process's group in the hierarchy of processors: version 2 has one for all, version 1 one that names
 * them. */
static bool find_group(const char *root, bool second, char *group, size_t size) {
  char line[LINE];
  if (second) {
    return roof_probe_key(root, "/proc/self/cgroup", "0::", group, size);
  }
  for (int id = 1; id < 32; id++) {
    char key[16];
    snprintf(key, sizeof key, "%d:", id);
    if (!roof_probe_key(root, "/proc/self/cgroup", key, line, sizeof line)) {
      continue;
    }
    char *path = strchr(line, ':');
    if (path != NULL && names_processors(line, (size_t)(path - line))) {
      snprintf(group, size, "%s", path + 1);
      return true;
    }
  }
  return false;
}

bool roof_quota_read(const char *root, roof_quota *out) {
  static const struct {
    const char *folder, *path;
    bool second;
  } versions[] = {{"/sys/fs/cgroup", "/sys/fs/cgroup/.../cpu.max", true},
                  {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu/.../cpu.cfs_quota_us", false}};
  char group[LINE];
  for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
    double processors = INFINITY;
    if (find_group(root, versions[i].second, group, sizeof group) &&
        least_quota(root, versions[i].folder, group, versions[i].second, &processors)) {
      *out = (roof_quota){processors, versions[i].path};
      return true;
    }
  }
  return false;
}
