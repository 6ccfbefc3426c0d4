/** Names of kernels without what distinguishes none of them. */
#ifndef DOCUMENTS_KERNEL_NAMES_H
#define DOCUMENTS_KERNEL_NAMES_H

#include "roofline/text.h"

/** Appends a name of C++ without namespaces and parameters, any other as it is. */
void rf_kernel_plain_name(roof_text *out, const char *name);

#endif
