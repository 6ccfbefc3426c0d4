/* A trace of mooncake. */
#include "fuzz_trace.h"
