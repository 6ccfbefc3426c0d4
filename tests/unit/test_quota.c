/* The quota of nested control groups, read from trees as the kernel shows them. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "host/groups.h"
#include "host/memory.h"
#include "host/quota.h"

static char root[64] = "/tmp/roofline-quota-XXXXXX";

static void put(const char *path, const char *text) {
  char full[512];
  snprintf(full, sizeof full, "%s%s", root, path);
  for (char *slash = strchr(full + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(full, 0755);
    *slash = '/';
  }
  FILE *file = fopen(full, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static int set_up(void **state) {
  (void)state;
  strcpy(root + strlen(root) - 6, "XXXXXX");
  return mkdtemp(root) == NULL;
}

static int tear_down(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", root);
  return system(command);
}

static double quota(void) {
  rf_quota q;
  assert_true(rf_quota_read(root, &q));
  return q.processors;
}

static void the_least_of_nested_groups_counts(void **state) {
  (void)state;
  put("/proc/self/cgroup", "0::/kubepods.slice/pod7.slice/cri-1.scope\n");
  put("/sys/fs/cgroup/kubepods.slice/cpu.max", "1600000 100000\n");
  put("/sys/fs/cgroup/kubepods.slice/pod7.slice/cpu.max", "250000 100000\n");
  put("/sys/fs/cgroup/kubepods.slice/pod7.slice/cri-1.scope/cpu.max", "max 100000\n");
  assert_near(quota(), 2.5, 1e-12);
  put("/sys/fs/cgroup/kubepods.slice/pod7.slice/cri-1.scope/cpu.max", "50000 100000\n");
  assert_near(quota(), 0.5, 1e-12);
  put("/sys/fs/cgroup/kubepods.slice/pod8.slice/cpu.max", "1000 100000\n"); /* somebody else's */
  assert_near(quota(), 0.5, 1e-12);
}

static void a_group_seen_from_inside_is_the_root(void **state) {
  (void)state;
  put("/proc/self/cgroup", "0::/\n");
  put("/sys/fs/cgroup/cpu.max", "300000 100000\n");
  assert_near(quota(), 3, 1e-12);
  put("/sys/fs/cgroup/cpu.max", "max 100000\n");
  assert_true(isinf(quota()));
}

static void version_1_names_the_processors(void **state) {
  (void)state;
  put("/proc/self/cgroup", "12:memory:/m\n5:cpuset:/docker/a\n4:cpuacct,cpu:/docker/a\n0::/init.scope\n");
  put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  assert_true(isinf(quota()));
  put("/sys/fs/cgroup/cpu/docker/cpu.cfs_quota_us", "400000\n");
  put("/sys/fs/cgroup/cpu/docker/cpu.cfs_period_us", "100000\n");
  assert_near(quota(), 4, 1e-12);
  put("/sys/fs/cgroup/cpu/docker/a/cpu.cfs_quota_us", "150000\n");
  put("/sys/fs/cgroup/cpu/docker/a/cpu.cfs_period_us", "50000\n");
  assert_near(quota(), 3, 1e-12);
}

static void nothing_to_read_is_no_quota(void **state) {
  (void)state;
  rf_quota q;
  assert_false(rf_quota_read(root, &q));
  put("/proc/self/cgroup", "0::/a/b\n");
  assert_false(rf_quota_read(root, &q));
  put("/sys/fs/cgroup/a/cpu.max", "nonsense\n");
  assert_true(isinf(quota()));
}

static void memory_is_the_least_that_a_group_leaves(void **state) {
  (void)state;
  assert_true(isinf(rf_groups_memory(root)) && isinf(rf_groups_memory_limit(root)));
  put("/proc/self/cgroup", "0::/pods/pod7\n");
  put("/sys/fs/cgroup/memory.current", "900\n"); /* the root has no limit */
  put("/sys/fs/cgroup/pods/memory.max", "8000\n");
  put("/sys/fs/cgroup/pods/memory.current", "1000\n");
  put("/sys/fs/cgroup/pods/pod7/memory.max", "max\n");
  put("/sys/fs/cgroup/pods/pod7/memory.current", "500\n");
  assert_near(rf_groups_memory(root), 7000, 0);
  assert_near(rf_groups_memory_limit(root), 8000, 0);
  put("/sys/fs/cgroup/pods/pod7/memory.max", "2000\n");
  assert_near(rf_groups_memory(root), 1500, 0);
  assert_near(rf_groups_memory_limit(root), 2000, 0);
}

static void memory_of_version_1(void **state) {
  (void)state;
  put("/proc/self/cgroup", "5:cpuset,memory:/docker/a\n0::/\n");
  put("/sys/fs/cgroup/memory/docker/a/memory.limit_in_bytes", "4096\n");
  put("/sys/fs/cgroup/memory/docker/a/memory.usage_in_bytes", "96\n");
  assert_near(rf_groups_memory(root), 4000, 0);
}

static void available_memory_is_the_least_of_system_and_groups(void **state) {
  (void)state;
  assert_true(isinf(rf_memory_available(root)));
  put("/proc/meminfo", "MemTotal:        100 kB\nMemFree:          10 kB\nMemAvailable:     50 kB\n");
  assert_near(rf_memory_available(root), 50 * 1024, 0);
  put("/proc/self/cgroup", "0::/pod\n");
  put("/sys/fs/cgroup/pod/memory.max", "8000\n");
  put("/sys/fs/cgroup/pod/memory.current", "1000\n");
  assert_near(rf_memory_available(root), 7000, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(the_least_of_nested_groups_counts),
      TEST(a_group_seen_from_inside_is_the_root),
      TEST(version_1_names_the_processors),
      TEST(nothing_to_read_is_no_quota),
      TEST(memory_is_the_least_that_a_group_leaves),
      TEST(memory_of_version_1),
      TEST(available_memory_is_the_least_of_system_and_groups),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
