#define FORMAT "rocprof-machine"
#include "import_any.h"
