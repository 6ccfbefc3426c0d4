#include "catalog/muparser.h"

#include <pthread.h>

#include "host/library.h"

static rf_muparser functions;

static const rf_symbol symbols[] = {
    {"mupCreate", &functions.create},
    {"mupRelease", &functions.release},
    {"mupDefineFun1", &functions.define_function},
    {"mupDefineVar", &functions.define_variable},
    {"mupSetExpr", &functions.set},
    {"mupEval", &functions.value},
    {"mupEvalMulti", &functions.values},
    {"mupError", &functions.failed},
    {"mupGetErrorPos", &functions.position},
    {"mupGetErrorMsg", &functions.message},
};

static const rf_library library = {.what = "muParser",
                                   .hint = ", which formulas need; on Debian: apt install libmuparser2v5",
                                   .sonames = {"libmuparser.so.2"},
                                   .symbols = symbols,
                                   .count = sizeof symbols / sizeof symbols[0]};

const rf_muparser *rf_muparser_load(roof_error *error) {
  static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
  static rf_loaded loaded;
  pthread_mutex_lock(&guard);
  bool there = loaded.handle != NULL || rf_library_load(&library, &loaded);
  if (!there) {
    roof_error_set(error, ROOF_E_UNSUPPORTED, "%s", loaded.reason);
  }
  pthread_mutex_unlock(&guard);
  return there ? &functions : NULL;
}
