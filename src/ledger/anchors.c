/* Anchors and lists of them: their names, what they cover. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/anchor.h"

static const char *const kind_names[ROOF_ANCHOR_KIND_COUNT + 1] = {
#define X(symbol, name) name,
    ROOF_ANCHOR_MAP(X)
#undef X
};

const char *roof_anchor_kind_name(roof_anchor_kind kind) {
  return (unsigned)kind < ROOF_ANCHOR_KIND_COUNT ? kind_names[kind] : "?";
}

roof_status roof_anchor_kind_parse(const char *name, roof_anchor_kind *kind, roof_error *error) {
  for (int i = 0; i < ROOF_ANCHOR_KIND_COUNT; i++) {
    if (strcmp(name, kind_names[i]) == 0) {
      *kind = (roof_anchor_kind)i;
      return ROOF_OK;
    }
  }
  return roof_error_unknown(error, "anchor", name, kind_names, NULL);
}

char *rf_anchor_head(const roof_anchor *a, char text[LEDGER_HEAD_MAX]) {
  snprintf(text, LEDGER_HEAD_MAX, "%zu:%s", a->entries, a->digest);
  return text;
}

roof_status rf_anchor_name(roof_anchor *a, const char *file, const char *ending, roof_error *error) {
  int length = snprintf(a->name, sizeof a->name, "%s%s", file, ending);
  return length < (int)sizeof a->name
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "%.40s...: the name is too long", file);
}

roof_status rf_anchors_add(roof_anchors *all, const roof_anchor *a, roof_error *error) {
  roof_anchor *list = realloc(all->list, (all->count + 1) * sizeof *list);
  if (list == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "anchor %s: out of memory", a->name);
  }
  list[all->count] = *a;
  *all = (roof_anchors){list, all->count + 1};
  return ROOF_OK;
}

size_t roof_anchors_cover(const roof_anchors *all) {
  size_t covered = 0;
  for (size_t i = 0; all != NULL && i < all->count; i++) {
    covered = all->list[i].entries > covered ? all->list[i].entries : covered;
  }
  return covered;
}

void roof_anchors_done(roof_anchors *all) {
  free(all->list);
  *all = (roof_anchors){0};
}
