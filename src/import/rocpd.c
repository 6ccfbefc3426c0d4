/* What rocprofv3 writes by default since ROCm 7, an SQLite database: a table of dispatches, of copies and of counters
 * for each process, whose names end in its UUID. The views over them are not used: nothing of a stranger's schema
 * runs. The tables: rocprofiler-sdk, share/rocprofiler-sdk-rocpd/rocpd_tables.sql, versions 3.0.0 to 3.0.5. */
#include <stdlib.h>
#include <string.h>

#include "import/_rocprof.h"
#include "import/_sqlite.h"

/** The schema is at the beginning of the file. */
static int detect(const char *text, size_t size) {
  bool found = size >= 16 && memcmp(text, "SQLite format 3", 16) == 0 &&
               memmem(text, size, "rocpd_kernel_dispatch", 21) != NULL;
  return found ? 95 : 0;
}

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  sqlite3 *db;
  rocprof_bags bags;
  roof_text suffixes; /* of the tables of each process, a NUL behind each */
  bool sampled;
  size_t kernels;
  roof_error *error;
} reading;

static const char *text_of(sqlite3_stmt *row, int column, const char *otherwise) {
  const char *text = (const char *)sqlite3_column_text(row, column);
  return text != NULL && text[0] != '\0' ? text : otherwise;
}

/** Of the device and the stream in columns 4 and 5 where the profile is rolled up by them. */
static roof_record *record_of(reading *r, sqlite3_stmt *row) {
  const char *name = rf_rocprof_copy(text_of(row, 0, "unnamed"));
  const char *part = rf_import_place(r->profile, sqlite3_column_int(row, 4), text_of(row, 5, ""));
  return rf_import_part(r->profile, part, name, rf_rocprof_name(name));
}

static roof_status take_kernel(void *state, sqlite3_stmt *row) {
  reading *r = state;
  const char *device = text_of(row, 3, "");
  roof_record *record = record_of(r, row);
  if (record == NULL) {
    return rf_import_settled(r->profile, r->error);
  }
  if (rf_import_sqlite_call(r->profile, record, row, 4)) {
    rf_import_track_device(r->profile, sqlite3_column_int(row, 4), device);
  }
  rf_import_device(r->profile, device);
  r->kernels++;
  return ROOF_OK;
}

static roof_status take_copy(void *state, sqlite3_stmt *row) {
  reading *r = state;
  roof_record *record = record_of(r, row);
  if (record == NULL) {
    return rf_import_settled(r->profile, r->error);
  }
  if (rf_import_sqlite_call(r->profile, record, row, 4)) {
    rf_import_moved(record, rf_import_way_of(record->name), sqlite3_column_double(row, 3));
  }
  return ROOF_OK;
}

static roof_status take_wait(void *state, sqlite3_stmt *row) {
  rf_import_host_wait(((reading *)state)->profile, sqlite3_column_int64(row, 0),
                      sqlite3_column_int64(row, 1));
  return ROOF_OK;
}

/** A counter of all dispatches of a kernel. */
static roof_status take_counter(void *state, sqlite3_stmt *row) {
  reading *r = state;
  roof_record *record = record_of(r, row);
  rocprof_bag *bag = record != NULL ? rf_rocprof_bag(&r->bags, r->profile, record) : NULL;
  int counter = rf_rocprof_counter(text_of(row, 1, ""));
  if (bag == NULL) {
    return roof_error_set(r->error, ROOF_E_MEMORY, "rocpd: out of memory");
  }
  if (counter >= 0) {
    rf_rocprof_add(bag, counter, sqlite3_column_double(row, 2));
  }
  return ROOF_OK;
}

static roof_status take_table(void *state, sqlite3_stmt *row) {
  static const char dispatches[] = "rocpd_kernel_dispatch";
  reading *r = state;
  const char *name = text_of(row, 0, "");
  if (strncmp(name, dispatches, sizeof dispatches - 1) == 0) {
    roof_text_add_bytes(&r->suffixes, name + sizeof dispatches - 1, strlen(name) - sizeof dispatches + 2);
  }
  return r->suffixes.failed ? roof_error_set(r->error, ROOF_E_MEMORY, "rocpd: out of memory") : ROOF_OK;
}

static roof_status take_column(void *state, sqlite3_stmt *row) {
  (void)row;
  ((reading *)state)->sampled = true;
  return ROOF_OK;
}

/* Queries, %w the end of the tables' names. A call was launched by the region of the host that has its stack. */
#define KERNEL "COALESCE(NULLIF(s.display_name, ''), s.kernel_name)"
#define DISPATCHES                                                                                           \
  "\"rocpd_kernel_dispatch%w\" k LEFT JOIN \"rocpd_info_kernel_symbol%w\" s ON s.id = k.kernel_id "
#define AGENT "LEFT JOIN \"rocpd_info_agent%w\" a ON a.id = k.agent_id "
#define LAUNCHED                                                                                             \
  "LEFT JOIN (SELECT v.stack_id AS id, min(r.start) AS launched FROM \"rocpd_region%w\" r JOIN "             \
  "\"rocpd_event%w\" v ON v.id = r.event_id WHERE v.stack_id > 0 GROUP BY 1) l ON l.id = t.stack_id "

static const char kernels[] =
    "SELECT " KERNEL ", k.start, k.\"end\", COALESCE(NULLIF(a.product_name, ''), a.name), a.type_index, "
    "k.stream_id, l.launched FROM " DISPATCHES AGENT
    "LEFT JOIN \"rocpd_event%w\" t ON t.id = k.event_id " LAUNCHED "ORDER BY k.start";
static const char copies[] =
    "SELECT n.string, m.start, m.\"end\", m.size, a.type_index, m.stream_id, l.launched FROM "
    "\"rocpd_memory_copy%w\" m LEFT JOIN \"rocpd_string%w\" n ON n.id = m.name_id LEFT JOIN "
    "\"rocpd_info_agent%w\" a ON a.type = 'GPU' AND a.id IN (m.src_agent_id, m.dst_agent_id) LEFT JOIN "
    "\"rocpd_event%w\" t ON t.id = m.event_id " LAUNCHED "GROUP BY m.id ORDER BY m.start";
static const char waits[] =
    "SELECT r.start, r.\"end\" FROM \"rocpd_region%w\" r JOIN \"rocpd_string%w\" n ON n.id = "
    "r.name_id WHERE n.string LIKE 'hip%%Synchronize%%'";
static const char has_samples[] =
    "SELECT 1 FROM pragma_table_info('rocpd_pmc_event%q') WHERE name = 'sample_id'";

/** Samples of counters over time are no counts of the dispatch. */
static const char counts[] =
    "SELECT " KERNEL ", p.name, SUM(e.value), NULL, a.type_index, k.stream_id FROM " DISPATCHES AGENT
    "JOIN \"rocpd_pmc_event%w\" e ON e.event_id = k.event_id "
    "JOIN \"rocpd_info_pmc%w\" p ON p.id = e.pmc_id GROUP BY k.kernel_id, p.name, k.agent_id, k.stream_id";
static const char unsampled[] =
    "SELECT " KERNEL ", p.name, SUM(e.value), NULL, a.type_index, k.stream_id FROM " DISPATCHES AGENT
    "JOIN \"rocpd_pmc_event%w\" e ON e.event_id = k.event_id AND e.sample_id IS NULL "
    "JOIN \"rocpd_info_pmc%w\" p ON p.id = e.pmc_id GROUP BY k.kernel_id, p.name, k.agent_id, k.stream_id";

/** Runs a query whose tables end in `suffix`. */
static roof_status query(reading *r, const char *form, const char *suffix,
                         roof_status (*take)(void *state, sqlite3_stmt *row)) {
  char *sql = sqlite3_mprintf(form, suffix, suffix, suffix, suffix, suffix, suffix);
  roof_status status = sql != NULL ? rf_import_sqlite_rows(r->source, r->db, sql, take, r, r->error)
                                   : roof_error_set(r->error, ROOF_E_MEMORY, "rocpd: out of memory");
  sqlite3_free(sql);
  return status;
}

/** What the queries need of the tables of a process: whatever version a database is of, it is read where it has these. */
static const struct {
  const char *table, *columns[8];
} needed[] = {
    {"rocpd_kernel_dispatch", {"kernel_id", "start", "end", "agent_id", "stream_id", "event_id"}},
    {"rocpd_info_kernel_symbol", {"id", "display_name", "kernel_name"}},
    {"rocpd_info_agent", {"id", "name", "product_name", "type", "type_index"}},
    {"rocpd_event", {"id", "stack_id"}},
    {"rocpd_region", {"start", "end", "event_id", "name_id"}},
    {"rocpd_memory_copy", {"id", "start", "end", "size", "name_id", "stream_id", "event_id"}},
    {"rocpd_string", {"id", "string"}},
    {"rocpd_pmc_event", {"event_id", "pmc_id", "value"}},
    {"rocpd_info_pmc", {"id", "name"}},
};

static roof_status check_columns(reading *r, const char *suffix) {
  roof_status status = ROOF_OK;
  for (size_t t = 0; t < sizeof needed / sizeof needed[0] && status == ROOF_OK; t++) {
    char *table = sqlite3_mprintf("%s%s", needed[t].table, suffix);
    bool there = table != NULL;
    status = there ? ROOF_OK : roof_error_set(r->error, ROOF_E_MEMORY, "rocpd: out of memory");
    for (int c = 0; there && c < 8 && needed[t].columns[c] != NULL && status == ROOF_OK; c++) {
      status = rf_import_sqlite_has(r->source, r->db, table, needed[t].columns[c], &there, r->error);
      if (status == ROOF_OK && !there) {
        status = rf_import_error(r->source, r->error, ROOF_E_PARSE, 0, 0,
                                 "a rocpd database whose table %s has no column %s: write it with "
                                 "--output-format csv",
                                 needed[t].table, needed[t].columns[c]);
      }
    }
    sqlite3_free(table);
  }
  return status;
}

static roof_status read_process(reading *r, const char *suffix) {
  roof_status status = check_columns(r, suffix);
  status = status == ROOF_OK ? query(r, kernels, suffix, take_kernel) : status;
  status = status == ROOF_OK ? query(r, copies, suffix, take_copy) : status;
  status = status == ROOF_OK ? query(r, waits, suffix, take_wait) : status;
  r->sampled = false;
  status = status == ROOF_OK ? query(r, has_samples, suffix, take_column) : status;
  return status == ROOF_OK ? query(r, r->sampled ? unsampled : counts, suffix, take_counter) : status;
}

static roof_status read_processes(reading *r) {
  static const char tables[] =
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'rocpd%' ORDER BY 1";
  roof_status status = rf_import_sqlite_rows(r->source, r->db, tables, take_table, r, r->error);
  for (size_t at = 0; status == ROOF_OK && at < r->suffixes.length; at += strlen(r->suffixes.data + at) + 1) {
    status = read_process(r, r->suffixes.data + at);
  }
  return status;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile, .error = error};
  roof_status status = rf_import_sqlite(source, &r.db, error);
  if (status == ROOF_OK) {
    status = read_processes(&r);
  }
  if (status == ROOF_OK && r.kernels == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 0, 0,
                             "no kernel in it: rocprofv3 records them with --kernel-trace");
  }
  rf_rocprof_settle(&r.bags, profile);
  free(r.bags.list);
  roof_text_done(&r.suffixes);
  sqlite3_close(r.db);
  return status;
}

const roof_format rf_format_rocpd = {
    .name = "rocpd",
    .title = "rocprofv3 database (rocpd)",
    .gives = "time of every call, bytes of copies, idle time; FLOPs and bytes as rocprof where counted",
    .detect = detect,
    .read = read,
};
