/** The sub-command energy: what its files share. */
#ifndef CLI_ENERGY_ENERGY_H
#define CLI_ENERGY_ENERGY_H

#include "cli/cli.h"
#include "roofline/energy.h"

/** A machine in one format, with the operation where one is given. */
typedef struct cli_energy_subject {
  const roof_machine *machine;
  roof_target target;
  roof_energy_line line; /**< of the unit below */
  roof_dtype dtype;      /**< of the peak that the line has */
  roof_unit unit;
  const roof_shape *shape; /**< NULL without an operation */
} cli_energy_subject;

/** A FLOP of one format on one unit. */
typedef struct cli_energy_flop {
  const roof_peak *peak;
  roof_energy_line line;
} cli_energy_flop;

/** A byte from one level at its full rate. */
typedef struct cli_energy_byte {
  const roof_level *level;
  double bytes_per_second; /**< read */
  double joules;           /**< NaN: not known apart from the constant power */
  double effective_joules; /**< with the constant power of its time */
} cli_energy_byte;

/* cmd_energy.c */
/** FLOP `index` of the machine; false beyond the last. */
bool cli_energy_flop_at(const cli_energy_subject *subject, int index, cli_energy_flop *flop);
/** Byte `index`, inner to outer; false beyond the last. */
bool cli_energy_byte_at(const cli_energy_subject *subject, int index, cli_energy_byte *byte);
/** Point `index` of the operation. */
roof_status cli_energy_point(const cli_energy_subject *subject, size_t index, roof_prediction *prediction,
                             roof_energy_use *use, roof_error *error);
/** The point's values as words, without an axis the operation's name. */
void cli_energy_point_name(const cli_energy_subject *subject, size_t index, char *buffer, size_t size);
/** "FLOPs" or "bytes": what takes most of the energy at `intensity`, the constant power of its time
 *  included. */
const char *cli_energy_bound(const roof_energy_line *line, double intensity);
/** The fastest way is also the one of least energy: FLOPs that bind in time also bind in energy. */
bool cli_energy_race_to_halt(const roof_energy_line *line);

/* energy_text.c */
roof_status cli_energy_text(roof_text *out, const cli_energy_subject *subject, bool color, roof_error *error);

/* energy_json.c */
json_t *cli_energy_json(const cli_energy_subject *subject, roof_error *error);

/* energy_chart.c */
/** The lines of energy and power of all subjects, with the operation's points. */
roof_status cli_energy_draw(const char *path, const cli_energy_subject *subjects, int count,
                            roof_error *error);

#endif
