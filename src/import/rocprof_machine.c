/* What rocprofiler-compute writes of a machine: roofline.csv, ceilings it measured; sysinfo.csv, what the
 * driver says. */
#include <math.h>
#include <string.h>

#include "import/import.h"

static int detect(const char *text, size_t size) {
  (void)size;
  bool ceilings = strncmp(text, "device,HBMBw,", 13) == 0;
  bool system = strstr(text, "gpu_model") != NULL && strstr(text, "hbm_bw") != NULL;
  return ceilings || system ? 95 : 0;
}

/** Columns of roofline.csv in GB/s and GFLOP/s. */
static const struct {
  const char *column, *name;
  roof_level_kind level;
} levels[] = {{"L1Bw", "L1", ROOF_L1},
              {"L2Bw", "L2", ROOF_L2},
              {"MALLBw", "MALL", ROOF_L3},
              {"HBMBw", "HBM", ROOF_MEMORY}};

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
  return import_number(import_field(row, import_column(header, column)), NULL);
}

/** The better of two devices' figures: a table has a row a device. */
static void better(double *figure, double value) {
  if (value > 0 && !(*figure >= value)) {
    *figure = value;
  }
}

static void take_ceilings(const import_row *header, const import_row *row, roof_machine *m) {
  for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
    better(&m->levels[i].bytes_per_second, cell(header, row, levels[i].column) * 1e9);
  }
  for (size_t i = 0; i < sizeof peaks / sizeof peaks[0]; i++) {
    better(&m->peaks[i].flops_per_second, cell(header, row, peaks[i].column) * 1e9);
  }
}

/** Keeps the figures that there are, in their order, and says where they are from. */
static void settle_ceilings(roof_machine *m) {
  static const char source[] = "roofline.csv of rocprofiler-compute, the best device";
  for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
    roof_level *level = &m->levels[m->level_count];
    double rate = m->levels[i].bytes_per_second;
    m->levels[i].bytes_per_second = NAN;
    if (rate > 0) {
      snprintf(level->name, sizeof level->name, "%s", levels[i].name);
      snprintf(level->source, sizeof level->source, "%s", source);
      level->level = levels[i].level;
      level->kind = ROOF_MEASURED;
      level->bytes_per_second = rate;
      m->level_count++;
    }
  }
  for (size_t i = 0; i < sizeof peaks / sizeof peaks[0]; i++) {
    roof_peak *peak = &m->peaks[m->peak_count];
    double rate = m->peaks[i].flops_per_second;
    m->peaks[i].flops_per_second = NAN;
    if (rate > 0) {
      snprintf(peak->source, sizeof peak->source, "%s", source);
      peak->dtype = peaks[i].dtype;
      peak->unit = peaks[i].unit;
      peak->kind = ROOF_MEASURED;
      peak->flops_per_second = rate;
      m->peak_count++;
    }
  }
  snprintf(m->name, sizeof m->name, "amd-measured");
  snprintf(m->vendor, sizeof m->vendor, "AMD");
}

static void take_system(const import_row *header, const import_row *row, roof_profile *profile,
                        roof_machine *m) {
  const char *model = import_field(row, import_column(header, "gpu_model"));
  double rate = cell(header, row, "hbm_bw") * 1e9;
  import_device(profile, roof_profile_text(profile, model));
  snprintf(m->name, sizeof m->name, "amd-system");
  snprintf(m->title, sizeof m->title, "AMD %.60s", model);
  snprintf(m->vendor, sizeof m->vendor, "AMD");
  snprintf(m->architecture, sizeof m->architecture, "%.60s",
           import_field(row, import_column(header, "gpu_arch")));
  snprintf(m->unit_kind, sizeof m->unit_kind, "CU");
  m->unit_count = cell(header, row, "cu_per_gpu");
  m->clock_hz = cell(header, row, "max_sclk") * 1e6;
  if (rate > 0) {
    roof_level *level = &m->levels[m->level_count++];
    snprintf(level->name, sizeof level->name, "HBM");
    snprintf(level->source, sizeof level->source, "hbm_bw of sysinfo.csv");
    level->level = ROOF_MEMORY;
    level->kind = ROOF_DATASHEET;
    level->instances = 1;
    level->bytes_per_second = rate;
  }
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  import_row header = {0}, row = {0};
  roof_status status = ROOF_OK;
  roof_machine *m = import_machine(profile);
  size_t rows = 0;
  bool open = m != NULL && import_csv(source, ',', &header, &status, error);
  bool system = open && import_column(&header, "gpu_model") >= 0;
  while (open && status == ROOF_OK && import_csv(source, ',', &row, &status, error)) {
    if (!system) {
      take_ceilings(&header, &row, m);
    } else if (rows == 0) {
      take_system(&header, &row, profile, m);
    }
    rows++;
  }
  if (status == ROOF_OK && rows == 0) {
    status = import_error(source, error, ROOF_E_PARSE, 0, 0, "a header without a row");
  }
  if (status == ROOF_OK && !system) {
    settle_ceilings(m);
  }
  if (status == ROOF_OK && m->level_count + m->peak_count == 0) {
    status = import_error(source, error, ROOF_E_PARSE, 2, 0, "no bandwidth and no peak in it");
  }
  import_row_done(&header);
  import_row_done(&row);
  return status;
}

const roof_format roof_format_rocprof_machine = {
    .name = "rocprof-machine",
    .title = "rocprofiler-compute roofline.csv and sysinfo.csv",
    .gives = "a machine: its ceilings",
    .detect = detect,
    .read = read,
};
