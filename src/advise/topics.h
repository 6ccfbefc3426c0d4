/* Topics worked from tables that have files of their own. */
#ifndef ADVISE_TOPICS_H
#define ADVISE_TOPICS_H

#include "roofline/explain.h"

void rf_advise_work_errata(roof_text *out, const roof_lesson *lesson);
void rf_advise_work_production(roof_text *out, const roof_lesson *lesson);
/** Each peak with what it follows from, and its ratio to fp32. */
void rf_advise_work_peak(roof_text *out, const roof_lesson *lesson);
/** What the bandwidth of each level follows from, as far as it is known. */
void rf_advise_work_bandwidths(roof_text *out, const roof_lesson *lesson);
/** Traffic and intensity of tiles, what they allow, and which level holds them. */
void rf_advise_work_tiles(roof_text *out, const roof_lesson *lesson);
void rf_advise_work_precision(roof_text *out, const roof_lesson *lesson);
/** The FLOP of a sum of products counted exactly. */
void rf_advise_work_exact(roof_text *out, const roof_lesson *lesson);
void rf_advise_work_mma(roof_text *out, const roof_lesson *lesson);
/** The bytes as other conventions count them. */
void rf_advise_work_conventions(roof_text *out, const roof_lesson *lesson);
/** The three ways of a layer's weights: as they are, fused and by a kernel of its own. */
void rf_advise_work_dequant(roof_text *out, const roof_lesson *lesson);
/** What of the ceilings measurements reached. */
void rf_advise_work_losses(roof_text *out, const roof_lesson *lesson);
/** What an SM and a block hold on chip, where that is known. */
void rf_advise_work_block(roof_text *out, const roof_lesson *lesson);
/** The blocks that an SM holds, by what is typed after the topic. */
void rf_advise_work_occupancy(roof_text *out, const roof_lesson *lesson);
extern const roof_op rf_advise_occupancy;
/** How long the work must take not to be overhead, where it is. */
void rf_advise_work_escape(roof_text *out, const roof_lesson *lesson);
/** The occupancy itself; left as it is where it is not known, or nothing can be launched. */
void rf_advise_occupancy_of(const roof_lesson *lesson, roof_occupancy *occupancy);
/** The largest tile of a block. */
void rf_advise_work_block_tile(roof_text *out, const roof_lesson *lesson);

#endif
