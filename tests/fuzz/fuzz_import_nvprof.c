#define FORMAT "nvprof"
#include "import_any.h"
