/* AMD's profilers, all of them CSV: one row per dispatch with one column per counter (pmc_perf.csv of
 * rocprofiler-compute, rocprof's results.csv), one row per counter (rocprofv3), one row per call (kernel
 * traces) and one row per kernel (statistics). Formulas: rocprofiler-compute, "Performance model"; a wave is
 * 64 lanes. They are sums of counters, so the counters of all dispatches of a kernel are added up first. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"

/** X(symbol, counter) */
#define COUNTER_MAP(X)                                                                                       \
  X(ADD_F16, "SQ_INSTS_VALU_ADD_F16")                                                                        \
  X(MUL_F16, "SQ_INSTS_VALU_MUL_F16")                                                                        \
  X(TRANS_F16, "SQ_INSTS_VALU_TRANS_F16")                                                                    \
  X(FMA_F16, "SQ_INSTS_VALU_FMA_F16")                                                                        \
  X(ADD_F32, "SQ_INSTS_VALU_ADD_F32")                                                                        \
  X(MUL_F32, "SQ_INSTS_VALU_MUL_F32")                                                                        \
  X(TRANS_F32, "SQ_INSTS_VALU_TRANS_F32")                                                                    \
  X(FMA_F32, "SQ_INSTS_VALU_FMA_F32")                                                                        \
  X(ADD_F64, "SQ_INSTS_VALU_ADD_F64")                                                                        \
  X(MUL_F64, "SQ_INSTS_VALU_MUL_F64")                                                                        \
  X(TRANS_F64, "SQ_INSTS_VALU_TRANS_F64")                                                                    \
  X(FMA_F64, "SQ_INSTS_VALU_FMA_F64")                                                                        \
  X(MOPS_F16, "SQ_INSTS_VALU_MFMA_MOPS_F16")                                                                 \
  X(MOPS_BF16, "SQ_INSTS_VALU_MFMA_MOPS_BF16")                                                               \
  X(MOPS_F32, "SQ_INSTS_VALU_MFMA_MOPS_F32")                                                                 \
  X(MOPS_F64, "SQ_INSTS_VALU_MFMA_MOPS_F64")                                                                 \
  X(MOPS_F8, "SQ_INSTS_VALU_MFMA_MOPS_F8")                                                                   \
  X(MOPS_I8, "SQ_INSTS_VALU_MFMA_MOPS_I8")                                                                   \
  X(L1_ACCESSES, "TCP_TOTAL_CACHE_ACCESSES_sum")                                                             \
  X(L2_READ, "TCP_TCC_READ_REQ_sum")                                                                         \
  X(L2_WRITE, "TCP_TCC_WRITE_REQ_sum")                                                                       \
  X(L2_ATOMIC, "TCP_TCC_ATOMIC_WITH_RET_REQ_sum")                                                            \
  X(L2_ATOMIC_MUTE, "TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum")                                                    \
  X(EA_READ, "TCC_EA_RDREQ_sum")                                                                             \
  X(EA_READ_32, "TCC_EA_RDREQ_32B_sum")                                                                      \
  X(EA_WRITE, "TCC_EA_WRREQ_sum")                                                                            \
  X(EA_WRITE_64, "TCC_EA_WRREQ_64B_sum")                                                                     \
  X(EA0_READ, "TCC_EA0_RDREQ_sum")                                                                           \
  X(EA0_READ_32, "TCC_EA0_RDREQ_32B_sum")                                                                    \
  X(EA0_WRITE, "TCC_EA0_WRREQ_sum")                                                                          \
  X(EA0_WRITE_64, "TCC_EA0_WRREQ_64B_sum")                                                                   \
  X(BUBBLE, "TCC_BUBBLE_sum")                                                                                \
  X(FETCH, "FETCH_SIZE")                                                                                     \
  X(WRITE, "WRITE_SIZE")

typedef enum counter {
#define COUNTER_ENUM(symbol, name) symbol,
  COUNTER_MAP(COUNTER_ENUM)
#undef COUNTER_ENUM
      COUNTER_COUNT
} counter;

static const char *const counter_names[] = {
#define COUNTER_NAME(symbol, name) name,
    COUNTER_MAP(COUNTER_NAME)
#undef COUNTER_NAME
};

/** The counters of a kernel, of all its dispatches. */
typedef struct bag {
  double value[COUNTER_COUNT];
  uint64_t rows[COUNTER_COUNT + 1]; /* of each counter, and in the last place of dispatches */
  const char *first;                /* where a row is a counter: the one that stands for its dispatch */
} bag;

/** The columns of a table; -1 where it has none. */
typedef struct columns {
  int kernel, counter, value, start, end, calls, total, device;
  int of[COUNTER_COUNT];
} columns;

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  columns c;
  bag *bags; /* by record */
  size_t bag_count;
  import_gaps gaps;
  size_t rows, host_functions;
} reading;

static int detect(const char *text, size_t size) {
  (void)size;
  static const char *const marks[] = {"Dispatch_ID,",
                                      "Dispatch_Id\"",
                                      "Dispatch_Id,",
                                      "\"KernelName\",\"gpu-id\"",
                                      "Index,KernelName,",
                                      "TotalDurationNs",
                                      "\"Domain\",\"Function\",\"Process_Id\""};
  const char *line_end = strchr(text, '\n');
  for (size_t i = 0; i < sizeof marks / sizeof marks[0] && line_end != NULL; i++) {
    const char *at = strstr(text, marks[i]);
    if (at != NULL && at < line_end) {
      return 90;
    }
  }
  return 0;
}

static int either(const import_row *header, const char *a, const char *b) {
  int column = rf_import_column(header, a);
  return column >= 0 ? column : rf_import_column(header, b);
}

static bool find_columns(const import_row *header, columns *c) {
  *c = (columns){.kernel = either(header, "Kernel_Name", "KernelName"),
                 .counter = rf_import_column(header, "Counter_Name"),
                 .value = rf_import_column(header, "Counter_Value"),
                 .start = either(header, "Start_Timestamp", "BeginNs"),
                 .end = either(header, "End_Timestamp", "EndNs"),
                 .calls = rf_import_column(header, "Calls"),
                 .total = rf_import_column(header, "TotalDurationNs")};
  if (c->calls >= 0 && c->total >= 0) {
    c->kernel = rf_import_column(header, "Name");
  }
  for (int i = 0; i < COUNTER_COUNT; i++) {
    c->of[i] = rf_import_column(header, counter_names[i]);
  }
  return c->kernel >= 0;
}

/** The name without what the code object adds: "copy(double*) (.kd)", "copy(double*) [clone .kd]", "copy.kd".
 */
static size_t bare_length(const char *name) {
  static const char *const ends[] = {" [clone .kd]", " (.kd)", ".kd"};
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    size_t tail = strlen(ends[i]);
    if (length > tail && strcmp(name + length - tail, ends[i]) == 0) {
      return length - tail;
    }
  }
  return length;
}

static bag *bag_of(reading *r, const roof_record *record) {
  size_t index = (size_t)(record - r->profile->records);
  if (index >= r->bag_count) {
    size_t count = index + 64;
    bag *more = realloc(r->bags, count * sizeof *more);
    if (more == NULL) {
      return NULL;
    }
    memset(more + r->bag_count, 0, (count - r->bag_count) * sizeof *more);
    r->bags = more;
    r->bag_count = count;
  }
  return &r->bags[index];
}

static void count(bag *b, int which, const char *text) {
  double value = rf_import_number(text, NULL);
  if (!isnan(value)) {
    b->value[which] += value;
    b->rows[which]++;
  }
}

/** Picoseconds between two times in ns, whole or with a fraction; false where they are equal or none. */
static bool span_of(const char *start_text, const char *end_text, int64_t *start, int64_t *end,
                    uint64_t *picoseconds) {
  int64_t length = 0;
  if (rf_import_count(start_text, start) && rf_import_count(end_text, end)) {
    bool fits = !__builtin_sub_overflow(*end, *start, &length) && length > 0 && length <= INT64_MAX / 1000;
    *picoseconds = fits ? (uint64_t)length * 1000 : 0;
    return fits;
  }
  double first = rf_import_number(start_text, NULL), last = rf_import_number(end_text, NULL);
  bool fits = first >= 0 && last > first && last < 9e15;
  *start = fits ? llround(first) : 0;
  *end = fits ? llround(last) : 0;
  return fits && rf_import_picoseconds((last - first) * 1e-9, picoseconds);
}

/** The time of one dispatch; some files write the same time for start and end, and that is none. */
static void take_time(reading *r, const import_row *row, roof_record *record) {
  int64_t start = 0, end = 0;
  uint64_t picoseconds = 0;
  if (r->c.start < 0 || r->c.end < 0) {
    return;
  }
  if (!span_of(rf_import_field(row, r->c.start), rf_import_field(row, r->c.end), &start, &end,
               &picoseconds)) {
    rf_import_skip(r->profile, "time of a dispatch",
                   "start and end are equal, in the wrong order or rounded");
    return;
  }
  uint64_t calls = record->calls;
  rf_import_call(r->profile, record, picoseconds);
  record->calls = calls; /* dispatches are counted with their counters */
  rf_import_gap(&r->gaps, start, end);
}

/** Statistics of host functions (hip_api_stats, hsa_api_stats) have the columns of those of kernels. */
static bool is_host_function(const char *name) {
  bool hip = strncmp(name, "hip", 3) == 0 && isupper((unsigned char)name[3]);
  return (hip || strncmp(name, "hsa_", 4) == 0 || strncmp(name, "__hip", 5) == 0) &&
         strpbrk(name, "(<:") == NULL;
}

static roof_status take_statistics(reading *r, const import_row *row, roof_record *record,
                                   roof_error *error) {
  int64_t calls = 0;
  uint64_t picoseconds = 0;
  if (!rf_import_count(rf_import_field(row, r->c.calls), &calls) || calls < 1 ||
      !rf_import_time(rf_import_field(row, r->c.total), "ns", NULL, &picoseconds)) {
    return rf_import_error(r->source, error, ROOF_E_PARSE, row->line, r->c.total + 1,
                           "no calls and time of `%.60s`", record->name);
  }
  rf_import_calls(record, (uint64_t)calls, picoseconds);
  return ROOF_OK;
}

/** A row of one counter of a dispatch, which has a row for each; true for one of them. */
static bool take_counter(reading *r, const import_row *row, bag *b) {
  const char *name = rf_import_field(row, r->c.counter);
  b->first = b->first != NULL ? b->first : roof_profile_text(r->profile, name);
  for (int i = 0; i < COUNTER_COUNT; i++) {
    if (strcmp(name, counter_names[i]) == 0) {
      count(b, i, rf_import_field(row, r->c.value));
    }
  }
  return strcmp(b->first, name) == 0;
}

static roof_status take_row(reading *r, const import_row *row, roof_error *error) {
  const char *name = rf_import_field(row, r->c.kernel);
  if (name[0] == '\0') {
    return ROOF_OK;
  }
  if (r->c.total >= 0 && is_host_function(name)) {
    rf_import_skip(r->profile, "calls of a host function", "they are not kernels: kernel_stats has those");
    r->host_functions++;
    return ROOF_OK;
  }
  roof_record *record = rf_import_record(r->profile, name, bare_length(name));
  bag *b = record != NULL ? bag_of(r, record) : NULL;
  if (b == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "rocprof: out of memory");
  }
  r->rows++;
  if (r->c.calls >= 0 && r->c.total >= 0) {
    return take_statistics(r, row, record, error);
  }
  bool dispatch = true; /* the first row of it */
  if (r->c.counter >= 0) {
    dispatch = take_counter(r, row, b);
  } else {
    for (int i = 0; i < COUNTER_COUNT; i++) {
      count(b, i, rf_import_field(row, r->c.of[i]));
    }
  }
  if (dispatch) {
    b->rows[COUNTER_COUNT]++;
    take_time(r, row, record);
  }
  return ROOF_OK;
}

/** What a bag makes of one count: factors of counters, all of which must be there. */
typedef struct term {
  counter counter;
  double factor;
} term;

enum { TERMS = 8 };

static const struct {
  term terms[TERMS]; /* up to a factor of 0 */
  bool flops;
  int which; /* a roof_dtype or a roof_level_kind */
  roof_unit unit;
  roof_quality quality;
  const char *source;
} uses[] = {
    {{{ADD_F16, 64}, {MUL_F16, 64}, {TRANS_F16, 64}, {FMA_F16, 128}},
     true,
     ROOF_FP16,
     ROOF_VECTOR,
     ROOF_QUALITY_MEASURED,
     "64 (add + mul + trans + 2 fma) of F16"},
    {{{ADD_F32, 64}, {MUL_F32, 64}, {TRANS_F32, 64}, {FMA_F32, 128}},
     true,
     ROOF_FP32,
     ROOF_VECTOR,
     ROOF_QUALITY_MEASURED,
     "64 (add + mul + trans + 2 fma) of F32"},
    {{{ADD_F64, 64}, {MUL_F64, 64}, {TRANS_F64, 64}, {FMA_F64, 128}},
     true,
     ROOF_FP64,
     ROOF_VECTOR,
     ROOF_QUALITY_MEASURED,
     "64 (add + mul + trans + 2 fma) of F64"},
    {{{MOPS_F16, 512}}, true, ROOF_FP16, ROOF_MATRIX, ROOF_QUALITY_MEASURED, "512 MFMA_MOPS_F16"},
    {{{MOPS_BF16, 512}}, true, ROOF_BF16, ROOF_MATRIX, ROOF_QUALITY_MEASURED, "512 MFMA_MOPS_BF16"},
    {{{MOPS_F32, 512}}, true, ROOF_FP32, ROOF_MATRIX, ROOF_QUALITY_MEASURED, "512 MFMA_MOPS_F32"},
    {{{MOPS_F64, 512}}, true, ROOF_FP64, ROOF_MATRIX, ROOF_QUALITY_MEASURED, "512 MFMA_MOPS_F64"},
    {{{MOPS_F8, 512}}, true, ROOF_FP8, ROOF_MATRIX, ROOF_QUALITY_MEASURED, "512 MFMA_MOPS_F8"},
    {{{MOPS_I8, 512}}, true, ROOF_INT8, ROOF_MATRIX, ROOF_QUALITY_MEASURED, "512 MFMA_MOPS_I8"},
    {{{L1_ACCESSES, 64}},
     false,
     ROOF_L1,
     ROOF_VECTOR,
     ROOF_QUALITY_ESTIMATED,
     "64 TCP_TOTAL_CACHE_ACCESSES: whole lines"},
    /* requests to the L2 of CDNA 3, which has TCC_EA0 counters, read 128 bytes */
    {{{L2_READ, 128}, {L2_WRITE, 64}, {L2_ATOMIC, 64}, {L2_ATOMIC_MUTE, 64}, {EA0_READ, 1e-300}},
     false,
     ROOF_L2,
     ROOF_VECTOR,
     ROOF_QUALITY_DERIVED,
     "128 TCP_TCC reads + 64 (writes + atomics)"},
    {{{L2_READ, 64}, {L2_WRITE, 64}, {L2_ATOMIC, 64}, {L2_ATOMIC_MUTE, 64}},
     false,
     ROOF_L2,
     ROOF_VECTOR,
     ROOF_QUALITY_MEASURED,
     "64 (TCP_TCC reads + writes + atomics)"},
    {{{EA0_READ, 64}, {EA0_READ_32, -32}, {BUBBLE, 64}, {EA0_WRITE, 32}, {EA0_WRITE_64, 32}},
     false,
     ROOF_MEMORY,
     ROOF_VECTOR,
     ROOF_QUALITY_MEASURED,
     "TCC_EA0 reads of 128, 64 and 32 bytes, writes of 64 and 32"},
    {{{EA_READ, 64}, {EA_READ_32, -32}, {EA_WRITE, 32}, {EA_WRITE_64, 32}},
     false,
     ROOF_MEMORY,
     ROOF_VECTOR,
     ROOF_QUALITY_MEASURED,
     "TCC_EA reads and writes of 64 and 32 bytes"},
    {{{FETCH, 1024}, {WRITE, 1024}},
     false,
     ROOF_MEMORY,
     ROOF_VECTOR,
     ROOF_QUALITY_MEASURED,
     "1024 (FETCH_SIZE + WRITE_SIZE)"},
};

static double sum_of(const bag *b, const term *terms) {
  double sum = 0;
  for (int i = 0; i < TERMS && terms[i].factor != 0; i++) {
    sum += b->rows[terms[i].counter] > 0 ? terms[i].factor * b->value[terms[i].counter] : NAN;
  }
  return sum;
}

static void settle(reading *r, roof_record *record, const bag *b) {
  uint64_t calls = 0;
  for (int i = 0; i <= COUNTER_COUNT; i++) {
    calls = b->rows[i] > calls ? b->rows[i] : calls;
  }
  if (r->c.total < 0) {
    record->calls += calls > 0 ? calls : 1;
  }
  for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
    roof_count *to =
        uses[i].flops ? &record->flops[uses[i].which][uses[i].unit] : &record->bytes[uses[i].which];
    double value = sum_of(b, uses[i].terms);
    if (isnan(to->value) && !(uses[i].flops && uses[i].unit == ROOF_MATRIX && !(value > 0))) {
      rf_import_add(to, value, isnan(value) ? "its counters were not collected" : uses[i].source,
                    uses[i].quality);
    }
  }
}

static roof_status read_rows(reading *r, roof_error *error) {
  import_row row = {0};
  roof_status status = ROOF_OK;
  bool open = rf_import_csv(r->source, ',', &row, &status, error) && find_columns(&row, &r->c);
  if (status == ROOF_OK && !open) {
    status = rf_import_error(
        r->source, error, ROOF_E_PARSE, 1, 0,
        "no column of kernels' names: give counter_collection, kernel_trace, kernel_stats or pmc_perf");
  }
  while (status == ROOF_OK && rf_import_csv(r->source, ',', &row, &status, error)) {
    columns next;
    if (strstr(rf_import_field(&row, r->c.kernel), "ernel") != NULL && find_columns(&row, &next)) {
      r->c = next; /* files put one behind the other */
    } else {
      status = take_row(r, &row, error);
    }
  }
  rf_import_row_done(&row);
  return status;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile};
  roof_status status = read_rows(&r, error);
  if (status == ROOF_OK && r.rows == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "%s",
                             r.host_functions > 0 ? "statistics of host functions: give kernel_stats.csv"
                                                  : "a header without kernels");
  }
  /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): r.bags is freed below */
  for (size_t i = 0; i < profile->count && i < r.bag_count && status == ROOF_OK; i++) {
    settle(&r, &profile->records[i], &r.bags[i]);
  }
  rf_import_gap_facts(profile, &r.gaps);
  free(r.bags);
  return status;
}

const roof_format rf_format_rocprof = {
    .name = "rocprof",
    .title = "rocprof, rocprofv3 and rocprofiler-compute CSV (counters, traces, statistics)",
    .gives = "time, FLOPs by format and unit, bytes of L1, L2 and HBM",
    .detect = detect,
    .read = read,
};
