#include "cli/ledger/seal.h"

#include <string.h>

const char *cli_ledger_name(const char *typed) {
  return typed != NULL ? typed : CLI_DEFAULT_LEDGER;
}

roof_status cli_seal_all(const char *ledger, const roof_sealings *sealings, const char *key,
                         roof_error *error) {
  char commit[ROOF_DIGEST_MAX];
  roof_ledger_options how = {.commit = commit, .key = key};
  roof_status status = roof_ledger_commit(commit, error);
  status =
      status == ROOF_OK ? roof_ledger_seal(ledger, sealings->list, sealings->count, &how, error) : status;
  if (status == ROOF_OK) {
    cli_ledger_written(ledger);
  }
  return status;
}

bool cli_is_sealed(const roof_ledger_entries *entries, const char *label) {
  bool found = false;
  for (size_t i = 0; i < entries->count && !found; i++) {
    found = !entries->entries[i].measured && strcmp(entries->entries[i].of.label, label) == 0;
  }
  return found;
}

static char written[256];

void cli_ledger_written(const char *ledger) {
  snprintf(written, sizeof written, "%s", ledger);
}

void cli_ledger_explain(roof_status status, roof_error *error) {
  const roof_error why = *error;
  if (status == ROOF_E_OUTPUT && written[0] != '\0') {
    roof_error_set(error, status, "%.200s; the entries are in %s", why.message, written);
  }
}
