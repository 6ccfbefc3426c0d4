/* Kernels rolled up by what they are part of. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/letters.h"
#include "documents/kernel_names.h"
#include "import/import.h"
#include "roofline/ops.h"
#include "roofline/timeline.h"

static const char *const names[ROOF_BY_COUNT + 1] = {
#define NAME(symbol, name, things, hint) name,
    ROOF_BY_MAP(NAME)
#undef NAME
};

const char *roof_by_name(roof_by by) {
  return (unsigned)by < ROOF_BY_COUNT ? names[by] : "?";
}

roof_status roof_by_parse(const char *name, roof_by *by, roof_error *error) {
  for (int i = 0; i < ROOF_BY_COUNT; i++) {
    if (strcmp(name, names[i]) == 0) {
      *by = (roof_by)i;
      return ROOF_OK;
    }
  }
  return roof_error_unknown(error, "dimension", name, names, NULL);
}

/* Classes */

/** What names hold, in any case; the first that is found says it: an attention has products in its name, a product's
 * epilogue an activation. */
static const struct {
  const char *part, *class;
} classes[] = {
    {"flash", "attention"},
    {"fmha", "attention"},
    {"attention", "attention"},
    {"attn", "attention"},
    {"paged_decode", "attention"},
    {"conv", "convolution"},
    {"winograd", "convolution"},
    {"wgrad", "convolution"},
    {"dgrad", "convolution"},
    {"fprop", "convolution"},
    {"im2col", "convolution"},
    {"layernorm", "norm"},
    {"layer_norm", "norm"},
    {"batchnorm", "norm"},
    {"batch_norm", "norm"},
    {"rmsnorm", "norm"},
    {"rms_norm", "norm"},
    {"groupnorm", "norm"},
    {"group_norm", "norm"},
    {"bn_fw", "norm"},
    {"bn_bw", "norm"},
    {"gammabeta", "norm"},
    {"splitkreduce", "GEMM"},
    {"gemm", "GEMM"},
    {"cutlass", "GEMM"},
    {"cijk_", "GEMM"},
    {"nvjet", "GEMM"},
    {"gemv", "GEMM"},
    {"matmul", "GEMM"},
    {"::mm", "GEMM"},
    {"addmm", "GEMM"},
    {"::bmm", "GEMM"},
    {"linear_kernel", "GEMM"},
    {"softmax", "reduction"},
    {"reduce", "reduction"},
    {"triton_red_", "reduction"},
    {"triton_per_", "reduction"},
    {"argmax", "reduction"},
    {"cumsum", "reduction"},
    {"scan", "reduction"},
    {"::sum", "reduction"},
    {"::mean", "reduction"},
    {"elementwise", "elementwise"},
    {"triton_poi_", "elementwise"},
    {"multi_tensor", "elementwise"},
    {"foreach", "elementwise"},
    {"dropout", "elementwise"},
    {"catarray", "elementwise"},
    {"silu", "elementwise"},
    {"gelu", "elementwise"},
    {"relu", "elementwise"},
    {"rotary", "elementwise"},
    {"act_and_mul", "elementwise"},
};

/** The operations of ours. */
static const struct {
  const char *op, *class;
} operations[] = {
    {"gemm", "GEMM"},
    {"linear", "GEMM"},
    {"gemv", "GEMM"},
    {"symm", "GEMM"},
    {"trmm", "GEMM"},
    {"syrk", "GEMM"},
    {"attention", "attention"},
    {"conv2d", "convolution"},
    {"layernorm", "norm"},
    {"rmsnorm", "norm"},
    {"batchnorm", "norm"},
    {"softmax", "reduction"},
    {"reduce", "reduction"},
    {"dot", "reduction"},
    {"nrm2", "reduction"},
    {"asum", "reduction"},
    {"scale", "elementwise"},
    {"add", "elementwise"},
    {"triad", "elementwise"},
    {"relu", "elementwise"},
    {"gelu", "elementwise"},
    {"silu", "elementwise"},
    {"dropout", "elementwise"},
    {"residual", "elementwise"},
    {"scal", "elementwise"},
    {"axpy", "elementwise"},
    {"copy", "copy"},
    {"allreduce", "communication"},
    {"allgather", "communication"},
    {"reducescatter", "communication"},
    {"alltoall", "communication"},
    {"broadcast", "communication"},
    {"sendrecv", "communication"},
};

static const char *class_in(const char *name) {
  for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
    if (rf_letters_find(name, classes[i].part) != NULL) {
      return classes[i].class;
    }
  }
  return "other";
}

const char *roof_record_class(const roof_record *record) {
  const roof_op *op = record->ran != NULL ? record->ran->op : roof_op_of_kernel(record->name);
  for (size_t i = 0; op != NULL && i < sizeof operations / sizeof operations[0]; i++) {
    if (strcmp(operations[i].op, op->name) == 0) {
      return operations[i].class;
    }
  }
  roof_activity activity = roof_activity_of(record->name);
  if (activity != ROOF_ACTIVITY_COMPUTE) {
    return roof_activity_name(activity);
  }
  roof_text plain = {0};
  rf_kernel_plain_name(&plain, record->name);
  const char *class = class_in(plain.data != NULL ? plain.data : record->name);
  roof_text_done(&plain);
  return class;
}

/* Sums */

static const char *label_of(const roof_ranked_record *row, roof_by by) {
  const roof_record *record = row->record;
  return by == ROOF_BY_CLASS    ? roof_record_class(record)
         : by == ROOF_BY_KERNEL ? record->name
         : record->part != NULL ? record->part
                                : "outside all";
}

static double plus(double sum, double value) {
  return isnan(value) ? sum : isnan(sum) ? value : sum + value;
}

/** Whether a row has more at stake: first by the time lost, then by the time of what could not be judged. */
static bool is_worse(const roof_ranked_record *row, const roof_ranked_record *than) {
  bool known = row->at.lost_seconds > 0, other = than->at.lost_seconds > 0;
  return known != other ? known
         : known        ? rf_ranked_lost(row) > rf_ranked_lost(than)
                        : rf_ranked_own(row) > rf_ranked_own(than);
}

static void add_row(roof_part *part, const roof_ranked_record *row) {
  const roof_placed *at = &row->at;
  part->kernels++;
  part->calls += row->record->calls;
  double own = rf_ranked_own(row);
  part->seconds += isnan(own) ? 0 : own;
  part->flops = plus(part->flops, at->flops);
  part->bytes = plus(part->bytes, at->bytes);
  if (!isnan(at->share)) {
    part->judged_seconds += own;
    part->ceiling_seconds = plus(part->ceiling_seconds, at->ceiling_seconds * (own / at->seconds));
    part->lost_seconds = plus(part->lost_seconds, fmax(rf_ranked_lost(row), 0));
  }
  if (part->worst == NULL || is_worse(row, part->worst)) {
    part->worst = row;
  }
}

/** Digits as numbers: "rank 2" is before "rank 10". */
static int by_numbers(const char *a, const char *b) {
  size_t same = 0;
  while (a[same] != '\0' && a[same] == b[same]) {
    same++;
  }
  while (same > 0 && isdigit((unsigned char)a[same - 1])) {
    same--;
  }
  size_t x = strspn(a + same, "0123456789"), y = strspn(b + same, "0123456789");
  return x != y && x > 0 && y > 0 ? (x < y ? -1 : 1) : strcmp(a + same, b + same);
}

static int by_time(const void *a, const void *b) {
  const roof_part *x = a, *y = b;
  return x->seconds != y->seconds ? (x->seconds > y->seconds ? -1 : 1) : strcmp(x->label, y->label);
}

static int by_label(const void *a, const void *b) {
  return by_numbers(((const roof_part *)a)->label, ((const roof_part *)b)->label);
}

/** A row with its label, for sorting equal ones together. */
typedef struct labelled {
  const char *label;
  const roof_ranked_record *row;
} labelled;

static int by_text(const void *a, const void *b) {
  return strcmp(((const labelled *)a)->label, ((const labelled *)b)->label);
}

static void add_rows(const roof_ranking *ranking, roof_by by, labelled *rows, roof_parts *parts) {
  for (size_t i = 0; i < ranking->count; i++) {
    rows[i] = (labelled){label_of(&ranking->rows[i], by), &ranking->rows[i]};
  }
  qsort(rows, ranking->count, sizeof *rows, by_text);
  for (size_t i = 0; i < ranking->count; i++) {
    if (i == 0 || strcmp(rows[i].label, rows[i - 1].label) != 0) {
      parts->list[parts->count++] = (roof_part){
          .label = rows[i].label, .flops = NAN, .bytes = NAN, .ceiling_seconds = NAN, .lost_seconds = NAN};
    }
    add_row(&parts->list[parts->count - 1], rows[i].row);
  }
}

roof_status roof_ranking_parts(const roof_ranking *ranking, roof_by by, roof_parts *parts,
                               roof_error *error) {
  bool numbered = by == ROOF_BY_STEP || by == ROOF_BY_RANK || by == ROOF_BY_DEVICE || by == ROOF_BY_STREAM;
  roof_parts made = {
      .by = by, .list = calloc(ranking->count + 1, sizeof *made.list), .seconds = ranking->seconds};
  labelled *rows = calloc(ranking->count + 1, sizeof *rows);
  if (made.list == NULL || rows == NULL) {
    free(made.list);
    free(rows);
    return roof_error_set(error, ROOF_E_MEMORY, "import: out of memory");
  }
  add_rows(ranking, by, rows, &made);
  for (size_t i = 0; i < made.count; i++) {
    roof_part *part = &made.list[i];
    part->time_share = part->seconds / made.seconds;
    part->share = part->ceiling_seconds / part->judged_seconds;
  }
  qsort(made.list, made.count, sizeof *made.list, numbered ? by_label : by_time);
  free(rows);
  *parts = made;
  return ROOF_OK;
}
