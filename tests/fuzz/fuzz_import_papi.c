#define FORMAT "papi"
#include "import_any.h"
