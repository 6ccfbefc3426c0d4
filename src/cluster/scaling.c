/* Scaling studies: the distributed kernels, what each rank has of a problem, and how long a step takes. */
#include "cluster/scaling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cluster/collectives.h"
#include "cluster/scaling_run.h"
#include "core/number.h"
#include "roofline/ops.h"
#include "roofline/shape.h"
#include "roofline/stats.h"

enum { M, N, K };    /* of gemm */
enum { NX, NY, NZ }; /* of stencil3d */

/* --- what is sent, and how long it takes --- */

/** The fastest algorithm of a collective, as for collectives by themselves. */
static double collective(const char *op, const roof_alpha_beta *fit, double ranks, double bytes) {
  double best = INFINITY;
  for (int i = 0; i < ROOF_COLLECTIVES && ranks > 1; i++) {
    const rf_collective *c = &rf_collectives[i];
    for (int k = 0; k < ROOF_CURVES && strcmp(c->op, op) == 0 && c->algorithms[k].name != NULL; k++) {
      best = fmin(best, c->algorithms[k].seconds(fit, ranks, bytes));
    }
  }
  return ranks > 1 ? best : 0;
}

/** A panel of A goes to the other columns, one of B to the other rows. */
static double gemm_sends(const rf_scaling_part *p) {
  double a = p->whole[M] * p->whole[K] * (p->columns - 1), b = p->whole[K] * p->whole[N] * (p->rows - 1);
  return (a + b) * sizeof(double);
}

static double gemm_communicates(const rf_scaling_part *p, const roof_alpha_beta *fit, double both_ways) {
  (void)both_ways;
  double a = p->local[M] * p->local[K] * sizeof(double), b = p->local[K] * p->local[N] * sizeof(double);
  return p->steps * (collective("broadcast", fit, p->columns, a) + collective("broadcast", fit, p->rows, b));
}

/** A plane of points with those next to it, which lie in one piece. */
static double plane_bytes(const rf_scaling_part *p) {
  return (p->local[NX] + 2) * (p->local[NY] + 2) * sizeof(double);
}

static double stencil_sends(const rf_scaling_part *p) {
  return 2 * (p->ranks - 1) * plane_bytes(p);
}

/** A rank in the middle has both neighbours' planes in flight at once. */
static double stencil_communicates(const rf_scaling_part *p, const roof_alpha_beta *fit, double both_ways) {
  int neighbours = p->ranks > 2 ? 2 : p->ranks - 1;
  return neighbours == 0 ? 0 : roof_message_seconds(fit, both_ways * neighbours * plane_bytes(p));
}

static double gradient_bytes(const rf_scaling_part *p) {
  return p->local[M] * p->local[N] * sizeof(float);
}

static double gradients_send(const rf_scaling_part *p) {
  return 2 * (p->ranks - 1) * gradient_bytes(p);
}

static double gradients_communicate(const rf_scaling_part *p, const roof_alpha_beta *fit, double both_ways) {
  (void)both_ways;
  return collective("allreduce", fit, p->ranks, gradient_bytes(p));
}

/* --- the table --- */

static const rf_scaling_kernel gemm = {
    .name = "gemm",
    .op = "gemm",
    .local = "gemm-blocked",
    .sizes = "m=2048 n=2048 k=2048",
    .summary = "C = A B by SUMMA: panels of A and B are broadcast along rows and columns of ranks",
    .dtype = ROOF_FP64,
    .has_grid = true,
    .stacked = M,
    .cuts = {{M, M, RF_CUT_ROWS, true}, {N, N, RF_CUT_COLUMNS, true}, {K, K, RF_CUT_STEPS, false}},
    .sends = gemm_sends,
    .communicates = gemm_communicates,
    .way = &rf_scaling_gemm};

static const rf_scaling_kernel stencil3d = {
    .name = "stencil3d",
    .op = "stencil3d",
    .local = "stencil3d",
    .sizes = "nx=256 ny=256 nz=256",
    .summary = "7 points, planes shared out along z; the planes between two ranks are exchanged",
    .dtype = ROOF_FP64,
    .stacked = NZ,
    .cuts = {{NX, NX, RF_CUT_NOT, false}, {NY, NY, RF_CUT_NOT, false}, {NZ, NZ, RF_CUT_RANKS, true}},
    .sends = stencil_sends,
    .communicates = stencil_communicates,
    .way = &rf_scaling_stencil};

static const rf_scaling_kernel gradients = {
    .name = "gradients",
    .op = "linear",
    .local = "gemm-blocked",
    .sizes = "batch=4096 in=1024 out=1024",
    .summary = "the weights' gradients of a layer, its batch shared out, summed by an all-reduce",
    .dtype = ROOF_FP32,
    .stacked = M,
    .cuts = {{0, K, RF_CUT_RANKS, true}, {1, M, RF_CUT_NOT, false}, {2, N, RF_CUT_NOT, false}},
    .sends = gradients_send,
    .communicates = gradients_communicate,
    .way = &rf_scaling_gradients};

const rf_scaling_kernel *const rf_scaling_kernels[] = {&gemm, &stencil3d, &gradients, NULL};

roof_status rf_scaling_find(const char *name, const rf_scaling_kernel **kernel, roof_error *error) {
  const char *names[sizeof rf_scaling_kernels / sizeof *rf_scaling_kernels] = {NULL};
  for (int i = 0; rf_scaling_kernels[i] != NULL; i++) {
    names[i] = rf_scaling_kernels[i]->name;
    if (strcmp(name, names[i]) == 0) {
      *kernel = rf_scaling_kernels[i];
      return ROOF_OK;
    }
  }
  return roof_error_unknown(error, "kernel that ranks share", name, names, NULL);
}

roof_status rf_scaling_problem(const rf_scaling_kernel *kernel, const char *const *words, int count,
                               double *values, roof_error *error) {
  const roof_op *op = NULL;
  roof_shape shape;
  roof_status status = roof_op_find(kernel->op, &op, error);
  status = status == ROOF_OK ? roof_shape_parse(&shape, op, words, count, kernel->sizes, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  status = shape.points == 1 ? roof_shape_point(&shape, 0, values, error)
                             : roof_error_set(error, ROOF_E_ARGUMENT,
                                              "%s: one size; the ranks are what is varied", kernel->name);
  roof_shape_done(&shape);
  return status;
}

int rf_scaling_counts(int most, int *ranks) {
  int count = 0;
  for (int at = 1; at < most && count < RF_SCALING_POINTS - 1; at *= 2) {
    ranks[count++] = at;
  }
  ranks[count++] = most;
  return count;
}

/* --- shares --- */

static int lowest_multiple(int a, int b) {
  int x = a, y = b;
  while (y != 0) {
    int rest = x % y;
    x = y, y = rest;
  }
  return a / x * b;
}

/** As square a grid as there is; as many steps as share the depth among rows and among columns. */
static void arrange(const rf_scaling_kernel *kernel, int ranks, rf_scaling_part *part) {
  part->ranks = ranks;
  part->rows = 1;
  for (int rows = 2; rows * rows <= ranks && kernel->has_grid; rows++) {
    part->rows = ranks % rows == 0 ? rows : part->rows;
  }
  part->columns = ranks / part->rows;
  part->steps = kernel->has_grid ? lowest_multiple(part->rows, part->columns) : 1;
}

static double parts_of(const rf_scaling_part *part, rf_scaling_by by) {
  const int parts[] = {[RF_CUT_NOT] = 1,
                       [RF_CUT_ROWS] = part->rows,
                       [RF_CUT_COLUMNS] = part->columns,
                       [RF_CUT_RANKS] = part->ranks,
                       [RF_CUT_STEPS] = part->steps};
  return parts[by];
}

static roof_status refuse(const rf_scaling_kernel *kernel, const char *name, double value, double parts,
                          int ranks, roof_error *error) {
  double below = floor(value / parts) * parts;
  char nearest[96];
  rf_format(nearest, sizeof nearest, below > 0 ? "%s=%.0f or %s=%.0f" : "%s=%.0f", name,
            below > 0 ? below : parts, name, below + parts);
  return roof_error_set(error, ROOF_E_ARGUMENT,
                        "%s: %s=%.0f is not shared evenly by %d ranks, which cut it into %.0f: %s",
                        kernel->name, name, value, ranks, parts, nearest);
}

/** The local kernel's parameters, those that are not cut at their defaults. */
static roof_status complete(const rf_scaling_kernel *kernel, rf_scaling_part *part, roof_error *error) {
  const roof_kernel *local = NULL;
  const roof_op *op = NULL;
  char text[128] = "";
  size_t used = 0;
  roof_status status = roof_kernel_find(kernel->local, &local, error);
  status = status == ROOF_OK ? roof_op_find(local->op, &op, error) : status;
  for (int i = 0; i < RF_SCALING_PARAMS && status == ROOF_OK; i++) {
    rf_format(text + used, sizeof text - used, "%s=%.0f ", op->params[i].name, part->local[i]);
    used = strlen(text);
  }
  status = status == ROOF_OK ? roof_kernel_values(local, text, part->local, error) : status;
  if (status == ROOF_OK) {
    roof_types types = roof_kernel_types(local, kernel->dtype);
    roof_work work;
    roof_work_init(&work);
    op->work(op, part->local, &types, &work);
    part->flops = work.flops * part->steps * part->ranks;
  }
  return status;
}

roof_status rf_scaling_share(const rf_scaling_kernel *kernel, const double *values, int ranks, bool weak,
                             rf_scaling_part *part, roof_error *error) {
  rf_scaling_part made = {0};
  const roof_op *op = NULL;
  roof_status status = roof_op_find(kernel->op, &op, error);
  memcpy(made.whole, values, sizeof made.whole);
  arrange(kernel, ranks, &made);
  for (int i = 0; i < RF_SCALING_PARAMS && status == ROOF_OK; i++) {
    const rf_scaling_cut *cut = &kernel->cuts[i];
    double parts = parts_of(&made, cut->by), *whole = &made.whole[cut->whole];
    *whole *= weak && cut->grows ? parts : 1;
    if (fmod(*whole, parts) != 0) {
      status = refuse(kernel, op->params[cut->whole].name, *whole, parts, ranks, error);
    }
    made.local[cut->local] = *whole / parts;
  }
  status = status == ROOF_OK ? complete(kernel, &made, error) : status;
  if (status == ROOF_OK) {
    made.sent_bytes = kernel->sends(&made);
    *part = made;
  }
  return status;
}

/* --- predictions --- */

/** Of the cores that the ranks of the fullest node have, and all their parts as one problem. */
static roof_status predict_compute(const rf_scaling_kernel *kernel, const roof_machine *machine,
                                   rf_scaling_point *point, roof_prediction *p, roof_error *error) {
  const roof_kernel *local = NULL;
  const rf_scaling_place *at = &point->place;
  double values[ROOF_PARAM_MAX];
  roof_options options = roof_options_default();
  roof_target target;
  roof_machine *cores = roof_machine_copy(machine);
  roof_status status = cores != NULL ? roof_kernel_find(kernel->local, &local, error)
                                     : roof_error_set(error, ROOF_E_MEMORY, "scaling: out of memory");
  options.achieved = options.warm = true;
  if (status == ROOF_OK) {
    roof_types types = roof_kernel_types(local, kernel->dtype);
    roof_machine_for_cores(cores, at->most < at->cores ? at->most : at->cores);
    status = roof_target_init(&target, cores, &types, &options, error);
  }
  memcpy(values, point->part.local, sizeof values);
  values[kernel->stacked] *= at->most;
  status = status == ROOF_OK ? roof_kernel_predict(local, &target, &target, values, p, NULL, error) : status;
  if (status == ROOF_OK) { /* it points into the machine */
    roof_prediction_binding(p, point->predicted.binding, sizeof point->predicted.binding);
  }
  roof_machine_free(cores);
  return status;
}

roof_status rf_scaling_predict(const rf_scaling_kernel *kernel, const roof_machine *machine,
                               rf_scaling_point *point, roof_error *error) {
  const rf_scaling_part *part = &point->part;
  roof_prediction p;
  roof_status status = predict_compute(kernel, machine, point, &p, error);
  if (status != ROOF_OK) {
    return status;
  }
  double both_ways = point->place.distance <= ROOF_DISTANCE_NODE ? 2 : 1; /* a core copies both */
  double network = part->ranks > 1 ? fmax(kernel->communicates(part, point->place.fit, both_ways), 0) : 0;
  double compute = part->steps * p.expected_seconds;
  point->predicted.compute_seconds = compute;
  point->predicted.network_seconds = network;
  point->predicted.seconds = compute + network;
  point->predicted.low = part->steps * p.expected_low_seconds + network;
  point->predicted.high = part->steps * p.expected_high_seconds + network;
  point->predicted.lower_seconds = fmax(part->steps * p.lower_seconds, network);
  point->predicted.regime = network > compute ? ROOF_NETWORK_BOUND : p.regime;
  if (network > compute) {
    snprintf(point->predicted.binding, sizeof point->predicted.binding, "network");
  }
  point->measured.seconds = point->measured.low = point->measured.high = NAN;
  point->measured.network_seconds = NAN;
  return isfinite(point->predicted.seconds)
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_UNSUPPORTED,
                              "%s: %s has no ceiling for its work in %s, or the network could not be fitted",
                              kernel->name, machine->name, roof_dtype_name(kernel->dtype));
}

double rf_scaling_speedup(const rf_scaling_point *first, double first_seconds, const rf_scaling_point *point,
                          double seconds) {
  return point->part.flops / first->part.flops * first_seconds / seconds;
}

double rf_scaling_network_share(const double *seconds, const double *network, int count) {
  double shares[RF_SCALING_STEPS];
  roof_stats stats;
  for (int i = 0; i < count; i++) {
    shares[i] = network[i] / seconds[i];
  }
  return roof_stats_of(shares, (size_t)count, &stats, NULL) == ROOF_OK ? stats.median : NAN;
}
