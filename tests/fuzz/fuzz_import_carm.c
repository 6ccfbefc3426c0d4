#define FORMAT "carm"
#include "import_any.h"
