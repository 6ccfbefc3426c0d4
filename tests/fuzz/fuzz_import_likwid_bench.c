#define FORMAT "likwid-bench"
#include "import_any.h"
