/* The commit of the working folder, read from the files of git itself. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ledger/seal.h"

enum { PATH = 4096, LINE = 1024 };

/** The first line of FOLDER/NAME; false when there is none. */
static bool read_line(const char *folder, const char *name, char line[LINE]) {
  char path[PATH];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH) {
    return false;
  }
  FILE *file = fopen(path, "r");
  bool got = file != NULL && fgets(line, LINE, file) != NULL;
  if (file != NULL) {
    fclose(file);
  }
  line[got ? strcspn(line, "\r\n") : 0] = '\0';
  return got;
}

/** `path` as seen from `folder`; false when it is too long. */
static bool join(char out[PATH], const char *folder, const char *path) {
  bool absolute = path[0] == '/';
  return snprintf(out, PATH, "%s%s%s", absolute ? "" : folder, absolute ? "" : "/", path) < PATH;
}

/** The folder git keeps its files in: `.git`, or where a file of that name points (worktrees). */
static bool find_git(char git[PATH]) {
  static const char points[] = "gitdir: ";
  char folder[PATH], line[LINE];
  if (getcwd(folder, sizeof folder) == NULL) {
    return false;
  }
  for (;;) {
    if (read_line(folder, ".git/HEAD", line)) {
      return join(git, folder, ".git");
    }
    if (read_line(folder, ".git", line) && strncmp(line, points, sizeof points - 1) == 0) {
      return join(git, folder, line + sizeof points - 1);
    }
    char *slash = strrchr(folder, '/');
    if (slash == NULL || folder[1] == '\0') {
      return false;
    }
    slash[slash == folder ? 1 : 0] = '\0';
  }
}

/** A reference among the packed ones: lines `COMMIT NAME`. */
static bool find_packed(const char *folder, const char *name, char line[LINE]) {
  char path[PATH];
  snprintf(path, sizeof path, "%.4000s/packed-refs", folder);
  FILE *file = fopen(path, "r");
  bool found = false;
  while (file != NULL && !found && fgets(line, LINE, file) != NULL) {
    line[strcspn(line, "\r\n")] = '\0';
    char *space = strchr(line, ' ');
    found = line[0] != '#' && space != NULL && strcmp(space + 1, name) == 0;
    if (found) {
      *space = '\0';
    }
  }
  if (file != NULL) {
    fclose(file);
  }
  return found;
}

static bool is_commit(const char *text) {
  size_t length = strspn(text, "0123456789abcdef");
  return text[length] == '\0' && (length == 40 || length == 64);
}

void cli_commit(char *buffer, size_t size) {
  static const char refers[] = "ref: ";
  char git[PATH], common[PATH], line[LINE], name[LINE];
  buffer[0] = '\0';
  if (!find_git(git) || !read_line(git, "HEAD", line)) {
    return;
  }
  if (strncmp(line, refers, sizeof refers - 1) == 0) {
    snprintf(name, sizeof name, "%s", line + sizeof refers - 1);
    snprintf(common, sizeof common, "%s", git);
    if (read_line(git, "commondir", line) && !join(common, git, line)) {
      return;
    }
    if (!read_line(git, name, line) && !read_line(common, name, line) && !find_packed(common, name, line)) {
      return;
    }
  }
  if (is_commit(line)) {
    snprintf(buffer, size, "%s", line);
  }
}
