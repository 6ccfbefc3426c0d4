/** The machine files of data/machines, compiled in (see cmake/EmbedMachines.cmake). */
#ifndef CATALOG_BUILTIN_H
#define CATALOG_BUILTIN_H

typedef struct roof_builtin_machine {
  const char *name;
  const char *aliases; /**< separated by single spaces */
  const char *text;
  const char *end; /**< one past the text; a NUL stands there */
} roof_builtin_machine;

extern const roof_builtin_machine roof_builtin_machines[];
extern const unsigned roof_builtin_machine_count;

#endif
