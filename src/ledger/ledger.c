/* The file: locking, appending, loading. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger/entry.h"

static roof_status fail(roof_status status, const char *path, roof_error *error) {
  return roof_error_set(error, status, "ledger %s: %s", path, strerror(errno));
}

static int lock(int file, int operation) {
  int result;
  do {
    result = flock(file, operation);
  } while (result != 0 && errno == EINTR);
  return result;
}

/** Reads up to `length` bytes at `offset`; -1 with errno on an error, fewer at the end of the file. */
static ssize_t read_at(int file, char *buffer, size_t length, off_t offset) {
  size_t done = 0;
  while (done < length) {
    ssize_t got = pread(file, buffer + done, length - done, offset + (off_t)done);
    if (got < 0) {
      return -1;
    }
    if (got == 0) {
      break;
    }
    done += (size_t)got;
  }
  return (ssize_t)done;
}

/** The end of a ledger: its last entry, and where the next one goes. */
typedef struct tail {
  roof_ledger_entry last;
  bool any;          /**< `last` is filled */
  bool unterminated; /**< the last entry is whole but its newline is missing */
  off_t end;         /**< end of the last entry; what follows was torn */
} tail;

/** Parses the last bytes of a ledger: at least its last whole line from the start, and what follows.
 */
static const char *parse_tail(const char *text, size_t length, off_t offset, tail *out) {
  const char *newline = memrchr(text, '\n', length);
  const char *rest = newline != NULL ? newline + 1 : text;
  size_t rest_length = length - (size_t)(rest - text);
  if (rest_length > 0 && rf_ledger_entry_read(rest, rest_length, &out->last) == NULL) {
    out->any = out->unterminated = true;
    out->end = offset + (off_t)length;
    return NULL;
  }
  out->end = offset + (rest - text);
  if (newline == NULL) {
    return NULL;
  }
  const char *before = memrchr(text, '\n', (size_t)(newline - text));
  const char *line = before != NULL ? before + 1 : text;
  out->any = true;
  return rf_ledger_entry_read(line, (size_t)(newline - line), &out->last);
}

/** Reads backwards until the last whole line is in memory. */
static roof_status read_tail(int file, const char *path, off_t size, tail *out, roof_error *error) {
  roof_status status = ROOF_OK;
  char *text = NULL;
  size_t window = 1 << 15, newlines = 0;
  off_t offset = size;
  do {
    window = (off_t)(2 * window) < size ? 2 * window : (size_t)size;
    offset = size - (off_t)window;
    char *more = realloc(text, window);
    if (more == NULL) {
      status = roof_error_set(error, ROOF_E_MEMORY, "ledger %s: out of memory", path);
      goto cleanup;
    }
    text = more;
    if (read_at(file, text, window, offset) != (ssize_t)window) {
      status = fail(ROOF_E_OUTPUT, path, error);
      goto cleanup;
    }
    newlines = 0;
    for (size_t i = 0; i < window; i++) {
      newlines += text[i] == '\n';
    }
  } while (newlines < 2 && offset > 0);
  const char *why = parse_tail(text, window, offset, out);
  if (why != NULL) {
    status =
        roof_error_set(error, ROOF_E_PARSE, "ledger %s: its last entry cannot be continued: %s", path, why);
  }
cleanup:
  free(text);
  return status;
}

/** Finds where to append; a file that does not begin as a ledger is left alone. */
static roof_status find_tail(int file, const char *path, tail *out, roof_error *error) {
  struct stat info;
  char start[32];
  if (fstat(file, &info) != 0) {
    return fail(ROOF_E_OUTPUT, path, error);
  }
  if (!S_ISREG(info.st_mode)) {
    return roof_error_set(error, ROOF_E_OUTPUT, "ledger %s: not a regular file", path);
  }
  *out = (tail){0};
  if (info.st_size == 0) {
    return ROOF_OK;
  }
  ssize_t length = read_at(file, start, sizeof start, 0);
  if (length < 0) {
    return fail(ROOF_E_OUTPUT, path, error);
  }
  if (!rf_ledger_begins(start, (size_t)length)) {
    return roof_error_set(error, ROOF_E_PARSE, "ledger %s: not a ledger, so nothing is appended", path);
  }
  return read_tail(file, path, info.st_size, out, error);
}

/** Writes all of `lines` at the end and syncs them, or leaves the file as it was. */
static roof_status write_lines(int file, const char *path, off_t end, const roof_text *lines,
                               roof_error *error) {
  if (ftruncate(file, end) != 0) { /* drops a torn line: it was never an entry */
    return fail(ROOF_E_OUTPUT, path, error);
  }
  ssize_t written = write(file, lines->data, lines->length);
  if (written == (ssize_t)lines->length && fsync(file) == 0) {
    return ROOF_OK;
  }
  errno = written >= 0 && written < (ssize_t)lines->length ? ENOSPC : errno;
  roof_status status = fail(ROOF_E_OUTPUT, path, error);
  if (written > 0 && ftruncate(file, end) != 0) {
    return roof_error_set(error, ROOF_E_OUTPUT, "ledger %s: cannot be written, and a torn line remains",
                          path);
  }
  return status;
}

/** Reads a locked file's first `length` bytes. */
static roof_status read_text(int file, const char *path, off_t length, roof_text *text, roof_error *error) {
  char *data = malloc((size_t)length + 1);
  if (data == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "ledger %s: out of memory", path);
  }
  ssize_t got = read_at(file, data, (size_t)length, 0);
  if (got < 0) {
    roof_status status = fail(ROOF_E_INPUT, path, error);
    free(data);
    return status;
  }
  data[got] = '\0';
  *text = (roof_text){.data = data, .length = (size_t)got, .capacity = (size_t)length + 1};
  return ROOF_OK;
}

/** Lets the caller see what the ledger holds before its own entries are added. */
static roof_status complete_list(int file, const char *path, const tail *end, json_t *list,
                                 ledger_completer *complete, void *user, roof_error *error) {
  roof_text text = {0};
  roof_ledger_entries before = {0};
  roof_status status = read_text(file, path, end->end, &text, error);
  if (status == ROOF_OK && end->unterminated) {
    roof_text_add(&text, "\n");
  }
  if (status == ROOF_OK) {
    status = rf_ledger_read(text.data, text.length, path, false, &before, error);
  }
  if (status == ROOF_OK) {
    status = complete(list, &before, user, error);
  }
  free(before.entries);
  roof_text_done(&text);
  return status;
}

/** The lines of `list`, each after the one before. */
static roof_status write_list(const tail *end, json_t *list, const ledger_key *key, roof_text *lines,
                              roof_error *error) {
  ledger_link link = end->any ? rf_ledger_link_after(&end->last) : rf_ledger_link_first();
  roof_status status = ROOF_OK;
  roof_text_add(lines, end->unterminated ? "\n" : "");
  for (size_t i = 0; i < json_array_size(list) && status == ROOF_OK; i++) {
    status = rf_ledger_entry_write(&link, json_array_get(list, i), key, lines, error);
  }
  return status;
}

roof_status rf_ledger_append(const char *path, json_t *list, const char *key_path, ledger_completer *complete,
                             void *user, roof_error *error) {
  roof_text lines = {0};
  ledger_key key;
  tail end = {0};
  roof_status status = key_path != NULL ? rf_ledger_key_load(key_path, &key, error) : ROOF_OK;
  if (status != ROOF_OK) {
    return status;
  }
  int file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) {
    status = fail(ROOF_E_OUTPUT, path, error);
    goto cleanup;
  }
  status = lock(file, LOCK_EX) != 0 ? fail(ROOF_E_OUTPUT, path, error) : find_tail(file, path, &end, error);
  if (status == ROOF_OK && complete != NULL) {
    status = complete_list(file, path, &end, list, complete, user, error);
  }
  if (status == ROOF_OK) {
    status = write_list(&end, list, key_path != NULL ? &key : NULL, &lines, error);
  }
  if (status == ROOF_OK) {
    status = write_lines(file, path, end.end, &lines, error);
  }
  close(file); /* unlocks */
cleanup:
  roof_text_done(&lines);
  if (key_path != NULL) {
    rf_ledger_key_done(&key);
  }
  return status;
}

roof_status rf_ledger_load(const char *path, bool signatures, roof_ledger_entries *out, roof_text *text,
                           roof_error *error) {
  roof_text read = {0};
  roof_ledger_entries all = {0};
  struct stat info;
  roof_status status = ROOF_OK;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || lock(file, LOCK_SH) != 0 || fstat(file, &info) != 0) {
    status = fail(ROOF_E_INPUT, path, error);
  } else if (!S_ISREG(info.st_mode)) {
    status = roof_error_set(error, ROOF_E_INPUT, "ledger %s: not a regular file", path);
  } else {
    status = read_text(file, path, info.st_size, &read, error);
  }
  if (file >= 0) {
    close(file);
  }
  if (status == ROOF_OK) {
    status = rf_ledger_read(read.data, read.length, path, signatures, &all, error);
  }
  if (status == ROOF_OK) {
    status = rf_ledger_check(&all, path, error);
  }
  if (status == ROOF_OK) {
    *out = all;
  } else {
    free(all.entries);
  }
  if (status == ROOF_OK && text != NULL) {
    roof_text_add_bytes(text, read.data, read.length);
  }
  roof_text_done(&read);
  return status;
}
