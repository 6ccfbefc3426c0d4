/** A cache of keys and values in pages, as vLLM and FlashAttention have it: pages x keys of a page x heads x head_dim,
 *  anywhere in memory, and a table that names each sequence's in order. */
#ifndef KERNELS_DEVICE_PAGES_H
#define KERNELS_DEVICE_PAGES_H

#include "kernels/device/_device.h"

/** Elements of K in pages of `page` keys, after which V begins.
 *  Units: elements. Ownership: none. Errors: none. */
double rf_pages_values_at(const roof_kernel_run *run, int page);

/** Operands of an attention as rf_device_prepare makes them, then in[1] in pages: K, V and the table of 32-bit numbers.
 *  Units: none. Ownership: as roof_kernel's. Errors: as roof_kernel's. */
roof_status rf_pages_prepare(roof_kernel_run *run, int page, roof_error *error);

/** rf_device_check of such operands.
 *  Units: none. Ownership: as roof_kernel's. Errors: as roof_kernel's. */
roof_status rf_pages_check(roof_kernel_run *run, roof_error *error);

#endif
