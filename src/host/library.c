#include "host/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static void *open_library(const rf_library *library, const char *soname) {
  const char *folder = library->folder != NULL ? secure_getenv(library->folder) : NULL;
  char path[PATH_MAX];
  if (folder == NULL || folder[0] == '\0') {
    return dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  }
  bool fits = snprintf(path, sizeof path, "%s/%s", folder, soname) < (int)sizeof path;
  return fits ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

bool rf_library_find(void *handle, const rf_symbol *symbols, size_t count, const char **missing) {
  const char *last = NULL;
  for (size_t i = 0; i < count; i++) {
    *(void **)symbols[i].address = dlsym(handle, symbols[i].name);
    last = *(void **)symbols[i].address == NULL ? symbols[i].name : last;
  }
  for (size_t i = 0; i < count && last != NULL; i++) {
    *(void **)symbols[i].address = NULL;
  }
  if (missing != NULL) {
    *missing = last;
  }
  return last == NULL;
}

const char *rf_library_refusal(void) {
  void *program = dlopen(NULL, RTLD_NOW); // which every loader knows
  if (program == NULL) {
    return "this command is one static file, which loads no libraries";
  }
  dlclose(program);
  return NULL;
}

/** "no oneDNN: neither libdnnl.so.3 nor libdnnl.so.2 can be loaded", and the hint. */
static void explain(const rf_library *library, rf_loaded *out) {
  const char *first = library->sonames[0], *second = library->sonames[1];
  const char *hint = library->hint != NULL ? library->hint : "";
  const char *refusal = rf_library_refusal();
  if (refusal != NULL) {
    snprintf(out->reason, sizeof out->reason, "no %s: %s", library->what, refusal);
  } else if (out->soname != NULL) {
    snprintf(out->reason, sizeof out->reason, "%s has no %s", out->soname, out->missing);
  } else if (second == NULL) {
    snprintf(out->reason, sizeof out->reason, "no %s: %s cannot be loaded%s", library->what, first, hint);
  } else {
    snprintf(out->reason, sizeof out->reason, "no %s: neither %s nor %s can be loaded%s", library->what,
             first, second, hint);
  }
}

bool rf_library_load(const rf_library *library, rf_loaded *out) {
  *out = (rf_loaded){0};
  for (int i = 0; i < RF_SONAME_MAX && library->sonames[i] != NULL && out->handle == NULL; i++) {
    void *handle = open_library(library, library->sonames[i]);
    if (handle == NULL) {
      continue;
    }
    out->soname = library->sonames[i];
    if (rf_library_find(handle, library->symbols, library->count, &out->missing)) {
      out->handle = handle;
    } else {
      dlclose(handle);
    }
  }
  if (out->handle == NULL) {
    explain(library, out);
  }
  return out->handle != NULL;
}

void rf_library_close(rf_loaded *loaded) {
  if (loaded->handle != NULL) {
    dlclose(loaded->handle);
  }
  *loaded = (rf_loaded){0};
}
