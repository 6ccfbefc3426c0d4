#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/write.h"

static int write_all(int file, const char *data, size_t length) {
  while (length > 0) {
    ssize_t written = write(file, data, length);
    if (written < 0 && errno != EINTR) {
      return -1;
    }
    if (written > 0) {
      data += written;
      length -= (size_t)written;
    }
  }
  return fsync(file) == 0 || errno == EINVAL ? 0 : -1; /* a device has nothing to sync */
}

bool rf_write_sync_folder(const char *path) {
  char copy[4096];
  snprintf(copy, sizeof copy, "%s", path);
  int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    return errno == EACCES;
  }
  bool synced = fsync(folder) == 0 || errno == EINVAL;
  int why = errno;
  close(folder);
  errno = why;
  return synced;
}

roof_status rf_write_new(const char *path, mode_t mode, const char *data, size_t length) {
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0) {
    return ROOF_E_OUTPUT;
  }
  bool good = write_all(file, data, length) == 0;
  good = close(file) == 0 && good && rf_write_sync_folder(path);
  int why = errno;
  if (!good) {
    unlink(path);
  }
  errno = why;
  return good ? ROOF_OK : ROOF_E_OUTPUT;
}

/** Devices, pipes, open files by their number: a rename would put a file in their place. */
bool rf_write_in_place(const char *path) {
  struct stat info;
  bool numbered = strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/self/fd/", 14) == 0;
  return numbered || (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
}

static roof_status write_special(const char *path, const char *data, size_t length, roof_error *error) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  bool good = file >= 0 && write_all(file, data, length) == 0;
  int why = errno;
  if (file >= 0) {
    close(file);
  }
  return good ? ROOF_OK : roof_error_set(error, ROOF_E_OUTPUT, "%s: %s", path, strerror(why));
}

/** The file that `path` names, through links: the one to be replaced. False with errno where a link leads nowhere. */
static bool find_target(const char *path, char target[PATH_MAX], mode_t *mode) {
  struct stat info;
  mode_t mask = umask(0);
  umask(mask);
  *mode = 0666 & ~mask;
  if (realpath(path, target) != NULL && stat(target, &info) == 0) {
    *mode = info.st_mode & 0777;
    return true;
  }
  return lstat(path, &info) != 0 && snprintf(target, PATH_MAX, "%s", path) < PATH_MAX;
}

/** Fills the open file under its temporary name and gives it the other. */
static bool settle(int file, const char *temporary, const char *target, mode_t mode, const char *data,
                   size_t length) {
  bool good = write_all(file, data, length) == 0 && fchmod(file, mode) == 0;
  int why = errno;
  if (close(file) != 0 && good) {
    good = false;
    why = errno;
  }
  if (good && rename(temporary, target) == 0) {
    return true;
  }
  why = good ? errno : why;
  unlink(temporary);
  errno = why;
  return false;
}

roof_status rf_write_file(const char *path, const char *data, size_t length, roof_error *error) {
  char target[PATH_MAX], temporary[PATH_MAX];
  mode_t mode;
  if (rf_write_in_place(path)) {
    return write_special(path, data, length, error);
  }
  if (!find_target(path, target, &mode)) {
    return roof_error_set(error, ROOF_E_OUTPUT, "%s: a link that leads nowhere", path);
  }
  if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", target) >= (int)sizeof temporary) {
    return roof_error_set(error, ROOF_E_OUTPUT, "%.40s...: the name is too long", path);
  }
  int file = mkstemp(temporary);
  if (file < 0 || !settle(file, temporary, target, mode, data, length)) {
    return roof_error_set(error, ROOF_E_OUTPUT, "%s: %s", path, strerror(errno));
  }
  return rf_write_sync_folder(target)
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_OUTPUT, "%s: its folder cannot be synced: %s", path,
                              strerror(errno));
}

roof_status rf_temporary_name(char *path, size_t size, const char *name, roof_error *error) {
  const char *parent = secure_getenv("TMPDIR");
  bool given = parent != NULL && parent[0] != '\0';
  int length = snprintf(path, size, "%s/%s", given ? parent : "/tmp", name);
  return length > 0 && (size_t)length < size
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_OUTPUT, "TMPDIR: a name of more than %zu bytes", size);
}

roof_status rf_write_check(const char *path, bool stream, roof_error *error) {
  char copy[4096];
  struct stat info;
  snprintf(copy, sizeof copy, "%s", path);
  bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
  if (folder || (!stream && access(dirname(copy), W_OK) != 0)) {
    return roof_error_set(error, ROOF_E_OUTPUT, "%s: %s", path, strerror(folder ? EISDIR : errno));
  }
  return ROOF_OK;
}
