#include "ledger/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "host/write.h"
#include "roofline/ledger.h"

static struct {
  roof_ledger_listener *listener;
  void *user;
} heard;

void roof_ledger_listen(roof_ledger_listener *listener, void *user) {
  heard.listener = listener;
  heard.user = user;
}

void rf_ledger_report(const char *sentence) {
  if (heard.listener != NULL) {
    heard.listener(heard.user, sentence);
  }
}

static roof_status fail(roof_status status, const char *path, roof_error *error) {
  return roof_error_set(error, status, "ledger %s: %s%s", path, strerror(errno),
                        status == ROOF_E_INPUT && errno == ENOENT ? "; `roofline seal` begins one" : "");
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void report_waiting(const char *path) {
  char sentence[512];
  snprintf(sentence, sizeof sentence, "ledger %.400s: waiting for another program that holds its lock", path);
  rf_ledger_report(sentence);
}

/** Takes the lock; 1 where another program held it for `patience` seconds, -1 with errno. */
static int lock(int file, int operation, double patience, const char *path) {
  const struct timespec most = {.tv_nsec = 50000000};
  struct timespec pause = {.tv_nsec = 1000000};
  double start = now();
  bool said = false;
  while (flock(file, operation | LOCK_NB) != 0) {
    double waited = now() - start;
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return -1;
    }
    if (waited > patience) {
      return 1;
    }
    if (waited > 1 && !said) {
      said = true;
      report_waiting(path);
    }
    nanosleep(&pause, NULL);
    pause.tv_nsec = 2 * pause.tv_nsec < most.tv_nsec ? 2 * pause.tv_nsec : most.tv_nsec;
  }
  return 0;
}

/** Opens the file that the path names now, without waiting for the other end of a pipe. */
static roof_status open_regular(ledger_file *file, bool append, roof_error *error) {
  roof_status status = append ? ROOF_E_OUTPUT : ROOF_E_INPUT;
  struct stat info;
  int flags = (append ? O_RDWR | O_APPEND : O_RDONLY) | O_NONBLOCK | O_CLOEXEC;
  file->number = open(file->path, flags);
  file->created = append && file->number < 0 && errno == ENOENT;
  if (file->created) {
    file->number = open(file->path, flags | O_CREAT, 0666);
  }
  if ((file->number < 0 && errno != ENXIO) || (file->number >= 0 && fstat(file->number, &info) != 0)) {
    return fail(status, file->path, error);
  }
  return file->number >= 0 && S_ISREG(info.st_mode)
             ? ROOF_OK
             : roof_error_set(error, status, "ledger %s: not a regular file", file->path);
}

/** Whether the path still names the open file: another may have taken its place while the lock was waited for. */
static bool is_current(ledger_file *file) {
  struct stat open_one, named;
  bool same = fstat(file->number, &open_one) == 0 && stat(file->path, &named) == 0 &&
              open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
  file->length = open_one.st_size;
  file->mode = open_one.st_mode & 0777;
  return same;
}

roof_status rf_ledger_file_open(const char *path, bool append, double patience, ledger_file *file,
                                roof_error *error) {
  ledger_file opened = {.path = path, .number = -1};
  roof_status status, refused = append ? ROOF_E_OUTPUT : ROOF_E_INPUT;
  for (;;) {
    status = open_regular(&opened, append, error);
    int locked = status == ROOF_OK ? lock(opened.number, append ? LOCK_EX : LOCK_SH, patience, path) : 0;
    if (locked < 0) {
      status = fail(refused, path, error);
    } else if (locked > 0) {
      status = roof_error_set(error, refused, "ledger %s: another program has held its lock for %.0f s", path,
                              patience);
    }
    if (status != ROOF_OK || is_current(&opened)) {
      break;
    }
    rf_ledger_file_close(&opened);
  }
  if (status != ROOF_OK) {
    rf_ledger_file_close(&opened);
  } else {
    *file = opened;
  }
  return status;
}

void rf_ledger_file_discard(const ledger_file *file) {
  char real[PATH_MAX]; /* the file itself, where the path is a link */
  struct stat open_one, named;
  bool empty = file->created && file->length == 0;
  if (empty && realpath(file->path, real) != NULL && fstat(file->number, &open_one) == 0 &&
      stat(real, &named) == 0 && open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino) {
    unlink(real);
  }
}

void rf_ledger_file_close(ledger_file *file) {
  if (file->number >= 0) {
    close(file->number);
  }
  file->number = -1;
}

roof_status rf_ledger_file_read(const ledger_file *file, size_t most, roof_text *text, roof_error *error) {
  size_t length = (size_t)file->length < most ? (size_t)file->length : most, done = 0;
  char *data = malloc(length + 1);
  if (data == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "ledger %s: out of memory", file->path);
  }
  for (ssize_t got = 1; done < length && got > 0; done += (size_t)got) {
    got = pread(file->number, data + done, length - done, (off_t)done);
    if (got < 0) {
      roof_status status = fail(ROOF_E_INPUT, file->path, error);
      free(data);
      return status;
    }
  }
  data[done] = '\0';
  *text = (roof_text){.data = data, .length = done, .capacity = length + 1};
  return ROOF_OK;
}

bool rf_ledger_torn_name(const char *path, size_t number, char *name, size_t size) {
  int needed =
      number == 1 ? snprintf(name, size, "%s.torn", path) : snprintf(name, size, "%s.torn.%zu", path, number);
  return needed > 0 && needed < (int)size;
}

/** A torn end is a person's to judge: no file of an earlier one is written over. */
static roof_status keep(const ledger_file *file, const char *data, size_t length, char *kept, size_t size,
                        roof_error *error) {
  roof_status status = ROOF_E_OUTPUT;
  size_t count = 1;
  do {
    errno = ENAMETOOLONG;
    bool fits = rf_ledger_torn_name(file->path, count, kept, size);
    status = fits ? rf_write_new(kept, file->mode, data, length) : ROOF_E_OUTPUT;
  } while (status != ROOF_OK && errno == EEXIST && ++count < 10000);
  return status == ROOF_OK ? status
                           : roof_error_set(error, status, "ledger %s: its torn end cannot be kept in %s: %s",
                                            file->path, kept, strerror(errno));
}

roof_status rf_ledger_file_cut(ledger_file *file, const roof_text *text, size_t from, char *kept, size_t size,
                               roof_error *error) {
  roof_status status = keep(file, text->data + from, text->length - from, kept, size, error);
  if (status == ROOF_OK && (ftruncate(file->number, (off_t)from) != 0 || fsync(file->number) != 0)) {
    status = roof_error_set(error, ROOF_E_OUTPUT, "ledger %s: its torn end cannot be cut off: %s", file->path,
                            strerror(errno));
  }
  file->length = status == ROOF_OK ? (off_t)from : file->length;
  return status;
}

/** The folder of the file itself, where the path is a link. */
static bool sync_folder(const char *path) {
  char *real = realpath(path, NULL);
  bool synced = real != NULL && rf_write_sync_folder(real);
  free(real);
  return synced;
}

roof_status rf_ledger_file_add(ledger_file *file, const roof_text *lines, roof_error *error) {
  ssize_t written = write(file->number, lines->data, lines->length);
  if (written == (ssize_t)lines->length && fsync(file->number) == 0 &&
      (file->length > 0 || sync_folder(file->path))) {
    return ROOF_OK;
  }
  errno = written >= 0 && written < (ssize_t)lines->length ? ENOSPC : errno;
  roof_status status = fail(ROOF_E_OUTPUT, file->path, error);
  if (written > 0 && ftruncate(file->number, file->length) != 0) {
    return roof_error_set(error, ROOF_E_OUTPUT, "ledger %s: cannot be written, and a torn line remains",
                          file->path);
  }
  return status;
}
