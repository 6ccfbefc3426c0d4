#include "host/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 16 << 20, INPUT_MAX = 1 << 30 };

/** Standard input, once it was read for a reader that reads more than once. */
static struct {
  roof_text text;
  bool held;
} input;

bool rf_file_is_input(const char *path) {
  return strcmp(path, "-") == 0;
}

int rf_file_peek_input(void) {
  int c = getc(stdin);
  while (c != EOF && (isspace(c) || (c != 0 && strchr(RF_FILE_MARK, c) != NULL))) {
    c = getc(stdin);
  }
  return c != EOF ? ungetc(c, stdin) : EOF;
}

/** Why a file could not be opened or read, as errno says. */
static roof_status fail(const char *path, roof_error *error) {
  return errno == ENOMEM ? roof_error_set(error, ROOF_E_MEMORY, "`%s`: out of memory", path)
                         : roof_error_set(error, ROOF_E_INPUT, "`%s`: %s", path, strerror(errno));
}

/** Appends what is left of a file of at most `most` bytes. */
static roof_status read_all(FILE *file, const char *path, size_t most, roof_text *out, roof_error *error) {
  char block[16384];
  size_t length = 0;
  roof_status status = ROOF_OK;
  errno = 0;
  while (status == ROOF_OK && (length = fread(block, 1, sizeof block, file)) > 0) {
    roof_text_add_bytes(out, block, length);
    if (out->failed) {
      status = roof_error_set(error, ROOF_E_MEMORY, "`%s`: out of memory", path);
    } else if (out->length > most) {
      status = roof_error_set(error, ROOF_E_INPUT, "`%s`: larger than %zu MiB", path, most >> 20);
    }
  }
  return status == ROOF_OK && ferror(file) ? fail(path, error) : status;
}

/** Reads standard input, the first time that it is asked for. */
static roof_status hold_input(roof_error *error) {
  roof_status status = input.held ? ROOF_OK : read_all(stdin, "-", INPUT_MAX, &input.text, error);
  input.held = status == ROOF_OK;
  return status;
}

roof_status rf_file_open(const char *path, FILE **file, roof_error *error) {
  bool is_input = rf_file_is_input(path);
  roof_status status = is_input ? hold_input(error) : ROOF_OK;
  if (status != ROOF_OK) {
    return status;
  }
  FILE *opened = is_input && input.text.length > 0
                     ? fmemopen(input.text.data, input.text.length, "rb")
                     : fopen(is_input ? "/dev/null" : path, "rb"); /* no stream is of no bytes */
  *file = opened != NULL ? opened : *file;
  return opened != NULL ? ROOF_OK : fail(path, error);
}

roof_status rf_file_read(const char *path, roof_text *out, roof_error *error) {
  FILE *file = stdin;
  roof_status status = rf_file_is_input(path) && !input.held ? ROOF_OK : rf_file_open(path, &file, error);
  if (status == ROOF_OK) {
    status = read_all(file, path, FILE_MAX, out, error);
  }
  if (file != stdin) {
    fclose(file);
  }
  return status;
}

roof_status rf_file_read_text(const char *path, roof_text *out, roof_error *error) {
  roof_text text = {0};
  roof_status status = rf_file_read(path, &text, error);
  size_t mark = rf_file_mark(text.data, text.length);
  if (status == ROOF_OK && text.length > mark) {
    roof_text_add_bytes(out, text.data + mark, text.length - mark);
  }
  roof_text_done(&text);
  return status == ROOF_OK && out->failed ? roof_error_set(error, ROOF_E_MEMORY, "`%s`: out of memory", path)
                                          : status;
}

void rf_file_base_name(const char *path, char *name, size_t size) {
  const char *slash = strrchr(path, '/');
  const char *base = slash != NULL ? slash + 1 : path;
  const char *dot = strrchr(base, '.');
  size_t length = dot != NULL && dot > base ? (size_t)(dot - base) : strlen(base);
  snprintf(name, size, "%.*s", (int)(length < size ? length : size - 1), base);
}

bool rf_file_begins(const char *path, const char *text) {
  char begin[16] = "";
  size_t length = strlen(text);
  struct stat status;
  bool plain = stat(path, &status) == 0 && S_ISREG(status.st_mode); /* what is read of a pipe is gone */
  int file = plain ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  bool same = file >= 0 && length < sizeof begin && read(file, begin, length) == (ssize_t)length &&
              memcmp(begin, text, length) == 0;
  if (file >= 0) {
    close(file);
  }
  return same;
}

roof_status rf_file_map(const char *path, rf_file_mapping *mapping, roof_error *error) {
  static char nothing[1]; /* mmap has no mapping of no bytes */
  struct stat status;
  if (rf_file_is_input(path)) {
    roof_status held = hold_input(error);
    size_t size = input.text.length;
    *mapping = (rf_file_mapping){size > 0 ? input.text.data : nothing, size, (double)size};
    return held;
  }
  int file = open(path, O_RDONLY | O_CLOEXEC);
  void *data = MAP_FAILED;
  bool folder = false;
  if (file >= 0 && fstat(file, &status) == 0) {
    bool empty = S_ISREG(status.st_mode) && status.st_size == 0;
    folder = S_ISDIR(status.st_mode);
    data = empty ? nothing : mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  }
  int why = folder ? EISDIR : errno;
  if (file >= 0) {
    close(file);
  }
  if (data == MAP_FAILED) {
    return roof_error_set(error, ROOF_E_INPUT, "`%s`: %s", path, strerror(why));
  }
  *mapping = (rf_file_mapping){data, (size_t)status.st_size, (double)status.st_size};
  return ROOF_OK;
}

void rf_file_unmap(rf_file_mapping *mapping) {
  if (mapping->length > 0 && mapping->data != input.text.data) {
    munmap(mapping->data, mapping->length);
  }
}

bool rf_file_says(const char *path, const char *text) {
  rf_file_mapping mapping = {0};
  if (rf_file_map(path, &mapping, NULL) != ROOF_OK) {
    return false;
  }
  bool says = memmem(mapping.data, mapping.length, text, strlen(text)) != NULL;
  rf_file_unmap(&mapping);
  return says;
}
