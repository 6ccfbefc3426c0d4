/* The circle: measure, calibrate, predict, seal, run, reconcile. */
#include "roofline/loop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "loop/calibrate.h"
#include "loop/plan.h"
#include "measure/run.h"
#include "roofline/advise.h"
#include "roofline/catalog.h"
#include "roofline/effects.h"
#include "roofline/ops.h"
#include "roofline/time.h"
#include "roofline/units.h"

static bool is_wanted(const roof_loop *loop, const roof_kernel *kernel) {
  return kernel->in_loop && roof_kernel_runs_on(kernel, loop->options.backend->name);
}

/** Some kernel must be written for the format asked for. */
static roof_status check_format(const roof_loop *loop, roof_error *error) {
  roof_dtype dtype = loop->options.dtype;
  for (int i = 0; i < roof_kernel_count(); i++) {
    if (is_wanted(loop, roof_kernel_at(i)) && roof_kernel_at(i)->supports(dtype)) {
      return ROOF_OK;
    }
  }
  return roof_error_set(error, ROOF_E_UNSUPPORTED,
                        "--dtype %s: no built-in kernel is written for it; use fp32 or fp64",
                        roof_dtype_name(dtype));
}

static void show(const roof_loop *loop, const char *step, int done, int total) {
  if (loop->options.how.progress != NULL) {
    loop->options.how.progress(loop->options.how.user, step, done, total);
  }
}

roof_loop_options roof_loop_options_default(void) {
  return (roof_loop_options){
      .dtype = ROOF_FP32, .ledger = "roofline.ledger", .how = roof_measure_options_default()};
}

roof_status roof_loop_init(roof_loop *loop, const roof_loop_options *options, roof_error *error) {
  roof_loop made = {.options = *options};
  roof_status status = check_format(&made, error);
  if (status != ROOF_OK) {
    return status;
  }
  size_t most = (size_t)roof_kernel_count() * ROOF_LEVEL_KIND_COUNT * ROOF_LOOP_CORES_COUNT;
  made.kernels = calloc(most, sizeof *made.kernels);
  if (made.kernels == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "loop: out of memory");
  }
  for (int i = 0; i < roof_kernel_count(); i++) {
    const roof_kernel *kernel = roof_kernel_at(i);
    if (is_wanted(&made, kernel)) {
      roof_loop_kernel *k = &made.kernels[made.count++];
      *k = (roof_loop_kernel){
          .kernel = kernel, .shown = true, .level = ROOF_MEMORY, .memory_pace = NAN, .disturbed = NAN};
      k->cores = kernel->serial ? ROOF_LOOP_ALONE : ROOF_LOOP_ALL;
      snprintf(k->shape, sizeof k->shape, "%s",
               roof_backend_sizes(options->backend, kernel, options->how.quick));
    }
  }
  *loop = made;
  return ROOF_OK;
}

void roof_loop_done(roof_loop *loop) {
  free(loop->kernels);
  rf_calibration_free(loop->calibration);
  roof_machine_free(loop->machine);
  roof_machine_free(loop->one_core);
  *loop = (roof_loop){.kernels = NULL};
}

/** Resolves the machine for predictions, and one core of it. */
static roof_status resolve(roof_loop *loop, roof_error *error) {
  roof_types types = roof_types_of(loop->options.dtype);
  roof_options o = roof_options_default();
  o.achieved = true;
  roof_status status = roof_target_init(&loop->target, loop->machine, &types, &o, error);
  if (status != ROOF_OK) {
    return status;
  }
  loop->one_core = roof_machine_copy(loop->machine);
  if (loop->one_core == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "loop: out of memory");
  }
  roof_machine_for_cores(loop->one_core, 1);
  status = roof_target_init(&loop->alone, loop->one_core, &types, &o, error);
  loop->alone.units = 1;
  o.warm = true;
  status = status == ROOF_OK ? roof_target_init(&loop->warm[ROOF_LOOP_ALL], loop->machine, &types, &o, error)
                             : status;
  if (status == ROOF_OK) {
    status = roof_target_init(&loop->warm[ROOF_LOOP_ALONE], loop->one_core, &types, &o, error);
    loop->warm[ROOF_LOOP_ALONE].units = 1;
  }
  return status;
}

/** On a processor's own threads, not through an accelerator's backend. */
static bool is_processor(const roof_loop *loop) {
  return loop->target.parts_stay && loop->count > 0 && loop->kernels[0].kernel->backends == NULL;
}

/** Measures this machine, keeps it under its name (`host`), and resolves it for predictions. */
static roof_status characterise(roof_loop *loop, roof_error *error) {
  roof_status status = loop->options.backend->measure(&loop->options.how, &loop->machine, error);
  if (status == ROOF_OK) {
    status = roof_catalog_save(loop->machine, error);
  }
  return status == ROOF_OK ? resolve(loop, error) : status;
}

static bool is_planned(const roof_loop *loop, const roof_loop_kernel *k) {
  for (int i = 0; i < loop->count; i++) {
    const roof_loop_kernel *other = &loop->kernels[i];
    if (other->kernel == k->kernel && other->cores == k->cores && strcmp(other->shape, k->shape) == 0) {
      return true;
    }
  }
  return false;
}

/** Adds a kernel at a size for a level, if there is one and it is none that runs already. */
static roof_status add_point(roof_loop *loop, const roof_loop_kernel *shown, roof_loop_cores cores,
                             roof_level_kind level, roof_error *error) {
  roof_loop_kernel k = {
      .kernel = shown->kernel, .cores = cores, .level = level, .memory_pace = NAN, .disturbed = NAN};
  if (cores == shown->cores && level == ROOF_MEMORY) {
    return ROOF_OK;
  }
  roof_status status = rf_plan_shape(k.kernel, loop->warm, cores, level, shown->shape, k.shape, error);
  if (status == ROOF_OK && k.shape[0] != '\0' && !is_planned(loop, &k)) {
    loop->kernels[loop->count++] = k;
  }
  return status;
}

/** Every kernel in every level, on one core and on all. */
static roof_status plan_points(roof_loop *loop, roof_error *error) {
  int shown = loop->count;
  bool several = loop->machine->unit_count > 1 && loop->options.how.threads != 1;
  roof_status status = ROOF_OK;
  for (int i = 0; i < shown; i++) {
    for (int cores = 0; cores < ROOF_LOOP_CORES_COUNT; cores++) {
      bool runs = cores == ROOF_LOOP_ALONE ? several || loop->kernels[i].kernel->serial
                                           : !loop->kernels[i].kernel->serial;
      for (int level = ROOF_L1; level <= (int)ROOF_MEMORY && runs && status == ROOF_OK; level++) {
        status = add_point(loop, &loop->kernels[i], (roof_loop_cores)cores, (roof_level_kind)level, error);
      }
    }
  }
  return status;
}

/** The machine keeps the constants of all its cores, fitted to all timings. */
static roof_status keep_constants(roof_loop *loop, roof_error *error) {
  for (int kind = 0; kind < ROOF_KERNEL_KIND_COUNT; kind++) {
    roof_constants made, *kept = NULL;
    bool known = false;
    roof_status status = rf_calibration_fit(loop->calibration, (roof_kernel_kind)kind, ROOF_LOOP_ALL, NULL,
                                            &made, &known, error);
    if (status != ROOF_OK) {
      return status;
    }
    if (known && (kept = roof_machine_add_constants(loop->machine)) == NULL) {
      return roof_error_set(error, ROOF_E_MEMORY, "calibration: out of memory");
    }
    if (known) {
      *kept = made;
    }
  }
  return roof_catalog_save(loop->machine, error);
}

/** On a processor: what runs in which level, and what it reaches of the ceilings. */
static roof_status calibrate(roof_loop *loop, roof_error *error) {
  if (!is_processor(loop)) {
    return ROOF_OK;
  }
  roof_status status = plan_points(loop, error);
  if (status != ROOF_OK) {
    return status;
  }
  loop->calibration = calloc(1, sizeof *loop->calibration);
  if (loop->calibration == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "calibration: out of memory");
  }
  loop->calibration->targets = loop->warm;
  status = rf_calibration_measure(loop, error);
  return status == ROOF_OK ? keep_constants(loop, error) : status;
}

/** The cores with constants fitted to what other kernels took. */
static roof_status calibrated(const roof_loop *loop, roof_loop_kernel *k, roof_kernel_kind kind,
                              roof_target *target, roof_error *error) {
  roof_form *form = &target->forms[kind];
  roof_constants constants;
  bool known = false;
  *target = loop->warm[k->cores];
  roof_status status = loop->calibration != NULL ? rf_calibration_fit(loop->calibration, kind, k->cores,
                                                                      k->kernel, &constants, &known, error)
                                                 : ROOF_OK;
  if (known) {
    form->known = true;
    for (int i = 0; i < ROOF_CONSTANT_COUNT; i++) {
      double own = constants.values[i];
      form->values[i] = isnan(own) ? roof_constant_row_of((roof_constant)i)->neutral : own;
    }
    snprintf(k->constants, sizeof k->constants, "%.150s", constants.source);
  } else if (form->known) {
    snprintf(k->constants, sizeof k->constants, "those of any %.40s", loop->machine->device_class);
  }
  return status;
}

/** The bounds are those of the cores that run the kernel, its data in memory or in the level that it was sized for. */
static const roof_target *bounds_of(const roof_loop *loop, const roof_loop_kernel *k) {
  const roof_target *in_memory = k->cores == ROOF_LOOP_ALONE ? &loop->alone : &loop->target;
  return k->shown ? in_memory : &loop->warm[k->cores];
}

static roof_status predict(roof_loop *loop, roof_loop_kernel *k, roof_error *error) {
  const roof_target *bounds = bounds_of(loop, k);
  roof_status status = roof_kernel_values(k->kernel, k->shape, k->values, error);
  if (status == ROOF_OK) {
    status = roof_kernel_predict(k->kernel, bounds, bounds, k->values, &k->prediction, NULL, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  roof_kernel_label(k->kernel, loop->options.dtype, k->values, k->label, sizeof k->label);
  if (k->cores == ROOF_LOOP_ALONE && !k->kernel->serial) {
    size_t used = strlen(k->label);
    snprintf(k->label + used, sizeof k->label - used, ", 1 core");
  }
  roof_target cores;
  status = calibrated(loop, k, k->prediction.work.kernel.kind, &cores, error);
  return status != ROOF_OK
             ? status
             : roof_kernel_predict(k->kernel, bounds, &cores, k->values, &k->prediction, NULL, error);
}

/** Of one core too the machine is the one that was measured. */
static roof_status add_sealing(roof_loop *loop, const roof_loop_kernel *k, const char *digest,
                               roof_sealings *list, roof_error *error) {
  const roof_op *op = NULL;
  roof_sealing s;
  roof_status status = roof_op_find(k->kernel->op, &op, error);
  if (status == ROOF_OK) {
    status = roof_sealing_of(bounds_of(loop, k), op, k->values, &k->prediction, &s, error);
  }
  if (status == ROOF_OK) {
    status = roof_sealing_name(&s, k->label, error);
    snprintf(s.machine_digest, sizeof s.machine_digest, "%s", digest);
  }
  return status == ROOF_OK ? roof_sealings_add(list, &s, error) : status;
}

/** Seals a prediction for every kernel that can run, before any is measured, into a ledger that holds. */
static roof_status seal_all(roof_loop *loop, roof_error *error) {
  roof_ledger_summary summary;
  roof_sealings list = {0};
  char digest[ROOF_DIGEST_MAX];
  roof_status status = roof_machine_digest(loop->machine, digest, error);
  for (int i = 0; i < loop->count && status == ROOF_OK; i++) {
    roof_loop_kernel *k = &loop->kernels[i];
    const char *why = k->kernel->disabled_reason != NULL ? k->kernel->disabled_reason() : NULL;
    if (why == NULL && !k->kernel->supports(loop->options.dtype)) {
      why = "not written for this number format";
    }
    snprintf(k->label, sizeof k->label, "%s %s %s", k->kernel->name, k->shape,
             roof_dtype_name(loop->options.dtype));
    snprintf(k->skipped, sizeof k->skipped, "%s", why != NULL ? why : "");
    status = predict(loop, k, error);
    if (status == ROOF_OK && why == NULL) {
      status = add_sealing(loop, k, digest, &list, error);
    }
  }
  if (status == ROOF_OK) {
    roof_ledger_options how = {.commit = loop->options.commit, .key = loop->options.key};
    status = roof_ledger_seal(loop->options.ledger, list.list, list.count, &how, error);
  }
  roof_sealings_done(&list);
  roof_time_write(roof_time_now(), loop->sealed_at);
  status = status == ROOF_OK ? roof_ledger_verify(loop->options.ledger, NULL, &summary, error) : status;
  if (status == ROOF_OK) {
    memcpy(loop->sealed_head, summary.head, sizeof loop->sealed_head);
  }
  return status;
}

static const roof_machine *machine_of(const roof_loop *loop, const roof_loop_kernel *k) {
  return k->cores == ROOF_LOOP_ALONE && !k->kernel->serial ? loop->one_core : loop->machine;
}

/** Runs a kernel once: *m is released by the caller on success. */
static roof_status time_kernel(const roof_loop *loop, const roof_loop_kernel *k, roof_measurement *m,
                               roof_error *error) {
  roof_measure_options silent = loop->options.how;
  silent.progress = NULL;
  silent.machine = loop->machine;
  silent.threads = k->cores == ROOF_LOOP_ALONE && !k->kernel->serial ? 1 : silent.threads;
  roof_measurement_init(m);
  double taken = roof_time_now();
  roof_status status =
      loop->options.backend->run(k->kernel, loop->options.dtype, k->values, &silent, m, error);
  if (status != ROOF_OK) {
    roof_measurement_done(m);
    return status;
  }
  m->taken = taken;
  m->taken_from = ROOF_TAKEN_PROCESS;
  const roof_prediction *p = &k->prediction;
  if (p->regime == ROOF_MEMORY_BOUND && p->binding != NULL && p->binding->level == ROOF_MEMORY) {
    m->memory_pace = roof_memory_pace(m, machine_of(loop, k));
    rf_memory_pace_note(m);
  } else {
    rf_run_sharing(m);
  }
  snprintf(m->label, sizeof m->label, "%s", k->label);
  snprintf(m->machine, sizeof m->machine, "%s", loop->machine->name);
  return ROOF_OK;
}

/** How far the median of a measurement may be off, as a share of it. */
static double noise_of(const roof_measurement *m) {
  return m->sample_count > 1 ? (m->stats.ci_high - m->stats.ci_low) / (2 * m->stats.median) : NAN;
}

bool roof_loop_is_noisy(const roof_loop_kernel *k) {
  static const double much = 0.1;
  return k->noise > much;
}

/** Under the ceilings that memory had while it was measured. */
static roof_status place(const roof_loop *loop, const roof_loop_kernel *k, double seconds, double noise,
                         double pace, roof_placed *placed, roof_error *error) {
  roof_target target = *bounds_of(loop, k);
  roof_machine *then = isnan(pace) ? NULL : roof_machine_copy(target.machine);
  roof_status status = ROOF_OK;
  if (then != NULL) {
    roof_machine_pace_memory(then, pace);
    roof_options options = target.options;
    status = roof_target_init(&target, then, &loop->target.types, &options, error);
  } else if (!isnan(pace)) {
    status = roof_error_set(error, ROOF_E_MEMORY, "loop: out of memory");
  }
  if (status == ROOF_OK) {
    roof_place_predicted(&target, &k->prediction, seconds, noise, placed);
  }
  roof_machine_free(then);
  return status;
}

static roof_status place_measured(const roof_loop *loop, const roof_loop_kernel *k, const roof_measurement *m,
                                  roof_placed *placed, roof_error *error) {
  return place(loop, k, m->seconds, noise_of(m), m->memory_pace, placed, error);
}

static bool too_good(const roof_placed *p) {
  return p->verdict != NULL &&
         (strcmp(p->verdict->name, "remeasure") == 0 || strcmp(p->verdict->name, "explain") == 0);
}

static double ceiling_spread(const roof_prediction *p) {
  bool compute = p->regime == ROOF_COMPUTE_BOUND && p->peak != NULL;
  bool memory = p->regime == ROOF_MEMORY_BOUND && p->binding != NULL;
  return compute ? p->peak->spread : memory ? p->binding->spread : NAN;
}

/** Says whether the second of two measurements confirms the first, and what that means over a measured ceiling. */
static bool is_confirmed(roof_loop_kernel *k, const roof_placed *first, const roof_placed *second) {
  double spread = ceiling_spread(&k->prediction);
  bool same = first->verdict == second->verdict;
  char ceiling[96] = "";
  if (same && second->state > ROOF_PLACE_POSSIBLE && !isnan(spread)) {
    rf_format(ceiling, sizeof ceiling,
              ": it outruns the loop that measured the ceiling, whose spread is %.1f %%", 100 * spread);
  }
  rf_format(k->again, sizeof k->again,
            same ? "measured again: %.1f %% of the ceiling, confirmed%s"
                 : "first came out at %.1f %% of the ceiling, which a second measurement did not confirm%s",
            100 * (same ? second->share : first->share), ceiling);
  return same;
}

/** Measures once more what came out too good; *m becomes the second measurement where the two disagree. */
static roof_status doubt(const roof_loop *loop, roof_loop_kernel *k, roof_measurement *m, roof_error *error) {
  roof_measurement again;
  roof_placed first, second;
  roof_status status = place_measured(loop, k, m, &first, error);
  if (status != ROOF_OK || !too_good(&first)) {
    return status;
  }
  status = time_kernel(loop, k, &again, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = place_measured(loop, k, &again, &second, error);
  if (status != ROOF_OK || is_confirmed(k, &first, &second)) {
    roof_measurement_done(&again);
  } else {
    roof_measurement_done(m);
    *m = again;
    size_t used = strlen(m->note);
    snprintf(m->note + used, sizeof m->note - used, "; %.120s", k->again);
  }
  return status;
}

/** "median of 20 samples, spread 0.3 %; 2 threads bound"; of one sample there is neither. */
static void describe(const roof_measurement *m, char *how, size_t size) {
  if (m->sample_count > 1) {
    rf_format(how, size, "median of %zu samples, spread %.1f %%; %s", m->sample_count, 100 * m->stats.spread,
              m->note);
  } else {
    rf_format(how, size, "1 sample; %s", m->note);
  }
}

/** Runs a kernel, doubts what is too good, and records it. */
static roof_status measure_kernel(roof_loop *loop, roof_loop_kernel *k, roof_error *error) {
  roof_measurement m;
  roof_status status = time_kernel(loop, k, &m, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = k->shown ? doubt(loop, k, &m, error) : ROOF_OK;
  if (status == ROOF_OK) {
    const roof_ledger_options how = {.commit = loop->options.commit, .key = loop->options.key};
    status = roof_ledger_record(loop->options.ledger, &m, 1, &how, error);
  }
  if (status == ROOF_OK) {
    k->measured_seconds = m.seconds;
    k->noise = noise_of(&m);
    k->disturbed = m.conditions.disturbed;
    k->memory_pace = m.memory_pace;
    describe(&m, k->how, sizeof k->how);
  }
  roof_measurement_done(&m);
  return status;
}

/** Runs every kernel; one that cannot run is skipped with its reason; a ledger that fails and memory that runs out end the
 * loop. */
static roof_status measure_all(roof_loop *loop, roof_error *error) {
  for (int i = 0; i < loop->count; i++) {
    roof_loop_kernel *k = &loop->kernels[i];
    roof_error why = {0};
    if (k->skipped[0] != '\0') {
      continue;
    }
    show(loop, k->kernel->name, i, loop->count);
    roof_status status = measure_kernel(loop, k, &why);
    if (status == ROOF_E_OUTPUT || status == ROOF_E_PARSE || status == ROOF_E_GATE ||
        status == ROOF_E_MEMORY) {
      return roof_error_set(error, status, "%s", why.message);
    }
    snprintf(k->skipped, sizeof k->skipped, "%s", why.message);
  }
  show(loop, "", loop->count, loop->count);
  return ROOF_OK;
}

static roof_status reconcile(roof_loop *loop, roof_error *error) {
  roof_reconcile all;
  roof_status status = roof_ledger_reconcile(loop->options.ledger, true, &all, error);
  if (status != ROOF_OK) {
    return status;
  }
  for (int i = 0; i < loop->count && status == ROOF_OK; i++) {
    roof_loop_kernel *k = &loop->kernels[i];
    for (size_t j = 0; j < all.count && k->skipped[0] == '\0' && status == ROOF_OK; j++) {
      if (strcmp(all.entries[j].label, k->label) == 0) {
        k->reconciled = all.entries[j];
        status = place(loop, k, k->measured_seconds, k->noise, k->memory_pace, &k->placed, error);
        loop->done += k->shown;
      }
    }
  }
  roof_reconcile_done(&all);
  return status;
}

roof_status roof_loop_run(roof_loop *loop, roof_error *error) {
  static roof_status (*const steps[])(roof_loop *, roof_error *) = {characterise, calibrate, seal_all,
                                                                    measure_all, reconcile};
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == ROOF_OK; i++) {
    status = steps[i](loop, error);
  }
  return status;
}
