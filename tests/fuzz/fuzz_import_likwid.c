#define FORMAT "likwid"
#include "import_any.h"
