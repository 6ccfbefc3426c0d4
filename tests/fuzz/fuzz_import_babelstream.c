#define FORMAT "babelstream"
#include "import_any.h"
