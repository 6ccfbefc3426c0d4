/* Our own documents: what `run --json`, marked regions and `import --json` write. */
#include <math.h>
#include <string.h>

#include "import/_nested.h"
#include "import/import.h"
#include "roofline/documents.h"

enum { LONGEST = 1 << 30 };

static int detect(const char *text, size_t size) {
  (void)size;
  return strstr(text, "\"roofline.measurements/1\"") != NULL ? 100 : 0;
}

/** How something was counted; a document says it in one text. */
static void add(roof_profile *profile, roof_count *count, double value, const char *how) {
  bool derived = how[0] == '\0' || strncmp(how, "formula", strlen("formula")) == 0;
  if (!isnan(value)) {
    rf_import_add(count, value, roof_profile_text(profile, how[0] != '\0' ? how : "document"),
                  derived ? ROOF_QUALITY_DERIVED : ROOF_QUALITY_MEASURED);
  }
}

static void add_flops(roof_profile *profile, roof_record *record, const roof_measurement *m, double calls) {
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    add(profile, &record->other_flops[d], calls * m->dtype_flops[d], m->counted_flops);
    for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
      add(profile, &record->flops[d][u], calls * m->unit_flops[d][u], m->counted_flops);
    }
  }
}

static void add_bytes(roof_profile *profile, roof_record *record, const roof_measurement *m, double calls) {
  bool levels = false;
  for (int l = 0; l < ROOF_LEVEL_KIND_COUNT; l++) {
    add(profile, &record->bytes[l], calls * m->level_bytes[l], m->counted);
    levels |= !isnan(m->level_bytes[l]);
  }
  add(profile, &record->other_bytes, levels ? NAN : calls * m->bytes, m->counted);
  add(profile, &record->link_bytes, calls * m->link_bytes, m->counted);
  if (m->link[0] != '\0') {
    record->link = roof_profile_text(profile, m->link);
  }
}

/** A region's time without those inside it, as a part of what its calls are taken to be. */
static void add_own(roof_profile *profile, roof_record *record, const roof_measurement *m, double seconds) {
  double own = seconds * (m->own_seconds / m->total_seconds);
  if (isfinite(own)) {
    rf_import_own(profile, record, own, m->own_seconds < m->total_seconds * (1 - 1e-6));
  }
}

static void add_kernel(roof_profile *profile, const roof_measurement *m, const char *machine) {
  if (m->calls >= 1e15) {
    rf_import_skip(profile, m->label, "its calls are more than anything counts");
    return;
  }
  roof_record *record = rf_import_record(profile, m->label, strlen(m->label));
  double calls = m->calls >= 1 ? m->calls : m->sample_count > 0 ? (double)m->sample_count : 1;
  uint64_t picoseconds;
  if (record == NULL) {
    return;
  }
  record->uncounted = roof_profile_text(profile, m->uncounted);
  rf_import_give(record, &m->given, calls, record->calls == 0);
  if (rf_import_picoseconds(calls * m->seconds, &picoseconds)) {
    rf_import_calls(record, (uint64_t)calls, picoseconds);
  }
  add_own(profile, record, m, calls * m->seconds);
  for (size_t i = 0; i < m->sample_count; i++) {
    rf_import_sample(profile, record, m->samples[i]);
  }
  rf_import_ran(profile, record, m->label, machine);
  add_flops(profile, record, m, calls);
  record->write_share = m->write_share;
  record->update_share = m->update_share;
  add_bytes(profile, record, m, calls);
  for (size_t i = 0; i < m->counter_count; i++) {
    rf_import_counter(profile, record, roof_profile_text(profile, m->counters[i].name), m->counters[i].value,
                      calls * m->seconds);
  }
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  char *text = NULL;
  size_t size = 0;
  roof_measurements all = {0};
  roof_status status = rf_import_all(source, LONGEST, &text, &size, error);
  if (status == ROOF_OK) {
    status = roof_measurements_parse(text, size, rf_import_name(source), &all, error);
  }
  for (size_t i = 0; i < all.count && status == ROOF_OK; i++) {
    add_kernel(profile, &all.list[i], all.machine);
  }
  for (size_t i = 0; i < all.skipped_count && status == ROOF_OK; i++) {
    rf_import_skip(profile, all.skipped[i].what, all.skipped[i].why);
  }
  if (status == ROOF_OK && all.machine[0] != '\0') {
    rf_import_device(profile, all.machine);
  }
  if (status == ROOF_OK && all.taken == ROOF_TAKEN_SAID && all.count > 0) {
    profile->taken = all.list[0].taken;
  }
  roof_measurements_done(&all);
  return status;
}

const roof_format rf_format_measurements = {
    .name = "measurements",
    .title = "roofline.measurements/1",
    .gives = "whatever `run`, marked regions or `import` counted",
    .detect = detect,
    .read = read,
};
