#include <errno.h>
#include <fcntl.h>
#include <math.h>
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
  ledger_entry last;
  bool any;          /**< `last` is filled */
  bool unterminated; /**< the last entry is whole but its newline is missing */
  off_t end;         /**< end of the last entry; what follows was torn */
} tail;

/** Makes sense of the last bytes of a ledger: at least its last whole line from the start, and what follows.
 */
static const char *parse_tail(const char *text, size_t length, off_t offset, tail *out) {
  const char *newline = memrchr(text, '\n', length);
  const char *rest = newline != NULL ? newline + 1 : text;
  size_t rest_length = length - (size_t)(rest - text);
  if (rest_length > 0 && ledger_entry_read(rest, rest_length, false, NULL, &out->last) == NULL) {
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
  return ledger_entry_read(line, (size_t)(newline - line), false, NULL, &out->last);
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
  if (!ledger_begins(start, (size_t)length)) {
    return roof_error_set(error, ROOF_E_PARSE, "ledger %s: not a ledger, so nothing is appended", path);
  }
  return read_tail(file, path, info.st_size, out, error);
}

/** Writes all of `line` at the end and syncs it, or leaves the file as it was. */
static roof_status write_line(int file, const char *path, off_t end, const roof_text *line,
                              roof_error *error) {
  if (ftruncate(file, end) != 0) { /* drops a torn line: it was never an entry */
    return fail(ROOF_E_OUTPUT, path, error);
  }
  ssize_t written = write(file, line->data, line->length);
  if (written == (ssize_t)line->length && fsync(file) == 0) {
    return ROOF_OK;
  }
  errno = written >= 0 && written < (ssize_t)line->length ? ENOSPC : errno;
  roof_status status = fail(ROOF_E_OUTPUT, path, error);
  if (written > 0 && ftruncate(file, end) != 0) {
    return roof_error_set(error, ROOF_E_OUTPUT, "ledger %s: cannot be written, and a torn line remains",
                          path);
  }
  return status;
}

static roof_status append(const char *path, json_t *fields, roof_error *error) {
  roof_text line = {0};
  tail end;
  int file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) {
    return fail(ROOF_E_OUTPUT, path, error);
  }
  roof_status status =
      lock(file, LOCK_EX) != 0 ? fail(ROOF_E_OUTPUT, path, error) : find_tail(file, path, &end, error);
  if (status != ROOF_OK) {
    goto cleanup;
  }
  if (end.unterminated) {
    roof_text_add(&line, "\n");
  }
  status = ledger_entry_write(end.any ? &end.last : NULL, fields, &line, error);
  if (status == ROOF_OK) {
    status = write_line(file, path, end.end, &line, error);
  }
cleanup:
  roof_text_done(&line);
  close(file); /* unlocks */
  return status;
}

/** A number that reads back as the same double; null when unknown. */
static json_t *number(double value) {
  if (!isfinite(value)) {
    return json_null();
  }
  return fabs(value) < 0x1p53 && value == floor(value) ? json_integer((json_int_t)value) : json_real(value);
}

static roof_status check(const char *label, double seconds, roof_error *error) {
  size_t length = strlen(label);
  if (length == 0 || length >= ROOF_LABEL_MAX) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "label `%.40s`: must have 1 to %d bytes", label,
                          ROOF_LABEL_MAX - 1);
  }
  if (!(seconds > 0 && isfinite(seconds))) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: its time is unknown, so there is nothing to seal",
                          label);
  }
  return ROOF_OK;
}

/** Appends `fields` and drops them; NULL fields tell through `why` what could not be written: text that is
 * not UTF-8, else memory was short. */
static roof_status append_fields(const char *path, const char *label, json_t *fields, const json_error_t *why,
                                 roof_error *error) {
  if (fields == NULL) {
    return json_error_code(why) == json_error_invalid_utf8
               ? roof_error_set(error, ROOF_E_ARGUMENT, "%s: %s", label, why->text)
               : roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", label);
  }
  roof_status status = append(path, fields, error);
  json_decref(fields);
  return status;
}

roof_status roof_ledger_seal(const char *path, const char *label, const char *machine, const char *op,
                             const char *parameters, roof_dtype dtype, const roof_prediction *p,
                             roof_error *error) {
  char binding[64];
  json_error_t why;
  roof_status status = check(label, p->lower_seconds, error);
  if (status == ROOF_OK) {
    status = check(label, p->expected_seconds, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  json_t *fields = json_pack_ex(
      &why, 0, "{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:{s:o, s:o, s:o, s:o, s:o}, s:s, s:s}", "kind",
      "prediction", "label", label, "machine", machine, "op", op, "parameters", parameters, "dtype",
      roof_dtype_name(dtype), "flops", number(p->work.flops), "bytes", number(p->bytes), "seconds", "lower",
      number(p->lower_seconds), "upper", number(p->upper_seconds), "expected", number(p->expected_seconds),
      "expected_low", number(p->expected_low_seconds), "expected_high", number(p->expected_high_seconds),
      "regime", roof_regime_name(p->regime), "binding", roof_prediction_binding(p, binding, sizeof binding));
  return append_fields(path, label, fields, &why, error);
}

roof_status roof_ledger_record(const char *path, const roof_measurement *m, roof_error *error) {
  json_error_t why;
  roof_status status = check(m->label, m->seconds, error);
  if (status != ROOF_OK) {
    return status;
  }
  json_t *samples = json_array();
  bool kept = true;
  for (size_t i = 0; i < m->sample_count && kept; i++) {
    kept = json_array_append_new(samples, number(m->samples[i])) == 0;
  }
  if (!kept) {
    json_decref(samples);
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", m->label);
  }
  json_t *fields = json_pack_ex(
      &why, 0, "{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:s}", "kind", "measurement", "label", m->label,
      "machine", m->machine, "dtype", roof_dtype_name(m->dtype), "seconds", number(m->seconds), "samples",
      samples, "flops", number(m->flops), "bytes", number(m->bytes), "counted", m->counted, "note", m->note);
  return append_fields(path, m->label, fields, &why, error);
}

roof_status ledger_load(const char *path, ledger_entries *out, roof_error *error) {
  roof_text text = {0};
  char block[1 << 14];
  ssize_t got = 0;
  roof_status status = ROOF_OK;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || lock(file, LOCK_SH) != 0) {
    status = fail(ROOF_E_INPUT, path, error);
    goto cleanup;
  }
  while ((got = read(file, block, sizeof block)) > 0) {
    roof_text_add_bytes(&text, block, (size_t)got);
  }
  if (got < 0) {
    status = fail(ROOF_E_INPUT, path, error);
  } else if (text.failed) {
    status = roof_error_set(error, ROOF_E_MEMORY, "ledger %s: out of memory", path);
  } else {
    status = ledger_read(text.data != NULL ? text.data : "", text.length, path, out, error);
  }
cleanup:
  roof_text_done(&text);
  if (file >= 0) {
    close(file);
  }
  return status;
}

roof_status roof_ledger_verify(const char *path, size_t *entries, roof_error *error) {
  ledger_entries ledger;
  roof_status status = ledger_load(path, &ledger, error);
  if (status == ROOF_OK) {
    *entries = ledger.count;
    free(ledger.entries);
  }
  return status;
}
