#include <math.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/machine/machine.h"

/** What a row tells about one machine. */
typedef struct row {
  const roof_catalog_entry *entry;
  const roof_machine *machine;
  double capacity, rate, fp32, half, fp8, ridge;
} row;

static const struct {
  const char *head, *key, *unit;
  size_t offset;
} columns[] = {
    {"memory", "memory_bytes", "B", offsetof(row, capacity)},
    {"bandwidth", "bytes_per_second", "B/s", offsetof(row, rate)},
    {"fp32", "fp32_flops_per_second", "FLOP/s", offsetof(row, fp32)},
    {"fp16/bf16", "half_flops_per_second", "FLOP/s", offsetof(row, half)},
    {"fp8", "fp8_flops_per_second", "FLOP/s", offsetof(row, fp8)},
    {"ridge", "ridge", "", offsetof(row, ridge)},
};

enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

static double value_of(const row *r, int column) {
  return *(const double *)(const void *)((const char *)r + columns[column].offset);
}

static row row_of(const roof_catalog_entry *entry, const roof_machine *m) {
  const roof_level *memory = roof_machine_memory(m, ROOF_DATASHEET);
  row r = {.entry = entry,
           .machine = m,
           .capacity = memory != NULL ? memory->bytes * memory->instances : NAN,
           .rate = cli_machine_memory_rate(m),
           .fp32 = cli_machine_peak_rate(m, ROOF_FP32, ROOF_VECTOR),
           .half = cli_machine_half_rate(m),
           .fp8 = cli_machine_peak_rate(m, ROOF_FP8, ROOF_MATRIX)};
  r.ridge = (isnan(r.half) ? r.fp32 : r.half) / r.rate;
  return r;
}

static bool matches(const row *r, const char *filter) {
  const roof_machine *m = r->machine;
  const char *const texts[] = {r->entry->name, r->entry->aliases, m->title,
                               m->vendor,      m->architecture,   m->device_class};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    if (strcasestr(texts[i], filter) != NULL) {
      return true;
    }
  }
  for (int i = 0; i < m->level_count; i++) {
    if (strcasestr(m->levels[i].name, filter) != NULL) {
      return true;
    }
  }
  return false;
}

/** The list in every form it may be printed in. */
typedef struct listing {
  cli_grid grid;
  roof_text csv;
  json_t *json;
  int count;
} listing;

static void add_head(listing *out) {
  cli_grid_add(&out->grid, "machine");
  roof_text_add(&out->csv, "machine,title,kind");
  for (int i = 0; i < COLUMN_COUNT; i++) {
    cli_grid_add(&out->grid, "%s", columns[i].head);
    roof_text_addf(&out->csv, ",%s", columns[i].key);
  }
  cli_grid_add(&out->grid, "kind");
  roof_text_add(&out->csv, "\n");
}

static void add_row(listing *out, const row *r) {
  const char *kind = roof_provenance_name(r->machine->kind);
  json_t *aliases = json_array();
  for (int i = 0; i < r->machine->alias_count; i++) {
    json_array_append_new(aliases, json_string(r->machine->aliases[i]));
  }
  json_t *object = json_pack("{s:s, s:s, s:o, s:s, s:s}", "name", r->entry->name, "title", r->machine->title,
                             "aliases", aliases, "kind", kind, "origin", r->entry->origin);
  cli_grid_add(&out->grid, "%s", r->entry->name);
  roof_text_add_csv(&out->csv, r->entry->name);
  roof_text_add(&out->csv, ",");
  roof_text_add_csv(&out->csv, r->machine->title);
  roof_text_addf(&out->csv, ",%s", kind);
  for (int i = 0; i < COLUMN_COUNT; i++) {
    char text[MACHINE_FIGURE_SIZE];
    double value = value_of(r, i);
    if (columns[i].unit[0] == '\0' && !isnan(value)) {
      cli_grid_add(&out->grid, "%.1f", value);
    } else {
      cli_grid_add(&out->grid, "%s", cli_machine_figure(text, value, columns[i].unit, ""));
    }
    roof_text_add(&out->csv, ",");
    roof_text_add_number(&out->csv, value, 15);
    json_object_set_new(object, columns[i].key, cli_json_number(value));
  }
  cli_grid_add(&out->grid, "%s", kind);
  roof_text_add(&out->csv, "\n");
  json_array_append_new(out->json, object);
  out->count++;
}

/** A file of the user's that cannot be read is reported and left out: it must not hide the others. */
static void collect(const roof_catalog_list *list, const char *filter, listing *out) {
  add_head(out);
  for (size_t i = 0; i < list->count; i++) {
    const roof_catalog_entry *entry = &list->entries[i];
    roof_machine *machine = NULL;
    roof_error why = {0};
    bool built_in = strchr(entry->origin, '/') == NULL;
    if (roof_catalog_load(built_in ? entry->name : entry->origin, &machine, &why) != ROOF_OK) {
      cli_report("warning: ", &why);
      continue;
    }
    row r = row_of(entry, machine);
    if (matches(&r, filter)) {
      add_row(out, &r);
    }
    roof_machine_free(machine);
  }
}

static roof_status print(const cli_args *args, listing *out, const char *filter, roof_error *error) {
  if (args->json) {
    return cli_json_print(json_pack("{s:s, s:O}", "schema", "roofline.machines/1", "machines", out->json),
                          error);
  }
  if (args->csv) {
    return cli_print(&out->csv, error);
  }
  if (out->count == 0) {
    return roof_error_set(error, ROOF_E_NAME, "machine list: nothing contains `%.80s`", filter);
  }
  roof_text text = {0};
  cli_grid_end(&out->grid, &text, "lrrrrrrl");
  if (!args->quiet) {
    roof_text_addf(&text,
                   "\n  %d machine%s; peaks are dense FLOP/s; ridge: FLOP per byte of memory at the 16-bit "
                   "peak, else fp32\n",
                   out->count, out->count == 1 ? "" : "s");
  }
  roof_status status = cli_print(&text, error);
  roof_text_done(&text);
  return status;
}

roof_status cli_machine_list_run(const cli_args *args, roof_error *error) {
  const char *filter = args->word_count > 1 ? args->words[1] : "";
  roof_catalog_list list;
  listing out = {.json = json_array()};
  roof_status status = roof_catalog_list_all(&list, error);
  if (status == ROOF_OK) {
    collect(&list, filter, &out);
    status = print(args, &out, filter, error);
    roof_catalog_list_done(&list);
  }
  json_decref(out.json);
  roof_text_done(&out.csv);
  roof_text_done(&out.grid.cells);
  return status;
}
