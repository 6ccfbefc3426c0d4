/** JSON documents: machines (roofline.machine/1) read and written. */
#ifndef ROOFLINE_DOCUMENTS_H
#define ROOFLINE_DOCUMENTS_H

#include "roofline/machine.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Reads a machine from JSON text; `file` names it in errors.
 *  Units: as roof_machine.
 *  Ownership: fills *machine on success only; `text` is not kept.
 *  Errors: ROOF_E_PARSE or ROOF_E_ARGUMENT with file, line and column. */
ROOF_API roof_status roof_machine_read(const char *text, size_t length, const char *file,
                                       roof_machine **machine, roof_error *error);

/** Writes a machine as JSON, every key present, unknown as null; reads back equal.
 *  Units: as roof_machine.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_machine_write(const roof_machine *machine, roof_text *out, roof_error *error);

/** Appends what stands behind a figure as one JSON object, null where nothing is known.
 *  Units: as in a machine file.
 *  Ownership: appends to the caller's text.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_conditions_write(const roof_conditions *conditions, roof_text *out,
                                           roof_error *error);

/** A machine file to fill in: every key, comments as notes, figures that lint.
 *  Units: as roof_machine.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_ARGUMENT for a bad name. */
ROOF_API roof_status roof_machine_template(const char *name, roof_text *out, roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
