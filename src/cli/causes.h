/** Why a reconciled kernel is as fast as it is. */
#ifndef CLI_CAUSES_H
#define CLI_CAUSES_H

#include "cli/cli.h"
#include "roofline/advise.h"
#include "roofline/ledger.h"

enum { ROOF_WHY_CAUSES = 8 };

/** Start from `{0}`; keep one for many kernels, and do not copy it: the prediction points into it. */
typedef struct roof_why {
  char name[ROOF_NAME_MAX]; /**< of the machine tried last */
  bool known;               /**< it was found */
  roof_machine machine;
  roof_peak peak;
  roof_level level;
  roof_link link;
  roof_prediction prediction;
  roof_cause causes[ROOF_WHY_CAUSES]; /**< the best supported first */
  size_t count;
  char sentence[512]; /**< "fast because X; the gap because Y" */
} roof_why;

void roof_why_of(roof_why *why, const roof_reconciled *reconciled);
json_t *roof_why_json(const roof_why *why);
json_t *roof_json_cause(const roof_cause *cause);

#endif
