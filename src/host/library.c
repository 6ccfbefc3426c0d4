#include "host/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

#if defined(__x86_64__)
/** Whether `name` is one of `words`, with a space on either side of each. */
static bool is_among(const char *words, const char *name) {
  char word[32];
  snprintf(word, sizeof word, " %.29s ", name);
  return strstr(words, word) != NULL;
}

/* By the names that its gotoblas_corename gives. */
static rf_lesser lesser_of(const char *core) {
  static const struct {
    const char *cores, *reaches;
    bool has_avx2;
  } rows[] = {
      {" Katmai Coppermine Northwood Prescott Banias Atom Core2 Penryn Dunnington Nehalem Athlon Opteron "
       "Opteron_SSE3 Barcelona Bobcat Nano ",
       "SSE2 mul+add", false},
      {" Sandybridge Bulldozer Piledriver Steamroller ", "AVX2 mul", false}, /* products and sums in turns */
      {" Haswell Zen Excavator ", "AVX2+FMA", true}};
  bool wide = __builtin_cpu_supports("avx512f"), vectors = __builtin_cpu_supports("avx2");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const char *lacks = wide ? "AVX-512" : vectors && !rows[i].has_avx2 ? "AVX2+FMA" : NULL;
    if (is_among(rows[i].cores, core) && lacks != NULL) {
      return (rf_lesser){lacks, rows[i].reaches};
    }
  }
  return (rf_lesser){NULL, NULL};
}
#else
static rf_lesser lesser_of(const char *core) {
  (void)core;
  return (rf_lesser){NULL, NULL};
}
#endif

rf_lesser rf_library_lesser(const rf_library *library, const rf_loaded *loaded) {
  const char *(*core)(void) = NULL;
  const rf_symbol symbol = {library->core_name, &core};
  bool says = library->core_name != NULL && rf_library_find(loaded->handle, &symbol, 1, NULL);
  const char *name = says ? core() : NULL;
  return name != NULL ? lesser_of(name) : (rf_lesser){NULL, NULL};
}
