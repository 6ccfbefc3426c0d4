/* Intel Advisor: the survey as CSV or text (loops with their own time, FLOPs and bytes), and the roofs as
 * CSV. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/letters.h"
#include "import/_ceilings.h"

static int detect(const char *text, size_t size) {
  (void)size;
  bool survey = strstr(text, "Function Call Sites and Loops") != NULL;
  bool roofs = strstr(text, "Bandwidth") != NULL && strstr(text, "Vector FMA Peak") != NULL &&
               strstr(text, "Type") != NULL && strstr(text, "{") == NULL;
  return survey ? 95 : roofs ? 85 : 0;
}

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  import_row header, row;
  size_t loops;
} reading;

/** The number at the begin of a cell in SI units: "4.050s" and "12.5" (10^9 of the column). "< 0.001s" is a
 * bound, and missing. */
static double cell(const reading *r, const char *column, double scale) {
  char number[48];
  const char *text = rf_import_field(&r->row, rf_import_column(&r->header, column));
  text += strspn(text, " ");
  snprintf(number, sizeof number, "%.*s", (int)strspn(text, "0123456789.eE+-"), text);
  const char *unit = text + strlen(number);
  double value = rf_import_number(number, NULL) * scale;
  return strcmp(unit, "ms") == 0 ? value * 1e-3 : strcmp(unit, "us") == 0 ? value * 1e-6 : value;
}

static void add(roof_count *count, double value, const char *source, const char *why) {
  bool simulated = strstr(source, "simulated") != NULL;
  rf_import_add(count, value, isnan(value) ? why : source,
                simulated ? ROOF_QUALITY_ESTIMATED : ROOF_QUALITY_MEASURED);
}

/** The format that the loop's data types name: "Float32; Int64". */
static roof_dtype dtype_of(const reading *r) {
  const char *types = rf_import_field(&r->row, rf_import_column(&r->header, "Data Types"));
  return strstr(types, "Float32") != NULL && strstr(types, "Float64") == NULL ? ROOF_FP32 : ROOF_FP64;
}

/** One loop or function. The parts of a vectorized loop stand below it with a dash and are in it already. */
static roof_status take_loop(reading *r, double seconds, const char *name, roof_error *error) {
  static const char *const trips = "run `advisor --collect=tripcounts --flop`";
  static const char *const caches = "run advisor with --enable-cache-simulation";
  uint64_t picoseconds;
  name += strspn(name, " ");
  r->loops++;
  if (name[0] == '-' || name[0] == '\0') {
    return ROOF_OK;
  }
  roof_record *record = rf_import_record(r->profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(r->profile, error);
  }
  if (rf_import_picoseconds(seconds, &picoseconds)) {
    rf_import_call(r->profile, record, picoseconds);
  } else {
    record->calls++;
    rf_import_skip(r->profile, name, "its own time is too short to be measured");
  }
  add(&record->flops[dtype_of(r)][ROOF_VECTOR], cell(r, "Self GFLOP", 1e9), "Self GFLOP", trips);
  add(&record->bytes[ROOF_L1], cell(r, "Self Memory GB", 1e9), "Self Memory GB, between core and L1", trips);
  add(&record->bytes[ROOF_L2], cell(r, "Self L2 GB", 1e9), "Self L2 GB, simulated", caches);
  add(&record->bytes[ROOF_L3], cell(r, "Self L3 GB", 1e9), "Self L3 GB, simulated", caches);
  add(&record->bytes[ROOF_MEMORY], cell(r, "Self DRAM GB", 1e9), "Self DRAM GB, simulated", caches);
  return ROOF_OK;
}

static roof_status take_csv(reading *r, roof_error *error) {
  double elapsed = cell(r, "Self Elapsed Time", 1);
  return take_loop(r, isnan(elapsed) ? cell(r, "Self Time", 1) : elapsed,
                   rf_import_field(&r->row, rf_import_column(&r->header, "Function Call Sites and Loops")),
                   error);
}

/** "DP Vector FMA Peak (single-threaded)" and "L1 Bandwidth": FLOP/s and bytes/s as they are. */
static void take_roof(reading *r) {
  const char *name = rf_import_field(&r->row, rf_import_column(&r->header, "Name"));
  double rate = rf_import_number(rf_import_field(&r->row, rf_import_column(&r->header, "Bandwidth")), NULL);
  const char *end = rf_letters_find(name, " bandwidth");
  if (strstr(name, "single-threaded") != NULL || strstr(name, "single node") != NULL) {
    rf_import_skip(r->profile, name, "not of the whole machine");
  } else if (end != NULL) {
    rf_ceilings_level(r->profile, rf_import_textf(r->profile, "%.*s", (int)(end - name), name), rate, NAN,
                      "Intel Advisor");
  } else if (strncmp(name, "DP Vector FMA", 13) == 0 || strncmp(name, "SP Vector FMA", 13) == 0) {
    rf_ceilings_peak(r->profile, name[0] == 'D' ? ROOF_FP64 : ROOF_FP32, ROOF_VECTOR, rate, "",
                     "Intel Advisor");
  } else {
    rf_import_skip(r->profile, name, "not a ceiling of multiply-adds");
  }
  r->loops++;
}

static roof_status read_csv(reading *r, roof_error *error) {
  roof_status status = ROOF_OK;
  bool roofs = false;
  while (status == ROOF_OK && rf_import_csv(r->source, ',', &r->row, &status, error)) {
    bool survey = rf_import_column(&r->row, "Function Call Sites and Loops") >= 0;
    bool ceilings = rf_import_column(&r->row, "Name") >= 0 && rf_import_column(&r->row, "Bandwidth") > 0;
    if (survey || ceilings) {
      import_row swap = r->header;
      r->header = r->row;
      r->row = swap;
      roofs = ceilings;
      if (roofs) {
        rf_ceilings_name(r->profile, "", "advisor");
      }
    } else if (r->header.count > 0 && r->row.count > 2) {
      if (roofs) {
        take_roof(r);
      } else {
        status = take_csv(r, error);
      }
    }
  }
  return status == ROOF_OK && roofs ? rf_ceilings_settle(r->source, r->profile, error) : status;
}

/** Cells of a text table, which two blanks part at least. */
static int text_cells(char *line, char *cells[], int most) {
  int count = 0;
  for (char *p = line + strspn(line, " "); *p != '\0' && count < most;) {
    char *end = strstr(p, "  ");
    cells[count++] = p;
    if (end == NULL) {
      break;
    }
    *end = '\0';
    p = end + 1 + strspn(end + 1, " ");
  }
  return count;
}

/** Seconds of "2.122s"; NaN for "< 0.001s". */
static double text_seconds(char *text) {
  size_t length = strlen(text);
  if (length == 0 || text[length - 1] != 's') {
    return NAN;
  }
  text[length - 1] = '\0';
  return rf_import_number(text, NULL);
}

static roof_status read_text(reading *r, roof_error *error) {
  enum { MOST = 8, ID = 0, NAME = 1, SELF = 3 };
  char *cells[MOST];
  roof_status status = ROOF_OK;
  size_t length = 0;
  for (char *line; status == ROOF_OK && (line = rf_import_line(r->source, &length)) != NULL;) {
    int count = text_cells(line, cells, MOST);
    if (count > SELF && isdigit((unsigned char)cells[ID][0])) {
      status = take_loop(r, text_seconds(cells[SELF]), cells[NAME], error);
    }
  }
  return status;
}

/** True for CSV: the header stands in quotes or between commas. */
static bool is_csv(const char *head) {
  const char *title = strstr(head, "Function Call Sites and Loops");
  return title == NULL || strchr("\",", title[strlen("Function Call Sites and Loops")]) != NULL;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile};
  size_t size = 0;
  roof_status status = is_csv(rf_import_head(source, &size)) ? read_csv(&r, error) : read_text(&r, error);
  if (status == ROOF_OK && r.loops == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "no loop, function or roof in it");
  }
  rf_import_row_done(&r.header);
  rf_import_row_done(&r.row);
  return status;
}

const roof_format rf_format_advisor = {
    .name = "advisor",
    .title = "Intel Advisor survey (CSV, text) and roofs (CSV)",
    .gives = "time of every loop, FLOPs, bytes of each level where collected; or a machine",
    .detect = detect,
    .read = read,
};
