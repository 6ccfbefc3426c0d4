/* The rungs of an operation's ladder: which there are, in which order, on which shape, and how each is run. */
#include "roofline/ladder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/run.h"
#include "roofline/ops.h"
#include "roofline/shape.h"
#include "roofline/time.h"

/** Libraries come after the last rung. */
enum { AFTER_RUNGS = 1000 };

static int compare_rungs(const void *a, const void *b) {
  const roof_rung *left = a, *right = b;
  int first = left->kernel->rung > 0 ? left->kernel->rung : AFTER_RUNGS;
  int second = right->kernel->rung > 0 ? right->kernel->rung : AFTER_RUNGS;
  return first != second ? first - second : right->alone - left->alone;
}

static void add_rung(roof_ladder *l, const roof_kernel *kernel, bool alone) {
  roof_rung *r = &l->rungs[l->count++];
  *r = (roof_rung){.kernel = kernel, .alone = alone, .in_turns = NAN, .share_of_library = NAN, .step = NAN};
  roof_measurement_init(&r->measurement);
}

static bool runs(const roof_ladder *l, const roof_kernel *kernel) {
  return kernel->supports(l->dtype) && roof_kernel_runs_on(kernel, l->backend->name);
}

/** Names the operations that have a ladder there, by their first rungs. */
static roof_status refuse(const roof_ladder *l, roof_error *error) {
  char names[160] = "";
  size_t used = 0;
  for (int i = 0; i < roof_kernel_count() && used < sizeof names; i++) {
    const roof_kernel *kernel = roof_kernel_at(i);
    if (kernel->rung == 1 && runs(l, kernel)) {
      used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", kernel->op);
    }
  }
  return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: no ladder in %s on %s; there is one of: %s",
                        l->op->name, roof_dtype_name(l->dtype), l->backend->name, used > 0 ? names : "none");
}

/** Every rung of the operation, and every library, those of processors on one core and on all. */
static roof_status collect(roof_ladder *l, bool one_core, roof_error *error) {
  int rungs = 0;
  l->rungs = calloc(2 * (size_t)roof_kernel_count(), sizeof *l->rungs);
  if (l->rungs == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "ladder: out of memory");
  }
  for (int i = 0; i < roof_kernel_count(); i++) {
    const roof_kernel *kernel = roof_kernel_at(i);
    bool library = kernel->library != NULL;
    if (strcmp(kernel->op, l->op->name) == 0 && runs(l, kernel) && (kernel->rung > 0 || library)) {
      add_rung(l, kernel, kernel->serial || one_core);
      if (library && kernel->backends == NULL && !one_core && !kernel->serial) {
        add_rung(l, kernel, true);
      }
      rungs += kernel->rung > 0;
    }
  }
  qsort(l->rungs, (size_t)l->count, sizeof *l->rungs, compare_rungs);
  return rungs > 0 ? ROOF_OK : refuse(l, error);
}

/** The ladder's values, but the choices (an algorithm) that are the kernel's own and were not typed. */
static roof_status choose_values(const roof_ladder *l, unsigned typed, roof_rung *r, roof_error *error) {
  roof_status status = roof_kernel_values(r->kernel, r->kernel->sizes, r->values, error);
  for (int i = 0; i < roof_op_param_count(l->op) && status == ROOF_OK; i++) {
    if (l->op->params[i].kind != ROOF_PARAM_CHOICE || typed & 1u << i) {
      r->values[i] = l->values[i];
    }
  }
  return status;
}

/** What was typed over the first rung's default shape. */
static roof_status choose_shape(roof_ladder *l, const char *const *words, int count, bool quick,
                                roof_error *error) {
  const char *sizes = roof_backend_sizes(l->backend, l->rungs[0].kernel, quick);
  roof_shape shape;
  roof_status status = roof_shape_parse(&shape, l->op, words, count, sizes, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = shape.points == 1
               ? roof_shape_point(&shape, 0, l->values, error)
               : roof_error_set(error, ROOF_E_ARGUMENT, "--ladder: one size, every rung does the same");
  for (int i = 0; i < l->count && status == ROOF_OK; i++) {
    status = choose_values(l, shape.typed, &l->rungs[i], error);
  }
  roof_shape_done(&shape);
  return status;
}

roof_status roof_ladder_find(roof_ladder *ladder, const roof_backend *backend, const roof_op *op,
                             roof_dtype dtype, const roof_measure_options *options, const char *const *words,
                             int count, roof_error *error) {
  *ladder = (roof_ladder){.backend = backend, .op = op, .dtype = dtype};
  roof_status status = collect(ladder, options->threads == 1, error);
  return status == ROOF_OK ? choose_shape(ladder, words, count, options->quick, error) : status;
}

static roof_status predict(roof_ladder *l, roof_rung *r, roof_error *error) {
  const roof_kernel *k = r->kernel;
  const char *why = k->disabled_reason != NULL ? k->disabled_reason() : NULL;
  roof_kernel_label(k, l->dtype, r->values, r->label, sizeof r->label);
  if (k->library != NULL && r->alone) {
    size_t length = strlen(r->label);
    snprintf(r->label + length, sizeof r->label - length, " on 1 core");
  }
  snprintf(r->skipped, sizeof r->skipped, "%s", why != NULL ? why : "");
  const roof_target *target = &l->targets[r->alone];
  return roof_kernel_predict(k, target, target, r->values, &r->prediction, &r->moved, error);
}

static double bytes_from(const roof_prediction *p, const roof_level *level) {
  for (int i = 0; i < p->level_count && level != NULL; i++) {
    if (p->levels[i].level->level == level->level) {
      return p->levels[i].bytes;
    }
  }
  return NAN;
}

/** How many times as much the rung that moves the most from a level moves as the one that moves the least. */
static double range_of(const roof_ladder *l, const roof_level *level) {
  double most = 0, least = INFINITY;
  for (int i = 0; i < l->count; i++) {
    double bytes = bytes_from(&l->rungs[i].moved, level);
    most = fmax(most, bytes);
    least = fmin(least, bytes);
  }
  return least > 0 ? most / least : 1;
}

/** The level by whose bytes the rungs differ most, the outermost if by none, and what each moves from it. */
static void compare_moves(roof_ladder *l) {
  const roof_prediction *first = &l->rungs[0].moved;
  int outermost = first->level_count - 1;
  l->moved = outermost >= 0 ? first->levels[outermost].level : NULL;
  for (int k = outermost - 1; k >= 0; k--) {
    const roof_level *level = first->levels[k].level;
    l->moved = range_of(l, level) > range_of(l, l->moved) ? level : l->moved;
  }
  for (int i = 0; i < l->count; i++) {
    roof_rung *r = &l->rungs[i];
    r->moved_bytes = bytes_from(&r->moved, l->moved);
    r->moved_intensity = r->moved_bytes > 0 ? r->moved.work.flops / r->moved_bytes : NAN;
  }
}

roof_status roof_ladder_predict(roof_ladder *ladder, const roof_machine *machine, int threads,
                                roof_error *error) {
  roof_types types = roof_types_of(ladder->dtype);
  roof_options o = roof_options_default();
  roof_status status = ROOF_OK;
  o.achieved = true;
  for (int alone = 0; alone < 2 && status == ROOF_OK; alone++) {
    int cores = alone ? 1 : threads;
    ladder->machines[alone] = roof_machine_copy(machine);
    if (ladder->machines[alone] == NULL) {
      return roof_error_set(error, ROOF_E_MEMORY, "ladder: out of memory");
    }
    if (cores > 0) {
      roof_machine_for_cores(ladder->machines[alone], cores);
    }
    status = roof_target_init(&ladder->targets[alone], ladder->machines[alone], &types, &o, error);
  }
  for (int i = 0; i < ladder->count && status == ROOF_OK; i++) {
    status = predict(ladder, &ladder->rungs[i], error);
  }
  if (status == ROOF_OK) {
    compare_moves(ladder);
  }
  return status;
}

/** The library that can take turns with a rung here, or NULL. */
static const roof_kernel *partner_of(const roof_ladder *l, const roof_rung *r) {
  const roof_kernel *partner = NULL;
  for (int i = 0; i < l->count && l->backend->run_in_turns != NULL && r->kernel->library == NULL; i++) {
    const roof_rung *other = &l->rungs[i];
    bool fits = other->kernel->library != NULL && other->alone == r->alone && other->skipped[0] == '\0';
    partner = fits ? other->kernel : partner;
  }
  return partner;
}

/** In turns with a library where that goes, else alone. */
static roof_status run(const roof_ladder *l, roof_rung *r, const roof_measure_options *how,
                       roof_error *error) {
  const roof_kernel *const both[] = {r->kernel, partner_of(l, r)};
  roof_measurement two[2];
  if (both[1] == NULL || l->backend->run_in_turns(both, l->dtype, r->values, how, two, NULL) != ROOF_OK) {
    return l->backend->run(r->kernel, l->dtype, r->values, how, &r->measurement, error);
  }
  r->in_turns = roof_share_in_turns(&two[0], &two[1]);
  roof_measurement_done(&two[1]);
  r->measurement = two[0];
  return ROOF_OK;
}

static double share_of_library(const roof_ladder *ladder, const roof_rung *r) {
  double best = NAN;
  for (int i = 0; i < ladder->count; i++) {
    const roof_rung *other = &ladder->rungs[i];
    if (other->kernel->library != NULL && other->alone == r->alone && other->skipped[0] == '\0') {
      best = fmin(best, other->measurement.seconds);
    }
  }
  return isfinite(r->in_turns) ? r->in_turns : best / r->measurement.seconds;
}

/** Each rung with the one before and the libraries, as far as they are measured. */
static void compare(roof_ladder *ladder) {
  for (int i = 0; i < ladder->count; i++) {
    roof_rung *r = &ladder->rungs[i];
    r->share_of_library = share_of_library(ladder, r);
    r->step = i > 0 && r->kernel->rung > 0 ? r[-1].measurement.seconds / r->measurement.seconds : NAN;
  }
}

/** Under the ceilings of its cores; where memory binds, with memory as fast as it was meanwhile if that is another mode than
 * the ceiling's. */
static void place(const roof_ladder *l, roof_rung *r) {
  const roof_prediction *p = &r->prediction;
  const roof_target *target = &l->targets[r->alone];
  roof_measurement *m = &r->measurement;
  bool binds = p->regime == ROOF_MEMORY_BOUND && p->binding != NULL && p->binding->level == ROOF_MEMORY;
  double pace = binds ? roof_memory_pace(m, l->machines[r->alone]) : NAN;
  roof_machine *then = isnan(pace) ? NULL : roof_machine_copy(l->machines[r->alone]);
  roof_target paced;
  if (then != NULL) {
    roof_machine_pace_memory(then, pace);
    if (roof_target_init(&paced, then, &target->types, &target->options, NULL) == ROOF_OK) {
      target = &paced;
      m->memory_pace = pace;
      rf_memory_pace_note(m);
    }
  }
  roof_place_predicted(target, p, m->seconds, m->stats.spread, &r->at);
  r->at.cores = r->alone ? 1 : r->at.cores;
  roof_machine_free(then);
}

roof_status roof_ladder_measure(roof_ladder *ladder, int rung, const roof_measure_options *options,
                                roof_error *error) {
  roof_rung *r = &ladder->rungs[rung];
  roof_measure_options how = *options;
  roof_error why = {0};
  how.threads = r->alone ? 1 : how.threads;
  how.machine = ladder->machines[r->alone];
  double taken = roof_time_now();
  roof_status status = run(ladder, r, &how, &why);
  if (status == ROOF_E_UNSUPPORTED && r->kernel->library != NULL) {
    snprintf(r->skipped, sizeof r->skipped, "%s", why.message);
    return ROOF_OK;
  }
  if (status != ROOF_OK) {
    return roof_error_set(error, status, "%s", why.message);
  }
  roof_measurement *m = &r->measurement;
  m->taken = taken;
  m->taken_from = ROOF_TAKEN_PROCESS;
  memcpy(m->label, r->label, sizeof m->label);
  snprintf(m->machine, sizeof m->machine, "%s", ladder->machines[0]->name);
  place(ladder, r);
  compare(ladder);
  return ROOF_OK;
}

char *roof_ladder_mode(const roof_ladder *ladder, char *buffer, size_t size) {
  rf_paces paces = RF_NO_PACES;
  for (int i = 0; i < ladder->count; i++) {
    rf_paces_add(&paces, ladder->rungs[i].measurement.memory_pace);
  }
  return rf_paces_say(&paces, "row", buffer, size);
}

void roof_ladder_done(roof_ladder *ladder) {
  for (int i = 0; i < ladder->count; i++) {
    roof_measurement_done(&ladder->rungs[i].measurement);
  }
  free(ladder->rungs);
  roof_machine_free(ladder->machines[0]);
  roof_machine_free(ladder->machines[1]);
  *ladder = (roof_ladder){0};
}
