/* The four kernels of STREAM. */
#include "ops/row.h"

#define STREAM_SOURCE "McCalpin, STREAM: bytes and FLOPs counted per iteration, no write-allocate"

static const roof_op ops[] = {
    {.name = "copy",
     .family = "stream",
     .summary = "b = a",
     .unit = ROOF_VECTOR,
     .flops = "0",
     .bytes = "n * (a + o)",
     .flops_per_element = 0,
     .source = STREAM_SOURCE,
     .work = unary_work,
     .params = PARAMS(COUNT("n", "elements of each array"))},
    {.name = "scale",
     .family = "stream",
     .summary = "b = q a",
     .unit = ROOF_VECTOR,
     .flops = "n",
     .bytes = "n * (a + o)",
     .flops_per_element = 1,
     .source = STREAM_SOURCE,
     .work = unary_work,
     .params = PARAMS(COUNT("n", "elements of each array"))},
    {.name = "add",
     .family = "stream",
     .summary = "c = a + b",
     .unit = ROOF_VECTOR,
     .flops = "n",
     .bytes = "n * (2 * a + o)",
     .flops_per_element = 1,
     .source = STREAM_SOURCE,
     .work = binary_work,
     .params = PARAMS(COUNT("n", "elements of each array"))},
    {.name = "triad",
     .family = "stream",
     .summary = "a = b + q c",
     .unit = ROOF_VECTOR,
     .flops = "2 * n",
     .bytes = "n * (2 * a + o)",
     .flops_per_element = 2,
     .source = STREAM_SOURCE,
     .work = binary_work,
     .params = PARAMS(COUNT("n", "elements of each array"))},
};

FAMILY(stream);
