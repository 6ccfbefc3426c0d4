#define FORMAT "torch-table"
#include "import_any.h"
