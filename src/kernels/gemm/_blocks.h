/** The product in blocks that fit the caches, after Goto and van de Geijn, "Anatomy of high-performance
 *  matrix multiplication" (2008): what the packed rungs share. */
#ifndef KERNELS_GEMM_BLOCKS_H
#define KERNELS_GEMM_BLOCKS_H

#include "kernels/gemm/_gemm.h"

/** How far the blocks reach, in elements. */
typedef struct rf_blocks {
  size_t depth;  /**< of a block: a tile's rows of A stay in the first cache */
  size_t width;  /**< columns of B that stay in the second cache */
  size_t height; /**< rows of A and C that a thread takes at a time */
  size_t share;  /**< columns of C that a thread has where rows are too few to be shared out, else all */
  bool direct; /**< B is used where it lies: too seldom to be worth packing, or in the first cache already */
  bool small;  /**< the latter: nothing is fetched ahead */
  bool update; /**< C stays in the second cache while B passes, RF_RANK rows at a time */
  bool along;  /**< all columns of a depth before the next: few rows take B as memory is fetched ahead */
  bool stay;   /**< panels of B in the first cache while copies of those rows pass */
} rf_blocks;

/** How the blocks of a processor are cut, by what was fastest: bench/results/gemm.md. */
typedef struct rf_blocking {
  bool
      stay; /**< panels of B stay in the first cache, as `stay` of rf_blocks; else strips of A, while B passes */
  bool update;   /**< the fewest rows of C are updated; else tiles take B where it lies */
  bool deepens;  /**< few columns go as deep as the second cache has room for all of them */
  double depth;  /**< of a panel and a strip, in first caches that both fill */
  double height; /**< of the rows that are copied, in second caches */
} rf_blocking;

/** Units: as rf_blocking. Ownership: static. Errors: none. */
const rf_blocking *rf_gemm_blocking(const roof_kernel *kernel, roof_dtype dtype);

/** How the columns of a block are divided: panels as wide as a tile, and what is left. */
typedef struct rf_panels {
  size_t lanes, wide;  /**< elements of a register and of a whole panel */
  size_t registers;    /**< of all columns */
  size_t widest;       /**< registers of a whole panel */
  size_t count, whole; /**< all, and those at the beginning that are as wide as a tile */
  size_t shorter;      /**< elements that the last panel but one leaves to a last one of one register */
} rf_panels;

/** A block of C = or += A B: rows of A, panels of B one after the other, each `depth` rows of a tile's
 *  width. */
typedef struct rf_block {
  const rf_loops *loops;
  size_t element; /**< bytes */
  size_t rows, columns, depth;
  const char *a;
  size_t a_stride; /**< elements */
  char *copy;      /**< room for `height` rows of A a line apart, or NULL */
  size_t height;
  const char *b; /**< in place */
  size_t b_stride;
  const char *packed; /**< the panels, or NULL */
  char *c;
  size_t c_stride;
  rf_panels panels;
  size_t first, last; /**< panels */
  bool add;
  bool past; /**< C, written once, is stored past the caches */
} rf_block;

enum { RF_LINE = 64 };

/** A thread's panels of B being copied to a buffer row by row, a part of a row at a time: so memory is read as it
 * lies, which processors fetch ahead by themselves. */
typedef struct rf_packing {
  rf_block block;
  char *to;
  size_t first, last; /**< panels, and past the last */
  size_t row, panel;  /**< that come next; all done where the row is past the last */
  size_t part;        /**< panels at a time */
} rf_packing;

/** Columns of B as wide as a tile. */
typedef struct rf_panel {
  size_t begin;
  size_t columns; /**< inside B */
  size_t wide;    /**< in whole registers */
  const char *b;
  size_t stride;
} rf_panel;

/** Multiplies one block; may pack rows of the next one meanwhile. */
typedef void rf_gemm_multiply(const rf_block *block, rf_packing *next);

/** What fits this processor's caches where a product has so many rows: a strip of A and a panel of B the first one, together
 *  with the next panel where few rows use it; B two fifths of the second one, or copied rows of A and B a sixteenth of the
 *  third, a thirty-second where few rows use it.
 *  Units: elements. Ownership: by value. Errors: none. */
rf_blocks rf_gemm_fitting(const roof_kernel *kernel, roof_dtype dtype, size_t rows);

/** Blocks in whole steps of depth, panels and tiles.
 *  Units: elements. Ownership: by value. Errors: none; at least one of each. */
rf_blocks rf_gemm_whole_blocks(roof_dtype dtype, const roof_blocks *blocks);

/** The blocks of a run: those found for this machine, else those that fit its caches; the last of each kind about as large as the others.
 *  Units: elements. Ownership: by value. Errors: none. */
rf_blocks rf_gemm_blocks(const roof_kernel_run *run);

/** How often the matrices pass into a cache of `bytes` when a panel of B that does not stay is read for each
 *  `rows` rows of A, and a strip of `strip` rows of A for each panel unless it stays. B is also copied.
 *  Units: bytes. Ownership: by value. Errors: none. */
rf_gemm_passes rf_gemm_block_passes(const roof_kernel_run *run, double bytes, double rows, double strip);

/** The traffic of tiles in registers, at the peak: `algorithm` of the rungs that use them.
 *  Units: as the member's. Ownership: fills *out. Errors: none. */
void rf_gemm_tiles_algorithm(const roof_kernel_run *run, const roof_target *cores, roof_algorithm *out);

/** Side of a square block that fills half the second cache.
 *  Units: elements. Ownership: none. Errors: none. */
size_t rf_gemm_square(const roof_kernel_run *run);

/** Operands, the blocks of the run, and room for two packed blocks of B for each share of C and for each thread's copied rows.
 *  Units: none.
 *  Ownership: released by rf_operands_release, also after a failure.
 *  Errors: as rf_gemm_prepare. */
roof_status rf_gemm_prepare_blocks(roof_kernel_run *run, roof_error *error);

/** C = A B in packed blocks; called by every thread of the team, or by one alone.
 *  Units: none. Ownership: none. Errors: none. */
void rf_gemm_product(const roof_kernel_run *run, rf_gemm_multiply *multiply);

/** The same for a few rows, whose blocks have `update`, in `room` for all threads; and what each needs of it.
 *  Units: bytes. Ownership: none. Errors: none. */
void rf_gemm_update(const roof_kernel_run *run, const rf_blocks *blocks, char *room);
size_t rf_gemm_update_bytes(const roof_kernel_run *run, const rf_blocks *blocks);

/** The panels of `columns`. Two short panels take the place of a whole one and a narrow one. Divisions happen here,
 * once per block, and none from tile to tile.
 *  Units: elements. Ownership: by value. Errors: none. */
rf_panels rf_gemm_panels(const rf_loops *loops, size_t columns);

/** One of them; the block has `panels`.
 *  Units: elements. Ownership: points into the block's B. Errors: none. */
rf_panel rf_gemm_panel(const rf_block *block, size_t panel);

/** Packs the next part of a row.
 *  Units: none. Ownership: advances *packing. Errors: none. */
void rf_gemm_pack(rf_packing *packing);

/** Whether all is packed; else where the next part is.
 *  Units: none. Ownership: points into B. Errors: none. */
bool rf_gemm_packed(const rf_packing *packing);
const char *rf_gemm_next(const rf_packing *packing);

/** Multiplies a block tile by tile in registers; with `next`, fetches and packs that between the tiles.
 *  Units: none. Ownership: advances *next, which may be NULL. Errors: none. */
void rf_gemm_multiply_tiles(const rf_block *block, rf_packing *next);

/** The same panel by panel where the block has room for copied rows: each times all of them.
 *  Units: none. Ownership: advances *next. Errors: none. */
void rf_gemm_multiply_panels(const rf_block *block, rf_packing *next);

#endif
