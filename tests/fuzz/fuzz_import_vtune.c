#define FORMAT "vtune"
#include "import_any.h"
