/** The one loader of shared libraries: what is loaded while the program runs is described by a table, and its absence has a
 *  reason. */
#ifndef HOST_LIBRARY_H
#define HOST_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

enum { RF_SONAME_MAX = 8 };

/** A function of a library, and the pointer that becomes its address. */
typedef struct rf_symbol {
  const char *name;
  void *address;
} rf_symbol;

/** A library and what is needed of it. */
typedef struct rf_library {
  const char *what;   /**< what the reason of its absence calls it: "oneDNN" */
  const char *hint;   /**< the end of that reason, or NULL: "; on Debian: apt install libdnnl2" */
  const char *folder; /**< the environment variable that may name its folder, or NULL */
  const char *sonames[RF_SONAME_MAX]; /**< tried in this order; a NULL ends them */
  const rf_symbol *symbols;           /**< all are needed */
  size_t count;
  const char *core_setting; /**< of the environment, which says for which processor it computes; or NULL */
  const char *core_name;    /**< its function that says for which one it does, by OpenBLAS's names; or NULL */
} rf_library;

/** What became of loading one. */
typedef struct rf_loaded {
  void *handle; /**< NULL when it is not loaded */
  const char *
      soname; /**< of the library loaded, or of the last one that lacked a symbol; NULL: none could be loaded */
  const char *missing; /**< the last of the symbols which that one lacked */
  char reason[256];    /**< why it is not loaded, "" when it is */
} rf_loaded;

/** Why no library at all can be loaded, or NULL: a program that is one static file has no loader, in most C libraries.
 *  Units: none. Ownership: a constant. Errors: none. */
const char *rf_library_refusal(void);

/** Loads the first of the names that can be loaded and has all symbols, and fills in their addresses; it stays loaded until
 *  rf_library_close.
 *  Units: none.
 *  Ownership: *out points into the table.
 *  Errors: false with a reason; the addresses are then NULL. */
bool rf_library_load(const rf_library *library, rf_loaded *out);

/** Fills in the addresses of more symbols of a loaded library: of all or, where one is missing, of none.
 *  Units: none.
 *  Ownership: *missing (nullable) points into the table.
 *  Errors: false when one is missing: the last such is *missing. */
bool rf_library_find(void *handle, const rf_symbol *symbols, size_t count, const char **missing);

/** A core type that a library took for itself and that is less than this processor; NULLs: it is not, or not known. */
typedef struct rf_lesser {
  const char *lacks; /**< "AVX-512", "AVX2+FMA" */
  const char
      *reaches; /**< the measured peak that its loops can reach, as roof_peak names it: "SSE2 mul+add" */
} rf_lesser;

/** The core type that a loaded library took, where it is a lesser one.
 *  Units: none. Ownership: constants. Errors: NULLs where it is not known. */
rf_lesser rf_library_lesser(const rf_library *library, const rf_loaded *loaded);

/** Lets a library go; no harm where none was loaded.
 *  Units: none. Ownership: its functions are no longer there. Errors: none. */
void rf_library_close(rf_loaded *loaded);

#endif
