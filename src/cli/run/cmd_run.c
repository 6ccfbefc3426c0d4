/* Built-in kernels: checked, timed, and set against what this machine reaches. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/ledger/seal.h"
#include "cli/run/counters.h"
#include "cli/run/ladder.h"
#include "cli/run/measured.h"
#include "cli/run/program.h"
#include "cli/run/scaling.h"
#include "roofline/plot.h"

enum { UNSAID = INT_MIN };
static int quick, threads = UNSAID, ladder, strong, weak, counters, repeats = 1;
static char *backend_name, *dtype_name, *baseline_name, *ledger, *key_path, *flops, *bytes, *op_text;
static char *percent, *device, *busy_for, *gather, *patience, *timeline;

static const struct poptOption options[] = {
    {"ladder", '\0', POPT_ARG_NONE, &ladder, 0,
     "every rung of an operation's ladder: predicted, sealed, measured, drawn", NULL},
    {"strong", '\0', POPT_ARG_NONE, &strong, 0,
     "one problem shared by 1, 2, 4 ... ranks of mpirun or srun: gemm, stencil3d or gradients, predicted, "
     "sealed, measured, drawn",
     NULL},
    {"weak", '\0', POPT_ARG_NONE, &weak, 0, "the same, the problem growing with the ranks", NULL},
    {"ledger", '\0', POPT_ARG_STRING, &ledger, 0,
     "where --ladder, --strong and --weak seal; default roofline.ledger", "FILE"},
    {"sign", '\0', POPT_ARG_STRING, &key_path, 0,
     "sign all that they seal and record with this secret key (`ledger keygen`)", "KEY"},
    {"quick", '\0', POPT_ARG_NONE, &quick, 0, "smaller default shapes, shorter measurements", NULL},
    {"interval", '\0', POPT_ARG_STRING, &percent, 0,
     "stop when the median's 95 % interval is within this share of it, in percent; default 1", "PCT"},
    {"sustain", '\0', POPT_ARG_STRING, &busy_for, 0,
     "keep each kernel busy for so long before it is timed: the clock that lasts, not the first burst",
     "TIME"},
    {"dtype", 'd', POPT_ARG_STRING, &dtype_name, 0,
     "fp32 (default where a kernel has it), fp64 (default of a program), ...", "TYPE"},
    {"backend", 'b', POPT_ARG_STRING, &backend_name, 0,
     "what measures: cpu (default), opencl, cuda, hip, fake", "NAME"},
    {"device", '\0', POPT_ARG_STRING, &device, 0,
     "which accelerator of --backend: its number or a part of its name", "N|NAME"},
    {"threads", 't', POPT_ARG_INT, &threads, 0,
     "cores to use, or that a program uses; default: all this process may", "N"},
    {"baseline", '\0', POPT_ARG_STRING, &baseline_name, 0,
     "interleave samples with this kernel of the same operation, a library for instance, and report the "
     "ratio",
     "KERNEL"},
    {"counters", '\0', POPT_ARG_NONE, &counters, 0,
     "run each kernel once more under NVIDIA's ncu and compare what it counts with the formula", NULL},
    {"repeat", '\0', POPT_ARG_INT, &repeats, 0, "how often to run a program; default 1", "N"},
    {"flops", '\0', POPT_ARG_STRING, &flops, 0, "what a program without regions does in one run", "N"},
    {"bytes", '\0', POPT_ARG_STRING, &bytes, 0, "what it moves from and to memory", "N"},
    {"op", '\0', POPT_ARG_STRING, &op_text, 0, "or the operation that it does: 'gemm m=1024 n=1024 k=1024'",
     "OP"},
    {"timeline", '\0', POPT_ARG_STRING, &timeline, 0,
     "also write when each call of a program's marked regions was, of all ranks by one clock: `roofline "
     "import "
     "FILE` and viewers of Chrome traces read it",
     "FILE"},
    {"gather", '\0', POPT_ARG_STRING, &gather, 0,
     "the folder, shared by all nodes, in which the ranks of a program that mpirun or srun started meet; "
     "default: the "
     "working directory",
     "DIR"},
    {"patience", '\0', POPT_ARG_STRING, &patience, 0,
     "how long rank 0 waits for the other ranks after its own program ended; default 2min; with --strong or "
     "--weak how long one number of ranks may take; default a minute over what it should",
     "TIME"},
    POPT_TABLEEND};

/** Fails before measuring where no chart could be drawn. */
static roof_status check_chart(const cli_args *args, const roof_runs *runs, roof_error *error) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; args->file != NULL && i < runs->count && status == ROOF_OK; i++) {
    const roof_op *op = NULL;
    status = roof_op_find(runs->list[i].kernel->op, &op, error);
    if (status == ROOF_OK && op->flops_per_element == 0) {
      status = roof_error_set(error, ROOF_E_ARGUMENT,
                              "%s: it does no FLOPs, so it has no place on a roofline", op->name);
    }
  }
  return status;
}

/** The seconds of --sustain; 0 without it. */
static roof_status read_sustain(double *seconds, roof_error *error) {
  roof_error why = {0};
  if (busy_for == NULL) {
    return ROOF_OK;
  }
  if (roof_quantity_parse_unit(busy_for, "s", seconds, &why) != ROOF_OK ||
      !(*seconds > 0 && *seconds <= 600)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--sustain %s: must be a time of at most 600s, such as 3s",
                          busy_for);
  }
  return ROOF_OK;
}

/** What was typed in addition to the kernels. */
static roof_status select_common(const cli_args *args, const roof_backend **backend, roof_dtype *dtype,
                                 roof_measure_options *how, roof_error *error) {
  *how = roof_measure_options_default();
  how->quick = quick != 0;
  how->threads = threads == UNSAID ? 0 : threads;
  how->user = (void *)(uintptr_t)args;
  roof_status status = cli_args_interval(percent, &how->precision, error);
  if (status == ROOF_OK) {
    status = read_sustain(&how->sustain_seconds, error);
  }
  if (status == ROOF_OK) {
    status = cli_select_backend(backend_name, backend, error);
  }
  how->device = device;
  status = status == ROOF_OK ? cli_select_device(device, *backend, error) : status;
  if (status == ROOF_OK && dtype_name != NULL) {
    status = roof_dtype_parse(dtype_name, dtype, error);
  }
  if (status == ROOF_OK && threads != UNSAID && threads < 1) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--threads %d: must be at least 1", threads);
  }
  return status;
}

static roof_status set_up(const cli_args *args, roof_runs *runs, roof_error *error) {
  const roof_backend *backend = NULL;
  roof_measure_options how;
  roof_dtype dtype = ROOF_DTYPE_COUNT;
  roof_status status = select_common(args, &backend, &dtype, &how, error);
  if (status == ROOF_OK) {
    roof_runs_init(runs, backend, dtype, &how);
    status = roof_runs_select(runs, args->words, args->word_count, error);
  }
  if (status == ROOF_OK && baseline_name != NULL) {
    status = roof_runs_baseline(runs, baseline_name, error);
  }
  return status == ROOF_OK ? check_chart(args, runs, error) : status;
}

/** The ceilings the measurements are set against, when this machine is measured. */
static roof_status load_ceilings(const roof_runs *runs, roof_machine **machine, roof_error *error) {
  const char *name = "";
  for (size_t i = 0; i < runs->count && name[0] == '\0'; i++) {
    name = runs->list[i].measurement.machine;
  }
  return name[0] != '\0' ? roof_catalog_load_known(name, machine, error) : ROOF_OK;
}

static const char *level_name(const roof_run *r) {
  return r->level != NULL ? r->level->name : "";
}

static bool has_run(const void *row) {
  return ((const roof_run *)row)->skipped[0] == '\0';
}

static roof_status run_all(roof_runs *runs, roof_error *error) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < runs->count && status == ROOF_OK; i++) {
    cli_show_progress(runs->how.user, runs->list[i].kernel->name, (int)i, (int)runs->count);
    status = roof_runs_measure(runs, i, error);
  }
  cli_show_progress(runs->how.user, "", 1, 1);
  return status;
}

/** The same kernels once more, under a profiler. */
static roof_status count_all(roof_runs *runs, roof_error *error) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < runs->count && counters && status == ROOF_OK; i++) {
    status = has_run(&runs->list[i]) ? cli_count_kernel(runs->backend->name, &runs->list[i], error) : ROOF_OK;
  }
  return status;
}

CLI_WORD(level_text, roof_run, level_name(r))
CLI_WORD(verdict_of, roof_run, r->at.verdict != NULL ? r->at.verdict->name : NULL)
CLI_VALUE(sample_count, roof_run, r->measurement.sample_count)

static const cli_column columns[] = {
    {.header = "kernel", .name = true, CLI_FIELD(NAME, roof_run, measurement.label)},
    {.header = "data", .rank = 2, .binary = true, CLI_FIELD(NUMBER, roof_run, working_set)},
    {.header = "in", .rank = 4, .text = level_text},
    {.header = "time", .unit = "s", CLI_FIELD(NUMBER, roof_run, measurement.seconds)},
    {.header = "spread",
     .rank = 3,
     CLI_PERCENT(1),
     .none = "",
     CLI_FIELD(NUMBER, roof_run, measurement.stats.spread)},
    {.header = "samples", .rank = 5, .fixed = true, .number = sample_count},
    {.header = "FLOPs", .unit = "FLOP/s", .number = cli_measured_flops_rate},
    {.header = "memory", .unit = "B/s", .number = cli_measured_bytes_rate},
    {.header = "of ceiling", CLI_PERCENT(1), .none = "", CLI_FIELD(NUMBER, roof_run, at.share)},
    {.header = "bound by", .rank = 1, .none = "", CLI_FIELD(NAME, roof_run, at.binding)},
    {.header = "verdict", .none = "", .verdict = true, .text = verdict_of},
    CLI_MEASURED(roof_run),
    {.key = "working_set_bytes", CLI_FIELD(NUMBER, roof_run, working_set)},
    {.key = "level", .text = level_text},
    {.key = "intensity", .number = cli_measured_unknown},
    CLI_MEASURED_PLACED(roof_run, at),
    {0},
};

static cli_rows rows_of(const roof_runs *runs) {
  cli_rows rows = CLI_ROWS(columns, runs->list, runs->count);
  rows.shown = has_run;
  return rows;
}

static const char *remark(const roof_run *r) {
  return r->skipped[0] != '\0' ? r->skipped : r->measurement.note;
}

/** Notes and reasons, once where one size after another has the same. */
static void add_remarks(const roof_runs *runs, roof_text *out) {
  for (size_t i = 0; i < runs->count; i++) {
    const roof_run *r = &runs->list[i];
    if (i == 0 || r->kernel != r[-1].kernel || strcmp(remark(r), remark(r - 1)) != 0) {
      roof_text_addf(out, "  %s%s%s: %s\n", r->kernel->name, r->point[0] != '\0' ? " " : "", r->point,
                     remark(r));
    }
  }
}

/** Power where it was measured; JSON says why not. */
static void add_power(const roof_run *r, roof_text *out) {
  const roof_measurement *m = &r->measurement;
  char watts[CLI_SHORT], joules[CLI_SHORT];
  if (has_run(r) && !isnan(m->watts)) {
    roof_text_addf(out, "  %s: %s, %s per call (%s)\n", m->label, cli_quantity(watts, m->watts, "W"),
                   cli_quantity(joules, m->joules, "J"), m->power);
  }
}

/** Why a kernel has no ceiling though the machine has some, or is above it. */
static void add_obstacle(const roof_run *r, roof_text *out) {
  if (has_run(r) && r->at.state != ROOF_PLACE_POSSIBLE && r->at.why[0] != '\0') {
    roof_text_addf(out, "  %s%s: %s\n", r->measurement.label,
                   r->at.state == ROOF_PLACE_UNKNOWN ? " has no ceiling" : "", r->at.why);
  }
}

static void add_baseline(const roof_run *r, const roof_kernel *baseline, roof_text *out) {
  char time[CLI_SHORT];
  if (has_run(r)) {
    roof_text_addf(out, "  %s: %.1f %% of %s, which took %s in turns with it\n", r->measurement.label,
                   100 * roof_share_in_turns(&r->measurement, &r->baseline), baseline->name,
                   cli_quantity(time, r->baseline.seconds, "s"));
  }
}

static void add_text(const roof_runs *runs, roof_text *out) {
  roof_runs_sentence(runs, out);
  roof_text_add(out, "\n");
  cli_columns_add_text(out, rows_of(runs));
  roof_text_add(out, "\n");
  add_remarks(runs, out);
  for (size_t i = 0; i < runs->count; i++) {
    add_power(&runs->list[i], out);
  }
  for (size_t i = 0; i < runs->count && runs->baseline != NULL; i++) {
    add_baseline(&runs->list[i], runs->baseline, out);
  }
  if (counters) {
    cli_counted_add(out, rows_of(runs));
  }
  if (runs->machine != NULL) {
    roof_text_addf(out, "  ceilings: %s as measured on %s\n", runs->machine->name, runs->machine->date);
    for (size_t i = 0; i < runs->count; i++) {
      add_obstacle(&runs->list[i], out);
    }
  } else {
    roof_text_add(out, "  ceilings: unknown; `roofline measure` finds them\n");
  }
}

static roof_status write_chart(const cli_args *args, const roof_runs *runs, roof_error *error) {
  if (runs->machine == NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "--to %s: the ceilings are unknown; `roofline measure` finds them", args->to);
  }
  roof_scene *scene = cli_chart_room();
  roof_status status = roof_runs_scene(runs, scene, error);
  if (status == ROOF_OK) {
    status = cli_chart_write_rows(args, scene, "Kernels", rows_of(runs), error);
  }
  return status;
}

static roof_status answer(const cli_args *args, const roof_runs *runs, roof_error *error) {
  roof_text text = {0};
  roof_status status = args->file != NULL ? write_chart(args, runs, error) : ROOF_OK;
  if (status == ROOF_OK && args->csv) {
    cli_columns_add_csv(&text, rows_of(runs));
  } else if (status == ROOF_OK && args->json) {
    status = roof_runs_write(runs, &text, error);
  } else if (status == ROOF_OK) {
    add_text(runs, &text);
  }
  return cli_print_end(&text, status, error);
}

/** What is known of the device: the first of the backend, or the one of that number. */
static roof_status load_before(const roof_backend *backend, roof_machine **machine, roof_error *error) {
  char name[ROOF_NAME_MAX];
  bool numbered = device != NULL && device[0] != '\0' && device[strspn(device, "0123456789")] == '\0';
  snprintf(name, sizeof name, "%.20s%.20s", numbered ? "host-gpu" : backend->machine, numbered ? device : "");
  return roof_catalog_load_known(name, machine, error);
}

static roof_status measure(const cli_args *args, roof_error *error) {
  roof_runs runs = {0};
  roof_machine *before = NULL;
  roof_status status = set_up(args, &runs, error);
  status = status == ROOF_OK ? load_before(runs.backend, &before, error) : status;
  runs.how.machine = before;
  status = status == ROOF_OK ? run_all(&runs, error) : status;
  status = status == ROOF_OK ? count_all(&runs, error) : status;
  roof_machine *ceilings = NULL;
  status = status == ROOF_OK ? load_ceilings(&runs, &ceilings, error) : status;
  if (status == ROOF_OK) {
    roof_runs_place(&runs, ceilings);
    status = answer(args, &runs, error);
  }
  roof_runs_done(&runs);
  roof_machine_free(before);
  return status;
}

/* --list */

/** What it does, and why it does not work or which library does it. */
static const char *described(const void *row, char scratch[CLI_SCRATCH]) {
  const roof_listed *l = row;
  const char *note = l->disabled != NULL ? l->disabled : l->library;
  snprintf(scratch, CLI_SCRATCH, "%s%s%s", l->summary, note != NULL ? ": " : "", note != NULL ? note : "");
  return scratch;
}

static const cli_column list_columns[] = {
    {.header = "family", .rank = 1, CLI_FIELD(TEXT, roof_listed, family)},
    {.key = "name", .header = "kernel", CLI_FIELD(TEXT, roof_listed, name)},
    {.key = "family", CLI_FIELD(TEXT, roof_listed, family)},
    {.key = "op", CLI_FIELD(TEXT, roof_listed, op)},
    {.header = "what it does", .text = described},
    {.key = "sizes", .header = "default sizes", CLI_FIELD(TEXT, roof_listed, sizes)},
    {.key = "quick_sizes", CLI_FIELD(TEXT, roof_listed, quick_sizes)},
    {.key = "summary", CLI_FIELD(TEXT, roof_listed, summary)},
    {.key = "library", CLI_FIELD(TEXT, roof_listed, library)},
    {.key = "disabled", CLI_FIELD(TEXT, roof_listed, disabled)},
    {0},
};

static roof_status print_list(const cli_args *args, roof_error *error) {
  const roof_backend *backend = NULL;
  int most = roof_kernel_count();
  roof_listed *kernels = calloc((size_t)most, sizeof *kernels);
  roof_text text = {0};
  roof_status status = kernels == NULL
                           ? roof_error_set(error, ROOF_E_MEMORY, "run: out of memory")
                           : roof_backend_find(backend_name != NULL ? backend_name : "cpu", &backend, error);
  if (status == ROOF_OK) {
    cli_rows rows = CLI_ROWS(list_columns, kernels, (size_t)roof_backend_kernels(backend, kernels, most));
    if (args->show != NULL) {
      status = cli_columns_print_named(args, rows, "roofline.kernel/1", args->show, error);
    } else if (args->json) {
      status = roof_kernels_write(backend, &text, error);
    } else if (args->csv) {
      cli_columns_add_csv(&text, rows);
    } else {
      cli_columns_add_text(&text, rows);
    }
  }
  free(kernels);
  return cli_print_end(&text, status, error);
}

static roof_status climb(const cli_args *args, roof_error *error) {
  roof_measure_options how;
  cli_climb c = {
      .args = args, .how = &how, .dtype = ROOF_FP32, .ledger = cli_ledger_name(ledger), .key = key_path};
  roof_status status = select_common(args, &c.backend, &c.dtype, &how, error);
  return status == ROOF_OK ? cli_ladder_run(&c, error) : status;
}

/** The seconds of --patience; as they were without it. */
static roof_status read_patience(double *seconds, roof_error *error) {
  return patience != NULL &&
                 (roof_quantity_parse_unit(patience, "s", seconds, error) != ROOF_OK || !(*seconds > 0))
             ? roof_error_set(error, ROOF_E_ARGUMENT, "--patience %s: must be a time of more than 0 s",
                              patience)
             : ROOF_OK;
}

static roof_status scale(const cli_args *args, roof_error *error) {
  cli_scaling asked = {.args = args,
                       .weak = weak != 0,
                       .quick = quick != 0,
                       .dtype = dtype_name,
                       .ledger = cli_ledger_name(ledger),
                       .key = key_path};
  roof_status status = strong && weak
                           ? roof_error_set(error, ROOF_E_ARGUMENT, "--strong, --weak: one of them")
                           : read_patience(&asked.patience, error);
  return status == ROOF_OK ? cli_scaling_run(&asked, error) : status;
}

/** Whether ranks of a job share the kernel. */
static bool is_shared(void) {
  return strong || weak;
}

static roof_status run_program(const cli_args *args, roof_error *error) {
  cli_program_options o = {.repeats = repeats,
                           .threads = threads == UNSAID ? 0 : threads,
                           .dtype = dtype_name,
                           .flops = flops,
                           .bytes = bytes,
                           .op = op_text,
                           .gather = gather,
                           .timeline = timeline};
  roof_status status = read_patience(&o.patience, error);
  if (status != ROOF_OK) {
    return status;
  }
  return args->list || ladder || counters || quick || baseline_name != NULL || backend_name != NULL ||
                 device != NULL || busy_for != NULL || ledger != NULL || is_shared() ||
                 (threads != UNSAID && threads < 1)
             ? roof_error_set(error, ROOF_E_ARGUMENT,
                              "run -- %s: takes --repeat, --threads N, --dtype, --flops, --bytes, --op, "
                              "--machine, --to, --timeline, --gather and --patience only",
                              args->program[0] != NULL ? args->program[0] : "")
             : cli_program_measure(args, &o, error);
}

/** What only a program takes. */
static roof_status run_kernels(const cli_args *args, roof_error *error) {
  const char *option = repeats != 1                             ? "--repeat"
                       : flops != NULL                          ? "--flops"
                       : bytes != NULL                          ? "--bytes"
                       : op_text != NULL                        ? "--op"
                       : timeline != NULL                       ? "--timeline"
                       : gather != NULL                         ? "--gather"
                       : patience != NULL && !is_shared()       ? "--patience"
                       : args->machines != NULL && !is_shared() ? "--machine"
                                                                : NULL;
  if (option != NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: is for a program, `roofline run %s ... -- ./program`",
                          option, option);
  }
  if (baseline_name != NULL && (args->list || ladder)) {
    return roof_error_set(
        error, ROOF_E_ARGUMENT,
        "--baseline: is for kernels, without --list; --ladder compares with its libraries already");
  }
  if (counters && (args->list || ladder)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--counters: is for kernels, without --list or --ladder");
  }
  return args->list || args->show != NULL ? print_list(args, error)
         : is_shared()                    ? scale(args, error)
         : ladder                         ? climb(args, error)
                                          : measure(args, error);
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_status status = args->program != NULL ? run_program(args, error) : run_kernels(args, error);
  char *texts[] = {ledger,  key_path, backend_name, dtype_name, baseline_name, flops,    bytes,
                   op_text, percent,  device,       busy_for,   gather,        patience, timeline};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    free(texts[i]);
  }
  return status;
}

static const char scaling_options[] = "strong weak quick machine dtype patience ledger sign width";
static const cli_effect effects[] = {{.options = "*", .with = "list", .except = "backend baseline counters"},
                                     {.options = "ledger sign", .without = "ladder strong weak"},
                                     {.options = "*", .with = "strong", .except = scaling_options},
                                     {.options = "*", .with = "weak", .except = scaling_options},
                                     {0}};

const cli_command cli_cmd_run = {
    .name = "run",
    .task = CLI_TASK_MEASURE,
    .arguments = "KERNEL ... [key=value ...] | list | show KERNEL | -- PROGRAM [ARGUMENT ...]",
    .summary =
        "check and time built-in kernels, or your own program, as a share of what this machine reaches",
    .examples = "  roofline run list\n"
                "  roofline run triad n=64Mi --dtype fp64\n"
                "  roofline run triad n=4k..64M*4 --to triad.svg\n"
                "  roofline run gemm-naive gemm-blocked gemm-blas m=1024 n=1024 k=1024\n"
                "  roofline run all --quick --json\n"
                "  roofline run gemm --ladder --dtype fp64 --to ladder.svg\n"
                "  mpirun -n 16 roofline run gemm n=8192 --strong --to scaling.svg\n"
                "  roofline run --repeat 5 --to run.json -- ./solver input.dat\n"
                "  mpirun -n 4 roofline run --to run.json -- ./solver input.dat\n"
                "  mpirun -n 4 roofline run --timeline when.json -- ./solver && roofline import when.json\n"
                "  roofline run --op 'gemm m=4096 n=4096 k=4096' --dtype fp64 -- ./my-gemm\n",
    .writes = "txt svg png pdf html json csv",
    .groups = CLI_ARGS_BOTH | CLI_ARGS_LIST | CLI_ARGS_SHOW | CLI_ARGS_MACHINE | CLI_ARGS_PROGRAM,
    .options = options,
    .effects = effects,
    .run = run,
};
