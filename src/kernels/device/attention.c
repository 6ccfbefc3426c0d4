/* Attention on accelerators, with its scores in memory and without. */
#include "kernels/device/_device.h"

enum { BATCH, HEADS, Q_LEN, KV_LEN, HEAD_DIM, KV_HEADS, CAUSAL };
enum { TILE = 16, DIM = 128 };

static double heads_of(const roof_kernel_run *run) {
  return run->values[BATCH] * run->values[HEADS];
}

static double scores_scratch(const roof_kernel_run *run) {
  return heads_of(run) * run->values[Q_LEN] * run->values[KV_LEN] * 4;
}

/** Elements of K, after which V begins. */
static double values_at(const roof_kernel_run *run) {
  const double *v = run->values;
  return v[BATCH] * v[KV_HEADS] * v[KV_LEN] * v[HEAD_DIM];
}

static void add_shape(const roof_kernel_run *run, roof_device_launch *launch) {
  const double *v = run->values, shape[] = {v[HEADS], v[KV_HEADS], v[Q_LEN], v[KV_LEN], v[HEAD_DIM]};
  for (int i = 0; i < 5; i++) {
    roof_device_add_int(launch, shape[i]);
  }
}

static void add_scale(const roof_kernel_run *run, roof_device_launch *launch) {
  roof_device_add_int(launch, run->values[CAUSAL]);
  roof_device_add_float(launch, 1 / sqrt(run->values[HEAD_DIM]));
}

static int plan_standard(const roof_kernel_run *run, const roof_device_operands *o,
                         roof_device_launch *launches) {
  const double *v = run->values;
  double down = roof_device_tiles(v[Q_LEN], TILE);
  launches[0] =
      roof_device_launch_of("attention_scores", roof_device_tiles(v[KV_LEN], TILE), down, TILE, TILE);
  launches[0].groups[2] = (unsigned)heads_of(run);
  roof_device_add_buffer(&launches[0], o->in[0]);
  roof_device_add_buffer(&launches[0], o->in[1]);
  roof_device_add_buffer(&launches[0], o->scratch);
  add_shape(run, &launches[0]);
  add_scale(run, &launches[0]);
  launches[1] = roof_device_launch_of("attention_softmax", heads_of(run) * v[Q_LEN], 1, TILE * TILE, 1);
  roof_device_add_buffer(&launches[1], o->scratch);
  roof_device_add_int(&launches[1], v[KV_LEN]);
  launches[2] =
      roof_device_launch_of("attention_values", roof_device_tiles(v[HEAD_DIM], TILE), down, TILE, TILE);
  launches[2].groups[2] = (unsigned)heads_of(run);
  roof_device_add_buffer(&launches[2], o->scratch);
  roof_device_add_buffer(&launches[2], o->in[1]);
  roof_device_add_buffer(&launches[2], o->out);
  add_shape(run, &launches[2]);
  roof_device_add_index(&launches[2], values_at(run));
  return 3;
}

static int plan_flash(const roof_kernel_run *run, const roof_device_operands *o,
                      roof_device_launch *launches) {
  launches[0] = roof_device_launch_of("attention_flash", roof_device_tiles(run->values[Q_LEN], TILE),
                                      heads_of(run), TILE, TILE);
  roof_device_add_buffer(launches, o->in[0]);
  roof_device_add_buffer(launches, o->in[1]);
  roof_device_add_buffer(launches, o->out);
  add_shape(run, launches);
  add_scale(run, launches);
  roof_device_add_index(launches, values_at(run));
  return 1;
}

/** What the tiles hold. */
static roof_status flash_prepare(roof_kernel_run *run, roof_error *error) {
  if (run->values[HEAD_DIM] > DIM) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: is written for head_dim up to %d",
                          run->kernel->name, DIM);
  }
  return roof_device_prepare(run, error);
}

static const roof_device_kernel standard = {.program = "attention",
                                            .reference = "attention-naive",
                                            .scratch = scores_scratch,
                                            .plan = plan_standard},
                                flash = {.program = "attention",
                                         .reference = "attention-flash",
                                         .plan = plan_flash};

static bool supports(roof_dtype dtype) {
  return dtype == ROOF_FP32 || dtype == ROOF_FP16 || dtype == ROOF_BF16;
}

static const roof_kernel kernels[] = {
    {.name = "device-attention-standard",
     .op = "attention",
     .summary = "scores to memory, their softmax, then V: three kernels",
     .sizes = "batch=1 heads=32 q_len=2048 kv_len=2048 head_dim=128 algorithm=standard",
     .quick_sizes = "batch=1 heads=2 q_len=64 kv_len=128 head_dim=64 algorithm=standard",
     .supports = supports,
     ROOF_ON_DEVICES(&standard)},
    {.name = "device-attention-flash",
     .in_loop = true,
     .op = "attention",
     .variant = "",
     .summary = "a tile of queries against a tile of keys at a time, its scores in shared memory",
     .sizes = "batch=1 heads=32 q_len=2048 kv_len=2048 head_dim=128 algorithm=flash",
     .quick_sizes = "batch=1 heads=2 q_len=64 kv_len=128 head_dim=64 algorithm=flash",
     .supports = supports,
     .backends = roof_on_devices,
     .detail = &flash,
     .prepare = flash_prepare,
     .check = roof_device_check,
     .release = roof_device_release},
};

const roof_kernel_family roof_kernels_device_attention = {kernels, sizeof kernels / sizeof kernels[0]};
