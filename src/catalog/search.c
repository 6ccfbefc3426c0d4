/* The machines of the catalogue that have a word in common with what is looked for. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/family.h"
#include "core/letters.h"
#include "documents/json.h"
#include "roofline/catalog.h"

/** Whether a word of `name` begins with `text`. */
static bool begins_word(const char *name, const char *text) {
  const char *at = name;
  while ((at = rf_letters_find(at, text)) != NULL) {
    if (at == name || !isalnum((unsigned char)at[-1])) {
      return true;
    }
    at++;
  }
  return false;
}

static bool matches(const roof_catalog_entry *entry, const roof_machine *m, const char *text) {
  const char *const texts[] = {entry->name, entry->aliases,  m->title,
                               m->vendor,   m->architecture, m->device_class};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    if (begins_word(texts[i], text)) {
      return true;
    }
  }
  for (int i = 0; i < m->level_count; i++) {
    if (begins_word(m->levels[i].name, text)) {
      return true;
    }
  }
  return false;
}

static void add_found(roof_search *s, const roof_catalog_entry *entry, const roof_machine *machine) {
  roof_found_machine *found = &s->machines[s->count++];
  *found =
      (roof_found_machine){.entry = entry, .kind = machine->kind, .figures = roof_machine_summarize(machine)};
  memcpy(found->title, machine->title, sizeof found->title);
}

/** A file that cannot be read must not hide the others. */
static roof_status add_unreadable(roof_search *s, const roof_error *why) {
  roof_error *list = realloc(s->unreadable, (s->unreadable_count + 1) * sizeof *list);
  if (list == NULL) {
    return ROOF_E_MEMORY;
  }
  list[s->unreadable_count++] = *why;
  s->unreadable = list;
  return ROOF_OK;
}

static roof_status search_entry(roof_search *s, const roof_catalog_entry *entry, const char *text,
                                rf_families *families) {
  roof_machine *machine = NULL;
  roof_error why = {0};
  bool built_in = strchr(entry->origin, '/') == NULL;
  roof_status status = rf_catalog_load(built_in ? entry->name : entry->origin, families, &machine, &why);
  if (status == ROOF_OK && matches(entry, machine, text)) {
    add_found(s, entry, machine);
  } else if (status != ROOF_OK && status != ROOF_E_MEMORY) {
    status = add_unreadable(s, &why);
  }
  roof_machine_free(machine);
  return status;
}

roof_status roof_catalog_search(const char *text, roof_search *search, roof_error *error) {
  roof_search s = {0};
  rf_families families = {0};
  roof_status status = roof_catalog_list_all(&s.list, error);
  if (status != ROOF_OK) {
    return status;
  }
  s.machines = calloc(s.list.count + 1, sizeof *s.machines);
  status = s.machines != NULL ? ROOF_OK : ROOF_E_MEMORY;
  for (size_t i = 0; i < s.list.count && status == ROOF_OK; i++) {
    status = search_entry(&s, &s.list.entries[i], text, &families);
  }
  rf_families_done(&families);
  if (status != ROOF_OK) {
    roof_search_done(&s);
    return roof_error_set(error, status, "machines: out of memory");
  }
  *search = s;
  return ROOF_OK;
}

void roof_search_done(roof_search *search) {
  free(search->machines);
  free(search->unreadable);
  roof_catalog_list_done(&search->list);
  *search = (roof_search){0};
}

static json_t *aliases_json(const char *aliases) {
  json_t *list = json_array();
  for (size_t length = 0; *aliases != '\0'; aliases += length + (aliases[length] == ' ')) {
    length = strcspn(aliases, " ");
    rf_json_append(list, json_stringn(aliases, length));
  }
  return list;
}

static json_t *kinds_json(const int kinds[ROOF_PROVENANCE_COUNT]) {
  json_t *counts = json_object();
  for (int i = 0; i < ROOF_PROVENANCE_COUNT; i++) {
    rf_json_set(counts, roof_provenance_name((roof_provenance)i), json_integer(kinds[i]));
  }
  return counts;
}

static json_t *found_json(const roof_found_machine *m) {
  const roof_machine_summary *f = &m->figures;
  return json_pack("{s:s?, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:s}", "title",
                   m->title[0] != '\0' ? m->title : NULL, "kind", roof_provenance_name(m->kind),
                   "memory_bytes", rf_json_number(f->memory_bytes), "bytes_per_second",
                   rf_json_number(f->bytes_per_second), "fp32_flops_per_second",
                   rf_json_number(f->fp32_flops_per_second), "half_flops_per_second",
                   rf_json_number(f->half_flops_per_second), "fp8_flops_per_second",
                   rf_json_number(f->fp8_flops_per_second), "ridge", rf_json_number(f->ridge), "figures",
                   kinds_json(f->kinds), "name", m->entry->name, "aliases", aliases_json(m->entry->aliases),
                   "origin", m->entry->origin);
}

roof_status roof_search_write(const roof_search *search, roof_text *out, roof_error *error) {
  json_t *list = json_array();
  for (size_t i = 0; i < search->count; i++) {
    rf_json_append(list, found_json(&search->machines[i]));
  }
  return rf_json_write(json_pack("{s:s, s:o}", "schema", "roofline.machines/1", "machines", list), "machines",
                       out, error);
}
