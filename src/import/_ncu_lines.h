/** What instructions of a launch cost, as a report of Nsight Compute has it: instances of metrics by address. */
#ifndef IMPORT_NCU_LINES_H
#define IMPORT_NCU_LINES_H

#include "documents/proto.h"
#include "import/import.h"

/** A binary of the report, with its number. */
typedef struct ncu_source {
  uint64_t id;
  proto message;
} ncu_source;

/** All binaries. Start from zeros. */
typedef struct ncu_sources {
  ncu_source *list;
  size_t count, room;
} ncu_sources;

/** Something that was counted at an address: a roof_stall, or what follows these. */
typedef struct ncu_instance {
  uint64_t address, value;
  int what;
} ncu_instance;

/** The instances of one launch. Start from zeros. */
typedef struct ncu_instances {
  ncu_instance *list;
  size_t count, room;
} ncu_instances;

/** Keeps a binary. False when out of memory. */
bool rf_ncu_source_add(ncu_sources *sources, proto message);

void rf_ncu_sources_done(ncu_sources *sources);

/** Keeps the instances of a metric that is used. False when out of memory. */
bool rf_ncu_instances_add(ncu_instances *all, const char *name, proto metric);

/** Adds them to the lines of the record: the kernel `function` of the binary numbered `source`. */
roof_status rf_ncu_lines_add(roof_profile *profile, roof_record *record, ncu_instances *all,
                             const ncu_sources *sources, uint64_t source, const char *function,
                             roof_error *error);

void rf_ncu_instances_done(ncu_instances *all);

#endif
