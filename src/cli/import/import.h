/** The parts of `roofline import`. */
#ifndef CLI_IMPORT_IMPORT_H
#define CLI_IMPORT_IMPORT_H

#include "cli/grid.h"
#include "roofline/draw.h"
#include "roofline/import.h"

/** Everything one answer shows. */
typedef struct import_answer {
  const roof_profile *profile;
  const roof_ceilings *ceilings;
  roof_ranking ranking; /**< `count`: shown */
  size_t hidden;        /**< left out by --top */
  json_t *recorded;     /**< what went into which ledger and what did not, NULL: nothing was to */
} import_answer;

/* cmd_import.c */
/** How files are read, their kernels chosen, shown and recorded: for every command that imports. */
extern const struct poptOption cli_import_options[];
/** Imports one file of a format as `roofline import` does. */
roof_status cli_import_file_as(const cli_args *args, const char *path, const char *format, roof_error *error);
/** The ledger of --ledger; NULL where it was not typed. */
const char *cli_import_ledger_name(void);

/* record.c */
/** Records the rows that have a prediction, with `unsealed` all of them, and sets `answer->recorded` on
 *  success. ROOF_E_GATE where there is none, and as roof_ledger_record. */
roof_status cli_import_to_ledger(import_answer *answer, const char *ledger, bool unsealed, roof_error *error);
/** Appends which were recorded and which not, and why. */
void cli_import_add_recorded(const import_answer *answer, roof_text *out);

/* table.c, json.c, draw.c */
enum { IMPORT_COLUMNS = 9 };
/** A name of at most 48 bytes: its begin and its end. */
void cli_import_shorten(const char *name, char *out, size_t size);
/** The rows for people, a header first. */
void cli_import_add_rows(const import_answer *answer, cli_grid *grid);
roof_status cli_import_print_table(const import_answer *answer, roof_error *error);
roof_status cli_import_print_csv(const import_answer *answer, roof_error *error);
roof_status cli_import_print_list(const cli_args *args, roof_error *error);
json_t *cli_import_json(const import_answer *answer);
roof_status cli_import_draw(const import_answer *answer, roof_scene *scene, bool levels, roof_error *error);

#endif
