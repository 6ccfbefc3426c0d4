#define FORMAT "advisor"
#include "import_any.h"
