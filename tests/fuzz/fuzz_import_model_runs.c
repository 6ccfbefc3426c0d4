#define FORMAT "model_runs"
#include "import_any.h"
