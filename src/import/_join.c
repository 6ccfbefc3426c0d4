/* Records of several files together, and of several kernels under one name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"

/** The counts of a record one after the other, so that loops need not name them. */
static roof_count *count_at(roof_record *r, size_t i) {
  const struct {
    roof_count *first;
    size_t count;
  } parts[] = {{&r->flops[0][0], ROOF_DTYPE_COUNT * ROOF_UNIT_COUNT},
               {r->other_flops, ROOF_DTYPE_COUNT},
               {r->bytes, ROOF_LEVEL_KIND_COUNT},
               {&r->other_bytes, 1},
               {&r->link_bytes, 1},
               {&r->items, 1}};
  size_t part = 0;
  while (i >= parts[part].count) {
    i -= parts[part++].count;
  }
  return parts[part].first + i;
}

enum { COUNTS = ROOF_DTYPE_COUNT * (ROOF_UNIT_COUNT + 1) + ROOF_LEVEL_KIND_COUNT + 3 };

static bool has_counts(const roof_record *record) {
  roof_record copy = *record;
  bool any = false;
  for (size_t i = 0; i < COUNTS; i++) {
    any |= !isnan(count_at(&copy, i)->value);
  }
  return any;
}

/** Whether nothing was added to a record yet. */
static bool is_fresh(const roof_record *record) {
  return record->calls == 0 && !has_counts(record);
}

/** True where a profiler read FLOPs or bytes from counters, which slows kernels down; the first counts are these. */
static bool is_counted(const roof_record *record) {
  enum { COUNTERS = COUNTS - 2 }; /* but for bytes through a link and items, which the host knows */
  roof_record copy = *record;
  bool any = false;
  for (size_t i = 0; i < COUNTERS; i++) {
    const roof_count *c = count_at(&copy, i);
    any |= !isnan(c->value) && c->quality == ROOF_QUALITY_MEASURED;
  }
  return any;
}

static roof_quality lower(roof_quality a, roof_quality b) {
  return a > b ? a : b;
}

/** Adds the counts of `from` times `scale`, of no better quality than `most`. */
static void add_counts(roof_profile *profile, roof_record *into, const roof_record *from, double scale,
                       roof_quality most) {
  roof_record copy = *from;
  for (size_t i = 0; i < COUNTS; i++) {
    const roof_count *c = count_at(&copy, i);
    const char *source = roof_profile_text(profile, c->source);
    rf_import_add(count_at(into, i), c->value * scale, source, lower(c->quality, most));
  }
}

/** The time outside the regions in it, s; 0 of no calls. */
static double own_seconds(const roof_record *record) {
  return isnan(record->own_seconds) ? 1e-12 * (double)record->picoseconds : record->own_seconds;
}

static void add_time(roof_profile *profile, roof_record *into, const roof_record *from) {
  if (!isnan(into->own_seconds) || !isnan(from->own_seconds)) {
    into->own_seconds = own_seconds(into) + own_seconds(from);
  }
  rf_import_calls(into, from->calls, from->picoseconds);
  into->timed = from->timed;
  for (size_t i = 0; i < from->sample_count; i++) {
    rf_import_sample(profile, into, from->samples[i]);
  }
}

static void drop_time(roof_record *record) {
  record->calls = record->picoseconds = record->sampled = 0;
  record->sample_count = 0;
  record->own_seconds = NAN;
  record->timed = false;
}

static void scale_counts(roof_record *record, double scale, roof_quality most) {
  for (size_t i = 0; i < COUNTS; i++) {
    roof_count *c = count_at(record, i);
    c->value *= scale;
    c->quality = isnan(c->value) ? c->quality : lower(c->quality, most);
  }
}

static void drop_counts(roof_record *record) {
  for (size_t i = 0; i < COUNTS; i++) {
    *count_at(record, i) = (roof_count){.value = NAN, .source = ""};
  }
}

/** Calls that counts and times are of; never 0. */
static double calls_of(const roof_record *record) {
  return record->calls > 0 ? (double)record->calls : 1;
}

/** True if neither counts what the other does: two passes over the same calls. */
static bool complementary(const roof_record *a, const roof_record *b) {
  roof_record x = *a, y = *b;
  bool both = false;
  for (size_t i = 0; i < COUNTS; i++) {
    both |= !isnan(count_at(&x, i)->value) && !isnan(count_at(&y, i)->value);
  }
  return !both && a->calls == b->calls && is_counted(a) && is_counted(b);
}

/** The best quality of counts that were made of other calls. */
static roof_quality scaled_to(double scale) {
  return scale == 1 ? ROOF_QUALITY_MEASURED : ROOF_QUALITY_DERIVED;
}

/** Whether one of two files has the time of calls that the other counted, at whose own speed they did not run. */
static bool counts_for(const roof_record *counts, const roof_record *times) {
  return is_counted(counts) && times->timed && !is_counted(times);
}

/** Where calls of the same kernel in one of two files have counts and those of the other have none, they count alike. */
static void count_rest(roof_profile *profile, roof_record *into, const roof_record *from) {
  bool first = has_counts(into);
  if (first == has_counts(from)) {
    add_counts(profile, into, from, 1, ROOF_QUALITY_MEASURED);
  } else if (first) {
    scale_counts(into, 1 + calls_of(from) / calls_of(into), ROOF_QUALITY_ESTIMATED);
  } else {
    add_counts(profile, into, from, 1 + calls_of(into) / calls_of(from), ROOF_QUALITY_ESTIMATED);
  }
}

/** Adds a record of the same file, whatever each has of its calls. */
static void add_same(roof_profile *profile, roof_record *into, const roof_record *from) {
  bool fresh = is_fresh(into), timed = from->timed && (fresh || into->timed);
  bool partly = !fresh && has_counts(into) != has_counts(from);
  add_time(profile, into, from);
  into->timed = timed;
  add_counts(profile, into, from, 1, ROOF_QUALITY_MEASURED);
  if (partly) {
    scale_counts(into, 1, ROOF_QUALITY_ESTIMATED);
  }
}

/** Adds a record of another file: the counts of a profiler that slows kernels down to the time of one that does not, the
 * counts of one pass to those of another. */
static void add_other(roof_profile *profile, roof_record *into, const roof_record *from) {
  if (is_fresh(into)) {
    add_same(profile, into, from);
  } else if (counts_for(into, from)) {
    double scale = calls_of(from) / calls_of(into);
    scale_counts(into, scale, scaled_to(scale));
    drop_time(into);
    add_time(profile, into, from);
  } else if (counts_for(from, into)) {
    double scale = calls_of(into) / calls_of(from);
    drop_counts(into);
    add_counts(profile, into, from, scale, scaled_to(scale));
  } else if (complementary(into, from)) {
    add_counts(profile, into, from, 1, ROOF_QUALITY_MEASURED);
  } else {
    bool timed = from->timed && into->timed;
    count_rest(profile, into, from);
    add_time(profile, into, from);
    into->timed = timed;
  }
}

/** Adds one record to another, of the same file or of another. */
static void combine(roof_profile *profile, roof_record *into, const roof_record *from, bool other) {
  bool fresh = is_fresh(into);
  if (other) {
    add_other(profile, into, from);
  } else {
    add_same(profile, into, from);
  }
  if (fresh && into->ran == NULL && from->ran != NULL) {
    rf_import_keep_ran(profile, into, from->ran);
  }
  if (fresh && from->own_name != NULL) {
    into->own_name = roof_profile_text(profile, from->own_name);
  }
  into->own_names = fresh ? from->own_names : into->own_names + (other ? 0 : from->own_names);
  bool same = fresh || into->write_share == from->write_share;
  into->write_share = same ? from->write_share : NAN;
  into->update_share = same && (fresh || into->update_share == from->update_share) ? from->update_share : NAN;
  rf_import_give(into, &from->given, 1, fresh);
  if (from->uncounted != NULL && (fresh || (into->uncounted == NULL && has_counts(from)))) {
    into->uncounted = roof_profile_text(profile, from->uncounted);
  }
  into->link_ranks = fmax(into->link_ranks, from->link_ranks);
  into->link = into->link[0] == '\0' ? roof_profile_text(profile, from->link) : into->link;
  for (size_t i = 0; i < from->rule_count; i++) {
    rf_import_rule(profile, into, &from->rules[i]);
  }
  for (size_t i = 0; i < from->line_count; i++) {
    rf_import_line_cost(profile, into, &from->lines[i]);
  }
  for (size_t i = 0; i < from->counter_count; i++) {
    const roof_counter *c = &from->counters[i];
    rf_import_counter(profile, into, roof_profile_text(profile, c->name), c->value, c->weight);
  }
}

size_t rf_import_base_name(const char *name, const char **start) {
  static const char anonymous[] = "(anonymous namespace)::";
  const char *from = name, *end = name;
  if (strncmp(from, "void ", 5) == 0) {
    from += 5;
  }
  for (end = from; *end != '\0' && *end != '<' && *end != '('; end++) {
    if (strncmp(end + 1, anonymous, sizeof anonymous - 1) == 0) {
      end += sizeof anonymous - 1;
    }
  }
  *start = from;
  return end > from ? (size_t)(end - from) : strlen(from);
}

/** The intervals of the first file that counts so: those of another have their own beginning. */
static void join_intervals(roof_profile *into, const roof_profile *from) {
  size_t size = from->interval_count * sizeof *from->intervals;
  if (into->intervals != NULL || size == 0) {
    return;
  }
  into->intervals = malloc(size);
  if (into->intervals == NULL) {
    rf_import_starved(into);
    return;
  }
  memcpy(into->intervals, from->intervals, size);
  into->interval_count = from->interval_count;
}

static void add_rest(roof_profile *into, const roof_profile *from) {
  join_intervals(into, from);
  for (size_t i = 0; i < from->skip_count; i++) {
    rf_import_skips(into, from->skips[i].what, from->skips[i].why, from->skips[i].times);
  }
  for (size_t i = 0; i < from->fact_count; i++) {
    rf_import_fact(into, from->facts[i].name, from->facts[i].value, from->facts[i].text);
  }
  into->truncated |= from->truncated;
  into->overlap |= from->overlap;
  if (from->device[0] != '\0') {
    rf_import_device(into, from->device);
  }
  if (from->machine != NULL && into->machine == NULL) {
    rf_import_copy_machine(into, from->machine);
  }
}

/** Adds the records of `from` to those of their names in `into`; `number` (as many as records) gets where each went. */
static roof_status add_records(roof_profile *into, const roof_profile *from, bool base, bool other,
                               uint32_t *number, roof_error *error) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < from->count && status == ROOF_OK; i++) {
    const char *name = from->records[i].name;
    size_t length = base ? rf_import_base_name(name, &name) : strlen(name);
    roof_record *record = rf_import_part(into, from->records[i].part, name, length);
    number[i] = record != NULL ? (uint32_t)(record - into->records) : 0;
    if (record != NULL) {
      combine(into, record, &from->records[i], other);
    }
    if (record != NULL && from->records[i].run != NULL) {
      status = rf_import_copy_run(into, record, from->records[i].run, error);
    }
  }
  return status == ROOF_OK ? rf_import_settled(into, error) : status;
}

/** What has one name in `from` is of calls of the same run: it comes together before it meets what is there. */
static roof_status join_records(roof_profile *into, const roof_profile *from, bool base, uint32_t *merged_to,
                                uint32_t *number, roof_error *error) {
  roof_profile merged = {0};
  roof_status status = roof_profile_init(&merged, error);
  if (status == ROOF_OK) {
    status = add_records(&merged, from, base, false, number, error);
  }
  if (status == ROOF_OK) {
    status = add_records(into, &merged, false, true, merged_to, error);
  }
  for (size_t i = 0; i < from->count && status == ROOF_OK; i++) {
    number[i] = merged_to[number[i]];
  }
  roof_profile_done(&merged);
  return status;
}

roof_status roof_profile_join(roof_profile *into, const roof_profile *from, bool base, roof_error *error) {
  uint32_t *merged_to = malloc((from->count + 1) * sizeof *merged_to),
           *number = malloc((from->count + 1) * sizeof *number);
  roof_status status = merged_to != NULL && number != NULL
                           ? join_records(into, from, base, merged_to, number, error)
                           : roof_error_set(error, ROOF_E_MEMORY, "profile: out of memory");
  if (status == ROOF_OK) {
    into->format = into->format == NULL ? from->format : into->format;
    into->taken = fmin(into->taken, from->taken);
    into->by = from->by;
    rf_import_timeline_join(into, from, number);
  }
  add_rest(into, from);
  if (into->timeline != NULL && into->timeline->trace_count > 1) {
    rf_import_time_facts(into);
  }
  free(merged_to);
  free(number);
  return status == ROOF_OK ? rf_import_settled(into, error) : status;
}
