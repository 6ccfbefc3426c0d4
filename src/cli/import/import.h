/** The parts of `roofline import`. */
#ifndef CLI_IMPORT_IMPORT_H
#define CLI_IMPORT_IMPORT_H

#include <regex.h>

#include "cli/predict/grid.h"
#include "roofline/draw.h"
#include "roofline/import.h"

/** One record under the ceilings, all its calls together. */
typedef struct import_placed {
  const roof_record *record;
  roof_placed at;
} import_placed;

/** Everything one answer shows. */
typedef struct import_answer {
  const roof_profile *profile;
  const roof_ceilings *ceilings;
  import_placed *rows; /**< most time lost first */
  size_t count;        /**< shown */
  size_t hidden;       /**< left out by --top */
  double seconds;      /**< of all rows, hidden ones too */
  double lost;
  bool by_file;     /**< `profile->taken` is the file's date */
  json_t *recorded; /**< what went into which ledger and what did not, NULL: nothing was to */
} import_answer;

/** Kernels whose name matches are calls of one kernel of that name. */
typedef struct import_group {
  regex_t pattern;
  const char *name, *text; /**< in the option's text */
  int matches;
} import_group;

/** Start from `{0}`. */
typedef struct import_groups {
  import_group *rules;
  size_t count;
  bool base; /**< names without their template arguments */
} import_groups;

/* import_op.c */
/** Gives kernels that were only timed the work of an operation, by rules `REGEX=OP key=value ...` (a list
 *  that ends with NULL, or NULL). ROOF_E_NAME for a rule that matches none. */
roof_status cli_import_attach(const cli_args *args, const char *const *rules, roof_profile *profile,
                              roof_error *error);
/** Compiles a POSIX extended expression that `option` was given. */
roof_status cli_import_regex(const char *option, const char *text, regex_t *pattern, roof_error *error);

/* cmd_import.c */
/** How files are read, their kernels chosen, shown and recorded: for every command that imports. */
extern const struct poptOption cli_import_options[];
/** Imports one file of a format as `roofline import` does. */
roof_status cli_import_file_as(const cli_args *args, const char *path, const char *format, roof_error *error);
/** The ledger of --ledger; NULL where it was not typed. */
const char *cli_import_ledger_name(void);

/* import_group.c */
/** Reads the values of --group (a list that ends with NULL, or NULL). Release in any case. */
roof_status cli_import_groups_read(const char *const *texts, import_groups *groups, roof_error *error);
/** Names the kernels of one file. */
void cli_import_groups_apply(import_groups *groups, roof_profile *profile);
/** ROOF_E_NAME for a rule that matched none. */
roof_status cli_import_groups_check(const import_groups *groups, roof_error *error);
void cli_import_groups_done(import_groups *groups);

/* import_ledger.c */
/** Records the rows that have a prediction, with `unsealed` all of them, and sets `answer->recorded` on
 *  success. ROOF_E_GATE where there is none, and as roof_ledger_record. */
roof_status cli_import_to_ledger(import_answer *answer, const char *ledger, bool unsealed, roof_error *error);
/** Appends which were recorded and which not, and why. */
void cli_import_add_recorded(const import_answer *answer, roof_text *out);

/* cli_import_match.c */
/** The catalogue's machine that a profiler calls `device`. ROOF_E_NAME when none is near enough. */
roof_status cli_import_match(const char *device, roof_machine **machine, roof_error *error);

/* import_table.c, cli_import_json.c, cli_import_draw.c */
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
