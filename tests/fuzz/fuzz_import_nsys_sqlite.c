#define FORMAT "nsys-sqlite"
#include "import_any.h"
