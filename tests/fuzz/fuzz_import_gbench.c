#define FORMAT "gbench"
#include "import_any.h"
