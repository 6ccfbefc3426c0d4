#define FORMAT "model-runs"
#include "import_any.h"
