#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "documents/json.h"
#include "documents/locate.h"
#include "documents/machine_fields.h"
#include "roofline/documents.h"

enum { DEPTH_MAX = 6 };

/** Where reading stands: the path from the top, as numbers for the locator and as text for messages. */
typedef struct reader {
  const char *text;
  size_t length;
  const char *file;
  const roof_machine *machine; /* as far as it is read */
  roof_error *error;
  size_t steps[DEPTH_MAX];
  const char *keys[DEPTH_MAX]; /* NULL for an element of a list */
  size_t depth;
} reader;

typedef roof_status value_reader(reader *r, const rf_field *f, json_t *value, char *at);

static roof_status read_value(reader *r, const rf_field *f, json_t *value, char *base);

static void enter(reader *r, size_t step, const char *key) {
  r->steps[r->depth] = step;
  r->keys[r->depth++] = key;
}

/** The path for a person: `peaks[3].dtype`; "machine" at the top. */
static void describe(const reader *r, char *buffer, size_t size) {
  size_t used = (size_t)snprintf(buffer, size, "%s", r->depth == 0 ? "machine" : "");
  for (size_t i = 0; i < r->depth && used < size; i++) {
    int length = r->keys[i] == NULL
                     ? snprintf(buffer + used, size - used, "[%zu]", r->steps[i])
                     : snprintf(buffer + used, size - used, "%s%.40s", i > 0 ? "." : "", r->keys[i]);
    used += length > 0 ? (size_t)length : 0;
  }
}

static roof_status fail_at(reader *r, bool at_key, roof_status code, const char *why) {
  char path[160];
  int line = 0, column = 0;
  describe(r, path, sizeof path);
  rf_json_locate(r->text, r->length, r->steps, r->depth, at_key, &line, &column);
  roof_error_set(r->error, code, "%s: %s", path, why);
  roof_error_at(r->error, r->file, line, column);
  return code;
}

static roof_status fail(reader *r, const char *why) {
  return fail_at(r, false, ROOF_E_ARGUMENT, why);
}

static roof_status fail_memory(reader *r) {
  return roof_error_set(r->error, ROOF_E_MEMORY, "%s: out of memory", r->file);
}

static roof_status read_text(reader *r, const rf_field *f, json_t *value, char *at) {
  if (!json_is_string(value)) {
    return fail(r, "not a text");
  }
  size_t length = json_string_length(value);
  const char *text = json_string_value(value);
  if (length >= f->size) {
    char why[64];
    snprintf(why, sizeof why, "longer than %u bytes", f->size - 1);
    return fail(r, why);
  }
  if (f->required && length == 0) {
    return fail(r, "empty");
  }
  for (size_t i = 0; i < length; i++) {
    if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) {
      return fail(r, "contains a control character");
    }
  }
  memcpy(at, text, length + 1);
  return ROOF_OK;
}

static roof_status read_name(reader *r, const rf_field *f, json_t *value, char *at) {
  roof_status status = read_text(r, f, value, at);
  if (status != ROOF_OK) {
    return status;
  }
  return rf_machine_name_is_good(at) ? ROOF_OK : fail(r, "a name has letters, digits and . _ + - only");
}

static roof_status read_schema(reader *r, const rf_field *f, json_t *value, char *at) {
  (void)f, (void)at;
  const char *text = json_string_value(value);
  return text != NULL && strcmp(text, MACHINE_SCHEMA) == 0 ? ROOF_OK : fail(r, "not `" MACHINE_SCHEMA "`");
}

static const double slowest_clock = 1e6;

static roof_status read_number(reader *r, const rf_field *f, json_t *value, char *at) {
  if (!json_is_number(value)) {
    return fail(r, "not a number");
  }
  double number = json_number_value(value);
  if (!isfinite(number) || number < 0) {
    return fail(r, "negative or not finite");
  }
  if (f->type != FIELD_AMOUNT && number == 0) {
    return fail(r, "zero; null means unknown");
  }
  if (f->type == FIELD_WHOLE && number != floor(number)) {
    return fail(r, "not a whole number");
  }
  if (f->type == FIELD_CLOCK && number < slowest_clock) {
    return fail(r, "less than 1 MHz; it is in Hz");
  }
  memcpy(at, &number, sizeof number);
  return ROOF_OK;
}

static roof_status read_cores(reader *r, const rf_field *f, json_t *value, char *at) {
  (void)f;
  double number = json_number_value(value);
  if (!json_is_number(value) || !(number >= 1 && number <= 1e6) || number != floor(number)) {
    return fail(r, "not a whole number from 1 to 1000000, or null");
  }
  int cores = (int)number;
  memcpy(at, &cores, sizeof cores);
  return ROOF_OK;
}

static roof_status read_flag(reader *r, const rf_field *f, json_t *value, char *at) {
  if (!json_is_boolean(value)) {
    return fail(r, "not true or false");
  }
  bool flag = json_is_true(value) == (f->type == FIELD_FLAG);
  memcpy(at, &flag, sizeof flag);
  return ROOF_OK;
}

/** Defines a reader of one word with core's own parser, whose message (with the nearest name) is kept. */
#define READ_WORD(function, type, parse)                                                                     \
  static roof_status function(reader *r, const rf_field *f, json_t *value, char *at) {                       \
    (void)f;                                                                                                 \
    roof_error why;                                                                                          \
    type word;                                                                                               \
    if (!json_is_string(value)) {                                                                            \
      return fail(r, "not a text");                                                                          \
    }                                                                                                        \
    roof_status status = parse(json_string_value(value), &word, &why);                                       \
    if (status != ROOF_OK) {                                                                                 \
      return fail_at(r, false, status, why.message);                                                         \
    }                                                                                                        \
    memcpy(at, &word, sizeof word);                                                                          \
    return ROOF_OK;                                                                                          \
  }

READ_WORD(read_dtype, roof_dtype, roof_dtype_parse)
READ_WORD(read_scaled, roof_dtype, roof_dtype_parse_scaled)
READ_WORD(read_unit, roof_unit, roof_unit_parse)
READ_WORD(read_kind, roof_provenance, roof_provenance_parse)
READ_WORD(read_level, roof_level_kind, roof_level_kind_parse)
READ_WORD(read_kernel, roof_kernel_kind, roof_kernel_kind_parse)

/** What a record holds before it is read: a figure whose provenance is not given is an assumption. */
static void preset(const rf_record *rec, char *base) {
  roof_provenance assumed = ROOF_ASSUMED;
  roof_level_kind unknown = ROOF_LEVEL_KIND_COUNT;
  for (size_t i = 0; i < rec->count; i++) {
    const rf_field *f = &rec->fields[i];
    if (f->type == FIELD_KIND) {
      memcpy(base + f->offset, &assumed, sizeof assumed);
    } else if (f->type == FIELD_LEVEL) {
      memcpy(base + f->offset, &unknown, sizeof unknown);
    }
  }
}

/** A domain has no figures of the others, or one of each. */
static roof_status check_domains(reader *r, const roof_report *m) {
  for (int i = 0; i < m->domain_count; i++) {
    const int counts[] = {m->domains[i].read_count, m->domains[i].latency_count};
    for (int k = 0; k < 2; k++) {
      if (counts[k] != 0 && counts[k] != m->domain_count) {
        char why[96];
        snprintf(why, sizeof why, "domain `%s` has %d figures for %d domains", m->domains[i].name, counts[k],
                 m->domain_count);
        return fail(r, why);
      }
    }
  }
  return ROOF_OK;
}

/** A figure without provenance has the machine's kind and date. */
static void inherit_origins(roof_machine *machine) {
  const rf_field *f = NULL;
  for (int rank = 1; (f = rf_record_figure(&rf_machine_record, rank)) != NULL; rank++) {
    roof_origin *origin = (roof_origin *)(void *)((char *)machine + f->provenance);
    if (origin->source[0] == '\0') {
      origin->kind = machine->kind;
      memcpy(origin->date, machine->date, sizeof origin->date);
    }
  }
}

/** Whether products that leave zeros out are rated below those that do all. */
static bool sparse_below_dense(const roof_peak *a, const roof_peak *b) {
  const roof_peak *sparse = a->sparse ? a : b, *dense = a->sparse ? b : a;
  return a->sparse != b->sparse && a->dtype == b->dtype && a->unit == b->unit && a->mixed == b->mixed &&
         a->fp16_sums == b->fp16_sums && a->kind != ROOF_MEASURED && b->kind != ROOF_MEASURED &&
         sparse->flops_per_second < dense->flops_per_second;
}

/** A peak by itself and against those before it. */
static roof_status check_peak(reader *r, const roof_peak *peak) {
  if (peak->unsupported && !isnan(peak->flops_per_second)) {
    return fail(r, "`supported` is false, yet there is a `flops_per_second`");
  }
  for (int i = 0; i < r->machine->peak_count; i++) {
    if (sparse_below_dense(peak, &r->machine->peaks[i])) {
      return fail(r, peak->sparse ? "sparse, yet slower than the dense peak"
                                  : "dense, yet faster than the sparse peak");
    }
  }
  return ROOF_OK;
}

static roof_status check_link(reader *r, const roof_link *link) {
  return link->kind != ROOF_MEASURED && link->both_ways_bytes_per_second < link->bytes_per_second
             ? fail(r, "`both_ways_bytes_per_second` is less than `bytes_per_second`, one way")
             : ROOF_OK;
}

/** What depends on several fields: the level a name means, figures that cannot both be. */
static roof_status check(reader *r, const rf_record *rec, char *base) {
  if (rec == &rf_level_record) {
    roof_level *level = (roof_level *)(void *)base;
    roof_error why;
    if (level->level == ROOF_LEVEL_KIND_COUNT &&
        roof_level_kind_parse(level->name, &level->level, &why) != ROOF_OK) {
      return fail_at(r, false, ROOF_E_NAME, why.message);
    }
  }
  if (rec == &rf_machine_record) {
    roof_machine *machine = (roof_machine *)(void *)base;
    inherit_origins(machine);
    return check_domains(r, roof_machine_report(machine));
  }
  if (rec == &rf_peak_record) {
    return check_peak(r, (const roof_peak *)(const void *)base);
  }
  if (rec == &rf_link_record) {
    return check_link(r, (const roof_link *)(const void *)base);
  }
  return ROOF_OK;
}

static roof_status fail_unknown(reader *r, const rf_record *rec, const char *key) {
  const char *keys[RF_FIELD_MAX + 1] = {NULL};
  for (size_t i = 0; i < rec->count; i++) {
    keys[i] = rec->fields[i].key;
  }
  fail_at(r, true, ROOF_E_NAME, "unknown key");
  return roof_error_suggest(r->error, key, keys);
}

/** The field's value into the record or into its measured part, which the first such value makes. */
static roof_status read_field(reader *r, const rf_record *rec, const rf_field *f, json_t *value, char *base) {
  if (json_is_null(value)) {
    return ROOF_OK;
  }
  char *in = f->measured ? rf_record_part(rec, base) : base;
  return in == NULL ? fail_memory(r) : read_value(r, f, value, in);
}

static roof_status read_record(reader *r, const rf_record *rec, json_t *object, char *base) {
  const char *key = NULL;
  json_t *value = NULL;
  size_t step = 0;
  if (!json_is_object(object)) {
    return fail(r, "not an object");
  }
  preset(rec, base);
  json_object_foreach(object, key, value) {
    const rf_field *f = rf_record_field(rec, key);
    enter(r, step++, key);
    roof_status status = f == NULL ? fail_unknown(r, rec, key) : read_field(r, rec, f, value, base);
    r->depth--;
    if (status != ROOF_OK) {
      return status;
    }
  }
  for (size_t i = 0; i < rec->count; i++) {
    const rf_field *f = &rec->fields[i];
    value = json_object_get(object, f->key);
    if (f->required && (value == NULL || json_is_null(value))) {
      char why[64];
      snprintf(why, sizeof why, "`%s` is missing", f->key);
      return fail(r, why);
    }
  }
  return check(r, rec, base);
}

static roof_status read_object(reader *r, const rf_field *f, json_t *value, char *at) {
  return read_record(r, f->record, value, at);
}

/** A number of a list, where null stands for one that is not known. */
static roof_status read_known(reader *r, const rf_field *f, json_t *value, char *at) {
  static const rf_field positive = {.type = FIELD_POSITIVE};
  (void)f;
  return json_is_null(value) ? ROOF_OK : read_number(r, &positive, value, at);
}

static roof_status read_entry(reader *r, const rf_field *f, json_t *value, char *at) {
  return f->record != NULL          ? read_record(r, f->record, value, at)
         : f->type == FIELD_NAMES   ? read_name(r, f, value, at)
         : f->type == FIELD_NUMBERS ? read_known(r, f, value, at)
                                    : read_text(r, f, value, at);
}

/** `base` is what holds the list. */
static roof_status read_list(reader *r, const rf_field *f, json_t *value, char *base) {
  if (!json_is_array(value)) {
    return fail(r, "not a list");
  }
  size_t count = json_array_size(value);
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < count && status == ROOF_OK; i++) {
    enter(r, i, NULL);
    char why[48];
    snprintf(why, sizeof why, "more than %u entries", f->capacity);
    char *entry = rf_list_add(f, base);
    status = entry != NULL ? read_entry(r, f, json_array_get(value, i), entry) : fail(r, why);
    r->depth--;
  }
  return status;
}

/** `base` is what holds the field. */
static roof_status read_value(reader *r, const rf_field *f, json_t *value, char *base) {
  static value_reader *const readers[] = {
      [FIELD_SCHEMA] = read_schema,   [FIELD_NAME] = read_name,    [FIELD_TEXT] = read_text,
      [FIELD_POSITIVE] = read_number, [FIELD_WHOLE] = read_number, [FIELD_CLOCK] = read_number,
      [FIELD_AMOUNT] = read_number,   [FIELD_CORES] = read_cores,  [FIELD_FLAG] = read_flag,
      [FIELD_SUPPORTED] = read_flag,  [FIELD_DTYPE] = read_dtype,  [FIELD_UNIT] = read_unit,
      [FIELD_KIND] = read_kind,       [FIELD_LEVEL] = read_level,  [FIELD_KERNEL] = read_kernel,
      [FIELD_NAMES] = read_list,      [FIELD_TEXTS] = read_list,   [FIELD_OBJECT] = read_object,
      [FIELD_OBJECTS] = read_list,    [FIELD_POINTS] = read_list,  [FIELD_NUMBERS] = read_list,
      [FIELD_SCALED] = read_scaled,
  };
  return readers[f->type](r, f, value, f->capacity > 0 ? base : base + f->offset);
}

roof_status roof_machine_read(const char *text, size_t length, const char *file, roof_machine **machine,
                              roof_error *error) {
  json_t *root = NULL;
  roof_status status = rf_json_read(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, file,
                                    "machine: ", &root, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_machine *read = roof_machine_new();
  reader r = {.text = text, .length = length, .file = file, .machine = read, .error = error};
  status = read != NULL ? read_record(&r, &rf_machine_record, root, (char *)read)
                        : roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", file);
  if (status == ROOF_OK) {
    *machine = read;
  } else {
    roof_machine_free(read);
  }
  json_decref(root);
  return status;
}
