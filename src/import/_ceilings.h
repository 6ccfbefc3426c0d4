/** What a file has about its machine. */
#ifndef IMPORT_CEILINGS_H
#define IMPORT_CEILINGS_H

#include "import/import.h"

/** Names the profile's machine: lower case, '-' for every other mark; `fallback` when nothing is left. */
void rf_ceilings_name(roof_profile *profile, const char *title, const char *fallback);

/** Adds a level's bandwidth, or raises it to `rate`. A name that is no level is listed as left out. */
void rf_ceilings_level(roof_profile *profile, const char *name, double rate, double bytes,
                       const char *source);

/** Adds a link, or raises its bandwidth (one way) to `rate`; `latency` NaN: not known. */
void rf_ceilings_link(roof_profile *profile, const char *name, double rate, double latency,
                      const char *source);

/** The memory of `machine` as its driver states it; nothing where a level is known or `rate` is no rate. */
void rf_ceilings_memory(roof_machine *machine, const char *name, double rate, const char *source);

/** Adds a peak of that format and unit, or raises it. */
void rf_ceilings_peak(roof_profile *profile, roof_dtype dtype, roof_unit unit, double rate, const char *isa,
                      const char *source);

/** ROOF_E_PARSE when the file gave no figure. Sorts the levels, inner to outer. */
roof_status rf_ceilings_settle(roof_source *source, roof_profile *profile, roof_error *error);

#endif
