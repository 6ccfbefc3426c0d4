#define FORMAT "pytest-benchmark"
#include "import_any.h"
