/** The parts of `roofline import`. */
#ifndef CLI_IMPORT_H
#define CLI_IMPORT_H

#include <regex.h>

#include "cli/cli.h"
#include "roofline/draw.h"
#include "roofline/import.h"

/** A machine's ceilings for every format and level, resolved once. NaN where it has none. */
typedef struct import_roof {
  const roof_machine *machine; /**< NULL: none is known, and every ceiling is NaN */
  double seconds_per_flop[ROOF_DTYPE_COUNT][ROOF_UNIT_COUNT];
  double seconds_per_byte[ROOF_LEVEL_KIND_COUNT];
  const char *level_name[ROOF_LEVEL_KIND_COUNT];
} import_roof;

/** One record under the roof, all its calls together. NaN where unknown. */
typedef struct import_placed {
  const roof_record *record;
  double seconds;
  double flops, bytes; /**< of all formats; of the outermost known level */
  double intensity;    /**< at that level */
  double ceiling;      /**< s: what the roof allows */
  double fraction;     /**< ceiling / seconds */
  double lost;         /**< seconds - ceiling */
  roof_dtype dtype;    /**< of most FLOPs */
  roof_unit unit;
  roof_level_kind level;       /**< of `bytes` */
  roof_regime regime;          /**< what gives the ceiling */
  char binding[ROOF_NAME_MAX]; /**< "fp16 matrix", "HBM" or a link; "" unknown */
} import_placed;

/** Everything one answer shows. */
typedef struct import_answer {
  const roof_profile *profile;
  const import_roof *roof;
  import_placed *rows; /**< most time lost first */
  size_t count;        /**< shown */
  size_t hidden;       /**< left out by --top */
  double seconds;      /**< of all rows, hidden ones too */
  double lost;
  bool by_file; /**< `profile->taken` is the file's date */
} import_answer;

/* import_roof.c */
void import_roof_init(import_roof *roof, const roof_machine *machine);
import_placed import_place(const import_roof *roof, const roof_record *record);

/* import_op.c */
/** Gives kernels that were only timed the work of an operation, by rules `REGEX=OP key=value ...` (a list
 * that ends with NULL, or NULL). ROOF_E_NAME for a rule that matches none. */
roof_status import_attach(const roof_args *args, const char *const *rules, roof_profile *profile,
                          roof_error *error);
/** Compiles a POSIX extended expression that `option` was given. */
roof_status import_regex(const char *option, const char *text, regex_t *pattern, roof_error *error);

/* import_match.c */
/** The catalogue's machine that a profiler calls `device`. ROOF_E_NAME when none is near enough. */
roof_status import_match(const char *device, roof_machine *machine, roof_error *error);

/* import_table.c, import_json.c, import_draw.c */
roof_status import_print_table(const import_answer *answer, roof_error *error);
roof_status import_print_csv(const import_answer *answer, roof_error *error);
roof_status import_print_list(const roof_args *args, roof_error *error);
json_t *import_json(const import_answer *answer);
roof_status import_draw(const import_answer *answer, roof_scene *scene, bool levels, roof_error *error);

#endif
