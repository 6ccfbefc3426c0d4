/** The parts of `roofline import`. */
#ifndef CLI_IMPORT_IMPORT_H
#define CLI_IMPORT_IMPORT_H

#include "cli/columns.h"
#include "roofline/draw.h"
#include "roofline/import.h"
#include "roofline/timeline.h"

/** Everything one answer shows. */
typedef struct import_answer {
  const roof_profile *profile;
  const roof_ceilings *ceilings;
  roof_ranking ranking;
  roof_parts parts;     /**< of the ranking, where `ranking.parts` points to it: --by */
  roof_hot_line *lines; /**< --by line; NULL: not asked for */
  size_t line_count;
  roof_accounting time; /**< without devices where no file has times of calls */
  roof_waits waits;     /**< of ranks by one clock; `ranks` is 0 without */
  char elsewhere
      [ROOF_NAME_MAX]; /**< the catalogue's name of the device the files were taken on, where the ceilings
                                  * are another machine's; "": they are its own, or the device is not known */
  bool
      stranger; /**< the catalogue does not have that device, and the ceilings are a machine's that was asked for */
  size_t shown;           /**< rows of the table: --top */
  bool page;              /**< for a page, which has room */
  bool wide;              /**< whole names, all columns: --wide */
  roof_recorded recorded; /**< `ledger` is NULL where nothing was to be recorded */
} import_answer;

/* cmd_import.c */
/** How files are read, their kernels chosen, shown and recorded: for every command that imports. */
extern const struct poptOption cli_import_options[];
/** Imports one file of a format as `roofline import` does. */
roof_status cli_import_file_as(const cli_args *args, const char *path, const char *format, roof_error *error);
/** The ledger of --ledger; NULL where it was not typed. */
const char *cli_import_ledger_name(void);

/* time.c */
/** Appends where the time of the devices went. */
void cli_import_add_time(const import_answer *answer, roof_text *out);

/** Appends on what the files were taken, where another machine judges them. */
void cli_import_add_elsewhere(const import_answer *answer, roof_text *out);

/* waits.c */
/** Appends which rank waits for which. */
void cli_import_add_waits(const roof_waits *waits, roof_text *out);

/* page.c */
/** Writes for --to the kernels under the ceilings; the time line where it is asked for, or none has a place there; on a
 *  page both. */
roof_status cli_import_write(const cli_args *args, const import_answer *answer, bool levels, bool timeline,
                             roof_error *error);

/* table.c, diff.c */
/** The first `count` rows at most: kernels, or what they are rolled up by. */
cli_rows cli_import_rows(const import_answer *answer, size_t count);
roof_status cli_import_print_table(import_answer *answer, roof_error *error);
roof_status cli_import_print_diff(const cli_args *args, const roof_diff *diff, size_t top, roof_error *error);
roof_status cli_import_print_list(const cli_args *args, roof_error *error);

#endif
