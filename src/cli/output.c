#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** What is printed, while it is kept for a file. */
static struct {
  bool catches, done;
  roof_text text;
} caught;

void cli_print_catch(void) {
  caught.catches = true;
}

bool cli_print_caught(roof_text *out) {
  bool catches = caught.catches;
  *out = caught.text;
  caught.text = (roof_text){0};
  caught.catches = false;
  return catches;
}

void cli_print_no_more(void) {
  caught.done = true;
}

roof_status cli_print(const roof_text *text, roof_error *error) {
  if (text->failed) {
    return roof_error_set(error, ROOF_E_MEMORY, "output: out of memory");
  }
  if (caught.catches) {
    roof_text_add_bytes(&caught.text, text->data, text->length);
  }
  if (caught.catches || caught.done) {
    return ROOF_OK;
  }
  if ((text->length > 0 && fwrite(text->data, 1, text->length, stdout) != text->length) ||
      fflush(stdout) != 0 || ferror(stdout) != 0) {
    return roof_error_set(error, ROOF_E_OUTPUT, "standard output: %s", strerror(errno));
  }
  return ROOF_OK;
}

roof_status cli_print_end(roof_text *text, roof_status status, roof_error *error) {
  status = status == ROOF_OK ? cli_print(text, error) : status;
  roof_text_done(text);
  return status;
}

void cli_text_add_wrapped(roof_text *out, const char *lead, const char *words, size_t width) {
  size_t column = strlen(lead), margin = column;
  roof_text_add(out, lead);
  while (*words != '\0') {
    size_t length = strcspn(words, " ");
    if (column > margin && column + 1 + length > width) {
      roof_text_addf(out, "\n%*s", (int)margin, "");
      column = margin;
    } else if (column > margin) {
      roof_text_add(out, " ");
      column++;
    }
    roof_text_add_bytes(out, words, length);
    column += length;
    words += length;
    words += strspn(words, " ");
  }
  roof_text_add(out, "\n");
}

const char *cli_program_name(void) {
  static char path[4096];
  FILE *file = fopen("/proc/self/cmdline", "re");
  size_t length = file != NULL ? fread(path, 1, sizeof path - 1, file) : 0;
  path[length] = '\0';
  if (file != NULL) {
    fclose(file);
  }
  return strchr(path, '/') != NULL ? path : "roofline";
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
  return !(stream == stdout && caught.catches) && (none == NULL || none[0] == '\0') &&
         isatty(fileno(stream)) != 0;
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

const char *cli_quantity(char buffer[CLI_SHORT], double value, const char *unit) {
  return roof_quantity_format(buffer, CLI_SHORT, value, unit);
}
