/** Number formats by their names, and the options of a prediction as they are typed.
 *
 *  Example:
 *    extern const roof_machine *machine; // by roof_catalog_load
 *    roof_formats named = {.dtype = "fp16", .weights = "int4", .group = "128"};
 *    roof_types types;
 *    if (roof_formats_read(&named, machine, &types, NULL) == ROOF_OK) {
 *      printf("%g bytes per weight\n", roof_types_weight_bytes(&types, 1));
 *    } */
#ifndef ROOFLINE_FORMATS_H
#define ROOFLINE_FORMATS_H

#include "roofline/machine.h"
#include "roofline/predict.h"

#ifdef __cplusplus
extern "C" {
#endif

/** X(name): formats as they are typed, but for `dtype`, of which there may be several. */
#define ROOF_FORMATS_MAP(X) X(weights) X(group) X(accumulate) X(output) X(kv)

/** Formats as they are typed. NULL: not said. */
typedef struct roof_formats {
  const char *dtype;
#define ROOF_FORMATS_MEMBER(name) const char *name;
  ROOF_FORMATS_MAP(ROOF_FORMATS_MEMBER)
#undef ROOF_FORMATS_MEMBER
} roof_formats;

/** The formats named. Without a dtype: fp16, else bf16, where `machine` has a matrix unit for it, else fp32; what is
 *  not said follows the dtype. Formats may be those with
 *  scales (nvfp4). `weights` is a format, or nf4, awq, gptq, mxfp4, mxfp8, nvfp4: a format with groups and scales.
 *  Units: none.
 *  Ownership: fills *types on success only.
 *  Errors: ROOF_E_NAME with the nearest name; ROOF_E_PARSE and ROOF_E_ARGUMENT for the group. */
ROOF_API roof_status roof_formats_read(const roof_formats *formats, const roof_machine *machine,
                                       roof_types *types, roof_error *error);

/** The formats that are not those of the dtype alone, as they are typed: " --weights int4 --group 128" with `dashes`, else
 *  " weights=int4 group=128", as a label has them; "" where there are none.
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_formats_words(const roof_types *types, bool dashes, char *buffer, size_t size);

/** Bytes that hold what roof_formats_apart writes. */
#define ROOF_FORMATS_APART 160

/** The formats that are not those of the dtype alone, to be read after its name: ", weights int4 with a scale per 128,
 *  result fp32"; "" where there are none.
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_formats_apart(const roof_types *types, char *buffer, size_t size);

/** X(name): options as they are typed, texts with a unit. `efficiency` is a share (78%), or LOW,TYPICAL,HIGH; `without` names
 *  effects, separated by commas, or "all". */
#define ROOF_OPTIONS_MAP(X)                                                                                  \
  X(efficiency) X(overhead) X(launch) X(overlap) X(tile) X(unit) X(link) X(framework) X(without)

/** X(name): options without a value. */
#define ROOF_SWITCHES_MAP(X) X(sparse) X(warm) X(cold) X(achieved)

/** Options as they are typed. NULL or 0: not said. */
typedef struct roof_options_text {
#define ROOF_OPTIONS_MEMBER(name) const char *name;
  ROOF_OPTIONS_MAP(ROOF_OPTIONS_MEMBER)
#undef ROOF_OPTIONS_MEMBER
#define ROOF_SWITCHES_MEMBER(name) int name;
  ROOF_SWITCHES_MAP(ROOF_SWITCHES_MEMBER)
#undef ROOF_SWITCHES_MEMBER
} roof_options_text;

/** The options typed; what is not said is as roof_options_default has it.
 *  Units: none.
 *  Ownership: fills *options on success only, which keeps `link`.
 *  Errors: ROOF_E_PARSE, ROOF_E_NAME or ROOF_E_ARGUMENT, with the option's name. */
ROOF_API roof_status roof_options_read(const roof_options_text *typed, roof_options *options,
                                       roof_error *error);

/** The options that are not as roof_options_default has them, as they are typed: " --efficiency 0.9 --cold"; "" where there
 *  are none.
 *  Units: s.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_options_words(const roof_options *options, char *buffer, size_t size);

/** Whether any option was typed.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_options_typed(const roof_options_text *typed);

/** What was typed of the formats and options that have no effect on some predictions: a bit each.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API unsigned roof_typed_of(const roof_formats *formats, const roof_options_text *options);

/** Those of `typed` that have a part in what the target predicts of `op` at completed `values`.
 *  Units: the parameters'.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API unsigned roof_typed_used(unsigned typed, const roof_target *target, const roof_op *op,
                                  const double *values);

/** Refuses the first of `idle`, which has a part in no prediction of `what`.
 *  Units: none.
 *  Ownership: none.
 *  Errors: ROOF_E_ARGUMENT, with the option's name and what `what` lacks. */
ROOF_API roof_status roof_typed_refuse(unsigned idle, const char *what, roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
