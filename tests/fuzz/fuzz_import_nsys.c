#define FORMAT "nsys"
#include "import_any.h"
