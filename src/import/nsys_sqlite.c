/* What `nsys export --type sqlite` writes: every kernel and copy with its start and end in nanoseconds, and
 * the devices. */
#include <string.h>

#include "import/_ceilings.h"
#include "import/_sqlite.h"

/** rocprofv3 writes SQLite too: rocpd.c. */
static int detect(const char *text, size_t size) {
  return size >= 16 && memcmp(text, "SQLite format 3", 16) == 0 ? 90 : 0;
}

/** What a query's rows become. */
typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  sqlite3 *db;
  import_gaps gaps;
  size_t kernels;
  roof_error *error;
} reading;

static roof_status has_table(reading *r, const char *name, bool *has) {
  sqlite3_stmt *query = NULL;
  int code = sqlite3_prepare_v2(r->db, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", -1,
                                &query, NULL);
  if (code == SQLITE_OK) {
    code = sqlite3_bind_text(query, 1, name, -1, SQLITE_STATIC);
  }
  if (code == SQLITE_OK) {
    code = sqlite3_step(query);
  }
  *has = code == SQLITE_ROW;
  roof_status status = code == SQLITE_ROW || code == SQLITE_DONE
                           ? ROOF_OK
                           : rf_import_sqlite_error(r->source, r->db, r->error);
  sqlite3_finalize(query);
  return status;
}

static roof_record *record_of(reading *r, sqlite3_stmt *row) {
  const char *name = (const char *)sqlite3_column_text(row, 0);
  name = name != NULL ? name : "unnamed";
  return rf_import_record(r->profile, name, strlen(name));
}

/** Nanoseconds from column 1 to column 2; false when they are no times. */
static bool take_time(reading *r, sqlite3_stmt *row, roof_record *record) {
  int64_t start = sqlite3_column_int64(row, 1), end = sqlite3_column_int64(row, 2), length;
  if (__builtin_sub_overflow(end, start, &length) || length < 0 || length > INT64_MAX / 1000) {
    rf_import_skip(r->profile, record->name, "it ends before it starts");
    return false;
  }
  rf_import_call(r->profile, record, (uint64_t)length * 1000);
  return true;
}

static roof_status take_kernel(void *state, sqlite3_stmt *row) {
  reading *r = state;
  roof_record *record = record_of(r, row);
  if (record == NULL) {
    return rf_import_settled(r->profile, r->error);
  }
  if (take_time(r, row, record)) {
    rf_import_gap(&r->gaps, sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2));
  }
  r->kernels++;
  return ROOF_OK;
}

static roof_status take_copy(void *state, sqlite3_stmt *row) {
  reading *r = state;
  roof_record *record = record_of(r, row);
  if (record == NULL) {
    return rf_import_settled(r->profile, r->error);
  }
  if (take_time(r, row, record)) {
    rf_import_add(&record->link_bytes, sqlite3_column_double(row, 3), "bytes of the copy",
                  ROOF_QUALITY_MEASURED);
  }
  return ROOF_OK;
}

static roof_status take_device(void *state, sqlite3_stmt *row) {
  reading *r = state;
  const char *name = (const char *)sqlite3_column_text(row, 0);
  roof_machine *m = rf_import_machine(r->profile);
  if (m == NULL || name == NULL) {
    return rf_import_settled(r->profile, r->error);
  }
  rf_import_device(r->profile, name);
  if (m->title[0] == '\0') {
    snprintf(m->title, sizeof m->title, "%.90s", name);
  }
  rf_ceilings_memory(m, "DRAM", sqlite3_column_double(row, 1), "memoryBandwidth of TARGET_INFO_GPU");
  return ROOF_OK;
}

static const struct {
  const char *table, *sql;
  roof_status (*take)(void *state, sqlite3_stmt *row);
} queries[] = {
    {"TARGET_INFO_GPU", "SELECT name, memoryBandwidth FROM TARGET_INFO_GPU ORDER BY id", take_device},
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     "SELECT value, start, end FROM CUPTI_ACTIVITY_KIND_KERNEL LEFT JOIN StringIds ON StringIds.id = "
     "demangledName "
     "ORDER BY start",
     take_kernel},
    {"CUPTI_ACTIVITY_KIND_MEMCPY",
     "SELECT '[copy ' || CASE copyKind WHEN 1 THEN 'host to device' WHEN 2 THEN 'device to host' WHEN 8 THEN "
     "'device to device' WHEN 10 THEN 'peer to peer' ELSE 'kind ' || copyKind END || ']', start, end, bytes "
     "FROM "
     "CUPTI_ACTIVITY_KIND_MEMCPY ORDER BY start",
     take_copy},
};

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile, .error = error};
  roof_status status = rf_import_sqlite(source, &r.db, error);
  for (size_t i = 0; i < sizeof queries / sizeof queries[0] && status == ROOF_OK; i++) {
    bool has = false;
    status = has_table(&r, queries[i].table, &has);
    if (has) {
      status = rf_import_sqlite_rows(source, r.db, queries[i].sql, queries[i].take, &r, error);
    }
  }
  if (status == ROOF_OK && r.kernels == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 0, 0,
                             "no CUDA kernel in it (a table CUPTI_ACTIVITY_KIND_KERNEL with rows)");
  }
  rf_import_gap_facts(profile, &r.gaps);
  sqlite3_close(r.db);
  return status;
}

const roof_format rf_format_nsys_sqlite = {
    .name = "nsys-sqlite",
    .title = "Nsight Systems SQLite export",
    .gives = "time of every call, bytes of copies, idle time; attach FLOPs with --op",
    .detect = detect,
    .read = read,
};
