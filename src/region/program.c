/* Runs a user's program and compares what it did with a machine. */
#include "region/program.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/folder.h"
#include "host/process.h"
#include "region/counting.h"
#include "roofline/advise.h"
#include "roofline/time.h"

enum { FOLDER = PATH_MAX, PATTERN = 2 * FOLDER + 96 };
_Static_assert((int)ROOF_PROGRAM_COUNTERS == (int)RF_COUNTER_MAX, "a counter has no place in the answer");

/** One run. */
typedef struct figures {
  rf_process_usage used;
  rf_counts counts;
} figures;

/** A program while it is run. */
typedef struct session {
  roof_program *program;
  rf_counting counting;
  figures *runs;
  figures *now; /**< the run that goes on */
} session;

roof_program_options roof_program_options_default(void) {
  return (roof_program_options){
      .runs = 1, .dtype = ROOF_FP64, .flops = NAN, .bytes = NAN, .counted = "command line"};
}

void roof_program_does(roof_program_options *options, const roof_op *op, const double *values) {
  roof_types types = roof_types_of(options->dtype);
  roof_work work;
  roof_work_init(&work);
  op->work(op, values, &types, &work);
  options->flops = work.flops;
  options->bytes = work.read_bytes + work.write_bytes;
  roof_op_label(op, op->name, types.compute, values, options->label, sizeof options->label);
  snprintf(options->counted, sizeof options->counted, "formula");
}

const roof_program_part *roof_program_parts(const roof_program *program, int *count) {
  *count = program->region_count > 0 ? program->region_count : 1;
  return program->region_count > 0 ? program->regions : &program->whole;
}

/* Running */

static void start(void *user, pid_t process) {
  session *s = user;
  rf_counting_start(&s->counting, process);
}

static void stop(void *user) {
  session *s = user;
  rf_counting_stop(&s->counting, &s->now->counts);
}

static void show_progress(const roof_program *program, const char *step, int done, int total) {
  if (program->options.progress != NULL) {
    program->options.progress(program->options.user, step, done, total);
  }
}

static roof_status run_once(session *s, const char *folder, int index, rf_process_hold *hold,
                            roof_error *error) {
  char regions[PATTERN], timeline[PATTERN], calls[64], step[64];
  roof_program *program = s->program;
  const roof_program_options *o = &program->options;
  const char *const environment[] = {regions, o->timeline != NULL ? timeline : NULL,
                                     o->timeline_calls > 0 ? calls : NULL, NULL};
  roof_measurement *m = &program->whole.measurement;
  const rf_process process = {
      .words = program->words, .environment = environment, .start = start, .stop = stop, .user = s};
  s->now = &s->runs[index];
  snprintf(regions, sizeof regions, "ROOFLINE_REGIONS=%s/%d.%%r.%%p.json", folder, index);
  snprintf(timeline, sizeof timeline, "ROOFLINE_TIMELINE=%s", o->timeline != NULL ? o->timeline : "");
  snprintf(calls, sizeof calls, "ROOFLINE_TIMELINE_CALLS=%d", o->timeline_calls);
  snprintf(step, sizeof step, "%.60s", program->name);
  show_progress(program, step, index, program->options.runs);
  roof_status status = rf_process_run(&process, hold, &s->now->used, error);
  if (status == ROOF_OK) {
    m->calls++;
    m->total_seconds += s->now->used.seconds;
    status = roof_measurement_sample(m, s->now->used.seconds, error);
  }
  return status;
}

/** Runs it as often as asked, its regions' documents in a folder of their own meanwhile. */
static roof_status run_all(session *s, roof_error *error) {
  char folder[FOLDER], named[2 * FOLDER];
  rf_process_hold hold;
  rf_process_begin(&hold);
  roof_status status = rf_folder_make(folder, sizeof folder, error);
  if (status == ROOF_OK) {
    rf_program_name_folder(folder, named, sizeof named);
    for (int i = 0; i < s->program->options.runs && status == ROOF_OK; i++) {
      status = run_once(s, named, i, &hold, error);
    }
    show_progress(s->program, "", 1, 1);
    if (status == ROOF_OK) {
      status = rf_program_read(s->program, folder, error);
    }
    rf_folder_remove(folder, "");
  }
  rf_process_end(&hold);
  return status;
}

/* What the runs come to */

/** The median of one figure over the runs. */
static double median_of(const session *s, size_t field) {
  size_t count = (size_t)s->program->options.runs;
  roof_stats stats = {.median = NAN};
  double *values = malloc(count * sizeof *values);
  for (size_t i = 0; i < count && values != NULL; i++) {
    values[i] = *(const double *)(const void *)((const char *)&s->runs[i] + field);
  }
  if (values != NULL) {
    (void)roof_stats_of(values, count, &stats, NULL);
  }
  free(values);
  return stats.median;
}

static void summarise(session *s) {
  roof_program_usage *u = &s->program->usage;
  roof_program_counters *c = &s->program->counters;
  u->seconds = median_of(s, offsetof(figures, used.seconds));
  u->user_seconds = median_of(s, offsetof(figures, used.user_seconds));
  u->system_seconds = median_of(s, offsetof(figures, used.system_seconds));
  u->cores_busy = (u->user_seconds + u->system_seconds) / u->seconds;
  u->peak_bytes = median_of(s, offsetof(figures, used.peak_bytes));
  u->voluntary_switches = median_of(s, offsetof(figures, used.voluntary_switches));
  u->involuntary_switches = median_of(s, offsetof(figures, used.involuntary_switches));
  c->count = s->counting.flops ? rf_counters_count() : 0;
  for (int k = 0; k < c->count; k++) {
    c->list[k] =
        (roof_program_counter){rf_counters_name(k), rf_counters_dtype(k),
                               median_of(s, offsetof(figures, counts.flops) + (size_t)k * sizeof(double))};
  }
  c->memory_bytes = s->counting.memory ? median_of(s, offsetof(figures, counts.memory_bytes)) : NAN;
  memcpy(c->flops_reason, s->counting.flops_reason, sizeof c->flops_reason);
  memcpy(c->memory_reason, s->counting.memory_reason, sizeof c->memory_reason);
}

/** The work of the program as a whole: what is said of it, else what was counted. */
static void take_work(const session *s) {
  const roof_program_options *o = &s->program->options;
  roof_program_part *whole = &s->program->whole;
  roof_measurement *m = &whole->measurement;
  m->dtype = o->dtype;
  whole->flops[o->dtype] = o->flops * o->runs;
  whole->bytes = o->bytes * o->runs;
  snprintf(m->counted_flops, sizeof m->counted_flops, "%s", isnan(o->flops) ? "" : o->counted);
  snprintf(m->counted, sizeof m->counted, "%s", isnan(o->bytes) ? "" : o->counted);
  if (isnan(o->flops) && s->program->counters.count > 0) {
    memset(whole->flops, 0, sizeof whole->flops);
    snprintf(m->counted_flops, sizeof m->counted_flops, "PAPI");
    for (int i = 0; i < o->runs * s->program->counters.count; i++) {
      int k = i % s->program->counters.count;
      whole->flops[rf_counters_dtype(k)] += s->runs[i / s->program->counters.count].counts.flops[k];
    }
  }
  if (isnan(o->bytes) && s->counting.memory) {
    whole->bytes = 0;
    snprintf(m->counted, sizeof m->counted, "memory controllers, of the whole machine");
    for (int i = 0; i < o->runs; i++) {
      whole->bytes += s->runs[i].counts.memory_bytes;
    }
  }
}

/** Median, statistics and means once all is added. */
static roof_status settle(roof_program_part *part, roof_error *error) {
  roof_measurement *m = &part->measurement;
  double most = 0;
  m->bytes = part->bytes / m->calls;
  m->flops = 0;
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    m->flops += part->flops[d] / m->calls;
    if (part->flops[d] > most) {
      most = part->flops[d];
      m->dtype = (roof_dtype)d;
    }
  }
  m->level_bytes[ROOF_MEMORY] = m->bytes; /* what it says of its bytes is what went from and to memory */
  for (int d = 0; d < ROOF_DTYPE_COUNT && !isnan(m->flops); d++) {
    bool did = part->flops[d] != 0 || d == (int)m->dtype;
    m->dtype_flops[d] = did ? part->flops[d] / m->calls : NAN;
  }
  return roof_measurement_settle(m, error);
}

static roof_status settle_and_place(const roof_program *program, roof_program_part *part, roof_error *error) {
  roof_status status = settle(part, error);
  status = status == ROOF_OK
               ? roof_place_measurement(&program->ceilings, &part->measurement, &part->placed, error)
               : status;
  if (status == ROOF_OK) {
    part->measurement.given.ceiling_seconds = part->placed.ceiling_seconds;
  }
  return status;
}

static roof_status settle_all(roof_program *program, roof_error *error) {
  roof_status status = settle_and_place(program, &program->whole, error);
  for (int i = 0; i < program->region_count && status == ROOF_OK; i++) {
    roof_program_part *part = &program->regions[i];
    part->measurement.taken = program->whole.measurement.taken;
    part->measurement.threads = part->threads; /* the program as a whole may use any number of them */
    status = settle_and_place(program, part, error);
  }
  return status;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static roof_status begin(roof_program *program, const char *const *words, const roof_machine *machine,
                         const roof_program_options *options, roof_error *error) {
  roof_options reached = roof_options_default();
  reached.achieved = true;
  program->words = words;
  program->options = *options;
  snprintf(program->name, sizeof program->name, "%s", base_name(words[0]));
  rf_program_part_init(&program->whole, options->label[0] != '\0' ? options->label : program->name);
  program->whole.threads = 1;
  return roof_ceilings_init(&program->ceilings, machine, options->cores, &reached, error);
}

static roof_status run(session *s, roof_error *error) {
  rf_counting_init(&s->counting);
  s->program->whole.measurement.taken = roof_time_now();
  roof_status status = run_all(s, error);
  if (status == ROOF_OK) {
    summarise(s);
    take_work(s);
    status = settle_all(s->program, error);
  }
  return status;
}

roof_status roof_program_run(const char *const *words, const roof_machine *machine,
                             const roof_program_options *options, roof_program **program, roof_error *error) {
  if (options->runs < 1 || options->runs > ROOF_PROGRAM_RUNS) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--repeat %d: must be from 1 to %d", options->runs,
                          ROOF_PROGRAM_RUNS);
  }
  session *s = calloc(1, sizeof *s);
  roof_program *made = calloc(1, sizeof *made);
  figures *runs = calloc((size_t)options->runs, sizeof *runs);
  roof_status status = s != NULL && made != NULL && runs != NULL
                           ? begin(made, words, machine, options, error)
                           : roof_error_set(error, ROOF_E_MEMORY, "run: out of memory");
  if (status == ROOF_OK) {
    s->program = made;
    s->runs = runs;
    status = run(s, error);
  }
  if (status == ROOF_OK) {
    *program = made;
  } else {
    roof_program_free(made);
  }
  free(runs);
  free(s);
  return status;
}

void roof_program_free(roof_program *program) {
  if (program == NULL) {
    return;
  }
  for (int i = 0; i < program->region_count; i++) {
    roof_measurement_done(&program->regions[i].measurement);
  }
  roof_measurement_done(&program->whole.measurement);
  roof_measurements_done(&program->missed);
  free(program->regions);
  free(program);
}
