/* What a copy of a device is called, and what it moved: over the host's bus, to another device, or inside its memory. */
#include <string.h>

#include "core/letters.h"
#include "import/import.h"

/** X(nvprof's and older Nsight Systems', Nsight Systems', ours) */
#define COPY_MAP(X)                                                                                          \
  X("HtoD", "Host-to-Device", "host to device")                                                              \
  X("DtoH", "Device-to-Host", "device to host")                                                              \
  X("DtoD", "Device-to-Device", "device to device")                                                          \
  X("HtoH", "Host-to-Host", "host to host")                                                                  \
  X("PtoP", "Peer-to-Peer", "peer to peer")

static const struct {
  const char *theirs, *ours;
} copies[] = {
#define COPY(brief, full, ours)                                                                              \
  {"[CUDA memcpy " brief "]", "[copy " ours "]"}, {"[CUDA memcpy " full "]", "[copy " ours "]"},
    COPY_MAP(COPY)
#undef COPY
        {"[CUDA memset]", "[memset]"},
};

const char *rf_import_copy_name(const char *name) {
  for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++) {
    if (strcmp(name, copies[i].theirs) == 0) {
      return copies[i].ours;
    }
  }
  return name;
}

/** What the names of copies and sets say in the tools' spellings; anything else is over the host's bus. */
static const struct {
  const char *says;
  import_way way;
} ways[] = {
    {"peer", IMPORT_WAY_PEER},
    {"PtoP", IMPORT_WAY_PEER},
    {"P2P", IMPORT_WAY_PEER},
    {"device to device", IMPORT_WAY_INSIDE},
    {"DtoD", IMPORT_WAY_INSIDE},
    {"device-to-device", IMPORT_WAY_INSIDE},
    {"Device -> Device", IMPORT_WAY_INSIDE},
    {"memset", IMPORT_WAY_SET},
};

import_way rf_import_way_of(const char *name) {
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    if (rf_letters_find(name, ways[i].says) != NULL) {
      return ways[i].way;
    }
  }
  return IMPORT_WAY_HOST;
}

void rf_import_moved(roof_record *record, import_way way, double bytes) {
  static const struct {
    const char *source, *link;
    double passes; /* through the memory; 0: over the link */
    roof_quality quality;
  } moves[] = {
      [IMPORT_WAY_HOST] = {"bytes of the copy", "PCIe", 0, ROOF_QUALITY_MEASURED},
      [IMPORT_WAY_PEER] = {"bytes of the copy", "", 0, ROOF_QUALITY_MEASURED},
      [IMPORT_WAY_INSIDE] = {"bytes of the copy, read and written", "", 2, ROOF_QUALITY_DERIVED},
      [IMPORT_WAY_SET] = {"bytes that were set", "", 1, ROOF_QUALITY_DERIVED},
  };
  bool link = moves[way].passes == 0;
  record->link = moves[way].link;
  if (!link) {
    rf_import_add(&record->flops[ROOF_FP32][ROOF_VECTOR], 0, "a copy does no arithmetic",
                  ROOF_QUALITY_DERIVED);
  }
  rf_import_add(link ? &record->link_bytes : &record->bytes[ROOF_MEMORY],
                link ? bytes : bytes * moves[way].passes, moves[way].source, moves[way].quality);
}
