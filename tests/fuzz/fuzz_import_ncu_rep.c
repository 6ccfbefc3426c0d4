#define FORMAT "ncu-rep"
#include "import_any.h"
