/** Regions of your own program, timed: mark them with their FLOPs and bytes, set ROOFLINE_REGIONS=FILE, and a
 *  roofline.measurements/1 document is written there at exit (`%p` in FILE becomes the process id, `%r` the
 *  rank under mpirun or srun). Without the variable a marked region costs one load and one branch. Regions nest (the times include
 *  what is inside) and may be used by many threads at once. A process that forked leaves the writing to its
 *  parent. With ROOFLINE_COUNTERS=papi FLOPs are counted too, where PAPI is installed and the kernel allows
 *  it: the document says so, or why not.
 *
 *  Example:
 *    extern double a[1000], b[1000];
 *    ROOF_REGION_BEGIN("scale");
 *    for (int i = 0; i < 1000; i++) {
 *      a[i] = 3 * b[i];
 *    }
 *    ROOF_REGION_END("scale", 1e3, 16e3); */
#ifndef ROOFLINE_REGION_H
#define ROOFLINE_REGION_H

#include "roofline/dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A name that calls are collected under, the same for every thread. */
typedef struct roof_region roof_region;

/** Not 0 while regions are recorded; set when the program starts.
 *  Units: none.
 *  Ownership: the library's, to be read only.
 *  Errors: none. */
ROOF_API extern int roof_region_enabled;

/** The region of that name, made when it is new.
 *  Units: none.
 *  Ownership: the library's, until the program ends; copies `name`, with a space for what cannot be shown on one line.
 *  Errors: NULL, which begin and end ignore, while regions are not recorded or memory is out. */
ROOF_API roof_region *roof_region_get(const char *name);

/** Begins a call on this thread.
 *  Units: none.
 *  Ownership: none.
 *  Errors: more than 64 nested calls are not timed, which the document says. */
ROOF_API void roof_region_begin(roof_region *region);

/** Ends the call that this thread began last in `region`: it did `flops` FLOPs in `dtype` and moved `bytes`
 *  from and to memory; NaN, or less than 0, for what is not known. FLOPs in a format with scales are those of what
 *  it multiplies, in a format that is none not known.
 *  Units: FLOP and bytes of this call.
 *  Ownership: none.
 *  Errors: an end without a begin is not timed, nor are begun calls inside that have no end; the document
 *  says both. */
ROOF_API void roof_region_end(roof_region *region, roof_dtype dtype, double flops, double bytes);

/** Writes the document so far, which a program that ends through _exit must do itself.
 *  Units: none.
 *  Ownership: none.
 *  Errors: ROOF_E_UNSUPPORTED when nothing is recorded, ROOF_E_MEMORY, ROOF_E_OUTPUT. */
ROOF_API roof_status roof_region_write(roof_error *error);

/** The region at `site`, looked up once; the macros keep one site each.
 *  Units: none.
 *  Ownership: as roof_region_get.
 *  Errors: NULL, as roof_region_get. */
ROOF_API roof_region *roof_region_at(roof_region **site, const char *name);

/** Begins a call of the region `name`, a text that does not change from call to call. */
#define ROOF_REGION_BEGIN(name)                                                                              \
  do {                                                                                                       \
    static roof_region *roof_region_site;                                                                    \
    if (roof_region_enabled) {                                                                               \
      roof_region_begin(roof_region_at(&roof_region_site, name));                                            \
    }                                                                                                        \
  } while (0)

/** Ends it: FLOPs in `dtype` (ROOF_FP64, ROOF_FP32, ...), bytes from and to memory. Nothing is computed while
 *  disabled. */
#define ROOF_REGION_END_AS(name, dtype, flops, bytes)                                                        \
  do {                                                                                                       \
    static roof_region *roof_region_site;                                                                    \
    if (roof_region_enabled) {                                                                               \
      roof_region_end(roof_region_at(&roof_region_site, name), dtype, flops, bytes);                         \
    }                                                                                                        \
  } while (0)

/** Ends it: FLOPs in fp64. */
#define ROOF_REGION_END(name, flops, bytes) ROOF_REGION_END_AS(name, ROOF_FP64, flops, bytes)

#ifdef __cplusplus
}
#endif
#endif
