/* The answer from the joined tables: records of the kernels, idle time, launch gaps, what has no figure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "import/_kineto.h"

static const char *const why_texts[] = {
#define WHY(symbol, text) text,
    KINETO_WHY_MAP(WHY)
#undef WHY
};

static int by_start(const void *a, const void *b) {
  const kineto_kernel *x = a, *y = b;
  return x->start != y->start ? (x->start < y->start ? -1 : 1) : (x->correlation > y->correlation) * 2 - 1;
}

static size_t name_of(const kineto *t, uint32_t number, char text[KINETO_NAME]) {
  size_t size;
  const char *raw = rf_intern_get(&t->names, number, &size);
  return rf_scan_text((rf_span){raw, size, true}, text, KINETO_NAME);
}

static uint32_t op_name(const kineto *t, const kineto_kernel *k) {
  return t->calls.list[t->ops.list[k->op].shape].name;
}

/* Records */

/** Calls of one name with known and with unknown work are two records: together their rates would be wrong.
 * `mixed`: the name has both. */
static roof_record *new_record(kineto *t, const kineto_kernel *k, const char *part, bool mixed) {
  char name[KINETO_NAME + 16], *end = name + name_of(t, k->name, name);
  if (mixed && k->why != WHY_KNOWN) {
    snprintf(end, 16, " [work unknown]");
  }
  return k->why != WHY_KNOWN && k->activity == KERNEL
             ? rf_import_uncounted(t->profile, part, name, strlen(name), why_texts[k->why])
             : rf_import_part(t->profile, part, name, strlen(name));
}

static roof_record *record_of(kineto *t, const kineto_kernel *k, bool mixed) {
  uint32_t *known = &t->said.list[k->name].record[k->why != WHY_KNOWN];
  if (*known > 0 && t->profile->by == ROOF_BY_KERNEL) {
    return &t->profile->records[*known - 1];
  }
  roof_record *record = new_record(t, k, rf_kineto_part(t, k), mixed);
  *known = record != NULL ? (uint32_t)(record - t->profile->records) + 1 : 0;
  return record;
}

static const char *source_of(kineto *t, kineto_shape *call, bool again) {
  if (call->source[again] == NULL) {
    char op[KINETO_NAME];
    name_of(t, call->name, op);
    char each[48] = "";
    if (call->work.each > 0) {
      snprintf(each, sizeof each, " (%.0f FLOP per element)", call->work.each);
    }
    call->source[again] = rf_import_textf(
        t->profile, "formula of %s%s from the shapes of %.200s, its kernels by their time%s%s", call->work.op,
        each, op, call->work.estimated ? "; in part assumed" : "",
        again ? "; of a graph whose kernels ran by operators as well" : "");
  }
  return call->source[again];
}

/** Where the work counts: fp32 on the matrix unit is what the name says, tf32 where it says nothing. */
static roof_count *flops_of(kineto *t, const kineto_kernel *k, const torch_work *w, roof_record *record) {
  roof_dtype dtype = w->untyped ? t->said.list[k->name].dtype : w->dtype;
  roof_unit unit = w->product && k->says.unit == ROOF_MATRIX ? ROOF_MATRIX : w->unit;
  if (unit == ROOF_MATRIX && dtype == ROOF_FP32) {
    dtype = k->says.dtype >= 0 ? (roof_dtype)k->says.dtype : ROOF_TF32;
  }
  return &record->flops[dtype][unit];
}

static void add_work(kineto *t, const kineto_kernel *k, roof_record *record) {
  kineto_shape *call = &t->calls.list[t->ops.list[k->op].shape];
  const torch_work *w = &call->work;
  const char *source = source_of(t, call, k->again);
  double width = w->untyped ? t->said.list[k->name].width : 1;
  roof_count *flops = flops_of(t, k, w, record);
  if (isnan(w->flops)) {
    rf_import_missing(flops, "its operations are not floating-point arithmetic or not counted");
  } else {
    rf_import_add(flops, k->amount * w->flops, source,
                  w->estimated || k->again ? ROOF_QUALITY_ESTIMATED : ROOF_QUALITY_DERIVED);
  }
  rf_import_add(&record->bytes[ROOF_MEMORY], k->amount * w->bytes * width, source, ROOF_QUALITY_ESTIMATED);
}

static import_way way_of(const kineto *t, const kineto_kernel *k) {
  return k->activity == SET ? IMPORT_WAY_SET : t->said.list[k->name].way;
}

static void add_bytes(const kineto *t, const kineto_kernel *k, roof_record *record) {
  if (k->activity == COLLECTIVE) {
    rf_import_add(&record->link_bytes, k->amount, "formula of the collective from its elements and ranks",
                  ROOF_QUALITY_DERIVED);
    record->link_ranks = fmax(record->link_ranks, k->ranks);
  } else {
    rf_import_moved(record, way_of(t, k), k->amount);
  }
}

static void mark_missing(const kineto *t, const kineto_kernel *k, roof_record *record) {
  const char *why = why_texts[k->why];
  bool link = k->activity == COLLECTIVE || (k->activity == COPY && way_of(t, k) <= IMPORT_WAY_PEER);
  rf_import_missing(link ? &record->link_bytes : &record->bytes[ROOF_MEMORY], why);
  if (k->activity == KERNEL) {
    rf_import_missing(&record->flops[ROOF_FP32][ROOF_VECTOR], why);
  }
}

static roof_status add_kernel(kineto *t, kineto_kernel *k, bool mixed) {
  roof_record *record = record_of(t, k, mixed);
  if (record == NULL) {
    return rf_import_settled(t->profile, t->error);
  }
  bool marked =
      k->why != WHY_KNOWN && k->activity == KERNEL && record->bytes[ROOF_MEMORY].source == why_texts[k->why];
  if (!marked && !rf_import_own_counts(t->profile, record)) {
    return rf_import_settled(t->profile, t->error);
  }
  k->record = (uint32_t)(record - t->profile->records);
  rf_import_call(t->profile, record, k->picoseconds);
  rf_import_counter(t->profile, record, "occupancy", (double)k->occupancy, (double)k->picoseconds * 1e-12);
  if (marked) {
    return ROOF_OK;
  }
  if (k->why != WHY_KNOWN) {
    mark_missing(t, k, record);
  } else if (k->activity == KERNEL) {
    add_work(t, k, record);
  } else {
    add_bytes(t, k, record);
  }
  return ROOF_OK;
}

/** What was left out, by operator, or by the kernel's name where it has none. */
static void skip_unknown(kineto *t, const uint64_t *times) {
  char name[KINETO_NAME];
  for (uint32_t n = 0; n < t->said.count; n++) {
    for (int why = WHY_KNOWN + 1; why < WHY_COUNT; why++) {
      if (times[n * WHY_COUNT + (uint32_t)why] > 0) {
        name_of(t, n, name);
        rf_import_skips(t->profile, name, why_texts[why], times[n * WHY_COUNT + (uint32_t)why]);
      }
    }
  }
  for (int why = WHY_KNOWN + 1; why < WHY_COUNT; why++) {
    uint64_t nameless = times[t->said.count * WHY_COUNT + (size_t)why];
    if (nameless > 0) {
      rf_import_skips(t->profile, "kernels", why_texts[why], nameless);
    }
  }
}

static roof_status make_records(kineto *t) {
  uint8_t *kinds = calloc(t->said.count + 1, 1);
  uint64_t *times = calloc((t->said.count + 1) * WHY_COUNT, sizeof *times);
  if (kinds == NULL || times == NULL) {
    free(kinds);
    free(times);
    return rf_kineto_no_memory(t);
  }
  roof_status status = ROOF_OK;
  kineto_kernel *kernels = t->kernels.list;
  for (size_t i = 0; i < t->kernels.count; i++) {
    kineto_kernel *k = &kernels[i];
    if (k->activity != KERNEL && isnan(k->amount)) {
      k->why = WHY_NO_BYTES;
    }
    kinds[k->name] |= k->why == WHY_KNOWN ? 1 : 2;
    size_t name = k->op != KINETO_NONE ? op_name(t, k) : k->activity != KERNEL ? k->name : t->said.count;
    times[name * WHY_COUNT + k->why]++;
  }
  qsort(kernels, t->kernels.count, sizeof *kernels, by_start);
  rf_kineto_nest_marks(t);
  for (size_t i = 0; i < t->kernels.count && status == ROOF_OK; i++) {
    status = add_kernel(t, &kernels[i], kinds[kernels[i].name] == 3);
  }
  if (status == ROOF_OK) {
    skip_unknown(t, times);
  }
  free(kinds);
  free(times);
  return status == ROOF_OK ? rf_import_settled(t->profile, t->error) : status;
}

/** The device that most calls ran on. */
static void name_device(kineto *t) {
  size_t calls[KINETO_DEVICES] = {0}, most = 0;
  for (size_t i = 0; i < t->kernels.count; i++) {
    int device = t->kernels.list[i].device;
    if (device >= 0 && device < KINETO_DEVICES && t->devices[device] != NULL) {
      calls[device]++;
      most = calls[device] > calls[most] ? (size_t)device : most;
    }
  }
  if (calls[most] > 0) {
    rf_import_device(t->profile, t->devices[most]);
  }
}

/** The trace counts from 1970 or from the start of the machine; only the former is a date. */
static void date(kineto *t) {
  double taken = (double)t->base * 1e-9 + (double)t->first * 1e-9;
  const double year_2015 = 1420070400;
  if (taken > year_2015 && taken < (double)time(NULL)) {
    t->profile->taken = taken;
  }
}

roof_status rf_kineto_report(kineto *t) {
  roof_status status = make_records(t);
  status = status == ROOF_OK ? rf_kineto_time(t) : status;
  if (status == ROOF_OK) {
    name_device(t);
    date(t);
  }
  return status;
}
