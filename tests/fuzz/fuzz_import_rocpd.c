#define FORMAT "rocpd"
#include "import_any.h"
