/* What counters of AMD's processors make of FLOPs and bytes. */
#include "import/_rocprof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const counter_names[] = {
#define COUNTER_NAME(symbol, name) name,
    ROCPROF_COUNTER_MAP(COUNTER_NAME)
#undef COUNTER_NAME
};

int rf_rocprof_counter(const char *name) {
  for (int i = 0; i < ROCPROF_COUNTERS; i++) {
    if (strcmp(name, counter_names[i]) == 0) {
      return i;
    }
  }
  return -1;
}

const char *rf_rocprof_counter_name(int counter) {
  return counter_names[counter];
}

rocprof_bag *rf_rocprof_bag(rocprof_bags *bags, const roof_profile *profile, const roof_record *record) {
  size_t index = (size_t)(record - profile->records);
  if (index >= bags->count) {
    size_t count = index + 64;
    rocprof_bag *more = realloc(bags->list, count * sizeof *more);
    if (more == NULL) {
      return NULL;
    }
    memset(more + bags->count, 0, (count - bags->count) * sizeof *more);
    bags->list = more;
    bags->count = count;
  }
  return &bags->list[index];
}

void rf_rocprof_add(rocprof_bag *bag, int counter, double value) {
  if (!isnan(value)) {
    bag->value[counter] += value;
    bag->rows[counter]++;
  }
}

size_t rf_rocprof_name(const char *name) {
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

/** What a bag makes of one count: factors of counters, all of which must be there. */
typedef struct term {
  rocprof_counter counter;
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

static double sum_of(const rocprof_bag *b, const term *terms) {
  double sum = 0;
  for (int i = 0; i < TERMS && terms[i].factor != 0; i++) {
    sum += b->rows[terms[i].counter] > 0 ? terms[i].factor * b->value[terms[i].counter] : NAN;
  }
  return sum;
}

static void settle(roof_record *record, const rocprof_bag *b) {
  bool counted[ROOF_UNIT_COUNT] = {false};
  for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
    roof_count *to =
        uses[i].flops ? &record->flops[uses[i].which][uses[i].unit] : &record->bytes[uses[i].which];
    double value = sum_of(b, uses[i].terms);
    counted[uses[i].unit] |= uses[i].flops && !isnan(value);
    if (isnan(to->value) && !(uses[i].flops && uses[i].unit == ROOF_MATRIX && !(value > 0))) {
      rf_import_add(to, value, isnan(value) ? "its counters were not collected" : uses[i].source,
                    uses[i].quality);
    }
  }
  if (counted[ROOF_VECTOR]) {
    rf_import_uncounted_compute(record, counted[ROOF_MATRIX]);
  }
}

static void add_integers(roof_profile *profile, roof_record *record, const rocprof_bag *b) {
  double seconds = record->timed ? (double)record->picoseconds * 1e-12 : NAN;
  if (b->rows[INT32] > 0 && seconds > 0) {
    rf_import_counter(profile, record, "integer_operations_per_second",
                      64 * (b->value[INT32] + b->value[INT64]) / seconds, seconds);
  }
}

void rf_rocprof_settle(const rocprof_bags *bags, roof_profile *profile) {
  for (size_t i = 0; i < profile->count && i < bags->count; i++) {
    settle(&profile->records[i], &bags->list[i]);
    add_integers(profile, &profile->records[i], &bags->list[i]);
  }
}

const char *rf_rocprof_copy(const char *name) {
  static const char *const copies[][2] = {{"MEMORY_COPY_HOST_TO_HOST", "[copy host to host]"},
                                          {"MEMORY_COPY_HOST_TO_DEVICE", "[copy host to device]"},
                                          {"MEMORY_COPY_DEVICE_TO_HOST", "[copy device to host]"},
                                          {"MEMORY_COPY_DEVICE_TO_DEVICE", "[copy device to device]"}};
  for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++) {
    if (strcmp(name, copies[i][0]) == 0) {
      return copies[i][1];
    }
  }
  return name;
}
