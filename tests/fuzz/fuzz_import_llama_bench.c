#define FORMAT "llama-bench"
#include "import_any.h"
