/** The version of the header a program was compiled with, and of the library it runs with.
 *
 *  Example:
 *    if (roof_version_number() < ROOF_VERSION) {
 *      printf("compiled with %s, runs with %s\n", ROOF_VERSION_TEXT, roof_version());
 *    } */
#ifndef ROOFLINE_VERSION_H
#define ROOFLINE_VERSION_H

#include "roofline/export.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_VERSION_MAJOR 0
#define ROOF_VERSION_MINOR 1
#define ROOF_VERSION_PATCH 0

/** The number in the libraries' sonames and the names of their packages: one more where programs must be built anew. No part of the version. */
#define ROOF_SOVERSION 1

/** For `#if ROOF_VERSION >= 100`: 10000 major + 100 minor + patch. */
#define ROOF_VERSION (ROOF_VERSION_MAJOR * 10000 + ROOF_VERSION_MINOR * 100 + ROOF_VERSION_PATCH)

#define ROOF_VERSION_QUOTE_(a, b, c) #a "." #b "." #c
#define ROOF_VERSION_QUOTE(a, b, c) ROOF_VERSION_QUOTE_(a, b, c)
/** "0.1.0" */
#define ROOF_VERSION_TEXT ROOF_VERSION_QUOTE(ROOF_VERSION_MAJOR, ROOF_VERSION_MINOR, ROOF_VERSION_PATCH)

/** The library's ROOF_VERSION_TEXT.
 *  Units: none.
 *  Ownership: static.
 *  Errors: none. */
ROOF_API const char *roof_version(void);

/** The library's ROOF_VERSION.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API int roof_version_number(void);

#ifdef __cplusplus
}
#endif
#endif
