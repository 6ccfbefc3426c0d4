/* Sums, softmax and rmsnorm on accelerators: some work-items per row, their number a power of two. */
#include "kernels/device/_traffic.h"

enum { ITEMS = 256, AHEAD = 4, GROUPS = 4096, GROUP = 128, MOST_ITEMS = 1024, AT_ONCE = 4 };

/** Bytes of what is computed with. */
static double sum_bytes(const roof_kernel_run *run) {
  return run->dtype == ROOF_FP64 ? 8 : 4;
}

static double parts_scratch(const roof_kernel_run *run) {
  return GROUPS * sum_bytes(run);
}

static double rows_scratch(const roof_kernel_run *run) {
  return 2 * run->values[0] * sum_bytes(run);
}

static int plan_reduce(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  double n = run->values[0], packs = n * roof_dtype_bytes(run->dtype) / 16;
  double groups = fmin(GROUPS, rf_device_tiles(fmax(1, packs), AHEAD * ITEMS));
  launches[0] = rf_device_launch_of("rows_reduce", groups, 1, ITEMS, 1);
  rf_device_add_buffer(&launches[0], o->in[0]);
  rf_device_add_buffer(&launches[0], o->scratch);
  rf_device_add_index(&launches[0], n);
  launches[1] = rf_device_launch_of("rows_reduce_parts", 1, 1, ITEMS, 1);
  rf_device_add_buffer(&launches[1], o->scratch);
  rf_device_add_buffer(&launches[1], o->out);
  rf_device_add_int(&launches[1], groups);
  return 2;
}

/** Whether every row begins at a multiple of 16 bytes. */
static bool by_packs(const roof_kernel_run *run) {
  return fmod(run->values[1] * roof_dtype_bytes(run->dtype), 16) == 0;
}

/** Elements that a work-item keeps of a row that stays in registers, as in rows.cl; elsewhere half of it. */
static int kept(const roof_kernel_run *run) {
  return (by_packs(run) ? 32 : 16) / (run->dtype == ROOF_FP64 ? 2 : 1);
}

static int part(const roof_kernel_run *run) {
  return run->dtype == ROOF_FP64 ? 8 : 16;
}

/** The fewest work-items that together keep a row, `each` elements per work-item, or as many as allowed. */
static int items_of(const roof_kernel_run *run, int each, double most) {
  int items = 1;
  while (items < MOST_ITEMS && 2 * items <= most && (double)items * each < run->values[1]) {
    items *= 2;
  }
  return items;
}

/** Whether a row stays in the registers of one group. */
static bool fits(const roof_kernel_run *run, const rf_device_operands *o) {
  return (double)kept(run) * items_of(run, kept(run), o->group_items) >= run->values[1];
}

/** A launch on some buffers, then columns and rows; `entries` is the kernel by elements and by packs. */
static rf_device_launch rows_launch(const roof_kernel_run *run, int items, const char *const *entries,
                                    void *const *buffers) {
  int rows_per_group = items < GROUP ? GROUP / items : 1;
  rf_device_launch launch = rf_device_launch_of(
      entries[by_packs(run)], rf_device_tiles(run->values[0], rows_per_group), 1, items, rows_per_group);
  for (int i = 0; buffers[i] != NULL; i++) {
    rf_device_add_buffer(&launch, buffers[i]);
  }
  rf_device_add_int(&launch, run->values[1]);
  rf_device_add_int(&launch, run->values[0]);
  return launch;
}

#define ENTRY(name) ((const char *const[]){name "_elements", name "_packs"})
#define BUFFERS(...) ((void *const[]){__VA_ARGS__, NULL})

/** Work-items of kernels that read a row in parts: fewer than allowed, so that work-groups overlap. */
static int items_in_parts(const roof_kernel_run *run, const rf_device_operands *o) {
  return items_of(run, part(run), fmin(2 * ITEMS, o->group_items));
}

static int plan_softmax_unfused(const roof_kernel_run *run, const rf_device_operands *o,
                                rf_device_launch *launches) {
  int items = items_in_parts(run, o);
  launches[0] = rows_launch(run, items, ENTRY("rows_maximum"), BUFFERS(o->in[0], o->scratch));
  launches[1] = rows_launch(run, items, ENTRY("rows_powers"), BUFFERS(o->in[0], o->scratch));
  launches[2] = rows_launch(run, items, ENTRY("rows_quotients"), BUFFERS(o->in[0], o->scratch, o->out));
  return 3;
}

static int plan_softmax_online(const roof_kernel_run *run, const rf_device_operands *o,
                               rf_device_launch *launches) {
  launches[0] =
      rows_launch(run, items_in_parts(run, o), ENTRY("rows_softmax_online"), BUFFERS(o->in[0], o->out));
  return 1;
}

static int plan_softmax(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  if (!fits(run, o)) {
    return plan_softmax_online(run, o, launches);
  }
  launches[0] = rows_launch(run, items_of(run, kept(run), o->group_items), ENTRY("rows_softmax"),
                            BUFFERS(o->in[0], o->out));
  return 1;
}

static int plan_rmsnorm_unfused(const roof_kernel_run *run, const rf_device_operands *o,
                                rf_device_launch *launches) {
  int items = items_in_parts(run, o);
  launches[0] = rows_launch(run, items, ENTRY("rows_factor"), BUFFERS(o->in[0], o->scratch));
  launches[1] =
      rows_launch(run, items, ENTRY("rows_scaled"), BUFFERS(o->in[0], o->in[1], o->scratch, o->out));
  return 2;
}

static int plan_rmsnorm(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  bool whole = fits(run, o);
  int items = whole ? items_of(run, kept(run), o->group_items) : items_in_parts(run, o);
  launches[0] = rows_launch(run, items, whole ? ENTRY("rows_rmsnorm") : ENTRY("rows_rmsnorm_long"),
                            BUFFERS(o->in[0], o->in[1], o->out));
  return 1;
}

static double matrix_bytes(const roof_kernel_run *run) {
  return run->values[0] * run->values[1] * roof_dtype_bytes(run->dtype);
}

/** Every kernel passes over the whole matrix before the next one does: three reads and a write, or two. */
static void softmax_unfused_algorithm(const roof_kernel_run *run, const roof_target *units,
                                      roof_algorithm *out) {
  rf_device_passes(units, 4 * matrix_bytes(run), matrix_bytes(run), out);
}

static void rmsnorm_unfused_algorithm(const roof_kernel_run *run, const roof_target *units,
                                      roof_algorithm *out) {
  rf_device_passes(units, 3 * matrix_bytes(run), matrix_bytes(run), out);
}

/** A row is read again at once: what must stay are the rows that run at the same time, a few on each unit. */
static void softmax_online_algorithm(const roof_kernel_run *run, const roof_target *units,
                                     roof_algorithm *out) {
  double rows = fmin(run->values[0], AT_ONCE * units->machine->unit_count);
  double kept = rows * run->values[1] * roof_dtype_bytes(run->dtype);
  rf_device_passes(units, 3 * matrix_bytes(run), kept, out);
}

#define TEXT .program = "rows"
static const rf_device_kernel reduce = {TEXT, .reference = "reduce", .scratch = parts_scratch,
                                        .plan = plan_reduce},
                              softmax_unfused = {TEXT, .reference = "softmax", .scratch = rows_scratch,
                                                 .plan = plan_softmax_unfused},
                              softmax_online = {TEXT, .reference = "softmax", .plan = plan_softmax_online},
                              softmax = {TEXT, .reference = "softmax", .plan = plan_softmax},
                              rmsnorm_unfused = {TEXT, .reference = "rmsnorm", .scratch = rows_scratch,
                                                 .plan = plan_rmsnorm_unfused},
                              rmsnorm = {TEXT, .reference = "rmsnorm", .plan = plan_rmsnorm};

#define ROWS                                                                                                 \
  .sizes = "rows=32768 cols=4096", .quick_sizes = "rows=256 cols=1024",                                      \
  .processor_sizes = "rows=4096 cols=4096"

static const roof_kernel kernels[] = {
    {.name = "device-reduce",
     .op = "reduce",
     .summary = "sum of x: each group its part, then one group what they found",
     .sizes = "n=268435456",
     .quick_sizes = "n=4194304",
     .processor_sizes = "n=67108864",
     .supports = rf_device_floats,
     RF_ON_DEVICES(&reduce)},
    {.name = "device-softmax-unfused",
     .op = "softmax",
     .rung = 1,
     .summary = "softmax of each row in three kernels: x is read three times",
     ROWS,
     .supports = rf_device_floats,
     .algorithm = softmax_unfused_algorithm,
     RF_ON_DEVICES(&softmax_unfused)},
    {.name = "device-softmax-online",
     .op = "softmax",
     .rung = 2,
     .summary = "softmax of each row in one kernel: maximum and sum in one pass, then x again",
     ROWS,
     .supports = rf_device_floats,
     .algorithm = softmax_online_algorithm,
     RF_ON_DEVICES(&softmax_online)},
    {.name = "device-softmax",
     .in_loop = true,
     .op = "softmax",
     .rung = 3,
     .summary = "softmax of each row in one kernel: the row stays in registers",
     ROWS,
     .supports = rf_device_floats,
     RF_ON_DEVICES(&softmax)},
    {.name = "device-rmsnorm-unfused",
     .op = "rmsnorm",
     .rung = 1,
     .summary = "rmsnorm of each row in two kernels: x is read twice",
     ROWS,
     .supports = rf_device_floats,
     .algorithm = rmsnorm_unfused_algorithm,
     RF_ON_DEVICES(&rmsnorm_unfused)},
    {.name = "device-rmsnorm",
     .in_loop = true,
     .op = "rmsnorm",
     .rung = 2,
     .summary = "rmsnorm of each row in one kernel: the row stays in registers",
     ROWS,
     .supports = rf_device_floats,
     RF_ON_DEVICES(&rmsnorm)},
};

const rf_kernel_family rf_kernels_device_rows = {kernels, sizeof kernels / sizeof kernels[0]};
