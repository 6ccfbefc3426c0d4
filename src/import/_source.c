/* Bytes of a file: read in blocks, unpacked, turned from UTF-16, with a line count. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/number.h"
#include "host/file.h"
#include "import/_packed.h"
#include "import/import.h"

enum { SHORTEST = 64, BLOCK = 1 << 20, LONGEST_LINE = 256 << 20, SLACK = 8 };

typedef enum wrapping { PLAIN, UTF16_LITTLE, UTF16_BIG } wrapping;

struct roof_source {
  char name[256];
  rf_packed *packed;
  bool whole;  /* it was opened at its first byte, and can be read at any place */
  size_t step; /* bytes to read at a time */
  wrapping text;
  bool old;    /* lines end with a carriage return alone */
  char *block; /* bytes [at, end), with room for a NUL after them */
  size_t at, end, room;
  bool ended;
  bool again;
  size_t line_start, line_end; /* of the last line, in `block` */
  char after;                  /* the byte that the NUL at line_end replaced */
  bool cut;                    /* it is replaced */
  int line;
  roof_status status;
  char why[160];
  bool forgiving, is_cut; /* of packed data that end too early, and of records */
  bool unended;           /* the last line is the end of the file */
  bool ends_in_number;    /* and its last letter a digit */
};

static void fail(roof_source *s, roof_status status, const char *why) {
  s->status = status;
  s->ended = true;
  snprintf(s->why, sizeof s->why, "%s", why);
}

/** Bytes as the file has them, unpacked. */
static size_t raw(roof_source *s, char *to, size_t size) {
  roof_status status = ROOF_OK;
  char why[sizeof s->why];
  size_t count = rf_packed_read(s->packed, to, size, &status, why, sizeof why);
  if (status != ROOF_OK && s->forgiving && rf_packed_cut(s->packed)) {
    s->is_cut = s->ended = true;
  } else if (status != ROOF_OK) {
    fail(s, status, why);
  }
  return count;
}

/** UTF-8 of one code point. */
static size_t utf8(unsigned long code, char *to) {
  static const unsigned char first[] = {0, 0, 0xC0, 0xE0, 0xF0};
  size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = length - 1; i > 0; i--) {
    to[i] = (char)(0x80 | (code & 0x3F));
    code >>= 6;
  }
  to[0] = (char)(first[length] | code);
  return length;
}

/** The next UTF-16 unit at `p`. */
static unsigned long unit_at(const roof_source *s, const unsigned char *p) {
  return s->text == UTF16_LITTLE ? p[0] | (unsigned long)p[1] << 8 : p[1] | (unsigned long)p[0] << 8;
}

/** Text as UTF-8 from `size` bytes of UTF-16, an even number; `to` holds 3 bytes for each 2. A surrogate pair
 * that a block's end splits becomes two U+FFFD. */
static size_t from_utf16(const roof_source *s, const unsigned char *p, size_t size, char *to) {
  size_t length = 0;
  for (size_t i = 0; i + 1 < size; i += 2) {
    unsigned long code = unit_at(s, p + i);
    unsigned long low = i + 3 < size ? unit_at(s, p + i + 2) : 0;
    if (code >= 0xD800 && code < 0xDC00 && low >= 0xDC00 && low < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      i += 2;
    } else if (code >= 0xD800 && code < 0xE000) {
      code = 0xFFFD;
    }
    length += utf8(code, to + length);
  }
  return length;
}

/** Ends lines with line feeds where they end with carriage returns alone. */
static size_t renewed(const roof_source *s, char *text, size_t size) {
  for (char *at = text, *end = text + size; s->old && (at = memchr(at, '\r', (size_t)(end - at))) != NULL;) {
    *at = '\n';
  }
  return size;
}

/** The next bytes as text, at most `size` of them (which is much more than 8). */
static size_t decoded(roof_source *s, char *to, size_t size) {
  if (s->text == PLAIN) {
    return renewed(s, to, raw(s, to, size));
  }
  size_t half = size / 4 * 2;
  unsigned char *wide = malloc(half);
  if (wide == NULL) {
    fail(s, ROOF_E_MEMORY, "out of memory");
    return 0;
  }
  size_t count = raw(s, (char *)wide, half);
  size_t length = from_utf16(s, wide, count, to);
  free(wide);
  return renewed(s, to, length);
}

/** Makes room for a step of more bytes after `end`; drops what was consumed before `keep`. */
static bool make_room(roof_source *s, size_t keep) {
  if (keep > 0) {
    memmove(s->block, s->block + keep, s->end - keep);
    s->at -= keep;
    s->end -= keep;
  }
  if (s->end + s->step + 1 <= s->room) {
    return true;
  }
  size_t room = s->end + s->end / 2 + s->step + 1;
  char *block = realloc(s->block, room);
  if (block == NULL) {
    fail(s, ROOF_E_MEMORY, "out of memory");
    return false;
  }
  s->block = block;
  s->room = room;
  return true;
}

/** Appends another block; data from `keep` on stay. False at the end. */
static bool more(roof_source *s, size_t keep) {
  if (s->ended || !make_room(s, keep)) {
    return false;
  }
  size_t count = decoded(s, s->block + s->end, s->step);
  s->end += count;
  s->ended = s->ended || count == 0;
  return count > 0;
}

/** Reads the first block and detects the encoding of the text. */
static void begin(roof_source *s) {
  if (!more(s, 0)) {
    return;
  }
  const unsigned char *b = (const unsigned char *)s->block;
  bool little = s->end >= 2 && b[0] == 0xFF && b[1] == 0xFE;
  bool big = s->end >= 2 && b[0] == 0xFE && b[1] == 0xFF;
  s->at = rf_file_mark(b, s->end);
  if (little || big) {
    s->text = little ? UTF16_LITTLE : UTF16_BIG;
    size_t size = (s->end - 2) / 2 * 2;
    char *text = malloc(size * 3 / 2 + s->step + 1);
    if (text == NULL) {
      fail(s, ROOF_E_MEMORY, "out of memory");
      return;
    }
    s->end = from_utf16(s, b + 2, size, text);
    s->room = size * 3 / 2 + s->step + 1;
    free(s->block);
    s->block = text;
  }
}

/** Text with carriage returns and no other end of a line in its first block is an old file's. */
static void begin_lines(roof_source *s) {
  const char *text = s->block != NULL ? s->block + s->at : "";
  size_t size = s->end - s->at;
  s->old = size > 0 && memchr(text, '\r', size) != NULL && memchr(text, '\n', size) == NULL &&
           memchr(text, '\0', size) == NULL;
  if (s->old) {
    (void)renewed(s, s->block + s->at, size);
  }
}

static roof_status started(roof_source *s, roof_source **source, roof_error *error) {
  begin(s);
  begin_lines(s);
  roof_status status = rf_packed_cut(s->packed) ? ROOF_OK : rf_import_failed(s, error);
  if (status != ROOF_OK) {
    rf_import_close(s);
    return status;
  }
  *source = s;
  return ROOF_OK;
}

/** Takes the descriptor (-1: the memory) over. */
static roof_status create(const char *name, int descriptor, const char *data, size_t size,
                          roof_source **source, roof_error *error) {
  roof_source *s = calloc(1, sizeof *s);
  rf_packed *packed = s != NULL ? rf_packed_new(descriptor, data, size) : NULL;
  if (packed == NULL) {
    free(s);
    if (descriptor >= 0) {
      close(descriptor);
    }
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", name);
  }
  s->packed = packed;
  s->step = descriptor >= 0 || size > BLOCK ? BLOCK : size < SHORTEST ? SHORTEST : size;
  s->whole = descriptor >= 0 && lseek(descriptor, 0, SEEK_CUR) == 0;
  snprintf(s->name, sizeof s->name, "%s", name);
  return started(s, source, error);
}

roof_status rf_import_open_memory(const char *data, size_t size, const char *name, roof_source **source,
                                  roof_error *error) {
  return create(name, -1, data, size, source, error);
}

roof_status rf_import_open(const char *path, roof_source **source, roof_error *error) {
  bool standard = strcmp(path, "-") == 0;
  const char *name = standard ? "standard input" : path;
  int descriptor = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return roof_error_set(error, ROOF_E_INPUT, "%.200s: %s", name, strerror(errno));
  }
  return create(name, descriptor, NULL, 0, source, error);
}

void rf_import_close(roof_source *s) {
  if (s != NULL) {
    rf_packed_free(s->packed);
    free(s->block);
    free(s);
  }
}

/** Restores the byte that the NUL after the last line, or after the first bytes, replaced. */
static void restore(roof_source *s) {
  if (s->cut) {
    s->block[s->line_end] = s->after;
    s->cut = false;
  }
}

/** Ends a text at `end` with a NUL until the next call. */
static void cut(roof_source *s, size_t end) {
  s->line_end = end;
  s->after = s->block[end];
  s->block[end] = '\0';
  s->cut = true;
}

const char *rf_import_head(roof_source *s, size_t *size) {
  restore(s);
  while (s->end - s->at < IMPORT_HEAD && more(s, s->at)) {
  }
  static const char nothing[] = "";
  if (s->block == NULL) {
    *size = 0;
    return nothing;
  }
  *size = s->end - s->at < IMPORT_HEAD ? s->end - s->at : IMPORT_HEAD;
  cut(s, s->at + *size);
  return s->block + s->at;
}

char *rf_import_line(roof_source *s, size_t *length) {
  if (s->again) {
    s->again = false;
    *length = s->line_end - s->line_start;
    return s->block + s->line_start;
  }
  restore(s);
  char *newline = NULL;
  size_t scanned = 0;
  while (newline == NULL) {
    size_t have = s->end - s->at;
    newline = have > scanned ? memchr(s->block + s->at + scanned, '\n', have - scanned) : NULL;
    scanned = have;
    if (newline == NULL && have > LONGEST_LINE) {
      fail(s, ROOF_E_PARSE, "a line of more than 256 MiB");
    }
    if (newline == NULL && !more(s, s->at)) {
      break;
    }
  }
  if (s->status != ROOF_OK || (newline == NULL && s->at == s->end)) {
    return NULL;
  }
  s->line_start = s->at;
  s->unended = newline == NULL;
  size_t end = newline != NULL ? (size_t)(newline - s->block) : s->end;
  s->ends_in_number = s->unended && s->block[end - 1] >= '0' && s->block[end - 1] <= '9';
  s->at = newline != NULL ? end + 1 : s->end;
  cut(s, end > s->line_start && s->block[end - 1] == '\r' ? end - 1 : end);
  s->line++;
  *length = s->line_end - s->line_start;
  return s->block + s->line_start;
}

void rf_import_again(roof_source *s) {
  s->again = true;
}

size_t rf_import_bytes(roof_source *s, char *buffer, size_t size) {
  restore(s);
  size_t have = s->end - s->at;
  if (have == 0) {
    return s->ended ? 0 : decoded(s, buffer, size);
  }
  size_t count = have < size ? have : size;
  memcpy(buffer, s->block + s->at, count);
  s->at += count;
  return count;
}

roof_status rf_import_all(roof_source *s, size_t most, char **data, size_t *size, roof_error *error) {
  restore(s);
  while (s->end - s->at <= most && more(s, s->at)) {
  }
  roof_status status = rf_import_failed(s, error);
  if (status != ROOF_OK) {
    return status;
  }
  if (s->end - s->at > most) {
    return roof_error_set(error, ROOF_E_INPUT, "%s: more than %zu MiB, and this format is read whole",
                          s->name, most >> 20);
  }
  if (!make_room(s, 0)) {
    return rf_import_failed(s, error);
  }
  memset(s->block + s->end, 0, SLACK);
  *data = s->block + s->at;
  *size = s->end - s->at;
  s->at = s->end;
  return ROOF_OK;
}

int rf_import_line_number(const roof_source *s) {
  return s->line;
}

int rf_import_descriptor(const roof_source *s) {
  return s->whole && s->text == PLAIN ? rf_packed_descriptor(s->packed) : -1;
}

const char *rf_import_name(const roof_source *s) {
  return s->name;
}

void rf_import_forgive(roof_source *s) {
  s->forgiving = true;
  if (s->status == ROOF_E_INPUT && rf_packed_cut(s->packed)) { /* its first bytes are read */
    s->status = ROOF_OK;
    s->is_cut = true;
  }
}

void rf_import_cut_record(roof_source *s) {
  s->is_cut = true;
}

bool rf_import_is_cut(const roof_source *s) {
  return s->is_cut;
}

bool rf_import_unended(const roof_source *s) {
  return s->unended;
}

bool rf_import_ends_in_number(const roof_source *s) {
  return s->ends_in_number;
}

roof_status rf_import_failed(const roof_source *s, roof_error *error) {
  return s->status == ROOF_OK
             ? ROOF_OK
             : rf_import_error(s, error, s->status, s->line, 0, "cannot be read: %s", s->why);
}

roof_status rf_import_error(const roof_source *s, roof_error *error, roof_status code, int line, int column,
                            const char *format, ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  rf_vformat(text, sizeof text, format, arguments);
  va_end(arguments);
  roof_error_set(error, code, "%s", text);
  (void)roof_error_at(error, s->name, line > 0 ? line : s->line, column);
  return code;
}
