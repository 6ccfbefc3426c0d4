#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/grid.h"
#include "cli/ledger/seal.h"
#include "roofline/formats.h"
#include "roofline/loop.h"
#include "roofline/trust.h"

static int quick, verbose;
static char *backend_name, *ledger_path, *key_path, *dtype_name;

static const struct poptOption options[] = {
    {"quick", '\0', POPT_ARG_NONE, &quick, 0,
     "smaller shapes and shorter measurements: 20 seconds to 3 minutes", NULL},
    {"verbose", 'v', POPT_ARG_NONE, &verbose, 0, "all notes on how it was measured", NULL},
    {"backend", 'b', POPT_ARG_STRING, &backend_name, 0,
     "what measures: cpu (default), opencl, cuda, hip, fake", "NAME"},
    {"dtype", 'd', POPT_ARG_STRING, &dtype_name, 0, "fp32 (default) or fp64", "TYPE"},
    {"sign", '\0', POPT_ARG_STRING, &key_path, 0,
     "sign all that is sealed and recorded with this secret key (`ledger keygen`)", "KEY"},
    {"ledger", '\0', POPT_ARG_STRING, &ledger_path, 0, "where to seal; default " CLI_DEFAULT_LEDGER, "FILE"},
    POPT_TABLEEND};

static void add_ceilings(roof_text *out, const roof_loop *loop) {
  const roof_peak *peak = loop->target.peak[ROOF_VECTOR];
  const roof_level *memory = loop->target.level[loop->target.memory];
  char compute[CLI_SHORT], read[CLI_SHORT], triad[CLI_SHORT];
  if (peak != NULL && memory != NULL) {
    roof_text_addf(out, "  ceilings  %s %s; %s read %s, triad %s\n", roof_dtype_name(peak->dtype),
                   cli_quantity(compute, peak->flops_per_second, "FLOP/s"), memory->name,
                   cli_quantity(read, roof_level_bandwidth(memory, 0, 0), "B/s"),
                   cli_quantity(triad, roof_level_bandwidth(memory, 1.0 / 3, 0), "B/s"));
  }
}

/** A library that computes for another processor, which no other line shows; a scripted machine is no processor. */
static void add_core_type(roof_text *out, const roof_loop *loop, const roof_kernel *kernel) {
  const char *type = roof_kernel_core_type(kernel);
  if (type != NULL && strncmp(type, "by ", 3) == 0) {
    roof_text_addf(out, "  %s computes for the core type that %s names: see `doctor`\n", kernel->name,
                   type + 3);
  } else if (type != NULL && strcmp(loop->options.backend->name, "cpu") == 0) {
    roof_text_addf(out, "  %s computes for a core type %s: see `doctor`\n", kernel->name, type);
  }
}

static void add_remarks(roof_text *out, const roof_loop *loop) {
  char mode[ROOF_LOOP_LINE];
  if (roof_loop_mode(loop, mode, sizeof mode)[0] != '\0') {
    roof_text_addf(out, "  %s\n", mode);
  }
  for (int i = 0; i < loop->count; i++) {
    const roof_loop_kernel *k = &loop->kernels[i];
    if (!k->shown) {
      continue;
    }
    if (k->skipped[0] != '\0') {
      roof_text_addf(out, "  skipped %s: %s\n", k->kernel->name, k->skipped);
      continue;
    }
    add_core_type(out, loop, k->kernel);
    if (verbose && k->again[0] != '\0') {
      roof_text_addf(out, "  %s %s\n", k->kernel->name, k->again);
    }
  }
}

/** The notes of the machine, or how many there are and how to see them. */
static void add_notes(roof_text *out, const roof_machine *m) {
  for (int i = 0; i < m->note_count && verbose; i++) {
    roof_text_addf(out, "  %-10s%s\n", i == 0 ? "notes" : "", m->notes[i]);
  }
  if (!verbose && m->note_count > 0) {
    roof_text_addf(out, "  notes     %d, in the report and with --verbose\n", m->note_count);
  }
}

CLI_WORD(bound_by, roof_loop_kernel, cli_column_say(scratch, "%.40s", r->reconciled.binding))
CLI_WORD(share_text, roof_loop_kernel, roof_loop_share(r, scratch, CLI_SCRATCH))
CLI_WORD(verdict_text, roof_loop_kernel, roof_loop_verdict(r, scratch, CLI_SCRATCH))
CLI_WORD(kernel_name, roof_loop_kernel, r->kernel->name)

static bool has_run(const void *row) {
  const roof_loop_kernel *k = row;
  return k->shown && k->skipped[0] == '\0';
}

static const cli_column kernel_columns[] = {
    {.header = "kernel", .text = kernel_name},
    {.header = "predicted", .unit = "s", CLI_FIELD(NUMBER, roof_loop_kernel, reconciled.predicted_seconds)},
    {.header = "measured", .unit = "s", CLI_FIELD(NUMBER, roof_loop_kernel, reconciled.measured_seconds)},
    {.header = "bound by", .text = bound_by},
    {.header = "of ceiling", .text = share_text, .right = true},
    {.header = "verdict", .verdict = true, .text = verdict_text},
    {0}};

CLI_VALUE(error_of, roof_loop_kernel, r->prediction.expected_seconds / r->measured_seconds - 1)

static bool is_point(const void *row) {
  return ((const roof_loop_kernel *)row)->skipped[0] == '\0';
}

CLI_WORD(label_of, roof_loop_kernel, r->label)
CLI_WORD(error_text, roof_loop_kernel, cli_column_say(scratch, "%+.1f %%", 100 * error_of(r)))

static const cli_column point_columns[] = {
    {.header = "kernel", .name = true, .text = label_of},
    {.header = "low", .unit = "s", CLI_FIELD(NUMBER, roof_loop_kernel, prediction.expected_low_seconds)},
    {.header = "high", .unit = "s", CLI_FIELD(NUMBER, roof_loop_kernel, prediction.expected_high_seconds)},
    {.header = "measured", .unit = "s", CLI_FIELD(NUMBER, roof_loop_kernel, reconciled.measured_seconds)},
    {.header = "off by", .text = error_text, .right = true},
    {0}};

/** How far the expectations were off; each of them with --verbose. */
static void add_accuracy(roof_text *out, const roof_loop *loop) {
  char line[ROOF_LOOP_LINE];
  roof_loop_accuracy accuracy;
  roof_status status = roof_loop_accuracy_of(loop, &accuracy, NULL);
  out->failed = out->failed || status != ROOF_OK;
  if (status == ROOF_OK && accuracy.points > 0) {
    roof_text_addf(out, "  predicted %s\n", roof_loop_accuracy_sentence(&accuracy, line, sizeof line));
    if (roof_loop_sharing_sentence(&accuracy, line, sizeof line)[0] != '\0') {
      roof_text_addf(out, "            %s\n", line);
    }
  }
  if (verbose) {
    roof_text_add(out, "\n");
    cli_columns_add_text(out, (cli_rows){point_columns, loop->kernels, (size_t)loop->count,
                                         sizeof *loop->kernels, is_point, false});
    roof_text_add(out, "\n");
  }
}

/** Whether a prediction for the machine is in that format where none is named. */
static bool is_default(const roof_machine *machine, roof_dtype dtype) {
  roof_types types;
  return roof_formats_read(&(roof_formats){0}, machine, &types, NULL) == ROOF_OK && types.compute == dtype;
}

static void add_text(roof_text *out, const cli_args *args, const roof_loop *loop, const char *report) {
  char answer[ROOF_LOOP_LINE], line[ROOF_TRUST_LINE];
  roof_trust trust;
  const char *program = cli_program_name();
  roof_machine_trust(loop->machine, &trust);
  roof_text_addf(out, "%s\n\n", roof_loop_sentence(loop, answer, sizeof answer));
  roof_text_addf(out, "  machine   %.55s, %g core%s\n", loop->machine->title, loop->machine->unit_count,
                 loop->machine->unit_count == 1 ? "" : "s");
  roof_text_addf(out, "  trust     %s\n", roof_trust_sentence(&trust, line, sizeof line));
  add_ceilings(out, loop);
  roof_text_add(out, "\n");
  cli_columns_add_text(out, (cli_rows){kernel_columns, loop->kernels, (size_t)loop->count,
                                       sizeof *loop->kernels, has_run, false});
  roof_text_add(out, "\n");
  add_accuracy(out, loop);
  add_remarks(out, loop);
  roof_text_addf(out, "  report    %s\n", report);
  if (!args->quiet) {
    add_notes(out, loop->machine);
    roof_text_addf(out, "  sealed    in %s, before anything was measured\n", loop->options.ledger);
    bool usual = strcmp(loop->options.ledger, CLI_DEFAULT_LEDGER) == 0;
    roof_text_addf(out, "  next      %s reconcile%s%s   why each kernel is where it is\n", program,
                   usual ? "" : " --ledger ", usual ? "" : loop->options.ledger);
    bool usual_format = is_default(loop->machine, loop->options.dtype);
    roof_text_addf(out, "            %s predict gemm m=n=k=4096 --machine %s%s%s\n", program,
                   loop->machine->name, usual_format ? "" : " --dtype ",
                   usual_format ? "" : roof_dtype_name(loop->options.dtype));
  }
}

#define COLUMN(name, type, member)                                                                           \
  { .key = (name), CLI_FIELD(type, roof_loop_kernel, reconciled.member) }
static const cli_column columns[] = {COLUMN("label", NAME, label),
                                     COLUMN("predicted_seconds", NUMBER, predicted_seconds),
                                     COLUMN("measured_seconds", NUMBER, measured_seconds),
                                     COLUMN("fraction_of_ceiling", NUMBER, fraction_of_ceiling),
                                     COLUMN("headroom", NUMBER, headroom),
                                     COLUMN("gap", NUMBER, gap_points),
                                     COLUMN("regime", NAME, regime),
                                     COLUMN("binding", NAME, binding),
                                     COLUMN("verdict", TEXT, verdict),
                                     {0}};

static roof_status write_report(const cli_args *args, const roof_loop *loop, const char *report,
                                roof_error *error) {
  roof_text html = {0};
  roof_status status = roof_loop_write_html(loop, &html, error);
  if (status == ROOF_OK && strcmp(report, "-") == 0) {
    status = cli_to_write(args, report, &html, error);
  } else if (status == ROOF_OK) { /* the answer names it */
    status = rf_write_file(report, html.data, html.length, error);
  }
  roof_text_done(&html);
  return status;
}

static roof_status print_answer(const cli_args *args, const roof_loop *loop, const char *report,
                                roof_error *error) {
  roof_text text = {0};
  roof_status status = write_report(args, loop, report, error);
  if (strcmp(report, "-") == 0) {
    return status;
  }
  if (status != ROOF_OK || args->csv) {
    cli_rows rows = CLI_ROWS(columns, loop->kernels, (size_t)loop->count);
    rows.shown = has_run;
    return status == ROOF_OK ? cli_columns_print_csv(rows, error) : status;
  }
  if (args->json) {
    status = roof_loop_write(loop, report, &text, error);
  } else {
    add_text(&text, args, loop, report);
  }
  return cli_print_end(&text, status, error);
}

static roof_status read_options(const cli_args *args, roof_loop_options *o, roof_error *error) {
  *o = roof_loop_options_default();
  o->key = key_path;
  o->ledger = ledger_path != NULL ? ledger_path : o->ledger;
  o->how.quick = quick != 0;
  o->how.progress = cli_show_progress;
  o->how.user = (void *)(uintptr_t)args;
  roof_status status = cli_args_limit_words(args, 0, error);
  status = status == ROOF_OK ? cli_select_backend(backend_name, &o->backend, error) : status;
  return status == ROOF_OK && dtype_name != NULL ? roof_dtype_parse(dtype_name, &o->dtype, error) : status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  const char *report = args->file != NULL ? args->file : "roofline-report.html";
  char commit[ROOF_DIGEST_MAX];
  roof_loop loop = {.kernels = NULL};
  roof_loop_options o;
  roof_status status = read_options(args, &o, error);
  status = status == ROOF_OK ? roof_ledger_commit(commit, error) : status;
  if (status == ROOF_OK) {
    o.commit = commit;
    status = roof_loop_init(&loop, &o, error);
  }
  status = status == ROOF_OK ? cli_to_check(report, error) : status;
  status = status == ROOF_OK ? roof_loop_run(&loop, error) : status;
  if (status == ROOF_OK) {
    cli_ledger_written(o.ledger);
  }
  status = status == ROOF_OK ? print_answer(args, &loop, report, error) : status;
  roof_loop_done(&loop);
  free(backend_name);
  free(ledger_path);
  free(key_path);
  free(dtype_name);
  return status;
}

const cli_command cli_cmd_loop = {
    .name = "loop",
    .task = CLI_TASK_MEASURE,
    .arguments = "",
    .summary = "the main job: measure this machine, seal, run the kernels, reconcile, write a report",
    .examples = "  roofline loop --quick\n"
                "  roofline loop --to today.html --ledger today.ledger\n"
                "  roofline loop --quick --json | jq '.entries[] | {label, verdict, headroom}'\n",
    .writes = "txt html json csv",
    .groups = CLI_ARGS_BOTH,
    .options = options,
    .run = run,
};
