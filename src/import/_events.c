/* How many FLOPs or bytes each event counts: from the processors' manuals, as quoted by LIKWID's groups and
 * the event lists of the Linux kernel. A fused multiply-add counts twice in fp_arith_inst_retired by
 * itself. */
#include "import/_events.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/letters.h"

enum { NAME = 128, LINE = 64 };

static const struct {
  const char *name; /* lower case, '_' for every other mark; a '*' at the end: any further letters */
  event_slot slot;
  double factor; /* FLOP or bytes of one count */
} table[] = {
    {"fp_arith_inst_retired_scalar_double", EVENT_FP64_SCALAR, 1},
    {"fp_arith_inst_retired_128b_packed_double", EVENT_FP64_128, 2},
    {"fp_arith_inst_retired_256b_packed_double", EVENT_FP64_256, 4},
    {"fp_arith_inst_retired_512b_packed_double", EVENT_FP64_512, 8},
    {"fp_arith_inst_retired_scalar_single", EVENT_FP32_SCALAR, 1},
    {"fp_arith_inst_retired_128b_packed_single", EVENT_FP32_128, 4},
    {"fp_arith_inst_retired_256b_packed_single", EVENT_FP32_256, 8},
    {"fp_arith_inst_retired_512b_packed_single", EVENT_FP32_512, 16},
    {"fp_arith_scalar_double", EVENT_FP64_SCALAR, 1}, /* as PAPI's library calls them */
    {"fp_arith_128b_packed_double", EVENT_FP64_128, 2},
    {"fp_arith_256b_packed_double", EVENT_FP64_256, 4},
    {"fp_arith_512b_packed_double", EVENT_FP64_512, 8},
    {"fp_arith_scalar_single", EVENT_FP32_SCALAR, 1},
    {"fp_arith_128b_packed_single", EVENT_FP32_128, 4},
    {"fp_arith_256b_packed_single", EVENT_FP32_256, 8},
    {"fp_arith_512b_packed_single", EVENT_FP32_512, 16},
    {"papi_dp_ops", EVENT_FP64_ALL, 1},
    {"papi_sp_ops", EVENT_FP32_ALL, 1},
    {"papi_fp_ops", EVENT_ANY_ALL, 1},
    {"retired_sse_avx_flops_double_all", EVENT_FP64_ALL, 1},
    {"retired_sse_avx_flops_single_all", EVENT_FP32_ALL, 1},
    {"retired_flops_double_all", EVENT_FP64_ALL, 1},
    {"retired_flops_single_all", EVENT_FP32_ALL, 1},
    {"fp_ret_sse_avx_ops_dp_*", EVENT_FP64_ALL, 1},
    {"fp_ret_sse_avx_ops_sp_*", EVENT_FP32_ALL, 1},
    {"fp_ret_sse_avx_ops_all", EVENT_ANY_ALL, 1},
    {"retired_sse_avx_flops_all", EVENT_ANY_ALL, 1},
    {"retired_sse_avx_operations_all", EVENT_ANY_ALL, 1},
    {"fp_ret_sse_avx_ops_add_sub_flops", EVENT_ANY_PART, 1},
    {"fp_ret_sse_avx_ops_mult_flops", EVENT_ANY_PART, 1},
    {"fp_ret_sse_avx_ops_div_flops", EVENT_ANY_PART, 1},
    {"fp_ret_sse_avx_ops_mac_flops", EVENT_ANY_PART, 1},
    {"fp_fixed_ops_spec", EVENT_ANY_ALL, 1},
    {"fp_scale_ops_spec", EVENT_SCALABLE, 1},
    {"cas_count_read", EVENT_MEMORY_LINES, LINE},
    {"cas_count_write", EVENT_MEMORY_LINES, LINE},
    {"cas_count_rd", EVENT_MEMORY_LINES, LINE},
    {"cas_count_wr", EVENT_MEMORY_LINES, LINE},
    {"unc_m_cas_count_rd", EVENT_MEMORY_LINES, LINE},
    {"unc_m_cas_count_wr", EVENT_MEMORY_LINES, LINE},
    {"umc_cas_cmd_rd", EVENT_MEMORY_LINES, LINE},
    {"umc_cas_cmd_wr", EVENT_MEMORY_LINES, LINE},
    {"data_reads", EVENT_MEMORY_BYTES, LINE},
    {"data_writes", EVENT_MEMORY_BYTES, LINE},
    {"data_read", EVENT_MEMORY_BYTES, LINE}, /* clients from Tiger Lake on */
    {"data_write", EVENT_MEMORY_BYTES, LINE},
    {"llc_load_misses", EVENT_L3_MISSES, LINE},
    {"llc_store_misses", EVENT_L3_MISSES, LINE},
    {"papi_l3_tcm", EVENT_L3_MISSES, LINE},
    {"l2_lines_in_all", EVENT_L2_FILLS, LINE},
    {"papi_l2_tcm", EVENT_L2_MISSES, LINE},
    {"l1d_replacement", EVENT_L1_FILLS, LINE},
    {"l1d_m_evict", EVENT_L1_FILLS, LINE},
    {"papi_l1_tcm", EVENT_L1_MISSES, LINE},
};

enum { EVENT_COUNT = sizeof table / sizeof table[0] };

/** "uncore_imc_0/cas_count_read/" and "cpu_core/cycles/u" are the part between the slashes, "skx::X:u=0" is
 * X. */
static const char *inner(const char *name, size_t *length) {
  const char *slash = strchr(name, '/'), *colons = strstr(name, "::");
  const char *begin = slash != NULL && slash[1] != '\0' ? slash + 1 : colons != NULL ? colons + 2 : name;
  *length = slash != NULL ? strcspn(begin, "/") : strlen(begin);
  return begin;
}

/** In the table's spelling, without what follows `mark`. */
static void spell(const char *name, char mark, char out[NAME]) {
  size_t length = 0, n = 0;
  const char *begin = inner(name, &length);
  for (size_t i = 0; i < length && begin[i] != mark && n + 1 < NAME; i++) {
    out[n++] = isalnum((unsigned char)begin[i]) ? (char)rf_lower((unsigned char)begin[i]) : '_';
  }
  out[n] = '\0';
}

static bool fits(const char *pattern, const char *name) {
  size_t length = strlen(pattern);
  bool any = pattern[length - 1] == '*';
  return any ? strncmp(pattern, name, length - 1) == 0 : strcmp(pattern, name) == 0;
}

/** The event's row: as it is spelled (PAPI: "FP_ARITH:SCALAR_DOUBLE"), else without modifiers (":u"). */
static int find(const char *name) {
  for (int pass = 0; pass < 2; pass++) {
    char spelled[NAME];
    spell(name, pass == 0 ? '\0' : ':', spelled);
    for (int i = 0; i < EVENT_COUNT; i++) {
      if (fits(table[i].name, spelled)) {
        return i;
      }
    }
  }
  return -1;
}

void rf_events_init(events *e) {
  *e = (events){.estimated = false};
  for (int i = 0; i < EVENT_SLOT_COUNT; i++) {
    e->value[i] = NAN;
  }
}

bool rf_events_add(events *e, const char *name, double count, double factor) {
  int i = find(name);
  if (i < 0) {
    return false;
  }
  double *value = &e->value[table[i].slot];
  bool *refused = &e->refused[table[i].slot];
  e->estimated = e->estimated || (isnan(count) ? !isnan(*value) : *refused);
  if (isnan(count)) {
    *refused = true;
  } else {
    double add = count * (isnan(factor) ? table[i].factor : factor);
    *value = isnan(*value) ? add : *value + add;
  }
  return true;
}

/** FLOPs by width of one format; *whole: whether scalar, 128 and 256 bits were all read. */
static double widths(const events *e, event_slot first, bool *whole, bool *refused) {
  double sum = NAN;
  *whole = true;
  *refused = false;
  for (int i = 0; i < 4; i++) {
    double value = e->value[(int)first + i];
    sum = isnan(value) ? sum : isnan(sum) ? value : sum + value;
    *whole = *whole && (i == 3 || !isnan(value));
    *refused = *refused || (isnan(value) && e->refused[(int)first + i]);
  }
  return sum;
}

static roof_quality quality(const events *e, bool sure) {
  return e->estimated || !sure ? ROOF_QUALITY_ESTIMATED : ROOF_QUALITY_DERIVED;
}

/** Of a format that was counted in part the rest may be most of the work. */
static void settle_format(const events *e, event_slot first, event_slot all, roof_dtype dtype,
                          roof_record *record) {
  roof_count *count = &record->flops[dtype][ROOF_VECTOR];
  bool whole, refused;
  double sum = widths(e, first, &whole, &refused);
  if (isnan(e->value[all]) && (refused || e->refused[all] || (!isnan(sum) && !whole))) {
    record->uncounted = "compute";
  }
  if (!isnan(e->value[all])) {
    rf_import_add(count, e->value[all], "the processor's count of FLOPs", quality(e, true));
  } else if (refused) {
    rf_import_missing(count, "not all widths could be counted");
  } else if (!isnan(sum)) {
    rf_import_add(count, sum,
                  whole ? "scalar + lanes x packed, by width"
                        : "scalar + lanes x packed; some widths not read",
                  quality(e, whole));
  } else if (e->refused[all]) {
    rf_import_missing(count, "the event was not counted");
  }
}

static void settle_both(const events *e, roof_count *count) {
  double all = !isnan(e->value[EVENT_ANY_ALL]) ? e->value[EVENT_ANY_ALL] : e->value[EVENT_ANY_PART];
  if (e->value[EVENT_SCALABLE] > 0) {
    rf_import_missing(count, "the length of a scalable vector is not known");
  } else if (!isnan(all)) {
    rf_import_add(count, all, "the processor counts single and double precision together",
                  ROOF_QUALITY_ESTIMATED);
  } else if (e->refused[EVENT_ANY_ALL]) {
    rf_import_missing(count, "the event was not counted");
  }
}

/** The first of the slots that was read. */
static void settle_bytes(const events *e, const event_slot *slots, const char *const *sources, size_t count,
                         bool sure, roof_count *bytes) {
  for (size_t i = 0; i < count; i++) {
    double value = e->value[slots[i]];
    if (!isnan(value) && isnan(bytes->value)) {
      rf_import_add(bytes, value, sources[i], quality(e, sure && i < 2));
    } else if (e->refused[slots[i]]) {
      rf_import_missing(bytes, "the event was not counted");
    }
  }
}

void rf_events_settle(const events *e, roof_dtype both, roof_record *record) {
  static const event_slot memory[] = {EVENT_MEMORY_LINES, EVENT_MEMORY_BYTES, EVENT_L3_MISSES};
  static const char *const memory_source[] = {"64 B x lines the memory controllers moved",
                                              "bytes the memory controllers moved",
                                              "64 B x last-level misses; prefetches are not all counted"};
  static const event_slot l3[] = {EVENT_L2_FILLS, EVENT_L2_MISSES};
  static const char *const l3_source[] = {"64 B x lines into L2; write-backs are not counted",
                                          "64 B x L2 misses; write-backs are not counted"};
  static const event_slot l2[] = {EVENT_L1_FILLS, EVENT_L1_MISSES};
  static const char *const l2_source[] = {"64 B x lines into and out of L1",
                                          "64 B x L1 misses; write-backs are not counted"};
  settle_format(e, EVENT_FP64_SCALAR, EVENT_FP64_ALL, ROOF_FP64, record);
  settle_format(e, EVENT_FP32_SCALAR, EVENT_FP32_ALL, ROOF_FP32, record);
  settle_both(e, &record->flops[both][ROOF_VECTOR]);
  settle_bytes(e, memory, memory_source, 3, true, &record->bytes[ROOF_MEMORY]);
  settle_bytes(e, l3, l3_source, 2, false, &record->bytes[ROOF_L3]);
  settle_bytes(e, l2, l2_source, 2, false, &record->bytes[ROOF_L2]);
}

void rf_events_sums(const events *e, double *flops, double *bytes) {
  const roof_count none = {.value = NAN, .source = ""};
  roof_count counts[ROOF_DTYPE_COUNT][ROOF_UNIT_COUNT], others[ROOF_DTYPE_COUNT],
      levels[ROOF_LEVEL_KIND_COUNT];
  roof_record record = {.flops = counts, .other_flops = others, .bytes = levels, .other_bytes = none};
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    others[d] = none;
    for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
      counts[d][u] = none;
    }
  }
  for (int l = 0; l < ROOF_LEVEL_KIND_COUNT; l++) {
    levels[l] = none;
  }
  rf_events_settle(e, ROOF_FP64, &record);
  *flops = roof_record_flops(&record, NULL, NULL);
  *bytes = levels[ROOF_MEMORY].value;
}

event_region *rf_event_region_of(event_regions *regions, const char *name) {
  for (size_t i = 0; i < regions->count; i++) {
    if (regions->list[i].name == name) {
      return &regions->list[i];
    }
  }
  event_region *more = realloc(regions->list, (regions->count + 1) * sizeof *more);
  if (more == NULL) {
    return NULL;
  }
  regions->list = more;
  event_region *region = &more[regions->count++];
  *region = (event_region){.name = name, .time = {NAN, NAN, NAN}};
  rf_events_init(&region->events);
  return region;
}

bool rf_event_region_add(event_region *region, const char *name, double count, double bytes, double scale) {
  if (rf_events_add(&region->events, name, count, bytes) || isnan(count)) {
    return true;
  }
  for (size_t i = 0; i < region->count; i++) {
    if (region->others[i].name == name) {
      region->others[i].sum += count * scale;
      return true;
    }
  }
  event_other *more = realloc(region->others, (region->count + 1) * sizeof *more);
  if (more == NULL) {
    return false;
  }
  region->others = more;
  region->others[region->count++] = (event_other){name, count * scale};
  return true;
}

roof_record *rf_event_region_settle(const event_region *region, double seconds, roof_dtype both,
                                    roof_profile *profile) {
  roof_record *record = rf_import_record(profile, region->name, strlen(region->name));
  uint64_t picoseconds;
  if (record == NULL) {
    return NULL;
  }
  if (region->calls == 1 && rf_import_picoseconds(seconds, &picoseconds)) {
    rf_import_call(profile, record, picoseconds);
  } else if (rf_import_picoseconds(seconds, &picoseconds)) {
    rf_import_calls(record, region->calls, picoseconds);
  } else {
    record->calls += region->calls;
  }
  rf_events_settle(&region->events, both, record);
  if (isnan(region->events.value[EVENT_ANY_ALL]) && isnan(region->events.value[EVENT_ANY_PART])) {
    rf_import_uncounted_compute(record, true);
  }
  for (size_t i = 0; i < region->count; i++) {
    rf_import_counter(profile, record, region->others[i].name, region->others[i].sum,
                      seconds > 0 ? seconds : 1);
  }
  return record;
}

void rf_event_regions_done(event_regions *regions) {
  for (size_t i = 0; i < regions->count; i++) {
    free(regions->list[i].others);
  }
  free(regions->list);
  *regions = (event_regions){0};
}
