#define FORMAT "timings"
#include "import_any.h"
