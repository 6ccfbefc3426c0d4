/* What `nsys export --type sqlite` writes: every kernel and copy with its start and end in nanoseconds, and
 * the devices. */
#include <stdlib.h>
#include <string.h>

#include "import/_ceilings.h"
#include "import/_intern.h"
#include "import/_marks.h"
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
  size_t kernels;
  intern names; /* of the marks */
  import_mark *marks;
  size_t mark_count, mark_room;
  roof_error *error;
} reading;

/** The range that the program marked around the launch of a call, whose time and thread columns 5 and 6 have. */
static const char *range_of(reading *r, sqlite3_stmt *row) {
  const import_mark *mark =
      sqlite3_column_type(row, 5) == SQLITE_INTEGER
          ? rf_marks_around(r->marks, r->mark_count, (uint64_t)sqlite3_column_int64(row, 6),
                            sqlite3_column_int64(row, 5))
          : NULL;
  size_t size;
  return mark != NULL ? rf_intern_get(&r->names, mark->name, &size) : "outside any range";
}

static roof_record *record_of(reading *r, sqlite3_stmt *row) {
  const char *name = (const char *)sqlite3_column_text(row, 0);
  name = name != NULL ? name : "unnamed";
  const char *place =
      rf_import_place(r->profile, sqlite3_column_int(row, 3), (const char *)sqlite3_column_text(row, 4));
  const char *part = r->profile->by == ROOF_BY_NVTX ? range_of(r, row) : place;
  return rf_import_part(r->profile, part, name, strlen(name));
}

static roof_status take_kernel(void *state, sqlite3_stmt *row) {
  reading *r = state;
  roof_record *record = record_of(r, row);
  if (record == NULL) {
    return rf_import_settled(r->profile, r->error);
  }
  (void)rf_import_sqlite_call(r->profile, record, row, 3);
  r->kernels++;
  return ROOF_OK;
}

static roof_status take_copy(void *state, sqlite3_stmt *row) {
  reading *r = state;
  roof_record *record = record_of(r, row);
  if (record == NULL) {
    return rf_import_settled(r->profile, r->error);
  }
  if (rf_import_sqlite_call(r->profile, record, row, 3)) {
    rf_import_moved(record, rf_import_way_of(record->name), sqlite3_column_double(row, 7));
  }
  return ROOF_OK;
}

static roof_status take_set(void *state, sqlite3_stmt *row) {
  reading *r = state;
  roof_record *record = record_of(r, row);
  if (record == NULL) {
    return rf_import_settled(r->profile, r->error);
  }
  if (rf_import_sqlite_call(r->profile, record, row, 3)) {
    rf_import_moved(record, IMPORT_WAY_SET, sqlite3_column_double(row, 7));
  }
  return ROOF_OK;
}

static roof_status take_range(void *state, sqlite3_stmt *row) {
  reading *r = state;
  const char *name = (const char *)sqlite3_column_text(row, 3);
  r->profile->dimensions |= 1u << ROOF_BY_NVTX;
  if (r->profile->by != ROOF_BY_NVTX || r->mark_count >= MARK_NONE) {
    return ROOF_OK;
  }
  if (r->mark_count == r->mark_room) {
    size_t room = 2 * r->mark_room + 64;
    import_mark *more = realloc(r->marks, room * sizeof *more);
    if (more == NULL) {
      return roof_error_set(r->error, ROOF_E_MEMORY, "nsys: out of memory");
    }
    r->marks = more;
    r->mark_room = room;
  }
  name = name != NULL ? name : "unnamed";
  import_mark mark = {.start = sqlite3_column_int64(row, 0),
                      .end = sqlite3_column_int64(row, 1),
                      .thread = (uint64_t)sqlite3_column_int64(row, 2),
                      .name = rf_intern_add(&r->names, name, strlen(name) + 1)};
  r->marks[r->mark_count++] = mark;
  return mark.name != INTERN_FAILED ? ROOF_OK
                                    : roof_error_set(r->error, ROOF_E_MEMORY, "nsys: out of memory");
}

static roof_status take_wait(void *state, sqlite3_stmt *row) {
  reading *r = state;
  rf_import_host_wait(r->profile, sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1));
  return ROOF_OK;
}

/** Names the device of a number, which is known when there are calls on it. */
static roof_status take_name(void *state, sqlite3_stmt *row) {
  reading *r = state;
  const char *name = (const char *)sqlite3_column_text(row, 1);
  rf_import_track_device(r->profile, sqlite3_column_int(row, 0), name != NULL ? name : "");
  return ROOF_OK;
}

/** When the session began. */
static roof_status take_start(void *state, sqlite3_stmt *row) {
  reading *r = state;
  double start = sqlite3_column_double(row, 0) * 1e-9;
  r->profile->taken = start > 0 ? start : r->profile->taken;
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

#define LAUNCHES "CUPTI_ACTIVITY_KIND_RUNTIME"
#define KERNELS "CUPTI_ACTIVITY_KIND_KERNEL"
#define COPIES "CUPTI_ACTIVITY_KIND_MEMCPY"
#define RANGES "NVTX_EVENTS"
#define SETS "CUPTI_ACTIVITY_KIND_MEMSET"

/* Queries of calls: a name, a start, an end, these four, bytes. The launch is that of their correlation in their
 * process, which is in the upper bits of its and its threads' numbers. */
#define PLACE ", c.deviceId, c.streamId, l.launched, l.thread"
#define UNLAUNCHED ", c.deviceId, c.streamId, NULL, NULL"
#define NO_PLACE ", 0, '', NULL, NULL"
#define LAUNCHED                                                                                             \
  " LEFT JOIN (SELECT correlationId AS id, globalTid / 16777216 AS process, min(start) AS launched, "        \
  "globalTid AS thread "                                                                                     \
  "FROM " LAUNCHES " GROUP BY 1, 2) l ON l.id = c.correlationId AND l.process = c.globalPid / 16777216"
#define KERNEL_FROM " FROM " KERNELS " c LEFT JOIN StringIds s ON s.id = c.demangledName"
#define COPY_NAME                                                                                            \
  "'[copy ' || CASE c.copyKind WHEN 1 THEN 'host to device' WHEN 2 THEN 'device to host' WHEN 8 THEN "       \
  "'device to device' WHEN 9 THEN 'host to host' WHEN 10 THEN 'peer to peer' ELSE 'kind ' || c.copyKind "    \
  "END || ']'"

static const struct query {
  const char *table, *column,
      *other;              /* the column ("": any) and the other table (NULL: none) that `sql` needs */
  const char *sql, *plain; /* `plain` where they are not there; NULL: nothing then */
  const char *placed;      /* of calls whose device and stream are there, but not their launch */
  roof_status (*take)(void *state, sqlite3_stmt *row);
} queries[] = {
    {RANGES, "textId", "StringIds", /* those that are pushed and popped, which nest */
     "SELECT n.start, n.end, n.globalTid, COALESCE(n.text, s.value) FROM " RANGES
     " n LEFT JOIN StringIds s ON s.id = n.textId WHERE n.eventType = 59 AND n.end IS NOT NULL AND "
     "n.globalTid IS NOT NULL",
     NULL, NULL, take_range},
    {"TARGET_INFO_GPU", "", NULL, "SELECT name, memoryBandwidth FROM TARGET_INFO_GPU ORDER BY id", NULL, NULL,
     take_device},
    {KERNELS, "globalPid", LAUNCHES,
     "SELECT s.value, c.start, c.end" PLACE KERNEL_FROM LAUNCHED " ORDER BY c.start",
     "SELECT s.value, c.start, c.end" NO_PLACE KERNEL_FROM " ORDER BY c.start",
     "SELECT s.value, c.start, c.end" UNLAUNCHED KERNEL_FROM " ORDER BY c.start", take_kernel},
    {COPIES, "globalPid", LAUNCHES,
     "SELECT " COPY_NAME ", c.start, c.end" PLACE ", c.bytes FROM " COPIES " c" LAUNCHED " ORDER BY c.start",
     "SELECT " COPY_NAME ", c.start, c.end" NO_PLACE ", c.bytes FROM " COPIES " c ORDER BY c.start",
     "SELECT " COPY_NAME ", c.start, c.end" UNLAUNCHED ", c.bytes FROM " COPIES " c ORDER BY c.start",
     take_copy},
    {SETS, "globalPid", LAUNCHES,
     "SELECT '[memset]', c.start, c.end" PLACE ", c.bytes FROM " SETS " c" LAUNCHED " ORDER BY c.start",
     "SELECT '[memset]', c.start, c.end" NO_PLACE ", c.bytes FROM " SETS " c ORDER BY c.start",
     "SELECT '[memset]', c.start, c.end" UNLAUNCHED ", c.bytes FROM " SETS " c ORDER BY c.start", take_set},
    {LAUNCHES, "nameId", "StringIds",
     "SELECT r.start, r.end FROM " LAUNCHES
     " r JOIN StringIds s ON s.id = r.nameId WHERE s.value LIKE '%Synchronize%'",
     NULL, NULL, take_wait},
    {"TARGET_INFO_SESSION_START_TIME", "utcEpochNs", NULL,
     "SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME", NULL, NULL, take_start},
    {"TARGET_INFO_GPU", "id", NULL, "SELECT id, name FROM TARGET_INFO_GPU", NULL, NULL, take_name},
};

/** Whether the file has a table, with a column where one is named. */
static bool has(reading *r, const char *table, const char *column, roof_status *status) {
  bool there = false;
  if (*status == ROOF_OK) {
    *status = rf_import_sqlite_has(r->source, r->db, table, column, &there, r->error);
  }
  return there;
}

static roof_status run_query(reading *r, const struct query *q) {
  roof_status status = ROOF_OK;
  bool table = has(r, q->table, "", &status), column = has(r, q->table, q->column, &status);
  bool other = q->other == NULL || has(r, q->other, "", &status);
  bool placed =
      q->placed != NULL && has(r, q->table, "deviceId", &status) && has(r, q->table, "streamId", &status);
  const char *sql = column && other ? q->sql : placed ? q->placed : q->plain;
  return status == ROOF_OK && table && sql != NULL
             ? rf_import_sqlite_rows(r->source, r->db, sql, q->take, r, r->error)
             : status;
}

/** Which range launched a call is known where launches were recorded. */
static roof_status check_ranges(reading *r) {
  roof_status status = ROOF_OK;
  bool ranges = (r->profile->dimensions >> ROOF_BY_NVTX & 1) != 0, launches = has(r, LAUNCHES, "", &status);
  if (status != ROOF_OK || !ranges || launches) {
    return status;
  }
  r->profile->dimensions &= ~(1u << ROOF_BY_NVTX);
  return r->profile->by == ROOF_BY_NVTX
             ? rf_import_error(r->source, r->error, ROOF_E_INPUT, 0, 0,
                               "it has ranges, but no launches (a table " LAUNCHES
                               "): which range launched a kernel is not known; record with --trace cuda,nvtx")
             : status;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile, .error = error};
  roof_status status = rf_import_sqlite(source, &r.db, error);
  for (size_t i = 0; i < sizeof queries / sizeof queries[0] && status == ROOF_OK; i++) {
    status = run_query(&r, &queries[i]);
    if (queries[i].take == take_range) {
      rf_marks_nest(r.marks, r.mark_count);
      status = status == ROOF_OK ? check_ranges(&r) : status;
    }
  }
  if (status == ROOF_OK && r.kernels == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 0, 0,
                             "no CUDA kernel in it (a table CUPTI_ACTIVITY_KIND_KERNEL with rows)");
  }
  rf_intern_done(&r.names);
  free(r.marks);
  sqlite3_close(r.db);
  return status;
}

const roof_format rf_format_nsys_sqlite = {
    .name = "nsys-sqlite",
    .title = "Nsight Systems SQLite export",
    .gives = "time of every call, bytes of copies and sets, idle time; attach FLOPs with --op",
    .detect = detect,
    .read = read,
};
