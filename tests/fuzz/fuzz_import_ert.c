#define FORMAT "ert"
#include "import_any.h"
