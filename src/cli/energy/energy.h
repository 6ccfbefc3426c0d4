/** The sub-command energy: what its files share. */
#ifndef CLI_ENERGY_ENERGY_H
#define CLI_ENERGY_ENERGY_H

#include "cli/columns.h"
#include "roofline/draw.h"

/* text.c */
roof_status cli_energy_text(roof_text *out, const roof_energy_subject *subject, roof_error *error);

/* csv.c */
roof_status cli_energy_csv(roof_text *out, const roof_energy_subject *subjects, int count, roof_error *error);

#endif
