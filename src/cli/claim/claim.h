/** `claim --scan`: the claims of texts. */
#ifndef CLI_CLAIM_CLAIM_H
#define CLI_CLAIM_CLAIM_H

#include "cli/cli.h"

/** Judges what the files among the words claim and prints it, `github`: also as annotations. ROOF_E_GATE where one claim is impossible. */
roof_status cli_claim_scan(const cli_args *args, bool github, roof_error *error);

#endif
