/** What a kernel asks of a machine.
 *
 *  Example:
 *    roof_work work;
 *    roof_work_init(&work);
 *    work.flops = 2e9;
 *    work.read_bytes = 16e6;
 *    work.write_bytes = 8e6; */
#ifndef ROOFLINE_WORK_H
#define ROOFLINE_WORK_H

#include "roofline/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What of the work the best algorithm, routing or network cannot do without; NaN: all of it. The lower bound counts it
 *  alone. */
typedef struct roof_least {
  double flops;
  double bytes;      /**< read and written */
  double link_bytes; /**< where the link's switch adds up (roof_link.reduces) */
  const char *why;   /**< what saves the rest; NULL: nothing does */
} roof_least;

/** FLOPs, bytes and launches of one call. `level_bytes` is NaN where a level sees the compulsory bytes. */
typedef struct roof_work {
  double flops; /**< an FMA is 2 */
  roof_unit unit;
  double read_bytes; /**< compulsory, each byte once, at the outermost level */
  double write_bytes;
  double weight_bytes; /**< of the read bytes, those of weights that are read whole */
  double cache_bytes;  /**< of the bytes read and written, those of stored keys, values and states */
  double update_bytes; /**< of the written bytes, those that are written where they were read */
  double level_bytes[ROOF_LEVEL_KIND_COUNT];
  double
      fresh_bytes; /**< of the bytes read and written, those that other kernels displace from every cache */
  double no_reuse_bytes; /**< read when no operand is reused on chip; a tile of t divides it by t. NaN: no
                            reuse */
  double link_bytes;     /**< through the busiest link of one rank, one direction */
  double link_steps;     /**< sequential messages, each paying the link's latency */
  double launches;
  double working_set; /**< bytes resident at once */
  roof_kernel_shape kernel;
  roof_least least;
} roof_work;

/** Zero work on the vector unit, a stream with one launch and no level figures.
 *  Units: FLOP, bytes.
 *  Ownership: the caller's storage.
 *  Errors: none. */
ROOF_API void roof_work_init(roof_work *work);

#ifdef __cplusplus
}
#endif
#endif
