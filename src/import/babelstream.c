/* BabelStream: the table and CSV. Rates are of the fastest run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/letters.h"
#include "import/import.h"
#include "roofline/units.h"

/** Arrays read or written of one element, as BabelStream counts them (its src/main.cpp), and FLOPs, which it does not
 *  count: those of its formulas. Nstream is a += b + scalar * c. */
static const struct {
  const char *name;
  double arrays, flops;
} kernels[] = {{"Copy", 2, 0},  {"Mul", 2, 1}, {"Add", 3, 1},
               {"Triad", 3, 2}, {"Dot", 2, 2}, {"Nstream", 4, 3}};

enum { KERNEL_COUNT = sizeof kernels / sizeof kernels[0] };

static int detect(const char *text, size_t size) {
  (void)size;
  bool table = strstr(text, "BabelStream") != NULL ||
               (strstr(text, "Function") != NULL && strstr(text, "ytes/sec") != NULL &&
                strstr(text, "Min (sec)") != NULL);
  bool csv = strstr(text, "num_times") != NULL && strstr(text, "max_m") != NULL &&
             strstr(text, "bytes_per_sec") != NULL;
  return table || csv ? 95 : 0;
}

enum { ROOM = 64 };

/** A kernel's fastest run. */
typedef struct timed {
  int kernel;
  double array_bytes; /**< of one array */
  double element;     /**< bytes */
  uint64_t picoseconds;
} timed;

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  import_row header, row;
  double mega;    /**< 10^6, or 2^20 for MiBytes */
  double element; /**< bytes */
  timed *rows;
  size_t count;
  bool several; /**< sizes of arrays */
} reading;

static int find(const char *name) {
  for (int i = 0; i < KERNEL_COUNT; i++) {
    if (rf_letters_compare(name, kernels[i].name) == 0) {
      return i;
    }
  }
  return -1;
}

/** Keeps a row until it is known whether the file has several sizes. */
static roof_status keep(reading *r, int kernel, double bytes, double least, roof_error *error) {
  timed row = {.kernel = kernel, .array_bytes = bytes / kernels[kernel].arrays, .element = r->element};
  if (!(bytes > 0) || !rf_import_picoseconds(least, &row.picoseconds)) {
    return rf_import_error(r->source, error, ROOF_E_PARSE, 0, 0, "`%s`: rate or time column missing",
                           kernels[kernel].name);
  }
  if (r->count % ROOM == 0) {
    timed *more = realloc(r->rows, (r->count + ROOM) * sizeof *more);
    if (more == NULL) {
      return roof_error_set(error, ROOF_E_MEMORY, "babelstream: out of memory");
    }
    r->rows = more;
  }
  r->several = r->several || (r->count > 0 && fabs(row.array_bytes / r->rows[0].array_bytes - 1) > 0.01);
  r->rows[r->count++] = row;
  return ROOF_OK;
}

static roof_status add(reading *r, const timed *row, roof_error *error) {
  char size[32];
  const char *kernel = kernels[row->kernel].name;
  roof_quantity_format(size, sizeof size, row->array_bytes, "B");
  const char *name = r->several ? rf_import_textf(r->profile, "%s of %s arrays", kernel, size) : kernel;
  roof_record *record = rf_import_record(r->profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(r->profile, error);
  }
  double flops = row->array_bytes / row->element * kernels[row->kernel].flops;
  rf_import_call(r->profile, record, row->picoseconds);
  rf_import_add(&record->bytes[ROOF_MEMORY], row->array_bytes * kernels[row->kernel].arrays,
                "best rate x least time; no write-allocate", ROOF_QUALITY_DERIVED);
  rf_import_add(&record->flops[row->element == 4 ? ROOF_FP32 : ROOF_FP64][ROOF_VECTOR], flops,
                "FLOPs of the kernel's formula per element", ROOF_QUALITY_DERIVED);
  return ROOF_OK;
}

/** The lines above the table. */
static void take_heading(reading *r, const char *line) {
  static const char *const devices[] = {"Using CUDA device ", "Using HIP device ", "Using OpenCL device ",
                                        "Using SYCL device "};
  if (strncmp(line, "Precision: float", 16) == 0) {
    r->element = 4;
  }
  if (strstr(line, "MiBytes/sec") != NULL) {
    r->mega = 1048576;
  }
  for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
    if (strncmp(line, devices[i], strlen(devices[i])) == 0) {
      rf_import_device(r->profile, line + strlen(devices[i]));
    }
  }
}

static roof_status take_csv(reading *r, int kernel, roof_error *error) {
  bool binary = rf_import_column(&r->header, "max_mibytes_per_sec") >= 0;
  int rate = rf_import_column(&r->header, binary ? "max_mibytes_per_sec" : "max_mbytes_per_sec");
  double size = rf_import_number(rf_import_field(&r->row, rf_import_column(&r->header, "sizeof")), NULL);
  double least =
      rf_import_number(rf_import_field(&r->row, rf_import_column(&r->header, "min_runtime")), NULL);
  r->element = size > 0 ? size : r->element;
  double bytes = rf_import_number(rf_import_field(&r->row, rate), NULL) * (binary ? 1048576 : 1e6) * least;
  return keep(r, kernel, bytes, least, error);
}

static roof_status take_line(reading *r, char *line, roof_error *error) {
  enum { MOST = 8 };
  char *words[MOST];
  if (strncmp(line, "function,", 9) == 0) {
    return rf_import_csv_split(line, ',', &r->header, error);
  }
  take_heading(r, line);
  if (r->header.count > 0) {
    roof_status status = rf_import_csv_split(line, ',', &r->row, error);
    int kernel = find(rf_import_field(&r->row, 0));
    return status == ROOF_OK && kernel >= 0 ? take_csv(r, kernel, error) : status;
  }
  int count = rf_import_words(line, words, MOST), kernel = count == 5 ? find(words[0]) : -1;
  if (kernel < 0) {
    return ROOF_OK;
  }
  double least = rf_import_number(words[2], NULL);
  return keep(r, kernel, rf_import_number(words[1], NULL) * r->mega * least, least, error);
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile, .mega = 1e6, .element = 8};
  roof_status status = ROOF_OK;
  size_t length = 0;
  for (char *line; status == ROOF_OK && (line = rf_import_line(source, &length)) != NULL;) {
    status = take_line(&r, line, error);
  }
  for (size_t i = 0; i < r.count && status == ROOF_OK; i++) {
    status = add(&r, &r.rows[i], error);
  }
  free(r.rows);
  rf_import_row_done(&r.header);
  rf_import_row_done(&r.row);
  return status == ROOF_OK && profile->count == 0
             ? rf_import_error(source, error, ROOF_E_PARSE, 0, 0,
                               "no line of BabelStream's results (`Triad` and so on)")
             : status;
}

const roof_format rf_format_babelstream = {
    .name = "babelstream",
    .title = "BabelStream output, CSV",
    .gives = "time, FLOPs, DRAM bytes",
    .detect = detect,
    .read = read,
};
