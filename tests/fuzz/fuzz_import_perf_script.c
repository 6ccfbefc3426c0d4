#define FORMAT "perf-script"
#include "import_any.h"
