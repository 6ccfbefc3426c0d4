#include "host/groups.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/probe.h"

enum { LINE = 1024, PATH = 3 * LINE };

/** True when `controller` is among those of `list`, which ends with a colon. */
static bool names(const char *list, const char *controller) {
  size_t wanted = strlen(controller);
  for (size_t length = strcspn(list, ",:"); length > 0; length = strcspn(list, ",:")) {
    if (length == wanted && strncmp(list, controller, length) == 0) {
      return true;
    }
    list += length + (list[length] == ',');
  }
  return false;
}

/** The group in a line `ID:CONTROLLERS:GROUP`, or NULL: version 2 has one line for all, without
 * controllers. */
static char *group_in(char *line, const char *controller, bool second) {
  char *list = strchr(line, ':'), *group = list != NULL ? strchr(list + 1, ':') : NULL;
  bool found = group != NULL && (second ? strncmp(line, "0::", 3) == 0 : names(list + 1, controller));
  if (found) {
    group[strcspn(group, "\n")] = '\0';
  }
  return found ? group + 1 : NULL;
}

static bool find_group(const char *root, const char *controller, bool second, char *group, size_t size) {
  char path[PATH], line[LINE];
  bool found = false;
  snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
  FILE *file = fopen(path, "re");
  while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
    const char *name = group_in(line, controller, second);
    found = name != NULL;
    snprintf(group, size, "%s", found ? name : "");
  }
  if (file != NULL) {
    fclose(file);
  }
  return found;
}

/** The group, then each above it; its name is shortened meanwhile. */
static bool climb(const char *root, const char *hierarchy, char *group, bool second, rf_group_visit *visit,
                  void *user) {
  bool spoke = false;
  for (;;) {
    char folder[PATH];
    snprintf(folder, sizeof folder, "%s%s", hierarchy, strcmp(group, "/") == 0 ? "" : group);
    spoke |= visit(user, root, folder, second);
    char *slash = strrchr(group, '/');
    if (slash == NULL || group[0] == '\0') {
      return spoke;
    }
    *slash = '\0';
  }
}

bool rf_groups_visit(const char *root, const char *controller, rf_group_visit *visit, void *user,
                     bool *second) {
  char hierarchy[64], group[LINE];
  for (int version = 2; version >= 1; version--) {
    snprintf(hierarchy, sizeof hierarchy, "/sys/fs/cgroup%s%.32s", version == 2 ? "" : "/",
             version == 2 ? "" : controller);
    if (find_group(root, controller, version == 2, group, sizeof group) &&
        climb(root, hierarchy, group, version == 2, visit, user)) {
      if (second != NULL) {
        *second = version == 2;
      }
      return true;
    }
  }
  return false;
}

static double number_in(const char *root, const char *folder, const char *name) {
  char path[2 * PATH];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return rf_probe_number(root, path, "");
}

typedef struct allowance {
  double limit, left;
} allowance;

/** "max" is no number and no limit; of version 1 that is a number no memory has. */
static bool read_memory(void *user, const char *root, const char *folder, bool second) {
  allowance *a = user;
  double limit = number_in(root, folder, second ? "memory.max" : "memory.limit_in_bytes");
  double used = number_in(root, folder, second ? "memory.current" : "memory.usage_in_bytes");
  a->limit = fmin(a->limit, limit); /* fmin passes over NaN */
  a->left = fmin(a->left, limit - used);
  return !isnan(used);
}

static allowance memory_of(const char *root) {
  allowance a = {INFINITY, INFINITY};
  rf_groups_visit(root, "memory", read_memory, &a, NULL);
  return a;
}

double rf_groups_memory(const char *root) {
  return memory_of(root).left;
}

double rf_groups_memory_limit(const char *root) {
  return memory_of(root).limit;
}
