/** The parts of a measured program, between its files. */
#ifndef REGION_PROGRAM_H
#define REGION_PROGRAM_H

#include "roofline/program.h"

/** A part of which no call is known yet.
 *  Units: none. Ownership: release its measurement. Errors: none. */
void rf_program_part_init(roof_program_part *part, const char *label);

/** The folder as ROOFLINE_REGIONS and ROOFLINE_TIMELINE name it, where a % begins what a process puts in.
 *  Units: bytes. Ownership: writes `named`, of twice the folder's size. Errors: none. */
void rf_program_name_folder(const char *folder, char *named, size_t size);

/** Adds the regions of the documents in `folder`, regions of one name together.
 *  Units: s, FLOP, bytes. Ownership: the program's. Errors: ROOF_E_MEMORY, as roof_measurements_parse. */
roof_status rf_program_read(roof_program *program, const char *folder, roof_error *error);

/** Why something may be above what its regime allows.
 *  Units: none. Ownership: static. Errors: none. */
const char *rf_program_above(roof_regime regime);

/** Says which work given for the program as a whole has no use, since it marks regions.
 *  Units: none. Ownership: appends to the caller's text. Errors: out->failed. */
void rf_program_unused_describe(roof_text *out, const roof_program *program);

#endif
