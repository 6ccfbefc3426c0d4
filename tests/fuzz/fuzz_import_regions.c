#define FORMAT "regions"
#include "import_any.h"
