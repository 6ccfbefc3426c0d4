#define FORMAT "ncu"
#include "import_any.h"
