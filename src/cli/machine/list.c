#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/machine/machine.h"
#include "core/letters.h"

/** What a row tells about one machine. */
typedef struct row {
  const roof_catalog_entry *entry;
  const char *name, *kind;
  char title[sizeof((roof_machine *)0)->title];
  roof_machine_summary figures;
} row;

#define QUANTITY(head, json, what, member)                                                                   \
  { .key = json, .header = head, .unit = what, .none = "", CLI_FIELD(NUMBER, row, figures.member) }

static const cli_column columns[] = {
    {.key = "machine", .header = "machine", CLI_FIELD(TEXT, row, name)},
    {.key = "title", CLI_FIELD(NAME, row, title)},
    {.key = "kind", CLI_FIELD(TEXT, row, kind)},
    QUANTITY("memory", "memory_bytes", "B", memory_bytes),
    QUANTITY("bandwidth", "bytes_per_second", "B/s", bytes_per_second),
    QUANTITY("fp32", "fp32_flops_per_second", "FLOP/s", fp32_flops_per_second),
    QUANTITY("fp16/bf16", "half_flops_per_second", "FLOP/s", half_flops_per_second),
    QUANTITY("fp8", "fp8_flops_per_second", "FLOP/s", fp8_flops_per_second),
    {.key = "ridge",
     .header = "ridge",
     .digits = 1,
     .fixed = true,
     .none = "",
     CLI_FIELD(NUMBER, row, figures.ridge)},
    {.header = "kind", CLI_FIELD(TEXT, row, kind)},
    {0},
};

static bool matches(const roof_catalog_entry *entry, const roof_machine *m, const char *filter) {
  const char *const texts[] = {entry->name, entry->aliases,  m->title,
                               m->vendor,   m->architecture, m->device_class};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    if (rf_letters_find(texts[i], filter) != NULL) {
      return true;
    }
  }
  for (int i = 0; i < m->level_count; i++) {
    if (rf_letters_find(m->levels[i].name, filter) != NULL) {
      return true;
    }
  }
  return false;
}

/** A file of the user's that cannot be read is reported and left out: it must not hide the others. */
static size_t collect(const roof_catalog_list *list, const char *filter, row *rows) {
  size_t count = 0;
  for (size_t i = 0; i < list->count; i++) {
    const roof_catalog_entry *entry = &list->entries[i];
    roof_machine *machine = NULL;
    roof_error why = {0};
    bool built_in = strchr(entry->origin, '/') == NULL;
    if (roof_catalog_load(built_in ? entry->name : entry->origin, &machine, &why) != ROOF_OK) {
      cli_report("warning: ", &why);
      continue;
    }
    if (matches(entry, machine, filter)) {
      row *r = &rows[count++];
      *r = (row){.entry = entry,
                 .name = entry->name,
                 .kind = roof_provenance_name(machine->kind),
                 .figures = roof_machine_summarize(machine)};
      memcpy(r->title, machine->title, sizeof r->title);
    }
    roof_machine_free(machine);
  }
  return count;
}

/** The columns, the name under its own key, and the words that only a program asks for. */
static json_t *row_json(const row *r) {
  json_t *object = cli_columns_object(columns, r), *aliases = json_array();
  char words[ROOF_ALIAS_MAX * ROOF_NAME_MAX];
  char *rest = NULL;
  snprintf(words, sizeof words, "%s", r->entry->aliases);
  for (char *word = strtok_r(words, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    json_array_append_new(aliases, json_string(word));
  }
  json_object_del(object, "machine");
  json_object_set_new(object, "name", json_string(r->name));
  json_object_set_new(object, "aliases", aliases);
  json_object_set_new(object, "origin", json_string(r->entry->origin));
  return object;
}

static roof_status print_json(const row *rows, size_t count, roof_error *error) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    json_array_append_new(list, row_json(&rows[i]));
  }
  return cli_json_print(json_pack("{s:s, s:o}", "schema", "roofline.machines/1", "machines", list), error);
}

static roof_status print_text(const cli_args *args, cli_rows rows, roof_error *error) {
  roof_text text = {0};
  cli_columns_add_text(&text, rows);
  if (!args->quiet) {
    roof_text_addf(&text,
                   "\n  %zu machine%s; peaks are dense FLOP/s; ridge: FLOP per byte of memory at the 16-bit "
                   "peak, else fp32\n",
                   rows.count, rows.count == 1 ? "" : "s");
  }
  roof_status status = cli_print(&text, error);
  roof_text_done(&text);
  return status;
}

roof_status cli_machine_list_run(const cli_args *args, roof_error *error) {
  const char *filter = args->word_count > 1 ? args->words[1] : "";
  roof_catalog_list list;
  roof_status status = roof_catalog_list_all(&list, error);
  if (status != ROOF_OK) {
    return status;
  }
  row *rows = calloc(list.count + 1, sizeof *rows);
  size_t count = rows != NULL ? collect(&list, filter, rows) : 0;
  cli_rows shown = CLI_ROWS(columns, rows, count);
  status = rows == NULL ? roof_error_set(error, ROOF_E_MEMORY, "machine list: out of memory")
           : args->json ? print_json(rows, count, error)
           : args->csv  ? cli_columns_print_csv(shown, error)
           : count == 0 ? roof_error_set(error, ROOF_E_NAME, "machine list: nothing contains `%.80s`", filter)
                        : print_text(args, shown, error);
  free(rows);
  roof_catalog_list_done(&list);
  return status;
}
