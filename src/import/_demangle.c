/* By __cxa_demangle of the run-time library of C++ (Itanium C++ ABI, 3.4), which is loaded when the first such name is read. */
#include "import/_demangle.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "host/library.h"

enum { LONGEST = 1 << 16, NO_MEMORY = -1 };

static char *(*demangle)(const char *name, char *buffer, size_t *size, int *status);

static const rf_symbol symbols[] = {{"__cxa_demangle", &demangle}};

static const rf_library library = {
    .what = "the run-time library of C++",
    .hint = "; on Debian: apt install libstdc++6",
    .sonames = {"libstdc++.so.6", "libc++abi.so.1"},
    .symbols = symbols,
    .count = sizeof symbols / sizeof symbols[0],
};

/** Whether the library is here; *starved where only memory for it is not. */
static bool loaded(bool *starved) {
  static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
  static rf_loaded at;
  static bool tried;
  pthread_mutex_lock(&guard);
  if (!tried) {
    *starved = !rf_library_load(&library, &at) && strstr(at.reason, "allocate") != NULL;
    tried = !*starved;
  }
  bool there = at.handle != NULL;
  pthread_mutex_unlock(&guard);
  return there;
}

char *rf_demangled(const char *name, size_t length, bool *starved) {
  if (length < 3 || length > LONGEST || memcmp(name, "_Z", 2) != 0 || !loaded(starved)) {
    return NULL;
  }
  int status = 0;
  char *copy = strndup(name, length), *plain = copy != NULL ? demangle(copy, NULL, NULL, &status) : NULL;
  *starved = copy == NULL || status == NO_MEMORY;
  free(copy);
  return plain;
}
