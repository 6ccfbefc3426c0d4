/** The files of data/machines and data/models, compiled in (see cmake/Embed.cmake). */
#ifndef CATALOG_BUILTIN_H
#define CATALOG_BUILTIN_H

typedef struct roof_builtin {
  const char *name;
  const char *aliases; /**< separated by single spaces */
  const char *text;
  const char *end; /**< one past the text; a NUL stands there */
} roof_builtin;

extern const roof_builtin roof_builtin_machines[], roof_builtin_models[];
extern const unsigned roof_builtin_machine_count, roof_builtin_model_count;

#endif
