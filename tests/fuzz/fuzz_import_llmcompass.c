#define FORMAT "llmcompass"
#include "import_any.h"
