/* Linked into every unit test, and preloaded into the command: runs it in the locale that ROOFLINE_TEST_LOCALE names,
 * as a program does that calls setlocale before it uses the library. The system's messages stay English. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SKIPPED = 77 };

__attribute__((constructor)) static void choose_locale(void) {
  const char *name = getenv("ROOFLINE_TEST_LOCALE");
  if (name == NULL) {
    return;
  }
  if (setlocale(LC_ALL, name) == NULL || strcmp(localeconv()->decimal_point, ",") != 0) {
    fprintf(stderr, "skipped: no locale %s with a decimal comma here (localedef makes it)\n", name);
    _exit(SKIPPED);
  }
  setlocale(LC_MESSAGES, "C");
}
