#include "cli/cli.h"
#include "cli/effects.h"
#include "cli/page.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static cli_args parsed; /* popt tables need fixed addresses */
static const char **typed_dtypes;

static const struct poptOption machine_table[] = {
    {"machine", 'm', POPT_ARG_ARGV, &parsed.machines, 0,
     "a machine of the catalogue, a file, or `host`; repeatable", "NAME|FILE"},
    {"peak", '\0', POPT_ARG_ARGV, &parsed.peaks, 0,
     "a machine without a file: its FLOP/s (19.5TFLOP/s), or of one format (fp16:312TFLOP/s); repeatable",
     "RATE"},
    {"bandwidth", '\0', POPT_ARG_STRING, &parsed.bandwidth, 0, "and what its memory gives (2039GB/s)",
     "RATE"},
    POPT_TABLEEND};

#define OPS_OPTION                                                                                           \
  { "ops", '\0', POPT_ARG_ARGV, &parsed.op_files, 0, "a file of your own operations; repeatable", "FILE" }

/** As `model` calls the formats of the weights: another name of --weights where a model is named. */
static const char precision[] = "precision";

static const struct poptOption format_table[] = {
    {"dtype", 'd', POPT_ARG_ARGV, &typed_dtypes, 0,
     "fp64 fp32 tf32 fp16 bf16 fp8 fp6 fp4 fp3 int8 int4, with scales mxfp8 mxfp4 nvfp4; several (fp16,fp8) "
     "in "
     "predict and plot",
     "TYPE"},
    {"weights", '\0', POPT_ARG_STRING, &parsed.formats.weights, 0,
     "stored format of the weights (int4: W4A16; nf4, awq, gptq, mxfp4, nvfp4); of a model --precision too",
     "TYPE"},
    {precision, 'p', POPT_ARG_STRING | POPT_ARGFLAG_DOC_HIDDEN, &parsed.formats.weights, 0, NULL, NULL},
    {"group", '\0', POPT_ARG_STRING, &parsed.formats.group, 0, "weights that share one fp16 scale", "N"},
    {"accumulate", '\0', POPT_ARG_STRING, &parsed.formats.accumulate, 0,
     "format of the sums: they stay in registers, so no byte changes", "TYPE"},
    {"output", '\0', POPT_ARG_STRING, &parsed.formats.output, 0, "format of the result", "TYPE"},
    {"kv", '\0', POPT_ARG_STRING, &parsed.formats.kv, 0, "format of stored keys and values", "TYPE"},
    OPS_OPTION,
    POPT_TABLEEND};

static const struct poptOption ops_table[] = {OPS_OPTION, POPT_TABLEEND};

static const struct poptOption model_table[] = {
    {"efficiency", '\0', POPT_ARG_STRING, &parsed.options.efficiency, 0,
     "expected share of the bound in place of the effects: F, or LOW,TYPICAL,HIGH", "F"},
    {"overhead", '\0', POPT_ARG_STRING, &parsed.options.overhead, 0,
     "shorter than this is overhead-bound (twice the latency, else 8us)", "TIME"},
    {"launch", '\0', POPT_ARG_STRING, &parsed.options.launch, 0,
     "what a kernel takes whatever its size, in place of its latency", "TIME"},
    {"overlap", '\0', POPT_ARG_STRING, &parsed.options.overlap, 0,
     "1: times hide each other, 0: they add up; where effects are known, with --efficiency", "F"},
    {"tile", '\0', POPT_ARG_STRING, &parsed.options.tile, 0,
     "side of a square tile kept on chip, in elements", "N"},
    {"unit", '\0', POPT_ARG_STRING, &parsed.options.unit, 0, "force the vector or matrix unit", "UNIT"},
    {"link", '\0', POPT_ARG_STRING, &parsed.options.link, 0,
     "link for collectives; default: the machine's first that joins as many ranks", "NAME"},
    {"sparse", '\0', POPT_ARG_NONE, &parsed.options.sparse, 0, "use the sparse peak", NULL},
    {"warm", '\0', POPT_ARG_NONE, &parsed.options.warm, 0,
     "data already in the innermost level that holds them", NULL},
    {"cold", '\0', POPT_ARG_NONE, &parsed.options.cold, 0, "no data in a cache from a run before", NULL},
    {"without", '\0', POPT_ARG_STRING, &parsed.options.without, 0,
     "effects to leave out of the expected time, or `all`", "EFFECT[,EFFECT]"},
    {"framework", '\0', POPT_ARG_STRING, &parsed.options.framework, 0,
     "whose kernels: vllm, trtllm, sglang, cuDNN, PyTorch, DeepGEMM, llm-foundry; or eager: launched one at "
     "a time; default: in a graph",
     "NAME"},
    {"achieved", '\0', POPT_ARG_NONE, &parsed.options.achieved, 0,
     "use measured ceilings where the machine has them", NULL},
    POPT_TABLEEND};

/** `descrip` is filled in with what the command writes. */
static const struct poptOption file_table[] = {{"to", 'o', POPT_ARG_STRING, &parsed.to, 0, NULL, "FILE"},
                                               POPT_TABLEEND};

static const struct poptOption drawn_table[] = {
    {"width", '\0', POPT_ARG_INT, &parsed.width, 0,
     "of a drawing in pixels: 960, 340 for a telephone; of `plot` in a terminal in columns", "N"},
    POPT_TABLEEND};

static const struct poptOption list_table[] = {
    {"list", 'l', POPT_ARG_NONE, &parsed.list, 0, "the same as the word `list`", NULL}, POPT_TABLEEND};

static const struct poptOption common_table[] = {
    {"json", '\0', POPT_ARG_NONE, &parsed.json, 0, "one JSON object", NULL},
    {"csv", '\0', POPT_ARG_NONE, &parsed.csv, 0, "comma-separated values", NULL},
    {"quiet", 'q', POPT_ARG_NONE, &parsed.quiet, 0, "no progress, no extra text", NULL},
    {"color", '\0', POPT_ARG_STRING, &parsed.color, 0, "auto, always or never", "WHEN"},
    {"help", '\0', POPT_ARG_VAL, &parsed.help, CLI_HELP_LONG, "show all options, and examples", NULL},
    {NULL, 'h', POPT_ARG_VAL, &parsed.help, CLI_HELP_SHORT, "show the command's own options alone", NULL},
    POPT_TABLEEND};

static const struct {
  unsigned group;
  const struct poptOption *table;
  const char *title;
} groups[] = {
    {CLI_ARGS_MACHINE, machine_table, "Machine:"},
    {CLI_ARGS_FORMAT, format_table, "Formats and operations:"},
    {CLI_ARGS_OPS, ops_table, "Operations:"},
    {CLI_ARGS_MODEL, model_table, "Model:"},
    {CLI_ARGS_TO, file_table, "File:"},
    {CLI_ARGS_DRAWN, drawn_table, "Drawing:"},
    {CLI_ARGS_LIST, list_table, "List:"},
    {~0u, common_table, "Common:"},
};

enum { GROUP_COUNT = sizeof groups / sizeof groups[0], OPTION_MAX = 96 };

/** The groups of options that a command takes. */
static unsigned groups_of(const cli_command *command) {
  const char *writes = command->writes != NULL ? command->writes : "";
  return command->groups | (writes[0] != '\0' ? (unsigned)CLI_ARGS_TO : 0) |
         (cli_is_among(writes, "svg") ? (unsigned)CLI_ARGS_DRAWN : 0);
}

static bool includes(const struct poptOption *o) {
  return (o->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE;
}

/** What the help says of --to; static. */
static const char *describe_to(const char *writes) {
  static char text[128];
  snprintf(text, sizeof text, "write to FILE, whose ending says what (%s), or - for standard output", writes);
  return text;
}

/** The options as popt takes them, each with a value of its own that says that it was typed. */
static struct {
  struct poptOption options[2 * OPTION_MAX]; /* popt keeps the addresses */
  int count;
  int times[2 * OPTION_MAX];     /**< how often each was typed */
  char *values[2 * OPTION_MAX];  /**< what popt kept of each that takes one text */
  const char *typed[OPTION_MAX]; /**< long names, in the order typed, repeated ones again */
  int typed_count;
} known;

/** Room for `count` options and the end. */
static struct poptOption *take_room(int count) {
  struct poptOption *room = known.options + known.count;
  known.count += count + 1;
  room[count] = (struct poptOption)POPT_TABLEEND;
  return room;
}

/** What popt returns for the last option of a list: another name of one before it, which the help leaves out, is that one. */
static int value_of(const struct poptOption *list, int last) {
  const struct poptOption *o = &list[last];
  for (int i = 0; i < last && (o->argInfo & POPT_ARGFLAG_DOC_HIDDEN) != 0; i++) {
    if (list[i].arg == o->arg) {
      return list[i].val;
    }
  }
  return 1 + (int)(o - known.options);
}

/** Copies a list of options, without those that `own` has (NULL: none), and the lists it includes. */
static struct poptOption *copy_options(const struct poptOption *list, const cli_command *command,
                                       bool shared) {
  int count = 0, n = 0;
  while (list != NULL && !cli_args_is_end(&list[count])) {
    count++;
  }
  struct poptOption *copy = take_room(count);
  for (int i = 0; i < count; i++) {
    const struct poptOption *o = &list[i];
    if (shared && o->longName != NULL && cli_has_option(command->options, o->longName)) {
      continue;
    }
    struct poptOption *c = &copy[n++];
    *c = *o;
    if (o->longName != NULL && cli_effects_never(command->effects, o->longName)) {
      c->argInfo |= POPT_ARGFLAG_DOC_HIDDEN;
    }
    if (includes(o)) {
      c->arg = copy_options(o->arg, command, false);
    } else if ((o->argInfo & POPT_ARG_MASK) != POPT_ARG_VAL) {
      c->val = value_of(copy, n - 1);
      c->descrip = o->descrip == NULL ? describe_to(command->writes) : o->descrip;
    }
  }
  copy[n] = (struct poptOption)POPT_TABLEEND;
  return copy;
}

const struct poptOption *cli_args_table(const cli_command *command) {
  memset(&known, 0, sizeof known);
  struct poptOption *all = take_room(GROUP_COUNT + 1);
  int n = 0;
  if (command->options != NULL) {
    all[n++] = (struct poptOption){
        NULL,       '\0', POPT_ARG_INCLUDE_TABLE, copy_options(command->options, command, false), 0,
        "Options:", NULL};
  }
  for (int i = 0; i < GROUP_COUNT; i++) {
    if (groups_of(command) & groups[i].group || groups[i].group == ~0u) {
      all[n++] = (struct poptOption){NULL,
                                     '\0',
                                     POPT_ARG_INCLUDE_TABLE,
                                     copy_options(groups[i].table, command, true),
                                     0,
                                     groups[i].title,
                                     NULL};
    }
  }
  all[n] = (struct poptOption)POPT_TABLEEND;
  return all;
}

static roof_status no_memory(roof_error *error) {
  return roof_error_set(error, ROOF_E_MEMORY, "options: out of memory");
}

/** Whether `o`, which may be without a value, was typed with one. */
static bool has_value(const struct poptOption *o, int argc, const char **argv) {
  size_t length = strlen(o->longName);
  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], "--", 2) == 0 && strncmp(argv[i] + 2, o->longName, length) == 0) {
      const char *end = argv[i] + 2 + length;
      return *end == '=' || (*end == '\0' && i + 1 < argc && argv[i + 1][0] != '-');
    }
  }
  return false;
}

/** Whether popt kept what was typed for an option: without memory it leaves values out. */
static bool is_kept(const struct poptOption *o, int times, const char *value, int argc, const char **argv) {
  const char **list = NULL;
  switch (o->argInfo & POPT_ARG_MASK) {
  case POPT_ARG_STRING:
    return *(char **)o->arg != NULL ||
           ((o->argInfo & POPT_ARGFLAG_OPTIONAL) != 0 && !has_value(o, argc, argv));
  case POPT_ARG_ARGV:
    for (list = *(const char ***)o->arg; list != NULL && times > 0 && *list != NULL; list++) {
      times--;
    }
    return times == 0;
  default:
    return (o->argInfo & POPT_ARG_MASK) == POPT_ARG_NONE || value != NULL;
  }
}

/** Appends a copy of `text`; false when out of memory. */
static bool add_text(const char ***list, const char *text) {
  size_t count = 0;
  while (*list != NULL && (*list)[count] != NULL) {
    count++;
  }
  const char **grown = realloc(*list, (count + 2) * sizeof *grown);
  if (grown != NULL) {
    grown[count] = strdup(text);
    grown[count + 1] = NULL;
    *list = grown;
  }
  return grown != NULL && grown[count] != NULL;
}

/** Keeps the name of an option that was typed; one value twice is refused. */
static roof_status take_typed(int value, roof_error *error) {
  const struct poptOption *o = &known.options[value - 1];
  int kind = o->argInfo & POPT_ARG_MASK;
  for (int i = 0; i < known.typed_count && (kind == POPT_ARG_STRING || kind == POPT_ARG_INT); i++) {
    if (strcmp(known.typed[i], o->longName) == 0) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "--%s: given 2 times; one value is taken", o->longName);
    }
  }
  if (known.typed_count < OPTION_MAX) {
    known.typed[known.typed_count++] = o->longName;
  }
  return ROOF_OK;
}

/** popt forgets the value of an option that is typed again. */
static void free_earlier(int index) {
  const struct poptOption *o = &known.options[index];
  if ((o->argInfo & POPT_ARG_MASK) == POPT_ARG_STRING) {
    free(known.values[index]);
    known.values[index] = *(char **)o->arg;
  }
}

/** Takes an option, or a word where `code` is 0. */
static roof_status take_next(poptContext context, int code, int argc, const char **argv, roof_error *error) {
  char *value = poptGetOptArg(context);
  if (code > 0) {
    free_earlier(code - 1);
  }
  bool kept = code > 0 ? is_kept(&known.options[code - 1], ++known.times[code - 1], value, argc, argv)
                       : value != NULL && add_text(&parsed.all_words, value);
  free(value);
  return !kept ? no_memory(error) : code > 0 ? take_typed(code, error) : ROOF_OK;
}

/** Reads all options and words; returns popt's code. */
static int read_options(poptContext context, int argc, const char **argv, roof_status *status,
                        roof_error *error) {
  int code;
  while ((code = poptGetNextOpt(context)) >= 0) {
    roof_status taken = take_next(context, code, argc, argv, *status == ROOF_OK ? error : NULL);
    *status = *status == ROOF_OK ? taken : *status;
  }
  return code;
}

/** The first word before the option that is wrong, or NULL. */
static const char *first_word(void) {
  return parsed.all_words != NULL ? parsed.all_words[0] : NULL;
}

static roof_status option_error(poptContext context, int code, const cli_command *command,
                                const struct poptOption *table, roof_error *error) {
  if (code == POPT_ERROR_NULLARG || code == POPT_ERROR_MALLOC) {
    return no_memory(error);
  }
  const char *typed = poptBadOption(context, POPT_BADOPTION_NOALIAS);
  return code == POPT_ERROR_BADOPT
             ? cli_option_unknown(command, table, first_word(), typed, error)
             : roof_error_set(error, ROOF_E_ARGUMENT, "%s: %s", typed, poptStrerror(code));
}

/** Writes name, summary, usage and options. */
static void write_options(FILE *out, poptContext context, const cli_command *command) {
  char usage[512];
  snprintf(usage, sizeof usage, "%s%s[--option ...]", command->arguments,
           command->arguments[0] != '\0' ? " " : "");
  poptSetOtherOptionHelp(context, usage);
  fprintf(out, "roofline %s: %s\n\n", command->name, command->summary);
  poptPrintHelp(context, out, 0);
}

/** The command's own options, and where the others are. */
static void write_short_help(FILE *out, const cli_command *command, const char **argv) {
  static const struct poptOption none[] = {POPT_TABLEEND};
  poptContext context = poptGetContext(NULL, 1, argv, command->options != NULL ? command->options : none, 0);
  if (context != NULL) {
    write_options(out, context, command);
  }
  poptFreeContext(context);
  fprintf(out, "\n`roofline %s --help` shows the options it has in common with others, and examples.\n",
          command->name);
}

static void write_help(FILE *out, poptContext context, const cli_command *command, const char **argv) {
  if (parsed.help == CLI_HELP_SHORT) {
    write_short_help(out, command, argv);
  } else {
    write_options(out, context, command);
    fprintf(out, "%s%s", command->examples != NULL ? "\nExamples:\n" : "",
            command->examples != NULL ? command->examples : "");
  }
}

/** What popt prints goes to memory first, so that it is printed as wide as everything else; twice, for without memory
 *  popt leaves lines out and says nothing. */
static roof_status print_help(poptContext context, const cli_command *command, const char **argv,
                              roof_error *error) {
  roof_text texts[2] = {{0}, {0}};
  bool failed = false;
  for (int i = 0; i < 2 && !failed; i++) {
    FILE *out = open_memstream(&texts[i].data, &texts[i].length);
    if (out != NULL) {
      write_help(out, context, command, argv);
    }
    failed = out == NULL || fclose(out) != 0;
  }
  failed = failed || texts[0].length != texts[1].length || strcmp(texts[0].data, texts[1].data) != 0;
  roof_text_done(&texts[1]);
  return cli_print_end(&texts[0], failed ? no_memory(error) : ROOF_OK, error);
}

static roof_status load_userops(cli_args *args, roof_error *error) {
  int count = 0;
  while (args->op_files != NULL && args->op_files[count] != NULL) {
    count++;
  }
  if (count == 0) {
    return ROOF_OK;
  }
  args->userops = calloc((size_t)count, sizeof *args->userops);
  if (args->userops == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "operations: out of memory");
  }
  for (int i = 0; i < count; i++) {
    roof_status status = roof_userops_load(args->op_files[i], &args->userops[i], error);
    if (status != ROOF_OK) {
      return status;
    }
    args->userops_count++;
  }
  return ROOF_OK;
}

static roof_status check_color(const char *color, roof_error *error) {
  static const char *const choices[] = {"auto", "always", "never", NULL};
  for (int i = 0; color != NULL && choices[i] != NULL; i++) {
    if (strcmp(color, choices[i]) == 0) {
      return ROOF_OK;
    }
  }
  return color == NULL
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "--color %s: use auto, always or never", color);
}

/** Cuts `-- PROGRAM ARGUMENTS` off; returns how many words are left. */
static int cut_program(const cli_command *command, int argc, const char **argv) {
  parsed.program = NULL;
  for (int i = 1; i < argc && (command->groups & CLI_ARGS_PROGRAM) != 0; i++) {
    if (strcmp(argv[i], "--") == 0) {
      parsed.program = argv + i + 1;
      return i;
    }
  }
  return argc;
}

/** The option of every command that `word` is, or begins with "--NAME="; NULL: none. */
static const struct poptOption *global_option(const char *word) {
  for (const struct poptOption *o = common_table; !cli_args_is_end(o); o++) {
    size_t length = o->longName != NULL ? strlen(o->longName) : 0;
    bool is_long = length > 0 && strncmp(word, "--", 2) == 0 && strncmp(word + 2, o->longName, length) == 0 &&
                   (word[2 + length] == '\0' || word[2 + length] == '=');
    if (is_long || (word[0] == '-' && word[1] == o->shortName && word[1] != '\0' && word[2] == '\0')) {
      return o;
    }
  }
  return NULL;
}

int cli_args_global(int argc, const char **argv, int first) {
  int i = first;
  for (const struct poptOption *o; i < argc && (o = global_option(argv[i])) != NULL; i++) {
    bool takes_value = (o->argInfo & POPT_ARG_MASK) == POPT_ARG_STRING && strchr(argv[i], '=') == NULL;
    i += takes_value && i + 1 < argc;
  }
  return i - first;
}

/** --peak and --bandwidth name one more machine. */
static roof_status take_figures(roof_error *error) {
  roof_text name = {0};
  if ((parsed.peaks != NULL) != (parsed.bandwidth != NULL)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--%s: a machine is both, --peak RATE --bandwidth RATE",
                          parsed.peaks != NULL ? "peak" : "bandwidth");
  }
  for (int i = 0; parsed.peaks != NULL && parsed.peaks[i] != NULL; i++) {
    roof_text_addf(&name, "%s%s=%s", name.length > 0 ? " " : "", "peak", parsed.peaks[i]);
  }
  if (parsed.bandwidth != NULL) {
    roof_text_addf(&name, "%sbandwidth=%s", name.length > 0 ? " " : "", parsed.bandwidth);
  }
  bool failed = name.failed || (name.length > 0 && !add_text(&parsed.machines, name.data));
  roof_text_done(&name);
  return failed ? roof_error_set(error, ROOF_E_MEMORY, "machines: out of memory") : ROOF_OK;
}

/** The formats of --dtype, repeated or with commas between them. */
static roof_status take_dtypes(const cli_command *command, roof_error *error) {
  for (int i = 0; typed_dtypes != NULL && typed_dtypes[i] != NULL; i++) {
    char copy[256], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", typed_dtypes[i]);
    for (char *name = strtok_r(copy, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest)) {
      if (!add_text(&parsed.dtypes, name)) {
        return roof_error_set(error, ROOF_E_MEMORY, "formats: out of memory");
      }
      parsed.dtype_count++;
    }
  }
  if (typed_dtypes != NULL && parsed.dtype_count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--dtype: no name");
  }
  parsed.formats.dtype = parsed.dtypes != NULL ? parsed.dtypes[0] : NULL;
  return parsed.dtype_count > 1 && (command->groups & CLI_ARGS_FORMATS) == 0
             ? roof_error_set(error, ROOF_E_ARGUMENT, "--dtype: given %d times; one value is taken",
                              parsed.dtype_count)
             : ROOF_OK;
}

/** Whether a word is a model. */
static bool names_model(const char **words) {
  bool names = false;
  for (int i = 0; words != NULL && words[i] != NULL && !names; i++) {
    names = strchr(words[i], '=') == NULL && roof_model_is(words[i]);
  }
  return names;
}

/** Refuses the models' name of --weights where none is named. */
static roof_status check_precision(const cli_command *command, int argc, const char **argv,
                                   roof_error *error) {
  size_t length = sizeof precision - 1;
  bool typed = false;
  for (int i = 1; i < argc && !typed; i++) {
    const char *name = argv[i] + 2;
    typed = strncmp(argv[i], "-p", 2) == 0 ||
            (strncmp(argv[i], "--", 2) == 0 && strncmp(name, precision, length) == 0 &&
             (name[length] == '\0' || name[length] == '='));
  }
  bool other = (command->groups & CLI_ARGS_FORMAT) != 0 && !cli_has_option(command->options, precision);
  return typed && other && !names_model(parsed.all_words)
             ? roof_error_set(
                   error, ROOF_E_ARGUMENT,
                   "--precision: of a whole model; the formats of an operation are --dtype and --weights")
             : ROOF_OK;
}

/** Drops the first `count` words. */
static void drop_words(int count) {
  parsed.words += count;
  parsed.word_count -= count;
}

/** The word `list` is --list; `show NAME` asks for one. */
static void take_verb(const cli_command *command) {
  const char *verb = parsed.word_count > 0 ? parsed.words[0] : "";
  if ((command->groups & CLI_ARGS_LIST) != 0 && strcmp(verb, "list") == 0) {
    parsed.list = 1;
    drop_words(1);
  } else if ((command->groups & CLI_ARGS_SHOW) != 0 && strcmp(verb, "show") == 0 && parsed.word_count == 2) {
    parsed.show = parsed.words[1];
    drop_words(2);
  } else if ((command->groups & CLI_ARGS_NAME) != 0 && strcmp(verb, "show") == 0 && parsed.word_count > 1) {
    drop_words(1);
  }
}

/** What the words and options say, once they are read. */
static roof_status take_words(const cli_command *command, const struct poptOption *table, roof_error *error) {
  parsed.words = parsed.all_words;
  while (parsed.words != NULL && parsed.words[parsed.word_count] != NULL) {
    parsed.word_count++;
  }
  take_verb(command);
  if (parsed.csv == 0 && cli_to_is_csv(&parsed, command) && known.typed_count < OPTION_MAX) {
    known.typed[known.typed_count++] = "csv";
  }
  const cli_typed typed = {table, known.typed, known.typed_count, &parsed};
  roof_status status = cli_effects_check(command->effects, command->name, &typed, error);
  status = status == ROOF_OK ? check_color(parsed.color, error) : status;
  status = status == ROOF_OK ? take_figures(error) : status;
  status = status == ROOF_OK ? take_dtypes(command, error) : status;
  cli_args_list_done(typed_dtypes);
  typed_dtypes = NULL;
  return status == ROOF_OK ? load_userops(&parsed, error) : status;
}

/** The part of the story that a command's answer is. */
static roof_page_part part_of(const cli_command *command) {
  return command->task == CLI_TASK_RECORD                                        ? ROOF_PAGE_VERDICTS
         : command->task == CLI_TASK_MEASURE || command->task == CLI_TASK_IMPORT ? ROOF_PAGE_MEASURED
                                                                                 : ROOF_PAGE_PREDICTED;
}

roof_status cli_args_parse(cli_args *args, const cli_command *command, int argc, const char **argv,
                           roof_error *error) {
  const struct poptOption *options = cli_args_table(command);
  memset(args, 0, sizeof *args);
  memset(&parsed, 0, sizeof parsed);
  char name[64];
  snprintf(name, sizeof name, "roofline %s", command->name);
  const char *first = argv[0];
  argv[0] = name;
  argc = cut_program(command, argc, argv);
  poptContext context = poptGetContext(NULL, argc, argv, options, POPT_CONTEXT_ARG_OPTS);
  roof_status status = context != NULL ? ROOF_OK : no_memory(error);
  int code = read_options(context, argc, argv, &status, error);
  if (status == ROOF_OK && code < -1) {
    status = option_error(context, code, command, options, error);
  } else if (status == ROOF_OK) {
    status = parsed.help ? ROOF_OK : check_precision(command, argc, argv, error);
    status = status != ROOF_OK ? status
             : parsed.help     ? print_help(context, command, argv, error)
                               : take_words(command, options, error);
  }
  argv[0] = first;
  parsed.context = context;
  *args = parsed;
  args->part = part_of(command);
  return status;
}

void cli_args_done(cli_args *args) {
  cli_page_free(args->page);
  for (int i = 0; i < args->userops_count; i++) {
    roof_userops_done(&args->userops[i]);
  }
  free(args->userops);
#define FORMAT(name) args->formats.name,
#define OPTION(name) args->options.name,
  const char *texts[] = {ROOF_FORMATS_MAP(FORMAT) ROOF_OPTIONS_MAP(OPTION) args->to, args->color,
                         args->bandwidth};
#undef FORMAT
#undef OPTION
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    free((void *)(uintptr_t)texts[i]);
  }
  const char **lists[] = {args->all_words, args->machines, args->op_files, args->peaks, args->dtypes};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    cli_args_list_done(lists[i]);
  }
  poptFreeContext(args->context);
}

roof_status cli_args_limit_words(const cli_args *args, int most, roof_error *error) {
  if (args->word_count <= most) {
    return ROOF_OK;
  }
  return roof_error_set(error, ROOF_E_ARGUMENT, "unexpected argument `%s`", args->words[most]);
}

void cli_args_list_done(const char **list) {
  for (int i = 0; list != NULL && list[i] != NULL; i++) {
    free((void *)(uintptr_t)list[i]);
  }
  free(list);
}

roof_status cli_args_interval(const char *text, double *share, roof_error *error) {
  double typed = 1;
  roof_error why = {0};
  roof_status status = text != NULL ? roof_quantity_parse_unit(text, "%", &typed, &why) : ROOF_OK;
  double percent = text != NULL && strchr(text, '%') != NULL ? 100 * typed : typed;
  if (status != ROOF_OK || !(percent >= 0.01 && percent <= 50)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--interval %s: must be from 0.01 to 50 percent", text);
  }
  *share = percent / 100;
  return ROOF_OK;
}
