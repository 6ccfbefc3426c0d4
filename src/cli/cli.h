/** What every sub-command uses. A sub-command is one file cmd_NAME.c that exports `const cli_command
 *  cli_cmd_NAME`. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <jansson.h>
#include <popt.h>
#include <stdio.h>

#include "documents/json.h"
#include "draw/screen.h"
#include "host/write.h"
#include "roofline/catalog.h"
#include "roofline/documents.h"
#include "roofline/formats.h"
#include "roofline/graphs.h"
#include "roofline/measure.h"
#include "roofline/ops.h"
#include "roofline/page.h"
#include "roofline/place.h"
#include "roofline/shape.h"
#include "roofline/text.h"
#include "roofline/units.h"
#include "roofline/weights.h"

/** What the help says of the formats of a model's weights. */
#define CLI_WEIGHTS_TEXT                                                                                     \
  "weights: fp32 fp16 bf16 fp8 fp8-block mxfp8 w8a8 (smoothquant) w8a16 (int8) w4a16 (int4, awq, gptq) "     \
  "nf4 nvfp4 mxfp4, of weights alone fp8a16 nvfp4a16 mxfp4a16, of llama.cpp q8_0 q6_k q5_k_m q4_0 "          \
  "q4_k_m q3_k_m"

/** Groups of options a command takes in addition to --json, --csv, --quiet, --color and its own. */
enum {
  CLI_ARGS_MACHINE = 1,     /**< --machine */
  CLI_ARGS_FORMAT = 2,      /**< --dtype, --weights, --group, --accumulate, --output, --kv, --ops */
  CLI_ARGS_MODEL = 4,       /**< --efficiency, --overhead, --overlap, --sparse, --tile, --warm, ... */
  CLI_ARGS_SHOW = 1024,     /**< the words `show NAME`: one of the list */
  CLI_ARGS_NAME = 2048,     /**< the word `show` may stand before a name */
  CLI_ARGS_FORMATS = 512,   /**< several --dtype */
  CLI_ARGS_PAGE = 4096,     /**< an HTML page of --to is of the answer in text */
  CLI_ARGS_KEEP = 256,      /**< --to keeps what was measured and leaves the answer on the terminal */
  CLI_ARGS_TO = 128,        /**< --to FILE (-o), where a command writes any format */
  CLI_ARGS_PROGRAM = 16,    /**< `-- PROGRAM ARGUMENTS`, which are left as they are */
  CLI_ARGS_OPS = 32,        /**< --ops alone */
  CLI_ARGS_LIST = 64,       /**< the word `list`, or --list */
  CLI_ARGS_DRAWN = 8192,    /**< --width, where a command writes drawings */
  CLI_ARGS_COLUMNS = 16384, /**< which is of charts in the terminal too */
  CLI_ARGS_BOTH = 8         /**< a drawing of --to is in addition to the answer on the terminal */
};

enum { CLI_HELP_SHORT = 1, CLI_HELP_LONG };

/** A parsed command line. Texts point into argv; `words` are the positional arguments after the command's
 *  name. */
typedef struct cli_args {
  const char **machines; /**< NULL-terminated, or NULL */
  const char **op_files;
  const char **peaks; /**< with `bandwidth`: figures of a machine, which `machines` has as one more name */
  char *bandwidth;
  const char **dtypes; /**< all of --dtype; `formats` has the first */
  int dtype_count;     /**< 0: none */
  roof_formats formats;
  roof_options_text options;
  char *to; /**< as typed */
  const char
      *file; /**< what the command itself writes for --to: a drawing, or what `measure` keeps; NULL: none */
  const char *ending;    /**< the format of `file` */
  struct cli_page *page; /**< the answer is to be a page, which takes its charts; NULL: it is not */
  roof_page_part part;   /**< of the story that the command's answer is */
  char *color;
  int width; /**< of a drawing in pixels, of a terminal's chart in columns; 0: not typed */
  int json, csv, quiet;
  int list;           /**< `words` are what follows the word */
  const char *show;   /**< the name after the word `show`, of a list; NULL: not typed */
  int help;           /**< CLI_HELP_SHORT, CLI_HELP_LONG or 0 */
  const char **words; /**< from somewhere in `all_words`, which is NULL-terminated, on; NULL: none */
  const char **all_words;
  int word_count;
  const char *const *program; /**< what follows `--`, NULL-terminated, or NULL; in argv */
  roof_userops *userops;      /**< one per --ops file */
  int userops_count;
  poptContext context;
} cli_args;

/** What people come for: the headings of the help, in its order. */
#define CLI_TASK_MAP(X)                                                                                      \
  X(ASK, "Ask")                                                                                              \
  X(MEASURE, "Measure")                                                                                      \
  X(IMPORT, "Import")                                                                                        \
  X(MODELS, "Models")                                                                                        \
  X(RECORD, "Record")                                                                                        \
  X(LOOK_UP, "Look up")

typedef enum cli_task {
#define X(symbol, title) CLI_TASK_##symbol,
  CLI_TASK_MAP(X)
#undef X
} cli_task;

/** When options (long names with single spaces between them; "*": all but `except` and those of every answer) have no
 *  effect: `with` an option, a verb or "key=value", `without` one or all of several; neither: always. A table of them ends in `{0}`. */
typedef struct cli_effect {
  const char *options, *with, *without, *except;
} cli_effect;

typedef struct cli_command {
  const char *name;
  cli_task task;
  const char *arguments; /**< "OP key=value ..." */
  const char *summary;   /**< one line, lower case */
  const char *examples;  /**< lines of the help */
  const char
      *writes; /**< the endings that --to takes, the first for `-` and pipes: "txt json csv"; NULL: no --to */
  unsigned groups;
  const struct poptOption *options; /**< its own, or NULL */
  const cli_effect *effects;        /**< or NULL; "csv" where there is no table in the answer */
  roof_status (*run)(const cli_args *args, roof_error *error);
} cli_command;

/* args.c */
roof_status cli_args_parse(cli_args *args, const cli_command *command, int argc, const char **argv,
                           roof_error *error);
void cli_args_done(cli_args *args);
/** All options of a command, by groups, until the next call. */
const struct poptOption *cli_args_table(const cli_command *command);
/** Whether a table of options ends there. */
static inline bool cli_args_is_end(const struct poptOption *o) {
  return o->longName == NULL && o->shortName == '\0' && o->arg == NULL;
}
/** How many of the words that begin with argv[first] are options of every command, with their values. */
int cli_args_global(int argc, const char **argv, int first);
/** ROOF_E_ARGUMENT unless at most `most` words were given; names the first one too many. */
roof_status cli_args_limit_words(const cli_args *args, int most, roof_error *error);
/** Frees what a repeatable option of a command gathered; NULL is fine. */
void cli_args_list_done(const char **list);
/** The share of --interval `text`, in percent with or without its sign; NULL: 1 %. */
roof_status cli_args_interval(const char *text, double *share, roof_error *error);

/* refused.c */
/** ROOF_E_ARGUMENT for an option that is not in `table`, with the option or parameter that is meant; `first` is the
 *  word that stands first, NULL where none does. */
roof_status cli_option_unknown(const cli_command *command, const struct poptOption *table, const char *first,
                               const char *typed, roof_error *error);

/* to.c */
/** Refuses --json with --csv, and reads --to: the ending says the format, `-` is standard output, `-.svg` the same as
 *  SVG. An answer that is text, JSON or CSV is caught from then on; for the rest `file` and `ending` are set. */
roof_status cli_to_open(cli_args *args, const cli_command *command, roof_error *error);
/** Whether --to asks for CSV. */
bool cli_to_is_csv(const cli_args *args, const cli_command *command);
/** Fails before anything is measured where `path` could not be written. */
roof_status cli_to_check(const char *path, roof_error *error);
/** Writes what was caught where `status` is that of an answer; returns `status` or why it could not. */
roof_status cli_to_close(const cli_args *args, const cli_command *command, roof_status status,
                         roof_error *error);
/** Writes a file that was asked for, `-` for standard output, and says so unless --quiet. */
roof_status cli_to_write(const cli_args *args, const char *path, const roof_text *text, roof_error *error);

/* select.c: from what was typed to what the library takes */
roof_status cli_select_op(const cli_args *args, const char *name, const roof_op **op, roof_error *error);
/** The operation and the shape that a command's words say; `example` is for who gives none. Release with
 *  roof_shape_done. */
roof_status cli_select_words(const cli_args *args, const char *command, const char *example,
                             roof_shape *shape, roof_error *error);
/** The operation and the values of "gemm m=1024 n=1024 k=1024", typed for --op. */
roof_status cli_select_shape(const cli_args *args, const char *text, const roof_op **op,
                             double values[ROOF_PARAM_MAX], roof_error *error);
/** Loads the machines named, or `host`. Release with roof_machines_free. */
roof_status cli_select_machines(const cli_args *args, roof_machine ***machines, int *count,
                                roof_error *error);
/** Refuses several machines, `count` of them, where `command` answers of one. */
roof_status cli_select_one(const char *command, int count, roof_error *error);
/** Loads the one machine that was named, or `host`. */
roof_status cli_select_machine(const cli_args *args, const char *command, roof_machine **machine,
                               roof_error *error);
/** Formats as typed; without --dtype: fp16 where `machine` has a matrix unit for it, else fp32. */
roof_status cli_select_types(const cli_args *args, const roof_machine *machine, roof_types *types,
                             roof_error *error);
/** Refuses a --device (NULL: none) of a backend that has one alone. */
roof_status cli_select_device(const char *device, const roof_backend *backend, roof_error *error);
/** The backend named, or `cpu`; ROOF_E_UNSUPPORTED with the reason when it does not work here. */
roof_status cli_select_backend(const char *name, const roof_backend **backend, roof_error *error);
roof_status cli_select_options(const cli_args *args, roof_options *options, roof_error *error);

/** The machines named, each with the formats and options as typed; with several --dtype each once per format. Release
 *  with roof_targets_done; *targets is set on success only. */
roof_status cli_select_targets(const cli_args *args, roof_targets *targets, roof_error *error);
/** The same of the one machine that was named. */
roof_status cli_select_target(const cli_args *args, const char *command, roof_targets *targets,
                              roof_error *error);

/* json.c */
/** Appends `object` (takes its reference) indented, with a newline. */
void cli_json_add_lines(roof_text *out, json_t *object);
/** Prints `object` (takes its reference) on stdout. */
roof_status cli_json_print(json_t *object, roof_error *error);

/* effects.c */
/** The effects of a command that has no table in any answer. */
extern const cli_effect cli_no_table[];

/* main.c */
/** What the program does for a command line, printed errors included; returns its exit code. */
int cli_main(int argc, const char **argv);
/** The command of that name, or NULL. */
const cli_command *cli_command_named(const char *name);

/* describe.c */
/** What a command takes: name, arguments, summary, endings that it writes, options, examples. */
json_t *cli_describe_command(const cli_command *command);
/** Prints what each of `commands` (to NULL) takes, as JSON. */
roof_status cli_describe(const cli_command *const *commands, roof_error *error);

/* output.c */
enum { CLI_SHORT = 48 };
/** roof_quantity_format, as it is wanted most: returns `buffer`. */
const char *cli_quantity(char buffer[CLI_SHORT], double value, const char *unit);
/** A number without a unit as people write it, never with an exponent: 0.3333, 46640, 70.55 G; returns `buffer`. */
const char *cli_number(char buffer[CLI_SHORT], double value);
/** Sets what the options say of all output: call once they are known. */
void cli_screen_set(const cli_args *args);

/** Text goes to the log of GitHub, which takes some lines for commands: none of it is one. */
void cli_screen_github(void);
/** What the reader of `stream` has before them: COLUMNS, or the terminal's width, or CLI_SCREEN. */
rf_screen cli_screen(FILE *stream);
/** The same for prose: in a pipe of no known width a sentence stays on its line, for `grep` and `head`. */
rf_screen cli_prose_screen(FILE *stream);
/** ROOF_E_OUTPUT for the errno of a write to stdout; done where it is 0, or nobody reads any more (EPIPE). */
roof_status cli_output_status(int why, roof_error *error);
/** Writes a document to stdout as it is; ROOF_E_OUTPUT when that fails. */
roof_status cli_print_document(const roof_text *text, roof_error *error);
/** The same of JSON and CSV; what people read is made safe, wrapped and coloured as the screen wants it. */
roof_status cli_print(const roof_text *text, roof_error *error);
/** Keeps what cli_print is given from now on: as a file shows it, or the answer as a `whole`, for a page. */
void cli_print_catch(bool whole);
/** Hands over what was kept, and keeps no more; false: nothing was to be kept. The text is the caller's. */
bool cli_print_caught(roof_text *out);
/** Drops what cli_print is given from now on. */
void cli_print_no_more(void);
/** Writes to stderr what people read next to an answer that is not on their terminal. */
roof_status cli_note(const roof_text *text, roof_error *error);
/** Prints an answer where `status` is ROOF_OK, and frees its text. */
roof_status cli_print_end(roof_text *text, roof_status status, roof_error *error);
enum { CLI_SCREEN = 80 };
/** How the program was called, so that what is shown to type next works as it stands; static. */
const char *cli_program_name(void);
/** One line on stderr: "roofline: ", `severity` ("" or "warning: "), FILE:LINE:COLUMN where known, the
 *  message. */
void cli_report(const char *severity, const roof_error *error);
/** A line on stderr that replaces itself: shows progress on a terminal unless --quiet; a roof_progress. */
void cli_show_progress(void *args, const char *step, int done, int total);

#endif
