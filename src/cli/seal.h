/** From predictions to a ledger. */
#ifndef CLI_SEAL_H
#define CLI_SEAL_H

#include "cli/cli.h"
#include "roofline/ledger.h"

#define ROOF_DEFAULT_LEDGER "roofline.ledger"

/** Runs the words and options of `predict` and appends what they give (roofline.prediction/1 and
 * `machine_sha256`) to the array. */
roof_status roof_predict_collect(const roof_args *args, json_t *predictions, roof_error *error);

/** The SHA-256 of the machine as `roofline machine show --json` prints it. */
roof_status roof_seal_digest(const roof_machine *machine, char digest[ROOF_DIGEST_MAX], roof_error *error);

/** Sets `label` where there is none: its operation, parameters and format, and its machine where there are
 * several. */
void roof_seal_label(json_t *prediction, bool several);

/** Seals predictions (roofline.prediction/1); one without `label` gets one, in the object too. */
roof_status roof_seal_all(const char *ledger, json_t *predictions, const char *key, roof_error *error);

/** Prints what was measured in the ledger against what was sealed, as a table. */
roof_status roof_reconcile_print(const roof_args *args, const char *ledger, roof_error *error);

/** The commit checked out in the git repository around the working folder, "" outside one. */
void roof_commit(char *buffer, size_t size);

#endif
