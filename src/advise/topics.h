/* Topics worked from tables that have files of their own. */
#ifndef ADVISE_TOPICS_H
#define ADVISE_TOPICS_H

#include "roofline/explain.h"

void rf_advise_work_errata(roof_text *out, const roof_lesson *lesson);
void rf_advise_work_production(roof_text *out, const roof_lesson *lesson);
/** What an SM and a block hold on chip, where that is known. */
void rf_advise_work_block(roof_text *out, const roof_lesson *lesson);
/** The largest tile of a block. */
void rf_advise_work_block_tile(roof_text *out, const roof_lesson *lesson);

#endif
