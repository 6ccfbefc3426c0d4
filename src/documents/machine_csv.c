/* The ceilings of a machine as CSV: a row for each peak, level and link. */
#include <math.h>
#include <string.h>

#include "documents/machine_fields.h"
#include "roofline/documents.h"
#include "roofline/units.h"

/** The columns, keys of the three kinds of entry; an entry has those that its table of fields has. */
static const char *const columns[] = {"name",
                                      "dtype",
                                      "unit",
                                      "isa",
                                      "sparse",
                                      "cores",
                                      "flops_per_second",
                                      "limit_flops_per_second",
                                      "bytes",
                                      "instances",
                                      "bytes_per_second",
                                      "read_bytes_per_second",
                                      "write_bytes_per_second",
                                      "copy_bytes_per_second",
                                      "update_bytes_per_second",
                                      "triad_bytes_per_second",
                                      "limit_bytes_per_second",
                                      "latency_seconds",
                                      "count",
                                      "spread",
                                      "kind",
                                      "source",
                                      "date",
                                      "core_kind",
                                      "threads_per_core"};

static void add_number(roof_text *out, double value) {
  char buffer[ROOF_NUMBER_SIZE];
  roof_text_add(out, roof_number_write(buffer, value, 0) > 0 ? buffer : "");
}

static void add_field(roof_text *out, const rf_field *f, const char *at) {
  switch (f->type) {
  case FIELD_CORES: {
    int cores = *(const int *)(const void *)at;
    add_number(out, cores > 0 ? (double)cores : NAN);
    break;
  }
  case FIELD_FLAG:
    roof_text_add(out, *(const bool *)(const void *)at ? "true" : "false");
    break;
  case FIELD_DTYPE:
  case FIELD_SCALED:
    roof_text_add(out, roof_dtype_name(*(const roof_dtype *)(const void *)at));
    break;
  case FIELD_UNIT:
    roof_text_add(out, roof_unit_name(*(const roof_unit *)(const void *)at));
    break;
  case FIELD_KIND:
    roof_text_add(out, roof_provenance_name(*(const roof_provenance *)(const void *)at));
    break;
  case FIELD_TEXT:
    roof_text_add_csv(out, at);
    break;
  default:
    add_number(out, *(const double *)(const void *)at);
  }
}

static void add_rows(roof_text *out, const roof_machine *machine, const char *list) {
  const rf_field *of = rf_record_field(&rf_machine_record, list);
  int count = 0;
  const char *entries = rf_list_entries(of, machine, &count);
  for (int i = 0; i < count; i++) {
    roof_text_add(out, list);
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
      const rf_field *f = rf_record_field(of->record, columns[k]);
      roof_text_add(out, ",");
      if (f != NULL) {
        add_field(out, f, entries + (size_t)i * of->size + f->offset);
      }
    }
    roof_text_add(out, "\n");
  }
}

roof_status roof_machine_write_csv(const roof_machine *machine, roof_text *out, roof_error *error) {
  roof_text_add(out, "figure");
  for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
    roof_text_addf(out, ",%s", columns[k]);
  }
  roof_text_add(out, "\n");
  add_rows(out, machine, "peaks");
  add_rows(out, machine, "levels");
  add_rows(out, machine, "links");
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "machine `%s`: out of memory", machine->name)
                     : ROOF_OK;
}
