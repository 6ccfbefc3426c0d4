#include "host/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/letters.h"

enum { LEAST_WIDTH = 40 };

static const char *variable(const char *name) {
  const char *value = getenv(name);
  return value != NULL ? value : "";
}

static bool is_dumb(void) {
  return strcmp(variable("TERM"), "dumb") == 0;
}

/** True where the locale has no UTF-8, and on a terminal too that says nothing of it. */
static bool needs_ascii(bool terminal) {
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  const char *locale = "";
  for (int i = 0; i < 3 && locale[0] == '\0'; i++) {
    locale = variable(names[i]);
  }
  bool utf8 = rf_letters_find(locale, "utf-8") != NULL || rf_letters_find(locale, "utf8") != NULL;
  return terminal ? !utf8 || is_dumb() : !utf8 && locale[0] != '\0';
}

/** 0: it says none, as the one that a launcher of ranks puts in front of a pipe or a file. */
static int columns_of(int file) {
  struct winsize size = {0};
  return ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static int width_of(int file, bool terminal) {
  char *end = NULL;
  const char *typed = variable("COLUMNS");
  long columns = strtol(typed, &end, 10);
  if (typed[0] == '\0' || *end != '\0') {
    columns = terminal ? columns_of(file) : 0;
  }
  return columns <= 0 ? 0 : columns < LEAST_WIDTH ? LEAST_WIDTH : (int)fmin((double)columns, 10000);
}

rf_terminal rf_terminal_of(int file, bool kept) {
  bool terminal = isatty(file) != 0 && !kept;
  return (rf_terminal){.width = width_of(file, terminal),
                       .ascii = needs_ascii(terminal),
                       .commands = strcmp(variable("GITHUB_ACTIONS"), "true") == 0,
                       .color =
                           terminal && columns_of(file) > 0 && variable("NO_COLOR")[0] == '\0' && !is_dumb()};
}
