/** Numbers as text, the same in every locale that a program may have chosen. */
#ifndef CORE_NUMBER_H
#define CORE_NUMBER_H

#include <stdarg.h>
#include <stddef.h>

#include "roofline/export.h"

/** snprintf and vsnprintf in the C locale: for every format with %e, %f or %g. */
int rf_format(char *buffer, size_t size, const char *format, ...) ROOF_PRINTF(3, 4);
int rf_vformat(char *buffer, size_t size, const char *format, va_list arguments) ROOF_PRINTF(3, 0);

/** Reads numbers with blanks between them, up to the first that is none. Returns how many. */
size_t rf_numbers_read(const char *text, double *values, size_t most);

#endif
