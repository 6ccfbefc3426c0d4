/* Appending and loading. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/entry.h"
#include "ledger/file.h"

/** A file that does not begin as a ledger is left alone, and not read further. */
static roof_status check_start(const ledger_file *file, roof_error *error) {
  enum { START = 32 };
  roof_text text = {0};
  roof_status status = rf_ledger_file_read(file, START, &text, error);
  if (status == ROOF_OK && text.length > 0 && !rf_ledger_begins(text.data, text.length)) {
    status =
        roof_error_set(error, ROOF_E_PARSE, "ledger %s: not a ledger, so nothing is appended", file->path);
  }
  roof_text_done(&text);
  return status;
}

/** An entry that its ledger's next reader would refuse is not written. */
static roof_status check_clock(const ledger_file *file, const roof_ledger_entries *before,
                               roof_error *error) {
  const roof_ledger_entry *last = before->count > 0 ? &before->entries[before->count - 1] : NULL;
  char now[ROOF_TIME_MAX];
  return last == NULL || roof_time_now() > last->at - RF_LEDGER_SKEW_SECONDS
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_GATE, "ledger %s: the clock says %s, before the last entry (%s)",
                              file->path, roof_time_write(roof_time_now(), now), last->time);
}

/** Reads and verifies what is there, and finds where to append. */
static roof_status read_end(const ledger_file *file, roof_text *text, roof_ledger_entries *before,
                            ledger_end *end, roof_error *error) {
  roof_status status = check_start(file, error);
  status = status == ROOF_OK ? rf_ledger_file_read(file, SIZE_MAX, text, error) : status;
  status = status == ROOF_OK ? rf_ledger_read_end(text->data, text->length, file->path, before, end, error)
                             : status;
  status = status == ROOF_OK ? rf_ledger_check(before, file->path, error) : status;
  return status == ROOF_OK ? check_clock(file, before, error) : status;
}

/** What a crash leaves ends with a whole block; a shorter end was cut off a line that had been written. */
static bool was_cut(const roof_text *text, size_t from) {
  enum { SMALLEST_BLOCK = 512 };
  return text->length % SMALLEST_BLOCK != 0 && memchr(text->data + from, '\0', text->length - from) == NULL;
}

/** "entry 4, `add`": as far as the torn end says it. */
static void name_torn(const roof_text *text, size_t from, size_t sequence, char *name, size_t size) {
  static const char key[] = "\"label\":\"";
  const char *start = memmem(text->data + from, text->length - from, key, sizeof key - 1);
  const char *label = start != NULL ? start + sizeof key - 1 : "";
  const char *end = start != NULL ? strchr(label, '"') : NULL;
  bool known = end != NULL && end - label < ROOF_LABEL_MAX;
  snprintf(name, size, "entry %zu%s%.*s%s", sequence, known ? ", `" : "", known ? (int)(end - label) : 0,
           label, known ? "`" : "");
}

/** Moves a torn end out of the ledger, and says so. */
static roof_status drop_torn(ledger_file *file, const roof_text *text, const ledger_end *end,
                             roof_error *error) {
  char kept[4096], name[ROOF_LABEL_MAX + 64];
  size_t bytes = text->length - end->length;
  roof_text sentence = {0};
  name_torn(text, end->length, end->link.sequence + 1, name, sizeof name);
  roof_status status = rf_ledger_file_cut(file, text, end->length, kept, sizeof kept, error);
  if (status == ROOF_OK) {
    roof_text_addf(&sentence, "ledger %s: dropped %zu bytes of a torn append (%s)%s; they are kept in %s",
                   file->path, bytes, name,
                   was_cut(text, end->length)
                       ? ": its end was cut off, which no crash does; it may have been acknowledged"
                       : ", which was not acknowledged",
                   kept);
    rf_ledger_report(sentence.failed ? kept : sentence.data);
  }
  roof_text_done(&sentence);
  return status;
}

/** The first of the new entries says what was dropped before it. */
static bool note_torn(json_t *list, const roof_text *text, const ledger_end *end) {
  char digest[ROOF_DIGEST_MAX];
  size_t bytes = text->length - end->length;
  return bytes == 0 ||
         json_object_set_new(json_array_get(list, 0), "torn",
                             json_pack("{s:I, s:s}", "bytes", (json_int_t)bytes, "sha256",
                                       roof_ledger_digest(text->data + end->length, bytes, digest))) == 0;
}

/** Entries that come together say so: after a crash they count all, or none. */
static bool note_batch(json_t *list, const ledger_end *end) {
  size_t count = json_array_size(list), first = end->link.sequence + 1;
  bool noted = true;
  for (size_t i = 0; i < count && count > 1 && noted; i++) {
    json_t *batch =
        json_pack("{s:I, s:I}", "first", (json_int_t)first, "last", (json_int_t)(first + count - 1));
    noted = json_object_set_new(json_array_get(list, i), "batch", batch) == 0;
  }
  return noted;
}

/** The lines of `list`, each after the one before. */
static roof_status write_list(const ledger_end *end, json_t *list, const ledger_key *key, roof_text *lines,
                              roof_error *error) {
  ledger_link link = end->link;
  roof_status status = ROOF_OK;
  roof_text_add(lines, end->unended ? "\n" : "");
  for (size_t i = 0; i < json_array_size(list) && status == ROOF_OK; i++) {
    status = rf_ledger_entry_write(&link, json_array_get(list, i), key, lines, error);
  }
  return status;
}

/** Makes the lines for an open ledger, of which `text` is the content. */
static roof_status prepare(const ledger_file *file, json_t *list, const ledger_key *key,
                           ledger_completer *complete, void *user, roof_text *text, ledger_end *end,
                           roof_text *lines, roof_error *error) {
  roof_ledger_entries before = {0};
  roof_status status = read_end(file, text, &before, end, error);
  if (status == ROOF_OK && complete != NULL) {
    status = complete(list, &before, user, error);
  }
  if (status == ROOF_OK && !(note_torn(list, text, end) && note_batch(list, end))) {
    status = roof_error_set(error, ROOF_E_MEMORY, "ledger %s: out of memory", file->path);
  }
  free(before.entries);
  return status == ROOF_OK ? write_list(end, list, key, lines, error) : status;
}

static roof_status append(ledger_file *file, json_t *list, const ledger_key *key, ledger_completer *complete,
                          void *user, roof_error *error) {
  roof_text text = {0}, lines = {0};
  ledger_end end = {.length = 0};
  roof_status status = prepare(file, list, key, complete, user, &text, &end, &lines, error);
  if (status == ROOF_OK && end.length < text.length) {
    status = drop_torn(file, &text, &end, error);
  }
  if (status == ROOF_OK) {
    status = rf_ledger_file_add(file, &lines, error);
  }
  roof_text_done(&text);
  roof_text_done(&lines);
  return status;
}

roof_status rf_ledger_append(const char *path, json_t *list, const char *key_path, ledger_completer *complete,
                             void *user, roof_error *error) {
  ledger_key key;
  ledger_file file;
  roof_status status = key_path != NULL ? rf_ledger_key_load(key_path, &key, error) : ROOF_OK;
  if (status != ROOF_OK) {
    return status;
  }
  status = rf_ledger_file_open(path, true, LEDGER_PATIENCE_SECONDS, &file, error);
  if (status == ROOF_OK) {
    status = append(&file, list, key_path != NULL ? &key : NULL, complete, user, error);
    if (status != ROOF_OK) {
      rf_ledger_file_discard(&file);
    }
    rf_ledger_file_close(&file);
  }
  if (key_path != NULL) {
    rf_ledger_key_done(&key);
  }
  return status;
}

roof_status rf_ledger_load(const char *path, bool signatures, roof_ledger_entries *out, roof_text *text,
                           roof_error *error) {
  roof_text read = {0};
  roof_ledger_entries all = {0};
  ledger_file file;
  roof_status status = rf_ledger_file_open(path, false, LEDGER_PATIENCE_SECONDS, &file, error);
  if (status == ROOF_OK) {
    status = rf_ledger_file_read(&file, SIZE_MAX, &read, error);
    rf_ledger_file_close(&file);
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
