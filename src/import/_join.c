/* Records of several files together, and of several kernels under one name. */
#include <math.h>
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

/** Scales the counts of `from`, of other calls, to `calls`. */
static void add_counts(roof_profile *profile, roof_record *into, const roof_record *from, double scale) {
  roof_record copy = *from;
  for (size_t i = 0; i < COUNTS; i++) {
    const roof_count *c = count_at(&copy, i);
    const char *source = roof_profile_text(profile, c->source);
    bool scaled = scale != 1 && c->quality == ROOF_QUALITY_MEASURED;
    rf_import_add(count_at(into, i), c->value * scale, source, scaled ? ROOF_QUALITY_DERIVED : c->quality);
  }
}

static void add_time(roof_profile *profile, roof_record *into, const roof_record *from) {
  rf_import_calls(into, from->calls, from->picoseconds);
  into->timed = from->timed;
  for (size_t i = 0; i < from->sample_count; i++) {
    rf_import_sample(profile, into, from->samples[i]);
  }
}

static void drop_time(roof_record *record) {
  record->calls = record->picoseconds = record->sampled = 0;
  record->sample_count = 0;
  record->timed = false;
}

static void scale_counts(roof_record *record, double scale) {
  for (size_t i = 0; i < COUNTS; i++) {
    roof_count *c = count_at(record, i);
    c->value *= scale;
    c->quality = c->quality == ROOF_QUALITY_MEASURED ? ROOF_QUALITY_DERIVED : c->quality;
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
  return !both && a->calls == b->calls && has_counts(a) && has_counts(b);
}

/** Adds one record to another. Where one has only time and the other counts, the time stays, for a profiler
 * that counts slows the kernel down, and the counts per call of the other are used. */
static void combine(roof_profile *profile, roof_record *into, const roof_record *from) {
  bool counted = has_counts(into), counts = has_counts(from), fresh = into->calls == 0 && !counted;
  if (!fresh && counted && !counts && from->timed) {
    scale_counts(into, calls_of(from) / calls_of(into));
    drop_time(into);
    add_time(profile, into, from);
  } else if (!fresh && !counted && counts && into->timed) {
    add_counts(profile, into, from, calls_of(into) / calls_of(from));
  } else if (!fresh && complementary(into, from)) {
    add_counts(profile, into, from, 1);
  } else {
    bool timed = from->timed && (fresh || into->timed);
    add_time(profile, into, from);
    into->timed = timed;
    add_counts(profile, into, from, 1);
  }
  if (fresh && into->ran == NULL && from->ran != NULL) {
    rf_import_keep_ran(profile, into, from->ran);
  }
  bool same = fresh || into->write_share == from->write_share;
  into->write_share = same ? from->write_share : NAN;
  into->update_share = same && (fresh || into->update_share == from->update_share) ? from->update_share : NAN;
  into->link = into->link[0] == '\0' ? roof_profile_text(profile, from->link) : into->link;
  for (size_t i = 0; i < from->counter_count; i++) {
    const roof_counter *c = &from->counters[i];
    rf_import_counter(profile, into, roof_profile_text(profile, c->name), c->value, c->weight);
  }
}

/** The name without return type, template arguments and parameters:
 * `void ns::kernel<float, 4>(float*)` is `ns::kernel`. */
static size_t base_name(const char *name, const char **start) {
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

static void add_rest(roof_profile *into, const roof_profile *from) {
  for (size_t i = 0; i < from->skip_count; i++) {
    rf_import_skips(into, from->skips[i].what, from->skips[i].why, from->skips[i].times);
  }
  for (size_t i = 0; i < from->fact_count; i++) {
    rf_import_fact(into, from->facts[i].name, from->facts[i].value, from->facts[i].text);
  }
  if (from->device[0] != '\0') {
    rf_import_device(into, from->device);
  }
  if (from->machine != NULL && into->machine == NULL) {
    rf_import_copy_machine(into, from->machine);
  }
}

roof_status roof_profile_join(roof_profile *into, const roof_profile *from, bool base, roof_error *error) {
  into->format = into->format == NULL ? from->format : into->format;
  into->taken = fmin(into->taken, from->taken);
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < from->count && status == ROOF_OK; i++) {
    const char *name = from->records[i].name;
    size_t length = base ? base_name(name, &name) : strlen(name);
    roof_record *record = rf_import_record(into, name, length);
    if (record != NULL) {
      combine(into, record, &from->records[i]);
    }
    if (record != NULL && from->records[i].run != NULL) {
      status = rf_import_copy_run(into, record, from->records[i].run, error);
    }
  }
  add_rest(into, from);
  return status == ROOF_OK ? rf_import_settled(into, error) : status;
}
