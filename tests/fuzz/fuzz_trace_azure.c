/* A trace of azure. */
#include "fuzz_trace.h"
