#include "cli/mcp/resources.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "host/file.h"
#include "host/process.h"

enum { PER_PAGE = 100 };

static const char machine_prefix[] = "roofline://machine/", docs_prefix[] = "roofline://docs/";

/** Where the book may be, from the folder of the program: a build, an installation. */
static const char *const places[] = {"../../docs", "../share/doc/roofline/docs"};

static bool is_name(const char *text, const char *others) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  size_t length = strspn(text, letters);
  return length > 0 && strcmp(text + length, others) == 0;
}

/** Appends the path of a page, or of the folder for "". False: it is nowhere. */
static bool find_page(const char *page, roof_text *path) {
  char folder[4096];
  rf_process_folder(folder, sizeof folder);
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    roof_text_done(path);
    roof_text_addf(path, "%s/%s/index.md", folder, places[i]);
    if (!path->failed && rf_file_begins(path->data, "# ")) {
      path->length -= strlen("index.md");
      path->data[path->length] = '\0';
      roof_text_add(path, page);
      return !path->failed;
    }
  }
  return false;
}

static void add_machines(json_t *all) {
  roof_catalog_list list;
  if (roof_catalog_list_all(&list, NULL) != ROOF_OK) {
    return;
  }
  for (size_t i = 0; i < list.count; i++) {
    const roof_catalog_entry *e = &list.entries[i];
    rf_json_append(all, json_pack("{s:o, s:s, s:o, s:s}", "uri",
                                  json_sprintf("%s%s", machine_prefix, e->name), "name", e->name,
                                  "description", json_sprintf("ceilings of %s, with their sources", e->name),
                                  "mimeType", "application/json"));
  }
  roof_catalog_list_done(&list);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_page(const struct dirent *entry) {
  return is_name(entry->d_name, ".md");
}

static void add_docs(json_t *all) {
  roof_text folder = {0};
  struct dirent **entries = NULL;
  int count = find_page("", &folder) ? scandir(folder.data, &entries, is_page, by_name) : 0;
  for (int i = 0; i < count; i++) {
    rf_json_append(all,
                   json_pack("{s:o, s:s, s:s}", "uri", json_sprintf("%s%s", docs_prefix, entries[i]->d_name),
                             "name", entries[i]->d_name, "mimeType", "text/markdown"));
    free(entries[i]);
  }
  free(entries);
  roof_text_done(&folder);
}

roof_status cli_mcp_resources_list(const char *cursor, json_t **result, roof_error *error) {
  double typed = 0;
  if (cursor != NULL && roof_number_read(cursor, strlen(cursor), &typed) != strlen(cursor)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "cursor: none of this server's");
  }
  json_t *all = json_array(), *page = json_array();
  add_docs(all);
  add_machines(all);
  size_t count = json_array_size(all), from = typed >= 0 && typed < (double)count ? (size_t)typed : count;
  for (size_t i = from; i < count && i < from + PER_PAGE; i++) {
    rf_json_append(page, json_incref(json_array_get(all, i)));
  }
  json_decref(all);
  *result = json_pack("{s:o}", "resources", page);
  if (from + PER_PAGE < count) {
    rf_json_set(*result, "nextCursor", json_sprintf("%zu", from + PER_PAGE));
  }
  return ROOF_OK;
}

json_t *cli_mcp_resources_templates(void) {
  return json_pack("{s:[{s:s, s:s, s:s, s:s}]}", "resourceTemplates", "uriTemplate",
                   "roofline://machine/{name}", "name", "machine", "description",
                   "ceilings of a machine by its name or alias, with their sources", "mimeType",
                   "application/json");
}

static roof_status read_machine(const char *name, roof_text *out, roof_error *error) {
  roof_machine *machine = NULL;
  roof_status status = is_name(name, "")
                           ? roof_catalog_load(name, &machine, error)
                           : roof_error_set(error, ROOF_E_NAME, "machine `%.80s`: unknown", name);
  status = status == ROOF_OK ? roof_machine_write(machine, out, error) : status;
  roof_machine_free(machine);
  return status;
}

static roof_status read_page(const char *name, roof_text *out, roof_error *error) {
  roof_text path = {0};
  roof_status status = is_name(name, ".md") && find_page(name, &path)
                           ? rf_file_read(path.data, out, error)
                           : roof_error_set(error, ROOF_E_NAME, "page `%.80s`: unknown", name);
  roof_text_done(&path);
  return status;
}

roof_status cli_mcp_resources_read(const char *uri, json_t **result, roof_error *error) {
  bool machine = strncmp(uri, machine_prefix, sizeof machine_prefix - 1) == 0;
  bool page = strncmp(uri, docs_prefix, sizeof docs_prefix - 1) == 0;
  roof_text text = {0};
  roof_status status = machine ? read_machine(uri + sizeof machine_prefix - 1, &text, error)
                       : page  ? read_page(uri + sizeof docs_prefix - 1, &text, error)
                               : roof_error_set(error, ROOF_E_NAME, "resource `%.80s`: unknown", uri);
  if (status == ROOF_OK) {
    *result = json_pack("{s:[{s:s, s:s, s:s%}]}", "contents", "uri", uri, "mimeType",
                        machine ? "application/json" : "text/markdown", "text", text.data, text.length);
  }
  roof_text_done(&text);
  return status;
}
