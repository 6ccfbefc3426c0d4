/* What rocprofiler-compute writes of a machine: roofline.csv, ceilings it measured; sysinfo.csv, what the
 * driver says. */
#include <math.h>
#include <string.h>

#include "core/figures.h"
#include "import/_ceilings.h"

static int detect(const char *text, size_t size) {
  (void)size;
  bool ceilings = strncmp(text, "device,HBMBw,", 13) == 0;
  bool system = strstr(text, "gpu_model") != NULL &&
                (strstr(text, "hbm_bw") != NULL || strstr(text, "num_hbm_channels") != NULL);
  return ceilings || system ? 95 : 0;
}

/** Columns of roofline.csv in GB/s and GFLOP/s. */
static const struct {
  const char *column, *name;
} levels[] = {{"L1Bw", "L1"}, {"L2Bw", "L2"}, {"MALLBw", "MALL"}, {"HBMBw", "HBM"}};

static const struct {
  const char *column;
  roof_dtype dtype;
  roof_unit unit;
} peaks[] = {{"FP16Flops", ROOF_FP16, ROOF_VECTOR},    {"FP32Flops", ROOF_FP32, ROOF_VECTOR},
             {"FP64Flops", ROOF_FP64, ROOF_VECTOR},    {"MFMAF8Flops", ROOF_FP8, ROOF_MATRIX},
             {"MFMAF16Flops", ROOF_FP16, ROOF_MATRIX}, {"MFMABF16Flops", ROOF_BF16, ROOF_MATRIX},
             {"MFMAF32Flops", ROOF_FP32, ROOF_MATRIX}, {"MFMAF64Flops", ROOF_FP64, ROOF_MATRIX},
             {"MFMAI8Ops", ROOF_INT8, ROOF_MATRIX}};

static double cell(const import_row *header, const import_row *row, const char *column) {
  return rf_import_number(rf_import_field(row, rf_import_column(header, column)), NULL);
}

/** A table has one row per device; the figures of the best one count. */
static void take_ceilings(const import_row *header, const import_row *row, roof_profile *profile) {
  static const char source[] = "roofline.csv of rocprofiler-compute, the best device";
  for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
    rf_ceilings_level(profile, levels[i].name, cell(header, row, levels[i].column) * 1e9, NAN, source);
  }
  for (size_t i = 0; i < sizeof peaks / sizeof peaks[0]; i++) {
    rf_ceilings_peak(profile, peaks[i].dtype, peaks[i].unit, cell(header, row, peaks[i].column) * 1e9, "",
                     source);
  }
  snprintf(profile->machine->name, sizeof profile->machine->name, "amd-measured");
  snprintf(profile->machine->vendor, sizeof profile->machine->vendor, "AMD");
}

/** Bytes per second of the memory; from ROCm 7 its clock and channels of 32 bytes per cycle are given instead
 * (rocprofiler-compute, src/utils/parser.py: hbmBandwidth). */
static double memory_bandwidth(const import_row *header, const import_row *row, const char **source) {
  double given = cell(header, row, "hbm_bw") * 1e9;
  *source = isnan(given) ? "32 max_mclk num_hbm_channels of sysinfo.csv" : "hbm_bw of sysinfo.csv";
  return isnan(given) ? 32 * cell(header, row, "max_mclk") * 1e6 * cell(header, row, "num_hbm_channels")
                      : given;
}

static void take_system(const import_row *header, const import_row *row, roof_profile *profile,
                        roof_machine *m) {
  const char *model = rf_import_field(row, rf_import_column(header, "gpu_model"));
  rf_import_device(profile, roof_profile_text(profile, model));
  m->kind = ROOF_DATASHEET;
  snprintf(m->name, sizeof m->name, "amd-system");
  snprintf(m->title, sizeof m->title, "AMD %.60s", model);
  snprintf(m->vendor, sizeof m->vendor, "AMD");
  snprintf(m->architecture, sizeof m->architecture, "%.60s",
           rf_import_field(row, rf_import_column(header, "gpu_arch")));
  snprintf(m->unit_kind, sizeof m->unit_kind, "CU");
  m->unit_count = cell(header, row, "cu_per_gpu");
  m->clock_hz = cell(header, row, "max_sclk") * 1e6;
  rf_origin_set(&m->unit_origin, ROOF_DATASHEET, "cu_per_gpu of the profile", m->date);
  rf_origin_set(&m->clock_origin, ROOF_DATASHEET, "max_sclk of the profile", m->date);
  const char *source;
  double bandwidth = memory_bandwidth(header, row, &source);
  rf_ceilings_memory(m, "HBM", bandwidth, source);
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  import_row header = {0}, row = {0};
  roof_status status = ROOF_OK;
  roof_machine *m = rf_import_machine(profile);
  size_t rows = 0;
  bool open = m != NULL && rf_import_csv(source, ',', &header, &status, error);
  bool system = open && rf_import_column(&header, "gpu_model") >= 0;
  while (open && status == ROOF_OK && rf_import_csv(source, ',', &row, &status, error)) {
    if (!system) {
      take_ceilings(&header, &row, profile);
    } else if (rows == 0) {
      take_system(&header, &row, profile, m);
    }
    rows++;
  }
  if (status == ROOF_OK && rows == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "a header without a row");
  }
  rf_import_row_done(&header);
  rf_import_row_done(&row);
  return status == ROOF_OK ? rf_ceilings_settle(source, profile, error) : status;
}

const roof_format rf_format_rocprof_machine = {
    .name = "rocprof-machine",
    .title = "rocprofiler-compute roofline.csv and sysinfo.csv",
    .gives = "a machine: its ceilings",
    .detect = detect,
    .read = read,
};
