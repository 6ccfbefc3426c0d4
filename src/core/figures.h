/** The tables of src/core/figures.c. */
#ifndef CORE_FIGURES_H
#define CORE_FIGURES_H

#include "core/record.h"
#include "roofline/report.h"

/** Says where a figure comes from. */
void rf_origin_set(roof_origin *origin, roof_provenance kind, const char *source, const char *date);

/** Whether the machine's file says that its hardware does not multiply a format; without a peak it may be unknown alone. */
bool rf_lacks_path(const roof_machine *machine, roof_dtype dtype);

/** Whether a peak of the machine was measured above the nominal one, whatever its format: the clock is higher under load. */
bool rf_exceeds_nominal(const roof_machine *machine);

extern const rf_record rf_machine_record, rf_peak_record, rf_level_record, rf_link_record, rf_cost_record,
    rf_library_record, rf_domain_record, rf_energy_record, rf_origin_record, rf_conditions_record;

#endif
