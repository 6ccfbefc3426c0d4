#include <math.h>
#include <stdio.h>
#include <string.h>

#include "documents/machine_fields.h"
#include "roofline/documents.h"
#include "roofline/units.h"

typedef void writer(roof_text *out, const rf_field *f, const char *at);

static void write_value(roof_text *out, const rf_field *f, const char *base);

static void add_text(roof_text *out, const char *text) {
  if (text[0] == '\0') {
    roof_text_add(out, "null");
  } else {
    roof_text_add_json(out, text);
  }
}

static void add_number(roof_text *out, double value) {
  char buffer[ROOF_NUMBER_SIZE];
  roof_text_add(out, roof_number_write(buffer, value, 0) > 0 ? buffer : "null");
}

/** NULL where nothing was measured. */
static const char *measured_part(const rf_record *r, const char *base) {
  const char *part;
  memcpy(&part, base + r->part, sizeof part);
  return part;
}

static void add_record(roof_text *out, const rf_record *r, const char *base, const char *separator) {
  for (size_t i = 0; i < r->count; i++) {
    const rf_field *f = &r->fields[i];
    roof_text_addf(out, "%s\"%s\": ", i > 0 ? separator : "", f->key);
    write_value(out, f, f->measured ? measured_part(r, base) : base);
  }
}

static void write_schema(roof_text *out, const rf_field *f, const char *at) {
  (void)f, (void)at;
  roof_text_add_json(out, MACHINE_SCHEMA);
}

static void write_text(roof_text *out, const rf_field *f, const char *at) {
  (void)f;
  add_text(out, at);
}

static void write_number(roof_text *out, const rf_field *f, const char *at) {
  (void)f;
  add_number(out, *(const double *)(const void *)at);
}

static void write_cores(roof_text *out, const rf_field *f, const char *at) {
  (void)f;
  int cores = *(const int *)(const void *)at;
  add_number(out, cores > 0 ? (double)cores : NAN);
}

static void write_flag(roof_text *out, const rf_field *f, const char *at) {
  bool flag = *(const bool *)(const void *)at;
  roof_text_add(out, flag == (f->type == FIELD_FLAG) ? "true" : "false");
}

static void write_dtype(roof_text *out, const rf_field *f, const char *at) {
  (void)f;
  roof_text_add_json(out, roof_dtype_name(*(const roof_dtype *)(const void *)at));
}

static void write_unit(roof_text *out, const rf_field *f, const char *at) {
  (void)f;
  roof_text_add_json(out, roof_unit_name(*(const roof_unit *)(const void *)at));
}

static void write_kind(roof_text *out, const rf_field *f, const char *at) {
  (void)f;
  roof_text_add_json(out, roof_provenance_name(*(const roof_provenance *)(const void *)at));
}

static void write_level(roof_text *out, const rf_field *f, const char *at) {
  (void)f;
  roof_text_add_json(out, roof_level_kind_name(*(const roof_level_kind *)(const void *)at));
}

static void write_kernel(roof_text *out, const rf_field *f, const char *at) {
  (void)f;
  roof_text_add_json(out, roof_kernel_kind_name(*(const roof_kernel_kind *)(const void *)at));
}

/** Conditions that were not measured, an origin that is unknown. */
static bool is_empty(const rf_field *f, const char *at) {
  if (f->record == &rf_origin_record) {
    return ((const roof_origin *)(const void *)at)->source[0] == '\0';
  }
  return f->record == &rf_conditions_record && isnan(((const roof_conditions *)(const void *)at)->samples);
}

static void write_object(roof_text *out, const rf_field *f, const char *at) {
  if (is_empty(f, at)) {
    roof_text_add(out, "null");
    return;
  }
  roof_text_add(out, "{");
  add_record(out, f->record, at, ", ");
  roof_text_add(out, "}");
}

static void write_entry(roof_text *out, const rf_field *f, const char *at) {
  if (f->type == FIELD_NUMBERS) {
    write_number(out, f, at);
  } else if (f->record != NULL) {
    write_object(out, f, at);
  } else {
    roof_text_add_json(out, at);
  }
}

/** Texts and objects each on a line of its own. */
static void write_list(roof_text *out, const rf_field *f, const char *base) {
  bool lines = f->type == FIELD_TEXTS || f->type == FIELD_OBJECTS;
  int count = 0; /* nothing measured has no entry */
  const char *at = base != NULL ? rf_list_entries(f, base, &count) : NULL;
  for (int i = 0; i < count; i++) {
    roof_text_add(out, i == 0 ? "[" : lines ? "," : ", ");
    roof_text_add(out, lines ? "\n    " : "");
    write_entry(out, f, at + (size_t)i * f->size);
  }
  const char *none = f->type == FIELD_POINTS ? "null" : "[]";
  roof_text_add(out, count == 0 ? none : lines ? "\n  ]" : "]");
}

/** `base` is what holds the field: NULL is a measured part that is not there. */
static void write_value(roof_text *out, const rf_field *f, const char *base) {
  static writer *const writers[] = {
      [FIELD_SCHEMA] = write_schema,   [FIELD_NAME] = write_text,    [FIELD_TEXT] = write_text,
      [FIELD_POSITIVE] = write_number, [FIELD_WHOLE] = write_number, [FIELD_CLOCK] = write_number,
      [FIELD_AMOUNT] = write_number,   [FIELD_CORES] = write_cores,  [FIELD_FLAG] = write_flag,
      [FIELD_SUPPORTED] = write_flag,  [FIELD_DTYPE] = write_dtype,  [FIELD_UNIT] = write_unit,
      [FIELD_KIND] = write_kind,       [FIELD_LEVEL] = write_level,  [FIELD_KERNEL] = write_kernel,
      [FIELD_NAMES] = write_list,      [FIELD_TEXTS] = write_list,   [FIELD_OBJECT] = write_object,
      [FIELD_OBJECTS] = write_list,    [FIELD_POINTS] = write_list,  [FIELD_NUMBERS] = write_list,
      [FIELD_SCALED] = write_dtype,
  };
  if (f->capacity == 0 && base == NULL) {
    roof_text_add(out, "null");
  } else {
    writers[f->type](out, f, f->capacity > 0 ? base : base + f->offset);
  }
}

roof_status roof_machine_write(const roof_machine *machine, roof_text *out, roof_error *error) {
  roof_text_add(out, "{\n  ");
  add_record(out, &rf_machine_record, (const char *)machine, ",\n  ");
  roof_text_add(out, "\n}\n");
  if (out->failed) {
    return roof_error_set(error, ROOF_E_MEMORY, "machine `%s`: out of memory", machine->name);
  }
  return ROOF_OK;
}

double roof_device_link(const roof_machine *from, const roof_machine *to) {
  static const char own[] = "to ";
  for (int i = 0; i < from->link_count; i++) {
    const char *name = from->links[i].name;
    if (strncmp(name, own, sizeof own - 1) == 0 && strcmp(name + sizeof own - 1, to->name) == 0) {
      return from->links[i].bytes_per_second;
    }
  }
  return NAN;
}

static void write_device_links(roof_text *out, const roof_machine *const *machines, int count) {
  roof_text_add(out, "], \"device_links\": [");
  for (int i = 0; i < count; i++) {
    roof_text_add(out, i > 0 ? ", [" : "[");
    for (int k = 0; k < count; k++) {
      roof_text_add(out, k > 0 ? ", " : "");
      add_number(out, roof_device_link(machines[i], machines[k]));
    }
    roof_text_add(out, "]");
  }
  roof_text_add(out, "]}\n");
}

roof_status roof_machines_write(const roof_machine *const *machines, int count, roof_text *out,
                                roof_error *error) {
  roof_status status = ROOF_OK;
  roof_text_add(out, "{\"schema\": \"roofline.machines/1\", \"machines\": [");
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    roof_text_add(out, i > 0 ? "," : "");
    status = roof_machine_write(machines[i], out, error);
  }
  write_device_links(out, machines, count);
  return status != ROOF_OK || !out->failed ? status
                                           : roof_error_set(error, ROOF_E_MEMORY, "machines: out of memory");
}

roof_status roof_conditions_write(const roof_conditions *conditions, roof_text *out, roof_error *error) {
  const rf_field f = {.key = "conditions", .type = FIELD_OBJECT, .record = &rf_conditions_record};
  write_object(out, &f, (const char *)conditions);
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "conditions: out of memory") : ROOF_OK;
}
