#define FORMAT "perftest"
#include "import_any.h"
