#define FORMAT "serving"
#include "import_any.h"
