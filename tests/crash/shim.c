/* Loaded into a program (LD_PRELOAD), writes down what it does to the files of the folder CRASH_FOLDER, in the file CRASH_LOG: a line for
 * each file that is opened, write, truncation, rename, removal and sync. CRASH_UNSYNCED=file or folder: those syncs
 * are left out, as if the program forgot them. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC visibility push(default) /* what stands here takes the place of the C library's */

static void put(const char *text, size_t length) {
  const char *log = getenv("CRASH_LOG");
  long file = log != NULL ? syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
  if (file < 0 || syscall(SYS_write, file, text, length) != (long)length) {
    abort();
  }
  syscall(SYS_close, file);
}

/** The file's name in the folder, "." for the folder itself; NULL: it is elsewhere. */
static const char *name_in(const char *path) {
  const char *folder = getenv("CRASH_FOLDER");
  size_t length = folder != NULL ? strlen(folder) : 0;
  if (length == 0 || strncmp(path, folder, length) != 0) {
    return NULL;
  }
  return path[length] == '/' ? path + length + 1 : path[length] == '\0' ? "." : NULL;
}

/** Name and inode of an open file. */
static const char *name_of(int file, char path[4096], unsigned long long *inode) {
  char link[64];
  struct stat info;
  int kept = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, 4095);
  path[length > 0 ? length : 0] = '\0';
  bool known = fstat(file, &info) == 0;
  *inode = known ? (unsigned long long)info.st_ino : 0;
  errno = kept;
  return known && length > 0 ? name_in(path) : NULL;
}

static void note_open(int file, bool created) {
  char path[4096], line[4200];
  unsigned long long inode;
  const char *name = file >= 0 ? name_of(file, path, &inode) : NULL;
  if (name != NULL && strcmp(name, ".") != 0) {
    put(line, (size_t)snprintf(line, sizeof line, "%s %llu %s\n", created ? "create" : "open", inode, name));
  }
}

static int open_noted(const char *path, int flags, mode_t mode) {
  bool created = (flags & O_CREAT) != 0 && access(path, F_OK) != 0;
  int file = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  if ((flags & O_ACCMODE) != O_RDONLY) {
    note_open(file, created);
  }
  return file;
}

static mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
}

#define OPEN(symbol)                                                                                         \
  int symbol(const char *path, int flags, ...);                                                              \
  int symbol(const char *path, int flags, ...) {                                                             \
    va_list arguments;                                                                                       \
    va_start(arguments, flags);                                                                              \
    int file = open_noted(path, flags, mode_of(flags, arguments));                                           \
    va_end(arguments);                                                                                       \
    return file;                                                                                             \
  }

#undef open64
OPEN(open)
OPEN(open64)
OPEN(__open_2)
OPEN(__open64_2)

int mkstemp(char *path) {
  size_t length = strlen(path);
  snprintf(path + length - 6, 7, "%06x", (unsigned)getpid() & 0xffffff);
  return open_noted(path, O_RDWR | O_CREAT | O_EXCL, 0600);
}

ssize_t write(int file, const void *data, size_t length) {
  char path[4096], line[64];
  unsigned long long inode;
  struct stat info = {.st_size = 0};
  bool noted = name_of(file, path, &inode) != NULL && fstat(file, &info) == 0;
  bool appends = noted && (fcntl(file, F_GETFL) & O_APPEND) != 0;
  off_t at = appends ? info.st_size : noted ? lseek(file, 0, SEEK_CUR) : 0;
  ssize_t written = syscall(SYS_write, file, data, length);
  if (noted && written > 0) {
    size_t start = (size_t)snprintf(line, sizeof line, "write %llu %lld ", inode, (long long)at);
    char *hex = malloc(start + 2 * (size_t)written + 2);
    memcpy(hex, line, start);
    for (ssize_t i = 0; i < written; i++) {
      snprintf(hex + start + 2 * i, 3, "%02x", ((const unsigned char *)data)[i]);
    }
    memcpy(hex + start + 2 * written, "\n", 1);
    put(hex, start + 2 * (size_t)written + 1);
    free(hex);
  }
  return written;
}

static int truncate_noted(int file, off_t length) {
  char path[4096], line[64];
  unsigned long long inode;
  int result = (int)syscall(SYS_ftruncate, file, length);
  if (result == 0 && name_of(file, path, &inode) != NULL) {
    put(line, (size_t)snprintf(line, sizeof line, "truncate %llu %lld\n", inode, (long long)length));
  }
  return result;
}

int ftruncate(int file, off_t length) {
  return truncate_noted(file, length);
}

#undef ftruncate64
int ftruncate64(int file, off64_t length);
int ftruncate64(int file, off64_t length) {
  return truncate_noted(file, length);
}

static int sync_noted(long call, int file) {
  char path[4096], line[64];
  unsigned long long inode;
  int result = (int)syscall(call, file);
  const char *name = result == 0 ? name_of(file, path, &inode) : NULL;
  const char *unsynced = getenv("CRASH_UNSYNCED");
  bool folder = name != NULL && strcmp(name, ".") == 0;
  if (name != NULL && (unsynced == NULL || strcmp(unsynced, folder ? "folder" : "file") != 0)) {
    int length =
        folder ? snprintf(line, sizeof line, "folder\n") : snprintf(line, sizeof line, "sync %llu\n", inode);
    put(line, (size_t)length);
  }
  return result;
}

int fsync(int file) {
  return sync_noted(SYS_fsync, file);
}

int fdatasync(int file) {
  return sync_noted(SYS_fdatasync, file);
}

int rename(const char *from, const char *to) {
  char one[4096] = "", other[4096] = "", line[8300];
  bool noted = realpath(from, one) != NULL;
  int result = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  noted =
      noted && result == 0 && realpath(to, other) != NULL && name_in(one) != NULL && name_in(other) != NULL;
  if (noted) {
    put(line, (size_t)snprintf(line, sizeof line, "rename %s %s\n", name_in(one), name_in(other)));
  }
  return result;
}

int unlink(const char *path) {
  char real[4096], line[4200];
  bool noted = realpath(path, real) != NULL && name_in(real) != NULL;
  int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  if (noted && result == 0) {
    put(line, (size_t)snprintf(line, sizeof line, "unlink %s\n", name_in(real)));
  }
  return result;
}
