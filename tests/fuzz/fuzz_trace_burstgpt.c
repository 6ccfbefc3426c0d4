/* A trace of burstgpt. */
#include "fuzz_trace.h"
