#include "cli/ledger/seal.h"

roof_status cli_seal_all(const char *ledger, const roof_sealings *sealings, const char *key,
                         roof_error *error) {
  char commit[ROOF_DIGEST_MAX];
  roof_ledger_options how = {.commit = roof_ledger_commit(commit), .key = key};
  return roof_ledger_seal(ledger, sealings->list, sealings->count, &how, error);
}
