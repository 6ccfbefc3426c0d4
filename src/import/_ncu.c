/* Formulas: NVIDIA Nsight Compute, Profiling Guide, "Metrics Reference", and the roofline sections it ships;
 * NERSC's list of metrics for the hierarchical roofline. An FMA is 2; a packed half instruction is two
 * elements. */
#include "import/_ncu.h"
#include "core/figures.h"
#include "import/_kernel_name.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/letters.h"
#include "core/number.h"
#include "import/_ceilings.h"

static const char *const metric_names[] = {
#define NAME(symbol, name) [symbol] = name,
    NCU_METRIC_MAP(NAME)
#undef NAME
};

void rf_ncu_launch_init(ncu_launch *launch) {
  *launch = (ncu_launch){.calls = 1};
  for (int i = 0; i < NCU_METRIC_COUNT; i++) {
    launch->value[i] = NAN;
  }
  for (int i = 0; i < ROOF_STALL_COUNT; i++) {
    launch->stall[i] = launch->sampled[i] = NAN;
  }
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    for (int p = 0; p < NCU_PATH_COUNT; p++) {
      launch->path[d][p] = NAN;
    }
  }
}

/** `sm__ops_path_tensor_src_fp16_dst_fp32.sum`, `..._op_hmma_src_bf16_dst_fp32_sparsity_on.sum`: the format
 * is what follows `src_`; of several the first, but of fp4_fp6_fp8 the widest, which sets the rate. */
static bool take_path(ncu_launch *launch, const char *metric, double value) {
  static const char prefix[] = "sm__ops_path_tensor_";
  if (strncmp(metric, prefix, sizeof prefix - 1) != 0) {
    return false;
  }
  const char *source = strstr(metric, "src_"), *end = strstr(metric, ".sum");
  if (source == NULL || end == NULL || end[4] != '\0') {
    return true;
  }
  roof_dtype dtype = ROOF_DTYPE_COUNT;
  bool narrow = strncmp(source, "src_fp4_", 8) == 0;
  for (const char *at = source + 4; at < end;) {
    size_t length = strcspn(at, "_.");
    char name[16];
    roof_dtype one;
    snprintf(name, sizeof name, "%.*s", (int)(length < 15 ? length : 15), at);
    if (roof_dtype_parse(name, &one, NULL) != ROOF_OK) {
      break;
    }
    dtype = dtype == ROOF_DTYPE_COUNT || narrow ? one : dtype;
    at += length + 1;
  }
  if (dtype == ROOF_DTYPE_COUNT) {
    return true;
  }
  bool split = strncmp(metric + sizeof prefix - 1, "op_", 3) == 0;
  bool sparsity = strstr(metric, "_sparsity_") != NULL;
  ncu_path path = (ncu_path)((sparsity ? NCU_ROLLUP_SPARSITY : NCU_ROLLUP) + split);
  double *sum = &launch->path[dtype][path];
  *sum = isnan(*sum) ? value : *sum + (isnan(value) ? 0 : value);
  return true;
}

/** Where a metric is kept, NULL: it is not used, or one of the tensor paths. */
static double *place_of(ncu_launch *launch, const char *metric) {
  roof_stall reason = rf_stall_of(metric), sampled = rf_stall_sampled(metric);
  if (reason != ROOF_STALL_COUNT) {
    return &launch->stall[reason];
  }
  if (sampled != ROOF_STALL_COUNT) {
    return &launch->sampled[sampled];
  }
  static const char *const prefixes[] = {"", "sm__", "smsp__"};
  for (size_t p = 0; p < sizeof prefixes / sizeof prefixes[0]; p++) {
    size_t skip = strlen(prefixes[p]);
    if (strncmp(metric, prefixes[p], skip) != 0) {
      continue;
    }
    for (int i = 0; i < NCU_METRIC_COUNT; i++) {
      if (strcmp(metric + skip, metric_names[i]) == 0) {
        return &launch->value[i];
      }
    }
  }
  return NULL;
}

bool rf_ncu_launch_set(ncu_launch *launch, const char *metric, double value) {
  if (take_path(launch, metric, value)) {
    return true;
  }
  double *place = place_of(launch, metric);
  if (place != NULL && !isnan(value)) {
    *place = value;
  }
  return place != NULL;
}

/** a, or where it is missing b. */
static double first(double a, double b) {
  return isnan(a) ? b : a;
}

static double seconds_of(const ncu_launch *l) {
  const double *v = l->value;
  double time = first(v[NCU_TIME], v[NCU_TIME_AVERAGE]);
  time = first(time, v[NCU_SM_CYCLES] / v[NCU_SM_RATE]);
  time = first(time, v[NCU_SMSP_CYCLES] / v[NCU_SMSP_RATE]);
  return first(time, v[NCU_GPC_CYCLES] / v[NCU_GPC_RATE]);
}

static double cycles_of(const ncu_launch *l) {
  const double *v = l->value;
  return first(first(v[NCU_SMSP_CYCLES], v[NCU_SM_CYCLES]),
               seconds_of(l) * first(v[NCU_SMSP_RATE], v[NCU_SM_RATE]));
}

static void add(roof_count *count, const ncu_launch *l, double value, const char *source,
                roof_quality quality) {
  rf_import_add(count, value * l->calls, source, quality);
}

/** adds + muls + 2 fmas of one format: from the sums, else from the rates per cycle. */
static void add_vector(roof_count *count, const ncu_launch *l, const ncu_metric sums[3],
                       const ncu_metric rates[3], const char *from_sums, const char *from_rates) {
  const double *v = l->value;
  double sum = v[sums[0]] + v[sums[1]] + 2 * v[sums[2]];
  double rate = (v[rates[0]] + v[rates[1]] + v[rates[2]]) * cycles_of(l);
  if (!isnan(sum)) {
    add(count, l, sum, from_sums, ROOF_QUALITY_MEASURED);
  } else {
    add(count, l, rate, isnan(rate) ? "no counters of its instructions in the report" : from_rates,
        ROOF_QUALITY_DERIVED);
  }
}

static double or_zero(double value) {
  return isnan(value) ? 0 : value;
}

/* Half precision. HFMA2 also loads constants, and then counts as a multiply-add and, on some chips, as a tensor
 * instruction. */

/** An HFMA2 for every tensor instruction: neither is arithmetic. */
static bool is_tensor_phantom(const ncu_launch *l) {
  return l->value[NCU_HFMA] > 0 && l->value[NCU_HFMA] == 32 * l->value[NCU_TENSOR];
}

/** Multiply-adds alone, in a kernel that is named after `float` and after no format of 16 bits. */
static bool is_loading(const ncu_launch *l, const char *name) {
  static const char *const halves[] = {"half", "bfloat", "f16", "fp16"};
  bool narrow = false;
  for (size_t i = 0; i < sizeof halves / sizeof halves[0]; i++) {
    narrow |= rf_letters_find(name, halves[i]) != NULL;
  }
  const double *v = l->value;
  return v[NCU_HFMA] > 0 && v[NCU_HADD] == 0 && v[NCU_HMUL] == 0 && !narrow && strstr(name, "<float") != NULL;
}

static void add_half(roof_record *record, const ncu_launch *l, double other) {
  const double *v = l->value;
  roof_count *count = &record->flops[ROOF_FP16][ROOF_VECTOR];
  double half = 2 * v[NCU_HADD] + 2 * v[NCU_HMUL] + 4 * v[NCU_HFMA];
  bool few = half > 0 && half < 0.01 * other;
  if (few || is_tensor_phantom(l) || is_loading(l, record->name)) {
    rf_import_missing(count, "HFMA2 instructions that load constants, no arithmetic");
  } else {
    add(count, l, half,
        isnan(half) ? "no counters of its instructions in the report"
                    : "2 hadd + 2 hmul + 4 hfma: packed pairs",
        ROOF_QUALITY_MEASURED);
  }
}

static double shape_of(const ncu_launch *l, rf_span kernel, roof_quality *quality) {
  double flops = rf_kernel_name_instruction(kernel);
  *quality = isnan(flops) ? ROOF_QUALITY_ESTIMATED : ROOF_QUALITY_DERIVED;
  return !isnan(flops)         ? flops
         : l->capability == 70 ? 512 /* Volta has HMMA.884 alone; sums in fp32 */
                               : NAN;
}

/** Work of the matrix unit that is not known keeps the kernel from being judged by the rest of its work. A busy share is of
 * all pipes, and takes the place of FLOPs where none were counted. */
static void miss_matrix(roof_record *record, roof_count *count, const ncu_launch *l) {
  rf_import_missing(count,
                    "tensor instructions were counted, but neither the chip nor the name gives their shape");
  if (roof_record_flops(record, NULL, NULL) > 0 || isnan(l->value[NCU_COMPUTE_SHARE])) {
    record->uncounted = "matrix";
  }
}

/** By counted instructions, where the report has no operations of the tensor paths. */
static void add_instructions(roof_record *record, const ncu_launch *l) {
  double count = l->value[NCU_TENSOR];
  rf_span name = {record->name, strlen(record->name), false};
  int dtype = rf_kernel_name_says(name).dtype;
  roof_count *to = &record->flops[dtype >= 0 ? dtype : ROOF_FP16][ROOF_MATRIX];
  roof_quality quality;
  double shape = shape_of(l, name, &quality);
  if (!(count > 0) || is_tensor_phantom(l)) {
    return;
  }
  if (isnan(shape)) {
    miss_matrix(record, to, l);
  } else {
    add(to, l, count * shape, "tensor instructions x the FLOPs of their shape", quality);
  }
}

/** Returns whether what the matrix unit did was counted, by operations or instructions. */
static bool add_matrix(roof_record *record, const ncu_launch *l) {
  bool any = false;
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    const double *p = l->path[d];
    double value = NAN;
    for (int i = 0; i < NCU_PATH_COUNT && isnan(value); i++) {
      value = p[i];
    }
    any |= !isnan(value);
    if (value > 0) {
      add(&record->flops[d][ROOF_MATRIX], l, value, "sm__ops_path_tensor, a multiply-add is 2",
          ROOF_QUALITY_MEASURED);
    }
  }
  if (!any) {
    add_instructions(record, l);
  }
  return any || !isnan(l->value[NCU_TENSOR]);
}

static bool add_flops(roof_record *record, const ncu_launch *l) {
  static const ncu_metric fp64[] = {NCU_DADD, NCU_DMUL, NCU_DFMA}, fp32[] = {NCU_FADD, NCU_FMUL, NCU_FFMA};
  static const ncu_metric fp64_rate[] = {NCU_DADD_CYCLE, NCU_DMUL_CYCLE, NCU_DFMA_CYCLE2};
  static const ncu_metric fp32_rate[] = {NCU_FADD_CYCLE, NCU_FMUL_CYCLE, NCU_FFMA_CYCLE2};
  const double *v = l->value;
  roof_count *single = &record->flops[ROOF_FP32][ROOF_VECTOR];
  add_vector(&record->flops[ROOF_FP64][ROOF_VECTOR], l, fp64, fp64_rate, "dadd + dmul + 2 dfma",
             "dadd + dmul + 2 dfma per cycle x cycles");
  add_vector(single, l, fp32, fp32_rate, "fadd + fmul + 2 ffma", "fadd + fmul + 2 ffma per cycle x cycles");
  double packed = 2 * or_zero(v[NCU_FADD2]) + 2 * or_zero(v[NCU_FMUL2]) + 4 * or_zero(v[NCU_FFMA2]);
  if (packed > 0) {
    add(single, l, packed, "fadd + fmul + 2 ffma, and packed pairs", ROOF_QUALITY_MEASURED);
  }
  double other = or_zero(v[NCU_FADD] + v[NCU_FMUL] + 2 * v[NCU_FFMA]) +
                 or_zero(v[NCU_DADD] + v[NCU_DMUL] + 2 * v[NCU_DFMA]);
  add_half(record, l, other);
  return add_matrix(record, l);
}

/** One way to get the bytes of a level. */
typedef struct way {
  ncu_metric metric, other; /* added where it is not NCU_METRIC_COUNT */
  double factor;            /* bytes; 0: x seconds */
  roof_level_kind level;
  roof_quality quality;
  const char *source;
} way;

/** The best way of a level first. */
static const way ways[] = {
    {NCU_DRAM, NCU_METRIC_COUNT, 1, ROOF_MEMORY, ROOF_QUALITY_MEASURED, "dram__bytes.sum"},
    {NCU_DRAM_READ, NCU_DRAM_WRITE, 1, ROOF_MEMORY, ROOF_QUALITY_MEASURED,
     "dram__bytes_read + dram__bytes_write"},
    {NCU_DRAM_OP_READ, NCU_DRAM_OP_WRITE, 1, ROOF_MEMORY, ROOF_QUALITY_MEASURED,
     "dram__bytes_op_read + dram__bytes_op_write"},
    {NCU_DRAM_SECTORS, NCU_METRIC_COUNT, 32, ROOF_MEMORY, ROOF_QUALITY_MEASURED, "32 dram__sectors"},
    {NCU_DRAM_SECTORS_READ, NCU_DRAM_SECTORS_WRITE, 32, ROOF_MEMORY, ROOF_QUALITY_MEASURED,
     "32 (dram__sectors_read + write)"},
    {NCU_DRAM_RATE, NCU_METRIC_COUNT, 0, ROOF_MEMORY, ROOF_QUALITY_DERIVED,
     "dram__bytes.sum.per_second x time"},
    {NCU_L2, NCU_METRIC_COUNT, 1, ROOF_L2, ROOF_QUALITY_MEASURED, "lts__t_bytes.sum"},
    {NCU_L2_SECTORS, NCU_METRIC_COUNT, 32, ROOF_L2, ROOF_QUALITY_MEASURED, "32 lts__t_sectors"},
    {NCU_L2_RATE, NCU_METRIC_COUNT, 0, ROOF_L2, ROOF_QUALITY_DERIVED, "lts__t_bytes.sum.per_second x time"},
    {NCU_L2_XBAR, NCU_METRIC_COUNT, 32, ROOF_L2, ROOF_QUALITY_ESTIMATED,
     "32 lts__lts2xbar_cycles_active: what is read, without writes"},
    {NCU_L1, NCU_METRIC_COUNT, 1, ROOF_L1, ROOF_QUALITY_MEASURED, "l1tex__t_bytes.sum"},
    {NCU_L1_BACK_LGDS, NCU_METRIC_COUNT, 128, ROOF_L1, ROOF_QUALITY_DERIVED,
     "128 l1tex__lsu_writeback_active_mem_lgds"},
    {NCU_L1_BACK_LG, NCU_METRIC_COUNT, 128, ROOF_L1, ROOF_QUALITY_DERIVED,
     "128 l1tex__lsu_writeback_active_mem_lg"},
    {NCU_L1_BACK, NCU_METRIC_COUNT, 128, ROOF_L1, ROOF_QUALITY_DERIVED, "128 l1tex__lsu_writeback_active"},
};

static void add_bytes(roof_record *record, const ncu_launch *l) {
  bool known[ROOF_LEVEL_KIND_COUNT] = {false};
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    const way *w = &ways[i];
    double value = l->value[w->metric] + (w->other != NCU_METRIC_COUNT ? l->value[w->other] : 0);
    value *= w->factor > 0 ? w->factor : seconds_of(l);
    if (!known[w->level] && !isnan(value)) {
      add(&record->bytes[w->level], l, value, w->source, w->quality);
      known[w->level] = true;
    }
  }
  static const roof_level_kind levels[] = {ROOF_L1, ROOF_L2, ROOF_MEMORY};
  for (size_t i = 0; i < 3; i++) {
    if (!known[levels[i]]) {
      rf_import_missing(&record->bytes[levels[i]], "no counters of its traffic in the report");
    }
  }
  double link = first(l->value[NCU_NVLINK_IN] + l->value[NCU_NVLINK_OUT], 32 * l->value[NCU_HOST_SECTORS]);
  if (link > 0) {
    add(&record->link_bytes, l, link, "nvlrx + nvltx bytes, else 32 sectors of system memory",
        ROOF_QUALITY_MEASURED);
  }
}

/** The busiest pipe of the tensor cores: of all formats together, or else the largest of those counted
 * apart. */
static double tensor_share(const double *v) {
  return first(first(v[NCU_TENSOR_SHARE], v[NCU_TC_SHARE]),
               fmax(v[NCU_HMMA_SHARE], fmax(v[NCU_IMMA_SHARE], v[NCU_DMMA_SHARE])));
}

static void add_counters(roof_profile *profile, roof_record *record, const ncu_launch *l) {
  const double *v = l->value;
  const struct {
    const char *name;
    double value;
  } counters[] = {
      {"occupancy", v[NCU_OCCUPANCY]},
      {"waves", v[NCU_WAVES]},
      {"memory", first(v[NCU_DRAM_SHARE], v[NCU_MEMORY_SHARE])},
      {"compute", v[NCU_COMPUTE_SHARE]},
      {"matrix", tensor_share(v)},
      {"active", v[NCU_ACTIVE]},
      {"lanes", v[NCU_LANES] / 32},
      {"integer_operations_per_second", v[NCU_INTEGERS] / seconds_of(l)},
      {"bank_conflicts", v[NCU_SHARED_WAVES] > 0 ? v[NCU_BANK_CONFLICTS] / v[NCU_SHARED_WAVES] : NAN}};
  double seconds = or_zero(seconds_of(l)) * l->calls;
  for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
    rf_import_counter(profile, record, counters[i].name, counters[i].value, seconds);
  }
  bool counted = false;
  for (int i = 0; i < ROOF_STALL_COUNT; i++) {
    counted |= !isnan(l->stall[i]);
  }
  rf_stalls_add(profile, record, counted ? l->stall : l->sampled, seconds);
}

roof_status rf_ncu_launch_add(roof_profile *profile, const ncu_launch *launch, const char *kernel,
                              size_t length, roof_error *error) {
  roof_record *record = rf_import_record(profile, kernel, length);
  if (record == NULL) {
    return rf_import_settled(profile, error);
  }
  uint64_t picoseconds = 0;
  double seconds = seconds_of(launch);
  if (seconds > 0 && launch->calls == 1 && rf_import_picoseconds(seconds, &picoseconds)) {
    rf_import_call(profile, record, picoseconds);
  } else if (seconds > 0 && rf_import_picoseconds(seconds * launch->calls, &picoseconds)) {
    rf_import_calls(record, (uint64_t)launch->calls, picoseconds);
  } else {
    record->calls += (uint64_t)launch->calls;
  }
  if (launch->capability > 0) {
    rf_import_fact(profile, IMPORT_CAPABILITY, NAN,
                   rf_import_textf(profile, "%d.%d", launch->capability / 10, launch->capability % 10));
  }
  bool matrix = add_flops(record, launch);
  add_bytes(record, launch);
  add_counters(profile, record, launch);
  rf_import_uncounted_compute(record, matrix || (launch->capability > 0 && launch->capability < 70));
  return ROOF_OK;
}

void rf_ncu_device_set(ncu_device *device, const char *metric, const char *text, double value) {
  static const char prefix[] = "device__attribute_";
  if (strncmp(metric, prefix, sizeof prefix - 1) != 0) {
    return;
  }
  const char *name = metric + sizeof prefix - 1;
  const struct {
    const char *name;
    double *value;
  } numbers[] = {{"multiprocessor_count", &device->units},
                 {"max_gpu_frequency_khz", &device->clock_khz},
                 {"max_mem_frequency_khz", &device->memory_khz},
                 {"global_memory_bus_width", &device->bus_bits},
                 {"l2_cache_size", &device->l2_bytes}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && value > 0; i++) {
    if (strcmp(name, numbers[i].name) == 0) {
      *numbers[i].value = value;
    }
  }
  if (strcmp(name, "display_name") == 0 && text[0] != '\0') {
    snprintf(device->name, sizeof device->name, "%s", text);
  } else if (strcmp(name, "compute_capability_major") == 0 && value >= 0 && value < 100) {
    device->major = (int)value;
  } else if (strcmp(name, "compute_capability_minor") == 0 && value >= 0 && value < 10) {
    device->minor = (int)value;
  }
}

/** fp32 multiply-adds per cycle of one multiprocessor: CUDA C++ Programming Guide, "Throughput of Native
 * Arithmetic Instructions". */
static double lanes_of(int major, int minor) {
  static const struct {
    int major, minor;
    double lanes;
  } chips[] = {{7, 0, 64},  {7, 5, 64},  {8, 0, 64},   {8, 6, 128}, {8, 7, 128},
               {8, 9, 128}, {9, 0, 128}, {10, 0, 128}, {12, 0, 128}};
  for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++) {
    if (chips[i].major == major && chips[i].minor == minor) {
      return chips[i].lanes;
    }
  }
  return NAN;
}

static void add_roof(roof_machine *m, const ncu_device *d) {
  double rate = 2 * d->bus_bits / 8 * d->memory_khz * 1e3;
  double lanes = lanes_of(d->major, d->minor);
  snprintf(m->title, sizeof m->title, "%.90s", d->name);
  snprintf(m->unit_kind, sizeof m->unit_kind, "SM");
  m->unit_count = d->units > 0 ? d->units : NAN;
  m->clock_hz = d->clock_khz > 0 ? d->clock_khz * 1e3 : NAN;
  rf_origin_set(&m->unit_origin, ROOF_DATASHEET, "the report's device attributes", m->date);
  rf_origin_set(&m->clock_origin, ROOF_DATASHEET, "the report's device attributes: highest clock", m->date);
  rf_ceilings_memory(m, "DRAM", rate, "2 x bus width / 8 x memory clock, as the report has them");
  if (lanes * d->units * d->clock_khz > 0 && m->peak_count == 0) {
    roof_peak *peak = roof_machine_add_peak(m);
    rf_format(peak->source, sizeof peak->source,
              "SMs x %g multiply-adds x 2 x highest clock, as the report has them", lanes);
    peak->dtype = ROOF_FP32;
    peak->unit = ROOF_VECTOR;
    peak->kind = ROOF_DATASHEET;
    peak->flops_per_second = d->units * lanes * 2 * d->clock_khz * 1e3;
  }
}

void rf_ncu_device_add(roof_profile *profile, const ncu_device *device) {
  if (device->name[0] == '\0') {
    return;
  }
  rf_import_device(profile, device->name);
  roof_machine *machine = rf_import_machine(profile);
  if (machine != NULL) {
    add_roof(machine, device);
  }
}
