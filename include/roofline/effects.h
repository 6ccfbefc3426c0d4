/** What stands between the bare roofline and the expected time: named effects, each with a few constants of the
 * machine's family and the kind of kernel.
 *
 *  Example:
 *    extern const roof_target *target; // by roof_target_init
 *    extern const roof_prediction *p;  // by roof_predict
 *    roof_effect_part parts[ROOF_EFFECT_COUNT];
 *    int count = roof_effects_of(target, p, parts);
 *    for (int i = 0; i < count; i++) {
 *      printf("%s: x%.2f, %s\n", roof_effect_name(parts[i].effect), parts[i].factor, parts[i].text);
 *    } */
#ifndef ROOFLINE_EFFECTS_H
#define ROOFLINE_EFFECTS_H

#include "roofline/predict.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One effect's part of an expected time. */
typedef struct roof_effect_part {
  roof_effect effect;
  double seconds; /**< that it adds; negative: it saves */
  double factor;  /**< on the time before it */
  char text[96];  /**< "133 tiles on 132 SMs: 2 waves" */
} roof_effect_part;

/** What a constant of the forms means, and where it may lie. */
typedef struct roof_constant_row {
  const char *name; /**< as in machine files: "latency_seconds" */
  const char *unit; /**< "s", "bytes", "" for a share or a factor */
  double least, most;
  double neutral;     /**< the value without its effect */
  roof_effect effect; /**< ROOF_EFFECT_COUNT: of the interval */
  const char *text;
} roof_constant_row;

/** The name of an effect: "waves".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_effect_name(roof_effect effect);

/** What an effect is, in a sentence.
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "" for a value out of range. */
ROOF_API const char *roof_effect_text(roof_effect effect);

/** The effect of that name.
 *  Units: none.
 *  Ownership: writes *effect on success only.
 *  Errors: ROOF_E_NAME with the nearest. */
ROOF_API roof_status roof_effect_parse(const char *text, roof_effect *effect, roof_error *error);

/** The row of a constant.
 *  Units: as the row says.
 *  Ownership: static.
 *  Errors: NULL for a value out of range. */
ROOF_API const roof_constant_row *roof_constant_row_of(roof_constant constant);

/** Whether the form of a kind of kernel uses a constant.
 *  Units: none.
 *  Ownership: none.
 *  Errors: false for a value out of range. */
ROOF_API bool roof_kernel_uses(roof_kernel_kind kind, roof_constant constant);

/** Whether what a kind of kernel reads is stored in a narrower format than it computes in: other kernels widen it on the
 *  way. Keys and values of attention, weights of products and experts.
 *  Units: none.
 *  Ownership: none.
 *  Errors: false for kinds that read neither. */
ROOF_API bool roof_types_narrow(const roof_types *types, roof_kernel_kind kind);

/** The constants that a machine has for a kind of kernel in some formats: those of the arithmetic's format, else of the
 *  narrowest that is wider, else of any; of these those for operands that are scaled alike (roof_types_in_blocks; plain
 *  ones where the machine has a peak of such operands), then those stored alike (roof_types_narrow), then the framework's
 *  own, else what holds for any framework (NULL: that); attention over a latent without its own has those of attention.
 *  Units: as the rows say.
 *  Ownership: the machine's.
 *  Errors: NULL where it has none of that kind. */
ROOF_API const roof_constants *roof_constants_find(const roof_machine *machine, roof_kernel_kind kind,
                                                   const roof_types *types, const char *framework);

/** The effects that make a prediction's expected time out of its bare roofline, in the order they are added; those that
 *  change nothing are left out.
 *  Units: s.
 *  Ownership: fills the caller's `parts`.
 *  Errors: none; 0 where the machine has no constants for the kernel, or all effects are left out. */
ROOF_API int roof_effects_of(const roof_target *target, const roof_prediction *prediction,
                             roof_effect_part parts[ROOF_EFFECT_COUNT]);

/** The expected time that a prediction would have with other constants of its kind of kernel, all of them known; for
 *  fits, which ask of one prediction many times.
 *  Units: s.
 *  Ownership: none.
 *  Errors: NaN where the kind has no form; it may be under the prediction's lower bound. */
ROOF_API double roof_effects_seconds(const roof_target *target, const roof_prediction *prediction,
                                     const double values[ROOF_CONSTANT_COUNT]);

#ifdef __cplusplus
}
#endif
#endif
