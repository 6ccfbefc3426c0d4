/* Finds the format of a file and lets it read. */
#include "import/import.h"
#include "documents/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "documents/json.h"
#include "roofline/advise.h"
#include "roofline/ops.h"
#include "roofline/units.h"

#define ROW(format) extern const roof_format rf_format_##format;
#include "registry/formats.inc"
#undef ROW

static const roof_format *const formats[] = {
#define ROW(format) &rf_format_##format,
#include "registry/formats.inc"
#undef ROW
};

enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

int roof_format_count(void) {
  return FORMAT_COUNT;
}

const roof_format *roof_format_at(int index) {
  return index >= 0 && index < FORMAT_COUNT ? formats[index] : NULL;
}

roof_status roof_format_find(const char *name, const roof_format **format, roof_error *error) {
  const char *names[FORMAT_COUNT + 1] = {NULL};
  for (int i = 0; i < FORMAT_COUNT; i++) {
    names[i] = formats[i]->name;
    if (strcmp(names[i], name) == 0) {
      *format = formats[i];
      return ROOF_OK;
    }
  }
  return roof_error_unknown(error, "format", name, names, "`roofline import --list` shows all");
}

#define MODEL "a model, not a profile: `roofline model FILE` reads it"

/** Files that cannot be read, by how they begin, and what to do instead. */
static const struct {
  const char *begin, *why;
} closed[] = {
    {"NVIDIA Tegra Profiler Report",
     "Nsight Systems' own report, whose form is not published: `nsys export --type "
     "sqlite FILE` writes one that can be read"},
    {"version https://git-lfs", "a pointer of Git LFS, not the file: `git lfs pull` fetches it"},
    {"PAR1", "a Parquet file: export CSV or SQLite instead"},
    {"PK\x03\x04", "a zip archive: unpack it first"},
    {"GGUF", MODEL},
    {"BZh", "packed with bzip2: `bunzip2 -c FILE | roofline import -`"},
    {"{\"sequence\":1,\"kind\":\"", "a ledger: `roofline reconcile --ledger FILE` reads it"},
    {"\x7f"
     "ELF",
     "a program, not a profile"},
};

/** What roofline writes that is no profile, by its schema, and what reads it; the last: anything else. */
static const struct {
  const char *schema, *what;
} own[] = {
    {"roofline.nodes/", "a cluster: `roofline cluster report FILE` reads it"},
    {"roofline.scaling/", "a scaling study: `roofline cluster report FILE` reads it"},
    {"roofline.machine/", "a machine: `roofline machine show FILE` reads it"},
    {"roofline.prediction/", "a prediction: `roofline seal FILE` reads it"},
    {"roofline.predictions/", "predictions: `roofline seal FILE` reads them"},
    {"roofline.sweep/", "predictions: `roofline seal FILE` reads them"},
    {"roofline.reconcile/", "predictions and what was measured of them: `roofline check FILE` reads them"},
    {"roofline.description/", "a model: `roofline model FILE` reads it"},
    {"roofline.measurements/",
     "measurements in a version that is not known here; roofline.measurements/1 is"},
    {"roofline.", "an answer of roofline without a measurement to import"},
};

/** What a document of our own is that no format reads; NULL where the text is none. */
static const char *own_document(const char *text) {
  static const char key[] = "\"schema\"";
  const char *at = text + strspn(text, " \t\r\n");
  at = *at == '{' ? strstr(at, key) : NULL;
  at = at != NULL ? at + sizeof key - 1 + strspn(at + sizeof key - 1, " :\t\r\n") : NULL;
  for (size_t i = 0; at != NULL && *at == '"' && i < sizeof own / sizeof own[0]; i++) {
    if (strncmp(at + 1, own[i].schema, strlen(own[i].schema)) == 0) {
      return own[i].what;
    }
  }
  return NULL;
}

/** Whether it is a model's config.json, or an ONNX file: a protocol buffer that begins with the version of its form. */
static bool is_model(const char *head, size_t size) {
  enum { VERSION = 0x08, NEWEST = 32, WIRE = 7, MESSAGE = 2 };
  bool json = head[strspn(head, " \t\r\n")] == '{';
  bool config = json && (strstr(head, "\"model_type\"") != NULL || strstr(head, "\"architectures\"") != NULL);
  return config ||
         (size > 2 && head[0] == VERSION && head[1] > 0 && head[1] < NEWEST && (head[2] & WIRE) == MESSAGE);
}

/** Whether the first line of a table has a number where the names of columns are. */
static bool begins_with_values(const char *head, size_t size) {
  const char *end = memchr(head, '\n', size), *at = memchr(head, ',', size);
  while (end != NULL && at != NULL && at < end) {
    const char *next = memchr(at + 1, ',', (size_t)(end - at - 1));
    size_t length = (size_t)((next != NULL ? next : end) - at - 1);
    double value;
    if (length > 0 && roof_number_read(at + 1, length, &value) == length) {
      return true;
    }
    at = next;
  }
  return false;
}

/** Names the kind of a file that no format accepts. */
static roof_status refuse(roof_source *source, const char *head, size_t size, roof_error *error) {
  for (size_t i = 0; i < sizeof closed / sizeof closed[0]; i++) {
    size_t length = strlen(closed[i].begin);
    if (size >= length && memcmp(head, closed[i].begin, length) == 0) {
      return rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "%s", closed[i].why);
    }
  }
  const char *what = own_document(head);
  if (what != NULL) {
    return rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "%s", what);
  }
  if (is_model(head, size)) {
    return rf_import_error(source, error, ROOF_E_PARSE, 0, 0, MODEL);
  }
  if (begins_with_values(head, size)) {
    return rf_import_error(source, error, ROOF_E_PARSE, 1, 0,
                           "a table without names of columns: its first line must name them");
  }
  return rf_import_error(
      source, error, ROOF_E_PARSE, 1, 0,
      "none of the formats that can be read; `roofline import --list` shows them, `import --format` forces "
      "one");
}

/** Refuses a file that does not give the dimension asked for, with those that it gives. */
static roof_status refuse_by(roof_source *source, const roof_profile *profile, roof_error *error) {
  static const char *const things[] = {
#define THINGS(symbol, name, things, hint) things,
      ROOF_BY_MAP(THINGS)
#undef THINGS
  };
  static const char *const hints[] = {
#define HINT(symbol, name, things, hint) hint,
      ROOF_BY_MAP(HINT)
#undef HINT
  };
  const char *hint = hints[profile->by];
  char given[100] = "kernel, class, rank";
  for (int by = 0; by < ROOF_BY_COUNT; by++) {
    if ((profile->dimensions >> by & 1) != 0) {
      size_t length = strlen(given);
      snprintf(given + length, sizeof given - length, ", %s", roof_by_name((roof_by)by));
    }
  }
  return roof_error_set(error, ROOF_E_INPUT, "%s: it has no %s%s%s%s; what it has: --by %s",
                        rf_import_name(source), things[profile->by], hint[0] != '\0' ? " (" : "", hint,
                        hint[0] != '\0' ? ")" : "", given);
}

/** Whether every file can be rolled up so. */
static bool is_general(roof_by by) {
  return by == ROOF_BY_KERNEL || by == ROOF_BY_CLASS || by == ROOF_BY_RANK;
}

/** The format that matches the first bytes best; a document of our own has one that is sure, or none. */
static roof_status detect(roof_source *source, const roof_format **format, roof_error *error) {
  size_t size = 0;
  const char *head = rf_import_head(source, &size);
  enum { SURE = 100 };
  int best = 0;
  if (size == 0) {
    return rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "%s",
                           rf_import_is_cut(source) ? "it ends too early, before anything that can be read"
                                                    : "the file is empty");
  }
  for (int i = 0; i < FORMAT_COUNT; i++) {
    int sure = formats[i]->detect(head, size);
    if (sure > best) {
      best = sure;
      *format = formats[i];
    }
  }
  return best >= SURE || (best > 0 && own_document(head) == NULL) ? ROOF_OK
                                                                  : refuse(source, head, size, error);
}

/** Of a file that ends too early, in the middle of a record or with one that cannot be read, what comes before counts. */
static roof_status settle_cut(roof_source *source, roof_status status, roof_profile *profile,
                              roof_error *error) {
  char next;
  bool last = status == ROOF_E_PARSE && rf_import_bytes(source, &next, 1) == 0;
  if (status == ROOF_OK || (last && profile->count > 0)) {
    rf_import_cut(profile, "the file ends too early");
    return ROOF_OK;
  }
  return last ? rf_import_error(source, error, status, 0, 0,
                                "it ends too early, before anything that can be read")
              : status;
}

static roof_status read_source(roof_source *source, const roof_import_options *options, roof_profile *profile,
                               roof_error *error) {
  static const roof_import_options none = {0};
  options = options != NULL ? options : &none;
  const roof_format *format = options->format;
  if (options->partial) {
    rf_import_forgive(source);
  }
  roof_status status = rf_import_failed(source, error);
  if (status == ROOF_OK && format == NULL) {
    status = detect(source, &format, error);
  }
  if (status != ROOF_OK || format == NULL) {
    return status;
  }
  profile->format = format;
  profile->decimal = options->decimal;
  profile->by = options->by;
  rf_json_begin();
  status = format->read(source, profile, error);
  rf_import_trace_read(profile, rf_import_name(source));
  rf_import_time_facts(profile);
  if (rf_json_lost()) {
    return roof_error_set(error, ROOF_E_MEMORY, "import: out of memory");
  }
  if (status == ROOF_OK) {
    status = rf_import_failed(source, error);
  }
  if (rf_import_is_cut(source)) {
    status = settle_cut(source, status, profile, error);
  } else if (status == ROOF_OK && format->ends_lines && rf_import_ends_in_number(source)) {
    rf_import_cut(profile, "the last line has no end, its values may be cut");
  }
  bool given =
      options->by_if_known || is_general(profile->by) || (profile->dimensions >> profile->by & 1) != 0;
  if (status == ROOF_OK && !given) {
    status = refuse_by(source, profile, error);
  }
  bool settled = rf_import_settled(profile, NULL) == ROOF_OK;
  return settled ? status : rf_import_settled(profile, error);
}

roof_status roof_import(const char *path, const roof_import_options *options, roof_profile *profile,
                        roof_error *error) {
  roof_source *source = NULL;
  roof_status status = rf_import_open(path, &source, error);
  if (status == ROOF_OK) {
    status = read_source(source, options, profile, error);
    rf_import_close(source);
  }
  return status;
}

roof_status roof_import_memory(const char *data, size_t size, const char *name,
                               const roof_import_options *options, roof_profile *profile, roof_error *error) {
  roof_source *source = NULL;
  roof_status status = rf_import_open_memory(data, size, name, &source, error);
  if (status == ROOF_OK) {
    status = read_source(source, options, profile, error);
    rf_import_close(source);
  }
  return status;
}

const char *roof_quality_name(roof_quality quality) {
  static const char *const names[] = {
#define NAME(symbol, name) name,
      ROOF_QUALITY_MAP(NAME)
#undef NAME
  };
  return (unsigned)quality < ROOF_QUALITY_COUNT ? names[quality] : "?";
}

double roof_record_seconds(const roof_record *record) {
  return record->timed ? (double)record->picoseconds * 1e-12 : NAN;
}

/** Half the 95 % interval of the median, as a share of it; NaN where the calls offered no samples. */
static double noise_of(const roof_record *record) {
  size_t size = record->sample_count * sizeof *record->samples;
  double *sorted = record->sample_count > 1 ? malloc(size) : NULL;
  roof_stats stats = {.median = NAN};
  if (sorted != NULL) {
    memcpy(sorted, record->samples, size);
    (void)roof_stats_of(sorted, record->sample_count, &stats, NULL);
  }
  free(sorted);
  return (stats.ci_high - stats.ci_low) / (2 * stats.median);
}

void roof_record_counted(const roof_record *record, roof_counted *work) {
  roof_counted_init(work);
  work->seconds = roof_record_seconds(record);
  work->noise = noise_of(record);
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
      work->flops[d][u] = record->flops[d][u].value;
    }
    work->other_flops[d] = record->other_flops[d].value;
  }
  for (int l = 0; l < ROOF_LEVEL_KIND_COUNT; l++) {
    work->bytes[l] = record->bytes[l].value;
  }
  const roof_op *op = roof_op_of_kernel(record->name);
  work->unit = op != NULL ? (int)op->unit : -1;
  work->other_bytes = record->other_bytes.value;
  work->write_share = record->write_share;
  work->update_share = record->update_share;
  work->link_bytes = record->link_bytes.value;
  work->link = record->link;
  work->link_ranks = record->link_ranks;
  work->calls = (double)record->calls;
  work->busy_compute = roof_record_counter(record, roof_clue_name(ROOF_CLUE_COMPUTE));
  work->busy_memory = roof_record_counter(record, roof_clue_name(ROOF_CLUE_MEMORY));
}
