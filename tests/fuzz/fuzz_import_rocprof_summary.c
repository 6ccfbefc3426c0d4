#define FORMAT "rocprof-summary"
#include "import_any.h"
