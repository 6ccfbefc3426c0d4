#define FORMAT "proton"
#include "import_any.h"
