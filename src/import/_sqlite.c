/* SQLite databases, opened as sqlite.org/security.html advises for files of strangers. */
#include "import/_sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_IN_MEMORY = 1 << 30, LONGEST_ROW = 16 << 20 };

static const char vfs_name[] = "roofline-descriptor";

/** A file that the source has open. */
typedef struct open_file {
  sqlite3_file base;
  int descriptor;
} open_file;

static int close_file(sqlite3_file *file) {
  (void)file;
  return SQLITE_OK; /* it is the source's */
}

static int read_file(sqlite3_file *file, void *to, int size, sqlite3_int64 from) {
  int done = 0;
  while (done < size) {
    ssize_t count =
        pread(((open_file *)file)->descriptor, (char *)to + done, (size_t)(size - done), from + done);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      memset((char *)to + done, 0, (size_t)(size - done));
      return count < 0 ? SQLITE_IOERR_READ : SQLITE_IOERR_SHORT_READ;
    }
    done += (int)count;
  }
  return SQLITE_OK;
}

static int write_file(sqlite3_file *file, const void *from, int size, sqlite3_int64 to) {
  (void)file, (void)from, (void)size, (void)to;
  return SQLITE_READONLY;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
  (void)file, (void)size;
  return SQLITE_READONLY;
}

/** Syncing, locking and unlocking: there is nothing to do. */
static int agree(sqlite3_file *file, int flags) {
  (void)file, (void)flags;
  return SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  struct stat info;
  if (fstat(((open_file *)file)->descriptor, &info) != 0) {
    return SQLITE_IOERR_FSTAT;
  }
  *size = info.st_size;
  return SQLITE_OK;
}

static int is_reserved(sqlite3_file *file, int *reserved) {
  (void)file;
  *reserved = 0;
  return SQLITE_OK;
}

static int control(sqlite3_file *file, int what, void *argument) {
  (void)file, (void)what, (void)argument;
  return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *file) {
  (void)file;
  return 0;
}

static int characteristics(sqlite3_file *file) {
  (void)file;
  return SQLITE_IOCAP_IMMUTABLE;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = agree,
    .xFileSize = file_size,
    .xLock = agree,
    .xUnlock = agree,
    .xCheckReservedLock = is_reserved,
    .xFileControl = control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
};

/** The database's name is its descriptor; what sorting spills into is a file of the system's. */
static int open_descriptor(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *given) {
  sqlite3_vfs *system = vfs->pAppData;
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) {
    return name == NULL ? system->xOpen(system, name, file, flags, given) : SQLITE_CANTOPEN;
  }
  *(open_file *)file = (open_file){{&methods}, (int)strtol(name, NULL, 10)};
  if (given != NULL) {
    *given = SQLITE_OPEN_READONLY;
  }
  return SQLITE_OK;
}

static int access_nothing(sqlite3_vfs *vfs, const char *name, int flags, int *can) {
  (void)vfs, (void)name, (void)flags;
  *can = 0;
  return SQLITE_OK;
}

static int same_name(sqlite3_vfs *vfs, const char *name, int size, char *full) {
  (void)vfs;
  return snprintf(full, (size_t)size, "%s", name) < size ? SQLITE_OK : SQLITE_CANTOPEN;
}

static void register_vfs(void) {
  static sqlite3_vfs vfs;
  sqlite3_vfs *system = sqlite3_vfs_find(NULL);
  if (system == NULL) {
    return;
  }
  vfs = *system;
  vfs.pNext = NULL;
  vfs.pAppData = system;
  vfs.zName = vfs_name;
  vfs.szOsFile = system->szOsFile > (int)sizeof(open_file) ? system->szOsFile : (int)sizeof(open_file);
  vfs.xOpen = open_descriptor;
  vfs.xAccess = access_nothing;
  vfs.xFullPathname = same_name;
  (void)sqlite3_vfs_register(&vfs, 0);
}

/** True while a program holds SQLite's lock for writing. */
static bool is_being_written(int descriptor) {
  enum { FIRST_LOCK = 0x40000000, LOCKS = 512 }; /* sqlite.org/fileformat2.html, the lock-byte page */
  struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = FIRST_LOCK, .l_len = LOCKS};
  return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
}

/** True when a file PATH-ENDING next to the open one has something in it. */
static bool has_journal(int descriptor, const char *ending) {
  char link[64], path[PATH_MAX + 16];
  struct stat info;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, PATH_MAX);
  if (length <= 0 || length >= PATH_MAX) {
    return false;
  }
  snprintf(path + length, 16, "%s", ending);
  return stat(path, &info) == 0 && info.st_size > 0;
}

static roof_status open_plain(const roof_source *source, int descriptor, sqlite3 **db, roof_error *error) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  char name[16];
  if (is_being_written(descriptor)) {
    return rf_import_error(source, error, ROOF_E_INPUT, 0, 0,
                           "SQLite: locked by a program that writes it; import it when that has ended");
  }
  if (has_journal(descriptor, "-wal") || has_journal(descriptor, "-journal")) {
    return rf_import_error(source, error, ROOF_E_INPUT, 0, 0,
                           "SQLite: its latest changes are in a journal next to it; `sqlite3 FILE 'PRAGMA "
                           "journal_mode=DELETE'` puts them into the file");
  }
  (void)sqlite3_initialize();
  (void)pthread_once(&once, register_vfs);
  snprintf(name, sizeof name, "%d", descriptor);
  return sqlite3_open_v2(name, db, SQLITE_OPEN_READONLY, vfs_name) == SQLITE_OK
             ? ROOF_OK
             : rf_import_sqlite_error(source, *db, error);
}

static roof_status open_in_memory(roof_source *source, sqlite3 **db, roof_error *error) {
  enum { WRITE_VERSION = 18, READ_VERSION = 19, HEADER = 100 };
  char *data = NULL;
  size_t size = 0;
  roof_status status = rf_import_all(source, LARGEST_IN_MEMORY, &data, &size, error);
  if (status != ROOF_OK) {
    return status;
  }
  if (size >= HEADER) {
    data[WRITE_VERSION] = data[READ_VERSION] = 1; /* a log next to it, which memory has not */
  }
  int code = sqlite3_open_v2(":memory:", db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, NULL);
  if (code == SQLITE_OK) {
    code = sqlite3_deserialize(*db, "main", (unsigned char *)data, (sqlite3_int64)size, (sqlite3_int64)size,
                               SQLITE_DESERIALIZE_READONLY);
  }
  return code == SQLITE_OK ? ROOF_OK : rf_import_sqlite_error(source, *db, error);
}

/** Nothing that the schema says runs, and pages are checked before they are used. */
static bool distrust(sqlite3 *db) {
  static const struct {
    int what, on;
  } settings[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                  {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                  {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                  {SQLITE_DBCONFIG_ENABLE_VIEW, 0}};
  int code = SQLITE_OK;
  for (size_t i = 0; i < sizeof settings / sizeof settings[0] && code == SQLITE_OK; i++) {
    code = sqlite3_db_config(db, settings[i].what, settings[i].on, NULL);
  }
  (void)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LONGEST_ROW);
  (void)sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  return code == SQLITE_OK && sqlite3_exec(db, "PRAGMA cell_size_check = 1", NULL, NULL, NULL) == SQLITE_OK;
}

roof_status rf_import_sqlite(roof_source *source, sqlite3 **db, roof_error *error) {
  int descriptor = rf_import_descriptor(source);
  roof_status status =
      descriptor >= 0 ? open_plain(source, descriptor, db, error) : open_in_memory(source, db, error);
  return status != ROOF_OK || distrust(*db) ? status : rf_import_sqlite_error(source, *db, error);
}

roof_status rf_import_sqlite_error(const roof_source *source, sqlite3 *db, roof_error *error) {
  static const struct {
    int code;
    const char *hint;
  } hints[] = {{SQLITE_CORRUPT, ": the file is damaged or truncated"},
               {SQLITE_NOTADB, ": only its first bytes are SQLite's"},
               {0, ""}};
  int code = sqlite3_errcode(db) & 0xFF, i = 0;
  while (hints[i].code != 0 && hints[i].code != code) {
    i++;
  }
  return rf_import_error(source, error, code == SQLITE_NOMEM ? ROOF_E_MEMORY : ROOF_E_PARSE, 0, 0,
                         "SQLite: %s%s", sqlite3_errmsg(db), hints[i].hint);
}

roof_status rf_import_sqlite_rows(const roof_source *source, sqlite3 *db, const char *sql,
                                  roof_status (*take)(void *state, sqlite3_stmt *row), void *state,
                                  roof_error *error) {
  sqlite3_stmt *query = NULL;
  roof_status status = ROOF_OK;
  int code = sqlite3_prepare_v2(db, sql, -1, &query, NULL);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(query);
    if (code == SQLITE_ROW && (status = take(state, query)) != ROOF_OK) {
      break;
    }
  }
  if (status == ROOF_OK && code != SQLITE_DONE) {
    status = rf_import_sqlite_error(source, db, error);
  }
  sqlite3_finalize(query);
  return status;
}

roof_status rf_import_sqlite_has(const roof_source *source, sqlite3 *db, const char *table,
                                 const char *column, bool *has, roof_error *error) {
  static const char sql[] =
      "SELECT 1 FROM sqlite_master t, pragma_table_info(?1) c WHERE t.type = 'table' AND "
      "t.name = ?1 AND (?2 = '' OR c.name = ?2)";
  sqlite3_stmt *query = NULL;
  int code = sqlite3_prepare_v2(db, sql, -1, &query, NULL);
  code = code == SQLITE_OK ? sqlite3_bind_text(query, 1, table, -1, SQLITE_STATIC) : code;
  code = code == SQLITE_OK ? sqlite3_bind_text(query, 2, column, -1, SQLITE_STATIC) : code;
  code = code == SQLITE_OK ? sqlite3_step(query) : code;
  *has = code == SQLITE_ROW;
  roof_status status =
      code == SQLITE_ROW || code == SQLITE_DONE ? ROOF_OK : rf_import_sqlite_error(source, db, error);
  sqlite3_finalize(query);
  return status;
}

bool rf_import_sqlite_call(roof_profile *profile, roof_record *record, sqlite3_stmt *row, int place) {
  int64_t start = sqlite3_column_int64(row, 1), end = sqlite3_column_int64(row, 2), length;
  if (__builtin_sub_overflow(end, start, &length) || length < 0 || length > INT64_MAX / 1000) {
    rf_import_skip(profile, record->name, "it ends before it starts");
    return false;
  }
  rf_import_call(profile, record, (uint64_t)length * 1000);
  const char *stream = (const char *)sqlite3_column_text(row, place + 1);
  bool launch = sqlite3_column_type(row, place + 2) == SQLITE_INTEGER;
  uint32_t track = rf_import_track(profile, sqlite3_column_int(row, place), stream != NULL ? stream : "");
  rf_import_slice(
      profile, &(roof_slice){.start = start,
                             .end = end,
                             .launched = launch ? sqlite3_column_int64(row, place + 2) : ROOF_LAUNCH_UNKNOWN,
                             .record = (uint32_t)(record - profile->records),
                             .track = track,
                             .activity = ROOF_ACTIVITY_COUNT});
  return true;
}
