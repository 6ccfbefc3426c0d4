/** Why a reconciled kernel is as fast as it is. */
#ifndef CLI_ADVISE_CAUSES_H
#define CLI_ADVISE_CAUSES_H

#include "cli/cli.h"
#include "roofline/advise.h"
#include "roofline/ledger.h"

/** Start from `{0}`, end with cli_why_free; keep one for many kernels, and do not copy it: the prediction
 * points into it. */
typedef struct cli_why {
  char name[ROOF_NAME_MAX]; /**< of the machine tried last */
  roof_machine *machine;    /**< NULL: not found */
  roof_why of;
} cli_why;

/** Frees a `why` that calloc made; NULL is none. */
void cli_why_free(cli_why *why);
void cli_why_of(cli_why *why, const roof_reconciled *reconciled);
json_t *cli_why_json(const cli_why *why);
json_t *cli_json_cause(const roof_cause *cause);

#endif
