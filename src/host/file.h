/** Whole files. */
#ifndef HOST_FILE_H
#define HOST_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "roofline/status.h"
#include "roofline/text.h"

/** Whether `path` is `-`, standard input. */
bool rf_file_is_input(const char *path);

/** The first character of standard input that is neither white space nor a byte order mark, left to be read; EOF at its end. */
int rf_file_peek_input(void);

/** Opens a file to read, `-` for standard input, which can be opened and mapped any number of times: it is kept. The
 *  caller's to close. ROOF_E_INPUT: it cannot be read, or standard input is larger than 1 GiB. */
roof_status rf_file_open(const char *path, FILE **file, roof_error *error);

/** Appends the file's content, that of standard input for `-`, to `out`. ROOF_E_INPUT: it cannot be read, or is larger
 *  than 16 MiB. */
roof_status rf_file_read(const char *path, roof_text *out, roof_error *error);

/** The same of a text that people write, without its byte order mark. */
roof_status rf_file_read_text(const char *path, roof_text *out, roof_error *error);

#define RF_FILE_MARK "\xEF\xBB\xBF"

/** How many bytes the byte order mark is that editors begin UTF-8 with: 0 where there is none. */
static inline size_t rf_file_mark(const void *text, size_t length) {
  size_t mark = sizeof RF_FILE_MARK - 1;
  return length >= mark && memcmp(text, RF_FILE_MARK, mark) == 0 ? mark : 0;
}

/** The file's own name without its folder and ending, cut to `size`. */
void rf_file_base_name(const char *path, char *name, size_t size);

/** True where the file can be read and begins with `text`. */
bool rf_file_begins(const char *path, const char *text);

/** True where `text` is somewhere in the file. */
bool rf_file_says(const char *path, const char *text);

/** A file of any size, of which only the pages that are touched are read. */
typedef struct rf_file_mapping {
  void *data;
  size_t length;
  double whole; /**< length of the file; more than `length` where only its beginning is at hand */
} rf_file_mapping;

/** Maps a file, what is kept of standard input for `-`. ROOF_E_INPUT: it cannot be read or is no plain file. Release with rf_file_unmap. */
roof_status rf_file_map(const char *path, rf_file_mapping *mapping, roof_error *error);
void rf_file_unmap(rf_file_mapping *mapping);

#endif
