/** The sub-command energy: what its files share. */
#ifndef CLI_ENERGY_ENERGY_H
#define CLI_ENERGY_ENERGY_H

#include "cli/cli.h"
#include "roofline/draw.h"

/* text.c */
roof_status cli_energy_text(roof_text *out, const roof_energy_subject *subject, bool color,
                            roof_error *error);

/* json.c */
json_t *cli_energy_json(const roof_energy_subject *subject, roof_error *error);

/* chart.c */
/** The lines of energy and power of all subjects, with the operation's points. */
roof_status cli_energy_draw(const char *path, const roof_energy_subject *subjects, int count,
                            roof_error *error);

#endif
