/** The roofline of energy: what FLOPs, bytes and time cost in joules (Choi, Bedard, Fowler and Vuduc, A
 *  Roofline Model of Energy, IPDPS 2013). Energies add where times hide each other, so its line bends where
 *  the one of time has a corner.
 *
 *  Example:
 *    extern const roof_target *target; // by roof_target_init
 *    roof_energy_line line = roof_energy_line_of(target, ROOF_MATRIX);
 *    printf("%g FLOP/J at 100 FLOP/byte\n", roof_energy_efficiency(&line, 100)); */
#ifndef ROOFLINE_ENERGY_H
#define ROOFLINE_ENERGY_H

#include "roofline/predict.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The joules of one prediction, term by term. NaN: the machine has neither joules nor watts. */
typedef struct roof_energy_use {
  double flop_joules;
  double byte_joules;                         /**< all levels */
  double level_joules[ROOF_LEVEL_KIND_COUNT]; /**< as the prediction's levels */
  double constant_joules;                     /**< constant power x expected time */
  double lower_joules; /**< in the shortest time of all its FLOPs and bytes, perfect overlap */
  double upper_joules; /**< in the longest */
  double expected_joules;
  double watts;           /**< average over the expected time */
  double flops_per_joule; /**< in the expected time */
} roof_energy_use;

/** A FLOP and a byte of memory in time and energy: what the roofline of energy is drawn from. */
typedef struct roof_energy_line {
  double joules_per_flop;
  double joules_per_byte;
  double constant_watts;
  double seconds_per_flop;
  double seconds_per_byte;
} roof_energy_line;

/** The costs that predictions on `target` use: those of the peak's format where the machine distinguishes
 *  formats; its power for everything where it has no joules.
 *  Units: J, W.
 *  Ownership: by value.
 *  Errors: NaN. */
ROOF_API roof_energy_costs roof_energy_costs_of(const roof_target *target);

/** The energy of a prediction that takes `seconds`. A byte costs what the outermost level asks that supplies
 *  it.
 *  Units: s, J.
 *  Ownership: none.
 *  Errors: NaN where unknown. */
ROOF_API double roof_energy_joules(const roof_target *target, const roof_prediction *prediction,
                                   double seconds);

/** The energy of a prediction term by term, and its bounds.
 *  Units: J, W, FLOP/J.
 *  Ownership: by value.
 *  Errors: NaN where unknown. */
ROOF_API roof_energy_use roof_energy_use_of(const roof_target *target, const roof_prediction *prediction);

/** The line of `unit`, for bytes read from the outermost level.
 *  Units: J, W, s.
 *  Ownership: by value.
 *  Errors: NaN where unknown. */
ROOF_API roof_energy_line roof_energy_line_of(const roof_target *target, roof_unit unit);

/** FLOPs per joule (= FLOP/s per watt) at `intensity`: 1 / (e + m / I + P max(t, s / I)) with e and m the
 *  joules and t and s the seconds of a FLOP and a byte, and P the constant power. Infinity for the intensity
 *  gives the limit.
 *  Units: FLOP/byte, FLOP/J.
 *  Ownership: none.
 *  Errors: NaN. */
ROOF_API double roof_energy_efficiency(const roof_energy_line *line, double intensity);

/** Average power at `intensity`, highest at the ridge.
 *  Units: FLOP/byte, W.
 *  Ownership: none.
 *  Errors: NaN. */
ROOF_API double roof_energy_watts(const roof_energy_line *line, double intensity);

/** The ridge: intensity at which a FLOP and its bytes take the same time.
 *  Units: FLOP/byte.
 *  Ownership: none.
 *  Errors: NaN. */
ROOF_API double roof_energy_time_balance(const roof_energy_line *line);

/** The balance point of energy: intensity at which half of the limit is reached, bytes taking as much as
 *  FLOPs. m / e without constant power.
 *  Units: FLOP/byte.
 *  Ownership: none.
 *  Errors: NaN. */
ROOF_API double roof_energy_balance(const roof_energy_line *line);

/** A FLOP of one format on one unit at the machine's peak. */
typedef struct roof_energy_flop {
  const roof_peak *peak;
  roof_energy_line line;
  double flops_per_second; /**< the peak */
  double joules;           /**< NaN: not known apart from the constant power */
  double effective_joules; /**< with the constant power of its time */
  double flops_per_joule;  /**< the most there can be */
} roof_energy_flop;

/** A byte from one level at its full rate. */
typedef struct roof_energy_byte {
  const roof_level *level;
  double bytes_per_second; /**< read */
  double joules;           /**< NaN: not known apart from the constant power */
  double effective_joules; /**< with the constant power of its time */
} roof_energy_byte;

/** FLOP `index` of the target's machine, by format and unit.
 *  Units: J, s.
 *  Ownership: writes *flop on success only; it points into the machine.
 *  Errors: false past the last. */
ROOF_API bool roof_energy_flop_at(const roof_target *target, int index, roof_energy_flop *flop);

/** The byte of level `index`, inner to outer.
 *  Units: J, bytes/s.
 *  Ownership: writes *byte on success only; it points into the machine.
 *  Errors: false past the last; NaN where the joules are not known. */
ROOF_API bool roof_energy_byte_at(const roof_target *target, int index, roof_energy_byte *byte);

/** "FLOPs" or "bytes": what takes most of the energy at `intensity`, the constant power of its time included; where
 *  that power alone is known, what takes the longer time.
 *  Units: FLOP/byte.
 *  Ownership: a static string.
 *  Errors: "bytes" where the balance is unknown. */
ROOF_API const char *roof_energy_bound(const roof_energy_line *line, double intensity);

/** True where the fastest way also takes the least energy: FLOPs that bind in time also bind in energy.
 *  Units: none.
 *  Ownership: none.
 *  Errors: false where a balance is unknown. */
ROOF_API bool roof_energy_race_to_halt(const roof_energy_line *line);

#ifdef __cplusplus
}
#endif
#endif
