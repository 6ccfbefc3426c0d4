/** The sub-command energy: what its files share. */
#ifndef CLI_ENERGY_ENERGY_H
#define CLI_ENERGY_ENERGY_H

#include "cli/columns.h"
#include "roofline/draw.h"

/* tables.c */
enum { CLI_ENERGY_FLOPS = ROOF_DTYPE_COUNT * ROOF_UNIT_COUNT, CLI_ENERGY_LABEL = 1 };

/** One point of the operation. NaN where it has no FLOP. */
typedef struct cli_energy_point {
  const roof_energy_subject *subject;
  char label[128];
  roof_prediction prediction;
  roof_energy_use use;
  double counted_intensity, flops_per_joule, best_flops_per_joule;
} cli_energy_point;

/** Of the rows made by cli_energy_point_at; the label is column CLI_ENERGY_LABEL, whose header is open. */
extern const cli_column cli_energy_points[];
roof_status cli_energy_point_at(const roof_energy_subject *subject, size_t index, cli_energy_point *point,
                                roof_error *error);
/** What a FLOP and a byte cost; the rows lie in the caller's arrays. */
cli_rows cli_energy_flops(const roof_energy_subject *subject, roof_energy_flop flops[CLI_ENERGY_FLOPS]);
cli_rows cli_energy_bytes(const roof_energy_subject *subject, roof_energy_byte bytes[ROOF_LEVEL_KIND_COUNT]);

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
