#include "host/quota.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/groups.h"
#include "host/probe.h"

enum { LINE = 1024 };

/** The quota of one group: processors, infinity for no limit. The least is kept. */
static bool read_quota(void *user, const char *root, const char *folder, bool second) {
  char path[4 * LINE], line[LINE];
  double time = 0, period = 0, *least = user;
  snprintf(path, sizeof path, "%s/%s", folder, second ? "cpu.max" : "cpu.cfs_quota_us");
  if (!rf_probe_line(root, path, line, sizeof line)) {
    return false;
  }
  if (second && sscanf(line, "%lf %lf", &time, &period) != 2) { /* "max 100000" */
    return true;
  }
  if (!second) {
    time = strtod(line, NULL);
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    period = rf_probe_line(root, path, line, sizeof line) ? strtod(line, NULL) : 0;
  }
  *least = time > 0 && period > 0 ? fmin(*least, time / period) : *least;
  return true;
}

bool rf_quota_read(const char *root, rf_quota *out) {
  double processors = INFINITY;
  bool second = false;
  if (!rf_groups_visit(root, "cpu", read_quota, &processors, &second)) {
    return false;
  }
  *out = (rf_quota){processors,
                    second ? "/sys/fs/cgroup/.../cpu.max" : "/sys/fs/cgroup/cpu/.../cpu.cfs_quota_us"};
  return true;
}
