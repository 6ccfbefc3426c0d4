/* What options say of an answer. */
#ifndef ADVISE_OPTIONS_H
#define ADVISE_OPTIONS_H

#include "roofline/predict.h"

/** Whether effects are left out, so that the expected interval is none of what kernels did. */
bool rf_advise_leaves_out(const roof_options *options);

#endif
