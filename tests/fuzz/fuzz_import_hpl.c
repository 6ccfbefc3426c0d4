#define FORMAT "hpl"
#include "import_any.h"
