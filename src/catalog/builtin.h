/** The files of data/machines, data/models and data/constants, compiled in (see cmake/Embed.cmake). */
#ifndef CATALOG_BUILTIN_H
#define CATALOG_BUILTIN_H

typedef struct rf_builtin {
  const char *name;
  const char *aliases; /**< separated by single spaces */
  const char *title;   /**< "" where the file has none */
  const char *text;
  const char *end; /**< one past the text; a NUL stands there */
} rf_builtin;

extern const rf_builtin rf_builtin_machines[], rf_builtin_models[], rf_builtin_constants[];
extern const unsigned rf_builtin_machine_count, rf_builtin_model_count, rf_builtin_constant_count;

#endif
