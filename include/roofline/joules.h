/** The roofline of energy of a machine in one format, and the points of an operation on it.
 *
 *  Example:
 *    extern const roof_target *target; // by roof_target_init
 *    roof_energy_given none = {NAN, NAN, NAN};
 *    roof_energy_subject subject;
 *    if (roof_energy_subject_of(target, NULL, &none, &subject, NULL) == ROOF_OK) {
 *      printf("at most %g FLOP/J\n", subject.best_flops_per_joule);
 *    } */
#ifndef ROOFLINE_JOULES_H
#define ROOFLINE_JOULES_H

#include "roofline/energy.h"
#include "roofline/shape.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Figures in place of the machine's. NaN: the machine's. */
typedef struct roof_energy_given {
  double joules_per_flop; /**< of every format */
  double joules_per_byte; /**< of every level */
  double idle_watts;
} roof_energy_given;

/** A machine in one format, with the operation where one is given. */
typedef struct roof_energy_subject {
  roof_target target;
  roof_energy_line line; /**< of the unit below */
  roof_dtype dtype;      /**< of the peak that the line has */
  roof_unit unit;
  const roof_shape *shape;     /**< NULL without an operation */
  bool only_dtype;             /**< the joules per FLOP are known for `dtype` alone */
  double best_flops_per_joule; /**< as the intensity grows without end */
  double most_watts;           /**< average power at the ridge */
  double time_balance;         /**< FLOP/byte: the ridge; NaN unknown */
  double energy_balance;       /**< FLOP/byte at which bytes take as much energy as FLOPs; NaN unknown */
  bool race_to_halt;           /**< roof_energy_race_to_halt */
} roof_energy_subject;

enum { ROOF_ENERGY_FLOPS = ROOF_DTYPE_COUNT * ROOF_UNIT_COUNT, ROOF_ENERGY_LABEL = 128 };

/** A point of the operation. NaN where it has no FLOP, or the machine lacks the figure. */
typedef struct roof_energy_point {
  char label[ROOF_ENERGY_LABEL]; /**< its values on the axes ("m=64"); without an axis the operation's name */
  roof_prediction prediction;
  roof_energy_use use;
  double intensity;            /**< FLOP/byte */
  double flops_per_joule;      /**< in the expected time */
  double best_flops_per_joule; /**< in the shortest time */
  const char *bound;           /**< "FLOPs" or "bytes": what takes most of the energy; NULL without a FLOP */
} roof_energy_point;

/** Puts the figures given into `machine`, as assumed ones; joules that formats or levels had of their own are no
 *  longer known.
 *  Units: J, W.
 *  Ownership: changes *machine.
 *  Errors: none. */
ROOF_API void roof_energy_give(const roof_energy_given *given, roof_machine *machine);

/** The subject of a target (whose machine has the figures `given`) and of `shape` (nullable): the unit that the
 *  operation uses, without one that of the higher peak.
 *  Units: J, s.
 *  Ownership: fills *subject on success only; it keeps `shape` and points into the target's machine.
 *  Errors: ROOF_E_ARGUMENT where one figure is given of a machine that needs both; ROOF_E_UNSUPPORTED for a machine
 *  that says neither joules nor watts, and as roof_target_supports. */
ROOF_API roof_status roof_energy_subject_of(const roof_target *target, const roof_shape *shape,
                                            const roof_energy_given *given, roof_energy_subject *subject,
                                            roof_error *error);

/** The FLOPs of the formats whose joules the subject knows; as roof_energy_flop_at.
 *  Units: J, s.
 *  Ownership: fills at most ROOF_ENERGY_FLOPS, returns how many; they point into the machine.
 *  Errors: none. */
ROOF_API size_t roof_energy_flops(const roof_energy_subject *subject,
                                  roof_energy_flop flops[ROOF_ENERGY_FLOPS]);

/** The bytes of the subject's levels; as roof_energy_byte_at.
 *  Units: J, bytes/s.
 *  Ownership: fills at most ROOF_LEVEL_KIND_COUNT, returns how many; they point into the machine.
 *  Errors: none. */
ROOF_API size_t roof_energy_bytes(const roof_energy_subject *subject,
                                  roof_energy_byte bytes[ROOF_LEVEL_KIND_COUNT]);

/** Point `index` of the subject's operation, and its energy.
 *  Units: s, J.
 *  Ownership: writes *point on success only.
 *  Errors: as roof_shape_point. */
ROOF_API roof_status roof_energy_point_at(const roof_energy_subject *subject, size_t index,
                                          roof_energy_point *point, roof_error *error);

/** Appends where the machine's joules and constant power are from.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_energy_source_describe(roof_text *out, const roof_energy_subject *subject);

/** Appends both balances, whether racing to halt pays, and the power around the ridge; nothing where no balance is
 *  known.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_energy_balance_describe(roof_text *out, const roof_energy_subject *subject);

/** Appends the terms of one point as bars, their sum, power and efficiency.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_energy_point_describe(roof_text *out, const roof_energy_subject *subject,
                                         const roof_energy_point *point);

#ifdef __cplusplus
}
#endif
#endif
