/* Kernels from a profiler's files, placed under a machine's ceilings. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/chart.h"
#include "cli/import/import.h"
#include "cli/ledger/seal.h"
#include "cli/machine/machine.h"

/** In the place of a ledger's name: --ledger was not typed. Typed without a name it is NULL. */
static char no_ledger[] = "";

static char *format_name, *filter, *decimal, *by_name, *against, *key_path, *ledger = no_ledger;
static const char **op_rules, **group_rules;
static int levels, partial, timeline, unsealed, wide, top = 20;

const struct poptOption cli_import_options[] = {
    {"top", '\0', POPT_ARG_INT, &top, 0, "show the N kernels that lose most time; default 20, 0: all", "N"},
    {"filter", '\0', POPT_ARG_STRING, &filter, 0, "only kernels whose name matches (POSIX extended)",
     "REGEX"},
    {"merge", '\0', POPT_ARG_ARGV, &group_rules, 0,
     "name: kernels of one name are one; base: of one name without its template arguments; REGEX=NAME: those "
     "whose name matches are the kernel NAME; repeatable",
     "name|base|REGEX=NAME"},
    {"op", '\0', POPT_ARG_ARGV, &op_rules, 0, "kernels whose name matches do this operation; repeatable",
     "REGEX=OP key=value ..."},
    {"by", '\0', POPT_ARG_STRING, &by_name, 0,
     "roll kernels up by op, module, nvtx, class, step, rank, device or stream; or their lines of source: "
     "line",
     "DIMENSION"},
    {"against", '\0', POPT_ARG_STRING, &against, 0, "what became of the kernels of another profile", "FILE"},
    {"wide", '\0', POPT_ARG_NONE, &wide, 0, "all columns and whole names, however wide", NULL},
    {"partial", '\0', POPT_ARG_NONE, &partial, 0, "accept a file that ends too early: exit with 0, not 1",
     NULL},
    {"levels", '\0', POPT_ARG_NONE, &levels, 0, "draw a dot for each memory level, joined", NULL},
    {"timeline", '\0', POPT_ARG_NONE, &timeline, 0, "draw what each stream did over time", NULL},
    {"decimal", '\0', POPT_ARG_STRING, &decimal, 0,
     "the decimal mark of the file's numbers; default: detected", "MARK"},
    {"ledger", '\0', POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, &ledger, 0,
     "record the kernels that have a sealed prediction of the same name; default " CLI_DEFAULT_LEDGER,
     "FILE"},
    {"sign", '\0', POPT_ARG_STRING, &key_path, 0, "with --ledger: sign what is recorded with this secret key",
     "KEY"},
    {"unsealed", '\0', POPT_ARG_NONE, &unsealed, 0,
     "with --ledger: also record kernels without an earlier sealed prediction; they stay marked `unsealed`",
     NULL},
    POPT_TABLEEND};

static const struct poptOption options[] = {
    {"format", 'f', POPT_ARG_STRING, &format_name, 0, "what the files are; default: detected in each",
     "NAME"},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)cli_import_options, 0, NULL, NULL},
    POPT_TABLEEND};

static roof_status read_options(const char *format, roof_import_options *o, roof_error *error) {
  roof_status status = format != NULL ? roof_format_find(format, &o->format, error) : ROOF_OK;
  if (status == ROOF_OK && decimal != NULL) {
    bool known = strcmp(decimal, ".") == 0 || strcmp(decimal, ",") == 0;
    o->decimal = decimal[0];
    status = known ? ROOF_OK : roof_error_set(error, ROOF_E_ARGUMENT, "--decimal `%s`: give . or ,", decimal);
  }
  if (status == ROOF_OK && by_name != NULL) {
    status = roof_by_parse(by_name, &o->by, error);
  }
  return status != ROOF_OK || top >= 0 ? status
                                       : roof_error_set(error, ROOF_E_ARGUMENT, "--top %d: under 0", top);
}

/** The machine named, else the one that the file was taken on; *machine stays NULL when there is none. */
static roof_status choose_machine(const cli_args *args, const roof_profile *profile, roof_machine **machine,
                                  roof_error *error) {
  return args->machines != NULL
             ? cli_select_machine(args, "import", machine, error)
             : roof_catalog_match_or_copy(profile->device, profile->machine, machine, error);
}

/** Where the files say on what they were taken, and another machine was asked for. */
static void note_elsewhere(const roof_machine *machine, import_answer *answer) {
  roof_machine *own = NULL;
  const char *device = answer->profile->device;
  if (machine == NULL || device[0] == '\0') {
    return;
  }
  roof_status status = roof_catalog_match(device, &own, NULL);
  answer->stranger = status == ROOF_E_NAME && strcmp(device, roof_machine_title(machine)) != 0;
  if (status == ROOF_OK && strcmp(own->name, machine->name) != 0) {
    snprintf(answer->elsewhere, sizeof answer->elsewhere, "%s", own->name);
  }
  roof_machine_free(own);
}

static roof_status print_json(const import_answer *answer, roof_error *error) {
  roof_text text = {0};
  roof_status status =
      roof_ranking_write(answer->profile, &answer->ranking, answer->ceilings->machine,
                         answer->recorded.ledger != NULL ? &answer->recorded : NULL, &text, error);
  return cli_print_end(&text, status, error);
}

/** Says what was recorded where the answer went to a file. */
static void report_recorded(const cli_args *args, const import_answer *answer) {
  roof_text text = {0};
  if (answer->recorded.ledger != NULL && !args->quiet && args->to != NULL) {
    roof_recorded_remarks(&answer->ranking, &answer->recorded, &text);
    (void)cli_note(&text, NULL);
  }
  roof_text_done(&text);
}

static roof_status show(const cli_args *args, import_answer *answer, roof_error *error) {
  report_recorded(args, answer);
  roof_status status =
      cli_chart_is_wanted(args) ? cli_import_write(args, answer, levels != 0, timeline != 0, error) : ROOF_OK;
  if (args->page != NULL) { /* it folds what is long */
    answer->shown = SIZE_MAX;
    answer->wide = false;
  }
  return status != ROOF_OK || args->file != NULL ? status
         : args->json                            ? print_json(answer, error)
         : args->csv ? cli_columns_print_csv(cli_import_rows(answer, SIZE_MAX), error)
                     : cli_import_print_table(answer, error);
}

/** A file that describes a machine alone: shown; as JSON it is a machine file. */
static roof_status show_machine(const cli_args *args, const roof_machine *machine, roof_error *error) {
  return args->file == NULL
             ? cli_machine_show_print(args, machine, error)
             : roof_error_set(error, ROOF_E_ARGUMENT,
                              "--to %s: a machine is written as FILE.json; then `roofline plot --machine "
                              "FILE.json --to %s`",
                              args->to, args->to);
}

const char *cli_import_ledger_name(void) {
  return ledger == no_ledger ? NULL : cli_ledger_name(ledger);
}

/** A kernel is meant by its name as the table shows it too. */
static roof_status take_shown(const char *name, const roof_ranking *ranking, roof_measurements *all,
                              roof_error *error) {
  roof_ledger_entries sealed = {0};
  roof_status status = access(name, F_OK) == 0 ? roof_ledger_read(name, &sealed, error) : ROOF_OK;
  for (size_t i = 0; i < all->count && status == ROOF_OK; i++) {
    const char *shown = ranking->rows[i].shown;
    roof_measurement *m = &all->list[i];
    if (!cli_is_sealed(&sealed, m->label) && cli_is_sealed(&sealed, shown)) {
      snprintf(m->label, sizeof m->label, "%s", shown);
    }
  }
  roof_ledger_entries_done(&sealed);
  return status;
}

/** Records the rows that have a prediction, with --unsealed all of them: what became of each is in `why`. */
static roof_status record(const char *name, import_answer *answer, const char **why, roof_error *error) {
  roof_measurements all = {0};
  char commit[ROOF_DIGEST_MAX];
  roof_ledger_options how = {.commit = commit, .key = key_path, .unsealed = unsealed != 0};
  roof_status status =
      roof_ranking_measurements(answer->profile, &answer->ranking, answer->ceilings->machine, &all, error);
  status = status == ROOF_OK ? take_shown(name, &answer->ranking, &all, error) : status;
  status = status == ROOF_OK ? roof_ledger_commit(commit, error) : status;
  if (status == ROOF_OK) {
    status = roof_ledger_record_known(name, all.list, all.count, &how, why, error);
  }
  if (status == ROOF_OK) {
    cli_ledger_written(name);
  }
  answer->recorded = (roof_recorded){name, why};
  roof_measurements_done(&all);
  return status;
}

/** Which rank waits for which, where a time line of ranks shows it. */
static roof_status find_waits(import_answer *answer, roof_error *error) {
  roof_status status = roof_profile_waits(answer->profile, &answer->waits, error);
  return status == ROOF_E_ARGUMENT ? ROOF_OK : status;
}

/** The gate behind the answer: a part of a file is one where that was asked for. */
static roof_status accept(bool truncated, roof_error *error) {
  return !truncated || partial
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_GATE,
                              "import: a file ends too early; --partial accepts what is there");
}

static roof_status answer_under(const cli_args *args, const roof_profile *profile,
                                const roof_machine *machine, roof_error *error) {
  roof_ceilings ceilings;
  const char **why = calloc(profile->count + 1, sizeof *why), *name = cli_import_ledger_name();
  import_answer answer = {.profile = profile, .ceilings = &ceilings, .page = args->page != NULL};
  roof_status status = why != NULL ? roof_ceilings_init(&ceilings, machine, 0, NULL, error)
                                   : roof_error_set(error, ROOF_E_MEMORY, "import: out of memory");
  status = status == ROOF_OK ? roof_profile_rank(profile, &ceilings, filter, &answer.ranking, error) : status;
  if (status == ROOF_OK && profile->timeline != NULL) {
    status = roof_timeline_account(profile->timeline, &answer.time, error);
  }
  if (status == ROOF_OK) {
    status = find_waits(&answer, error);
  }
  if (status == ROOF_OK && name != NULL) {
    status = record(name, &answer, why, error);
  }
  if (status == ROOF_OK && profile->by == ROOF_BY_LINE) {
    status = roof_ranking_lines(&answer.ranking, &answer.lines, &answer.line_count, error);
  } else if (status == ROOF_OK && profile->by != ROOF_BY_KERNEL) {
    status = roof_ranking_parts(&answer.ranking, profile->by, &answer.parts, error);
    answer.ranking.parts = &answer.parts;
  }
  if (status == ROOF_OK) {
    size_t count = cli_import_rows(&answer, SIZE_MAX).count;
    answer.shown = top > 0 && (size_t)top < count ? (size_t)top : count;
    answer.wide = wide != 0;
    note_elsewhere(args->machines != NULL ? machine : NULL, &answer);
    status = show(args, &answer, error);
  }
  status = status == ROOF_OK ? accept(profile->truncated, error) : status;
  free(answer.parts.list);
  free(answer.lines);
  roof_accounting_done(&answer.time);
  roof_waits_done(&answer.waits);
  free(answer.ranking.rows);
  free(why);
  return status;
}

static roof_status answer_with(const cli_args *args, const roof_profile *profile, roof_error *error) {
  roof_machine *machine = NULL;
  roof_status status = choose_machine(args, profile, &machine, error);
  if (status == ROOF_OK) {
    status = profile->count == 0 && profile->machine != NULL ? show_machine(args, profile->machine, error)
                                                             : answer_under(args, profile, machine, error);
  }
  roof_machine_free(machine);
  return status;
}

/** `REGEX=OP key=value ...`: the work of an operation, in the format of the command line (fp32), for kernels
 * that were only timed. */
static roof_status attach(const cli_args *args, const char *rule, roof_profile *profile, roof_error *error) {
  const char *equals = strchr(rule, '='), *text = equals != NULL ? equals + 1 : "";
  const roof_op *op = NULL;
  roof_dtype dtype = ROOF_FP32;
  double values[ROOF_PARAM_MAX];
  if (text[strspn(text, " ")] == '\0') {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "--op `%.60s`: give REGEX=OP key=value ..., for instance "
                          "'sgemm=gemm m=4096 n=4096 k=4096'",
                          rule);
  }
  char *pattern = strndup(rule, (size_t)(equals - rule));
  roof_status status =
      pattern != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "import: out of memory");
  if (status == ROOF_OK && args->formats.dtype != NULL) {
    status = roof_dtype_parse_scaled(args->formats.dtype, &dtype, error);
  }
  if (status == ROOF_OK) {
    status = cli_select_shape(args, text, &op, values, error);
  }
  if (status == ROOF_OK) {
    status = roof_profile_attach(profile, pattern, op, values, dtype, text, error);
  }
  free(pattern);
  return status;
}

/** The operators of frameworks match kernels that have another name on another device. */
static roof_status diff_files(const cli_args *args, const char *const *paths, int count,
                              const roof_import_options *asked, roof_error *error) {
  roof_import_options o = *asked;
  roof_profile before = {0}, now = {0};
  roof_diff diff = {0};
  o.by = ROOF_BY_OP;
  o.by_if_known = true;
  roof_status status = roof_profile_init(&before, error);
  status = status == ROOF_OK ? roof_profile_init(&now, error) : status;
  status =
      status == ROOF_OK ? roof_import_files((const char *const[]){against}, 1, &o, &before, error) : status;
  status = status == ROOF_OK ? roof_import_files(paths, (size_t)count, &o, &now, error) : status;
  status = status == ROOF_OK ? roof_profile_diff(&before, &now, &diff, error) : status;
  status = status == ROOF_OK ? cli_import_print_diff(args, &diff, (size_t)top, error) : status;
  status = status == ROOF_OK ? accept(before.truncated || now.truncated, error) : status;
  roof_diff_done(&diff);
  roof_profile_done(&before);
  roof_profile_done(&now);
  return status;
}

static roof_status import_all_files(const cli_args *args, const char *const *paths, int count,
                                    const char *format, roof_error *error) {
  roof_import_options o = {.groups = group_rules, .partial = true}; /* `accept` refuses them */
  roof_profile profile = {0};
  roof_status status = read_options(format, &o, error);
  if (status == ROOF_OK && against != NULL) {
    return diff_files(args, paths, count, &o, error);
  }
  if (status == ROOF_OK) {
    status = roof_profile_init(&profile, error);
  }
  if (status == ROOF_OK) {
    status = roof_import_files(paths, (size_t)count, &o, &profile, error);
  }
  if (args->machines != NULL || op_rules != NULL) {
    roof_profile_drop_ceilings(&profile);
  }
  for (int i = 0; op_rules != NULL && op_rules[i] != NULL && status == ROOF_OK; i++) {
    status = attach(args, op_rules[i], &profile, error);
  }
  if (status == ROOF_OK) {
    status = answer_with(args, &profile, error);
  }
  roof_profile_done(&profile);
  return status;
}

roof_status cli_import_file_as(const cli_args *args, const char *path, const char *format,
                               roof_error *error) {
  return import_all_files(args, &path, 1, format, error);
}

static roof_status run(const cli_args *args, roof_error *error) {
  const char *name = cli_import_ledger_name();
  if (args->list || args->show != NULL) {
    return cli_import_print_list(args, error);
  }
  return args->word_count > 0
             ? import_all_files(args, args->words, args->word_count, format_name, error)
             : roof_error_set(error, ROOF_E_ARGUMENT, "import: name a file, or - for standard input%s%s%s",
                              name != NULL ? " (`" : "", name != NULL ? name : "",
                              name != NULL ? "` is the ledger)" : "");
}

static const cli_effect effects[] = {
    {.options = "*", .with = "list"},
    {.options = "unsealed sign", .without = "ledger"},
    {.options = "levels timeline", .without = "to"},
    {.options = "weights group accumulate output kv"},
    {.options = "dtype ops", .without = "op"},
    {.options = "by", .with = "ledger"},
    {.options = "wide", .with = "json"},
    {.options = "wide", .with = "csv"},
    {.options = "by wide ledger op levels timeline machine filter", .with = "against"},
    {0}};

const cli_command cli_cmd_import = {
    .name = "import",
    .task = CLI_TASK_IMPORT,
    .arguments = "FILE ... | list | show FORMAT",
    .summary = "kernels from a profiler's files under the ceilings, most time lost first",
    .examples =
        "  roofline import profile.csv\n"
        "  roofline import list\n"
        "  roofline import kernels.csv --machine h100 --op 'sgemm=gemm m=4096 n=4096 k=4096' --dtype fp32\n"
        "  roofline import trace.json.gz --machine h100 --top 10 --to kernels.svg\n"
        "  roofline import ncu.csv --merge 'sgemm|gemm_kernel=ffn' --ledger && roofline reconcile\n",
    .writes = "txt svg png pdf html json csv",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_LIST | CLI_ARGS_SHOW | CLI_ARGS_PAGE,
    .options = options,
    .effects = effects,
    .run = run,
};
