#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/builtin.h"
#include "catalog/folders.h"
#include "host/file.h"
#include "roofline/catalog.h"
#include "roofline/documents.h"

/** The texts of one user's machine. */
typedef struct block {
  struct block *next;
  char name[ROOF_NAME_MAX];
  char aliases[ROOF_ALIAS_MAX * ROOF_NAME_MAX];
  char origin[];
} block;

typedef struct builder {
  roof_catalog_list list;
  size_t capacity;
  bool failed;
} builder;

static bool is_listed(const roof_catalog_list *list, const char *name) {
  for (size_t i = 0; i < list->count; i++) {
    if (strcmp(list->entries[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

static void add_entry(builder *b, const char *name, const char *aliases, const char *origin) {
  roof_catalog_list *list = &b->list;
  if (is_listed(list, name)) {
    return;
  }
  if (list->count == b->capacity) {
    size_t capacity = b->capacity * 2 + 128;
    roof_catalog_entry *entries = realloc(list->entries, capacity * sizeof *entries);
    if (entries == NULL) {
      b->failed = true;
      return;
    }
    list->entries = entries;
    b->capacity = capacity;
  }
  list->entries[list->count++] = (roof_catalog_entry){name, aliases, origin};
}

roof_status rf_catalog_load_file(const char *path, roof_machine **machine, roof_error *error) {
  roof_text text = {0};
  roof_status status = rf_file_read_text(path, &text, error);
  if (status == ROOF_OK) {
    status = roof_machine_read(text.data != NULL ? text.data : "", text.length, path, machine, error);
  }
  roof_text_done(&text);
  return status;
}

/** The aliases of the machine file, "" if it cannot be read: loading it by name gives the reason. */
static void read_aliases(const char *path, char *aliases, size_t size) {
  roof_machine *machine = NULL;
  aliases[0] = '\0';
  if (rf_catalog_load_file(path, &machine, NULL) != ROOF_OK) {
    return;
  }
  size_t used = 0;
  for (int i = 0; i < machine->alias_count; i++) {
    used += (size_t)snprintf(aliases + used, size - used, "%s%s", i > 0 ? " " : "", machine->aliases[i]);
  }
  roof_machine_free(machine);
}

static void add_file(builder *b, const char *folder, const char *file) {
  size_t stem = strlen(file) - strlen(".json");
  size_t size = strlen(folder) + strlen(file) + 2;
  block *texts = malloc(sizeof *texts + size);
  if (texts == NULL) {
    b->failed = true;
    return;
  }
  texts->next = b->list.storage;
  b->list.storage = texts;
  snprintf(texts->name, sizeof texts->name, "%.*s", (int)stem, file);
  snprintf(texts->origin, size, "%s/%s", folder, file);
  read_aliases(texts->origin, texts->aliases, sizeof texts->aliases);
  add_entry(b, texts->name, texts->aliases, texts->origin);
}

static bool add_folder(const char *folder, void *context) {
  builder *b = context;
  DIR *directory = opendir(folder);
  if (directory == NULL) {
    return false;
  }
  for (struct dirent *file = readdir(directory); file != NULL && !b->failed; file = readdir(directory)) {
    size_t length = strlen(file->d_name);
    if (length > 5 && length - 5 < ROOF_NAME_MAX && strcmp(file->d_name + length - 5, ".json") == 0) {
      add_file(b, folder, file->d_name);
    }
  }
  closedir(directory);
  return b->failed;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const roof_catalog_entry *)a)->name, ((const roof_catalog_entry *)b)->name);
}

roof_status roof_catalog_list_all(roof_catalog_list *list, roof_error *error) {
  builder b = {0};
  rf_catalog_folders(add_folder, &b, &b.failed);
  for (unsigned i = 0; i < rf_builtin_machine_count; i++) {
    add_entry(&b, rf_builtin_machines[i].name, rf_builtin_machines[i].aliases, "built-in");
  }
  if (b.failed) {
    roof_catalog_list_done(&b.list);
    return roof_error_set(error, ROOF_E_MEMORY, "machines: out of memory");
  }
  if (b.list.count > 0) {
    qsort(b.list.entries, b.list.count, sizeof *b.list.entries, by_name);
  }
  *list = b.list;
  return ROOF_OK;
}

void roof_catalog_list_done(roof_catalog_list *list) {
  for (block *texts = list->storage; texts != NULL;) {
    block *next = texts->next;
    free(texts);
    texts = next;
  }
  free(list->entries);
  *list = (roof_catalog_list){0};
}
