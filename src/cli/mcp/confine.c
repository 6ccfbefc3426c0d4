#include "cli/mcp/confine.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "catalog/folders.h"

#define READS (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITES (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG)
#define OTHERS                                                                                               \
  (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_CHAR |               \
   LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |               \
   LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)

/** What libraries read: themselves, fonts for PNG, and what the system says of itself. */
static const char *const system_places[] = {"/usr",
                                            "/lib",
                                            "/lib64",
                                            "/etc/ld.so.cache",
                                            "/etc/fonts",
                                            "/etc/localtime",
                                            "/var/cache/fontconfig",
                                            "/proc/self",
                                            "/sys",
                                            "/dev/null",
                                            "/dev/urandom",
                                            "/proc/meminfo",
                                            "/proc/cpuinfo"};

roof_status cli_mcp_limits_add(cli_mcp_limits *l, const char *folder, roof_error *error) {
  if (l->count == CLI_MCP_ROOTS) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--root: more than %d", CLI_MCP_ROOTS);
  }
  char *real = realpath(folder, NULL);
  if (real == NULL) {
    return roof_error_set(error, ROOF_E_INPUT, "--root %.200s: no such folder", folder);
  }
  l->roots[l->count++] = real;
  return ROOF_OK;
}

void cli_mcp_limits_done(cli_mcp_limits *l) {
  while (l->count > 0) {
    free(l->roots[--l->count]);
  }
}

static bool is_below(const char *path, const char *root) {
  size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
  return strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static bool is_inside(const cli_mcp_limits *l, const char *path) {
  for (int i = 0; i < l->count; i++) {
    if (is_below(path, l->roots[i])) {
      return true;
    }
  }
  return false;
}

/** Whether `path` is a file outside, or would be one. */
static bool is_outside(const cli_mcp_limits *l, const char *path) {
  char real[PATH_MAX], copy[PATH_MAX];
  if (strlen(path) >= sizeof copy) {
    return true;
  }
  if (realpath(path, real) != NULL) {
    return !is_inside(l, real);
  }
  strcpy(copy, path);
  bool placed = strchr(path, '/') != NULL && realpath(dirname(copy), real) != NULL;
  return placed && !is_inside(l, real);
}

static roof_status refuse(const char *path, roof_error *error) {
  return roof_error_set(error, ROOF_E_INPUT, "`%.200s`: outside the folders that are served (--root)", path);
}

/** Refuses what is a file outside among the parts of `text` that `separators` cut. */
static roof_status check_parts(const cli_mcp_limits *l, const char *text, const char *separators,
                               roof_error *error) {
  char *copy = strdup(text), *rest = NULL;
  roof_status status = copy != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "mcp: out of memory");
  for (char *part = status == ROOF_OK ? strtok_r(copy, separators, &rest) : NULL;
       part != NULL && status == ROOF_OK; part = strtok_r(NULL, separators, &rest)) {
    status = is_outside(l, part) ? refuse(part, error) : ROOF_OK;
  }
  free(copy);
  return status;
}

roof_status cli_mcp_limits_check(const cli_mcp_limits *l, const char *word, roof_error *error) {
  if (is_outside(l, word)) {
    return refuse(word, error);
  }
  const char *value = strchr(word, '=');
  roof_status status = value != NULL && is_outside(l, value + 1) ? refuse(value + 1, error) : ROOF_OK;
  return status == ROOF_OK ? check_parts(l, word, ",= ", error) : status;
}

/** Gives `access` below a place; one that is not there needs none. */
static bool give(int rules, const char *place, unsigned long long access) {
  int file = open(place, O_PATH | O_CLOEXEC);
  if (file < 0) {
    return true;
  }
  struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = file};
  struct stat info;
  if (fstat(file, &info) == 0 && !S_ISDIR(info.st_mode)) {
    rule.allowed_access &= LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
  }
  bool good = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
  close(file);
  return good;
}

/** Rules that get one folder more at a time. */
typedef struct giving {
  int rules;
  bool good;
} giving;

static bool give_folder(const char *folder, void *context) {
  giving *g = context;
  g->good = give(g->rules, folder, READS);
  return !g->good;
}

/** Folders of machines that the user set up. */
static bool give_catalogue(int rules) {
  giving g = {rules, true};
  bool failed = false;
  rf_catalog_folders(give_folder, &g, &failed);
  return g.good && !failed;
}

static bool give_all(int rules, const cli_mcp_limits *l) {
  bool good = give_catalogue(rules);
  for (size_t i = 0; i < sizeof system_places / sizeof system_places[0] && good; i++) {
    good = give(rules, system_places[i], READS);
  }
  for (int i = 0; i < l->count && good; i++) {
    good = give(rules, l->roots[i], l->may_write ? READS | WRITES : READS);
  }
  return good;
}

bool cli_mcp_limits_enforced(void) {
  return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 1;
}

bool cli_mcp_limits_apply(const cli_mcp_limits *l) {
  const struct landlock_ruleset_attr handled = {.handled_access_fs = READS | WRITES | OTHERS};
  const struct rlimit nothing = {0, 0};
  if (!l->may_write) {
    (void)setrlimit(RLIMIT_FSIZE, &nothing);
  }
  int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
  bool good = rules >= 0 && give_all(rules, l) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
              syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  if (rules >= 0) {
    close(rules);
  }
  return good;
}
