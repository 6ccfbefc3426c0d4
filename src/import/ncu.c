/* The tables of Nsight Compute's command line: raw (one column per metric, a row of units), details and
 * --metrics (one row per metric), summaries (averages of several launches), as CSV or as people read them. Other
 * lines stand before, between and after them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/letters.h"
#include "core/number.h"
#include "import/_ncu.h"
#include "import/_ncu_text.h"

/** The positions of columns in the table that is being read. */
typedef struct table {
  import_row header, row;
  bool open;    /* a header was seen */
  bool wide;    /* one column per metric; the next row holds the units, when `units` is not read yet */
  char **units; /* of a wide table */
  size_t unit_count;
  int id, process, kernel, capability, metric, unit, value, calls, first;
  int rule, scope, speedup; /* the rule's name, and behind it its type and text */
} table;

/** One launch of a long table, collected over its rows. */
typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  table table;
  ncu_launch launch;
  ncu_device device;
  roof_text key, kernel; /* of `launch`: what distinguishes it from the next one; its name */
  bool pending, printed; /* `printed`: it comes from a table for people */
  import_marks marks;
  import_votes *votes; /* collected instead of reading, when not NULL */
  size_t launches;
  ncu_text text;
  ncu_rule said;
  char trouble[300]; /* the last ==ERROR==, or where ncu wrote its report */
} reading;

static int detect(const char *text, size_t size) {
  (void)size;
  bool found =
      strstr(text, "\"Kernel Name\",") != NULL && (strstr(text, "\"Process ID\",\"Process Name\"") != NULL);
  bool printed = strstr(text, "\n    Section: ") != NULL &&
                 (strstr(text, ", Context ") != NULL || strstr(text, ", Invocations ") != NULL);
  return found                                                                      ? 95
         : printed                                                                  ? 90
         : strncmp(text, "==PROF==", 8) == 0 || strstr(text, "\n==PROF== ") != NULL ? 40
                                                                                    : 0;
}

/** What details pages call the metrics that are used; the unit distinguishes the two "Memory Throughput". */
static const struct {
  const char *label, *unit, *metric;
} labels[] = {
    {"Duration", "second", "gpu__time_duration.sum"},
    {"Elapsed Cycles", "cycle", "gpc__cycles_elapsed.max"},
    {"SM Frequency", "cycle/", "gpc__cycles_elapsed.avg.per_second"},
    {"SM Frequency", "hz", "gpc__cycles_elapsed.avg.per_second"},
    {"Memory Throughput", "byte/", "dram__bytes.sum.per_second"},
    {"DRAM Throughput", "%", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Compute (SM) Throughput", "%", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Achieved Occupancy", "%", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"Waves Per SM", "", "launch__waves_per_multiprocessor"},
    {"Avg. Active Threads Per Warp", "", "smsp__thread_inst_executed_per_inst_executed.ratio"},
};

static const char *metric_of(const char *name, const char *unit) {
  for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
    bool time =
        strcmp(labels[i].unit, "second") == 0 && strchr(unit, '/') == NULL && strpbrk(unit, "s") != NULL;
    if (strcmp(name, labels[i].label) == 0 && (time || rf_letters_find(unit, labels[i].unit) != NULL)) {
      return labels[i].metric;
    }
  }
  return name;
}

/** Whether a cell says that there is no figure. */
static bool is_blank(const char *text) {
  static const char *const blanks[] = {"", "n/a", "N/A", "-", "--"};
  bool blank = false;
  for (size_t i = 0; i < sizeof blanks / sizeof blanks[0]; i++) {
    blank |= strcmp(text, blanks[i]) == 0;
  }
  return blank;
}

/** Whether a metric is a time or bytes, which say nothing without their unit. */
static bool has_unit(const char *metric) {
  return strstr(metric, "time_duration") != NULL || strstr(metric, "_bytes") != NULL;
}

/** A cell of a metric that is used, and no figure in it. */
static void leave_out(reading *r, const char *metric, const char *unit, const char *text, double value) {
  const char *why = isnan(value)      ? "no number"
                    : value < 0       ? "below 0"
                    : unit[0] == '\0' ? "without a unit"
                                      : "in a unit that is not known here";
  rf_import_skip(
      r->profile, metric,
      rf_import_textf(r->profile, "`%.40s%s%.20s` is %s", text, unit[0] != '\0' ? " " : "", unit, why));
}

static void take(reading *r, const char *name, const char *unit, const char *text) {
  if (r->votes != NULL) {
    rf_import_vote(r->votes, text);
    return;
  }
  double factor = rf_import_unit(unit, 1000), value = rf_import_number(text, &r->marks);
  rf_ncu_device_set(&r->device, name, text, value);
  const char *metric = metric_of(name, unit);
  bool figure = value >= 0 && !isnan(factor) && !(unit[0] == '\0' && has_unit(metric));
  bool used = rf_ncu_launch_set(&r->launch, metric, figure ? value * factor : NAN);
  if (used && !figure && !is_blank(text)) {
    leave_out(r, name, unit, text, value);
  }
}

static roof_status flush(reading *r, roof_error *error) {
  if (!r->pending) {
    return ROOF_OK;
  }
  if (r->kernel.failed) {
    return roof_error_set(error, ROOF_E_MEMORY, "ncu: out of memory");
  }
  r->pending = r->printed = false;
  r->launches++;
  roof_status status =
      r->votes != NULL ? ROOF_OK
                       : rf_ncu_launch_add(r->profile, &r->launch, r->kernel.data, r->kernel.length, error);
  rf_ncu_launch_init(&r->launch);
  return status;
}

/** 75 of 7.5, 0 when it is not known. */
static int whole_capability(double capability) {
  return isnan(capability) ? 0 : (int)lround(capability * 10);
}

/** Begins the launch of this row unless it is the one being collected. */
static roof_status open_launch(reading *r, roof_error *error) {
  const table *t = &r->table;
  roof_text key = {0};
  const int parts[] = {t->id, t->process, t->kernel, rf_import_column(&t->header, "Block Size"),
                       rf_import_column(&t->header, "Grid Size")};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    roof_text_addf(&key, "%s\x1f", rf_import_field(&t->row, parts[i]));
  }
  bool same = r->pending && r->key.data != NULL && key.data != NULL && strcmp(r->key.data, key.data) == 0;
  if (same || key.failed) {
    roof_text_done(&key);
    return key.failed ? roof_error_set(error, ROOF_E_MEMORY, "ncu: out of memory") : ROOF_OK;
  }
  roof_status status = flush(r, error);
  roof_text_done(&r->key);
  r->key = key;
  r->kernel.length = 0;
  roof_text_add(&r->kernel, rf_import_field(&t->row, t->kernel));
  r->launch.capability = whole_capability(rf_import_number(rf_import_field(&t->row, t->capability), NULL));
  double calls = rf_import_number(rf_import_field(&t->row, t->calls), NULL);
  r->launch.calls = calls >= 1 && calls < 1e15 ? calls : 1;
  r->pending = true;
  return status;
}

/** The kinds of rules, as tables have them; NULL: it is none. */
static const char *rule_type(const char *text, size_t length) {
  static const char *const types[] = {"OPT", "WRN", "ERR", "INF"};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (length == strlen(types[i]) && strncmp(text, types[i], length) == 0) {
      return types[i];
    }
  }
  return NULL;
}

/** A rule: advice in words, of some with what it would bring in percent. */
static roof_status take_rule(reading *r, roof_error *error) {
  const table *t = &r->table;
  const char *type = rf_import_field(&t->row, t->rule + 1), *kernel = rf_import_field(&t->row, t->kernel);
  const char *scope = rf_import_field(&t->row, t->scope);
  roof_rule rule = {.name = rf_import_field(&t->row, t->rule),
                    .text = rf_import_field(&t->row, t->rule + 2),
                    .type = rule_type(type, strlen(type)),
                    .speedup = rf_import_number(rf_import_field(&t->row, t->speedup), &r->marks) / 100,
                    .scope = strcmp(scope, "global") == 0  ? "global"
                             : strcmp(scope, "local") == 0 ? "local"
                                                           : ""};
  if (t->rule < 0 || rule.type == NULL || r->votes != NULL) {
    return ROOF_OK;
  }
  roof_record *record = rf_import_record(r->profile, kernel, strlen(kernel));
  if (record != NULL) {
    rf_import_rule(r->profile, record, &rule);
  }
  return rf_import_settled(r->profile, error);
}

static roof_status long_row(reading *r, roof_error *error) {
  const table *t = &r->table;
  const char *name = rf_import_field(&t->row, t->metric);
  if (name[0] == '\0') {
    return take_rule(r, error);
  }
  roof_status status = open_launch(r, error);
  if (status == ROOF_OK) {
    take(r, name, rf_import_field(&t->row, t->unit), rf_import_field(&t->row, t->value));
  }
  return status;
}

static void drop_units(table *t) {
  for (size_t i = 0; i < t->unit_count; i++) {
    free(t->units[i]);
  }
  free(t->units);
  t->units = NULL;
  t->unit_count = 0;
}

static roof_status keep_units(table *t, roof_error *error) {
  t->units = calloc(t->row.count + 1, sizeof *t->units);
  for (; t->units != NULL && t->unit_count < t->row.count; t->unit_count++) {
    t->units[t->unit_count] = strdup(t->row.fields[t->unit_count]);
    if (t->units[t->unit_count] == NULL) {
      break;
    }
  }
  return t->units != NULL && t->unit_count == t->row.count
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_MEMORY, "ncu: out of memory");
}

static roof_status wide_row(reading *r, roof_error *error) {
  table *t = &r->table;
  if (t->units == NULL && rf_import_field(&t->row, t->id)[0] == '\0') {
    return keep_units(t, error);
  }
  if (t->units == NULL) {
    return rf_import_error(r->source, error, ROOF_E_PARSE, t->row.line, 0,
                           "the table has no row of units below the names of its columns");
  }
  roof_status status = flush(r, error);
  if (status == ROOF_OK) {
    status = open_launch(r, error);
  }
  for (int i = t->first; i < (int)t->header.count && status == ROOF_OK; i++) {
    take(r, t->header.fields[i], (size_t)i < t->unit_count ? t->units[i] : "", rf_import_field(&t->row, i));
  }
  return status == ROOF_OK ? flush(r, error) : status;
}

/** A table by metric has their values and units in columns; a wide one has its units in the row below its names. */
static roof_status check_table(const reading *r, roof_error *error) {
  const table *t = &r->table;
  const char *lacks = t->wide        ? NULL
                      : t->value < 0 ? t->calls >= 0 ? "Average" : "Metric Value"
                      : t->unit < 0  ? "Metric Unit"
                                     : NULL;
  return lacks == NULL ? ROOF_OK
                       : rf_import_error(r->source, error, ROOF_E_PARSE, t->header.line, 0,
                                         "the table has no column \"%s\"", lacks);
}

/** True when this row is a header; then the table begins anew. */
static bool open_table(reading *r) {
  table *t = &r->table;
  bool header = rf_import_column(&t->row, "Kernel Name") >= 0 && rf_import_column(&t->row, "Process ID") >= 0;
  if (!header) {
    return false;
  }
  import_row swap = t->header;
  t->header = t->row;
  t->row = swap;
  drop_units(t);
  const import_row *h = &t->header;
  t->id = rf_import_column(h, "ID");
  t->process = rf_import_column(h, "Process ID");
  t->kernel = rf_import_column(h, "Kernel Name");
  t->capability = rf_import_column(h, "CC");
  t->metric = rf_import_column(h, "Metric Name");
  t->unit = rf_import_column(h, "Metric Unit");
  t->calls = rf_import_column(h, "Invocations");
  t->rule = rf_import_column(h, "Rule Name");
  t->scope = rf_import_column(h, "Estimated Speedup Type");
  t->speedup = rf_import_column(h, "Estimated Speedup");
  t->value = rf_import_column(h, t->calls >= 0 ? "Average" : "Metric Value");
  t->wide = t->metric < 0;
  t->first = t->capability + 1;
  t->open = true;
  return true;
}

/** ncu's own messages are kept, the program's output is not. */
static void take_message(reading *r, const char *line) {
  static const char report[] = "==PROF== Report: ";
  if (strncmp(line, "==ERROR==", 9) == 0) {
    snprintf(r->trouble, sizeof r->trouble, "; ncu said: %s", line + 9 + strspn(line + 9, " "));
    if (r->votes == NULL) {
      rf_import_skip(r->profile, "ncu", line + 9 + strspn(line + 9, " "));
    }
  } else if (strncmp(line, report, sizeof report - 1) == 0) {
    snprintf(r->trouble, sizeof r->trouble, ": ncu wrote what it counted to %s", line + sizeof report - 1);
  }
}

/** The rule that was being read goes to its kernel. */
static void end_rule(reading *r) {
  ncu_rule *said = &r->said;
  char name[sizeof said->section + 16];
  if (said->type != NULL && r->votes == NULL && r->pending && r->kernel.data != NULL) {
    snprintf(name, sizeof name, said->number > 1 ? "%s %d" : "%s", said->section, said->number);
    roof_record *record = rf_import_record(r->profile, r->kernel.data, r->kernel.length);
    if (record != NULL) {
      rf_import_rule(r->profile, record,
                     &(roof_rule){.name = name,
                                  .text = said->text,
                                  .type = said->type,
                                  .speedup = rf_import_number(said->percent, &r->marks) / 100,
                                  .scope = said->scope});
    }
  }
  said->type = NULL;
}

/** A line outside of CSV: it names a launch, is a row of a table for people or part of a rule. */
static roof_status take_line(reading *r, char *line, roof_error *error) {
  ncu_heading heading;
  double capability = NAN;
  const char *name = NULL, *unit = NULL, *value = NULL;
  roof_status status = ROOF_OK;
  ncu_rule_line said = r->pending && r->printed ? rf_ncu_rule_is(&r->said, line) : NCU_RULE_OTHER;
  if (said != NCU_RULE_GOES_ON) {
    end_rule(r);
  }
  if (said != NCU_RULE_OTHER) {
    rf_ncu_rule_take(&r->said, line);
  } else if (rf_ncu_heading(line, &heading)) {
    status = flush(r, error);
    r->text = (ncu_text){0};
    r->said = (ncu_rule){0};
    r->kernel.length = 0;
    roof_text_add_bytes(&r->kernel, heading.kernel, heading.length);
    rf_numbers_read(heading.capability, &capability, 1);
    r->launch.capability = whole_capability(capability);
    r->launch.calls = fmax(1, (double)strtol(heading.calls, NULL, 10));
    r->pending = r->printed = true;
  } else if (r->pending && r->printed && strncmp(line + strspn(line, " "), "Section: ", 9) == 0) {
    r->text = (ncu_text){0}; /* lines between rules look like edges of tables */
    rf_ncu_rule_take(&r->said, line);
  } else if (r->pending && r->printed && rf_ncu_text_row(&r->text, line, &name, &unit, &value)) {
    take(r, name, unit, value);
  } else {
    take_message(r, line);
  }
  return status;
}

static roof_status read_tables(reading *r, roof_error *error) {
  roof_status status = ROOF_OK;
  size_t length = 0;
  for (char *line; status == ROOF_OK && (line = rf_import_line(r->source, &length)) != NULL;) {
    if (line[0] != '"') {
      status = take_line(r, line, error);
      continue;
    }
    end_rule(r);
    rf_import_again(r->source);
    if (!rf_import_csv(r->source, ',', &r->table.row, &status, error)) {
      break;
    }
    if (open_table(r)) {
      status = check_table(r, error);
      status = status == ROOF_OK ? flush(r, error) : status;
    } else if (r->table.open) {
      status = r->table.wide ? wide_row(r, error) : long_row(r, error);
    }
  }
  end_rule(r);
  return status == ROOF_OK ? flush(r, error) : status;
}

static void reading_done(reading *r) {
  rf_import_row_done(&r->table.header);
  rf_import_row_done(&r->table.row);
  drop_units(&r->table);
  roof_text_done(&r->key);
  roof_text_done(&r->kernel);
}

/** How the first part of the file writes its numbers. */
static import_marks vote(roof_source *source, char forced) {
  import_votes votes = {0};
  size_t size = 0;
  const char *head = rf_import_head(source, &size);
  reading r = {.votes = &votes};
  rf_ncu_launch_init(&r.launch);
  if (rf_import_open_memory(head, size, "head", &r.source, NULL) == ROOF_OK) {
    (void)read_tables(&r, NULL);
    rf_import_close(r.source);
  }
  reading_done(&r);
  return rf_import_marks_of(&votes, forced);
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile, .marks = vote(source, profile->decimal)};
  rf_ncu_launch_init(&r.launch);
  roof_status status = read_tables(&r, error);
  if (status == ROOF_OK) {
    status = rf_import_failed(source, error);
  }
  if (status == ROOF_OK && r.launches == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "no kernel in it%s", r.trouble);
  }
  if (status == ROOF_OK) {
    rf_ncu_device_add(profile, &r.device);
  }
  reading_done(&r);
  return status;
}

const roof_format rf_format_ncu = {
    .name = "ncu",
    .title = "Nsight Compute CSV and text (raw, details, --metrics, summaries)",
    .gives = "time, FLOPs by format and unit, bytes of L1, L2, DRAM and link, occupancy, pipes",
    .detect = detect,
    .read = read,
};
