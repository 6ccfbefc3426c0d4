/** What x86 processors have that `__builtin_cpu_supports` of older compilers does not know, and the tiles of AMX. */
#ifndef KERNELS_LANES_X86_H
#define KERNELS_LANES_X86_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/** Bit of a register (eax, ebx, ecx, edx) of leaf 7. */
static inline bool rf_x86_leaf7(unsigned sub, int where, int bit) {
  unsigned registers[4] = {0};
  return __get_cpuid_count(7, sub, &registers[0], &registers[1], &registers[2], &registers[3]) != 0 &&
         (registers[where] >> bit & 1) != 0;
}

static inline bool rf_x86_has_avx_vnni(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && rf_x86_leaf7(1, 0, 4);
}

static inline bool rf_x86_has_amx_bf16(void) {
  return rf_x86_leaf7(0, 3, 24) && rf_x86_leaf7(0, 3, 22);
}

static inline bool rf_x86_has_amx_int8(void) {
  return rf_x86_leaf7(0, 3, 24) && rf_x86_leaf7(0, 3, 25);
}

/** Tiles are large: the kernel saves them only for processes that asked. NULL, or why it does not. */
static inline const char *rf_x86_amx_refused(void) {
  enum { REQUEST = 0x1023, TILE_DATA = 18 };
  return syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0
             ? NULL
             : "the kernel does not let this process use the tiles (arch_prctl ARCH_REQ_XCOMP_PERM)";
}

/** As `ldtilecfg` reads it. */
typedef struct rf_x86_tiles {
  uint8_t palette;
  uint8_t reserved[15];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} rf_x86_tiles;

/** All eight of 16 rows of 64 bytes. */
static const rf_x86_tiles rf_x86_whole_tiles = {
    .palette = 1, .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {16, 16, 16, 16, 16, 16, 16, 16}};

#endif
