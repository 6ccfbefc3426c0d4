/** From predictions to a ledger. */
#ifndef CLI_LEDGER_SEAL_H
#define CLI_LEDGER_SEAL_H

#include "cli/cli.h"
#include "roofline/ledger.h"

#define CLI_DEFAULT_LEDGER "roofline.ledger"

/** The ledger that --ledger names; the default where `typed` is NULL. */
const char *cli_ledger_name(const char *typed);

/** Runs the words and options of `predict` and appends what is sealed of each prediction. */
roof_status cli_predict_collect(const cli_args *args, roof_sealings *sealings, roof_error *error);

/** Seals predictions in the ledger, with the commit of the working folder, signed where `key` is not NULL. */
roof_status cli_seal_all(const char *ledger, const roof_sealings *sealings, const char *key,
                         roof_error *error);

/** Whether entries of a ledger have a prediction of that label. */
bool cli_is_sealed(const roof_ledger_entries *entries, const char *label);

/** Remembers that entries are in the ledger, for cli_ledger_explain. */
void cli_ledger_written(const char *ledger);

/** Adds to the error of an answer that could not be printed that the ledger has the entries nevertheless. */
void cli_ledger_explain(roof_status status, roof_error *error);

/** Prints what was measured in the ledger against what was sealed, as a table. */
roof_status cli_reconcile_print(const cli_args *args, const char *ledger, roof_error *error);

#endif
