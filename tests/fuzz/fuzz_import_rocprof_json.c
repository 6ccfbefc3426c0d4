#define FORMAT "rocprof-json"
#include "import_any.h"
