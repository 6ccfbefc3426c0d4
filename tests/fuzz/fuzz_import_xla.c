#define FORMAT "xla"
#include "import_any.h"
