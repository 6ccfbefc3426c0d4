#define FORMAT "hyperfine"
#include "import_any.h"
