#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "catalog/assume.h"
#include "catalog/builtin.h"
#include "catalog/family.h"
#include "catalog/folders.h"
#include "catalog/given.h"
#include "catalog/match.h"
#include "core/letters.h"
#include "host/file.h"
#include "roofline/catalog.h"
#include "roofline/documents.h"

/** A name may have a `/` too ("AMD Instinct MI250X/MI250"): it is a path where the file exists. */
static bool is_path(const char *name) {
  return name[0] == '/' || name[0] == '.' || roof_text_ends_with(name, ".json") || rf_file_is_input(name) ||
         (strchr(name, '/') != NULL && access(name, F_OK) == 0);
}

/** True when `name` is one of `words`, which single spaces separate; case ignored. */
static bool is_word_of(const char *name, const char *words) {
  size_t length = strlen(name);
  while (*words != '\0') {
    size_t word = strcspn(words, " ");
    if (word == length && rf_letters_compare_some(words, name, length) == 0) {
      return true;
    }
    words += word + (words[word] == ' ');
  }
  return false;
}

static const rf_builtin *find_builtin(const char *name) {
  for (unsigned i = 0; i < rf_builtin_machine_count; i++) {
    const rf_builtin *builtin = &rf_builtin_machines[i];
    if (rf_letters_compare(builtin->name, name) == 0 || is_word_of(name, builtin->aliases)) {
      return builtin;
    }
  }
  return NULL;
}

typedef struct search {
  const char *name;
  roof_text *found;
} search;

/** Stops at the first folder that holds NAME.json. */
static bool find_in_folder(const char *folder, void *context) {
  search *s = context;
  s->found->length = 0;
  roof_text_addf(s->found, "%s/%s.json", folder, s->name);
  return !s->found->failed && access(s->found->data, F_OK) == 0;
}

/** Finds the file of a user's machine by its alias; only names that are found nowhere else come here. */
static roof_status find_alias(const roof_catalog_list *list, const char *name, roof_text *path) {
  for (size_t i = 0; i < list->count; i++) {
    if (is_word_of(name, list->entries[i].aliases) && strchr(list->entries[i].origin, '/') != NULL) {
      path->length = 0;
      roof_text_add(path, list->entries[i].origin);
      return ROOF_OK;
    }
  }
  return ROOF_E_NAME;
}

/** True when `key` is that of the entry's name or of one of its aliases. */
static bool has_key(const roof_catalog_entry *entry, const char *key) {
  char own[ROOF_NAME_MAX], word[ROOF_NAME_MAX];
  if (strcmp(rf_catalog_key(entry->name, own, sizeof own), key) == 0) {
    return true;
  }
  for (const char *at = entry->aliases; *at != '\0';) {
    size_t length = strcspn(at, " ");
    snprintf(word, sizeof word, "%.*s", (int)length, at);
    if (strcmp(rf_catalog_key(word, own, sizeof own), key) == 0) {
      return true;
    }
    at += length + (at[length] == ' ');
  }
  return false;
}

/** The only machine whose name or alias has the same letters and digits, or NULL. */
static const roof_catalog_entry *find_key(const roof_catalog_list *list, const char *name) {
  char key[ROOF_NAME_MAX];
  const roof_catalog_entry *found = NULL;
  rf_catalog_key(name, key, sizeof key);
  for (size_t i = 0; i < list->count && key[0] != '\0'; i++) {
    if (has_key(&list->entries[i], key)) {
      if (found != NULL) {
        return NULL;
      }
      found = &list->entries[i];
    }
  }
  return found;
}

/** The built-in machine of that title, letters and digits compared. */
static const rf_builtin *find_title(const char *title) {
  char key[ROOF_NAME_MAX], own[ROOF_NAME_MAX];
  rf_catalog_key(title, key, sizeof key);
  for (unsigned i = 0; i < rf_builtin_machine_count && key[0] != '\0'; i++) {
    if (strcmp(rf_catalog_key(rf_builtin_machines[i].title, own, sizeof own), key) == 0) {
      return &rf_builtin_machines[i];
    }
  }
  return NULL;
}

/** The name of a driver as the catalogue's aliases write it: "AMD Instinct MI300X" is `amd-instinct-mi300x`. */
static const char *dash_device(const char *device, char name[ROOF_NAME_MAX]) {
  size_t used = 0;
  for (const char *c = device; *c != '\0' && used + 1 < ROOF_NAME_MAX; c++) {
    bool plain = isalnum((unsigned char)*c) != 0;
    if (plain || (used > 0 && name[used - 1] != '-')) {
      name[used++] = plain ? (char)rf_lower((unsigned char)*c) : '-';
    }
  }
  name[used - (used > 0 && name[used - 1] == '-')] = '\0';
  return name;
}

/** The machine that is no file and has no such name: a driver's name, the same letters and digits, its title; or NULL. */
static const char *find_like(const roof_catalog_list *list, const char *name) {
  char device[ROOF_NAME_MAX];
  const rf_builtin *builtin = find_builtin(dash_device(name, device));
  const roof_catalog_entry *entry = builtin == NULL ? find_key(list, name) : NULL;
  builtin = builtin == NULL && entry == NULL ? find_title(name) : builtin;
  return builtin != NULL ? builtin->name : entry != NULL ? entry->name : NULL;
}

/** Splits every name and alias into words of their own and suggests the nearest. */
static roof_status fail_unknown(const roof_catalog_list *list, const char *name, roof_error *error) {
  roof_text words = {0};
  size_t count = 0;
  for (size_t i = 0; i < list->count; i++) {
    roof_text_addf(&words, "%s %s ", list->entries[i].name, list->entries[i].aliases);
  }
  const char **candidates = calloc(words.length + 2, sizeof *candidates);
  if (candidates == NULL || words.failed) {
    free(candidates);
    roof_text_done(&words);
    return roof_error_set(error, ROOF_E_MEMORY, "machine `%s`: out of memory", name);
  }
  char *rest = NULL;
  for (char *word = words.data ? strtok_r(words.data, " ", &rest) : NULL; word != NULL;
       word = strtok_r(NULL, " ", &rest)) {
    candidates[count++] = word;
  }
  bool host = strcmp(name, "host") == 0;
  roof_error_unknown(error, "machine", name, candidates,
                     host ? "`roofline measure` makes it" : "`roofline machine list` shows all");
  free(candidates);
  roof_text_done(&words);
  return ROOF_E_NAME;
}

static roof_status load_listed(const char *name, roof_machine **machine, roof_error *error) {
  roof_catalog_list list;
  roof_text path = {0};
  roof_status status = roof_catalog_list_all(&list, error);
  if (status != ROOF_OK) {
    return status;
  }
  const char *like = find_like(&list, name);
  status = find_alias(&list, name, &path) == ROOF_OK ? rf_catalog_load_file(path.data, machine, error)
           : like != NULL && rf_letters_compare(like, name) != 0 ? roof_catalog_load(like, machine, error)
                                                                 : fail_unknown(&list, name, error);
  roof_text_done(&path);
  roof_catalog_list_done(&list);
  return status;
}

static roof_status load_named(const char *name, roof_machine **machine, roof_error *error) {
  if (rf_catalog_is_given(name)) {
    return rf_catalog_load_given(name, machine, error);
  }
  if (is_path(name)) {
    return rf_catalog_load_file(name, machine, error);
  }
  char dashed[ROOF_NAME_MAX];
  if (name[0] == '\0' || strlen(name) >= sizeof dashed) {
    return roof_error_set(error, ROOF_E_NAME, "machine `%.80s`: unknown", name);
  }
  strcpy(dashed, name);
  for (char *c = dashed; *c != '\0'; c++) {
    *c = *c == '_' ? '-' : *c;
  }
  roof_text path = {0};
  roof_status status = ROOF_OK;
  const rf_builtin *builtin = find_builtin(dashed);
  bool failed = false;
  bool found = rf_catalog_folders(find_in_folder, &(search){name, &path}, &failed) ||
               rf_catalog_folders(find_in_folder, &(search){dashed, &path}, &failed);
  if (failed || path.failed) {
    status = roof_error_set(error, ROOF_E_MEMORY, "machine `%s`: out of memory", name);
  } else if (found) {
    status = rf_catalog_load_file(path.data, machine, error);
  } else if (builtin != NULL) {
    status = roof_machine_read(builtin->text, (size_t)(builtin->end - builtin->text), builtin->name, machine,
                               error);
  } else {
    status = load_listed(dashed, machine, error);
  }
  roof_text_done(&path);
  return status;
}

roof_status rf_catalog_load(const char *name, rf_families *families, roof_machine **machine,
                            roof_error *error) {
  roof_machine *loaded = NULL;
  roof_status status = load_named(name, &loaded, error);
  if (status == ROOF_OK) {
    rf_catalog_assume(loaded);
    status = rf_catalog_inherit(loaded, families, error);
  }
  if (status != ROOF_OK) {
    roof_machine_free(loaded);
    return status;
  }
  *machine = loaded;
  return ROOF_OK;
}

roof_status roof_catalog_load(const char *name, roof_machine **machine, roof_error *error) {
  rf_families families = {0};
  roof_status status = rf_catalog_load(name, &families, machine, error);
  rf_families_done(&families);
  return status;
}

roof_status roof_catalog_load_known(const char *name, roof_machine **machine, roof_error *error) {
  roof_error why = {0};
  roof_machine *known = NULL;
  if (roof_catalog_load(name, &known, &why) == ROOF_E_MEMORY) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s", why.message);
  }
  *machine = known;
  return ROOF_OK;
}

roof_status roof_catalog_load_device(const char *device, roof_machine **machine, roof_error *error) {
  char name[ROOF_NAME_MAX];
  roof_machine *found = NULL;
  roof_status status = roof_catalog_load(dash_device(device, name), &found, error);
  if (status == ROOF_OK && found->kind == ROOF_MEASURED) {
    status = roof_error_set(error, ROOF_E_NAME, "device `%.80s`: no datasheet in the catalogue", device);
  }
  if (status == ROOF_OK) {
    *machine = found;
  } else {
    roof_machine_free(found);
  }
  return status;
}
