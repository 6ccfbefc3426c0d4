/** The words of a judged claim. */
#ifndef ADVISE_CLAIM_H
#define ADVISE_CLAIM_H

#include "roofline/claim.h"

/** Writes the answer in one sentence: `because`. */
void rf_claim_explain(roof_claim_judged *judged, const roof_claim *claim, const roof_machine *machine);

/** Whether a peak of the machine was measured above the nominal one, whatever its format: the clock is higher under load. */
bool rf_exceeds_nominal(const roof_machine *machine);

#endif
