/* Runs somebody's program and sets what it did against the machine. */
#include "cli/run/program.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ledger/seal.h"
#include "host/write.h"
#include "roofline/advise.h"

enum { REPEATS_MAX = 10000, FOLDER = 2048, PATTERN = FOLDER + 32 };

/* What the command line says of the work */

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
static roof_status parse_op(const cli_program *program, const char *text, cli_part *whole,
                            roof_error *error) {
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_work work;
  roof_types types = roof_types_of(whole->measurement.dtype);
  roof_status status = cli_select_shape(program->args, text, &op, values, error);
  if (status == ROOF_OK) {
    roof_work_init(&work);
    op->work(op, values, &types, &work);
    whole->flops[types.compute] = work.flops;
    whole->bytes = work.read_bytes + work.write_bytes;
    roof_op_label(op, op->name, types.compute, values, whole->measurement.label,
                  sizeof whole->measurement.label);
  }
  return status;
}

/** What the program does as a whole, as far as the command line says. */
static roof_status describe_whole(cli_program *program, roof_error *error) {
  const cli_program_options *o = program->options;
  cli_part *whole = &program->whole;
  roof_measurement *m = &whole->measurement;
  double flops = NAN;
  roof_measurement_init(m);
  m->dtype = ROOF_FP64;
  whole->bytes = NAN;
  whole->threads = 1;
  snprintf(m->label, sizeof m->label, "%s", program->name);
  snprintf(m->counted, sizeof m->counted, "command line");
  snprintf(whole->flops_counted, sizeof whole->flops_counted, "command line");
  roof_status status = o->dtype != NULL ? roof_dtype_parse(o->dtype, &m->dtype, error) : ROOF_OK;
  if (status == ROOF_OK && o->op != NULL) {
    snprintf(m->counted, sizeof m->counted, "formula");
    snprintf(whole->flops_counted, sizeof whole->flops_counted, "formula");
    return o->flops != NULL || o->bytes != NULL
               ? roof_error_set(error, ROOF_E_ARGUMENT,
                                "--op: it gives the FLOPs and bytes; leave out "
                                "--flops and --bytes")
               : parse_op(program, o->op, whole, error);
  }
  if (status == ROOF_OK) {
    status = parse_count("--flops", o->flops, "FLOP", &flops, error);
  }
  if (status == ROOF_OK) {
    status = parse_count("--bytes", o->bytes, "B", &whole->bytes, error);
  }
  whole->flops[m->dtype] = flops;
  return status;
}

/* Running */

/** Removes the folder of the regions' documents with what is in it. */
static void remove_folder(const char folder[FOLDER]) {
  char pattern[PATTERN];
  glob_t found = {0};
  snprintf(pattern, sizeof pattern, "%.2040s/*", folder);
  if (glob(pattern, 0, NULL, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; i++) {
      unlink(found.gl_pathv[i]);
    }
  }
  globfree(&found);
  rmdir(folder);
}

/** Counted work is of the program alone when no work was given for it. */
static void take_counts(cli_program *program) {
  cli_part *whole = &program->whole;
  bool flops_given = program->options->flops != NULL || program->options->op != NULL;
  bool bytes_given = program->options->bytes != NULL || program->options->op != NULL;
  double repeats = program->options->repeats;
  for (int d = 0; d < ROOF_DTYPE_COUNT && flops_given; d++) {
    whole->flops[d] *= repeats;
  }
  for (int k = 0; k < rf_counters_count() && program->counting.flops && !flops_given; k++) {
    double sum = 0;
    for (int i = 0; i < program->options->repeats; i++) {
      sum += program->runs[i].flops[k];
    }
    whole->flops[ROOF_FP64] = k == 0 ? 0 : whole->flops[ROOF_FP64];
    whole->flops[rf_counters_dtype(k)] = sum;
    snprintf(whole->flops_counted, sizeof whole->flops_counted, "PAPI");
  }
  whole->bytes *= repeats;
  if (program->counting.memory && !bytes_given) {
    whole->bytes = 0;
    for (int i = 0; i < program->options->repeats; i++) {
      whole->bytes += program->runs[i].memory_bytes;
    }
    snprintf(whole->measurement.counted, sizeof whole->measurement.counted,
             "memory controllers, of the whole machine");
  }
}

static roof_status run_once(cli_program *program, const char *folder, int index, rf_program_hold *hold,
                            roof_error *error) {
  char pattern[PATTERN], step[64];
  rf_program_usage *usage = &program->runs[index];
  snprintf(pattern, sizeof pattern, "%.2040s/%d.%%p.json", folder, index);
  snprintf(step, sizeof step, "%.60s", program->name);
  cli_show_progress((void *)(uintptr_t)program->args, step, index, program->options->repeats);
  roof_status status =
      rf_program_run(program->args->program, pattern, &program->counting, hold, usage, error);
  if (status == ROOF_OK) {
    program->whole.calls++;
    program->whole.total_seconds += usage->seconds;
    status = roof_measurement_sample(&program->whole.measurement, usage->seconds, error);
  }
  return status;
}

/** Runs it as often as asked, its regions' documents in a folder of their own meanwhile. */
static roof_status run_all(cli_program *program, roof_error *error) {
  char folder[FOLDER];
  rf_program_hold hold;
  rf_program_begin(&hold);
  roof_status status = rf_temporary_name(folder, sizeof folder, "roofline.XXXXXX", error);
  if (status == ROOF_OK && mkdtemp(folder) == NULL) {
    status = roof_error_set(error, ROOF_E_OUTPUT, "%s: %s", folder, strerror(errno));
  } else if (status == ROOF_OK) {
    for (int i = 0; i < program->options->repeats && status == ROOF_OK; i++) {
      status = run_once(program, folder, i, &hold, error);
    }
    cli_show_progress((void *)(uintptr_t)program->args, "", 1, 1);
    if (status == ROOF_OK) {
      status = cli_program_read(program, folder, error);
    }
    remove_folder(folder);
  }
  rf_program_end(&hold);
  return status;
}

/* Placing */

/** The machine named, or `host` where it is measured. */
static roof_status load_machine(cli_program *program, roof_error *error) {
  const char **names = program->args->machines;
  roof_status status = ROOF_OK;
  if (names != NULL && names[0] != NULL && names[1] != NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--machine %s: a program is placed on one", names[1]);
  }
  if (names != NULL && names[0] != NULL) {
    status = roof_catalog_load(names[0], &program->machine, error);
  } else {
    roof_catalog_load("host", &program->machine, NULL);
  }
  roof_options reached = roof_options_default();
  reached.achieved = true;
  return status == ROOF_OK ? roof_ceilings_init(&program->ceilings, program->machine,
                                                program->options->threads, &reached, error)
                           : status;
}

/** A part as a document holds it; what it says of its bytes is what went from and to memory. */
static void describe(cli_part *part, bool region) {
  roof_measurement *m = &part->measurement;
  m->calls = part->calls;
  m->threads = region ? part->threads : NAN; /* a program may use any number of them */
  m->total_seconds = part->total_seconds;
  m->level_bytes[ROOF_MEMORY] = m->bytes;
  memcpy(m->counted_flops, part->flops_counted, sizeof m->counted_flops);
  for (int d = 0; d < ROOF_DTYPE_COUNT && !isnan(m->flops); d++) {
    bool did = part->flops[d] != 0 || d == (int)m->dtype;
    m->dtype_flops[d] = did ? part->flops[d] / part->calls : NAN;
  }
}

static void place(const cli_program *program, cli_part *part, bool region) {
  describe(part, region);
  roof_place_measurement(&program->ceilings, &part->measurement, &part->placed);
  part->measurement.ceiling_seconds = part->placed.ceiling_seconds;
}

static roof_status settle(cli_program *program, roof_error *error) {
  take_counts(program);
  roof_status status = cli_part_settle(&program->whole, error);
  place(program, &program->whole, false);
  for (int i = 0; i < program->count && status == ROOF_OK; i++) {
    status = cli_part_settle(&program->parts[i], error);
    place(program, &program->parts[i], true);
  }
  return status;
}

static roof_status check_typed(const cli_args *args, const cli_program_options *o, roof_error *error) {
  if (args->program[0] == NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "run --: which program? `roofline run -- ./program`");
  }
  if (args->word_count > 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: a kernel or a program, not both", args->words[0]);
  }
  if (o->repeats < 1 || o->repeats > REPEATS_MAX) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--repeat %d: must be from 1 to %d", o->repeats,
                          REPEATS_MAX);
  }
  return ROOF_OK;
}

static void program_done(cli_program *program) {
  for (int i = 0; i < program->count; i++) {
    roof_measurement_done(&program->parts[i].measurement);
  }
  roof_measurement_done(&program->whole.measurement);
  roof_measurements_done(&program->missed);
  roof_machine_free(program->machine);
  free(program->parts);
  free(program->runs);
  free(program);
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

roof_status cli_program_measure(const cli_args *args, const cli_program_options *options, roof_error *error) {
  roof_status status = check_typed(args, options, error);
  cli_program *program = status == ROOF_OK ? calloc(1, sizeof *program) : NULL;
  if (program == NULL) {
    return status == ROOF_OK ? roof_error_set(error, ROOF_E_MEMORY, "run: out of memory") : status;
  }
  program->args = args;
  program->options = options;
  program->name = base_name(args->program[0]);
  program->runs = calloc((size_t)options->repeats, sizeof *program->runs);
  status = program->runs != NULL ? describe_whole(program, error)
                                 : roof_error_set(error, ROOF_E_MEMORY, "run: out of memory");
  if (status == ROOF_OK) {
    status = load_machine(program, error);
  }
  if (status == ROOF_OK) {
    status = cli_program_check(program, error);
  }
  if (status == ROOF_OK) {
    rf_program_counting_init(&program->counting);
    status = run_all(program, error);
  }
  if (status == ROOF_OK) {
    status = settle(program, error);
  }
  if (status == ROOF_OK) {
    status = cli_program_report(program, error);
  }
  program_done(program);
  return status;
}
