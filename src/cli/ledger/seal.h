/** From predictions to a ledger. */
#ifndef CLI_LEDGER_SEAL_H
#define CLI_LEDGER_SEAL_H

#include "cli/cli.h"
#include "roofline/ledger.h"

#define CLI_DEFAULT_LEDGER "roofline.ledger"

/** Runs the words and options of `predict` and appends what they give (roofline.prediction/1 and
 *  `machine_sha256`) to the array. */
roof_status cli_predict_collect(const cli_args *args, json_t *predictions, roof_error *error);

/** The SHA-256 of the machine as `roofline machine show --json` prints it. */
roof_status cli_seal_digest(const roof_machine *machine, char digest[ROOF_DIGEST_MAX], roof_error *error);

/** Sets `label` where there is none: its operation, parameters and format, and its machine where there are
 *  several. */
void cli_seal_label(json_t *prediction, bool several);

/** Seals predictions (roofline.prediction/1); one without `label` gets one, in the object too. */
roof_status cli_seal_all(const char *ledger, json_t *predictions, const char *key, roof_error *error);

/** Prints what was measured in the ledger against what was sealed, as a table. */
roof_status cli_reconcile_print(const cli_args *args, const char *ledger, roof_error *error);

/** The commit checked out in the git repository around the working folder, "" outside one. */
void cli_commit(char *buffer, size_t size);

#endif
