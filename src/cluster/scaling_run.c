/* The distributed kernels: each rank runs a built-in kernel on its part, one thread a rank, and MPI carries what others need. */
#include "cluster/scaling_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/clock.h"

enum { M, N, K, SAMPLES = 64 };
enum { OF_A = 11, OF_B, OF_X }; /* seeds of the numbers */

static rf_operands *operands(const rf_scaling_run *run) {
  return run->local.state;
}

static size_t size_of(double value) {
  return (size_t)value;
}

static size_t bytes_of(const rf_scaling_run *run, double elements) {
  return size_of(elements * roof_dtype_bytes(run->local.dtype));
}

static roof_status allocate(rf_scaling_run *run, int which, double elements, roof_error *error) {
  return rf_data_new(run->kernel->name, (double)bytes_of(run, elements), &run->own[which], error);
}

/** A block of a matrix that is `width` wide as a whole, from its row and column on. */
static void fill_block(const rf_scaling_run *run, void *to, uint64_t seed, size_t width, size_t first_row,
                       size_t first_column, size_t rows, size_t columns) {
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < columns; j++) {
      double value = rf_random_at(seed, (first_row + i) * width + first_column + j);
      rf_data_set(to, run->local.dtype, i * columns + j, value);
    }
  }
}

/** That number as it is stored. */
static double number(const rf_scaling_run *run, uint64_t seed, size_t index) {
  double value = rf_random_at(seed, index);
  return run->local.dtype == ROOF_FP32 ? (float)value : value;
}

static roof_status wrong(const rf_scaling_run *run, size_t element, double value, double expected,
                         roof_error *error) {
  return roof_error_set(error, ROOF_E_INTERNAL,
                        "%s on %d ranks: rank %d: element %zu is %.17g, a serial program gives %.17g",
                        run->kernel->name, run->part.ranks, run->rank, element, value, expected);
}

/** What an element of the result must be, within *tolerance. */
typedef double reference(const rf_scaling_run *run, size_t element, double *tolerance);

/** All elements are numbers, and those that are sampled the right ones. */
static roof_status compare(const rf_scaling_run *run, const void *result, size_t count, reference *of,
                           roof_error *error) {
  size_t every = count > SAMPLES ? count / SAMPLES : 1;
  for (size_t i = 0; i < count; i++) {
    double value = rf_data_at(result, run->local.dtype, i), tolerance = INFINITY;
    double expected = i % every == 0 || i + 1 == count ? of(run, i, &tolerance) : 0;
    if (isnan(value) || fabs(value - expected) > tolerance) {
      return wrong(run, i, value, expected, error);
    }
  }
  return ROOF_OK;
}

/* --- gemm: C stays, panels of A and B come from the ranks of the row and the column in turns --- */

static size_t row_of(const rf_scaling_run *run) {
  return (size_t)(run->rank / run->part.columns);
}

static size_t column_of(const rf_scaling_run *run) {
  return (size_t)(run->rank % run->part.columns);
}

static roof_status gemm_fill(rf_scaling_run *run, roof_error *error) {
  const rf_scaling_part *p = &run->part;
  const double *v = p->local;
  size_t m = size_of(v[M]), n = size_of(v[N]), wide = size_of(v[K]), depth = wide * (size_t)p->steps;
  size_t panels_a = (size_t)(p->steps / p->columns), panels_b = (size_t)(p->steps / p->rows);
  roof_status status = allocate(run, 0, v[M] * v[K] * (double)panels_a, error);
  status = status == ROOF_OK ? allocate(run, 1, v[K] * v[N] * (double)panels_b, error) : status;
  for (size_t i = 0; i < panels_a && status == ROOF_OK; i++) {
    size_t first = (column_of(run) * panels_a + i) * wide;
    fill_block(run, rf_element(&run->local, run->own[0], i * m * wide), OF_A, depth, row_of(run) * m, first,
               m, wide);
  }
  for (size_t i = 0; i < panels_b && status == ROOF_OK; i++) {
    size_t first = (row_of(run) * panels_b + i) * wide;
    fill_block(run, rf_element(&run->local, run->own[1], i * wide * n), OF_B, size_of(p->whole[N]), first,
               column_of(run) * n, wide, n);
  }
  return status;
}

static roof_status gemm_prepare(rf_scaling_run *run, roof_error *error) {
  run->row_group = run->mpi->split(run->group, (int)row_of(run));
  run->column_group = run->mpi->split(run->group, (int)column_of(run));
  return run->row_group < 0 || run->column_group < 0
             ? roof_error_set(error, ROOF_E_UNSUPPORTED, "gemm: the MPI refused: %s", run->mpi->reason())
             : gemm_fill(run, error);
}

/** A panel, of those that the `among` ranks of a group have in turns, reaches all of them. */
static bool spread(rf_scaling_run *run, int group, int among, int step, const void *own, void *panel,
                   double elements) {
  int each = run->part.steps / among, owner = step / each;
  size_t bytes = bytes_of(run, elements);
  if (run->mpi->rank(group) == owner) {
    memcpy(panel, (const char *)own + (size_t)(step % each) * bytes, bytes);
  }
  return among == 1 || run->mpi->broadcast(group, owner, panel, bytes);
}

static bool gemm_step(rf_scaling_run *run) {
  const double *v = run->part.local;
  rf_operands *o = operands(run);
  bool done = true;
  for (int step = 0; step < run->part.steps && done; step++) {
    double begin = rf_clock_seconds();
    done = spread(run, run->row_group, run->part.columns, step, run->own[0], o->in[0], v[M] * v[K]) &&
           spread(run, run->column_group, run->part.rows, step, run->own[1], o->in[1], v[K] * v[N]);
    run->network_seconds += rf_clock_seconds() - begin;
    o->add = step > 0;
    run->local.kernel->execute(&run->local);
  }
  return done;
}

/** All |a|, |b| <= 1: a sum of K products is off by less than K epsilon. */
static double gemm_reference(const rf_scaling_run *run, size_t element, double *tolerance) {
  const double *w = run->part.whole;
  size_t n = size_of(run->part.local[N]), depth = size_of(w[K]), wide = size_of(w[N]);
  size_t i = row_of(run) * size_of(run->part.local[M]) + element / n, j = column_of(run) * n + element % n;
  double sum = 0;
  for (size_t k = 0; k < depth; k++) {
    sum += number(run, OF_A, i * depth + k) * number(run, OF_B, k * wide + j);
  }
  *tolerance = (w[K] + 1) * rf_kernel_epsilon(run->local.dtype);
  return sum;
}

static roof_status gemm_verify(rf_scaling_run *run, roof_error *error) {
  const double *v = run->part.local;
  return compare(run, operands(run)->out, size_of(v[M] * v[N]), gemm_reference, error);
}

const rf_scaling_way rf_scaling_gemm = {gemm_prepare, gemm_step, gemm_verify};

/* --- stencil: planes along z, the outermost two of each rank are those of its neighbours --- */

static size_t plane(const rf_scaling_run *run) {
  return size_of((run->part.local[0] + 2) * (run->part.local[1] + 2));
}

static void *plane_at(const rf_scaling_run *run, size_t z) {
  return rf_element(&run->local, operands(run)->in[0], z * plane(run));
}

/** Planes that a neighbour sends begin poisoned. */
static roof_status stencil_fill(rf_scaling_run *run, roof_error *error) {
  size_t planes = size_of(run->part.local[2]) + 2, first = (size_t)run->rank * (planes - 2);
  (void)error;
  for (size_t z = 0; z < planes; z++) {
    bool comes = (z == 0 && run->rank > 0) || (z + 1 == planes && run->rank + 1 < run->part.ranks);
    if (comes) {
      rf_data_poison(plane_at(run, z), run->local.dtype, plane(run), 1);
    } else {
      fill_block(run, plane_at(run, z), OF_X, plane(run), first + z, 0, 1, plane(run));
    }
  }
  return ROOF_OK;
}

/** Sends the plane `inner` to a neighbour and receives `outer` from it. */
static bool exchange(const rf_scaling_run *run, int neighbour, size_t inner, size_t outer,
                     rf_mpi_request *requests) {
  enum { TAG = 1 };
  size_t bytes = plane(run) * sizeof(double);
  return run->mpi->start_receive(run->group, neighbour, TAG, plane_at(run, outer), bytes, &requests[0]) &&
         run->mpi->start_send(run->group, neighbour, TAG, plane_at(run, inner), bytes, &requests[1]);
}

static bool stencil_step(rf_scaling_run *run) {
  size_t planes = size_of(run->part.local[2]), count = 0;
  rf_mpi_request requests[4];
  double begin = rf_clock_seconds();
  bool done = true;
  if (run->rank > 0) {
    done = exchange(run, run->rank - 1, 1, 0, requests);
    count += 2;
  }
  if (run->rank + 1 < run->part.ranks && done) {
    done = exchange(run, run->rank + 1, planes, planes + 1, requests + count);
    count += 2;
  }
  done = done && run->mpi->wait(requests, count);
  run->network_seconds += rf_clock_seconds() - begin;
  run->local.kernel->execute(&run->local);
  return done;
}

static double stencil_reference(const rf_scaling_run *run, size_t element, double *tolerance) {
  size_t first = (size_t)run->rank * size_of(run->part.local[2]);
  *tolerance = 0;
  return number(run, OF_X, first * plane(run) + element);
}

/** The input is the whole problem's, the planes of the neighbours too, and each point of the output is right for that input. */
static roof_status stencil_verify(rf_scaling_run *run, roof_error *error) {
  size_t last = size_of(run->part.local[2]) + 1;
  for (size_t i = 0; i < 2 * plane(run); i++) {
    size_t element = i < plane(run) ? i : last * plane(run) + i - plane(run);
    double tolerance, expected = stencil_reference(run, element, &tolerance);
    double value = rf_data_at(operands(run)->in[0], run->local.dtype, element);
    if (value != expected) {
      return wrong(run, element, value, expected, error);
    }
  }
  return run->local.kernel->check(&run->local, error);
}

const rf_scaling_way rf_scaling_stencil = {stencil_fill, stencil_step, stencil_verify};

/* --- gradients: X^T E of this rank's part of the batch, then the sum over all ranks --- */

static roof_status gradients_fill(rf_scaling_run *run, roof_error *error) {
  const double *v = run->part.local;
  size_t in = size_of(v[M]), out = size_of(v[N]), batch = size_of(v[K]), first = (size_t)run->rank * batch;
  roof_status status = allocate(run, 0, v[M] * v[N], error);
  if (status == ROOF_OK) {
    rf_data_poison(run->own[0], run->local.dtype, in * out, 1);
    fill_block(run, operands(run)->in[0], OF_A, batch * (size_t)run->part.ranks, 0, first, in, batch);
    fill_block(run, operands(run)->in[1], OF_B, out, first, 0, batch, out);
  }
  return status;
}

static bool gradients_step(rf_scaling_run *run) {
  size_t count = size_of(run->part.local[M] * run->part.local[N]);
  run->local.kernel->execute(&run->local);
  double begin = rf_clock_seconds();
  bool done = run->mpi->all_reduce(run->group, operands(run)->out, run->own[0], count);
  run->network_seconds += rf_clock_seconds() - begin;
  return done;
}

static double gradients_reference(const rf_scaling_run *run, size_t element, double *tolerance) {
  size_t out = size_of(run->part.local[N]), batch = size_of(run->part.whole[0]);
  double sum = 0;
  for (size_t k = 0; k < batch; k++) {
    sum += number(run, OF_A, element / out * batch + k) * number(run, OF_B, k * out + element % out);
  }
  *tolerance = ((double)batch + 1) * rf_kernel_epsilon(run->local.dtype);
  return sum;
}

static roof_status gradients_verify(rf_scaling_run *run, roof_error *error) {
  return compare(run, run->own[0], size_of(run->part.local[M] * run->part.local[N]), gradients_reference,
                 error);
}

const rf_scaling_way rf_scaling_gradients = {gradients_fill, gradients_step, gradients_verify};

/* --- all of them --- */

roof_status rf_scaling_prepare(rf_scaling_run *run, roof_error *error) {
  const roof_kernel *local = NULL;
  roof_status status = roof_kernel_find(run->kernel->local, &local, error);
  if (status != ROOF_OK) {
    return status;
  }
  run->local = (roof_kernel_run){.kernel = local, .dtype = run->kernel->dtype, .threads = 1};
  memcpy(run->local.values, run->part.local, sizeof run->local.values);
  status = local->prepare(&run->local, error);
  return status == ROOF_OK ? run->kernel->way->prepare(run, error) : status;
}

void rf_scaling_release(rf_scaling_run *run) {
  if (run->local.kernel != NULL) {
    run->local.kernel->release(&run->local);
  }
  free(run->own[0]);
  free(run->own[1]);
  run->own[0] = run->own[1] = NULL;
}
