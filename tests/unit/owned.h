/** Machines that a test owns: `owned roof_machine *m = NULL;` is freed at the end of its block. */
#ifndef TESTS_UNIT_OWNED_H
#define TESTS_UNIT_OWNED_H

#include <string.h>

#include "roofline/documents.h"
#include "roofline/report.h"

static inline void drop_machine(roof_machine **machine) {
  roof_machine_free(*machine);
}

/** A new, empty machine in the place of the one that was there. */
static inline roof_machine *empty_machine(roof_machine **machine) {
  roof_machine_free(*machine);
  *machine = roof_machine_new();
  roof_machine_make_report(*machine);
  return *machine;
}

/** Adds empty peaks, levels and links until there are so many. */
static inline void fill_machine(roof_machine *machine, int peaks, int levels, int links) {
  while (machine->peak_count < peaks) {
    roof_machine_add_peak(machine);
  }
  while (machine->level_count < levels) {
    roof_machine_add_level(machine);
  }
  while (machine->link_count < links) {
    roof_machine_add_link(machine);
  }
}

/** Whether both would be written as the same file. */
static inline bool same_machine(const roof_machine *a, const roof_machine *b) {
  roof_text one = {0}, two = {0};
  bool same = roof_machine_write(a, &one, NULL) == ROOF_OK && roof_machine_write(b, &two, NULL) == ROOF_OK &&
              strcmp(one.data, two.data) == 0;
  roof_text_done(&one);
  roof_text_done(&two);
  return same;
}

#define owned __attribute__((cleanup(drop_machine)))

#endif
