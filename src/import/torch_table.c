/* What `key_averages().table()` of PyTorch's profiler prints. Rulers of dashes give the columns. FLOPs stand
 * at operators, times at operators and once more at their kernels: each is taken once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "roofline/units.h"

enum { COLUMNS = 32, NUMBER = 64 };

typedef struct table {
  int columns;
  int name, self_host, self_device, total_device, calls, flops, total_host; /* -1: there is none */
  double flop;                                                              /* of one in the FLOPs column */
} table;

/** A row that may become a record. */
typedef struct entry {
  char *name;
  uint64_t self, total, host; /* ps */
  uint64_t calls;
  double flops;
  bool alone; /* an operator whose kernels have no rows */
} entry;

typedef struct entries {
  entry *list;
  size_t count, room;
  uint64_t whole; /* ps of the device, as the lines below the tables say it; 0: they do not */
} entries;

static int detect(const char *text, size_t size) {
  (void)size;
  return strstr(text, "Self CPU %") != NULL && strstr(text, "# of Calls") != NULL &&
                 strstr(text, "-----") != NULL
             ? 90
             : 0;
}

static bool is_ruler(const char *line) {
  return strstr(line, "-----") != NULL && line[strspn(line, "- \t")] == '\0';
}

/** Cuts the line where two blanks are. Number of cells. */
static int split(char *line, char *cells[COLUMNS]) {
  int count = 0;
  char *p = line + strspn(line, " ");
  while (*p != '\0' && count < COLUMNS) {
    char *gap = strstr(p, "  ");
    cells[count++] = p;
    p = gap == NULL ? p + strlen(p) : gap + strspn(gap, " ");
    if (gap != NULL) {
      *gap = '\0';
    }
  }
  return count;
}

/** "Total GFLOPs" and the like. */
static double flop_scale(const char *title) {
  static const char letters[] = "KMGTP";
  if (strncmp(title, "Total ", 6) != 0 || !roof_text_ends_with(title, "FLOPs")) {
    return NAN;
  }
  const char *letter = strchr(letters, title[6]);
  return title[6] == 'F' ? 1 : letter == NULL ? NAN : pow(1000, (double)(letter - letters + 1));
}

static bool read_titles(char *line, table *t) {
  char *titles[COLUMNS];
  *t = (table){.columns = split(line, titles), .flop = NAN};
  t->name = t->self_host = t->self_device = t->total_device = t->calls = t->flops = t->total_host = -1;
  for (int c = 0; c < t->columns; c++) {
    const char *title = titles[c];
    bool self = strncmp(title, "Self ", 5) == 0, memory = roof_text_ends_with(title, "Mem"),
         share = roof_text_ends_with(title, "%");
    bool host = strstr(title, "CPU") != NULL, total = roof_text_ends_with(title, " total");
    double scale = flop_scale(title);
    int *which = strcmp(title, "Name") == 0         ? &t->name
                 : strcmp(title, "# of Calls") == 0 ? &t->calls
                 : !isnan(scale)                    ? &t->flops
                 : memory || share                  ? NULL
                 : self                             ? (host ? &t->self_host : &t->self_device)
                 : total                            ? (host ? &t->total_host : &t->total_device)
                                                    : NULL;
    if (which != NULL) {
      *which = c;
    }
    t->flop = isnan(scale) ? t->flop : scale;
  }
  return t->name >= 0 && t->self_host >= 0 && t->calls >= 0;
}

/** "2.135ms" in picoseconds; 0 when it is no time. */
static uint64_t time_of(const char *text) {
  uint64_t picoseconds = 0;
  char number[NUMBER];
  size_t digits = strspn(text, "0123456789.");
  if (digits >= sizeof number) {
    return 0;
  }
  memcpy(number, text, digits);
  number[digits] = '\0';
  return digits > 0 && rf_import_time(number, text + digits, NULL, &picoseconds) ? picoseconds : 0;
}

static bool take_row(const table *t, char *line, entries *all) {
  char *cells[COLUMNS];
  int64_t calls = 0;
  if (split(line, cells) != t->columns || !rf_import_count(cells[t->calls], &calls) || calls < 1) {
    return true;
  }
  if (all->count == all->room) {
    size_t room = all->room * 2 + 64;
    entry *list = realloc(all->list, room * sizeof *list);
    if (list == NULL) {
      return false;
    }
    all->list = list;
    all->room = room;
  }
  bool device = t->self_device >= 0;
  int self = device ? t->self_device : t->self_host, total = device ? t->total_device : t->total_host;
  entry e = {.calls = (uint64_t)calls,
             .self = time_of(cells[self]),
             .total = total >= 0 ? time_of(cells[total]) : 0,
             .host = time_of(cells[t->self_host]),
             .flops = t->flops >= 0 ? rf_import_number(cells[t->flops], NULL) * t->flop : NAN,
             .name = strdup(cells[t->name])};
  if (e.name != NULL) {
    all->list[all->count++] = e;
  }
  return e.name != NULL;
}

/* Which rows are records */

static const char its_kernels[] = "an operator: its kernels have rows with its time";

/** Why a row is none, NULL: it is one. `device`: the table has a device's times. */
static const char *why_not(const entries *all, const entry *e, bool device, bool kernels) {
  bool host = e->host > 0 || !device;
  if (e->flops > 0 || e->alone) {
    return NULL;
  }
  for (size_t i = 0; i < all->count; i++) {
    const entry *o = &all->list[i];
    if (!host && o != e && o->host > 0 && strcmp(o->name, e->name) == 0) {
      return "a range of the program over kernels that have their own rows";
    }
    if (o->flops > 0 && o != e && o->total == e->self) {
      return "its time stands at the operator that has the FLOPs";
    }
  }
  return host && kernels ? its_kernels : NULL;
}

/** What a row adds to the time on the device where it is a record. */
static uint64_t time_in(const entry *e) {
  return e->flops > 0 ? e->total : e->self;
}

static int by_self(const void *a, const void *b) {
  const entry *const *x = a, *const *y = b;
  return ((*x)->self > (*y)->self) - ((*x)->self < (*y)->self);
}

/** Whether one or two of the kernels, which are in the order of their time, have the time of an operator. */
static bool has_kernels(entry *const *kernels, size_t count, uint64_t self) {
  size_t low = 0, high = count;
  while (low < high) {
    uint64_t first = kernels[low]->self, last = kernels[high - 1]->self;
    if (first == self || last == self || (low + 1 < high && last < self && self - last == first)) {
      return true;
    }
    bool above = last > self || self - last < first;
    high -= above;
    low += !above;
  }
  return false;
}

/** The rows of kernels, or of operators that why_not takes for theirs, in the order of their time. */
static size_t sorted(const entries *all, bool kernels, entry **list) {
  size_t count = 0;
  for (size_t i = 0; i < all->count; i++) {
    entry *e = &all->list[i];
    if (e->self > 0 && (kernels ? e->host == 0 : why_not(all, e, true, true) == its_kernels)) {
      list[count++] = e;
    }
  }
  qsort(list, count, sizeof(entry *), by_self);
  return count;
}

/** Takes operators for the kernels that row_limit cut off, as far as `left` has room for them: those with the least
 *  time first, since kernels that are shown have more. What is left then. */
static uint64_t take_alone(const entries *all, entry **lists, uint64_t left) {
  entry **kernels = lists, **operators = lists + all->count;
  size_t kernel_count = sorted(all, true, kernels), count = sorted(all, false, operators);
  for (size_t i = 0; i < count && operators[i]->self <= left; i++) {
    operators[i]->alone = !has_kernels(kernels, kernel_count, operators[i]->self);
    left -= operators[i]->alone ? operators[i]->self : 0;
  }
  return left;
}

/** Holds the rows against the file's own sum on the device, and says what is missing. */
static roof_status fill_up(roof_profile *profile, const entries *all, bool kernels, roof_error *error) {
  enum { ROUNDED = 500 }; /* times have four digits */
  uint64_t taken = 0, left;
  for (size_t i = 0; i < all->count; i++) {
    taken += why_not(all, &all->list[i], true, kernels) == NULL ? time_in(&all->list[i]) : 0;
  }
  if (__builtin_sub_overflow(all->whole, taken, &left) || left <= all->whole / ROUNDED) {
    return ROOF_OK;
  }
  entry **lists = calloc(all->count + 1, 2 * sizeof *lists);
  if (lists == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "torch-table: out of memory");
  }
  left = kernels ? take_alone(all, lists, left) : left;
  free(lists);
  if (left > all->whole / ROUNDED) {
    char missing[32], whole[32];
    roof_quantity_format(missing, sizeof missing, (double)left * 1e-12, "s");
    roof_quantity_format(whole, sizeof whole, (double)all->whole * 1e-12, "s");
    rf_import_skip(
        profile, "rows beyond row_limit",
        rf_import_textf(profile, "%s of the %s on the device that the table ends with", missing, whole));
  }
  return ROOF_OK;
}

static roof_status add_record(roof_profile *profile, const entry *e, roof_error *error) {
  roof_record *record = rf_import_record(profile, e->name, strlen(e->name));
  if (record == NULL) {
    return rf_import_settled(profile, error);
  }
  rf_import_calls(record, e->calls, time_in(e));
  if (e->flops > 0) {
    rf_import_add(&record->flops[ROOF_FP32][ROOF_VECTOR], e->flops,
                  "FLOPs of PyTorch's profiler; the format is not in the table, taken as fp32",
                  ROOF_QUALITY_ESTIMATED);
  } else {
    rf_import_missing(&record->flops[ROOF_FP32][ROOF_VECTOR], "the table has none for this row");
  }
  rf_import_missing(&record->bytes[ROOF_MEMORY], "the table has none; memory columns are allocations");
  return ROOF_OK;
}

static roof_status add_records(roof_source *source, roof_profile *profile, entries *all, bool device,
                               roof_error *error) {
  bool kernels = false;
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < all->count; i++) {
    kernels |= device && all->list[i].host == 0 && all->list[i].self > 0;
  }
  status = device ? fill_up(profile, all, kernels, error) : ROOF_OK;
  for (size_t i = 0; i < all->count && status == ROOF_OK; i++) {
    const entry *e = &all->list[i];
    const char *why = e->self > 0 || e->flops > 0 ? why_not(all, e, device, kernels) : "";
    if (why == NULL) {
      status = add_record(profile, e, error);
    } else if (why[0] != '\0') {
      rf_import_skip(profile, e->name, why);
    }
  }
  return status != ROOF_OK || profile->count > 0
             ? status
             : rf_import_error(source, error, ROOF_E_PARSE, 0, 0,
                               "no row of the table has time of its own on the device");
}

/** "Self CUDA time total: 8.204ms" */
static void take_whole(entries *all, const char *line) {
  static const char self[] = "Self ", total[] = " time total: ";
  const char *at = strstr(line, total);
  if (strncmp(line, self, sizeof self - 1) == 0 && at != NULL && strncmp(line, "Self CPU", 8) != 0) {
    uint64_t more = time_of(at + sizeof total - 1);
    all->whole = more < UINT64_MAX - all->whole ? all->whole + more : 0;
  }
}

static roof_status read_rows(roof_source *source, table *t, entries *all, bool *open, roof_error *error) {
  size_t length;
  int titles = 0; /* 1: the next line has them */
  for (char *line; (line = rf_import_line(source, &length)) != NULL;) {
    take_whole(all, line);
    if (is_ruler(line)) {
      titles = *open || titles > 0 ? 0 : 1;
    } else if (titles == 1) {
      *open = read_titles(line, t);
      titles = *open ? 2 : 0;
    } else if (*open && !take_row(t, line, all)) {
      return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", rf_import_name(source));
    }
  }
  return rf_import_failed(source, error);
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  table t = {.columns = 0};
  entries all = {0};
  bool open = false;
  roof_status status = read_rows(source, &t, &all, &open, error);
  if (status == ROOF_OK && !open) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 1, 0,
                             "no table of key_averages() (a ruler, then `Name`, `Self CPU %%`)");
  }
  if (status == ROOF_OK) {
    status = add_records(source, profile, &all, t.self_device >= 0, error);
  }
  for (size_t i = 0; i < all.count; i++) {
    free(all.list[i].name);
  }
  free(all.list);
  return status;
}

const roof_format rf_format_torch_table = {
    .name = "torch-table",
    .title = "PyTorch profiler table, key_averages().table()",
    .gives = "time on the device, FLOPs of operators",
    .detect = detect,
    .read = read,
};
