#include "host/quota.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/number.h"
#include "host/groups.h"
#include "host/probe.h"

enum { LINE = 1024 };

/** The quota of one group: processors, infinity for no limit. The least is kept. */
static bool read_quota(void *user, const char *root, const char *folder, bool second) {
  char path[4 * LINE], line[LINE];
  double read[2] = {0, 0}, *least = user; /* the time, the period it is for */
  snprintf(path, sizeof path, "%s/%s", folder, second ? "cpu.max" : "cpu.cfs_quota_us");
  if (!rf_probe_line(root, path, line, sizeof line)) {
    return false;
  }
  if (second && rf_numbers_read(line, read, 2) != 2) { /* "max 100000" */
    return true;
  }
  if (!second) {
    rf_numbers_read(line, &read[0], 1);
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    rf_probe_numbers(root, path, "", &read[1], 1);
  }
  *least = read[0] > 0 && read[1] > 0 ? fmin(*least, read[0] / read[1]) : *least;
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
