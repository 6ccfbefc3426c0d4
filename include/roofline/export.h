/** Marks what the shared library exports. */
#ifndef ROOFLINE_EXPORT_H
#define ROOFLINE_EXPORT_H

#if defined(__GNUC__) && !defined(ROOF_STATIC)
#define ROOF_API __attribute__((visibility("default")))
#else
#define ROOF_API
#endif

#if defined(__GNUC__)
#define ROOF_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define ROOF_PRINTF(text, first)
#endif

#endif
