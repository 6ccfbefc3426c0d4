/* The libraries of the emulated device (tests/fake), as the build has them. */
#ifndef TESTS_UNIT_EMULATED_H
#define TESTS_UNIT_EMULATED_H

#include "test.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/** "BUILD/tests/cuda" */
static inline const char *emulated_folder(const char *name) {
  static char path[512];
  const char *build = getenv("ROOFLINE_BUILD");
  snprintf(path, sizeof path, "%s/tests/%s", build != NULL ? build : ".", name);
  return path;
}

/** What the emulated device counts, whatever it is called. */
static inline int *emulated_counter(const char *folder, const char *soname, const char *name) {
  static void *library;
  char path[600];
  snprintf(path, sizeof path, "%s/%s", emulated_folder(folder), soname);
  library = library != NULL ? library : dlopen(path, RTLD_NOW);
  assert_non_null(library);
  return dlsym(library, name);
}

#endif
