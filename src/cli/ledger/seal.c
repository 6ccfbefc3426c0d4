#include "cli/ledger/seal.h"

roof_status cli_seal_all(const char *ledger, const roof_sealings *sealings, const char *key,
                         roof_error *error) {
  char commit[ROOF_DIGEST_MAX];
  cli_commit(commit, sizeof commit);
  roof_ledger_options how = {.commit = commit[0] != '\0' ? commit : NULL, .key = key};
  return roof_ledger_seal(ledger, sealings->list, sealings->count, &how, error);
}
