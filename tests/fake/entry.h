/** What a module of the emulated device exports: the kernels of one program, for the processor. */
#ifndef TESTS_FAKE_ENTRY_H
#define TESTS_FAKE_ENTRY_H

#include <stddef.h>

/** Of a launch: blocks, threads of a block, bytes of dynamic shared memory. */
typedef struct emulated_shape {
  unsigned grid[3], block[3];
  size_t shared;
} emulated_shape;

typedef struct emulated_entry {
  const char *name;
  unsigned most;    /* threads of a block, by its __launch_bounds__; 0: as many as the device has */
  unsigned cluster; /* blocks, side by side in x */
  int parameters;
  int written;           /* the first that points to what is not const, or -1 */
  int rounds, elements;  /* the first int, the last long long, or -1 */
  const unsigned *sizes; /* bytes of each */
  void (*call)(const void *arguments);
} emulated_entry;

typedef struct emulated_module {
  const emulated_entry *entries; /* one without a name ends them */
  /** Runs a launch; 0 when it hangs. */
  int (*run)(const emulated_entry *entry, const emulated_shape *shape, void *const *arguments);
  /** After a launch that was left in the middle. */
  void (*abandon)(void);
} emulated_module;

#endif
