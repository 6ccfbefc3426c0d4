/* The commit that the working folder is at. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "roofline/ledger.h"

/** Starts a program of PATH that writes to `output`, its errors not shown; an error of errno, or 0. */
static int start(char *const argv[], const int output[2], pid_t *child) {
  posix_spawn_file_actions_t actions;
  int code = posix_spawn_file_actions_init(&actions);
  if (code != 0) {
    return code;
  }
  code = posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  code =
      code == 0 ? posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) : code;
  code = code == 0 ? posix_spawn_file_actions_addclose(&actions, output[0]) : code;
  code = code == 0 ? posix_spawnp(child, argv[0], &actions, NULL, argv, environ) : code;
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

/** Keeps the start of what a program prints, "" unless it ends well; an error of errno where it cannot be started. */
static int first_output(char *const argv[], char *buffer, size_t size) {
  int ends[2], result = -1;
  pid_t child = -1;
  size_t length = 0;
  if (pipe(ends) != 0) {
    return errno;
  }
  int code = start(argv, ends, &child);
  close(ends[1]);
  for (ssize_t got = 1; code == 0 && got > 0 && length < size - 1; length += (size_t)got) {
    got = read(ends[0], buffer + length, size - 1 - length);
    got = got > 0 ? got : 0;
  }
  close(ends[0]);
  bool well = code == 0 && waitpid(child, &result, 0) == child && result == 0;
  buffer[well ? length : 0] = '\0';
  return code;
}

roof_status roof_ledger_commit(char commit[ROOF_DIGEST_MAX], roof_error *error) {
  char *const argv[] = {"git", "rev-parse", "--verify", "--quiet", "HEAD", NULL};
  char line[ROOF_DIGEST_MAX + 1] = "";
  int code = first_output(argv, line, sizeof line);
  if (code == ENOMEM || code == EAGAIN || code == EMFILE || code == ENFILE) { /* else there is no git */
    return roof_error_set(error, code == ENOMEM ? ROOF_E_MEMORY : ROOF_E_UNSUPPORTED,
                          "the commit of this folder: %s", strerror(code));
  }
  size_t length = strspn(line, "0123456789abcdef");
  bool is_commit = (length == 40 || length == 64) && line[length] == '\n';
  memcpy(commit, line, is_commit ? length : 0);
  commit[is_commit ? length : 0] = '\0';
  return ROOF_OK;
}
