/* The labels of a ledger, each with a number. */
#include <stdlib.h>
#include <string.h>

#include "core/digest.h"
#include "ledger/entry.h"

bool rf_ledger_labels_init(ledger_labels *l, size_t most) {
  *l = (ledger_labels){.slot_count = 4};
  while (l->slot_count < 2 * most) {
    l->slot_count *= 2;
  }
  l->list = calloc(most + 1, sizeof *l->list);
  l->slots = calloc(l->slot_count, sizeof *l->slots);
  return l->list != NULL && l->slots != NULL;
}

void rf_ledger_labels_done(ledger_labels *l) {
  free(l->list);
  free(l->slots);
}

size_t rf_ledger_label_index(ledger_labels *l, const char *label) {
  size_t slot = rf_digest(label, strlen(label)) & (l->slot_count - 1);
  for (; l->slots[slot] != 0; slot = (slot + 1) & (l->slot_count - 1)) {
    if (strcmp(l->list[l->slots[slot] - 1], label) == 0) {
      return l->slots[slot] - 1;
    }
  }
  l->list[l->count] = label;
  l->slots[slot] = ++l->count;
  return l->count - 1;
}
