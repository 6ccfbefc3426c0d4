/** Names of C++ as a linker has them. */
#ifndef IMPORT_DEMANGLE_H
#define IMPORT_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/** The name that "_Z3addPf" stands for, the caller's to free(); NULL: it is none, the run-time library of C++ is not here, or out of
 *  memory: then *starved. `name` need not end with a NUL. */
char *rf_demangled(const char *name, size_t length, bool *starved);

#endif
