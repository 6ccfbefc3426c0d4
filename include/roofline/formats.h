/** Number formats by their names.
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

#ifdef __cplusplus
extern "C" {
#endif

/** Formats as they are typed. NULL: not said. */
typedef struct roof_formats {
  const char *dtype, *weights, *group, *accumulate, *output, *kv;
} roof_formats;

/** The formats named. Without a dtype: fp16, else bf16, where `machine` has a matrix unit for it, else fp32; what is
 *  not said follows the dtype. `weights` is a format, or nf4, awq, gptq, mxfp4: a format with groups and scales.
 *  Units: none.
 *  Ownership: fills *types on success only.
 *  Errors: ROOF_E_NAME with the nearest name; ROOF_E_PARSE and ROOF_E_ARGUMENT for the group. */
ROOF_API roof_status roof_formats_read(const roof_formats *formats, const roof_machine *machine,
                                       roof_types *types, roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
