/** The words of a judged claim. */
#ifndef ADVISE_CLAIM_H
#define ADVISE_CLAIM_H

#include "roofline/claim.h"

/** Writes the answer in one sentence: `because`. */
void rf_claim_explain(roof_claim_judged *judged, const roof_claim *claim, const roof_machine *machine);

#endif
