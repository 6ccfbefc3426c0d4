/* What a block of threads of an NVIDIA GPU can hold on chip. */
#include <math.h>
#include <string.h>

#include "advise/topics.h"
#include "roofline/units.h"

enum { KI = 1024, SHORT = 48 };

/** CUDA C++ Programming Guide, technical specifications per compute capability: shared memory per SM and per
 * block (with the opt-in), 32-bit registers per SM and per thread, resident warps and blocks per SM. The step of
 * shared memory, and that blocks are counted as here: cuda_occupancy.h of CUDA 13. */
static const roof_block_limits limits[] = {
    {"sm_70", 96 * KI, 96 * KI, 64 * KI, 255, 64, 32, 256, 0},
    {"sm_75", 64 * KI, 64 * KI, 64 * KI, 255, 32, 16, 256, 0},
    {"sm_80", 164 * KI, 163 * KI, 64 * KI, 255, 64, 32, 128, KI},
    {"sm_86", 100 * KI, 99 * KI, 64 * KI, 255, 48, 16, 128, KI},
    {"sm_87", 164 * KI, 163 * KI, 64 * KI, 255, 48, 16, 128, KI},
    {"sm_89", 100 * KI, 99 * KI, 64 * KI, 255, 48, 24, 128, KI},
    {"sm_90", 228 * KI, 227 * KI, 64 * KI, 255, 64, 32, 128, KI},
    {"sm_100", 228 * KI, 227 * KI, 64 * KI, 255, 64, 32, 128, KI},
    {"sm_103", 228 * KI, 227 * KI, 64 * KI, 255, 64, 32, 128, KI},
    {"sm_120", 100 * KI, 99 * KI, 64 * KI, 255, 48, 24, 128, KI},
    {"sm_121", 100 * KI, 99 * KI, 64 * KI, 255, 48, 24, 128, KI},
};

const roof_block_limits *roof_block_limits_of(const roof_machine *machine) {
  for (int p = 0; p < machine->peak_count; p++) {
    const char *isa = machine->peaks[p].isa;
    size_t length = strcspn(isa, " ");
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
      if (strlen(limits[i].isa) == length && memcmp(limits[i].isa, isa, length) == 0) {
        return &limits[i];
      }
    }
  }
  return NULL;
}

double roof_block_tile(const roof_machine *machine, const roof_types *types) {
  const roof_block_limits *l = roof_block_limits_of(machine);
  return l != NULL ? floor(sqrt(l->block_shared / (3 * roof_dtype_bytes(types->compute)))) : NAN;
}

void rf_advise_work_block(roof_text *out, const roof_lesson *lesson) {
  const roof_block_limits *l = roof_block_limits_of(lesson->target->machine);
  if (l == NULL) {
    return;
  }
  char shared[SHORT], block[SHORT];
  roof_text_addf(out, "  shared memory %s per SM, %s per block; registers %.0f x 4 B = %.0f B per SM,\n",
                 roof_bytes_format(shared, SHORT, l->unit_shared),
                 roof_bytes_format(block, SHORT, l->block_shared), l->unit_registers, 4 * l->unit_registers);
  roof_text_addf(out, "  %.0f that a thread can name, of 256 x 4 B = 1024 B (%s)\n", l->thread_registers,
                 l->isa);
}

void rf_advise_work_block_tile(roof_text *out, const roof_lesson *lesson) {
  const roof_block_limits *l = roof_block_limits_of(lesson->target->machine);
  double tile = roof_block_tile(lesson->target->machine, &lesson->target->types);
  char block[SHORT];
  if (l != NULL) {
    roof_text_addf(out,
                   "  a block's %s of shared memory hold three tiles in %s up to %.0f x %.0f: choose %.0f,\n",
                   roof_bytes_format(block, SHORT, l->block_shared),
                   roof_dtype_name(lesson->target->types.compute), tile, tile, 32 * floor(tile / 32));
    roof_text_addf(out, "  or %.0f as a power of two; with the result in registers only two tiles count\n",
                   exp2(floor(log2(tile))));
  }
}
