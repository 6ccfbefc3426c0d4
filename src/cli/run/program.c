/* `run -- PROGRAM`: what was typed, and the run. */
#include "cli/run/program.h"

#include <stdint.h>

#include "cli/run/timeline.h"
#include "cluster/gather.h"
#include "host/process.h"

static roof_status parse_count(const char *option, const char *text, const char *unit, double *value,
                               roof_error *error) {
  roof_error why = {0};
  roof_status status = text != NULL ? roof_quantity_parse_unit(text, unit, value, &why) : ROOF_OK;
  if (status == ROOF_OK && text != NULL && !(*value >= 0)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s %s: must not be negative", option, text);
  }
  return status == ROOF_OK ? ROOF_OK : roof_error_set(error, status, "%s %s", option, why.message);
}

/** "gemm m=1024 n=1024 k=1024" */
static roof_status parse_op(const cli_args *args, const char *text, roof_program_options *how,
                            roof_error *error) {
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_status status = cli_select_shape(args, text, &op, values, error);
  if (status == ROOF_OK) {
    roof_program_does(how, op, values);
  }
  return status;
}

/** What the program does as a whole, as far as the command line says. */
static roof_status parse_work(const cli_args *args, const cli_program_options *o, roof_program_options *how,
                              roof_error *error) {
  roof_status status = o->dtype != NULL ? roof_dtype_parse(o->dtype, &how->dtype, error) : ROOF_OK;
  if (status == ROOF_OK && o->op != NULL) {
    return o->flops != NULL || o->bytes != NULL
               ? roof_error_set(error, ROOF_E_ARGUMENT,
                                "--op: it gives the FLOPs and bytes; leave out "
                                "--flops and --bytes")
               : parse_op(args, o->op, how, error);
  }
  if (status == ROOF_OK) {
    status = parse_count("--flops", o->flops, "FLOP", &how->flops, error);
  }
  return status == ROOF_OK ? parse_count("--bytes", o->bytes, "B", &how->bytes, error) : status;
}

/** The machine named, or `host` where it is measured. */
static roof_status load_machine(const cli_args *args, roof_machine **machine, roof_error *error) {
  return args->machines != NULL ? cli_select_machine(args, "run", machine, error)
                                : roof_catalog_load_known("host", machine, error);
}

/** The ceilings are of no more cores than the machine has. */
static roof_status check_cores(const cli_program_options *o, const roof_machine *machine, roof_error *error) {
  return machine != NULL && o->threads > machine->unit_count
             ? roof_error_set(error, ROOF_E_ARGUMENT, "--threads %d: %s has %g core%s", o->threads,
                              machine->name, machine->unit_count, machine->unit_count == 1 ? "" : "s")
             : ROOF_OK;
}

static roof_status check_typed(const cli_args *args, const cli_program_options *o, roof_error *error) {
  if (args->program[0] == NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "run --: which program? `roofline run -- ./program`");
  }
  if (args->word_count > 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: a kernel or a program, not both", args->words[0]);
  }
  if (o->repeats < 1 || o->repeats > ROOF_PROGRAM_RUNS) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--repeat %d: must be from 1 to %d", o->repeats,
                          ROOF_PROGRAM_RUNS);
  }
  return cli_timeline_check(&(cli_timeline){.file = o->timeline}, o->repeats, error);
}

/** Without a job; a signal ends it once no file is left. */
static roof_status measure_alone(const cli_args *args, const cli_program_options *options,
                                 roof_program_options *how, const roof_machine *machine, roof_error *error) {
  roof_program *program = NULL;
  cli_timeline timeline = {.file = options->timeline};
  rf_process_hold hold;
  rf_process_begin(&hold);
  roof_status status = cli_program_check(args, machine, error);
  status = status == ROOF_OK ? cli_timeline_begin(&timeline, how, error) : status;
  status = status == ROOF_OK ? roof_program_run(args->program, machine, how, &program, error) : status;
  status = status == ROOF_OK ? cli_program_report(args, program, error) : status;
  status = status == ROOF_OK ? cli_timeline_end(&timeline, args, program->name, error) : status;
  cli_timeline_done(&timeline);
  roof_program_free(program);
  rf_process_end(&hold);
  return status;
}

roof_status cli_program_measure(const cli_args *args, const cli_program_options *options, roof_error *error) {
  roof_program_options how = roof_program_options_default();
  roof_machine *machine = NULL;
  how.runs = options->repeats;
  how.cores = options->threads;
  how.progress = cli_show_progress;
  how.user = (void *)(uintptr_t)args;
  roof_status status = check_typed(args, options, error);
  status = status == ROOF_OK ? parse_work(args, options, &how, error) : status;
  status = status == ROOF_OK ? load_machine(args, &machine, error) : status;
  status = status == ROOF_OK ? check_cores(options, machine, error) : status;
  if (rf_gather_ranks() > 1) {
    status = status != ROOF_OK ? rf_gather_once(status, error)
                               : cli_program_job(args, options, &how, machine, error);
  } else if (status == ROOF_OK) {
    status = measure_alone(args, options, &how, machine, error);
  }
  roof_machine_free(machine);
  return status;
}
