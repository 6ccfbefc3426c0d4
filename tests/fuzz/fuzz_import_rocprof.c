#define FORMAT "rocprof"
#include "import_any.h"
