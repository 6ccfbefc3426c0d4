#define FORMAT "perf"
#include "import_any.h"
