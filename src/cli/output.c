#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

roof_status cli_print(const roof_text *text, roof_error *error) {
  if (text->failed) {
    return roof_error_set(error, ROOF_E_MEMORY, "output: out of memory");
  }
  if ((text->length > 0 && fwrite(text->data, 1, text->length, stdout) != text->length) ||
      fflush(stdout) != 0 || ferror(stdout) != 0) {
    return roof_error_set(error, ROOF_E_OUTPUT, "standard output: %s", strerror(errno));
  }
  return ROOF_OK;
}

void cli_report(const char *severity, const roof_error *error) {
  fprintf(stderr, "roofline: %s", severity);
  if (error->file[0] != '\0') {
    fputs(error->file, stderr);
    if (error->line > 0) {
      fprintf(stderr, ":%d", error->line);
    }
    if (error->column > 0) {
      fprintf(stderr, ":%d", error->column);
    }
    fputs(": ", stderr);
  }
  fprintf(stderr, "%s\n", error->message);
}

bool cli_use_color(const cli_args *args, FILE *stream) {
  if (args->color != NULL && strcmp(args->color, "auto") != 0) {
    return strcmp(args->color, "always") == 0;
  }
  const char *none = getenv("NO_COLOR");
  return (none == NULL || none[0] == '\0') && isatty(fileno(stream)) != 0;
}

void cli_show_progress(void *args, const char *step, int done, int total) {
  const cli_args *a = args;
  if (a->quiet || !isatty(STDERR_FILENO)) {
    return;
  }
  if (done >= total) {
    fputs("\r\033[K", stderr);
  } else {
    fprintf(stderr, "\r\033[K%d/%d %s", done + 1, total, step);
  }
  fflush(stderr);
}

/** Columns a UTF-8 text takes, one per character; wide enough for what we print. */
static int width_of(const char *text) {
  int width = 0;
  for (; *text != '\0'; text++) {
    width += (*text & 0xC0) != 0x80;
  }
  return width;
}

enum { TABLE_COLUMNS = 32 };

void cli_text_add_table(roof_text *text, const char *const *cells, int columns, int rows,
                        const char *alignment) {
  int widths[TABLE_COLUMNS] = {0};
  for (int i = 0; i < columns * rows; i++) {
    int width = width_of(cells[i]);
    int *widest = &widths[i % columns];
    *widest = width > *widest ? width : *widest;
  }
  for (int i = 0; i < columns * rows; i++) {
    int column = i % columns;
    int padding = widths[column] - width_of(cells[i]);
    bool right = alignment[column] == 'r', last = column == columns - 1;
    roof_text_addf(text, "%s%*s%s%*s%s", column == 0 ? "  " : "", right ? padding : 0, "", cells[i],
                   right || last ? 0 : padding, "", last ? "\n" : "  ");
  }
}
