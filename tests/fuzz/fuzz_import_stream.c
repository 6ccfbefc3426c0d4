#define FORMAT "stream"
#include "import_any.h"
